"""`gradcheck`: whether a backward is right, beside what `torch.autograd.gradcheck` says of the same."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from asking import Paused
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from tensor_inspector import gradcheck


class Own(torch.autograd.Function):
    """An operation whose backward is what a test says."""

    forward_of: Callable[[Any], Any]
    backward_of: Callable[[Any, Any], Any]

    @classmethod
    def forward(cls, ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return cls.forward_of(x)

    @classmethod
    def backward(cls, ctx: Any, grad: Any) -> Any:
        return cls.backward_of(*ctx.saved_tensors, grad)


def own(forward: Any, backward: Any) -> Any:
    return type("Own", (Own,), {"forward_of": staticmethod(forward), "backward_of": staticmethod(backward)})


def x(*shape: int, dtype: Any = torch.float32) -> torch.Tensor:
    made = torch.randn(*shape, generator=torch.Generator().manual_seed(1), dtype=dtype)
    return made.requires_grad_()


def of_two(x: Any, y: Any) -> Any:
    return (x * y).sum(), (x - y).exp()


def in_place(x: Any) -> Any:
    x.mul_(2)
    x += 1
    return x.sin()


WEIGHT = torch.randn(5, 3)

RIGHT: list[tuple[Any, tuple[Any, ...]]] = [
    (torch.sin, (x(3),)),
    (lambda x: x @ WEIGHT.T, (x(2, 3),)),
    (lambda x: (x * x).sum(), (x(4, 5),)),
    (of_two, (x(3), x(2, 3))),
    (F.cross_entropy, (x(4, 5), torch.tensor([0, 3, 2, 4]))),
    (F.softmax, (x(2, 4), -1)),
    (F.layer_norm, (x(2, 6), [6])),
    (lambda x: x[::2].prod(), (x(6),)),
    (lambda x: x.float() * 2, (x(3),)),
    (in_place, (x(3),)),
    (lambda z: (z * z.conj()).real, (x(3, dtype=torch.complex64),)),
    (lambda z: z.exp() * 1j, (x(2, 2, dtype=torch.complex64),)),
    (lambda z: torch.fft.rfft(z).abs(), (x(6),)),
    (torch.fft.fft, (x(5),)),
    (lambda x: torch.linalg.inv(x + 3 * torch.eye(3)), (x(3, 3),)),
    (F.conv2d, (x(1, 2, 5, 5), x(3, 2, 3, 3))),
    (lambda x: F.embedding(torch.tensor([1, 0, 1]), x), (x(3, 2),)),
    (lambda xs: xs["a"] * xs["b"][1], ({"a": x(3), "b": [1, x(1)]},)),
    (own(lambda x: x * x, lambda x, grad: 2 * x * grad), (x(3),)),
    (own(torch.exp, lambda x, grad: x.exp() * grad), (x(2, 3).detach().t().requires_grad_(),)),
    (nn.Linear(3, 4), (x(2, 3).detach(),)),
    (nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 2)), (x(5, 3),)),
    (nn.LSTM(3, 2), (x(4, 1, 3),)),
    (nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True), (x(1, 3, 4),)),
    (partial(F.leaky_relu, negative_slope=0.1), (x(7),)),
    (nn.Linear(3, 2).forward, (x(3),)),
    (lambda x: torch.where(x > 0, x, 2 * x), (x(9),)),
    (lambda x: F.dropout(x, 0.5), (x(20),)),
    (lambda x: 1e-9 * x.sum() ** 2, (x(3),)),
    (lambda x: x.pow(3), (1e4 * x(3).detach(),)),
    (torch.exp, (x(3, 1).detach().expand(3, 4).requires_grad_(),)),
    (torch.func.grad(lambda x: (x**3).sum()), (x(3),)),
    (torch.vmap(lambda row: row.prod()), (x(4, 3),)),
    (lambda x: torch.autograd.grad((x**3).sum(), x, create_graph=True)[0], (x(3),)),
    (torch.nn.utils.parametrizations.spectral_norm(nn.Linear(3, 3)).eval(), (x(2, 3),)),
    (nn.Embedding(5, 3, sparse=True), (torch.tensor([1, 2]),)),
    (torch.linalg.eigvals, (x(5, 5, dtype=torch.float64),)),
]  # fmt: skip

WRONG: list[tuple[Any, tuple[Any, ...], float | None]] = [
    (own(lambda x: x.clamp(-0.1, 0.1), lambda x, grad: grad), (x(4),), None),
    (own(lambda x: x * x, lambda x, grad: x * grad), (x(3),), 0.5),
    (own(torch.exp, lambda x, grad: -x.exp() * grad), (x(2, 3),), -1.0),
    (own(lambda x: x * 3, lambda x, grad: 0 * grad), (x(3),), 0.0),
    (own(lambda x: x.t() * 1, lambda x, grad: grad.reshape(3, 3)), (x(3, 3),), None),
    (own(lambda x: x.sum(), lambda x, grad: x * grad), (x(5),), None),
    (own(lambda x: 1e-9 * x.sum(), lambda x, grad: 2e-9 * grad.expand(5)), (x(5),), 2.0),
    (own(lambda z: z * z, lambda z, grad: 2 * z * grad), (x(3, dtype=torch.complex128),), -1.0),
    (own(lambda x: x.relu(), lambda x, grad: 2.0 * (x >= 0) * grad), (torch.tensor([0.0, 1.0, 2.0]),), None),
    (lambda x: own(torch.sin, lambda x, grad: grad)(x) if False else own(torch.sin, lambda x, grad: grad).apply(x), (x(4),), None),
]  # fmt: skip


class Rounding(nn.Module):
    def forward(self, x: Any) -> Any:
        return x + (x.round() - x).detach()


def symmetric(size: int) -> torch.Tensor:
    made = torch.randn(size, size, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    return made + made.T


DOUBTFUL: list[tuple[Any, tuple[Any, ...], str, str]] = [
    (own(torch.round, lambda x, grad: grad), (x(4),), "straight_through", "straight-through? its result does not"),
    (lambda x: 2 * own(torch.sign, lambda x, grad: grad).apply(x), (x(4),), "straight_through", "straight-through?"),
    (Rounding(), (x(4),), "straight_through", "straight-through?"),
    (lambda x: x * x.detach(), (x(4),), "cut", "a part of the gradient is cut off, as by detach(): on purpose? · input1["),
    (lambda x: (x - x.max().detach()).exp().sum(), (x(4),), "cut", "a part of the gradient is cut off"),
    (torch.linalg.eigh, (symmetric(3),), "symmetric", "agrees where both sides of the diagonal change together"),
    (torch.linalg.eigvalsh, (symmetric(3),), "symmetric", "agrees where both sides of the diagonal"),
    (lambda a: torch.linalg.svd(a, full_matrices=True), (x(2, 4, dtype=torch.float64),), "not_unique", "can't be told"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "inputs", "doubt", "said"), DOUBTFUL)
def test_what_may_be_meant_is_not_called_wrong(function: Any, inputs: tuple[Any, ...], doubt: str, said: str) -> None:
    found = gradcheck(function, *inputs)
    assert (found["state"], found["doubt"]) == ("disagrees", doubt)
    assert str(found).startswith(said)
    assert ", should be" not in str(found)


@pytest.mark.parametrize("reentrant", [True, False])
def test_what_is_under_a_checkpoint_is_checked(reentrant: bool) -> None:
    layer = nn.Linear(3, 3)
    cube, twice = (own(lambda x: x**3, lambda x, grad, by=by: by * x * x * grad) for by in (3, 6))

    def checkpointed(operation: Any) -> Any:
        return lambda x: checkpoint(lambda y: operation.apply(layer(y)), x, use_reentrant=reentrant)

    assert gradcheck(checkpointed(cube), x(2, 3))["state"] == "agrees"
    found = gradcheck(checkpointed(twice), x(2, 3))
    assert (found["state"], found["doubt"], found["inputs"][0]["ratio"]) == ("disagrees", None, pytest.approx(2))
    assert layer.weight.grad is None


def by_torch(function: Any, inputs: tuple[Any, ...]) -> bool:
    """What torch says of it."""

    def double(value: Any) -> Any:
        if type(value) in (list, tuple):
            return type(value)(map(double, value))
        if type(value) is dict:
            return {key: double(item) for key, item in value.items()}
        is_float = isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())
        return value.detach().to(torch.complex128 if value.is_complex() else torch.float64) if is_float else value

    called = function.apply if isinstance(function, type) else function
    given = [
        double(value).requires_grad_()
        if isinstance(value, torch.Tensor) and value.is_floating_point() | value.is_complex()
        else double(value)
        for value in inputs
    ]
    return torch.autograd.gradcheck(
        called, given, raise_exception=False, check_undefined_grad=False, check_batched_grad=False
    )


@pytest.mark.parametrize(("function", "inputs"), RIGHT)
def test_a_right_backward_agrees(function: Any, inputs: tuple[Any, ...]) -> None:
    found = gradcheck(function, *inputs)
    assert (found["state"], found["wrong"], found["why"]) == ("agrees", 0, None)
    assert found["looked_at"] > 0


@pytest.mark.parametrize(("function", "inputs", "ratio"), WRONG)
def test_a_wrong_backward_is_told_with_both_values(function: Any, inputs: tuple[Any, ...], ratio: float | None) -> None:
    found = gradcheck(function, *inputs)
    assert found["state"] == "disagrees"
    assert found["inputs"][0]["ratio"] == (None if ratio is None else pytest.approx(ratio, rel=1e-4))
    assert str(found).startswith("wrong")


def test_torch_says_the_same_of_what_it_can_be_asked() -> None:
    assert not by_torch(*WRONG[1][:2])
    assert [by_torch(function, inputs) for function, inputs, _ in WRONG[2:6]] == [False] * 4
    asked = [RIGHT[at] for at in (0, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 15, 18, 19)]
    assert [by_torch(function, inputs) for function, inputs in asked] == [True] * len(asked)


def test_the_entry_that_disagrees_is_named_with_its_place_in_the_result() -> None:
    def slope(x: Any, grad: Any) -> Any:
        made = 2 * x * grad
        made[1, 2] += 1 * grad[1, 2]
        return made

    found = gradcheck(own(lambda x: x * x, slope), x(2, 3))
    assert (found["wrong"], found["looked_at"], found["entries"]) == (1, 6, 6)
    (entry,) = found["worst"]
    expected = 2 * x(2, 3)[1, 2].item()
    assert (entry["index"], entry["output"], entry["output_index"]) == ([1, 2], 0, [1, 2])
    assert entry["analytic"] == pytest.approx(expected + 1)
    assert entry["numeric"] == pytest.approx(expected)


class OfTwo(torch.autograd.Function):
    """Its backward is right where both of its results are used, and only there."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.set_materialize_grads(False)
        return 2 * x, 3 * x

    @staticmethod
    def backward(ctx: Any, one: Any, other: Any) -> Any:
        return 2 * one + 3 * other if one is not None and other is not None else torch.ones(2)


