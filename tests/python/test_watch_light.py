"""The light gear of `watch`: it tells the origins that it can prove, says where it can't, and is silent where all is well."""

from __future__ import annotations

import gc
import runpy
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from test_watch import FAULTY, HEALTHY, expected, hooks, path_of, until

from tensor_inspector import watch
from tensor_inspector.watching.active import ActiveWatch

#: What the light gear proves: operation and line. Of these others it only says that there is something;
FOUND = (
    "faulty_custom_backward faulty_custom_forward faulty_data faulty_in_place faulty_normalized_gradient "
    "faulty_reentrant faulty_sparse_gradient"
).split()
#: and these reach no module, loss or step, so nothing is looked at.
UNSEEN = "faulty_functional_gradient faulty_looked_at faulty_metric faulty_returned_gradient faulty_view".split()
_ORIGIN = ("operation", "file", "line")


def hits(program: str, what: Any = "nonfinite", **options: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    with watch(what, do=found.append, **options):
        runpy.run_path(path_of(program))
    return found


@pytest.mark.parametrize("program", FAULTY)
def test_it_tells_what_it_can_prove_and_else_says_so(program: str) -> None:
    if program == "faulty_compiled" and not hasattr(torch.compiler, "set_stance"):
        pytest.skip("needs torch.compiler.set_stance")
    found, right = hits(program), expected(program)
    assert len(found) == (program not in UNSEEN)
    for report in found:
        if program in FOUND:
            assert [report[name] for name in _ORIGIN] == [None] * 3
            assert "can't tell" in report["reason"]
            assert 'gear="exact" would tell' in report["reason"]
        else:
            assert {name: report[name] for name in right} == right


def test_it_tells_nan_of_an_operation_that_made_inf_as_the_exact_gear_does() -> None:
    def step() -> None:
        scaled = weight * factor
        (scaled - scaled.detach()).sum().backward()

    weight, factor = torch.full((4,), 1e30, requires_grad=True), 1e30
    reasons: list[str] = []
    for gear in ("light", "exact"):
        with watch(gear=gear, do=lambda report: reasons.append(report["reason"])):
            step()
    assert [reason.partition(" ·")[0] for reason in reasons] == ["Inf of mul, which became NaN, in forward, step 0"] * 2


def test_it_tells_three_of_five() -> None:
    assert 5 * len({*FAULTY} - {*FOUND, *UNSEEN}) >= 3 * len(FAULTY)


@pytest.mark.parametrize("program", HEALTHY)
def test_it_is_silent_where_nan_and_inf_are_meant(program: str) -> None:
    assert hits(program) == []


def watched(steps: int = 2, change: Any = None, **options: Any) -> list[dict[str, Any]]:
    """The hits of a watch of a small model that is trained; ``change`` is called before each step with it, and by number.

    ``of`` is a function of the model and the optimizer.
    """
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    of = options.pop("of", None)
    found: list[dict[str, Any]] = []
    with watch(of=of(model, optimizer) if callable(of) else of, do=found.append, **options):
        for step in range(steps):
            optimizer.zero_grad()
            model(torch.ones(4 + step, 2)).sum().backward()
            if change is not None:
                change(model, step)
            optimizer.step()
    return found


def first(model: Any, optimizer: Any) -> Any:
    return model[0]


def last(model: Any, optimizer: Any) -> Any:
    return model[2]


def weight(model: Any, optimizer: Any) -> Any:
    return model[0].weight


def taken(model: Any, optimizer: Any) -> Any:
    return optimizer


def no_gradient(model: Any, step: int) -> None:
    model[0].weight.grad.zero_()


def make_huge(model: Any, step: int) -> None:
    model[0].weight.grad.fill_(3e30)  # whose squares are Inf in float32


def none_anywhere(model: Any, step: int) -> None:
    for parameter in model.parameters():
        parameter.grad.zero_()


def lose_gradient(model: Any, step: int) -> None:
    model[0].weight.grad = None


def spoil_gradient(model: Any, step: int) -> None:
    model[0].weight.grad.fill_(float("nan"))


def spoil_parameter(model: Any, step: int) -> None:
    with torch.no_grad():
        model[0].weight.fill_(float("inf"))


def spoil_data(model: Any, step: int) -> None:
    model[0].weight.data[0, 0] = float("nan")


def spoil_data_later(model: Any, step: int) -> None:
    if step == 1:
        spoil_data(model, step)


def halve(model: Any, step: int) -> None:
    model[0].weight.data = model[0].weight.data.half().float().contiguous()


@pytest.mark.parametrize(
    ("what", "of", "change", "kind", "phase", "said"),
    [
        ("nonfinite", None, spoil_gradient, "nan", "backward", "noticed in the gradient of 0.weight"),
        ("nonfinite", "gradients", spoil_gradient, "nan", "backward", "can't tell"),
        ("nonfinite", "parameters", spoil_gradient, "nan", "backward", "noticed in "),
        ("nonfinite", "parameters", spoil_parameter, "inf", "step", "it may have been so before the step"),
        ("nonfinite", first, spoil_gradient, "nan", "backward", "noticed in the gradient of weight"),
        ("nonfinite", weight, spoil_gradient, "nan", "backward", "in the gradient of"),
        ("nonfinite", weight, spoil_parameter, "inf", "step", "can't tell"),
        ("nonfinite", taken, spoil_gradient, "nan", "backward", "can't tell"),
        ("nan", None, spoil_gradient, "nan", "backward", "can't tell"),
        ("nan", "parameters", spoil_data_later, "nan", "step", "it may have been so before the step"),
        ("inf", "parameters", spoil_parameter, "inf", "step", "can't tell"),
        ("zero", "gradients", no_gradient, "zero", "backward", "the gradient of"),
        ("zero", first, no_gradient, "zero", "backward", "the gradient of weight"),
        ("zero", weight, no_gradient, "zero", "backward", "the gradient of"),
        ("zero", taken, no_gradient, "zero", "backward", "the gradient of"),
        ("changed", first, None, "changed", "step", "weight"),
        ("changed", weight, None, "changed", "step", "changed"),
        ("changed", "loss", None, "changed", "forward", "the loss"),
        ("unchanged", "parameters", none_anywhere, "unchanged", "step", "unchanged"),
        ("unchanged", weight, no_gradient, "unchanged", "step", "unchanged"),
        ("unchanged", taken, none_anywhere, "unchanged", "step", "unchanged"),
        ("metadata", last, None, "metadata", "forward", "float32[4, 1] cpu → float32[5, 1] cpu"),
        (("above", 3), "gradients", None, "above", "backward", "> 3"),
        (("above", 0.1), "parameters", None, "above", "step", "> 0.1"),
        (("above", 0.1), None, None, "above", "forward", "Linear, "),
        (("above", -1), "loss", None, "above", "forward", "the loss, "),
        ("none", None, lose_gradient, "none", "backward", "no gradient: 0.weight"),
        ("none", first, lose_gradient, "none", "backward", "no gradient: weight"),
        (("norm", 5), None, None, "norm", "backward", "large gradients: the norm "),
        (("norm", 0), taken, None, "norm", "backward", "> 0"),
        (("norm", 5), first, make_huge, "norm", "backward", "the norm 7.348e+30 > 5"),
    ],
)
def test_a_condition_is_told(what: Any, of: Any, change: Any, kind: str, phase: str, said: str) -> None:
    [report] = watched(what=what, of=of, change=change)
    assert (report["kind"], report["phase"]) == (kind, phase)
    assert said in report["reason"]


@pytest.mark.parametrize(
    ("what", "of", "change"),
    [
        ("nonfinite", "loss", spoil_gradient),
        ("nonfinite", last, spoil_gradient),
        ("nan", "parameters", spoil_parameter),
        ("inf", None, spoil_data),
        ("zero", "gradients", None),
        ("zero", last, no_gradient),
        ("changed", weight, no_gradient),
        ("changed", first, none_anywhere),
        ("unchanged", weight, None),
        ("unchanged", last, no_gradient),
        ("metadata", "parameters", None),
        ("metadata", weight, halve),
        (("above", 100), None, None),
        (("above", float("inf")), None, None),
        ("none", None, None),
        ("none", last, lose_gradient),
        (("norm", 1000), None, None),
        (("rises", 1000), None, None),
    ],
)
def test_a_condition_that_does_not_hold_is_not_told(what: Any, of: Any, change: Any) -> None:
    assert watched(steps=1 if change in (spoil_data, spoil_gradient) else 2, what=what, of=of, change=change) == []


#: Programs whose loss is not finite: the operation and line that is told, None where source and graph prove none.
PROVEN = [
    ("y = x / x\nloss = y.sum()", ("div", 3)),
    ("loss = (1 / x).sum()", ("__rdiv__", 3)),
    ("loss = (1 - x / x).sum()", ("div", 3)),
    ("y = x\ny = y / y\nloss = y.sum()", ("div", 4)),
    ("loss = (x.float().double().log() * 2).sum()", ("log", 3)),
    ("loss = F.cross_entropy(x[None] / 0, torch.tensor([1]))", ("div", 3)),
    ("loss = torch.sum(\n    x.log()\n)", ("log", 4)),
    ("loss = sum([x.log().sum()])", None),  # of Python's own sum nothing is known
    ("def ratio(a, b):\n    return a / b\n\nloss = ratio(x, x).sum()", ("div", 4)),
    ("def ratio(a, b):\n    c = a / b\n    return c * 2\n\nloss = ratio(b=x, a=x).sum()", ("div", 4)),
    ("def ratio(a):\n    if a.sum() < 0:\n        return a / 2\n    return a / a\n\nloss = ratio(x).sum()", None),
    ("y = x * 2\ny = y / y\nif len(y) > 9:\n    y = y / 3\nloss = y.sum()", None),
    ("class A:\n    def div(self, a):\n        return 1 * (a / a)\n\nloss = A().div(x).sum()", None),
    (
        "class A:\n    def log(self, a):\n        b = a.log()\n        return b\n\na = A()\nloss = a.log(x).sum()",
        ("log", 5),
    ),
    ("half = x.half() + 6e4\ny = half * half\nloss = y.float().sum()", ("mul", 4)),
    ("y = x + 1e5\ny = y.half()\nz = y.half()\nloss = z.sum()", None),  # a second conversion makes no node
    ("y = [x / x]\nloss = y[0].sum()", None),
    ("y = x + 0\ny /= x * 1\nloss = y.sum()", ("div_", 4)),
    ("with torch.no_grad():\n    y = x / x\nloss = (x * y).sum()", None),
    (
        "m = torch.nn.Linear(3, 1)\nk = torch.full((2, 3), -torch.inf).logsumexp(-1)\nloss = (m(x) * k[:, None]).sum()",
        None,  # what went in was not finite
    ),
]


@pytest.mark.parametrize(("source", "right"), PROVEN)
def test_an_origin_is_proven_or_not_told(source: str, right: Any, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"import torch; from torch.nn import functional as F\nx = torch.zeros(3, requires_grad=True)\n{source}\nloss.backward()\n"
    )
    found: list[dict[str, Any]] = []
    with watch(do=found.append):
        runpy.run_path(str(program))
    [report] = found
    told = None if report["line"] is None else (report["operation"], report["line"])
    assert told == right, report["reason"]
    assert report["file"] == (None if right is None else str(program))


def all_hooks() -> list[Any]:
    return [*hooks(), torch.autograd.backward, torch._C._len_torch_dispatch_stack()]


@pytest.mark.parametrize("of", [None, "loss", "gradients", "parameters", first, weight, taken])
@pytest.mark.parametrize("raised", [False, True])
def test_nothing_is_left_behind(of: Any, raised: bool) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = all_hooks()
    try:
        with watch(of=of(model, optimizer) if callable(of) else of, do=print):
            model(torch.ones(1, 2)).sum().backward()
            optimizer.step()
            if raised:
                raise KeyError
    except KeyError:
        pass
    assert all_hooks() == before
    assert [len(one._forward_hooks) for one in model.modules()] == [0, 0]
    assert len(optimizer._optimizer_step_pre_hooks) == 0


def test_several_are_on_at_once_beside_an_exact_one() -> None:
    model = torch.nn.Linear(2, 1)
    before, found = all_hooks(), list[str]()
    with (
        watch(do=lambda report: found.append("all")),
        watch(of="loss", do=lambda report: found.append("loss")),
        watch(gear="exact", do=lambda report: found.append("exact")),
        watch(of=model, do=lambda report: found.append("module")),
    ):
        (model(torch.ones(1, 2)) / 0 * 0).sum().backward()
    assert sorted(found) == ["all", "exact", "loss"]
    assert all_hooks() == before


@pytest.mark.parametrize(
    ("losses", "told"), [((1.0, 2.0, 30.0), "2 → 30"), ((3.0, 27.0), None), ((-1.0, 100.0), None), ((0.0, 1.0), None)]
)
def test_a_loss_that_rises_by_a_factor_is_told(losses: tuple[float, ...], told: str | None) -> None:
    found: list[dict[str, Any]] = []
    with watch(("rises", 10), do=found.append):
        for loss in losses:
            torch.tensor(loss, requires_grad=True).backward()
    assert [report["reason"].split(", ")[1] for report in found] == ([] if told is None else [told])


def test_losses_of_two_lines_are_not_compared() -> None:
    weight, found = torch.ones(1, requires_grad=True), list[Any]()
    with watch(("rises", 10), do=found.append):
        for _ in range(2):
            (weight * 0.01).sum().backward()
            (weight * 5).sum().backward()
    assert found == []


@pytest.mark.parametrize("gear", ["light", "exact"])
def test_one_that_ends_in_a_step_leaves_the_hooks_of_others_alone(gear: Any) -> None:
    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    before, found = all_hooks(), list[Any]()
    active = ActiveWatch("nan", lambda report, frame: None, gear=gear, is_wanted=lambda: False, repeat=True)
    with watch(do=found.append):
        active.begin()
        weight.sum().backward()
        optimizer.step()
        until(lambda: not active.is_on)
        (weight * float("nan")).sum().backward()
    assert len(found) == 1
    until(lambda: all_hooks() == before)


def test_what_others_have_put_around_backward_stays() -> None:
    original, found, called = torch.autograd.backward, list[Any](), list[str]()

    def theirs(*args: Any, **kwargs: Any) -> None:
        called.append("theirs")
        inner(*args, **kwargs)

    x = torch.zeros(1, requires_grad=True)
    try:
        with watch(do=print):
            inner = torch.autograd.backward
            torch.autograd.backward = theirs
        assert torch.autograd.backward is theirs
        (x * 1).backward()
        with watch(do=found.append):
            (x / x).backward()
    finally:
        torch.autograd.backward = original
    assert (called, len(found)) == (["theirs"] * 2, 1)
    with watch(do=found.append):
        (x / x).backward()
    assert (torch.autograd.backward is original, len(found)) == (True, 2)


def test_a_watched_thing_that_is_gone_is_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 1))
    with watch(of=model[0], do=print):
        model[0] = torch.nn.Linear(2, 1)
        gc.collect()
    assert "the Linear that it watched is gone: the program has dropped it" in capsys.readouterr().err


