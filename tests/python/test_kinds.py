"""One line a value: the grammar of summaries, kind by kind. To add a kind, add its rows here."""

from __future__ import annotations

import argparse
import datetime
import decimal
import enum
import math
import pathlib
import threading
import weakref
from collections import Counter, OrderedDict, deque, namedtuple
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np
import pytest
import torch
from torch import nn

from tensor_inspector import facts, summarize, tree

nan, inf = math.nan, math.inf
Point = namedtuple("Point", "x y")


@dataclass
class Config:
    lr: float = 0.1
    betas: tuple[float, float] = (0.9, 0.99)
    hidden: Any = field(default=None, repr=False)


class Plain:
    def __init__(self, **items: object) -> None:
        self.__dict__.update(items)


class Colour(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    HIGH = 3


class TensorWithTag(torch.Tensor):
    pass


def tagged_tensor() -> torch.Tensor:
    tensor = torch.ones(2).as_subclass(TensorWithTag)
    tensor.tag = "mine"  # type: ignore[attr-defined]
    return tensor


def freed() -> torch.Tensor:
    tensor = torch.ones(100)
    tensor.untyped_storage().resize_(0)
    return tensor


def moved_to_end() -> OrderedDict[str, int]:
    ordered = OrderedDict(a=1, b=2)
    ordered.move_to_end("a")
    return ordered


def not_yet_initialised() -> nn.Module:
    return nn.Linear.__new__(nn.Linear)


def layer(**grads: bool) -> nn.Module:
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 1))
    if grads:
        module[0](torch.ones(1, 3)).sum().backward()
    return module


def two_groups() -> torch.optim.Optimizer:
    first, second = layer()
    groups = [{"params": first.parameters(), "lr": 0.1}, {"params": second.parameters(), "lr": 0.5}]
    return torch.optim.SGD(groups, lr=0.1)  # type: ignore[arg-type]


