"""Data and models of xgboost and lightgbm: their sizes, asked of the library in C behind the handle."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from itertools import islice
from typing import Any

from ...safe.guard import dict_get, instance_dict, module
from ...words.text import joined, plural
from ..families import by_home, either
from ..kind import Child
from ..python.objects import WordedObject, attributes, attributes_part

_LOOKED_AT = 100  #: attributes
_functions: dict[str, Any] = {}  #: of the libraries: each is in a cycle with itself, so it would outlive the look
_LIBRARIES = {"xgboost": "xgboost.core", "lightgbm": "lightgbm.basic"}


class Handled(WordedObject):
    """The base of objects behind a handle."""

    library = ""
    handle = "handle"

    def sizes(self) -> Iterable[str | None]:
        return ()

    def words(self) -> Iterable[str | None]:
        sizes = [part for part in self.sizes() if part]
        found = [child for child in islice(attributes(self.value), _LOOKED_AT) if _is_telling(child)]
        before = joined([self.type_name(), *sizes])
        return [*sizes, attributes_part(before, found, self) if found else None]

    def settings(self) -> dict[str, str]:
        return {"size": ", ".join(filter(None, self.sizes()))}

    def ask(self, function: str) -> int | None:
        """A number that a function of the library gives for the handle; None where it gives none."""
        handle = dict_get(instance_dict(self.value), self.handle)
        library = instance_dict(module(_LIBRARIES[self.library])).get("_LIB")
        if type(handle) is not ctypes.c_void_p or not handle.value or type(library) is not ctypes.CDLL:
            return None
        found = ctypes.c_uint64(0)
        if function not in _functions:
            _functions[function] = library[function]
        return int(found.value) if _functions[function](handle, ctypes.byref(found)) == 0 else None


class XgboostMatrix(Handled):
    """The data of xgboost."""

    library = "xgboost"

    def sizes(self) -> Iterable[str | None]:
        rows, columns = self.ask("XGDMatrixNumRow"), self.ask("XGDMatrixNumCol")
        return ["no data" if rows is None or columns is None else f"{rows:,} × {columns:,}"]


class XgboostModel(Handled):
    """A model of xgboost."""

    library = "xgboost"

    def sizes(self) -> Iterable[str | None]:
        rounds, features = self.ask("XGBoosterBoostedRounds"), self.ask("XGBoosterGetNumFeature")
        return [_counted(rounds, "round"), _counted(features, "feature")]


class LightgbmData(Handled):
    """The data of lightgbm, which are kept by the library once they are constructed."""

    library, handle = "lightgbm", "_handle"

    def sizes(self) -> Iterable[str | None]:
        rows, columns = self.ask("LGBM_DatasetGetNumData"), self.ask("LGBM_DatasetGetNumFeature")
        return ["not constructed" if rows is None or columns is None else f"{rows:,} × {columns:,}"]


class LightgbmModel(Handled):
    """A model of lightgbm."""

    library, handle = "lightgbm", "_handle"

    def sizes(self) -> Iterable[str | None]:
        rounds, features = self.ask("LGBM_BoosterGetCurrentIteration"), self.ask("LGBM_BoosterGetNumFeature")
        return [_counted(rounds, "round"), _counted(features, "feature")]


def _is_telling(child: Child) -> bool:
    return not child.name.startswith("_") and child.name != "handle" and child.value is not None


def _counted(number: Any, noun: str) -> str | None:
    return None if number is None else plural(number, noun)


kind_for = either(
    by_home({XgboostMatrix: ("DMatrix",), XgboostModel: ("Booster",)}, "xgboost"),
    by_home({LightgbmData: ("Dataset",), LightgbmModel: ("Booster",)}, "lightgbm"),
)
