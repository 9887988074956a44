"""Decides whether all code between the stop and a line is a library's and changes no module.

The program's own code, and what is not known, may do anything wherever it is mentioned: a function, method or object.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    FunctionType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from ....measure.torch.metadata import is_exact_tensor
from ....measure.torch.modules import is_module, members
from ....safe.budget import Steps
from ....safe.guard import (
    SEQUENCES,
    Classes,
    class_attribute,
    class_module,
    dict_attribute,
    dict_get,
    instance_dict,
    library_of,
    module,
    plain_str,
    top_package,
)
from ...step.classes import is_library, is_library_module, methods_of, underlying_function
from ...step.expressions import bound_in, is_name, root_of
from ...step.sight import CLOSED_PACKAGES
from ...step.step import Step
from ..effects import MODULES, MOVING, READING

torch: Any = module("torch")

_PLAIN = Classes(
    type(None), type(...), str, bytes, int, float, bool, complex, slice, range, dict, list, tuple, set, frozenset
)
#: Libraries whose objects call nothing of the program: unlike a ``functools.partial``, a generator or a ``tqdm``.
_OBJECTS = frozenset(("argparse", "datetime", "logging", "numpy", "pathlib", "random", "torch"))
#: Methods of a module that set neither its mode nor what it keeps, and give no other module that could be changed.
_HARMLESS = READING.union(MOVING, ("zero_grad",)).difference(MODULES)
#: What may set anything by its name, or changes whether and where gradients flow.
_SETTING = frozenset(
    "__dict__ __import__ delattr detach_ enable_grad eval exec forward getattr globals inference_mode locals"
    " no_grad requires_grad requires_grad_ set_grad_enabled setattr vars".split()
)
_COMPILED = Classes(BuiltinFunctionType, ClassMethodDescriptorType, MethodDescriptorType, WrapperDescriptorType)
_NAMED = Classes(ModuleType, FunctionType, BuiltinFunctionType)
_NOBODY = Classes(ModuleType, type(None))  #: what a function of C is bound to that is no method
_UNDECIDED = (ast.Yield, ast.YieldFrom, ast.Await, ast.Import, ast.ImportFrom, ast.ClassDef)
_MADE = object()  #: what a library, or a module, gives between the stop and there
_UNKNOWN = object()


def runs_its_forward_alone(step: Step, module: Any, *names: str) -> bool:
    """Whether a module's call runs its forwards only: no hook, and none sets these names."""
    common, steps = torch.nn.modules.module, Steps(step.budget)
    if any(dict_attribute(common, f"_global_{hooks}") for hooks in ("forward_pre_hooks", "forward_hooks")):
        return False
    for member in members(module, steps):
        if member.attributes.get("_forward_pre_hooks") or member.attributes.get("_forward_hooks"):
            return False
        cls = type(member.module)
        if "forward" in member.attributes or not _is_of_library(class_attribute(cls, "__call__")):
            return False
        methods = () if is_library(cls) else methods_of(cls)
        if any(not one.is_known() or one.mentions(*names, "setattr", "__dict__", "vars") for _, one in methods):
            return False
    return not steps.over