def test_each_result_is_differentiated_alone_and_all_together() -> None:
    found = gradcheck(OfTwo, torch.ones(2))
    assert (found["state"], found["wrong"]) == ("disagrees", 2)
    assert {one["output"] for one in found["worst"]} == {1}

    class Together(OfTwo):
        @staticmethod
        def backward(ctx: Any, one: Any, other: Any) -> Any:
            return sum(factor * grad for factor, grad in ((2, one), (3, other)) if grad is not None) * (
                2 if one is not None and other is not None else 1
            )

    (entry, *_) = gradcheck(Together, torch.ones(2))["worst"]
    assert (entry["output"], entry["output_index"]) == (None, None)


def test_kinks_are_no_errors() -> None:
    for function in (torch.relu, lambda x: x.clamp(0, 1), lambda x: F.max_pool1d(x[None], 3)):
        found = gradcheck(function, torch.tensor([0.0, 1.0, 1.0, -2.0]))
        assert (found["state"], found["wrong"]) == ("agrees", 0)
        assert found["kinks"] > 0


def test_an_input_of_which_nothing_could_be_told_is_not_said_to_agree() -> None:
    assert str(gradcheck(torch.relu, torch.zeros(3))).splitlines()[1:] == ["  input1  3 entries · 3 at kinks"]


