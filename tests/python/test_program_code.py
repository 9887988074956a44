"""A property is read on a click: its value, or why there is none."""

from __future__ import annotations

from threading import Thread

import pytest

from tensor_inspector.kinds import Property
from tensor_inspector.safe import attributes
from tensor_inspector.stop import interruption, program_code


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
    def cancelled(self) -> int:
        Thread(target=interruption.interrupt, args=(9,)).start()
        return self.endless

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


def test_it_ends_long_before_its_time_when_its_request_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_code, "_SECONDS", 60)
    said = program_code.read_property(Property(Owner(), "cancelled"), request=9)
    assert said.text.startswith("stopped after ")
    assert not said.text.startswith("stopped after 60")


def test_it_can_be_read_again() -> None:
    asked = Property(Owner(), "broken")
    assert [program_code.read_property(asked).text for _ in range(2)] == ["raised ValueError: no"] * 2


class Fixed(Owner):
    answer = 7  # type: ignore[assignment]


def test_what_a_subclass_defines_as_something_else_is_offered_no_more() -> None:
    assert attributes.traits(Owner).properties == ["answer", "broken", "endless", "cancelled", "itself"]
    assert attributes.traits(Fixed).properties == ["broken", "endless", "cancelled", "itself"]
