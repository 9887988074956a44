"""Tells infinities that are meant: bounds beyond which nothing is, a best value so far, masks that are added."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from math import inf, nan, prod
from typing import TYPE_CHECKING, Any, NamedTuple

from ..safe.guard import ByClass, class_name, library_of, module, mro
from .unread import Unread

if TYPE_CHECKING:
    from ..protocol import Badge

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
#: The last words in the names of what holds a bound.
_BOUNDS = frozenset("bound bounds lower upper low high lb ub limit limits".split())
#: Words in the names of numbers that a search begins with.
_BEST = frozenset("best worst worse kth".split())
_LEAST = frozenset("min minimum lowest".split())
_LARGEST = frozenset("max maximum highest".split())
#: The names of attributes that say what stands for no value.
_PLACEHOLDERS = frozenset("missing missing_values missing_value fill fill_value error_score badvalue nodata".split())
#: The last words in the names of classes that are made of bounds.
_BOUNDING = frozenset("bounds bounded constraint constraints interval observer".split())
_MASKS = (["mask"], ["masks"])  #: the last word in the name of a mask
_KEPT_MASKS = frozenset("mask masks masked causal bias".split())  #: words in the names of buffers that hold one
_MOST = 1 << 22  #: elements that are looked at


class StandsAt(NamedTuple):
    """Where a value stands: its name there, the class that holds it, and whether it is a buffer of a module."""

    name: str
    holder: type
    is_buffer: bool = False


def is_meant(what: Badge, elements: Any, place: StandsAt) -> bool:
    """Whether NaN or Inf among the elements of a tensor or array is no fault.

    A single number may stand for no value. Infinities may be bounds, a best value so far, or a mask.
    """
    library = None if elements is None or isinstance(elements, Unread) else module(library_of(type(elements)))
    if library is None or not 0 < prod(elements.shape) <= _MOST:
        return False
    name = place.name.rpartition(".")[2]
    words = _words_of(name)
    if prod(elements.shape) == 1 and is_placeholder(name):
        return True
    if what != "inf" or words[:1] == ["running"]:
        return False
    try:
        is_bound = _is_bound(elements, words, place.holder) or _holds_edges(elements)
        return is_bound or _is_mask(library, elements, words, place.is_buffer)
    except Exception:  # complex numbers, and dtypes that the library does not compare
        return False


def is_set(name: str) -> bool:
    """Whether a Python number of this name is where a search begins or ends, so that an infinite one is meant."""
    words = _words_of(name)
    return _names_bound(words) or not (_BEST | _LEAST | _LARGEST).isdisjoint(words)


def are_edges(numbers: Sequence[Any]) -> bool:
    """Whether they rise from −Inf to Inf, as the edges of intervals that leave nothing out."""
    if len(numbers) < 2 or (numbers[0], numbers[-1]) != (-inf, inf):
        return False
    return all(one < other for one, other in zip(numbers, islice(numbers, 1, None)))


def _holds_edges(elements: Any) -> bool:
    """The same of a tensor or array with one dimension."""
    if len(elements.shape) != 1 or elements.shape[0] < 2 or (elements[0], elements[-1]) != (-inf, inf):
        return False
    return bool((elements[1:] > elements[:-1]).all())


def is_placeholder(name: str) -> bool:
    """Whether a number of this name says what stands for no value: ``missing_values``."""
    return name.strip("_").lower() in _PLACEHOLDERS


def _words_of(name: str) -> list[str]:
    """The words that a name is made of, in lower case: ``min`` and ``val`` of ``min_val``."""
    return [word.lower() for word in _WORD.findall(name)]


def _names_bound(words: list[str]) -> bool:
    """Whether it is what a bound is called: ``upper_bound``, ``max_norm``."""
    return bool(words) and (words[-1] in _BOUNDS or (words[0], words[-1]) == ("max", "norm"))


def _is_bound(elements: Any, words: list[str], holder: type) -> bool:
    """Whether they are bounds: by their name where all are infinite, by their holder too where only some are."""
    is_named = _names_bound(words)
    if (is_named or not (_LEAST | _LARGEST).isdisjoint(words)) and _is_made_of_bounds(holder):
        return not bool((elements != elements).any())
    if is_named:
        return bool(((elements == inf) | (elements == -inf)).all())
    starts = (*[inf] * (not _LEAST.isdisjoint(words)), *[-inf] * (not _LARGEST.isdisjoint(words)))
    starts = (inf, -inf) if not _BEST.isdisjoint(words) else starts
    return prod(elements.shape) == 1 and any(bool((elements == start).all()) for start in starts)


def _find_whether_made_of_bounds(cls: type) -> bool:
    names = [_words_of(class_name(base)) for base in mro(cls)]
    return any(words == ["box"] or bool(words and words[-1] in _BOUNDING) for words in names)


_is_made_of_bounds = ByClass(_find_whether_made_of_bounds)


def _is_mask(library: Any, elements: Any, words: list[str], is_buffer: bool) -> bool:
    """Whether they are a mask that is added to scores: −Inf and one other number, or −Inf above a diagonal only.

    The former may also be the logarithm of zeros and ones, and one place anything, unless a name says what it is.
    """
    return _hides(library, elements, words[-1:] in _MASKS or (is_buffer and not _KEPT_MASKS.isdisjoint(words)))


def _hides(library: Any, elements: Any, is_known: bool) -> bool:
    hidden = elements == -inf
    kept = elements[~hidden]
    least, most = (kept.min(), kept.max()) if prod(kept.shape) else (nan, nan)
    if not (-inf < least and most < inf):
        return False
    return bool(is_known and least == most) or _is_causal(library, hidden, is_known)


def _is_causal(library: Any, hidden: Any, is_known: bool) -> bool:
    """Whether exactly what is above a diagonal is hidden, in each of several. One place or one row proves nothing."""
    if len(hidden.shape) < 2 or hidden.shape[-2] < 2:
        return False
    first = int(hidden.reshape((-1, hidden.shape[-1]))[0].sum())
    above = library.triu(library.ones_like(hidden), hidden.shape[-1] - first)
    return first > (0 if is_known else 1) and bool((hidden == above).all())
