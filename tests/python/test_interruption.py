"""The program's code that runs for us is ended when it should be, and nobody else ever is."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

import pytest

from tensor_inspector.session import session
from tensor_inspector.stop import interruption


def forever() -> None:
    while True:
        pass


def test_it_ends_after_its_time() -> None:
    with pytest.raises(interruption.Interrupted):
        interruption.run(forever, 0.05)


def test_what_ends_in_time_is_returned_and_no_thread_is_left() -> None:
    before = threading.active_count()
    assert interruption.run(lambda: 42, 60) == 42
    assert threading.active_count() == before


def test_code_that_starts_threads_is_ended_itself_and_none_of_its_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    struck: list[object] = []
    ended: list[int] = []

    def note(what: object) -> None:
        if threading.current_thread() is not runner:  # which may be struck in a callback of the collector too
            struck.append(what)

    monkeypatch.setattr(threading, "excepthook", note)
    monkeypatch.setattr(sys, "unraisablehook", note)

    def start_threads() -> None:
        while True:
            threads = [threading.Thread(target=int) for _ in range(20)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def interrupt_often() -> None:
        for turn in range(100):
            with pytest.raises(interruption.Interrupted):
                interruption.run(start_threads, 0.02)
            ended.append(turn)

    runner = threading.Thread(target=interrupt_often, daemon=True)
    runner.start()
    while runner.is_alive():
        before = len(ended)
        runner.join(120)
        assert not runner.is_alive() or len(ended) > before, (
            "a thread was waited for that had been struck before it began"
        )
    assert struck == []


def test_it_ends_when_its_request_is_named() -> None:
    helper = threading.Thread(target=lambda: until(lambda: interruption.interrupt(7)))
    helper.start()
    with pytest.raises(interruption.Interrupted):
        interruption.run(forever, request=7)
    helper.join()
    assert not interruption.interrupt(7)


def test_two_that_bear_one_number_end_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    failed: list[object] = []
    monkeypatch.setattr(threading, "excepthook", failed.append)
    assert interruption.run(lambda: interruption.run(lambda: 42, 60, 7), 60, 7) == 42
    assert failed == []
    assert session.running == {}


def test_it_ends_when_the_program_is_to_continue(monkeypatch: pytest.MonkeyPatch) -> None:
    paused = [True, True]
    monkeypatch.setattr(interruption.debugger, "pause_of_this_thread", lambda: lambda: bool(paused and paused.pop()))
    monkeypatch.setattr(interruption, "_GRACE", 0.05)
    with pytest.raises(interruption.Interrupted):
        interruption.run(forever)


def test_a_late_interruption_strikes_nobody() -> None:
    stop = threading.Event()

    def hammer() -> None:
        while not stop.wait(0.0001):
            interruption.interrupt(9)

    helper = threading.Thread(target=hammer)
    helper.start()
    try:
        for _ in range(200):
            try:
                assert interruption.run(lambda: sum(range(500)), 0.001, 9) == 124750
            except interruption.Interrupted:
                pass
            assert sum(range(500)) == 124750
    finally:
        stop.set()
        helper.join()
    assert session.running == {}


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not done():
        assert time.monotonic() < deadline, "waited 30 s"