def test_where_a_function_only_bends_no_slope_between_the_two_sides_is_right() -> None:
    function = own(torch.cos, lambda x, grad: grad * 0)
    found = gradcheck(function, torch.tensor([1e-3, 2e-3, 1e-4, 5.0], dtype=torch.float64))
    assert (found["wrong"], found["kinks"]) == (4, 0)


@pytest.mark.parametrize("at", [0.0, 1e-8, 3e-7, 1e-5, 3e-4, 6e-3])
@pytest.mark.parametrize(
    "function",
    [
        torch.relu, torch.abs, F.hardswish, F.gelu, torch.cos, lambda x: x * x.abs(), lambda x: x.relu().cos(),
        lambda x: (x * x + 1e-12).sqrt(), lambda x: x.abs().pow(1.5), lambda x: (1e4 * x).tanh(), lambda x: x.floor() + x,
        lambda x: F.smooth_l1_loss(x, torch.zeros_like(x), beta=1e-3),
    ],
)  # fmt: skip
def test_near_a_kink_or_where_it_bends_a_right_backward_is_never_wrong(function: Any, at: float) -> None:
    assert gradcheck(function, torch.tensor([at, -at, 1.0], dtype=torch.float64))["wrong"] == 0


def test_only_what_requires_a_gradient_is_checked() -> None:
    found = gradcheck(lambda x, y: x * y.detach(), x(3), torch.ones(3))
    assert [one["name"] for one in found["inputs"]] == ["input1"]
    assert found["state"] == "agrees"


