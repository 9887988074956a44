"""Expressions of the rows in the debugger's own views."""

from __future__ import annotations

import json
from collections import ChainMap, namedtuple
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tensor_inspector.preferences import Preferred
from tensor_inspector.session import session
from tensor_inspector.stock.expressions import reached
from tensor_inspector.stock.provider import Children, Lines
from tensor_inspector.stock.rows import Row

Pair = namedtuple("Pair", "left right")
STORAGE: Any = torch.zeros(8).untyped_storage()
TYPED = torch.TypedStorage(wrap_storage=STORAGE, dtype=torch.uint8, _internal=True)
TENSOR = torch.ones(3)


@pytest.fixture(autouse=True)
def time_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine says no less."""
    monkeypatch.setattr(session, "preferred", Preferred(budget_ms=60_000))
    monkeypatch.setattr(session, "burst", None)


@pytest.mark.parametrize(
    ("parent", "suffix", "expected"),
    [
        ("x", "[0]", "x[0]"),
        ("x.grad", ".shape", "x.grad.shape"),
        ("a + b", "[0]", "(a + b)[0]"),
    ],
)
def test_a_child_is_reached_from_its_parent(parent: str, suffix: str, expected: str) -> None:
    assert reached(suffix, parent) == expected


def test_a_group_has_no_expression_and_what_is_in_it_is_reached_from_what_it_is_part_of() -> None:
    inner = reached("", "a + b")
    assert inner is not None
    group = reached("", inner)
    assert group is not None
    assert group == ""
    assert reached("[1]", group) == "(a + b)[1]"


def test_what_is_fixed_has_an_expression_to_copy_but_no_text_to_assign_to() -> None:
    inner = reached(".paths", "settings", fixed=True)
    assert inner is not None
    assert inner == "settings.paths"
    assert inner, "the debugger gives no expressions to what is below a row without one"
    assert json.dumps(inner) == '"settings.paths"'
    assert "%s=%s" % (inner, 7) == "=7"  # noqa: UP031  as the debugger writes it, which then can't run
    assert reached(".root", inner, fixed=True) == "settings.paths.root"
    assert reached("[0]", reached("", inner) or "") == "settings.paths[0]"


def test_no_part_of_a_copy_has_an_expression_by_which_it_could_be_set() -> None:
    column = reached("['a']", "frame", copied=True)
    assert column == "frame['a']"
    assert column is not None
    group = reached("", column)
    assert group is not None
    assert reached(".iloc[0]", group) is None
    assert group, "the debugger gives no expressions to what is below a row without one"


def test_clients_that_ask_by_name_get_the_same_rows() -> None:
    value = torch.arange(3.0)
    rows = Children().get_contents_debug_adapter_protocol(value)
    assert [name for name, _, _ in rows] == ["values", "stats"]
    assert Children().get_dictionary(value).keys() == {"values", "stats"}
    assert isinstance(Children().resolve(value, "values"), Row)


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ([STORAGE], "list · 1: UntypedStorage"),
        ((STORAGE, 1), "tuple · 2: UntypedStorage, 1"),
        ({"a": {"b": STORAGE}}, "dict · 1: a dict of 1"),
        (Pair(STORAGE, 1), "Pair · left UntypedStorage, right 1"),
        (SimpleNamespace(s=STORAGE), "SimpleNamespace · s UntypedStorage"),
        ([TYPED], "list · 1: TypedStorage"),
        (partial(print, TENSOR, end=""), "partial · print(float32[3], end='')"),
        ([partial(print, end=STORAGE)], "list · 1: partial"),
        (ChainMap({"a": TENSOR}), "ChainMap · 1 map: dict of 1"),
        ([ChainMap({"a": [STORAGE]})], "list · 1: ChainMap"),
        (ValueError("no", TENSOR), "ValueError · 'no', float32[3]"),
        ([ValueError(STORAGE)], "list · 1: ValueError"),
    ],
)
def test_what_would_write_out_tensors_or_their_bytes_is_our_line(value: object, line: str) -> None:
    assert Lines().get_str(value) == line


FIRST_VALUES = [
    ("pandas", "v.date_range('2024', periods=2, unit='us')", ["[0]  2024-01-01", "[1]  2024-01-02"]),
    ("pandas", "v.Series(range(11)).astype('category')", [*(f"[{at}]  {at}" for at in range(10)), "…"]),
    ("pandas", "v.DataFrame({'a': [1, 2], 'b': [3, 4]})",
     ["[0]  a=1, b=3", "[1]  a=2, b=4", "index  RangeIndex · int64[2] · 0…1", "'a'  int64[2] [1, 2]", "'b'  int64[2] [3, 4]"]),
    ("pandas", "v.DataFrame({'a': range(9)})",
     ["[0]  a=0", "[1]  a=1", "[2]  a=2", "…", "index  RangeIndex · int64[9] · 0…8", "'a'  int64[9] [0, 1, 2, 3, 4, 5, 6, 7, 8]"]),
    ("polars", "v.Series(['a', 'b'])", ["[0]  'a'", "[1]  'b'"]),
    ("numpy", "v.ma.array([1.0, 2.0], mask=[True, False])", ["[0]  masked", "[1]  2"]),
]  # fmt: skip


@pytest.mark.parametrize(("library", "make", "below"), FIRST_VALUES, ids=[make for _, make, _ in FIRST_VALUES])
def test_the_console_prints_the_first_values_of_what_has_no_corner(library: str, make: str, below: list[str]) -> None:
    value = eval(make, {"v": pytest.importorskip(library)})
    assert (Lines().get_str_in_context(value, "repl") or "").splitlines()[1:] == below


@pytest.mark.parametrize(
    "value", [[1], {"a": (1,)}, partial(print, 1), ChainMap({"a": 1}), ValueError("no", 1)], ids=repr
)
def test_what_holds_no_tensor_is_left_to_the_debugger(value: object) -> None:
    assert Lines().get_str(value) is None
