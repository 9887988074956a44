"""The lens `shapes`, checked against what forward hooks of the test's own see, and against a run that left no trace."""

from __future__ import annotations

import copy
import os
import re
import sys
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any, NamedTuple
from weakref import ref

import numpy
import pytest
import torch
from asking import Paused
from forked import printed_in_child
from test_isolation import made, picture
from test_model import Transformer
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.utils import prune
from torch.utils.hooks import RemovableHandle
from untouched import Watch

from tensor_inspector import shapes as ask
from tensor_inspector.kinds import Child
from tensor_inspector.lenses.running import isolation
from tensor_inspector.lenses.running.call_arguments import CallArguments
from tensor_inspector.lenses.shapes.call import LayerRun
from tensor_inspector.lenses.shapes.words import time_of


@dataclass
class Output:
    logits: torch.Tensor
    hidden: list[torch.Tensor]


class Attentive(nn.Module):
    """Gives a tuple, a dict, a dataclass and nothing; calls a layer twice, one by name, and one that stands nowhere."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)
        self.shared = nn.Linear(4, 4)
        self.named, self.silent = Named(), Silent()

    def forward(self, x: torch.Tensor, scale: float = 1.0) -> Output:
        attended, weights = self.attention(x, x, x)
        hidden = self.named(first=self.shared(attended), second=weights)["sum"]
        self.silent(hidden)
        made = nn.Linear(4, 2)
        return Output(made(self.shared(hidden)) * scale, [hidden, attended])


class Named(nn.Module):
    def forward(self, *, first: torch.Tensor, second: torch.Tensor) -> dict[str, torch.Tensor]:
        return OrderedDict(sum=first + second.sum(), second=second)


class Silent(nn.Module):
    def forward(self, x: torch.Tensor) -> None:
        return None


def sequential() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(16, 2))


def noted(model: nn.Module, *inputs: Any, **named: Any) -> list[tuple[str, list[Any], list[Any]]]:
    """The calls of registered modules, by hooks of torch's own: names, sizes of positional inputs and of tensors given."""
    calls: list[Any] = []
    names = {module: name for name, module in model.named_modules()}

    def sizes(value: Any) -> list[Any]:
        if isinstance(value, torch.Tensor):
            return [list(value.shape)]
        items = (
            value.values() if isinstance(value, dict) else vars(value).values() if isinstance(value, Output) else value
        )
        return [size for item in items or () for size in sizes(item)] if not isinstance(value, float) else []

    def before(module: nn.Module, args: Any, kwargs: Any) -> None:
        calls.append([names[module], sizes(args) + sizes(kwargs), None])
        open_calls.append(calls[-1])

    def after(module: nn.Module, args: Any, output: Any) -> None:
        open_calls.pop()[2] = sizes(output)

    open_calls: list[Any] = []
    hooks = [one.register_forward_pre_hook(before, with_kwargs=True) for one in names]
    hooks += [one.register_forward_hook(after) for one in names]
    model(*inputs, **named)
    for hook in hooks:
        hook.remove()
    return list(map(tuple, calls))


MODELS: list[tuple[Callable[[], nn.Module], Callable[[], tuple[Any, ...]]]] = [
    (sequential, lambda: (torch.randn(2, 3, 4, 4),)),
    (Attentive, lambda: (torch.randn(2, 3, 4),)),
    (lambda: nn.LSTM(3, 5, num_layers=2), lambda: (torch.randn(4, 2, 3),)),
    (lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 3),
     lambda: (torch.randn(2, 5, 8),)),
    (nn.ReLU, lambda: (torch.randn(3),)),
]  # fmt: skip


@pytest.mark.parametrize(("make", "give"), MODELS)
def test_each_call_of_a_layer_is_told_with_what_it_took_and_gave(
    make: Callable[[], nn.Module], give: Callable[[], tuple[Any, ...]]
) -> None:
    model, inputs = make(), give()
    found = ask(model, *inputs)
    rows = [row for row in found["rows"] if row["name"] or row["depth"] == 0]
    told = [
        (row["name"], [one["shape"] for one in row["inputs"]], [one["shape"] for one in row["outputs"]]) for row in rows
    ]
    assert told == noted(model, *inputs)
    assert found["calls"] == len(found["rows"])
    assert {row["state"] for row in found["rows"]} == {"done"}


def test_where_each_tensor_stands_in_an_output_is_told() -> None:
    rows = ask(Attentive(), torch.randn(2, 3, 4))["rows"]
    places = {row["type"]: [one["place"] for one in row["outputs"]] for row in rows}
    assert places["Attentive"] == [".logits", ".hidden[0]", ".hidden[1]"]
    assert places["MultiheadAttention"] == ["[0]", "[1]"]
    assert places["Named"] == ["['sum']", "['second']"]
    assert places["Silent"] == []
    assert [row["returned"] for row in rows if row["type"] in ("Silent", "Named")] == ["OrderedDict", "NoneType"]
    assert [one["place"] for one in rows[3]["inputs"]] == ["first", "second"]


