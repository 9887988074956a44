"""Collections with gaps: stacks of which not all members have a key, nested tensors with room between components."""

from __future__ import annotations

from typing import Any

from .specimen import Specimen, Zoo

TENSORDICT = ("torch", "tensordict")


def stack(*names: str) -> Any:
    import tensordict
    import torch

    members = [dict.fromkeys(("x", name), torch.ones(3)) for name in names]
    return tensordict.lazy_stack([tensordict.TensorDict(member) for member in members])


def narrowed(last: float = 1.0) -> Any:
    """Components of 0 to 3 in a buffer that has NaN and 99 between them."""
    import torch

    whole = torch.tensor([[0.0, last, 99.0, float("nan")], [2.0, 3.0, 1.0, 99.0]])
    return torch.nested.narrow(whole, 1, torch.tensor([0, 0]), torch.tensor([2, 3]), layout=torch.jagged)


SPECIMENS: Zoo = {
    "LazyStackedTensorDict, a key of some": Specimen(
        lambda: stack("x", "only"),
        says=("LazyStackedTensorDict[2] · 2 tensordicts along 0 · x · only in some: only",),
        needs=TENSORDICT,
        changed=lambda: stack("x", "other"),
    ),
    "jagged, narrowed": Specimen(
        narrowed,
        says=("2 components: [2], [3]", "0…3"),
        silent=("NaN", "99"),
        facts={"stats.nan": 0, "stats.max": 3.0, "stats.count": 5},
        needs=("torch.nested.narrow",),
        changed=lambda: narrowed(1.5),
    ),
}
