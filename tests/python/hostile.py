"""Objects whose own code must never run. Each of their methods counts itself in `RAN` and then misbehaves."""

from __future__ import annotations

import time
from collections import OrderedDict, defaultdict, namedtuple
from typing import Any

RAN: list[str] = []


def _trap(name: str) -> Any:
    def method(self: object, *_: object, **__: object) -> Any:
        RAN.append(name)
        raise RuntimeError(f"{name} ran")

    return method


_READING = [
    "__repr__",
    "__str__",
    "__len__",
    "__iter__",
    "__getitem__",
    "__contains__",
    "__eq__",
    "__hash__",
    "__bool__",
    "__dir__",
    "__format__",
    "__sizeof__",
    "__index__",
    "__int__",
    "__float__",
    "__call__",
    "__reversed__",
    "items",
    "keys",
    "values",
    "get",
    "__missing__",
    "__torch_function__",
    "extra_repr",
]


def traps(*left_out: str) -> dict[str, Any]:
    return {name: _trap(name) for name in _READING if name not in left_out}


class LyingMeta(type):
    def __getattribute__(cls, name: str) -> Any:
        RAN.append(f"metaclass {name}")
        raise RuntimeError("metaclass ran")

    def __hash__(cls) -> int:
        RAN.append("metaclass hash")
        raise RuntimeError("metaclass ran")

    def __eq__(cls, other: object) -> bool:
        RAN.append("metaclass eq")
        raise RuntimeError("metaclass ran")

    def __instancecheck__(cls, instance: object) -> bool:
        RAN.append("metaclass instancecheck")
        raise RuntimeError("metaclass ran")


class Recursing:
    def __init__(self) -> None:
        self.kept = 1

    def __getattribute__(self, name: str) -> Any:
        RAN.append("__getattribute__")
        return getattr(self, name)


class Missing:
    def __getattr__(self, name: str) -> Any:
        RAN.append("__getattr__")
        return getattr(self, name + "x")


class Slotted:
    __slots__ = ("here", "unset")

    def __init__(self) -> None:
        self.here = 2


class Properties:
    @property
    def prints(self) -> int:
        RAN.append("property")
        print("a property ran")
        return 1

    @property
    def __class__(self) -> Any:  # type: ignore[override]
        RAN.append("__class__")
        return int

    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        RAN.append("__dict__")
        raise RuntimeError("__dict__ ran")


class Sleeping:
    def __repr__(self) -> str:
        RAN.append("sleeping repr")
        time.sleep(60)
        return ""


def objects() -> dict[str, Any]:
    """Name and object; making one runs none of its traps."""
    trapped = type("Trapped", (), traps())
    trapped_dict = type("TrappedDict", (dict,), traps("__hash__"))
    trapped_list = type("TrappedList", (list,), traps("__hash__"))
    trapped_tuple = type("TrappedTuple", (tuple,), traps("__hash__"))
    trapped_set = type("TrappedSet", (set,), traps("__hash__"))
    trapped_str = type("TrappedStr", (str,), traps("__hash__", "__eq__"))
    trapped_int = type("TrappedInt", (int,), traps())
    trapped_float = type("TrappedFloat", (float,), traps())
    point = type("TrappedPoint", (namedtuple("Point", "x y"),), {"x": property(_trap("x")), "__repr__": _trap("repr")})
    mapping = trapped_dict()
    dict.__setitem__(mapping, "a", 1)
    key_class = type("Key", (), {"__hash__": lambda self: 1, "__repr__": _trap("key repr")})
    keyed = {key_class(): 1}
    keyed_before = list(keyed.items())
    ordered = OrderedDict(keyed_before)
    key_class.__eq__ = _trap("key eq")  # type: ignore[method-assign, assignment]
    key_class.__hash__ = _trap("key hash")  # type: ignore[method-assign, assignment]
    return {
        "trapped": trapped(),
        "dict subclass": mapping,
        "list subclass": trapped_list([1, 2]),
        "tuple subclass": trapped_tuple((1, 2)),
        "set subclass": trapped_set({1, 2}),
        "str subclass": trapped_str("text"),
        "int subclass": trapped_int(7),
        "float subclass": trapped_float(0.5),
        "namedtuple with a property": point(1, 2),
        "hostile keys": keyed,
        "hostile keys in order": ordered,
        "defaultdict": defaultdict(_trap("factory"), {"known": 1}),
        "metaclass": type.__call__(LyingMeta("Liar", (), {})),
        "recursing __getattribute__": Recursing(),
        "recursing __getattr__": Missing(),
        "unset slot": Slotted(),
        "properties": Properties(),
        "sleeping __repr__": Sleeping(),
    }