def test_a_layer_that_is_called_again_says_so() -> None:
    rows = ask(Attentive(), torch.randn(2, 3, 4))["rows"]
    assert [row["call"] for row in rows if row["name"] == "shared"] == [1, 2]
    unregistered = [row for row in rows if row["depth"] and not row["name"]]
    assert unregistered == []  # a module that forward makes has no hooks


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.bool]
)
def test_ranges_are_those_of_the_finite_values(dtype: torch.dtype) -> None:
    x = torch.tensor([-3.0, 0.0, 7.0]).to(dtype)
    (row,) = ask(nn.Identity(), x)["rows"]
    assert (row["outputs"][0]["low"], row["outputs"][0]["high"]) == (x.min().item(), x.max().item())
    if dtype.is_floating_point:
        x = torch.tensor([torch.nan, 2.0, torch.inf, -1.0, torch.nan, -torch.inf], dtype=dtype)
        (output,) = ask(nn.Identity(), x)["rows"][0]["outputs"]
        assert [output[name] for name in ("low", "high", "nan", "inf")] == [-1.0, 2.0, 2, 2]


def test_the_layer_in_which_nan_begins_is_told() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Linear(2, 2)), nn.Linear(2, 2))
    model[1][1].weight.data[0] = torch.inf
    found = ask(model, torch.ones(3, 2))
    assert [row["name"] for row in found["rows"] if row["begins"]] == ["1.1"]
    assert "begins here" in repr(found)
    given = ask(model, torch.full((3, 2), torch.nan))
    assert [row["name"] for row in given["rows"] if row["begins"]] == []


class Many(nn.Module):
    """Gives more tensors than are listed; the last is NaN."""

    def forward(self, given: list[torch.Tensor]) -> list[torch.Tensor]:
        return [*(x * 2 for x in given), torch.full((2,), torch.nan)]


def test_of_more_tensors_than_are_listed_all_are_read() -> None:
    found = ask(Many(), [torch.full((1,), float(at)) for at in range(299)])
    row = found["rows"][0]
    assert (len(row["inputs"]), row["more_inputs"]) == (32, 267)
    assert (len(row["outputs"]), row["more_outputs"]) == (32, 268)
    assert (row["nan"], row["inf"], row["begins"]) == (2, 0, True)
    assert all(said in repr(found) for said in ("[1], … ", "2 NaN, begins here", "0…596"))


def test_how_many_tensors_are_not_listed_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    paused = paused_at(nn.Sequential(Many()), [torch.ones(1)] * 34, monkeypatch)
    answer = paused.lens("shapes", {"run": True}, module="model", input1="x")
    rows = paused.below(answer, paused.below(answer, answer["node"])[0])
    told = {row["name"]: row["line"] for row in rows if row["name"].endswith("listed")}
    assert told == {"inputs not listed": "2 tensors", "outputs not listed": "3 tensors"}


def test_what_a_module_makes_itself_begins_there() -> None:
    class Logarithm(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.ReLU()

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.inner(x).log()

    found = ask(nn.Sequential(Logarithm()), -torch.ones(2))
    assert [(row["name"], row["outputs"][0]["inf"]) for row in found["rows"] if row["begins"]] == [("0", 2)]


class Takes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def forward(self, ids: Any, mask: Any = None, *, scale: Any = None) -> Any:
        return [ids if isinstance(ids, torch.Tensor) else ids["other"], mask, scale]


class Batch:
    """As a tokenizer's: a dict in an attribute."""

    def __init__(self, **data: Any) -> None:
        self.data = data


ONE, TWO = torch.ones(1), torch.ones(2)


@pytest.mark.parametrize(
    ("inputs", "shapes"),
    [
        ((ONE,), [[1]]), ((ONE, TWO), [[1], [2]]), (({"ids": ONE, "scale": TWO},), [[1], [2]]),
        (({"mask": TWO, "ids": ONE},), [[1], [2]]), ((Batch(ids=ONE, mask=TWO),), [[1], [2]]), (({"other": TWO},), [[2]]),
        (({"ids": {"other": ONE}},), [[1]]),
    ],
)  # fmt: skip
def test_a_dict_is_given_by_name_where_its_keys_are_what_forward_takes(inputs: Any, shapes: list[Any]) -> None:
    found = ask(Takes(), *inputs)
    assert found["error"] is None
    assert [one["shape"] for one in found["rows"][0]["outputs"]] == shapes


def failing() -> nn.Module:
    return nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.ReLU(), nn.Linear(4, 2)), nn.Linear(2, 2))


def test_a_layer_that_raises_is_the_last_row() -> None:
    found = ask(failing(), torch.ones(5, 2))
    assert [(row["name"], row["state"]) for row in found["rows"]] == [
        ("", "inside"), ("0", "done"), ("1", "inside"), ("1.0", "done"), ("1.1", "raised"),
    ]  # fmt: skip
    error = found["error"]
    assert (error["name"], error["layer"], error["type"]) == ("1.1", "Linear(4 → 2)", "RuntimeError")
    assert "mat1 and mat2 shapes cannot be multiplied" in error["message"]
    assert "wants a last dimension of 4" in error["explained"]
    assert repr(found).splitlines()[-1].startswith("raised in 1.1: the input of")


class Raises(nn.Module):
    def __init__(self, error: type[BaseException]) -> None:
        super().__init__()
        self.layer, self.error = nn.Linear(2, 2), error

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.layer(x)
        raise self.error("no more")


@pytest.mark.parametrize("error", [ValueError, SystemExit, RecursionError])
def test_what_a_module_raises_itself_is_told_of_it(error: type[BaseException]) -> None:
    found = ask(Raises(error), torch.ones(2))
    assert (found["error"]["type"], found["error"]["message"]) == (error.__name__, "no more")
    assert [(row["name"], row["state"]) for row in found["rows"]] == [("", "raised"), ("layer", "done")]


