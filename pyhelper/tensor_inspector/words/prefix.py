"""What the names of several things have in common."""

from __future__ import annotations

from collections.abc import Collection


def shared_prefix(names: Collection[str]) -> str:
    """The characters that all names begin with; none where there is one name only.

    >>> shared_prefix(["model.fc1", "model.fc2", "model.conv"])
    'model.'
    """
    first, last = (min(names), max(names)) if len(names) > 1 else ("", "")
    for index, (one, other) in enumerate(zip(first, last)):
        if one != other:
            return first[:index]
    return first
