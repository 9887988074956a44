"""Arrays of mlx, paddle and tensorflow, and images of SimpleITK."""

from __future__ import annotations

from typing import Any

from ...measure.stats import Unread
from ...safe.attributes import attribute
from ...safe.guard import c_attribute, dict_get, instance_dict, module, plain_str
from ..families import by_name, either
from ..kind import Child, NotStatic
from ..python.objects import other_rows
from .foreign_arrays import (
    OF_NUMPY,
    UNEVALUATED,
    ForeignArray,
    Outline,
    bytes_of,
    call_of_library,
    of_library,
    too_large_to_copy,
)

#: tensorflow's numbers of dtypes.
_TENSORFLOW = dict(
    enumerate(
        "invalid float32 float64 int32 uint8 int16 int8 string complex64 int64 bool qint8 quint8 qint32 bfloat16 qint16"
        " quint16 uint16 complex128 float16 resource variant uint32 uint64 float8_e5m2 float8_e4m3fn float8_e4m3fnuz"
        " float8_e4m3b11fnuz float8_e5m2fnuz int4 uint4 int2 uint2".split()
    )
)


class MlxArray(ForeignArray):
    """An array of mlx, which is computed when its values are asked for; nothing tells whether that was done."""

    def outline(self) -> Outline:
        dtype = str(of_library(self.value, "dtype", "mlx")).rpartition(".")[2]
        return Outline(dtype, tuple(of_library(self.value, "shape", "mlx")), [], UNEVALUATED)


class PaddleTensor(ForeignArray):
    """A tensor of paddle."""

    def outline(self) -> Outline:
        value = self.value
        dtype = plain_str(of_library(c_attribute(value, "dtype"), "name", "paddle")).lower()
        place = plain_str(c_attribute(value, "_place_str"))[len("Place(") : -1]
        grad = c_attribute(value, "grad") is not None
        is_recorded = c_attribute(value, "stop_gradient") is False
        words = [
            *([place] if place not in ("cpu", "") else []),
            *(["stop_gradient False"] if is_recorded else []),
            *(["grad"] if grad else []),
        ]
        is_kept = c_attribute(value, "persistable") is True
        settings = {"place": place, "stop_gradient": str(not is_recorded), "persistable": str(is_kept)}
        sizes = tuple(int(length) for length in c_attribute(value, "shape") or ())
        if not call_of_library(value, "_is_initialized", "paddle"):
            return Outline(dtype, sizes, words, Unread("no_values", "not initialized"), settings)
        return Outline(dtype, sizes, words, self._values(dtype, sizes, place), settings)

    def rows(self) -> list[Child]:
        grad = c_attribute(self.value, "grad")
        return [*super().rows(), *([] if grad is None else [Child("grad", grad, ".grad")])]

    def _values(self, dtype: str, sizes: tuple[int, ...], place: str) -> Any:
        if dtype not in OF_NUMPY:
            return Unread("dtype", f"{dtype} values are not read")
        if place != "cpu" or not call_of_library(self.value, "is_dense", "paddle"):
            return Unread("elsewhere", "values not read")
        return _read(lambda: call_of_library(self.value, "numpy", "paddle"), dtype, sizes)


class EagerTensor(ForeignArray):
    """A tensor of tensorflow that has a value."""

    def outline(self) -> Outline:
        number = call_of_library(self.value, "_datatype_enum", "tensorflow")
        dtype = _TENSORFLOW.get(number, f"dtype {number}")
        sizes = tuple(call_of_library(self.value, "_shape_tuple", "tensorflow"))
        device = plain_str(of_library(self.value, "backing_device", "tensorflow")).rpartition("device:")[2]
        is_here = device.startswith("CPU")
        if dtype not in OF_NUMPY or not is_here:
            values: Any = Unread("dtype" if is_here else "elsewhere", f"{dtype} values are not read")
        else:
            values = module("numpy").asarray(memoryview(self.value))
        return Outline(dtype, sizes, [] if is_here else [device], values, {"device": device})


