"""The lens `nan_origin`, checked against what torch itself sees: the same program is run again under a dispatch mode that
notes the first operation with finite inputs and an output that is not."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from asking import Paused
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import checkpoint
from untouched import Watch

import tensor_inspector
from tensor_inspector.measure.torch import graph

WORLD = {"torch": torch, "nn": nn, "F": F, "checkpoint": checkpoint}


def is_finite(values: Any) -> bool:
    floats = [value for value in tree_leaves(values) if isinstance(value, torch.Tensor) and value.is_floating_point()]
    return all(bool(value.isfinite().all()) for value in floats)


class First(TorchDispatchMode):
    """The first operation with finite inputs and an output that is not; what only fills memory is none."""

    def __init__(self) -> None:
        super().__init__()
        self.op: str | None = None

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        finite = is_finite((args, kwargs))
        result = func(*args, **(kwargs or {}))
        if self.op is None and finite and not is_finite(result) and "empty" not in name:
            self.op = name.strip("_")
        return result


def run(program: str) -> FrameType:
    torch.manual_seed(0)
    w = torch.tensor([1.0, -2.0, 0.0, 3.0], requires_grad=True)
    x = torch.tensor([0.5, 0.0, 0.0, 2.0])
    names = {**WORLD, "w": w, "x": x}
    exec(program, names)
    for name in WORLD:
        names.pop(name)
    names.pop("__builtins__")
    return frame_of(names)


def frame_of(names: dict[str, Any]) -> FrameType:
    code = f"def stop({', '.join(names)}):\n    import sys\n    return sys._getframe()"
    made: dict[str, Any] = {}
    exec(code, made)
    return made["stop"](**names)  # type: ignore[no-any-return]


#: The program, the operation as the graph calls it, and what it came from.
PROGRAMS = {
    "log of zero": ("loss = (w * x).abs().log().sum()", "Log", "log_of_zero"),
    "log of a negative": ("h = w * 2\nloss = torch.log(h).mean()", "Log", "log_of_negative"),
    "log2": ("loss = (w * 2).abs().log2().sum()", "Log2", "log_of_zero"),
    "log1p": ("loss = (w - 1.5).log1p().sum()", "Log1P", "log_of_negative"),
    "root of a negative": ("loss = (w * 3).sqrt().sum()", "Sqrt", "root_of_negative"),
    "rsqrt of zero": ("loss = (w * w).rsqrt().sum()", "Rsqrt", "division_by_zero"),
    "reciprocal": ("loss = (w * 2).reciprocal().sum()", "Reciprocal", "division_by_zero"),
    "a negative power of zero": ("loss = (w * 2).pow(-1).sum()", "Pow", "division_by_zero"),
    "0 / 0": ("h = w * x\nloss = (h / x).sum()", "Div", "zero_by_zero"),
    "1 / 0": ("loss = ((w * 2 + 9) / x).sum()", "Div", "division_by_zero"),
    "exp overflows": ("loss = (w * 100).exp().sum()", "Exp", "overflow"),
    "square overflows": ("loss = (w * 1e30).pow(2).sum()", "Pow", "overflow"),
    "a power of a negative": ("loss = (w * 2).pow(0.5).sum()", "Pow", "power"),
    "a product overflows": ("h = w * 1e30\nloss = (h * 1e30).sum()", "Mul", "overflow"),
    "float16 overflows": ("h = (w * 300).half()\nloss = (h * h).sum()", "Mul", "overflow"),
    "to float16": ("loss = (w * 1e5).half().float().sum()", "ToCopy", "overflow"),
    "a sum overflows": ("h = (w * 0 + 6e4).half()\nloss = h.sum()", "Sum", "overflow"),
    "matrices overflow": ("a = w.view(2, 2) * 1e25\nloss = (a @ a).sum()", "Mm", "overflow"),
    "acos": ("loss = (w * 2).acos().sum()", "Acos", "domain"),
    "atanh": ("loss = (w * 2).atanh().sum()", "Atanh", "domain"),
    "in what only the next operation saved": ("loss = (w * 2).erfinv().pow(2).sum()", "Erfinv", "domain"),
    "in what only the first operation on it saved": (
        "h = (w * 2).erfinv()\nloss = h.pow(2).sum() + (h + 1).sum()\ndel h", "Erfinv", "domain",
    ),
    "in what only the last operation on it saved": (
        "h = (w * 2).erfinv()\nloss = (h + 1).sum() + h.pow(2).sum()\ndel h", "Erfinv", "domain",
    ),
    "a masked row": (
        "s = (w.view(2, 2) * 2).masked_fill(torch.tensor([[True, True], [False, True]]), -torch.inf)\nloss = s.softmax(1).sum()",
        "Softmax", "masked_row",
    ),
    "a masked row, in logs": (
        "s = (w.view(2, 2) * 2).masked_fill(torch.tensor([[True, True], [False, True]]), -torch.inf)\nloss = s.log_softmax(1).sum()",
        "LogSoftmax", "masked_row",
    ),
    "the deviation of one": ("loss = (w * 2)[:1].std()", "Std", "one_sample"),
    "the variance of one": ("loss = (w * 2).view(4, 1).var(1).sum()", "Var", "one_sample"),
    "the mean of nothing": ("loss = (w * 2)[w.detach() > 9].mean()", "Mean", "mean_of_nothing"),
    "all targets ignored": (
        "logits = w.view(2, 2) * 2\nloss = F.cross_entropy(logits, torch.tensor([-100, -100]))", "NllLoss", "mean_of_nothing",
    ),
    "all pixels ignored": (
        "logits = w.view(1, 2, 2, 1) * 2\nloss = F.cross_entropy(logits, torch.full((1, 2, 1), -100))", "NllLoss2D", "mean_of_nothing",
    ),
    "zero variance": ("h = w * 0\nd = h.std()\nloss = ((h - 1) / d).sum()", "Div", "zero_variance"),
    "a norm of zero": ("h = w * 0\nn = h.norm()\nloss = (h / n).sum()", "Div", "zero_by_zero"),
    "softplus by hand": ("loss = torch.log(1 + torch.exp(w * 50)).sum()", "Exp", "overflow"),
    "entropy by hand": ("p = (w * 1000).softmax(0)\nloss = -(p * p.log()).sum()", "Log", "log_of_zero"),
    "in a module": (
        "class M(nn.Module):\n def forward(self, t):\n  return (t * 2).abs().log()\nmodel = M()\nloss = model(w).sum()", "Log", "log_of_zero",
    ),
    "in a chain": ("h = w\nfor _ in range(40): h = torch.tanh(h * 1.1)\nloss = (h.abs() - h.abs()).log().sum()", "Log", "log_of_zero"),
}  # fmt: skip


#: The program, the answer's place and operation, and the cause that what was saved proves; "unknown" where none is.
PROVED = {
    "a running variance below zero": (
        "h = w.view(2, 2) * 2\nloss = F.batch_norm(h, torch.zeros(2), -torch.ones(2)).sum()", "operation", "NativeBatchNorm", "negative_variance",
    ),
    "a running variance of zero": (
        "h = w.view(2, 2) * 0\nloss = F.batch_norm(h, torch.zeros(2), torch.zeros(2), eps=0.0).sum()", "operation", "NativeBatchNorm", "zero_variance",
    ),
    "Inf as a factor": ("h = w + 9\nloss = (h * float('inf')).sum()", "input", "Mul", "unknown"),
    "zero by Inf as a number": ("h = w * 0\nloss = (h * float('inf')).sum()", "input", "Mul", "unknown"),
    "Inf is added": ("h = w * 2\nloss = (h + float('inf')).sum()", "operation", "Add", "unknown"),
    "Inf is filled in": ("h = w * 2\nloss = h.masked_fill(h > -99, float('inf')).sum()", "operation", "MaskedFill", "unknown"),
    "the target has no chance": (
        "h = torch.where(torch.tensor([[True, False], [True, False]]), w.view(2, 2), -torch.inf)\nloss = F.cross_entropy(h, torch.tensor([1, 1]))",
        "operation", "NllLoss", "infinite_input",
    ),
    "a product divided by zero": (
        "h = w * 2\nloss = torch.addcdiv(h, torch.ones(4), torch.zeros(4)).sum()", "operation", "Addcdiv", "unknown",
    ),
    "x log y of y below zero": ("h = w * 0 + 1\nloss = torch.xlogy(h, -torch.ones(4)).sum()", "operation", "Xlogy", "log_of_negative"),
    "x log y of y zero": ("h = w * 0 - 1\nloss = torch.xlogy(h, torch.zeros(4)).sum()", "operation", "Xlogy", "log_of_zero"),
    "zero to a negative power": ("h = w * 0 - 1\nloss = (0.0 ** h).sum()", "operation", "Pow", "division_by_zero"),
    "the sine of Inf": ("h = w + float('inf')\nloss = torch.sin(h).sum()", "operation", "Add", "unknown"),
    "squares that overflow": ("h = w * 1e30\nloss = F.mse_loss(h, torch.zeros(4))", "operation", "MseLoss", "overflow"),
}  # fmt: skip


@pytest.mark.parametrize(("program", "where", "op", "cause"), PROVED.values(), ids=PROVED)
def test_a_cause_is_told_only_where_it_is_proved(
    program: str, where: str, op: str, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Paused(run(program), monkeypatch).lens("nan_origin", tensor="loss")["found"]
    assert (found["where"], found["operation"], found["cause"]) == (where, op, cause)


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize(("program", "op", "cause"), PROGRAMS.values(), ids=PROGRAMS)
def test_the_first_operation_is_the_one_that_torch_sees(
    program: str, op: str, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Paused(run(program), monkeypatch).lens("nan_origin", tensor="loss")["found"]
    assert (found["where"], found["operation"], found["cause"]) == ("operation", op, cause)
    if "masked" not in program:  # the mask itself is what torch sees there
        with First() as first:
            run(program)
        seen = {"nll_loss_forward": "NllLoss", "nll_loss2d_forward": "NllLoss2D"}.get(first.op or "", first.op or "")
        assert seen.replace("_", "").lower() == op.lower()


@pytest.mark.parametrize("name", ["0 / 0", "exp overflows", "softplus by hand", "log of a negative"])
def test_what_it_has_made_is_counted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = PROGRAMS[name][0]
    found = Paused(run(program), monkeypatch).lens("nan_origin", tensor="loss")["found"]
    assert found["certain"]
    assert found["nan"] + found["inf"] > 0
    assert found["first"] is not None


def test_a_row_is_masked_only_for_a_softmax(monkeypatch: pytest.MonkeyPatch) -> None:
    program = "s = (w.view(2, 2) * 2).masked_fill(torch.tensor([[True, True], [False, True]]), -torch.inf)\nh = F.glu(s, 1)\nloss = h.sum()"
    found = Paused(run(program), monkeypatch).lens("nan_origin", tensor="loss")["found"]
    assert (found["operation"], found["nan"]) == ("Glu", 1)
    assert found["cause"] != "masked_row"


def test_the_rows_name_what_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    paused = Paused(run("h = w * x\nr = h / x\nloss = r.sum()"), monkeypatch)
    answer = paused.lens("nan_origin", tensor="loss")
    assert answer["node"]["name"] == "where the NaN in loss began"
    assert answer["node"]["line"] == "Div · 0 / 0 · r · 2 NaN, first at [1] · of h, x"
    assert [row["path"] for row in paused.below(answer, answer["node"])] == ["r", "h", "x"]


def test_what_is_given_twice_is_named_once() -> None:
    q = torch.full((1, 1, 2, 4), 1e20, requires_grad=True)
    out = F.scaled_dot_product_attention(q, q, q)
    assert tensor_inspector.nan_origin(out)["inputs"] == ["q"]


def test_what_is_counted_is_what_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    program = "v = torch.ones(3, 2)\nv[2, 1] = torch.inf\nlinear = nn.Linear(2, 5)\nh = linear(v)"
    found = Paused(run(program), monkeypatch).lens("nan_origin", tensor="h")["found"]
    assert (found["where"], found["name"]) == ("input", "v")
    assert (found["nan"], found["inf"], found["first"]) == (0, 1, [2, 1])


def test_a_row_shows_the_value_of_the_frame_that_its_name_is_of(monkeypatch: pytest.MonkeyPatch) -> None:
    def inner(asked: torch.Tensor, a: tuple[int, ...]) -> FrameType:
        return sys._getframe()

    def outer() -> FrameType:
        a = torch.tensor([1e30, 1.0], requires_grad=True)
        return inner((a * a).exp(), (1, 2))

    paused = Paused(outer(), monkeypatch)
    answer = paused.lens("nan_origin", tensor="asked")
    rows = {row["name"]: row for row in paused.below(answer, answer["node"])}
    assert (rows["a"].get("path"), rows["a"]["line"].partition(" ")[0]) == (None, "float32[2]")


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("linear = nn.Linear(4, 2)\nout = linear((w * x).log())\nloss = out.sum()", "out"),
        ("loss = (w * x).log().sum()", "loss"),
    ],
)
def test_what_is_freed_above_is_not_blamed_on_what_follows(
    program: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = Paused(run(f"{program}\nloss.backward()"), monkeypatch).lens("nan_origin", tensor=name)
    assert (answer["found"]["where"], answer["found"]["unknown"]) == ("unknown", ["freed"])
    assert answer["node"]["line"] == (
        f"can't be told: an earlier backward has freed saved tensors · {name} has it already: ask before the backward"
    )


def test_what_may_have_an_infinite_slope_is_listed_where_no_more_can_be_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = "loss = ((w * 2).exp().sqrt() * x).sum() * torch.inf\nloss.backward()\ng = w.grad"
    answer = Paused(run(program), monkeypatch).lens("nan_origin", tensor="g")
    rows = [row["line"] for row in answer["node"]["page"]["nodes"] if row["name"] == "may be"]
    assert rows == ["Sqrt: its slope may be infinite"]


@pytest.mark.parametrize(
    ("program", "where", "name"),
    [
        ("x[1] = torch.nan\nloss = (w * x).sum()", "input", "x"),
        ("w.data[0] = torch.nan\nloss = (w * 2).sum()", "parameter", "w"),
        ("x[0] = torch.inf\nh = w @ x\nloss = h * 2", "input", "x"),
        ("loss = (w * 2).sum()", "finite", None),
        ("loss = x / x", "unknown", None),
    ],
)
def test_what_was_given_is_not_blamed_on_an_operation(
    program: str, where: str, name: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Paused(run(program), monkeypatch).lens("nan_origin", tensor="loss")["found"]
    assert (found["where"], found["name"]) == (where, name)


@pytest.mark.parametrize(
    ("program", "op", "cause"),
    [
        ("h = w * w\nr = h.sqrt()\nloss = r.sum()\nloss.backward(retain_graph=True)\ng = w.grad", "Sqrt", "infinite_slope"),
        ("h = w.abs() * 2\nr = h ** 0.5\nloss = r.sum()\nloss.backward(retain_graph=True)\ng = w.grad", "Pow", "infinite_slope"),
        ("h = w.abs() * 2\nr = h.sqrt() ** 1.0\nloss = r.sum()\nloss.backward(retain_graph=True)\ng = w.grad", "Sqrt", "infinite_slope"),
        ("h = w.abs() * 2\nr = torch.where(h > 0, h.log(), 0 * h)\nloss = r.sum()\nloss.backward(retain_graph=True)\ng = w.grad",
         "Log", "log_of_zero"),
        ("h = w / 3\nr = torch.where(h < 1, h.acos(), 0 * h)\nloss = r.sum()\nloss.backward(retain_graph=True)\ng = w.grad",
         "Acos", "infinite_slope"),
    ],
)  # fmt: skip
def test_what_is_born_in_the_backward_is_found_there(
    program: str, op: str, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = run(program)
    assert not bool(frame.f_locals["g"].isfinite().all())
    assert bool(frame.f_locals["loss"].isfinite())
    found = Paused(frame, monkeypatch).lens("nan_origin", tensor="g")["found"]
    assert (found["where"], found["operation"], found["cause"]) == ("backward", op, cause)


class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x / 0

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0]


def test_of_a_function_of_the_program_no_cause_is_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    WORLD.update(Own=Own)
    answer = Paused(run("h = Own.apply(w * 2)\nloss = h.sum()"), monkeypatch).lens("nan_origin", tensor="loss")
    assert (answer["found"]["operation"], answer["found"]["cause"]) == ("Own", "unknown")
    assert "overflow" not in answer["node"]["line"]


class Exp(torch.autograd.Function):
    """Is called as an operation of torch is, and does not overflow."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clamp(max=5).exp()

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0]


