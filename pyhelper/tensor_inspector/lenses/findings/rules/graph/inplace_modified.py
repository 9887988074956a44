"""A tensor that backward needs was changed in place.

Why: The backward needs the value as it was; torch will raise.

Example:
    h = torch.exp(x)
    h += 1
    loss = h.sum()

Instead:
    h = torch.exp(x)
    loss = (h + 1).sum()

Silent when:
    - the backward is done, or does not lead through what has saved it
    - the version of what was saved is that of today
"""

from __future__ import annotations

from collections.abc import Iterator

from ....graphs.changed import change_of
from ....step.step import Step
from ...finding import Violation
from ...rule import rule


@rule(
    "error",
    why="The backward needs the value as it was; torch will raise.",
    suggestion="use the operation that makes a new tensor",
    needs="loss source",
)
def inplace_modified(step: Step) -> Iterator[Violation]:
    for loss in step.pending():
        root = step.node_of(loss.tensor)
        modified = None if root is None else step.graph.modified_below(root)
        if modified is not None:
            node, name = modified
            saved, change = node.saved(name), change_of(step, node, name)
            versions = f"saved at version {saved.expected}, now at version {saved.found}"
            by_call = f" ({change.by_call})" if change.by_call else ""
            title = (
                "backward will fail",
                ": ",
                f"{change.name or 'a tensor'} was changed in place{by_call} since {node.op}Backward0 saved it: version {saved.expected} then, {saved.found} now",
            )
            yield Violation(
                title, (change.name, versions), (loss.name, "its backward goes through it"), line=change.line
            )
            return
