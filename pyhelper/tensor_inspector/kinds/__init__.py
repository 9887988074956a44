"""Which kind a value is of: chosen by its class alone, once per class.

A family is a module with ``kind_for(cls, bases)``. Families of a library are asked only where the program has imported
that library; ``objects`` takes what no other knows. To add a kind: one file, one row in ``_FIRST`` or ``_LAST``, one
table of the zoo.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..budget import Budget
from ..guard import ByClass, class_module, instance_dict, module, mro, plain_str
from .kind import (
    COMPUTED,
    Child,
    Elements,
    Kind,
    NotFound,
    NotStatic,
    Property,
    PropertyKind,
    Rows,
    RowsKind,
    Said,
    SaidKind,
)  # fmt: skip

__all__ = [
    "COMPUTED", "Child", "Elements", "Kind", "NotFound", "NotStatic", "Property", "Rows", "Said", "kind_of",
    "libraries", "look", "unfinished",
]  # fmt: skip


def look(value: object, budget: Budget) -> Kind:
    """``value`` as its kind, ready to be asked."""
    kind = kind_of(type(value))
    return kind(value, budget) if kind.is_made(value) else unfinished(value, budget)


def unfinished(value: object, budget: Budget) -> Kind:
    """The same of a value that is still being made."""
    from .objects import Unfinished

    return Unfinished(value, budget)


def _choose(cls: type) -> type[Kind]:
    from . import declared

    bases = mro(cls)
    kinds = (family.kind_for(cls, bases) for family in _families(bases))
    kind: type[Kind] = next(kind for kind in kinds if kind is not None)
    return declared.declared(cls, bases, kind)


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


#: Parts taken out of tensors, arrays and tables are classes of our own.
_OURS = __name__.partition(".")[0]
#: Packages, what one of them must have to be that library, and the family: asked, and so compiled, only where a class
#: or base of it stands in such a package. These come before the built-in kinds: some of their classes are numbers,
#: dates or containers too.
_FIRST = (
    (f"torch {_OURS}", "torch.Tensor", "torch_tensor"),
    ("torch", "torch.Tensor", "torch_module"),
    ("torch", "torch.Tensor", "torch_training"),
    (f"numpy {_OURS}", "numpy.ndarray", "numpy_array"),
    ("numpy", "numpy.ndarray", "numpy_values"),
    ("jax jaxlib", "jax.Array", "jax_array"),
    (_OURS, "", "tables"),
    ("pandas", "pandas.DataFrame", "pandas_values"),
    ("pandas", "pandas.DataFrame", "pandas_tables"),
    ("polars", "polars.DataFrame", "polars_tables"),
    ("scipy", "", "scipy_sparse"),
    ("PIL", "", "images"),
    ("", "tensordict.TensorDict", "tensordicts"),  # a tensorclass stands anywhere
    ("transformers", "", "transformers_values"),
)
#: And these after them.
_LAST = (
    ("builtins torch", "torch.Tensor", "torch_autograd"),
    ("torch", "torch.Tensor", "torch_symbols"),
    ("torch", "torch.Tensor", "torch_runtime"),
    ("torch", "torch.Tensor", "torch_schedules"),
    ("torch", "torch.Tensor", "torch_data"),
    ("torch", "torch.Tensor", "torch_compiled"),
    ("builtins functools", "", "callables"),
    ("builtins", "", "raised"),
    ("builtins collections weakref _weakrefset", "", "wrappers"),
    ("builtins itertools collections asyncio _asyncio concurrent", "", "iteration"),
    ("builtins threading _thread queue _queue multiprocessing _contextvars", "", "concurrency"),
    ("builtins array io _io tempfile re random _random socket _socket weakref", "", "resources"),
)
_OWN: dict[int, type[Kind]] = {id(Rows): RowsKind, id(Said): SaidKind, id(Property): PropertyKind}


def _families(bases: tuple[type, ...]) -> Iterator[Any]:
    packages = {class_module(base).partition(".")[0] for base in bases if base is not object}
    yield _Own
    yield from _asked(_FIRST, packages)
    from . import containers, mappings, objects, plain

    yield from (plain, mappings, containers)
    yield from _asked(_LAST, packages)
    yield objects


def _asked(families: tuple[tuple[str, str, str], ...], packages: set[str]) -> Iterator[Any]:
    for known, needed, name in families:
        if (known and packages.isdisjoint(known.split())) or not _is_there(needed):
            continue
        try:
            family: Any = __import__(name, globals(), None, ["kind_for"], 1)  # importlib's own runs built-in functions
            family.kind_for  # noqa: B018  an injected module runs its source when it is first asked for a name
        except (AttributeError, KeyError, TypeError):
            if needed and not _is_being_imported(needed):
                continue  # a module of the program that only bears the library's name
            raise
        yield family


def _is_there(name: str) -> bool:
    """Whether a library has that class: a module of the program may bear the library's name."""
    library, _, class_name = name.rpartition(".")
    # Looked up in its namespace: `hasattr` would run a `__getattr__` of the module.
    return not name or issubclass(type(instance_dict(module(library)).get(class_name)), type)


def _is_being_imported(name: str) -> bool:
    spec = instance_dict(module(name.rpartition(".")[0])).get("__spec__")
    return bool(instance_dict(spec).get("_initializing"))
