"""Lines of objects by what was declared of their classes, and by what users declare of theirs."""

from __future__ import annotations

import ipaddress
import types
import typing
import weakref
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from tensor_inspector import gateway, summarize
from tensor_inspector.kinds.summaries import SUMMARIES
from tensor_inspector.kinds.templates import parse
from tensor_inspector.session import session

ran: list[str] = []  #: what of the program's ran, which nothing may


class Trainer:
    limit = 5

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)

    @property
    def computed(self) -> int:
        ran.append("a property")
        return 1

    def __len__(self) -> int:
        ran.append("__len__")
        return 1

    def __iter__(self) -> Iterator[int]:
        ran.append("__iter__")
        return iter([1])

    def __str__(self) -> str:
        ran.append("__str__")
        return "text"

    __repr__ = __str__


class Own(ipaddress.IPv4Address):
    def _string_from_ip_int(self, ip_int: int) -> str:
        ran.append("what its text is made of")
        return "text"


class Table(typing.Mapping):  # type: ignore[type-arg]
    def __getitem__(self, key: Any) -> Any:
        ran.append("__getitem__")

    def __iter__(self) -> Iterator[Any]:
        ran.append("__iter__")
        return iter([1])

    def __len__(self) -> int:
        ran.append("__len__")
        return 1


class Best(Trainer):
    pass


class Batch(OrderedDict):  # type: ignore[type-arg]
    pass


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    ran.clear()
    yield
    gateway.prefer({})
    assert ran == []


def declare(summary: str, name: str = "Trainer") -> None:
    gateway.prefer({"summaries": {f"{__name__}.{name}": summary}})


@pytest.mark.parametrize(
    ("summary", "line"),
    [
        ("step {step}", "Trainer · step 7"),
        ("step {state.step} · {history:len} kept", "Trainer · step 3 · 2 kept"),
        ("{history[-1]}", "Trainer · 0.5"),
        ("{options['rate']} · {options[\"name\"]}", "Trainer · 0.1 · adam"),
        ("{options:items}", "Trainer · rate 0.1, name 'adam'"),
        ("{options:keys}", "Trainer · rate, name"),
        ("{history:items}", "Trainer · 1.5, 0.5"),
        ("{options,history:items}", "Trainer · rate 1.5, name 0.5"),
        (
            "{history:len} epoch(s) · {one:len} box(es) · {children:len} child(ren)",
            "Trainer · 2 epochs · 1 box · 3 children",
        ),
        ("of {limit}", "Trainer · of 5"),
        ("a part without braces", "Trainer · a part without braces"),
        ("{missing} · {nothing} · {empty:items} · {step}", "Trainer · 7"),
        ("{missing} before | {step} after", "Trainer · 7 after"),
        ("{computed} · {:len} · {step}", "Trainer · 7"),
        ("{step} · again {itself}", "Trainer · 7 · again Trainer 7"),
        ("{itself}", "Trainer · Trainer Trainer"),
        ("{*_}", "Trainer · best_ 0.5"),
        ("{missing}", "Trainer · step 7, state Trainer, history list of 2, "),
    ],
)
def test_a_users_summary_is_said(summary: str, line: str) -> None:
    declare(summary)
    trainer = Trainer(
        step=7, state=Trainer(step=3), history=[1.5, 0.5], options={"rate": 0.1, "name": "adam"}, one=(1,), empty=[],
        children=[1, 2, 3], nothing=None, best_=0.5, _hidden_=1,
    )  # fmt: skip
    trainer.__dict__["itself"] = trainer
    assert summarize(trainer).startswith(line) if line.endswith(", ") else summarize(trainer) == line


def test_it_holds_for_subclasses_and_in_the_lines_of_others() -> None:
    declare("step {step}")
    assert summarize(Best(step=1)) == "Best · step 1"
    assert summarize([Best(step=1)]) == "list · 1: Best step 1"


def test_a_summary_that_stands_alone_has_no_type_in_the_lines_of_others() -> None:
    declare("= step {step}")
    assert summarize([Best(step=1)]) == "list · 1: step 1"


def test_one_that_stands_alone_is_said_in_the_summary_of_another_but_not_deeper() -> None:
    names = {f"{__name__}.Best": "= <{name}>", f"{__name__}.Trainer": "of {best}"}
    gateway.prefer({"summaries": names})
    holder = Trainer(best=Best(name=Best(name=Best(name="a"))))
    assert summarize(holder) == "Trainer · of <<Best>>"
    assert summarize([holder]) == "list · 1: Trainer of <Best>"
    endless = Best()
    endless.__dict__["name"] = endless
    assert summarize(endless) == "Best · <<<Best>>>"


