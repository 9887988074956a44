"""What the public functions say to what they can't be asked about: one sentence, and no code of the program runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import tensor_inspector as ti

ROWS = torch.ones(2, 3)
RAN: list[str] = []


class Liar:
    """It says that it is an exception."""

    @property
    def __class__(self) -> Any:
        RAN.append("__class__")
        return ValueError


class Net(nn.Module):
    def forward(self, ids: Any, mask: Any, scale: float = 1.0) -> Any:
        return ids * mask * scale


def lost(x: Any, y: Any = None) -> Any:
    return x


DATA = "a batch of tensors, arrays, numbers and texts"
MODULE = "a torch.nn.Module"
REFUSED: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
    "batch of None": (ti.batch, (None,), f"batch is None, not {DATA}"),
    "batch of a module": (ti.batch, (Net(),), f"batch is a Net, not {DATA}"),
    "batch of nothing": (ti.batch, ([],), "batch holds nothing"),
    "batch of a list of objects": (ti.batch, ([Liar()],), "batch holds objects (Liar), no parts of a batch: ask about one"),
    "batch of a list of None": (ti.batch, ([None],), "batch holds no tensors, arrays, numbers or texts"),
    "observations of a number": (ti.observations, (3,), "frame is a frame, as sys._getframe() gives one, not int"),
    "findings of a number": (ti.findings, (3,), "frame is a frame, as sys._getframe() gives one, not int"),
    "explain at a number": (
        ti.explain, (ValueError("x"), 3), "frame is a frame, as sys._getframe() gives one, not int"
    ),
    "explain None": (ti.explain, (None,), "explain takes an exception, as sys.last_value is one, not NoneType"),
    "explain a liar": (ti.explain, (Liar(),), "explain takes an exception, as sys.last_value is one, not Liar"),
    "model of a number": (ti.model, (3,), f"model is an int, not {MODULE}"),
    "model of None": (ti.model, (None,), f"model is None, not {MODULE}"),
    "shapes of a number": (ti.shapes, (3, ROWS), f"module is an int, not {MODULE}"),
    "shapes without an input": (ti.shapes, (nn.Linear(3, 3),), "no input is given: Linear.forward wants input"),
    "shapes without inputs": (ti.shapes, (Net(),), "no input is given: Net.forward wants ids, mask"),
    "gradcheck of a number": (
        ti.gradcheck, (3,), f"function is an int, not a function, {MODULE} or an autograd Function"
    ),
    "gradcheck without an input": (ti.gradcheck, (lost,), "no input is given: lost wants x"),
    "gradcheck of a module without": (ti.gradcheck, (Net(),), "no input is given: Net.forward wants ids, mask"),
    "gradcheck of a method without": (ti.gradcheck, (Net().forward,), "no input is given: Net.forward wants ids, mask"),
    "referrers of a number": (
        ti.referrers, (3,), "value is of type int: holders are looked for of tensors, arrays, containers and objects"
    ),
    "gradients of None": (ti.gradients, (None,), f"model is None, not {MODULE} or an optimizer"),
    "item of None": (ti.item, (None,), "dataset is None, not a torch Dataset"),
    "nan_origin of a number": (ti.nan_origin, (3,), "tensor is an int, not a tensor"),
    "autograd of None": (ti.autograd, (None,), "tensor is None, not a tensor"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wanted_is_said(case: str) -> None:
    ask, given, said = REFUSED[case]
    nothing, three = None, 3  # names of what many share are no names of what is asked about
    assert (nothing, three) == (None, 3)
    with pytest.raises(TypeError) as refused:
        ask(*given)
    assert str(refused.value) == said
    assert RAN == []


@pytest.mark.parametrize("ignore", [3, "lr-zero", [3]])
def test_what_is_no_collection_of_rules_is_refused(ignore: Any) -> None:
    with pytest.raises(TypeError, match=r"^ignore is a collection of rules, as in \['lr-zero'\]$"):
        ti.findings(ignore=ignore)


def test_functions_that_want_nothing_are_asked_without_an_input() -> None:
    weight = torch.ones(2, requires_grad=True)

    class Bias(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(2))

        def forward(self) -> Any:
            return self.weight.square()

    assert ti.shapes(Bias())["error"] is None
    assert ti.gradcheck(Bias())["state"] == "agrees"
    assert ti.gradcheck(lambda: weight * 2)["why"] == "no_input"
