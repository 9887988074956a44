"""The first stop of a process is ours: the helper is put in while the adapter is still being configured, so that the
debugger's own views, which ask at once, ask us."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from client import LIMIT, Client, Stop, stop_lines
from helper import Helper, inject_expression
from table import PROGRAMS

OURS = "float64[2] · all 3"
STOCK = "array([3., 3.])"

WORK = """
    import os, numpy

    def work(rank):
        mine = numpy.full((2,), float(rank))
        print("rank", rank)  # STOP
        return mine.sum().item()
"""
ALONE = 'print("sum", work(3))\n'
WAYS = {
    "spawned": "multiprocessing.get_context('spawn').Process(target=work, args=(3,))",
    "forked": "multiprocessing.get_context('fork').Process(target=work, args=(3,))",
}

#: A program whose own functions stand in the place of built-in ones, and note who of us calls them.
REPLACED = """
    import builtins, sys, sysconfig
    import numpy, torch

    standard, installed = sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")
    called = []

    def is_ours(asks):
        while asks is not None:
            file = asks.f_code.co_filename
            if file.startswith("<frozen _tensor_inspector"):
                return True
            if file.startswith(installed) or not file.startswith((standard, "<frozen ", "<string>")):
                return False
            asks = asks.f_back

    def noting(name, function):
        def noted(*given, **named):
            if is_ours(sys._getframe(1)):
                called.append(name)
            return function(*given, **named)
        return noted

    for name in ("all any callable delattr getattr hasattr hash id isinstance issubclass iter len max min next repr "
                 "setattr sorted sum enumerate filter map reversed zip").split():
        setattr(builtins, name, noting(name, getattr(builtins, name)))

    def work():
        model = torch.nn.Linear(3, 2)
        image, array = torch.ones(2, 3), numpy.eye(3)
        out, batch = model(image), {"image": image, 2: [1.5, None]}
        print("here")  # STOP
        print(called)

    work()
