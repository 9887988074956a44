"""The graph of the loss reaches back through earlier steps.

Why: Each step takes longer and more memory than the one before.

Example:
    hidden = cell(x, hidden)
    loss = hidden.square().mean()
    loss.backward(retain_graph=True)

Instead:
    hidden = cell(x, hidden.detach())
    loss = hidden.square().mean()
    loss.backward()

Silent when:
    - fewer than three earlier stops in this line are remembered, and nothing carried leads to weights from before their
      step
    - it does not grow by the same number of nodes each time, or by fewer than 3
    - nodes of earlier steps are not in it: it is only a longer way from step to step
    - the loop does not run a backward in each round
"""

from __future__ import annotations

from collections.abc import Iterator

from ....flow.loop_carried import State, carried_states
from ....graphs.changed import change_of
from ....step.step import Step
from ...finding import Violation
from ...rule import NotAsked, rule


@rule(
    "warning",
    why="Each step takes longer and more memory than the one before.",
    suggestion="detach what is carried over",
    causes="inplace-modified",
    needs="loss source",
)
def graph_grows(step: Step) -> Iterator[Violation]:
    proved = next(_through_old_weights(step), None)
    if proved is not None:
        yield proved
        return
    if not step.moments:
        raise NotAsked("nothing remembered of earlier stops")
    sizes = [moment.nodes for moment in step.moments if moment.lineno == step.source.lineno and moment.nodes]
    roots = step.loss_nodes()
    if len(sizes) < 3 or not roots or not step.source.runs_a_backward_each_round():
        return
    now = max(map(step.graph.size_below, roots))
    sizes = [*sizes[-3:], now]
    grown = [after - before for before, after in zip(sizes, sizes[1:])]
    if min(grown) < 3 or max(grown) != min(grown):
        return
    last = [moment.newest for moment in step.moments if moment.lineno == step.source.lineno and moment.nodes][-1]
    old = {
        node.index for root in roots for node in step.graph.below(root) if node.leaf is None and node.order() <= last
    }
    if last < 0 or len(old) < 2 * grown[0]:  # it is only a longer way from step to step
        return
    loss, state = step.losses[0], _carried_through(step, old)
    through = "" if state is None else f" through {state.name}"
    yield Violation(
        (
            f"the graph of {loss.name} grows by {grown[0]} nodes a step",
            ": ",
            f"it reaches back{through} into earlier steps",
        ),
        (loss.name, f"{sizes[-1]} nodes now, {sizes[0]} three stops ago"),
        *([] if state is None else [(state.name, "has the graph of the steps before")]),
        line=None if state is None else state.line,
        suggestion="detach what is carried from step to step"
        if state is None
        else f"detach it between steps: {state.detaching}",
    )


def _through_old_weights(step: Step) -> Iterator[Violation]:
    """A backward that is still to come goes through a carried state to weights that have been stepped since."""
    for loss in step.pending():
        root = step.node_of(loss.tensor)
        if root is None or step.graph.modified_below(root) is None:
            continue
        for state in carried_states(step):
            for top in map(step.node_of, state.tensors):
                modified = None if top is None or not step.graph.reaches(root, top) else step.graph.modified_below(top)
                weight = None if modified is None else change_of(step, *modified).name
                if weight is not None and _is_optimized(step, weight):
                    yield Violation(
                        (
                            f"{state.name} is carried from step to step with its graph",
                            ": ",
                            f"{loss.name} goes back through it to {weight} as it was before a step, and its backward will fail",
                        ),
                        (state.name, "has the graph of the steps before"),
                        (weight, "was stepped since that graph was made"),
                        line=state.line,
                        suggestion=f"detach it between steps: {state.detaching}",
                    )
                    return


def _is_optimized(step: Step, name: str) -> bool:
    named = [(one.name, one.tensor) for one in step.parameters.values()]
    named += [(variable.name, variable.value) for variable in step.tensors]
    return any(known == name and id(tensor) in step.optimized for known, tensor in named)


def _carried_through(step: Step, old: set[int]) -> State | None:
    """The state whose graph has some of the nodes of earlier steps, by their numbers."""
    for state in carried_states(step):
        nodes = [node for tensor in state.tensors if (node := step.node_of(tensor)) is not None]
        if any(not old.isdisjoint(below.index for below in step.graph.below(node)) for node in nodes):
            return state
    return None
