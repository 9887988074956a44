"""Objects whose own code must never run. Each of their methods counts itself in `RAN` and then misbehaves."""

from __future__ import annotations

import time
from collections import OrderedDict, defaultdict, namedtuple
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader, SequentialSampler, Subset, TensorDataset

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


class SlottedToo(Slotted):
    """Has a dict beside its slots."""


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


class Alike(str):
    """A name that the built-in ``str`` takes for the one looked for, until both are compared."""

    def __eq__(self, other: object) -> bool:
        RAN.append(f"name eq {str.__str__(self)}")
        raise RuntimeError("name eq ran")

    def __hash__(self) -> int:
        return str.__hash__(self)

    def startswith(self, *_: Any) -> bool:
        RAN.append("name startswith")
        raise RuntimeError("name startswith ran")

    endswith = startswith


def named(value: Any, *names: str) -> Any:
    """``value`` whose instance dict holds hostile keys: under these names instead of plain ones, and one that is no name."""
    own = object.__getattribute__(value, "__dict__")
    kept = {name: own.pop(name, 1) for name in names}
    own.update({Alike(name): item for name, item in kept.items()})
    own[_Odd()] = 1
    return value


class _Odd:
    def __hash__(self) -> int:
        return 7

    def __eq__(self, other: object) -> bool:
        RAN.append("odd eq")
        raise RuntimeError("odd eq ran")


def _wrapper(module: nn.Module) -> nn.Module:
    """One that torch wraps around a module, made without asking whether CUDA is there: a fork could not use it then."""
    made: nn.Module = nn.DataParallel.__new__(nn.DataParallel)
    nn.Module.__init__(made)
    made.module = module
    return made


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
    data = TensorDataset(torch.ones(3, 2))
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
        "hostile names": named(Recursing(), "kept"),
        "hostile names of slots": named(SlottedToo(), "here", "more"),
        "hostile names of an exception": named(ValueError("bad"), "__notes__"),
        "hostile names of a module": named(
            nn.Linear(2, 3), "_parameters", "_modules", "training", "in_features", "_c", "p"
        ),
        "hostile names of a wrapper": named(_wrapper(nn.Linear(2, 3)), "_modules", "_graph", "kernel_size"),
        "hostile names of a loader": named(DataLoader(data), "dataset", "batch_size", "sampler"),
        "hostile names of a sampler": named(SequentialSampler(data), "data_source", "rank"),
        "hostile names of a dataset": named(Subset(data, [0]), "indices", "dataset"),
        "hostile names of a function": named(_trap("function"), "__wrapped__"),
        "hostile names of an optimizer": named(torch.optim.SGD([torch.ones(2)], lr=0.1), "state", "param_groups"),
    }
