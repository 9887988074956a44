"""Classes and makers of what `training` shows: code of a program, none of which may run when it is looked at."""

from __future__ import annotations

import os
import socket
import time
import warnings
from collections.abc import Callable
from math import inf, nan
from typing import Any

import torch
from torch import nn
from torch.utils import data

from .specimen import Show, Specimen

KEPT: list[Any] = []
SINCE_2_6 = ("torch.accelerator",)  #: for what has no name of its own to be looked up by


def said(make: Callable[[], Any], line: str, *rows: str, **more: Any) -> Specimen:
    """A value whose line ends so."""
    return Specimen(make, says=(line,), rows=rows, silent=(line + " ",), **more)


def quiet(make: Callable[[], Any]) -> Callable[[], Any]:
    """Without the warnings that torch gives when such a thing is made."""

    def made() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make()

    return made


class Own(nn.Module):
    """A module as people write them, with code that must not run when it is looked at."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.steps = 4

    @property
    def computed(self) -> int:
        raise RuntimeError("a property ran")

    def __getattr__(self, name: str) -> Any:
        if name == "missing":
            raise RuntimeError("__getattr__ ran")
        return super().__getattr__(name)

    def __len__(self) -> int:
        raise RuntimeError("__len__ ran")

    def extra_repr(self) -> str:
        raise RuntimeError("extra_repr ran")

    def forward(self, x: Any) -> Any:
        return self.fc(x)


class Double(torch.autograd.Function):
    """A function of the program's own, whose node carries what the program put there."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        ctx.factor = 2
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * 2


class Rows(data.Dataset):  # type: ignore[type-arg]
    def __init__(self) -> None:
        self.root = "/data"

    def __len__(self) -> int:
        raise RuntimeError("__len__ ran")

    def __getitem__(self, index: int) -> Any:
        raise RuntimeError("__getitem__ ran")


class Stream(data.IterableDataset):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        raise RuntimeError("__iter__ ran")


class Halves(data.Sampler):  # type: ignore[type-arg]
    def __init__(self) -> None:
        self.share = 0.5

    def __iter__(self) -> Any:
        raise RuntimeError("__iter__ ran")

    def __len__(self) -> int:
        raise RuntimeError("__len__ ran")


class Longer(data.TensorDataset):
    def __len__(self) -> int:
        raise RuntimeError("__len__ ran")


class Momentum(torch.optim.SGD):
    """A subclass that computes what the base class keeps."""

    @property
    def param_groups(self) -> Any:
        return self.__dict__["param_groups"]

    @param_groups.setter
    def param_groups(self, groups: Any) -> None:
        self.__dict__["param_groups"] = groups


def model() -> Any:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))


def stepped(optimizer: Any, net: Any = None, steps: int = 2) -> Any:
    net = net or KEPT[-1]
    for _ in range(steps):
        optimizer.zero_grad()
        loss = net(torch.ones(1, 4)).sum()
        loss.backward()
        optimizer.step(lambda loss=loss: loss)
    return optimizer


def over(make: Callable[[Any], Any], steps: int = 2) -> Callable[[], Any]:
    """An optimizer over a small model's parameters, after some steps."""

    def made() -> Any:
        KEPT.append(model())
        return stepped(make(KEPT[-1].parameters()), steps=steps)

    return made


def two_groups() -> Any:
    first, second = net = model()
    groups = [{"params": first.parameters(), "lr": 0.1}, {"params": second.parameters(), "lr": 0.5}]
    return stepped(torch.optim.Adam(groups), net)  # type: ignore[arg-type]


def named() -> Any:
    net = model()
    return stepped(torch.optim.AdamW(net.named_parameters()), net)


def only_the_last() -> Any:
    """The state of the first layer is missing, so that places in the state are not places in the group."""
    net = model()
    optimizer = torch.optim.Adam(net.parameters())
    net[1](torch.ones(1, 3)).sum().backward()
    optimizer.step()
    return optimizer


def poisoned() -> Any:
    net = model()
    optimizer = stepped(torch.optim.Adam(net.parameters()), net)
    with torch.no_grad():
        net[0].bias.grad[1] = nan
    return optimizer


