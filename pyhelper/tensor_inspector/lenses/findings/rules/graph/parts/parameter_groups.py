"""Names parameters by the modules that hold them."""

from __future__ import annotations

from ......words.text import listed
from .....step.roles import Parameter


def grouped(parameters: list[Parameter]) -> str:
    """``encoder.*`` for all of a module, else the names."""
    owners = list(dict.fromkeys(one.name.rpartition(".")[0] or one.name for one in parameters))
    return listed((f"{owner}.*" for owner in owners), False, 60)
