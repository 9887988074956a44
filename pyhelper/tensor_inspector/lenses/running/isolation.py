"""Runs code of the program on request, and restores everything bit for bit, also where it raises or is interrupted.

While it runs, modules use copies of their parameters, buffers and other tensors, arrays, containers and objects, at any
depth. No hooks run but those of torch that compute weights. Random generators, also those that the code names, continue
from their state and are set back, as are the modes and flags of torch. What holds something that can't be copied is not
run. What code changes elsewhere, as files and global variables, is not restored.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

from ... import debugger
from ...measure.torch.modules import Member, is_of, members
from ...measure.torch.visits import in_cpp
from ...safe.budget import Budget, Steps
from ...safe.guard import (
    Classes,
    class_name,
    dict_attribute,
    dict_get,
    instance_dict,
    is_filled_dict,
    is_found_in,
    module,
    raw_dict,
)
from ...safe.restoring import RestoringContext
from .affected import AffectedModules
from .deep_copy import CannotCopy, DeepCopy, Uncopied
from .generators import common_states, state_of
from .lazy import initializing, let_initialize
from .read_only import ReadOnly
from .torch_switches import switch_restorers

_DICTS = Classes(dict, OrderedDict)
_COPIED = Classes(dict, OrderedDict, list, set)

torch: Any = module("torch")
_COPIED_AT_MOST = 1 << 26  #: elements, where parameters may be shared
_DEPTH = 10  #: wrappers around one another
_TABLES = ("_parameters", "_buffers")
_HOOKS = tuple(
    "_forward_hooks _forward_hooks_with_kwargs _forward_hooks_always_called _forward_pre_hooks"
    " _forward_pre_hooks_with_kwargs _backward_hooks _backward_pre_hooks".split()
)
_COMMON_HOOKS = tuple(
    "_global_forward_hooks _global_forward_hooks_with_kwargs _global_forward_hooks_always_called"
    " _global_forward_pre_hooks _global_backward_hooks _global_backward_pre_hooks".split()
)
_OF_FORWARD = ("_forward_hooks", "_forward_pre_hooks", "_global_forward_hooks", "_global_forward_pre_hooks")
_set_class = object.__dict__["__class__"].__set__
_BEFORE, _AFTER, _ENDED = "before", "after", "ended"  #: keys of hooks, where the program's are numbers
_BOOKKEEPING = frozenset((*instance_dict(torch.nn.Module()), "_compiled_call_impl"))
_WRAPPERS = {"OptimizedModule": "_orig_mod", "DistributedDataParallel": "module", "DataParallel": "module"}
_SHARED = ("DistributedDataParallel", "FullyShardedDataParallel", "FSDPModule", "SyncBatchNorm")


def inner_model(model: Any) -> Any:
    """The model inside the wrappers of `torch.compile` and data parallelism. Running a wrapper may compile the model
    again, or wait for other processes."""
    for _ in range(_DEPTH):
        inner = next((name for cls, name in _WRAPPERS.items() if is_of(model, cls)), None)
        if inner is None:
            break
        model = dict_get(dict_attribute(model, "_modules"), inner)
    return model


def why_not(*values: Any, shares: bool = False, lazy: bool = False) -> str | None:
    """Why these modules, functions and arguments are not run; None where all that a run changes can be restored.

    About a value that is no module it is a predicate: ``holds a lock, which can't be copied``. For ``shares`` and
    ``lazy`` see `Isolation`.
    """
    if _processes() > 1:
        return "other processes would have to run it too"
    copies = DeepCopy(clones=False, shared=_COPIED_AT_MOST if shares else None, lazy=lazy)
    try:
        for value in values:
            copies.of(value)
    except CannotCopy as why:
        return str(why)
    affected = AffectedModules(copies)
    for member in affected:
        why_not_member = _why_not_member(member, copies)
        if why_not_member is not None:
            return why_not_member
    return "a function that it calls is compiled" if affected.reached.compiled else None


def uncopied_in(value: Any) -> list[Uncopied]:
    """What a run of it in an `Isolation` with ``keep_uncopied`` would use without a copy."""
    copies = DeepCopy(clones=False, keep_uncopied=True)
    copies.of(value)
    for member in AffectedModules(copies):
        for _, value in _named(member):
            copies.of(value)
    return copies.uncopied


def _why_not_member(member: Member, copies: DeepCopy) -> str | None:
    if _is_bypassed(member):
        return None
    if is_of(member.module, "OptimizedModule"):
        return "a part of it is compiled"
    if is_of(member.module, *_SHARED):
        return f"{class_name(type(member.module))} may wait for other processes"
    if in_cpp(member.module) is not None:
        whole = member.parent is None
        return f"{'it' if whole else 'a part of it'} is scripted, whose tensors can't be replaced by copies"
    if member.attributes is not raw_dict(member.module):
        return f"{class_name(type(member.module))} keeps its attributes in no plain dict"
    for name, value in _named(member):
        try:
            copies.of(value)
        except CannotCopy as why:
            path = member.path or class_name(type(member.module))
            return f"{path}.{name} {why}"
    return None


def _named(member: Member) -> Iterator[tuple[str, Any]]:
    """What a run may change of a module, by the names that a user would type."""
    for name, value in _attributes(member):
        yield from member.items(name) if name in _TABLES and type(value) in _COPIED else [(name, value)]


def _is_bypassed(member: Member) -> bool:
    """Whether a module is a wrapper inside another module: the isolated one runs the wrapped module instead."""
    return member.parent is not None and inner_model(member.module) is not member.module


class Isolation(RestoringContext):
    """A context in which modules and functions can be run. Its end undoes what they change.

    Run modules themselves, and of all else what `copy` returns. Entering raises `CannotCopy` where something can't be
    copied; with ``keep_uncopied`` the original is used instead. With ``shares`` the parameters of a large model are not
    copied: run code within `read_only`, where it can't write to them. With ``lazy`` the run initializes lazy modules.
    """

    def __init__(self, *values: Any, keep_uncopied: bool = False, shares: bool = False, lazy: bool = False) -> None:
        super().__init__()
        self._values = values
        self._copies = DeepCopy(keep_uncopied=keep_uncopied, shared=_COPIED_AT_MOST if shares else None, lazy=lazy)
        self._watched: list[Member] = []  #: whose forward `watch` sees
        self.hooks_left_out = 0  #: the number of forward hooks that are not called

    def __enter__(self) -> Isolation:
        try:
            self._enter()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _enter(self) -> None:
        if sys.gettrace() is not None:  # a debugger would stop in what is run
            self._undo.append(partial(debugger.set_trace, sys.gettrace()))
            debugger.set_trace(None)
        self._undo.extend(switch_restorers())
        self._undo.extend(common_states())
        for value in self._values:
            self.copy(value)
        affected = AffectedModules(self._copies)
        for member in affected:
            if not _is_bypassed(member):
                self._isolate(member)
                if _is_initialized(member):
                    self._watched.append(member)
        for generator in {id(one): one for one in (*self._copies.generators, *affected.reached.generators)}.values():
            self._undo.append(state_of(generator))
        common = torch.nn.modules.module
        for name in _COMMON_HOOKS:
            if name in instance_dict(common):
                hooks = getattr(common, name)
                if name in _OF_FORWARD:
                    self.hooks_left_out += len(hooks)
                self._undo += [partial(setattr, common, name, hooks), _refill(hooks)]
                setattr(common, name, OrderedDict())

    def copy(self, value: Any) -> Any:
        """A copy of the value. What several values hold is copied once; modules and functions are not copied."""
        return self._copies.of(value)

    def _isolate(self, member: Member) -> None:
        attributes = member.attributes
        before = dict(attributes)
        self._undo.append(partial(_restore, attributes, before))
        self._undo.append(partial(_set_class, member.module, type(member.module)))
        # A hook that is removed is found by its handle, in the dict that it was put into.
        bookkeeping = (value for name, value in before.items() if name in _BOOKKEEPING and name not in _TABLES)
        self._undo += [_refill(value) for value in bookkeeping if type(value) in _DICTS]
        copied = {name: self.copy(value) for name, value in _attributes(member)}
        for name, value in before.items():
            if name in copied:
                attributes[name] = copied[name]
            elif name in _HOOKS:
                attributes[name] = kept = _kept(value) if name == "_forward_pre_hooks" else OrderedDict()
                if name in _OF_FORWARD:
                    self.hooks_left_out += len(value) - len(kept)
            elif type(value) in _COPIED:
                attributes[name] = type(value)(value)
        if _is_initialized(member):
            with_kwargs = before.get("_forward_pre_hooks_with_kwargs", ())
            flags = ((key, True) for key in attributes["_forward_pre_hooks"] if key in with_kwargs)
            attributes["_forward_pre_hooks_with_kwargs"] = OrderedDict(flags)
            let_initialize(attributes)
        if is_filled_dict(attributes.get("_modules")):
            attributes["_modules"] = {name: inner_model(one) for name, one in dict.items(attributes["_modules"])}
        if "_compiled_call_impl" in attributes:  # `module.compile()` has set it
            attributes["_compiled_call_impl"] = None

    def read_only(self) -> AbstractContextManager[object]:
        """A context in which an operation that would write to shared parameters raises `WouldWrite`."""
        return ReadOnly(self._copies.shared) if self._copies.shared else nullcontext()

    def watch(self, before: Callable[..., None], after: Callable[..., None], ended: Callable[..., None]) -> None:
        """Calls ``before(module, args, kwargs)`` and ``after(module, args, kwargs, output)`` around each forward.

        ``ended``, with the arguments of ``after``, is called last, also where forward raises an `Exception`.
        """
        for member in self._watched:
            added = {"_forward_pre_hooks": {_BEFORE: before}, "_forward_hooks": {_AFTER: after, _ENDED: ended}}
            for part, ours in added.items():
                hooks = member.attributes[part]
                hooks.update(ours)
                for key in reversed(ours):
                    hooks.move_to_end(key, last=False)
                member.attributes[f"{part}_with_kwargs"].update(dict.fromkeys(ours, True))
            member.attributes["_forward_hooks_always_called"] = OrderedDict({_ENDED: True})  # since torch 2.1

    def set_eval(self) -> None:
        """As ``model.eval()``, without running that method."""
        for value in self._values:
            for member in members(value, Steps(Budget())):
                member.attributes["training"] = False


def _is_initialized(member: Member) -> bool:
    """Whether ``Module.__init__`` was called: one that only `__new__` has made has no hooks, and can't be called."""
    return "_forward_pre_hooks" in member.attributes


def _attributes(member: Member) -> Iterator[tuple[str, Any]]:
    """The attributes that a run may change: parameters, buffers, and what the program has set."""
    attributes = list(member.attributes.items())
    return ((name, value) for name, value in attributes if name in _TABLES or name not in _BOOKKEEPING)


def _kept(hooks: Any) -> OrderedDict[int, Any]:
    """Of the hooks before a forward those of torch's own that compute a weight from others (`weight_norm`,
    `spectral_norm`, `prune`), or initialize it."""
    computing = ((key, hook) for key, hook in hooks.items() if is_found_in(type(hook), "torch.nn.utils"))
    return OrderedDict([*initializing(hooks).items(), *computing])


def _refill(hooks: Any) -> Callable[[], None]:
    """What gives a dict the entries again that it has now."""
    entries = list(hooks.items())

    def put_back() -> None:
        hooks.clear()
        hooks.update(entries)

    return put_back


def _processes() -> int:
    """How many processes train together with this one."""
    shared: Any = module("torch.distributed")
    return (
        int(shared.get_world_size()) if shared is not None and shared.is_available() and shared.is_initialized() else 1
    )


def _restore(attributes: dict[str, Any], before: dict[str, Any]) -> None:
    attributes.clear()
    attributes.update(before)
