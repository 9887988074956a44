"""What operations make of what they are given, worked out where neither they nor their users have saved it.

No operation stands here that changes what it is given, or draws random numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....safe.guard import NUMBERS, module
from ..graph import VIEWS
from ..node import AutogradNode

torch: Any = module("torch")

Work = Callable[..., Any]


def result_of(node: AutogradNode, output: int, operands: list[Any]) -> Any:
    """An output that an operation must have had; raises where it is not known how, or its settings are not."""
    if node.op in _SHAPES:
        return operands[0].reshape(node.sizes(output))
    made = WORK[node.op](node, *operands)
    return made[output] if type(made) is tuple else made


def can_work_out(op: str) -> bool:
    """Whether it is known what an operation makes."""
    return op in _SHAPES or op in WORK


#: Operations that only give another shape to the same elements in the same order.
_SHAPES = VIEWS - {"AsStrided", "Permute", "T", "ToCopy", "Transpose"}


def _setting(node: AutogradNode, name: str) -> Any:
    found = node.setting(name)
    if found is None:
        raise LookupError(name)
    return found


def _dim(node: AutogradNode) -> int:
    dim = node.dim()
    if dim is None:
        raise LookupError("dim")
    return dim


def _signed(number: Any) -> int:
    """A number as torch was given it: it keeps some unsigned, so that −1 is 2⁶⁴ − 1."""
    return int(number) - 2**64 if number >= 2**63 else int(number)


def _reduced(name: str) -> Work:
    def work(node: AutogradNode, value: Any) -> Any:
        dims = node.dims()
        reduce = getattr(value, name)
        return reduce(dims, bool(node.setting("keepdim"))) if dims else reduce()

    return work


def _scaled(node: AutogradNode) -> Any:
    alpha = node.setting("alpha")
    return alpha if type(alpha) in NUMBERS else 1


def _factor(node: AutogradNode, other: Any) -> Any:
    """What it was given beside a tensor: another one, or a number, which it has saved."""
    return _setting(node, "other") if other is None else other


def _power(node: AutogradNode, base: Any, exponent: Any = None) -> Any:
    return base.pow(node.setting("exponent") if exponent is None else exponent)


def _divided(node: AutogradNode, above: Any, below: Any = None) -> Any:
    return above.div(_factor(node, below), rounding_mode=node.setting("rounding_mode"))


def _sliced(node: AutogradNode, value: Any) -> Any:
    start, end, step = (node.setting(name) for name in ("start", "end", "step"))
    size = value.shape[_dim(node)]
    first = 0 if start is None else _signed(start)
    last = size if end is None else min(_signed(end), size)
    return value[(slice(None),) * (_dim(node) % value.dim()) + (slice(first, last, step or 1),)]


def _of_pairs(name: str, *settings: str) -> Work:
    """A loss of two tensors, with its reduction and further settings."""

    def work(node: AutogradNode, given: Any, target: Any) -> Any:
        named = {one: _setting(node, one) for one in settings}
        reduction = ("none", "mean", "sum")[_setting(node, "reduction")]
        return getattr(torch.nn.functional, name)(given, target, reduction=reduction, **named)

    return work


def _convolved(node: AutogradNode, given: Any, weight: Any, bias: Any = None) -> Any:
    names = ("stride", "padding", "dilation", "transposed", "output_padding", "groups")
    return torch.convolution(given, weight, bias, *(_setting(node, name) for name in names))


def _elementwise(names: str) -> dict[str, Work]:
    """Operations of one tensor without settings, by the names of their functions."""
    return {name.title().replace("_", ""): _of_one(getattr(torch, name)) for name in names.split()}


def _of_one(function: Any) -> Work:
    return lambda node, x: function(x)


def _of_two(names: str) -> dict[str, Work]:
    """The same of two tensors."""
    return {name.title().replace("_", ""): _of_both(getattr(torch, name)) for name in names.split()}


def _of_both(function: Any) -> Work:
    return lambda node, x, y: function(x, y)


#: Operations whose results are worked out where they were not saved; a tuple of all outputs where there are several.
WORK: dict[str, Work] = {
    **_elementwise(
        "abs acos acosh asin asinh atan atanh ceil cos cosh digamma erf erfc erfinv exp exp2 expm1 floor frac i0 lgamma"
        " log log10 log1p log2 neg reciprocal relu round rsqrt sgn sigmoid sign sin sinh sqrt tan tanh trunc"
    ),
    **_of_two("atan2 fmax fmin fmod hypot logaddexp logaddexp2 maximum minimum remainder xlogy"),
    "Add": lambda node, x, y: x.add(y, alpha=_scaled(node)),
    "Addcdiv": lambda node, x, y, z: x.addcdiv(y, z, value=_setting(node, "value")),
    "Addcmul": lambda node, x, y, z: x.addcmul(y, z, value=_setting(node, "value")),
    "Addmm": lambda node, bias, x, y: torch.addmm(bias, x, y, **_bias_scales(node)),
    "Addmv": lambda node, bias, x, y: torch.addmv(bias, x, y, **_bias_scales(node)),
    "Baddbmm": lambda node, bias, x, y: torch.baddbmm(bias, x, y, **_bias_scales(node)),
    "BinaryCrossEntropyWithLogits": _of_pairs("binary_cross_entropy_with_logits"),
    "Bmm": lambda node, x, y: x.bmm(y),
    "Cat": lambda node, *parts: torch.cat(parts, _dim(node)),
    "Convolution": _convolved,
    "Cumsum": lambda node, x: x.cumsum(_dim(node)),
    "Div": _divided,
    "Dot": lambda node, x, y: x.dot(y),
    "Expand": lambda node, x: x.expand(node.sizes()),
    "HuberLoss": _of_pairs("huber_loss", "delta"),
    "Lerp": lambda node, x, y, weight=None: x.lerp(y, _setting(node, "weight") if weight is None else weight),
    "LinalgMatrixExp": lambda node, x: torch.linalg.matrix_exp(x),
    "LinalgSlogdet": lambda node, x: tuple(torch.linalg.slogdet(x)),
    "LogSigmoid": lambda node, x: torch.nn.functional.logsigmoid(x),
    "Logit": lambda node, x: torch.logit(x, node.setting("eps")),
    "Mean": _reduced("mean"),
    "Mm": lambda node, x, y: x.mm(y),
    "MseLoss": _of_pairs("mse_loss"),
    "Mul": lambda node, x, y=None: x.mul(_factor(node, y)),
    "Mv": lambda node, x, y: x.mv(y),
    "Permute": lambda node, x: x.permute([_signed(dim) for dim in _setting(node, "dims")]),
    "Pow": _power,
    "Select": lambda node, x: x.select(_dim(node), _signed(_setting(node, "index"))),
    "Slice": _sliced,
    "SmoothL1Loss": _of_pairs("smooth_l1_loss", "beta"),
    "Softplus": lambda node, x: torch.nn.functional.softplus(x, _setting(node, "beta"), _setting(node, "threshold")),
    "Split": lambda node, x: x.split(_setting(node, "split_size"), _dim(node)),
    "Stack": lambda node, *parts: torch.stack(parts, _dim(node)),
    "Sub": lambda node, x, y: x.sub(y, alpha=_scaled(node)),
    "Sum": _reduced("sum"),
    "T": lambda node, x: x.t(),
    "ToCopy": lambda node, x: x.to(node.dtype()),
    "Transpose": lambda node, x: x.transpose(_signed(_setting(node, "dim0")), _signed(_setting(node, "dim1"))),
    "Unbind": lambda node, x: x.unbind(_dim(node)),
    "UnsafeSplit": lambda node, x: x.split(_setting(node, "split_size"), _dim(node)),
}


def _bias_scales(node: AutogradNode) -> dict[str, Any]:
    return {name: _setting(node, name) for name in ("alpha", "beta")}
