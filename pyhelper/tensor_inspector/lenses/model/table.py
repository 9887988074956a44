"""The modules of a model as a text table, to be copied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...words.table import aligned, branched
from ...words.text import plural, size
from .order import ModuleOrder
from .submodule import Submodule
from .tree import ModuleTree
from .words import keys_of, line_name, mode, what

_WIDTH = 60  #: characters of the first column
_TIED = 20  #: lines of what is tied
_HEAD = ("layer", "parameters", "trainable", "buffers", "bytes", "dtype", "device", "mode", "hooks")
_RIGHT = (False, True, True, True, True, False, False, False, True)


def table(tree: ModuleTree, order: ModuleOrder) -> str:
    """A line a module, layers of a list that are alike as one, with the numbers of one of them below it."""
    tops = branched([tree.root], lambda group: order.groups(group[0].below))
    rows, of_one = [], False
    for group, branch in tops:
        rows.append((line_name(branch, keys_of(group), what(group), _WIDTH), *_cells(group)))
        of_one = of_one or (len(group) > 1 and bool(group[0].below))
    return aligned(
        _HEAD, rows, _RIGHT, [*(["below “N ×” stands what one of them has"] if of_one else ()), *_foot(tree)]
    )


def _cells(group: Sequence[Submodule]) -> tuple[str, ...]:
    one = group[0]
    if one.same is not None:
        return (f"as {one.same}" if one.same else "as the model", *[""] * (len(_HEAD) - 2))
    counted = ("parameters", "trainable", "buffers", "bytes")
    *numbers, taken = (sum(getattr(below.total, name) for below in group) for name in counted)
    hooks = sum(len(below.hooks) for below in group)
    texts = [f"{number:,}" if number else "–" for number in numbers[:2]]
    return (
        *texts,
        f"{numbers[2]:,}" if numbers[2] else "",
        size(taken) if taken else "–",
        ", ".join(one.dtypes),
        ", ".join(one.devices),
        mode(one) or "",
        f"{hooks:,}" if hooks else "",
    )


def _foot(tree: ModuleTree) -> Iterator[str]:
    total = tree.root.total
    if total.unknown and not total.bytes:
        yield f"size not known: {plural(total.unknown, 'tensor')}"
    else:
        at_least = "≥" if total.unknown else ""
        tensors = plural(total.tensors, "tensor")
        yield f"parameters {at_least}{total.parameters:,} in {tensors}, {total.trainable:,} trainable"
        if total.buffers:
            yield f"buffers    {total.buffers:,}"
        yield f"bytes      {at_least}{total.bytes:,}" + (f" ({size(total.bytes)})" if total.bytes >= 1024 else "")
    if total.lazy:
        yield f"not initialized {total.lazy:,}"
    for names in tree.tied[:_TIED]:
        yield f"tied       {' = '.join(names)}"
    if len(tree.tied) > _TIED:
        yield f"           and {len(tree.tied) - _TIED:,} more"
