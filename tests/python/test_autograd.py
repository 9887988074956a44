"""The lens `autograd`: from a tensor to its leaves, checked against a plain walk of torch's own graph."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest
import torch
from asking import Paused
from graph_steps import Double, checkpointed, custom, freed, hooked, modified, refuse
from torch import nn
from untouched import Watch

from tensor_inspector import autograd, gradients, nan_origin, no_gradient
from tensor_inspector.lenses.graphs.chains import Chains, parts
from tensor_inspector.measure.torch.graph import Graph
from tensor_inspector.measure.torch.node import AutogradNode
from tensor_inspector.safe.budget import Budget


def reached(tensor: torch.Tensor) -> tuple[int, list[torch.Tensor]]:
    """The operations behind a tensor, counted, and its leaves."""
    waiting, seen, leaves = [tensor.grad_fn], {}, []
    while waiting:
        node: Any = waiting.pop()
        if node is None or id(node) in seen:
            continue
        seen[id(node)] = node
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        waiting.extend(below for below, _ in node.next_functions)
    return len(seen) - len(leaves), leaves


def chain() -> FrameType:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    out = model(torch.randn(3, 4))
    y = out.sum()
    return sys._getframe()


def blocks() -> FrameType:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model = nn.TransformerEncoder(layer, 5, enable_nested_tensor=False)
    y = model(torch.randn(2, 3, 8)).sum()
    return sys._getframe()


def on_cpu() -> FrameType:
    w = torch.randn(4, requires_grad=True)
    with torch.autograd.graph.save_on_cpu():
        y = (w * w).exp().sum()
    return sys._getframe()


def several() -> FrameType:
    w = torch.randn(2, 2, requires_grad=True)
    y, residual = torch.linalg.eigh(w @ w.T)
    y = (y + residual).sum() + w.sum()
    return sys._getframe()


STEPS = [chain, blocks, freed, modified, custom, hooked, on_cpu, checkpointed, several]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_the_graph_is_counted_as_torch_has_it(step: Callable[[], FrameType], monkeypatch: pytest.MonkeyPatch) -> None:
    frame = step()
    operations, leaves = reached(frame.f_locals["y"])
    found = Paused(frame, monkeypatch).lens("autograd", tensor="y")["found"]
    assert (found["operations"], found["leaves"], found["complete"]) == (operations, len(leaves), True)
    assert found["parameters"] == sum(type(leaf) is nn.Parameter for leaf in leaves)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_every_leaf_stands_in_the_tree_by_its_name(
    step: Callable[[], FrameType], monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = step()
    _, leaves = reached(frame.f_locals["y"])
    names = {
        id(value): f"model.{name}"
        for name, value in dict(frame.f_locals.get("model", nn.Module()).named_parameters()).items()
    }
    names.update({id(value): name for name, value in frame.f_locals.items() if isinstance(value, torch.Tensor)})
    paused = Paused(frame, monkeypatch)
    answer = paused.lens("autograd", tensor="y")
    waiting, shown, rows = [answer["node"]], set(), 0
    while waiting:
        for row in paused.below(answer, waiting.pop()):
            rows += 1
            assert rows < 2000
            if row["kind"] in ("graph", "group"):
                waiting.append(row)
            elif "path" in row:
                shown.add(row["path"])
    resolved = {id(eval(path, {}, dict(frame.f_locals))) for path in shown}
    assert {id(leaf) for leaf in leaves if id(leaf) in names} <= resolved


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (chain, "6 operations · 4 leaves: 4 parameters"),
        (freed, "freed by a backward"),
        (modified, "1 operation with a saved tensor that was modified in place"),
        (custom, "custom Double"),
        (hooked, "saved tensors of 2 operations have hooks"),
        (on_cpu, "saved tensors of 2 operations have hooks"),
        (several, "1 leaf: 1 input"),
    ],
    ids=lambda case: getattr(case, "__name__", ""),
)  # fmt: skip
def test_the_line_at_the_top_says(step: Callable[[], FrameType], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said in Paused(step(), monkeypatch).lens("autograd", tensor="y")["node"]["line"]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("torch.ones(2)", "no graph: it requires no gradient"),
        ("torch.ones(2, requires_grad=True)", "no graph: it is a leaf itself, gradients end here"),
    ],
)
def test_a_tensor_without_a_graph_says_why(value: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        y = eval(value)
        return sys._getframe()

    answer = Paused(stop(), monkeypatch).lens("autograd", tensor="y")
    assert answer["node"]["line"] == said
    assert answer["found"]["operations"] == 0


def test_alike_blocks_are_one_row_that_opens_to_each(monkeypatch: pytest.MonkeyPatch) -> None:
    paused = Paused(blocks(), monkeypatch)
    answer = paused.lens("autograd", tensor="y")
    row = next(row for row in paused.below(answer, answer["node"]) if row["name"].startswith("×"))
    assert row["children"] >= 4
    first = paused.below(answer, row)[0]
    assert "operations · model.layers[" in first["line"]


class View(torch.autograd.Function):
    """Is called as an operation of torch is that only shows the same elements."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0] * 2


