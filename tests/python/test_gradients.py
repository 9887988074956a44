"""The lens `gradients`, checked against norms in float64 and against what the optimizers of torch really do."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import partial
from itertools import count
from types import FrameType
from typing import Any

import pytest
import torch
from asking import Paused
from torch import nn
from untouched import Watch

from tensor_inspector import gradients, no_gradient, operations
from tensor_inspector.measure.torch import updates
from tensor_inspector.measure.torch.norms import Norms
from tensor_inspector.safe.budget import Budget

DTYPES = (torch.float32, torch.float64, torch.bfloat16)


def norm_of(tensor: torch.Tensor) -> float:
    return float(tensor.detach().double().norm())


@pytest.fixture(params=[10, math.inf], ids=["little time", "time enough"])
def ms(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> float:
    """Where there is little time one thread reads; where there is enough, several: here the cores are idle."""
    scan = sys.modules["tensor_inspector.measure.stats.scan"]
    monkeypatch.setattr(scan, "_CORES", 4)
    for asked in ("_idle_cores", "_torch_threads"):
        monkeypatch.setattr(scan, asked, lambda: 4)
    return request.param  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "tensor",
    [
        torch.full((3_000_000,), 0.1),
        torch.full((100_000,), 300.0, dtype=torch.float16),
        torch.full((1000,), 1e25),
        torch.full((1000,), 1e-30),
        torch.full((1000,), 1e200, dtype=torch.float64),
        torch.randn(70_000, dtype=torch.bfloat16),
        torch.randn(256, 618),
        torch.randn(70_001),  # a prime number
        torch.randn(300, 400, dtype=torch.complex64),
        torch.randn(300, 400).T,
        torch.randn(1, 400).expand(300, 400),
        torch.randn(400, 600)[::2, ::3],
        torch.randn(4, 5, dtype=torch.complex64),
        torch.full((1 << 20,), 0.1 + 0.3j),
        torch.full((1 << 20,), 0.1 + 0.3j).conj(),
        torch.full((1000,), 1e25 + 1e25j),
        torch.zeros(5),
        torch.zeros(0),
    ],
    ids=lambda tensor: f"{tensor.dtype} {list(tensor.shape)}",
)
def test_norms_are_those_of_float64(tensor: torch.Tensor, ms: float) -> None:
    norms = Norms([tensor])
    assert norms.go_on(Budget(ms, clock=lambda: 0.0))
    (found,) = norms.found
    wide = tensor.to(torch.complex128 if tensor.is_complex() else torch.float64)
    scale = float(wide.abs().max()) if tensor.numel() else 1.0
    expected = float((wide / (scale or 1.0)).norm()) * scale
    assert found is not None
    assert found.value == pytest.approx(expected, rel=1e-4, abs=0)


def test_norms_of_tensors_of_any_sizes_are_in_their_order(ms: float) -> None:
    sizes = (5, 100_000, 1, 70_001, 0, 65_536, 3)
    tensors = [torch.full((size,), 1.0 + at, dtype=dtype) for at, size in enumerate(sizes) for dtype in DTYPES]
    norms = Norms(tensors)
    assert norms.go_on(Budget(ms, clock=lambda: 0.0))
    assert [None if one is None else one.value for one in norms.found] == pytest.approx(
        list(map(norm_of, tensors)), rel=1e-4
    )


def test_what_was_read_as_the_time_ended_is_done() -> None:
    assert Norms([torch.ones(3)]).go_on(Budget(0)) is True
    assert Norms([torch.ones(1 << 22), torch.ones(1)]).go_on(Budget(0)) is False


def test_what_is_not_finite_is_counted() -> None:
    values = torch.randn(100_000)
    values[[5, 70_000]] = torch.nan
    values[99_999] = -torch.inf
    norms = Norms([torch.randn(3), values, torch.empty(2, device="meta"), torch.ones(2, dtype=torch.int64)])
    norms.go_on(Budget())
    assert [(one.value is None, one.nan, one.inf, one.is_read) for one in norms.found if one is not None] == [
        (False, 0, 0, True), (True, 2, 1, True), (True, 0, 0, False), (True, 0, 0, False),
    ]  # fmt: skip


OPTIMIZERS: dict[str, Callable[[Any], torch.optim.Optimizer]] = {
    "SGD": lambda of: torch.optim.SGD(of, lr=0.1),
    "SGD with decay": lambda of: torch.optim.SGD(of, lr=0.1, weight_decay=0.3),
    "SGD with momentum": lambda of: torch.optim.SGD(of, lr=0.1, momentum=0.9, dampening=0.2),
    "SGD with Nesterov": lambda of: torch.optim.SGD(of, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1),
    "SGD up": lambda of: torch.optim.SGD(of, lr=0.1, maximize=True, weight_decay=0.1),
    "Adam": lambda of: torch.optim.Adam(of, lr=0.01),
    "Adam with decay": lambda of: torch.optim.Adam(of, lr=0.01, weight_decay=0.3, betas=(0.8, 0.9)),
    "Adam up": lambda of: torch.optim.Adam(of, lr=0.01, maximize=True, weight_decay=0.3),
    "AdamW": lambda of: torch.optim.AdamW(of, lr=0.01),
    "AdamW with decay": lambda of: torch.optim.AdamW(of, lr=0.01, weight_decay=0.5),
    "Adam with the largest": lambda of: torch.optim.Adam(of, lr=0.01, amsgrad=True, betas=(0.5, 0.6)),
    "RMSprop": lambda of: torch.optim.RMSprop(of, lr=0.01),
    "RMSprop with all": lambda of: torch.optim.RMSprop(
        of, lr=0.01, centered=True, momentum=0.9, weight_decay=0.3, alpha=0.7
    ),
    "RMSprop up": lambda of: torch.optim.RMSprop(of, lr=0.01, maximize=True),
    "Adagrad": lambda of: torch.optim.Adagrad(of, lr=0.01, lr_decay=0.1, weight_decay=0.3),
    "Adadelta": lambda of: torch.optim.Adadelta(of, lr=0.5, weight_decay=0.3),
    "Adamax": lambda of: torch.optim.Adamax(of, lr=0.01, weight_decay=0.3),
    "NAdam": lambda of: torch.optim.NAdam(of, lr=0.01, weight_decay=0.3),
    "NAdam with decay apart": lambda of: torch.optim.NAdam(of, lr=0.01, weight_decay=0.3, decoupled_weight_decay=True),
    "RAdam": lambda of: torch.optim.RAdam(of, lr=0.01, weight_decay=0.3),
    "rate in a tensor": lambda of: torch.optim.AdamW(of, lr=torch.tensor(0.01)),
}


@pytest.mark.parametrize("steps", [0, 3, 7])
@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_updates_are_what_the_next_step_changes(
    make: Callable[[Any], torch.optim.Optimizer], steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop() -> FrameType:
        torch.manual_seed(1)
        model = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 2)).double()
        optimizer = make(model.parameters())
        for step in range(steps + 1):
            optimizer.zero_grad()
            model(torch.randn(4, 6, dtype=torch.float64)).square().sum().backward()
            if step < steps:
                optimizer.step()
        return sys._getframe()

    frame = stop()
    model, optimizer = frame.f_locals["model"], frame.f_locals["optimizer"]
    rows = Paused(frame, monkeypatch).lens("gradients", model="model")["found"]["rows"]
    before = [value.detach().clone() for value in model.parameters()]
    optimizer.step()
    changed = {
        f"model[{name.replace('.', '].')}": norm_of(value - old)
        for (name, value), old in zip(model.named_parameters(), before)
    }
    assert all(changed.values())
    assert {row["name"]: row["update_norm"] for row in rows} == pytest.approx(changed, rel=1e-5)


@pytest.mark.parametrize("make", [torch.optim.Rprop, torch.optim.ASGD])
def test_a_rule_that_is_not_known_is_not_guessed(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        model = nn.Linear(3, 2)
        optimizer = make(model.parameters(), lr=0.1)
        model(torch.ones(1, 3)).sum().backward()
        return sys._getframe()

    found = Paused(stop(), monkeypatch).lens("gradients", model="model")["found"]
    assert found["rule"] is None
    assert [row["update_norm"] for row in found["rows"]] == [None, None]


@pytest.mark.parametrize("params", [None, 3, "weights"])
def test_an_optimizer_whose_parameters_were_taken_away_updates_none(
    params: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop() -> FrameType:
        model = nn.Linear(3, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        optimizer.param_groups[0]["params"] = params
        model(torch.ones(1, 3)).sum().backward()
        return sys._getframe()

    found = Paused(stop(), monkeypatch).lens("gradients", model="model")["found"]
    assert [row["update_norm"] for row in found["rows"]] == [None, None]


@pytest.mark.parametrize("make", [torch.optim.SGD, torch.optim.Adam])
def test_of_a_sparse_gradient_no_update_is_guessed(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        model = nn.Embedding(3, 2, sparse=True)
        optimizer = make(model.parameters(), lr=0.1)
        model(torch.tensor([1])).sum().backward()
        return sys._getframe()

    found = Paused(stop(), monkeypatch).lens("gradients", model="model")["found"]
    assert [row["update_norm"] for row in found["rows"]] == [None]


class Prepared:
    """As accelerate's."""

    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        self.optimizer = optimizer


