"""What a container says of the memory that its tensors take and of the graphs that they keep, against torch's own."""

from __future__ import annotations

from collections import OrderedDict, deque, namedtuple
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Callable

import numpy as np
import pytest
import torch
from torch import nn

from tensor_inspector import facts, summarize
from tensor_inspector.words.contained_memory import contained_text

MIB = 1 << 20


@dataclass
class Output:
    loss: Any
    logits: Any = None


Pair = namedtuple("Pair", ["image", "label"])


def mib(amount: float) -> torch.Tensor:
    return torch.zeros(int(amount * MIB), dtype=torch.uint8)


def losses(steps: int, layers: int = 1) -> list[torch.Tensor]:
    model = nn.Sequential(*(nn.Linear(3, 3) for _ in range(layers)))
    return [model(torch.randn(2, 3)).square().mean() for _ in range(steps)]


def held(value: object) -> Any:
    return facts(value)["held"]


def nodes_below(function: Any) -> set[Any]:
    """All nodes of a graph but its leaves, by torch's own attributes."""
    found, waiting = set(), [function]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found and node.name() != "torch::autograd::AccumulateGrad":
            found.add(node)
            waiting += [below for below, _ in node.next_functions]
    return found


def graphs_of(tensors: list[torch.Tensor]) -> int:
    """How many sets of nodes there are that have none in common."""
    sets: list[set[Any]] = []
    for nodes in (nodes_below(one.grad_fn) for one in tensors if one.grad_fn is not None):
        joined = [one for one in sets if one & nodes]
        sets = [one for one in sets if not one & nodes] + [nodes.union(*joined)]
    return len(sets)


BIG = torch.zeros(4, MIB, dtype=torch.uint8)
FLAT = np.zeros(4 * MIB, np.uint8)


@pytest.mark.parametrize(
    ("make", "tensors", "bytes"),
    [
        (lambda: [mib(1), mib(2)], 2, 3 * MIB),
        (lambda: (mib(1), "label", 7, None), 1, MIB),
        (lambda: {"image": mib(3), "label": mib(1)}, 2, 4 * MIB),
        (lambda: OrderedDict(loss=mib(1), logits=mib(1)), 2, 2 * MIB),
        (lambda: deque([mib(1)]), 1, MIB),
        (lambda: Pair(mib(2), mib(1)), 2, 3 * MIB),
        (lambda: Output(mib(1), mib(2)), 2, 3 * MIB),
        (lambda: SimpleNamespace(a=mib(1)), 1, MIB),
        (lambda: [{"x": mib(1)}, [mib(1), (mib(1),)]], 3, 3 * MIB),
        (lambda: [BIG, BIG, BIG[0], BIG.T, BIG.numpy()], 4, 4 * MIB),
        (lambda: [BIG[0], BIG[1]], 2, 4 * MIB),
        (lambda: [torch.from_numpy(FLAT[MIB:]), torch.from_numpy(FLAT[: 2 * MIB])], 2, 4 * MIB),
        (lambda: [torch.from_numpy(FLAT), torch.from_numpy(FLAT[MIB : 2 * MIB]), mib(1)], 3, 5 * MIB),
        (lambda: [np.zeros(MIB, np.uint8), torch.zeros(0)], 2, MIB),
        (lambda: [torch.zeros(MIB, device="meta"), torch.zeros(1).expand(MIB)], 2, 4),
    ],
)
def test_bytes_are_those_of_the_storages_each_once(make: Callable[[], object], tensors: int, bytes: int) -> None:
    found = held(make())
    assert (found["tensors"], found["bytes"], found["complete"]) == (tensors, bytes, True)


@pytest.mark.parametrize("value", [[1, 2], {"lr": 0.1}, ["a"] * 50, [], Output(1.0), [nn.Linear(2, 2)]])
def test_what_holds_no_tensor_has_no_such_fact(value: object) -> None:
    assert "held" not in facts(value)


