"""Which form a tensor has, by the keys of torch's dispatcher and, for tensor classes in Python, by their class.

A form is a subclass of `tensor.Tensor`, loaded by its name when the first tensor of that form is met.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...measure.torch.metadata import PLAIN
from ...safe.guard import ByClass, class_name, module, mro, stands_in
from ..registry import load

torch: Any = module("torch")
_Form = tuple[str, str]  #: module, class

#: By the beginning of a dispatch key, the first that fits.
_BY_KEY: tuple[tuple[str, _Form], ...] = (
    ("FuncTorch", ("torch.transforms", "Transformed")),
    ("Functionalize", ("torch.transforms", "Transformed")),
    ("Sparse", ("torch.layouts", "Sparse")),
    ("NestedTensor", ("torch.nested", "Nested")),
    ("Quantized", ("torch.quantized", "Quantized")),
    ("Mkldnn", ("torch.layouts", "Opaque")),
    ("Vulkan", ("torch.layouts", "Opaque")),
    ("Metal", ("torch.layouts", "Opaque")),
    ("Named", ("torch.layouts", "Named")),
    ("ZeroTensor", ("torch.layouts", "Zero")),
    ("Conjugate", ("torch.layouts", "Flipped")),
    ("Negative", ("torch.layouts", "Flipped")),
)
#: Tensor classes of torch itself.
_BY_NAME: dict[str, _Form] = {
    "FakeTensor": ("torch.subclass", "Fake"),
    "MaskedTensor": ("torch.subclass", "Masked"),
    "NestedTensor": ("torch.nested", "Jagged"),
    "DTensor": ("torch.distributed", "Distributed"),
    "AsyncCollectiveTensor": ("torch.distributed", "Collective"),
    "UninitializedTensorMixin": ("torch.layouts", "Uninitialized"),
}


_keys_of: Any = torch._C._dispatch_keys
_signature: Any = getattr(torch._C.DispatchKeySet, "raw_repr", str)  # the latter before torch 2.1
_KNOWN: dict[Any, Any] = {}  #: forms by sets of keys


def form_of(value: Any) -> Any:
    """The class of a tensor's form; None for one in plain memory."""
    keys = _keys_of(value)
    if type(value) in PLAIN:
        signature = _signature(keys)
        if signature in _KNOWN:
            return _KNOWN[signature]
    names = str(keys)[len("DispatchKeySet(") : -1].split(", ")
    of_class = _class_form(type(value))
    if of_class is not None or "Python" in names:
        return of_class or _wrapper_form(value)
    return _KNOWN.setdefault(_signature(keys), _form_for(names))


def _load(form: _Form) -> Any:
    return getattr(load(form[0]), form[1])


def _form_for(keys: Iterable[str]) -> Any:
    """The form of a tensor with these dispatch keys, none of them Python's."""
    known = (form for start, form in _BY_KEY if any(key.startswith(start) for key in keys))
    form = next(known, None)
    return None if form is None else _load(form)


def _wrapper_form(value: Any) -> Any:
    """The form of a tensor with the Python key, where its class alone does not tell."""
    from ...measure.torch.dispatch import has_memory  # compiled only where it is needed

    return _load(("torch.subclass", "Beneath" if has_memory(value) else "Wrapper"))


def _find(cls: type) -> Any:
    """The form of a tensor class of torch itself; None for others."""
    known = (base for base in mro(cls) if class_name(base) in _BY_NAME and stands_in(base, "torch"))
    return next((_load(_BY_NAME[class_name(base)]) for base in known), None)


_class_form = ByClass(_find)
