"""Exceptions: where in the program's own code they come from, and the frames that they went through."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tensor_inspector import compare, facts, summarize, tree
from tensor_inspector.kinds import as_kind
from tensor_inspector.safe.budget import Budget
from tensor_inspector.stop.expression import resolve
from tensor_inspector.words.line import in_short

STANDARD = f"{os.path.dirname(os.__file__)}/functools.py"
TORCH = "/env/lib/python3.11/site-packages/torch/nn/modules/linear.py"
DEBIAN = "/usr/lib/python3/dist-packages/numpy/core.py"
WINDOWS = r"C:\Python\Lib\site-packages\torch\nn\linear.py"
PYDEVD = "/ext/bundled/libs/debugpy/_vendored/pydevd/pydevd.py"
CLI = "/ext/bundled/libs/debugpy/server/cli.py"


def through(*files: str) -> BaseException:
    """An exception raised in the last of these files, after each had called the next."""

    def fail() -> None:
        raise RuntimeError("shapes do not fit")

    called: Callable[[], Any] = fail
    for file in reversed(files):
        space: dict[str, Any] = {"call": called}
        source = "def forward():\n    call()" if called is not fail else "def forward():\n    raise RuntimeError('no')"
        exec(compile(source, file, "exec"), space)
        called = space["forward"]
    try:
        called()
    except RuntimeError as error:
        trace = error.__traceback__
        assert trace is not None
        return error.with_traceback(trace.tb_next)  # without this function
    raise AssertionError


def test_a_long_message_leaves_room_for_the_place() -> None:
    error = through("/home/me/train.py")
    error.args = ("mat1 and mat2 shapes cannot be multiplied (2x5 and 10x5)",)
    said = in_short(as_kind(error, Budget()).parts())
    assert said.startswith("RuntimeError: mat1 and")
    assert said.endswith("… · train.py:2 in forward")


def recursive(ping: int) -> None:
    if ping:
        pong(ping - 1)
    raise RuntimeError("deep")


def pong(left: int) -> None:
    recursive(left)


def deep(times: int) -> BaseException:
    """An exception raised that many times two frames down."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(2 * times + 1000)
    try:
        recursive(times)
    except RuntimeError as error:
        return error
    finally:
        sys.setrecursionlimit(limit)
    raise AssertionError


def rows(error: BaseException) -> list[str]:
    return [child.name for child in as_kind(error.__traceback__, Budget()).children(0, 100)]


@pytest.mark.parametrize(
    ("files", "place"),
    [
        (["/home/me/train.py"], "train.py:2 in forward"),
        (["/home/me/main.py", "/home/me/train.py", TORCH], "train.py:2 in forward"),
        (["/home/me/train.py", TORCH, "/home/me/hook.py", STANDARD], "hook.py:2 in forward"),
        (["/home/me/train.py", DEBIAN], "train.py:2 in forward"),
        (["train.py", WINDOWS], "train.py:2 in forward"),
        (["<ipython-input-3>", "<frozen importlib._bootstrap>"], "<ipython-input-3>:2 in forward"),
        ([PYDEVD, "/home/me/train.py"], "train.py:2 in forward"),
        ([CLI, TORCH], "linear.py:2 in forward"),
    ],
)
def test_the_place_is_the_innermost_one_in_the_programs_own_code(files: list[str], place: str) -> None:
    assert summarize(through(*files)) == f"RuntimeError: no · {place}"


def test_the_facts_say_where_it_was_raised_too() -> None:
    told = facts(through("train.py", TORCH))["rows"]
    assert ["in your code", "train.py:2 in forward"] in told
    assert ["raised at", "linear.py:2 in forward"] in told


def test_the_debuggers_frames_are_no_rows() -> None:
    error = through(PYDEVD, CLI, "train.py", TORCH)
    assert rows(error) == ["[2] forward · train.py:2", "[3] forward · linear.py:2"]
    assert summarize(error.__traceback__) == "traceback · 2 frames · train.py:2 in forward"


def test_a_place_that_is_met_again_is_one_row() -> None:
    with pytest.raises(RuntimeError) as caught:
        recursive(200)
    shown = rows(caught.value)
    assert [name.split(" · ")[0] for name in shown[1:]] == ["[1] recursive", "[2] pong", "[401] recursive"]
    assert [name.rpartition(" ")[2] for name in shown[1:3]] == ["×200", "×200"]


def test_the_place_is_the_innermost_one_however_deep_that_is() -> None:
    error = deep(1500)
    line = recursive.__code__.co_firstlineno + 3
    assert summarize(error).endswith(f"test_raised.py:{line} in recursive")
    assert summarize(error.__traceback__).startswith("traceback · ≥2,000 frames · ")


def test_a_long_tracebacks_rows_say_that_there_are_more() -> None:
    shown = rows(deep(1500))
    assert [name.rpartition(" ")[2] for name in shown[1:3]] == ["×≥1,000", "×≥999"]
    assert shown[-1] == "…"


def test_every_row_of_a_traceback_is_reached_by_its_path() -> None:
    error = through(*(f"file{index}.py" for index in range(150)))
    children = list(as_kind(error.__traceback__, Budget()).children(0, 200))
    assert len(children) == 150
    for child in children:
        assert resolve(f"trace{child.suffix}", {"trace": error.__traceback__}, {}, Budget()) is child.value


@pytest.mark.skipif(sys.version_info < (3, 11), reason="needs exception groups")
@pytest.mark.parametrize("given", [(), ("many",), ("many", 1), ("other", [])])
def test_the_arguments_of_a_group_are_a_row_where_they_are_others(given: tuple[Any, ...]) -> None:
    one, other = (ExceptionGroup("many", [ValueError(1)]) for _ in range(2))  # type: ignore[name-defined]  # noqa: F821
    assert "args" not in tree(one)
    assert compare(one, other).same
    other.args = given
    assert summarize(other) == "ExceptionGroup: many (1 exception: ValueError)"
    assert not compare(one, other).same
