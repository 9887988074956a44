"""The ids of the detectors, for those who need not load them."""

from __future__ import annotations

DETECTOR_IDS = frozenset(
    """
    one-layer-in-many-places one-value-in-many-places kept-but-live entries-share-memory used-up nothing-left
    no-batches weights-and-data all-pairs the-same-for-every-sample equal-within-groups flat-and-no-gradient
    never-a-label part-in-eval mask-of-what-is-kept longer-than-its-row rounded-to-its-neighbour default-of-all-calls
    """.split()
)