def test_another_thread_is_not_watched() -> None:
    x, found = torch.zeros(1, requires_grad=True), list[Any]()

    def compute() -> None:
        torch.nn.Identity()(torch.zeros(1) / 0)
        (x / x).backward()

    with watch(do=found.append):
        thread = threading.Thread(target=compute)
        thread.start()
        thread.join()
    assert found == []


def test_it_goes_on_where_asked_to_but_not_about_a_parameter_that_was_told() -> None:
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([weight], lr=1e38)
    found: list[Any] = []
    with watch(do=found.append, repeat=True):
        for _ in range(3):
            optimizer.zero_grad()
            (weight * 1e5).sum().backward()
            optimizer.step()
        for _ in range(2):
            (torch.zeros(1, requires_grad=True) / 0).sum().backward()
    assert [report["operation"] for report in found] == ["SGD.step"]
    del weight, optimizer
    with watch(do=found.append, repeat=True):
        for _ in range(2):
            (torch.zeros(1, requires_grad=True) / 0).sum().backward()
    assert [report["operation"] for report in found] == ["SGD.step", "div", "div"]


def test_one_step_that_raises_leaves_the_watch_as_it_is() -> None:
    class Failing(torch.optim.SGD):
        def step(self, closure: Any = None) -> Any:
            raise KeyError

    found: list[Any] = []
    x = torch.zeros(1, requires_grad=True)
    with watch(do=found.append):
        with pytest.raises(KeyError):
            Failing([x], lr=0.1).step()
        (x / x).backward()
    assert [report["operation"] for report in found] == ["div"]