def test_an_exception_that_is_caught_is_told_of_its_layer_alone() -> None:
    class Catches(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bad, self.good = Raises(ValueError), nn.Linear(2, 1)

        def forward(self, x: torch.Tensor) -> Any:
            try:
                return self.bad(x)
            except ValueError:
                return self.good(x)

    found = ask(Catches(), torch.ones(3, 2))
    assert found["error"] is None
    states = {row["name"]: row["state"] for row in found["rows"]}
    assert states == {"": "done", "bad": "raised", "bad.layer": "done", "good": "done"}


class CatchesOf(nn.Module):
    """Catches what a layer raises; then calls another one, and may raise an exception of its own, or that one again."""

    def __init__(self, raises: str) -> None:
        super().__init__()
        self.bad, self.good, self.raises = Raises(ValueError), nn.Linear(2, 1), raises

    def forward(self, x: torch.Tensor) -> Any:
        try:
            self.bad(x)
        except ValueError:
            self.good(x)
            if self.raises == "again":
                raise
        if self.raises == "own":
            raise ValueError("own")


@pytest.mark.parametrize(("raises", "name", "states"), [
    ("own", "", ["raised", "raised", "done", "done"]),
    ("again", "bad", ["inside", "raised", "done", "done"]),
])  # fmt: skip
def test_the_layer_that_raised_is_the_one_that_the_exception_came_through(
    raises: str, name: str, states: list[str]
) -> None:
    found = ask(CatchesOf(raises), torch.ones(3, 2))
    assert found["error"]["name"] == name
    assert [row["state"] for row in found["rows"]] == states


def test_a_layer_that_is_called_after_one_that_raised_stands_beside_it() -> None:
    rows = ask(CatchesOf("nothing"), torch.ones(3, 2))["rows"]
    assert [(row["name"], row["depth"]) for row in rows] == [("", 0), ("bad", 1), ("bad.layer", 2), ("good", 1)]


def test_a_hook_that_forward_registers_is_one_more(monkeypatch: pytest.MonkeyPatch) -> None:
    class Hooks(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(2, 2)

        def forward(self, x: torch.Tensor) -> Any:
            hooks = [
                self.layer.register_forward_hook(lambda module, inputs, output: None),
                self.layer.register_forward_pre_hook(lambda module, inputs: None),
            ]
            made = self.layer(x)
            for hook in hooks:
                hook.remove()
            return made

    monkeypatch.setattr(RemovableHandle, "next_id", 0)  # as in a fresh process
    found = ask(Hooks(), torch.ones(1, 2))
    assert found["error"] is None
    assert [(row["name"], row["state"]) for row in found["rows"]] == [("", "done"), ("layer", "done")]


@pytest.mark.parametrize("ends", [None, ValueError, KeyboardInterrupt])
def test_all_that_a_run_touches_is_put_back(ends: type[BaseException] | None) -> None:
    model, x = made(ends), torch.randn(4, 6)
    before, given = picture(model), x.clone()
    if ends is KeyboardInterrupt:
        with pytest.raises(ends):
            ask(model, x)
    else:
        found = ask(model, x)
        assert (found["error"] is None) is (ends is None)
    assert (picture(model) == before) is True
    assert torch.equal(x, given)


def test_asking_changes_nothing_else() -> None:
    model, x = made().eval(), torch.randn(4, 6)
    ask(model, x)  # torch imports on first use
    with torch.no_grad(), Watch([model, x]) as watch:
        ask(model, x)
    assert [change for change in watch.changes() if not change.startswith("ran the program's code")] == []


class Switches(nn.Module):
    """Leaves modes of torch switched."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        torch.set_grad_enabled(not torch.is_grad_enabled())
        torch.set_default_dtype(torch.float64)
        torch.use_deterministic_algorithms(True)
        torch.set_anomaly_enabled(True)
        torch.set_autocast_cache_enabled(True)
        torch.backends.cudnn.benchmark = not torch.backends.cudnn.benchmark
        torch.set_default_device("meta")
        torch.autograd.set_multithreading_enabled(False)
        torch.set_warn_always(True)
        torch.backends.cuda.enable_math_sdp(False)
        torch.backends.mkldnn.set_flags(_enabled=False)
        numpy.seterr(divide="raise")
        return x


def modes() -> list[Any]:
    return [
        torch.is_grad_enabled(),
        torch.get_default_dtype(),
        torch.are_deterministic_algorithms_enabled(),
        torch.is_anomaly_enabled(),
        torch.is_autocast_cache_enabled(),
        torch.backends.cudnn.benchmark,
        torch.get_default_device(),
        torch._C._is_multithreading_enabled(),
        torch.is_warn_always_enabled(),
        torch.backends.cuda.math_sdp_enabled(),
        torch.backends.mkldnn.enabled,
        numpy.geterr(),
    ]


def test_modes_that_it_switches_are_put_back() -> None:
    for mode in (True, False):
        with torch.set_grad_enabled(mode):
            before = modes()
            ask(Switches(), torch.ones(1))
            assert modes() == before


def test_a_default_device_is_put_back() -> None:
    with torch.device("meta"):
        torch.set_default_device("cpu")
        try:
            ask(Switches(), torch.ones(1))
            assert torch.get_default_device() == torch.device("cpu")
            torch.set_default_device(None)
            assert torch.empty(1).device.type == "meta"
        finally:
            torch.set_default_device(None)
    assert torch.empty(1).device.type == "cpu"


#: Ways of choosing the precision of products, by older and newer functions of torch.
def precisions() -> list[Any]:
    """What torch tells of how exact products are, by its older and its newer settings."""
    backends: Any = torch.backends
    found: list[Any] = []
    for read in (
        lambda: backends.cuda.matmul.fp32_precision,
        lambda: backends.mkldnn.matmul.fp32_precision,
        lambda: backends.fp32_precision,
        lambda: backends.cudnn.conv.fp32_precision,
        torch.get_float32_matmul_precision,
        lambda: backends.cuda.matmul.allow_tf32,
    ):
        try:
            found.append(read())
        except (AttributeError, RuntimeError) as error:
            found.append(type(error))
    return found


def set_older() -> None:
    torch.set_float32_matmul_precision("medium")


def set_newer() -> None:
    torch.backends.cuda.matmul.fp32_precision = "tf32"


def set_common() -> None:
    torch.backends.fp32_precision = "tf32"


def set_both() -> None:
    set_older()
    set_common()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    ("outside", "inside"),
    [
        (None, None),
        (set_older, None),
        (set_both, None),
        (None, set_older),
        (set_newer, set_common),
        (set_older, set_newer),
    ],
)
def test_how_exact_products_are_is_as_before(
    outside: Callable[[], None] | None, inside: Callable[[], None] | None
) -> None:
    class Model(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if inside is not None:
                inside()
            return x

    def work() -> None:  # in a child: what is set cannot be set back
        if outside is not None:
            outside()
        before = precisions()
        assert ask(Model(), torch.ones(1))["error"] is None
        assert precisions() == before, (before, precisions())

    printed_in_child(work)


def test_gradients_and_autocast_are_as_where_it_is_asked() -> None:
    found: list[Any] = []

    class Notes(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            found.append((torch.is_grad_enabled(), x.requires_grad, self.training))
            return x @ x.T

    x = torch.ones(2, 2, requires_grad=True) * 1
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert ask(Notes().eval(), x)["rows"][0]["outputs"][0]["dtype"] == "bfloat16"
    with torch.no_grad():
        assert ask(Notes(), x)["rows"][0]["outputs"][0]["dtype"] == "float32"
    assert found == [(True, True, False), (False, True, True)]


def test_what_is_no_leaf_can_be_modified_in_place_as_in_the_program() -> None:
    x = torch.ones(2, 2, requires_grad=True) * 1
    assert ask(nn.ReLU(inplace=True), x)["error"] is None
    assert x._version == 0


def test_hooks_of_the_program_are_not_called_and_kept() -> None:
    def raising(*_: Any) -> None:
        raise AssertionError

    model = nn.Sequential(nn.Linear(2, 2))
    hooks = [
        model[0].register_forward_hook(raising),
        model[0].register_forward_pre_hook(raising),
        model.register_full_backward_hook(raising),
        model[0].weight.register_hook(raising),
    ]
    before = [dict(model[0]._forward_hooks), dict(model[0]._forward_pre_hooks), dict(model._backward_hooks)]
    assert ask(model, torch.ones(1, 2))["error"] is None
    assert [dict(model[0]._forward_hooks), dict(model[0]._forward_pre_hooks), dict(model._backward_hooks)] == before
    assert len(hooks) == 4


def computed(how: str) -> nn.Module:
    layer = nn.Linear(3, 3)
    if how == "weight_norm":
        nn.utils.weight_norm(layer)
        layer.weight_g.data.mul_(2)
    elif how == "spectral_norm":
        nn.utils.spectral_norm(layer)
        layer.weight_orig.data.mul_(2)
    else:
        prune.l1_unstructured(layer, "weight", 0.5)
        prune.random_unstructured(layer, "weight", 0.5)
        layer.weight_orig.data.mul_(2)
    return nn.Sequential(layer)


@pytest.mark.filterwarnings("ignore:.*weight_norm")
@pytest.mark.parametrize("how", ["weight_norm", "spectral_norm", "prune"])
def test_hooks_of_torch_that_compute_weights_are_called(how: str) -> None:
    model, x = computed(how), torch.randn(4, 3)
    before, weight = copy.deepcopy(model.state_dict()), model[0].weight
    found = ask(model, x)
    assert all(torch.equal(one, before[name]) for name, one in model.state_dict().items())
    assert model[0].weight is weight
    output, given = found["rows"][0]["outputs"][0], model(x)
    assert (output["low"], output["high"], found["hooks"]) == (given.min(), given.max(), 0)


def test_how_many_hooks_were_not_called_is_told() -> None:
    model = nn.Sequential(nn.Linear(2, 2))
    model[0].register_forward_hook(lambda module, inputs, output: output * 0)
    model.register_forward_pre_hook(lambda module, inputs: None)
    model.register_full_backward_hook(lambda module, inputs, outputs: None)
    everywhere = nn.modules.module.register_module_forward_hook(lambda module, inputs, output: None)
    found = ask(model, torch.ones(1, 2))
    everywhere.remove()
    assert found["hooks"] == 3
    assert "3 hooks not called" in repr(found)


def test_what_layers_give_is_not_held() -> None:
    held: list[Any] = []
    live: list[int] = []

    class Layer(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            live.append(sum(one() is not None for one in held))
            out = x + 1
            held.append(ref(out))
            return out

    with torch.no_grad():
        found = ask(nn.Sequential(*[Layer() for _ in range(20)]), torch.ones(10))
    assert max(live) <= 2
    assert [one() for one in held] == [None] * 20
    assert found["calls"] == 21


class Scales(nn.Module):
    """Changes its layer's weight, by one of the ways in which that can be done."""

    def __init__(self, change: Callable[[nn.Linear], object]) -> None:
        super().__init__()
        self.layer, self.change = nn.Linear(2, 2), change

    def forward(self, x: torch.Tensor) -> Any:
        out = self.layer(x)
        self.change(self.layer)
        return out


def backpropagates(layer: nn.Linear) -> None:
    layer(torch.ones(1, 2)).sum().backward()
    layer.weight.requires_grad_(False)
    layer.weight.data = torch.zeros(2, 2)


@pytest.mark.parametrize(
    ("change", "raises"),
    [
        (lambda layer: None, False), (backpropagates, False), (lambda layer: layer.weight.data.mul_(2), True),
        (lambda layer: layer.weight.detach()[0].zero_(), True),
        (lambda layer: torch.add(layer.weight.detach(), 1, out=layer.weight.data), True),
        (lambda layer: torch._foreach_mul_([layer.bias.data], 2.0), True),
    ],
)  # fmt: skip
def test_parameters_of_a_large_model_are_not_copied_and_can_not_be_written(
    change: Callable[[nn.Linear], object], raises: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolation, "_COPIED_AT_MOST", 0)
    model = Scales(change)
    before = [(id(one), one._version, one.tolist(), one.grad, one.requires_grad) for one in model.parameters()]
    error = ask(model, torch.ones(3, 2))["error"]
    assert (error is not None and "too large to be copied" in error["message"]) is raises
    after = [(id(one), one._version, one.tolist(), one.grad, one.requires_grad) for one in model.parameters()]
    assert after == before


def test_without_memory_for_copies_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise RuntimeError("out of memory")

    model = nn.Sequential(nn.Linear(2, 2))
    before = [dict(vars(one)) for one in model.modules()]
    monkeypatch.setattr(isolation.Isolation, "_isolate", full)
    found = ask(model, torch.ones(1, 2))
    assert (found["calls"], found["error"]["message"]) == (0, "out of memory")
    assert [dict(vars(one)) for one in model.modules()] == before


def test_on_the_device_meta_shapes_are_told_without_values() -> None:
    with torch.device("meta"):
        model, x = Transformer(2).embedding, torch.zeros(3, dtype=torch.int64)
    (row,) = ask(model, x)["rows"]
    assert (row["outputs"][0]["shape"], row["outputs"][0]["device"], row["outputs"][0]["low"]) == ([3, 4], "meta", None)


def test_what_is_compiled_runs_as_it_was_written() -> None:
    model = torch.compile(nn.Sequential(nn.Linear(2, 3)), backend="eager")
    assert [row["name"] for row in ask(model, torch.ones(1, 2))["rows"]] == ["", "0"]


def test_what_is_compiled_inside_or_in_place_runs_as_it_was_written() -> None:
    inner = nn.Sequential(nn.Linear(2, 3))
    wrapper = torch.compile(inner, backend="eager")
    model = nn.Sequential(wrapper, nn.Linear(3, 1))
    model.compile(backend="eager")
    before, frames = model._compiled_call_impl, dict(torch._dynamo.utils.counters["frames"])
    names = [row["name"] for row in ask(model, torch.ones(1, 2))["rows"]]
    assert names == ["", "0._orig_mod", "0._orig_mod.0", "1"]
    assert (model[0] is wrapper, model._compiled_call_impl is before) == (True, True)
    assert torch._dynamo.utils.counters["frames"] == frames  # other tests may have compiled some


class Tagged(torch.Tensor):
    """Without code of its own."""


def fake() -> tuple[nn.Module, torch.Tensor]:
    with FakeTensorMode():
        return nn.Linear(2, 3), torch.ones(4, 2)


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (fake, [4, 3]),
        (lambda: (nn.Linear(2, 3, device="meta"), torch.ones(4, 2, device="meta")), [4, 3]),
        (lambda: (nn.Identity(), torch.eye(2).to_sparse()), [2, 2]),
        (lambda: (nn.Identity(), torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])), None),
        (lambda: (nn.Identity(), torch.ones(2).as_subclass(Tagged)), [2]),
        (lambda: (nn.Identity(), torch.ones(1, 2).expand(3, 2)), [3, 2]),
        (lambda: (nn.LSTM(2, 3), nn.utils.rnn.pack_sequence([torch.ones(3, 2), torch.ones(2, 2)])), [5, 3]),
        (lambda: (nn.Embedding(5, 3, max_norm=0.1), torch.tensor([1, 2])), [2, 3]),
        (lambda: (nn.utils.parametrizations.spectral_norm(nn.Linear(2, 3)), torch.ones(1, 2)), [1, 3]),
    ],
)
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_tensors_and_modules_of_every_kind_can_be_run(make: Callable[[], Any], shape: list[int] | None) -> None:
    model, x = make()
    before = [(id(one), one._version) for one in [*model.parameters(), *model.buffers()]]
    found = ask(model, x)
    assert found["error"] is None
    assert found["rows"][0]["outputs"][0]["shape"] == shape
    assert [(id(one), one._version) for one in [*model.parameters(), *model.buffers()]] == before


