"""Chooses the form of a tensor: by its dispatch keys, and by its class if that is written in Python.

A form is a subclass of `form.Form`. It is loaded by its name when the first tensor of that form comes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...measure.torch.metadata import EXACT_TENSORS, keys_of, signature_of
from ...safe.budget import Budget
from ...safe.guard import ByClass, class_name, is_found_in, mro
from ..registry import load

if TYPE_CHECKING:
    from .form import Form

_Form = tuple[str, str]  #: module, class

_USUAL: _Form = ("torch.dense", "Dense")
#: By the beginning of a dispatch key, the first that fits.
_BY_KEY: tuple[tuple[str, _Form], ...] = (
    ("FuncTorch", ("torch.transforms", "Transformed")),
    ("Functionalize", ("torch.transforms", "Transformed")),
    ("Sparse", ("torch.sparse", "Sparse")),
    ("NestedTensor", ("torch.nested", "Nested")),
    ("Quantized", ("torch.quantized", "Quantized")),
    ("Mkldnn", ("torch.form", "Form")),
    ("Vulkan", ("torch.form", "Form")),
    ("Metal", ("torch.form", "Form")),
    ("Named", ("torch.dense", "Named")),
    ("ZeroTensor", ("torch.dense", "Zero")),
    ("Conjugate", ("torch.dense", "Flipped")),
    ("Negative", ("torch.dense", "Flipped")),
)
#: Tensor classes of torch itself.
_BY_NAME: dict[str, _Form] = {
    "FakeTensor": ("torch.subclass", "Fake"),
    "MaskedTensor": ("torch.subclass", "Masked"),
    "NestedTensor": ("torch.nested", "Jagged"),
    "DTensor": ("torch.distributed", "Distributed"),
    "AsyncCollectiveTensor": ("torch.distributed", "Collective"),
    "UninitializedTensorMixin": ("torch.subclass", "Uninitialized"),
}


_KNOWN: dict[Any, Any] = {}  #: forms by sets of keys


def form_of(value: Any, budget: Budget) -> Form:
    """The form of a tensor, to be read under a budget."""
    return form_class_of(value)(value, budget)  # type: ignore[no-any-return]


def form_class_of(value: Any) -> Any:
    keys = keys_of(value)
    if type(value) in EXACT_TENSORS:
        known = _KNOWN.get(signature_of(keys))
        if known is not None:
            return known
    names = str(keys)[len("DispatchKeySet(") : -1].split(", ")
    of_class = _class_form(type(value))
    if of_class is not None or "Python" in names:
        return of_class or _wrapper_form(value)
    if type(value) not in EXACT_TENSORS and _stands_for_others(value):
        return _load(("torch.quantized", "StoredCodes"))
    return _KNOWN.setdefault(signature_of(keys), _form_for(names))


def _load(form: _Form) -> Any:
    return getattr(load(form[0]), form[1])


def _form_for(keys: Iterable[str]) -> Any:
    """The form of a tensor with these dispatch keys, none of them Python's."""
    known = (form for start, form in _BY_KEY if any(key.startswith(start) for key in keys))
    return _load(next(known, _USUAL))


def _wrapper_form(value: Any) -> Any:
    """The form of a tensor with the Python dispatch key whose class is not in the table."""
    from ...measure.torch.dispatch import has_memory  # compiled only where it is needed

    if has_memory(value):
        return _load(("torch.dense", "SubclassMemory"))
    return _load(("torch.quantized", "WrappedCodes") if _stands_for_others(value) else ("torch.subclass", "Wrapper"))


def _stands_for_others(value: Any) -> bool:
    """Whether its elements are codes of other numbers."""
    from ...measure.torch.codes import codes_of  # compiled only where it is needed

    return codes_of(value) is not None


def _find(cls: type) -> Any:
    """The form of a tensor class of torch itself; None for others."""
    known = (base for base in mro(cls) if class_name(base) in _BY_NAME and is_found_in(base, "torch"))
    return next((_load(_BY_NAME[class_name(base)]) for base in known), None)


_class_form = ByClass(_find)
