"""The lens `referrers`: every holder that the tests make is named, and nobody else is."""

from __future__ import annotations

import functools
import gc
import subprocess
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import numpy as np
import pytest
import torch
from asking import Paused
from untouched import Watch, outlives

import tensor_inspector
from tensor_inspector.lenses.memory import upward
from tensor_inspector.safe.budget import Budget


class Cache:
    shared: dict[str, object] = {}

    def __init__(self, **items: object) -> None:
        self.items = items


class Slotted:
    __slots__ = ("held",)

    def __init__(self, held: object) -> None:
        self.held = held


def closing_over(value: object) -> Callable[[], object]:
    return lambda: value


def waiting_with(value: object) -> Iterator[None]:
    yield
    print(value)


def started(generator: Iterator[None]) -> Iterator[None]:
    next(generator)
    return generator


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search ends by itself, though a machine that is busy scans the many objects of a test process slowly."""
    monkeypatch.setattr(upward, "_SCANS", float("inf"))


def holders(frame: FrameType, monkeypatch: pytest.MonkeyPatch, value: str = "value") -> list[tuple[str, str]]:
    found = Paused(frame, monkeypatch).lens("referrers", value=value)["found"]
    assert found["complete"] is True
    return sorted((one["how"], one["name"]) for one in found["referrers"])


MAKERS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda value: [0, value], "holder[1]"),
    (lambda value: (1, {"a": value}), 'holder[1]["a"]'),
    (lambda value: Cache(x=value), 'holder.items["x"]'),
    (Slotted, "holder.held"),
    (closing_over, "holder.value"),
    (lambda value: functools.partial(print, value), "holder.args[0]"),
    (lambda value: types.SimpleNamespace(deep=types.SimpleNamespace(one=value)), "holder.deep.one"),
]


@pytest.mark.parametrize(("make", "name"), MAKERS, ids=[name for _, name in MAKERS])
@pytest.mark.parametrize("new", [lambda: {1}, lambda: torch.ones(3), lambda: np.ones(3), lambda: Slotted(1)])
def test_who_holds_a_value_is_named_as_one_types_it(
    make: Callable[[Any], Any], name: str, new: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop() -> FrameType:
        value = new()
        holder = make(value)
        assert holder is not value
        return sys._getframe()

    assert holders(stop(), monkeypatch) == sorted([("name", "value"), ("name", name)])


class Layer(torch.nn.Module):
    def __init__(self, **parts: Any) -> None:
        super().__init__()
        for name, part in parts.items():
            setattr(self, name, part)


def raised(value: object) -> BaseException:
    """An exception that has come through a function with this variable."""
    try:
        raise KeyError
    except KeyError as error:
        return error


def array_of(value: object) -> Any:
    array = np.empty((2, 2), object)
    array[1, 0] = value
    return array


OTHER_MAKERS: list[tuple[Callable[[], Any], Callable[[Any], Any], str]] = [
    (lambda: torch.nn.Parameter(torch.ones(2)), lambda value: Layer(weight=value), "holder.weight"),
    (lambda: torch.nn.ReLU(), lambda value: Layer(act=value), "holder.act"),
    (lambda: torch.nn.ReLU(), torch.nn.Sequential, "holder[0]"),
    (lambda: torch.nn.Parameter(torch.ones(2)), lambda value: Layer(a=Layer(w=value)), "holder.a.w"),
    (lambda: torch.ones(3), lambda value: {value: 1}, "holder{…}"),
    (lambda: torch.ones(3), lambda value: {value}, "holder{…}"),
    (lambda: torch.ones(3), array_of, "holder[1, 0]"),
    (lambda: torch.ones(3), lambda value: ValueError(1, value), "holder.args[1]"),
    (lambda: torch.ones(3), lambda value: vars(e := ValueError()).update(at=[value]) or e, "holder.at[0]"),
    (lambda: torch.ones(3), raised, "holder.__traceback__: raised().…"),
]


@pytest.mark.parametrize(("new", "make", "name"), OTHER_MAKERS, ids=[name for *_, name in OTHER_MAKERS])
def test_a_holder_of_a_sort_of_its_own_is_told_once(
    new: Callable[[], Any], make: Callable[[Any], Any], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop() -> FrameType:
        value = new()
        holder = make(value)
        assert holder is not value
        return sys._getframe()

    assert holders(stop(), monkeypatch) == sorted([("name", "value"), ("name", name)])


HIDDEN: list[tuple[Callable[[Any], Any], str, str]] = [
    (lambda value: {"kept": [value]}, "module", 'some_library.hold["kept"][0]'),
    (closing_over, "function", "test_referrers.closing_over.<locals>.<lambda>.value"),
    (lambda value: Cache(x=value), "module", 'some_library.hold.items["x"]'),
]


@pytest.mark.parametrize(("make", "how", "name"), HIDDEN, ids=[name for _, _, name in HIDDEN])
def test_what_has_no_name_in_sight_is_found_from_the_value_upward(
    make: Callable[[Any], Any], how: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = types.ModuleType("some_library")
    monkeypatch.setitem(sys.modules, "some_library", library)

    def stop() -> FrameType:
        value = torch.ones(3)
        library.__dict__["hold"] = make(value)
        return sys._getframe()

    assert holders(stop(), monkeypatch) == sorted([("name", "value"), (how, name)])


def test_a_generator_that_waits_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    library = types.ModuleType("some_library")
    monkeypatch.setitem(sys.modules, "some_library", library)

    def stop() -> FrameType:
        value = [1]
        library.__dict__["waits"] = started(waiting_with(value))
        return sys._getframe()

    assert holders(stop(), monkeypatch) == [("generator", "generator waiting_with.…"), ("name", "value")]


class Node:
    """Holds itself by its parts, as a tree does whose children know their parents."""

    def __init__(self, value: object, depth: int) -> None:
        self.value = value
        self.child = Node(value, depth - 1) if depth else None
        if self.child is not None:
            self.child.parent = self  # type: ignore[attr-defined]


@pytest.mark.parametrize("depth", [1, 2])
def test_objects_that_hold_one_another_are_told_where_no_name_reaches_them(
    depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop() -> FrameType:
        value = torch.ones(3)
        Node([value], depth)
        return sys._getframe()

    gc.collect()
    gc.disable()
    try:
        found = holders(stop(), monkeypatch)
    finally:
        gc.enable()
    assert ("name", "value") in found
    assert {(how, name.partition("(…)")[0]) for how, name in found if how != "name"} == {("cycle", "Node")}


def test_objects_that_hold_one_another_are_told_by_a_name_that_reaches_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        value = torch.ones(3)
        node = Node(value, 1)
        assert node.child is not None
        return sys._getframe()

    assert holders(stop(), monkeypatch) == [("name", "node.child.value"), ("name", "node.value"), ("name", "value")]


def test_what_holds_itself_is_told_by_its_attribute(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        value = Cache(x=1)
        value.own = value  # type: ignore[attr-defined]
        vars(value)  # which makes the dict an object of its own, also before Python 3.13
        return sys._getframe()

    frame = stop()
    assert holders(frame, monkeypatch) == [("name", "value"), ("name", "value.own")]
    answer = Paused(frame, monkeypatch).lens("referrers", value="value")
    rows = {row["name"]: row["line"] for row in answer["node"]["page"]["nodes"]}
    assert rows["value.own"] == "it holds itself: a reference cycle"


def test_what_holds_itself_without_a_name_in_sight_is_told_by_its_class() -> None:
    def held() -> Cache:
        value = Cache(x=1)
        value.own = value  # type: ignore[attr-defined]
        assert vars(value)
        return value

    slotted, listed = Slotted(None), Cache(x=1)
    slotted.held = slotted
    listed.items["me"] = listed
    for value, name in ((held(), "Cache(…).own"), (slotted, "Slotted(…).held"), (listed, 'Cache(…).items["me"]')):
        search = upward.Upward(value, lambda value: None)
        search.go_on(Budget())
        assert ("cycle", name) in [(one.how, one.name) for one in search.found]


def test_what_a_variable_reaches_is_in_no_cycle_without_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Kept(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, kept: list[int]) -> torch.Tensor:
            ctx.kept = kept
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> Any:
            return grad, None

    def stop() -> FrameType:
        value = [1]
        result = Kept.apply(torch.ones(3, requires_grad=True), value)
        assert result.requires_grad
        return sys._getframe()

    assert {how for how, _ in holders(stop(), monkeypatch)} == {"name"}


def test_a_class_that_has_a_name_is_in_no_cycle_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        value = type("Local", (), {})
        assert value
        return sys._getframe()

    assert {how for how, _ in holders(stop(), monkeypatch)} == {"name"}


def test_a_class_and_a_cache_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        value = torch.ones(3)
        Cache.shared["last"] = value
        kept = functools.lru_cache(lambda: value)
        kept()
        return sys._getframe()

    try:
        found = holders(stop(), monkeypatch)
    finally:
        Cache.shared.clear()
    assert ("name", 'Cache.shared["last"]') in found
    assert any(how == "name" and name.startswith("kept") for how, name in found)


def test_what_shares_memory_keeps_it_alive_and_so_do_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        value = torch.ones(3, requires_grad=True) * 2
        view = value[1:]
        array = value.detach().numpy()
        loss = value.exp() * value
        assert view is not array
        assert loss.requires_grad
        return sys._getframe()

    assert holders(stop(), monkeypatch) == [
        ("graph", "loss.grad_fn: Mul"), ("memory", "array"), ("memory", "view"), ("name", "value"),
    ]  # fmt: skip


def test_a_gradient_is_held_by_its_tensor(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        weight = torch.ones(3, requires_grad=True)
        weight.sum().backward()
        return sys._getframe()

    assert holders(stop(), monkeypatch, "weight.grad") == [("name", "weight.grad")]


def test_what_anything_may_hold_is_refused() -> None:
    with pytest.raises(TypeError, match="value is of type int: holders are looked for of tensors"):
        tensor_inspector.referrers(1)


def test_a_weak_reference_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        value = Cache(x=1)
        weak = weakref.ref(value)
        values = weakref.WeakValueDictionary({1: value})
        assert weak() is values[1]
        return sys._getframe()

    assert holders(stop(), monkeypatch) == [("name", "value")]


def test_nothing_is_touched_and_nothing_is_held() -> None:
    def program() -> None:
        value = Cache(x=torch.ones(2, requires_grad=True).exp())
        with Watch(value) as watch:
            tensor_inspector.referrers(value)
        assert watch.changes() == []

    program()
    assert not outlives(lambda hand_over: hand_over(Cache(x=1)), tensor_inspector.referrers)


@pytest.mark.parametrize("ask", ["referrers([])", "memory()"])
def test_it_answers_without_torch(ask: str) -> None:
    code = f"import sys\nfrom tensor_inspector import *\nx = [1]\nprint({ask}); assert 'torch' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_holders_that_were_met_before_the_time_was_over_are_told() -> None:
    value, others = torch.ones(3), [object() for _ in range(1000)]
    found = tensor_inspector.referrers(value, budget_ms=0)
    assert others
    assert found["complete"] is False
    assert {"how": "name", "name": "value"} in found["referrers"]
