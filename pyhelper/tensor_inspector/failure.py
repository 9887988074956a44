"""The code and the sentence with which a request is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .kinds import NotFound, NotStatic
from .safe.guard import class_name, plain_message
from .words.text import shorten

if TYPE_CHECKING:
    from .protocol import FailureCode, RequestFailure

NO_FRAME = "the debugger shows no paused frame here"
OF_TEMPLATE = "this is a line of a template, not of Python: the Variables view has its values"


class Refused(Exception):
    """A request that makes no sense, or can't be answered here: its code, and why in a sentence."""

    def __init__(self, code: FailureCode, message: str) -> None:
        super().__init__(message)
        self.code: FailureCode = code


def failure_of(error: BaseException) -> RequestFailure:
    """The answer where an operation failed."""
    code: FailureCode = "internal"
    message = f"{class_name(type(error))}: {plain_message(error)}".rstrip(": ")
    if isinstance(error, Refused):
        code, message = error.code, str(error)
    elif isinstance(error, NotStatic):
        code, message = "not_static", f"only running code could answer: {error}"
    elif isinstance(error, NotFound):
        code, message = "not_found", str(error)
    return {"code": code, "message": shorten(message, 500)}
