"""Loads torch, then forks: each child goes on as the interpreter that it would be had it been started with its arguments.

The interpreter imports this before it looks at its arguments, so that no frame of the tests lies below a program's. It is
asked over a socket, its standard input: a line of JSON and, beside it, the file for what the child prints and a socket to
tell how the child ends.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys
from contextlib import suppress
from types import FrameType


def _serve() -> None:
    import torch  # noqa: F401 - for the children

    gc.collect()
    gc.freeze()  # what torch has made is gone through neither by a child's collector nor at its end: half a second

    asked = socket.socket(fileno=os.dup(0))
    running: dict[int, socket.socket] = {}

    def tell(signal_: int, frame: FrameType | None) -> None:
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                with suppress(OSError), running.pop(ended[0]) as back:
                    back.sendall(str(os.waitstatus_to_exitcode(ended[1])).encode())

    signal.signal(signal.SIGCHLD, tell)
    while True:
        message, files, _, _ = socket.recv_fds(asked, 1 << 20, 2)
        if not message:
            os._exit(0)  # who asked has ended
        printed, telling = files
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])  # until it is known whose child it is
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
            for back in running.values():
                back.close()
            asked.close()
            os.close(telling)
            _become(json.loads(message), printed)
            return
        running[child] = socket.socket(fileno=telling)
        running[child].sendall(f"{child}\n".encode())
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        os.close(printed)


def _become(started: dict[str, object], printed: int) -> None:
    arguments, environment, folder = started["arguments"], started["environment"], started["folder"]
    assert isinstance(arguments, list)
    assert isinstance(environment, dict)
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    for file, stream in ((nothing, 0), (printed, 1), (printed, 2)):
        os.dup2(file, stream)
    os.close(nothing)
    os.close(printed)
    os.chdir(str(folder))
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[1:] = arguments
    sys.path.remove(os.path.dirname(__file__))
    del sys.modules[__name__]


_serve()
