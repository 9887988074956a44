"""Tokens that tell small values, keys and items of sets apart without running code of the program.

A token is made of exact built-in objects. Values with equal tokens are the same key, whatever their text is.
"""

from __future__ import annotations

from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from ...kinds import WRITTEN_OUT, Elements, as_kind, kind_of
from ...kinds.python.objects import attribute_count, attributes
from ...kinds.python.plain import EnumMember
from ...safe.attributes import is_pure
from ...safe.budget import Budget
from ...safe.guard import (
    Classes,
    class_attribute,
    class_name,
    instance_dict,
    is_found_in,
    library_of,
    module,
    mro,
    plain_str,
)

_DEEP = 20  #: levels of a value, and
_MANY = 10_000  #: parts of it that are included in its token
_ALONE = Classes(type(None), type(...), type(NotImplemented), FunctionType, BuiltinFunctionType, ModuleType)
_QUICK = frozenset(map(id, (str, int, bool, bytes)))  #: as most keys are
_ATOMS: tuple[Any, ...] = (str, bytes, int, float, complex)
_GROUPS: tuple[Any, ...] = (tuple, frozenset)
_SPANS = Classes(range, slice)
_SIGNED = frozenset(map(id, (float, complex)))  #: whose zeros have a sign
#: What distinguishes code objects, without their constants (some are code too) and their place in a file.
_CODE = tuple(
    """
    co_code co_names co_varnames co_freevars co_cellvars co_name co_flags co_argcount co_posonlyargcount
    co_kwonlyargcount co_exceptiontable
    """.split()
)
_SELF = "is"  #: begins the token of an object that equals only itself


class Token:
    """A token. If ``exact``, different tokens mean different keys; else only equal tokens mean anything."""

    __slots__ = ("exact", "key")

    def __init__(self, key: Any, exact: bool = True) -> None:
        self.key = key
        self.exact = exact


def token_of(value: object) -> Token | None:
    """A key that is equal for equal values; None where only the value's own code could compare it."""
    cls = id(type(value))
    if cls in _QUICK:
        return Token((cls, value))
    return _TokenReader().token(value, _DEEP)


def same_value(one: object, other: object) -> bool | None:
    """Whether two small values of one class are equal; None where that is not known."""
    if type(one) is not type(other):
        return None
    if not attribute_count(one) and not attribute_count(other) and is_pure(type(one)):
        return True
    tokens = token_of(one), token_of(other)
    if tokens[0] is None or tokens[1] is None or not (tokens[0].exact and tokens[1].exact):
        return None
    if tokens[0].key[0] is _SELF:
        return None
    return bool(tokens[0].key == tokens[1].key)


def same_code(one: CodeType, other: CodeType) -> bool:
    """Whether two functions' code does the same, wherever it is written."""
    if any(getattr(one, name, None) != getattr(other, name, None) for name in _CODE):  # handlers' table: from 3.11
        return False
    constants = one.co_consts, other.co_consts
    return len(constants[0]) == len(constants[1]) and all(map(_same_constant, *constants))


def _same_constant(one: Any, other: Any) -> bool:
    if type(one) is CodeType and type(other) is CodeType:
        return same_code(one, other)
    if type(one) is tuple and type(other) is tuple:
        return len(one) == len(other) and all(map(_same_constant, one, other))
    if type(one) is type(other) and id(type(one)) in _SIGNED:
        return repr(one) == repr(other)  # which tells −0.0 from 0.0
    tokens = token_of(one), token_of(other)  # which tell 1 from 1.0 and True
    return None not in tokens and tokens[0].key == tokens[1].key  # type: ignore[union-attr]


def text_of(value: object) -> str:
    """The text by which a small value is compared, if it has one."""
    token = token_of(value)
    return token.key[-1] if token is not None and token.exact and type(token.key[-1]) is str else ""


