"""Findings that follow from several causes, by the ids of their rules."""

from __future__ import annotations

#: What follows from a number that is not finite.
NOT_FINITE = (
    "nan-origin log-of-zero masked-row fp16-overflow std-of-one nan-in-grad-only"
    " nan-in-params nan-in-buffers exploding-grad lr-too-high"
)
#: What follows where nothing can learn.
NO_LEARNING = (
    "zero-grad-values vanishing-grad dead-relu constant-output missing-grad"
    " weights-unchanged no-nonlinearity step-without-grads"
)
