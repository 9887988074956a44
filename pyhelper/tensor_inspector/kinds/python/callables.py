"""Functions, methods, classes, and objects that wrap a function."""

from __future__ import annotations

from collections.abc import Container, Iterable
from functools import partial
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import TYPE_CHECKING, Any

from ...safe.guard import Classes, c_attribute, class_name, each, full_name, instance_dict, module, mro, plain_str
from ...words.text import joined, listed, plural, shorten
from ..families import by_base
from ..kind import Child, WithRows
from .objects import PlainObject, WordedObject, brief
from .plain import Atom

if TYPE_CHECKING:
    from ...protocol import Badge

_BUILT_IN = (BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType, MethodWrapperType)
_BOUND = Classes(BuiltinFunctionType, MethodWrapperType)
_WRAPPERS = 20  #: decorators looked through


class Function(Atom):
    """A function by its arguments and place in the source. Decorators that set ``__wrapped__`` are looked through."""

    kind = "callable"

    def brief(self) -> str:
        return f"{plain_str(self.value.__name__)}()"

    def line(self) -> str:
        inner, wrapped = unwrapped(self.value)
        return joined(
            [f"{plain_str(self.value.__name__)}({arguments(inner.__code__)})", wrapped, source_location(inner.__code__)]
        )

    def lenses(self) -> list[str]:
        return ["gradcheck"] if module("torch") is not None else []

    def fact_rows(self) -> list[list[str]]:
        code = unwrapped(self.value)[0].__code__
        closes_over = [["closes over", listed(code.co_freevars, False, 100)]] if code.co_freevars else []
        return [["defined", f"{code.co_filename}:{code.co_firstlineno}"], *closes_over]

    def rows_without(self, names: Container[str]) -> list[Child]:
        """What its behaviour depends on besides global variables: code, defaults, and its closure."""
        function, code = self.value, self.value.__code__
        known = {name: getattr(function, name) for name in ("__code__", "__defaults__", "__kwdefaults__")}
        rows = [Child(name, item, f".{name}") for name, item in known.items() if item is not None]
        for at, (name, cell) in enumerate(zip(code.co_freevars, function.__closure__ or ())):
            step = f".__closure__[{at}].cell_contents"
            rows += [Child(name, row.value, step) for row in Cell(cell, self.budget).rows()]
        return [*rows, *(Child(plain_str(name), item) for name, item in instance_dict(function).items())]


class Method(Atom):
    kind = "callable"

    def brief(self) -> str:
        return f"{name_of(self.value)}()"

    def line(self) -> str:
        function, owner = self.value.__func__, _owner(self.value.__self__)
        if type(function) is not FunctionType:
            return f"method of {owner}"
        return shorten(f"{owner}.{Function(function, self.budget).line()}")

    def lenses(self) -> list[str]:
        function = self.value.__func__
        return Function(function, self.budget).lenses() if type(function) is FunctionType else []

    def rows_without(self, names: Container[str]) -> list[Child]:
        return [Child(name, getattr(self.value, name), f".{name}") for name in ("__func__", "__self__")]


class BuiltIn(Atom):
    kind = "callable"

    def brief(self) -> str:
        return f"{self._name()}()"

    def line(self) -> str:
        return shorten(f"{self._name()}(…) · built in")

    def _name(self) -> str:
        owner = getattr(self.value, "__objclass__", None)
        if owner is None and type(self.value) in _BOUND:
            bound = self.value.__self__
            owner = type(bound) if bound is not None and type(bound) is not ModuleType else None
            owner = bound if owner is not None and issubclass(owner, type) else owner
        return f"{class_name(owner)}.{self.value.__name__}" if owner is not None else plain_str(self.value.__name__)


class Descriptor(Atom):
    """An attribute that a class keeps in C: a slot, a computed one."""

    def line(self) -> str:
        noun = "slot" if type(self.value) is MemberDescriptorType else "computed attribute"
        return f"{class_name(self.value.__objclass__)}.{self.value.__name__} · {noun}"


class MethodWrapper(WordedObject):
    """An object that wraps a function: ``staticmethod``, ``classmethod``, ``property``, ``partial``."""

    kind = "callable"
    wrapped = "__func__"  #: the attribute that keeps the function

    def parts(self) -> Iterable[str | None]:
        function = c_attribute(self.value, self.wrapped)
        return [
            self.type_name(),
            Function(function, self.budget).line() if type(function) is FunctionType else name_of(function),
        ]

    def first_rows(self) -> list[Child]:
        return self.c_rows(self.wrapped)


class PropertyDefinition(MethodWrapper):
    wrapped = "fget"

    def first_rows(self) -> list[Child]:
        return []  # its functions are in slots, which are listed as all others


class Partial(MethodWrapper):
    wrapped = "func"

    def parts(self) -> Iterable[str | None]:
        given = [brief(item, self) for item in c_attribute(self.value, "args")]
        named = each(dict.items, c_attribute(self.value, "keywords"))
        given += [f"{plain_str(name)}={brief(item, self)}" for name, item in named]
        called = f"{name_of(c_attribute(self.value, 'func'))}({listed(given, False, 80)})"
        return [self.type_name(), *self.warnings(), called]

    def badges(self) -> list[Badge]:
        return self.alarms.badges()

    def first_rows(self) -> list[Child]:
        return []