def test_a_view_of_a_leaf_is_no_row_and_a_function_of_the_program_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        w = torch.ones(4, requires_grad=True)
        y = View.apply(w).exp() + w.view(4)
        return sys._getframe()

    paused = Paused(stop(), monkeypatch)
    answer = paused.lens("autograd", tensor="y")
    assert [row["name"] for row in paused.below(answer, answer["node"])] == ["Add", "Exp", "View"]


def test_a_chain_of_100_000_nodes_is_bounded_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        y = torch.ones(1, requires_grad=True)
        for _ in range(100_000):
            y = y + 1
        return sys._getframe()

    paused = Paused(stop(), monkeypatch)
    answer = paused.ask("lens", lens="autograd", values={"tensor": {"expression": "y"}}, limits={"ms": 1})
    slices = 1
    while not answer["done"]:
        where = {"snapshot": answer["snapshot"], "resume": answer["resume"]}
        answer = paused.ask("lens", lens="autograd", values={"tensor": {"expression": "y"}}, **where)
        slices += 1
    assert slices > 1
    assert answer["found"]["complete"] is False
    assert answer["node"]["line"].startswith("20,000 operations and more")
    rows = paused.below(answer, answer["node"])
    assert [row["name"] for row in rows] == ["× 19999 alike", "Add"]


def test_chains_are_laid_out_in_parts_of_one_node_at_most() -> None:
    x = torch.ones(3, requires_grad=True)
    for _ in range(200):
        x = x + x.tanh() * 2
    graph = Graph([x.grad_fn], Budget())
    chains = Chains(graph)
    work = chains.lay_out(graph.nodes[0])
    assert sum(1 for _ in work) >= 3 * len(graph.nodes)
    assert [node.op for node in chains.chain(graph.nodes[0])][:4] == ["Add", "Mul", "Tanh", "Add"]


def test_an_input_says_where_the_row_of_its_node_stands() -> None:
    x = torch.ones(3, requires_grad=True)
    double = x * 2
    y = double.exp() + double
    graph = Graph([(y + x.sin() + 1).grad_fn], Budget())
    chains = Chains(graph)
    for _ in chains.lay_out(graph.nodes[0]):
        pass
    rows = [(node.op, [one.kind for one in chains.inputs(node)]) for node in chains.chain(graph.nodes[0])]
    assert rows == [
        ("Add", ["main", "none"]),
        ("Add", ["main", "chain"]),
        ("Add", ["main", "again"]),
        ("Exp", ["main"]),
        ("Mul", ["leaf", "none"]),
    ]


def test_a_node_that_is_asked_for_twice_has_its_inputs_once() -> None:
    first, second = torch.randn(2, 3, requires_grad=True).mul(2).unbind()
    graph = Graph([first.grad_fn, second.grad_fn], Budget())
    assert [(node.op, node.inputs) for node in graph.nodes] == [
        ("Unbind", [1]),
        ("Mul", [2, None]),
        ("AccumulateGrad", []),
    ]


#: What programs of tests have made: the node of a custom function is freed with the tensor that it made, by some torch.
_MADE: list[dict[str, Any]] = []


@pytest.fixture(autouse=True)
def _forgets_what_was_made() -> Iterator[None]:
    yield
    _MADE.clear()


def made_by(program: str) -> AutogradNode:
    """The node that made ``y``, which stays."""
    names: dict[str, Any] = {
        "torch": torch,
        "x": torch.ones(2, requires_grad=True),
        "Double": Double,
        "Half": Half,
        "refuse": refuse,
    }
    exec(program, names)
    _MADE.append(names)
    return Graph([names["y"].grad_fn], Budget()).nodes[0]


