"""The part of a report about the variables in sight: types, shapes, dtypes, devices."""

from __future__ import annotations

import re
from itertools import islice
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from ...kinds import Kind, as_kind
from ...kinds.python.containers import Container
from ...safe.budget import Budget
from ...safe.guard import Classes, class_name, full_name
from ...words.line import grouped_runs
from ...words.text import joined, listed, one_line, plural, shape
from ..step.frames import VisibleFrame
from .raised import frame_text
from .section import Section

_SHOWN = 60  #: variables
_ITEMS = 12  #: items listed of a container
_MEASURED = ("tensor", "module")  #: kinds whose line tells only metadata where no values are read
_DTYPE = re.compile(r"\w+")
_NAMELESS = Classes(FunctionType, BuiltinFunctionType, ModuleType)


def frame_section(title: str, visible: VisibleFrame, budget: Budget, *, values: bool) -> Section:
    """Variables that are tensors first, then those that hold some."""
    function = getattr(visible.frame.f_code, "co_qualname", visible.frame.f_code.co_name)
    found = [(name, value) for name, value in visible.variables.items() if _is_telling(name, value)]
    ranked = sorted(found, key=lambda item: _rank(item[1], budget))
    width = max((len(name) for name, _ in ranked[:_SHOWN]), default=0)
    say = _with_values if values else typed
    lines = [f"{name:{width}}  {_value_text(say, value, budget)}" for name, value in ranked[:_SHOWN]]
    if len(ranked) > _SHOWN:
        lines.append(f"… {len(ranked) - _SHOWN:,} more")
    where = frame_text(visible.frame.f_code.co_filename, visible.lineno, function)
    return Section(title, plural(len(ranked), "variable"), [where, *lines])


def typed(value: Any, budget: Budget) -> str:
    """What a value is, without anything of what it holds: no number, no text, no key."""
    kind = as_kind(value, Budget(budget.ms, reads=False))
    if kind.kind == "array":
        return _array(kind)
    if kind.kind in _MEASURED:
        return one_line(kind.line())
    if kind.kind not in ("mapping", "sequence", "set"):
        return full_name(type(value))
    facts = kind.facts()
    if "shape" in facts:
        return f"{full_name(type(value))} {' × '.join(map(str, facts['shape']))}"
    entries = kind.entries()
    inside = [] if entries is None else [_brief(item, budget) for _, item in islice(entries, _ITEMS + 1)]
    shown = listed(grouped_runs(inside[:_ITEMS]), len(inside) > _ITEMS, 80)
    length = kind.length() if isinstance(kind, Container) else len(inside)
    return joined([f"{class_name(type(value))} of {length:,}", shown])


def _brief(value: Any, budget: Budget) -> str:
    kind = as_kind(value, Budget(budget.ms, reads=False))
    if kind.kind == "array":
        return _array(kind)
    return kind.brief() if kind.kind in _MEASURED else class_name(type(value))


def _array(kind: Kind) -> str:
    """Dtype and shape. Names of fields and categories, which some dtypes have, may be data."""
    facts = kind.facts()
    dtype = _DTYPE.match(facts.get("dtype", ""))
    name = "" if class_name(type(kind.value)) == "ndarray" else f"{class_name(type(kind.value))} "
    return f"{name}{'structured' if dtype is None else dtype[0]}{shape(facts.get('shape', ()))}"


def _with_values(value: Any, budget: Budget) -> str:
    return one_line(as_kind(value, budget.share()).line())


def _value_text(say: Any, value: Any, budget: Budget) -> str:
    try:
        return str(say(value, budget))
    except Exception:
        return class_name(type(value))


def _is_telling(name: str, value: Any) -> bool:
    is_hidden = name.startswith("__") or not name.isidentifier()
    return not is_hidden and type(value) not in _NAMELESS and not issubclass(type(value), type)


def _rank(value: Any, budget: Budget) -> int:
    try:
        kind = as_kind(value, budget)
        return kind.rank if kind.rank < 2 else 2 - kind.holds_tensors()
    except Exception:
        return 2
