"""Values that hold settings: namespaces, losses, activations."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

import torch
from torch import nn

from .specimen import Specimen


def weighted(weight: float = 1.0) -> Any:
    return nn.BCEWithLogitsLoss(pos_weight=torch.full((2,), weight))


SPECIMENS = {
    "arguments of a command line": Specimen(
        partial(argparse.Namespace, lr=0.1, epochs=3),
        says=("Namespace · lr 0.1, epochs 3",),
        changed=partial(argparse.Namespace, lr=0.2, epochs=3),
    ),
    "loss with settings": Specimen(
        partial(nn.CrossEntropyLoss, ignore_index=0, label_smoothing=0.1),
        says=("CrossEntropyLoss · ignore_index 0, label_smoothing 0.1 · train",),
        changed=partial(nn.CrossEntropyLoss, ignore_index=0, label_smoothing=0.2),
    ),
    "loss with a weight": Specimen(weighted, says=("BCEWithLogitsLoss", "pos_weight"), changed=partial(weighted, 2.0)),
    "activation with a slope": Specimen(
        partial(nn.LeakyReLU, 0.2), says=("LeakyReLU · negative_slope 0.2",), changed=partial(nn.LeakyReLU, 0.3)
    ),
}
