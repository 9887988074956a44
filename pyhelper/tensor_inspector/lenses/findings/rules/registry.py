"""All rules, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Collection

from ..rule import Rule
from .data import inputs, samples, splits
from .graph import absent, cut, dead, freed, kept, registration
from .loss import broadcast, labels, probabilities, softmax, targets
from .model import copies, layers, mode, repeated
from .numbers import activations, causes, gradients, state
from .optimizer import calls, groups, updates

_FILES = (
    inputs, samples, splits, causes, state, gradients, dead, cut, registration, freed, kept,
    probabilities, softmax, broadcast, labels, targets, groups, calls, updates, copies, absent, mode, layers, repeated, activations,
)  # fmt: skip
RULES: list[Rule] = [rule for file in _FILES for rule in file.RULES]


def unknown(ids: Collection[str]) -> list[str]:
    """Those of some ids that no rule has."""
    known = {rule.id for rule in RULES}
    return [id for id in dict.fromkeys(ids) if id not in known]


def alike(id: str) -> list[str]:
    """The rules that an unknown id may mean: the one that it is but for its signs, else those with one of its words."""
    parts = id.lower().replace("_", "-").split("-")
    found = [rule.id for rule in RULES if set(parts) & set(rule.id.split("-"))]
    return ["-".join(parts)] if "-".join(parts) in found else found
