"""What two tensors that differ have in common all the same, as `compare` names it."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
import torch
from asking import Paused
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from tensor_inspector import compare
from tensor_inspector.measure.stats import relation as relations


def x(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(len(shape)))


def layer() -> tuple[nn.Linear, torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    made, given_ = nn.Linear(7, 5).requires_grad_(False), x(32, 7)
    return made, given_, made(given_)


LAYER, INPUT, OUTPUT = layer()
BYTES = torch.arange(192, dtype=torch.uint8).reshape(3, 8, 8)


def told(a: Any, b: Any) -> Any:
    """The relation that is told of two values, if one is."""
    found = [one["relation"] for one in compare(a, b).differences if "relation" in one]
    return found[0] if found else None


CASES: list[tuple[Any, Any, str, str]] = [
    (OUTPUT, OUTPUT.double(), "dtype", "equal but for the dtype float32 → float64"),
    (OUTPUT, OUTPUT.bfloat16(), "rounded", "equal after rounding to bfloat16: "),
    (OUTPUT[0, :2], OUTPUT[0, :2].bfloat16(), "rounded", "equal after rounding to bfloat16: "),
    (OUTPUT.half(), OUTPUT, "rounded", "equal after rounding to float16: "),
    (OUTPUT, OUTPUT.T, "transposed", "equal after transposing: shape [32, 5] → [5, 32]"),
    (x(6, 6), x(6, 6).T.contiguous(), "transposed", "equal after transposing: 30 of 36 differ"),
    (x(2, 3, 8, 9), x(2, 3, 8, 9).permute(0, 2, 3, 1), "permuted", "equal after permute(0, 2, 3, 1): shape "),
    (x(4, 4, 4), x(4, 4, 4).permute(2, 0, 1).clone(), "permuted", "equal after permute(2, 0, 1): 60 of 64 differ"),
    (x(5), x(5).expand(32, 5), "broadcast", "equal after broadcasting: shape [5] → [32, 5]"),
    (x(32, 5)[:1].expand(32, 5), x(32, 5)[0], "broadcast", "equal after broadcasting: shape [32, 5] → [5]"),
    (torch.tensor(3.0), torch.full((4,), 3.0), "broadcast", "equal after broadcasting: shape [] → [4]"),
    (x(4, 1), x(4, 1).expand(4, 6).clone(), "broadcast", "equal after broadcasting: shape [4, 1] → [4, 6]"),
    (x(32, 1), x(32, 1)[:, 0], "squeezed", "equal after squeezing: shape [32, 1] → [32]"),
    (x(3, 4), x(3, 4)[:, None], "unsqueezed", "equal after unsqueezing: shape [3, 4] → [3, 1, 4]"),
    (x(2, 3, 4), x(2, 3, 4).flatten(1), "reshaped", "equal after reshaping: shape [2, 3, 4] → [2, 12]"),
    (x(12).reshape(3, 4).T, x(12).reshape(3, 4).T.reshape(12), "reshaped", "equal after reshaping: "),
    (x(2, 3, 8), x(2, 3, 8).flip(1), "flipped", "equal after flipping dimension 1: 32 of 48 differ"),
    (OUTPUT, OUTPUT * 32, "multiplied", "equal after multiplying by 32: "),
    (OUTPUT, -OUTPUT, "multiplied", "equal after negating: "),
    (BYTES, BYTES / 255, "multiplied", "equal after dividing by 255: "),
    (OUTPUT, 2 * OUTPUT, "multiplied", "equal after multiplying by 2: "),
    (OUTPUT, 0.1 * OUTPUT, "multiplied", "equal after dividing by 10: "),
    (OUTPUT, OUTPUT / 3, "multiplied", "equal after dividing by 3: "),
    (OUTPUT.double(), OUTPUT.double() / 3, "multiplied", "equal after dividing by 3: "),
    (OUTPUT, 0.3 * OUTPUT, "multiplied", "equal after multiplying by 0.3: "),
    (OUTPUT.half(), OUTPUT.half() * 2, "multiplied", "equal after multiplying by 2: "),
    (OUTPUT.bfloat16(), OUTPUT.bfloat16() * 3, "multiplied", "equal after multiplying by 3: "),
    (OUTPUT, 3 * OUTPUT.double(), "multiplied", "equal after multiplying by 3: "),
    (OUTPUT, 3 * OUTPUT * (1 + 1e-7 * x(32, 5)), "multiplied", "close after multiplying by 3: "),
    (BYTES.long(), BYTES.long() * 2, "multiplied", "equal after multiplying by 2: "),
    (OUTPUT.numpy(), OUTPUT.numpy() * 2, "multiplied", "equal after multiplying by 2: "),
    (OUTPUT.numpy(), 2 * OUTPUT, "multiplied", "equal after multiplying by 2: "),
    (OUTPUT, OUTPUT + 1e-3, "shifted", "equal after adding 0.001: "),
    (OUTPUT, OUTPUT - 3, "shifted", "equal after adding −3: "),
    (OUTPUT, OUTPUT + 0.5, "shifted", "equal after adding 0.5: "),
    (OUTPUT, INPUT @ LAYER.weight.T, "shifted", "close after adding a bias along dimension 1: "),
    (OUTPUT, OUTPUT + torch.arange(5.0), "shifted", "equal after adding a bias along dimension 1: "),
    (OUTPUT, OUTPUT * torch.tensor([1.0, 2, 3, 4, 5]), "multiplied", "equal after scaling along dimension 1: "),
    (OUTPUT[:, :2], OUTPUT[:, :2] * torch.tensor([2.0, 3]), "multiplied", "equal after scaling along dimension 1: "),
    (OUTPUT.numpy(), OUTPUT.T.numpy(), "transposed", "equal after transposing: "),
    (OUTPUT.numpy(), OUTPUT.T, "transposed", "equal after transposing: "),
    (np.arange(5.0), np.broadcast_to(np.arange(5.0), (3, 5)), "broadcast", "equal after broadcasting: "),
    (OUTPUT, (INPUT.double() @ LAYER.weight.double().T + LAYER.bias.double()).T, "transposed", "close after transposing"),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "how", "text"), CASES)
def test_what_makes_two_one_is_named(a: Any, b: Any, how: str, text: str) -> None:
    found = told(a, b)
    assert (found["how"], found["read"]) == (how, found["count"])
    (said,) = (one["text"] for one in compare(a, b).differences if "relation" in one)
    assert said.startswith(text)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (OUTPUT, x(32, 5)),
        (OUTPUT, OUTPUT + 1e-3 * x(32, 5)),
        (OUTPUT, INPUT @ LAYER.weight.T + LAYER.bias),
        (OUTPUT, OUTPUT.relu()),
        (x(3, 4), x(4, 4)),
        (x(3, 4), x(4, 3).exp()),
        (x(3, 4), x(3, 4).T.clone().index_fill_(0, torch.tensor([1]), 7.0)),
        (x(5), x(6, 5)),
        (torch.tensor([1.0, 2.0]), torch.tensor([2.0, 4.0])),
        (torch.tensor([True, False, True, False]), torch.tensor([False, True, False, True])),
        (torch.zeros(4, 5), torch.ones(4, 5)),
        (1e-9 * x(3, 4), 1e-9 * x(4, 3).exp()),
        (torch.full((3, 4), torch.nan), x(3, 4)),
        (x(2, 5), x(2, 5) + torch.tensor([1.0, 2, 3, 4, 5])),
        (OUTPUT, torch.cat([2 * OUTPUT[:, :4], 1e-7 * x(32, 1)], 1)),
        (x(1, 5), torch.rand(1, 5)),
        (torch.empty(0, 3), torch.empty(3, 0)),
        (OUTPUT, torch.full((32, 5), torch.inf)),
    ],
)
def test_nothing_is_named_that_is_not_so_or_may_be_by_chance(a: Any, b: Any) -> None:
    assert told(a, b) is None


@given(st.permutations(range(4)), st.lists(st.integers(1, 4), min_size=4, max_size=4))
def test_any_order_of_dimensions_is_found_and_is_right(dims: list[int], shape: list[int]) -> None:
    a = torch.arange(float(torch.Size(shape).numel())).reshape(shape)
    b = a.permute(dims).contiguous()
    found = told(a, b)
    if found is not None and found["how"] in ("permuted", "transposed"):
        assert torch.equal(a.permute(found["dims"]), b)
    else:
        assert compare(a, b) or found["how"] in ("reshaped", "broadcast", "flipped") or a.numel() < 4


def test_one_element_that_is_another_undoes_it() -> None:
    a, b = x(600, 700), x(600, 700).T.clone()
    assert told(a, b)["how"] == "transposed"
    b[699, 599] += 1
    assert told(a, b) is None


@pytest.mark.parametrize(("times", "how"), [(1, "transposed"), (1.5, None)])
def test_small_numbers_are_close_within_ten_times_the_rounding_of_the_largest(times: float, how: str | None) -> None:
    a = torch.tensor([[0, 1, 2], [3, 4, 16]], dtype=torch.float64) / 256
    b = a.T.clone()
    b[0, 0] = times * 10 * 1e-7 / 16  # less than the atol of float64, so not apart
    relation = told(a, b)
    assert (relation["how"] if relation else None) == how


def test_of_what_is_too_large_to_be_copied_a_sample_tells_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relations, "_COPIED", 1000)
    a = x(60, 70)
    found = compare(a, a * 3).differences[0]
    assert found["text"].startswith("≈ equal after multiplying by 3 in 512 of 4.2K elements: ")
    turned = told(a.T, a.T.reshape(10, 420))
    assert (turned["how"], turned["read"], turned["count"]) == ("reshaped", 4200, 4200)  # the other one is in order
    turned = told(a.T, a.T.reshape(420, 10).T)
    assert turned is None or turned["read"] < turned["count"]


def test_where_nothing_is_likely_no_more_than_samples_are_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []

    def counting(found: Any) -> Any:
        def counted(a: Any, *rest: Any, **more: Any) -> Any:
            looked_at.append(a.numel())
            return found(a, *rest, **more)

        return counted

    for name in ("affine", "difference", "_flipped", "_as"):
        monkeypatch.setattr(relations, name, counting(getattr(relations, name)))
    for other in (torch.rand(300, 300), torch.rand(300, 300).double(), torch.rand(300, 200)):
        assert told(x(300, 300), other) is None
    assert looked_at
    assert max(looked_at) <= 512


def test_of_very_many_that_differ_those_of_unlike_shapes_are_looked_at_first() -> None:
    a = {f"k{at}": x(4, 5) * at for at in range(1, 300)}
    b: dict[str, torch.Tensor] = {name: torch.rand(4, 5) for name in a}
    a["last"], b["last"] = x(3, 4), x(3, 4).T
    found = {one["path"]: one.get("relation") for one in compare(a, b).differences}
    relation = found["['last']"]
    assert relation is not None
    assert relation["how"] == "transposed"


def test_all_alike_is_said_of_the_whole() -> None:
    def stop() -> Any:
        a, b = {"w": OUTPUT, "v": x(3)}, {"w": OUTPUT.double(), "v": x(3).double()}
        assert a is not b
        return sys._getframe()

    with pytest.MonkeyPatch.context() as patch:
        paused = Paused(stop(), patch)
        answer = paused.lens("compare", a="a", b="b")
    assert answer["node"]["line"].startswith("equal but for the dtype · 2 differences · ")
    assert [one["relation"]["how"] for one in answer["found"]["worst"]] == ["dtype", "dtype"]


def test_it_is_found_in_slices_too() -> None:
    def stop() -> Any:
        a, b = [x(300, 200) for _ in range(3)], [x(300, 200).T.clone() for _ in range(3)]
        assert a is not b
        return sys._getframe()

    with pytest.MonkeyPatch.context() as patch:
        paused = Paused(stop(), patch)
        where: dict[str, Any] = {}
        values = {name: {"expression": name} for name in "ab"}
        rounds = 0
        while not (answer := paused.ask("lens", lens="compare", values=values, limits={"ms": 0.01}, **where))["done"]:
            where, rounds = {"snapshot": answer["snapshot"], "resume": answer["resume"]}, rounds + 1
            assert 0 <= answer["progress"] < 1
    assert rounds > 2
    assert [one["relation"]["how"] for one in answer["found"]["worst"]] == ["transposed"] * 3


def test_the_worst_comes_first() -> None:
    a = {"close": x(4), "far": x(4), "near": x(4), "nan": x(4), "shape": x(4), "gone": x(4), "dtype": x(4)}
    b = {
        "close": x(4) + 1e-7, "far": -x(4), "near": x(4) * torch.tensor([1, 1, 1, 1.1]),
        "nan": x(4).index_fill(0, torch.tensor([0]), torch.nan), "shape": x(5), "new": x(4), "dtype": x(4).double(),
    }  # fmt: skip
    assert [one["path"][2:-2] for one in compare(a, b).differences] == [
        "shape", "gone", "new", "nan", "far", "near", "dtype", "close",
    ]  # fmt: skip


def test_what_is_told_of_one_place_stays_together() -> None:
    a, b = [x(4), x(4)], [x(4) * 1.01, x(4).double() * 2]
    assert [(one["path"], one["what"]) for one in compare(a, b).differences] == [
        ("[1]", "dtype"), ("[1]", "values"), ("[0]", "values"),
    ]  # fmt: skip
