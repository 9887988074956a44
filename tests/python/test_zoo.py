"""Every kind of value, each in a child process of its own: said truthfully, and left untouched."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from zoo import zoo
from zoo.cage import Keeper

pytestmark = pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="needs fork")


@pytest.fixture(scope="module")
def keeper() -> Iterator[Keeper]:
    keeper = Keeper()
    yield keeper
    keeper.close()


@pytest.mark.parametrize("name", zoo)
def test_it_is_told_truly_and_left_untouched(keeper: Keeper, name: str) -> None:
    found = keeper.examine(name)
    if "missing" in found:
        pytest.skip(f"needs {found['missing']}")
    assert not found["complaints"], "\n".join([str(found.get("line")), *found["complaints"]])


def test_the_zoo_has_two_hundred_kinds() -> None:
    assert len(zoo) >= 200
