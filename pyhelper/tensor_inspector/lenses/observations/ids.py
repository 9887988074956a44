"""The ids of the detectors, for those who need not load them."""

from __future__ import annotations

DETECTOR_IDS = frozenset(
    """
    one-layer-in-many-places one-value-in-many-places kept-but-live entries-share-memory used-up nothing-left
    no-batches weights-and-data all-pairs the-same-for-every-sample equal-within-groups flat-and-no-gradient
    never-a-label part-in-eval mask-of-what-is-kept longer-than-its-row rounded-to-its-neighbour default-of-all-calls
    nothing-was-reduced each-process-for-itself behind-its-optimizer schedule-of-another clipped-after-the-step
    first-batch-again classes-and-head ignored-among-labels padding-inside frozen-but-moving freezes-in-train
    norm-never-estimated never-written made-in-inference-mode attention-drops-in-eval
    unusual-setting columns-of-many-scales size-as-index schedule-beyond-its-end epoch-never-set
    weights-without-statistics mask-hides-nothing never-read set-for-both tied-by-name-alone
    batch-where-time-is gradients-left-over
    """.split()
)
