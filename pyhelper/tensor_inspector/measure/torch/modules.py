"""The submodules, parameters and buffers of a module, each by the path that a user would type."""

from __future__ import annotations

from collections.abc import Iterator
from keyword import iskeyword
from typing import Any

from ...safe.budget import Budget, Steps
from ...safe.guard import (
    ByClass,
    class_attribute,
    class_dict,
    class_module,
    class_name,
    dict_attribute,
    dict_get,
    each,
    module,
    mro,
    plain_str,
)
from .metadata import is_exact_tensor, is_tensor
from .visits import in_cpp, parts_of

torch: Any = module("torch")
PARTS = ("_parameters", "_buffers", "_modules")  #: the dicts in which a module keeps what is registered
_LISTS = ("Sequential", "ModuleList", "ParameterList")
_DICTS = ("ModuleDict", "ParameterDict")
_STATES = 100_000  #: modules named, each as often as it is registered
EXTRA_STATE = object()  #: stands for the result of the program's ``get_extra_state()``, which is not called


class Member:
    """A module below a root: ``path`` is how one types it (``.body[0]``), ``name`` what torch calls it."""

    __slots__ = ("_suffixes", "attributes", "module", "name", "parent", "path")

    def __init__(self, module: Any, path: str = "", name: str = "", parent: Member | None = None) -> None:
        #: What is typed for a key of a class, by the class's id and the key: the same in all layers that are alike.
        self._suffixes: dict[tuple[int, str], str] = {} if parent is None else parent._suffixes
        self.module = module
        self.path = path
        self.name = name
        self.attributes = parts_of(module)
        self.parent = parent

    @property
    def training(self) -> bool | None:
        mode = self.attributes.get("training")
        return mode if type(mode) is bool else None

    @property
    def top(self) -> Member:
        """The root that it is a part of."""
        current = self
        while current.parent is not None:
            current = current.parent
        return current

    def is_in(self, module: Any) -> bool:
        """Whether it is this module, or below it."""
        current: Member | None = self
        while current is not None and current.module is not module:
            current = current.parent
        return current is not None

    def part(self, part: str) -> Iterator[tuple[str, Any]]:
        """Its own parameters or buffers: the rest of the path, and the tensor."""
        for key, item in self.items(part):
            if is_exact_tensor(item):
                yield self.suffix(key), item

    def parameters(self) -> Iterator[tuple[str, Any]]:
        """Its own parameters, as `part` gives them, also those of other classes, as sharded and lazy ones are."""
        for key, item in self.items("_parameters"):
            if is_tensor(item):
                yield self.suffix(key), item

    def suffix(self, key: str) -> str:
        """The suffix that reaches a registered value from the module's path."""
        known = self._suffixes.get((id(type(self.module)), key))
        if known is None:
            known = self._suffixes[id(type(self.module)), key] = suffix_of(self.module, key)
        return known

    def items(self, part: str) -> list[tuple[str, Any]]:
        """What it has registered as parameters, buffers or modules, by name; a name may have None."""
        return items_of(self.attributes, part)

    def below(self) -> Iterator[tuple[str, Member]]:
        """The modules directly below, those in C++ too: what each is registered as, and it."""
        for key, item in self.items("_modules"):
            if is_module(item) or in_cpp(item) is not None:
                yield key, Member(item, self.path + self.suffix(key), self.full_name(key), self)

    def full_name(self, key: str) -> str:
        """Torch's name for the value that is registered under a key, as in ``state_dict()``."""
        return f"{self.name}.{key}" if self.name else key

    def setting(self, name: str) -> Any:
        """A plain attribute, as a layer's sizes are."""
        return self.attributes.get(name)


def is_module(value: object) -> bool:
    """Whether it is a ``torch.nn.Module``, by its class."""
    return issubclass(type(value), torch.nn.Module)


def is_of(member: Any, *names: str) -> bool:
    """Whether a module is one of torch's own layers of these names, or derived from it."""
    return not _layers(type(member)).isdisjoint(names)


def registered(value: Any, name: str, missing: Any) -> Any:
    """What a module has registered under a name, by its dicts alone; ``missing`` where that is nothing."""
    for part in PARTS:
        found = dict_get(dict_attribute(value, part), name, missing)
        if found is not missing:
            return found
    return missing


def members(root: Any, steps: Steps) -> Iterator[Member]:
    """The module and all below it, each once, parents first."""
    seen, waiting = {id(root)}, [Member(root)]
    while waiting and not steps.end():
        member = waiting.pop()
        yield member
        below = []
        for _, part in member.below():
            if id(part.module) not in seen or not is_module(part.module):  # one in C++ is a new object each time
                seen.add(id(part.module))
                below.append(part)
        below.reverse()
        waiting += below


def parameters_of(root: Any) -> list[Any]:
    """The parameters of a module and of all below it."""
    return [tensor for member in members(root, Steps(Budget())) for _, tensor in member.part("_parameters")]


def state_of(root: Any) -> Iterator[tuple[str, Any]]:
    """Parameters and buffers by the names that ``state_dict()`` has for them, each as often as it has one, and
    `EXTRA_STATE` for what else a module saves."""
    waiting = [Member(root)]
    for _ in range(_STATES):
        if not waiting:
            return
        member = waiting.pop()
        unsaved = member.attributes.get("_non_persistent_buffers_set")
        for part in ("_parameters", "_buffers"):
            for key, item in member.items(part):
                if item is not None and not (part == "_buffers" and type(unsaved) is set and key in unsaved):
                    yield member.full_name(key), item
        if _saves_more(type(member.module)):
            yield member.full_name("_extra_state"), EXTRA_STATE
        below = [part for _, part in member.below() if not any(one.module is part.module for one in _around(member))]
        waiting += reversed(below)


def _around(member: Member) -> Iterator[Member]:
    """The member and all that it is a part of."""
    current: Member | None = member
    while current is not None:
        yield current
        current = current.parent


def children(member: Member) -> list[Any]:
    """The modules directly below, in their order."""
    return [item for _, item in items_of(member.attributes, "_modules") if is_module(item)]


def items_of(attributes: dict[str, Any], part: str) -> list[tuple[str, Any]]:
    """What a module with these attributes has registered as parameters, buffers or modules, by name."""
    found: Any = attributes.get(part)
    if not issubclass(type(found), dict) or not dict.__len__(found):
        return []
    return [(plain_str(key), item) for key, item in each(dict.items, found)]


_layers = ByClass(
    lambda cls: frozenset(class_name(base) for base in mro(cls) if class_module(base).startswith("torch."))
)
_plain = class_dict(torch.nn.Module).get("get_extra_state")
_saves_more = ByClass(
    lambda cls: issubclass(cls, torch.nn.Module) and class_attribute(cls, "get_extra_state") is not _plain
)


def suffix_of(parent: Any, key: str) -> str:
    """What one types after a module for what it has registered under a key."""
    if key.isdigit() and is_of(parent, *_LISTS):
        return f"[{key}]"
    if is_of(parent, *_DICTS):
        return f'["{key}"]'
    taken = any(key in class_dict(base) for base in mro(type(parent)))
    return f".{key}" if key.isidentifier() and not iskeyword(key) and not taken else f'._modules["{key}"]'
