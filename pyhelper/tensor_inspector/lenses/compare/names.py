"""Pairs names that differ only by a wrapper: ``module.layer`` and ``layer``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any

from ...measure.torch.metadata import is_any_tensor
from ...safe.guard import each
from ...words.prefix import shared_prefix
from .rows import KeyedRow

if TYPE_CHECKING:
    ParameterNames = Callable[[], dict[int, str]]  #: gives the names of the parameters in sight, by their ids
#: What wraps a model, and the name under which it has it.
WRAPPERS = {
    "DistributedDataParallel": "module",
    "DataParallel": "module",
    "FullyShardedDataParallel": "_fsdp_wrapped_module",
    "CheckpointWrapper": "_checkpoint_wrapped_module",
    "OptimizedModule": "_orig_mod",
    "AveragedModel": "module",
}
_INSIDE = frozenset(name for name in WRAPPERS.values() if name != "module")  #: these stand anywhere in a name
_EXTRA = "_extra_state"  #: ends the name of what a module saves beside tensors
_LOOKED_AT = 1000  #: values of a dict
_SHARE = 0.5  #: of the names of one side that have to be found without a prefix


def renamed(left: list[KeyedRow], right: list[KeyedRow]) -> tuple[list[tuple[KeyedRow, KeyedRow]], str]:
    """Pairs rows that have different names but correspond all the same, and describes the renaming."""
    sides = [{name: row for row in rows if (name := _name(row))} for rows in (left, right)]
    names = _matched(sides[0], sides[1]) or _of_weights(*sides)
    return [(sides[0][one], sides[1][other]) for one, other in names], _renaming_text(names) if names else ""


def is_weights(value: Any) -> bool:
    """Whether it is a dict of tensors by name, as ``state_dict()`` gives one."""
    if not issubclass(type(value), dict) or not dict.__len__(value):
        return False
    entries = islice(each(dict.items, value), _LOOKED_AT)
    return all(type(key) is str and (is_any_tensor(item) or key.endswith(_EXTRA)) for key, item in entries)


def in_common(one: Iterable[str], other: Iterable[str]) -> int:
    """How many names stand for one another."""
    mine, others = dict.fromkeys(one), dict.fromkeys(other)
    same = [name for name in mine if name in others]
    for name in same:
        del mine[name], others[name]
    return len(same) + len(_matched(mine, others))


def _matched(left: dict[str, Any], right: dict[str, Any]) -> list[tuple[str, str]]:
    for strip in (without_wrapper_names, *(_strip_shared_prefix(names) for names in (left, right))):
        for ours, theirs in ((strip, _same), (_same, strip), (strip, strip)):
            mine, others = _by(left, ours), _by(right, theirs)
            both = [name for name in mine if name in others]
            if both and len(both) >= _SHARE * min(len(left), len(right)):
                return [(mine[name], others[name]) for name in both]
    return []


def _of_weights(left: dict[str, KeyedRow], right: dict[str, KeyedRow]) -> list[tuple[str, str]]:
    """The only dict of tensors on each side, as two checkpoints have one under names of their own."""
    found = [[name for name, row in rows.items() if is_weights(row.child.value)] for rows in (left, right)]
    return [(found[0][0], found[1][0])] if len(found[0]) == len(found[1]) == 1 else []


def _name(row: KeyedRow) -> str:
    if type(row.item) is str:
        return row.item
    return row.key if type(row.key) is str else ""


def _same(name: str) -> str:
    return name


def without_wrapper_names(name: str) -> str:
    """A name without what data parallelism and `torch.compile` put into it."""
    parts = name.split(".")
    while parts and parts[0] == "module":
        parts.pop(0)
    return ".".join(part for part in parts if part not in _INSIDE)


def _strip_shared_prefix(names: dict[str, Any]) -> Callable[[str], str]:
    """What takes away the parts with which all names of one side begin."""
    alike = shared_prefix(names)
    prefix = alike[: alike.rfind(".") + 1]
    return lambda name: name.removeprefix(prefix)


def _by(names: dict[str, Any], strip: Any) -> dict[str, str]:
    """The names by what is left of them, where that is one of one."""
    found: dict[str, str] = {}
    twice: set[str] = set()
    for name in names:
        short = strip(name)
        if short in found or not short:
            twice.add(short)
        found[short] = name
    return {short: name for short, name in found.items() if short not in twice}


def _renaming_text(pairs: list[tuple[str, str]]) -> str:
    amount = f"{len(pairs):,} {'name' if len(pairs) == 1 else 'names'} matched"
    one, other = next(((one, other) for one, other in pairs if one != other), pairs[0])
    longer, shorter, side = (one, other, "a") if len(one) > len(other) else (other, one, "b")
    if longer.endswith(shorter):
        return f"{amount} without '{longer[: len(longer) - len(shorter)]}' in {side}"
    return f"{amount}, as '{one}' and '{other}'"
