"""Messages of protobuf, and of onnx by shape and dtype, read by protobuf's own code in C."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from types import FunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import Any

from ...measure.stats import Unread
from ...safe.guard import class_attribute, class_dict, class_module, library_of, module, plain_str
from ...words.line import class_word, content, dtype_word, head
from ...words.text import joined, listed, plural, shape
from ..families import by_home, by_name, either
from ..holder import HolderKind
from ..kind import Child, Kind, NotFound
from ..python.containers import Sequence
from ..python.mappings import Mapping
from ..python.objects import brief_inline
from .foreign_arrays import OF_NUMPY, ForeignArray, Outline, bytes_of, too_large_to_copy

_SHOWN = 12  #: fields of a message, and members of a graph, that a line lists
#: onnx's numbers of dtypes.
_DTYPES = dict(
    enumerate(
        "undefined float32 uint8 int8 uint16 int16 int32 int64 string bool float16 float64 uint32 uint64 complex64"
        " complex128 bfloat16 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz uint4 int4 float4_e2m1".split()
    )
)
_LISTED = {"float32": "float_data", "float64": "double_data", "int64": "int64_data", "int32": "int32_data"}
_ELEMENTS = frozenset(
    ("data_type", "raw_data", *(f"{kind}_data" for kind in "float int32 string int64 double uint64".split()))
)
#: The fields of a node's attribute that can be or hold NaN.
_NUMBERS = frozenset(("f", "floats", "t", "tensors", "g", "graphs", "sparse_tensor", "sparse_tensors"))
_READ = frozenset("__len__ __iter__ __getitem__ __getattribute__ get HasField ListFields".split())
_ELSEWHERE = 1  #: the ``data_location`` of values in a file of their own


class Message(HolderKind):
    """A message: the fields that are set, by name."""

    def parts(self) -> Iterable[str | None]:
        warnings = self.warnings()
        return [class_word(self.type_name()), *warnings, self.field_words(joined([self.type_name(), *warnings]))]

    def field_words(self, before: str) -> str:
        found = list(islice(_fields(self.value), _SHOWN + 1))
        items = [(f"{name} ", brief_inline(value, self)) for name, value in found[:_SHOWN]]
        return content(before, "", items, len(found) > _SHOWN) if items else "empty"

    def entries(self) -> Iterable[tuple[object, object]]:
        return _fields(self.value)

    def child_count(self) -> int | None:
        return sum(1 for _ in _fields(self.value))

    def children(self, start: int, count: int) -> Iterable[Child]:
        fields = islice(_fields(self.value), start, start + count)
        return (Child(name, value, f".{name}", fixed=True) for name, value in fields)


class Repeated(Sequence):
    """The values of a repeated field."""

    brackets = ("[", "]")

    def length(self) -> int:
        return int(class_attribute(type(self.value), "__len__")(self.value))

    def items(self, start: int = 0) -> Iterator[Any]:
        item = class_attribute(type(self.value), "__getitem__")
        return (item(self.value, at) for at in range(start, self.length()))

    def page(self, start: int, stop: int) -> Iterable[Any]:
        return islice(self.items(start), stop - start)

    def indexed(self) -> bool:
        return True

    def type_name(self) -> str:
        return "repeated"


class MapField(Mapping):
    """The entries of a map field. Looking one up by ``[key]`` would make it where there is none."""

    def length(self) -> int:
        return int(class_attribute(type(self.value), "__len__")(self.value))

    def pairs(self, start: int = 0) -> Iterator[tuple[Any, Any]]:
        keys = list(class_attribute(type(self.value), "__iter__")(self.value))
        return ((key, self._get(key)) for key in keys[start:])

    def ordered(self) -> bool | None:
        return False

    def item(self, key: Any) -> Any:
        for known, value in self.pairs():
            if type(known) is type(key) and known == key:
                return value
        raise NotFound(f"there is no key {key!r}")

    def indexed(self) -> bool:
        return True

    def type_name(self) -> str:
        return "map"

    def _get(self, key: object) -> Any:
        return class_attribute(type(self.value), "get")(self.value, key)


class OnnxTensor(ForeignArray):
    """A tensor of onnx: its values where they are in the message, and not too large to copy."""

    def outline(self) -> Outline:
        number = field(self.value, "data_type")
        dtype = _DTYPES.get(number, f"dtype {number}")
        sizes = tuple(Repeated(field(self.value, "dims"), self.budget).items())
        name = plain_str(field(self.value, "name"))
        return Outline(dtype, sizes, [name] if name else [], self._values(dtype, sizes))

    def rows(self) -> list[Child]:
        """All fields that are set, but for those that hold its elements."""
        fields = ((name, value) for name, value in _fields(self.value) if name not in _ELEMENTS)
        return [Child(name, value, f".{name}", fixed=True) for name, value in fields]

    def _values(self, dtype: str, sizes: tuple[int, ...]) -> Any:
        numpy = module("numpy")
        if field(self.value, "data_location") == _ELSEWHERE:
            return Unread("elsewhere", "its values are in a file of their own")
        if numpy is None or dtype not in OF_NUMPY:
            return Unread("dtype", f"{dtype} values are not read")
        total = bytes_of(dtype, sizes)
        too_large = too_large_to_copy(total)
        if too_large is not None:
            return too_large
        raw = field(self.value, "raw_data")
        if raw:
            return numpy.frombuffer(raw, numpy.dtype(dtype).newbyteorder("<")).reshape(sizes)
        if dtype not in _LISTED:
            return Unread("layout", "values not read")
        items = list(Repeated(field(self.value, _LISTED[dtype]), self.budget).items())
        return numpy.array(items, dtype).reshape(sizes) if items or not total else Unread("no_values", "no values")


class OnnxValue(Message):
    """An input or output of an onnx graph: its name, dtype and shape."""

    def parts(self) -> Iterable[str | None]:
        return [class_word(self.type_name()), plain_str(field(self.value, "name")) or None, self.brief()]

    def brief(self) -> str:
        kind = field(field(self.value, "type"), "tensor_type")
        dtype = _DTYPES.get(field(kind, "elem_type"), "")
        if not _has(kind, "shape"):
            return dtype_word(dtype) if dtype else self.type_name()
        dims = Repeated(field(field(kind, "shape"), "dim"), self.budget).items()
        return head(dtype, shape([_dimension(dim) for dim in dims]))


class OnnxNode(Message):
    """One operation of an onnx graph."""

    def parts(self) -> Iterable[str | None]:
        name = plain_str(field(self.value, "name"))
        return [class_word(self.type_name()), *self.warnings(), self.brief(), self._ends(), name or None]

    def brief(self) -> str:
        return plain_str(field(self.value, "op_type")) or self.type_name()

    def entries(self) -> Iterable[tuple[object, object]]:
        """The values of its attributes that can be or hold NaN."""
        for at, one in enumerate(Repeated(field(self.value, "attribute"), self.budget).items()):
            yield from ((f"attribute[{at}].{name}", value) for name, value in _fields(one) if name in _NUMBERS)

    def _ends(self) -> str:
        ends = [Repeated(field(self.value, name), self.budget) for name in ("input", "output")]
        texts = [listed(map(plain_str, islice(end.items(), _SHOWN)), end.length() > _SHOWN, 40) for end in ends]
        return " → ".join(texts).strip()


class OnnxGraph(Message):
    """An onnx graph: how many operations, and its inputs and outputs."""

    def parts(self) -> Iterable[str | None]:
        name = plain_str(field(self.value, "name"))
        return [class_word(self.type_name()), *self.warnings(), name or None, *self.words()]

    def entries(self) -> Iterable[tuple[object, object]]:
        """Its weights, then what its nodes hold: these are too many to look through each by itself."""
        for name in ("initializer", "sparse_initializer"):
            yield name, field(self.value, name)
        for at, node in enumerate(Repeated(field(self.value, "node"), self.budget).items()):
            yield from ((f"node[{at}].{name}", value) for name, value in OnnxNode(node, self.budget).entries())

    def words(self) -> list[str]:
        nodes, weights = (Repeated(field(self.value, name), self.budget).length() for name in ("node", "initializer"))
        ends = [f"{name} {self._values(f'{name}put')}" for name in ("in", "out")]
        return [plural(nodes, "node"), *([plural(weights, "initializer")] if weights else []), *ends]

    def _values(self, name: str) -> str:
        values = Repeated(field(self.value, name), self.budget)
        texts = (
            f"{plain_str(field(value, 'name'))} {brief_inline(value, self)}" for value in islice(values.items(), _SHOWN)
        )
        return listed(texts, values.length() > _SHOWN, 50) or "none"


class OnnxModel(Message):
    """An onnx model: its opset and graph."""

    def parts(self) -> Iterable[str | None]:
        opsets = Repeated(field(self.value, "opset_import"), self.budget)
        versions = [
            f"{plain_str(field(opset, 'domain')) or 'opset'} {field(opset, 'version')}"
            for opset in islice(opsets.items(), 3)
        ]
        return [
            class_word(self.type_name()),
            *self.warnings(),
            ", ".join(versions) or None,
            *OnnxGraph(field(self.value, "graph"), self.budget).words(),
        ]


def field(message: Any, name: str) -> Any:
    """A field of a message by protobuf's own look-up in C."""
    get = class_attribute(type(message), "__getattribute__")
    if type(get) is not WrapperDescriptorType or library_of(get.__objclass__) != "google":
        raise AttributeError(name)
    return get(message, name)


