"""Programs at their worst, through the real adapter: whatever happens, the user can go on or stop, and the next stop works."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from client import LIMIT, Client, DapError, Lost, Stop, has_ended
from helper import VERSION, Helper, Refused, call_expression
from table import Start

FAULTS = """
    import os, signal, threading, time
    from concurrent.futures import ThreadPoolExecutor
    import numpy

    class Wordy(Exception):
        def __str__(self):
            while True:
                pass

    class Faulty:
        @property
        def raises(self):
            raise ValueError("no")
        @property
        def raises_endlessly(self):
            raise Wordy
        @property
        def exits(self):
            raise SystemExit(3)
        @property
        def interrupts(self):
            raise KeyboardInterrupt
        @property
        def never_ends(self):
            while True:
                try:
                    time.sleep(0.01)
                except Exception:
                    pass
        @property
        def never_ends_in_threads(self):
            while True:
                with ThreadPoolExecutor(4) as pool:
                    list(pool.map(abs, range(4)))
        @property
        def recurses(self):
            return self.recurses
        @property
        def floods(self):
            for _ in range(200):
                print("x" * 1000)
            return 1
        @property
        def waits(self):
            with held:
                return 1
        @property
        def dies(self):
            os.kill(os.getpid(), signal.SIGKILL)

    def hold():
        with held:
            ready.set()
            release.wait()

    held, ready, release = threading.Lock(), threading.Event(), threading.Event()
    begun = set()
    holder = threading.Thread(target=hold, daemon=True)
    holder.start()
    ready.wait()

    def work(step):
        faulty, image = Faulty(), numpy.ones(step, "float32")
        print("step", step)  # STOP
        return faulty, image

    for step in range(1, 4):
        work(step)
    release.set()
    print("done")
"""


ENDLESS = """
    import numpy

    class Wordy(Exception):
        def __str__(self):
            while True:
                pass

    def fails():
        raise Wordy

    def work(step):
        image = numpy.ones(step, "float32")
        print("step", step)  # STOP
        return image

    for step in range(1, 4):
        work(step)
    print("done")
