"""Identity: weights that a model's configuration ties are two tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.modules import is_of
from ....safe.guard import Classes, class_attribute, instance_dict
from ...findings.finding import Violation
from ...step.functions import sources_in_reach
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

_CONTAINERS = Classes(list, tuple, dict)


@detector(
    1000,
    because="a configuration that ties two weights means one; two are left by a loading or wrapping that parted them",
    why="Each is trained by itself, and a loader that ties them again drops one.",
    suggestion="call model.tie_weights() after the weights are made or moved",
)
def tied_by_name_alone(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``config.tie_word_embeddings`` is True, and ``lm_head.weight`` is another tensor than the embedding's."""
    if any(source.mentions("tie_weights") for source in sources_in_reach(step)):  # which may be still to come
        return
    for variable in reading.each(step.modules):
        model = variable.value
        keys = class_attribute(type(model), "_tied_weights_keys")
        if instance_dict(instance_dict(model).get("config")).get("tie_word_embeddings") is not True or not keys:
            continue
        weights = {one.name: one for one in step.parameters.values() if one.root is variable}
        embeddings = [one for one in weights.values() if is_of(one.member.module, "Embedding")]
        for key in _names(keys):
            head = weights.get(f"{variable.name}.{key}")
            alike = [] if head is None else [one for one in embeddings if one.tensor.shape == head.tensor.shape]
            if head is not None and alike and not is_of(head.member.module, "Embedding"):
                yield Violation(
                    (f"{head.name} is not {alike[0].name}", ", ", "though the configuration ties them"),
                    (head.name, "another tensor"),
                    (f"{variable.name}.config.tie_word_embeddings", "True"),
                    line=step.line_of(variable.name),
                )


def _names(keys: Any) -> list[str]:
    """The names of tied weights: a list of them, or a dict from them to what they are tied to."""
    return [key for key in keys if type(key) is str] if type(keys) in _CONTAINERS else []
