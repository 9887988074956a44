"""Modules, optimizers, loaders and what torch compiles: what is found in them, where it is reached, and what is left."""

from __future__ import annotations

import math
import warnings
from collections import UserList
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.optim import lr_scheduler
from torch.utils import data
from zoo.tensor_classes import InSlots, OwnParameter, Scaled, Tagged, Wrapping

from tensor_inspector import facts, summarize, tree
from tensor_inspector.kinds import Child, Property, Rows, TextRow, as_kind
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.stop.snapshot import Snapshot
from tensor_inspector.words.line import in_short

nan, inf = math.nan, math.inf


def test_what_a_module_keeps_in_the_place_of_its_buffers_is_passed_over() -> None:
    model = nn.Linear(2, 3)
    model.__dict__["_buffers"] = None
    assert summarize(model) == "Linear(2 → 3) · 9 params · train · grads None"


def rows(value: Any, budget_ms: float = inf) -> dict[str, str]:
    return dict(facts(value, budget_ms=budget_ms)["rows"])  # type: ignore[arg-type]


def layer(values: Any = 1.0, dtype: torch.dtype = torch.float32, size: int = 4) -> nn.Module:
    module = nn.Linear(size, size, bias=False)
    module.weight = nn.Parameter(torch.full((size, size), values, dtype=dtype))
    return module


# Modules


@pytest.mark.filterwarnings("ignore:Lazy modules")
def test_a_lazy_layer_says_what_its_parameters_will_be() -> None:
    said = rows(nn.LazyLinear(3))
    assert (said["dtypes"], said["gradients"]) == ("float32", "grads None")


@pytest.mark.parametrize(("cls", "bytes"), [(Wrapping, 60), (Scaled, 68), (InSlots, 60)])
def test_parameters_that_only_their_class_can_compute_are_counted(cls: type, bytes: int) -> None:
    module = nn.Linear(4, 3)
    module._parameters["weight"] = cls(torch.ones(3, 4))
    said = rows(module)
    assert said["parameters"] == "15 in 2 tensors"
    assert facts(module)["bytes"] == bytes  # those of the tensors inside


def test_bytes_are_told_of_a_module_only_where_those_of_all_its_tensors_are_known() -> None:
    module = nn.Linear(4, 3)
    assert facts(module)["bytes"] == 60
    module.register_buffer("mask", torch.eye(3).to_sparse())
    assert "bytes" not in facts(module)


def test_of_a_sharded_parameter_the_bytes_are_those_of_the_part_that_is_here(mesh: Any) -> None:
    from torch.distributed.tensor import DTensor, Shard

    module, part = nn.Linear(4, 9, bias=False), torch.ones(3, 4)
    module.weight = nn.Parameter(DTensor.from_local(part, mesh, [Shard(0)], shape=torch.Size([9, 4]), stride=(4, 1)))
    assert (rows(module)["parameters"], facts(module)["bytes"]) == ("36 in 1 tensor", 48)


@pytest.mark.parametrize("cls", [Tagged, OwnParameter])
def test_a_module_tells_the_devices_of_tensors_of_classes_of_the_program(cls: type) -> None:
    module = nn.Linear(4, 3)
    module._parameters["weight"] = torch.ones(3, 4, device="meta").as_subclass(cls)
    assert rows(module)["devices"] == "meta, cpu"


def test_an_optimizer_of_many_tensors_says_how_many_it_had_time_to_ask() -> None:
    tensors = [torch.ones(1, requires_grad=True) for _ in range(300)]
    said = rows(torch.optim.SGD(tensors, lr=0.1), budget_ms=0)
    assert said["gradients"] == "0 of the first 63 of 300 tensors: time budget"


def test_an_optimizer_of_many_groups_shows_the_first() -> None:
    optimizer = torch.optim.SGD([torch.ones(1)], lr=0.1)
    optimizer.param_groups = optimizer.param_groups * 150
    said = rows(optimizer)
    assert (said["group 99"], said["…"]) == ("lr 0.1 · 1 tensor", "50 more groups")
    assert "group 100" not in said


def test_an_optimizer_around_another_tells_of_that() -> None:
    class Wrapper(torch.optim.Optimizer):
        def __init__(self, optimizer: torch.optim.Optimizer) -> None:
            self.optimizer = optimizer

        @property
        def param_groups(self) -> Any:  # type: ignore[override]
            raise RuntimeError("the program's code has run")

    inner = torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=0.5)
    assert summarize(Wrapper(inner)) == summarize(inner).replace("SGD", "Wrapper")


def test_a_walk_that_has_no_time_says_how_far_it_came() -> None:
    now = [0.0]
    net = nn.Sequential(*(nn.Linear(1, 1) for _ in range(500)))
    budget = Budget(20, clock=lambda: now[0])
    now[0] = 1.0
    line = Snapshot(Rows.of("", [])).describe(Child("net", net, "net"), 0, budget)["line"]
    assert line.startswith("Sequential(500) · ≥42 params · first 22 modules and 42 tensors: time budget · ")


