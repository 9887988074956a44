"""jax arrays, read in place, and what stands for arrays: tracers, keys, shapes.

Nothing is compiled. A computation that is still running is waited for only briefly: it may call back into the paused
program, and then would never end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from time import sleep
from typing import TYPE_CHECKING, Any

from ...measure.unread import Reading, Unread
from ...safe.attributes import slots
from ...safe.budget import Budget
from ...safe.guard import class_name, dict_get, full_name, instance_dict, module
from ...words.line import Word, head
from ...words.stats import inline_text
from ...words.text import shape, shorten, size
from ..families import by_name
from ..kind import Child, NotStatic, WithRows
from ..numpy.by_dtype import contents_of
from ..numpy.contents import ArrayElements, ArrayKind, Contents, UnreadableContents
from ..python.objects import brief
from ..python.plain import Atom
from ..registry import as_kind
from ..rows import Rows
from ..subscripts import element
from .foreign_arrays import too_large_to_copy

if TYPE_CHECKING:
    from ...protocol import Facts

_WAITED = 200  #: times a computation that is under way is waited for, a millisecond each


class JaxArray(ArrayKind):
    """A ``jax.Array``, looked at as a numpy array that shares its memory and ends with the question."""

    @cached_property
    def contents(self) -> Contents:
        found = _memory(self.value, self.budget)
        return (
            UnreadableContents(None, self.budget, found) if type(found) is Unread else contents_of(found, self.budget)
        )

    def head(self) -> str:
        return head(str(self.value.dtype), shape(self.value.shape))

    def brief(self) -> str:
        return self.head()

    def inline(self) -> str | None:
        return inline_text(self.head(), self.contents.shown(), self.contents.reading(), str(self.value.dtype) == "bool")

    def parts(self) -> Iterable[str | None]:
        shown = self.contents.shown()
        values = [self.head(), *self.contents.words()] if shown is None else [f"{self.head()} {shown}"]
        return [*values, *self._words()]

    def item(self, key: Any) -> Any:
        if isinstance(self.contents, UnreadableContents):
            raise NotStatic(self.contents.unread.text)
        where = key if type(key) is tuple else (key,)
        return ArrayElements(element(self.contents.array, where if ... in where else (*where, ...)))

    def facts(self) -> Facts:
        facts: Facts = {
            "type": full_name(type(self.value)),
            "shape": list(self.value.shape),
            "dtype": str(self.value.dtype),
            "device": ", ".join(map(str, _devices(self.value)[:4])),
            "bytes": int(self.value.nbytes),
            "notes": list(self._words()),
        }
        self.contents.add_facts(facts)
        return facts

    def rows(self) -> list[Child]:
        if self.value.is_deleted():
            return []
        rows = [Child("values", self.contents.values(), "")] if self.contents.is_open() else []
        rows += self.contents.parts()
        amount = len(_devices(self.value))
        if amount > 1:
            rows.append(Child("shards", Rows(f"on {amount} devices", None, self._shards), ""))
        return rows

    def _shards(self, start: int, count: int) -> Iterator[Child]:
        for index, shard in enumerate(self.value._arrays[start : start + count], start):
            yield Child(f"[{index}] {_devices(shard)[0]}", shard, f".addressable_shards[{index}].data")

    def _words(self) -> Iterator[str]:
        devices = _devices(self.value)
        if len(devices) == 1 and devices[0].platform != "cpu":
            yield str(devices[0])
        elif len(devices) > 1:
            spec = getattr(self.value.sharding, "spec", None)
            how = "replicated" if self.value.is_fully_replicated else f"sharded {spec or ''}".rstrip()
            yield f"{how} on {len(devices)} devices"
        if self.value.weak_type:
            yield "weakly typed"


class Reference(JaxArray):
    """A ``jax.Ref``, by the array that it holds now."""

    @classmethod
    def is_made(cls, value: object) -> bool:
        return _referred(value) is not None

    def __init__(self, value: Any, budget: Budget) -> None:
        super().__init__(_referred(value), budget)
        self.cls = type(value)

    def type_name(self) -> str:
        return class_name(self.cls)

    def parts(self) -> Iterable[str | None]:
        return [self.type_name(), *super().parts()]

    def facts(self) -> Facts:
        return {**super().facts(), "type": full_name(self.cls)}


class ShapeOnly(WithRows):
    """What has the shape and dtype of an array and no values."""

    kind = "array"
    rank = 0
    summarized = True
    unread = Unread("no_values", "shape and dtype only")

    def reading(self) -> Reading:
        return self.unread

    def like(self) -> Any:
        """What knows the shape and dtype."""
        return dict(slots(self.value))

    def head(self) -> str:
        known = self.like()
        found = head(str(known.get("dtype")), shape(known.get("shape") or ()))
        return Word(shorten(found, 80), shorten(found.short, 80))

    def brief(self) -> str:
        return self.head()

    def parts(self) -> Iterable[str | None]:
        return [self.head(), self.unread.text]

    def facts(self) -> Facts:
        known = self.like()
        return {
            "type": full_name(type(self.value)),
            "shape": [length if type(length) is int else str(length) for length in known.get("shape") or ()],
            "dtype": str(known.get("dtype")),
            "stats": None,
            "unread": self.unread.text,
        }

    def rows(self) -> list[Child]:
        return []


class Tracer(ShapeOnly):
    """A value inside a transformation: by its abstract value, and by the array that it wraps, where it wraps one."""

    needs = ("_trace",)

    def __init__(self, value: Any, budget: Any) -> None:
        super().__init__(value, budget)
        by, self.wrapped = _TRACERS.get(class_name(type(value)), (class_name(type(value)), ()))
        self.unread = Unread("no_values", f"traced by {by}")

    def like(self) -> Any:
        aval = dict(slots(self.value)).get("aval") or self.value.aval
        return {"dtype": getattr(aval, "dtype", class_name(type(aval))), "shape": getattr(aval, "shape", ())}

    def parts(self) -> Iterable[str | None]:
        slotted = dict(slots(self.value))
        inner = [f"{name} {as_kind(slotted[name], self.budget).line()}" for name in self.wrapped[:1] if name in slotted]
        return [self.head(), self.unread.text, *inner]

    def rows(self) -> list[Child]:
        slotted = dict(slots(self.value))
        return [Child(name, slotted[name], f".{name}") for name in self.wrapped if name in slotted]


class RandomKeys(ShapeOnly):
    """Random keys, which are opaque: their line shows the algorithm and the numbers that a key consists of."""

    needs = ("_base_array",)
    unread = Unread("dtype", "random keys")

    def like(self) -> Any:
        attrs = instance_dict(self.value)
        base, algorithm = dict_get(attrs, "_base_array"), dict_get(attrs, "_impl")
        own_dimensions = len(getattr(algorithm, "key_shape", ()))
        return {"dtype": f"key<{getattr(algorithm, 'tag', '?')}>", "shape": base.shape[: base.ndim - own_dimensions]}

    def parts(self) -> Iterable[str | None]:
        return [self.head(), str(getattr(dict_get(instance_dict(self.value), "_impl"), "name", ""))]

    def rows(self) -> list[Child]:
        return [Child("key data", dict_get(instance_dict(self.value), "_base_array"), "._base_array")]


class JaxDevice(Atom):
    def line(self) -> str:
        return f"Device {self.value}"


class JitFunction(Atom):
    """A function under ``jax.jit``, by the function itself."""

    kind = "callable"

    def brief(self) -> str:
        return f"jit {brief(dict_get(instance_dict(self.value), '__wrapped__'), self)}"

    def line(self) -> str:
        return shorten(f"jit {as_kind(dict_get(instance_dict(self.value), '__wrapped__'), self.budget).line()}")


_TRACERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "DynamicJaxprTracer": ("jit", ()),
    "JaxprTracer": ("grad", ()),
    "LinearizeTracer": ("grad", ("primal", "tangent")),
    "JVPTracer": ("jvp", ("primal", "tangent")),
    "BatchTracer": ("vmap", ("val", "batch_dim")),
}  #: by which transformation, and the slots that hold what is wrapped


def _referred(value: object) -> Any:
    """The array that a reference holds, itself or in what it refers to."""
    held = instance_dict(value)
    return dict_get(held, "_buf", dict_get(instance_dict(dict_get(held, "_refs")), "_buf"))


def _devices(value: Any) -> list[Any]:
    return sorted(value.sharding.device_set, key=lambda device: device.id)


def _memory(value: Any, budget: Budget) -> Any:
    """The array's memory as a numpy array, or why it is not read."""
    if value.is_deleted():
        return Unread("freed", "deleted: its memory was given away or freed")
    if len(value.sharding.device_set) > 1 and not value.is_fully_replicated:
        return Unread("elsewhere", "values in its shards")
    if _devices(value)[0].platform != "cpu" and too_large_to_copy(value.nbytes):
        return Unread("elsewhere", f"not read: it lies on another device and takes {size(value.nbytes)}")
    if not _is_ready(value, budget):
        return Unread("disturbing", "still being computed")
    try:
        return value._single_device_array_to_np_array_did_copy()[0]
    except AttributeError:  # jax before 0.4.31
        return _buffer(value)


def _buffer(value: Any) -> Any:
    try:
        return module("numpy").asarray(memoryview(value))
    except (BufferError, TypeError, ValueError):
        return Unread("too_many", "can't be read without a copy")


def _is_ready(value: Any, budget: Budget) -> bool:
    share = budget.share(0.25)
    for _ in range(_WAITED):
        if value.is_ready() or share.spent():
            break
        sleep(0.001)
    return bool(value.is_ready())


kind_for = by_name(
    {
        JaxArray: ("ArrayImpl",),
        Reference: ("Ref", "ArrayRef", "MutableArray"),
        Tracer: ("Tracer",),
        RandomKeys: ("PRNGKeyArray",),
        ShapeOnly: ("ShapeDtypeStruct", "ShapedArray"),
        JitFunction: ("PjitFunction",),
        JaxDevice: ("Device",),
    },
    "jax",
    "jaxlib",
)
