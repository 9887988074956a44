"""`LayerRun`: what was noted of one call of a layer. It holds no tensor."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from ...safe.guard import class_name

if TYPE_CHECKING:
    from typing import Literal

    from ...protocol import LayerCall, LayerTensor
    from .tensors import ValueRange

    State = Literal["done", "raised", "inside"]


class LayerRun:
    """One call. ``parent`` is the place of the call inside of which it was, −1 of the first.

    Its state is "raised" where the exception came from its own code or from what that called, "inside" where it came
    from a layer that it ran.
    """

    __slots__ = tuple(
        "alike bad_below begins below high inf inputs key low module more_inputs more_outputs ms name nan number"
        " outputs parameters parent returned state words".split()
    )

    def __init__(self, module: Any, name: str, key: str, words: str, parameters: int, parent: int, number: int) -> None:
        self.module = module
        self.name = name
        self.key = key  #: its name below the layer inside of which it was called
        self.words = words
        self.parameters = parameters
        self.parent = parent
        self.number = number  #: which call of the same layer it is
        self.below: list[LayerRun] = []  #: calls inside it
        self.alike = 0  #: the same number for calls that look the same, and so do all below them
        self.inputs: list[LayerTensor] = []
        self.outputs: list[LayerTensor] = []
        self.more_inputs = 0  #: that are not listed
        self.more_outputs = 0
        self.low: Any = None  #: of all floats that it gave, of integers where it gave no others
        self.high: Any = None
        self.nan = 0  #: of all that it gave, as `inf`
        self.inf = 0
        self.returned = ""  #: the class of what it gave
        self.ms: float | None = None
        self.state: State = "raised"
        self.bad_below = False  #: a layer inside has given NaN or Inf
        self.begins = False  #: it has given NaN or Inf though neither what it was given nor a layer inside had any

    def add(self, numbers: ValueRange) -> None:
        """Adds the range, the NaN and the Inf of a tensor that it gave."""
        self.nan += numbers.nan
        self.inf += numbers.inf
        if numbers.low is None or numbers.high is None:
            return
        if self.low is None or (type(self.low) is int and type(numbers.low) is not int):
            self.low, self.high = numbers.low, numbers.high
        elif type(self.low) is type(numbers.low):
            self.low, self.high = min(self.low, numbers.low), max(self.high, numbers.high)

    def signature(self) -> Hashable:
        """All that a table shows of the call, without its numbers; calls with equal signatures share a line."""
        tensors = (*map(_signature, self.inputs), self.more_inputs, *map(_signature, self.outputs), self.more_outputs)
        below = tuple((one.key, one.alike) for one in self.below)
        return self.words, self.state, (self.nan, self.inf), self.begins, tensors, below

    def data(self, depth: int) -> LayerCall:
        return {
            "name": self.name,
            "call": self.number,
            "type": class_name(type(self.module)),
            "depth": depth,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "more_inputs": self.more_inputs,
            "more_outputs": self.more_outputs,
            "nan": self.nan,
            "inf": self.inf,
            "returned": self.returned,
            "parameters": self.parameters,
            "ms": self.ms,
            "state": self.state,
            "begins": self.begins,
        }


def _signature(one: LayerTensor) -> Hashable:
    return one["place"], one["name"], tuple(one["shape"] or ()), one["dtype"], one["device"]
