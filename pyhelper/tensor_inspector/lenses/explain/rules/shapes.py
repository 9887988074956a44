"""Shapes that do not fit: which operands, in which dimension, and what would fit."""

from __future__ import annotations

from ....words.text import shape
from ...findings.finding import Violation
from .. import sizes as rules
from ..error_context import ErrorContext, first_found, unequal
from ..errors import is_broadcast, mismatched_entries, of_worker, short_message, sides
from ..operand import Operand
from ..operation import Operation
from .forms import of_assigned, of_dimension, of_joined, of_mask, of_ragged, of_split, of_view
from .layers import MISMATCH, of_layer
from .losses import of_loss
from .products import of_convolution, of_einsum, of_linear, of_product

#: Operations whose tensors need not broadcast.
_OTHER_SHAPES = tuple("getitem setitem embedding gather scatter index_select cat stack conv matmul linear".split())


def shape_mismatch(context: ErrorContext) -> tuple[str, Violation]:
    """The finding, and which rule it is of."""
    named = _of_checkpoint(context) or _of_worker(context) or of_layer(context)
    return named or (MISMATCH, first_found(context, *_CHECKS) or _from_message(context))


def _of_checkpoint(context: ErrorContext) -> tuple[str, Violation] | None:
    entries = mismatched_entries(context.message)
    if not entries:
        return None
    name, there, here = entries[0]
    more = f", and {len(entries) - 1} more differ" if len(entries) > 1 else ""
    facts = [(entry, f"{shape(a)} in the checkpoint, {shape(b)} in the model") for entry, a, b in entries[:6]]
    title = (f"{name} is {shape(there)} in the checkpoint", ", ", f"but {shape(here)} in the model{more}")
    differs, fit = unequal(shape(there), shape(here), name), "build the model with the sizes of the checkpoint"
    return MISMATCH, context.found(title, *facts, suggestion=fit, differs=differs)


def _of_worker(context: ErrorContext) -> tuple[str, Violation] | None:
    reason = of_worker(context.message)
    if reason is None:
        return None
    fact = (None, "raised in a worker of the DataLoader")
    fit = "bring them to one shape, or pad them in collate_fn"
    return MISMATCH, context.found(("the samples of a batch do not fit together", ": ", reason), fact, suggestion=fit)


def _elementwise(context: ErrorContext, operation: Operation) -> Violation | None:
    """The first pair of operands that do not broadcast."""
    is_class = not operation.name[:1].islower()
    if is_class or operation.name.startswith(_OTHER_SHAPES) or not is_broadcast(context.message):
        return None
    known = [one for one in operation.operands() if one.sizes is not None]
    for at, a in enumerate(known):
        for b in known[at + 1 :]:
            wrong = rules.broadcast_conflict(a.sizes or (), b.sizes or ())
            if wrong is None:
                continue
            first, second = (a.sizes or ())[wrong], (b.sizes or ())[wrong]
            where = _where(len(a.sizes or ()), len(b.sizes or ()), wrong)
            why = f"{where} is {first} and {second}, which do not broadcast"
            return context.pair(a, b, why, _broadcasting(a, b), (first, second))
    return None


def _where(a: int, b: int, back: int) -> str:
    """A dimension of two shapes, counted from the front where both have as many."""
    if a == b:
        return f"dimension {a + back}"
    return "the last dimension" if back == -1 else f"dimension {back} from the end"


def _broadcasting(a: Operand, b: Operand) -> str:
    first, second = a.sizes or (), b.sizes or ()
    for one, sizes, other in ((a, first, second), (b, second, first)):
        if len(sizes) == 1 and len(other) > 1 and sizes[0] in other[:-1] and sizes[0] != other[-1]:
            ones = len(other) - 1 - other.index(sizes[0])
            return f"{one.written}[{', '.join([':', *['None'] * ones])}]"
    return f"{b.written}.T" if len(first) == 2 and second == first[::-1] else ""


def _half_known(context: ErrorContext, operation: Operation) -> Violation | None:
    """Operands whose shapes are known only from the message."""
    both = operation.operands()
    if operation.name not in ("elementwise", "matmul") or not context.failing.is_exact or not both:
        return None
    a, b = both[0], both[-1]
    if a.sizes is not None and b.sizes is not None:
        return None
    in_message = sides(context.message)
    if in_message is None:
        names = " and ".join(f"{one.name} {one.shape}" if one.sizes is not None else one.name for one in (a, b))
        return context.found((f"{names} do not fit", ": ", f"{short_message(context.message)}"), a, b)
    facts = [
        f"{one.name} is {one.shape}" if one.sizes is not None else f"{one.name} has {size} in dimension {in_message[2]}"
        for one, size in zip((a, b), in_message)
    ]
    title = (
        f"{' and '.join(facts)}",
        ": ",
        f"dimension {in_message[2]} is {in_message[0]} and {in_message[1]}, which do not broadcast",
    )
    return context.found(
        title,
        *(
            one if one.sizes is not None else (one.name, f"{size} in dimension {in_message[2]}")
            for one, size in zip((a, b), in_message)
        ),
        differs=unequal(in_message[0], in_message[1], f"{a.name}, {b.name}"),
    )


def _from_message(context: ErrorContext) -> Violation:
    """The operands with torch's own sentence, where no check knows which of them is wrong."""
    known = [one for one in context.operands() if one.sizes is not None]
    if context.layer is not None and not any(one.is_written for one in context.layer.inputs):
        known = context.failing.tensors() or known  # it may have turned its inputs before it failed
    operands = ", ".join(f"{one.name} is {one.shape}" for one in known[:3])
    where = "" if context.layer is None else f" in {context.layer.title}"
    sentence = short_message(context.message)
    return context.found((f"{operands}{where}", ": ", sentence) if operands else sentence, *known[:6])


_CHECKS = (
    of_loss,
    of_product,
    of_linear,
    of_joined,
    of_einsum,
    of_view,
    of_convolution,
    of_mask,
    of_ragged,
    of_assigned,
    of_dimension,
    of_split,
    _elementwise,
    _half_known,
)
