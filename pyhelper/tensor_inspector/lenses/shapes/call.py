"""What was noted of one call of a layer: numbers only, no tensor of it is held."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from ...safe.guard import class_name

if TYPE_CHECKING:
    from typing import Literal

    from ...protocol import LayerCall, LayerTensor

    State = Literal["done", "raised", "inside"]


class LayerRun:
    """One call. ``parent`` is the place of the call inside of which it was, −1 of the first.

    Its state is "raised" where the exception came from its own code or from what that called, "inside" where it came
    from a layer that it ran.
    """

    __slots__ = tuple(
        "alike bad_below begins below inputs key module ms name number outputs parameters parent returned state"
        " words".split()
    )

    def __init__(self, module: Any, name: str, key: str, words: str, parameters: int, parent: int, number: int) -> None:
        self.module = module
        self.name = name
        self.key = key
        self.words = words
        self.parameters = parameters
        self.parent = parent
        self.number = number  #: which call of the same layer it is
        self.below: list[LayerRun] = []  #: calls inside it
        self.alike = 0  #: the same number for calls that look the same, and so do all below them
        self.inputs: list[LayerTensor] = []
        self.outputs: list[LayerTensor] = []
        self.returned = ""  #: the class of what it gave
        self.ms: float | None = None
        self.state: State = "raised"
        self.bad_below = False  #: a layer inside has given NaN or Inf
        self.begins = False  #: it has given NaN or Inf though neither what it was given nor a layer inside had any

    def bad(self) -> tuple[int, int]:
        """How many NaN it gave, and infinities."""
        return sum(one["nan"] for one in self.outputs), sum(one["inf"] for one in self.outputs)

    def look(self) -> Hashable:
        """All that tells it from others in a table, but for its numbers."""
        tensors = (*map(_look, self.inputs), None, *map(_look, self.outputs))
        below = tuple((one.key, one.alike) for one in self.below)
        return self.words, self.state, self.number, self.bad(), tensors, below

    def data(self, depth: int) -> LayerCall:
        return {
            "name": self.name,
            "call": self.number,
            "type": class_name(type(self.module)),
            "depth": depth,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "returned": self.returned,
            "parameters": self.parameters,
            "ms": self.ms,
            "state": self.state,
            "begins": self.begins,
        }


def _look(one: LayerTensor) -> Hashable:
    return one["place"], tuple(one["shape"] or ()), one["dtype"], one["device"]
