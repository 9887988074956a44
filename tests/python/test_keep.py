"""What "Keep for Compare" copies, and what `compare` says of it at a later stop."""

from __future__ import annotations

import gc
import logging
import random
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any
from weakref import ref

import asking
import pytest
import torch
from zoo import zoo

from tensor_inspector.lenses.compare.atoms import Tolerance
from tensor_inspector.lenses.compare.compare import compare
from tensor_inspector.lenses.compare.comparison import Comparison
from tensor_inspector.lenses.compare.pair import PairDifference
from tensor_inspector.lenses.compare.walk import PairWalk
from tensor_inspector.lenses.keep.kept_copy import KeptCopy
from tensor_inspector.lenses.keep.lens import Kept
from tensor_inspector.lenses.running.deep_copy import CannotCopy
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.session import session

FAMILIES = ("dense: ", "tensors: ", "training: ", "objects: ", "arrays: ")
ZOO = {name: one for name, one in zoo.items() if name.startswith(FAMILIES)}
#: What is told of these though nothing was changed, and why.
TOLD = {"tensors: gradient, freed": "its memory is gone"}
NAMES = [
    name for name, one in ZOO.items() if one.make is not None and one.readable and not one.needs and name not in TOLD
]


def kept(value: Any, *, checksums: bool = False) -> Kept:
    copy = KeptCopy(only_checksums=checksums)
    made = copy.of(value)
    while not copy.go_on(Budget(50)):
        pass
    return Kept("value", made, {}, copy.originals, copy.devices)


def compared(before: Kept, now: Any) -> Comparison:
    def known() -> dict[int, str]:
        names: dict[int, str] = {}
        before.add_names(names)
        return names

    return compare(before.value, now, Budget(), known=known)


@pytest.mark.filterwarnings("ignore")  # of making the values
@pytest.mark.parametrize("checksums", [False, True], ids=["copy", "checksums"])
@pytest.mark.parametrize("name", NAMES)
def test_nothing_differs_as_long_as_nothing_is_changed(name: str, checksums: bool) -> None:
    make = ZOO[name].make
    assert make is not None
    value = make()
    with Untouched():
        assert compared(kept(value, checksums=checksums), value).differences == []


CHANGED = {name: one for name, one in zoo.items() if one.changed is not None and one.readable and not one.needs}


@pytest.mark.parametrize("name", CHANGED)
def test_what_was_changed_is_never_the_same(name: str) -> None:
    make, changed = CHANGED[name].make, CHANGED[name].changed
    assert make is not None
    assert changed is not None
    with Untouched():
        assert not compared(kept(make()), changed()).same


def trained() -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    step(model, optimizer)
    return model, optimizer


