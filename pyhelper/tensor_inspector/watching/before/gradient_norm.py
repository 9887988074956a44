"""The norm of all gradients together, at little cost."""

from __future__ import annotations

from math import isfinite, sqrt
from typing import Any

from ...safe.guard import module
from ..finite import are_common, is_readable

torch: Any = module("torch")

_PIECE = 1 << 18  #: elements whose squares are added up in their own dtype: of more, too many digits are lost
_SMALL = 1 << 12  #: elements up to which tensors are copied together: a call for each takes longer
_HALF = (torch.float16, torch.bfloat16)
_flatten: Any = getattr(torch._C._nn, "flatten_dense_tensors", None)
_gradients_on, _switch_gradients = torch.is_grad_enabled, torch._C._set_grad_enabled
_norms: Any = getattr(torch, "_foreach_norm", None)


def gradients_of(parameters: list[Any]) -> list[Any]:
    return [one.grad for one in parameters if (one.is_leaf or one.retains_grad) and one.grad is not None]


def norm_of(gradients: list[Any]) -> Any:
    """A number, or a tensor that holds it on a GPU; None where one of them can't be read, or there is none.

    It is finite where all gradients are: squares that overflow are added up again in float64.
    """
    if are_common(gradients):
        return norm_of_common(gradients)
    if not gradients or not all(map(is_readable, gradients)):
        return None
    devices = {one.device for one in gradients}
    if len(devices) > 1 or any(map(torch.is_complex, gradients)):
        return None
    with torch.no_grad():
        if next(iter(devices)).type != "cpu":
            return None if _norms is None else _norm_there([one.detach() for one in gradients])
    return norm_of_common(gradients)


def norm_of_common(gradients: list[Any]) -> float:
    """Of readable ones on the CPU, 0 of none."""
    was_on = _gradients_on()
    _switch_gradients(False)
    try:
        pieces = _pieces(gradients)
        total = sum([piece.dot(piece).item() for piece in pieces])
        if not isfinite(total):
            total = sum(piece.dot(piece).item() for piece in (one.double() for one in pieces))
        return sqrt(total) if total >= 0 else total
    finally:
        _switch_gradients(was_on)


def _pieces(gradients: list[Any]) -> list[Any]:
    pieces: list[Any] = []
    small: dict[Any, list[Any]] = {}
    for gradient in gradients:
        size = gradient.numel()
        if size <= _SMALL and _flatten is not None:
            small.setdefault(gradient.dtype, []).append(gradient)
        else:
            _split(gradient.reshape(-1), size, pieces)
    for together in small.values():
        flat = _flatten(together)
        _split(flat, flat.numel(), pieces)
    return pieces


def _split(flat: Any, size: int, pieces: list[Any]) -> None:
    if flat.dtype in _HALF:
        flat = flat.float()
    if size <= _PIECE:
        pieces.append(flat)
    else:
        pieces += flat.split(_PIECE)


def _norm_there(gradients: list[Any]) -> Any:
    norms = _norms(gradients)
    if len({one.dtype for one in norms}) > 1:
        norms = [one.double() for one in norms]
    return torch.linalg.vector_norm(torch.stack(norms), dtype=torch.float64)
