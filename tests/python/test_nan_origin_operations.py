"""Which operation the lens `nan_origin` names, for a wide table of torch's operations: the first that torch itself sees
with finite inputs and a result that is not, though no name in sight holds that result."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

import tensor_inspector
from tensor_inspector.lenses.graphs.origin_words import CAUSES as WORDS
from tensor_inspector.measure.torch.operations.saved_names import output_saved_as

_FILLING = ("empty", "full", "fill", "scalar_tensor")


class FirstSpoiled(TorchDispatchMode):
    """The first operation with finite inputs and an output that is not; what only fills memory is none."""

    def __init__(self) -> None:
        super().__init__()
        self.op = ""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        was_finite = are_finite((args, kwargs))
        result = func(*args, **(kwargs or {}))
        if not self.op and was_finite and not are_finite(result) and not any(word in name for word in _FILLING):
            self.op = name.replace("_", "")
        return result


def are_finite(values: Any) -> bool:
    return all(bool(value.isfinite().all()) for value in tree_leaves(values) if isinstance(value, torch.Tensor))


def big(*sizes: int, of: float = 1e20) -> torch.Tensor:
    """What an operation has made of a parameter, all one number."""
    return torch.full(sizes, of, requires_grad=True) * 1


def largest(*sizes: int) -> torch.Tensor:
    return big(*sizes, of=3e38)


def usual(*sizes: int) -> torch.Tensor:
    return torch.randn(*sizes, requires_grad=True) * 1


def spoiled(module: Any, weight: float = 3e38) -> Any:
    """A recurrent layer whose products with its inputs, of 10, overflow to both sides."""
    with torch.no_grad():
        first = next(iter(module.parameters()))
        first[:, 0].fill_(weight)
        first[:, 1].fill_(-weight)
    return module


def steps_of_ten() -> torch.Tensor:
    return torch.full((5, 2, 4), 10.0, requires_grad=True) * 1


OPERATIONS: dict[str, Callable[[], torch.Tensor]] = {
    "attention": lambda: F.scaled_dot_product_attention(big(1, 2, 4, 8), big(1, 2, 4, 8), usual(1, 2, 4, 8)),
    "attention, a mask": lambda: F.scaled_dot_product_attention(
        big(1, 2, 4, 8), big(1, 2, 4, 8), usual(1, 2, 4, 8), torch.zeros(4, 4)
    ),
    "attention in single operations": lambda: F.scaled_dot_product_attention(big(4, 8), big(4, 8), usual(4, 8), None, 0.1),
    "multi-head attention": lambda: nn.MultiheadAttention(8, 2)(*(big(3, 1, 8),) * 3)[0],
    "transformer layer": lambda: nn.TransformerEncoderLayer(8, 2, 16)(big(3, 1, 8)),
    "lstm": lambda: spoiled(nn.LSTM(4, 3))(steps_of_ten())[0] * largest(1) * 9,
    "gru": lambda: spoiled(nn.GRU(4, 3))(steps_of_ten())[0],
    "rnn": lambda: spoiled(nn.RNN(4, 3))(steps_of_ten())[0],
    "gru, two layers, both ways": lambda: spoiled(nn.GRU(4, 3, 2, bidirectional=True))(steps_of_ten())[0],
    "lstm cell": lambda: spoiled(nn.LSTMCell(4, 3))(steps_of_ten()[0])[0],
    "gru cell": lambda: spoiled(nn.GRUCell(4, 3))(steps_of_ten()[0]),
    "a view of a product": lambda: (big(4, 4) @ big(4, 4)).view(2, 8),
    "a permutation of a product": lambda: (big(4, 4) * big(4, 4)).permute(1, 0).reshape(2, 8),
    "a part of a product": lambda: ((big(4) + 1) * big(4))[1:],
    "one of a product": lambda: ((big(4) + 1) * big(4))[1],
    "an expanded product": lambda: ((big(4) + 1) * big(4)).expand(3, 4),
    "half of a product": lambda: (big(4, 4) @ big(4, 4)).chunk(2)[1],
    "sizes of a product": lambda: (big(4, 4) @ big(4, 4)).split([1, 3])[1],
    "product beside others": lambda: torch.cat([big(4) * big(4), usual(4)]),
    "product on others": lambda: torch.stack([(big(4) + 1) * big(4), usual(4)]),
    "gathered": lambda: (big(4) * big(4)).gather(0, torch.zeros(2).long()),
    "indexed": lambda: (big(4) * big(4))[torch.zeros(2).long()],
    "padded": lambda: F.pad(big(1, 4) * big(1, 4), (1, 1)),
    "rolled and flipped": lambda: (big(4) * big(4)).roll(1).flip(0),
    "through a relu": lambda: (big(4) @ big(4, 4)).relu().view(2, 2).t(),
    "conv1d": lambda: F.conv1d(big(1, 2, 8), big(2, 2, 3)),
    "conv2d with a bias": lambda: F.conv2d(big(1, 2, 8, 8), big(2, 2, 3, 3), usual(2)),
    "transposed conv": lambda: F.conv_transpose2d(big(1, 2, 8, 8), big(2, 2, 3, 3)),
    "layer_norm of what is the same": lambda: F.layer_norm(torch.ones(4, 3, requires_grad=True) * 1, (3,), eps=0),
    "group_norm of what is the same": lambda: F.group_norm(torch.ones(4, 4, requires_grad=True) * 1, 2, eps=0),
    "layer_norm of what is too large": lambda: F.layer_norm(usual(4, 3) * 3e38, (3,)),
    "rms_norm": lambda: F.rms_norm(torch.zeros(4, 4, requires_grad=True) * 1, (4,), eps=0),
    "normalize": lambda: F.normalize(torch.zeros(4, 4, requires_grad=True) * 1, eps=0),
    "cdist": lambda: torch.cdist(big(4, 4), -big(4, 4)),
    "pdist": lambda: F.pdist(torch.tensor([[1e30, 1], [-1e30, 2]], requires_grad=True) * 1),
    "dist": lambda: torch.dist(big(4), -big(4)),
    "pairwise_distance": lambda: F.pairwise_distance(big(4, 4), -big(4, 4)),
    "norm": lambda: torch.norm(big(4)),
    "vector_norm": lambda: torch.linalg.vector_norm(big(4), 3),
    "cumprod": lambda: big(4).cumprod(0),
    "prod": lambda: big(4).prod(),
    "cumsum": lambda: largest(4).cumsum(0),
    "logcumsumexp": lambda: (usual(4) * 3e38 * 10).logcumsumexp(0),
    "pow": lambda: big(4).pow(3),
    "pow of tensors": lambda: big(4).pow(torch.full((4,), 3.0)),
    "power of a number": lambda: 10 ** big(4),
    "sqrt": lambda: (-big(4)).sqrt(),
    "exp": lambda: big(4).exp(),
    "exp2": lambda: big(4).exp2(),
    "expm1": lambda: big(4).expm1(),
    "sinh": lambda: big(4).sinh(),
    "cosh": lambda: big(4).cosh(),
    "square": lambda: big(4).square(),
    "log": lambda: (-big(4)).log(),
    "atan2 of what is infinite": lambda: torch.atan2(big(4) * big(4), big(4) * big(4)) * big(4) * big(4),
    "hypot": lambda: torch.hypot(largest(4), largest(4)),
    "division": lambda: big(4) / (usual(4) * 0),
    "division, rounded": lambda: torch.div(big(4), usual(4) * 0, rounding_mode="floor"),
    "remainder": lambda: big(4) % torch.zeros(4),
    "fmod": lambda: torch.fmod(big(4), torch.zeros(4)),
    "mse_loss": lambda: F.mse_loss(big(4), torch.full((4,), -1e20)),
    "mse_loss of each": lambda: F.mse_loss(big(4), torch.full((4,), -1e20), reduction="none"),
    "bce with logits": lambda: F.binary_cross_entropy_with_logits(big(4), torch.full((4,), 1e20)),
    "cross_entropy of nothing": lambda: F.cross_entropy(usual(4, 3), torch.full((4,), -100)),
    "nll_loss of nothing": lambda: F.nll_loss(F.log_softmax(usual(4, 3), 1), torch.full((4,), -100)),
    "nll_loss with weights of 0": lambda: F.nll_loss(usual(4, 3), torch.zeros(4).long(), torch.zeros(3)),
    "kl_div": lambda: F.kl_div(big(4), torch.full((4,), 1e20), reduction="sum"),
    "poisson_nll_loss": lambda: F.poisson_nll_loss(big(4), torch.full((4,), 1e20)),
    "gaussian_nll_loss": lambda: F.gaussian_nll_loss(big(4), torch.full((4,), -1e20), torch.ones(4)),
    "ctc_loss": lambda: F.ctc_loss(
        F.log_softmax(usual(3, 1, 5), 2), torch.tensor([[1, 1, 2]]), torch.tensor([3]), torch.tensor([3])
    ),
    "smooth_l1_loss": lambda: F.smooth_l1_loss(largest(4), torch.full((4,), -3e38)),
    "huber_loss": lambda: F.huber_loss(largest(4), torch.full((4,), -3e38)),
    "l1_loss": lambda: F.l1_loss(largest(4), torch.full((4,), -3e38)),
    "soft_margin_loss": lambda: F.soft_margin_loss(-big(4), torch.ones(4)),
    "multi_margin_loss": lambda: F.multi_margin_loss(big(4, 3) * torch.tensor([1.0, 1e18, 1]), torch.zeros(4).long(), p=2),
    "triplet_margin_loss": lambda: F.triplet_margin_loss(big(4, 4), -big(4, 4), usual(4, 4)),
    "hinge_embedding_loss": lambda: F.hinge_embedding_loss(largest(4), torch.ones(4)),
    "margin_ranking_loss": lambda: F.margin_ranking_loss(largest(4), -largest(4), -torch.ones(4)),
    "cosine_embedding_loss": lambda: F.cosine_embedding_loss(big(4, 4), big(4, 4), torch.ones(4)),
    "multilabel_soft_margin_loss": lambda: F.multilabel_soft_margin_loss(-largest(4, 4), torch.full((4, 4), 2.0)),
    "inv": lambda: torch.linalg.inv(torch.eye(3, requires_grad=True) * 1e-30 * 1e-10),
    "det": lambda: torch.linalg.det(big(3, 3) * torch.eye(3)),
    "slogdet": lambda: torch.linalg.slogdet(torch.zeros(3, 3, requires_grad=True) * 1)[1].abs(),
    "solve": lambda: torch.linalg.solve(torch.eye(3, requires_grad=True) * 1e-30, big(3, 3)),
    "solve_triangular": lambda: torch.linalg.solve_triangular(torch.eye(3) * 1e-30, big(3, 3), upper=True),
    "matrix_exp": lambda: torch.linalg.matrix_exp(torch.eye(3, requires_grad=True) * 1e3),
    "singular values, scaled": lambda: torch.linalg.svd(torch.eye(3, requires_grad=True) * 1)[1] * 3e38 * 10,
    "fft": lambda: torch.fft.fft(largest(8)).abs(),
    "rfft": lambda: torch.fft.rfft(largest(8)).real,
    "irfft": lambda: torch.fft.irfft(torch.fft.rfft(big(8, of=1e37)) * 1e1, norm="forward"),
    "scatter_add": lambda: torch.zeros(2).scatter_add(0, torch.zeros(4).long(), largest(4)),
    "index_add": lambda: torch.zeros(2).index_add(0, torch.zeros(4).long(), largest(4)),
    "scatter_reduce": lambda: torch.ones(2).scatter_reduce(0, torch.zeros(4).long(), big(4), "prod"),
    "einsum": lambda: torch.einsum("ij,jk->ik", big(4, 4), big(4, 4)),
    "bmm": lambda: torch.bmm(big(2, 4, 4), big(2, 4, 4)),
    "baddbmm": lambda: torch.baddbmm(usual(2, 4, 4), big(2, 4, 4), big(2, 4, 4)),
    "addcdiv": lambda: torch.addcdiv(usual(4), usual(4), torch.zeros(4)),
    "addcmul": lambda: torch.addcmul(usual(4), big(4), big(4)),
    "lerp": lambda: torch.lerp(largest(4), -largest(4), 2.0),
    "dot": lambda: torch.dot(big(3), big(3)),
    "mv": lambda: big(3, 3) @ big(3),
    "outer": lambda: torch.outer(big(3), big(3)),
    "cross": lambda: torch.linalg.cross(big(3), usual(3) * 1e20),
    "bilinear": lambda: F.bilinear(big(2, 3), big(2, 3), usual(1, 3, 3)),
    "elu, scaled": lambda: F.elu(-largest(4), alpha=-1.0) * 3e38 * 10,
    "interpolate, scaled": lambda: F.interpolate(largest(1, 1, 4), scale_factor=2, mode="linear") * 10,
    "avg_pool1d": lambda: F.avg_pool1d(largest(1, 1, 4), 2),
    "adaptive_avg_pool1d": lambda: F.adaptive_avg_pool1d(largest(1, 1, 4), 1),
    "lp_pool1d": lambda: F.lp_pool1d(big(1, 1, 4), 2, 2),
    "max_pool1d of a product": lambda: F.max_pool1d(big(1, 1, 4) * big(1, 1, 4), 2),
    "embedding": lambda: F.embedding(torch.zeros(2).long(), big(3, 2)) * big(2, 2),
    "embedding_bag": lambda: F.embedding_bag(torch.zeros(1, 8).long(), largest(3, 2), mode="sum"),
    "mean": lambda: largest(4).mean(),
    "sum": lambda: largest(4).sum(),
    "lgamma": lambda: torch.lgamma(largest(4)),
    "erfinv": lambda: torch.erfinv(usual(4) * 0 + 2),
    "logit": lambda: torch.logit(usual(4) * 0 + 2),
    "polygamma": lambda: torch.polygamma(1, usual(4) * 0),
    "xlogy": lambda: torch.xlogy(usual(4) * 0 + 1, usual(4) * 0).abs(),
    "glu, scaled": lambda: F.glu(largest(4)) * 10,
    "dropout": lambda: F.dropout(largest(1000), 0.9),
    "weight_norm": lambda: torch._weight_norm(torch.zeros(2, 3, requires_grad=True) * 1, torch.ones(2, 1), 0),
    "to float16": lambda: big(4).half(),
    "grid_sample, scaled": lambda: F.grid_sample(largest(1, 1, 4, 4), torch.zeros(1, 2, 2, 2), align_corners=False) * 10,
    "fold": lambda: F.fold(F.unfold(largest(1, 1, 4, 4), 2), (4, 4), 2),
    "diff": lambda: torch.diff(largest(4) * torch.tensor([1.0, -1, 1, -1])),
    "complex": lambda: torch.complex(big(4) * big(4), big(4)).abs(),
}  # fmt: skip


@pytest.mark.parametrize("made", OPERATIONS.values(), ids=OPERATIONS)
def test_the_operation_is_named_though_no_name_holds_its_result(made: Callable[[], torch.Tensor]) -> None:
    torch.manual_seed(0)
    with FirstSpoiled() as first:
        made()
    torch.manual_seed(0)
    loss = made().sum()
    assert first.op
    assert not bool(loss.isfinite())
    found: Any = tensor_inspector.nan_origin(loss)
    assert found["where"] == "operation"
    named = [found["operation"].lower(), *(other.lower() for other in found["others"])]
    assert any(first.op.startswith(name) for name in named)
    if found["certain"]:
        assert len(named) == 1


GIVEN: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "attention": lambda bad: F.scaled_dot_product_attention(*(bad.view(1, 1, 2, 2),) * 3),
    "product": lambda bad: usual(4) * bad,
    "matrices": lambda bad: usual(2, 4) @ bad.view(4, 1),
    "conv1d": lambda bad: F.conv1d(bad.view(1, 1, 4), usual(1, 1, 2)),
    "lstm": lambda bad: nn.LSTM(2, 3)(bad.view(2, 1, 2))[0],
    "gru": lambda bad: nn.GRU(2, 3)(bad.view(2, 1, 2))[0],
    "layer_norm": lambda bad: F.layer_norm(bad, (4,), usual(4)),
    "cat": lambda bad: torch.cat([usual(4), bad]),
    "stack": lambda bad: torch.stack([usual(4), bad]),
    "where": lambda bad: torch.where(torch.ones(4).bool(), bad, usual(4)),
    "power": lambda bad: usual(4).abs() ** bad,
    "kl_div": lambda bad: F.kl_div(usual(4), bad, reduction="sum"),
    "mse_loss": lambda bad: F.mse_loss(usual(4), bad),
    "bce with weights": lambda bad: F.binary_cross_entropy_with_logits(usual(4), torch.ones(4), bad.detach()),
    "cdist": lambda bad: torch.cdist(usual(2, 2), bad.view(2, 2)),
    "addcmul": lambda bad: torch.addcmul(usual(4), usual(4), bad),
    "solve": lambda bad: torch.linalg.solve(bad.view(2, 2), usual(2, 2)),
}


@pytest.mark.parametrize("requires_grad", [True, False])
@pytest.mark.parametrize("made", GIVEN.values(), ids=GIVEN)
def test_what_was_given_is_not_blamed_on_the_operation(
    made: Callable[[torch.Tensor], torch.Tensor], requires_grad: bool
) -> None:
    bad = torch.tensor([1.0, torch.nan, 2.0, 3.0], requires_grad=requires_grad)
    loss = (made(bad) * torch.ones(1, requires_grad=True)).sum()
    assert tensor_inspector.nan_origin(loss)["where"] in ("input", "parameter")


def test_what_a_layer_has_saved_as_its_result_is_its_result() -> None:
    layer = nn.LSTM(4, 3)
    with torch.no_grad():
        layer.weight_hh_l0.fill_(torch.nan)
    loss = layer(steps_of_ten())[0].sum()
    found: Any = tensor_inspector.nan_origin(loss)
    assert (found["where"], found["operation"], found["name"]) == ("parameter", "MkldnnRnnLayer", "layer.weight_hh_l0")


def test_which_of_several_results_a_value_is_of_is_told_apart() -> None:
    parts = (big(2, 2) * torch.tensor([[1.0, 1.0], [1e20, 1e20]])).unbind()
    fine, bad = parts[0] + 0, parts[1] + 0
    assert tensor_inspector.nan_origin(fine)["where"] == "finite"
    found: Any = tensor_inspector.nan_origin(bad.sum() + fine.sum())
    assert (found["operation"], found["certain"]) == ("Mul", True)


def test_the_operations_of_which_it_may_be_one_are_all_named() -> None:
    loss = F.soft_margin_loss(-big(4), torch.ones(4)).sum()
    assert str(tensor_inspector.nan_origin(loss)).startswith("may begin at SoftMarginLoss or Sum")


def test_what_can_not_make_it_is_left_out() -> None:
    loss = torch.polygamma(1, big(4) * 0).view(2, 2).t()[0]
    found: Any = tensor_inspector.nan_origin(loss)
    assert (found["operation"], found["others"], found["certain"]) == ("Polygamma", [], True)


INF = torch.inf


def made(*numbers: float, dtype: Any = torch.float32) -> torch.Tensor:
    """What an operation has made: the numbers."""
    return torch.tensor(numbers, dtype=dtype, requires_grad=True) * torch.ones((), dtype=dtype)


def evaluated(variance: float, eps: float = 1e-5, of: float = 1.0) -> torch.Tensor:
    """What a batch norm in eval mode makes of ``of``."""
    weight, bias = torch.ones(2, requires_grad=True), torch.zeros(2, requires_grad=True)
    return F.batch_norm(torch.full((3, 2), of), torch.zeros(2), torch.full((2,), variance), weight, bias, eps=eps)


def row(*numbers: float) -> torch.Tensor:
    return made(*numbers).view(1, -1)


FIRST, NONE = torch.tensor([0]), torch.tensor([-100])
OVERFLOW = "an overflow: larger than the dtype holds"
#: An operation and what it was given; what is said of the cause. Nothing is said where it is not proven.
CAUSES: dict[str, tuple[Callable[[], torch.Tensor], str | None]] = {
    "batch norm, running_var −1": (lambda: evaluated(-1.0), "running_var below 0"),
    "batch norm, running_var 0 without eps": (lambda: evaluated(0.0, 0.0), "a deviation of 0 divides"),
    "batch norm of what is the same": (lambda: evaluated(1e-30, 0.0, 3e38), OVERFLOW),
    "layer norm of what is the same": (lambda: F.layer_norm(row(1, 1), (2,), eps=0), "a deviation of 0 divides"),
    "layer norm of what is too large": (lambda: F.layer_norm(row(3e38, -3e38), (2,)), OVERFLOW),
    "layer norm of −Inf": (lambda: F.layer_norm(row(-INF, 1), (2,)), "Inf went in"),
    "group norm of what is the same": (lambda: F.group_norm(row(1, 1, 1, 1), 2, eps=0), "a deviation of 0 divides"),
    "cross_entropy, −Inf at the target": (lambda: F.cross_entropy(row(-INF, 1, 2), FIRST), "Inf went in"),
    "cross_entropy, targets of −Inf": (
        lambda: F.cross_entropy(row(-INF, 1, 2), torch.tensor([[0, 0.5, 0.5]])), "0 · Inf",
    ),
    "cross_entropy, label smoothing": (
        lambda: F.cross_entropy(row(-INF, 1, 2), FIRST + 1, label_smoothing=0.1), "Inf went in",
    ),
    "cross_entropy, all ignored": (lambda: F.cross_entropy(row(1, 2), NONE), "a mean of nothing"),
    "cross_entropy, weights of 0": (lambda: F.cross_entropy(row(1, 2), FIRST, torch.zeros(2)), "a mean of nothing"),
    "nll_loss, too large": (lambda: F.nll_loss(row(-3e38, 1).expand(2, 2), torch.zeros(2).long(), reduction="sum"), OVERFLOW),
    "mse_loss of −Inf": (lambda: F.mse_loss(made(-INF), made(1)), "Inf went in"),
    "mse_loss, too large": (lambda: F.mse_loss(made(1e30), made(1)), OVERFLOW),
    "mse_loss of nothing": (lambda: F.mse_loss(made(1)[:0], torch.ones(0)), "a mean of nothing"),
    "bce with logits of −Inf": (lambda: F.binary_cross_entropy_with_logits(made(-INF), torch.ones(1)), "Inf went in"),
    "ctc_loss, too few frames": (
        lambda: F.ctc_loss(F.log_softmax(usual(3, 1, 5), 2), torch.tensor([[1, 1, 2]]), torch.tensor([3]), torch.tensor([3])), None,
    ),
    "minus −Inf": (lambda: -made(-INF), "Inf went in"),
    "abs of −Inf": (lambda: made(-INF).abs(), "Inf went in"),
    "square of −Inf": (lambda: made(-INF) ** 2, "Inf went in"),
    "square, too large": (lambda: made(1e30) ** 2, OVERFLOW),
    "power of Inf": (lambda: made(2) ** INF, "Inf went in"),
    "power, too large": (lambda: made(10) ** made(50), OVERFLOW),
    "power of a number, too large": (lambda: 10 ** made(50), OVERFLOW),
    "root of a negative number, as a power": (lambda: made(-2) ** made(0.5), "a power of a negative number"),
    "negative number to a power": (lambda: (-2) ** made(0.5), "a power of a negative number"),
    "negative power of 0": (lambda: made(0) ** made(-1), "a division by 0"),
    "times −Inf": (lambda: made(1, -2) * -INF, "Inf went in"),
    "0 times −Inf": (lambda: made(0, 2) * torch.tensor([-INF, 1]), "0 · Inf"),
    "matrices, 0 times −Inf or −Inf + Inf": (lambda: row(0, 1) @ made(-INF, 1), "Inf went in"),
    "product, too large": (lambda: made(1e30) * made(1e30), OVERFLOW),
    "plus Inf times": (lambda: torch.add(made(1), made(1), alpha=INF), "Inf went in"),
    "plus a number": (lambda: made(1) + INF, None),
    "division by 0": (lambda: made(1) / 0, "a division by 0"),
    "division of 0 by 0": (lambda: made(0) / 0, "0 / 0"),
    "division of −Inf by −Inf": (lambda: made(-INF) / torch.tensor([-INF]), "Inf went in"),
    "division, too large": (lambda: made(1e30) / 1e-30, OVERFLOW),
    "addcdiv by 0": (lambda: torch.addcdiv(made(1), made(1), torch.zeros(1)), None),
    "where, Inf": (lambda: torch.where(torch.tensor(True), INF, made(1)), None),
    "masked_fill, Inf": (lambda: made(1).masked_fill(torch.tensor(True), INF), None),
    "clamp, from Inf": (lambda: made(1).clamp(min=INF), None),
    "softplus, beta 0": (lambda: F.softplus(made(1), beta=0), None),
    "lgamma, too large": (lambda: torch.lgamma(made(3e38)), OVERFLOW),
    "lgamma of 0": (lambda: torch.lgamma(made(0)), "a number outside of what it is defined for"),
    "lgamma of −Inf": (lambda: torch.lgamma(made(-INF)), "Inf went in"),
    "acos of 2": (lambda: made(2).acos(), "a number outside of what it is defined for"),
    "acos of −Inf": (lambda: made(-INF).acos(), "Inf went in"),
    "logit of 1": (lambda: torch.logit(made(1)), "a number outside of what it is defined for"),
    "log of −Inf": (lambda: made(-INF).log(), "Inf went in"),
    "xlogy of 0": (lambda: -torch.xlogy(made(1), made(0)), "log of 0"),
    "xlogy of −1": (lambda: torch.xlogy(made(1), made(-1)), "log of a negative number"),
    "cos of −Inf": (lambda: made(-INF).cos(), "Inf went in"),
    "gelu of −Inf": (lambda: F.gelu(made(-INF)), "Inf went in"),
    "inverse of what has none": (lambda: torch.linalg.inv(torch.eye(3, requires_grad=True) * 1e-38 * 1e-3), None),
    "norm of −Inf": (lambda: made(-INF, 1).norm(), "Inf went in"),
    "norm, too large": (lambda: made(3e38, 3e38).norm(), OVERFLOW),
    "std of −Inf": (lambda: made(-INF, 1).std(), "Inf went in"),
    "std, too large": (lambda: made(3e38, -3e38, 3e38).std(), OVERFLOW),
    "sum, too large": (lambda: made(3e38, 3e38).sum(), OVERFLOW),
    "conv of −Inf": (lambda: F.conv1d(made(-INF, 1).view(1, 1, 2), -torch.ones(1, 1, 1)), "Inf went in"),
    "to float16": (lambda: made(1e5).half(), OVERFLOW),
    "float16 by 0": (lambda: made(1, dtype=torch.float16) / torch.zeros(1).half(), "a division by 0"),
    "attention, scores too large": (lambda: F.scaled_dot_product_attention(*(big(1, 2, 4, 8),) * 3), OVERFLOW),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize(("result", "cause"), CAUSES.values(), ids=CAUSES)
def test_a_cause_is_said_only_where_what_went_in_proves_it(
    result: Callable[[], torch.Tensor], cause: str | None
) -> None:
    found: Any = tensor_inspector.nan_origin(result())
    line = str(found).partition("\n")[0]
    assert found["where"] != "unknown"
    assert [words for words in WORDS.values() if f" · {words} · " in f"{line} · "] == ([cause] if cause else [])


@pytest.mark.parametrize(("number", "text"), [(INF, "1 Inf"), (torch.nan, "1 NaN")])
def test_a_number_that_is_not_finite_was_given(number: float, text: str) -> None:
    line = str(tensor_inspector.nan_origin(made(1, 2) * number)).partition("\n")[0]
    assert line.startswith(f"in what Mul was given · {text}")


def derivatives() -> dict[str, list[tuple[set[str], set[str]]]]:
    """What torch's table of derivatives calls the parameters and the results of each function, by the node's name."""
    yaml = pytest.importorskip("yaml")
    torchgen = import_module("torchgen")
    table = Path(torchgen.__path__[0]) / "packaged" / "autograd" / "derivatives.yaml"
    found: dict[str, list[tuple[set[str], set[str]]]] = {}
    for entry in yaml.safe_load(table.read_text("utf-8")):
        match = re.match(r"(\w+?)_?(?:\.\w+)?\((.*)\)\s*->\s*(.*)$", entry["name"], re.DOTALL)
        assert match is not None
        name, parameters, results = match.groups()
        node = "".join(word.title() for word in name.split("_"))
        taken = {part.split("=")[0].split()[-1] for part in parameters.split(", ") if part.strip("* ")}
        made = set(re.findall(r"Tensor(?:\([a-z!]+\))?(?:\[\])?\s+(\w+)", results))
        found.setdefault(node, []).append((taken, made))
    return found


#: What is of whole numbers or bits, where NaN can't be.
_WITHOUT_FRACTION = {
    "cum_seq_k", "cum_seq_q", "exponent", "indices", "mask", "philox_offset", "philox_seed", "pivots", "rng_state", "unused",
}  # fmt: skip


def test_what_each_operation_saves_is_known_as_its_input_or_its_result() -> None:
    known = derivatives()
    wrong = []
    for name, cls in vars(torch._C._functions).items():
        op = name.rpartition("Backward")[0]
        for attribute in dir(cls) if op in known else ():
            saved = attribute[len("_raw_saved_") :] if attribute.startswith("_raw_saved_") else ""
            is_made = any(saved in made for _, made in known[op]) or bool(re.fullmatch(r"result\d*", saved))
            is_taken = any(saved in taken for taken, _ in known[op])
            if not saved or saved in _WITHOUT_FRACTION or is_made == is_taken:
                continue
            if (output_saved_as(op, saved) is not None) != is_made:
                wrong.append(f"{name}.{saved}")
    assert wrong == []