class Between:
    """The expressions of a frame between the stop and a line, except one call.

    What that call is given is read.
    """

    def __init__(self, step: Step, call: ast.Call, last: int, names: tuple[str, ...]) -> None:
        self._step = step
        self._source = step.source
        self._call = call
        self._last = last
        self._names = names
        here = step.source.lineno
        self._first = min([here, *(first for first, end in step.source.loops if first <= here <= end < call.lineno)])
        nodes = [node for root in self._roots() for node in ast.walk(root)]
        bound = (name for node in nodes for name in _targets(node))
        self._made = {root_of(name) for name in bound if root_of(name) == name}

    def changes_nothing(self) -> bool:
        """Whether no expression may set one of the names, or do anything unknown."""
        waiting: list[ast.AST] = list(self._roots())
        while waiting:
            node = waiting.pop()
            if isinstance(node, _UNDECIDED):
                return False
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if node.decorator_list:
                    return False
                continue  # its calls are read where they stand
            if isinstance(node, ast.Call):
                if self._is_over(node):
                    continue
                if node is not self._call and not self._calls_a_library(node.func):
                    return False
                inner = node.func.value if isinstance(node.func, ast.Attribute) else node.func
                waiting += [*node.args, *(keyword.value for keyword in node.keywords)]
                waiting += [] if is_name(inner) else [inner]
            elif isinstance(node, ast.expr) and is_name(node):
                if not self._is_harmless(node):
                    return False
            else:
                waiting.extend(below for below in ast.iter_child_nodes(node) if self._is_inside(below))
        return True

    def _roots(self) -> Iterator[ast.AST]:
        yield from (statement for statement in self._source.body if self._is_inside(statement))
        for block in self._source.blocks:  # those that are left on the way
            if block.lineno < self._first <= (block.end_lineno or 0) < self._last:
                yield from (item.context_expr for item in block.items)

    def _is_inside(self, node: Any) -> bool:
        return not hasattr(node, "lineno") or (node.lineno <= self._last and node.end_lineno >= self._first)

    def _is_over(self, node: ast.Call) -> bool:
        return node is not self._call and any(
            self._source.is_running(call) for call in self._source.calls if call.node is node
        )

    def _is_named(self, node: ast.AST) -> bool:
        """Whether one of the names is mentioned, or what may set them. What the call gives is bound after it."""
        if isinstance(node, ast.Attribute):
            is_after = isinstance(node.ctx, ast.Store) and node.lineno >= self._call.lineno
            return node.attr in _SETTING or (node.attr in self._names and not is_after)
        return isinstance(node, ast.Name) and node.id in _SETTING

    def _is_harmless(self, node: ast.expr) -> bool:
        """Whether reading and binding a name runs no code of the program."""
        if node in self._call.args or any(node is keyword.value for keyword in self._call.keywords):
            return _is_plain(self._value(node))
        if any(map(self._is_named, ast.walk(node))):
            return False
        if isinstance(getattr(node, "ctx", None), ast.Load):
            return _is_plain(self._value(node))
        if isinstance(node, ast.Subscript):
            return _is_plain(self._value(node.value))
        return not isinstance(node, ast.Attribute) or _takes(self._value(node.value), node.attr)

    def _calls_a_library(self, func: ast.expr) -> bool:
        if any(map(self._is_named, ast.walk(func) if is_name(func) else [func])):
            return False
        if not is_name(func):
            if isinstance(func, ast.Call):  # `nn.CrossEntropyLoss()(q, y)`
                cls = self._value(func.func)
                return type(cls) is type and issubclass(cls, torch.nn.Module) and is_library(cls)
            return isinstance(func, ast.Attribute) and hasattr(torch.Tensor, func.attr)
        value = self._value(func)
        if is_module(value):
            return runs_its_forward_alone(self._step, value, "train", "eval", *self._names)
        if not isinstance(func, ast.Attribute):
            return value is not _MADE and _is_of_library(value)
        owner = self._value(func.value)
        if owner is _MADE:
            return hasattr(torch.Tensor, func.attr)
        if owner is _UNKNOWN:
            return False
        if type(owner) is ModuleType or issubclass(type(owner), type):
            return _is_of_library(value) or (value is _MADE and _is_of_library(owner))
        if is_module(owner) and func.attr not in _HARMLESS:
            return False
        return _is_of_library(class_attribute(type(owner), func.attr))

    def _value(self, node: ast.expr) -> Any:
        """The value of a name at the stop, read without code of the program."""
        if isinstance(node, ast.Name):
            visible = self._step.frames[self._step.level]
            if node.id in self._made:
                return _MADE
            for known in (visible.variables, visible.frame.f_globals, visible.frame.f_builtins):
                if dict.__contains__(known, node.id):
                    return dict.__getitem__(known, node.id)
            return _UNKNOWN
        if not isinstance(node, (ast.Attribute, ast.Subscript)):
            return _UNKNOWN
        owner = self._value(node.value)
        if owner is _MADE or owner is _UNKNOWN:
            return owner
        if isinstance(node, ast.Attribute):
            return _attribute(owner, node.attr)
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if type(owner) is dict:
            return dict_get(owner, key, _UNKNOWN)
        if type(owner) in SEQUENCES:
            return owner[key] if type(key) is int and key < len(owner) else _UNKNOWN
        if is_module(owner):
            return dict_get(dict_attribute(owner, "_modules"), str(key), _UNKNOWN)
        return _MADE if _is_plain(owner) else _UNKNOWN


def _attribute(owner: Any, name: str) -> Any:
    """A stored attribute; of a library's object also a computed one."""
    if type(owner) is ModuleType:
        return instance_dict(owner).get(name, _MADE if _is_of_library(owner) else _UNKNOWN)
    if _is_plain(owner):
        return _MADE
    cls = type(owner)
    common = class_attribute(cls, name)
    if (common is not None and type(common) not in _PLAIN) or not _is_of_library(
        class_attribute(cls, "__getattribute__")
    ):
        return _UNKNOWN
    found = instance_dict(owner).get(name, _UNKNOWN if common is None else common)
    for table in ("_modules", "_parameters", "_buffers") if is_module(owner) and found is _UNKNOWN else ():
        found = dict_get(dict_attribute(owner, table), name, found)
    return found


def _takes(owner: Any, name: str) -> bool:
    """Whether an attribute of an object is set without code of the program."""
    cls, common = type(owner), class_attribute(type(owner), name)
    if owner is _UNKNOWN or owner is _MADE or _is_plain(owner):
        return owner is not _UNKNOWN
    return (common is None or type(common) in _PLAIN) and _is_of_library(class_attribute(cls, "__setattr__"))


def _is_plain(value: Any) -> bool:
    """Whether it is data, or of a library, and calls nothing of the program."""
    if value is _MADE or is_exact_tensor(value) or type(value) in _PLAIN:
        return True
    if value is _UNKNOWN or is_module(value):
        return False
    if type(value) in _NAMED or issubclass(type(value), type):
        return _is_of_library(value)
    return library_of(type(value)) in _OBJECTS


def _is_of_library(value: Any) -> bool:
    """Whether a function, a class or a module of Python is a library's."""
    value = underlying_function(value)
    if type(value) is ModuleType:
        return _is_library_name(plain_str(instance_dict(value).get("__name__")))
    if type(value) is FunctionType:
        return _is_library_name(plain_str(value.__module__))
    if type(value) is BuiltinFunctionType and type(value.__self__) not in _NOBODY:
        owner: Any = value.__self__
        cls = owner if issubclass(type(owner), type) else type(owner)
        return library_of(cls) in _OBJECTS
    if issubclass(type(value), type):
        return _is_library_name(class_module(value))
    return type(value) in _COMPILED or library_of(type(value)) == "numpy"


def _is_library_name(name: str) -> bool:
    return top_package(name) in (*CLOSED_PACKAGES, top_package(__name__)) or is_library_module(name)


def _targets(node: ast.AST) -> Iterator[str]:
    """The names that a node binds, for what follows or inside it."""
    if isinstance(node, ast.Assign):
        yield from (name for target in node.targets for name in bound_in(target))
    elif isinstance(node, (ast.AnnAssign, ast.For, ast.AsyncFor, ast.NamedExpr, ast.comprehension)):
        yield from bound_in(node.target)
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield from bound_in(node.optional_vars)
    elif isinstance(node, ast.arg):
        yield node.arg