LINES: list[tuple[Callable[[], Any], str]] = [
    # tensors
    (lambda: torch.tensor([[-1.5, 0.0], [2.0, 1.5]]), "float32[2, 2] · −1.5…2 · μ 0.5 σ 1.58"),
    (lambda: torch.zeros(3, 4), "float32[3, 4] · all zeros"),
    (lambda: torch.from_numpy(np.zeros((0, 3))), "float64[0, 3] · empty"),
    (lambda: torch.full((3,), 2.5), "float32[3] · all 2.5"),
    (lambda: torch.empty(0, 3), "float32[0, 3] · empty"),
    (lambda: torch.tensor(0.6931471824645996), "float32[] 0.6931"),
    (lambda: torch.tensor([1.0, nan, inf, -inf, inf]), "float32[5] · finite all 1 · 1 NaN · 2 Inf · 1 −Inf"),
    (lambda: torch.tensor([nan, nan]), "float32[2] · all NaN"),
    (lambda: torch.tensor([1, -2, 3]), "int64[3] [1, −2, 3]"),
    (lambda: torch.tensor([2**63 - 1, 0] * 10), "int64[20] · 0…9223372036854775807 · μ 4.61e18 σ 4.73e18"),
    (lambda: torch.tensor([True, False, False, False]), "bool[4] · 1 of 4 True (25%)"),
    (lambda: torch.tensor([True, True]), "bool[2] · all True"),
    (lambda: torch.tensor([3 + 4j, 0j]), "complex64[2] · |z| 0…5 · μ 2.5 σ 3.54"),
    (lambda: torch.full((1000,), 60000.0, dtype=torch.float16), "float16[1000] · all 60000"),
    (lambda: torch.ones(4, requires_grad=True), "float32[4] · all 1 · leaf · grad None"),
    (lambda: torch.ones(4, requires_grad=True) * 2, "float32[4] · all 2 · grad ← MulBackward0"),
    (lambda: torch.eye(3)[1:], "float32[2, 3] · 0…1 · μ 0.333 σ 0.516 · view of [3, 3]"),
    (lambda: torch.arange(6.0).reshape(2, 3).t(), "float32[3, 2] · 0…5 · μ 2.5 σ 1.87 · view of [6] · not contiguous"),
    (lambda: torch.zeros(1).expand(10**12), "float32[1000000000000] · all zeros · view of [1] · expanded from 4 B"),
    (
        lambda: torch.ones(1, 2, 3, 4).to(memory_format=torch.channels_last),
        "float32[1, 2, 3, 4] · all 1 · channels_last",
    ),
    (lambda: torch.empty(3, device="meta"), "float32[3] meta · meta tensor: no values"),
    (lambda: torch.ones(3).to_sparse(), "float32[3] sparse_coo · nnz 3 of 3 (100%) · all 1"),
    (freed, "float32[100] · storage freed"),
    (tagged_tensor, "TensorWithTag · float32[2] · all 1 · view of [2]"),
    # modules
    (lambda: nn.Linear(512, 10), "Linear(512 → 10) · 5.1K params · train · grads None"),
    (lambda: nn.Conv2d(3, 16, (3, 5)).eval(), "Conv2d(3 → 16, 3×5) · 736 params · eval · grads None"),
    (lambda: nn.Embedding(100, 8), "Embedding(100 × 8) · 800 params · train · grads None"),
    (lambda: nn.LSTM(4, 5, num_layers=2), "LSTM(4 → 5, 2 layers) · 460 params · train · grads None"),
    (lambda: nn.Dropout(0.3), "Dropout(p 0.3) · train"),
    (lambda: layer(), "Sequential(2) · 11 params · train · grads None"),
    (lambda: layer(first=True), "Sequential(2) · 11 params · train · 2 of 4 grads None"),
    (
        lambda: nn.Sequential(nn.Linear(1, 1), nn.Dropout().eval()),
        "Sequential(2) · 2 params · train, 1 inside in eval · grads None",
    ),
    (not_yet_initialised, "Linear · not initialized"),
    # the autograd graph
    (lambda: (torch.ones(2, requires_grad=True) * 2).grad_fn, "MulBackward0 · 1 input: AccumulateGrad"),
    # arrays
    (lambda: np.arange(20.0), "float64[20] · 0…19 · μ 9.5 σ 5.92"),
    (lambda: np.arange(4), "int64[4] [0, 1, 2, 3]"),
    (lambda: np.array(2.5), "float64[] 2.5"),
    (lambda: np.array([1.0, nan]), "float64[2] · finite all 1 · 1 NaN"),
    (lambda: np.arange(6.0)[::2], "float64[3] · 0…4 · μ 2 σ 2 · view · not contiguous"),
    (lambda: np.array([object()]), "object[1] · object"),
    (lambda: np.array(["a", "bc"]), "U2[2] · 'a', 'bc'"),
    (lambda: np.float32(0.5), "float32 0.5"),
    (lambda: np.dtype("int8"), "dtype int8"),
    # containers
    (lambda: {"image": 1, "label": 2, "meta": 3}, "dict · 3: image 1, label 2, meta 3"),
    (dict, "dict · empty"),
    (lambda: {1: "a", None: "b", (1, 2): "c"}, "dict · 3: 1: 'a', None: 'b', (1, 2): 'c'"),
    (lambda: OrderedDict(a=1), "OrderedDict · 1: a 1"),
    (moved_to_end, "OrderedDict · 2: b 2, a 1"),
    (lambda: Counter("aab"), "Counter · 2: a ×2, b ×1"),
    (lambda: [torch.ones(2, 3)] * 100, "list · 100: f32[2,3] ×12, …"),
    (lambda: [1 / 3, -1e-9], "list · 2: 0.3333, −1e-9"),
    (lambda: torch.optim.SGD(layer().parameters(), lr=0.1, momentum=0.9), "SGD · lr 0.1, momentum 0.9 · 4 tensors"),
    (
        lambda: torch.optim.AdamW(layer().parameters()),
        "AdamW · lr 0.001, betas (0.9, 0.999), eps 1e-8, weight_decay 0.01 · 4 tensors",
    ),
    (two_groups, "SGD · 2 groups · lr 0.1 and 0.5 · 4 tensors"),
    (lambda: [1, 2.5, "three", None], "list · 4: 1, 2.5, 'three', None"),
    (lambda: (torch.ones(2), {"a": 1}), "tuple · 2: f32[2], dict of 1"),
    (lambda: deque([1, 2]), "deque · 2: 1, 2"),
    (lambda: frozenset({7}), "frozenset · 1: 7"),
    (lambda: torch.Size([3, 4]), "Size · 2: 3, 4"),
    (lambda: Point(1, torch.ones(2)), "Point · x 1, y f32[2]"),
    # objects
    (Config, "Config · lr 0.1, betas tuple of 2, hidden None"),
    (lambda: Plain(x=1, net=nn.Linear(2, 3)), "Plain · x 1, net Linear(2 → 3)"),
    (lambda: Plain(_cls=int, _unset=None, _data=torch.ones(2)), "Plain · _data f32[2]"),
    (lambda: Plain(_cls=int, _unset=None), "Plain · _cls int, _unset None"),
    (lambda: Plain(_lock=threading.Lock(), _flag=True, _seen={}, _rate=0.5), "Plain · _rate 0.5"),
    (lambda: Plain(_cache={"a": 1}, _call=len, _owner=weakref.ref(Point), _rate=0.5), "Plain · _rate 0.5"),
    (lambda: Plain(kept=[], _id=7, step=3, _name="net"), "Plain · step 3, _name 'net', _id 7, kept list of 0"),
    (lambda: Plain(a=1, b=2, _id=7), "Plain · a 1, b 2"),
    (lambda: argparse.Namespace(_id=7, rate=0.5, steps=3), "Namespace · rate 0.5, steps 3, _id 7"),
    (
        lambda: Plain(**{f"unset{at}": None for at in range(12)}, rate=0.5),
        "Plain · rate 0.5, unset0 None, unset1 None, unset2 None, unset3 None, unset4 None, unset5 None, unset6 None, …",
    ),
    (object, "object"),
    (lambda: ValueError("what went wrong"), "ValueError: what went wrong"),
    (lambda: ValueError("two\nlines\x00"), "ValueError: two lines "),
    (lambda: ValueError("bad", torch.ones(2)), "ValueError · 'bad', float32[2]"),
    (lambda: weakref.ref(Point), "weakref → Point"),
    # atoms
    (lambda: None, "None"),
    (lambda: True, "True"),
    (lambda: -3, "-3"),
    (lambda: 10**300, "int of 997 bits"),
    (lambda: 0.1, "0.1"),
    (lambda: 1 + 2j, "(1+2j)"),
    (lambda: "text", "'text'"),
    (lambda: b"bytes", "b'bytes'"),
    (lambda: bytearray(b"x"), "bytearray(b'x')"),
    (lambda: range(3), "range(0, 3)"),
    (lambda: Colour.RED, "Colour.RED = 1"),
    (lambda: Level.HIGH, "Level.HIGH = 3"),
    (lambda: torch.float32, "torch.float32"),
    (lambda: torch.device("cpu"), "device cpu"),
    (lambda: datetime.date(2026, 1, 2), "datetime.date(2026, 1, 2)"),
    (lambda: decimal.Decimal("1.5"), "Decimal('1.5')"),
    (lambda: pathlib.PurePosixPath("/a"), "PurePosixPath('/a')"),
    (lambda: Plain, "class test_kinds.Plain"),
    (lambda: Level, "class test_kinds.Level(IntEnum)"),
    (lambda: math, "math"),
    (lambda: len, "len(…) · built in"),
    (lambda: layer, "layer(**grads) · test_kinds.py:"),
    (lambda: Plain().__init__, "Plain.__init__(self, **items) · test_kinds.py:"),
    (lambda: (i for i in ()), "generator <genexpr> · not started · test_kinds.py:"),
]