class TensorflowVariable(ForeignArray):
    """A variable of tensorflow: to read it is an operation, which a tape would record."""

    repeating = ("other attributes",)  # among them a number of its own

    def outline(self) -> Outline:
        attrs = instance_dict(self.value)
        dtype = plain_str(of_library(dict_get(attrs, "_dtype"), "name", "tensorflow"))
        dims = attribute(dict_get(attrs, "_shape"), "_dims")
        name = plain_str(dict_get(attrs, "_handle_name")).partition(":")[0]
        is_trainable = bool(dict_get(attrs, "_trainable"))
        words = [*([name] if name else []), *([] if is_trainable else ["not trainable"])]
        values = Unread("disturbing", "not read: that would run an operation")
        sizes = tuple("?" if length is None else length for length in dims or ())
        return Outline(dtype, sizes, words, values, {"name": name, "trainable": str(is_trainable)})


_WORDS = {
    "NumberOfComponentsPerPixel": "channels",
    "Spacing": "spacing",
    "Origin": "origin",
    "Direction": "direction",
    "MetaDataKeys": "metadata",
}


class ItkImage(ForeignArray):
    """An image of SimpleITK: sizes and spacing are in the order x, y, z."""

    needs = ("this",)

    def outline(self) -> Outline:
        functions = instance_dict(module("SimpleITK._SimpleITK"))

        def ask(name: str) -> Any:
            return functions[f"Image_{name}"](self.value)

        pixel, sizes = ask("GetPixelIDTypeAsString"), tuple(ask("GetSize"))
        channels = ask("GetNumberOfComponentsPerPixel")
        spacing, origin = tuple(ask("GetSpacing")), tuple(ask("GetOrigin"))
        words = [
            *([f"{channels} channels"] if channels > 1 else []),
            f"spacing {_few(spacing)}",
            *([f"origin {_few(origin)}"] if any(origin) else []),
        ]
        dtype = _itk_dtype(pixel)
        return Outline(dtype, sizes, words, self._values(dtype, sizes, channels, functions))

    def settings(self) -> dict[str, str]:
        """Where its pixels lie, and what else the image is said to be."""
        functions = instance_dict(module("SimpleITK._SimpleITK"))
        asked = ("NumberOfComponentsPerPixel", "Spacing", "Origin", "Direction", "MetaDataKeys")
        found = {_WORDS[name]: repr(functions[f"Image_Get{name}"](self.value)) for name in asked}
        for key in functions["Image_GetMetaDataKeys"](self.value):
            found[f"metadata {key!r}"] = repr(functions["Image_GetMetaData"](self.value, key))
        return found

    def rows(self) -> list[Any]:
        """Without its values: an index of an image gives a pixel, or another image."""
        return other_rows(self.value, [name for name in instance_dict(self.value) if name != "this"])

    def item(self, key: Any) -> Any:
        raise NotStatic("an image computes its subscripts")

    def _values(self, dtype: str, sizes: tuple[int, ...], channels: int, functions: dict[str, Any]) -> Any:
        if dtype not in OF_NUMPY or channels != 1:
            return Unread("dtype", "values not read")
        is_unique = functions.get("Image_IsUnique")
        if is_unique is None or not is_unique(self.value):
            return Unread("disturbing", "not read: it shares its pixels, which reading would copy")
        memory = functions["_GetMemoryViewFromImage"](self.value)
        numpy = module("numpy")
        return (
            Unread("no_values", "values not read")
            if numpy is None
            else numpy.asarray(memory).view(dtype).reshape(sizes[::-1]).T
        )


def _itk_dtype(pixel: str) -> str:
    """The dtype of pixels by ITK's own name, as ``vector of 16-bit unsigned integer``."""
    kinds = {"unsigned integer": "uint", "signed integer": "int", "float": "float"}
    bits, _, sort = pixel.rpartition(" of ")[2].partition("-bit ")
    if sort not in kinds or not bits.isdecimal():
        return pixel
    return f"complex{2 * int(bits)}" if pixel.startswith("complex") else f"{kinds[sort]}{bits}"


def _few(numbers: tuple[float, ...]) -> str:
    return " × ".join(f"{number:.4g}" for number in numbers)


def _read(read: Any, dtype: str, sizes: tuple[int, ...]) -> Any:
    numpy = module("numpy")
    if numpy is None:
        return Unread("no_values", "values not read: numpy is not loaded")
    return too_large_to_copy(bytes_of(dtype, sizes)) or read()


kind_for = either(
    by_name({MlxArray: ("array",)}, "mlx"),
    by_name({PaddleTensor: ("Tensor",)}, "paddle"),
    by_name({EagerTensor: ("EagerTensor",), TensorflowVariable: ("BaseResourceVariable",)}, "tensorflow"),
    by_name({ItkImage: ("Image",)}, "SimpleITK"),
)