def test_of_a_large_input_some_entries_are_looked_at_and_that_is_said() -> None:
    found = gradcheck(own(lambda x: x.sum(), lambda x, grad: grad.expand(x.shape) * 2), x(100, 100))
    assert (found["entries"], found["looked_at"], found["wrong"]) == (10_000, 64, 64)
    assert "64 of 10.0K entries" in str(found)


def test_the_parameters_of_a_module_are_checked_by_name() -> None:
    class Wrong(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner, self.scale = nn.Linear(3, 2), nn.Parameter(torch.ones(2))

        def forward(self, x: Any) -> Any:
            return own(lambda s: s * s, lambda s, grad: s * grad).apply(self.scale) * self.inner(x)

    found = gradcheck(Wrong(), torch.randn(2, 3))
    assert {one["name"]: one["wrong"] for one in found["inputs"]} == {"scale": 2, "inner.weight": 0, "inner.bias": 0}


def raises(x: Any) -> Any:
    raise ValueError("no")


def exits(x: Any) -> Any:
    sys.exit(3)


WHY: list[tuple[Any, tuple[Any, ...], str, str | None]] = [
    (raises, (x(3),), "raised", "ValueError: no"),
    (exits, (x(3),), "raised", "SystemExit"),
    (own(torch.exp, raises), (x(3),), "backward_raised", None),
    (own(torch.exp, lambda x, grad: grad[:1].expand(7)), (x(3),), "backward_raised", None),
    (lambda x: F.linear(x, torch.ones(2, 3, dtype=torch.float32)), (x(3),), "refuses_double", None),
    (lambda x: 3, (x(3),), "no_tensor", "int"),
    (lambda x: x.argmax(), (x(3),), "no_tensor", "Tensor"),
    (lambda x: x.detach() * 2, (x(3),), "no_graph", None),
    (lambda x: x, (torch.arange(3),), "no_input", None),
    (lambda: 3, (), "no_input", None),
    (lambda x: x * time.perf_counter(), (x(3),), "not_deterministic", None),
    (torch.log, (torch.tensor([0.0, 1.0]),), "not_finite", None),
    (lambda x: x.bfloat16() * 2, (x(3),), "unsettled", None),
    (torch.sin, (torch.ones(3, device="meta"),), "not_run", "input1 is not a dense tensor with values in memory"),
    (torch.sin, (torch.eye(3).to_sparse(),), "not_run", "input1 is not a dense tensor with values in memory"),
    (nn.LazyLinear(3), (x(3),), "not_run", None),
    (len, (x(3),), "no_tensor", "int"),
    (lambda x: x[:0], (x(3),), "empty", None),
]  # fmt: skip


@pytest.mark.parametrize(("function", "inputs", "why", "error"), WHY)
def test_why_nothing_can_be_compared_is_said(function: Any, inputs: Any, why: str, error: str | None) -> None:
    found = gradcheck(function, *inputs)
    assert (found["state"], found["why"]) == ("unchecked", why)
    assert error is None or found["error"] == error


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (3, "function is an int, not a function, a torch.nn.Module or an autograd Function"),
        ("text", "value is a str, not a function"),
        (None, "function is None, not a function"),
        (nn.Linear, "value is the class Linear, not .* autograd Function: pass what Linear(…) makes"),
    ],
)
def test_what_can_not_be_called_is_refused(value: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said.replace("(…)", r"\(…\)")):
        gradcheck(value, x(3))


