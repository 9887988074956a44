"""Runs a part of a test in a forked child: what may crash, or sets what nobody can set back. Torch is loaded there already."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable

_LIMIT = 240  #: seconds, before a child is taken for one that hangs


def printed_in_child(work: Callable[[], object]) -> str:
    """What ``work`` prints in a child. Raises ``AssertionError`` where it raises, crashes or hangs there, with what it wrote."""
    with tempfile.TemporaryFile() as written:
        child = os.fork()
        if child == 0:
            _work(work, written.fileno())
        _, status = os.waitpid(child, 0)
        written.seek(0)
        text = written.read().decode()
    assert os.waitstatus_to_exitcode(status) == 0, text
    return text


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