def scheduled(make: Callable[[Any], Any], steps: int = 3, **more: Any) -> Callable[[], Any]:
    def made() -> Any:
        optimizer = torch.optim.SGD(model().parameters(), lr=0.1, momentum=0.9)
        scheduler = make(optimizer)
        for _ in range(steps):
            optimizer.step()
            scheduler.step(**more)
        return scheduler

    return quiet(made)


def factor(epoch: int) -> float:
    return 0.5**epoch


def scaled() -> Any:
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scaler.scale(weight.sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    return scaler


def used(net: Any, *shape: int) -> Any:
    net(torch.ones(*shape)).sum().backward()
    return net


def with_nan() -> Any:
    net = model()
    with torch.no_grad():
        net[1].weight[0, 1] = nan
        net[1].bias[0] = inf
    return net


def with_nan_gradient() -> Any:
    net = used(model(), 1, 4)
    net[0].weight.grad[0, 0] = nan
    return net


def with_nan_buffer() -> Any:
    net = nn.BatchNorm1d(3)
    net.running_mean[0] = nan  # type: ignore[index]
    return net


def partly_frozen() -> Any:
    net = model()
    net[0].requires_grad_(False)
    return used(net, 1, 4)


def mixed_modes() -> Any:
    return nn.Sequential(nn.Linear(2, 2), nn.Dropout().eval(), nn.BatchNorm1d(2).eval())


def tied() -> Any:
    one, two = nn.Linear(3, 3), nn.Linear(3, 3)
    two.weight = one.weight
    return nn.Sequential(one, two)


def cyclic() -> Any:
    one = nn.Linear(2, 2)
    one.again = one  # type: ignore[assignment]
    return one


def unfinished() -> Any:
    return nn.Linear.__new__(nn.Linear)


def hooked() -> Any:
    net = nn.Linear(2, 2)
    net.register_forward_hook(hook)
    return net


def hook(module: Any, inputs: Any, output: Any) -> None:
    raise RuntimeError("a hook ran")


def freed() -> Any:
    """As FSDP frees what is not needed."""
    net = nn.Linear(8, 8)
    net.weight.untyped_storage().resize_(0)
    return net


def half_on_meta() -> Any:
    return nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2, device="meta"))


def quantized() -> Any:
    return torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.Linear(2, 3)), {nn.Linear})


def distributed(show: Show, wrap: Callable[[], Any]) -> None:
    with socket.socket() as free:
        free.bind(("localhost", 0))
        os.environ.update(MASTER_ADDR="localhost", MASTER_PORT=str(free.getsockname()[1]))
    torch.distributed.init_process_group("gloo", rank=0, world_size=1)
    show(wrap())


def in_a_group(wrap: Callable[[], Any], *says: str, **more: Any) -> Specimen:
    return Specimen(inside=lambda show: distributed(show, wrap), says=says, **more)


def started(loader: Any) -> Any:
    batches = iter(loader)
    next(batches)
    for queue in getattr(batches, "_index_queues", ()):  # until the thread that sends what is in it has come to rest
        while queue._buffer or not queue._notempty._waiters:
            time.sleep(0.01)
    return batches


def tensors() -> Any:
    return data.TensorDataset(torch.zeros(10, 3, 2), torch.arange(10))


def traced() -> Any:
    return torch.fx.symbolic_trace(Own())


def removed() -> Any:
    net = nn.Linear(2, 2)
    handle = net.register_forward_hook(hook)
    handle.remove()
    return handle


def handle() -> Any:
    KEPT.append(nn.Linear(2, 2))
    return KEPT[-1].register_forward_hook(hook)


def freed_storage() -> Any:
    storage = torch.ones(3).untyped_storage()
    storage.resize_(0)
    return storage


def used_loss() -> Any:
    return model()(torch.ones(2, 4)).mean().grad_fn


def doubling() -> Any:
    KEPT.append(Double.apply(torch.ones(2, requires_grad=True)))  # torch 2.0 forgets the node with its result
    return KEPT[-1].grad_fn


def run_backward() -> Any:
    function = doubling()
    KEPT[-1].sum().backward()
    return function
