"""A property is read on a click: its value, or why there is none."""

from __future__ import annotations

import pytest

from tensor_inspector.kinds import Property
from tensor_inspector.safe import attributes
from tensor_inspector.stop import program_code


class Owner:
    @property
    def answer(self) -> int:
        return 42

    @property
    def broken(self) -> int:
        raise ValueError("no")

    @property
    def endless(self) -> int:
        while True:
            pass

    @property
    def itself(self) -> object:
        return program_code.read_property(ITSELF)


ITSELF = Property(Owner(), "itself")


def test_its_value_is_what_it_returns() -> None:
    assert program_code.read_property(Property(Owner(), "answer")) == 42


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (Property(Owner(), "broken"), "raised ValueError: no"),
        (Property(Owner(), "endless"), "stopped after 0.1 s"),
        (ITSELF, "'itself' is still running"),
    ],
)
def test_without_a_value_it_has_failed_and_says_why(asked: Property, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_code, "_SECONDS", 0.1)
    said = program_code.read_property(asked)
    assert said.failed
    assert said.text.startswith(why[:13])
    assert not asked.running


def test_it_can_be_read_again() -> None:
    asked = Property(Owner(), "broken")
    assert [program_code.read_property(asked).text for _ in range(2)] == ["raised ValueError: no"] * 2


class Fixed(Owner):
    answer = 7  # type: ignore[assignment]


def test_what_a_subclass_defines_as_something_else_is_offered_no_more() -> None:
    assert attributes.traits(Owner).properties == ["answer", "broken", "endless", "itself"]
    assert attributes.traits(Fixed).properties == ["broken", "endless", "itself"]
