"""Lets compiled functions run as they are written, for as long as a watch is on."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

from ...safe.guard import module

torch: Any = module("torch")


_DYNAMO = "torch._dynamo"
_EAGER = "force_eager"


class EagerStance:
    """Has code of ``torch.compile`` run eagerly once it is imported: Dynamo can't trace a mode that reads values."""

    def __init__(self) -> None:
        self._stance: Any = None
        self._disabled: bool | None = None
        self._is_over = False

    def take(self) -> None:
        """To be asked often: the program may import Dynamo at any time."""
        if self._is_over or self._stance is not None or self._disabled is not None or _DYNAMO not in sys.modules:
            return
        stance = getattr(getattr(torch, "compiler", None), "set_stance", None)
        if stance is not None:
            with suppress(RuntimeError):  # while Dynamo compiles, as in `torch.export`
                self._stance = stance(_EAGER)
            return
        config = sys.modules[_DYNAMO].config  # before torch 2.6
        self._disabled = bool(getattr(config, "disable", False))
        config.disable = True

    def leave(self) -> None:
        self._is_over = True
        if self._stance is not None and self._is_kept():
            self._stance.__exit__(None, None, None)
        if self._disabled is not None:
            sys.modules[_DYNAMO].config.disable = self._disabled
        self._stance = self._disabled = None

    def _is_kept(self) -> bool:
        """Whether the program has not taken another stance meanwhile."""
        stance = getattr(getattr(sys.modules[_DYNAMO], "eval_frame", None), "_stance", None)
        return getattr(stance, "stance", _EAGER) == _EAGER