"""

New = Callable[..., Client]
Write = Callable[..., Path]


@pytest.fixture
def new() -> Iterator[New]:
    """Makes clients that put the helper in as the extension does; `stock_views=False`: with that setting off."""
    with ExitStack() as stack:
        yield lambda **wanted: stack.enter_context(
            Client(greeting=inject_expression(**{"stock_views": True, **wanted}))
        )


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(*parts: str) -> Path:
        file = tmp_path / "program.py"
        file.write_text("".join(dedent(part) for part in parts), "utf-8")
        return file

    return make


def first_asked(client: Client, stop: Stop) -> dict[str, str]:
    """What the debugger's own views show when they ask first; nothing of ours is asked before, nor are they told to
    ask again."""
    at = client.traffic.index(("←", next(m for way, m in client.traffic if m.get("event") == "stopped")))
    shown = {name: row["value"] for name, row in client.locals(stop.frame).items()}
    since = [message for way, message in client.traffic[at:]]
    assert not [message for message in since if message.get("command") == "evaluate" and message["type"] == "request"]
    assert client.events("invalidated") == []
    return shown


@pytest.mark.parametrize("way", ["launch", "attach", "attach_by_listening"])
def test_the_first_asking_is_answered_by_us(new: New, write: Write, way: str) -> None:
    client, program = new(), write(WORK, ALONE)
    stop = getattr(client, way)(program, breakpoints=stop_lines(program).values())
    assert first_asked(client, stop)["mine"] == OURS
    assert client.run_to_end(stop.thread) == 0


@pytest.mark.parametrize("way", WAYS)
def test_the_first_asking_in_a_child_process_is_answered_by_us(new: New, write: Write, way: str) -> None:
    child = f"""
        if __name__ == "__main__":
            import multiprocessing
            child = {WAYS[way]}
            child.start()
            child.join()
            print("child ended with", child.exitcode)
    """
    parent, program = new(), write(WORK, child)
    parent.start(program, breakpoints=stop_lines(program).values())
    client, stop = parent.wait_for_child(2 * LIMIT)
    assert first_asked(client, stop)["mine"] == OURS
    client.continue_(stop.thread)
    assert parent.wait_for_end() == 0


def test_the_first_asking_in_a_worker_of_a_data_loader_is_answered_by_us(new: New, write: Write) -> None:
    loads = """
        import torch
        class Scans(torch.utils.data.Dataset):
            def __len__(self):
                return 1
            def __getitem__(self, index):
                return work(3)
        if __name__ == "__main__":
            print(list(torch.utils.data.DataLoader(Scans(), num_workers=1)))
    """
    parent, program = new(), write(WORK, loads)
    parent.start(program, breakpoints=stop_lines(program).values())
    client, stop = parent.wait_for_child(2 * LIMIT)
    assert first_asked(client, stop)["mine"] == OURS
    client.continue_(stop.thread)
    assert parent.wait_for_end() == 0


def test_the_first_asking_in_two_sessions_at_once_is_answered_by_us(new: New, write: Write) -> None:
    clients, program = (new(), new()), write(WORK, ALONE)
    for client in clients:
        client.start(program, breakpoints=stop_lines(program).values())
    for client in clients:
        stop = client.wait_for_stop()
        assert first_asked(client, stop)["mine"] == OURS
        assert client.run_to_end(stop.thread) == 0


def test_what_locks_the_debugger_up_is_shown_at_the_first_stop(new: New) -> None:
    client, program = new(), PROGRAMS / "s30_huge_storage.py"
    stop = client.launch(program, breakpoints=stop_lines(program).values())
    shown = first_asked(client, stop)
    assert shown["storage"].startswith("UntypedStorage · 30.0 MiB")
    assert shown["held"].startswith("list · 6: UntypedStorage, dict of 1, tuple of 1")
    assert shown["array"].startswith("float64[6, 6, 6, 6, 6, 6, 6, 6, 6]")
    held = client.variables(client.locals(stop.frame)["held"]["variablesReference"])
    assert len([row for row in held if row["name"].isdigit()]) == 6
    replies = [message for _, message in client.traffic if message.get("command") == "variables"]
    assert max(len(json.dumps(message)) for message in replies) < 10_000


def test_torch_that_is_imported_later_is_described_with_all_its_statistics(new: New, write: Write) -> None:
    program = write("""
        import torch
        tensors = [torch.arange(1000.0) + at for at in range(20)]
        first = tensors[0]
        layer = torch.nn.Linear(4, 2)
        print("here")  # STOP
    """)
    client = new()
    stop = client.launch(program, breakpoints=stop_lines(program).values())
    shown = first_asked(client, stop)
    assert shown["first"] == "float32[1000] · 0…999 · μ 499.5 σ 289"
    assert shown["layer"].startswith("Linear(4 → 2) · 10 params")


def test_what_the_user_prefers_holds_at_the_first_asking(new: New, write: Write) -> None:
    program = write("import numpy\nx = numpy.arange(3) / 7\nprint('here')  # STOP\n")
    client = new(digits=2)
    stop = client.launch(program, breakpoints=stop_lines(program).values())
    assert first_asked(client, stop)["x"].startswith("float64[3] · 0…0.29 ")


def test_switched_off_the_views_are_as_without_us(new: New, write: Write) -> None:
    client, program = new(stock_views=False), write(WORK, ALONE)
    stop = client.launch(program, breakpoints=stop_lines(program).values())
    assert first_asked(client, stop)["mine"] == STOCK


def test_switched_off_before_they_have_asked_the_views_are_as_without_us(new: New, write: Write) -> None:
    client, program = new(), write(WORK, ALONE)
    stop = client.launch(program, breakpoints=stop_lines(program).values())
    Helper(client).frame(stop, preferences={"stock_views": False})
    assert client.locals(stop.frame)["mine"]["value"] == STOCK
    assert client.events("invalidated") == []


def test_a_client_that_does_not_know_us_gets_the_views_without_us(new: New, write: Write) -> None:
    forks = """
        child = os.fork()
        if child == 0:
            os._exit(int(work(3)))
        print("child ended with", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    parent, program = new(), write(WORK, forks)
    parent.start(program, breakpoints=stop_lines(program).values())
    parent.greeting = None  # for the sessions of its children
    client, stop = parent.wait_for_child(2 * LIMIT)
    assert client.locals(stop.frame)["mine"]["value"] == STOCK
    client.continue_(stop.thread)
    assert parent.wait_for_end() == 0


# -- a program that never stops ----------------------------------------------------------------------------------------

TELLS = """
    import gc, json, os, random, sys, threading, warnings
    before = [name for name in sys.modules if not name.startswith("_tensor_inspector")]
    random.seed(0)
    total = sum(random.random() for _ in range(200_000))
    print(json.dumps({
        "modules": sorted(name for name in sys.modules if not name.startswith("_tensor_inspector")),
        "total": total, "tracing": type(sys.gettrace()).__name__, "filters": repr(warnings.filters), "gc": gc.isenabled(),
        "threads": sorted(thread.name for thread in threading.enumerate()), "stack": len(__import__("inspect").stack()),
    }))
    print("to stderr", file=sys.stderr)
    sys.exit(7)
"""


def test_a_program_that_never_stops_does_not_notice(new: New, write: Write) -> None:
    program = write(TELLS)

    def told(client: Client) -> tuple[Any, str, int]:
        client.start(program)
        code = client.wait_for_end()
        return json.loads(client.output("stdout")), client.output("stderr"), code

    with Client() as without:
        assert told(new()) == told(without)


def test_before_a_stop_the_debugger_sets_nothing_up_for_its_views(new: New, write: Write) -> None:
    program = write("import sys\nprint(sys.modules['_pydevd_bundle.pydevd_xml']._TYPE_RESOLVE_HANDLER._initialized)\n")
    client = new()
    client.start(program)
    assert client.wait_for_end() == 0
    assert client.output("stdout").strip() == "False"


# -- injection that comes late -----------------------------------------------------------------------------------------


def test_views_that_have_asked_before_the_helper_came_are_told_to_ask_again(write: Write) -> None:
    program = write(WORK, ALONE)
    with Client() as client:
        stop = client.launch(program, breakpoints=stop_lines(program).values())
        assert client.locals(stop.frame)["mine"]["value"] == STOCK
        Helper(client).frame(stop, preferences={"stock_views": True})
        assert client.locals(stop.frame)["mine"]["value"] == OURS
        assert client.events("invalidated") == [{"areas": ["variables"]}] * 2


def test_views_that_have_not_asked_before_the_helper_came_are_not_told(write: Write) -> None:
    program = write(WORK, ALONE)
    with Client() as client:
        stop = client.launch(program, breakpoints=stop_lines(program).values())
        Helper(client).frame(stop, preferences={"stock_views": True})
        assert client.locals(stop.frame)["mine"]["value"] == OURS
        assert client.events("invalidated") == []


def test_what_a_program_puts_in_the_place_of_built_in_functions_is_not_called(new: New, write: Write) -> None:
    client, program = new(), write(REPLACED)
    stop = client.launch(program, breakpoints=stop_lines(program).values())
    assert client.locals(stop.frame)["image"]["value"] == "float32[2, 3] · all 1"
    helper = Helper(client)
    rows = {row["name"]: row["line"] for row in helper.frame(stop)["rows"]["nodes"]}
    assert rows["image"] == "float32[2, 3] · all 1"
    for name in ("model", "out", "batch", "array"):
        assert helper.row(stop, [name])["page"]["nodes"]
    assert helper.inspect(stop, "batch[2][0]")["line"] == "1.5"
    client.run_to_end(stop.thread)
    assert client.output("stdout").split("\n")[-2] == "[]"
