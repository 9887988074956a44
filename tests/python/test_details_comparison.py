"""Two values on the details page: how close they are, where they are farthest apart, and the map of their differences."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from asking import Paused
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from torch import nn
from untouched import Watch, peak_memory

from tensor_inspector.kinds import Child
from tensor_inspector.lenses import registry
from tensor_inspector.lenses.lens import InvalidQuestion
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.wire import tagged

SCHEMA = json.loads((Path(__file__).parents[2] / "pyhelper" / "protocol.schema.json").read_text("utf-8"))
FOUND = Draft7Validator({"$ref": "#/definitions/DetailsFound", "definitions": SCHEMA["definitions"]})
NAN, INF = 1, 2
BOTH = "comparison error_map"


def asked(a: Any, b: Any, budget: Budget | None = None, **options: Any) -> dict[str, Any]:
    """The answer of all slices about both, which is as the contract says."""
    values = {"value": Child("a", a, "a"), "other": Child("b", b, "b")}
    with Untouched():
        lens = registry.lens("details", values, {"parts": BOTH, **options}, budget or Budget(), None)
        while not lens.go_on():
            assert 0 <= lens.progress() <= 1
            lens.budget.renew(20)
        found: Any = lens.found()
    FOUND.validate(json.loads(json.dumps(tagged(found), allow_nan=False)))
    return found  # type: ignore[no-any-return]


def close(a: Any, b: Any, budget: Budget | None = None, **options: Any) -> dict[str, Any]:
    found = asked(a, b, budget, parts="comparison", **options)["comparison"]
    assert "reason" not in found, found["reason"]
    return found["elements"]  # type: ignore[no-any-return]


def error_map(a: Any, b: Any, budget: Budget | None = None, **options: Any) -> dict[str, Any]:
    return asked(a, b, budget, parts="error_map", **options)["error_map"]  # type: ignore[no-any-return]


def shown(picture: dict[str, Any], at: int = 0, field: str = "values") -> np.ndarray[Any, Any]:
    data = np.frombuffer(base64.b64decode(picture["planes"][at][field]), "<f4").astype(np.float64)
    return data.reshape(picture["tiles"]) * picture["factor"] + picture["offset"]


def marks(picture: dict[str, Any]) -> list[list[int]]:
    flags = base64.b64decode(picture["planes"][0]["marks"]) or bytes(picture["tiles"][0] * picture["tiles"][1])
    return np.frombuffer(flags, np.uint8).reshape(picture["tiles"]).tolist()  # type: ignore[no-any-return]


def of_torch(dtype: str) -> Any:
    return getattr(torch, dtype, None) or pytest.skip(f"this torch has no {dtype}")


def late() -> Budget:
    return Budget(0)


# How close


def floats(dtype: Any) -> Callable[[], tuple[Any, Any]]:
    def make() -> tuple[Any, Any]:
        torch.manual_seed(1)
        a = torch.randn(7, 5).to(dtype)
        return a, (a.double() + torch.randn(7, 5) * 1e-2).to(dtype)

    return make


def conjugate() -> tuple[Any, Any]:
    torch.manual_seed(2)
    return torch.randn(4, 3, dtype=torch.complex64).conj(), torch.randn(4, 3, dtype=torch.complex64)


def negative() -> tuple[Any, Any]:
    z = torch.randn(6, dtype=torch.complex64)
    return z.conj().imag, z.imag  # one of which is negated where it is read


ALIKE: dict[str, Callable[[], tuple[Any, Any]]] = {
    "float64": floats(torch.float64),
    "float32": floats(torch.float32),
    "float16": floats(torch.float16),
    "bfloat16": floats(torch.bfloat16),
    "two dtypes": lambda: (torch.randn(9), torch.randn(9, dtype=torch.float64)),
    "numpy and torch": lambda: (np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4), torch.rand(3, 4)),
    "numpy": lambda: (np.linspace(0, 1, 12), np.linspace(0, 1.01, 12)),
    "other byte order": lambda: (np.linspace(0, 1, 12).astype(">f4"), np.linspace(0, 1.01, 12).astype("f4")),
    "transposed": lambda: (torch.randn(4, 6).T, torch.randn(6, 4)),
    "expanded": lambda: (torch.randn(4, 1).expand(4, 6), torch.randn(4, 6)),
    "both expanded": lambda: (torch.randn(4, 1).expand(4, 6), torch.randn(4, 1).expand(4, 6)),
    "lists": lambda: ([[1.0, 2.0], [3.0, 4.5]], torch.tensor([[1.0, 2.5], [3.0, 4.0]])),
    "integers": lambda: (torch.arange(6), torch.tensor([0, 1, 5, 3, 4, -9])),
    "bools": lambda: (torch.tensor([True, False, True]), torch.tensor([True, True, True])),
    "complex": conjugate,
    "negative view": negative,
    "scalars": lambda: (torch.tensor(1.5), torch.tensor(2.5)),
    "parameter": lambda: (nn.Parameter(torch.ones(3)), torch.tensor([1.0, 2.0, 1.0])),
    "nothing": lambda: (torch.zeros(0, 3), torch.zeros(0, 3)),
}


@pytest.mark.parametrize("tolerances", [(1e-5, 1e-8), (0.0, 0.0), (1e-2, 1e-2)], ids=str)
@pytest.mark.parametrize("name", ALIKE)
def test_as_numpy_has_it_in_double_precision(name: str, tolerances: tuple[float, float]) -> None:
    a, b = ALIKE[name]()
    x, y = (of_numpy(side) for side in (a, b))
    rtol, atol = tolerances
    found = close(a, b, rtol=rtol, atol=atol)
    with np.errstate(all="ignore"):
        gap = np.abs(x - y)
        beyond = ~np.isclose(x, y, rtol=rtol, atol=atol)
        share = np.where(np.abs(y) > 0, gap / np.abs(y), 0.0)
    assert found["count"] == found["read"] == x.size
    assert found["complete"] is True
    assert found["close"] is bool(np.allclose(x, y, rtol=rtol, atol=atol))
    assert (found["beyond"], found["different"]) == (beyond.sum(), (x != y).sum())
    for field, of in (("max_abs", gap), ("max_relative", share)):
        if not of.any():
            assert field not in found
            continue
        assert found[field]["by"] == pytest.approx(of.max(), rel=1e-12)
        assert of[tuple(found[field]["at"])] == of.max()
        at = tuple(found[field]["at"])
        dtype = a.dtype if isinstance(a, torch.Tensor) else None
        assert number(found[field]["a"], dtype) == x[at]


def of_numpy(side: Any) -> np.ndarray[Any, Any]:
    if isinstance(side, torch.Tensor):
        side = side.detach().resolve_conj().resolve_neg()
        side = (side.to(torch.complex128) if side.is_complex() else side.double()).numpy()
    found = np.asarray(side)
    return found.astype(np.complex128 if found.dtype.kind == "c" else np.float64)


def number(text: str, dtype: Any) -> Any:
    """What an element is that is written so."""
    if text in ("True", "False"):
        return float(text == "True")
    read = complex(text) if "j" in text else float(text)
    if dtype is None or not (dtype.is_floating_point or dtype.is_complex):
        return read if dtype is not None else pytest.approx(read, rel=1e-6)
    wide = torch.complex128 if dtype.is_complex else torch.float64
    return torch.tensor(read, dtype=wide).to(dtype).to(wide).item()


TORCH = {"float32": 1e-6, "float64": 1e-15, "float16": 1e-3, "bfloat16": 1e-2}


@pytest.mark.parametrize("dtype", TORCH)
def test_as_torch_has_it(dtype: str) -> None:
    a, b = floats(of_torch(dtype))()
    found = close(a, b, rtol=0.5, atol=0.0)
    assert found["close"] is torch.allclose(a.double(), b.double(), rtol=0.5, atol=0.0)
    assert found["beyond"] == int((~torch.isclose(a.double(), b.double(), rtol=0.5, atol=0.0)).sum())
    gap = (a.double() - b.double()).abs()
    assert found["max_abs"]["by"] == gap.max().item()
    assert found["max_abs"]["at"] == list(np.unravel_index(int(gap.argmax()), a.shape))


SPECIAL: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "NaN in both": ([nan, 1.0], [nan, 1.0], {"different": 0, "beyond": 0, "nan_in_both": 1, "close": True}),
    "NaN in one": ([nan, 1.0], [2.0, 1.0], {"different": 1, "beyond": 1, "nan_in_one": 1, "close": False}),
    "Inf in both": ([inf, -inf], [inf, -inf], {"different": 0, "inf_in_one": 0, "close": True}),
    "Inf in one": ([inf, 1.0], [3.0, 1.0], {"different": 1, "beyond": 1, "inf_in_one": 1}),
    "Inf in the other": ([3.0, 1.0], [inf, 1.0], {"beyond": 1, "inf_in_one": 1, "close": False}),
    "Inf of two signs": ([inf], [-inf], {"beyond": 1, "inf_in_one": 1, "nan_in_one": 0}),
    "NaN against Inf": ([nan], [inf], {"beyond": 1, "nan_in_one": 1, "inf_in_one": 0}),
    "both zeros": ([0.0], [-0.0], {"different": 0, "beyond": 0, "close": True}),
}


@pytest.mark.parametrize("library", ["torch", "numpy"])
@pytest.mark.parametrize("name", SPECIAL)
def test_what_is_not_finite_is_counted_by_itself(name: str, library: str) -> None:
    a, b, wanted = SPECIAL[name]
    make: Any = torch.tensor if library == "torch" else np.array
    found = close(make(a), make(b), equal_nan=True)
    assert {key: found[key] for key in wanted} == wanted


@pytest.mark.parametrize("equal_nan", [True, False])
@pytest.mark.parametrize("make", [np.array, torch.tensor])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([complex(nan, 1), complex(nan, 2)], [complex(nan, 1), complex(nan, 5)]),
        ([complex(nan, 1), 2j], [complex(1, nan), 2j]),
        ([complex(nan, 1), 2j], [complex(nan, 5), 3j]),
        ([complex(nan, 1), 2j], [1 + 1j, 2j]),
        ([complex(nan, inf), 2j], [complex(nan, 1), 2j]),
    ],
    ids=str,
)
def test_a_complex_number_with_nan_is_nan_as_for_numpy(
    a: list[complex], b: list[complex], make: Any, equal_nan: bool
) -> None:
    found = close(make(a), make(b), equal_nan=equal_nan)
    are_close = np.isclose(a, b, equal_nan=equal_nan)
    assert found["close"] is bool(np.allclose(a, b, equal_nan=equal_nan))
    assert found["beyond"] == (~are_close).sum()


def test_nan_in_both_is_beyond_where_it_is_not_to_be_equal() -> None:
    a = torch.tensor([nan, 1.0])
    assert close(a, a.clone(), equal_nan=True)["close"] is True
    found = close(a, a.clone(), equal_nan=False)
    assert (found["close"], found["beyond"], found["different"]) == (False, 1, 0)
    assert found["close"] is torch.allclose(a, a.clone())


def test_the_largest_difference_is_the_largest_of_the_finite_too() -> None:
    found = close(torch.tensor([inf, 1.0, 5.0]), torch.tensor([1.0, 1.5, 5.0]))
    assert (found["max_abs"]["by"], found["max_abs"]["at"], found["max_abs"]["a"]) == (inf, [0], "inf")
    assert (found["max_relative"]["by"], found["max_relative"]["at"]) == (pytest.approx(1 / 3), [1])


INTEGERS: dict[str, tuple[Any, Any, int]] = {
    "beyond float64": (2**60, 2**60 + 1, 1),
    "of both signs": (-(2**63), 2**63 - 1, 2**64 - 1),
    "small": (3, -4, 7),
}


@pytest.mark.parametrize("library", ["torch", "numpy"])
@pytest.mark.parametrize("name", INTEGERS)
def test_integers_are_exact(name: str, library: str) -> None:
    one, other, by = INTEGERS[name]
    make: Any = torch.tensor if library == "torch" else np.array
    found = close(make([7, one]), make([7, other]), rtol=0)
    assert found["max_abs"] == {"by": by, "at": [1], "a": str(one), "b": str(other)}
    assert found["close"] is False
    assert close(make([7, one]), make([7, other]), rtol=0, atol=by)["close"] is True


def test_integers_without_a_sign_are_exact() -> None:
    a, b = np.array([2**64 - 1, 5], np.uint64), np.array([2**64 - 3, 5], np.uint64)
    assert close(a, b)["max_abs"] == {"by": 2, "at": [0], "a": str(2**64 - 1), "b": str(2**64 - 3)}
    if hasattr(torch, "uint64"):
        found = close(torch.tensor([2**63 + 1], dtype=torch.uint64), np.array([1]))
        assert found["max_abs"]["by"] == 2**63


# Floats from one to the other

NEXT = ["float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2"]


@pytest.mark.parametrize("dtype", NEXT)
def test_neighbours_are_one_float_apart(dtype: str) -> None:
    of = of_torch(dtype)
    size = torch.empty((), dtype=of).element_size()
    bits = getattr(torch, f"int{8 * size}")
    a = torch.tensor([1.0, -2.0, 0.5]).to(of)
    b = (a.view(bits) + 1).view(of)
    assert close(a, b)["max_ulps"]["by"] == 1
    smallest = torch.tensor([1], dtype=bits).view(of)
    assert close(smallest, torch.tensor([-0.0]).to(of))["max_ulps"]["by"] == 1
    assert close(smallest, (smallest.double() * -1).to(of))["max_ulps"]["by"] == 2


@given(st.lists(st.tuples(st.floats(width=32), st.floats(width=32)), min_size=1, max_size=20))
def test_floats_between_two_are_counted(pairs: list[tuple[float, float]]) -> None:
    a, b = (np.array(side, np.float32) for side in zip(*pairs))
    counted = [ordered(y) - ordered(x) for x, y in zip(a, b) if np.isfinite(x) and np.isfinite(y)]
    found = close(torch.from_numpy(a), torch.from_numpy(b))
    most = max(map(abs, counted), default=0)
    assert found.get("max_ulps", {"by": 0})["by"] == most
    assert close(a, b).get("max_ulps") == found.get("max_ulps")


def ordered(x: np.float32) -> int:
    bits = int(x.view(np.int32))
    return bits if bits >= 0 else -(2**31) - bits


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (torch.ones(2), torch.ones(2, dtype=torch.float64) * 2),
        (torch.ones(2, dtype=torch.int64), torch.zeros(2, dtype=torch.int64)),
        (torch.ones(2, dtype=torch.complex64), torch.zeros(2, dtype=torch.complex64)),
        (np.ones(2, np.longdouble), np.zeros(2, np.longdouble)),
    ],
    ids=["two dtypes", "integers", "complex", "long doubles"],
)
def test_no_floats_are_counted_between_others(a: Any, b: Any) -> None:
    found = close(a, b)
    assert "max_ulps" not in found
    assert found["max_abs"]["by"] == 1


# What can't be compared


class Own:
    pass


def freed() -> torch.Tensor:
    tensor = torch.ones(2, 3)
    tensor.untyped_storage().resize_(0)
    return tensor


REASONS: dict[str, tuple[Callable[[], tuple[Any, Any]], str]] = {
    "shapes": (lambda: (torch.ones(2, 3), torch.ones(2, 4)), "the shapes [2, 3] and [2, 4] are different"),
    "broadcast": (lambda: (torch.ones(2, 3), torch.ones(3)), "would be broadcast"),
    "an int": (lambda: (torch.ones(2), 3), "b: a comparison is of a tensor, an array or lists of numbers, not of int"),
    "None": (lambda: (torch.ones(2), None), "b: a comparison is of"),
    "an object": (lambda: (Own(), torch.ones(2)), "a: a comparison is of"),
    "texts": (lambda: (torch.ones(2), np.array(["x", "y"])), "b: "),
    "meta": (lambda: (torch.ones(2), torch.ones(2, device="meta")), "b: no comparison of this Tensor"),
    "freed": (lambda: (torch.ones(2, 3), freed()), "b: no comparison of this Tensor"),
    "long doubles": (lambda: (torch.ones(2), np.ones(2, np.longdouble)), "wider than float64"),
}


@pytest.mark.parametrize("name", REASONS)
def test_a_sentence_says_why_not_and_both_sides_are_told(name: str) -> None:
    make, reason = REASONS[name]
    found = asked(*make())
    assert reason in found["comparison"]["reason"]
    assert [found["comparison"][side]["type"] for side in "ab"]
    (missing,) = found["missing"]
    assert missing == {"part": "error_map", "reason": found["comparison"]["reason"]}


def test_shapes_dtypes_and_devices_of_both_are_told() -> None:
    found = asked(torch.ones(2, 3), np.ones((2, 4), np.float32))["comparison"]
    assert found["a"] == {"type": "torch.Tensor", "shape": [2, 3], "dtype": "float32", "device": "cpu"}
    assert found["b"] == {"type": "numpy.ndarray", "shape": [2, 4], "dtype": "float32", "device": "cpu"}


def test_of_what_has_no_memory_the_shape_is_told_too() -> None:
    found = asked(torch.ones(2), torch.ones(5, dtype=torch.float16, device="meta"))["comparison"]["b"]
    assert found == {"type": "torch.Tensor", "shape": [5], "dtype": "float16", "device": "meta"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rtol": -1}, "rtol must be at least 0"),
        ({"atol": inf}, "atol must be finite"),
        ({"rtol": "x"}, "rtol must be a number"),
        ({"equal_nan": 1}, "equal_nan is true or false"),
    ],
)
def test_what_is_no_tolerance_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidQuestion, match=said):
        close(torch.ones(2), torch.ones(2), **options)


@pytest.mark.parametrize("part", ["comparison", "error_map"])
def test_two_values_are_needed(part: str) -> None:
    values = {"value": Child("a", torch.ones(2), "a")}
    with pytest.raises(InvalidQuestion, match=f"{part} is asked about two values"):
        registry.lens("details", values, {"parts": part}, Budget(), None)


def test_a_failure_of_the_two_loses_no_part_of_the_one() -> None:
    found = asked(torch.ones(2, 3), 5, parts="facts picture comparison error_map")
    assert {"facts", "picture", "comparison"} <= {*found}


# The map of differences


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("library", ["torch", "numpy"])
def test_one_element_of_a_million_that_differs_is_seen(library: str, exact: bool) -> None:
    a = torch.zeros(1000, 1000)
    b = a.clone()
    b[765, 432] = 3e-7
    sides = (a, b) if library == "torch" else (a.numpy(), b.numpy())
    found = error_map(*sides, tiles=64, exact=exact)
    down, across = found["tile"]
    errors = shown(found)
    assert errors[765 // down, 432 // across] == pytest.approx(3e-7)
    assert (errors > 0).sum() == 1
    assert found["shown"] == "max"
    assert (found["complete"], found["planes"][0]["max"]) == (True, pytest.approx(3e-7))


def test_the_map_shows_the_same_excerpt_as_the_other_value() -> None:
    a, b = torch.randn(2, 6, 8, 10), torch.randn(2, 6, 8, 10)
    look = {"dims": [3, 1], "facets": [0], "index": [5], "window": [2, 9, 1, 5]}
    found = asked(a, b, parts="error_map", **look)
    for of, wanted in (("other", b), ("error_map", (a - b).abs())):
        picture = found[of]
        assert {name: picture[name] for name in look} == look
        for at in range(2):
            expected = wanted[at, :, 5].T[2:9, 1:5]
            assert shown(picture, at) == pytest.approx(expected.numpy(), rel=1e-6)


def test_of_one_dimension_the_range_of_the_differences_is_shown() -> None:
    a, b = torch.zeros(1000), torch.zeros(1000)
    b[123] = 5.0
    found = error_map(a, b, tiles=100)
    assert found["shown"] == "range"
    assert shown(found, 0, "highs")[0, 12] == 5
    assert shown(found)[0, 12] == 0


def test_nan_and_infinities_on_one_side_alone_are_marked() -> None:
    a = torch.tensor([[nan, nan, inf, inf, 1.0, nan]])
    b = torch.tensor([[nan, 1.0, inf, -inf, inf, inf]])
    found = error_map(a, b)
    assert marks(found) == [[0, NAN, 0, INF, INF, NAN]]
    plane = found["planes"][0]
    assert (plane["nan"], plane["pos_inf"], plane["neg_inf"]) == (2, 2, 0)
    assert shown(found)[0, 0] == 0


MAPPED: dict[str, tuple[Any, Any, list[list[float]]]] = {
    "integers": (torch.tensor([[2**60, 3]]), torch.tensor([[2**60 + 1, 3]]), [[1, 0]]),
    "bools": (torch.tensor([[True, False]]), torch.tensor([[False, False]]), [[1, 0]]),
    "complex": (torch.tensor([[3 + 4j, 1j]]), torch.tensor([[0j, 1j]]), [[5, 0]]),
    "two libraries": (np.array([[1.0, 2.0]]), torch.tensor([[1, 4]]), [[0, 2]]),
    "unsigned": (np.array([[2**64 - 1]], np.uint64), np.array([[2**64 - 2]], np.uint64), [[1]]),
    "bfloat16": (torch.tensor([[1.5]], dtype=torch.bfloat16), torch.tensor([[1.0]]), [[0.5]]),
    "expanded": (torch.ones(1, 1).expand(3, 4), torch.zeros(3, 1).expand(3, 4), [[1] * 4] * 3),
    "lists": ([[1, 2], [3, 4]], [[1, 2], [3, 9]], [[0, 0], [0, 5]]),
    "long doubles": (np.array([[1]], np.longdouble), np.array([[3]], np.longdouble), [[2]]),
}


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("name", MAPPED)
def test_differences_of_all_dtypes_are_shown(name: str, exact: bool) -> None:
    a, b, wanted = MAPPED[name]
    found = error_map(a, b, exact=exact)
    assert shown(found).tolist() == wanted
    assert found["sort"] == "float"


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 12), st.integers(0, 2**32), st.booleans())
def test_each_tile_shows_the_largest_of_its_differences(
    rows: int, columns: int, tiles: int, seed: int, exact: bool
) -> None:
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, rows, columns)).astype(np.float32)
    found = error_map(a, b, tiles=tiles, exact=exact)
    gap, (high, wide) = np.abs(a.astype(np.float64) - b), found["tile"]
    expected = [
        [gap[down : down + high, across : across + wide].max() for across in range(0, columns, wide)]
        for down in range(0, rows, high)
    ]
    assert shown(found) == pytest.approx(np.array(expected), rel=1e-6)
    largest = close(a, b)["max_abs"]
    assert largest["by"] == found["planes"][0]["max"] == gap.max()


@given(st.lists(st.tuples(st.floats(), st.floats()), min_size=1, max_size=30))
def test_whichever_is_the_other_the_difference_is_the_same(pairs: list[tuple[float, float]]) -> None:
    a, b = (torch.tensor(side, dtype=torch.float64) for side in zip(*pairs))
    there, back = close(a, b, rtol=0), close(b, a, rtol=0)
    for field in ("different", "beyond", "nan_in_one", "nan_in_both", "inf_in_one", "close"):
        assert there[field] == back[field]
    for field in ("max_abs", "max_ulps"):
        assert there.get(field, {"by": 0})["by"] == back.get(field, {"by": 0})["by"]
    assert close(a, a.clone())["different"] == 0


# Time and memory


def test_without_time_a_part_is_compared_and_said_to_be() -> None:
    a, b = torch.zeros(3000, 2000), torch.zeros(3000, 2000)
    b[2999, 1999] = 1
    found = asked(a, b, late())
    elements, errors = found["comparison"]["elements"], found["error_map"]
    assert 0 < elements["read"] < elements["count"] == 6_000_000
    assert (elements["complete"], elements["different"]) == (False, 0)
    assert 0 < errors["read"] < 1
    exact = asked(a, b, late(), exact=True)
    assert exact["comparison"]["elements"]["max_abs"]["at"] == [2999, 1999]
    assert exact["comparison"]["elements"]["complete"] is exact["error_map"]["complete"] is True


def test_mapped_files_are_compared(tmp_path: Path) -> None:
    a = np.memmap(tmp_path / "a", np.float32, "w+", shape=(300, 400))
    b = np.zeros((300, 400), np.float32)
    b[7, 9] = 2
    found = asked(a, b)
    assert found["comparison"]["elements"]["max_abs"]["at"] == [7, 9]
    assert shown(found["error_map"])[7, 9] == 2


def test_memory_that_is_gone_between_two_slices_is_not_read() -> None:
    a, b = torch.zeros(2000, 2000), torch.ones(2000, 2000)
    values = {"value": Child("a", a, "a"), "other": Child("b", b, "b")}
    with Untouched():
        lens = registry.lens("details", values, {"parts": BOTH, "exact": True}, Budget(1), None)
        assert not lens.go_on()
        b.untyped_storage().resize_(0)
        lens.budget.renew(60_000)
        assert lens.go_on()
        found: Any = lens.found()
    assert {one["part"] for one in found["missing"]} == {"comparison", "error_map"}


def test_scratch_memory_is_bounded() -> None:
    a, b = torch.zeros(4000, 4000), torch.ones(4000, 4000)
    asked(a[:10], b[:10])
    assert peak_memory(lambda: asked(a, b, exact=True)) <= 16


def test_nothing_of_the_program_changes() -> None:
    a, b = nn.Parameter(torch.randn(30, 40)), torch.randn(30, 40)
    a.grad = torch.randn(30, 40)
    asked(a, b, exact=True)
    with Watch([a, b]) as watch:
        asked(a, b, exact=True)
    assert watch.changes() == []


def test_expressions_are_compared_in_a_paused_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> Any:
        x, y = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.5])
        return sys._getframe()

    paused = Paused(stop(), monkeypatch)
    found = paused.lens("details", {"parts": BOTH}, value="x", other="y")["found"]
    assert found["comparison"]["elements"]["max_abs"] == {"by": 0.5, "at": [1], "a": "2.0", "b": "2.5"}
    missing = paused.lens("details", {"parts": BOTH}, value="x", other="gone")
    assert (missing["op"], missing["error"]["code"]) == ("error", "not_found")


def test_a_program_without_numpy_is_compared_too(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = torch.zeros(2, 3), torch.zeros(2, 3)
    b[1, 2] = 4
    monkeypatch.setitem(sys.modules, "numpy", None)
    found = asked(a, b)
    monkeypatch.undo()
    assert found["comparison"]["elements"]["max_abs"]["at"] == [1, 2]
    assert shown(found["error_map"]).tolist() == [[0, 0, 0], [0, 0, 4]]


# What is masked, and what is quantized


def under_a_mask(library: str, values: Any, hidden: Any) -> Any:
    if library == "numpy":
        return np.ma.masked_array(values, hidden)
    masked = pytest.importorskip("torch.masked")
    return masked.masked_tensor(torch.from_numpy(values), ~torch.from_numpy(hidden))


MASKED = ["numpy", "torch"]


@pytest.mark.filterwarnings("ignore")  # of making a masked tensor
@pytest.mark.parametrize("both", [(one, other) for one in MASKED for other in [*MASKED, "plain"]])
@pytest.mark.parametrize("exact", [False, True])
def test_what_a_mask_of_either_hides_is_not_compared(both: tuple[str, str], exact: bool) -> None:
    generator = np.random.default_rng(5)
    a = generator.standard_normal((300, 250)).astype(np.float32)
    b, hidden, other_hidden = a.copy(), generator.random(a.shape) < 0.2, generator.random(a.shape) < 0.1
    b[200, 7], b[201, 8], b[202, 9], b[203, 9] = a[200, 7] + 1, nan, 99.0, a[203, 9] + 0.5
    hidden[200:204, 7:10], other_hidden[200:204, 7:10] = False, False
    hidden[202, 9] = True
    if both[1] == "plain":
        other_hidden[:] = False
    other = torch.from_numpy(b) if both[1] == "plain" else under_a_mask(both[1], b, other_hidden)
    found = close(under_a_mask(both[0], a, hidden), other, exact=exact)
    either = hidden | other_hidden
    assert (found["masked"], found["masked_in_one"]) == (either.sum(), (hidden ^ other_hidden).sum())
    assert (found["count"], found["read"], found["complete"]) == (a.size - either.sum(), a.size - either.sum(), True)
    assert (found["different"], found["nan_in_one"], found["beyond"]) == (3, 1, 3)
    assert found["max_abs"]["at"] == [200, 7]
    assert found["max_abs"]["by"] == pytest.approx(1, rel=1e-6)
    unlike = np.argwhere((a != b) & ~either & ~np.isnan(b))
    assert found["max_ulps"]["at"] in unlike.tolist()


def test_where_all_is_masked_nothing_is_compared() -> None:
    hidden = np.ones(3, bool)
    found = close(np.ma.masked_array([1.0, 2.0, 3.0], hidden), np.zeros(3))
    assert (found["masked"], found["count"], found["read"], found["close"], found["different"]) == (3, 0, 0, True, 0)


def test_only_what_has_a_mask_tells_how_many_are_not_compared() -> None:
    assert "masked" not in close(np.ones(3), np.ones(3))
    assert close(np.ma.masked_array([1.0, 2.0], [False, True]), np.ones(2))["masked"] == 1


def test_a_mask_over_expanded_values_hides_each_of_them() -> None:
    a, b, hidden = (
        np.broadcast_to(np.arange(3.0), (5, 3)),
        np.broadcast_to(np.arange(3.0) + 1, (5, 3)),
        np.eye(5, 3) > 0,
    )
    found = close(np.ma.masked_array(a, hidden), b)
    assert (found["masked"], found["different"]) == (3, 12)
    along = np.ma.masked_array(a, np.broadcast_to([True, False, False], (5, 3)))
    assert (close(along, b)["masked"], close(along, b)["different"]) == (5, 10)


@pytest.mark.filterwarnings("ignore")  # of making the values
@pytest.mark.parametrize("exact", [False, True])
def test_quantized_values_are_compared_by_the_numbers_that_they_stand_for(exact: bool) -> None:
    x = torch.randn(90, 700)
    one = torch.quantize_per_tensor(x, 0.05, 3, torch.qint8)
    other = torch.quantize_per_channel(x, torch.rand(90) + 0.01, torch.arange(90), 0, torch.qint32)
    for a, b in ((one, other), (one, x), (x, other)):
        reals = [side.dequantize() if side.is_quantized else side for side in (a, b)]
        assert asked(a, b, exact=exact)["comparison"]["elements"] == close(*reals, exact=exact)
        assert error_map(a, b, exact=exact) == error_map(*reals, exact=exact)
    sides = asked(one, x)["comparison"]
    assert (sides["a"]["dtype"], sides["b"]["dtype"]) == ("qint8", "float32")


@pytest.mark.filterwarnings("ignore")  # of making a masked tensor
@pytest.mark.parametrize("library", MASKED)
@pytest.mark.parametrize("tiles", [4, 512])
def test_the_error_map_marks_what_a_mask_of_either_hides(library: str, tiles: int) -> None:
    a, hidden, other_hidden = np.zeros((20, 20)), np.zeros((20, 20), bool), np.zeros((20, 20), bool)
    b = a.copy()
    b[3, 4], b[5, 6], b[7, 7] = 2.0, 99.0, nan
    hidden[5, 6], other_hidden[0, 0], other_hidden[7, 7] = True, True, True
    found = error_map(under_a_mask(library, a, hidden), under_a_mask(library, b, other_hidden), tiles=tiles)
    (plane,) = found["planes"]
    assert (plane["masked"], plane["nan"], plane["max"]) == (3, 0, 2.0)
    side = found["tile"][0]
    assert np.argwhere(np.array(marks(found)) == 8).tolist() == sorted(
        [list(at) for at in {(0, 0), (5 // side, 6 // side), (7 // side, 7 // side)}]
    )
