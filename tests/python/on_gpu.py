"""Tests on a GPU: where one is, each in a process of its own.

A process that has begun to use CUDA uses it for all that comes later, and its forks can't; to ask whether there is CUDA,
or one backward on the CPU, is enough for that. So each test runs in a fork of a server that has loaded much and run
nothing, by pytest once more.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import tempfile
from collections.abc import Callable
from functools import cache, wraps
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import pytest
from gpu import HAS_GPU, INSIDE, show

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[1]
_LIMIT = 240  #: seconds of one test

needs_gpu = pytest.mark.skipif(not HAS_GPU, reason="needs CUDA: a torch that is built for it, and a driver")


def on_gpu(test: Callable[..., None]) -> Callable[..., None]:
    """A test that runs where nothing has used CUDA yet."""

    @needs_gpu
    @wraps(test)
    def elsewhere(*args: Any, **named: Any) -> None:
        if INSIDE in os.environ:
            return test(*args, **named)
        outcome, text = _run(os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0])
        if outcome == "skipped":
            pytest.skip(text)
        if outcome != "passed":
            pytest.fail(text, pytrace=False)
        return None

    return elsewhere


@cache
def _server() -> Any:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["gpu_server"])
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(_HERE), str(_ROOT / "pyhelper"), *([before] if before else [])])
    try:
        forkserver.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
    return context


def _run(test: str) -> tuple[str, str]:
    """The outcome of a test, and why it failed or was skipped."""
    context = _server()
    with tempfile.TemporaryDirectory() as folder:
        told, printed = Path(folder) / "told", Path(folder) / "printed"
        child = context.Process(target=_child, args=(test, str(told), str(printed)))
        child.start()
        child.join(_LIMIT)
        if child.is_alive():
            child.kill()
            child.join()
        if told.exists():
            outcome, text = json.loads(told.read_text())
            return outcome, text
        return "failed", f"it died, {child.exitcode}: {printed.read_text()[-2000:]}"


def _child(test: str, told: str, printed: str) -> None:
    output = os.open(printed, os.O_WRONLY | os.O_CREAT)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(_ROOT)
    os.environ[INSIDE] = "1"
    show()
    reports = _Reports()
    pytest.main(
        [test, "--tb=short", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:benchmark"], plugins=[reports]
    )
    Path(told).write_text(json.dumps(reports.told))
    os._exit(0)


class _Reports:
    """Of a run of one test."""

    def __init__(self) -> None:
        self.told = ("failed", "it did not run")

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" or not report.passed:
            text = report.longrepr[2] if report.skipped else report.longreprtext
            self.told = (report.outcome, text)
