"""Copies what a model holds, at any depth, as `copy.deepcopy` does, but without running code of the program."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable
from functools import partial
from types import FunctionType, MethodType, SimpleNamespace
from typing import Any

from ...measure.stats import unreadable_array
from ...measure.torch.elements import is_plain
from ...measure.torch.metadata import (
    Base,
    element_count,
    grad_fn_of,
    is_any_tensor,
    is_on_meta,
    is_tensor,
    plain,
    requires_grad,
)
from ...measure.torch.modules import is_module
from ...measure.torch.visits import is_lazy
from ...safe.attributes import slots
from ...safe.guard import class_attribute, class_module, class_name, module, plain_str, raw_dict
from ...safe.record import Record
from ..step.classes import functions_defined_by
from .copied_memory import CopiedMemory, can_be_cloned
from .generators import is_generator
from .immutable import IMMUTABLE, is_immutable, is_never_copied, is_numpy
from .lazy import is_uninitialized, uninitialized_copy

torch: Any = module("torch")
_ELEMENTS = 1 << 28  #: of all copied tensors and arrays together
_DEPTH = 60
_LONG = 1000  #: items of a container above which they may stay uncopied: the samples of a dataset, not its settings
_MAPPINGS = (OrderedDict, defaultdict, dict)


class CannotCopy(Exception):
    """Raised where a value can't be copied without code of the program, with a sentence that says why."""


class Uncopied(Record):
    """An object that is used without a copy: the one at ``name``, or with ``is_item`` an item of that one."""

    name: str
    value: Any
    is_item: bool


