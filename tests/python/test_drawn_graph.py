"""The graph of the lens `autograd` as data to be drawn, checked against a plain walk of torch's own graph."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

import hostile
import pytest
import torch
from asking import Paused
from graph_steps import Double, checkpointed, custom, freed, hooked, modified
from torch import nn
from untouched import Watch

Edges = Counter[tuple[str, str]]


def plain(tensor: torch.Tensor) -> tuple[int, Edges]:
    """How many nodes torch has below a tensor, and which classes of them take which, each pair of nodes once."""
    root = tensor.grad_fn
    waiting, seen, edges = [root], {id(root): root}, Edges()
    while waiting:
        node: Any = waiting.pop()
        below = {id(one): one for one, _ in node.next_functions if one is not None}
        for one in below.values():
            edges[type(node).__name__, type(one).__name__] += 1
            if id(one) not in seen:
                seen[id(one)] = one
                waiting.append(one)
    return len(seen), edges


def drawn(frame: FrameType, monkeypatch: pytest.MonkeyPatch, tensor: str = "y") -> dict[str, Any]:
    found = Paused(frame, monkeypatch).lens("autograd", {"drawn": True}, tensor=tensor)["found"]
    return found["graph"]  # type: ignore[no-any-return]


def edges_of(graph: dict[str, Any]) -> Edges:
    types = [graph["ops"][op]["type"] for op in graph["op"]]
    return Edges((types[above], types[below]) for above, below in pairs(graph))


def pairs(graph: dict[str, Any]) -> list[tuple[int, int]]:
    return list(zip(graph["edges"][::2], graph["edges"][1::2]))


def name_of(graph: dict[str, Any], node: int) -> str:
    return graph["ops"][graph["op"][node]]["name"]  # type: ignore[no-any-return]


def chain() -> FrameType:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    y = model(torch.randn(3, 4)).sum()
    return sys._getframe()


def residual() -> FrameType:
    w = torch.randn(3, requires_grad=True)
    hidden = w * 2
    y = (hidden + hidden.tanh() + w).sum()
    return sys._getframe()


def shared() -> FrameType:
    cell = nn.Linear(4, 4)
    x = torch.randn(3, 4)
    for _ in range(5):
        x = cell(x).tanh()
    y = x.sum()
    return sys._getframe()


def two_outputs() -> FrameType:
    w = torch.randn(4, 2, requires_grad=True)
    first, second = w.mul(2).unbind(1)
    y = (first * second).sum()
    return sys._getframe()


def retained() -> FrameType:
    model = nn.Linear(4, 2)
    y = model(torch.randn(3, 4)).exp().sum()
    y.backward(retain_graph=True)
    return sys._getframe()


def detached() -> FrameType:
    encoder, decoder = nn.Linear(3, 3), nn.Linear(3, 1)
    hidden = encoder(torch.ones(2, 3)).relu()
    cut = hidden.detach()
    y = decoder(cut).sum()
    return sys._getframe()


def broken_within() -> FrameType:
    weight = torch.tensor([-1.0, 2.0], requires_grad=True)
    inner = weight.log()
    y = inner.sum()
    return sys._getframe()


def transformer() -> FrameType:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
    y = model(torch.randn(2, 3, 8)).sum()
    return sys._getframe()


STEPS = [
    chain,
    residual,
    shared,
    two_outputs,
    retained,
    freed,
    modified,
    detached,
    broken_within,
    custom,
    hooked,
    checkpointed,
    transformer,
]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_nodes_and_edges_are_those_of_torch(step: Callable[[], FrameType], monkeypatch: pytest.MonkeyPatch) -> None:
    frame = step()
    graph = drawn(frame, monkeypatch)
    nodes, edges = plain(frame.f_locals["y"])
    assert len(graph["op"]) == len(graph["result"]) == len(graph["made"]) == nodes
    assert edges_of(graph) == edges
    assert "without" not in graph


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_what_a_node_takes_was_made_before_it(step: Callable[[], FrameType], monkeypatch: pytest.MonkeyPatch) -> None:
    graph = drawn(step(), monkeypatch)
    leaves = {leaf["node"] for leaf in graph["leaves"]}
    assert {node for node, place in enumerate(graph["made"]) if place < 0} == leaves
    for above, below in pairs(graph):
        assert below in leaves or graph["made"][below] < graph["made"][above]


def test_leaves_have_the_names_and_modules_that_the_program_gives_them(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = transformer()
    graph = drawn(frame, monkeypatch)
    leaves = {leaf["name"]: leaf for leaf in graph["leaves"]}
    assert len(leaves) == len(list(frame.f_locals["model"].parameters()))
    found = leaves["model.layers[1].self_attn.out_proj.weight"]
    assert found["module"] == ["model", "layers", "1", "self_attn", "out_proj"]
    assert found["parameter"] is True
    assert all(eval(leaf["path"], {}, dict(frame.f_locals)) is not None for leaf in graph["leaves"])
    assert graph["results"][graph["result"][found["node"]]] == {"dtype": "float32", "shape": [8, 8]}


def test_a_leaf_that_is_no_parameter_of_a_module_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    (leaf,) = drawn(residual(), monkeypatch)["leaves"]
    assert leaf == {"node": leaf["node"], "name": "w", "path": "w", "module": [], "parameter": False}


def test_a_variable_names_the_node_that_made_it_and_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = residual()
    graph = drawn(frame, monkeypatch)
    values = {value["name"]: value["node"] for value in graph["values"]}
    assert name_of(graph, values["hidden"]) == "Mul"
    lines = {one["node"]: one["source"]["line"] - frame.f_code.co_firstlineno for one in graph["lines"]}
    assert lines[values["hidden"]] == 2
    assert lines[values["y"]] == 3


@pytest.mark.parametrize(
    ("step", "marked"),
    [
        (chain, {}),
        (retained, {}),
        (freed, {"freed": {"Exp", "Addmm"}}),
        (custom, {}),
        (hooked, {"hooked": {"Exp", "Mul"}}),
        (checkpointed, {"hooked": {"Addmm"}}),
    ],
    ids=lambda case: getattr(case, "__name__", ""),
)
def test_what_was_freed_or_has_hooks_is_marked(
    step: Callable[[], FrameType], marked: dict[str, set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = drawn(step(), monkeypatch)
    found = {mark: {name_of(graph, node) for node in graph[mark]} for mark in ("freed", "hooked") if graph[mark]}
    assert found == marked
    assert (graph["modified"], graph["nan"], graph["broken"]) == ([], None, [])


def test_a_saved_tensor_that_was_modified_is_marked_with_what_changed_it(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = modified()
    graph = drawn(frame, monkeypatch)
    (found,) = graph["modified"]
    assert name_of(graph, found["node"]) == "Exp"
    assert (found["saved"], found["expected"], found["found"], found["name"]) == ("result", 0, 1, "scale")
    assert found["source"]["line"] == frame.f_lineno - 1
    assert graph["freed"] == []


def test_where_nan_began_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = drawn(broken_within(), monkeypatch)
    assert name_of(graph, graph["nan"]["node"]) == "Log"
    assert graph["nan"]["origin"]["cause"] == "log_of_negative"


def test_a_parameter_that_holds_nan_is_marked_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        model = nn.Linear(2, 2)
        with torch.no_grad():
            model.weight[0, 0] = math.nan
        y = model(torch.ones(1, 2)).sum()
        return sys._getframe()

    graph = drawn(stop(), monkeypatch)
    (weight,) = (leaf["node"] for leaf in graph["leaves"] if leaf["name"] == "model.weight")
    assert (graph["nan"]["node"], graph["nan"]["origin"]["where"]) == (weight, "parameter")


def test_what_is_cut_off_is_told_with_the_node_that_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = detached()
    graph = drawn(frame, monkeypatch)
    (found,) = graph["broken"]
    assert name_of(graph, found["node"]) == "Addmm"
    reason = found["reason"]
    assert (reason["code"], reason["parameters"]) == ("detached", ["encoder.weight", "encoder.bias"])
    assert reason["line"] - frame.f_code.co_firstlineno == 3


def test_a_layer_that_forward_does_not_use_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.used, self.spare = nn.Linear(2, 2), nn.Linear(2, 2)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.used(x)  # type: ignore[no-any-return]

    def stop() -> FrameType:
        model, other = Net(), nn.Linear(2, 2)  # of another model nothing is said
        y = model(torch.ones(1, 2)).sum()
        assert other is not None
        return sys._getframe()

    (found,) = drawn(stop(), monkeypatch)["broken"]
    assert (found["node"], found["reason"]["code"]) == (None, "unused")
    assert found["reason"]["parameters"] == ["model.spare.weight", "model.spare.bias"]


def test_what_is_on_its_way_to_a_loss_cuts_nothing_off(monkeypatch: pytest.MonkeyPatch) -> None:
    def within() -> FrameType:
        net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
        y = net[0](torch.ones(1, 2))
        assert y is not None
        return sys._getframe()

    def one_of_two() -> FrameType:
        body, left, right = nn.Linear(2, 2), nn.Linear(2, 1), nn.Linear(2, 1)
        h = body(torch.ones(1, 2))
        y, other = left(h).sum(), right(h).sum()
        (y + other).backward(retain_graph=True)
        return sys._getframe()

    for stop in (within, one_of_two):
        assert drawn(stop(), monkeypatch)["broken"] == []


def test_of_a_model_that_is_not_part_of_the_graph_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        model, other = nn.Linear(2, 2), nn.Linear(2, 2)
        with torch.no_grad():
            before = other(torch.ones(1, 2))
        y = model(torch.ones(1, 2)).sum()
        assert before is not None
        return sys._getframe()

    assert drawn(stop(), monkeypatch)["broken"] == []


@pytest.mark.parametrize(
    ("value", "why"),
    [("torch.ones(2)", "not_required"), ("torch.ones(2, requires_grad=True)", "leaf")],
)
def test_without_a_graph_it_is_told_why(value: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        y = eval(value)
        return sys._getframe()

    graph = drawn(stop(), monkeypatch)
    assert (graph["without"], graph["op"], graph["edges"]) == (why, [], [])


def test_the_graph_comes_only_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "graph" not in Paused(chain(), monkeypatch).lens("autograd", tensor="y")["found"]
    answer = Paused(chain(), monkeypatch).lens("autograd", {"drawn": 1}, tensor="y")
    assert answer["error"]["message"] == "drawn is True or False"


def test_thousands_of_nodes_come_in_slices_that_keep_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        w = torch.ones(4, requires_grad=True)
        y = w * 1
        for _ in range(1250):
            y = y + y.tanh() * w
        y = y.sum()
        return sys._getframe()

    paused = Paused(stop(), monkeypatch)
    asked = {"lens": "autograd", "values": {"tensor": {"expression": "y"}}, "options": {"drawn": True}}
    answer, shares = paused.ask("lens", **asked, limits={"ms": 20}), list[float]()
    while not answer["done"]:
        shares.append(answer["progress"])
        where = {"snapshot": answer["snapshot"], "resume": answer["resume"]}
        answer = paused.ask("lens", **asked, **where, limits={"ms": 20})
    assert len(shares) > 1
    assert shares == sorted(shares)
    assert len(answer["found"]["graph"]["op"]) == 3 * 1250 + 3
    assert len(paused.replies[-1]) < 1_000_000


def test_more_nodes_than_are_followed_are_left_out_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        y = torch.ones(1, requires_grad=True)
        for _ in range(30_000):
            y = y + 1
        return sys._getframe()

    found = Paused(stop(), monkeypatch).lens("autograd", {"drawn": True}, tensor="y")["found"]
    graph = found["graph"]
    assert (found["complete"], len(graph["op"])) == (False, 20_000)
    assert max(graph["edges"]) == 19_999
    assert len(json.dumps(found)) < 1_000_000


class Hostile:
    locals().update(hostile.traps())
    name = property(hostile.traps()["__call__"])


def test_no_code_of_the_program_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        w = torch.ones(4, requires_grad=True)
        w.extra = Hostile()  # type: ignore[attr-defined]
        inner = Double.apply(w)
        inner.grad_fn.kept = Hostile()
        y = inner.sum()
        hostile.RAN.clear()
        return sys._getframe()

    graph = drawn(stop(), monkeypatch)
    assert [op["type"] for op in graph["ops"]] == ["SumBackward0", "DoubleBackward", "AccumulateGrad"]
    assert [op["custom"] for op in graph["ops"]] == [False, True, False]
    assert hostile.RAN == []


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_looking_changes_nothing(step: Callable[[], FrameType], monkeypatch: pytest.MonkeyPatch) -> None:
    frame = step()
    values = dict(frame.f_locals)
    paused = Paused(frame, monkeypatch)
    paused.lens("autograd", {"drawn": True}, tensor="y")
    with Watch(values) as watch:
        paused.lens("autograd", {"drawn": True}, tensor="y")
    assert watch.changes() == []


Deep = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
ENDLESS: dict[str, Deep] = {
    "whose input is not kept": lambda y, w: y + 1,
    "that keeps its result": lambda y, w: y.exp(),
    "that keeps its input": lambda y, w: y * w,
    "of two": lambda y, w: y.tanh() + w,
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_where_nan_began_beyond_the_nodes_that_are_followed_no_node_is_marked(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop() -> FrameType:
        w = torch.tensor([-1.0], requires_grad=True)
        y = w.log()
        for _ in range(20_001):
            y = ENDLESS[kind](y, w)
        return sys._getframe()

    found = drawn(stop(), monkeypatch)["nan"]
    assert (found["node"], found["origin"]["where"], found["origin"]["operation"]) == (None, "unknown", None)
    assert "too_many" in found["origin"]["unknown"]


def test_where_nan_began_among_the_nodes_that_are_followed_it_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        w = torch.tensor([1.0], requires_grad=True)
        y = w.tanh()
        for _ in range(20_001):
            y = y.tanh()
        y = (y - 2).log() * w
        return sys._getframe()

    graph = drawn(stop(), monkeypatch)
    assert name_of(graph, graph["nan"]["node"]) == "Log"


def test_a_parameter_that_holds_nan_is_marked_in_a_graph_that_is_cut_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        w, bad = torch.ones(1, requires_grad=True), torch.tensor([math.nan], requires_grad=True)
        y = w * 1
        for _ in range(20_001):
            y = y + 1
        y = y * bad
        return sys._getframe()

    graph = drawn(stop(), monkeypatch)
    assert [leaf["name"] for leaf in graph["leaves"] if leaf["node"] == graph["nan"]["node"]] == ["bad"]
