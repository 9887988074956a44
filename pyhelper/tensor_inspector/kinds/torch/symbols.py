"""Symbolic numbers and ``torch.fx`` proxies, which stand for values while torch traces a program.

Comparing a symbol would add a guard to the trace; reading an attribute of a proxy would add a node to its graph. So
both are described by what their instances store.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...measure.torch.metadata import size_text
from ...safe.attributes import attribute
from ...safe.guard import NUMBERS, dict_get, instance_dict, plain_str
from ..families import by_home, either
from ..python.objects import WordedObject

_NUMBERS = ("SymInt", "SymFloat", "SymBool")


class Symbol(WordedObject):
    """A number that is not known while tracing, by its symbol, and by its value in the inputs that are traced."""

    kind = "number"
    needs = ("node",)

    def brief(self) -> str:
        return size_text(self.value)

    def words(self) -> Iterable[str | None]:
        hint = dict_get(instance_dict(self.attr("node")), "_hint")
        return [size_text(self.value), f"{hint} in this trace" if type(hint) in NUMBERS or type(hint) is bool else None]

    def fact_rows(self) -> list[list[str]]:
        return [["symbol", size_text(self.value)]]


class FxProxy(WordedObject):
    """The stand-in for a tensor in a traced function, by its node in the graph."""

    def brief(self) -> str:
        return f"{self.type_name()} of {self._name()}"

    def words(self) -> Iterable[str | None]:
        return [f"of {self._name()}, which is being traced"]

    def _name(self) -> str:
        root = self.attr("root")
        if root is not None:  # an attribute of another proxy, which is no node before it is used
            return f"{FxProxy(root, self.budget)._name()}.{plain_str(self.attr('attr'))}"
        try:
            return plain_str(attribute(self.attr("node"), "name"))
        except AttributeError:
            return "nothing yet"


kind_for = either(by_home({Symbol: _NUMBERS}, "torch"), by_home({FxProxy: ("Proxy",)}, "torch.fx"))