class Cached(PlainObject):
    """A function with `functools.lru_cache`, by how full and how useful its cache is."""

    kind = "callable"

    def parts(self) -> Iterable[str | None]:
        hits, misses, most, size = _CACHE.cache_info(self.value)
        inner = instance_dict(self.value).get("__wrapped__")
        function = Function(inner, self.budget).line() if type(inner) is FunctionType else self.type_name()
        full = f"{size:,} cached" if most is None else f"{size:,} of {most:,} cached"
        return [function, full, f"{plural(hits, 'hit')} in {hits + misses:,}"]

    def settings(self) -> dict[str, str]:
        return {"maxsize": str(_CACHE.cache_info(self.value)[2])}

    def hidden(self) -> str | None:
        return None  # what is cached is no difference


class Cell(WithRows):
    """A variable that a closure shares with the function around it."""

    def parts(self) -> Iterable[str | None]:
        content = self.rows()
        return [f"cell · {brief(content[0].value, self)}" if content else "cell · empty"]

    def rows(self) -> list[Child]:
        try:
            return [Child("cell_contents", self.value.cell_contents, ".cell_contents")]
        except ValueError:
            return []


class Code(PlainObject):
    def parts(self) -> Iterable[str | None]:
        return [f"code {self.value.co_name}({arguments(self.value)})", source_location(self.value)]

    def rows_without(self, names: Container[str]) -> list[Child]:
        return []  # where it is written, which most of them tell, does not make it other code


class ClassObject(Atom):
    kind = "class"

    def brief(self) -> str:
        return class_name(self.value)

    def line(self) -> str:
        bases = [class_name(base) for base in type.__dict__["__bases__"].__get__(self.value) if base is not object]
        return shorten(f"class {full_name(self.value)}" + (f"({', '.join(bases)})" if bases else ""))

    def lenses(self) -> list[str]:
        return ["gradcheck"] if _has_backward(self.value) else []


def _has_backward(cls: type) -> bool:
    """Whether it is an operation of the program's own for autograd."""
    function = instance_dict(module("torch.autograd.function")).get("Function")
    return function is not None and cls is not function and any(base is function for base in mro(cls))


def unwrapped(function: FunctionType) -> tuple[FunctionType, str | None]:
    """The function inside a decorated one, and the wrapper's name."""
    inner: Any = function
    how = None
    for _ in range(_WRAPPERS):
        attrs = instance_dict(inner)
        compiled = attrs.get("_torchdynamo_orig_callable")
        further = compiled if type(compiled) is FunctionType else attrs.get("__wrapped__")
        if type(further) is not FunctionType or further is inner:
            break
        inner, how = further, "torch.compile" if further is compiled else how or "wrapped"
    return inner, how


def arguments(code: CodeType) -> str:
    names, first, only = code.co_varnames, code.co_argcount, code.co_kwonlyargcount
    rest = [star for star, flag in (("*", 0x04), ("**", 0x08)) if code.co_flags & flag]  # CO_VARARGS, CO_VARKEYWORDS
    starred = [star + name for star, name in zip(rest, names[first + only :])]
    middle = ["*"] if only else []
    if "*" in rest:
        middle = starred[:1]
    return listed([*names[:first], *middle, *names[first : first + only], *starred["*" in rest :]], False, 70)


def source_location(code: CodeType, line: int | None = None) -> str:
    """``train.py:12``: where it was written, or a line of it."""
    file = plain_str(code.co_filename).replace("\\", "/").rsplit("/", 1)[-1]
    return f"{file}:{code.co_firstlineno if line is None else line}"


def name_of(function: object) -> str:
    """What a person calls a function; of an object that can be called, its class."""
    cls = type(function)
    if cls is FunctionType or cls in _BUILT_IN:
        return plain_str(function.__name__)  # type: ignore[attr-defined]
    if cls is MethodType:
        return f"{_owner(function.__self__)}.{name_of(function.__func__)}"  # type: ignore[attr-defined]
    return class_name(function) if issubclass(cls, type) else class_name(cls)  # type: ignore[arg-type]


def _owner(bound: object) -> str:
    """The class that a method is bound to, or whose object it is bound to."""
    return class_name(bound if issubclass(type(bound), type) else type(bound))  # type: ignore[arg-type]


_CACHE: Any = getattr(module("functools"), "_lru_cache_wrapper", None)
kind_for = by_base(
    {
        Function: (FunctionType,),
        Method: (MethodType,),
        BuiltIn: _BUILT_IN,
        Descriptor: (GetSetDescriptorType, MemberDescriptorType),
        MethodWrapper: (staticmethod, classmethod),
        PropertyDefinition: (property,),
        Partial: (partial,),
        Cached: (_CACHE,),
        Cell: (type((lambda it: lambda: it)(0).__closure__[0]),),  # type: ignore[index]
        Code: (CodeType,),
        ClassObject: (type,),
    }
)
