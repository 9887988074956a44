"""Lines of objects by what was declared of their classes, and by what users declare of theirs."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import pytest

from tensor_inspector import gateway, preferences, summarize
from tensor_inspector.kinds.declared import parse
from tensor_inspector.kinds.summaries import SUMMARIES


class Trainer:
    """A class of the program, of which nothing may run."""

    limit = 5

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)

    @property
    def computed(self) -> int:
        raise RuntimeError("a property ran")

    def __len__(self) -> int:
        raise RuntimeError("its length was asked for")

    def __str__(self) -> str:
        raise RuntimeError("its text was asked for")

    __repr__ = __str__


class Best(Trainer):
    pass


class Batch(OrderedDict):  # type: ignore[type-arg]
    pass


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    yield
    gateway.prefer({})


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
        ("{missing}", "Trainer · step 7, state Trainer, history list of 2, "),
    ],
)
def test_a_users_summary_is_said(summary: str, line: str) -> None:
    declare(summary)
    trainer = Trainer(
        step=7, state=Trainer(step=3), history=[1.5, 0.5], options={"rate": 0.1, "name": "adam"}, one=(1,), empty=[],
        children=[1, 2, 3], nothing=None,
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
        ("{step:sum}", "'sum' in '{step:sum}' is none of len, items, keys"),
        ("{:str}", "'str' in '{:str}' is none of len, items, keys"),
        ("{step()}", "'step()' is no way by attributes and items"),
        ("{a b}", "'a b' is no way by attributes and items"),
        ("{a[b]}", "'a[b]' is no way by attributes and items"),
    ],
)
def test_a_wrong_one_says_on_the_row_what_is_wrong_with_it(summary: str, says: str) -> None:
    declare(summary)
    assert summarize(Trainer(step=1)).startswith(f"Trainer · its summary in the settings: {says}")


@pytest.mark.parametrize("wrong", ["no table", {"tests.Trainer": 3}, None])
def test_what_is_no_table_of_texts_is_as_if_not_said(wrong: Any) -> None:
    gateway.prefer({"summaries": wrong})
    assert dict(preferences.now.summaries) == {}


@pytest.mark.parametrize("name", SUMMARIES)
def test_our_own_are_read(name: str) -> None:
    assert parse(SUMMARIES[name], True).parts


def test_a_subclass_of_the_program_does_not_say_its_text() -> None:
    import ipaddress

    class Own(ipaddress.IPv4Address):
        def __str__(self) -> str:
            raise RuntimeError("its text was asked for")

    assert summarize(Own("10.0.0.1")).startswith("Own")
    assert sys.exc_info() == (None, None, None)
