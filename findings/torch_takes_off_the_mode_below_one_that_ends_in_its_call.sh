#!/usr/bin/env bash
# Expected: a TorchFunctionMode or TorchDispatchMode that is left while it handles a call is off from then on, as one that is
#           left at any other time, and the mode below sees this call and the next.
# Happens:  while a mode handles a call, torch holds it apart from the stack of modes, and puts it back as the call returns.
#           What `__exit__` takes off in there is the mode below, silently: that sees nothing any more, and the mode that was
#           left goes on. Only where there is none below, `__exit__` raises RuntimeError.
# Versions: torch 2.13.0 (CPU), Python 3.11.7, November 2026.
# Here:     a watch that the user ends at a stop in one of its calls takes its mode off once that call has returned.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0
"$folder/venv/bin/python" - <<'PROGRAM'
import sys

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

x = torch.ones(2)


def who_sees_two_calls(base, names):
    """The names of the modes, the outermost first, that see a call which the innermost is left in, and the next call."""
    seen = []

    class Mode(base):
        def __init__(self, name):
            super().__init__()
            self.name = name
            self.is_to_end = name == names[-1]

        def run(self, func, types, args=(), kwargs=None):
            seen[-1].append(self.name)
            if self.is_to_end:
                self.is_to_end = False
                self.__exit__(None, None, None)
            return func(*args, **(kwargs or {}))

        __torch_function__ = __torch_dispatch__ = run

    for name in names:
        Mode(name).__enter__()
    for _ in range(2):
        seen.append([])
        torch.neg(x)
    return seen


print("torch", torch.__version__, "Python", sys.version.split()[0])
functions = who_sees_two_calls(TorchFunctionMode, ["below", "above"])
torch.overrides._pop_mode()
dispatch = who_sees_two_calls(TorchDispatchMode, ["below", "above"])
print("function modes that see the call and the next:", functions)
print("dispatch modes that see the call and the next:", dispatch)
assert functions == dispatch == [["above"], ["above"]]
PROGRAM
