"""Every kind of value, each in a child process of its own: said truthfully, and left untouched."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from forked import answered_in_child
from zoo import Specimen, zoo
from zoo import examine as harness
from zoo.cage import Keeper
from zoo.changes import NoChange

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

_FEWEST = 500  #: that need nothing but torch


@pytest.fixture(scope="module")
def keeper() -> Iterator[Keeper]:
    keeper = Keeper()
    yield keeper
    keeper.close()


@pytest.mark.parametrize("name", zoo)
def test_it_is_told_truly_and_left_untouched(keeper: Keeper, name: str) -> None:
    result = keeper.examine(name)
    if "missing" in result:
        pytest.skip(f"needs {result['missing']}")
    assert not result["complaints"], "\n".join([str(result.get("line")), *result["complaints"]])


def test_five_hundred_kinds_are_looked_at_wherever_torch_is() -> None:
    assert sum(not specimen.needs for specimen in zoo.values()) >= _FEWEST


# What the harness itself must see, where a look does as it should not.

_KEPT: list[Any] = []


class Kept:
    """Knows nobody but who looks at it."""


def _keeps_the_value(value: Any) -> None:
    _KEPT[:] = [value]


def _keeps_objects(value: Any) -> None:
    _KEPT.extend([] for _ in range(20))  # more than may go meanwhile of what other tests have left


def _takes_memory_once(value: Any) -> None:
    if not _KEPT:
        _KEPT.append(len(bytearray(b"x") * (64 << 20)))


def _writes(value: Any) -> None:
    value.seen = True


def _inside(show: Callable[[Any], None]) -> None:
    show(Kept())


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [(lambda: [1, 2], "the same"), (lambda: [1, 3], None), (None, None)],
)
def test_the_harness_sees_a_change_that_a_comparison_misses(changed: Any, complaint: str | None) -> None:
    found = answered_in_child(lambda: harness.examined(Specimen(lambda: [1, 2], changed=changed))["complaints"])
    assert len(found) == (complaint is not None), found
    assert complaint is None or complaint in found[0]


def _changes_nothing(value: Any) -> Any:
    return list(value)


def _has_no_change(value: Any) -> Any:
    raise NoChange("")


def _says_why_not(value: Any) -> Any:
    raise NoChange("it is made of stone")


@pytest.mark.parametrize(
    ("change", "told", "complaint"),
    [
        (_changes_nothing, "that of its type", "compared with another one that was changed: the same"),
        (_has_no_change, "none", "list is neither changed nor said to be unchangeable"),
        (_says_why_not, "none: it is made of stone", None),
    ],
)
def test_each_value_is_changed_or_said_to_be_unchangeable(
    change: Any, told: str, complaint: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness, "changed", change)
    found = answered_in_child(lambda: harness.examined(Specimen(lambda: [1, 2])))
    assert found["change"] == told
    assert len(found["complaints"]) == (complaint is not None), found
    assert complaint is None or complaint in found["complaints"][0]


@pytest.mark.parametrize("specimen", [Specimen(make=Kept), Specimen(inside=_inside)], ids=["made", "inside"])
@pytest.mark.parametrize(
    ("does", "complaint"),
    [
        (_keeps_the_value, "the value outlives the look"),
        (_keeps_objects, "objects outlive the look"),
        (_takes_memory_once, "MB were taken"),
        (_writes, "became"),
        (lambda value: None, None),
    ],
)
def test_the_harness_sees_what_a_look_does(
    specimen: Specimen, does: Callable[[Any], None], complaint: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def summarize(value: Any) -> str:
        does(value)
        return "Kept"

    def work() -> Any:
        gc.freeze()  # what other tests have loaded need not be gone through
        return harness.examined(specimen)["complaints"]

    _KEPT.clear()
    monkeypatch.setattr(harness, "summarize", summarize)
    complaints = answered_in_child(work)
    assert len(complaints) == (complaint is not None), complaints
    assert complaint is None or complaint in complaints[0]
