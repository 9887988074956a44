"""Names that stand for one another though they are not the same: those of a model and of the same one wrapped."""

from __future__ import annotations

from typing import Any

from ...measure.torch.modules import is_module, is_of
from ...safe.guard import class_name, dict_attribute, dict_get
from .rows import KeyedRow

#: What wraps a model, and the name under which it has it.
_WRAPPERS = {
    "DistributedDataParallel": "module",
    "DataParallel": "module",
    "FullyShardedDataParallel": "_fsdp_wrapped_module",
    "CheckpointWrapper": "_checkpoint_wrapped_module",
    "OptimizedModule": "_orig_mod",
    "AveragedModel": "module",
}
_INSIDE = frozenset(name for name in _WRAPPERS.values() if name != "module")  #: these stand anywhere in a name
_SHARE = 0.5  #: of the names of one side that have to be found without a prefix


def inner_of(model: Any) -> tuple[str, Any] | None:
    """What a wrapper around a model wraps, and what is typed for it."""
    name = class_name(type(model))
    if name not in _WRAPPERS or not is_module(model) or not is_of(model, name):
        return None
    inner = dict_get(dict_attribute(model, "_modules"), _WRAPPERS[name])
    return None if inner is None else (f".{_WRAPPERS[name]}", inner)


def renamed(left: list[KeyedRow], right: list[KeyedRow]) -> tuple[list[tuple[KeyedRow, KeyedRow]], str]:
    """Of rows that have no like by their own names those that have one all the same, and what is said of that."""
    sides = [{name: row for row in rows if (name := _name(row))} for rows in (left, right)]
    for strip in (_unwrapped, *(_without(names) for names in sides)):
        for ours, theirs in ((strip, _same), (_same, strip), (strip, strip)):
            mine, others = _by(sides[0], ours), _by(sides[1], theirs)
            both = [name for name in mine if name in others]
            if both and len(both) >= _SHARE * min(len(sides[0]), len(sides[1])):
                pairs = [(sides[0][mine[name]], sides[1][others[name]]) for name in both]
                return pairs, _said([(mine[name], others[name]) for name in both])
    return [], ""


def _name(row: KeyedRow) -> str:
    if type(row.item) is str:
        return row.item
    return row.key if type(row.key) is str else ""


def _same(name: str) -> str:
    return name


def _unwrapped(name: str) -> str:
    parts = name.split(".")
    while parts and parts[0] == "module":
        parts.pop(0)
    return ".".join(part for part in parts if part not in _INSIDE)


def _without(names: dict[str, KeyedRow]) -> Any:
    """What takes away the parts with which all names of one side begin."""
    first, last = (min(names), max(names)) if len(names) > 1 else ("", "")
    alike = 0
    for one, other in zip(first, last):
        if one != other:
            break
        alike += 1
    prefix = first[: first.rfind(".", 0, alike) + 1]
    return lambda name: name[len(prefix) :] if prefix and name.startswith(prefix) else name


def _by(names: dict[str, KeyedRow], strip: Any) -> dict[str, str]:
    """The names by what is left of them, where that is one of one."""
    found: dict[str, str] = {}
    twice: set[str] = set()
    for name in names:
        short = strip(name)
        if short in found or not short:
            twice.add(short)
        found[short] = name
    return {short: name for short, name in found.items() if short not in twice}


def _said(pairs: list[tuple[str, str]]) -> str:
    amount = f"{len(pairs):,} {'name' if len(pairs) == 1 else 'names'} matched"
    one, other = next(((one, other) for one, other in pairs if one != other), pairs[0])
    longer, shorter, side = (one, other, "a") if len(one) > len(other) else (other, one, "b")
    if longer.endswith(shorter):
        return f"{amount} without '{longer[: len(longer) - len(shorter)]}' in {side}"
    return f"{amount}, as '{one}' and '{other}'"
