"""Which form a tensor has, by the keys of torch's dispatcher and, for tensor classes in Python, by their class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..guard import ByClass, class_name, mro, stands_in
from .torch_distributed import Collective, Distributed
from .torch_layouts import Flipped, Named, Opaque, Sparse, Uninitialized, Zero
from .torch_nested import Jagged, Nested
from .torch_quantized import Quantized
from .torch_subclass import Beneath, Fake, Masked, Wrapper, has_memory
from .torch_tensor import Tensor
from .torch_transforms import Transformed

#: By the beginning of a dispatch key, the first that fits.
_BY_KEY: tuple[tuple[str, type[Tensor]], ...] = (
    ("FuncTorch", Transformed),
    ("Functionalize", Transformed),
    ("Sparse", Sparse),
    ("NestedTensor", Nested),
    ("Quantized", Quantized),
    ("Mkldnn", Opaque),
    ("Vulkan", Opaque),
    ("Metal", Opaque),
    ("Named", Named),
    ("ZeroTensor", Zero),
    ("Conjugate", Flipped),
    ("Negative", Flipped),
)
#: Tensor classes of torch itself.
_BY_NAME: dict[str, type[Tensor]] = {
    "FakeTensor": Fake,
    "MaskedTensor": Masked,
    "NestedTensor": Jagged,
    "DTensor": Distributed,
    "AsyncCollectiveTensor": Collective,
    "UninitializedTensorMixin": Uninitialized,
}


def form_for(keys: Iterable[str]) -> type[Tensor]:
    """The form of a tensor with these dispatch keys, none of them Python's."""
    return next((form for start, form in _BY_KEY if any(key.startswith(start) for key in keys)), Tensor)


def wrapper_form(value: Any) -> type[Tensor]:
    """The form of a tensor with the Python key, where its class alone does not tell."""
    return Beneath if has_memory(value) else Wrapper


def _find(cls: type) -> type[Tensor] | None:
    """The form of a tensor class of torch itself; None for others."""
    known = (base for base in mro(cls) if class_name(base) in _BY_NAME and stands_in(base, "torch"))
    return next((_BY_NAME[class_name(base)] for base in known), None)


class_form = ByClass(_find)
