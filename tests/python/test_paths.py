"""Every path that a row offers reaches the value it shows, in Python and for our own resolver; siblings have names of
their own."""

from __future__ import annotations

import math
import sys
from collections import OrderedDict, deque, namedtuple
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from tensor_inspector.kinds import Child, Elements, Property, Rows, TextRow
from tensor_inspector.protocol import Node
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.stop import frame
from tensor_inspector.stop.expression import resolve
from tensor_inspector.stop.snapshot import Snapshot

Point = namedtuple("Point", "x y")


class Thing:
    def __init__(self, **items: object) -> None:
        self.__dict__.update(items)

    @property
    def computed(self) -> int:
        return 42


class Slotted:
    __slots__ = ("inside",)

    def __init__(self) -> None:
        self.inside = 1


class Shadowed:
    def __init__(self) -> None:
        self.__dict__["value"] = -1

    @property
    def value(self) -> int:
        return 42


class Answering:
    def __init__(self) -> None:
        self.kept = 1

    def __getattribute__(self, name: str) -> Any:
        return 42


class Mixed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attributes = nn.Linear(1, 1)
        self.hooks = nn.Linear(1, 1)
        self.other = [1]
        self.add_module("0", nn.Linear(1, 1))
        self.register_buffer("mean", torch.zeros(2))


class Wrapper(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(1, 1)

    def __getattribute__(self, name: str) -> Any:
        return 42 if name == "inner" else super().__getattribute__(name)


class Listed(list):  # type: ignore[type-arg]
    pass


def listed() -> Listed:
    value = Listed([1])
    value.extra = 2  # type: ignore[attr-defined]
    return value


VALUES: dict[str, Callable[[], Any]] = {
    "attributes": lambda: Thing(a=1, properties=2, **{"class": 3, "not an identifier": 4, "größe": 5}),
    "slots": Slotted,
    "a property before the dict": Shadowed,
    "its own __getattribute__": Answering,
    "str subclass as a name": lambda: Thing(**{str(np.str_("vis")): 1}),
    "dict keys": lambda: {
        1: "a",
        "k": "b",
        (1, 2): "c",
        0.5: "d",
        None: "e",
        True: "f",
        b"x": "g",
        "it's": 1,
        "both '\"": 2,
    },
    "NaN keys": lambda: {float("nan"): 1, math.nan: 2, math.inf: 3},
    "long keys": lambda: {"x" * 300: 1, "x" * 301: 2, 10**5000: 3},
    "object keys": lambda: {object(): 1, object(): 2},
    "ordered": lambda: OrderedDict(a=1, b=2),
    "nested": lambda: [({"k": deque([1, [2]])}, Point(1, {3}))],
    "list subclass": listed,
    "Sequential by name": lambda: nn.Sequential(
        OrderedDict([("1", nn.ReLU()), ("0", nn.Tanh()), ("fc", nn.Linear(1, 1))])
    ),
    "Sequential": lambda: nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1)),
    "ModuleDict": lambda: nn.ModuleDict({"32": nn.ReLU(), "relu": nn.Tanh(), "fc": nn.Linear(1, 1)}),
    "ParameterList": lambda: nn.ParameterList([nn.Parameter(torch.ones(1))]),
    "module": Mixed,
    "module with its own __getattribute__": Wrapper,
    "graph": lambda: (torch.ones(2, requires_grad=True) * 2).sum(),
    "view": lambda: torch.eye(3)[1:],
    "tensor": lambda: torch.arange(6.0).reshape(2, 3),
    "array": lambda: np.arange(6).reshape(2, 3),
    "object array": lambda: np.array([[1], {"k": 2}], dtype=object),
    "exception": lambda: ValueError("x", [1]),
    "optimizer": lambda: torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1),
}


def walked(value: object, depth: int = 4) -> Iterator[tuple[Snapshot, Node, list[Node]]]:
    """Each node with its siblings."""
    snapshot = Snapshot(Rows.of("", [Child("value", value, "value")]))
    waiting: list[tuple[int, int]] = [(0, 0)]
    while waiting:
        node, level = waiting.pop()
        siblings = snapshot.page(node, 0, 50, Budget())["nodes"]
        for child in siblings:
            yield snapshot, child, siblings
            if "children" in child and "lazy" not in child and level < depth:
                waiting.append((child["id"], level + 1))


@pytest.mark.parametrize("name", VALUES)
def test_siblings_have_names_of_their_own(name: str) -> None:
    for _, _, siblings in walked(VALUES[name]()):
        names = [node["name"] for node in siblings]
        assert len(names) == len(set(names))


def same(shown: Any, reached: Any) -> bool:
    shown = shown.value if isinstance(shown, Elements) else shown
    reached = reached.value if isinstance(reached, Elements) else reached
    if isinstance(shown, (torch.Tensor, np.ndarray)):
        return np.array_equal(shown.detach() if isinstance(shown, torch.Tensor) else shown, reached)
    return shown is reached or shown == reached


@pytest.mark.parametrize("name", VALUES)
def test_a_path_reaches_the_value_that_is_shown(name: str) -> None:
    value = VALUES[name]()
    paths = 0
    with Untouched():
        for snapshot, node, _ in walked(value):
            shown = snapshot.value(node["id"])
            if "path" in node and not isinstance(shown, (Rows, TextRow, Property)):
                paths += 1
                assert same(shown, eval(node["path"], {"value": value})), node["path"]
                assert same(shown, resolve(node["path"], {"value": value}, {}, Budget())), node["path"]
    assert paths > 0


@given(
    st.dictionaries(
        st.one_of(
            st.text(),
            st.integers(),
            st.floats(),
            st.booleans(),
            st.none(),
            st.binary(),
            st.tuples(st.text(), st.integers()),
        ),
        st.integers(),
        max_size=8,
    )
)
def test_any_plain_key_is_named_and_reached(value: dict[Any, int]) -> None:
    found = list(walked(value, depth=1))
    for snapshot, node, siblings in found:
        assert len({sibling["name"] for sibling in siblings}) == len(siblings)
        if "path" in node:
            assert same(snapshot.value(node["id"]), eval(node["path"], {"value": value}))
            assert same(snapshot.value(node["id"]), resolve(node["path"], {"value": value}, {}, Budget()))


def test_a_name_that_is_no_expression_has_no_path() -> None:
    space: dict[str, Any] = {".0": 1, "0010_alter": 2, "class": 3, "größe": 4, "frame": sys._getframe}
    exec("frame = frame()", space)
    snapshot = Snapshot(frame.rows(space["frame"], "all", Budget()))
    paths = {node["name"]: node.get("path") for node in snapshot.page(0, 0, 100, Budget())["nodes"]}
    names = (".0", "0010_alter", "class", "größe")
    assert {name: paths[name] for name in names} == {".0": None, "0010_alter": None, "class": None, "größe": "größe"}
