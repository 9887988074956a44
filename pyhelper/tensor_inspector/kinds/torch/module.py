"""``nn.Module``: its sizes, parameters, devices, modes and gradients."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain, islice
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

from ...measure.torch.digest import Digest
from ...measure.torch.finite import NotFinite
from ...measure.torch.visits import parts_of
from ...safe.attributes import traits
from ...safe.budget import Budget
from ...safe.guard import (
    ByClass,
    Classes,
    class_attribute,
    class_dict,
    class_name,
    dict_attribute,
    dict_get,
    each,
    instance_dict,
    is_filled_dict,
    module,
    mro,
    owner_of,
    plain_str,
)
from ...words.line import is_loud, short
from ...words.text import listed, plural
from ..families import by_base
from ..kind import Child, Kind, NotStatic
from ..python.objects import brief, other_rows, property_rows
from ..python.settings import GivenArgument, settings_of
from .finite import find_not_finite, finite_badges, finite_rows, finite_words, without_meant
from .module_words import (
    cut_words,
    device_words,
    digest_rows,
    frozen_words,
    grad_words,
    has_sizes,
    head_words,
    mode_words,
    parameter_words,
    sizes,
    uninitialized_words,
)

if TYPE_CHECKING:
    from ...protocol import Badge, Facts

torch: Any = module("torch")

_MISSING: Any = object()
_PARTS = ("_parameters", "_buffers", "_modules")
_LISTS = {"_modules": Classes(torch.nn.Sequential, torch.nn.ModuleList), "_parameters": Classes(torch.nn.ParameterList)}
_DICTS = {"_modules": Classes(torch.nn.ModuleDict), "_parameters": Classes(torch.nn.ParameterDict)}
_CONTAINERS = Classes(
    torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ModuleDict, torch.nn.ParameterList, torch.nn.ParameterDict
)
_WRAPPED = ("module", "_orig_mod", "_fsdp_wrapped_module")  #: what wrappers call the module that they stand around
_SHOWN = 12  #: settings of a module without parameters
_SETTINGS = 60  #: characters of them in its line
_WRAPPERS = 4  #: wrappers named in a line
_INTERNAL = {*_PARTS, "training", "_non_persistent_buffers_set"}


class Module(Kind):
    kind = "module"
    summarized = True
    rank = 0
    watched_as = "module"

    def __init__(self, value: Any, budget: Budget) -> None:
        super().__init__(value, budget)
        self._attrs = instance_dict(value)

    def brief(self) -> str:
        return self.head

    @cached_property
    def head(self) -> str:
        """The class with the sizes that make it: ``Linear(512 → 10)``; of a wrapper, what it wraps."""
        attrs, cls = self._attrs, type(self.value)
        if _is_container(cls):
            return f"{self.type_name()}({self._count()})"
        names, inside = [self.type_name()], _inside(self.value)
        for _ in range(_WRAPPERS):
            if inside is None:
                break
            names.append(Module(inside, self.budget).type_name())
            attrs, inside = instance_dict(inside), _inside(inside)
        return " of ".join(names) + sizes(attrs, "?" if _is_lazy(cls) else "0")

    def inline(self) -> str | None:
        found = self.digest
        loud = filter(is_loud, (*finite_words(self.not_finite), grad_words(found) or ""))
        words = (*loud, self.head, parameter_words(found), self._settings_word(), self._not_initialized())
        return " ".join(filter(None, words))

    def parts(self) -> Iterable[str | None]:
        found = self.digest
        return [
            *head_words(self.head),
            parameter_words(found),
            cut_words(found),
            _graph_or_parametrizations(parts_of(self.value)),
            self._settings_word(),
            device_words(found),
            *finite_words(self.not_finite),
            self._not_initialized() or mode_words(found),
            uninitialized_words(found),
            frozen_words(found),
            grad_words(found),
        ]

    def _not_initialized(self) -> str | None:
        return None if "_parameters" in parts_of(self.value) else "not initialized"

    def badges(self) -> list[Badge]:
        found, badges = self.digest, finite_badges(self.not_finite)
        return [*badges, "no_grad"] if found.with_grad and found.without_grad else badges

    def lenses(self) -> list[str]:
        found, can_be_called = self.digest, self._has_forward()
        asked = [
            ("gradients", found.wanting),
            ("no_gradient", found.without_grad or found.frozen),
            ("model", found.submodules or found.tensors),
            ("shapes", can_be_called),
            ("gradcheck", can_be_called),
        ]
        return [name for name, says in asked if says]

    def _has_forward(self) -> bool:
        """Whether it can be called: lists of modules can't."""
        return "forward" in self._attrs or class_attribute(type(self.value), "forward") is not torch.nn.Module.forward

    def child_count(self) -> int | None:
        rest, hooks = self._others
        return self._count() + bool(rest) + bool(hooks) + len(property_rows(self.value))

    def children(self, start: int, count: int) -> Iterable[Child]:
        rows = chain(self._members(start), islice(self._groups(), max(0, start - self._count()), None))
        return islice(rows, count)

    def _part(self, part: str) -> dict[Any, Any]:
        found: Any = self._attrs.get(part)
        return found if issubclass(type(found), dict) else {}

    def _count(self) -> int:
        """How many parameters, buffers and submodules."""
        return sum(dict.__len__(self._part(part)) for part in _PARTS)

    def settings(self) -> dict[str, str]:
        names: Any = self._attrs.get("_non_persistent_buffers_set")
        known = sorted(map(plain_str, each(set.__iter__, names))) if issubclass(type(names), set) else []
        return {"buffers that are not saved": ", ".join(map(repr, known)) or "none"}

    def item(self, key: Any) -> Any:
        for part in _PARTS:
            inside, found = self._part(part), _MISSING
            if type(key) is int and key >= 0 and self._subscripts(_LISTS, part):
                there = islice(each(dict.items, inside, key), 1)
                found = next((item for name, item in there if plain_str(name) == str(key)), _MISSING)
            elif type(key) is str and self._subscripts(_DICTS, part):
                found = dict_get(inside, key, _MISSING)
            if found is not _MISSING:
                return found
        raise NotStatic(f"{self.type_name()} computes its subscripts")

    def facts(self) -> Facts:
        facts, size = super().facts(), self.digest.bytes()
        if size is not None:
            facts["bytes"] = size
        return facts

    def fact_rows(self) -> list[list[str]]:
        if self._settings is None:
            return [*digest_rows(self.digest), *finite_rows(self.not_finite)]
        told = [one for one in self._settings if one.name not in self._part("_buffers")]  # which are rows
        rows, mode = [[one.name, brief(one.value, self)] for one in told[:_SHOWN]], mode_words(self.digest)
        label = "mode" if all(one.name != "mode" for one in told) else "train or eval"
        return [*rows, *([] if mode is None else [[label, mode]]), *finite_rows(self.not_finite)]

    @cached_property
    def _settings(self) -> list[GivenArgument] | None:
        """What it was made with, and its other attributes; None of what has parameters or submodules."""
        held = (each(dict.values, self._part(part)) for part in ("_parameters", "_modules"))
        if any(item is not None for items in held for item in items):
            return None  # told without a walk through all of them
        found = self.digest
        if not found.complete or found.parameters or found.submodules or self._not_initialized():
            return None
        named = settings_of(type(self.value), {**self._attrs, **self._part("_buffers")}, torch.nn.Module)
        known = {one.name for one in named}
        others = (name for name in self._others[0] if name not in known and not name.startswith("_"))
        return [*named, *(GivenArgument(name, self._attrs[name], True) for name in others)]

    def _settings_word(self) -> str | None:
        """The settings that are not the defaults, where the head tells none."""
        set_up = [one for one in self._settings or () if not one.is_default and one.value is not None]
        if not set_up or has_sizes(self._attrs):
            return None
        items = [f"{one.name} {short(brief(one.value, self))}" for one in set_up[:_SHOWN]]
        return listed(items, len(set_up) > _SHOWN, _SETTINGS)

    def member_types(self) -> Iterable[str]:
        return self.digest.types

    @cached_property
    def digest(self) -> Digest:
        return Digest(self.value, self.budget.share())

    @cached_property
    def not_finite(self) -> NotFinite:
        tensors, budget = self.digest.values, self.budget.share()
        return without_meant(find_not_finite(tensors, budget, self.digest.complete), tensors, budget)

    def _members(self, start: int) -> Iterator[Child]:
        """Parameters, buffers and submodules, each by the expression that reaches it."""
        for part in _PARTS:
            inside = self._part(part)
            for index, (key, item) in enumerate(each(dict.items, inside, start), start):
                name = plain_str(key)
                yield Child(name or f"#{index}", item, self._suffix(name, part, index) if name else None)
            start = max(0, start - dict.__len__(inside))

    def _suffix(self, name: str, part: str, index: int) -> str | None:
        cls = type(self.value)
        if traits(cls).computes:
            return None
        bases = mro(cls)
        if name == str(index) and self._subscripts(_LISTS, part):
            return f"[{index}]"
        if self._subscripts(_DICTS, part):
            return f"[{name!r}]"
        taken = name in self._attrs or any(name in class_dict(base) for base in bases)
        is_name = name.isidentifier() and not iskeyword(name) and not taken
        return f".{name}" if is_name else f".{part}[{name!r}]"

    def _subscripts(self, classes: dict[str, Classes], part: str) -> bool:
        """Whether a subscript is into that part, by the code of one of torch's classes."""
        cls = type(self.value)
        return not traits(cls).computes and owner_of(cls, "__getitem__") in classes.get(part, ())

    def _groups(self) -> Iterator[Child]:
        rest, hooks = self._others
        are_told = self._settings is not None
        yield from other_rows(self.value, rest, text=plural(len(rest), "attribute") if are_told else None)
        yield from other_rows(self.value, hooks, "registered hooks")
        yield from property_rows(self.value)

    @cached_property
    def _others(self) -> tuple[list[str], list[str]]:
        """The names of attributes that are no part of it nor of torch's bookkeeping, and those of hooks."""
        hooks, rest = [], []
        for name, item in each(dict.items, self._attrs):
            if name.endswith("_hooks") and is_filled_dict(item):
                hooks.append(name)
            if name not in _INTERNAL and not (name.startswith("_") and "hook" in name):
                rest.append(name)
        return rest, hooks


