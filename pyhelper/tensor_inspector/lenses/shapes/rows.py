"""Calls of layers as rows of a tree; an exception is the last row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING

from ...kinds import Child, Rows, TextRow
from ...words.line import Word, line_of
from ...words.text import duration, number, plural
from .call import LayerRun
from .failure import Failure
from .recorder import Recorder
from .words import groups_of, line_parts, name_of, not_called, shape_text, shapes, wrong

if TYPE_CHECKING:
    from ...protocol import Badge, LayerTensor


def row_of(name: str, recorder: Recorder, failure: Failure | None, hooks: int) -> Child:
    """The calls inside the first one, which is the module's own."""
    calls = recorder.calls
    top = calls[0] if calls else None
    first = groups_of(top.below) if top is not None else []
    last = [] if failure is None else [_failed(failure)]
    badges = _badges(calls) if top is not None else []
    if failure is not None and "error" not in badges:
        badges.insert(0, "error")

    def below(start: int, count: int) -> Iterator[Child]:
        return islice(chain((_row(group) for group in first[start:]), last[max(0, start - len(first)) :]), count)

    line = line_of(_head(recorder, failure, hooks))
    return Child(name, Rows(line, len(first) + len(last), below, "module", badges), "")


def _head(recorder: Recorder, failure: Failure | None, hooks: int) -> Iterator[str | None]:
    top = recorder.calls[0] if recorder.calls else None
    if failure is not None:
        where = "" if failure.call is None else failure.call.name or failure.call.key
        yield Word(f"{failure.type} in {where}" if where else failure.type, loud=True)
    if top is None:
        return
    yield shapes(top)
    if failure is None:
        begun = next((call for call in recorder.calls if call.begins), None)
        yield Word(f"NaN or Inf begins in {begun.name or begun.key}", loud=True) if begun is not None else wrong(top)
    yield not_called(hooks) if hooks else None
    yield plural(len(recorder.calls) + recorder.left_out, "call")
    yield duration(top.ms) if top.ms is not None else None
    yield f"{recorder.left_out:,} not noted" if recorder.left_out else None


def _row(group: Sequence[LayerRun]) -> Child:
    call = group[0]
    groups = groups_of(call.below) if len(group) == 1 else [[one] for one in group]
    others = _detail_rows(call) if len(group) == 1 else []

    def below(start: int, count: int) -> Iterator[Child]:
        rows = (_row(one) for one in groups[start:])
        return islice(chain(rows, others[max(0, start - len(groups)) :]), count)

    line = line_of(line_parts(group))
    return Child(name_of(group), Rows(line, len(groups) + len(others), below, "module", _badges(group)), "")


def _badges(group: Sequence[LayerRun]) -> list[Badge]:
    found: list[Badge] = []
    if any(call.state != "done" for call in group):
        found.append("error")
    nan, inf = any(call.nan for call in group), any(call.inf for call in group)
    return found + (["nan"] if nan else []) + (["inf"] if inf else [])


def _detail_rows(call: LayerRun) -> list[Child]:
    """What it took and gave, and the layer itself."""
    rows = []
    for name, tensors, more in (
        ("input", call.inputs, call.more_inputs),
        ("output", call.outputs, call.more_outputs),
    ):
        rows += [Child(f"{name}{one['place']}", TextRow(_text(one)), "") for one in tensors]
        rows += [Child(f"{name}s not listed", TextRow(plural(more, "tensor")), "")] if more else []
    return [*rows, Child("layer", call.module)]


def _text(one: LayerTensor) -> str:
    text = f"{one['dtype']}{'' if one['shape'] is None else shape_text(one)} {one['device']}"
    if one["low"] is not None and one["high"] is not None:
        text += f" · {number(one['low'], 4)}…{number(one['high'], 4)}"
    amounts = [f"{one['nan']:,} NaN" if one["nan"] else "", f"{one['inf']:,} Inf" if one["inf"] else ""]
    return " · ".join(filter(None, (text, *amounts)))


def _failed(failure: Failure) -> Child:
    """The last row: which layer raised, and why."""
    call = failure.call
    name = "raised" if call is None else call.name or call.key
    where = [] if call is None else [Child("layer", call.module)]
    rows = [*where, Child(failure.type, TextRow(failure.message, failed=True), "")]
    line = line_of([None if call is None else shapes(call), Word(failure.words(), loud=True)])
    badges: list[Badge] = ["error"]
    return Child(name, Rows.of(line, rows, "error", badges), "")
