"""Which form a tensor has, by the keys of torch's dispatcher and, for tensor classes in Python, by their class.

A form's module is loaded when the first tensor of that form is met.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..guard import ByClass, class_name, mro, stands_in
from .torch_tensor import Tensor

_Form = tuple[str, str]  #: module, class

#: By the beginning of a dispatch key, the first that fits.
_BY_KEY: tuple[tuple[str, _Form], ...] = (
    ("FuncTorch", ("torch_transforms", "Transformed")),
    ("Functionalize", ("torch_transforms", "Transformed")),
    ("Sparse", ("torch_layouts", "Sparse")),
    ("NestedTensor", ("torch_nested", "Nested")),
    ("Quantized", ("torch_quantized", "Quantized")),
    ("Mkldnn", ("torch_layouts", "Opaque")),
    ("Vulkan", ("torch_layouts", "Opaque")),
    ("Metal", ("torch_layouts", "Opaque")),
    ("Named", ("torch_layouts", "Named")),
    ("ZeroTensor", ("torch_layouts", "Zero")),
    ("Conjugate", ("torch_layouts", "Flipped")),
    ("Negative", ("torch_layouts", "Flipped")),
)
#: Tensor classes of torch itself.
_BY_NAME: dict[str, _Form] = {
    "FakeTensor": ("torch_subclass", "Fake"),
    "MaskedTensor": ("torch_subclass", "Masked"),
    "NestedTensor": ("torch_nested", "Jagged"),
    "DTensor": ("torch_distributed", "Distributed"),
    "AsyncCollectiveTensor": ("torch_distributed", "Collective"),
    "UninitializedTensorMixin": ("torch_layouts", "Uninitialized"),
}


def _load(form: _Form) -> type[Tensor]:
    return getattr(__import__(form[0], globals(), None, [form[1]], 1), form[1])  # type: ignore[no-any-return]


def form_for(keys: Iterable[str]) -> type[Tensor]:
    """The form of a tensor with these dispatch keys, none of them Python's."""
    known = (form for start, form in _BY_KEY if any(key.startswith(start) for key in keys))
    form = next(known, None)
    return Tensor if form is None else _load(form)


def wrapper_form(value: Any) -> type[Tensor]:
    """The form of a tensor with the Python key, where its class alone does not tell."""
    from .torch_subclass import Beneath, Wrapper, has_memory

    return Beneath if has_memory(value) else Wrapper


def _find(cls: type) -> type[Tensor] | None:
    """The form of a tensor class of torch itself; None for others."""
    known = (base for base in mro(cls) if class_name(base) in _BY_NAME and stands_in(base, "torch"))
    return next((_load(_BY_NAME[class_name(base)]) for base in known), None)


class_form = ByClass(_find)
