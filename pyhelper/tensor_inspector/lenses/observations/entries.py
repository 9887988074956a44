"""The items of containers, and which of them are one object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def same_entries(entries: list[tuple[str, Any]]) -> Iterator[list[str]]:
    """The expressions of each object that stands in several places."""
    names: dict[int, list[str]] = {}
    for name, value in entries:
        names.setdefault(id(value), []).append(name)
    return (found for found in names.values() if len(found) > 1)