def _inside(value: Any) -> Any:
    """The module that a wrapper wraps, as ``torch.compile`` and data parallelism do."""
    parts = dict_attribute(value, "_modules")
    if dict.__len__(parts) != 1:
        return None
    below = next((dict_get(parts, name) for name in _WRAPPED if dict_get(parts, name) is not None), None)
    return below if issubclass(type(below), torch.nn.Module) else None


def _graph_or_parametrizations(attrs: dict[str, Any]) -> str | None:
    """A part of the line for modules that are not written as a class: a traced graph, parametrized weights."""
    nodes = instance_dict(attrs.get("_graph")).get("_len")
    if type(nodes) is int:
        return f"graph of {plural(nodes, 'node')}"
    modules: Any = attrs.get("_modules")
    replaced = dict_get(modules, "parametrizations") if issubclass(type(modules), dict) else None
    names = [plain_str(name) for name in each(dict.__iter__, dict_attribute(replaced, "_modules"))]
    return f"parametrized {listed(names, False, 40)}" if names else None


_is_container = ByClass(lambda cls: any(base in _CONTAINERS for base in mro(cls)))
_is_lazy = ByClass(lambda cls: any(class_name(base) == "LazyModuleMixin" for base in mro(cls)))
kind_for = by_base({Module: (torch.nn.Module,)})
