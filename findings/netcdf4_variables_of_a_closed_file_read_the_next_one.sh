#!/usr/bin/env bash
# Expected: a Variable of a closed netCDF4 Dataset raises, whatever is opened later.
# Happens:  it raises only until the next file is opened: then it answers with the shape and the values of that file's
#           variable, since the library gives the number of the closed file to the new one.
# Versions: netCDF4 1.7.5.1.post1, numpy 2.4.6, Python 3.11.7, November 2026.
# Here:     whether a file is open is asked of its Dataset, never of what its variables answer.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check netCDF4==1.7.5.1.post1 numpy==2.4.6
"$folder/venv/bin/python" - "$folder" <<'PROGRAM'
import sys

import netCDF4
import numpy

folder = sys.argv[1]


def make(name: str, size: int, value: float) -> str:
    path = f"{folder}/{name}.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", size)
        file.createVariable("v", "f4", ("x",))[:] = value
    return path


first, second = make("first", 3, 1.0), make("second", 5, 2.0)
file = netCDF4.Dataset(first)
variable = file["v"]
while_open = variable.shape
file.close()
try:
    closed = str(variable.shape)
except RuntimeError as error:
    closed = f"RuntimeError: {error}"
other = netCDF4.Dataset(second)
after, values = variable.shape, variable[:].tolist()
print("netCDF4", netCDF4.__version__, "numpy", numpy.__version__)
print("open:", while_open)
print("closed:", closed)
print("closed, another file open:", after, values)
assert while_open == (3,) and closed.startswith("RuntimeError") and after == (5,) and values == [2.0] * 5
PROGRAM
