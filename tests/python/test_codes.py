"""What quantized layers hold counts as the numbers that the codes stand for, wherever it is counted."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import tensor_inspector
from tensor_inspector import facts, summarize


class FourBit(nn.Parameter):
    """As that of bitsandbytes: a class of its own, with what the codes stand for among its attributes."""


class Layer(nn.Module):
    """As that of hqq: a plain parameter, with what its codes stand for in a dict of the layer."""

    def __init__(self, weight: nn.Parameter, **attributes: Any) -> None:
        super().__init__()
        self.weight = weight
        self.__dict__.update(attributes)


def codes(cls: type[nn.Parameter] = nn.Parameter) -> nn.Parameter:
    return cls(torch.zeros(4, 8, dtype=torch.uint8), requires_grad=False)


def four_bit() -> nn.Module:
    weight = codes(FourBit)
    weight.__dict__.update(quant_type="nf4", absmax=torch.ones(1), quant_shape=(8, 8))
    return Layer(weight)


META = {"nbits": 4, "shape": torch.Size([8, 8]), "scale": torch.ones(8, 1)}
CASES: dict[str, tuple[nn.Module, int]] = {
    "a parameter's own attributes": (four_bit(), 64),
    "a dict of the layer": (Layer(codes(), meta=META), 64),
    "in a model": (nn.Sequential(Layer(codes(), meta=META), nn.Linear(2, 3)), 64 + 9),
    "a dict without bits": (Layer(codes(), meta={"shape": (8, 8)}), 32),
    "a dict without a shape": (Layer(codes(), meta={"nbits": 4}), 32),
    "real numbers": (Layer(nn.Parameter(torch.zeros(4, 8)), meta=META), 32),
}


@pytest.mark.parametrize(("layer", "elements"), CASES.values(), ids=CASES)
def test_all_count_the_same(layer: nn.Module, elements: int) -> None:
    assert f" · {elements} params · " in summarize(layer)
    assert dict(facts(layer)["rows"])["parameters"].startswith(f"{elements} in ")
    assert f"parameters {elements} in " in str(tensor_inspector.model(layer))
