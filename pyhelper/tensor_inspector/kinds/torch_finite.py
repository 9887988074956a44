"""Whether the tensors of a module or optimizer hold NaN or Inf: a quick look that costs a fraction of a millisecond.

A sum tells both for its whole piece. So many tensors and pieces are looked at as the cost allows, spread over all of
them; what was found is told, what was not looked at is not called clean.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from ..budget import Budget
from ..guard import module
from ..stats.layout import unreadable
from ..text import listed
from ..words import Word
from .torch_metadata import PLAIN, Base, dtype_of, plain

torch: Any = module("torch")
_PIECE = 1 << 15  #: elements that one thread sums: to wake the others could take longer than all the rest
_PIECES = 64  #: pieces looked at
_TENSORS = 40  #: tensors and gradients
_DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.complex128)

Named = tuple[str, Any]


class Look(NamedTuple):
    """What a look found: names of tensors, in their order."""

    nan: list[str]
    inf: list[str]
    seen: int  #: elements looked at
    whole: bool  #: whether that is all
    among: list[Named]  #: all tensors that can hold some
    late: bool = False  #: whether there was no time for a single one

    def words(self) -> list[str]:
        """Loud, or nothing; what was not looked at must not seem clean."""
        if self.late:
            return ["values not read: no time"]
        return [Word(f"{what} in {self._few(names)}", loud=True) for what, names in self._found()]

    def rows(self) -> list[list[str]]:
        rows = [[f"{what} in", listed(names, not self.whole, 300)] for what, names in self._found()]
        if rows or not self.seen:
            return rows
        total = sum(_elements(tensor) for _, tensor in self.among)
        share = "all values" if self.whole else f"{100 * self.seen / total:.2g}% of the values"
        return [["NaN and Inf", f"none in {share}"]]

    def _found(self) -> list[tuple[str, list[str]]]:
        return [(what, names) for what, names in (("NaN", self.nan), ("Inf", self.inf)) if names]

    def _few(self, names: list[str]) -> str:
        more = f"{len(names) - 1}{'' if self.whole else '+'} more"
        return names[0] if len(names) == 1 else f"{names[0]} and {more}"


def look_at(tensors: list[Named], gradients: list[Named], budget: Budget) -> Look:
    """A look at some of the named tensors, and as many of their gradients."""
    nan: list[str] = []
    inf: list[str] = []
    seen, whole, late = 0, True, False
    tensors = [(name, _stored(tensor)) for name, tensor in tensors if _can_hold_some(tensor)]
    gradients = [(name, _stored(gradient)) for name, gradient in gradients]
    half = _TENSORS // 2 if gradients else _TENSORS
    chosen = [*_spread(tensors, half), *_spread(gradients, half)] if budget.reads else []
    for name, tensor in chosen:
        if budget.spent():
            whole, late = False, not seen
            break
        parts = _parts(tensor, max(1, _PIECES // len(chosen)))
        looked_at = sum(map(Base.numel, parts))
        seen += looked_at
        whole = whole and looked_at == _elements(tensor)
        for part in parts:
            total = part.sum().item()
            if total - total == 0:
                continue
            if part.isnan().any().item():
                nan.append(name)
            if part.isinf().any().item():
                inf.append(name)
            break
    everything = tensors + gradients
    return Look(nan, inf, seen, whole and len(chosen) == len(everything), everything, late)


def _stored(tensor: Any) -> Any:
    """What it keeps: of a sparse one, as gradients of embeddings are, its values."""
    is_sparse = type(tensor) in PLAIN and tensor.layout is torch.sparse_coo
    return tensor.detach()._values() if is_sparse else tensor


def _can_hold_some(tensor: Any) -> bool:
    dtype = dtype_of(tensor)
    return dtype.is_floating_point or dtype.is_complex  # type: ignore[no-any-return]


def _spread(items: list[Named], most: int) -> list[Named]:
    return items[:: -(-len(items) // most)] if items else []


def _elements(tensor: Any) -> int:
    count = Base.numel(tensor)
    return count if type(count) is int else 0


def _parts(tensor: Any, pieces: int) -> list[Any]:
    """The tensor in pieces, as many as may be looked at; none of one that is no ordinary tensor in readable memory."""
    if _keys(tensor) != _ordinary() or dtype_of(tensor) not in _DTYPES or unreadable(plain(tensor)) is not None:
        return []
    count = _elements(tensor)
    if count <= _PIECE:
        return [plain(tensor)]
    if not Base.is_contiguous(tensor):
        return []
    flat = plain(tensor).view(-1)
    return [flat[start : start + _PIECE] for start in range(0, min(count, pieces * _PIECE), _PIECE)]


def _keys(tensor: Any) -> Any:
    """What torch dispatches the tensor by: device, layout, wrappers and lazy conjugation in one."""
    keys = torch._C._dispatch_keys(tensor)
    return keys.raw_repr() if hasattr(keys, "raw_repr") else str(keys)


@lru_cache(None)
def _ordinary() -> Any:
    """The same of a plain tensor in the CPU's memory."""
    with torch.inference_mode(False):
        return _keys(torch.empty((), device="cpu"))