def test_what_another_kind_says_stays_behind_it() -> None:
    declare("{['x']:len} in x", "Batch")
    assert summarize(Batch(x=[1, 2])) == "Batch · 2 in x · 1: x list of 2"


def test_it_takes_effect_at_once_and_ends_so() -> None:
    trainer = Trainer(step=1)
    before = summarize(trainer)
    declare("first")
    declare("second")
    assert summarize(trainer) == "Trainer · second"
    gateway.prefer({})
    assert summarize(trainer) == before


@pytest.mark.parametrize(
    ("summary", "says"),
    [
        ("{step", "'{step' has no closing brace"),
        ("{step:sum}", "'sum' is none of len, items, keys"),
        ("{:str}", "'str' is none of len, items, keys"),
        ("{step()}", "'step()' is no way such as 'a.b[0]"),
        ("{a b}", "'a b' is no way such as 'a.b[0]"),
        ("{a[--1]}", "'a[--1]' is no way such as 'a.b[0]"),
        ("{a[b]}", "'a[b]' is no way such as 'a.b[0]"),
    ],
)
def test_a_wrong_one_says_on_the_row_what_is_wrong_with_it(summary: str, says: str) -> None:
    declare(summary)
    assert summarize(Trainer(step=1)).startswith(f"Trainer · summary in the settings: {says}")


@pytest.mark.parametrize("wrong", ["no table", {"tests.Trainer": 3}, None])
def test_what_is_no_table_of_texts_is_as_if_not_said(wrong: Any) -> None:
    gateway.prefer({"summaries": wrong})
    assert dict(session.preferred.summaries) == {}


@pytest.mark.parametrize("name", SUMMARIES)
def test_our_own_are_read(name: str) -> None:
    assert parse(SUMMARIES[name], True).parts


def test_a_subclass_of_the_program_does_not_say_its_text() -> None:
    assert summarize(Own("10.0.0.1")).startswith("Own · _ip ")


@pytest.mark.parametrize("says", ["", ":len", ":items", ":keys"])
def test_nothing_is_taken_from_what_is_gone_through_once(says: str) -> None:
    declare(f"{{steps{says}}} · {{mapped{says}}} · {{step}}")
    steps = iter(range(5))
    mapped = map(ran.append, "abc")
    assert summarize(Trainer(steps=(x for x in steps), mapped=mapped, step=7)).endswith("· 7")
    assert next(steps) == 0
    ran.clear()


@pytest.mark.parametrize("says", [":len", ":items", ":keys"])
@pytest.mark.parametrize(
    "wrap", [types.MappingProxyType, weakref.proxy, lambda table: table], ids=["proxy", "weak", "itself"]
)
def test_nothing_of_the_program_runs_behind_a_proxy(wrap: Any, says: str) -> None:
    declare(f"{{table{says}}} · {{step}}")
    table = Table()
    assert summarize(Trainer(table=wrap(table), step=7)).endswith("· 7")


def test_tensors_of_torch_keep_their_own_line() -> None:
    gateway.prefer({"summaries": {"torch.Tensor": "tag", "torch.nn.parameter.Parameter": "tag"}})
    for value in (torch.ones(2), torch.nn.Parameter(torch.ones(2)), torch.ones(2).to_sparse()):
        assert "tag" not in summarize(value)


class Boxes(torch.Tensor):
    pass


def test_a_tensor_of_another_class_says_its_summary_before_its_values() -> None:
    declare("{format}", "Boxes")
    boxes: Any = torch.ones(2, 4).as_subclass(Boxes)
    boxes.format = "XYXY"
    assert summarize(boxes).startswith("Boxes · XYXY · float32[2, 4] · all 1")
    assert summarize([boxes]) == "list · 1: f32[2,4]"
    assert summarize(boxes[0]).startswith("Boxes · float32[4] · all 1")


def test_the_attributes_of_a_module_are_said_without_its_mode() -> None:
    class Flip(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.p = 0.5

    gateway.prefer({"summaries": {f"{__name__}.{Flip.__qualname__}": "{*}"}})
    assert summarize(Flip()) == "Flip · p 0.5 · train"


def test_items_that_have_no_room_for_their_summaries_are_said_without() -> None:
    declare("{steps:items} | {name}")
    first, second = (Trainer(name="x" * size) for size in (20, 20))
    assert summarize(Trainer(steps=[first])) == f"Trainer · Trainer {'x' * 20}"
    assert summarize(Trainer(steps=[first, second])) == f"Trainer · Trainer {'x' * 20}, Trainer {'x' * 20}"
    assert summarize(Trainer(steps=[first, second, first])) == "Trainer · Trainer, Trainer, Trainer"


def test_attributes_that_are_not_there_leave_nothing_behind() -> None:
    declare("all: {*}")
    assert summarize(Trainer(_hidden=1)) == "Trainer · _hidden 1"
