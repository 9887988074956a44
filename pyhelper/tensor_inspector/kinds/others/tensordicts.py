"""tensordict: tensors under names with a batch size in common, stacked, or as the fields of a class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ...safe.guard import class_dict, class_name, dict_attribute, dict_get, instance_dict, plain_str
from ...words.text import joined, listed, plural, shape
from ..families import by_name
from ..kind import Child, Kind, WithRows
from ..python.mappings import key_word
from ..python.objects import attributes_but, brief
from .batches import Batch

_OF_STACK = ("tensordicts", "stack_dim")
_SHOWN = 12  #: names listed of a stack
_MEMBERS = 1000  #: tensordicts of one whose names are looked at


class TensorDict(Batch):
    """A TensorDict, read from its dict. Values that are no tensors are shown without their wrappers."""

    library = "tensordict"

    def attrs(self) -> dict[str, Any]:
        """What tensordict keeps beside the tensors."""
        return instance_dict(self.value)

    def batch(self) -> str:
        found = dict_get(self.attrs(), "_batch_size")
        return shape(found) if issubclass(type(found), tuple) else ""

    def as_dict(self) -> dict[Any, Any]:
        return dict_attribute(self.value, "_tensordict")

    def pairs(self, start: int = 0) -> Iterator[tuple[Any, Any]]:
        return ((key, _unwrapped(item)) for key, item in super().pairs(start))

    def item(self, key: Any) -> Any:
        return _unwrapped(super().item(key))

    def brief(self) -> str:
        return f"{self.type_name()}{self.batch()} of {self.length():,}"

    def parts(self) -> Iterable[str | None]:
        attrs, name, alarms = self.attrs(), f"{self.type_name()}{self.batch()}", self.alarms.words()
        device = dict_get(attrs, "_device")
        return [
            name,
            *alarms,
            self.content(joined([name, *alarms])),
            None if device is None or str(device) == "cpu" else str(device),
            "locked" if dict_get(attrs, "_is_locked") is True else None,
        ]

    def fact_rows(self) -> list[list[str]]:
        attrs = self.attrs()
        device, names = dict_get(attrs, "_device"), dict_get(attrs, "_td_dim_names")
        rows = [["batch size", self.batch()], ["device", "none" if device is None else str(device)]]
        if names is not None:
            rows.append(["names of the dimensions", brief(names, self)])
        return [*super().fact_rows(), *rows]

    def settings(self) -> dict[str, str]:
        attrs = self.attrs()
        names, device = dict_get(attrs, "_td_dim_names"), dict_get(attrs, "_device")
        return {
            "batch size": self.batch() or "unknown",
            "device": "none" if device is None else str(device),
            "names of the dimensions": ", ".join(map(plain_str, names)) if type(names) is list else "none",
            "locked": str(dict_get(attrs, "_is_locked") is True),
        }

    def unlisted(self) -> Iterable[Child]:
        return _given(self.value)

    def item_rows(self, start: int, count: int) -> Iterable[Child]:
        for child in super().item_rows(start, count):
            if class_name(type(child.value)) == "NonTensorStack":  # a subscript makes a list of it
                child.suffix = None
            yield child

    def others(self) -> list[Child]:
        return []


class TensorClass(TensorDict):
    """An instance of a ``@tensorclass``: its fields, which it keeps in a tensordict."""

    def attrs(self) -> dict[str, Any]:
        return instance_dict(dict_get(instance_dict(self.value), "_tensordict"))

    def as_dict(self) -> dict[Any, Any]:
        attrs = instance_dict(self.value)
        inner = dict_get(self.attrs(), "_tensordict")
        plain = dict_get(attrs, "_non_tensordict")
        found = dict(inner) if issubclass(type(inner), dict) else {}
        found.update(plain if type(plain) is dict else {})
        return found

    def unlisted(self) -> Iterable[Child]:
        """Also the tensordict of its fields where that is none of one dict, as one of stacked instances."""
        yield from super().unlisted()
        if not issubclass(type(dict_get(self.attrs(), "_tensordict")), dict):
            yield Child("_tensordict", dict_get(instance_dict(self.value), "_tensordict"), "._tensordict")

    def item_rows(self, start: int, count: int) -> Iterable[Child]:
        for key, item in islice(self.pairs(start), count):
            yield Child(str(key), item, f".{key}" if type(key) is str and key.isidentifier() else None)


class StackedTensorDict(Kind):
    """Tensordicts stacked lazily: nothing is stacked to be described."""

    kind = "sequence"
    summarized = True

    def __init__(self, value: Any, budget: Any) -> None:
        super().__init__(value, budget)
        attrs = instance_dict(value)
        found = dict_get(attrs, "tensordicts")
        self.members: list[Any] = found if type(found) is list else []
        self.along = dict_get(attrs, "stack_dim")

    def batch(self) -> str:
        """Its batch size: that of the first, with how many there are where they are stacked; empty where unknown."""
        sizes = _batch_of(self.value)
        return "" if sizes is None else shape(sizes)

    def brief(self) -> str:
        return f"{self.type_name()}{self.batch()} of {len(self.members):,}"

    def parts(self) -> Iterable[str | None]:
        amount = len(self.members)
        if self.members and _is_plain(self.members[0]):
            shown = listed((brief(_unwrapped(item), self) for item in self.members[:_SHOWN]), amount > _SHOWN, 70)
            return [self.type_name(), f"{plural(amount, 'value')} along {self.along}: {shown}"]
        common, others = _names_among(self.members)
        return [
            f"{self.type_name()}{self.batch()}",
            f"{plural(amount, 'tensordict')} along {self.along}",
            self._listed(common),
            f"only in some: {self._listed(others)}" if others else None,
        ]

    def _listed(self, names: list[Any]) -> str:
        return listed((key_word(name, self) for name in names[:_SHOWN]), len(names) > _SHOWN, 60)

    def fact_rows(self) -> list[list[str]]:
        return [*super().fact_rows(), ["batch size", self.batch() or "unknown"]]

    def settings(self) -> dict[str, str]:
        return {"dimension": "unknown" if type(self.along) is not int else str(self.along)}

    def unlisted(self) -> Iterable[Child]:
        return _given(self.value)

    def child_count(self) -> int | None:
        return len(self.members)

    def children(self, start: int, count: int) -> Iterable[Child]:
        members = enumerate(self.members[start : start + count], start)
        return (Child(f"[{at}]", member, f".tensordicts[{at}]") for at, member in members)


class SubTensorDict(WithRows):
    """A view of some of another tensordict's batch."""

    def parts(self) -> Iterable[str | None]:
        attrs = instance_dict(self.value)
        at, of = dict_get(attrs, "idx"), dict_get(attrs, "_source")
        shown = listed((brief(item, self) for item in at), False, 40) if type(at) is tuple else brief(at, self)
        return [self.type_name(), f"[{shown}] of {brief(of, self)}"]

    def rows(self) -> list[Child]:
        attrs = instance_dict(self.value)
        return [Child(name, attrs[name], f".{name}") for name in ("_source", "idx") if name in attrs]


