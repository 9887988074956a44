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


def test_two_models_that_torch_compiles_are_compared_by_what_these_wrap() -> None:
    model = torch.compile(nn.Sequential(nn.Linear(3, 4), nn.ReLU()), backend="eager")
    model(torch.randn(2, 3))
    other: Any = copy.deepcopy(model)
    assert str(compare(model, other)).startswith("no difference found")
    with torch.no_grad():
        other._orig_mod[0].weight.add_(1)
    found = compare(model, other).to_dict()
    assert [one["path"] for one in found["differences"]] == ["._orig_mod[0].weight"]


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


def network(seed: int = 0) -> nn.Sequential:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Sequential(nn.Linear(4, 2)))


def saved(prefix: str = "", seed: int = 0) -> dict[str, Any]:
    return {f"{prefix}{name}": tensor for name, tensor in network(seed).state_dict().items()}


def checkpoint(key: str = "state_dict", prefix: str = "", **more: Any) -> dict[str, Any]:
    return {"epoch": 3, key: saved(prefix), "optimizer": torch.optim.SGD([torch.ones(1)], 0.1).state_dict(), **more}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (network, saved, ["Sequential → dict: .state_dict() of a is compared"]),
        (network, lambda: network().state_dict(), ["Sequential → OrderedDict: .state_dict() of a is compared"]),
        (saved, network, ["dict → Sequential: .state_dict() of b is compared"]),
        (
            network,
            lambda: saved("module."),
            ["Sequential → dict: .state_dict() of a is compared", "9 names matched without 'module.' in b"],
        ),
        (
            lambda: torch.compile(network()),
            saved,
            ["OptimizedModule → dict: .state_dict() of a is compared", "9 names matched without '_orig_mod.' in a"],
        ),
        (
            lambda: nn.DataParallel(network()),
            checkpoint,
            [
                "DataParallel → dict: .state_dict() of a and ['state_dict'] of b are compared",
                "9 names matched without 'module.' in a",
            ],
        ),
        (
            network,
            lambda: checkpoint("model"),
            ["Sequential → dict: .state_dict() of a and ['model'] of b are compared"],
        ),
        (network, lambda: {"model": network()}, ["Sequential → dict: ['model'] of b is compared"]),
        (checkpoint, saved, ["dict → dict: ['state_dict'] of a is compared"]),
        (lambda: {"generator": {"x": torch.ones(1)}, "critic": saved()}, network, ["dict → Sequential: ['critic'] of a and .state_dict() of b are compared"]),
        (lambda: {"net": saved()}, lambda: {"weights": saved()}, ["1 name matched, as 'net' and 'weights'"]),
    ],
)  # fmt: skip
def test_a_model_is_compared_with_what_was_saved_of_one(a: Any, b: Any, said: list[str]) -> None:
    found = compare(a(), b())
    assert [one["text"] for one in found.differences] == said
    assert found.compared >= 9


def test_what_a_checkpoint_has_otherwise_is_told_by_name_the_worst_first() -> None:
    other = checkpoint()
    weights = other["state_dict"]
    weights["0.weight"] = weights["0.weight"] + 5e-7
    weights["2.0.weight"] = weights["2.0.weight"] * 3 + torch.arange(8.0).view(2, 4)
    weights["1.weight"] = weights["1.weight"][:3]
    weights["head.bias"] = weights.pop("2.0.bias")
    found = compare(network(), other).differences
    assert [one["what"] for one in found[1:]] == ["shape", "only in a", "only in b", "values", "values"]
    assert [one["path"].split("'")[-2] for one in found[1:]] == [
        "1.weight", "2.0.bias", "head.bias", "2.0.weight", "0.weight",
    ]  # fmt: skip
    assert "all close" in found[5]["text"]


def test_names_are_those_of_torch_also_of_what_is_shared_and_of_what_is_not_saved() -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.head = nn.Embedding(3, 2), nn.Linear(2, 3, bias=False)
            self.head.weight, self.again = self.embed.weight, self.embed
            self.register_buffer("kept", torch.ones(2))
            self.register_buffer("lost", torch.zeros(2), persistent=False)
            self.register_parameter("none", None)

    model = Tied()
    found = compare(model, model.state_dict())
    assert found.compared == len(model.state_dict()) == 4
    assert found.total == 1


def test_no_hook_of_a_model_runs_to_know_its_names() -> None:
    model = network()
    model.register_state_dict_post_hook(lambda *_: pytest.fail("ran")) if hasattr(
        model, "register_state_dict_post_hook"
    ) else None
    assert compare(model, saved()).total == 1


def test_an_optimizer_is_compared_with_what_was_saved_of_one() -> None:
    net = model()
    live = trained(net, torch.optim.Adam(net.parameters(), lr=0.1))
    state = copy.deepcopy(live.state_dict())
    assert told(live, state) == ["Adam → dict: .state_dict() of a is compared"]
    assert told(live, {"epoch": 1, "optimizer": state}) == [
        "Adam → dict: .state_dict() of a and ['optimizer'] of b are compared"
    ]
    state["param_groups"][0]["lr"] = 0.2
    state["state"][3]["exp_avg"] += 1
    assert [one.partition(": ")[0] for one in told(live, state)[1:]] == [
        ".state_dict()['param_groups'][0]['lr'] 0.1 → 0.2",
        ".state_dict()['state'][3]['exp_avg'] 2 of 2 differ, |Δ| up to 1, 96.5% relative",
    ]


