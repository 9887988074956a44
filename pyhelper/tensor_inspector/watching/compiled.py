"""Lets compiled functions run as they are written, for as long as a watch is on."""

from __future__ import annotations

import sys
from typing import Any

from ..safe.guard import module

torch: Any = module("torch")


_DYNAMO = "torch._dynamo"


class EagerStance:
    """Has code of ``torch.compile`` run eagerly once it is imported: Dynamo can't trace a mode that reads values."""

    def __init__(self) -> None:
        self._stance: Any = None
        self._disabled: bool | None = None

    def take(self) -> None:
        """To be asked often: the program may import Dynamo at any time."""
        if self._stance is not None or self._disabled is not None or _DYNAMO not in sys.modules:
            return
        stance = getattr(torch.compiler, "set_stance", None)
        if stance is not None:
            self._stance = stance("force_eager")
            return
        config = sys.modules[_DYNAMO].config  # before torch 2.6
        self._disabled = bool(getattr(config, "disable", False))
        config.disable = True

    def leave(self) -> None:
        if self._stance is not None:
            self._stance.__exit__(None, None, None)
        if self._disabled is not None:
            sys.modules[_DYNAMO].config.disable = self._disabled
        self._stance = self._disabled = None