def scripted() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return torch.jit.script(nn.Sequential(nn.Linear(2, 3)))


class OddParameter(nn.UninitializedParameter):
    pass


def odd_lazy() -> nn.Module:
    model = nn.Sequential(nn.ReLU(), nn.Linear(2, 2))
    model[1].weight = OddParameter()
    return model


def with_lock() -> nn.Module:
    model = nn.Linear(2, 2)
    vars(model)["lock"] = threading.Lock()
    return model


@pytest.mark.parametrize(
    ("make", "inputs", "why"),
    [
        (lambda: torch.ones(1), (), "is a Tensor, not a torch.nn.Module"),
        (lambda: nn.ModuleList([nn.ReLU()]), (ONE,), "has no forward of its own"),
        (odd_lazy, (ONE,), r"\[1\].weight has no shape yet: run the module on a batch first"),
        (nn.ReLU, (nn.UninitializedParameter(),), "input1 has no shape yet"),
        (with_lock, (ONE,), "lock holds a lock, which can't be copied"),
        (scripted, (ONE,), "not run: it is scripted, whose tensors can't be replaced by copies"),
        (lambda: nn.Sequential(scripted()), (ONE,), "not run: a part of it is scripted, whose"),
        (nn.ReLU, (threading.Lock(),), "input1 holds a lock, which can't be copied"),
        (lambda: nn.SyncBatchNorm(2), (ONE,), "may wait for other processes"),
    ],
)
def test_what_can_not_be_put_back_is_not_run(make: Callable[[], Any], inputs: tuple[Any, ...], why: str) -> None:
    with pytest.raises(TypeError, match=why):
        ask(make(), *inputs)


