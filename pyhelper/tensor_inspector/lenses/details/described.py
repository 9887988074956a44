"""The part `facts`, which every value has: its line and what is known of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...kinds import as_kind, as_unmade
from ...kinds.facts import add_firsts
from ...safe.attributes import is_bare
from ...safe.budget import Budget
from ...safe.guard import class_name, full_name, plain_message
from ...words.stats import fact_texts
from ...words.text import one_line

if TYPE_CHECKING:
    from ...protocol import Facts

_FOR_FIRSTS = 20  #: milliseconds, at least, for where the first NaN and infinity are


def described(value: Any, budget: Budget) -> tuple[str, Facts]:
    """The line and the facts; of what can't be described, why not."""
    try:
        try:
            line, facts = _asked(value, budget, as_kind)
        except Exception:
            if not is_bare(value):
                raise
            line, facts = _asked(value, budget, as_unmade)
    except Exception as error:
        line = one_line(f"not read: {class_name(type(error))}: {plain_message(error)}")
        facts = {"type": full_name(type(value)), "notes": [line]}
    facts["texts"] = fact_texts(facts)
    return line, facts


def _asked(value: Any, budget: Budget, kind_for: Any) -> tuple[str, Facts]:
    kind = kind_for(value, budget)
    line, facts = one_line(kind.line()), kind.facts()
    if kind.kind in ("tensor", "array"):
        time = budget if budget.remaining_ms() > _FOR_FIRSTS else Budget(_FOR_FIRSTS)
        add_firsts(facts, kind.reading(), kind.elements, time)
    return line, facts