def filled(number: float) -> torch.nn.Parameter:
    return torch.nn.Parameter(torch.full((2,), number))


class Replacing(torch.optim.SGD):
    """Each step puts another parameter in the place of its first."""

    def step(self, closure: Any = None) -> Any:
        held = self.param_groups[0]["params"]
        self.param_groups[0]["params"] = [filled(float("nan")), *held[1:]]


class Growing(torch.optim.SGD):
    """Its step adds a group."""

    def step(self, closure: Any = None) -> Any:
        self.add_param_group({"params": [filled(float("inf"))]})


class GrowingInPlace(torch.optim.SGD):
    """Its step adds a parameter to a group."""

    def step(self, closure: Any = None) -> Any:
        self.param_groups[0]["params"].append(filled(float("inf")))


@pytest.mark.parametrize("of", [None, "parameters", "optimizer"])
@pytest.mark.parametrize("beside", [0, 20])
@pytest.mark.parametrize(
    ("cls", "steps", "told"),
    [(Replacing, 2, ["nan", "nan"]), (Growing, 1, ["inf"]), (GrowingInPlace, 1, ["inf"])],
)
def test_a_parameter_that_a_step_puts_into_its_optimizer_is_looked_at(
    of: Any, beside: int, cls: Any, steps: int, told: list[str]
) -> None:
    parameters = [filled(1.0) for _ in range(1 + beside)]
    optimizer, found = cls(parameters, lr=0.1), list[Any]()
    with watch(of=optimizer if of == "optimizer" else of, do=found.append, repeat=True):
        for _ in range(steps):
            parameters[-1].sum().backward()
            optimizer.step()
    assert [report["kind"] for report in found] == told
    assert {report["phase"] for report in found} == {"step"}