class Div(torch.autograd.Function):
    """Is called as an operation of torch is, and divides by what is not zero alone."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
        return x / torch.where(by == 0, 1, by)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0], None


@pytest.mark.parametrize("made", ["Exp.apply(w * 100)", "Div.apply(w * 2, w * 3)"])
def test_a_function_of_the_program_is_not_taken_for_the_operation_of_its_name(
    made: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    WORLD.update(Exp=Exp, Div=Div)
    found = Paused(run(f"loss = ({made} - 1000).log().sum()"), monkeypatch).lens("nan_origin", tensor="loss")["found"]
    assert (found["operation"], found["cause"]) == ("Log", "log_of_negative")


class Masks(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(mask)
        return x + mask

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0], None


def test_a_mask_that_a_function_of_the_program_keeps_is_none_of_its_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    WORLD.update(Masks=Masks)
    program = (
        "mask = torch.tensor([0, -torch.inf, 0, 0])\nh = Masks.apply(w * 2, mask)\nloss = (h.exp() * 0).log().sum()"
    )
    found = Paused(run(program), monkeypatch).lens("nan_origin", tensor="loss")["found"]
    assert (found["operation"], found["cause"]) == ("Log", "log_of_zero")


@pytest.mark.parametrize(
    ("program", "where", "cause"),
    [
        ("h = (w * 0).log()", "operation", "log_of_zero"),  # nothing else that is finite has this logarithm
        ("h = (w * 0 - 1).log1p()", "operation", "log_of_zero"),
        ("h = (w * x - 1).log()", "unknown", "unknown"),  # NaN may have been handed on
        ("h = (w * 1e38).exp()", "unknown", "unknown"),
    ],
)
def test_of_a_freed_graph_that_is_told_which_the_result_alone_proves(
    program: str, where: str, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = run(f"{program}\nloss = h.sum()\nloss.backward()")
    found = Paused(frame, monkeypatch).lens("nan_origin", tensor="loss")["found"]
    assert (found["where"], found["cause"], found["name"]) == (where, cause, "h")


HOSTILE = {
    "custom": "loss = Own.apply(w * 2).sum()",
    "freed": "loss = ((w * x).exp() - 1).log().sum()\nloss.backward()",
    "hooked": "with hooks:\n    loss = (w * x).log().sum()",
    "checkpointed": "loss = checkpoint(lambda t: RAN.append(1) or (t * x).log() * 2, w, use_reentrant=False).sum() * 2",
}
RAN: list[int] = []  #: by each run of code of the program that reading what was saved would cause


def hostile(program: str) -> FrameType:
    def refuse(_: Any) -> Any:
        RAN.append(1)
        raise RuntimeError("the program's code ran")

    WORLD.update(
        RAN=RAN, Own=Own, Keeps=Keeps, hooks=torch.autograd.graph.saved_tensors_hooks(lambda value: value, refuse)
    )
    return run(program)


@pytest.mark.parametrize("program", HOSTILE.values(), ids=HOSTILE)
def test_where_it_can_not_be_known_that_is_said(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Paused(hostile(program), monkeypatch).lens("nan_origin", tensor="loss")["found"]
    assert not found["certain"]
    assert found["unknown"]


@pytest.mark.parametrize(
    ("program", "name", "reasons", "line"),
    [
        ("loss = x / x", "loss", ["no_graph"], "can't be told: it has no grad_fn: detached, or made where gradients were off"),
        (
            "loss = (w * 2).log().sum()\nloss.backward()\ng = w.grad\ng[0] = torch.nan\ndel loss",
            "g", ["no_loss"], "can't be told: no loss in sight whose backward made this gradient",
        ),
    ],
)  # fmt: skip
def test_where_it_can_not_be_told_the_reason_is(
    program: str, name: str, reasons: list[str], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = Paused(run(program), monkeypatch).lens("nan_origin", tensor=name)
    assert (answer["found"]["where"], answer["found"]["unknown"], answer["node"]["line"]) == ("unknown", reasons, line)


def test_what_was_detached_is_followed_to_what_it_was_detached_from(monkeypatch: pytest.MonkeyPatch) -> None:
    program = "h = (w * 2).abs().log()\nseen = h.detach()"
    found = Paused(run(program), monkeypatch).lens("nan_origin", tensor="seen")["found"]
    assert (found["where"], found["operation"], found["cause"], found["name"]) == (
        "operation",
        "Log",
        "log_of_zero",
        "h",
    )


class Keeps(torch.autograd.Function):
    """Divides inside; keeps what it was given, what it has made on the way, and what it gives."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        inside = x / scale
        ctx.scale = scale
        out = inside.sum() * 2
        ctx.save_for_backward(x, inside, out)
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise RuntimeError("the program's code ran")


