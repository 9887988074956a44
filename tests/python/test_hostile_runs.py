"""Modules, functions and datasets that raise, loop or hold odd things: what is asked of them is answered in a sentence,
and all that running them touches is as it was."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import Dataset, IterableDataset
from untouched import Watch

from tensor_inspector import gradcheck, gradients, item, model, no_gradient, shapes


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError

    __repr__ = __str__


class Runs(nn.Module):
    """Its forward is what a test says; what it holds is changed first."""

    def __init__(self, forward: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.norm, self.seen, self.does = nn.BatchNorm1d(2), [0], forward

    def forward(self, x: Any) -> Any:
        self.seen.append(1)
        return self.does(self, self.norm(x))


def raises(error: type[BaseException], *told: Any) -> Callable[..., Any]:
    def does(*_: Any) -> Any:
        raise error(*told)

    return does


def itself(module: Any, x: Any) -> Any:
    held: list[Any] = [x]
    held.append(held)
    return held


def again(module: Any, x: Any) -> Any:
    return module.forward(x)


def changes(watch: Watch) -> list[str]:
    """But that gradients were recorded, and that Python takes away the watch's profiler where a recursion ends in it."""
    return [one for one in watch.changes() if "autograd graph" not in one and "profiler" not in one]


MODULES: list[tuple[Callable[[Any, Any], Any], str, str]] = [
    (raises(ValueError, "no such image"), "raised in Runs: ValueError: no such image", "not checked: it raised: ValueError: no such image"),
    (raises(SystemExit, 3), "raised in Runs: SystemExit", "not checked: it raised: SystemExit"),
    (raises(Unprintable, "odd"), "raised in Runs: Unprintable: odd", "not checked: it raised: Unprintable: odd"),
    (again, "raised in Runs: RecursionError: maximum recursion depth exceeded", "not checked: it raised: RecursionError"),
    (itself, "[3, 2]", "agrees"),
    (lambda module, x: module, "Runs", "not checked: no floating-point tensor in what it returns: Runs"),
    (lambda module, x: None, "NoneType", "not checked: no floating-point tensor in what it returns: NoneType"),
]  # fmt: skip


@pytest.mark.parametrize(("does", "shape", "check"), MODULES)
def test_a_module_that_misbehaves_is_answered_and_put_back(does: Any, shape: str, check: str) -> None:
    net, x = Runs(does), torch.randn(3, 2, generator=torch.Generator().manual_seed(0)).requires_grad_()
    held = [net.norm.running_mean, net.norm.weight, net.seen, x]
    for ask, said in ((shapes, shape), (gradcheck, check)):
        ask(net, x)
        with Watch(held) as watch:
            found = ask(net, x)
        assert changes(watch) == []
        assert said in str(found)
    assert net.seen == [0]


def test_hooks_that_raise_are_not_called() -> None:
    net: Any = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    x = torch.ones(3, 2, requires_grad=True)
    for hook in (net[0].register_forward_hook, net[0].register_forward_pre_hook, net[0].register_full_backward_hook):
        hook(raises(RuntimeError, "hook"))
    for tensor in (net[0].weight, x):
        tensor.register_hook(raises(RuntimeError, "hook"))
    assert shapes(net, x)["error"] is None
    assert shapes(net, x)["hooks"] == 2
    assert gradcheck(net, x)["state"] == "agrees"
    assert model(net)["lens"] == "model"


def test_a_module_without_parameters_is_answered() -> None:
    net, x = nn.ReLU(), torch.ones(3, 2)
    assert str(gradients(net)) == "no parameters"
    assert str(no_gradient(net)) == "it has no parameters"
    assert gradcheck(net, x)["state"] == "agrees"
    assert "ReLU" in str(shapes(net, x))
    assert "0 in 0 tensors" in str(model(net))


class Gives(Dataset[Any]):
    def __init__(self, give: Callable[[Any], Any]) -> None:
        self.give, self.count = give, torch.zeros(1)

    def __getitem__(self, at: int) -> Any:
        self.count += 1
        return self.give(self)


class Streams(IterableDataset[Any]):
    def __init__(self, give: Callable[[Any], Any]) -> None:
        self.give, self.count = give, torch.zeros(1)

    def __iter__(self) -> Iterator[Any]:
        self.count += 1
        return self.give(self)  # type: ignore[no-any-return]


DATASETS: list[tuple[Any, str]] = [
    (Gives(raises(KeyError, "no file")), "raised KeyError: no file"),
    (Gives(raises(Unprintable, "odd")), "raised Unprintable: odd"),
    (Gives(lambda data: data[0]), "raised RecursionError: maximum recursion depth exceeded"),
    (Gives(lambda data: data), "Gives"),
    (Gives(lambda data: None), "None"),
    (Gives(lambda data: itself(None, torch.ones(2))), "[0]  float32[2] · all 1"),
    (Streams(raises(OSError, "disk gone")), "raised OSError: disk gone"),
    (Streams(lambda data: 3), "raised TypeError: iter() returned non-iterator of type 'int'"),
    (Streams(lambda data: iter(())), "there is no such item"),
]


@pytest.mark.parametrize(("data", "said"), DATASETS)
def test_a_dataset_that_misbehaves_is_answered_and_put_back(data: Any, said: str) -> None:
    item(data)
    with Watch([data.count]) as watch:
        found = item(data)
    assert changes(watch) == []
    assert said in str(found)
    assert data.count.item() == 0


@pytest.mark.parametrize("does", [lambda module, x: x * 2, raises(ValueError, "no")])
def test_no_copy_outlives_a_run_without_the_collector(does: Any) -> None:
    net, x = Runs(does), torch.ones(5, 2, requires_grad=True)
    gc.collect()
    gc.disable()
    try:
        gradcheck(net, x)
        left = [one for one in gc.get_objects() if type(one) is torch.Tensor and one.dtype is torch.float64]
        assert [one.shape for one in left if one.shape == x.shape] == []
    finally:
        gc.enable()
