"""The row of what holds NaN or Inf is loud, and says where."""

from __future__ import annotations

import functools
import gc
import math
from collections import ChainMap, OrderedDict, UserDict, deque, namedtuple
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from tensor_inspector import summarize
from tensor_inspector.kinds import as_kind
from tensor_inspector.safe.budget import Budget

NAN = torch.tensor([1.0, math.nan])
INF = torch.tensor([1.0, math.inf])
FINE = torch.ones(3)


@dataclass
class Output:
    loss: Any
    best: float = math.inf


class Trainer:
    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


Pair = namedtuple("Pair", ["image", "label"])


def model() -> torch.nn.Module:
    found = torch.nn.Linear(2, 2)
    found.weight.data[0, 0] = math.nan
    return found


def freed() -> torch.Tensor:
    found = torch.ones(4)
    found.untyped_storage().resize_(0)
    return found


def with_gradient() -> torch.nn.Parameter:
    found = torch.nn.Parameter(torch.zeros(2))
    found.grad = NAN.clone()
    return found


def metric() -> torch.nn.Module:
    """As one of torchmetrics: what it gathers is no buffer."""
    found = torch.nn.Module()
    found.__dict__.update(_defaults={"total": FINE}, total=NAN.clone())
    return found


def records(x: float) -> Any:
    return np.array([(1.0, 2, (0.0, 0.0)), (x, 3, (x, 0.0))], dtype=[("x", "f8"), ("n", "i4"), ("at", "f4", (2,))])


def loop() -> dict[str, Any]:
    found: dict[str, Any] = {"loss": NAN}
    found["itself"] = found
    return found


@pytest.mark.filterwarnings(
    "ignore:Sparse invariant checks"
)  # of some releases of torch, even where they are asked for
@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: {"loss": NAN, "logits": INF, "x": FINE}, "NaN in loss · Inf in logits"),
        (lambda: OrderedDict(loss=NAN), "NaN in loss"),
        (lambda: UserDict(loss=NAN), "NaN in loss"),
        (lambda: {3: NAN, (0, 1): NAN}, "NaN in [3], [(0, 1)]"),
        (lambda: [FINE, NAN], "NaN in [1]"),
        (lambda: (NAN,), "NaN in [0]"),
        (lambda: deque([NAN]), "NaN in [0]"),
        (lambda: [NAN] * 5, "NaN in [0], [1] and 3 more"),
        (lambda: Pair(FINE, NAN), "NaN in label"),
        (lambda: Output(NAN), "NaN in loss"),
        (lambda: SimpleNamespace(loss=NAN), "NaN in loss"),
        (lambda: Trainer(loss=NAN), "NaN in loss"),
        (lambda: {"outer": {"inner": [FINE, NAN]}}, "NaN in outer.inner[1]"),
        (lambda: [Output(NAN)], "NaN in [0].loss"),
        (loop, "NaN in loss"),
        (lambda: {"loss": math.nan}, "NaN in loss"),
        (lambda: [{"loss": np.float32(math.nan)}], "NaN in [0].loss"),
        (lambda: [1.0, np.float64(math.nan), complex(math.nan, 0)], "NaN in [1], [2]"),
        (lambda: {math.nan}, "NaN in {0}"),
        (lambda: [1.0] * 5000 + [math.nan], "NaN in [5000]"),
        (lambda: [1.0] * 5000 + [math.inf, math.nan], "NaN in [5001] · Inf in [5000]"),
        (lambda: [FINE] * 500 + [NAN], "NaN in [500]"),
        (lambda: {"w": with_gradient()}, "NaN in w.grad"),
        (lambda: {"empty": torch.empty(0, 4), "loss": NAN}, "NaN in loss"),
        (lambda: {"x": np.array([math.nan])}, "NaN in x"),
        (lambda: {"points": records(math.nan)}, "NaN in points"),
        (lambda: ChainMap({"a": NAN}, {"b": INF}), "NaN in maps[0].a · Inf in maps[1].b"),
        (lambda: {"scopes": ChainMap({"a": NAN})}, "NaN in scopes.maps[0].a"),
        (lambda: {"model": model()}, "NaN in model"),
        (metric, "NaN in total"),
        (lambda: {"metric": metric()}, "NaN in metric"),
        (
            lambda: {"weights": torch.sparse_coo_tensor([[0]], [math.nan], (3,), check_invariants=True)},
            "NaN in weights",
        ),
    ],
)
def test_it_says_where(make: Any, says: str) -> None:
    kind = as_kind(make(), Budget())
    assert kind.line().split(" · ", 1)[1].startswith(says)
    assert ["nan", "inf"][: 1 + ("Inf" in says)] == kind.badges()


