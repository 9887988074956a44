"""A small replacement of `dataclasses`, whose functions the program may have replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform() -> Any:
        return lambda cls: cls


@dataclass_transform()
class Record:
    """Its fields are what a subclass annotates, given by position or by name; what has a value may be left out."""

    def __init__(self, *values: Any, **named: Any) -> None:
        self.__dict__.update(zip(type(self).__annotations__, values), **named)
