"""Tells infinities that are meant: bounds beyond which nothing is, a best value so far, masks that are added."""

from __future__ import annotations

import re
from math import inf, nan, prod
from typing import Any

from ..safe.guard import library_of, module
from .unread import Unread

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
#: The last words in the names of attributes that hold a bound.
_BOUNDS = frozenset("bound bounds lower upper low high lb ub limit limits".split())
#: Words in the names of numbers that a search begins with.
_BEST = frozenset("best min max minimum maximum lowest highest kth".split())
#: The names of attributes that say what stands for no value.
_PLACEHOLDERS = frozenset("missing missing_values missing_value fill fill_value error_score badvalue nodata".split())
#: Words in the names of what is made of bounds, as a class.
_BOUNDING = frozenset("bounds constraint constraints interval box bbox observer".split())
_MASKS = frozenset("mask masks masked".split())
_MOST = 1 << 22  #: elements among which a mask is looked for


def is_bound(way: tuple[str, ...], count: int) -> bool:
    """Whether ``count`` numbers are bounds by the names that lead to them: ``raw_constraint``, ``upper_bound``."""
    *above, last = map(_words_of, way)
    is_in_bounds = any(not _BOUNDING.isdisjoint(words) for words in above)
    is_best = count == 1 and not _BEST.isdisjoint(last)
    return is_in_bounds or is_best or bool(last and last[-1] in _BOUNDS)


def is_placeholder(name: str) -> bool:
    """Whether an attribute of this name says what stands for no value: ``missing_values``."""
    return name.strip("_").lower() in _PLACEHOLDERS


def _words_of(name: str) -> list[str]:
    """The words that a name is made of, in lower case: ``min`` and ``val`` of ``min_val``."""
    return [word.lower() for word in _WORD.findall(name)]


def count_of(elements: Any) -> int:
    """How many elements; 1 of a number, which has none."""
    return 1 if elements is None or isinstance(elements, Unread) else prod(elements.shape)


def is_mask(elements: Any, name: str, is_kept: bool = False) -> bool:
    """Whether the elements of a tensor or array are a mask that is added to scores: −Inf and one other number, or −Inf
    above the diagonal only.

    The former may also be the logarithm of zeros and ones, unless a module keeps it or its name says what it is.
    """
    library = None if elements is None or isinstance(elements, Unread) else module(library_of(type(elements)))
    if library is None or not 0 < prod(elements.shape) <= _MOST:
        return False
    is_known = is_kept or not _MASKS.isdisjoint(_words_of(name))
    try:
        return _hides(library, elements, is_known)
    except Exception:  # complex numbers, and dtypes that the library does not compare
        return False


def _hides(library: Any, elements: Any, is_known: bool) -> bool:
    hidden = elements == -inf
    kept = elements[~hidden]
    least, most = (kept.min(), kept.max()) if prod(kept.shape) else (nan, nan)
    if not (-inf < least and most < inf):
        return False
    return bool(is_known and least == most) or _is_causal(library, hidden)


def _is_causal(library: Any, hidden: Any) -> bool:
    """Whether exactly what is above the diagonal is hidden, of a square, or of several."""
    if len(hidden.shape) < 2 or hidden.shape[-1] != hidden.shape[-2] or hidden.shape[-1] < 2:
        return False
    above = library.triu(library.ones_like(hidden), 1)
    return bool((hidden == above).all())
