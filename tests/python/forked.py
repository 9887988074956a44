"""Runs a part of a test in a forked child: what may crash, or sets what nobody can set back. Torch is loaded there already."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

_LIMIT = 240  #: seconds, before a child is taken for one that hangs


def printed_in_child(work: Callable[[], object]) -> str:
    """What ``work`` prints in a child. Raises ``AssertionError`` where it raises, crashes or hangs there, with what it wrote."""
    with tempfile.TemporaryFile() as written:
        child = _fork()
        if child == 0:
            _work(work, written.fileno())
        _, status = os.waitpid(child, 0)
        written.seek(0)
        text = written.read().decode()
    assert os.waitstatus_to_exitcode(status) == 0, text
    return text


def answered_in_child(work: Callable[[], Any]) -> Any:
    """What ``work`` returns in a child, as JSON knows it, or the text of what it raises there, or of its death."""
    reading, writing = os.pipe()
    child = _fork()
    if child == 0:
        os.close(reading)
        signal.alarm(_LIMIT)
        try:
            answer = work()
        except BaseException as error:
            answer = f"{type(error).__name__}: {error}"
        with os.fdopen(writing, "w") as pipe:
            json.dump(answer, pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else "it died"


@contextlib.contextmanager
def fork_unwarned() -> Iterator[None]:
    """Forks without what Python, and JAX where another test has loaded it, say of threads: the child uses none of theirs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _fork() -> int:
    with fork_unwarned():
        return os.fork()


def _work(work: Callable[[], object], output: int) -> None:
    status = 1
    signal.alarm(_LIMIT)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.stdout, sys.stderr = (os.fdopen(descriptor, "w") for descriptor in (1, 2))
    try:
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
