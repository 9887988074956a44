"""Numbers, strings, functions, classes and modules: values with nothing below them."""

from __future__ import annotations

from types import (
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from ..guard import Classes, class_name, dict_get, full_name, instance_dict, module, plain_str
from ..protocol import Facts
from ..text import integer, joined, number, quoted, quoted_bytes, shorten
from .kind import Kind


class Atom(Kind):
    """A value with nothing below it; inside another one's line it is its own line."""

    contains = False

    def brief(self) -> str:
        return self.line()


class Number(Atom):
    kind = "number"

    def line(self) -> str:
        value, cls = self.value, type(self.value)
        if cls is bool:
            return "True" if value else "False"
        if issubclass(cls, int):
            return integer(value)
        return float.__repr__(value) if issubclass(cls, float) else complex.__repr__(value)

    def brief(self) -> str:
        return number(self.value) if type(self.value) is float else self.line()


class Text(Atom):
    kind = "string"

    def brief(self) -> str:
        return self._shown(24)

    def line(self) -> str:
        return shorten(self._shown(80))

    def facts(self) -> Facts:
        facts = super().facts()
        facts["rows"] = [["length", f"{self._base().__len__(self.value):,}"]]
        return facts

    def _base(self) -> Any:
        return next(base for base in (str, bytes, bytearray) if issubclass(type(self.value), base))

    def _shown(self, limit: int) -> str:
        return quoted(self.value, limit) if self._base() is str else quoted_bytes(self.value, limit)


class Constant(Atom):
    kind = "none"

    def line(self) -> str:
        return {type(None): "None", type(...): "..."}.get(type(self.value), "NotImplemented")


class Printed(Atom):
    """A small value of a known class, whose own repr is short and runs no code but its library's."""

    def line(self) -> str:
        zone = getattr(self.value, "tzinfo", None)  # a datetime's repr asks its time zone, which may be the program's
        if zone is not None and type(zone) is not getattr(module("datetime"), "timezone", None):
            return self.type_name()
        return shorten(repr(self.value))


class EnumMember(Atom):
    def line(self) -> str:
        own = instance_dict(self.value)
        name, value = dict_get(own, "_name_"), dict_get(own, "_value_")
        shown = f" = {Number(value, self.budget).line()}" if type(value) in _NUMBERS else ""
        return f"{self.type_name()}.{name if type(name) is str else '?'}{shown}"


class Function(Atom):
    kind = "callable"

    def brief(self) -> str:
        return "function"

    def line(self) -> str:
        value = self.value
        if type(value) is MethodType:
            owner = class_name(type(value.__self__))
            function = value.__func__
            return shorten(
                f"{owner}.{_signature(function)}" if type(function) is FunctionType else f"method of {owner}"
            )
        return _signature(value) if type(value) is FunctionType else shorten(f"{value.__name__}(…) · built in")


def _signature(function: FunctionType) -> str:
    code = function.__code__
    plain = code.co_argcount + code.co_kwonlyargcount
    rest = [star for star, flag in (("*", 0x04), ("**", 0x08)) if code.co_flags & flag]  # CO_VARARGS, CO_VARKEYWORDS
    taken = [*code.co_varnames[:plain], *(star + name for star, name in zip(rest, code.co_varnames[plain:]))]
    file = code.co_filename.replace("\\", "/").rsplit("/", 1)[-1]
    return shorten(f"{plain_str(function.__name__)}({', '.join(taken)}) · {file}:{code.co_firstlineno}")


class Class(Atom):
    kind = "class"

    def brief(self) -> str:
        return class_name(self.value)

    def line(self) -> str:
        bases = [class_name(base) for base in type.__dict__["__bases__"].__get__(self.value) if base is not object]
        return shorten(f"class {full_name(self.value)}" + (f"({', '.join(bases)})" if bases else ""))


class Package(Atom):
    kind = "package"

    def line(self) -> str:
        own = instance_dict(self.value)
        name, version = dict_get(own, "__name__"), dict_get(own, "__version__")
        return joined([plain_str(name) or "module", plain_str(version)])


class Generator(Atom):
    """Shown, never advanced."""

    def line(self) -> str:
        frame = self.value.gi_frame
        state = "finished" if frame is None else f"at line {frame.f_lineno}"
        return f"generator {plain_str(self.value.__name__)} · {state}"


_BY_BASE: dict[int, type[Kind]] = {
    id(base): kind
    for kind, bases in {
        Number: (int, float, complex),
        Text: (str, bytes, bytearray),
        Constant: (type(None), type(...), type(NotImplemented)),
        Function: (FunctionType, MethodType, BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType),
        Class: (type,),
        Package: (ModuleType,),
        Generator: (GeneratorType,),
        Printed: (range,),
    }.items()
    for base in bases
}
_NUMBERS = Classes(int, float, bool)
_PRINTED = {
    "datetime": ("date", "time", "datetime", "timedelta", "timezone"),
    "decimal": ("Decimal",),
    "fractions": ("Fraction",),
    "pathlib": ("PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath"),
    "uuid": ("UUID",),
    "torch": ("dtype", "device", "layout", "memory_format"),
}


def _is_genuine(library: Any) -> bool:
    """Whether it is the standard library's module (or torch), not a file of the program that took its name."""
    file = plain_str(vars(library).get("__file__"))
    standard = plain_str(getattr(module("os"), "__file__", None)).rpartition("os.py")[0]
    return not file or file.startswith(standard) or vars(library).get("__name__") == "torch"


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    enum = getattr(module("enum"), "Enum", None)
    if enum is not None and any(base is enum for base in bases):
        return EnumMember
    for name, classes in _PRINTED.items():
        library = module(name)
        if library is not None and any(vars(library).get(known) is cls for known in classes) and _is_genuine(library):
            return Printed
    return next((kind for kind in (_BY_BASE.get(id(base)) for base in bases) if kind is not None), None)