def test_the_rule_of_a_wrapped_optimizer_is_that_of_the_one_inside() -> None:
    weight = torch.ones(2, requires_grad=True)
    for optimizer in (torch.optim.SGD([weight], lr=0.1), Prepared(torch.optim.SGD([weight], lr=0.1))):
        update = updates.UpdateRules([optimizer]).of(weight, torch.ones(2))
        assert update is not None
        assert update.rule == "SGD"


@pytest.mark.parametrize("make", [torch.optim.SGD, torch.optim.Adam])
def test_a_weight_that_does_not_lie_in_a_row_is_copied_up_to_a_size(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updates, "_COPIED", 12)
    for rows, norm in ((3, pytest.approx(0.1 * 12**0.5)), (4, None)):
        weight, gradient = torch.zeros(4, rows).t().requires_grad_(), torch.ones(rows, 4)
        update = updates.UpdateRules([make([weight], lr=0.1)]).of(weight, gradient)
        assert update is not None
        assert update.norm() == norm


class OwnSgd(torch.optim.SGD):
    def step(self, closure: Any = None) -> None:
        raise RuntimeError


def several() -> FrameType:
    torch.manual_seed(0)
    model = nn.ModuleDict({name: nn.Linear(3, 3) for name in ("a", "b", "c", "d", "e")})
    for layer in (model["a"], model["b"], model["c"], model["e"]):
        layer(torch.ones(2, 3)).square().sum().backward()
    model["a"].weight.grad[0, 1] = torch.nan
    model["b"].weight.grad[2] = torch.inf
    model["c"].weight.grad.zero_()
    model["e"].requires_grad_(False)
    optimizer = OwnSgd(model.parameters(), lr=1.0)
    return sys._getframe()


