"""Which kind a value is of: chosen by its class alone, once per class. All that is known of libraries, as strings.

A family is a module with ``kind_for(cls, bases)``, loaded by its name: families use the registry, it knows none of
them. Families of a library are asked only where the program has imported that library; ``objects`` takes what no other
knows. To add a kind: one file, one row in ``_FIRST`` or ``_LAST``, one table of the zoo.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..budget import Budget
from ..guard import ByClass, class_module, instance_dict, module, mro, plain_str
from .kind import Kind, Property, PropertyKind, Rows, RowsKind, Said, SaidKind

#: The libraries that have kinds of their own, each with the class that its module must have to be that library, where a
#: module of the program may bear its name.
LIBRARIES = {
    "torch": "Tensor", "numpy": "ndarray", "jax": "Array", "jaxlib": "", "pandas": "DataFrame", "polars": "DataFrame",
    "scipy": "", "PIL": "", "tensordict": "TensorDict", "transformers": "",
}  # fmt: skip


def look(value: object, budget: Budget) -> Kind:
    """``value`` as its kind, ready to be asked."""
    kind = kind_of(type(value))
    return kind(value, budget) if kind.is_made(value) else unfinished(value, budget)


def unfinished(value: object, budget: Budget) -> Kind:
    """The same of a value that is still being made."""
    return load("objects").Unfinished(value, budget)  # type: ignore[no-any-return]


def _choose(cls: type) -> type[Kind]:
    bases = mro(cls)
    kinds = (family.kind_for(cls, bases) for family in _families(bases))
    kind: type[Kind] = next(kind for kind in kinds if kind is not None)
    return load("declared").declared(cls, bases, kind)  # type: ignore[no-any-return]


kind_of = ByClass(_choose)


def load(name: str) -> Any:
    """A module of kinds by its name."""
    return __import__(name, globals(), None, ["*"], 1)  # importlib's own runs built-in functions of the program


def libraries() -> dict[str, str]:
    """The libraries of tensors and tables that the program has loaded, with their versions."""
    versions = {}
    for name, needed in LIBRARIES.items():
        library = module(name)
        if needed and library is not None:
            versions[name] = plain_str(vars(library).get("__version__"))
    return versions


class _Own:
    """Our own rows, which stand for no value of the program."""

    @staticmethod
    def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
        return _OWN.get(id(cls))


#: Parts taken out of tensors, arrays and tables are classes of our own.
_OURS = __name__.partition(".")[0]
#: Packages, and the family of kinds: asked, and so compiled, only where a class or base of it stands in such a package
#: and the library is there. These come before the built-in kinds: some of their classes are numbers, dates or
#: containers too.
_FIRST = (
    (f"torch {_OURS}", "torch", "torch_tensor"),
    ("torch.jit", "torch", "torch_compiled"),
    ("torch", "torch", "torch_module"),
    ("torch", "torch", "torch_training"),
    (f"numpy {_OURS}", "numpy", "numpy_array"),
    ("numpy", "numpy", "numpy_values"),
    ("jax jaxlib", "jax", "jax_array"),
    (_OURS, "", "tables"),
    ("pandas", "pandas", "pandas_values"),
    ("pandas", "pandas", "pandas_tables"),
    ("polars", "polars", "polars_tables"),
    ("scipy", "scipy", "scipy_sparse"),
    ("PIL", "PIL", "images"),
    ("", "tensordict", "tensordicts"),  # a tensorclass stands anywhere
    ("transformers", "transformers", "transformers_values"),
)
_BUILT_IN = (("", "", "plain"), ("", "", "mappings"), ("", "", "containers"))
#: And these after them.
_LAST = (
    ("builtins torch", "torch", "torch_autograd"),
    ("torch", "torch", "torch_symbols"),
    ("torch", "torch", "torch_runtime"),
    ("torch", "torch", "torch_schedules"),
    ("torch", "torch", "torch_data"),
    ("torch", "torch", "torch_compiled"),
    ("builtins functools", "", "callables"),
    ("builtins", "", "raised"),
    ("builtins collections weakref _weakrefset", "", "wrappers"),
    ("builtins itertools collections asyncio _asyncio concurrent", "", "iteration"),
    ("builtins threading _thread queue _queue multiprocessing _contextvars", "", "concurrency"),
    ("builtins array io _io tempfile re random _random socket _socket weakref", "", "resources"),
    ("", "", "objects"),
)
_OWN: dict[int, type[Kind]] = {id(Rows): RowsKind, id(Said): SaidKind, id(Property): PropertyKind}


def _families(bases: tuple[type, ...]) -> Iterator[Any]:
    packages = {package for base in bases if base is not object for package in _packages(class_module(base))}
    yield _Own
    for known, library, name in (*_FIRST, *_BUILT_IN, *_LAST):
        if (known and packages.isdisjoint(known.split())) or not _is_there(library):
            continue
        try:
            family = load(name)
            family.kind_for  # noqa: B018  an injected module runs its source when it is first asked for a name
        except (AttributeError, KeyError, TypeError):
            if LIBRARIES.get(library) and not _is_being_imported(library):
                continue  # a module of the program that only bears the library's name
            raise
        yield family


def _packages(name: str) -> Iterator[str]:
    """A module's name and those of the packages around it."""
    while name:
        yield name
        name = name.rpartition(".")[0]


def _is_there(library: str) -> bool:
    needed = LIBRARIES.get(library)
    # Looked up in its namespace: `hasattr` would run a `__getattr__` of the module.
    return not needed or issubclass(type(instance_dict(module(library)).get(needed)), type)


def _is_being_imported(library: str) -> bool:
    spec = instance_dict(module(library)).get("__spec__")
    return bool(instance_dict(spec).get("_initializing"))
