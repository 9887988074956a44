"""The calls of layers as a table of text, to be copied."""

from __future__ import annotations

from collections.abc import Sequence

from ...words.table import aligned, branched
from ...words.text import middle
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

_WIDTH = 48  #: characters of the first column
_HEAD = ("layer", "input", "output", "", "range", "not finite", "parameters", "time")
_RIGHT = (False, False, False, False, False, False, True, True)


def table(recorder: Recorder, failure: Failure | None, hooks: int) -> str:
    """A line a call, layers of a list that are alike as one; the exception last."""
    tops = branched([recorder.calls[0]], lambda group: groups_of(group[0].below)) if recorder.calls else ()
    rows = [(middle(branch + _name(group), _WIDTH), *_cells(group)) for group, branch in tops]
    foot = [not_called(hooks)] if hooks else []
    if failure is not None:
        where = "" if failure.call is None else f" in {failure.call.name or failure.call.key or failure.call.words}"
        foot.append(f"raised{where}: {failure.words()}")
    return aligned(_HEAD, rows, _RIGHT, foot)


def _name(group: Sequence[LayerRun]) -> str:
    name = name_of(group)
    return f"{name}: {what(group)}" if name else what(group)


def _cells(group: Sequence[LayerRun]) -> tuple[str, ...]:
    call = group[0]
    made = shapes_of(call.outputs, call.more_outputs) or call.returned if call.state == "done" else wrong(call) or ""
    bad = bad_text(call)
    return (
        shapes_of(call.inputs, call.more_inputs),
        made,
        unusual(call) or "",
        range_of(group) or "",
        f"{bad}, begins here" if call.begins else bad,
        f"{parameters_of(group):,}" if parameters_of(group) else "",
        time_of(group) or "",
    )
