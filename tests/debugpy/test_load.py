"""On a busy machine too the program goes on as without us: what takes long is no concern of the debugger's, and its own
views wait for nothing of ours.

The load: threads wait at a barrier until the helper is about to compile, or run, a module of its own, and then hold the
interpreter while it waits. What came in which order tells whether anybody noticed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from client import Client, Stop, stop_lines
from helper import Helper, inject_expression

SECONDS = 2.0  #: after which the debugger loses its patience, in the tests where it is to
BUSY = """
    import sys, threading, time

    class Load:
        def __init__(self, threads, over):
            self.modules, self.over, self.barrier = (), over, threading.Barrier(threads + 1)
            self.threads = [threading.Thread(target=self.spin, daemon=True) for _ in range(threads)]
            for thread in self.threads:
                thread.pydev_do_not_trace = thread.is_pydev_daemon_thread = True  # goes on while others are stopped
                thread.start()
            sys.addaudithook(self.hook)

        def spin(self):
            self.barrier.wait()
            until = time.monotonic() + LIMIT
            while not self.over(until):
                pass

        def hook(self, event, given):
            if self.modules and event in ("compile", "exec"):
                name = given[1] if event == "compile" else getattr(given[0], "co_filename", None)
                if isinstance(name, str) and name.startswith(self.modules):
                    self.modules = ()  # once
                    self.barrier.wait()
                    for thread in self.threads:
                        thread.join()
"""
#: Load for longer than the debugger has patience.
LONG = f"LIMIT = {1.25 * SECONDS}\nload = Load(6, lambda until: time.monotonic() > until)\n"
OURS = ("<frozen _tensor_inspector",)
LOADER = ("<frozen _tensor_inspector.loader",)

New = Callable[..., Client]
Write = Callable[..., Path]


@pytest.fixture
def new() -> Iterator[New]:
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(Client(**options))


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(*parts: str) -> Path:
        file = tmp_path / "program.py"
        file.write_text("".join(dedent(part) for part in parts), "utf-8")
        return file

    return make


def impatient(name: str) -> dict[str, Any]:
    """How a program is launched whose debugger acts when an evaluate takes longer than some seconds."""
    return {"env": {f"PYDEVD_{name}_TIMEOUT": str(SECONDS)}}


def is_announced(client: Client) -> bool:
    """Whether the debugger has said anything about what took its time."""
    return "did not finish after" in client.output("console", "important", "stderr", "stdout")


# -- what takes long ---------------------------------------------------------------------------------------------------

STANDS = f"""
    loaded = [1.5, {{"a": 2}}]
    load.modules = {OURS}
    print("here")  # STOP
    print("end")
"""


def test_the_debugger_does_warn_of_an_evaluate_of_the_users_that_takes_long(new: New, write: Write) -> None:
    client, program = new(), write(BUSY, LONG, STANDS)
    stop = client.launch(program, breakpoints=stop_lines(program).values(), **impatient("WARN_EVALUATION"))
    client.evaluate("compile('1', '<frozen _tensor_inspector>', 'eval')", stop.frame)
    assert is_announced(client)


@pytest.mark.parametrize("on_its_frame", [False, True])
def test_an_injection_that_takes_long_is_not_announced(new: New, write: Write, on_its_frame: bool) -> None:
    client, program = new(), write(BUSY, LONG, STANDS.replace(str(OURS), str(LOADER)))
    stop = client.launch(program, breakpoints=stop_lines(program).values(), **impatient("WARN_EVALUATION"))
    frame = stop.frame if on_its_frame else None
    reply = client.evaluate(inject_expression(stock_views=True), frame, context="watch", raw=True)
    assert json.loads(reply["result"])["version"]
    assert client.evaluate("load.modules", stop.frame)["result"] == "()", "there was no load"
    assert not is_announced(client)


@pytest.mark.parametrize("frameless", [False, True])
def test_a_frame_that_takes_long_is_not_announced(new: New, write: Write, frameless: bool) -> None:
    client, program = new(greeting=inject_expression(stock_views=True)), write(BUSY, LONG, STANDS)
    stop = client.launch(program, breakpoints=stop_lines(program).values(), **impatient("WARN_EVALUATION"))
    Helper(client, frameless=frameless).frame(stop)
    assert client.evaluate("load.modules", stop.frame)["result"] == "()", "there was no load"
    assert not is_announced(client)


def test_a_program_into_which_we_are_put_slowly_runs_on(new: New, write: Write) -> None:
    runs = f"""
        load.modules = {LOADER}
        told = threading.Event()
        print("runs")
        while not told.wait(0.01):
            pass
        print("end")
    """
    client, program = new(), write(BUSY, LONG, runs)
    client.start(program, **impatient("UNBLOCK_THREADS"))
    client.wait_for_event("output")
    assert json.loads(client.evaluate(inject_expression(), None, raw=True)["result"])["version"]
    main = "__import__('sys').modules['__main__']"
    assert client.evaluate(f"{main}.load.modules")["result"] == "()", "there was no load"
    client.evaluate(f"{main}.told.set()")
    assert client.wait_for_end(60) == 0
    assert client.events("stopped") == []
    assert client.output("stdout").split() == ["runs", "end"]


@pytest.mark.parametrize("frameless", [False, True])
def test_a_stop_at_which_a_frame_takes_long_stays_the_same_stop(new: New, write: Write, frameless: bool) -> None:
    client, program = new(greeting=inject_expression()), write(BUSY, LONG, STANDS)
    stop = client.launch(program, breakpoints=stop_lines(program).values(), **impatient("UNBLOCK_THREADS"))
    helper = Helper(client, frameless=frameless)
    before = helper.frame(stop)
    assert helper.frame(stop)["rows"] == before["rows"]
    assert client.events("continued") == []
    assert len(client.events("stopped")) == 1
    assert client.run_to_end(stop.thread) == 0


WAITS = f"""
    LIMIT = {10 * SECONDS}
    load = Load(0, None)
    def value():
        done = threading.Event()
        threading.Thread(target=done.set).start()
        return done.wait(LIMIT)
    print("here")  # STOP