class _TokenReader:
    """One value, down to its parts: few enough, as a key that holds others many times over has very many."""

    def __init__(self) -> None:
        self.left = _MANY

    def token(self, value: Any, deep: int) -> Token | None:
        self.left -= 1
        if not deep or self.left < 0:
            return None
        cls: Any = type(value)
        if cls in _ALONE or issubclass(cls, type) or kind_of(cls) is EnumMember:
            return Token((_SELF, id(value)))
        equal = class_attribute(cls, "__eq__")
        for base in _ATOMS:
            if equal is base.__dict__["__eq__"] and issubclass(cls, base):
                return _atom(value, cls, base)
        for base in _GROUPS:
            if equal is base.__dict__["__eq__"] and issubclass(cls, base):
                found = self._all(base.__iter__(value), deep)
                key: Any = () if found is None else base(found.key)
                return None if found is None or len(key) < len(found.key) else Token((id(cls), key), found.exact)
        if cls in _SPANS:
            return self._made_of(cls, (value.start, value.stop, value.step), deep)
        return self._of_library(value, cls, deep) or self._of_object(value, cls, deep)

    def _all(self, parts: Any, deep: int) -> Token | None:
        tokens = []
        for part in parts:
            found = self.token(part, deep - 1)
            if found is None:
                return None
            tokens.append(found)
        return Token(tuple(found.key for found in tokens), all(found.exact for found in tokens))

    def _made_of(self, cls: type, parts: Any, deep: int) -> Token | None:
        found = self._all(parts, deep)
        return None if found is None else Token((id(cls), found.key), found.exact)

    def _of_library(self, value: Any, cls: type, deep: int) -> Token | None:
        """The token of a value of exactly a library's class, whose equality or text runs no code but the library's."""
        numpy = instance_dict(module("numpy"))
        if any(base is numpy.get("dtype") for base in mro(cls)):
            return self._of_dtype(value, cls, deep)
        library = library_of(cls)
        if not is_found_in(cls, library):
            return None
        if any(base is numpy.get("generic") for base in mro(cls)):
            return _of_scalar(value, cls) if library == "numpy" else None
        if class_name(cls) in WRITTEN_OUT.get(library, ()):
            return Token((id(cls), repr(value)))
        found = as_kind(value, Budget()).identity()
        if found is None:
            return None
        exact, parts = found
        return self._made_of(cls, parts, deep) if parts else Token((id(cls), exact))

    def _of_dtype(self, dtype: Any, cls: type, deep: int) -> Token | None:
        if dtype.kind == "T":
            return None
        if dtype.names is not None:
            return self._made_of(cls, (*layout_of(dtype).values(), *(dtype[name] for name in dtype.names)), deep)
        if dtype.subdtype is not None:
            return self._made_of(cls, dtype.subdtype, deep)
        return Token((id(cls), dtype.str, dtype.name))

    def _of_object(self, value: object, cls: type, deep: int) -> Token | None:
        """By all that it holds, where it holds nothing out of sight."""
        if not is_pure(cls):
            return None
        names, parts = [], []
        for child in attributes(value):
            names.append(child.name)
            parts.append(child.value)
        found = self._all(parts, deep)
        return None if found is None else Token((id(cls), frozenset(zip(names, found.key))), exact=False)


def layout_of(dtype: Any) -> dict[str, str]:
    """The memory layout of a record's fields, from its description."""
    fields = [dtype.fields[name] for name in dtype.names]
    titles = [None if len(field) < 3 else plain_str(field[2]) or class_name(type(field[2])) for field in fields]
    return {
        "fields": repr(dtype.names),
        "offsets": repr(tuple(field[1] for field in fields)),
        "titles": repr(tuple(titles)),
        "bytes of a record": str(dtype.itemsize),
        "aligned": str(dtype.isalignedstruct),
    }


def _atom(value: Any, cls: type, base: Any) -> Token:
    """By the value as the built-in class itself has it."""
    if base is str or base is bytes:
        return Token((id(cls), base.__getitem__(value, slice(None))))
    return Token((id(cls), base.__pos__(value)) if base.__eq__(value, value) else (_SELF, id(value)))


def _of_scalar(value: Any, cls: type) -> Token | None:
    sort = value.dtype.kind
    if sort == "V" and value.dtype.names is None:
        return Token((id(cls), value.tobytes()))
    if sort not in "biufcmMSU":
        return None
    if sort not in "SU" and value != value:  # NaN and NaT
        return Token((_SELF, id(value)))
    if sort in "mM":
        return Token((id(cls), value.dtype.str, int(value.view("i8"))))
    item = value.item()
    return Token((id(cls), repr(value) if type(item) is cls else item))  # wider than Python's floats


def is_one_class(a: object, b: object) -> bool:
    """Whether two values are of one class; any class will do for parts that were taken out of tensors and arrays."""
    return type(a) is type(b) or issubclass(type(a), Elements) or issubclass(type(b), Elements)
