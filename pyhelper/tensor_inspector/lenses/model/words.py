"""Text for modules: their class, parameters, buffers and modes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...words.class_names import shorten_class
from ...words.line import Word
from ...words.text import count, listed, percent, plural, size
from .submodule import Submodule, Total

_NAMES = 40  #: characters of names in a list
_LEAST = 40  #: characters that are kept of what a module is


def line_parts(group: Sequence[Submodule], root: Submodule) -> Iterator[str | None]:
    """What the row of a module says, or of several that are alike: how much it is, of all; what it is; what differs."""
    one = group[0]
    parameters, whole = sum(below.total.parameters for below in group), root.total.parameters
    is_whole = one is root
    yield amount(one.total, parameters)
    if parameters and not is_whole:
        yield percent(parameters, whole, 2)
    yield what(group)
    yield trained(one.total)
    if one.same is not None:
        yield f"the same module as {one.same or 'the model'}"
    yield None if len(group) == 1 or not one.total.parameters else f"{count(one.total.parameters)} each"
    taken = sum(below.total.bytes for below in group)
    yield size(taken) if taken else None
    yield _unlike(one.dtypes, root.dtypes, is_whole)
    yield _unlike({device: None for device in one.devices if device != "cpu" or not is_whole}, root.devices, is_whole)
    yield mode(one) if is_whole or one.training is not root.training else None
    yield Word(f"{one.total.lazy:,} not initialized") if one.total.lazy else None
    yield plural(len(one.hooks), "hook") if one.hooks else None


def amount(total: Total, parameters: int) -> str | None:
    """``85.1M params``"""
    least = "≥" if total.unknown else ""
    if parameters:
        return f"{least}{count(parameters)} param{'' if parameters == 1 else 's'}"
    if total.buffers:
        return f"{least}{count(total.buffers)} in buffers"
    return "params of unknown size" if total.unknown else None


def what(group: Sequence[Submodule]) -> str:
    """``12 × Block``"""
    words = group[0].words
    return words if len(group) == 1 else f"{len(group):,} × {words}"


def trained(total: Total) -> str | None:
    """How much of it is trainable, where that is not all."""
    if total.trainable == total.parameters:
        return None
    return f"{count(total.trainable)} trainable" if total.trainable else "frozen"


def mode(one: Submodule) -> str | None:
    if one.training is None:
        return None
    return "train" if one.training else "eval"


def line_name(branch: str, name: str, words: str, width: int) -> str:
    """A cell of the first column: the name whole, of what it is as much as there is room for.

    >>> line_name("├─ ", "out_proj", "NonDynamicallyQuantizableLinear(768 → 768)", 50)
    '├─ out_proj: …DynamicallyQuantizableLinear(768 → 768)'
    """
    first = f"{branch}{name}: " if name else branch
    return first + shorten_class(words, max(_LEAST, width - len(first)))


def keys_of(group: Sequence[Submodule]) -> str:
    """``0…11``"""
    return group[0].key if len(group) == 1 else f"{group[0].key}…{group[-1].key}"


def _unlike(own: dict[str, None], others: dict[str, None], is_whole: bool) -> str | None:
    """What a module has of several things, where the whole has others too."""
    if not own or (list(own) == list(others) and not is_whole):
        return None
    return listed(own, False, _NAMES)