def paused_at(model: Any, x: Any, monkeypatch: pytest.MonkeyPatch) -> Paused:
    def stop(model: Any, x: Any) -> FrameType:
        assert model is not x
        return sys._getframe()

    return Paused(stop(model, x), monkeypatch)


def test_it_runs_only_where_that_was_agreed_to(monkeypatch: pytest.MonkeyPatch) -> None:
    paused = paused_at(sequential(), torch.randn(2, 3, 4, 4), monkeypatch)
    assert "runs code of the program" in str(paused.lens("shapes", module="model", input1="x"))
    assert paused.lens("shapes", {"run": True}, module="model", input1="x")["found"]["calls"] == 6


def test_rows_are_the_calls_in_their_order_and_the_exception_last(monkeypatch: pytest.MonkeyPatch) -> None:
    paused = paused_at(failing(), torch.ones(5, 2), monkeypatch)
    answer = paused.lens("shapes", {"run": True}, module="model", input1="x")
    top = answer["node"]
    assert (top["name"], top["badges"]) == ("shapes of model", ["error"])
    assert top["line"].startswith("RuntimeError in 1.1 · [5, 2] · 5 calls")
    rows = paused.below(answer, top)
    assert [row["name"] for row in rows] == ["0", "1", "1.1"]
    assert rows[0]["line"].startswith("[5, 2] → [5, 3] · Linear(2 → 3) · ")
    assert rows[0]["short"].startswith("[5,3] ← [5,2] · Linear(2 → 3) · ")
    assert rows[1]["line"].startswith("[5, 3] · raised inside · Sequential(2)")
    assert rows[2]["line"].startswith("[5, 3] · the input of")
    assert rows[2]["badges"] == ["error"]
    told = {row["name"]: row["line"] for row in paused.below(answer, rows[0])}
    assert list(told) == ["input[0]", "output", "layer"]
    assert told["input[0]"] == "float32[5, 2] cpu"


