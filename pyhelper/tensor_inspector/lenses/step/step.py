"""`Step`: the training step at a stop: the values in sight, the graph behind them, and the source."""

from __future__ import annotations

from typing import Any

from ...measure.torch.elements import norm_of, number_of, stats_of
from ...measure.torch.graph import Graph
from ...measure.torch.metadata import element_count, grad_fn_of, grad_of, grads_of, is_exact_tensor, requires_grad
from ...measure.torch.node import AutogradNode
from ...measure.torch.optimizers import each_group
from ...safe.budget import Budget, Steps
from .backpropagated import Loss, begins_a_backward, losses_of, tensors_of
from .frames import VisibleFrame
from .roles import Parameter
from .sight import VisibleVariable
from .sources import Sources

_QUICK = 1 << 18  #: elements of one tensor that are read where nobody asked for a thorough look


class Step(Sources):
    """What rules ask. The step itself is the frame at ``level``; ``losses`` are what its source calls backward on.

    ``grad_mode`` is whether gradients were on at the stop, ``run`` whether rules may run the program's code.
    """

    def __init__(
        self, visible_frames: list[VisibleFrame], budget: Budget, *, thorough: bool, grad_mode: bool, run: bool = False
    ) -> None:
        super().__init__(visible_frames, budget)
        self.thorough = thorough
        self.run = run
        self.grad_mode = grad_mode
        self.moments: list[Any] = []  #: numbers of earlier stops in this step, the oldest first
        self.functions: dict[tuple[int, ...], Any] = {}  #: what frames call: see `functions.functions_called`
        self._stats: dict[int, Any] = {}
        self._norms: dict[int, float | None] = {}
        self._grads: dict[int, Any] = {}
        self._trainable: list[Parameter] | None = None
        self._trained: list[Parameter] | None = None
        self._reached: set[int] | None = None
        self.source.begin_through(self._is_helper)
        self.losses = list(losses_of(self))
        self.optimized = self._ids_in_optimizers()
        self.graph = self._graph()
        self._settle()

    def _ids_in_optimizers(self) -> set[int]:
        """The ids of the tensors that optimizers hold, as far as there is time to read their groups."""
        steps, ids = Steps(self.budget), set[int]()
        for variable in self.optimizers:
            for group in each_group(variable.value):
                if steps.end():
                    return ids
                ids.update(map(id, group.tensors))
        return ids

    # The graph

    def _is_helper(self, expression: str) -> bool:
        """Whether an expression in the source is an object in sight, and no tensor: an accelerator, an engine."""
        value = self.value(expression)
        return value is not None and not is_exact_tensor(value) and begins_a_backward(type(value))

    def _graph(self) -> Graph:
        tensors = [variable.value for variable in self.tensors]
        tensors += [loss.tensor for loss in self.losses]
        tensors += [tensor for _, tensor, _ in self.buffers if is_exact_tensor(tensor)]
        return Graph(map(grad_fn_of, tensors), self.budget)

    def node_of(self, tensor: Any) -> AutogradNode | None:
        return self.graph.of(grad_fn_of(tensor))

    def loss_nodes(self) -> list[AutogradNode]:
        """The nodes that made the losses, of those that have a graph."""
        return [node for node in (self.node_of(loss.tensor) for loss in self.losses) if node is not None]

    def reached(self) -> set[int]:
        """The ids of the leaves that the losses lead to."""
        if self._reached is None:
            self._reached = {id(leaf) for node in self.loss_nodes() for leaf in self.graph.leaves(node)}
        return self._reached

    def tensor_at(self, node: AutogradNode) -> VisibleVariable | None:
        """The tensor in sight that a node has made."""
        return next((variable for variable in self.tensors if self.node_of(variable.value) is node), None)

    def title_of(self, node: AutogradNode | None) -> str | None:
        """The name of what a node has made, or of the parameter that it leads to."""
        if node is None:
            return None
        if node.leaf is not None:
            return self.name_of(node.leaf)
        found = self.tensor_at(node)
        return None if found is None else found.name

    # The step

    def _settle(self) -> None:
        """A backward in the very line that runs is done where it has freed its graph, and no earlier one has."""
        for loss in self.losses:
            node = self.node_of(loss.tensor)
            if node is not None and loss.pending and loss.backward.lineno == self.source.lineno:
                is_freed = self.graph.freed_below(node, most=20) is not None
                loss.pending = not is_freed or any(self._is_freed_by(other, loss) for other in self.losses)

    def _is_freed_by(self, other: Loss, loss: Loss) -> bool:
        """Whether a backward that is done has surely freed the graph of a loss."""
        call = other.backward.call
        is_sure = "retain_graph" not in call.keywords and not self.source.is_conditional(call.lineno)
        return other.tensor is loss.tensor and not other.pending and is_sure

    def pending(self) -> list[Loss]:
        return [loss for loss in self.losses if loss.pending]

    def has_all_losses(self) -> bool:
        """Whether all that the source calls backward on is known as it was, or will be, then."""
        known = {id(loss.backward) for loss in self.losses}
        return bool(self.losses) and all(
            id(backward) in known and (backward.is_name or tensors_of(self, backward)[1])
            for backward in self.source.backwards
        )

    def trainable(self) -> list[Parameter]:
        """Trainable parameters of modules in sight."""
        if self._trainable is None or self.run:  # what was run may have changed it
            self._trainable = [one for one in self.parameters.values() if requires_grad(one.tensor)]
        return self._trainable

    def trained(self) -> list[Parameter]:
        """The trainable parameters that an optimizer in sight holds."""
        if self._trained is None or self.run:
            self._trained = [one for one in self.trainable() if id(one.tensor) in self.optimized]
        return self._trained

    # Numbers

    def stats(self, tensor: Any) -> dict[str, Any] | None:
        """Statistics of a tensor, read once; of a large one only where a thorough look was asked for."""
        if id(tensor) not in self._stats:
            count = element_count(tensor)
            small = count is not None and (count <= _QUICK or self.thorough)
            self._references.append(tensor)
            self._stats[id(tensor)] = stats_of(tensor, self.budget.share()) if small else None
        return self._stats[id(tensor)]  # type: ignore[no-any-return]

    def number(self, tensor: Any) -> float | None:
        return number_of(tensor)

    def norm(self, tensor: Any) -> float | None:
        """The Euclidean norm, taken once: see `norm_of`."""
        if id(tensor) not in self._norms:
            self._references.append(tensor)
            self._norms[id(tensor)] = norm_of(tensor)
        return self._norms[id(tensor)]

    def grads(self, tensors: list[Any]) -> list[Any]:
        """The gradient of each, all read at once."""
        if self.run or not self._grads.keys() >= set(map(id, tensors)):
            try:
                found = grads_of(tensors)
            except RuntimeError:
                return [self.grad(tensor) for tensor in tensors]
            self._references += tensors
            self._grads.update(zip(map(id, tensors), found))
            return found
        return [self._grads[id(tensor)] for tensor in tensors]

    def grad(self, tensor: Any) -> Any:
        if id(tensor) not in self._grads or self.run:
            self._references.append(tensor)
            try:
                self._grads[id(tensor)] = grad_of(tensor)
            except RuntimeError:
                self._grads[id(tensor)] = None
        return self._grads[id(tensor)]