def test_what_a_function_of_the_program_keeps_tells_whether_it_began_there(monkeypatch: pytest.MonkeyPatch) -> None:
    WORLD.update(Keeps=Keeps)
    answer = Paused(run("h = w * 2\nloss = Keeps.apply(h, x) * 3"), monkeypatch).lens("nan_origin", tensor="loss")
    found, node = answer["found"], answer["node"]
    assert (found["where"], found["operation"], found["certain"]) == ("operation", "Keeps", False)
    assert found["nan"] == 1
    kept = {row["name"]: row["line"].partition(" · ")[0] for row in node["page"]["nodes"]}
    assert kept["saved 0 by Keeps"] == "float32[4]"
    assert len([name for name in kept if name.startswith("saved")]) == 4


def test_what_was_not_finite_before_a_function_of_the_program_is_not_its_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    WORLD.update(Keeps=Keeps)
    program = "h = (w * 0).log()\nloss = Keeps.apply(h, x) * 3"
    found = Paused(run(program), monkeypatch).lens("nan_origin", tensor="loss")["found"]
    assert (found["where"], found["operation"]) == ("operation", "Log")


def test_the_line_of_a_function_of_the_program_is_where_it_is_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        w = torch.ones(3, requires_grad=True)
        loss = Keeps.apply(w * 2, torch.zeros(3)) * 3
        return sys._getframe()

    first = stop.__code__.co_firstlineno
    found = Paused(stop(), monkeypatch).lens("nan_origin", tensor="loss")["found"]
    assert (found["operation"], found["line"]) == ("Keeps", first + 2)


