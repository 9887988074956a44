"""Cost follows what is shown, not what exists: the lines that the helper runs are counted, and the time is over at once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from tensor_inspector.kinds import Child, NotFound, NotStatic, Rows
from tensor_inspector.kinds.python import mappings
from tensor_inspector.lenses.findings.search import Search
from tensor_inspector.lenses.memory.parts import HeldPart
from tensor_inspector.lenses.memory.walk import Walk
from tensor_inspector.lenses.step.classes import undecorated
from tensor_inspector.safe import budget as helper
from tensor_inspector.safe.budget import Budget, Steps
from tensor_inspector.safe.guard import each
from tensor_inspector.stop.expression import resolve
from tensor_inspector.stop.snapshot import Snapshot
from tensor_inspector.watching import history

HELPER = helper.__file__.rpartition("safe")[0]
FEW, MANY = 300, 3000


def lines(do: Callable[[], object], of: str = "") -> int:
    """How many lines of the helper run, or of one file of it."""
    ran = [0]

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(HELPER + of):
            return None
        ran[0] += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        do()
    finally:
        sys.settrace(before)
    return ran[0]


def over() -> Budget:
    """A budget whose time is over."""
    now = [0.0]
    budget = Budget(100, clock=lambda: now[0])
    now[0] = 0.12
    return budget


def modules(count: int) -> list[nn.Module]:
    return [nn.Identity() for _ in range(count)]


def stepped(count: int) -> torch.optim.Optimizer:
    weights = [nn.Parameter(torch.ones(1)) for _ in range(count)]
    for weight in weights:
        weight.grad = torch.ones(1)
    optimizer = torch.optim.Adam(weights, foreach=False)
    optimizer.step()
    return optimizer


LARGE: dict[str, Callable[[int], Any]] = {
    "ModuleList": lambda count: nn.ModuleList(modules(count)),
    "Sequential": lambda count: nn.Sequential(*modules(count)),
    "ModuleDict": lambda count: nn.ModuleDict({f"m{index}": module for index, module in enumerate(modules(count))}),
    "the same module again and again": lambda count: nn.ModuleList([nn.Identity()] * count),
    "ParameterList": lambda count: nn.ParameterList(nn.Parameter(torch.ones(1)) for _ in range(count)),
    "optimizer": stepped,
}


def described(value: object, of: str) -> int:
    snapshot = Snapshot(Rows.of("", []))
    return lines(lambda: snapshot.describe(Child("value", value, "value"), 0, over(), facts=True), of)


@pytest.mark.parametrize("name", [name for name in LARGE if name != "optimizer"])
def test_without_time_a_large_module_costs_no_more_than_a_small_one(name: str) -> None:
    few, many = (described(LARGE[name](count), "measure/torch/digest.py") for count in (FEW, MANY))
    assert 0 < many <= few


def test_without_time_a_large_optimizer_is_not_gone_through_for_nan() -> None:
    for optimizer in map(stepped, (FEW, MANY)):
        line = Snapshot(Rows.of("", [])).describe(Child("value", optimizer, "value"), 0, over())["line"]
        assert "values not read: no time" in line
        assert 0 < described(optimizer, "measure/torch/finite.py") < 2000


def grouped(count: int) -> torch.optim.Optimizer:
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
    optimizer.param_groups *= count
    return optimizer


def test_an_optimizer_of_very_many_groups_counts_the_tensors_of_the_first() -> None:
    few, many = (described(grouped(count), "kinds/torch/training.py") for count in (10_000, 100_000))
    assert many < 1.1 * few
    known = Snapshot(Rows.of("", [])).describe(Child("value", grouped(20_000), "value"), 0, over())
    assert known["line"].startswith("SGD · 20,000 groups · lr 0.1, … · ≥10,000 tensors")


def test_without_time_an_optimizer_of_many_groups_is_not_read_for_findings() -> None:
    def ask(count: int) -> int:
        optimizer = grouped(count)
        assert optimizer is not None
        frame = sys._getframe()

        def search() -> None:
            found = Search(frame, over(), history, thorough=False, run=False, ignore=(), grad_mode=True).findings()
            assert {reason for _, reason in found.skipped} == {"no time"}

        return lines(search, "measure/torch/optimizers.py")

    ask(1)  # which asks what each class is
    assert ask(100_000) < ask(1000) + 100


@pytest.mark.parametrize("kept_in", [list, lambda items: np.array(items, dtype=object)])
@pytest.mark.parametrize("item", ["a", 1.5, None])
def test_without_time_many_texts_or_numbers_are_walked_as_far_as_few(kept_in: Callable[[Any], Any], item: Any) -> None:
    def walked(count: int) -> int:
        walk = Walk([HeldPart("held", kept_in([item] * count))])
        return lines(lambda: walk.go_on(over()), "lenses/memory/")

    walked(1)  # which asks what each class is
    assert 0 < walked(100 * MANY) == walked(FEW)


class Compose:
    def __init__(self, count: int) -> None:
        self.transforms = [Normalize(float(at)) for at in range(count)]


class Normalize:
    def __init__(self, mean: float) -> None:
        self.mean, self.std = [mean], [1.0]


def test_a_long_list_of_transforms_is_looked_at_as_far_as_a_short_one() -> None:
    def ask(count: int) -> int:
        transform = Compose(count)
        assert transform is not None
        frame = sys._getframe()
        search = Search(frame, Budget(), history, thorough=False, run=False, ignore=(), grad_mode=True)
        return lines(search.findings, "lenses/findings/rules/data/normalized_twice.py")

    ask(1)  # which asks what each class is
    assert ask(100_000) == ask(64)


def test_a_function_that_is_said_to_wrap_itself_is_its_own_end() -> None:
    def endless() -> None: ...

    endless.__wrapped__ = endless  # type: ignore[attr-defined]
    assert undecorated(endless) is endless  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["ModuleList", "Sequential", "ParameterList"])
def test_an_item_of_a_large_module_costs_as_much_as_one_of_a_small_one(name: str) -> None:
    value = LARGE[name](MANY)
    first, last = (lines(lambda at=at: resolve(f"value[{at}]", {"value": value}, {}, Budget())) for at in (0, MANY - 1))  # type: ignore[misc]
    assert resolve(f"value[{MANY - 1}]", {"value": value}, {}, Budget()) is value[MANY - 1]
    assert last <= first


@pytest.mark.parametrize("name", ["ModuleList", "Sequential", "ParameterList"])
def test_the_last_page_of_a_large_module_costs_as_much_as_the_first(name: str) -> None:
    snapshot = Snapshot(Rows.of("", [Child("value", LARGE[name](MANY), "value")]))
    node = snapshot.page(0, 0, 1, Budget())["nodes"][0]["id"]
    first, last = (lines(lambda at=at: snapshot.page(node, at, 5, Budget())) for at in (0, MANY - 5))  # type: ignore[misc]
    assert last < 1.2 * first


# Dicts


RAN: list[str] = []


class Trap:
    """A key whose comparison is the program's code."""

    def __hash__(self) -> int:
        return hash("k")

    def __eq__(self, other: object) -> bool:
        RAN.append("__eq__")
        return False