def test_the_line_tells_bytes_where_they_are_many() -> None:
    assert summarize([mib(20), mib(1)]) == "list · 2: u8[20971520], u8[1048576] · 21.0 MiB"
    assert summarize({"a": mib(6), "b": mib(6)}).endswith(" · 12.0 MiB")
    assert summarize(Output(mib(6), mib(6))).endswith(" · 12.0 MiB")
    assert "MiB" not in summarize([mib(1), mib(1)])
    assert "MiB" not in summarize([mib(20)]), "its only tensor tells that"


def chained() -> list[torch.Tensor]:
    found = [torch.ones(3, requires_grad=True).exp()]
    for _ in range(9):
        found.append(found[-1].sin())
    return found


def summed() -> list[torch.Tensor]:
    parts = losses(3)
    return [*parts, parts[0] + parts[1]]


def freed() -> list[torch.Tensor]:
    found = losses(4)
    for loss in found:
        loss.backward()
    return found


@pytest.mark.parametrize(
    "make",
    [
        lambda: losses(1),
        lambda: losses(2),
        lambda: losses(6),
        lambda: losses(1000),
        lambda: [loss.detach() for loss in losses(5)],
        lambda: [nn.Parameter(torch.ones(2)) for _ in range(5)],
        summed,
        freed,
        lambda: [*losses(3), *losses(3)],
        lambda: [one for loss in losses(3) for one in (loss, loss * 2, loss + 1)],
    ],
)
def test_graphs_are_the_sets_of_nodes_that_have_none_in_common(make: Callable[[], list[torch.Tensor]]) -> None:
    tensors = make()
    found = held(tensors)
    assert (found["graphs"], found["graphs_of"]) == (graphs_of(tensors), None)


def test_the_line_tells_the_graphs_of_several_steps() -> None:
    assert summarize(losses(1000)).startswith("list · holds 1,000 graphs · 1,000: ")
    assert summarize({"train": losses(3)}).startswith("dict · holds 3 graphs · ")
    assert summarize(Output(losses(6))).startswith("Output · holds 6 graphs · ")
    assert "graph" not in summarize(losses(2)), "two models have two"
    assert "graph" not in summarize(chained())


def joined_late() -> list[torch.Tensor]:
    """Of which the last makes one graph of all."""
    parts = losses(1500)
    return [*parts, torch.stack(parts).sum()]


@pytest.mark.parametrize("make", [lambda: losses(1500), joined_late])
def test_of_more_tensors_than_are_gone_through_it_tells_the_graphs_of_the_first(
    make: Callable[[], list[torch.Tensor]],
) -> None:
    many = make()
    found = held(many)
    assert not found["complete"]
    assert (found["graphs"], found["graphs_of"]) == (graphs_of(many[:1000]), 1000)
    assert " · holds 1,000 graphs in its first 1,000 tensors · " in summarize(many)


def test_of_more_than_is_gone_through_it_tells_the_least_bytes() -> None:
    many = [mib(0.02) for _ in range(1500)]
    assert "≥20.0 MiB" in summarize(many)
    assert contained_text(held(many)) == "≥20.0 MiB in ≥1,000 tensors"


def test_tensors_without_a_graph_do_not_hide_whose_graphs_are_counted() -> None:
    mixed = [one for loss in losses(600) for one in (loss.detach(), loss)]
    found = held(mixed)
    assert (found["graphs"], found["graphs_of"]) == (500, 1000)


def test_losses_of_a_deep_model_are_counted() -> None:
    assert " · holds 6 graphs · " in summarize(losses(6, layers=100))


def test_graphs_that_are_long_are_not_gone_through_whole() -> None:
    deep = losses(6, layers=4000)
    found = held(deep)
    assert found["graphs"] == graphs_of(deep[: found["graphs_of"]])
    assert 1 <= found["graphs_of"] < 6
    assert "graph" not in summarize(chained() * 100)