class DeepCopy:
    """Copies values, each once: what occurs twice in them is one object in the copies too.

    ``modules``, ``generators`` and ``functions`` that it finds are not copied, but listed. Without ``clones`` no memory
    is copied: it only finds out whether all can be. A value that can't be copied raises `CannotCopy`; with
    ``keep_uncopied`` it is used itself, as are the items of long containers, and listed in ``uncopied``. After
    ``shared`` elements are copied, further parameters get new `Parameter` objects over the same memory. With ``lazy``
    those without a shape are copied too, for a run that initializes them.
    """

    most_values = 20_000  #: that are copied

    def __init__(
        self, *, clones: bool = True, keep_uncopied: bool = False, shared: int | None = None, lazy: bool = False
    ) -> None:
        self.modules: list[Any] = []
        self.generators: list[Any] = []
        self.functions: list[FunctionType] = []
        self._clones = clones
        self._keeps_uncopied = keep_uncopied
        self._most_copied = shared
        self._takes_lazy = lazy
        self.shared: list[Any] = []  #: parameters whose memory the copies share
        self.uncopied: list[Uncopied] = []
        self._names: list[str] = []  #: of the attributes that lead to the value being copied
        self._classes: set[int] = set()
        self._made: dict[int, Any] = {}
        self._references: list[Any] = []  #: keeps the values alive, so that no id is used twice
        self._elements = 0
        self._memory = CopiedMemory()

    def note_class(self, cls: type) -> None:
        """Adds the functions of a class to those that may run."""
        if id(cls) not in self._classes:
            self._classes.add(id(cls))
            self.functions.extend(functions_defined_by(cls))

    def of(self, value: Any, depth: int = 0) -> Any:
        if type(value) in IMMUTABLE:
            return value
        if id(value) not in self._made:
            self._references.append(value)
            self._made[id(value)] = self._until_made(value)
            try:
                self._made[id(value)] = self._copied(value, type(value), depth + 1)
            except CannotCopy as error:
                self._made[id(value)] = self._instead_of(value, error)
        return self._made[id(value)]

    def _until_made(self, value: Any) -> Any:
        """What stands for a value within itself where nothing better is made: a cycle."""
        return value

    def _instead_of(self, value: Any, error: CannotCopy) -> Any:
        """What stands in the copy for a value that can't be copied; or it raises the error."""
        if not self._keeps_uncopied:
            raise error
        self._keep_uncopied(value)
        return value

    def _copied(self, value: Any, cls: type, depth: int) -> Any:
        if len(self._references) > self.most_values or depth > _DEPTH:
            raise CannotCopy("holds more than can be copied")
        if is_any_tensor(value):
            return self._tensor(value)
        if is_module(value):
            return self._module(value, cls, depth)
        if is_generator(value):
            self.generators.append(value)
            return value
        if is_never_copied(cls):
            if cls is FunctionType:
                self.functions.append(value)
            return value
        if cls is MethodType:
            self.functions.append(value.__func__)
            return MethodType(value.__func__, self.of(value.__self__, depth))
        if cls is partial:
            return partial(self.of(value.func, depth), *self.of(value.args, depth), **self.of(value.keywords, depth))
        if is_numpy((cls,), "ndarray"):
            return self._array(value)
        return self._container(value, cls, depth)

    def _module(self, value: Any, cls: type, depth: int) -> Any:
        self.modules.append(value)
        return value

    def _tensor(self, value: Any) -> Any:
        if self._takes_lazy and is_uninitialized(value):
            return uninitialized_copy(value)
        if is_lazy(type(value)):
            raise CannotCopy("has no shape yet: run the module on a batch first")
        if not is_tensor(value):
            raise CannotCopy(f"holds a {class_name(type(value))}, which only its own code could copy")
        is_there = is_plain(plain(value))
        if not is_there and not can_be_cloned(value):
            raise CannotCopy(f"holds a {class_name(type(value))} in memory that is not plain")
        if not is_on_meta(value):
            amount = element_count(value) or 0
            if self._is_shared(value, amount):
                self.shared.append(value)
                return torch.nn.Parameter(Base.detach(value), value.requires_grad)
            self._count(amount)
        if not self._clones:
            return value
        copied = self._memory.tensor(Base.detach(plain(value))) if is_there else Base.detach(value).clone()
        return self._cloned(value, copied)

    def _is_shared(self, value: Any, elements: int) -> bool:
        most = self._most_copied
        return most is not None and type(value) is torch.nn.Parameter and self._elements + elements > most

    def _cloned(self, value: Any, copied: Any) -> Any:
        if type(value) is torch.nn.Parameter:
            return torch.nn.Parameter(copied, value.requires_grad)
        if type(copied) is not type(value):
            copied = Base.as_subclass(copied, type(value))
            raw_dict(copied).update(raw_dict(value))
        copied.requires_grad_(bool(requires_grad(value)))
        if grad_fn_of(value) is None:
            return copied
        with torch.enable_grad():  # no leaf, which could not be modified in place
            return copied.clone()

    def _array(self, value: Any) -> Any:
        if value.dtype.hasobject:
            raise CannotCopy("holds an array of objects")
        unread = unreadable_array(value)
        if unread is not None:
            raise CannotCopy(f"holds an array that can't be read: {unread.text}")
        self._count(value.size)
        return self._memory.array(value) if self._clones else value

    def _count(self, elements: int) -> None:
        if self._elements + elements > _ELEMENTS:
            raise CannotCopy("is too large to be copied")
        self._elements += elements

    def _container(self, value: Any, cls: type, depth: int) -> Any:
        has_slots = not issubclass(cls, defaultdict) and any(True for _ in slots(value))
        if has_slots or class_attribute(cls, "__del__") is not None:  # a copy would close what the original has open
            return self._refused(value)
        if issubclass(cls, tuple):
            items = self._items(tuple.__iter__(value), tuple.__len__(value), depth)
            return self._filled(tuple.__new__(cls, items), value, depth)
        if issubclass(cls, frozenset):
            return self._set(value)
        mapping: Any = next((base for base in _MAPPINGS if issubclass(cls, base)), None)
        if mapping is not None:
            return self._mapping(value, cls, mapping, depth)
        if issubclass(cls, list):
            return self._list(value, cls, depth)
        if issubclass(cls, deque):
            if cls is not deque:
                return self._refused(value)
            return deque(self._items(deque.__iter__(value), deque.__len__(value), depth), value.maxlen)
        if issubclass(cls, set):
            return set(self._set(value)) if cls is set else self._refused(value)
        if issubclass(cls, bytearray):
            return bytearray(value) if cls is bytearray else self._refused(value)
        return self._object(value, cls, depth)

    def _items(self, items: Iterable[Any], count: int, depth: int) -> list[Any]:
        found = list(items)
        if count <= _LONG or not self._keeps_uncopied:
            return [self.of(item, depth) for item in found]
        for cls in {id(cls): cls for cls in map(type, found)}.values():
            if cls is not tuple or not all(is_immutable(item) for item in found if type(item) is tuple):
                for one in _to_keep_uncopied(cls, found):
                    self._keep_uncopied(one, is_item=True)
        return found

    def _keep_uncopied(self, value: Any, *, is_item: bool = False) -> None:
        self.uncopied.append(Uncopied(".".join(self._names), value, is_item))

    def _list(self, value: Any, cls: type, depth: int) -> Any:
        made: Any = list.__new__(cls)
        self._made[id(value)] = made
        list.extend(made, self._items(list.__iter__(value), list.__len__(value), depth))
        return self._filled(made, value, depth)

    def _mapping(self, value: Any, cls: type, base: Any, depth: int) -> Any:
        made = base.__new__(cls)
        self._made[id(value)] = made
        if base is defaultdict:
            factory: Any = defaultdict.__dict__["default_factory"]
            factory.__set__(made, self.of(factory.__get__(value), depth))
        items = self._items(base.values(value), base.__len__(value), depth)
        for key, item in zip(list(base.keys(value)), items):
            base.__setitem__(made, self._key(key, value), item)
        return self._filled(made, value, depth)

    def _key(self, key: Any, mapping: Any) -> Any:
        if not is_immutable(key):
            raise CannotCopy(f"holds a {class_name(type(mapping))} with a {class_name(type(key))} as a key")
        return key

    def _set(self, value: Any) -> Any:
        """Sets are copied with their own items: hashing copies could run code of the program."""
        if not all(map(is_immutable, list(value))):
            raise CannotCopy(f"holds a {class_name(type(value))} of objects")
        return value

    def _object(self, value: Any, cls: type, depth: int) -> Any:
        self.note_class(cls)
        base: Any = SimpleNamespace if cls is SimpleNamespace else object
        try:
            made = base.__new__(cls)
        except TypeError:  # it is made in C, or abstract
            return self._refused(value)
        self._made[id(value)] = made
        return self._filled(made, value, depth)

    def _filled(self, made: Any, value: Any, depth: int) -> Any:
        """``made`` with copies of the attributes of ``value``."""
        stored_dict = raw_dict(value)
        if stored_dict:
            if type(stored_dict) is not dict:
                return self._refused(value)
            into = raw_dict(made)
            for name, item in list(stored_dict.items()):
                self._names.append(plain_str(name))
                into[name] = self.of(item, depth)
                self._names.pop()
        return made

    def _refused(self, value: Any) -> Any:
        raise CannotCopy(f"holds a {class_name(type(value))}, which can't be copied")


def _to_keep_uncopied(cls: type, items: list[Any]) -> list[Any]:
    """The items of a class to report as uncopied: the first, but all files, as each position can be restored."""
    if cls in IMMUTABLE or is_never_copied(cls):
        return []
    found = (item for item in items if type(item) is cls)
    return list(found) if class_module(cls) == "_io" else [next(found)]