def test_tensors_that_a_function_saved_under_hooks_are_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    WORLD.update(Keeps=Keeps)
    frame = hostile("with hooks:\n    loss = Keeps.apply(w * 2, x) * 3")
    answer = Paused(frame, monkeypatch).lens("nan_origin", tensor="loss")
    kept = [
        row["name"] for row in answer["node"].get("page", {"nodes": []})["nodes"] if row["name"].startswith("saved")
    ]
    assert len(kept) <= 1  # what stands in its ctx


@pytest.mark.parametrize(
    "program",
    [*HOSTILE.values(), "loss = Keeps.apply(w * 2, x) * 3", PROGRAMS["zero variance"][0], PROGRAMS["a masked row"][0]],
)
def test_looking_changes_nothing(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = hostile(program)
    values = dict(frame.f_locals)
    paused = Paused(frame, monkeypatch)
    RAN.clear()
    paused.lens("nan_origin", tensor="loss")
    with Watch(values) as watch:
        answer = paused.lens("nan_origin", tensor="loss")
        paused.below(answer, answer["node"])
    assert watch.changes() == []
    assert RAN == []


def test_which_of_several_calls_it_was_is_told_by_the_anomaly_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        w = torch.zeros(3, requires_grad=True)
        with torch.autograd.set_detect_anomaly(True):
            loss = (
                (w + 1).log()
                + (w * 2).log()
            ).sum()  # fmt: skip
        torch.autograd.set_detect_anomaly(True)
        return sys._getframe()

    first = stop.__code__.co_firstlineno
    try:
        found = Paused(stop(), monkeypatch).lens("nan_origin", tensor="loss")["found"]
    finally:
        torch.autograd.set_detect_anomaly(False)
    assert (found["file"], found["line"]) == (__file__, first + 5)


def test_the_line_is_that_of_the_only_such_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        w = torch.zeros(3, requires_grad=True)
        loss = torch.log(w * 2).sum()
        return sys._getframe()

    first = stop.__code__.co_firstlineno
    found = Paused(stop(), monkeypatch).lens("nan_origin", tensor="loss")["found"]
    assert (found["file"], found["line"]) == (__file__, first + 2)


def test_a_line_of_a_caller_that_binds_the_name_to_something_else_is_not_told() -> None:
    def stop(r: torch.Tensor) -> Any:
        return tensor_inspector.nan_origin(r.sum())

    r = 1
    w = torch.full((3,), float(-r), requires_grad=True)
    found = stop(w.sqrt())
    first = test_a_line_of_a_caller_that_binds_the_name_to_something_else_is_not_told.__code__.co_firstlineno
    assert (found["name"], found["line"]) == ("r", first + 6)


def test_what_logs_a_text_is_no_logarithm(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        class Trainer:
            def log(self, name: str, value: object) -> None: ...

        trainer = Trainer()
        w = torch.zeros(3, requires_grad=True)
        loss = (torch.log(w * 2)).sum()
        trainer.log("loss", loss)
        return sys._getframe()

    first = stop.__code__.co_firstlineno
    found = Paused(stop(), monkeypatch).lens("nan_origin", tensor="loss")["found"]
    assert found["line"] == first + 6


def test_where_there_was_no_time_the_graph_is_not_called_too_large() -> None:
    y = torch.ones(2, requires_grad=True)
    for _ in range(1000):
        y = y * 1.5
    found = tensor_inspector.nan_origin(y * torch.nan, budget_ms=0)
    assert found["unknown"] == ["no_time"]
    assert "can't be told: there was no time for more" in str(found)


def test_what_a_graph_has_no_room_for_makes_it_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "MAX_NODES", 20)
    y = torch.ones(2, requires_grad=True)
    for _ in range(30):
        y = y * 1.5
    found = tensor_inspector.nan_origin((-y).sqrt())
    assert found["complete"] is True
    assert found["certain"] or found["unknown"][-1] == "too_many"