@pytest.mark.parametrize(
    ("held", "key", "item"),
    [({"k": 1}, "'k'", 1), ({1: 2}, "True", 2), ({True: 3}, "1.0", 3), ({(1, "a"): 4}, "(1, 'a')", 4),
     ({Trap(): 0, "k": 5}, "'k'", 5), ({(Trap(), 1): 0, (1, 1): 6}, "(1, 1)", 6)],
)  # fmt: skip
def test_an_item_of_a_dict_is_found_without_running_its_keys(held: dict[Any, Any], key: str, item: int) -> None:
    RAN.clear()
    assert resolve(f"held[{key}]", {"held": held}, {}, Budget()) == item
    assert RAN == []


def test_a_key_that_is_not_there_is_told_apart_from_one_that_can_not_be_looked_for() -> None:
    with pytest.raises(NotFound):
        resolve("held['no']", {"held": {"k": 1}}, {}, Budget())
    with pytest.raises(NotStatic):
        resolve("held['no']", {"held": {Trap(): 1}}, {}, Budget())
    with pytest.raises(NotStatic):
        resolve("held[0:2]", {"held": {"k": 1}}, {}, Budget())


def test_a_small_dict_is_looked_into_without_time() -> None:
    assert resolve("held[1]", {"held": {1: 2}}, {}, over()) == 2


@pytest.mark.parametrize("first", ["k", Trap()])
def test_without_time_a_key_of_a_huge_dict_is_refused_with_a_sentence(first: object) -> None:
    held = {first: 0, **dict.fromkeys(range(3 * mappings._PIECE))}
    with pytest.raises(NotStatic, match="no time to look at all its keys"):
        resolve("held['no']", {"held": held}, {}, over())


# What they rest on


def test_a_loop_looks_at_the_clock_now_and_then() -> None:
    looks = [0]

    def clock() -> float:
        looks[0] += 1
        return 0.0 if looks[0] < 4 else 1.0

    steps = Steps(Budget(100, clock=clock))
    taken = next(index for index in range(1000) if steps.end())
    assert (taken, looks[0], steps.end()) == (191, 4, True)


def test_what_does_not_change_is_gone_through_by_one_iterator() -> None:
    begun = []

    class Iterate:
        __objclass__ = dict

        def __call__(self, held: dict[int, int]) -> Any:
            begun.append(held)
            return dict.items(held)

    held = dict.fromkeys(range(100_000), 1)
    assert list(each(Iterate(), held, 7)) == list(held.items())[7:]
    assert len(begun) == 1
