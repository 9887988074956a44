"""Tensors in forms of their own: what a row of the zoo can't say."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from math import nan
from typing import Any

import pytest
import torch
from torch import nn
from zoo import zoo
from zoo.dense import DispatchMode
from zoo.examine import _is_there as is_there
from zoo.tensor_classes import Remembering, Scaled, Wrapping
from zoo.tensors import coo, jag, nest, quantized, stale, symbolic, updated

from tensor_inspector import facts, summarize, tree
from tensor_inspector.kinds import Child, Elements, NotFound, NotStatic, Property, Rows, TextRow, as_kind
from tensor_inspector.measure.stats import Unread
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.stop.expression import resolve
from tensor_inspector.stop.snapshot import Snapshot

pytestmark = pytest.mark.filterwarnings("ignore")


def needs(name: str) -> pytest.MarkDecorator:
    """For what not every version of torch has."""
    *path, last = name.split(".")
    found: Any = torch
    for part in path:
        found = getattr(found, part, None)
    return pytest.mark.skipif(not hasattr(found, last), reason=f"needs torch.{name}")


JAGGED = needs("jagged")
SYMBOLS = needs("export")


def nodes(value: object, depth: int = 3) -> Iterator[tuple[Snapshot, Any]]:
    """Every node below a value."""
    snapshot = Snapshot(Rows.of("", [Child("value", value, "value")]))
    waiting = [(0, 0)]
    while waiting:
        node, level = waiting.pop()
        for child in snapshot.page(node, 0, 50, Budget())["nodes"]:
            yield snapshot, child
            if "children" in child and "lazy" not in child and level < depth:
                waiting.append((child["id"], level + 1))


def plain(value: Any) -> Any:
    """A dense tensor with the same numbers, to compare with; anything else as it is."""
    value = value.value if isinstance(value, Elements) else value
    if type(value) not in (torch.Tensor, nn.Parameter):
        return value
    value = value.detach()
    return (
        value.dequantize() if value.is_quantized else value.to_dense() if value.layout is not torch.strided else value
    )


def same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    a, b = plain(a), plain(b)
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor) and a.dtype == b.dtype and type(a) is torch.Tensor:
        return torch.equal(a, b)
    return a is b or bool(a == b)


FORMS: dict[str, Callable[[], Any]] = {
    "sparse": lambda: coo([[0, 0, 1], [1, 1, 2]], [1.0, 2.0, 5.0], (2, 3)),
    "sparse with a gradient": lambda: coo([[0], [1]], [1.0], (2, 3)).requires_grad_(),
    "sparse rows": lambda: torch.eye(3).to_sparse_csr(),
    "sparse blocks": lambda: torch.eye(4).to_sparse_bsc((2, 2)),
    "nested": lambda: nest(torch.ones(2, 4), torch.zeros(3, 4)),
    "quantized": lambda: quantized([[1.0, 2.0], [3.0, 4.0]]),
    "quantized by channel": lambda: torch.quantize_per_channel(
        torch.ones(2, 3), torch.tensor([0.1, 0.2]), torch.tensor([0, 1]), 0, torch.qint8
    ),
    "wrapper": lambda: Scaled(torch.ones(2)),
    "class with memory": lambda: Remembering(torch.ones(2, 2)),
    "parameter": lambda: nn.Parameter(torch.ones(2, 3)),
}
if hasattr(torch, "jagged"):
    FORMS["jagged"] = lambda: jag(torch.ones(2, 4), torch.zeros(3, 4))
    FORMS["jagged with gaps"] = lambda: torch.nested.narrow(
        torch.arange(20.0).reshape(2, 10), 1, torch.tensor([0, 1]), torch.tensor([3, 4]), layout=torch.jagged
    )


@pytest.mark.parametrize("name", FORMS)
def test_a_path_reaches_the_value_that_is_shown(name: str) -> None:
    value = FORMS[name]()
    reached = 0
    with Untouched():
        for snapshot, node in nodes(value):
            shown = snapshot.value(node["id"])
            if "path" not in node or isinstance(shown, (Rows, TextRow, Property)) or name == "class with memory":
                continue
            reached += 1
            assert same(shown, eval(node["path"], {"value": value})), node["path"]
            try:
                found = resolve(node["path"], {"value": value}, {}, Budget())
            except NotStatic:
                assert "()" in node["path"]
            else:
                assert same(shown, found), node["path"]
    assert reached or name == "class with memory"


@pytest.mark.parametrize("name", [name for name in zoo if name.startswith("tensors: ") and zoo[name].make])
def test_as_many_rows_are_told_as_there_are(name: str) -> None:
    missing = [need for need in zoo[name].needs if not is_there(need)]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    value = zoo[name].make()  # type: ignore[misc]
    with Untouched():
        kind = as_kind(value, Budget())
        assert kind.child_count() == len(list(kind.children(0, 1000)))


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("nest[1]", "float32[3, 4] · all zeros"),
        ("nest[-2][0]", "float32[4] · all 1"),
        pytest.param("jag[1]", "float32[3, 4] · all zeros", marks=JAGGED),
        ("quantized[0]", "quint8[2] · scale 0.1, zero point 10 · 1…2 · μ 1.5 σ 0.707"),
        ("wrapping.inner", "float32[2] · all 1"),
        ("remembering[0]", "float32[2] · all 1"),
    ],
)
def test_parts_are_reached_without_the_programs_code(path: str, line: str) -> None:
    held = {
        "nest": FORMS["nested"](),
        "jag": FORMS["jagged"]() if "jagged" in FORMS else None,
        "quantized": FORMS["quantized"](),
        "wrapping": Wrapping(torch.ones(2)),
        "remembering": FORMS["class with memory"](),
    }
    with Untouched():
        assert as_kind(resolve(path, held, {}, Budget()), Budget()).line() == line


@pytest.mark.parametrize("path", ["sparse[0]", "wrapping[0]", "sparse.to_dense()", "nest[0, 1]"])
def test_what_only_code_reaches_is_refused(path: str) -> None:
    held = {"sparse": FORMS["sparse"](), "wrapping": Wrapping(torch.ones(2)), "nest": FORMS["nested"]()}
    with Untouched(), pytest.raises(NotStatic):
        resolve(path, held, {}, Budget())


@pytest.mark.parametrize(
    ("make", "brief"),
    [
        (FORMS["sparse"], "float32[2, 3] sparse_coo"),
        (FORMS["nested"], "float32 nested[2, *, 4]"),
        (FORMS["quantized"], "quint8[2, 2]"),
        (FORMS["wrapper"], "Scaled float32[2]"),
        (lambda: torch.ones(3, dtype=torch.int64), "int64[3]"),
        (lambda: torch.empty(3, device="meta"), "float32[3] meta"),
        (lambda: nn.LazyLinear(3).weight, "float32"),
        pytest.param(lambda: symbolic().shape[0] + 0, "s", marks=SYMBOLS),
    ],
)
def test_in_a_few_characters(make: Callable[[], Any], brief: str) -> None:
    with Untouched():
        assert as_kind(make(), Budget()).brief().startswith(brief)


@pytest.mark.parametrize(
    ("make", "readable"),
    [
        (lambda: torch.ones(3), True),
        (FORMS["class with memory"], True),
        (lambda: torch._efficientzerotensor(3), True),
        (lambda: torch.tensor([1j]).conj(), True),
        (FORMS["sparse"], False),
        (FORMS["nested"], False),
        (FORMS["quantized"], False),
        (FORMS["wrapper"], False),
        (lambda: torch.empty(3, device="meta"), False),
        pytest.param(lambda: torch.zeros(4, dtype=torch.uint8).view(torch.bits8), False, marks=needs("bits8")),
    ],
)
def test_elements_are_given_only_where_they_can_be_read_as_they_are(make: Callable[[], Any], readable: bool) -> None:
    with Untouched():
        elements = as_kind(make(), Budget()).elements()
    assert isinstance(elements, Unread) is not readable
    assert readable is (type(elements) is torch.Tensor)


@pytest.mark.parametrize(("make", "grad"), [(stale, "base ← MulBackward0"), (updated, "base, a leaf")])
def test_the_gradient_of_a_modified_view_goes_to_its_base(make: Callable[[], Any], grad: str) -> None:
    assert f" · grad ← {grad} · " in summarize(make())


@needs("_C._autograd._get_sequence_nr")
@pytest.mark.parametrize("make", [stale, updated])
def test_the_node_of_a_modified_view_is_not_made(make: Callable[[], Any]) -> None:
    value = make()
    before = torch._C._autograd._get_sequence_nr()
    summarize(value)
    facts(value)
    tree(value, depth=4)
    assert torch._C._autograd._get_sequence_nr() == before


def test_the_gradient_still_flows_through_a_modified_view_that_was_looked_at() -> None:
    leaf = torch.ones(2, 3, requires_grad=True)
    result = leaf * 1
    view = result[0]
    result.mul_(3)
    tree(view, depth=4)
    view.sum().backward()
    assert leaf.grad is not None
    assert leaf.grad.tolist() == [[3, 3, 3], [0, 0, 0]]


def test_each_channel_of_a_quantized_tensor_is_told_in_its_own_scale() -> None:
    scales, points = torch.tensor([0.1, 100.0, 0.001]), torch.tensor([0, 5, 100])
    value = torch.quantize_per_channel(torch.randn(40, 3, 50), scales, points, 1, torch.qint8)
    wanted, said = facts(value.dequantize())["stats"], facts(value)["stats"]
    assert said == wanted
    assert "notes" not in facts(value) or not facts(value)["notes"]


def test_of_a_large_one_a_sample_of_its_channels_is_read() -> None:
    value = torch.quantize_per_channel(
        torch.ones(100, 3, 50), torch.tensor([1.0, 1.0, 0.5]), torch.tensor([0, 0, 0]), 1, torch.qint8
    )
    with Untouched():
        said: Any = as_kind(value, Budget(max_elements=500)).reading()
    assert (said["min"], said["max"], said["exact"]) == (1, 1, False)
    assert 0 < said["read"] <= 500


@SYMBOLS
def test_a_symbolic_size_gains_no_guard_and_its_node_is_not_changed() -> None:
    value = symbolic()
    node = torch.Tensor.shape.__get__(value)[0].node  # type: ignore[attr-defined]
    before = dict(vars(node))
    for ask in (summarize, facts, lambda it: tree(it, depth=2)):
        ask(value)
        ask(value.shape[0])
    assert node.shape_env.guards == []
    assert vars(node) == before


def _within(mode: Any, make: Callable[[], Any]) -> Any:
    with mode:
        return make()


def _functional(value: Any) -> Any:
    from torch._subclasses.functional_tensor import FunctionalTensor, FunctionalTensorMode

    wrap = partial(FunctionalTensor, torch._to_functional_tensor(value), FunctionalTensorMode())
    return _within(value.fake_mode, wrap)


def _two(value: Any) -> Any:
    return pytest.importorskip("torch.testing._internal.two_tensor").TwoTensor(value, value)


def _of_unknown_length(value: Any) -> Any:
    length = value.fake_mode.shape_env.create_unbacked_symint()
    return _within(value.fake_mode, lambda: torch.empty(length))


def _optimizer(value: Any) -> Any:
    optimizer = torch.optim.SGD([nn.Parameter(value)], lr=0.1)
    optimizer.param_groups[0]["lr"] = _of_unknown_length(value)
    return optimizer


def _module(value: Any) -> Any:
    module = nn.Linear(7, 5)
    module.weight = nn.Parameter(value)
    return module


@SYMBOLS
@pytest.mark.parametrize(
    "make",
    [
        lambda it: it, lambda it: it[:, 1:].t(), lambda it: it.sum(0).expand(3, 7), lambda it: nn.Parameter(it) * 2,
        lambda it: it > 0, lambda it: list(it.shape), torch._to_functional_tensor, _functional, _two,
        _of_unknown_length, _module, _optimizer, lambda it: torch.utils.data.TensorDataset(it, it),
    ],
    ids=["tensor", "view", "expanded", "result", "bool", "sizes", "functionalized", "FunctionalTensor", "TwoTensor",
         "unknown length", "module", "optimizer", "dataset"],
)  # fmt: skip
def test_nothing_is_asked_of_symbolic_sizes(make: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    value, asked = make(symbolic()), []
    for name in ("evaluate_expr", "evaluate_sym_node"):
        if hasattr(ShapeEnv, name):
            monkeypatch.setattr(ShapeEnv, name, lambda *_, name=name, **__: asked.append(name))
    assert not summarize(value).startswith("not read")
    facts(value)
    tree(value, depth=3)
    with Untouched():
        as_kind(value, Budget()).inline()
    assert asked == []


def test_tracing_records_nothing_of_a_look() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        for ask in (summarize, facts, tree):
            ask(x)
        return x * 2

    graph = torch.jit.trace(function, torch.ones(3), check_trace=False).graph
    assert [node.kind() for node in graph.nodes()] == ["prim::Constant", "aten::mul"]


def test_forward_mode_differentiates_nothing_of_a_look() -> None:
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        dual = forward.make_dual(torch.arange(3.0), torch.full((3,), 2.0))
        assert "dual, tangent all 2" in summarize(dual)
        assert forward.unpack_dual(dual * dual).tangent.tolist() == [0, 4, 8]  # type: ignore[union-attr]


@pytest.mark.parametrize("modes", [0, 1, 3])
def test_asking_a_tensor_class_leaves_the_dispatch_modes_as_they_are(modes: int) -> None:
    value = Wrapping(torch.ones(2), dispatch_sizes_strides_policy="sizes")
    with ExitStack() as stack:
        for _ in range(modes):
            stack.enter_context(DispatchMode())
        assert summarize(value) == "Wrapping · wraps inner=float32[2]"
        assert torch._C._len_torch_dispatch_stack() == modes
        assert not torch._C._dispatch_tls_is_dispatch_key_excluded("Python")


def test_a_page_of_components_looks_at_a_page_of_them() -> None:
    value = nest(*[torch.ones(2)] * 3000, torch.zeros(5))
    snapshot = Snapshot(Rows.of("", [Child("value", value, "value")]))
    with Untouched():
        [top] = snapshot.page(0, 0, 1, Budget())["nodes"]
        [components] = [
            node for node in snapshot.page(top["id"], 0, 10, Budget())["nodes"] if node["name"] == "components"
        ]
        page = snapshot.page(components["id"], 2999, 100, Budget())
    assert [node["line"] for node in page["nodes"]] == ["float32[2] · all 1", "float32[5] · all zeros"]
    assert page["total"] == 3001


@pytest.mark.parametrize("most", [100, 30_000])
def test_a_sample_of_quantized_numbers_is_marked(most: int) -> None:
    value = quantized(torch.linspace(-1, 5, 50_000))
    with Untouched():
        kind = as_kind(value, Budget(max_elements=most))
        reading: Any = kind.reading()
    assert not reading["exact"]
    assert "≈" in kind.line()
    assert -1 <= reading["min"] <= reading["max"] <= 5.1
    assert abs(reading["mean"] - 2) <= reading["mean_error"] + 1e-6


def test_when_there_is_no_time_the_gradient_is_named_without_its_values() -> None:
    leaf = torch.ones(30_000_000, requires_grad=True)
    leaf.grad = torch.full((30_000_000,), nan)
    now = [0.0]
    budget = Budget(20, clock=lambda: now[0])
    now[0] = 0.021
    with Untouched():
        assert as_kind(leaf, budget).line() == "float32[30000000] · stats skipped: 20 ms budget · leaf · has grad"


def test_the_row_of_a_parameter_is_loud_when_its_gradient_is_not_finite() -> None:
    leaf = nn.Parameter(torch.ones(3))
    leaf.grad = torch.tensor([1.0, nan, float("inf")])
    [top] = Snapshot(Rows.of("", [Child("w", leaf, "w")])).page(0, 0, 1, Budget())["nodes"]
    assert top["line"] == "float32[3] · all 1 · leaf · grad 1 NaN, 1 Inf"
    assert set(top["badges"]) == {"constant", "nan", "inf"}


def test_a_gradient_that_leads_back_is_told_once() -> None:
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    a.grad, b.grad = b, a
    assert "a.grad" not in tree(a, depth=6)
    assert "↻" in tree(a, depth=6)


def test_looking_at_a_result_of_a_collective_does_not_wait_for_it() -> None:
    import torch.distributed as dist

    collectives = pytest.importorskip("torch.distributed._functional_collectives")
    value = collectives.AsyncCollectiveTensor(torch.ones(3))
    for ask in (summarize, facts, tree):
        ask(value)
    assert value.completed is False
    assert not dist.is_initialized()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("turned", "values"),
    [
        (lambda z: z.conj(), "[1 − 2i, −3 + 4i]"),
        (torch._neg_view, "[−1 − 2i, 3 + 4i]"),
        (lambda z: torch._neg_view(z).conj(), "[−1 + 2i, 3 − 4i]"),
        (lambda z: z.conj()[0], "1 − 2i"),
    ],
)
def test_turned_complex_numbers_of_half_precision_are_read_without_a_warning(
    turned: Callable[[Any], Any], values: str
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = torch.tensor([1 + 2j, -3 - 4j]).to(torch.complex32)
    found = facts(turned(value))
    assert found["values"] == values
    assert found["stats"]["abs"]["count"] == turned(value).numel()
    assert "NotImplementedError" not in tree(turned(value))


def test_what_cannot_be_shown_does_not_cost_the_statistics(monkeypatch: pytest.MonkeyPatch) -> None:
    from tensor_inspector.words import values

    monkeypatch.setattr(values, "corner", lambda value: 1 / 0)
    found = facts(torch.ones(3))
    assert found["stats"]["count"] == 3
    assert "values" not in found


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: torch.optim.Adafactor([torch.ones(1)]), "Adafactor · lr 0.01, eps (None, 0.001) · 1 tensor"),
        (lambda: torch.fx.symbolic_trace(nn.ReLU()).graph._root, "Node · root"),
    ],
)
def test_what_is_none_or_empty_leaves_no_gap(make: Callable[[], Any], line: str) -> None:
    if "Adafactor" in line and not hasattr(torch.optim, "Adafactor"):
        pytest.skip("needs torch.optim.Adafactor")
    assert summarize(make()) == line


def test_the_statistics_of_nothing_are_none() -> None:
    assert "min  none\n" in tree(torch.zeros(3, 3).to_sparse())


def test_an_optimizer_that_iterates_within_a_step_says_so() -> None:
    weight = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight])
    state = optimizer.state[weight]
    state["n_iter"] = 4
    assert summarize(optimizer).endswith("· 4 iterations")
    assert ["iterations", "4"] in facts(optimizer)["rows"]


def test_torch_warns_about_nothing_that_we_do() -> None:
    values = [make() for make in FORMS.values()]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for value in values:
            tree(value, depth=4)
    assert [str(warning.message) for warning in warned] == []


def test_a_quantized_tensor_without_its_scales_is_not_read() -> None:
    value = torch.quantize_per_channel(torch.ones(3, 4), torch.ones(3), torch.zeros(3), 0, torch.qint8)
    value.q_per_channel_scales().untyped_storage().resize_(0)
    assert facts(value)["unread"] == "storage freed"
    assert "storage freed" in str(tree(value))


@pytest.mark.parametrize("kept", [0, 50])
def test_a_quantized_tensor_s_storage_that_is_too_small_stays_as_it_is(kept: int) -> None:
    value = torch.quantize_per_tensor(torch.ones(100), 0.1, 0, torch.qint8)
    value.untyped_storage().resize_(kept)
    said = "storage too small: 50 of 100 bytes" if kept else "storage freed"
    assert facts(value)["unread"] == said
    assert said in str(tree(value))
    assert value.untyped_storage().nbytes() == kept


def test_hooks_in_a_dict_of_the_program_s_own_are_not_asked_whether_there_are_some() -> None:
    class Hooks(dict[int, object]):
        def __bool__(self) -> bool:
            raise SystemExit(3)

    value: Any = torch.ones(2, requires_grad=True)
    value._backward_hooks = Hooks()
    assert "hooks" not in str(tree(value))


def test_a_tensor_has_no_fields_and_torch_is_not_asked_for_one(recwarn: pytest.WarningsRecorder) -> None:
    with Untouched(), pytest.raises(NotFound):
        resolve("x['ab']", {"x": torch.ones(2)}, {}, Budget())
    assert not recwarn.list


def test_of_a_masked_tensor_that_is_too_large_no_statistics_are_told() -> None:
    masked = pytest.importorskip("torch.masked")
    many = (1 << 20) + 1
    value = masked.masked_tensor(torch.ones(many), torch.arange(many) > 0)
    assert "values not read: a mask is applied to 1.0M elements at most" in summarize(value)
    assert facts(value)["notes"] == []
