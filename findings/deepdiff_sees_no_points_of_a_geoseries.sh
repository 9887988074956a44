#!/usr/bin/env bash
# Expected: a tool that compares objects in depth sees that two columns of geometries hold other points.
# Happens:  DeepDiff answers {} for two GeoSeries, and for two Points, though GeoSeries.equals says False. What a Point is
#           stands in C++; Python sees an address, `_geom`, which is another one for equal points too.
# Versions: deepdiff 9.1.0, geopandas 1.2.0, shapely 2.2.0, pandas 3.1.1, numpy 2.4.6, Python 3.11.7, November 2026.
# Here:     neither an extension array's length nor its values can be had without its own code: what it is kept in is
#           read, and a geometry is compared by its well-known binary form.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  deepdiff==9.1.0 geopandas==1.2.0 shapely==2.2.0 pandas==3.1.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PROGRAM'
from importlib.metadata import version

import geopandas
from deepdiff import DeepDiff
from shapely import Point

one, other = geopandas.GeoSeries([Point(0, 0)]), geopandas.GeoSeries([Point(9, 9)])
seen = {
    "GeoSeries.equals": one.equals(other),
    "DeepDiff of the columns": DeepDiff(one, other),
    "DeepDiff of two points": DeepDiff(Point(0, 0), Point(9, 9)),
    "equal points": Point(0, 0) == Point(0, 0),
    "their addresses": (first := Point(0, 0))._geom == (second := Point(0, 0))._geom,
}
print(*(f"{name} {version(name)}" for name in ("deepdiff", "geopandas", "shapely", "pandas", "numpy")))
for name, value in seen.items():
    print(f"{name}: {value}")
assert not seen["GeoSeries.equals"] and seen["equal points"] and not seen["their addresses"]
assert seen["DeepDiff of the columns"] == seen["DeepDiff of two points"] == {}
PROGRAM
