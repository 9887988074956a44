"""The exception that ended a run, in words. It holds nothing of the exception."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...safe.budget import Budget
from ...safe.guard import class_name, plain_message
from ...words.text import one_line
from ..explain.explain import explain
from ..findings.finding import title_of
from .call import LayerRun

if TYPE_CHECKING:
    from ...protocol import LayerFailure

_TIME = 1000  #: milliseconds for an explanation
_TEXT = 300  #: characters of a message


class Failure:
    """``call`` is that of the innermost layer that the exception came through, None where it came through none."""

    def __init__(self, error: BaseException, call: LayerRun | None) -> None:
        self.call = call
        self.type = class_name(type(error))
        self.message = one_line(plain_message(error), _TEXT)
        found = explain(error, None, error.__traceback__, budget=Budget(_TIME))
        self.explained = one_line(title_of(found[0]), _TEXT) if found else None

    def words(self) -> str:
        """What has failed, in a sentence."""
        return self.explained or (f"{self.type}: {self.message}" if self.message else self.type)

    def data(self) -> LayerFailure:
        return {
            "name": "" if self.call is None else self.call.name,
            "layer": None if self.call is None else self.call.words,
            "type": self.type,
            "message": self.message,
            "explained": self.explained,
        }