"""


def read_property(stop: Stop, helper: Helper, name: str) -> dict[str, Any]:
    """The row that opening a property of `faulty` gives."""
    row = helper.row(stop, ["faulty", "class properties", name])
    return row["page"]["nodes"][0]  # type: ignore[no-any-return]


def goes_on(client: Client, stop: Stop, helper: Helper) -> None:
    """To the next stop, where all is well, and to the end."""
    later = client.resume(stop.thread)
    assert any(row["line"] == "float32[2] · all 1" for row in helper.frame(later)["rows"]["nodes"])
    client.resume(later.thread)
    assert client.run_to_end(stop.thread) == 0
    assert client.output("stdout").split("\n")[-2] == "done"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("raises", "raised ValueError: no"),
        ("raises_endlessly", "raised Wordy"),
        ("exits", "raised SystemExit: 3"),
        ("interrupts", "raised KeyboardInterrupt"),
        ("never_ends", "stopped after 1."),
        ("never_ends_in_threads", "stopped after "),
        ("recurses", "raised RecursionError: "),
        ("floods", "1"),
    ],
)
def test_what_a_property_does_is_said_and_the_program_goes_on(start: Start, name: str, said: str) -> None:
    client, stop, helper = start(FAULTS)
    assert read_property(stop, helper, name)["line"].startswith(said)
    goes_on(client, stop, helper)


def test_what_runs_for_a_request_is_interrupted_by_its_number_alone(start: Start) -> None:
    client, stop, helper = start(FAULTS)
    helper.frame(stop)
    hanging = ask(client, stop, op="evaluate", expression="[0 for _ in iter(int, 1)]", id=7)
    until_running(client, 7)
    assert [interrupt(client, number) for number in (6, 8, 7)] == [False, False, True]
    assert answer_to(client, hanging)["error"]["message"].startswith("stopped after ")
    assert interrupt(client, 7) is False
    goes_on(client, stop, helper)


def test_what_takes_long_raises_no_notification(start: Start) -> None:
    client, stop, helper = start(FAULTS, env={"PYDEVD_WARN_EVALUATION_TIMEOUT": "0.1"})
    helper.frame(stop)

    def notified() -> int:
        return [body.get("category") for body in client.events("output")].count("important")

    before = notified()  # a slow machine may take that long for what was asked so far
    assert helper.evaluate(stop, "time.sleep(0.5) or 7")["line"] == "7"
    assert notified() == before
    client.evaluate("time.sleep(0.5)", stop.frame)  # the user's own: as without us
    assert notified() > before
    goes_on(client, stop, helper)


def test_a_late_interruption_strikes_nobody(start: Start) -> None:
    """It comes when the code is just about to end by itself: a little earlier if the last one was late, else later."""
    client, stop, helper = start(FAULTS)
    helper.frame(stop)
    seconds, met = 0.01, set()
    for number in range(40):
        work = f"begun.add({number}) or time.sleep({seconds}) or sum(range(1000))"
        asked = ask(client, stop, op="evaluate", expression=work, id=number)
        until_true(client, f"{number} in __import__('__main__').begun")
        met.add(in_time := interrupt(client, number))
        seconds *= 0.8 if in_time else 1.5
        answer = answer_to(client, asked)
        assert "node" in answer or answer["error"]["message"].startswith("stopped after ")
    assert met == {True, False}
    goes_on(client, stop, helper)


def test_going_on_ends_what_waits_for_a_lock_of_another_thread(start: Start) -> None:
    client, stop, helper = start(FAULTS)
    helper.frame(stop)
    waiting = ask(client, stop, op="evaluate", expression="release.set() or faulty.waits", id=1)
    until_running(client, 1)
    client.continue_(stop.thread)  # the other thread runs again too, and lets go of the lock
    later = client.wait_for_stop()
    assert answer_to(client, waiting)["op"] in ("evaluate", "error")
    assert helper.frame(later)["function"] == "work"


@pytest.mark.parametrize("command", ["continue", "next"])
@pytest.mark.parametrize("expression", ["[0 for _ in iter(int, 1)]", "fails()"])
def test_going_on_ends_what_would_never_end(start: Start, command: str, expression: str) -> None:
    client, stop, helper = start(ENDLESS)
    helper.frame(stop)
    hanging = ask(client, stop, op="evaluate", expression=expression, id=1)
    until_running(client, 1)
    client.send(command, {"threadId": stop.thread})
    later = client.wait_for_stop()
    assert "error" in answer_to(client, hanging)
    assert helper.frame(later)["function"] == "work"
    client.request("terminate", {})
    client.wait_for_event("terminated")


def test_detaching_ends_what_would_never_end(start: Start) -> None:
    client, stop, helper = start(ENDLESS)
    helper.frame(stop)
    program = client.process()
    ask(client, stop, op="evaluate", expression="fails()", id=1)
    until_running(client, 1)
    client.detach()
    deadline = time.monotonic() + LIMIT
    while not has_ended(program):
        assert time.monotonic() < deadline, f"the program still runs {LIMIT} s after the debugger let it go"
        time.sleep(0.01)


def test_the_program_is_ended_while_an_evaluate_hangs(start: Start) -> None:
    client, stop, helper = start(FAULTS)
    helper.frame(stop)
    ask(client, stop, op="evaluate", expression="faulty.waits", id=1)
    client.request("terminate", {})
    client.wait_for_event("terminated")


def test_other_frames_and_threads_are_still_told_while_an_evaluate_hangs(start: Start) -> None:
    client, stop, helper = start(FAULTS)
    helper.frame(stop)
    hanging = ask(client, stop, op="evaluate", expression="[0 for _ in iter(int, 1)]", id=1)
    until_running(client, 1)
    around = Helper(client, frameless=True)
    around.injected = helper.injected
    assert any(row["name"] == "image" for row in around.frame(stop)["rows"]["nodes"])
    assert client.threads()
    interrupt(client, 1)
    answer_to(client, hanging)
    goes_on(client, stop, helper)


def test_a_program_that_dies_while_it_is_asked_ends_the_session(start: Start) -> None:
    client, stop, helper = start(FAULTS)
    with pytest.raises((Lost, DapError)):
        read_property(stop, helper, "dies")
    client.wait_for_event("terminated")


def test_a_frame_of_an_earlier_stop_is_refused_and_the_present_one_answers(start: Start) -> None:
    client, stop, helper = start(
        """
        import sys
        def work(step):
            kept.append(sys._getframe())  # else the next one has its id
            print("step", step)  # STOP
        kept = []
        for step in range(2):
            work(step)
        """,
        frameless=True,
    )
    helper.frame(stop)
    later = client.resume(stop.thread)
    assert later.frame != stop.frame
    with pytest.raises(Refused) as refused:
        helper.frame(stop)
    assert refused.value.code == "no_frame"
    assert helper.frame(later)["function"] == "work"


@pytest.mark.parametrize("missing", ["compile", "exec", "zlib", "binascii"])
def test_a_program_that_refuses_the_helper_is_debugged_as_without_it(start: Start, missing: str) -> None:
    """As a frozen application that was built without a module, or one that takes builtins away, does."""
    source = f"""
        import builtins, sys
        def work():
            value = [1]
            kept, name = None, {missing!r}
            if hasattr(builtins, name):
                kept = getattr(builtins, name)
                delattr(builtins, name)
            else:
                kept = sys.modules.pop(name, None)
            print("refused")  # STOP: first
            if name in ("compile", "exec"):
                setattr(builtins, name, kept)
            else:
                sys.modules[name] = kept
            print("allowed")  # STOP: second
        work()
    """
    client, stop, helper = start(source)
    with pytest.raises(DapError, match=missing):
        helper.frame(stop)
    later = client.resume(stop.thread)
    assert helper.frame(later)["function"] == "work"
    assert client.run_to_end(later.thread) == 0


def ask(client: Client, stop: Stop, **request: Any) -> int:
    """Sends a request and does not wait: its number."""
    expression = call_expression({"version": VERSION, **request})
    arguments = {"expression": expression, "context": "watch", "format": {"rawString": True}, "frameId": stop.frame}
    return client.send("evaluate", arguments)


def answer_to(client: Client, number: int) -> dict[str, Any]:
    return json.loads(client.reply(number)["result"])  # type: ignore[no-any-return]


def interrupt(client: Client, request: int) -> bool:
    expression = call_expression({"op": "interrupt", "version": VERSION, "request": request})
    return json.loads(client.evaluate(expression, raw=True)["result"])["interrupted"]  # type: ignore[no-any-return]


def until_running(client: Client, request: int) -> None:
    """Until the program's code runs on behalf of the request."""
    until_true(client, f"{request} in __import__('sys').modules['_tensor_inspector.session'].session.running")


def until_true(client: Client, condition: str) -> None:
    for _ in range(3000):
        if client.evaluate(condition)["result"] == "True":
            return
    raise AssertionError(f"waited for {condition}")