def test_the_table_gives_the_range_of_all_layers_that_one_line_stands_for() -> None:
    layers = nn.Sequential(*[nn.Sequential(nn.Linear(4, 4, bias=False), nn.ReLU()) for _ in range(3)])
    for layer, weight in zip(layers, (1.0, 1.0, -100.0)):
        nn.init.constant_(layer[0].weight, weight)
    line = next(line for line in str(ask(layers, torch.ones(2, 4))).splitlines() if "Linear" in line)
    assert "−6.4e3…16" in line


def test_layers_that_are_alike_are_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    layers = nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.ReLU()) for _ in range(5)], nn.Linear(4, 1))
    paused = paused_at(layers, torch.ones(2, 4), monkeypatch)
    answer = paused.lens("shapes", {"run": True}, module="model", input1="x")
    folded, last = paused.below(answer, answer["node"])
    assert folded["name"] == "0…4"
    assert folded["line"].startswith("[2, 4] → same · 5 × Sequential(2) · ")
    assert [row["name"] for row in paused.below(answer, folded)] == ["0", "1", "2", "3", "4"]
    assert last["name"] == "5"


def test_long_times_are_told_in_seconds() -> None:
    call = LayerRun(nn.ReLU(), "", "", "", 0, -1, 1)
    call.ms = 967.0
    assert time_of([call]) == "967 ms"
    assert time_of([call, call]) == "1.9 s"


def test_a_run_can_be_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm = nn.BatchNorm1d(2)

        def forward(self, x: torch.Tensor) -> None:
            while True:
                self.norm(x)
                started.set()

    started, model = threading.Event(), Endless()
    x = torch.ones(3, 2)
    paused = paused_at(model, x, monkeypatch)
    before = picture_of(model)

    def end() -> None:
        if started.wait(240):
            paused.ask("interrupt", request=77)

    ending = threading.Thread(target=end)
    ending.start()
    question = {"module": {"expression": "model"}, "input1": {"expression": "x"}}
    answer = paused.ask("lens", lens="shapes", values=question, options={"run": True}, id=77)
    ending.join(240)
    assert "ended before it was done" in str(answer)
    assert picture_of(model) == before


