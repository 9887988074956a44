"""Which kind a value is of: chosen by its class alone, once per class.

A family is a module with ``kind_for(cls, bases)``. Families of a library are asked only where the program has imported
that library; ``objects`` takes what no other knows. To add a kind: one file, one row in ``_OF_LIBRARIES``, one
table of the zoo.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from ..budget import Budget
from ..guard import ByClass, class_module, instance_dict, module, mro, plain_str
from .kind import Child, Elements, Kind, NotFound, NotStatic, Property, PropertyKind, Rows, RowsKind, Said, SaidKind

__all__ = [
    "Child", "Elements", "Kind", "NotFound", "NotStatic", "Property", "Rows", "Said", "kind_of", "libraries", "look",
]  # fmt: skip


def look(value: object, budget: Budget) -> Kind:
    """``value`` as its kind, ready to be asked."""
    return kind_of(type(value))(value, budget)


def _choose(cls: type) -> type[Kind]:
    bases = mro(cls)
    kinds = (family.kind_for(cls, bases) for family in _families(bases))
    return next(kind for kind in kinds if kind is not None)  # type: ignore[no-any-return]


kind_of = ByClass(_choose)


def libraries() -> dict[str, str]:
    """The libraries with kinds of their own that the program has loaded, with their versions."""
    versions = {}
    for name in ("torch", "numpy", "jax", "pandas", "polars"):
        library = module(name)
        if library is not None:
            versions[name] = plain_str(vars(library).get("__version__"))
    return versions


class _Own:
    """Our own rows, which stand for no value of the program."""

    @staticmethod
    def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
        return _OWN.get(id(cls))


#: Families of a library: where the program has imported it, and it has this name, its family is asked.
_OF_LIBRARIES = (
    ("torch", "Tensor", "torch_tensor"),
    ("torch", "Tensor", "torch_module"),
    ("torch", "Tensor", "torch_autograd"),
    ("torch", "Tensor", "torch_training"),
    ("numpy", "ndarray", "numpy_array"),
    ("tensordict", "TensorDict", "tensordicts"),
)
#: Families of classes that are rarer: asked, and so compiled, only where a class or base stands in such a package. The
#: first are of classes that are also numbers, dates or containers.
_OF_PACKAGES_FIRST = (
    ("numpy", "numpy_values"),
    ("jax jaxlib", "jax_array"),
    ("tensor_inspector _tensor_inspector", "tables"),
    ("pandas", "pandas_values"),
    ("pandas", "pandas_tables"),
    ("polars", "polars_tables"),
    ("scipy", "scipy_sparse"),
    ("PIL", "images"),
    ("transformers", "transformers_values"),
)
_OF_PACKAGES = (
    ("torch", "torch_symbols"),
    ("torch", "torch_runtime"),
    ("torch", "torch_schedules"),
    ("torch", "torch_data"),
    ("torch", "torch_compiled"),
    ("builtins functools", "callables"),
    ("builtins", "raised"),
    ("builtins collections weakref _weakrefset", "wrappers"),
    ("builtins itertools collections asyncio _asyncio concurrent", "iteration"),
    ("threading _thread queue _queue multiprocessing", "concurrency"),
    ("builtins array io _io tempfile re random _random socket _socket weakref contextvars", "resources"),
)
_OWN: dict[int, type[Kind]] = {id(Rows): RowsKind, id(Said): SaidKind, id(Property): PropertyKind}


def _families(bases: tuple[type, ...]) -> Iterator[Any]:
    yield _Own
    for library, name, family in _OF_LIBRARIES:
        # Looked up in its namespace: `hasattr` would run a `__getattr__` of the module.
        if name in instance_dict(module(library)):
            yield _family(family)
    packages = {class_module(base).partition(".")[0] for base in bases if base is not object}
    yield from (_family(family) for known, family in _OF_PACKAGES_FIRST if not packages.isdisjoint(known.split()))
    from . import containers, mappings, objects, plain

    yield from (plain, mappings, containers)
    yield from (_family(family) for known, family in _OF_PACKAGES if not packages.isdisjoint(known.split()))
    yield objects


def _family(name: str) -> Any:
    try:
        family: Any = import_module(f".{name}", __package__)
        return family if family.kind_for else _Own  # an injected module runs its source when first asked for a name
    except (AttributeError, KeyError, TypeError):  # a module of the program only bears the library's name
        return _Own
