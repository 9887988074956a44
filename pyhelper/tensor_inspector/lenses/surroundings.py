"""The training step around a tensor at a stop, and the names of its values."""

from __future__ import annotations

from typing import Any

from ..measure.torch.graph import Graph
from ..measure.torch.modules import members
from ..measure.torch.node import AutogradNode
from ..safe.budget import Budget, Steps
from .lens import Paused
from .step import frames
from .step.roles import Parameter
from .step.sight import VisibleVariable
from .step.step import Step

_PROMPT = "<stdin>"  #: the file of what is typed
_SHARE = 0.5  #: of the first slice, for what is in sight


def step_around(paused: Paused | None, budget: Budget) -> Step | None:
    """The step in sight of the paused frame; None where nothing is paused. At a prompt it is what the prompt shows."""
    if paused is None:
        return None
    frame = paused.frame
    visible = frames.nearest(frame) if frame.f_code.co_filename == _PROMPT else None
    if visible is None:
        visible = frames.VisibleFrame(frame, frames.copied_variables(frame))
    return Step(frames.in_sight(visible), budget.share(_SHARE), thorough=False, grad_mode=True)


def names_of_parameters(paused: Paused | None, budget: Budget) -> dict[int, str]:
    """The names that torch gives the parameters of the models in sight, by the parameters' ids."""
    found: dict[int, str] = {}
    step = step_around(paused, budget)
    for variable in step.modules if step is not None else ():
        for member in members(variable.value, Steps(budget)):
            for key, tensor in member.items("_parameters"):
                found.setdefault(id(tensor), f"{member.name}.{key}" if member.name else key)
    return found


class Names:
    """Names of leaves and of results of nodes, as far as they are in sight."""

    def __init__(self, step: Step | None, name: str | None = None, value: Any = None) -> None:
        self.step = step
        self._names = {id(value): name} if name else {}
        self._results: dict[int, VisibleVariable] | None = None

    def of(self, value: Any) -> str | None:
        """The expression that reaches a value."""
        if id(value) in self._names:
            return self._names[id(value)]
        return None if self.step is None else self.step.name_of(value)

    def parameter(self, value: Any) -> Parameter | None:
        return None if self.step is None else self.step.parameters.get(id(value))

    def result_name(self, graph: Graph, node: AutogradNode) -> str | None:
        """The name of the variable that holds the result of a node."""
        found = self.result_variable(graph, node)
        return None if found is None else found.name

    def result_variable(self, graph: Graph, node: AutogradNode) -> VisibleVariable | None:
        """The variable that holds the result of a node."""
        if self._results is None:
            self._results = {}
            for variable in self.step.tensors if self.step is not None else ():
                made = self.step.node_of(variable.value) if self.step is not None else None
                known = None if made is None else graph.of(made.function)
                if known is not None and made is not None and made.leaf is None:
                    self._results.setdefault(known.index, variable)
        return self._results.get(node.index)
