"""`picture`: what is drawn of a value, pixel by pixel; what is said of it; what can't be drawn."""

from __future__ import annotations

import array
import json
import math
import mmap
import os
import random
import struct
import subprocess
import sys
import textwrap
import zlib
from collections.abc import Callable
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from untouched import Watch

import tensor_inspector as ti
from tensor_inspector.lenses.picture import layout, palettes, scale
from tensor_inspector.lenses.picture.picture import View, draw
from tensor_inspector.safe.budget import Budget

Pixels = list[list[tuple[int, int, int]]]
MAGENTA, GREEN, BLACK, GREY = (255, 0, 255), (0, 255, 0), (0, 0, 0), (238, 238, 238)
MARKS = {nan: MAGENTA, inf: GREEN, -inf: BLACK}
MASKED = (85, 0, 0)
GROUND = {palettes.SPECIAL[ink]: palettes.SPECIAL[mark] for mark, ink in palettes.INK.items()}
INK = set(GROUND)


def decoded(png: bytes) -> Pixels:
    """The colours of an indexed PNG of 8 bits, without filters; every check sum is checked."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(png):
        (length,), name = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        data = png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(name + data)
        chunks[name], at = data, at + 12 + length
    width, height, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (rest, list(chunks)) == ([8, 3, 0, 0, 0], [b"IHDR", b"PLTE", b"IDAT", b"IEND"])
    table = list(zip(*[iter(chunks[b"PLTE"])] * 3))
    raw = zlib.decompress(chunks[b"IDAT"])
    lines = [raw[start : start + width + 1] for start in range(0, len(raw), width + 1)]
    assert (len(lines), {line[0] for line in lines}) == (height, {0})
    return [[table[index] for index in line[1:]] for line in lines]


def pixels(x: Any, *args: Any, **options: Any) -> Pixels:
    return decoded(ti.picture(x, *args, **options)._repr_png_())


def colours(x: Any, *args: Any, **options: Any) -> Pixels:
    """One colour for each element or tile, that of its first pixel; where that is a glyph's, what it lies on."""
    found = ti.picture(x, *args, **options)
    high, wide = found.to_dict()["pixels"]
    return [[GROUND.get(colour, colour) for colour in row[::wide]] for row in decoded(found._repr_png_())[::high]]


# The raster


@pytest.mark.parametrize(
    ("shape", "pixel"),
    [((1, 1), (32, 32)), ((2, 3), (32, 32)), ((16, 20), (25, 25)), ((128, 128), (4, 4)), ((129, 3), (3, 8)),
     ((300, 200), (1, 1)), ((512, 512), (1, 1)), ((1, 300), (24, 1)), ((3, 512), (8, 1))],
)  # fmt: skip
def test_an_element_is_a_block_of_whole_pixels_without_margin(shape: tuple[int, int], pixel: tuple[int, int]) -> None:
    rows = torch.arange(math.prod(shape), dtype=torch.float32).view(shape)
    found = ti.picture(rows)
    assert tuple(found.to_dict()["pixels"]) == pixel
    drawn = decoded(found._repr_png_())
    assert (len(drawn), len(drawn[0])) == (shape[0] * pixel[0], shape[1] * pixel[1])
    of_elements = [row[:: pixel[1]] for row in drawn[:: pixel[0]]]
    assert drawn == [
        [colour for colour in row for _ in range(pixel[1])] for row in of_elements for _ in range(pixel[0])
    ]


def test_row_0_is_on_top_and_column_0_on_the_left() -> None:
    dark, light = palettes.sequential().colours[0], palettes.sequential().colours[-1]
    assert colours(torch.tensor([[0.0, 1.0], [1.0, 1.0]])) == [[dark, light], [light, light]]
    assert colours(torch.tensor([[1.0, 1.0], [0.0, 1.0]])) == [[light, light], [dark, light]]