def _has(message: Any, name: str) -> bool:
    return bool(class_attribute(type(message), "HasField")(message, name))


def _fields(message: Any) -> Iterator[tuple[str, Any]]:
    """The fields that are set."""
    found = class_attribute(type(message), "ListFields")
    if type(found) is MethodDescriptorType:
        for descriptor, value in found(message):
            yield plain_str(descriptor.name), value


def _dimension(dim: Any) -> object:
    if _has(dim, "dim_value"):
        return field(dim, "dim_value")
    return plain_str(field(dim, "dim_param")) or "?"


def _is_of_c(cls: type) -> bool:
    """Whether a class is written in C, not only says that it stands where such classes do."""
    return not any(type(item) is FunctionType for name, item in class_dict(cls).items() if name in _READ)


_of_onnx = by_home(
    {
        OnnxTensor: ("TensorProto",),
        OnnxValue: ("ValueInfoProto",),
        OnnxNode: ("NodeProto",),
        OnnxGraph: ("GraphProto",),
        OnnxModel: ("ModelProto",),
    },
    "onnx",
)
_any = either(
    by_home({Message: ("Message",), Repeated: ("RepeatedScalarContainer", "RepeatedCompositeContainer")}, "google"),
    by_name({MapField: ("ScalarMapContainer", "MessageMapContainer")}, "google"),  # which no module holds
)


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    is_in_c = any(class_module(base).startswith("google._upb") and _is_of_c(base) for base in bases)
    return either(_of_onnx, _any)(cls, bases) if is_in_c else None
