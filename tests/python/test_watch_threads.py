"""What another thread has the main thread run, between two of its instructions."""

from __future__ import annotations

import os
import subprocess
import sys
from textwrap import dedent

import pytest

HEAD = """
    import sys, threading, time
    from tensor_inspector.watching.threads import retry_in_main_thread, run_on

    done = []

    def ask(work, count=1):
        def each():
            for _ in range(count):
                run_on(None, work)
        thread = threading.Thread(target=each)
        thread.start()
        return thread

    def wait_for(count):
        while len(done) < count:
            time.sleep(0.001)
"""


def run_alone(program: str) -> str:
    script = dedent(HEAD) + dedent(program)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("tracer", ["None", "lambda frame, event, argument: tracer"])
def test_more_that_is_asked_for_meanwhile_is_run_too_also_under_a_debugger(tracer: str) -> None:
    program = f"""
        def call():
            done.append(True)

        def work():
            ask(call, 3).join()
            call()

        tracer = {tracer}
        sys.settrace(tracer)
        ask(work).join()
        wait_for(4)
        sys.settrace(None)
        print(len(done))
    """
    assert run_alone(program) == "4\n"


def test_what_is_tried_again_and_takes_long_lets_the_main_thread_go_on() -> None:
    program = """
        has_gone_on = False

        def attempt():
            time.sleep(0.01)  # longer than the pause between two attempts
            if has_gone_on:
                done.append(True)
            return has_gone_on

        retry_in_main_thread(attempt)
        for _ in range(1000):
            pass
        has_gone_on = True
        wait_for(1)
        print(len(done))
    """
    assert run_alone(program) == "1\n"


def test_what_interrupts_it_interrupts_the_program_and_it_can_be_asked_again() -> None:
    program = """
        def interrupted():
            raise KeyboardInterrupt

        try:
            ask(interrupted).join()
            wait_for(1)
        except KeyboardInterrupt:
            done.append("interrupted")
        ask(lambda: done.append(True)).join()
        wait_for(2)
        print(done)
    """
    assert run_alone(program) == "['interrupted', True]\n"


def test_of_what_is_done_nothing_waits_any_more() -> None:
    program = """
        from tensor_inspector.watching import threads

        def attempt():
            time.sleep(0.01)
            done.append(True)
            return len(done) > 2

        retry_in_main_thread(attempt)
        wait_for(3)
        while threads._waiting or any(one.is_alive() for one in threads._asking):
            time.sleep(0.001)
        print(len(done))
    """
    assert run_alone(program) == "3\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_can_be_asked_as_its_parent_could() -> None:
    program = """
        import os

        def work():
            done.append(os.getpid())

        ask(work).join()
        wait_for(1)
        child = os.fork()
        if child == 0:
            ask(work).join()
            wait_for(2)
            os._exit(int(done[1] != os.getpid()))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert run_alone(program) == "0\n"