def test_what_a_walk_without_time_counted_is_a_least_in_the_facts_too() -> None:
    now = [0.0]
    net = nn.Sequential(*(nn.Linear(1, 1) for _ in range(100)), nn.Linear(1, 1).eval().requires_grad_(False))
    budget = Budget(20, clock=lambda: now[0])
    now[0] = 1.0
    facts = Snapshot(Rows.of("", [])).describe(Child("net", net, "net"), 0, budget, facts=True)["facts"]
    said = dict(facts["rows"])  # type: ignore[arg-type]
    assert said == {
        "counted": "first 22 modules and 42 tensors: time budget",
        "parameters": "≥42 in ≥42 tensors",
        "trainable": "≥42",
        "devices": "cpu, …",
        "dtypes": "float32, …",
        "submodules": "≥21",
        "mode": "train",
        "gradients": "≥42 of ≥42 grads None",
        "NaN and Inf": "values not read: no time",
    }
    assert "bytes" not in facts


def test_a_symbol_among_the_sizes_makes_the_number_of_parameters_a_least() -> None:
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    size = ShapeEnv().create_unbacked_symint()
    layer = nn.Linear(4, 3)
    layer.weight = nn.Parameter(torch.empty(size, device="meta"))
    assert summarize(layer).startswith("Linear(4 → 3) · ≥3 params")
    assert rows(layer)["parameters"] == "≥3 in 2 tensors"


def test_facts_of_a_module() -> None:
    one, two = nn.Linear(3, 3), nn.Linear(3, 3).requires_grad_(False)
    two.weight = one.weight
    assert rows(nn.Sequential(one, two)) == {
        "parameters": "15 in 3 tensors",
        "trainable": "12",
        "shared": "1 parameter met again",
        "devices": "cpu",
        "dtypes": "float32",
        "submodules": "2",
        "mode": "train",
        "gradients": "grads None",
        "NaN and Inf": "none in all values",
    }


def test_an_unused_layer_says_so_as_the_module_around_it_does() -> None:
    used, unused = nn.Linear(2, 1), nn.Linear(2, 1)
    used(torch.ones(1, 2)).sum().backward()
    assert summarize(nn.ModuleList([used, unused])).endswith("2 of 4 grads None")
    assert summarize(unused).endswith("train · grads None")
    assert summarize(used).endswith("train · has grads")
    assert "grads" not in summarize(nn.Linear(2, 1).requires_grad_(False))


def test_dicts_of_a_module_that_are_the_programs_own_run_nothing() -> None:
    ran = []

    class Own(dict):  # type: ignore[type-arg]
        def __len__(self) -> int:
            ran.append("__len__")
            return 0

        def __bool__(self) -> bool:
            ran.append("__bool__")
            return False

        __iter__ = items = values = keys = __len__  # type: ignore[assignment]

    module = nn.Linear(1, 1)
    for part in ("_parameters", "_buffers", "_modules"):
        kept = Own()
        dict.update(kept, module.__dict__[part])
        module.__dict__[part] = kept
    assert summarize(module) == "Linear(1 → 1) · 2 params · train · grads None"
    assert "weight" in tree(module)
    assert ran == []


# Where things are reached


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleDict({"q": nn.Linear(1, 1), "32": nn.ReLU()})
        self.scales = nn.ParameterList([torch.ones(1), torch.ones(2)])
        self.tables = nn.ParameterDict({"a": torch.ones(1)})

    def forward(self, x: Any) -> Any:
        return x


class OwnList(nn.ModuleList):
    def __getitem__(self, index: Any) -> Any:
        raise RuntimeError("__getitem__ ran")


def quietly(make: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make()


def adam() -> torch.optim.Optimizer:
    torch.manual_seed(0)
    net = nn.Linear(2, 2)
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    return optimizer


REACHED: dict[str, Callable[[], Any]] = {
    "module": Attention,
    "list with its own __getitem__": lambda: OwnList([nn.Linear(1, 1)]),
    "optimizer": adam,
    "scheduler": lambda: lr_scheduler.StepLR(torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1), 1),
    "scripted": lambda: quietly(lambda: torch.jit.script(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)))),
    "traced": lambda: quietly(lambda: torch.jit.trace(nn.Linear(2, 2), torch.ones(1, 2))),
    "graph": lambda: torch.fx.symbolic_trace(nn.Linear(1, 1)),
    "loader": lambda: data.DataLoader(data.TensorDataset(torch.ones(4)), 2),
    "subset": lambda: data.Subset(data.ConcatDataset([data.TensorDataset(torch.ones(4))]), [1]),
    "storage": lambda: torch.ones(2).untyped_storage(),
    "generator": torch.Generator,
}


def test_an_optimizer_says_its_rate_where_there_is_little_room_too() -> None:
    net = nn.Linear(2, 2)
    assert in_short(as_kind(torch.optim.AdamW(net.parameters(), lr=0.1), Budget()).parts()) == (
        "AdamW · lr 0.1, … · 2 tensors"
    )
    nn.init.constant_(net.bias, float("nan"))
    assert in_short(as_kind(torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9), Budget()).parts()).startswith(
        "NaN in #1 · SGD · lr 0.1, momentum 0.9"
    )