class Half(torch.autograd.Function):
    """It saves nothing."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x / 2

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0] / 2


@pytest.mark.parametrize(
    ("program", "state", "has_saved", "is_freed"),
    [
        ("y = x.exp()", "tensor", True, False),
        ("y = x.exp(); y.sum().backward()", "freed", False, True),
        ("y = x.exp(); s = y.sum(); y.data.zero_()", "tensor", True, False),
        ("h = x * 1; y = h.sin(); h.zero_()", "modified", True, False),
        ("with torch.autograd.graph.save_on_cpu(): y = x.sin()", "hooked", True, False),
        ("with torch.autograd.graph.saved_tensors_hooks(id, refuse): y = x.sin()", "hooked", True, False),
        ("y = x + 1", "none", False, False),
        ("y = Double.apply(x)", "custom", False, False),
        ("y = Double.apply(x); y.sum().backward()", "freed", False, False),
        ("y = Half.apply(x)", "none", False, False),
    ],
)
def test_what_has_become_of_what_an_operation_saved(program: str, state: str, has_saved: bool, is_freed: bool) -> None:
    node = made_by(program)
    assert (node.state(), node.has_saved(), node.is_freed()) == (state, has_saved, is_freed)


def test_of_what_was_modified_both_versions_are_known() -> None:
    saved = made_by("h = x * 1; y = h.sin(); h.zero_(); h.zero_()").saved("self")
    assert (saved.state, saved.expected, saved.found) == ("modified", 0, 2)


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("h = x * 1; y = h.sin().exp(); h.zero_()", ("Sin", "self")),
        ("h = x * 1; y = h.sin().exp(); y.zero_()", ("Exp", "result")),
        ("h = x * 1; y = h.sin().exp(); h.zero_(); y.zero_()", ("Exp", "result")),
        ("h = x * 1; y = h.sin().exp()", None),
        ("h = x * 1; y = h.sin().exp(); y.sum().backward(); h.zero_()", None),
    ],
)
def test_the_nearest_operation_whose_saved_tensor_was_modified_is_found(
    program: str, found: tuple[str, str] | None
) -> None:
    names: dict[str, Any] = {"x": torch.ones(2, requires_grad=True)}
    exec(f"{program}; y = y.sum()", names)
    graph = Graph([names["y"].grad_fn], Budget())
    modified = graph.modified_below(graph.nodes[0])
    assert (None if modified is None else (modified[0].op, modified[1])) == found


def test_the_dtype_is_that_of_the_result_and_of_no_node_unknown() -> None:
    assert made_by("y = (x * 2).half()").dtype_name() == "float16"
    assert AutogradNode(object(), 0).dtype_name() == ""


@pytest.mark.parametrize(
    ("program", "dims", "dim"),
    [
        ("y = x.softmax(-1)", (-1,), -1),
        ("y = x.softmax(0)", (0,), 0),
        ("y = x.sum((0, -1))", (0, -1), None),
        ("y = x.exp()", (), None),
    ],
)
def test_the_dimensions_of_an_operation_are_as_they_were_written(
    program: str, dims: tuple[int, ...], dim: int | None
) -> None:
    node = made_by(f"x = torch.ones(2, 3, requires_grad=True); {program}")
    assert (node.dims(), node.dim()) == (dims, dim)


def test_a_long_graph_that_was_looked_at_can_be_freed() -> None:
    """Torch frees what Python has seen by nested calls: too many of them end the process."""
    program = """
import torch
from tensor_inspector.measure.torch.graph import Graph
from tensor_inspector.safe.budget import Budget
y = torch.ones(1, requires_grad=True)
for _ in range(100_000):
    y = y + 1
Graph([y.grad_fn], Budget())
del y
print("freed")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600)
    assert done.stdout.strip() == "freed"


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_looking_changes_nothing(step: Callable[[], FrameType], monkeypatch: pytest.MonkeyPatch) -> None:
    frame = step()
    values = dict(frame.f_locals)
    paused = Paused(frame, monkeypatch)
    paused.below(answer := paused.lens("autograd", tensor="y"), answer["node"])
    with Watch(values) as watch:
        answer = paused.lens("autograd", tensor="y")
        for row in paused.below(answer, answer["node"]):
            if "children" in row:
                paused.below(answer, row)
    assert watch.changes() == []


def test_what_is_no_tensor_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = Paused(chain(), monkeypatch).lens("autograd", tensor="model")
    assert answer["error"]["message"] == "model is a Sequential, not a tensor"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("abc", [(0, 1, 1), (1, 1, 1), (2, 1, 1)]),
        ("aa", [(0, 1, 1), (1, 1, 1)]),
        ("aaa", [(0, 1, 3)]),
        ("xabcabcabcy", [(0, 1, 1), (1, 3, 3), (10, 1, 1)]),
        ("abab", [(0, 2, 2)]),
        ("aabaabaab", [(0, 3, 3)]),
    ],
)
def test_what_repeats_is_found_once(text: str, found: list[tuple[int, int, int]]) -> None:
    assert [(part.start, part.length, part.times) for part in parts(text)] == found


def test_from_python_names_are_those_of_the_frame_that_asks() -> None:
    net = nn.Linear(2, 1)
    total = net(torch.ones(1, 2)).sum()
    found = autograd(total, depth=2)
    assert (found["operations"], found["leaves"]) == (3, 2)
    assert "net.weight" in repr(found)
    with pytest.raises(TypeError, match="net is a Linear, not a tensor"):
        autograd(net)


def test_from_python_a_table_of_gradients_is_data_and_prints_as_rows() -> None:
    net = nn.Linear(2, 1)
    net(torch.ones(1, 2)).sum().backward()
    found = gradients(net)
    assert {row["name"] for row in found["rows"]} == {"net.weight", "net.bias"}
    assert repr(found).startswith("2 parameters · norm 1.73")
    assert json.loads(json.dumps(found)) == found


def test_from_python_it_is_told_why_and_where() -> None:
    net, spare = nn.Linear(2, 1), nn.Linear(2, 1)
    total = (net(torch.ones(1, 2)) * 0).log().sum()
    assert nan_origin(total)["cause"] == "log_of_zero"
    assert no_gradient(net.weight)["reasons"][0]["code"] == "not_yet"
    assert no_gradient(spare)["reasons"][0]["code"] == "not_reached"
