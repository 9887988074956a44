#!/usr/bin/env bash
# Expected: to read a flag of an array has no effect.
# Happens:  `array.flags.writeable` of what np.broadcast_arrays returns warns (FutureWarning, an error under
#           `-W error`), though nothing is written. `array.flags.num & 0x400` says the same in silence.
# Versions: numpy 2.4.6, Python 3.11.7, November 2026.
# Here:     a look must not warn: flags are read as one number.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6
"$folder/venv/bin/python" - <<'PROGRAM'
import warnings

import numpy as np


def warned(ask) -> tuple[object, list[str]]:
    _, broadcast = np.broadcast_arrays(np.zeros(3), np.ones(1))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = ask(broadcast)
    return answer, [f"{one.category.__name__}: {one.message}"[:80] for one in caught]


by_name = warned(lambda array: array.flags.writeable)
by_number = warned(lambda array: bool(array.flags.num & 0x400))
print("numpy", np.__version__)
print("flags.writeable:", *by_name)
print("flags.num & 0x400:", *by_number)
assert by_name[0] is True and len(by_name[1]) == 1 and by_name[1][0].startswith("FutureWarning")
assert by_number == (True, [])
PROGRAM
