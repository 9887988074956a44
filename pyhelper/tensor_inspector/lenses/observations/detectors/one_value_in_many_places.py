"""Identity: several entries of a list or dict are one object, which is changed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from ....measure.torch.metadata import EXACT_TENSORS
from ....safe.guard import Classes, each
from ...findings.finding import Violation
from ...step.expressions import shown
from ...step.step import Step
from ..changed import is_changed
from ..detector import detector
from ..entries import same_entries
from ..reading import BoundedReading

_MOST = 1000  #: entries of one container
_KEYS = Classes(str, int)
_CHANGING = Classes(list, dict, set, bytearray)  #: what a change through one name changes under all


@detector(
    100,
    because="lists of one object many times are fillers, as a state that every layer begins with",
    why="A change through one of the entries shows in all of them.",
    suggestion="make each entry anew, or append a copy: values.append(x.clone())",
)
def one_value_in_many_places(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``[[]] * 4``, a history of one tensor that is changed in place."""
    for (level, key), value in reading.each(step.named_values()):
        entries = [one for one in _entries(shown(key), value) if _may_change(one[1])]
        for names in same_entries(entries):
            one = next(item for name, item in entries if name == names[0])
            if 2 * len(names) > len(entries) and _is_filled(step, level, key, one, len(names)):
                yield Violation(
                    f"{len(names)} of {len(entries)} entries of {shown(key)} are one object",
                    *((one, "the same object") for one in names[:4]),
                    line=step.sources[level].line_of(key),
                )
                break


def _entries(name: str, value: Any) -> list[tuple[str, Any]]:
    """The items of a plain list or dict, each with its expression."""
    cls = type(value)
    if cls is dict:
        items = islice(each(dict.items, value), _MOST)
        return [(f"{name}[{key!r}]", item) for key, item in items if type(key) in _KEYS]
    if cls is list:
        items = islice(each(list.__iter__, value), _MOST)
        return [(f"{name}[{at}]", item) for at, item in enumerate(items)]
    return []


def _may_change(value: Any) -> bool:
    return type(value) in _CHANGING or type(value) in EXACT_TENSORS


def _is_filled(step: Step, level: int, key: str, one: Any, count: int) -> bool:
    """Whether it matters that ``count`` entries are one: the source changes it in place, or there are many lists."""
    source = step.sources[level]
    names = [name for (at, name), value in step.named_values() if value is one and at == level]
    if type(one) in EXACT_TENSORS:
        return count > 2 and is_changed(source, names, (key,), ())
    return count > 2 or is_changed(source, names, (key,))
