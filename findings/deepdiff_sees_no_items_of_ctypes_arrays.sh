#!/usr/bin/env bash
# Expected: a tool that compares objects in depth sees that two ctypes arrays hold other numbers.
# Happens:  DeepDiff answers {} ("no difference"), and DeepHash gives two c_double of other values one hash. ctypes keeps
#           values outside `__dict__` and defines no `__eq__`: even c_double(1) == c_double(1) is False. A single c_double
#           is told, by its property `value`; an array has no such property.
# Versions: deepdiff 9.1.0, Python 3.11.7, November 2026.
# Here:     a comparison by attributes calls what differs equal; a value of ctypes must be read from its memory.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check deepdiff==9.1.0
"$folder/venv/bin/python" - <<'PROGRAM'
import ctypes
import sys
from importlib.metadata import version

from deepdiff import DeepDiff, DeepHash

Array = ctypes.c_int * 2
one, other = Array(1, 2), Array(1, 3)
seen = {
    "items": (list(one), list(other)),
    "DeepDiff of the arrays": DeepDiff(one, other),
    "DeepDiff of two numbers": DeepDiff(ctypes.c_double(1), ctypes.c_double(2)),
    "one hash for two numbers": DeepHash(a := ctypes.c_double(1))[a] == DeepHash(b := ctypes.c_double(2))[b],
    "c_double(1) == c_double(1)": ctypes.c_double(1) == ctypes.c_double(1),
}
print("deepdiff", version("deepdiff"), "Python", sys.version.split()[0])
for name, value in seen.items():
    print(f"{name}: {value}")
assert seen["DeepDiff of the arrays"] == {} and seen["DeepDiff of two numbers"] != {}
assert seen["one hash for two numbers"] is True and seen["c_double(1) == c_double(1)"] is False
PROGRAM