@pytest.mark.parametrize(("make", "line"), LINES, ids=[line for _, line in LINES])
def test_the_summary_line(make: Callable[[], Any], line: str) -> None:
    shown = summarize(make())
    assert shown == line or (line.endswith((":", " ")) and shown.startswith(line))


@pytest.mark.parametrize("make", [make for make, _ in LINES], ids=[line for _, line in LINES])
def test_every_value_has_a_tree_and_facts(make: Callable[[], Any]) -> None:
    value = make()
    assert "not read:" not in tree(value, depth=3)
    assert facts(value)["type"]


def names(value: object, depth: int = 1) -> list[str]:
    return [line.strip().split("  ")[0] for line in tree(value, depth=depth).splitlines()[1:]]


@pytest.mark.parametrize(
    ("make", "rows"),
    [
        (lambda: torch.ones(2, 3), ["values", "stats"]),
        (lambda: torch.ones(()), ["stats"]),
        (lambda: torch.ones(2, requires_grad=True) * 2, ["values", "stats", "grad_fn"]),
        (lambda: torch.eye(3)[0], ["values", "stats", "base"]),
        (tagged_tensor, ["values", "stats", "base", "other attributes"]),
        (lambda: torch.empty(3, device="meta"), []),
        (freed, []),
        (lambda: nn.Linear(2, 1), ["weight", "bias", "other attributes"]),
        (
            lambda: nn.BatchNorm1d(2),
            ["weight", "bias", "running_mean", "running_var", "num_batches_tracked", "other attributes"],
        ),
        (lambda: np.ones(2)[:1], ["values", "stats", "base"]),
        (lambda: {"a": 1, 2: 3, "it's": 4}, ["'a'", "2", '"it\'s"']),
        (lambda: Point(1, 2), ["x", "y"]),
        (lambda: {5}, ["{0}"]),
        (Config, ["lr", "betas", "hidden"]),
        (lambda: KeyError(1), ["args"]),
        (lambda: torch.optim.SGD(layer().parameters(), lr=0.1), ["param_groups", "state", "other attributes"]),
    ],
)
def test_the_children(make: Callable[[], Any], rows: list[str]) -> None:
    assert names(make()) == rows