class NonTensor(WithRows):
    """What is no tensor, in the form in which a tensordict keeps it."""

    def parts(self) -> Iterable[str | None]:
        return [self.type_name(), brief(_unwrapped(self.value), self)]

    def rows(self) -> list[Child]:
        return [Child("data", _unwrapped(self.value), ".data")] if _unwrapped(self.value) is not self.value else []


def _given(value: Any) -> Iterator[Child]:
    """What the program has put into a tensordict; what is private is the library's."""
    return (child for child in attributes_but(value, _OF_STACK) if not child.name.startswith("_"))


def _is_plain(item: Any) -> bool:
    return class_name(type(item)) == "NonTensorData"


def _unwrapped(item: Any) -> Any:
    """What the program sees of an item: of ``NonTensorData``, the data."""
    if not _is_plain(item):
        return item
    data = dict_get(instance_dict(item), "_non_tensordict")
    return dict_get(data, "data") if type(data) is dict and "data" in data else item


def _names_of(value: Any) -> list[Any]:
    """The keys of a tensordict; of a stack, those that all of its members have, as torch stacks no others."""
    members = dict_get(instance_dict(value), "tensordicts")
    if type(members) is list:
        return _names_among(members)[0]
    data = dict_get(instance_dict(value), "_tensordict")
    if class_dict(type(value)).get("_is_tensorclass") is True:
        return _names_of(data)
    return list(dict.keys(data)) if issubclass(type(data), dict) else []


def _names_among(members: list[Any]) -> tuple[list[Any], list[Any]]:
    """The keys that all tensordicts have, and those that only some have, of the first of many."""
    times = Counter[Any]()
    for member in members[:_MEMBERS]:
        for name in _names_of(member):
            if type(name) is str:  # hashing another one could run code of the program
                times[name] += 1
    amount = min(len(members), _MEMBERS)
    return [name for name in times if times[name] == amount], [name for name in times if times[name] < amount]


def _batch_of(value: Any) -> list[Any] | None:
    """The batch size of a tensordict, or of a stack of them; None where it is not known."""
    members = dict_get(instance_dict(value), "tensordicts")
    if type(members) is not list:
        own = instance_dict(value)
        sizes = dict_get(own if "_batch_size" in own else instance_dict(dict_get(own, "_tensordict")), "_batch_size")
        return list(sizes) if issubclass(type(sizes), tuple) else None
    along, inner = dict_get(instance_dict(value), "stack_dim"), _batch_of(members[0]) if members else None
    return None if inner is None or type(along) is not int else [*inner[:along], len(members), *inner[along:]]


_known = by_name(
    {
        StackedTensorDict: ("LazyStackedTensorDict",),
        SubTensorDict: ("_SubTensorDict",),
        NonTensor: ("NonTensorData",),
        TensorDict: ("TensorDictBase",),
    },
    "tensordict",
)


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    is_class = any(class_dict(base).get("_is_tensorclass") is True for base in bases)
    return _known(cls, bases) or (TensorClass if is_class else None)
