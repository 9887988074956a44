"""Objects that hold settings: their line ends, and what their cards say once."""

from __future__ import annotations

import argparse
import dataclasses
import sys
import types
from typing import Any

import pytest

from tensor_inspector import facts
from tensor_inspector.kinds.registry import as_kind
from tensor_inspector.safe.budget import Budget


@dataclasses.dataclass
class Optim:
    lr: float = 0.1
    betas: tuple[float, float] = (0.9, 0.999)


@dataclasses.dataclass
class Model:
    size: int = 8
    hidden: Any = None


class Options:
    """Settings of a class that says nothing about them."""

    def __init__(self) -> None:
        self.lr, self.layers, self.optim, self._seen = 0.1, [8, 8], Optim(), 3


class Engine:
    def __init__(self) -> None:
        self.lr, self.parts = 0.1, Options.__init__.__get__(Options())  # a method, and an object of no fields
        self.clock = object()


LINE_ENDS: list[tuple[Any, str | None]] = [
    (argparse.Namespace(lr=0.1, epochs=3), "Namespace lr 0.1, epochs 3"),
    (argparse.Namespace(lr=-1e-05, resume=None, name="run"), "Namespace lr −1e-5, resume None, name 'run'"),
    (types.SimpleNamespace(a=1, b=[1, 2]), "SimpleNamespace a 1, b list of 2"),
    (types.SimpleNamespace(model=Engine(), lr=0.1), "SimpleNamespace model Engine, lr 0.1"),
    (Optim(), "Optim lr 0.1, betas tuple of 2"),
    (Model(hidden=Engine()), "Model size 8, hidden Engine"),
    (Options(), "Options lr 0.1, layers list of 2, optim Optim"),
    (types.SimpleNamespace(n=float("nan")), "NaN in n · SimpleNamespace n NaN"),
    (types.SimpleNamespace(**{f"a{at}": at for at in range(50)}), "SimpleNamespace a0 0, a1 1, a2 2, a3 3, a4 4, a5 5, a6 6, …"),
    (argparse.Namespace(), None),
    (Engine(), None),
    (object(), None),
]  # fmt: skip


@pytest.mark.parametrize(("value", "line_end"), LINE_ENDS, ids=lambda one: one if type(one) is str else "")
def test_settings_have_line_ends(value: Any, line_end: str | None) -> None:
    assert as_kind(value, Budget()).inline() == line_end


def test_so_have_those_of_libraries() -> None:
    attrs, pydantic = pytest.importorskip("attrs"), pytest.importorskip("pydantic")
    slotted = attrs.make_class("Slotted", {"lr": attrs.field(default=0.1), "inner": attrs.field(default=None)})
    assert as_kind(slotted(inner=Engine()), Budget()).inline() == "Slotted lr 0.1, inner Engine"
    model = pydantic.create_model("Settings", lr=(float, 0.1), names=(list, ["a"]))
    assert as_kind(model(), Budget()).inline() == "Settings lr 0.1, names list of 1"


@pytest.mark.skipif(sys.version_info < (3, 10), reason="slots of dataclasses are new in Python 3.10")
def test_so_have_slots() -> None:
    slotted = dataclasses.make_dataclass("Slotted", [("lr", float, 0.1)], slots=True)  # type: ignore[call-overload]
    assert as_kind(slotted(), Budget()).inline() == "Slotted lr 0.1"


class Failed(ValueError):
    def __init__(self, code: int) -> None:
        super().__init__("failed")
        self.code = code


@pytest.mark.parametrize("value", [value for value, _ in LINE_ENDS] + [Failed(3)], ids=lambda one: type(one).__name__)
def test_an_attribute_is_a_row_and_no_fact_besides(value: Any) -> None:
    """A card shows both."""
    told = [label for label, _ in facts(value).get("rows", [])]
    rows = {child.name for child in as_kind(value, Budget()).children(0, 100)}
    assert rows.isdisjoint(told)
