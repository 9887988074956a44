"""The environment variables of this process, read by the dict inside ``os.environ``."""

from __future__ import annotations

import os
from collections.abc import Iterator

from .guard import dict_attribute, dict_get, each, plain_str


def variables() -> Iterator[tuple[str, str]]:
    """By the dict inside: `os.environ` itself calls built-in functions, in whose place the program may have its own."""
    for name, value in each(dict.items, dict_attribute(os.environ, "_data")):
        yield _text(name), _text(value)


def variable(name: str) -> str:
    """Empty where it is not set."""
    return _text(dict_get(dict_attribute(os.environ, "_data"), name.encode() if os.name == "posix" else name))


def _text(found: object) -> str:
    return found.decode(errors="replace") if type(found) is bytes else plain_str(found)
