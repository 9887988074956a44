"""The tensors of a value in sight, in containers too."""

from __future__ import annotations

from itertools import islice
from typing import Any

from ...measure.torch.metadata import is_exact_tensor
from ...safe.guard import Classes, each

_SEQUENCES = Classes(list, tuple)
_MOST = 1000  #: tensors of one container


def tensors_in(value: Any) -> list[Any]:
    """The tensors in a list, a tuple or a dict, also one of a class that is derived from it, as a state_dict is."""
    cls = type(value)
    if issubclass(cls, dict):
        items = islice(each(dict.values, value), _MOST)
    elif cls in _SEQUENCES:
        items = islice(each(list.__iter__ if cls is list else tuple.__iter__, value), _MOST)
    else:
        return []
    return [item for item in items if is_exact_tensor(item)]
