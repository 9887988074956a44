"""The client, and that test_programs.py has expectations of every program and marker."""

from __future__ import annotations

import json
import re
import subprocess
from base64 import b64decode
from pathlib import Path
from textwrap import dedent
from types import CodeType
from zlib import decompress

import pytest
from client import Client, DapError, Lost, has_ended, stop_lines
from helper import VERSION, call_expression, inject_expression
from table import EXPECTED, PROGRAMS, StartSession

FILES = sorted(PROGRAMS.glob("*.py"))
ROOT = Path(__file__).parents[2]
#: What must be seen in these stands beside what a user does there.
IN_VSCODE = "".join(file.read_text("utf-8") for file in sorted((ROOT / "tests" / "vscode").glob("*.test.ts")))


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A program without torch, for what concerns the client alone."""
    file = tmp_path / "tiny.py"
    file.write_text(
        "def double(x):\n    y = 2 * x\n    return y  # STOP\n\ntotal = double(3)\nprint('total', total)  # STOP: end\n"
    )
    return file


def test_every_program_and_marker_has_its_expectations() -> None:
    expected = {name: set(stops) for name, stops in EXPECTED.items()}
    others = [file.name for file in FILES if file.name not in EXPECTED]
    assert expected == {file.name: set(stop_lines(file)) for file in FILES if file.name not in others}
    assert [name for name in others if f'"{name}"' not in IN_VSCODE] == []


def test_a_value_is_read_set_and_seen_by_the_program(session: StartSession, tiny: Path) -> None:
    client, stop = session(tiny)
    assert client.evaluate("y + 1", stop.frame)["result"] == "7"
    client.set_variable(client.scopes(stop.frame)[0]["variablesReference"], "y", "20")
    assert client.locals(stop.frame)["y"]["value"] == "20"
    client.set_expression("y", "21", stop.frame)
    client.step(stop.thread, "stepOut")
    client.continue_(stop.thread)
    client.wait_for_event("terminated")
    assert client.output("stdout") == "total 21\n"


def test_an_error_is_raised_with_the_words_of_the_debugger(session: StartSession, tiny: Path) -> None:
    client, stop = session(tiny)
    with pytest.raises(DapError, match="NameError: name 'nothing' is not defined"):
        client.evaluate("nothing", stop.frame)


def test_a_wait_that_ends_says_what_it_waited_for(session: StartSession, tiny: Path) -> None:
    client, stop = session(tiny)
    with pytest.raises(Lost, match=r"the reply to evaluate .*sleep.*none within 0\.2 s"):
        client.evaluate("__import__('time').sleep(60)", stop.frame, limit=0.2)
    with pytest.raises(Lost, match="the event 'stopped': none within"):
        client.wait_for_stop(0.1)


def test_waiting_for_a_stop_ends_with_the_program(session: StartSession, tiny: Path) -> None:
    client, stop = session(tiny)
    with pytest.raises(Lost, match="the event 'stopped': the program has ended"):
        client.resume(stop.thread)


def test_no_process_is_left_even_of_a_program_that_hangs(tiny: Path) -> None:
    with Client() as client:
        stop = client.launch(tiny, breakpoints=[stop_lines(tiny)[""]])
        client.send("evaluate", {"expression": "__import__('time').sleep(600)", "frameId": stop.frame})
        processes = client.events("process")
    assert [has_ended(body["systemProcessId"]) for body in processes] == [True]


def test_a_child_process_has_a_session_of_its_own_and_ends_with_its_parents(tmp_path: Path) -> None:
    program = tmp_path / "forks.py"
    program.write_text(
        "import os\nchild = os.fork()\nif not child:\n    me = os.getpid()  # STOP\n    os._exit(0)\nos.wait()\n"
    )
    with Client() as client:
        client.start(program, breakpoints=stop_lines(program).values())
        child, stop = client.wait_for_child()
        assert child.evaluate("child", stop.frame)["result"] == "0"
        assert child in client.family()
        processes = [client.process(), child.process()]
    assert [has_ended(process) for process in processes] == [True, True]


SLOW = """
    import sys, threading, time
    if "--for-server" in sys.orig_argv:  # the adapter of a program that listens
        start = threading.Thread.start
        def start_slowly(thread):
            start(thread)
            if threading.current_thread() is threading.main_thread():
                time.sleep(0.2)  # until the other thread has begun its work
        threading.Thread.start = start_slowly
"""


def test_an_adapter_that_is_slow_to_start_is_attached_to_and_attached_to_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(dedent(SLOW), "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    program = tmp_path / "endless.py"
    program.write_text("import time\nwhile True:\n    time.sleep(0.01)  # STOP\n")
    marked = {program: stop_lines(program).values()}
    with Client() as first, Client() as second:
        first.attach(program, breakpoints=marked)
        first.detach()
        second.attach_again(first, breakpoints=marked)
        assert second.wait_for_stop().line == 3


def test_waiting_for_a_child_process_ends_with_the_program(tiny: Path) -> None:
    with Client() as client:
        client.start(tiny)
        with pytest.raises(Lost, match="a child process to stop: the program has ended"):
            client.wait_for_child()


def test_the_extension_injects_and_calls_the_helper_by_the_same_expressions() -> None:
    program = f"""
        import {{ bundleHelper }} from "{(ROOT / "extension/build/bundleHelper.ts").as_uri()}";
        import {{ callExpression, injectExpression }} from "{(ROOT / "extension/src/helper/injection.ts").as_uri()}";
        const bundle = {{ ...(await bundleHelper()), version: "{VERSION}" }};
        const call = callExpression({{ op: "frame", version: "{VERSION}" }});
        console.log(JSON.stringify([injectExpression(bundle, {{ digits: 6 }}), call]));
    """
    node = subprocess.run(
        ["node", "--input-type=module", "--eval", program], capture_output=True, encoding="utf-8", check=True
    )
    ours = [inject_expression(untimed=False, digits=6), call_expression({"op": "frame", "version": VERSION})]
    assert [_unpacked(theirs) for theirs in json.loads(node.stdout)] == [_unpacked(one) for one in ours]


def _unpacked(expression: str) -> list[object]:
    """An expression in parts, with what it carries as it is before it is packed: zlib's output differs by version."""
    parts: list[object] = re.split(r"'([A-Za-z0-9+/=]{20,})'", expression)
    for at in range(1, len(parts), 2):
        data = b64decode(str(parts[at]))
        text = (decompress(data) if data[:1] == b"x" else data).decode()
        parts[at] = json.loads(text) if text.startswith("{") else [_known(_compiled(one)) for one in text.split("\0")]
    return parts


def _compiled(source: str) -> object:
    """As the program compiles it: comments and docstrings, which the extension leaves out, are in no code."""
    return compile(source, "", "exec", optimize=2)


def _known(code: object) -> object:
    """What code does, in which lines."""
    if not isinstance(code, CodeType):
        return repr(code)
    lines = [line for *_, line in code.co_lines()] if hasattr(code, "co_lines") else []
    return code.co_code, code.co_names, code.co_varnames, [_known(one) for one in code.co_consts], lines
