"""Collections with gaps, as stacks of which not all members have a key."""

from __future__ import annotations

from typing import Any

from .specimen import Specimen, Zoo

TENSORDICT = ("torch", "tensordict")


def stack(*names: str) -> Any:
    import tensordict
    import torch

    members = [dict.fromkeys(("x", name), torch.ones(3)) for name in names]
    return tensordict.lazy_stack([tensordict.TensorDict(member) for member in members])


SPECIMENS: Zoo = {
    "LazyStackedTensorDict, a key of some": Specimen(
        lambda: stack("x", "only"),
        says=("LazyStackedTensorDict[2] · 2 tensordicts along 0 · x · only in some: only",),
        needs=TENSORDICT,
        changed=lambda: stack("x", "other"),
    ),
}
