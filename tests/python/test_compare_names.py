"""Two checkpoints, models or optimizers are compared by the names of their parameters, also where one is wrapped."""

from __future__ import annotations

import copy
import sys
from typing import Any

import pytest
import torch
from asking import Paused
from torch import nn

from tensor_inspector import compare

NAMED = "param_names" in torch.optim.SGD(nn.Linear(1, 1).named_parameters(), lr=1.0).param_groups[0]


def model(seed: int = 0) -> nn.Sequential:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))


def weights(prefix: str = "", **more: Any) -> dict[str, Any]:
    return {**{f"{prefix}{name}": tensor for name, tensor in model().state_dict().items()}, **more}


def told(a: Any, b: Any) -> list[str]:
    return [f"{one['path']} {one['text']}".strip() for one in compare(a, b).differences]


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (weights(), weights("module."), "4 names matched without 'module.' in b"),
        (weights("module."), weights(), "4 names matched without 'module.' in a"),
        (weights("_orig_mod."), weights(), "4 names matched without '_orig_mod.' in a"),
        (weights("module._orig_mod."), weights(), "4 names matched without 'module._orig_mod.' in a"),
        (weights(), weights("backbone.encoder."), "4 names matched without 'backbone.encoder.' in b"),
        (weights("module."), weights("_orig_mod."), "4 names matched, as 'module.0.weight' and '_orig_mod.0.weight'"),
        ({"a._orig_mod.w": 1}, {"a.w": 1}, "1 name matched, as 'a._orig_mod.w' and 'a.w'"),
    ],
)
def test_names_are_matched_without_what_a_wrapper_adds(a: Any, b: Any, said: str) -> None:
    assert told(a, b) == [said]


def test_what_differs_is_found_below_names_that_were_matched() -> None:
    other = weights("module.")
    other["module.2.weight"] = other["module.2.weight"] + 1
    other["module.9.weight"] = torch.ones(1)
    del other["module.0.bias"]
    found = told(weights(), other)
    assert found[0] == "3 names matched without 'module.' in b"
    assert [one.partition(" ")[0] for one in found[1:]] == ["['0.bias']", "['module.9.weight']", "['2.weight']"]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "c": 3}),
        ({"x.w": 1}, {"y.w": 1}),
        ({"module.a": 1, "module.b": 1}, {"c": 1, "d": 1}),
    ],
)
def test_names_that_mean_other_things_are_not_matched(a: Any, b: Any) -> None:
    assert "names" not in {one["what"] for one in compare(a, b).differences}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_wrapped_model_is_compared_by_what_it_wraps() -> None:
    changed = model()
    changed[2].weight.data[0, 0] += 1
    for wrapped, name in ((nn.DataParallel(changed), "module"), (torch.compile(changed), "_orig_mod")):
        found = told(model(), wrapped)
        assert found[0] == f"Sequential → {type(wrapped).__name__}: .{name} of b is compared"
        assert found[-1].startswith("[2].weight 1 of 8 differ")
        assert told(wrapped, model())[-1].startswith(f".{name}[2].weight 1 of 8 differ")


def test_both_values_are_reached_by_their_own_expressions(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> Any:
        a, b = weights(), weights("module.")
        b["module.0.bias"] = b["module.0.bias"] + 1
        assert a is not b
        return sys._getframe()

    paused = Paused(stop(), monkeypatch)
    answer = paused.lens("compare", a="a", b="b")
    _, row = paused.below(answer, answer["node"])
    assert [one["path"] for one in paused.below(answer, row)] == ["a['0.bias']", "b['module.0.bias']"]


def trained(net: nn.Module, optimizer: Any) -> Any:
    net(torch.ones(5, 3)).pow(2).sum().backward()
    optimizer.step()
    return optimizer


def test_optimizers_are_compared_by_the_names_of_the_models_in_sight() -> None:
    one, other = model(), model()
    a = trained(one, torch.optim.Adam(one.parameters(), lr=0.1))
    b = trained(other, torch.optim.Adam(list(other.parameters())[::-1], lr=0.1))
    assert told(a, b) == []
    b.state[other[2].bias]["exp_avg"] += 1
    assert [one.partition(" of ")[0] for one in told(a, b)] == ["state › 2.bias › 'exp_avg' 2"]
    b.param_groups[0]["lr"] = 0.2
    assert told(a, b)[0] == ".param_groups[0]['lr'] 0.1 → 0.2"


def test_without_names_they_are_compared_as_they_stand() -> None:
    def made() -> Any:
        net = model()
        return trained(net, torch.optim.Adam(net.parameters(), lr=0.1))

    assert told(made(), made()) == []


@pytest.mark.skipif(not NAMED, reason="this torch's optimizers keep no names")
def test_saved_optimizers_are_compared_by_the_names_that_they_keep() -> None:
    saved = []
    for backwards in (False, True):
        net = model()
        named = list(net.named_parameters())
        saved.append(trained(net, torch.optim.Adam(named[::-1] if backwards else named, lr=0.1)).state_dict())
    assert told(*saved) == []
    changed = copy.deepcopy(saved[1])
    changed["state"][0]["exp_avg"] += 1
    assert told(saved[0], changed)[0].startswith("['state'][3]['exp_avg'] 2 of 2 differ")


def test_a_parameter_that_only_one_holds_is_named() -> None:
    one, other = model(), model()
    a = torch.optim.SGD(one.parameters(), lr=0.1)
    b = torch.optim.SGD([other[0].weight, other[2].weight, other[2].bias], lr=0.1)
    assert [(found["what"], found["path"]) for found in compare(a, b).differences] == [
        ("only in a", ".param_groups[0]['params'][1]")
    ]
