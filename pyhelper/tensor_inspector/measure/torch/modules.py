"""What stands in a module: its submodules, parameters and buffers, each by the path that a user would type."""

from __future__ import annotations

from collections.abc import Iterator
from keyword import iskeyword
from typing import Any

from ...safe.budget import Budget, Steps
from ...safe.guard import ByClass, class_dict, class_module, class_name, each, instance_dict, module, mro, plain_str
from .metadata import is_exact_tensor

torch: Any = module("torch")
_LISTS = ("Sequential", "ModuleList", "ParameterList")
_DICTS = ("ModuleDict", "ParameterDict")


class Member:
    """A module below a root: ``path`` is how one types it (``.body[0]``), ``name`` what torch calls it."""

    __slots__ = ("_suffixes", "attributes", "module", "name", "parent", "path")

    def __init__(self, module: Any, path: str, name: str, parent: Member | None) -> None:
        #: What is typed for a key of a class, by the class's id and the key: the same in all layers that are alike.
        self._suffixes: dict[tuple[int, str], str] = {} if parent is None else parent._suffixes
        self.module = module
        self.path = path
        self.name = name
        self.attributes = instance_dict(module)
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

    def suffix(self, key: str) -> str:
        """What one types after its path for what it has registered."""
        known = self._suffixes.get((id(type(self.module)), key))
        if known is None:
            known = self._suffixes[id(type(self.module)), key] = _suffix(self.module, key)
        return known

    def items(self, part: str) -> list[tuple[str, Any]]:
        """What it has registered as parameters, buffers or modules, by name; a name may have None."""
        return _items(self.attributes, part)

    def setting(self, name: str) -> Any:
        """A plain attribute, as a layer's sizes are."""
        return self.attributes.get(name)


def is_module(value: object) -> bool:
    return issubclass(type(value), torch.nn.Module)


def is_of(member: Any, *names: str) -> bool:
    """Whether a module is one of torch's own layers of these names, or derived from it."""
    return not _layers(type(member)).isdisjoint(names)


def members(root: Any, steps: Steps) -> Iterator[Member]:
    """The module and all below it, each once, parents first."""
    seen, waiting = {id(root)}, [Member(root, "", "", None)]
    while waiting and not steps.end():
        member = waiting.pop()
        yield member
        below = []
        for key, item in _items(member.attributes, "_modules"):
            if is_module(item) and id(item) not in seen:
                seen.add(id(item))
                name = f"{member.name}.{key}" if member.name else key
                below.append(Member(item, member.path + member.suffix(key), name, member))
        below.reverse()
        waiting += below


def parameters_of(root: Any) -> list[Any]:
    """The parameters of a module and of all below it."""
    return [tensor for member in members(root, Steps(Budget())) for _, tensor in member.part("_parameters")]


def children(member: Member) -> list[Any]:
    """The modules directly below, in their order."""
    return [item for _, item in _items(member.attributes, "_modules") if is_module(item)]


def _items(attributes: dict[str, Any], part: str) -> list[tuple[str, Any]]:
    found: Any = attributes.get(part)
    if not issubclass(type(found), dict) or not dict.__len__(found):
        return []
    return [(plain_str(key), item) for key, item in each(dict.items, found)]


_layers = ByClass(
    lambda cls: frozenset(class_name(base) for base in mro(cls) if class_module(base).startswith("torch."))
)


def _suffix(parent: Any, key: str) -> str:
    if key.isdigit() and is_of(parent, *_LISTS):
        return f"[{key}]"
    if is_of(parent, *_DICTS):
        return f'["{key}"]'
    taken = any(key in class_dict(base) for base in mro(type(parent)))
    return f".{key}" if key.isidentifier() and not iskeyword(key) and not taken else f'._modules["{key}"]'