def test_an_input_may_be_called_function() -> None:
    found = gradcheck(lambda function: function.square(), function=x(3))
    assert (found["state"], found["looked_at"]) == ("agrees", 3)


def test_inputs_may_be_given_by_name() -> None:
    found = gradcheck(F.softmax, x(3, 2), dim=0)
    assert (found["state"], found["looked_at"]) == ("agrees", 6)
    found = gradcheck(F.linear, x(2, 3), bias=x(4), weight=x(4, 3))
    assert [one["name"] for one in found["inputs"]] == ["input1", "bias", "weight"]


def test_where_no_gradient_arrives_that_is_said() -> None:
    def cut(x: Any) -> Any:
        return x.detach().clone().requires_grad_() * 2

    found = gradcheck(cut, x(3))
    assert found["inputs"][0]["without"]
    assert str(found).startswith("wrong: no gradient for input1 · 3 of 3 entries disagree")


def test_an_input_that_the_backward_leaves_out_is_never_said_to_agree() -> None:
    class Weighted(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, weight: Any) -> Any:
            ctx.save_for_backward(weight)
            return x * weight

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * ctx.saved_tensors[0], None

    found = gradcheck(Weighted, x(3).detach(), x(3).detach())
    assert (found["state"], found["doubt"]) == ("disagrees", "left_out")
    assert str(found).startswith("no gradient for input2, though the result depends on it: on purpose? · input2[")
    trained = gradcheck(Weighted, x(3), x(3))
    assert str(trained).startswith("wrong: no gradient for input2")


def test_what_the_result_does_not_depend_on_needs_no_gradient() -> None:
    found = gradcheck(lambda x, mask: x * (mask > 0), x(3).detach(), x(3).detach())
    assert (found["state"], found["inputs"][1]["without"]) == ("agrees", True)


