"""A call of a layer in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...words.line import Word
from ...words.text import count, duration, listed, number, plural
from ..model.order import folded
from .call import LayerRun

if TYPE_CHECKING:
    from ...protocol import LayerTensor

_SHAPES = 64  #: characters
_USUAL = ("float32", "cpu")


def line_parts(group: Sequence[LayerRun]) -> Iterator[str | None]:
    """What the row of a call says, or of several that are alike: the shapes, what is wrong, what it is, its numbers."""
    call = group[0]
    yield shapes(call)
    yield wrong(call)
    yield what(group)
    yield unusual(call)
    yield range_of(group)
    parameters = parameters_of(group)
    yield f"{count(parameters)} param{'' if parameters == 1 else 's'}" if parameters else None
    yield time_of(group)


def shapes(call: LayerRun) -> Word:
    """``[8, 64] → [8, 10]``; in short the output first, ``[8,10] ← [8,64]``."""
    given, made = shapes_of(call.inputs, call.more_inputs), shapes_of(call.outputs, call.more_outputs)
    if call.state != "done":
        return Word(given or "no tensors", _tight(given) or None)
    made = made or call.returned
    if not given:
        return Word(f"→ {made}", f"→ {_tight(made)}")
    if given == made:
        return Word(f"{given} → same", f"{_tight(made)} ← same")
    return Word(f"{given} → {made}", f"{_tight(made)} ← {_tight(given)}")


def _tight(shapes: str) -> str:
    """Shapes without the blanks in them: ``[8,64], [8,3]``."""
    return re.sub(r"(?<=\d), (?=\d)", ",", shapes)


def shapes_of(tensors: Iterable[LayerTensor], more: int) -> str:
    return listed((f"{one['name']} {shape_text(one)}".lstrip() for one in tensors), more > 0, _SHAPES)


def shape_text(one: LayerTensor) -> str:
    return one["dtype"] if one["shape"] is None else f"[{', '.join(map(str, one['shape']))}]"


def wrong(call: LayerRun) -> Word | None:
    """The loud parts: an exception, or NaN and Inf in its outputs."""
    if call.state != "done":
        return Word("raised" if call.state == "raised" else "raised inside", loud=True)
    if not call.begins:
        amounts = bad_text(call)
        return Word(amounts, loud=True) if amounts else None
    return Word(f"{bad_text(call)}: begins here", loud=True)


def bad_text(call: LayerRun) -> str:
    """``3 NaN, 1 Inf``"""
    return ", ".join(f"{amount:,} {name}" for amount, name in zip((call.nan, call.inf), ("NaN", "Inf")) if amount)


def unusual(call: LayerRun) -> str | None:
    """Dtypes and devices of its outputs that differ from the usual ones. One without a shape is told by its dtype."""
    dtypes = [one["dtype"] for one in call.outputs if one["shape"] is not None]
    found = dict.fromkeys([*dtypes, *(one["device"] for one in call.outputs)])
    return listed((name for name in found if name not in _USUAL), False, 40) or None


def range_of(group: Sequence[LayerRun]) -> str | None:
    """``−2.1…3.4``"""
    read = [call for call in group if call.low is not None]
    if not read:
        return None
    low, high = min(call.low for call in read), max(call.high for call in read)
    return number(low, 3) if low == high else f"{number(low, 3)}…{number(high, 3)}"


def time_of(group: Sequence[LayerRun]) -> str | None:
    known = [call.ms for call in group if call.ms is not None]
    return duration(sum(known)) if known else None


def not_called(hooks: int) -> str:
    """``2 hooks not called``"""
    return f"{plural(hooks, 'hook')} not called"


def name_of(group: Sequence[LayerRun]) -> str:
    """``0…11``, ``down.0…3``, ``relu (call 2)``, ``cell (calls 1…50)``"""
    first, last = group[0], group[-1]
    if _is_repeated(group):
        return f"{first.key} (calls {first.number:,}…{last.number:,})"
    name = first.key if first.number == 1 else f"{first.key} (call {first.number:,})"
    return name if first is last else f"{name}…{last.key.rpartition('.')[2]}"


def _is_repeated(group: Sequence[LayerRun]) -> bool:
    """Whether they are calls of one layer."""
    return len(group) > 1 and group[0].module is group[-1].module


def what(group: Sequence[LayerRun]) -> str:
    """``12 × Block``"""
    return group[0].words if len(group) == 1 or _is_repeated(group) else f"{len(group):,} × {group[0].words}"


def parameters_of(group: Sequence[LayerRun]) -> int:
    return sum({id(call.module): call.parameters for call in group}.values())


def groups_of(calls: Sequence[LayerRun]) -> list[list[LayerRun]]:
    """Calls that are alike of layers of a list, or of one layer, as one."""
    return folded(calls, lambda call: call.key, lambda call: call.alike)
