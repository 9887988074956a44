"""Runs a model once more, on request, and leaves all as it was: bit for bit, also where the run raises or is interrupted.

While it runs, the model works on copies of what it holds: of parameters, buffers and other tensors, arrays, containers
and objects, at any depth. No hook is called. Random numbers go on from where they were, and are set back, also those of
generators that the code of the model names. A model that holds what can't be copied is not run; what its code changes
elsewhere, as files and global variables, can't be taken back.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType
from typing import Any

from ...measure.torch.modules import Member, is_of, members
from ...safe.budget import Budget, Steps
from ...safe.guard import Classes, class_name, dict_attribute, dict_get, instance_dict, module, stored
from .duplicates import Duplicates, NotCopied
from .reached import Reached, methods

_COPIED = Classes(dict, OrderedDict, list, set)

torch: Any = module("torch")
_TRIES = 3  #: of an undoing that is interrupted
_TABLES = ("_parameters", "_buffers")
_HOOKS = tuple(
    "_forward_hooks _forward_hooks_with_kwargs _forward_hooks_always_called _forward_pre_hooks"
    " _forward_pre_hooks_with_kwargs".split()
)
_COMMON_HOOKS = tuple(
    "_global_forward_hooks _global_forward_hooks_with_kwargs _global_forward_hooks_always_called"
    " _global_forward_pre_hooks".split()
)
_BOOKKEEPING = frozenset(instance_dict(torch.nn.Module()))
_SHARED = ("DistributedDataParallel", "FullyShardedDataParallel", "FSDPModule", "SyncBatchNorm")


def uncompiled(model: Any) -> Any:
    """The model that `torch.compile` was given: to run what it has made may compile it again."""
    while class_name(type(model)) == "OptimizedModule" and is_of(model, "OptimizedModule"):
        model = dict_get(dict_attribute(model, "_modules"), "_orig_mod")
    return model


def why_not(model: Any) -> str | None:
    """Why a model is not run; None where all that a run changes can be put back."""
    if _processes() > 1:
        return "other processes would have to run it too"
    copies = Duplicates(clones=False)
    functions: list[FunctionType] = []
    for member in _all_members(model, copies):
        if is_of(member.module, *_SHARED):
            return f"{class_name(type(member.module))} may wait for other processes"
        if is_of(member.module, "OptimizedModule") or member.attributes.get("_compiled_call_impl") is not None:
            return "a part of it is compiled"
        if member.attributes is not stored(member.module):
            return f"{class_name(type(member.module))} keeps its attributes in no plain dict"
        functions.extend(methods(type(member.module)))
        for name, value in _attributes(member):
            try:
                copies.of(value)
            except NotCopied as why:
                path = member.path or class_name(type(member.module))
                return f"{path}.{name} {why}"
    return "a function that it calls is compiled" if Reached([*functions, *copies.functions]).compiled else None


class Rerun:
    """A context in which a model may be run: what that changes is undone at its end."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._undo: list[Callable[[], object]] = []
        self._copies = Duplicates()

    def __enter__(self) -> Rerun:
        try:
            self._enter()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _enter(self) -> None:
        if sys.gettrace() is not None:  # a debugger would stop in what is run
            self._undo.append(partial(sys.settrace, sys.gettrace()))
            sys.settrace(None)
        self._undo.extend(_random_states())
        functions: list[FunctionType] = []
        for member in _all_members(self._model, self._copies):
            functions.extend(methods(type(member.module)))
            self._isolate(member)
        reached = Reached([*functions, *self._copies.functions])
        for generator in {id(one): one for one in (*self._copies.generators, *reached.generators)}.values():
            self._undo.append(_state_of(generator))
        common = torch.nn.modules.module
        for name in _COMMON_HOOKS:
            if name in instance_dict(common):
                self._undo.append(partial(setattr, common, name, getattr(common, name)))
                setattr(common, name, OrderedDict())

    def _isolate(self, member: Member) -> None:
        attributes = member.attributes
        before = dict(attributes)
        self._undo.append(partial(_put_back, attributes, before))
        copied = {name: self._copies.of(value) for name, value in _attributes(member)}
        for name, value in before.items():
            if name in copied:
                attributes[name] = copied[name]
            elif name in _HOOKS:
                attributes[name] = OrderedDict()
            elif type(value) in _COPIED:
                attributes[name] = type(value)(value)

    def set_eval(self) -> None:
        """As ``model.eval()``, without its code."""
        for member in _members(self._model):
            member.attributes["training"] = False

    def draw(self) -> None:
        """Goes on to other random numbers."""
        torch.rand(7)
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            for number in range(torch.cuda.device_count()):
                torch.rand(7, device=f"cuda:{number}")
        for name in ("random", "numpy.random"):
            library: Any = sys.modules.get(name)
            if library is not None:
                library.random()

    def __exit__(self, *error: object) -> None:
        failed: BaseException | None = None
        tries = 0
        while self._undo:
            try:
                self._undo[-1]()
            except BaseException as fault:  # the rest is put back all the same
                failed, tries = fault, tries + 1
                if tries < _TRIES:
                    continue
            tries = 0
            self._undo.pop()
        if failed is not None and not any(error):
            raise failed


def _members(model: Any) -> Iterator[Member]:
    return members(model, Steps(Budget()))


def _all_members(model: Any, copies: Duplicates) -> Iterator[Member]:
    """The parts of a model, and of modules that its attributes hold without registering them: as these are found."""
    seen: set[int] = set()
    waiting = [model]
    while waiting:
        for member in list(_members(waiting.pop())):
            if id(member.module) not in seen:
                seen.add(id(member.module))
                yield member
        waiting.extend(one for one in copies.modules if id(one) not in seen)


def _attributes(member: Member) -> Iterator[tuple[str, Any]]:
    """What a run may change: its tensors, and all that is no part of torch's own bookkeeping."""
    attributes = list(member.attributes.items())
    return ((name, value) for name, value in attributes if name in _TABLES or name not in _BOOKKEEPING)


def _processes() -> int:
    """How many processes train together with this one."""
    shared: Any = module("torch.distributed")
    return (
        int(shared.get_world_size()) if shared is not None and shared.is_available() and shared.is_initialized() else 1
    )


def _put_back(attributes: dict[str, Any], before: dict[str, Any]) -> None:
    attributes.clear()
    attributes.update(before)


def _random_states() -> Iterator[Callable[[], object]]:
    """What sets the common generators of random numbers back to where they are now."""
    python: Any = sys.modules.get("random")
    if python is not None:
        yield partial(python.setstate, python.getstate())
    numpy: Any = sys.modules.get("numpy.random")
    if numpy is not None:
        yield partial(numpy.set_state, numpy.get_state())
    yield partial(torch.set_rng_state, torch.get_rng_state())
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        for number in range(torch.cuda.device_count()):
            yield partial(torch.cuda.set_rng_state, torch.cuda.get_rng_state(number), number)


def _state_of(generator: Any) -> Callable[[], object]:
    """What sets a generator of the program's own back to where it is now."""
    if type(generator) is torch.Generator:
        return partial(generator.set_state, generator.get_state())
    if hasattr(generator, "bit_generator"):
        bits = generator.bit_generator
        return partial(setattr, bits, "state", bits.state)
    names = ("setstate", "getstate") if hasattr(generator, "getstate") else ("set_state", "get_state")
    return partial(getattr(generator, names[0]), getattr(generator, names[1])())
