"""Values that another thread changes while they are looked at: a thread may run between any two lines of the helper."""

from __future__ import annotations

import sys
import weakref
from collections import Counter, OrderedDict, UserDict, defaultdict, deque
from collections.abc import Callable
from types import FrameType, MappingProxyType
from typing import Any

import pytest
import torch
from torch import nn

from tensor_inspector.kinds import Child, Rows
from tensor_inspector.safe import budget as helper
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.guard import each
from tensor_inspector.stop.snapshot import Snapshot

HELPER = helper.__file__.rpartition("safe")[0]


class Thing:
    pass


class Meanwhile:
    """Does something each time a line of the helper has run, as another thread could."""

    def __init__(self, does: Callable[[int], object]) -> None:
        self._does = does
        self._lines = 0

    def __enter__(self) -> None:
        self._before = sys.gettrace()
        sys.settrace(self._trace)

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(HELPER):
            return None
        self._lines += 1
        self._does(self._lines)
        return self._trace

    def __exit__(self, *error: object) -> None:
        sys.settrace(self._before)


Made = tuple[object, Callable[[int], object]]


def turning(held: Any) -> Callable[[int], object]:
    """Adds an item, or removes the one added before."""

    def turn(line: int) -> None:
        name = f"new {line % 7}"
        if name in held:
            del held[name]
        else:
            held[name] = line

    return turn


def a_dict(cls: Any = dict) -> Made:
    held = cls({f"key {index}": index for index in range(300)})
    return held, turning(held)


def a_proxy() -> Made:
    held, turn = a_dict()
    return MappingProxyType(held), turn  # type: ignore[arg-type]


def a_set() -> Made:
    held = set(range(300))
    return held, lambda line: (held.add(f"new {line}"), held.discard(line))


def a_deque() -> Made:
    held = deque(range(300), 300)
    return held, held.append


def a_weak_set() -> Made:
    things = [Thing() for _ in range(300)]
    held = weakref.WeakSet(things)
    return held, lambda line: things and things.pop()


def an_object() -> Made:
    value = Thing()
    value.__dict__.update({f"name_{index}": index for index in range(300)})
    return value, turning(value.__dict__)


def a_module() -> Made:
    value = nn.Sequential(*(nn.Linear(2, 2) for _ in range(30)))

    turns = [turning(held) for held in (value._modules, value._parameters, value.__dict__)]
    return value, lambda line: [turn(line) for turn in turns]


def an_optimizer() -> Made:
    value = torch.optim.SGD([torch.ones(2, requires_grad=True) for _ in range(9)], lr=0.1)
    states = [torch.ones(1) for _ in range(9)]
    turn = turning(value.state)
    value.state.update({state: {"step": 1} for state in states})
    return value, turn


def a_class() -> Made:
    value = type("Changing", (), {f"name_{index}": index for index in range(100)})

    def turn(line: int) -> None:
        if "new" in vars(value):
            del value.new  # type: ignore[attr-defined]
        else:
            value.new = property(lambda self: 1)  # type: ignore[attr-defined]

    return value, turn


def of_a_class() -> Made:
    value, turn = a_class()
    return value(), turn  # type: ignore[operator]


CHANGING: dict[str, Callable[[], Made]] = {
    "dict": a_dict,
    "OrderedDict": lambda: a_dict(OrderedDict),
    "defaultdict": lambda: a_dict(lambda items: defaultdict(int, items)),
    "Counter": lambda: a_dict(Counter),
    "UserDict": lambda: a_dict(UserDict),
    "mappingproxy": a_proxy,
    "set": a_set,
    "deque": a_deque,
    "WeakSet": a_weak_set,
    "object": an_object,
    "object of a class": of_a_class,
    "class": a_class,
    "module": a_module,
    "optimizer": an_optimizer,
    "dict in a list": lambda: (lambda made: ([made[0]], made[1]))(a_dict()),
}


@pytest.mark.parametrize("name", CHANGING)
def test_what_changes_meanwhile_is_read_all_the_same(name: str) -> None:
    value, turn = CHANGING[name]()
    snapshot = Snapshot(Rows.of("", [Child("value", value, "value")]))
    with Meanwhile(turn):
        pages = [snapshot.page(node, 0, 100, Budget()) for node in range(2)]
        described = snapshot.describe(Child("value", value, "value"), 0, Budget(), facts=True)
    for node in [described, *(node for page in pages for node in page["nodes"])]:
        assert not node["line"].startswith("not read"), node


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 1000])
def test_each_item_is_met_once_in_its_order(size: int) -> None:
    held = {index: str(index) for index in range(size)}
    assert list(each(dict.items, held)) == list(held.items())