NOT_FINITE: list[tuple[Any, list[float], str]] = [
    (lambda x: torch.where(x > 0, x.sqrt(), torch.zeros_like(x)), [-1.0, 2.0], "NaN at input1[0] · 1 of 2 entries"),
    (torch.sqrt, [0.0, 4.0], "Inf at input1[0]"),
    (lambda x: x**0.5, [4.0, 0.0], "NaN at input1[1]"),
    (torch.acos, [1.0, 0.5], "−Inf at input1[0]"),
    (own(lambda x: x * x, lambda x, grad: grad * torch.inf), [1.0, 2.0], "Inf at input1[0]"),
    (own(torch.relu, lambda x, grad: torch.where(x > 0, grad, torch.nan)), [1.0, -1.0], "NaN at input1[1]"),
]


@pytest.mark.parametrize(("function", "values", "said"), NOT_FINITE)
def test_a_gradient_that_is_not_finite_is_said_to_be(function: Any, values: list[float], said: str) -> None:
    found = gradcheck(function, torch.tensor(values))
    assert (found["state"], found["doubt"]) == ("disagrees", None)
    assert str(found).startswith(f"its backward gives {said}")


def test_so_is_one_where_the_function_can_not_be_called_beside_it() -> None:
    def one(x: Any) -> Any:
        if x.item() != 1.0:
            raise ValueError("only 1")
        return x.sqrt() + (x - 1).sqrt()

    found = gradcheck(one, torch.ones(()))
    assert str(found).splitlines()[0] == "its backward gives Inf at input1 · 1 of 1 entries disagree · input1: Inf"


def test_a_slope_that_grows_with_each_smaller_step_proves_nothing_wrong() -> None:
    found = gradcheck(lambda x: F.normalize(x, dim=0), torch.zeros(3))
    assert (found["wrong"], found["why"]) == (0, "unsettled")


def test_the_ctc_loss_whose_backward_counts_the_softmax_in_is_not_called_cut_off() -> None:
    scores, lengths = torch.randn(6, 2, 4), (torch.tensor([6, 6]), torch.tensor([2, 2]))
    targets = torch.tensor([[1, 2], [2, 3]])
    assert gradcheck(nn.CTCLoss(), scores.log_softmax(2), targets, *lengths)["doubt"] == "log_softmax"
    assert gradcheck(lambda x: nn.CTCLoss()(x.log_softmax(2), targets, *lengths), scores)["state"] == "agrees"


def test_the_line_says_of_one_entry_what_disagrees_however_long_the_doubt() -> None:
    for function, inputs, _, _ in DOUBTFUL[:5]:
        assert "input1[" in str(gradcheck(function, *inputs)).splitlines()[0]


def test_inputs_that_require_no_gradient_beside_parameters_that_do_are_said_not_to_be_looked_at() -> None:
    found = gradcheck(nn.Linear(3, 2), x(4, 3).detach())
    assert found["not_asked"] == ["input1"]
    assert str(found).splitlines()[0] == "agrees · input1 not looked at · 8 entries"
    assert gradcheck(nn.Linear(3, 2), x(4, 3))["not_asked"] == []


def test_it_runs_with_the_program_s_own_overrides() -> None:
    with torch.device("meta"), torch.device("cpu"):
        assert gradcheck(lambda x: x * torch.ones(3), x(3))["state"] == "agrees"


def test_it_is_asked_with_the_option_by_which_the_user_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> Any:
        f, given = own(lambda x: x * x, lambda x, grad: x * grad), x(2)
        assert f is not given
        return sys._getframe()

    paused = Paused(stop(), monkeypatch)
    refused = paused.lens("gradcheck", function="f", input1="given")
    assert refused["error"]["code"] == "bad_request"
    answer = paused.lens("gradcheck", {"run": True}, function="f", input1="given")
    assert answer["found"]["state"] == "disagrees"
    row = answer["node"]
    assert (row["name"], row["badges"]) == ("gradcheck of f(given)", ["wrong"])
    assert row["line"].startswith("wrong: 1/2 of what it should be · 2 of 2 entries disagree")
    first, *entries = [below["name"] for below in paused.below(answer, row)]
    assert (first, sorted(entries)) == ("given", ["given[0]", "given[1]"])