def step(model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> None:
    optimizer.zero_grad()
    model(torch.randn(8, 3)).square().mean().backward()
    optimizer.step()


@pytest.mark.parametrize("checksums", [False, True], ids=["copy", "checksums"])
def test_what_a_step_changes_in_a_model_and_its_optimizer(checksums: bool) -> None:
    model, optimizer = trained()
    with Untouched():
        before = kept(model, checksums=checksums), kept(optimizer, checksums=checksums)
    model[0].requires_grad_(False)
    step(model, optimizer)
    with Untouched():
        changed = {
            one["path"]
            for one in compared(before[0], model).differences
            if one["what"] == "values" and not one["text"].startswith("gradient")
        }
        state = {one["path"] for one in compared(before[1], optimizer).differences}
    assert {"[2].weight", "[2].bias", "[1].running_mean"} <= {path.replace("._buffers", "") for path in changed}
    assert changed & {"[0].weight", "[0].bias"} == set()
    assert any("exp_avg" in path for path in state), state


def test_the_copy_has_memory_of_its_own_and_no_graph() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.sum().backward()
    with Untouched():
        copy = kept({"x": x, "y": y, "view": y[:2]}).value
    assert copy["y"].grad_fn is None
    assert copy["y"].grad.tolist() == [1.0, 1.0, 1.0]
    with torch.no_grad():
        x.fill_(7)
    assert copy["x"].tolist() == [1.0, 1.0, 1.0]


def test_of_an_expanded_tensor_each_element_is_copied_once() -> None:
    with Untouched():
        copy = KeptCopy()
        made = copy.of(torch.arange(4.0).expand(1_000_000_000, 4))
        assert copy.go_on(Budget())
    assert (copy.bytes, made.shape, made[-1].tolist()) == (16, (1_000_000_000, 4), [0.0, 1.0, 2.0, 3.0])


def test_a_large_tensor_is_copied_in_slices_with_progress() -> None:
    value = torch.arange(20_000_000, dtype=torch.float32)
    with Untouched():
        copy = KeptCopy()
        made = copy.of({"a": value, "b": value + 1})
        shares = []
        while not copy.go_on(Budget(0)):
            shares.append(copy.progress())
    assert len(shares) > 4
    assert shares == sorted(shares)
    assert torch.equal(made["b"], value + 1)


def test_by_checksums_gradients_and_classes_are_compared_too() -> None:
    weight = torch.nn.Parameter(torch.ones(3))
    weight.sum().backward()
    with Untouched():
        before = kept({"w": weight}, checksums=True)
    weight.grad = weight.grad * 2
    with Untouched():
        assert [one["text"] for one in compared(before, {"w": weight}).differences] == [
            "gradient: float32[3] · all 1 → float32[3] · all 2"
        ]
        assert compared(before, {"w": weight.detach().requires_grad_()}).differences[0]["what"] == "type"


EXPANDED = [
    torch.ones(1).expand(8), torch.ones(1, 1).expand(3, 4), torch.tensor(1.0).expand(3), torch.arange(10.0)[3:4:5],
    torch.tensor([1 + 2j]).conj(), torch.ones(2, dtype=torch.bfloat16),
]  # fmt: skip


@pytest.mark.parametrize("value", EXPANDED, ids=range(len(EXPANDED)))
def test_a_checksum_is_of_any_strides(value: torch.Tensor) -> None:
    with Untouched():
        assert compared(kept([value], checksums=True), [value]).same


class Tagged(tuple):  # type: ignore[type-arg]
    pass


def with_cycle() -> Any:
    holder = type("Holder", (), {})()
    holder.pair = (holder, 1)
    return holder.pair


def logger() -> Any:
    return logging.getLogger(__name__)


def function(cache: Any = {"n": 1}) -> Any:  # noqa: B006
    return cache


@pytest.mark.parametrize("make", [lambda: torch.Generator(), lambda: random.Random(0), logger, lambda: function])
def test_what_goes_on_under_one_name_is_not_called_the_same(make: Callable[[], Any]) -> None:
    value = [make(), 1]
    with Untouched():
        found = compared(kept(value), value)
    assert (found.same, found.differences, len(found.not_compared)) == (False, [], 1)


def test_a_tuple_keeps_its_attributes() -> None:
    value = Tagged((1, 2))
    value.meta = [3]  # type: ignore[attr-defined]
    with Untouched():
        assert compared(kept(value), value).same


@pytest.mark.parametrize("make", [with_cycle, lambda: torch.nn.Linear(2, 2)])
def test_what_is_kept_does_not_keep_the_original_alive(make: Callable[[], Any]) -> None:
    value = make()
    one = ref(value[0] if type(value) is tuple else value.weight)
    with Untouched():
        held = kept(value)
    del value
    gc.collect()
    assert one() is None
    assert held.value is not None


def test_parameters_can_be_swapped_while_a_copy_is_kept() -> None:
    model = torch.nn.Linear(2, 2)
    with Untouched():
        held = kept(model)
    torch.utils.swap_tensors(model.weight, torch.nn.Parameter(torch.zeros(2, 2)))
    assert held.value.weight.shape == (2, 2)


def test_memory_that_goes_away_between_two_slices_ends_it() -> None:
    value = torch.ones(5_000_000)
    with Untouched():
        copy = KeptCopy()
        copy.of([value])
        copy.go_on(Budget(0))
        value.untyped_storage().resize_(0)
        with pytest.raises(CannotCopy, match="went away"):
            copy.go_on(Budget())


class Locked:
    def __init__(self) -> None:
        self.rate = 0.1
        self.lines = (line for line in ())


def test_what_cannot_be_copied_is_not_called_equal() -> None:
    value = Locked()
    with Untouched():
        found = compared(kept(value), value)
    assert (found.same, found.differences) == (False, [])
    assert [(one["path"], one["text"]) for one in found.not_compared] == [
        (".lines", "not compared: not kept: a generator, which can't be copied")
    ]


class Hostile(torch.Tensor):
    @classmethod
    def __torch_function__(cls, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("code of the program ran")


class Shouting:
    def __init__(self) -> None:
        self.x = 1

    def __deepcopy__(self, memo: Any) -> Any:
        raise AssertionError("code of the program ran")

    __copy__ = __reduce__ = __eq__ = __getattr__ = __deepcopy__  # type: ignore[assignment]


def test_no_code_of_the_program_runs() -> None:
    value = {"tensor": torch.ones(2).as_subclass(Hostile), "object": Shouting()}
    with Untouched():
        found = compared(kept(value), value)
    assert found.differences == []


def test_a_copy_on_the_cpu_is_compared_as_where_the_tensor_was() -> None:
    value = torch.ones(2)
    copy = kept(value)
    found = Comparison()
    noted: list[PairDifference] = []
    moved = {id(copy.value): "cuda:0"}
    with Untouched():
        PairWalk(copy.value, value, found, Budget(), Tolerance(0.0, 0.0), noted=noted, moved=moved).go_on()
    assert [one["text"] for one in found.differences] == ["device cuda:0 → cpu"]


def frame() -> FrameType:
    model, optimizer = trained()
    rows, lines = torch.zeros(3), (line for line in ())
    assert (model, optimizer, rows, lines) is not None
    return sys._getframe()


@pytest.fixture
def paused(monkeypatch: pytest.MonkeyPatch) -> Iterator[asking.Paused]:
    yield asking.Paused(frame(), monkeypatch)
    session.reset()


def test_through_the_gateway_a_value_is_kept_and_compared_with_what_it_is_later(paused: asking.Paused) -> None:
    size = paused.lens("keep", value="model")
    assert size["found"] == {"lens": "keep", "bytes": size["found"]["bytes"], "tensors": 15, "missing": []}
    assert session.kept == {}  # without a number
    paused.lens("keep", {"as": 1}, value="model")
    paused.lens("keep", {"as": 2, "checksums": True}, value="rows")
    values = {"a": {"kept": 1}, "b": {"expression": "model"}}
    assert paused.ask("lens", lens="compare", values=values)["found"]["same"] is True
    paused.ask("frame", kept=[1])
    assert list(session.kept) == [1]
    gone = paused.ask("lens", lens="compare", values={"a": {"kept": 2}, "b": {"expression": "rows"}})
    assert (gone["error"]["code"], gone["error"]["message"]) == (
        "gone", "this value was kept in another process, or is not kept any more",
    )  # fmt: skip
    paused.ask("frame")
    assert session.kept == {}


@pytest.mark.parametrize(
    ("value", "options", "message"),
    [
        ("rows", {"as": "one"}, "as is a whole number, as in 1"),
        ("rows", {"at": 1}, "'keep' has no option 'at'"),
        ("lines", {"as": 1}, "lines can't be kept: a generator, which can't be copied"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    paused: asking.Paused, value: str, options: dict[str, Any], message: str
) -> None:
    answer = paused.ask("lens", lens="keep", values={"value": {"expression": value}}, options=options)
    assert answer["error"]["code"] == "bad_request"
    assert message in answer["error"]["message"]
