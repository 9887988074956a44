"""Random cyclic graphs of containers, modules and objects: every walk ends, and every row tells where it stands.

Some of the classes misbehave in all their methods, and count each call.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict, UserDict, deque
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import hostile
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from tensor_inspector import facts, summarize, tree
from tensor_inspector.kinds import Child, Property, Rows, TextRow
from tensor_inspector.protocol import Node
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.stop.snapshot import Snapshot


class Thing:
    @property
    def computed(self) -> int:
        hostile.RAN.append("computed")
        return 1


class Slotted:
    __slots__ = ("a0", "a1", "a2", "a3")


class Net(nn.Module):
    def __getattr__(self, name: str) -> Any:
        hostile.RAN.append(f"__getattr__ {name}") if name not in self.__dict__["_modules"] else None
        return super().__getattr__(name)


TrappedList = type("TrappedList", (list,), hostile.traps("__hash__"))
TrappedDict = type("TrappedDict", (dict,), hostile.traps("__hash__"))
Trapped = type("Trapped", (), hostile.traps("__hash__", "__eq__"))


def put_item(node: Any, held: Any, place: int) -> None:
    list.append(node, held)


def put_last(node: Any, held: Any, place: int) -> None:
    node.append(held)


def put_key(node: Any, held: Any, place: int) -> None:
    dict.__setitem__(node, (f"k{place}", place, (place, "x"), None)[place], held)


def put_data(node: Any, held: Any, place: int) -> None:
    node.data[f"k{place}"] = held


def put_attribute(node: Any, held: Any, place: int) -> None:
    object.__setattr__(node, f"a{place}", held)


def put_part(node: Any, held: Any, place: int) -> None:
    if isinstance(held, nn.Module):
        node._modules[f"m{place}" if place else "0"] = held
    else:
        node.__dict__[f"a{place}"] = held


def put_in_tuple(node: Any, held: Any, place: int) -> None:
    list.append(node, (held, {"deep": held}))


#: How each kind of node is made, and how something is put into it.
KINDS: list[tuple[Callable[[], Any], Callable[[Any, Any, int], None]]] = [
    (list, put_item),
    (list, put_in_tuple),
    (deque, put_last),
    (dict, put_key),
    (OrderedDict, put_key),
    (UserDict, put_data),
    (Thing, put_attribute),
    (Slotted, put_attribute),
    (SimpleNamespace, put_attribute),
    (Net, put_part),
    (nn.Sequential, put_part),
    (TrappedList, put_item),
    (TrappedDict, put_key),
    (Trapped, put_attribute),
    (lambda: ValueError("text"), put_attribute),
]


@st.composite
def graphs(draw: st.DrawFn) -> Any:
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=7))
    nodes = [make() for make, _ in kinds]
    for node, (_, put) in zip(nodes, kinds):
        for place, target in enumerate(draw(st.lists(st.integers(0, len(nodes) - 1), max_size=4))):
            put(node, nodes[target], place)
    return nodes[0]


@pytest.fixture(autouse=True)
def count_from_zero() -> None:
    hostile.RAN.clear()


Row = tuple[Node, Any, tuple[Any, ...]]  #: a node, its value, and the values above it


def walked(value: object, snapshot: Snapshot) -> Iterator[Row]:
    """Every row below a value, in the order it is given out; a row with a mark is not opened."""
    waiting: list[tuple[int, tuple[Any, ...]]] = [(0, ())]
    while waiting:
        number, above = waiting.pop(0)
        for start in itertools.count(0, 3):
            page = snapshot.page(number, start, 3, Budget())
            for node in page["nodes"]:
                shown = snapshot.value(node["id"])
                yield node, shown, above
                if node.get("children", 0) != 0 and "mark" not in node and "lazy" not in node:
                    waiting.append((node["id"], (*above, shown)))
            if page["total"] is None or page["total"] <= start + 3:
                break


def walk(value: object) -> list[Row]:
    snapshot = Snapshot(Rows.of("", [Child("value", value, "value")]))
    with Untouched():
        return list(itertools.islice(walked(value, snapshot), 5000))


def is_ours(shown: object) -> bool:
    return isinstance(shown, (Rows, TextRow, Property))


@given(graphs())
@settings(max_examples=200)
def test_it_ends(value: Any) -> None:
    assert len(walk(value)) < 5000


@given(graphs())
@settings(max_examples=200)
def test_every_row_has_a_path_of_its_own(value: Any) -> None:
    paths = [node["path"] for node, shown, _ in walk(value) if "path" in node and not is_ours(shown)]
    assert len(paths) == len(set(paths))


@given(graphs())
@settings(max_examples=200)
def test_a_path_is_an_expression_for_the_value_that_is_shown(value: Any) -> None:
    reached = 0
    for node, shown, _ in walk(value):
        if "path" in node and not is_ours(shown):
            found = eval(node["path"], {"value": value})
            assert found is shown or found == shown, node["path"]
            reached += 1
    assert reached > 0
    assert hostile.RAN == []


@given(graphs())
@settings(max_examples=200)
def test_a_cycle_is_marked_where_the_value_stands_above_itself_and_nowhere_else(value: Any) -> None:
    for node, shown, above in walk(value):
        if is_ours(shown) or not _can_contain(shown):
            assert "mark" not in node
            continue
        is_cycle = node.get("mark", {}).get("kind") == "cycle"
        assert is_cycle == any(shown is ancestor for ancestor in above)


@given(graphs())
@settings(max_examples=200)
def test_what_was_met_before_is_marked_and_opened_no_second_time(value: Any) -> None:
    met: set[int] = set()
    for node, shown, above in walk(value):
        if is_ours(shown) or not _can_contain(shown) or any(shown is ancestor for ancestor in above):
            continue
        assert ("mark" in node) == (id(shown) in met)
        met.add(id(shown))


@given(graphs())
@settings(max_examples=100)
def test_no_code_of_the_program_runs(value: Any) -> None:
    walk(value)
    summarize(value)
    facts(value)
    text = tree(value, depth=3)
    assert "not read: " not in text
    assert hostile.RAN == []


@given(graphs(), st.integers(0, 4))
@settings(max_examples=50)
def test_a_tree_is_as_deep_as_asked(value: Any, depth: int) -> None:
    lines = tree(value, depth=depth).splitlines()
    assert max((len(line) - len(line.lstrip())) // 2 for line in lines) <= depth


def _can_contain(value: object) -> bool:
    return not isinstance(value, (str, int, bool, type(None), torch.Tensor))