@pytest.mark.parametrize("name", REACHED)
def test_a_path_reaches_what_is_shown(name: str) -> None:
    value = REACHED[name]()
    snapshot = Snapshot(Rows.of("", [Child("value", value, "value")]))
    waiting, reached = [(0, 0)], 0
    with Untouched():
        while waiting:
            parent, depth = waiting.pop()
            for node in snapshot.page(parent, 0, 50, Budget())["nodes"]:
                shown = snapshot.value(node["id"])
                if (
                    "path" in node
                    and not isinstance(shown, (Rows, TextRow, Property))
                    and "Elements" not in str(type(shown))
                ):
                    found = eval(node["path"], {"value": value})
                    assert found is shown or type(found) is type(shown), node["path"]
                    if isinstance(shown, (torch.Tensor, nn.Module, dict, list)):
                        assert found is shown, node["path"]
                    reached += 1
                if node.get("children") and "lazy" not in node and depth < 4:
                    waiting.append((node["id"], depth + 1))
    assert reached > 0


# What is on its way stays where it is


def test_a_loader_on_its_way_gives_the_next_batch_as_before() -> None:
    batches = iter(data.DataLoader(data.TensorDataset(torch.arange(6)), 2))
    next(batches)
    summarize(batches)
    tree(batches, depth=4)
    assert [batch[0].tolist() for batch in batches] == [[2, 3], [4, 5]]


def test_a_generator_draws_as_before() -> None:
    first, second = torch.Generator().manual_seed(1), torch.Generator().manual_seed(1)
    summarize(first)
    tree(first)
    assert torch.equal(torch.rand(3, generator=first), torch.rand(3, generator=second))


def test_an_optimizer_steps_as_before() -> None:
    first, second = adam(), adam()
    tree(first, depth=5)
    for optimizer in (first, second):
        optimizer.step()
    assert rows(first)["step"] == "2"
    assert [it.tolist() for it in first.param_groups[0]["params"]] == [
        it.tolist() for it in second.param_groups[0]["params"]
    ]


# What is elsewhere is not waited for


def test_a_rate_and_a_scale_on_a_device_are_named_and_not_read() -> None:
    rate = torch.empty((), device="meta")
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    optimizer.param_groups[0]["lr"] = rate
    assert summarize(optimizer) == "SGD · lr on meta · 1 tensor"
    scaler = quietly(lambda: torch.cuda.amp.GradScaler())
    scaler.__dict__.update(_enabled=True, _scale=rate, _growth_tracker=rate, _growth_interval=5)
    assert summarize(scaler) == "GradScaler · scale on meta: not read"


@pytest.mark.parametrize("groups", [None, [], "text", [[]], [{}], [{"params": None}], [{"params": [1, None]}]])
def test_an_optimizer_whose_groups_are_not_what_they_should_be(groups: Any) -> None:
    optimizer = torch.optim.SGD([torch.ones(1)], lr=0.1)
    optimizer.__dict__["param_groups"] = groups
    assert summarize(optimizer).startswith("SGD · ")
    assert "not read: " not in tree(optimizer, depth=3)


@pytest.mark.parametrize(
    "own",
    [{"batch_size": None}, {"sampler": None, "batch_sampler": None}, {"dataset": None}, {"num_workers": "two"}, {}],
    ids=str,
)
def test_a_loader_whose_attributes_are_not_what_they_should_be(own: dict[str, Any]) -> None:
    loader = data.DataLoader(data.TensorDataset(torch.ones(4)), 2)
    loader.__dict__.update(own)
    assert summarize(loader).startswith("DataLoader · ")
    loader.__dict__.clear()
    assert summarize(loader).startswith("DataLoader · ")


def test_datasets_inside_datasets_without_end() -> None:
    part = data.Subset(data.TensorDataset(torch.ones(4)), [1])
    part.indices = part  # type: ignore[assignment]
    part.dataset = part
    assert summarize(part) == "Subset · length not asked · in Subset"


# What the class computes


class _Counting:
    @property
    def steps(self) -> int:
        raise AssertionError("a property was read")


class _Trained(_Counting, nn.Linear):
    pass


class _Stepping(_Counting, torch.optim.SGD):
    pass


class _Scaled(_Counting, torch.Tensor):
    pass


class _Metrics(_Counting, dict[str, float]):
    pass


class _History(_Counting, UserList[float]):
    pass


@pytest.mark.parametrize(
    "value",
    [
        _Trained(2, 1),
        _Stepping([torch.ones(1, requires_grad=True)], lr=0.1),
        torch.ones(2).as_subclass(_Scaled),
        _Metrics(loss=0.5),
        _History([0.5]),
    ],
    ids=["module", "optimizer", "tensor", "dict", "UserList"],
)
def test_properties_of_the_program_are_offered_and_not_read(value: Any) -> None:
    shown = tree(value)
    assert "class properties  1 property, read on a click" in shown
    assert "steps  property · not read" in shown
