"""Scenario 24: objects whose own code does harm when it is run, between two harmless tensors.

Every hostile method says in `runs` that it ran, then does its harm. Who looks at these objects must leave `runs` empty.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
import time
from collections import OrderedDict, UserDict, defaultdict, deque, namedtuple
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, NoReturn

import torch
from torch import nn

runs: list[str] = []
armed = False  # set when all objects are made: making them runs some of their code


def harm(what: str) -> None:
    """The first line of every hostile method."""
    if armed:
        runs.append(what)


class ReprRecurses:
    def __repr__(self) -> str:
        harm("ReprRecurses.__repr__")
        return f"<{self!r}>"


class ReprRaises:
    def __repr__(self) -> str:
        harm("ReprRaises.__repr__")
        raise ValueError("no repr today")


class ReprSleeps:
    def __repr__(self) -> str:
        harm("ReprSleeps.__repr__")
        time.sleep(3)
        return "late"


class ReprExits:
    def __repr__(self) -> NoReturn:
        harm("ReprExits.__repr__")
        sys.exit(3)


class StrInterrupts:
    def __str__(self) -> NoReturn:
        harm("StrInterrupts.__str__")
        raise KeyboardInterrupt

    __format__ = __repr__ = __str__  # type: ignore[assignment]


class ReprLies:
    def __repr__(self) -> Any:
        harm("ReprLies.__repr__")
        return 7


class GetattrRecurses:
    def __getattr__(self, name: str) -> object:
        harm(f"GetattrRecurses.__getattr__ {name}")
        return getattr(self, name + "_")


class GetattributeRecurses:
    def __getattribute__(self, name: str) -> object:
        harm(f"GetattributeRecurses.__getattribute__ {name}")
        return getattr(self, name)


class PropertyPrints:
    def __init__(self) -> None:
        self.kept = torch.ones(3)

    @property
    def noisy(self) -> int:
        harm("PropertyPrints.noisy")
        print("a property ran")
        return 1

    @functools.cached_property
    def costly(self) -> int:
        harm("PropertyPrints.costly")
        return 2


class NegativeLength:
    def __len__(self) -> int:
        harm("NegativeLength.__len__")
        return -1

    def __bool__(self) -> bool:
        harm("NegativeLength.__bool__")
        return True


class ClassLies:
    @property
    def __class__(self) -> Any:  # type: ignore[override]
        harm("ClassLies.__class__")
        return torch.Tensor


class HostileMeta(type):
    """A class whose own name, attributes, equality, hash and checks are code."""

    def __getattribute__(cls, name: str) -> Any:
        harm(f"HostileMeta.__getattribute__ {name}")
        return type.__getattribute__(cls, name)

    @property
    def __name__(cls) -> str:  # type: ignore[override]
        harm("HostileMeta.__name__")
        return "hostile"

    def __instancecheck__(cls, instance: object) -> bool:
        harm("HostileMeta.__instancecheck__")
        return False

    def __subclasscheck__(cls, subclass: type) -> bool:
        harm("HostileMeta.__subclasscheck__")
        return False

    def __eq__(cls, other: object) -> bool:
        harm("HostileMeta.__eq__")
        return cls is other

    def __hash__(cls) -> int:
        harm("HostileMeta.__hash__")
        return 1

    def __repr__(cls) -> str:
        harm("HostileMeta.__repr__")
        return "hostile"


class OfHostileMeta(metaclass=HostileMeta):
    pass


class HostileDict(dict):  # type: ignore[type-arg]
    def _harm(self, *_: object) -> Any:
        harm("HostileDict")
        raise RuntimeError

    __len__ = __iter__ = __getitem__ = __contains__ = __repr__ = __bool__ = __eq__ = _harm
    items = keys = values = get = copy = __missing__ = __reversed__ = _harm  # type: ignore[assignment]


class HostileList(list):  # type: ignore[type-arg]
    def _harm(self, *_: object) -> Any:
        harm("HostileList")
        raise RuntimeError

    __len__ = __iter__ = __getitem__ = __contains__ = __repr__ = __bool__ = __eq__ = __reversed__ = _harm


class HostileTuple(tuple):  # type: ignore[type-arg]
    def _harm(self, *_: object) -> Any:
        harm("HostileTuple")
        raise RuntimeError

    __len__ = __iter__ = __getitem__ = __repr__ = __eq__ = __hash__ = _harm


class HostileSet(set):  # type: ignore[type-arg]
    def _harm(self, *_: object) -> Any:
        harm("HostileSet")
        raise RuntimeError

    __len__ = __iter__ = __contains__ = __repr__ = __eq__ = _harm


class HostileString(str):
    def _harm(self, *_: object) -> Any:
        harm("HostileString")
        raise RuntimeError

    __len__ = __iter__ = __getitem__ = __repr__ = __str__ = __format__ = __eq__ = __hash__ = encode = _harm


class HostileInt(int):
    def _harm(self, *_: object) -> Any:
        harm("HostileInt")
        raise RuntimeError

    __repr__ = __str__ = __format__ = __eq__ = __hash__ = __lt__ = __index__ = __int__ = __bool__ = __abs__ = _harm


class HostileFloat(float):
    def _harm(self, *_: object) -> Any:
        harm("HostileFloat")
        raise RuntimeError

    __repr__ = __str__ = __format__ = __eq__ = __hash__ = __lt__ = __float__ = __bool__ = __abs__ = _harm


class HostileKey:
    """As a key of a dict: its hash and equality are code, run by whoever looks it up again."""

    def __hash__(self) -> int:
        harm("HostileKey.__hash__")
        return 1

    def __eq__(self, other: object) -> bool:
        harm("HostileKey.__eq__")
        return self is other

    def __repr__(self) -> str:
        harm("HostileKey.__repr__")
        return "key"


class HostileTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        harm(f"HostileTensor.__torch_function__ {getattr(func, '__name__', func)}")
        return super().__torch_function__(func, types, args, kwargs or {})

    def __repr__(self, **_: object) -> str:  # type: ignore[override]
        harm("HostileTensor.__repr__")
        return "tensor"

    @property
    def shape(self) -> Any:  # type: ignore[override]
        harm("HostileTensor.shape")
        return torch.Size([])

    def __len__(self) -> int:
        harm("HostileTensor.__len__")
        return -1


class Slots:
    __slots__ = ("__weakref__", "filled", "unset")

    def __init__(self) -> None:
        self.filled = torch.zeros(2)


class DictRaises:
    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        harm("DictRaises.__dict__")
        raise AttributeError("no dict")

    def __dir__(self) -> Any:
        harm("DictRaises.__dir__")
        return 1


class KeysRaise(Mapping[str, int]):
    def __getitem__(self, key: str) -> int:
        harm("KeysRaise.__getitem__")
        raise KeyError(key)

    def __len__(self) -> int:
        harm("KeysRaise.__len__")
        return 3

    def __iter__(self) -> Iterator[str]:
        harm("KeysRaise.__iter__")
        return iter(())

    def keys(self) -> Any:
        harm("KeysRaise.keys")
        raise TypeError("no keys")


class HostileUserDict(UserDict):  # type: ignore[type-arg]
    def __getitem__(self, key: object) -> Any:
        harm("HostileUserDict.__getitem__")
        return self.data[key]


class HostileModule(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(3, 2)

    def __getattr__(self, name: str) -> Any:
        harm(f"HostileModule.__getattr__ {name}")
        return super().__getattr__(name)

    def extra_repr(self) -> str:
        harm("HostileModule.extra_repr")
        return ""

    def __repr__(self) -> str:
        harm("HostileModule.__repr__")
        return "module"

    def parameters(self, recurse: bool = True) -> Any:
        harm("HostileModule.parameters")
        return super().parameters(recurse)

    named_children = children = modules = named_parameters = state_dict = parameters  # type: ignore[assignment]


class HostilePoint(namedtuple("HostilePoint", ["x", "y"])):
    @property
    def norm(self) -> float:
        harm("HostilePoint.norm")
        return 1.0

    def __repr__(self) -> str:
        harm("HostilePoint.__repr__")
        return "point"


@dataclasses.dataclass
class Config:
    """Its generated repr asks every field's own."""

    name: str
    broken: Any
    weights: torch.Tensor


