"""Every kind of value, each in a child process of its own: said truthfully, and left untouched."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import pytest
from zoo import Specimen, zoo
from zoo import examine as harness
from zoo.cage import Keeper

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

_AT_ONCE = 2  #: specimens
_FEWEST = 200  #: that must really have been looked at

Found = dict[str, "Future[dict[str, Any]]"]


@pytest.fixture(scope="module")
def found(request: pytest.FixtureRequest) -> Iterator[Found]:
    """What is found of each specimen that was asked for, two at once, ahead of the tests."""
    names = [item.callspec.params["name"] for item in request.session.items if _is_of_a_specimen(item)]
    keepers: SimpleQueue[Keeper] = SimpleQueue()
    for _ in names[:_AT_ONCE]:
        keepers.put(Keeper())

    def examine(name: str) -> dict[str, Any]:
        keeper = keepers.get()
        try:
            return keeper.examine(name)
        finally:
            keepers.put(keeper)

    pool = ThreadPoolExecutor(_AT_ONCE)
    yield {name: pool.submit(examine, name) for name in names}
    pool.shutdown(cancel_futures=True)
    while not keepers.empty():
        keepers.get().close()


@pytest.mark.parametrize("name", zoo)
def test_it_is_told_truly_and_left_untouched(found: Found, name: str) -> None:
    result = found[name].result()
    if "missing" in result:
        pytest.skip(f"needs {result['missing']}")
    assert not result["complaints"], "\n".join([str(result.get("line")), *result["complaints"]])


def test_two_hundred_kinds_were_looked_at(request: pytest.FixtureRequest) -> None:
    assert len(zoo) >= _FEWEST
    if sum(map(_is_of_a_specimen, request.session.items)) < len(zoo):
        return  # only some were asked for
    found: Found = request.getfixturevalue("found")
    assert sum("missing" not in each.result() for each in found.values()) >= _FEWEST


def _is_of_a_specimen(item: Any) -> bool:
    return getattr(item, "function", None) is test_it_is_told_truly_and_left_untouched


# What the harness itself must see, where a look does as it should not.

_KEPT: list[Any] = []


class Kept:
    """Knows nobody but who looks at it."""


def _keeps_the_value(value: Any) -> None:
    _KEPT[:] = [value]


def _keeps_objects(value: Any) -> None:
    _KEPT.append([])


def _takes_memory_once(value: Any) -> None:
    if not _KEPT:
        _KEPT.append(len(bytearray(b"x") * (64 << 20)))


def _writes(value: Any) -> None:
    value.seen = True


def _inside(show: Callable[[Any], None]) -> None:
    show(Kept())


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

    _KEPT.clear()
    monkeypatch.setattr(harness, "summarize", summarize)
    complaints = harness.examined(specimen)["complaints"]
    assert len(complaints) == (complaint is not None), complaints
    assert complaint is None or complaint in complaints[0]