def picture_of(model: nn.Module) -> list[Any]:
    tensors = [*model.parameters(), *model.buffers()]
    state = [(id(one), one._version, one.tolist()) for one in tensors]
    return [state, torch.get_rng_state().tolist(), [list(vars(one)) for one in model.modules()], modes()]


class Indices(nn.Module):
    """Gives a range of its own beside the places where that stands."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(x.max(-1))


@pytest.mark.parametrize(
    ("model", "x", "said"),
    [
        (Indices(), torch.tensor([[0.1, 0.2, 0.25]]), "0.25"),
        (nn.Sequential(Indices()), torch.tensor([[0.1, 0.2, 0.25]]), "0.25"),
        (nn.Identity(), torch.tensor([3, 7]), "3…7"),
    ],
)
def test_the_range_is_that_of_floats_where_there_are_some(model: nn.Module, x: torch.Tensor, said: str) -> None:
    found = str(ask(model, x)).splitlines()
    column = found[0].index("range")
    assert found[2][column:].split()[0] == said


class Nested(nn.Module):
    def forward(self, batch: Any, *, scale: Any = None) -> Any:
        return {"logits": batch["ids"], "hidden": [batch["ids"], batch["mask"]]}, batch["mask"]


class Pair(NamedTuple):
    first: Any
    others: Any


class Paired(nn.Module):
    def forward(self, pair: Any) -> Any:
        return {"a": pair, "b": Pair({"x": pair.first}, [pair.first])}


class Best(nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return x.topk(2)


@pytest.mark.parametrize(
    ("model", "inputs", "given", "made"),
    [
        (
            Paired(),
            (Pair(torch.ones(2), {("a", 1): torch.ones(3)}), ),
            "first [2], others [3]",
            "a.first [2], a.others [3], b.first.x [2], b.others[0] [2]",
        ),
        (Best(), (torch.randn(1, 3),), "[1, 3]", "values [1, 2], indices [1, 2]"),
        (
            Nested(),
            ({"ids": torch.ones(2, 3), "mask": torch.ones(4)}, ),
            "ids [2, 3], mask [4]",
            "logits [2, 3], hidden[0] [2, 3], hidden[1] [4], [4]",
        ),
        (Attentive(), (torch.randn(2, 3, 4),), "[2, 3, 4]", "logits [2, 3, 2], hidden[0] [2, 3, 4], hidden[1] [2, 3, 4]"),
        (nn.LSTM(3, 5), (torch.randn(4, 2, 3),), "[4, 2, 3]", "[4, 2, 5], [1, 2, 5], [1, 2, 5]"),
    ],
)  # fmt: skip
def test_names_of_entries_and_fields_stand_before_their_shapes(
    model: nn.Module, inputs: tuple[Any, ...], given: str, made: str
) -> None:
    found = str(ask(model, *inputs))
    row = re.split(r"  +", found.splitlines()[2])
    assert row[1:3] == [given, made]


def test_a_function_that_forward_takes_by_name_may_be_given_so() -> None:
    found = ask(Named(), first=torch.ones(2, 3), second=torch.ones(3))
    assert [one["place"] for one in found["rows"][0]["inputs"]] == ["first", "second"]
    assert found["error"] is None
    assert ask(nn.Softmax(0), torch.ones(2))["error"] is None


def test_a_tensor_under_a_number_is_told_by_the_name_around_it() -> None:
    class Keeps(nn.Module):
        def forward(self, x: torch.Tensor) -> dict[str, dict[int, torch.Tensor]]:
            return {"states": {0: x, 1: x[0]}}

    found = ask(Keeps(), torch.ones(1, 2))["rows"][0]["outputs"]
    assert [one["name"] for one in found] == ["states[0]", "states[1]"]
    assert [one["place"] for one in found] == ["['states'][0]", "['states'][1]"]


def test_an_input_may_be_called_module() -> None:
    class Takes(nn.Module):
        def forward(self, module: torch.Tensor) -> torch.Tensor:
            return module * 2

    found = ask(Takes(), module=torch.ones(2, 3))
    assert [one["shape"] for one in found["rows"][0]["inputs"]] == [[2, 3]]


def test_an_input_that_is_given_twice_is_refused_in_a_sentence() -> None:
    twice = {"input": torch.ones(1, 2)}
    with pytest.raises(TypeError, match="input is given twice, as an entry of twice and by name"):
        ask(nn.Linear(2, 2), twice, input=torch.ones(5, 2))


def test_names_that_are_one_are_refused_in_a_sentence() -> None:
    values = {f"input{number}": Child("x", torch.ones(2), "x") for number in (1, 2)}
    with pytest.raises(ValueError, match="names has 'x' twice: a parameter takes one input"):
        CallArguments.of({"module": Child("m", nn.ReLU(), "m"), **values}, {"names": ["x", "x"]})


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (3, "module is an int, not a torch.nn.Module"),
        (nn.Linear, "value is the class Linear, not a torch.nn.Module: pass what Linear(…) makes"),
        (int, "value is the class int, not a torch.nn.Module"),
        (nn.functional.softmax, "value is a function, not a torch.nn.Module"),
    ],
)  # fmt: skip
def test_what_is_no_module_that_can_run_is_refused_in_a_sentence(value: Any, why: str) -> None:
    with pytest.raises(TypeError) as raised:
        ask(value, torch.ones(2, 2))
    assert str(raised.value) == why


class Bare(nn.Module):
    def __repr__(self) -> str:
        return "Bare"


class Lazies(nn.Module):
    """Lazy layers, one of them called twice and by name, one of another dtype; and a module never initialized."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.Flatten())
        self.twice, self.head = nn.LazyLinear(5), nn.LazyLinear(2, dtype=torch.float64)
        vars(self)["bare"] = nn.Module.__new__(Bare)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.twice(input=self.first(x))
        return self.head(self.twice(x[:, :1].expand(-1, 144)).double())


