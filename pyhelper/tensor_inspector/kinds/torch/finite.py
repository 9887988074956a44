"""Whether what a module, an optimizer or a container holds is finite, in words; and how much of it was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...measure.torch import finite
from ...measure.torch.finite import NotFinite
from ...measure.torch.metadata import grad_of
from ...protocol import Badge
from ...safe.budget import Budget
from ...words.line import Word
from ...words.text import count, listed, plural
from .forms import form_of

if TYPE_CHECKING:
    from ...measure.torch.finite import Named


def look_at(tensors: list[Named], budget: Budget, complete: bool = True) -> NotFinite:
    return finite.look_at(tensors, budget, complete, form_of)


def look_at_gradients_too(tensors: list[Named], budget: Budget) -> NotFinite:
    """The same of the tensors and of their gradients, named ``NAME.grad``."""
    gradients: list[tuple[str, Any]] = [(f"{name}.grad", grad_of(tensor)) for name, tensor in tensors]
    return look_at([*tensors, *(named for named in gradients if named[1] is not None)], budget)


def finite_words(look: NotFinite) -> list[str]:
    """Loud, or nothing where all is finite; what was not read must not seem so."""
    words: list[str] = [Word(f"{what} in {_few(names, look)}", loud=True) for what, names in _found(look)]
    return words if look.is_whole() else [*words, Word(_how_much(look), loud=True)]


def finite_badges(look: NotFinite) -> list[Badge]:
    part: Badge = "sampled" if look.read else "unread"
    found: list[tuple[Badge, object]] = [("nan", look.nan), ("inf", look.inf), (part, not look.is_whole())]
    return [badge for badge, is_so in found if is_so]


def finite_rows(look: NotFinite) -> list[list[str]]:
    rows = [[f"{what} in", listed(names, not look.is_whole(), 300)] for what, names in _found(look)]
    if look.is_whole() and not look.elsewhere:
        return rows or ([["NaN and Inf", "none in all values"]] if look.total else [])
    seen = "none seen, " if look.read and not rows else ""
    return [*rows, ["NaN and Inf", f"{seen}{_how_much(look)}"]]


def _found(look: NotFinite) -> list[tuple[str, list[str]]]:
    return [(what, names) for what, names in (("NaN", look.nan), ("Inf", look.inf)) if names]


def _few(names: list[str], look: NotFinite) -> str:
    more = f"{len(names) - 1}{'' if look.is_whole() else '+'} more"
    return names[0] if len(names) == 1 else f"{names[0]} and {more}"


def _how_much(look: NotFinite) -> str:
    """``≈ 24 % read``, never all of it, never nothing; ``only 3.1K values read`` of nobody knows how many."""
    if not look.read:
        return f"values not read{': no time' if look.late else ''}"
    if look.is_whole():
        return f"not all values of {plural(look.elsewhere, 'tensor')} read"
    if not look.complete:
        return f"only {count(look.read)} values read"
    percent = 100 * look.read // look.total
    return f"≈ {percent} % read" if percent else "≈ <1 % read"