class Counting(nn.Module):
    """Saves what only its own code tells."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(2, 2)

    def get_extra_state(self) -> Any:
        raise AssertionError("ran")

    def set_extra_state(self, state: Any) -> None:
        pass


def test_what_only_a_module_itself_tells_of_its_state_is_said_not_to_be_compared() -> None:
    live = nn.Sequential(Counting(), nn.Linear(2, 2))
    saved = {name: tensor.detach().clone() for name, tensor in live.named_parameters()}
    found = compare(live, {**saved, "0._extra_state": {"steps": 3}})
    assert [one["text"] for one in found.differences] == ["Sequential → dict: .state_dict() of a is compared"]
    assert [(one["path"], one["text"]) for one in found.not_compared] == [
        (".state_dict()['0._extra_state']", "not compared: what get_extra_state() gives")
    ]
    assert found.compared == 4


def test_a_state_of_a_module_that_only_one_side_has_is_told() -> None:
    live = nn.Sequential(Counting())
    saved = {name: tensor.detach().clone() for name, tensor in live.named_parameters()}
    assert told(live, saved)[1:] == [".state_dict()['0._extra_state'] only in a: what get_extra_state() gives"]
    plain = nn.Sequential(nn.Linear(2, 2))
    state = {**plain.state_dict(), "0._extra_state": 3}
    assert told(plain, state)[1:] == [".state_dict()['0._extra_state'] only in b: 3"]


class Own(torch.optim.SGD):
    """An optimizer that keeps something beside what it keeps of its parameters."""

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters, lr=0.1, momentum=0.9)
        self.state["scales"] = {"loss": torch.ones(1)}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_an_optimizer_keeps_of_no_parameter_is_compared_too() -> None:
    net = model()
    live = trained(net, Own(net.parameters()))
    state = copy.deepcopy(live.state_dict())
    assert told(live, state) == ["Own → dict: .state_dict() of a is compared"]
    state["state"]["scales"]["loss"] += 1
    assert [one.partition(" 1 of 1")[0] for one in told(live, state)[1:]] == [
        ".state_dict()['state']['scales']['loss']"
    ]


def test_optimizers_by_name_are_compared_by_what_they_keep_of_no_parameter_too() -> None:
    one, other = model(), model()
    a, b = trained(one, Own(one.parameters())), trained(other, Own(other.parameters()))
    assert told(a, b) == []
    b.state["scales"]["loss"] += 1
    assert [one.partition(" 1 of 1")[0] for one in told(a, b)] == ["state › 'scales' › 'loss'"]


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
        self.again = self.first
        self.register_buffer("lost", torch.ones(2, 1), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.again(self.first(x)[:, :2]) + self.lost


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("compiled", [torch.jit.script, lambda net: torch.jit.trace(net, torch.ones(2, 2))])
def test_a_compiled_model_is_compared_by_what_it_has_in_cpp(compiled: Any) -> None:
    live = compiled(Tied().eval())
    state = copy.deepcopy(live.state_dict())
    found = compare(live, state)
    said = [f"{type(live).__name__} → OrderedDict: .state_dict() of a is compared"]
    assert ([one["text"] for one in found.differences], found.compared) == (said, len(state))
    state["first.0.weight"][0, 0] += 1
    assert told(live, {"model": state})[1].startswith(".state_dict()['first.0.weight'] 1 of 6 differ")
    assert len(told(nn.Sequential(live), {f"0.{name}": tensor for name, tensor in state.items()})) == 3


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("compiled", [torch.jit.script, lambda net: torch.jit.trace(net, torch.ones(2, 2))])
def test_a_model_in_cpp_is_compared_with_the_one_it_was_made_of_by_names(compiled: Any) -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).eval()
    live = compiled(copy.deepcopy(net))
    name, both = type(live).__name__, ".state_dict() of a and .state_dict() of b are compared"
    assert told(live, net) == [f"{name} → Sequential: {both}"]
    assert told(net, live) == [f"Sequential → {name}: {both}"]
    with torch.no_grad():
        net[0].weight[0, 0] += 1
    assert told(live, net)[1].startswith(".state_dict()['0.weight'] 1 of 6 differ")


def test_the_state_that_only_one_optimizer_has_is_counted() -> None:
    net = model()
    optimizers = [torch.optim.Adam(net.parameters()) for _ in range(2)]
    net(torch.ones(2, 3)).sum().backward()
    optimizers[0].step()
    assert told(*optimizers) == ["state only in a: of 4 parameters"]


@pytest.mark.parametrize(
    ("key", "name"),
    [(True, "[True]"), ((1, "a"), "[(1, 'a')]"), (None, "[None]"), (b"x", "[b'x']"), (torch.float32, " › float32"),
     (frozenset([1]), " › ‹frozenset of 1› #0"), (1j, " › 1j"), (int, " › int")],
)  # fmt: skip
def test_a_difference_below_a_key_of_any_kind_is_told_by_all_names_above_it(key: Any, name: str) -> None:
    above = f"['outer'][0]{name}"
    last = "['x']" if name[0] == "[" else " › 'x'"
    assert told({"outer": [{key: {"x": 1}}]}, {"outer": [{key: {"x": 2}}]}) == [f"{above}{last} 1 → 2"]


def test_a_copy_of_a_model_has_the_hooks_that_the_model_has() -> None:
    net = nn.LazyLinear(4)
    twin = copy.deepcopy(net)
    assert told(net, twin) == []
    hook = next(iter(twin._load_state_dict_pre_hooks.values()))
    hook.hook = lambda *arguments: None
    assert told(net, twin)