def test_a_tensor_never_offers_itself_transposed() -> None:
    shown = set(names(torch.ones(2, 2, requires_grad=True) * 2, depth=6))
    assert shown.isdisjoint({"T", "H", "mT", "mH", "data", "real", "imag"})


def test_the_graph_is_a_finite_tree_to_the_leaves() -> None:
    weight = torch.ones(2, requires_grad=True)
    text = tree((weight * 2).sum(), depth=20)
    assert "AccumulateGrad · leaf float32[2]" in text


def test_values_of_a_matrix_open_row_by_row() -> None:
    text = tree(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), depth=3)
    assert "[0]  float32[2] · 1…2" in text
    assert "[1]  4" in text


def test_parameters_shared_by_two_layers_count_once() -> None:
    one = nn.Linear(10, 10)
    two = nn.Linear(10, 10)
    two.weight = one.weight
    assert summarize(nn.Sequential(one, two)).startswith("Sequential(2) · 120 params")


def test_a_frozen_layer_is_no_layer_without_gradients() -> None:
    module = layer(first=True)
    for parameter in module[1].parameters():
        parameter.requires_grad_(False)
    assert summarize(module) == "Sequential(2) · 11 params · train · 2 of 4 frozen · has grads"


@pytest.mark.parametrize(
    "value", [torch.randn(4, 4), nn.Linear(2, 2), {"k": [1]}, Plain(x=1), np.ones(3)], ids=lambda it: type(it).__name__
)  # fmt: skip
def test_facts_are_plain_data(value: object) -> None:
    def plain(item: object) -> bool:
        if type(item) is dict:
            return all(type(key) is str and plain(below) for key, below in item.items())
        return all(map(plain, item)) if type(item) is list else type(item) in (str, int, float, bool, type(None))

    assert plain(facts(value))


def test_facts_of_a_tensor() -> None:
    found = facts(torch.tensor([[1.0, nan], [3.0, 5.0]], requires_grad=True)[:, 0])
    assert found | {"stats": None, "rows": []} == {
        "type": "torch.Tensor",
        "shape": [2],
        "dtype": "float32",
        "device": "cpu",
        "layout": "strided",
        "strides": [2],
        "bytes": 8,
        "requires_grad": True,
        "is_leaf": False,
        "grad_fn": "SelectBackward0",
        "view_of": "float32[2, 2]",
        "notes": ["not contiguous"],
        "stats": None,
        "rows": [],
        "values": "[1, 3]",
    }
    assert found["stats"] is not None
    assert found["stats"]["mean"] == 2.0