def test_the_worst_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    paused = Paused(several(), monkeypatch)
    answer = paused.lens("gradients", model="model")
    found = answer["found"]
    states = [row["state"] for row in found["rows"]]
    assert states == ["nan", "inf", "none", "none", "zero", "fine", "fine", "fine", "frozen", "frozen"]
    assert (found["nan"], found["inf"], found["none"], found["zero"], found["trainable"]) == (1, 1, 2, 1, 8)
    assert (found["norm"], found["rule"]) == (None, None)
    assert answer["node"]["line"] == (
        "10 parameters, 2 frozen · 1 with NaN · 1 with Inf · 2 None · 1 all zeros"
    )  # fmt: skip
    assert answer["node"]["short"] == "1 with NaN · 1 with Inf · 2 None · 1 all zeros · 10 parameters, 2 frozen"
    rows = paused.below(answer, answer["node"])
    assert rows[0]["name"] == 'model["a"].weight'
    assert rows[0]["short"] == "1 NaN of 9"
    assert rows[0]["line"].startswith("grad 1 NaN of 9 · weight ")
    assert [row["badges"] for row in rows[:3]] == [["nan"], ["inf"], ["no_grad"]]
    assert [row["path"] for row in paused.below(answer, rows[0])] == ['model["a"].weight', 'model["a"].weight.grad']


def test_rows_leave_out_what_all_names_begin_with(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        model = nn.Module()
        model.layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(2))
        return sys._getframe()

    paused = Paused(stop(), monkeypatch)
    answer = paused.lens("gradients", model="model")
    rows = paused.below(answer, answer["node"])
    assert [row["name"] for row in rows[:2]] == ["layers[0].weight", "layers[0].bias"]
    assert [row["short"] for row in rows] == ["None"] * 4
    assert paused.below(answer, rows[0])[0]["path"] == "model.layers[0].weight"


def test_each_row_has_its_place_in_the_model_and_the_expression_that_reaches_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = several()
    found = Paused(frame, monkeypatch).lens("gradients", model="model")["found"]
    names = [name for name, _ in frame.f_locals["model"].named_parameters()]
    in_order = sorted(found["rows"], key=lambda row: row["depth"])
    assert [row["depth"] for row in in_order] == list(range(len(names)))
    assert [row["path"] for row in in_order] == [f'model["{name[0]}"]{name[1:]}' for name in names]


def test_vanishing_along_depth_is_seen_as_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        torch.manual_seed(0)
        model = nn.Sequential(*[layer for _ in range(8) for layer in (nn.Linear(4, 4), nn.Sigmoid())])
        model(torch.randn(5, 4)).sum().backward()
        return sys._getframe()

    frame = stop()
    paused = Paused(frame, monkeypatch)
    answer = paused.lens("gradients", model="model")
    truth = [norm_of(value.grad) for value in frame.f_locals["model"].parameters() if value.dim() > 1]
    assert answer["found"]["by_depth"] == pytest.approx(truth, rel=1e-4)
    (bars, *_) = paused.below(answer, answer["node"])
    assert (bars["name"], bars["kind"]) == ("along depth", "evidence")
    assert (bars["line"][0], bars["line"][7]) == ("▁", "█")


