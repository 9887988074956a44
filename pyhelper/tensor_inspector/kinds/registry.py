"""Chooses the kind of a value by its class, once per class. All library names are listed here.

A family is a module with ``kind_for(cls, bases)``. It is loaded by its name, so the registry imports none. The families
of a library are asked only where the program has imported that library; ``python.objects`` comes last and takes any
class. A new file has one row: in ``_FIRST`` where its classes are numbers, tuples or dicts too, else in ``_LAST``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..safe.budget import Budget
from ..safe.guard import ByClass, class_module, instance_dict, module, mro, plain_str, top_package
from .families import by_base
from .kind import Kind
from .rows import Property, PropertyKind, Rows, RowsKind, TextRow, TextRowKind

#: The libraries that have kinds of their own, each with the class that its module must have to be that library, where a
#: module of the program may bear its name.
LIBRARIES = {
    "torch": "Tensor",
    "numpy": "ndarray",
    "jax": "Array",
    "jaxlib": "",
    "pandas": "DataFrame",
    "polars": "DataFrame",
    "scipy": "",
    "PIL": "",
    "tensordict": "TensorDict",
    "transformers": "",
    "shapely": "",
    "omegaconf": "",
    "mlx": "",
    "paddle": "",
    "tensorflow": "",
    "SimpleITK": "",
    "h5py": "",
    "netCDF4": "",
    "tensorstore": "",
    "google": "",
    "onnx": "",
    "xgboost": "",
    "lightgbm": "",
    "anndata": "",
    "uproot": "",
}

#: Classes whose own text, which is their library's, says all that tells two of them apart: where a DTensor's parts lie.
WRITTEN_OUT = {"torch": ("Shard", "_StridedShard", "Replicate", "Partial", "_Partial")}


def as_kind(value: object, budget: Budget) -> Kind:
    """``value`` as its kind, ready to be asked."""
    kind = kind_of(type(value))
    return kind(value, budget) if kind.is_made(value) else as_unmade(value, budget)


def as_unmade(value: object, budget: Budget) -> Kind:
    """The kind of a value whose ``__init__`` has not run yet, or not to its end."""
    return load("python.objects").Unmade(value, budget)  # type: ignore[no-any-return]


def _choose(cls: type) -> type[Kind]:
    bases = mro(cls)
    ours = _of_our_rows(cls, bases)
    if ours is not None:
        return ours
    kinds = (family.kind_for(cls, bases) for family in _families(bases))
    kind: type[Kind] = next(kind for kind in kinds if kind is not None)
    if kind.search is not None and top_package(class_module(cls)) == "torch":  # torch's own line says more
        return kind
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


#: Parts taken out of tensors, arrays and tables are classes of our own.
_OURS = top_package(__name__)
#: Packages, and the family of kinds: asked, and so compiled, only where a class or base of it stands in such a package
#: and the library is there. These come before the built-in kinds: some of their classes are numbers, dates or
#: containers too.
_FIRST = (
    ("monai", "torch", "arrays.medical_images"),
    (f"torch {_OURS}", "torch", "torch.tensor"),
    ("torch.jit", "torch", "torch.compiled"),
    ("torch", "torch", "torch.module"),
    ("torch", "torch", "torch.training"),
    ("astropy unyt", "numpy", "arrays.unit_arrays"),
    (f"numpy {_OURS}", "numpy", "numpy.array"),
    ("numpy", "numpy", "numpy.values"),
    ("jax jaxlib", "jax", "arrays.jax_array"),
    ("jax", "jax", "arrays.jax_shardings"),
    ("e3nn", "", "others.irreps"),
    (_OURS, "", "tables.tables"),
    ("pandas", "pandas", "tables.pandas_values"),
    ("pandas", "pandas", "tables.pandas_tables"),
    ("polars", "polars", "tables.polars_tables"),
    ("pyarrow", "", "tables.arrow_values"),
    ("scipy", "scipy", "arrays.scipy_sparse"),
    ("PIL", "PIL", "arrays.images"),
    ("", "tensordict", "others.tensordicts"),  # a tensorclass stands anywhere
    ("transformers", "transformers", "others.transformers_values"),
    (f"{_OURS}.safe.foreign", "", "python.foreign"),
    ("transformers", "transformers", "others.token_caches"),
    ("omegaconf", "omegaconf", "others.configs"),
    ("mlx paddle tensorflow SimpleITK", "numpy", "arrays.framework_arrays"),
    ("h5py netCDF4 tensorstore", "numpy", "arrays.stored_arrays"),
    ("google", "numpy", "arrays.protobuf"),
    ("xgboost lightgbm", "", "others.boosters"),
    ("anndata uproot", "numpy", "arrays.annotated_data"),
)
_BUILT_IN = (("", "", "python.plain"), ("", "", "python.mappings"), ("", "", "python.containers"))
#: And these after them.
_LAST = (
    ("builtins torch", "torch", "torch.autograd"),
    ("torch", "torch", "torch.symbols"),
    ("torch", "torch", "torch.runtime"),
    ("torch", "torch", "torch.schedules"),
    ("torch", "torch", "torch.data"),
    ("torch", "torch", "torch.compiled"),
    ("builtins functools", "", "python.callables"),
    ("builtins", "", "python.raised"),
    ("builtins collections weakref _weakrefset", "", "python.wrappers"),
    ("builtins itertools collections asyncio _asyncio concurrent", "", "python.iteration"),
    ("builtins threading _thread queue _queue multiprocessing _contextvars", "", "python.concurrency"),
    ("builtins array io _io tempfile re random _random socket _socket weakref", "", "python.resources"),
    ("sqlite3 mmap multiprocessing.shared_memory ctypes configparser _cffi_backend", "", "python.opened"),
    ("shapely", "shapely", "others.geometries"),
    ("_ctypes multiprocessing.sharedctypes", "", "python.foreign"),
    ("pint", "", "arrays.quantities"),
    ("pydantic", "", "others.pydantic_models"),
    ("torch_geometric", "torch", "others.graphs"),
    ("wandb", "", "others.tracked_runs"),
    ("dask", "", "arrays.lazy_arrays"),
    ("awkward", "numpy", "arrays.awkward_arrays"),
    ("", "", "python.objects"),
)
_of_our_rows = by_base({RowsKind: (Rows,), TextRowKind: (TextRow,), PropertyKind: (Property,)})


def _families(bases: tuple[type, ...]) -> Iterator[Any]:
    packages = {package for base in bases if base is not object for package in _packages(class_module(base))}
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