@pytest.mark.parametrize(
    "value",
    [
        {"x": FINE, "y": 1.0},
        Output(1.0),
        {"mask": torch.tensor([True, False])},
        {"freed": freed()},
        {"boxes": torch.empty(0, 4), "labels": torch.empty(0, dtype=torch.long)},
        [torch.empty(0)],
        {"table": pd.DataFrame({"name": ["a", None]})},
        [],
    ],
    ids=lambda value: type(value).__name__,
)
def test_it_is_quiet_where_nothing_is_wrong(value: Any) -> None:
    assert as_kind(value, Budget()).badges() == []


FIELDS = {
    "NaN": (lambda: records(math.nan), "structured[2] · NaN in x, at · x float64, ", ["nan"]),
    "Inf": (lambda: records(-math.inf), "structured[2] · Inf in x, at · ", ["inf"]),
    "none": (lambda: records(0), "structured[2] · x float64, ", []),
    "a field in a field": (
        lambda: np.array([((math.nan,), 1.0)], dtype=[("box", [("low", "f8")]), ("y", "f8")]),
        "structured[1] · NaN in box · ",
        ["nan"],
    ),
    "one record": (lambda: records(math.nan)[1, ...], "structured[] x=NaN, ", ["nan"]),
    "one that a mask hides": (
        lambda: np.ma.array(records(math.nan)[["x"]], mask=[(False,), (True,)]),
        "MaskedArray · structured[2] · x float64 · 1 masked",
        [],
    ),
}


@pytest.mark.parametrize(("make", "says", "badges"), FIELDS.values(), ids=FIELDS)
def test_a_structured_array_says_in_which_fields(make: Any, says: str, badges: list[str]) -> None:
    kind = as_kind(make(), Budget())
    assert kind.line().startswith(says)
    assert kind.badges() == badges


INFINITE, LEAST = torch.tensor(math.inf), torch.tensor(-math.inf)
MANY, FEW = torch.full((2,), math.inf), torch.tensor([0.0, -math.inf])
CAUSAL = torch.triu(torch.full((3, 3), -math.inf), 1)