class HostileEnum(Enum):
    ONE = 1

    def __str__(self) -> str:
        harm("HostileEnum.__str__")
        return "one"

    __repr__ = __str__


class HostileError(Exception):
    def __str__(self) -> str:
        harm("HostileError.__str__")
        return "error"


class Descriptor:
    def __get__(self, instance: object, owner: object = None) -> Any:
        harm("Descriptor.__get__")
        return 1


class HasDescriptor:
    value = Descriptor()


def generator() -> Iterator[int]:
    harm("generator advanced")
    yield 1


def created() -> Any:
    harm("default_factory")
    return []


def main() -> None:
    global armed
    before = torch.arange(4.0)
    repr_recurses, repr_raises, repr_sleeps, repr_lies = ReprRecurses(), ReprRaises(), ReprSleeps(), ReprLies()
    repr_exits, str_interrupts = ReprExits(), StrInterrupts()
    getattr_recurses, getattribute_recurses = GetattrRecurses(), GetattributeRecurses()
    property_prints, negative_length, class_lies = PropertyPrints(), NegativeLength(), ClassLies()
    of_hostile_meta, descriptor = OfHostileMeta(), HasDescriptor()
    hostile_dict, hostile_list = HostileDict(a=torch.ones(2), b=2), HostileList([torch.ones(2), 2])
    hostile_tuple, hostile_set = HostileTuple((1, 2)), HostileSet({1, 2})
    hostile_string, hostile_int, hostile_float = HostileString("text"), HostileInt(5), HostileFloat(1.5)
    hostile_keys: dict[Any, Any] = {HostileKey(): torch.ones(1), "plain": 1}
    ordered, queue = OrderedDict(hostile_keys), deque([HostileKey(), 1])
    factory = defaultdict(created, known=torch.ones(2))
    hostile_tensor = torch.arange(3.0).as_subclass(HostileTensor)
    hostile_parameter = nn.Parameter(torch.ones(2))
    slots, dict_raises, keys_raise = Slots(), DictRaises(), KeysRaise()
    user_dict, hostile_module = HostileUserDict({"a": 1}), HostileModule()
    advancing, point, one, error = generator(), HostilePoint(1, 2), HostileEnum.ONE, HostileError("because")
    config = Config("run", ReprRaises(), torch.ones(2))
    nested = {"fine": torch.ones(2), "broken": [ReprExits(), GetattrRecurses(), hostile_tensor]}
    after = torch.tensor([1.0, float("nan")])
    armed = True
    if runs:  # STOP
        print("their code ran:", *sorted(set(runs)), sep="\n  ")
    armed = False
    print("tensors:", len(before), len(after), "runs:", len(runs))


if __name__ == "__main__":
    main()
