"""One reading of the program's source (`lenses/flow`): what its tables are asked for."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from tensor_inspector.lenses.flow.gradient.forward import detached_attributes
from tensor_inspector.lenses.flow.module_entries import entries_taken


class Gated(nn.Module):
    """Each mask is computed of `gate`, by another call without a graph."""

    def forward(self, x: torch.Tensor, by: str) -> torch.Tensor:
        if by == "method":
            return self.body(x) * self.gate(x).gt(0).float()
        if by == "function":
            return self.body(x) * torch.isfinite(self.gate(x)).float()
        return self.body(x) * (self.gate(x) > 0).float()


def test_a_mask_without_a_graph_detaches_its_module_whichever_call_computes_it() -> None:
    file, line, how = detached_attributes(Gated)["gate"]
    assert (file, how) == (__file__, "gt()")
    assert line == Gated.forward.__code__.co_firstlineno + 2
    assert "body" not in detached_attributes(Gated)


class ByFunction(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.body(x) * torch.isfinite(self.gate(x)).float()


class Rounded(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.body(x) * self.gate(x).round()


@pytest.mark.parametrize(("cls", "found"), [(ByFunction, {"gate": "isfinite()"}), (Rounded, {})])
def test_a_gradient_of_zero_is_one(cls: type, found: dict[str, str]) -> None:
    assert {name: how for name, (_, _, how) in detached_attributes(cls).items()} == found


class Chosen(nn.Module):
    """What follows the first result is nested too deeply."""

    def forward(self, x: torch.Tensor, k: int) -> torch.Tensor:
        h = self.body(x).detach()
        if k == 0:
            return self.head(h)
        deep = ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~k
        return self.head(h + deep)


def test_what_a_first_result_was_computed_from_is_told_whatever_is_too_deep_below() -> None:
    assert [how for _, _, how in detached_attributes(Chosen).values()] == ["detach()"]


class Heads(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.heads["box"](x) + self.heads["mask"](x)


class AllHeads(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.heads["box"](x) + sum(head(x) for _, head in self.named_children())


def test_entries_are_known_unless_all_modules_are_gone_through() -> None:
    keys = ["box", "mask", "point"]
    assert entries_taken(Heads, "heads", keys) == ["box", "mask"]
    assert entries_taken(AllHeads, "heads", keys) is None