def test_an_optimizer_is_a_table_of_what_it_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        model, loose = nn.Linear(2, 2), torch.ones(2, requires_grad=True)
        optimizer = torch.optim.SGD([*model.parameters(), loose, torch.ones(1, requires_grad=True)], lr=1.0)
        return sys._getframe()

    found = Paused(stop(), monkeypatch).lens("gradients", model="optimizer")["found"]
    names = {"model.weight", "model.bias", "loose", "param_groups[0]['params'][3]"}
    assert {row["name"] for row in found["rows"]} == names
    assert {row["path"] for row in found["rows"]} == {"model.weight", "model.bias", "loose", None}
    assert found["none"] == 4


def test_only_so_many_rows_travel_as_data(monkeypatch: pytest.MonkeyPatch) -> None:
    paused = Paused(several(), monkeypatch)
    assert len(paused.lens("gradients", {"rows": 3}, model="model")["found"]["rows"]) == 3
    assert paused.lens("gradients", {"rows": "x"}, model="model")["error"]["code"] == "bad_request"
    assert paused.lens("gradients", model="optimizer.lr")["error"]["code"] in ("not_static", "not_found")


def test_slices_come_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        model = nn.Sequential(*[nn.Linear(64, 64) for _ in range(40)])
        optimizer = torch.optim.AdamW(model.parameters())
        model(torch.randn(2, 64)).sum().backward()
        return sys._getframe()

    paused = Paused(stop(), monkeypatch)
    whole = paused.lens("gradients", model="model")["found"]
    time = count()  # a millisecond passes whenever somebody looks at the clock
    monkeypatch.setattr(operations, "Budget", partial(Budget, clock=lambda: next(time) / 1000))
    answer = paused.ask("lens", lens="gradients", values={"model": {"expression": "model"}}, limits={"ms": 30})
    progress = []
    while not answer["done"]:
        progress.append(answer["progress"])
        where = {"snapshot": answer["snapshot"], "resume": answer["resume"]}
        answer = paused.ask("lens", lens="gradients", values={}, limits={"ms": 30}, **where)
    assert len(progress) > 1
    assert progress == sorted(progress)
    assert answer["found"] == whole


def test_of_a_model_that_takes_several_slices_all_parameters_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        model = nn.Sequential(*[nn.Linear(2, 2) for _ in range(300)])
        assert model
        return sys._getframe()

    assert Paused(stop(), monkeypatch).late_lens("gradients", model="model")["found"]["parameters"] == 600


def test_looking_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = several()
    values = dict(frame.f_locals)
    paused = Paused(frame, monkeypatch)
    paused.lens("gradients", model="model")
    with Watch(values) as watch:
        answer = paused.lens("gradients", model="model")
        paused.below(answer, paused.below(answer, answer["node"])[1])
        paused.lens("gradients", model="optimizer")
    assert watch.changes() == []


@pytest.mark.parametrize(
    ("weight", "told"),
    [(1.0, "grad 3 · weight 1 · 3× the weight"), (3.01, "100% of the weight"), (2e-4, " · 15,000× the weight"), (0.0125, " · 240× the weight")],
)  # fmt: skip
def test_shares_are_written_out(weight: float, told: str) -> None:
    model = torch.nn.ParameterList([torch.nn.Parameter(torch.tensor([weight]))])
    model[0].grad = torch.tensor([3.0])
    assert told in str(gradients(model))


class Tagged(nn.Parameter):
    """A parameter of a class of the program's own, as sharded ones are: whose code must not run."""

    calls = 0

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.calls += 1
        return super().__torch_function__(func, types, args, kwargs or {})  # type: ignore[no-untyped-call]


def test_parameters_of_other_classes_are_listed_without_running_their_code() -> None:
    model = nn.Linear(3, 2)
    model.weight = Tagged(torch.ones(2, 3))
    model(torch.ones(1, 3)).sum().backward()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    calls = Tagged.calls
    for found in (gradients(model), gradients(optimizer)):
        assert sorted(row["norm"] for row in found["rows"]) == pytest.approx([math.sqrt(2), math.sqrt(6)])
    assert no_gradient(model)["asked"] == 2
    assert Tagged.calls == calls
    model.zero_grad()
    assert gradients(model)["none"] == 2


def test_lazy_parameters_are_counted_and_have_no_elements_yet() -> None:
    found = gradients(nn.Sequential(nn.LazyLinear(3), nn.Linear(3, 2)))
    assert (found["parameters"], found["empty"], found["none"]) == (4, 2, 2)
    assert no_gradient(nn.LazyLinear(3))["asked"] == 2