@pytest.mark.parametrize("beside", [0, 20])
def test_a_parameter_that_a_step_puts_into_a_module_is_looked_at(beside: int) -> None:
    class Pruning(torch.optim.SGD):
        def step(self, closure: Any = None) -> Any:
            model.weight = torch.nn.Parameter(torch.full((1, 2), float("nan")))
            self.param_groups[0]["params"] = [*model.parameters()]

    model, found = torch.nn.Linear(2, 1), list[Any]()
    for at in range(beside):
        model.register_parameter(f"beside{at}", filled(1.0))
    optimizer = Pruning(model.parameters(), lr=0.1)
    with watch(of=model, do=found.append):
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
    assert [(report["kind"], report["phase"]) for report in found] == [("nan", "step")]
    assert "in weight" in found[0]["reason"]


@pytest.mark.parametrize("bound", [1000, float("inf")])
def test_exact_tells_the_operation_that_first_goes_over_a_bound(bound: float) -> None:
    found: list[Any] = []
    with watch(("above", bound), gear="exact", do=found.append):
        x = torch.full((2,), 50.0, requires_grad=True)
        (x * x * 0.1).sum().backward()
    line = sys._getframe().f_lineno - 1
    right = [("above", "mul", line)] if bound == 1000 else []
    assert [(one["kind"], one["operation"], one["line"]) for one in found] == right


@pytest.mark.parametrize("gear", ["light", "exact"])
def test_a_bound_is_looked_at_in_backward_and_after_a_step(gear: Any) -> None:
    weight, found = torch.ones(1, requires_grad=True), list[Any]()
    optimizer = torch.optim.SGD([weight], lr=1e6)
    with watch(("above", 1e4), gear=gear, do=found.append, repeat=True):
        ((weight * 1e3) ** 2 * 1e-3).sum().backward()
        optimizer.step()
    assert {report["phase"] for report in found} >= {"step"} | ({"forward"} if gear == "exact" else set())


@pytest.mark.skipif(not hasattr(torch, "amp") or not hasattr(torch.amp, "GradScaler"), reason="since torch 2.3")
def test_a_scaler_that_the_collector_lists_no_more_is_still_reckoned_with() -> None:
    weight = torch.nn.Parameter(torch.full((2,), 1e3))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**127)
    found: list[Any] = []
    gc.freeze()
    try:
        with watch(do=found.append):
            scaler.scale(weight.sum()).backward()
            scaler.step(optimizer)
            scaler.update()
    finally:
        gc.unfreeze()
    assert found == []
