"""Data and models of xgboost and lightgbm: their sizes, where the library in C tells them without doing anything."""

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


class LibraryObject(WordedObject):
    """The base of objects that a library in C keeps behind a handle."""

    library, handle = "xgboost.core", "handle"
    asked: tuple[str, ...] = ()  #: the functions that give its sizes: they read a number of an object, no more
    number: Any = ctypes.c_uint64

    def sizes(self) -> list[int] | None:
        """What these functions give; None where there is no object behind the handle, or one fails."""
        found = [self._number(function) for function in self.asked]
        return None if None in found else found  # type: ignore[return-value]

    def size_words(self) -> str | None:
        raise NotImplementedError

    def words(self) -> Iterable[str | None]:
        size = self.size_words()
        found = [child for child in islice(attributes(self.value), _LOOKED_AT) if _is_telling(child)]
        before = joined([self.type_name(), size])
        return [size, attributes_part(before, found, self) if found else None]

    def settings(self) -> dict[str, str]:
        return {"size": " × ".join(map(str, self.sizes() or ()))}

    def _number(self, function: str) -> int | None:
        handle = dict_get(instance_dict(self.value), self.handle)
        library = instance_dict(module(self.library)).get("_LIB")
        if type(handle) is not ctypes.c_void_p or not handle.value or type(library) is not ctypes.CDLL:
            return None
        found = self.number(0)
        if function not in _functions:
            _functions[function] = library[function]
        return int(found.value) if _functions[function](handle, ctypes.byref(found)) == 0 else None


class XgboostMatrix(LibraryObject):
    """The data of xgboost."""

    asked = ("XGDMatrixNumRow", "XGDMatrixNumCol")

    def size_words(self) -> str:
        sizes = self.sizes()
        return "no data" if sizes is None else " × ".join(f"{length:,}" for length in sizes)


class XgboostModel(LibraryObject):
    """A model of xgboost, of which nothing is asked: the library configures it first, and may print."""

    def size_words(self) -> str:
        return "not read: that would configure it"

    def settings(self) -> dict[str, str]:
        return {}


class LightgbmData(LibraryObject):
    """The data of lightgbm, which are kept by the library once they are constructed."""

    library, handle, number = "lightgbm.basic", "_handle", ctypes.c_int32
    asked = ("LGBM_DatasetGetNumData", "LGBM_DatasetGetNumFeature")

    def size_words(self) -> str:
        sizes = self.sizes()
        return "not constructed" if sizes is None else " × ".join(f"{length:,}" for length in sizes)


class LightgbmModel(LibraryObject):
    """A model of lightgbm."""

    library, handle, number = "lightgbm.basic", "_handle", ctypes.c_int32
    asked = ("LGBM_BoosterGetCurrentIteration", "LGBM_BoosterGetNumFeature")

    def size_words(self) -> str | None:
        sizes = self.sizes()
        return None if sizes is None else joined([plural(sizes[0], "round"), plural(sizes[1], "feature")])


def _is_telling(child: Child) -> bool:
    return not child.name.startswith("_") and child.name != "handle" and child.value is not None


kind_for = either(
    by_home({XgboostMatrix: ("DMatrix",), XgboostModel: ("Booster",)}, "xgboost"),
    by_home({LightgbmData: ("Dataset",), LightgbmModel: ("Booster",)}, "lightgbm"),
)