def everything_of(model: nn.Module) -> str:
    """The class of each module, and all attributes with what is in them, by their ids."""
    return str(
        [
            (
                type(one),
                [(name, id(value), type(value), len(str(value))) for name, value in vars(one).items()],
                [
                    (id(tensor), type(tensor), tensor.requires_grad)
                    for tensor in (*one._parameters.values(), *one._buffers.values())
                    if tensor is not None
                ],
            )
            for one in model.modules()
        ]
    )


@pytest.mark.parametrize("size", [8, 2])  # of which the second is too small for the layers
def test_lazy_layers_are_told_as_the_run_makes_them_and_are_lazy_after_it(size: int) -> None:
    model, x = Lazies(), torch.randn(2, 3, size, size)
    model.first[0].weight.kept = "kept"
    before, state = everything_of(model), torch.get_rng_state()
    for _ in range(2):
        found = ask(model, x)
        assert everything_of(model) == before
        assert torch.equal(torch.get_rng_state(), state)
    if size == 2:
        assert found["error"]["type"] == "RuntimeError"
        return
    assert found["error"] is None
    rows = {(one["name"], one["call"]): one for one in found["rows"]}
    assert rows["first.0", 1]["outputs"][0]["shape"] == [2, 4, 6, 6]
    assert rows["twice", 2]["parameters"] == 145 * 5
    assert rows["head", 1]["outputs"][0]["dtype"] == "float64"
    model(x)  # as ever
    assert type(model.twice) is nn.Linear
    assert rows["", 1]["parameters"] == sum(parameter.numel() for parameter in model.parameters())


def test_of_a_lazy_layer_that_fails_any_number_of_channels_is_wanted() -> None:
    error = ask(nn.Sequential(nn.LazyConv2d(4, 3)), torch.ones(3))["error"]
    wanted = "model[0] (LazyConv2d ? → 4) wants [N, C, H, W]: 3 or 4 dimensions, not 1"
    assert error["explained"] == f"inputs[0] is [3], but {wanted}"


class Looped(nn.Module):
    """Calls layers of two lists, which are not called themselves, and one layer many times."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList(nn.Linear(2, 2) for _ in range(2))
        self.up = nn.ModuleList(nn.Linear(2, 2) for _ in range(4))
        self.cell, self.head = nn.Linear(2, 2), nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in (*self.down, *self.up, *[self.cell] * 50, *[self.cell, self.head] * 600):
            x = layer(x)
        return x


def test_a_row_has_the_name_below_the_layer_that_called_it_and_calls_of_one_layer_are_one_row() -> None:
    found = ask(Looped(), torch.ones(3, 2))
    lines = [line.split("  ")[0] for line in repr(found).splitlines()]
    assert lines[3:7] == [
        "├─ down.0: Linear(2 → 2)", "├─ down.1: Linear(2 → 2)", "├─ up.0…3: 4 × Linear(2 → 2)",
        "├─ cell (calls 1…51): Linear(2 → 2)",
    ]  # fmt: skip
    assert " 6 " in repr(found).splitlines()[6]  # parameters, once
    assert (lines[-1], len(found["rows"])) == ("… 204 more calls", 1257)


def test_a_name_is_whole_in_the_table() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 8, batch_first=True)
    model = nn.Sequential(OrderedDict([("a_long_name_of_a_layer", nn.Sequential(nn.Sequential(layer)))]))
    assert all(
        name in repr(ask(model, torch.ones(1, 2, 8))) for name in ("a_long_name_of_a_layer: ", "self_attn: Multihead")
    )


def test_below_layers_that_are_alike_it_is_said_whose_numbers_stand() -> None:
    blocks = nn.Sequential(*(nn.Sequential(nn.Linear(2, 2)) for _ in range(3)))
    assert "parameters and time of the first" in repr(ask(blocks, torch.ones(1, 2)))


class Traced(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Linear(3, 4), nn.BatchNorm1d(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.norm(self.first(x)))


def test_a_module_that_torch_has_traced_is_run_and_left_as_it_is() -> None:
    model, x = torch.fx.symbolic_trace(Traced()), torch.ones(5, 3)
    before = copy.deepcopy(model.state_dict())
    code, found = model.code, ask(model, x)
    assert [(row["name"], row["outputs"][0]["shape"]) for row in found["rows"]] == [
        ("", [5, 4]), ("first", [5, 4]), ("norm", [5, 4])
    ]  # fmt: skip
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())
    assert model.code == code


@pytest.mark.skipif(not hasattr(torch, "export"), reason="torch without export")
def test_a_module_that_torch_has_exported_is_run() -> None:
    exported: Any = torch.export.export(Traced().eval(), (torch.ones(5, 3),)).module()
    if type(exported._in_spec).__module__ != "torch.utils._pytree":
        pytest.skip("torch describes what it takes otherwise")
    assert ask(exported, torch.ones(5, 3))["rows"][0]["outputs"][0]["shape"] == [5, 4]


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_a_tensor_without_a_shape_is_told_once() -> None:
    found = ask(nn.Identity(), torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]))
    assert str(found).count("nested float32") == 2, found  # what goes in, and what comes out
