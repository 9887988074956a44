"""Calls of layers as a text table, to be copied."""

from __future__ import annotations

from itertools import chain, islice

from ...safe.record import Record
from ...words.table import aligned, branched
from ...words.text import plural
from ..model.words import line_name
from .call import LayerRun
from .failure import Failure
from .recorder import Recorder
from .words import (
    bad_text,
    groups_of,
    name_of,
    not_called,
    parameters_of,
    range_of,
    shapes_of,
    time_of,
    unusual,
    what,
    wrong,
)

_WIDTH = 60  #: characters of the first column
_LISTED = 1000  #: lines
_HEAD = ("layer", "input", "output", "", "range", "not finite", "parameters", "time")
_RIGHT = (False, False, False, False, False, False, True, True)


class _Line(Record):
    """Calls that are alike, of the first of the layers around them that are; ``all`` are those of these layers too."""

    group: list[LayerRun]
    all: list[LayerRun]

    def below(self) -> list[_Line]:
        found, at = [], 0
        for group in groups_of(self.group[0].below):
            end = at + len(group)
            found.append(_Line(group, [call for around in self.all for call in around.below[at:end]]))
            at = end
        return found


def table(recorder: Recorder, failure: Failure | None, hooks: int) -> str:
    """A line a call, layers of a list that are alike as one; the exception last."""
    first = [_Line(recorder.calls[:1], recorder.calls[:1])] if recorder.calls else []
    tops = chain.from_iterable(branched(one, _Line.below) for one in first)
    rows, of_first = [], False
    for line, branch in islice(tops, _LISTED):
        rows.append((line_name(branch, name_of(line.group), what(line.group), _WIDTH), *_cells(line)))
        of_first = of_first or (len(line.group) > 1 and bool(line.group[0].below))
    more = sum(len(line.group) for line, _ in tops)
    foot = [f"… {plural(more, 'more call')}"] if more else []
    foot += ["below lines of several: parameters and time of the first, the range of all"] if of_first else []
    foot += [not_called(hooks)] if hooks else []
    if failure is not None:
        where = "" if failure.call is None else f" in {failure.call.name or failure.call.key or failure.call.words}"
        foot.append(f"raised{where}: {failure.words()}")
    return aligned(_HEAD, rows, _RIGHT, foot)


def _cells(line: _Line) -> tuple[str, ...]:
    """Parameters and time are of the first of the layers around, the range is that of all."""
    group, call = line.group, line.group[0]
    made = shapes_of(call.outputs, call.more_outputs) or call.returned if call.state == "done" else wrong(call) or ""
    bad = bad_text(call)
    return (
        shapes_of(call.inputs, call.more_inputs),
        made,
        unusual(call) or "",
        range_of(line.all) or "",
        f"{bad}, begins here" if call.begins else bad,
        f"{parameters_of(group):,}" if parameters_of(group) else "",
        time_of(group) or "",
    )
