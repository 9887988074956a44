#!/usr/bin/env bash
# Expected: a view of an image's pixels copies nothing, and leaves the image as it is.
# Happens:  where two images share their pixels (a copy is made on write), asking for a view of one copies them first:
#           afterwards both are unique, and the memory is taken twice.
# Versions: SimpleITK 2.5.7, numpy 2.4.6, Python 3.11.7, November 2026.
# Here:     pixels that images share are not read.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check SimpleITK==2.5.7 numpy==2.4.6
"$folder/venv/bin/python" - <<'PROGRAM'
import SimpleITK

image = SimpleITK.Image(4, 4, SimpleITK.sitkFloat32)
other = SimpleITK.Image(image)
before = image.IsUnique(), other.IsUnique()
SimpleITK.GetArrayViewFromImage(image)
after = image.IsUnique(), other.IsUnique()
print("SimpleITK", SimpleITK.Version_VersionString())
print("unique before a view of one:", before)
print("unique after it:", after)
assert before == (False, False) and after == (True, True)
PROGRAM