"""


def test_code_of_the_users_that_waits_for_another_thread_still_has_it_let_run(new: New, write: Write) -> None:
    client, program = new(greeting=inject_expression()), write(BUSY, WAITS)
    stop = client.launch(program, breakpoints=stop_lines(program).values(), **impatient("UNBLOCK_THREADS"))
    assert Helper(client).evaluate(stop, "value()")["line"] == "True"


# -- the debugger's own views ------------------------------------------------------------------------------------------

UNTIL_FREE = f"""
    import numpy
    LIMIT = {20 * SECONDS}
    free, late = threading.Event(), []

    def over(until):
        if time.monotonic() > until:
            late.append(True)
        return late or free.is_set()

    load = Load(4, over)
    mine = numpy.full((2,), 3.0)
    load.modules = ("<frozen _tensor_inspector.{{module}}>",)
    print("here")  # STOP
"""


@pytest.mark.parametrize("module", ["loader", "measure.stats", "words.values", "stock.provider"])
def test_the_debuggers_own_views_do_not_wait_while_we_are_put_in(new: New, write: Write, module: str) -> None:
    client, program = new(), write(BUSY, UNTIL_FREE.replace("{module}", module))
    stop = client.launch(program, breakpoints=stop_lines(program).values())
    arguments = {"expression": inject_expression(stock_views=True), "context": "watch", "format": {"rawString": True}}
    injection = client.send("evaluate", arguments)
    while client.evaluate("load.modules", stop.frame)["result"] != "()":
        pass
    assert client.locals(stop.frame)["mine"]["value"] == "array([3., 3.])"
    client.evaluate("free.set()", stop.frame)
    assert json.loads(client.reply(injection)["result"])["version"]
    assert client.evaluate("late", stop.frame)["result"] == "[]", "Variables were answered after the load was over"
    assert client.events("invalidated") == [{"areas": ["variables"]}] * 2
    assert client.locals(stop.frame)["mine"]["value"] == "float64[2] · all 3"


LIBRARY = """
    import sys
    values = [1.5, 2.5]
    def is_set_up():
        return "django" in sys.modules
    print("here")  # STOP
"""


@pytest.fixture
def django(tmp_path: Path) -> None:
    """A library that the debugger imports when it sets its views up, as it does where it is installed."""
    for name in ("django", "django/utils"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("", "utf-8")
    (tmp_path / "django/utils/datastructures.py").write_text("class MultiValueDict(dict): ...\n", "utf-8")


@pytest.mark.parametrize("on", [False, True])
@pytest.mark.usefixtures("django")
def test_what_we_ask_does_not_set_the_debuggers_views_up(new: New, write: Write, on: bool) -> None:
    client, program = new(greeting=inject_expression(stock_views=on)), write(LIBRARY)
    stop = client.launch(program, breakpoints=stop_lines(program).values())
    helper = Helper(client)
    asked(stop, helper)
    assert not imports_django(client)
    client.evaluate("0 # tensor-inspector", stop.frame)  # as the extension does when it waits for the frame
    assert not imports_django(client)
    client.locals(stop.frame)
    assert imports_django(client)
    assert client.events("invalidated") == []


@pytest.mark.usefixtures("django")
def test_what_we_ask_changes_nothing_of_what_the_debuggers_views_show(new: New, write: Write) -> None:
    program = write(LIBRARY)
    shown = []
    for greeting in (None, inject_expression(stock_views=False), inject_expression(stock_views=True)):
        client = new(greeting=greeting)
        stop = client.launch(program, breakpoints=stop_lines(program).values())
        if greeting is not None:
            asked(stop, Helper(client))
        client.evaluate("0 # tensor-inspector", stop.frame)
        rows = client.locals(stop.frame)["values"]
        shown.append([(row["name"], row["value"]) for row in [rows, *client.variables(rows["variablesReference"])]])
        shown[-1].extend((row, client.evaluate(row, stop.frame)["result"]) for row in ("values[0]", "'text'", "3"))
    assert shown == [shown[0]] * 3


def asked(stop: Stop, helper: Helper) -> None:
    """All that the extension asks of a stop by itself."""
    answer = helper.frame(stop)
    row = next(node for node in answer["rows"]["nodes"] if node["name"] == "values")
    helper.children(stop, answer["snapshot"], row["id"])
    helper.inspect(stop, "values")


def imports_django(client: Client) -> bool:
    return client.evaluate("'django' in __import__('sys').modules")["result"] == "True"