class Interval:
    """As of a library: some elements have no bound."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


class GreaterThan(Interval): ...


class Box(Interval):
    """As that of gymnasium."""


class Observer(torch.nn.Module): ...


def keeping(name: str, value: torch.Tensor, cls: type[torch.nn.Module] = torch.nn.Module) -> torch.nn.Module:
    """A module with a buffer, which may stand in one of its modules."""
    found = cls()
    *above, last = name.split(".")
    if above:
        found.add_module(above[0], keeping(last, value, cls))
    else:
        found.register_buffer(name, value)
    return found


def learning(name: str, value: torch.Tensor) -> torch.nn.Module:
    found = torch.nn.Module()
    found.register_parameter(name, torch.nn.Parameter(value.clone()))
    return found


MEANT = {
    "a number in Python": {"best": math.inf},
    "numbers in Python": {"upper_bound": math.inf, "min_loss": math.inf, "max_steps": math.inf, "worst": -math.inf},
    "bounds in Python": {"bounds": [(0.0, math.inf), (-math.inf, 1.0)]},
    "a setting": Trainer(patience=math.inf),
    "distances before a search": [math.inf] * 100,
    "edges that leave nothing out": {"bins": [-math.inf, 0, 18.5, math.inf], "ends": (-math.inf, math.inf)},
    "edges of an array": {"bins": np.array([-np.inf, 0.0, np.inf]), "x": torch.tensor([-math.inf, 1.0, math.inf])},
    "a norm that is not clipped": {"max_norm": INFINITE, "max_grad_norm": math.inf},
    "the bounds of a constraint": torch.distributions.constraints.greater_than(-math.inf),
    "those of an interval": torch.distributions.constraints.interval(LEAST, INFINITE),
    "an object": Trainer(upper_bound=INFINITE, low=-MANY, best_score=INFINITE, kth_value=LEAST),
    "a dict": {"upper_bound": INFINITE, "low": -MANY},
    "a dict of dicts": {"space": {"high": np.full(3, np.inf)}},
    "a numpy number": {"lower_bound": np.float32(-np.inf)},
    "a list of bounds": {"bounds": [LEAST, INFINITE]},
    "names of a state dict": {"kernel.constraint.upper_bound": INFINITE},
    "the least before a search": {"min_loss": INFINITE, "max_score": LEAST},
    "a box": Box(low=np.array([-np.inf, 0]), high=np.array([np.inf, 1])),
    "an interval": Interval(lower=FEW),
    "a class below it": GreaterThan(upper_bound=INF),
    "an observer": keeping("min_val", INF, Observer),
    "an observer in a module": keeping("observer.max_val", -MANY, Observer),
    "a module's bound": keeping("upper_bound", INFINITE),
    "a module's mask": keeping("mask", FEW),
    "a module's causal mask": keeping("attention.causal", CAUSAL),
    "a causal mask": {"causal": CAUSAL},
    "one that hides less": {"m": torch.full((6, 6), -math.inf).triu(2)},
    "one of more keys than queries": {"bias": torch.full((1, 1, 4, 8), -math.inf).triu(5)},
    "one of more queries than keys": {"bias": np.triu(np.full((8, 4), -math.inf), 1)},
    "one over distances": {"bias": -torch.arange(4.0).expand(3, 4) + torch.full((3, 4), -math.inf).triu(2)},
    "a mask": {"attention_mask": torch.tensor([[0.0, -math.inf]])},
    "masks": {"masks": [FEW, FEW]},
    "what stands for no value": Trainer(missing_values=math.nan, fill_value=math.nan, nodata=np.float32(np.nan)),
    "that of a module": keeping("fill_value", torch.tensor(math.nan)),
}


@pytest.mark.parametrize("value", MEANT.values(), ids=MEANT)
def test_what_is_meant_raises_no_alarm(value: Any) -> None:
    assert as_kind(value, Budget()).badges() == []
    assert as_kind({"inside": value}, Budget()).badges() == []


WRONG = {
    "a score of two by two": {"logits": torch.tensor([[1.0, -math.inf], [2.0, 3.0]])},
    "scores, the last one": {"logits": torch.tensor([[1.0, 1.0, -math.inf], [2.0, 3.0, 4.0]])},
    "scores, the last ones of one": {"logits": torch.tensor([[1.0, -math.inf, -math.inf]])},
    "scores of several": {"logits": torch.full((2, 3, 3), -math.inf).triu(1) + torch.tensor([[[math.inf]], [[0.0]]])},
    "norm": {"norm": INFINITE, "max_logit": 1.0},
    "a number in Python": {"loss": math.inf},
    "a number in dicts": {"train": {"losses": {"box": -math.inf}}},
    "one of many": [1.0] * 5000 + [math.inf],
    "one in a list of lists": {"history": [[1.0, 2.0], [math.inf, 1.0]]},
    "infinities that cancel out": [math.inf, -math.inf],
    "only one": {"losses": [math.inf]},
    "numbers that rise to it": {"losses": [1.0, 2e35, math.inf]},
    "no edges, since they fall between": {"x": torch.tensor([-math.inf, 2.0, 1.0, math.inf])},
    "masked_loss": {"masked_loss": FEW},
    "a scale that a module keeps": keeping("scale", FEW),
    "filler": {"filler": INFINITE},
    "missing_head": {"missing_head": MANY},
    "missing": {"missing": MANY},
    "bias": {"bias": FEW},
    "the logarithm of zeros and ones": {"log_p": FEW},
    "low": Trainer(low=FEW),
    "high of a dict": {"high": INF},
    "lower_layers.weight": {"lower_layers.weight": MANY},
    "low.weight": {"low.weight": MANY},
    "x_limit": Trainer(x_limit=INF),
    "limits": {"limits": [INF]},
    "upper_bound that is learned": learning("upper_bound", MANY),
    "upper_bound that is learned, in a dict": {"upper_bound": torch.nn.Parameter(INFINITE.clone())},
    "best_head": learning("best_head", MANY[:1]),
    "max_logit": {"max_logit": INFINITE},
    "min_score": {"min_score": LEAST},
    "max_values": {"max_values": MANY},
    "running_high": keeping("running_high", MANY),
    "running_max": keeping("norm.running_max", LEAST),
    "running_var of a box": keeping("bbox_norm.running_var", INF),
    "running_var of a constraint": keeping("constraint.running_var", MANY),
    "running_mean": keeping("running_mean", FEW),
    "scale of an observer": keeping("scale", MANY, Observer),
    "initial value of an interval": Interval(initial_value=INFINITE),
    "boxes": {"boxes": INF},
    "loss": {"loss": INFINITE},
    "attention_mask with Inf": {"attention_mask": INF},
    "a table of limits": {"limits": pd.DataFrame({"x": [1.0, math.inf]})},
}
NOT_A_NUMBER = {
    "upper_bound": {"upper_bound": torch.tensor([math.inf, math.nan])},
    "mask": {"mask": torch.tensor([0.0, -math.inf, math.nan])},
    "upper_bound of an interval": Interval(upper_bound=torch.tensor([math.inf, math.nan])),
    "fill of many": {"fill": torch.tensor([math.inf, math.nan])},
    "a module for what is missing": {"missing": torch.nn.Sequential(learning("w", torch.tensor([math.inf, math.nan])))},
}


@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG)
def test_what_only_sounds_so_raises_one(value: Any) -> None:
    assert "inf" in as_kind(value, Budget()).badges()


@pytest.mark.parametrize("value", NOT_A_NUMBER.values(), ids=NOT_A_NUMBER)
def test_nan_among_infinities_raises_both(value: Any) -> None:
    assert as_kind(value, Budget()).badges() == ["nan", "inf"]


def test_an_object_in_a_container_is_not_searched_for_its_attributes() -> None:
    assert as_kind([Trainer(loss=NAN)], Budget()).badges() == []


def test_an_object_of_a_library_in_a_container_is_searched() -> None:
    assert summarize({"p": torch.distributions.Laplace(NAN, 1.0, validate_args=False)}).startswith(
        "dict · NaN in p.loc"
    )


def test_metadata_only_reads_none_of_it() -> None:
    assert as_kind({"loss": NAN}, Budget(reads=False)).badges() == []


def test_a_tensor_is_searched_once_for_all_rows_of_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    from tensor_inspector.measure.torch import finite as torch_finite

    searched: list[int] = []
    search = torch_finite.not_finite

    def counted(torch: Any, tensors: Any, budget: Budget) -> Any:
        return search(torch, ((searched.append(at) or at, one) for at, one in tensors), budget)

    monkeypatch.setattr(torch_finite, "not_finite", counted)
    budget, module = Budget(1000), model()
    for value in (module, module.state_dict(), list(module.parameters())):
        as_kind(value, budget.share()).badges()
    assert len(searched) == 4  # what `state_dict` makes are tensors of its own


def test_a_million_items_are_not_gone_through() -> None:
    many = [NAN] * 1_000_000
    assert summarize(many).startswith("list · NaN in [0], [1] and 998 more · not all values read · 1,000,000: ")


def test_what_else_an_object_holds_is_told_behind_it() -> None:
    trainer = Trainer(
        loss=NAN, learning_rate=0.1, gradient_clip=1, warmup_steps=100, accumulation=4, checkpoint_dir="out/one"
    )
    assert summarize(trainer).startswith("Trainer · NaN in loss · loss f32[2], learning_rate 0.1, gradient_clip 1, ")


def test_what_can_not_be_read_leaves_its_holder_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from tensor_inspector.measure.stats import finite

    def fault(*_: Any) -> Any:
        raise RuntimeError("device-side assert")

    monkeypatch.setattr(finite, "_is_finite_together", fault)
    holder = {"x": FINE, "table": broken(), "loss": math.nan}
    assert summarize(holder).startswith("dict · NaN in loss · 3: x f32[3], ")


def broken() -> Any:
    table = pd.DataFrame({"a": [1.0]})
    object.__setattr__(table, "_mgr", 5)
    return table


def test_what_there_was_no_time_for_is_said() -> None:
    clock = iter(range(1000)).__next__
    kind = as_kind({"loss": torch.zeros(1 << 20)}, Budget(1000, clock=lambda: float(clock())))
    assert "not all values read" in kind.line()
    assert kind.badges() == ["sampled"]


def test_the_rows_of_an_answer_share_the_time() -> None:
    clock = iter(range(100_000)).__next__
    budget = Budget(100, clock=lambda: clock() / 1000)
    kind = as_kind([np.zeros(3_000_000) for _ in range(30)], budget)
    assert kind.badges() == ["sampled"]
    assert not budget.spent()


def test_a_tensor_that_was_searched_dies_with_the_program_s_last_name_for_it() -> None:
    from weakref import ref

    tensor, budget = torch.ones(3), Budget()
    as_kind({"x": tensor}, budget).badges()
    seen = ref(tensor)
    del tensor
    gc.collect()
    assert budget.known.searched
    assert seen() is None


def test_the_end_of_a_line_of_source_leads_with_it() -> None:
    assert as_kind({"loss": NAN, "step": 3}, Budget()).inline() == "NaN in loss · {'loss': f32[2], 'step': 3}"
    assert as_kind({"step": 3}, Budget()).inline() == "{'step': 3}"


def test_a_walk_that_the_time_ends_is_said() -> None:
    clock = iter(range(1000)).__next__
    kind = as_kind([1.0] * 90_000 + [math.nan], Budget(20, clock=lambda: clock() / 1000))
    assert "not all values read" in kind.line()


def test_a_holder_whose_items_can_not_be_had_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    from tensor_inspector.kinds.python.mappings import Mapping

    def fail(_: Any) -> Any:
        raise RuntimeError("no items")

    holder = as_kind([{"a": 1}, math.nan], Budget())
    monkeypatch.setattr(Mapping, "entries", fail)
    assert holder.badges() == ["nan"]


@pytest.mark.parametrize("held", [[torch.ones(1)] * 1001, [1.0] * 200_000], ids=["tensors", "numbers"])
def test_what_is_too_much_to_be_gone_through_is_said(held: list[object]) -> None:
    assert "not all values read" in as_kind(held, Budget()).line()
    assert "not all values read" not in as_kind(held[:1000], Budget()).line()


def test_what_can_not_be_nan_needs_no_reading() -> None:
    assert "not all values read" not in as_kind(list(range(200_000)), Budget()).line()


HELD = {
    "a dataset of tensors": (lambda x: torch.utils.data.TensorDataset(torch.zeros(len(x)), x), "NaN in tensors[1]"),
    "its loader": (
        lambda x: torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x)),
        "NaN in dataset.tensors[0]",
    ),
    "a part of it": (
        lambda x: torch.utils.data.Subset(torch.utils.data.TensorDataset(x), [0]),
        "NaN in dataset.tensors[0]",
    ),
    "arguments that are given before": (lambda x: functools.partial(torch.add, x), "NaN in args[0]"),
    "named ones": (lambda x: functools.partial(torch.add, other=x), "NaN in keywords.other"),
}


@pytest.mark.parametrize(("make", "said"), HELD.values(), ids=HELD)
def test_it_is_told_of_what_a_library_object_holds(make: Any, said: str) -> None:
    found, fine = as_kind(make(NAN), Budget()), as_kind(make(FINE), Budget())
    assert said in found.line()
    assert (found.badges(), fine.badges()) == (["nan"], [])
    assert as_kind([make(NAN)], Budget()).badges() == ["nan"]
