"""All rules, in the order in which they are asked."""

from __future__ import annotations

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
