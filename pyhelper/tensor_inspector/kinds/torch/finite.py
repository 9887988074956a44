"""Checks whether the tensors of a module, optimizer or container are finite, and reports how much was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...measure.intended import StandsAt, is_meant
from ...measure.torch import finite
from ...measure.torch.codes import codes_of
from ...measure.torch.dispatch import inner_tensors, is_wrapper
from ...measure.torch.finite import BufferName, GradientName, NotFinite, StateName
from ...measure.torch.metadata import EXACT_TENSORS, grads_of
from ...safe.budget import Budget
from ...words.line import Word
from ...words.text import count, listed, plural
from .forms import form_class_of, form_of

if TYPE_CHECKING:
    from ...measure.torch.finite import Named
    from ...protocol import Badge


#: What is counted apart, beside the first.
_KINDS: dict[type[str], str] = {BufferName: "buffer", GradientName: "gradient", StateName: "state tensor"}


def find_not_finite(tensors: list[Named], budget: Budget, complete: bool = True) -> NotFinite:
    if not EXACT_TENSORS.include(type(tensor) for _, tensor in tensors):
        tensors = [one for named in tensors for one in _scales(*named)]
    return finite.find_not_finite(tensors, budget, complete, form_class_of)


def _scales(name: str, tensor: Any) -> list[Named]:
    """What can be NaN of a tensor of codes that wraps others: these; of any other, itself."""
    is_coded = type(tensor) not in EXACT_TENSORS and is_wrapper(tensor) and codes_of(tensor) is not None
    return [(f"{name}.{inner}", one) for inner, one in inner_tensors(tensor)] if is_coded else [(name, tensor)]


def without_meant(found: NotFinite, tensors: list[Named], budget: Budget) -> NotFinite:
    """What was found in the tensors of a module, without what buffers are meant to hold."""
    buffers: dict[str, Any] = {
        name: tensor for name, tensor in tensors if type(name) is BufferName and (found.nan or found.inf)
    }
    found.nan = [name for name in found.nan if not _is_meant("nan", name, buffers, budget)]
    found.inf = [name for name in found.inf if not _is_meant("inf", name, buffers, budget)]
    return found


def _is_meant(what: Badge, name: str, buffers: dict[str, Any], budget: Budget) -> bool:
    if not isinstance(name, BufferName) or name not in buffers or budget.spent():
        return False
    return is_meant(what, form_of(buffers[name], budget).elements(), StandsAt(name, name.holder, is_buffer=True))


def find_in_gradients_too(tensors: list[Named], budget: Budget) -> NotFinite:
    """What is not finite in the tensors and in their gradients, which are named ``NAME.grad``."""
    found = zip(tensors, grads_of([tensor for _, tensor in tensors]))
    gradients: list[Named] = [
        (GradientName(f"{name}.grad"), gradient) for (name, _), gradient in found if gradient is not None
    ]
    return find_not_finite(tensors + gradients, budget)


def finite_words(found: NotFinite) -> list[str]:
    """Loud, or nothing where all is finite; what was not read must not seem so."""
    words: list[str] = [Word(f"{what} in {_few(names, found)}", loud=True) for what, names in _names(found)]
    return words if found.is_whole() else [*words, Word(_how_much(found), loud=True)]


def finite_badges(found: NotFinite) -> list[Badge]:
    part: Badge = "sampled" if found.read else "unread"
    badges: list[tuple[Badge, object]] = [("nan", found.nan), ("inf", found.inf), (part, not found.is_whole())]
    return [badge for badge, is_so in badges if is_so]


def finite_rows(found: NotFinite) -> list[list[str]]:
    rows = [[f"{what} in", listed(names, not found.is_whole(), 300)] for what, names in _names(found)]
    if found.is_whole() and not found.elsewhere:
        return rows or ([["NaN and Inf", "none in all values"]] if found.total else [])
    seen = "none seen, " if found.read and not rows else ""
    return [*rows, ["NaN and Inf", f"{seen}{_how_much(found)}"]]


def _names(found: NotFinite) -> list[tuple[str, list[str]]]:
    return [(what, names) for what, names in (("NaN", found.nan), ("Inf", found.inf)) if names]


def _few(names: list[str], found: NotFinite) -> str:
    """``0.weight and 3 more, 2 buffers, 4 gradients``: of each kind how many, as findings count them."""
    kinds: tuple[type[str], ...] = (str, *_KINDS)
    groups = {cls: [name for name in names if type(name) is cls] for cls in kinds}
    first, *others = ((cls, group) for cls, group in groups.items() if group)
    part = "" if found.is_whole() else "+"
    parts = [f"{len(group):,}{part} {_KINDS[cls]}{'' if len(group) == 1 else 's'}" for cls, group in others]
    more = len(first[1]) - 1
    return ", ".join([f"{first[1][0]} and {more}{part} more" if more else first[1][0], *parts])


def _how_much(found: NotFinite) -> str:
    """``≈ 24 % read``, never all of it, never nothing; ``only 3.1K values read`` of nobody knows how many."""
    if not found.read:
        return f"values not read{': no time' if found.late else ''}"
    if found.is_whole():
        return f"not all values of {plural(found.elsewhere, 'tensor')} read"
    if not found.complete:
        return f"only {count(found.read)} values read"
    percent = 100 * found.read // found.total
    return f"≈ {percent} % read" if percent else "≈ <1 % read"