@pytest.mark.parametrize(
    ("shape", "size", "tile"),
    [((1024, 1024), 512, (2, 2)), ((1080, 1920), 512, (4, 4)), ((50_000, 700), 512, (98, 2)), ((4, 2000), 512, (1, 4)),
     ((600, 100), 512, (2, 1)), ((100, 100), 10, (10, 10)), ((512, 512), 512, (1, 1)), ((3, 3), 1, (3, 3))],
)  # fmt: skip
def test_a_larger_plane_is_reduced_to_at_most_size_pixels(
    shape: tuple[int, int], size: int, tile: tuple[int, int]
) -> None:
    found = layout.layout_of(*shape, size)
    assert found.tile == tile
    assert found.tiles == tuple(-(-length // width) for length, width in zip(shape, tile))
    assert all(amount * pixel <= size for amount, pixel in zip(found.tiles, found.pixels))


TILED = torch.tensor([[1.0, 2.0, 3.0, 10.0, 7.0], [3.0, 6.0, 0.0, 3.0, 9.0], [5.0, 5.0, 8.0, 8.0, 4.0]])


@pytest.mark.parametrize(
    ("tile", "least", "most"),
    [("mean", 3.0, 8.0), ("min", 0.0, 8.0), ("max", 4.0, 10.0), ("nearest", 1.0, 8.0)],
)  # fmt: skip
@pytest.mark.parametrize("made", [lambda x: x, torch.Tensor.numpy, torch.Tensor.tolist, lambda x: x.T.contiguous().T])
def test_a_tile_is_its_mean_least_most_or_first(
    made: Callable[[Any], Any], tile: Any, least: float, most: float
) -> None:
    found = ti.picture(made(TILED), size=3, tile=tile).to_dict()
    assert (found["tile"], found["tiles"], found["scale"]) == ([2, 2], [2, 3], [least, most])
    assert (found["min"], found["max"], found["complete"]) == (0.0, 10.0, True)


def test_tiles_of_all_three_readers_are_the_same() -> None:
    rows = torch.randn(60, 90)
    rows[3, 4], rows[40, 80], rows[9, 9] = nan, inf, -inf
    for tile in ("mean", "min", "max", "nearest"):
        drawn = [pixels(x, size=16, tile=tile) for x in (rows, rows.numpy(), rows.double().tolist())]
        assert drawn[0] == drawn[1] == drawn[2]


# Colours


@pytest.mark.parametrize("palette", [palettes.diverging(), palettes.sequential(), palettes.line()])
def test_what_is_not_finite_has_a_colour_that_no_value_has(palette: palettes.Palette) -> None:
    assert len(set(palette.colours)) == len(palette.colours)
    for colour in (*MARKS.values(), MASKED):
        for value in palette.colours:
            assert least_difference(colour, value) > 0.085


@pytest.mark.parametrize("amount", range(1, palettes.MOST_LABELS + 1))
def test_labels_have_different_colours(amount: int) -> None:
    found = palettes.labels(amount).colours
    assert len(set(found)) == amount
    assert set(found).isdisjoint(MARKS.values())


def test_marks_differ_from_each_other_for_colour_blind_eyes() -> None:
    pairs = [(MAGENTA, GREEN), (MAGENTA, BLACK), (GREEN, BLACK)]
    assert all(least_difference(a, b) > 0.3 for a, b in pairs)
    assert all(least_difference(MASKED, mark) > 0.2 for mark in MARKS.values())


@pytest.mark.parametrize("palette", [palettes.sequential(), palettes.diverging()])
def test_lightness_rises_to_the_end_of_a_scale_or_its_middle(palette: palettes.Palette) -> None:
    rising = palette.colours if palette.name == "sequential" else palette.colours[: palettes.STEPS // 2 + 1]
    lightness = [oklab(colour, NORMAL)[0] for colour in rising]
    assert all(b > a - 0.004 for a, b in zip(lightness, lightness[1:]))


#: How colours look with one kind of cone missing (Machado, Oliveira and Fernandes, 2009), in linear light.
NORMAL = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
BLIND = (
    ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
)


def oklab(colour: Any, seen: Any) -> tuple[float, float, float]:
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (c / 255 for c in colour)
    ]
    red, green, blue = (min(1.0, max(0.0, sum(map(lambda a, b: a * b, row, linear)))) for row in seen)
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def least_difference(a: Any, b: Any) -> float:
    """In OKLab, to eyes with all three cones, or with two."""
    return min(math.dist(oklab(a, seen), oklab(b, seen)) for seen in (NORMAL, *BLIND))


@pytest.mark.parametrize("values", [[-1.0, 0.0, 3.0], [-1e-300, 0.0, 1e-301], [-1e308, 0.0, 1.7e308], [-7, 0, 4.5]])
def test_zero_is_neutral_among_signed_values(values: list[float]) -> None:
    ((below, zero, above),) = colours([values])
    assert zero == GREY
    assert below[2] > below[0]  # blue
    assert above[0] > above[2]  # orange


def test_signs_have_equal_reach() -> None:
    found = ti.picture([[-1.0, 4.0]]).to_dict()
    assert (found["palette"], found["scale"]) == ("diverging", [-4.0, 4.0])


@pytest.mark.parametrize(
    ("values", "said"),
    [([1.0, 2.0], [1.0, 2.0]), ([-3.0, -1.0], [-3.0, -1.0]), ([0.0, 0.5], [0.0, 0.5]), ([2.5, 2.5], [2.5, 2.5]),
     ([nan, 1.0], [1.0, 1.0]), ([nan, inf], None), ([-1e308, -1e-308], [-1e308, -1e-308]), ([5e-324, 1e-323], [5e-324, 1e-323])],
)  # fmt: skip
def test_values_of_one_sign_go_from_dark_to_light(values: list[float], said: Any) -> None:
    found = ti.picture([values]).to_dict()
    assert (found["palette"], found["scale"]) == ("sequential", said)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_a_greater_value_never_has_an_earlier_colour(values: list[float]) -> None:
    found = scale.scale_of(values, (0.0, 1.0))
    ordered = sorted(values)
    tiles = scale.Tiles((1, len(values)), ordered, [], bytes(len(values)))
    indices = list(scale.indices(tiles, found))
    assert indices == sorted(indices)
    assert max(indices) < palettes.STEPS


def test_constants_rounded_in_tiles_of_two_sizes_are_of_one_colour() -> None:
    assert len({colour for row in pixels(torch.full((1000, 1003), 0.1, dtype=torch.float64)) for colour in row}) == 1


def test_clip_bounds_the_scale_by_quantiles() -> None:
    values = torch.cat([torch.arange(101.0), torch.tensor([nan])]).view(2, -1)
    found = ti.picture(values, clip=(0.1, 0.9))
    assert found.to_dict()["scale"] == [10.0, 90.0]
    assert "clipped to quantiles 0.1 … 0.9" in found.legend
    row = colours([[0.0, 1.0, 2.0, 3.0, 1000.0]], clip=(0.0, 0.75))[0]
    assert row[3] == row[4] == palettes.sequential().colours[-1]


# NaN, Inf, −Inf


def planes_with(value: float) -> dict[str, Any]:
    rows = [[1.0, 2.0], [value, -1.0]]
    return {"tensor": torch.tensor(rows), "array": np.array(rows), "lists": rows, "half": torch.tensor(rows).half()}


@pytest.mark.parametrize("made", planes_with(0.0))
@pytest.mark.parametrize(("value", "name"), [(nan, "nan"), (inf, "pos_inf"), (-inf, "neg_inf")])
def test_what_is_not_finite_has_its_colour_glyph_and_count(value: float, name: str, made: str) -> None:
    found = ti.picture(planes_with(value)[made])
    data, drawn = found.to_dict(), decoded(found._repr_png_())
    assert [data[one] for one in ("nan", "pos_inf", "neg_inf")] == [
        int(one == name) for one in ("nan", "pos_inf", "neg_inf")
    ]
    block = {colour for row in drawn[32:] for colour in row[:32]}
    assert MARKS[value] in block
    assert len(block & INK) == 1  # the glyph
    others = {colour for row in drawn[:32] for colour in row}
    assert others.isdisjoint({*MARKS.values(), *INK})
    assert {nan: "1 NaN (magenta ×)", inf: "1 Inf (green ▲)", -inf: "1 −Inf (black ▼)"}[value] in found.legend


@pytest.mark.parametrize("at", [(0, 0), (1234, 2345), (3999, 3999)])
@pytest.mark.parametrize("tile", ["mean", "min", "max", "nearest"])
def test_one_of_sixteen_million_is_seen_as_such(at: tuple[int, int], tile: Any) -> None:
    rows = torch.zeros(1, dtype=torch.bfloat16).repeat(4000, 4000)
    rows[at], rows[at[0], at[1] ^ 8], rows[at[0] ^ 8, at[1]] = nan, inf, -inf
    found = ti.picture(rows, tile=tile)
    data, drawn = found.to_dict(), decoded(found._repr_png_())
    assert (data["nan"], data["pos_inf"], data["neg_inf"], data["tile"]) == (1, 1, 1, [8, 8])
    assert drawn[at[0] // 8][at[1] // 8] == MAGENTA
    assert drawn[at[0] // 8][(at[1] ^ 8) // 8] == GREEN
    assert drawn[(at[0] ^ 8) // 8][at[1] // 8] == BLACK
    assert data["mark"] == [3, 3]
    assert "marked by 3 × 3 pixels" in found.legend


def test_a_mark_never_covers_another() -> None:
    rows = np.zeros((600, 600))
    rows[300, 300:306:2] = nan, inf, -inf
    assert colours(rows)[150][150:153] == [MAGENTA, GREEN, BLACK]


def test_many_marks_are_drawn_as_they_are() -> None:
    rows = np.zeros((600, 600))
    rows[::10, ::10] = nan
    found = ti.picture(rows)
    assert found.to_dict()["mark"] == [1, 1]
    assert sum(row.count(MAGENTA) for row in decoded(found._repr_png_())) == 3600


def test_a_tile_has_the_colour_of_the_first_of_nan_inf_and_negative_inf() -> None:
    rows = torch.tensor([[-inf, inf, -inf, 1.0], [nan, 0.0, 0.0, inf], [-inf, 2.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
    assert colours(rows, size=2)[0] == [MAGENTA, GREEN]
    assert colours(rows, size=2)[1][0] == BLACK


@given(
    st.integers(1, 40), st.integers(1, 40), st.integers(1, 12), st.integers(0, 2**32),
    st.sampled_from(["mean", "min", "max", "nearest"]), st.sampled_from(["torch", "numpy", "lists"]),
)  # fmt: skip
def test_reducing_loses_no_count_and_marks_the_tiles_that_hold_any(
    rows: int, columns: int, size: int, seed: int, tile: Any, library: str
) -> None:
    rng = np.random.default_rng(seed)
    plane = rng.standard_normal((rows, columns))
    for value in (nan, inf, -inf):
        plane[rng.random(plane.shape) < 0.05] = value
    x: Any = {"torch": torch.from_numpy(plane), "numpy": plane, "lists": plane.tolist()}[library]
    data = ti.picture(x, size=size, tile=tile).to_dict()
    assert data["nan"] == np.isnan(plane).sum()
    assert (data["pos_inf"], data["neg_inf"]) == ((plane == inf).sum(), (plane == -inf).sum())
    finite = plane[np.isfinite(plane)]
    assert (data["min"], data["max"]) == ((finite.min(), finite.max()) if finite.size else (None, None))
    high, wide = data["tile"]
    drawn = colours(x, size=size, tile=tile)
    for row, of_row in enumerate(drawn):
        for column, colour in enumerate(of_row):
            part = plane[row * high : (row + 1) * high, column * wide : (column + 1) * wide]
            expected = [
                mark for value, mark in MARKS.items() if (np.isnan(part) if value != value else part == value).any()
            ]
            assert [colour] == expected[:1] if expected else colour not in MARKS.values()


@given(st.integers(1, 30), st.integers(1, 30), st.integers(1, 40), st.integers(0, 2**32))
def test_the_transpose_is_the_transposed_picture(rows: int, columns: int, size: int, seed: int) -> None:
    plane = torch.from_numpy(np.random.default_rng(seed).standard_normal((rows, columns)))
    plane[rows // 2, columns // 3] = nan
    assert pixels(plane.T, size=size) == pixels(plane, (1, 0), size=size) == pixels(plane.T.contiguous(), size=size)


# Which of a value


def test_any_two_dimensions_at_an_index_of_the_others() -> None:
    x = torch.arange(120.0).view(2, 3, 4, 5)
    assert pixels(x) == pixels(x[0, 0])
    assert pixels(x, (0, -1), index=(2, 3)) == pixels(x[:, 2, 3, :])
    assert pixels(x, (3, 1), index=(-1, 0)) == pixels(x[-1, :, 0, :].T)
    assert pixels(x, [np.int64(1), 2]) == pixels(x[0, :, :, 0])
    found = ti.picture(x, (3, 1), index=(-1, 0))
    assert found.legend.splitlines()[0] == "float32[2, 3, 4, 5] [1, :, 0, :] rows: dimension 3, columns: dimension 1"
    assert (found.to_dict()["dims"], found.to_dict()["index"]) == ([3, 1], [1, 0])


def test_lists_are_as_arrays() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    assert pixels(x.tolist(), (2, 0), index=(1,)) == pixels(x, (2, 0), index=(1,))
    assert pixels([(1, 2.5), [np.float32(3), True]]) == pixels([[1.0, 2.5], [3.0, 1.0]])


SAME: dict[str, tuple[Any, Any]] = {
    "negative strides": (np.arange(12.0).reshape(3, 4)[::-1, ::-1], np.arange(12.0).reshape(3, 4)[::-1, ::-1].copy()),
    "Fortran order": (np.asfortranarray(np.arange(12.0).reshape(3, 4)), np.arange(12.0).reshape(3, 4)),
    "every other": (torch.arange(48.0).view(6, 8)[::2, 1::2], torch.arange(48.0).view(6, 8)[::2, 1::2].clone()),
    "expanded": (torch.arange(5.0).expand(700, 5), torch.arange(5.0).repeat(700, 1)),
    "expanded along columns": (torch.arange(5.0)[:, None].expand(5, 1500), torch.arange(5.0)[:, None].repeat(1, 1500)),
    "expanded along both": (torch.tensor(-3.0).expand(600, 700), torch.full((600, 700), -3.0)),
    "broadcast": (np.broadcast_to(np.array([1.0, nan]), (600, 2)), np.tile(np.array([1.0, nan]), (600, 1))),
    "overlapping": (torch.arange(9.0).as_strided((5, 5), (1, 1)), torch.arange(9.0).as_strided((5, 5), (1, 1)).clone()),
    "big-endian": (np.arange(6.0).reshape(2, 3).astype(">f8"), np.arange(6.0).reshape(2, 3)),
    "array.array": (array.array("d", [1.0, -2.0]), np.array([1.0, -2.0])),
    "memoryview": (memoryview(np.arange(6.0).reshape(2, 3)), np.arange(6.0).reshape(2, 3)),
    "conjugate": (torch.tensor([[1 + 2j, -1j]]).conj(), torch.tensor([[1 + 2j, -1j]])),
    "negated when read": (torch.tensor([[1 + 2j, -1j]]).conj().imag, torch.tensor([[-2.0, 1.0]])),
    "parameter": (nn.Parameter(torch.arange(4.0).view(2, 2)), torch.arange(4.0).view(2, 2)),
}  # fmt: skip


@pytest.mark.parametrize("case", SAME)
def test_elements_are_those_of_the_strides(case: str) -> None:
    x, same = SAME[case]
    found, expected = ti.picture(x), ti.picture(same)
    assert decoded(found._repr_png_()) == decoded(expected._repr_png_())
    left_out = {"legend", "dtype", "phase"}
    a, b = ({name: item for name, item in one.to_dict().items() if name not in left_out} for one in (found, expected))
    assert a == b


def test_an_expanded_plane_of_a_trillion_is_exact() -> None:
    found = ti.picture(
        torch.tensor([[1.0, nan]]).expand(10**6, 2).unsqueeze(0).expand(10**6, 10**6, 2), (0, 1), index=(1,)
    )
    data = found.to_dict()
    assert (data["nan"], data["complete"], data["tiles"]) == (10**12, True, [512, 512])


NUMBERS = ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8", "uint8", "int16", "int32",
           "int64", "uint16", "uint32", "uint64"]  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_every_dtype_of_numbers_is_drawn(name: str) -> None:
    if not hasattr(torch, name):
        pytest.skip(f"this torch has no {name}")
    values = torch.tensor([[0.0, 1.0, 2.0], [4.0, 8.0, 32.0]])
    found = ti.picture(values.to(getattr(torch, name)))
    assert decoded(found._repr_png_()) == pixels(values)
    assert found.legend.startswith(f"{name}[2, 3]\n0 (dark blue) to 32 (light yellow)")


def test_long_doubles_beyond_float64_are_no_infinities() -> None:
    data = ti.picture(np.array([[np.longdouble("1e4000"), np.longdouble(inf)], [1, 2]])).to_dict()
    assert (data["pos_inf"], data["max"]) == (1, sys.float_info.max)


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128, torch.complex32])
@pytest.mark.filterwarnings("ignore:ComplexHalf")
def test_complex_numbers_are_drawn_by_magnitude_and_have_a_phase(dtype: torch.dtype) -> None:
    x = torch.tensor([[3 + 4j, -1 + 0j], [0 + 2j, complex(nan, inf)]]).to(dtype)
    found = ti.picture(x)
    data = found.to_dict()
    assert (data["min"], data["max"], data["nan"], data["pos_inf"]) == (1.0, 5.0, 1, 0)
    assert data["phase"][0] == pytest.approx([math.atan2(4, 3), math.pi])
    assert data["phase"][1] == [pytest.approx(math.pi / 2), "nan"]
    assert "magnitude 1 (dark blue) to 5 (light yellow)" in found.legend
    if dtype is torch.complex128:
        assert ti.picture(x.numpy()).to_dict()["phase"] == ti.picture(x.tolist()).to_dict()["phase"] == data["phase"]


# Categories


def test_bools_are_two_labels() -> None:
    rows = [[True, False], [False, False]]
    off, on = palettes.labels(2).colours
    for made in (torch.tensor(rows), np.array(rows), rows):
        found = ti.picture(made)
        assert colours(made) == [[on, off], [off, off]]
        assert [(one["label"], one["count"]) for one in found.to_dict()["labels"]] == [("False", 3), ("True", 1)]
        assert "labels: False ×3 (#122555), True ×1 (#edefc9)" in found.legend


def test_reduced_bools_are_the_share_of_true() -> None:
    rows = torch.zeros(1024, 1024, dtype=torch.bool)
    rows[:2, :2], rows[0, 2] = True, True
    found = ti.picture(rows)
    drawn = colours(rows)
    assert drawn[0][:3] == [palettes.sequential().colours[index] for index in (240, 60, 0)]
    assert "share of True 0 (dark blue) to 1 (light yellow)" in found.legend


def test_whole_numbers_that_occur_again_and_again_are_labels() -> None:
    rows = torch.tensor([[7, 7, -100], [3, -100, 3]])
    for made in (rows, rows.numpy(), rows.tolist(), rows.short()):
        data = ti.picture(made).to_dict()
        assert data["palette"] == "labels"
        assert [(one["label"], one["count"]) for one in data["labels"]] == [(-100, 2), (3, 2), (7, 2)]
        row = colours(made)[0]
        assert row[0] == row[1] != row[2]
        assert "#" + "".join(f"{part:02x}" for part in row[0]) == data["labels"][2]["colour"]


@pytest.mark.parametrize(
    "values", [[[0, 1, 2], [3, 4, 5]], [list(range(13)) * 2], [[0, 5000, 0, 5000]], [[0.0, 1.0, 0.0, 1.0]], [[2**60, 2**60]]]
)  # fmt: skip
def test_other_numbers_are_no_labels(values: Any) -> None:
    assert ti.picture(np.array(values)).to_dict()["labels"] is None


def test_a_reduced_picture_of_labels_shows_labels() -> None:
    rows = torch.arange(3).repeat_interleave(1024 * 400).view(1200, 1024)
    found = ti.picture(rows)
    assert {colour for row in decoded(found._repr_png_()) for colour in row} == set(palettes.labels(3).colours)
    assert "each pixel: the first of 3 × 3 elements" in found.legend


# Lines


def test_one_dimension_is_a_line() -> None:
    found = ti.picture(torch.arange(10.0))
    data, drawn = found.to_dict(), decoded(found._repr_png_())
    assert (len(drawn), len(drawn[0]), data["dims"], data["pixels"][1]) == (256, 320, [0], 32)
    ink = palettes.line().colours[2]
    heights = [next(y for y, row in enumerate(drawn) if row[at * 32 + 16] == ink) for at in range(10)]
    assert heights == sorted(heights, reverse=True)  # the least at the bottom
    assert (heights[0], heights[-1]) == (254, 0)
    assert found.legend.splitlines()[1] == "0 (bottom) to 9 (top)"


def test_one_dimension_of_several_is_a_line() -> None:
    x = torch.randn(3, 4, 5)
    assert pixels(x, (1,), index=(2, 3)) == pixels(x[2, :, 3]) == pixels(x.tolist(), (1,), index=(2, 3))


def test_a_long_line_shows_the_range_of_each_tile_and_what_is_not_finite() -> None:
    x = torch.zeros(100_000)
    x[50_000], x[20], x[99_999], x[70_000] = 5.0, nan, inf, -inf
    for made in (x, x.numpy()):
        data, drawn = ti.picture(made).to_dict(), pixels(made)
        tile = data["tile"][1]
        assert (tile, data["scale"], data["nan"], data["pos_inf"], data["neg_inf"]) == (196, [0.0, 5.0], 1, 1, 1)
        assert drawn[100][0] == MAGENTA
        assert drawn[10][-1] == GREEN
        assert drawn[200][70_000 // tile] == BLACK
        assert drawn[0][50_000 // tile] == palettes.line().colours[2]


def test_a_line_of_no_finite_value_is_drawn() -> None:
    assert ti.picture([nan, nan]).legend.splitlines()[1:3] == ["no finite value", "2 NaN (magenta ×)"]


# A sample


def test_what_there_is_no_time_for_is_sampled_and_said() -> None:
    rows = torch.randn(3000, 5000)
    found = ti.picture(rows, budget_ms=0)
    data = found.to_dict()
    assert found.legend.startswith("≈ float32[3000, 5000]")
    assert found.legend.splitlines()[2].endswith("% read: NaN, Inf not all counted")
    assert 0 < data["read"] < 0.1
    assert data["complete"] is False


def test_lists_are_sampled_too() -> None:
    rows = [[float(row * column) for column in range(700)] for row in range(600)]
    for budget_ms in (0, 50):
        data = ti.picture(rows, budget_ms=budget_ms).to_dict()
        assert 0 < data["read"] < 1
        assert data["complete"] is False


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_large_file_is_sampled_along_its_lines(tmp_path: Path, order: Any) -> None:
    shape = (3000, 2500)
    mapped = np.memmap(tmp_path / "a.bin", np.float32, "w+", shape=shape, order=order)
    mapped[:] = np.arange(shape[0])[:, None] if order == "C" else np.arange(shape[1])
    data = ti.picture(mapped).to_dict()
    assert data["complete"] is False
    assert 0.1 < data["read"] < 0.9
    small = ti.picture(mapped[:30, :40]).to_dict()
    assert small["complete"] is True


def test_a_tensor_mapped_from_a_file_is_sampled(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(4 * 3000 * 2500))
    mapped = torch.from_file(str(tmp_path / "a.bin"), shared=True, size=3000 * 2500).view(3000, 2500)
    if getattr(mapped.untyped_storage(), "filename", None):
        assert ti.picture(mapped).legend.startswith("≈ ")


def test_a_truncated_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(8 * 10_000))
    with path.open("r+b") as file:
        mapping = mmap.mmap(file.fileno(), 0)
    x = np.frombuffer(mapping, np.float64).reshape(100, 100)
    os.truncate(path, 100)
    with pytest.raises(ValueError, match="truncated"):
        ti.picture(x)


@given(
    st.integers(1, 5000),
    st.integers(1, 5000),
    st.integers(1, 600),
    st.integers(1, 10**8),
    st.sampled_from([None, True, False]),
)
def test_a_sample_has_an_element_of_each_tile(rows: int, columns: int, size: int, wanted: int, by_rows: Any) -> None:
    found = layout.layout_of(rows, columns, size)
    steps, tile = layout.sampled(found, wanted, by_rows)
    for length, step, wide, least in zip((rows, columns), steps, tile, found.tile):
        assert wide % step == 0
        assert wide >= least
        assert step == 1 or step % 2 == 1
        assert {at // wide for at in range(0, length, step)} == set(range(-(-length // wide)))


# What can't be drawn

NO_NUMBERS = "a picture is of a tensor, an array or lists of numbers, not of "
REFUSED: dict[str, tuple[Any, dict[str, Any], type[Exception], str]] = {
    "None": (None, {}, TypeError, NO_NUMBERS + "NoneType"),
    "text": ("text", {}, TypeError, NO_NUMBERS + "str"),
    "bytes": (b"text", {}, TypeError, NO_NUMBERS + "bytes"),
    "a number": (3, {}, TypeError, NO_NUMBERS + "int"),
    "a dict": ({"a": 1}, {}, TypeError, NO_NUMBERS + "dict"),
    "a module": (nn.Linear(2, 2), {}, TypeError, NO_NUMBERS + "Linear"),
    "texts": (np.array(["a", "b"]), {}, TypeError, "a picture is of numbers, not of <U1"),
    "objects": (np.array([1, None], dtype=object), {}, TypeError, "a picture is of numbers, not of object"),
    "dates": (np.array(["2020-01-01"], dtype="M8[D]"), {}, TypeError, "a picture is of numbers, not of datetime64[D]"),
    "lists of texts": ([["a"]], {}, TypeError, "a picture is of lists of numbers, not of str"),
    "lists of tensors": ([[torch.ones(2)]], {}, TypeError, "a picture is of lists of numbers, not of Tensor"),
    "ragged lists": ([[1, 2], [3]], {}, ValueError, "a picture is of lists of equal lengths: these are not"),
    "lists and numbers": ([[1, 2], 3], {}, ValueError, "a picture is of lists of equal lengths: these are not"),
    "0-d": (torch.tensor(3.0), {}, ValueError, "a picture is of one dimension or two: this has none"),
    "empty": (torch.ones(0, 3), {}, ValueError, "a picture is of elements: shape [0, 3] has none"),
    "an empty list": ([[]], {}, ValueError, "a picture is of elements: shape [1, 0] has none"),
    "sparse": (torch.eye(3).to_sparse(), {}, TypeError, "no picture of this Tensor: sparse_coo layout"),
    "meta": (torch.ones(2, 2, device="meta"), {}, ValueError, "no picture of this Tensor: meta tensor: no values"),
    "three dims": (torch.ones(2, 2, 2), {"dims": (0, 1, 2)}, ValueError, "dims are one dimension or two, not 3"),
    "no dims": (torch.ones(2, 2), {"dims": ()}, ValueError, "dims are one dimension or two, not 0"),
    "dims beyond": (torch.ones(2, 2), {"dims": (0, 2)}, ValueError, "dims 2 is outside of 2 dimensions"),
    "dims before": (torch.ones(2, 2), {"dims": (-3, 0)}, ValueError, "dims -3 is outside of 2 dimensions"),
    "dims twice": (torch.ones(2, 2), {"dims": (0, -2)}, ValueError, "dims are two different dimensions, not 0 twice"),
    "a number as dims": (torch.ones(2, 2), {"dims": 1}, TypeError, "dims is a tuple of whole numbers, as in (0, 1), not int"),
    "texts as dims": (torch.ones(2, 2), {"dims": "01"}, TypeError, "dims is a tuple of whole numbers, as in (0, 1), not str"),
    "floats as dims": (torch.ones(2, 2), {"dims": (0.0, 1)}, TypeError, "dims is a tuple of whole numbers, as in (0, 1), not of float"),
    "a short index": (torch.ones(2, 2, 2, 2), {"index": (1,)}, ValueError, "index has an integer for each of 2 other dimensions, not 1"),
    "index beyond": (torch.ones(2, 2, 2), {"index": (2,)}, ValueError, "index 2 is outside of dimension 0, of size 2"),
    "one clip": (torch.ones(2), {"clip": 0.5}, TypeError, "clip is two shares between 0 and 1, as in (0.01, 0.99)"),
    "clip beyond": (torch.ones(2), {"clip": (0.0, 1.5)}, ValueError, "clip is two shares between 0 and 1, the lower first, not (0, 1.5)"),
    "clip turned": (torch.ones(2), {"clip": (0.9, 0.1)}, ValueError, "clip is two shares between 0 and 1, the lower first, not (0.9, 0.1)"),
    "clip of NaN": (torch.ones(2), {"clip": (nan, 1.0)}, ValueError, "clip is two shares between 0 and 1, the lower first, not (nan, 1)"),
    "no size": (torch.ones(2), {"size": 0}, ValueError, "size must be at least 1, not 0"),
    "a huge size": (torch.ones(2), {"size": 10**6}, ValueError, "at most 4096 size can be asked for"),
    "half a size": (torch.ones(2), {"size": 2.5}, TypeError, "size is a whole number, as in 16"),
    "another tile": (torch.ones(2), {"tile": "median"}, ValueError, "tile is one of 'mean', 'min', 'max', 'nearest', not 'median'"),
    "no tile": (torch.ones(2), {"tile": None}, TypeError, "tile is a text, as in 'mean'"),
    "a budget below 0": (torch.ones(2), {"budget_ms": -1}, ValueError, "budget_ms must be at least 0, not -1"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cant_be_drawn_is_said_in_a_sentence(case: str) -> None:
    x, options, error, said = REFUSED[case]
    with pytest.raises(error) as refused:
        ti.picture(x, **options)
    assert str(refused.value) == said


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_nested_tensors_and_those_that_compute_themselves_are_refused() -> None:
    class Computed(torch.Tensor):
        @staticmethod
        def __new__(cls) -> Any:
            return torch.Tensor._make_wrapper_subclass(cls, (2, 2))

        @classmethod
        def __torch_dispatch__(cls, *_: Any) -> Any:
            raise AssertionError("its code ran")

    for value in (torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]), Computed()):
        with pytest.raises((TypeError, ValueError), match="no picture of this"):
            ti.picture(value)


def test_lists_without_end_are_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(ValueError, match="a picture is of lists up to 32 deep"):
        ti.picture(loop)


# Saved


def test_a_picture_is_saved_whole_and_not_over_a_file(tmp_path: Path) -> None:
    found, path = ti.picture([[1.0, 2.0]]), tmp_path / "plane.png"
    found.save(path)
    assert path.read_bytes() == found._repr_png_()
    with pytest.raises(FileExistsError, match="overwrite=True replaces it"):
        found.save(path)
    ti.picture([[2.0]]).save(str(path), overwrite=True)
    assert path.read_bytes() == ti.picture([[2.0]])._repr_png_()
    assert [entry.name for entry in tmp_path.iterdir()] == ["plane.png"]


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("dangling", [False, True])
def test_a_link_is_not_followed(tmp_path: Path, overwrite: bool, dangling: bool) -> None:
    target, link = tmp_path / "target.png", tmp_path / "link.png"
    if not dangling:
        target.write_text("kept")
    link.symlink_to(target)
    if overwrite:
        ti.picture([[1.0]]).save(link, overwrite=True)
        assert not link.is_symlink()
    else:
        with pytest.raises(FileExistsError):
            ti.picture([[1.0]]).save(link)
    assert target.exists() is not dangling
    assert dangling or target.read_text() == "kept"


@pytest.mark.parametrize(
    ("path", "error", "said"),
    [("a.jpg", ValueError, "a picture is saved as .png"), ("a", ValueError, "a picture is saved as .png"),
     (3, TypeError, "path is a path, as in 'plane.png', not int"), (b"a.png", TypeError, "path is a path as text, as in 'plane.png'")],
)  # fmt: skip
def test_only_png_is_written(tmp_path: Path, path: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as refused:
        ti.picture([[1.0]]).save(str(tmp_path / path) if type(path) is str else path)
    assert str(refused.value) == said
    assert list(tmp_path.iterdir()) == []


def test_what_fails_half_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.png").write_text("kept")

    def fails(*_: object) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", fails)
        with pytest.raises(OSError, match="the disk is full"):
            ti.picture([[1.0]]).save(tmp_path / "a.png", overwrite=True)
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [("a.png", "kept")]


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.png").mkdir()
    with pytest.raises(ValueError, match="there is a folder at"):
        ti.picture([[1.0]]).save(tmp_path / "a.png", overwrite=True)


# Untouched


class Loud(torch.Tensor):
    @classmethod
    def __torch_function__(cls, *_: Any, **__: Any) -> Any:
        raise AssertionError("its code ran")

    shape = property(lambda self: 1 / 0)
    dtype = property(lambda self: 1 / 0)


class LoudList(list):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        raise AssertionError("its code ran")

    __len__ = __getitem__ = __iter__


class LoudFloat(float):
    def __float__(self) -> float:
        raise AssertionError("its code ran")

    __eq__ = __lt__ = __add__ = __float__  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


class LoudArray(np.ndarray):  # type: ignore[type-arg]
    def __array_finalize__(self, obj: Any) -> None:
        if RUN:
            raise AssertionError("its code ran")

    def __array_ufunc__(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("its code ran")


RUN: list[str] = []


def test_no_code_of_the_program_runs() -> None:
    assert pixels(torch.arange(4.0).view(2, 2).as_subclass(Loud)) == pixels(torch.arange(4.0).view(2, 2))
    assert pixels(LoudList([LoudList([LoudFloat(1.0), 2.0])])) == pixels([[1.0, 2.0]])
    made = np.arange(4.0).reshape(2, 2).view(LoudArray)
    assert pixels(made) == pixels(np.arange(4.0).reshape(2, 2))


@pytest.mark.parametrize(
    "made", [lambda: torch.randn(40, 30, requires_grad=True) * 2, lambda: nn.Parameter(torch.randn(600, 700))]
)
@pytest.mark.parametrize("options", [{}, {"size": 16, "tile": "nearest"}, {"budget_ms": 0}])
def test_nothing_of_the_program_changes(made: Callable[[], torch.Tensor], options: dict[str, Any]) -> None:
    x = made()
    ti.picture(x, **options)
    with Watch(x) as watch:
        ti.picture(x, **options)
    assert watch.changes() == []
    before = torch.get_rng_state(), np.random.get_state()[1].tolist(), random.getstate(), x._version, x.grad_fn
    with torch.inference_mode():
        ti.picture(x, **options)
    torch.set_default_dtype(torch.float16)
    try:
        drawn = pixels(x, **options)
        assert torch.get_default_dtype() is torch.float16
    finally:
        torch.set_default_dtype(torch.float32)
    if "budget_ms" not in options:
        assert drawn == pixels(x, **options)
    assert x.is_leaf is (x.grad_fn is None)
    assert torch.equal(torch.get_rng_state(), before[0])
    assert (np.random.get_state()[1].tolist(), random.getstate(), x._version, x.grad_fn) == before[1:]


def test_under_modes_the_picture_is_the_same() -> None:
    x = torch.randn(20, 20)
    expected = pixels(x)
    with torch.device("meta"):
        assert pixels(x) == expected
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert pixels(x) == expected
    torch.use_deterministic_algorithms(True)
    try:
        assert pixels(x) == expected
    finally:
        torch.use_deterministic_algorithms(False)


# Its answer


def test_the_data_is_strict_json_and_printed_it_is_the_legend() -> None:
    found = ti.picture(torch.tensor([[1.0, nan], [inf, -2.0]]))
    data = found.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert repr(found) == str(found) == found.legend == data["legend"]


def test_without_torch_and_numpy_lists_are_drawn() -> None:
    code = """
        import sys
        sys.modules.update(dict.fromkeys(("torch", "numpy")))
        import array, tensor_inspector as ti
        for x in ([[1.0, float("nan")], [-2.0, 3.0]], [[1, 1], [2, 2]], [1j, 2.0], array.array("f", [1, 2]), memoryview(b"ab")):
            found = ti.picture(x)
            print(found.legend.splitlines()[1], found._repr_png_()[1:4])
    """
    environment = {"PYTHONPATH": str(Path(ti.__file__).parents[1])}
    run = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(run, capture_output=True, text=True, timeout=600, env=environment, check=True)
    assert done.stdout.splitlines() == [
        "−3 (blue) over 0 (grey) to 3 (orange) b'PNG'",
        "labels: 1 ×2 (#122555), 2 ×2 (#edefc9) b'PNG'",
        "magnitude 1 (bottom) to 2 (top) b'PNG'",
        "1 (bottom) to 2 (top) b'PNG'",
        "97 (bottom) to 98 (top) b'PNG'",
    ]


def test_pillow_reads_it() -> None:
    image = pytest.importorskip("PIL.Image")
    import io

    found = ti.picture(torch.randn(30, 20))
    with image.open(io.BytesIO(found._repr_png_())) as opened:
        assert opened.size == (20 * 17, 30 * 17)
        assert opened.convert("RGB").tobytes() == bytes(
            part for row in decoded(found._repr_png_()) for colour in row for part in colour
        )


ALIKE = [
    ([[1e8, 1e8 + 8]], "1e8 (dark blue) to 1.0000001e8 (light yellow)"),
    ([[1.0, 1.0000001]], "1 (dark blue) to 1.0000001 (light yellow)"),
    ([[2**53, 2**53 + 1]], "≈9.007e15 everywhere"),
]


@pytest.mark.parametrize(("numbers", "said"), ALIKE, ids=range(len(ALIKE)))
def test_the_ends_of_a_scale_are_told_apart_as_far_as_they_are_known(numbers: list[list[float]], said: str) -> None:
    dtype = torch.int64 if type(numbers[0][0]) is int else torch.float64
    assert said in ti.picture(torch.tensor(numbers, dtype=dtype)).legend


BEYOND = [
    np.full((2, 2), 2**64 - 1, dtype=np.uint64), torch.full((2, 2), 2**63 - 1), [[10**400, 1], [10**400, 1]],
]  # fmt: skip


@pytest.mark.parametrize("numbers", BEYOND, ids=range(len(BEYOND)))
def test_whole_numbers_beyond_float64_are_drawn_and_are_no_labels(numbers: Any) -> None:
    assert ti.picture(numbers).to_dict()["labels"] is None


def test_labels_of_an_expanded_tensor_are_counted_once() -> None:
    labels = torch.tensor([[0], [3]]).expand(2, 10**9)
    assert [one["count"] for one in ti.picture(labels).to_dict()["labels"]] == [10**9, 10**9]


def test_what_may_overwrite_is_said_by_a_bool(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    path.write_bytes(b"mine")
    with pytest.raises(TypeError, match="overwrite is True or False, not str"):
        ti.picture([[1.0]]).save(path, overwrite="no")  # type: ignore[arg-type]
    assert path.read_bytes() == b"mine"


# What is masked, and what is quantized


def masked_array(values: Any, hidden: Any) -> Any:
    return np.ma.masked_array(np.asarray(values), np.asarray(hidden))


def masked_tensor(values: Any, hidden: Any) -> Any:
    masked = pytest.importorskip("torch.masked")
    return masked.masked_tensor(torch.tensor(np.asarray(values)), ~torch.tensor(np.asarray(hidden)))


@pytest.mark.filterwarnings("ignore")  # of making a masked tensor
@pytest.mark.parametrize("make", [masked_array, masked_tensor])
def test_a_masked_element_has_a_colour_that_no_value_has(make: Callable[[Any, Any], Any]) -> None:
    values = [[1.0, 2.0, nan], [inf, nan, 5.0]]
    hidden = [[False, True, True], [False, False, False]]
    drawn = ti.picture(make(values, hidden))
    side = drawn.to_dict()["pixels"][0]
    rows = decoded(drawn._repr_png_())
    assert [[rows[row * side][column * side] for column in range(3)] for row in range(2)] == [
        [rows[0][0], MASKED, MASKED], [GREEN, MAGENTA, rows[side][2 * side]],
    ]  # fmt: skip
    found = drawn.to_dict()
    assert (found["masked"], found["nan"], found["pos_inf"], found["min"], found["max"]) == (2, 1, 1, 1.0, 5.0)
    assert "1 NaN (magenta ×), 1 Inf (green ▲), 2 masked (dark red ∕)" in drawn.legend
    ink = {palettes.SPECIAL[palettes.INK[palettes.MASKED]]}
    assert {pixel for row in rows[:side] for pixel in row[side : 2 * side]} == {MASKED, *ink}


@pytest.mark.filterwarnings("ignore")  # of making a masked tensor
@pytest.mark.parametrize("make", [masked_array, masked_tensor])
@pytest.mark.parametrize("how", ["mean", "min", "max", "nearest"])
def test_a_masked_element_is_never_averaged_away(make: Callable[[Any, Any], Any], how: Any) -> None:
    values, hidden = np.ones((900, 1100), np.float32), np.zeros((900, 1100), bool)
    values[7, 13], hidden[7, 13] = 1e30, True
    found = draw(make(values, hidden), View(how=how), Budget())
    assert any(MASKED in row for row in decoded(found._repr_png_()))
    data = found.to_dict()
    assert (data["masked"], data["nan"], data["max"]) == (1, 0, 1.0), "what is under the mask is not shown"


@pytest.mark.parametrize("dtype", ["int64", "bool", "complex64", "float16"])
def test_masked_elements_of_other_dtypes_are_drawn(dtype: str) -> None:
    values = np.arange(12).reshape(3, 4).astype(dtype)
    hidden = np.zeros((3, 4), bool)
    hidden[1, 2] = True
    found = ti.picture(masked_array(values, hidden)).to_dict()
    assert (found["masked"], found["dtype"]) == (1, dtype)


def test_along_a_line_what_is_masked_is_a_column_of_its_colour() -> None:
    values, hidden = np.arange(20.0), np.arange(20) == 7
    drawn = ti.picture(masked_array(values, hidden))
    rows = decoded(drawn._repr_png_())
    wide = drawn.to_dict()["pixels"][1]
    assert [at // wide for at, pixel in enumerate(rows[0]) if pixel == MASKED][:: max(1, wide)] == [7]


QUANTIZED: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "one scale": lambda x: torch.quantize_per_tensor(x, 0.05, 3, torch.qint8),
    "quint8": lambda x: torch.quantize_per_tensor(x, 0.05, 100, torch.quint8),
    "a scale a row": lambda x: torch.quantize_per_channel(x, torch.rand(40) + 0.1, torch.arange(40), 0, torch.qint8),
    "a scale a column": lambda x: torch.quantize_per_channel(x, torch.rand(30) + 0.1, torch.arange(30), 1, torch.qint32),
    "transposed": lambda x: torch.quantize_per_tensor(x, 0.05, 3, torch.qint32).t(),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")  # of making the values
@pytest.mark.parametrize("name", QUANTIZED)
def test_a_quantized_tensor_is_drawn_by_the_numbers_that_it_stands_for(name: str) -> None:
    torch.manual_seed(0)
    value = QUANTIZED[name](torch.randn(40, 30))
    drawn, of_reals = ti.picture(value), ti.picture(value.dequantize())
    assert drawn._repr_png_() == of_reals._repr_png_()
    found, wanted = drawn.to_dict(), of_reals.to_dict()
    assert found.pop("dtype") == str(value.dtype).partition(".")[2]
    assert {**found, "legend": ""} == {**{key: one for key, one in wanted.items() if key != "dtype"}, "legend": ""}


@pytest.mark.filterwarnings("ignore")  # of making the values
def test_a_large_quantized_tensor_is_not_written_out() -> None:
    value = torch.quantize_per_tensor(torch.zeros(1, 1).expand(5000, 4000).contiguous(), 0.5, 0, torch.qint8)
    before = peak_memory()
    drawn = ti.picture(value)
    assert drawn.to_dict()["complete"]
    assert peak_memory() - before < 40 << 20, "as float32 it is of 80 MB"


def peak_memory() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
