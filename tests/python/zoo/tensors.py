"""Tensors whose elements are not in plain memory of their own: sparse, nested, quantized, opaque; wrappers, distributed
and fake ones; inside transforms and traces; views, and memory that is gone."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from math import inf, nan
from typing import Any

import torch
from torch import nn

from .dense import DispatchMode, hook, listed, noise, under
from .specimen import Show, Specimen, Zoo
from .tensor_classes import (
    Hidden,
    InSlots,
    LyingClass,
    Overriding,
    OwnParameter,
    Recursive,
    Remembering,
    Scaled,
    Tagged,
    Twice,
    Wrapping,
)


def quietly(make: Callable[[], Any]) -> Callable[[], Any]:
    """The same without torch's warnings about what is new or old."""

    def made() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make()

    return made


def of(make: Callable[[], Any], *says: str, **more: Any) -> Specimen:
    return Specimen(quietly(make), says=says, **more)


def within(inside: Callable[[Show], object], *says: str, **more: Any) -> Specimen:
    def quiet(show: Show) -> None:
        quietly(lambda: inside(show))()

    return Specimen(inside=quiet, says=says, **more)


def eye(size: int, *values: float) -> Any:
    return torch.diag(torch.tensor([*values, *[0.0] * (size - len(values))]))


def coo(indices: list[list[int]], values: Any, size: tuple[int, ...], **more: Any) -> Any:
    return torch.sparse_coo_tensor(torch.tensor(indices), torch.as_tensor(values), size, **more)


def stored(value: Any) -> list[Any]:
    """The values that a sparse tensor stores, by a dense copy of them."""
    with torch.no_grad():
        values = value._values() if value.layout is torch.sparse_coo else value.values()
        return listed(values)


def compressed(layout: str, dense: Any, **more: Any) -> Any:
    return dense.to_sparse(layout=getattr(torch, layout), **more)


def embedding_grad() -> Any:
    module = nn.Embedding(6, 2, sparse=True)
    module(torch.tensor([1, 4, 1])).sum().backward()
    return module.weight.grad


DOTTED = eye(4, 1.0, -2.0, 3.0)
STORED = {"notes": ["statistics are of the stored values"]}

SPARSE: Zoo = {
    "sparse COO": of(
        lambda: coo([[0, 1], [2, 0]], [3.0, 4.0], (2, 3)).coalesce(),
        "float32[2, 3] sparse_coo · nnz 2 of 6 (33.3%) · 3…4 · μ 3.5",
        silent=("uncoalesced",),
        facts={"layout": "sparse_coo", "shape": [2, 3], "bytes": 40, "stats.count": 2, **STORED},
        rows=("indices  int64[2, 2]", "values  float32[2] · 3…4"), numbers=stored,
    ),
    "sparse COO, uncoalesced": of(
        lambda: coo([[0, 0, 1], [1, 1, 2]], [1.0, 2.0, 5.0], (2, 3)), "nnz 3 of 6", "uncoalesced", "1…5", numbers=stored,
        facts={"notes": ["statistics are of the stored values", "uncoalesced"]},
    ),
    "sparse COO, huge": of(
        lambda: coo([[5, 999_999], [0, 7]], [1.0, -1.0], (10**6, 10**6)).coalesce(), "float32[1000000, 1000000] sparse_coo",
        "nnz 2 of 10¹² (2e-10%)", facts={"bytes": 40}, numbers=stored,
    ),
    "sparse COO, hybrid": of(
        lambda: coo([[0, 2]], [[1.0, 2.0], [3.0, 4.0]], (3, 2)), "nnz 2 of 3 (66.7%), each float32[2]", "1…4", numbers=stored,
        rows=("values  float32[2, 2]",),
    ),
    "sparse COO of nothing": of(
        lambda: torch.sparse_coo_tensor(size=(3, 4)), "float32[3, 4] sparse_coo · nnz 0 of 12 (0%)", silent=("empty",),
        facts={"stats.count": 0, "stats.min": None},
    ),
    "sparse COO without places": of(lambda: torch.sparse_coo_tensor(size=(0, 4)), "float32[0, 4] sparse_coo · nnz 0 of 0"),
    "sparse COO, 0-d": of(lambda: torch.tensor(2.5).to_sparse(), "float32[] sparse_coo · nnz 1 of 1 (100%) · 2.5"),
    "sparse COO of integers": of(lambda: torch.eye(3, dtype=torch.int64).mul(7).to_sparse(), "int64[3, 3]", "all 7", numbers=stored),
    "sparse COO of bool": of(lambda: torch.eye(3, dtype=torch.bool).to_sparse(), "bool[3, 3] sparse_coo · nnz 3 of 9", "all True"),
    "sparse COO, complex": of(lambda: coo([[0, 1]], [3 + 4j, 1j], (4,)), "complex64[4] sparse_coo", "|z| 1…5", numbers=stored),
    "sparse COO, half": of(lambda: coo([[0, 1]], torch.tensor([1.0, 6e4]).half(), (4,)), "float16[4] sparse_coo", numbers=stored),
    "sparse COO with NaN": of(lambda: coo([[0, 1, 2]], [nan, inf, 1.0], (4,)), "1 NaN", "1 Inf", numbers=stored),
    "sparse COO with stored zeros": of(lambda: coo([[0, 1]], [0.0, 0.0], (4,)), "nnz 2 of 4 (50%)", "all zeros"),
    "sparse COO, a leaf": of(
        lambda: coo([[0]], [1.0], (4,)).requires_grad_(), "leaf", "grad None", facts={"requires_grad": True, "is_leaf": True},
    ),
    "sparse COO, a result": of(lambda: coo([[0]], [1.0], (4,)).requires_grad_() * 2, "· 2 · grad ← MulBackward0"),
    "sparse COO, many values": of(
        lambda: torch.sparse_coo_tensor(torch.arange(500_000).unsqueeze(0), torch.ones(500_000), (10**9,)),
        "nnz 500K of 1.0B (0.05%)", "all 1",
    ),
    "sparse COO, meta": of(lambda: torch.sparse_coo_tensor(size=(3, 4), device="meta"), "float32[3, 4] meta sparse_coo"),
    "gradient of an embedding": of(embedding_grad, "float32[6, 2] sparse_coo · nnz 3 of 6 (50%), each float32[2]", "all 1"),
    "sparse CSR": of(
        lambda: compressed("sparse_csr", DOTTED), "float32[4, 4] sparse_csr · nnz 3 of 16 (18.8%) · −2…3", numbers=stored,
        facts={"layout": "sparse_csr", "bytes": 76, **STORED}, rows=("crow_indices  int64[5]", "col_indices  int64[3]", "values  float32[3]"),
    ),
    "sparse CSC": of(
        lambda: compressed("sparse_csc", DOTTED), "sparse_csc · nnz 3 of 16", numbers=stored, rows=("ccol_indices", "row_indices"),
    ),
    "sparse BSR": of(
        lambda: compressed("sparse_bsr", DOTTED, blocksize=(2, 2)), "sparse_bsr · nnz 2 of 4 blocks of 2×2 (50%)", numbers=stored,
        rows=("values  float32[2, 2, 2]",),
    ),
    "sparse BSC": of(lambda: compressed("sparse_bsc", DOTTED, blocksize=(2, 1)), "nnz 3 of 8 blocks of 2×1", numbers=stored),
    "sparse CSR, a batch": of(
        lambda: compressed("sparse_csr", torch.stack([DOTTED, DOTTED * 2])), "float32[2, 4, 4] sparse_csr · nnz 6 of 32 (18.8%)", numbers=stored,
    ),
    "sparse CSR, hybrid": of(
        lambda: compressed("sparse_csr", torch.stack([DOTTED, DOTTED], -1), dense_dim=1), "nnz 3 of 16 (18.8%), each float32[2]", numbers=stored,
    ),
    "sparse CSR of nothing": of(lambda: compressed("sparse_csr", torch.zeros(3, 3)), "nnz 0 of 9 (0%)"),
    "sparse CSR with small indices": of(
        lambda: torch.sparse_csr_tensor(torch.tensor([0, 1, 2], dtype=torch.int32), torch.tensor([1, 0], dtype=torch.int32), torch.tensor([1.0, nan]), (2, 2)),
        "nnz 2 of 4", "1 NaN", numbers=stored, rows=("col_indices  int32[2]",),
    ),
    "sparse CSR, a leaf": of(lambda: compressed("sparse_csr", DOTTED).requires_grad_(), "leaf", "grad None"),
}  # fmt: skip


def nest(*components: Any, **more: Any) -> Any:
    return torch.nested.nested_tensor(list(components), **more)


def jag(*components: Any, **more: Any) -> Any:
    return nest(*components, layout=torch.jagged, **more)


def unnested(value: Any) -> list[Any]:
    return [item for component in value.detach().unbind() for item in listed(component)]


JAGGED = {"needs": ("torch.jagged", "torch.nested.narrow")}
NESTED: Zoo = {
    "nested": of(
        lambda: nest(torch.ones(2, 4), torch.zeros(3, 4)), "float32 nested[2, *, 4] · 2 components: [2, 4], [3, 4] · 0…1 · μ 0.4",
        facts={"shape": [2, None, 4], "layout": "nested", "bytes": 80, "stats.count": 20}, numbers=unnested,
        rows=("components  2 components", "[1]  float32[3, 4] · all zeros"),
    ),
    "nested, all of one size": of(lambda: nest(torch.ones(2), torch.ones(2)), "float32 nested[2, 2] · 2 components: [2], [2] · all 1"),
    "nested with NaN": of(lambda: nest(torch.tensor([nan, 1.0]), torch.ones(3)), "1 NaN", numbers=unnested),
    "nested of integers": of(lambda: nest(torch.arange(2), torch.arange(3)), "int64 nested[2, *]", "0…2", numbers=unnested),
    "nested of many": of(lambda: nest(*(torch.ones(i % 7 + 1) for i in range(500))), "500 components: [1], [2], [3], [4]", "all 1"),
    "nested of nothing": of(lambda: torch.nested.nested_tensor([]), "float32 nested[0] · 0 components"),
    "nested, transposed": of(
        lambda: nest(torch.ones(2, 4), torch.zeros(3, 4)).transpose(1, 2), "float32 nested[2, 4, *] · 2 components: [4, 2], [4, 3]",
        rows=("[1]  float32[4, 3] · all zeros",),
    ),
    "nested, a leaf": of(lambda: nest(torch.ones(2), torch.ones(3), requires_grad=True), "leaf", "grad None"),
    "nested, a result": of(lambda: nest(torch.ones(2), torch.ones(3), requires_grad=True) * 2, "grad ← MulBackward0"),
    "jagged": of(
        lambda: jag(torch.ones(2, 4), torch.zeros(3, 4)), "NestedTensor · float32 jagged[2, j", ", 4] · 2 components: [2, 4], [3, 4] · 0…1",
        facts={"layout": "jagged", "bytes": 80, "stats.count": 20}, numbers=unnested,
        rows=("[1]  float32[3, 4] · all zeros", "offsets  int64[3] [0, 2, 5]", "values  float32[5, 4]"), **JAGGED,
    ),
    "jagged with gaps": of(
        lambda: torch.nested.narrow(torch.arange(20.0).reshape(2, 10), 1, torch.tensor([0, 1]), torch.tensor([3, 4]), layout=torch.jagged),
        "2 components: [3], [4]", rows=("lengths  int64[2] [3, 4]", "[1]  float32[4] · 11…14"),
        facts={"notes": ["statistics are of the components alone"]}, **JAGGED,
    ),
    "jagged, transposed": of(lambda: jag(torch.ones(2, 4), torch.zeros(3, 4)).transpose(1, 2), "2 components: [4, 2], [4, 3]", **JAGGED),
    "jagged, a leaf": of(lambda: jag(torch.ones(2), torch.ones(3), requires_grad=True), "leaf", **JAGGED),
    "jagged, a result": of(lambda: jag(torch.ones(2), torch.ones(3), requires_grad=True) * 2, "grad ← MulBackward0", "all 2", **JAGGED),
    "jagged with NaN": of(lambda: jag(torch.tensor([nan, 1.0]), torch.ones(3)), "1 NaN", numbers=unnested, **JAGGED),
    "jagged, half": of(lambda: jag(torch.ones(2).half(), torch.ones(3).half()), "float16 jagged[2", "all 1", **JAGGED),
}  # fmt: skip


def quantized(values: Any, scale: float = 0.1, zero_point: int = 10, dtype: str = "quint8") -> Any:
    return torch.quantize_per_tensor(torch.as_tensor(values), scale, zero_point, getattr(torch, dtype))


def by_channel(dtype: str = "qint8", zero_points: Any = (0, 1)) -> Any:
    values = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    return torch.quantize_per_channel(
        values, torch.tensor([0.1, 0.2]), torch.tensor(zero_points), 0, getattr(torch, dtype)
    )


def dequantized(value: Any) -> list[Any]:
    return listed(value.dequantize())


QUANTIZED: Zoo = {
    "quantized uint8": of(
        lambda: quantized([-1.0, 0.0, 1.5]), "quint8[3] · scale 0.1, zero point 10 · −1…1.5", numbers=dequantized,
        facts={"stats.zeros": 1, "bytes": 3, "dtype": "quint8"}, rows=("int_repr  uint8[3] [0, 10, 25]", "[2]  1.5"),
    ),
    "quantized int8": of(lambda: quantized([[-3.0, 2.0]], 0.05, -3, "qint8"), "qint8[1, 2] · scale 0.05, zero point -3", numbers=dequantized),
    "quantized int32": of(lambda: quantized([-1e5, 1e5], 0.001, 0, "qint32"), "qint32[2] · scale 0.001", numbers=dequantized),
    "quantized, at its ends": of(lambda: quantized([-1e9, 1e9] * 40), "−1…24.5", numbers=dequantized),
    "quantized, 0-d": of(lambda: quantized(1.5), "quint8[] 1.5 · scale 0.1, zero point 10"),
    "quantized, empty": of(lambda: quantized([]), "quint8[0]", "empty"),
    "quantized, all zero": of(lambda: quantized(torch.zeros(2, 3)), "all zeros", facts={"stats.zeros": 6}, numbers=dequantized),
    "quantized, transposed": of(lambda: quantized(noise(4, 5)).t(), "quint8[5, 4]", "view of [4, 5]", numbers=dequantized),
    "quantized, every second": of(lambda: quantized(noise(40))[::2], "quint8[20]", numbers=dequantized),
    "quantized, expanded": of(lambda: quantized([[1.0], [2.0]]).expand(2, 50), "quint8[2, 50]", "expanded from 2 B", numbers=dequantized),
    "quantized, large": of(lambda: quantized(noise(40_000).mul(3)), "quint8[40000]", numbers=dequantized),
    "quantized, channels_last": of(
        lambda: quantized(noise(2, 3, 4, 5).to(memory_format=torch.channels_last)), "channels_last", numbers=dequantized,
    ),
    "quantized by channel": of(
        by_channel, "qint8[2, 3] · 2 scales along dimension 0 · 1…6", numbers=dequantized,
        facts={"notes": []}, rows=("scales  float64[2]", "zero_points  int64[2] [0, 1]"),
    ),
    "quantized by channel with float zero points": of(
        lambda: by_channel("quint8", (0.5, 1.5)), "quint8[2, 3] · 2 scales along dimension 0", numbers=dequantized,
    ),
    "quantized, two in a byte": of(
        lambda: by_channel("quint4x2", (0.5, 1.5)), "quint4x2[2, 3] · 2 scales along dimension 0 · values not read: several in a byte",
    ),
    "quantized without a scale": of(lambda: torch.empty(3, dtype=torch.quint8), "quint8[3]", facts={"is_leaf": True}),
    "quantized, freed": of(lambda: freed(quantized([1.0, 2.0])), "quint8[2] · scale 0.1, zero point 10 · storage freed"),
}  # fmt: skip


def raw(name: str, *sizes: int) -> Any:
    return torch.zeros(*sizes, dtype=torch.uint8).view(getattr(torch, name))


OPAQUE: Zoo = {
    **{
        name: of(
            partial(raw, name, 2, 6), f"{name}[2, 6] · values not read: {why}", needs=(f"torch.{name}",), rows=("bytes  uint8[2, 6] · all zeros",),
            facts={"stats": None, "bytes": 12, "dtype": name},
        )
        for name, why in (
            ("uint1", "1-bit integers"), ("uint4", "4-bit integers"), ("uint7", "7-bit integers"), ("int2", "2-bit integers"),
            ("int4", "4-bit integers"), ("bits8", "bits without a meaning"), ("bits1x8", "bits without a meaning"),
            ("bits2x4", "bits without a meaning"), ("bits4x2", "bits without a meaning"), ("float4_e2m1fn_x2", "two 4-bit floats a byte"),
        )
    },
    "bits16": of(
        lambda: torch.zeros(2, 6, dtype=torch.int16).view(torch.bits16), "bits16[2, 6] · values not read", needs=("torch.bits16",), rows=("bytes  int16[2, 6]",),
    ),
    "float8_e8m0fnu": of(
        lambda: torch.tensor([1.0, 2.0, 0.5]).to(torch.float8_e8m0fnu), "float8_e8m0fnu[3] · 0.5…2", numbers=listed, needs=("torch.float8_e8m0fnu",),
    ),
    "opaque dtype, meta": of(lambda: torch.empty(3, dtype=torch.uint4, device="meta"), "uint4[3] meta", needs=("torch.uint4",)),
    "opaque dtype, freed": of(lambda: freed(raw("uint4", 40)), "uint4[40]", needs=("torch.uint4",), rows=("bytes  uint8[40] · storage freed",)),
    "opaque dtype, transposed": of(lambda: raw("uint4", 2, 6).t(), "uint4[6, 2]", "not contiguous", needs=("torch.uint4",)),
    "mkldnn": of(lambda: torch.ones(3, 3).to_mkldnn(), "float32[3, 3] · mkldnn layout: values not read", needs=("torch.backends.mkldnn",)),
    "zeros without memory": of(
        lambda: torch._efficientzerotensor(3, 4), "float32[3, 4] · all zeros · zeros without memory", facts={"bytes": 0, "stats.zeros": 12},
        needs=("torch._efficientzerotensor",),
    ),
    "many zeros without memory": of(
        lambda: torch._efficientzerotensor(10**6, 10**6, dtype=torch.complex64), "complex64[1000000, 1000000] · |z| all zeros",
        facts={"stats.real.count": 10**12}, needs=("torch._efficientzerotensor",),
    ),
}  # fmt: skip

COMPUTED = {"stats": None, "unread": "its own code decides what its values are"}


def masked(values: Any, mask: list[bool]) -> Any:
    from torch.masked import masked_tensor

    return masked_tensor(torch.as_tensor(values), torch.tensor(mask))


def two() -> Any:
    from torch.testing._internal.two_tensor import TwoTensor

    return TwoTensor(torch.ones(3), torch.zeros(3))


def as_class(cls: type, value: Any) -> Any:
    return (
        torch._C._TensorBase.as_subclass(value, cls)
        if not hasattr(torch._C, "TensorBase")
        else torch._C.TensorBase.as_subclass(value, cls)
    )


def tagged() -> Any:
    value = torch.ones(2).as_subclass(Tagged)
    value.tag = "mine"
    return value


def with_grad(grad: Any, leaf: Any = None) -> Any:
    leaf = torch.ones(3, requires_grad=True) if leaf is None else leaf
    with torch._C.DisableTorchFunction():
        leaf.grad = grad
    return leaf


CLASSES: Zoo = {
    "wrapper": of(
        lambda: Wrapping(noise(2, 3)), "Wrapping · float32[2, 3] · wraps inner=float32[2, 3]", silent=("μ",), rows=("inner  float32[2, 3] · −",),
        facts={"shape": [2, 3], "strides": [3, 1], "device": "cpu", **COMPUTED},
    ),
    "wrapper with strides of its own": of(
        lambda: Wrapping(noise(2, 3), dispatch_sizes_strides_policy="strides"), "Wrapping · float32[2, 3] · wraps inner", facts={"shape": [2, 3], **COMPUTED},
    ),
    "wrapper with sizes of its own": of(
        lambda: Wrapping(noise(2, 3), dispatch_sizes_strides_policy="sizes"), "Wrapping · wraps inner=float32[2, 3]", facts={"dtype": "float32", **COMPUTED},
    ),
    "wrapper with a device of its own": of(lambda: Wrapping(noise(2), dispatch_device=True), "Wrapping · float32[2] · wraps", facts=COMPUTED),
    "wrapper with a layout of its own": of(lambda: Wrapping(noise(2), dispatch_layout=True), "Wrapping · float32[2] · wraps", facts=COMPUTED),
    "wrapper under a dispatch mode": under(
        DispatchMode, lambda: Wrapping(noise(2, 3), dispatch_sizes_strides_policy="sizes", dispatch_device=True), "Wrapping · wraps inner=float32[2, 3]",
    ),
    "wrapper that says it is elsewhere": of(lambda: Wrapping(noise(2), device="cuda"), "Wrapping · float32[2] cuda · wraps", facts={"device": "cuda"}),
    "wrapper that wants a gradient": of(lambda: Wrapping(noise(2).requires_grad_()), "wraps inner=float32[2] · leaf · grad None"),
    "wrapper of several": of(
        lambda: Scaled(noise(2).to(torch.int8)), "Scaled · int8[2] · wraps data_=int8[2], scale=float32[2]", rows=("scale  float32[2] · 0.5…2", "block_size  32"),
    ),
    "wrapper in slots": of(lambda: InSlots(noise(2)), "InSlots · float32[2] · wraps held=float32[2]"),
    "wrapper of a list": of(lambda: Hidden(noise(2)), "Hidden · float32[2] · wraps parts=list of 2"),
    "wrapper of a wrapper": of(lambda: Wrapping(Scaled(noise(2))), "wraps inner=Scaled float32[2]", rows=("inner  Scaled · float32[2] · wraps",)),
    "wrapper of a sparse tensor": of(lambda: Wrapping(torch.eye(3).to_sparse()), "wraps inner=float32[3, 3] sparse_coo"),
    "wrapper as a gradient": of(lambda: with_grad(Wrapping(noise(3)), Wrapping(torch.ones(3, requires_grad=True))), "leaf · has grad"),
    "wrappers in a list": of(lambda: [Wrapping(noise(2)), Wrapping(noise(2))], "list · 2: (Wrapping f32[2]) ×2"),
    "class with memory and a dispatch": of(
        lambda: Remembering(torch.arange(6.0)), "Remembering · float32[6] · 0…5", facts={"notes": ["read beneath the code of its class"]},
        numbers=lambda value: [0, 1, 2, 3, 4, 5],
    ),
    "class with memory and sizes of its own": of(
        lambda: Remembering(torch.arange(6.0), dispatch_sizes_strides_policy="sizes"), "Remembering · wraps nothing by name", facts=COMPUTED,
    ),
    "class with memory that wants a gradient": of(lambda: Remembering(noise(3).requires_grad_()), "Remembering · float32[3]", "leaf"),
    "class with memory, freed": of(lambda: Remembering(freed(noise(30))), "Remembering · float32[30]", facts={"stats": None}),
    "class that overrides everything": of(lambda: as_class(Overriding, torch.arange(4.0)), "Overriding · float32[4] · 0…3 · μ 1.5"),
    "class that overrides everything, in a list": of(lambda: [as_class(Overriding, torch.arange(4.0))], "list · 1: f32[4]"),
    "class with a recursive __getattribute__": of(lambda: as_class(Recursive, torch.arange(4.0)), "Recursive · float32[4] · 0…3"),
    "class that lies about itself": of(lambda: as_class(LyingClass, torch.arange(4.0)), "LyingClass · float32[4] · 0…3"),
    "class with an attribute": of(tagged, "Tagged · float32[2] · all 1", rows=("tag  'mine'",)),
    "parameter of an own class": of(lambda: OwnParameter(torch.ones(3)), "OwnParameter · float32[3] · all 1 · leaf"),
    "buffer": of(lambda: nn.Buffer(torch.ones(3)), "float32[3] · all 1", needs=("torch.nn.Buffer",)),
    "uninitialized parameter": of(
        lambda: nn.LazyLinear(3).weight, "UninitializedParameter · float32 · uninitialized · leaf", silent=("empty", "[0]"), facts={"unread": "uninitialized"},
    ),
    "uninitialized buffer": of(lambda: nn.LazyBatchNorm1d().running_mean, "UninitializedBuffer · float32 · uninitialized"),
    "two tensors as one": of(
        two, "TwoTensor · float32[3] · wraps a=float32[3], b=float32[3]", rows=("a  float32[3] · all 1", "b  float32[3] · all zeros"),
        needs=("torch.testing._internal.two_tensor",),
    ),
    "masked": of(
        lambda: masked([1.0, nan, 3.0], [True, False, True]), "MaskedTensor · float32[3] · 2 of 3 kept · 1…3", silent=("NaN",), numbers=lambda value: [1.0, 3.0],
        facts={"notes": ["statistics are of what the mask keeps"]}, rows=("_masked_data  float32[3]", "_masked_mask  bool[3]"),
    ),
    "masked, without a mask": of(lambda: with_attributes(masked([1.0], [True]), _masked_mask=None), "MaskedTensor · float32[1] · its parts are no tensors", rows=("_masked_data  float32[1]",)),
    "masked, all hidden": of(lambda: masked([1.0, 2.0], [False, False]), "0 of 2 kept"),
    "masked, too large to gather": of(lambda: masked(torch.ones(2_000_000), [True, False] * 1_000_000), "1.0M of 2.0M kept · values not read"),
}  # fmt: skip


def distributed(make: Callable[[Any, Any], Any], *sizes: int, names: Any = ("dp", "tp")) -> Callable[[Show], None]:
    """Shows what ``make(mesh, placements module)`` gives, in a group of this process alone; no network is used."""

    def inside(show: Show) -> None:
        import torch.distributed as dist
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.tensor import placement_types

        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        try:
            mesh = init_device_mesh("cpu", sizes or (1,), mesh_dim_names=names and names[: max(1, len(sizes))])
            show(make(mesh, placement_types))
        finally:
            dist.destroy_process_group()

    return inside


def sharded(mesh: Any, kinds: Any, *placements: Any, **more: Any) -> Any:
    from torch.distributed.tensor import DTensor

    return DTensor.from_local(torch.arange(12.0).reshape(3, 4), mesh, placements or [kinds.Shard(0)], **more)


def collected(mesh: Any, kinds: Any) -> Any:
    from torch.distributed._functional_collectives import all_reduce

    return all_reduce(torch.ones(3), "sum", mesh)


def arrived(mesh: Any, kinds: Any) -> Any:
    value = collected(mesh, kinds)
    value + 1
    return value


NEEDS_GLOO = {
    "needs": (
        "torch.distributed.tensor.placement_types",
        "torch.distributed.device_mesh",
        "torch.distributed.HashStore",
    )
}
DISTRIBUTED: Zoo = {
    "DTensor, sharded": within(
        distributed(sharded), "DTensor · float32[3, 4] · Shard(0) on dp=1 · local [3, 4] · 0…11", numbers=lambda value: list(range(12)),
        facts={"shape": [3, 4], "notes": ["statistics are of the local shard"]}, rows=("local  float32[3, 4]", "placements  tuple · 1"), **NEEDS_GLOO,
    ),
    "DTensor, replicated and sharded": within(
        distributed(lambda mesh, kinds: sharded(mesh, kinds, kinds.Replicate(), kinds.Shard(1)), 1, 1), "Replicate, Shard(1) on dp=1, tp=1", **NEEDS_GLOO,
    ),
    "DTensor, partial": within(distributed(lambda mesh, kinds: sharded(mesh, kinds, kinds.Partial())), "Partial(sum) on dp=1 · local", **NEEDS_GLOO),
    "DTensor on a mesh without names": within(distributed(sharded, names=None), "Shard(0) on mesh 1 · local", **NEEDS_GLOO),
    "DTensor, a parameter": within(
        distributed(lambda mesh, kinds: nn.Parameter(sharded(mesh, kinds))), "DTensor · float32[3, 4] · Shard(0)", "leaf · grad None", **NEEDS_GLOO,
    ),
    "DTensor without a spec": within(
        distributed(lambda mesh, kinds: with_attributes(sharded(mesh, kinds), _spec=None)), "DTensor · float32[3, 4] · unknown placements on a mesh · local [3, 4] · 0…11", **NEEDS_GLOO,
    ),
    "DTensor whose shard is none": within(
        distributed(lambda mesh, kinds: with_attributes(sharded(mesh, kinds), _local_tensor="x")), "DTensor · float32[3, 4] · Shard(0) on dp=1 · no local shard", **NEEDS_GLOO,
    ),
    "DTensor, a result": within(
        distributed(lambda mesh, kinds: nn.Parameter(sharded(mesh, kinds)) * 2), "DTensor · float32[3, 4]", "0…22", "grad ← MulBackward0", **NEEDS_GLOO,
    ),
    "result of a collective": within(
        distributed(collected), "AsyncCollectiveTensor · float32[3] · values not read: its collective is not waited for", rows=("elem  float32[3], which may not have arrived",), **NEEDS_GLOO,
    ),
    "result of a collective that has arrived": within(distributed(arrived), "AsyncCollectiveTensor · float32[3] · all 1", **NEEDS_GLOO),
}  # fmt: skip


def fake(make: Callable[[], Any], **arguments: Any) -> Any:
    with torch._subclasses.FakeTensorMode(**arguments):
        return make()


def symbolic() -> Any:
    from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

    mode = torch._subclasses.FakeTensorMode(shape_env=ShapeEnv())
    context = StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DYNAMIC, DimDynamic.DYNAMIC])
    return mode.from_tensor(torch.ones(5, 7), symbolic_context=context)


def traced(mode: str) -> Callable[[Show], None]:
    def inside(show: Show) -> None:
        from torch.fx.experimental.proxy_tensor import make_fx

        graph = make_fx(lambda x: seen(show, x).sin(), tracing_mode=mode)(noise(3, 2)).graph
        assert [str(node.op) for node in graph.nodes] == ["placeholder", "call_function", "output"]

    return inside


def seen(show: Show, value: Any) -> Any:
    """``value``, looked at where it is."""
    show(value)
    return value


def jit_traced(show: Show) -> None:
    looked: list[Any] = []

    def function(x: Any) -> Any:
        if not looked:
            looked.append(x)
            show(x)
        return x * 2

    graph = torch.jit.trace(function, torch.arange(3.0)).graph
    assert "aten::size" not in str(graph)


class Shown(nn.Module):
    """Shows what it is called with, or what ``pick`` makes of it."""

    def __init__(self, show: Show, pick: Callable[[Any], Any]) -> None:
        super().__init__()
        self.show, self.pick = show, pick

    def forward(self, x: Any) -> Any:
        y = torch.relu(x)
        self.show(self.pick(y))
        return y


def proxied(pick: Callable[[Any], Any]) -> Callable[[Show], None]:
    def inside(show: Show) -> None:
        graph = torch.fx.symbolic_trace(Shown(show, pick)).graph
        assert [node.name for node in graph.nodes] == ["x", "relu", "output"]

    return inside


def compiled(show: Show) -> None:
    def backend(module: Any, inputs: Any) -> Any:
        show([*inputs])
        return module.forward

    torch.compile(lambda x: x.sin() + 1, backend=backend, dynamic=True)(noise(3, 4))


def exported(show: Show) -> None:
    program = torch.export.export(nn.Linear(2, 3), (torch.ones(4, 2),))
    show([node.meta["val"] for node in program.graph.nodes if "val" in node.meta][-1])


def under_fake(show: Show) -> None:
    value = noise(3)
    with torch._subclasses.FakeTensorMode():
        show(value)


SYMBOLS = {"needs": ("torch.fx.experimental.symbolic_shapes.StatelessSymbolicContext",)}
TRACED: Zoo = {
    "meta": of(lambda: torch.empty(3, 4, device="meta"), "float32[3, 4] meta · meta tensor: no values", facts={"stats": None, "strides": [4, 1]}),
    "meta, huge": of(lambda: torch.empty(10**6, 10**6, device="meta"), "float32[1000000, 1000000] meta"),
    "meta parameter": of(lambda: nn.Linear(2, 3, device="meta").weight, "float32[3, 2] meta", "leaf · grad None"),
    "fake": of(
        lambda: fake(lambda: torch.empty(3, 4)), "FakeTensor · float32[3, 4] · fake: no values", facts={"device": "cpu", "unread": "fake: no values"},
    ),
    "fake on another device": of(lambda: fake(lambda: torch.empty(3, 4, device="cuda")), "FakeTensor · float32[3, 4] cuda:0", facts={"device": "cuda:0"}, **SYMBOLS),
    "fake in its mode": within(lambda show: fake(lambda: show(torch.empty(3, 4))), "FakeTensor · float32[3, 4]"),
    "fake parameter": of(lambda: fake(lambda: nn.Linear(2, 3)).weight, "float32[3, 2]", "leaf"),
    "fake with symbols": of(
        symbolic, "FakeTensor · float32[s", facts={"stats": None}, silent=("5, 7",), **SYMBOLS,
    ),
    "fake with symbols, transposed": of(lambda: symbolic()[:, 1:].t(), "FakeTensor · float32[s", garbage=100, **SYMBOLS),
    "a plain tensor under a fake mode": within(under_fake, "float32[3] · "),
    "make_fx, real": within(traced("real"), "float32[3, 2] · "),
    "make_fx, fake": within(traced("fake"), "FakeTensor · float32[3, 2] · fake: no values"),
    "make_fx, symbolic": within(traced("symbolic"), "FakeTensor · float32[s"),
    "torch.jit.trace": within(jit_traced, "float32[3] · 0…2", facts={"shape": [3]}),
    "torch.compile": within(compiled, "list · "),
    "torch.export": within(exported, "FakeTensor · float32[4, 3] · fake: no values", needs=("torch.export.export",)),
    "SymInt": of(lambda: symbolic().shape[0], "SymInt · s", "5 in this trace", **SYMBOLS),
    "SymBool": of(lambda: symbolic().shape[0] > 3, "SymBool · s", "> 3", **SYMBOLS),
    "Size of symbols": of(lambda: symbolic().shape, "Size · 2: s", **SYMBOLS),
    "fx proxy": within(proxied(lambda x: x), "Proxy · of relu, which is being traced"),
    "attribute of an fx proxy": within(proxied(lambda x: x.shape), "Attribute · of relu.shape"),
    "fx proxies in a dict": within(proxied(lambda x: {"x": x}), "dict · 1: x", rows=("Proxy · of relu",)),
    "fx node": within(proxied(lambda x: x.node), "Node · relu"),
}  # fmt: skip


def transformed(transform: Any, *arguments: Any, **options: Any) -> Callable[[Show], None]:
    """Shows what a function is given inside a transform of torch.func."""

    def inside(show: Show) -> None:
        transform(lambda x: seen(show, x).sum(), **options)(*arguments)

    return inside


def first_only(transform: Any) -> Callable[[Show], None]:
    """For transforms that call the function more than once."""

    def inside(show: Show) -> None:
        looked: list[Any] = []

        def function(x: Any) -> Any:
            if not looked:
                looked.append(x)
                show(x)
            return (x * x).sum()

        transform(function)(torch.arange(3.0))

    return inside


def jvp(show: Show) -> None:
    torch.func.jvp(lambda x: seen(show, x).sum(), (torch.arange(3.0),), (torch.ones(3),))


def vjp(show: Show) -> None:
    torch.func.vjp(lambda x: seen(show, x * 2).sum(), torch.arange(3.0))


def escaped() -> Any:
    kept: list[Any] = []
    torch.func.grad(lambda x: (kept.append(x), x.sum())[1])(torch.arange(3.0))
    return kept[0]


def dual(show: Show) -> None:
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        show(forward.make_dual(torch.arange(3.0), torch.full((3,), 2.0)))


def functional() -> Any:
    from torch._subclasses.functional_tensor import FunctionalTensor, FunctionalTensorMode

    return FunctionalTensor(torch._to_functional_tensor(torch.arange(3.0)), FunctionalTensorMode())


GRID = torch.arange(12.0).reshape(3, 4)
WITHIN = {"numbers": lambda value: list(range(12))}
NAMED = {"needs": ("torch._C._functorch.get_interpreter_stack",)}  #: without, grad and jvp look the same
TRANSFORMED: Zoo = {
    "vmap": within(
        transformed(torch.func.vmap, GRID), "float32[4] · vmap level 1, dim 0 of float32[3, 4] · 0…11", rows=("wrapped  float32[3, 4] · 0…11",), **WITHIN,
        facts={"shape": [4], "notes": ["vmap level 1, dim 0 of float32[3, 4]", "statistics are of the tensor within"]},
    ),
    "vmap along another dimension": within(transformed(torch.func.vmap, GRID, in_dims=1), "float32[3] · vmap level 1, dim 1 of float32[3, 4]", **WITHIN),
    "vmap of bool": within(transformed(torch.func.vmap, GRID > 3), "bool[4] · vmap level 1, dim 0 of bool[3, 4] · 8 of 12 True"),
    "vmap of a parameter": within(transformed(torch.func.vmap, nn.Parameter(GRID)), "float32[4] · vmap level 1"),
    "vmap with NaN": within(transformed(torch.func.vmap, torch.tensor([[1.0], [nan]])), "1 NaN"),
    "vmap in vmap": within(
        lambda show: torch.func.vmap(torch.func.vmap(lambda x: seen(show, x).sum()))(GRID.reshape(3, 2, 2)),
        "float32[2] · vmap level 2, dim 0 of float32[2, 2] · vmap level 1, dim 0 of float32[3, 2, 2] · 0…11", **WITHIN,
    ),
    "grad": within(transformed(torch.func.grad, torch.arange(3.0)), "float32[3] · grad level 1 of float32[3] · 0…2", "leaf", numbers=lambda value: [0, 1, 2], **NAMED),
    "grad in grad": within(
        lambda show: torch.func.grad(lambda y: torch.func.grad(lambda x: seen(show, x * x).sum())(y).sum())(torch.arange(3.0)),
        "float32[3] · grad level 2 of float32[3] · grad level 1 of float32[3] · 0…4", "grad ← MulBackward0", **NAMED,
    ),
    "grad in vmap": within(
        lambda show: torch.func.vmap(torch.func.grad(lambda x: seen(show, x).sum()))(GRID),
        "float32[4] · grad level 2 of float32[4] · vmap level 1, dim 0 of float32[3, 4] · 0…11", **WITHIN, **NAMED,
    ),
    "vmap in grad": within(
        lambda show: torch.func.grad(lambda x: torch.func.vmap(lambda row: seen(show, row).sum())(x).sum())(GRID), "vmap level 2", "grad level 1", **WITHIN, **NAMED,
    ),
    "jvp": within(jvp, "float32[3] · jvp level 1 of float32[3] · 0…2", **NAMED),
    "vjp": within(vjp, "float32[3] · grad level 1 of float32[3] · 0…4", "grad ← MulBackward0", **NAMED),
    "jacrev": within(first_only(torch.func.jacrev), "float32[3] · grad level 1 of float32[3] · 0…2", **NAMED),
    "jacfwd": within(first_only(torch.func.jacfwd), "float32[3] · jvp level 2 of float32[3]", **NAMED),
    "hessian": within(first_only(torch.func.hessian), "float32[3] · grad level 3 of float32[3] · jvp level 2", **NAMED),
    "functionalize": within(transformed(torch.func.functionalize, torch.arange(3.0)), "float32[3] · functionalize level 1 of float32[3] · 0…2"),
    "functional tensor": of(lambda: torch._to_functional_tensor(torch.arange(3.0)), "float32[3] · functionalized float32[3] · 0…2"),
    "functional tensor in Python": of(functional, "FunctionalTensor · float32[3] · wraps elem=float32[3]", rows=("functionalized float32[3] · 0…2",), needs=("torch._subclasses.functional_tensor",)),
    "escaped from a transform": of(escaped, "float32[3] · of float32[3], whose transform is over · 0…2"),
    "a plain tensor inside vmap": within(lambda show: torch.func.vmap(lambda x: (show(GRID), x)[1])(GRID), "float32[3, 4] · 0…11", **WITHIN),
    "dual": within(dual, "float32[3] · 0…2", "dual, tangent all 2", rows=("tangent  float32[3] · all 2",)),
}  # fmt: skip


def cut(value: Any, size: int) -> Any:
    value.untyped_storage().resize_(size)
    return value


def nested(**more: Any) -> Any:
    return torch.nested.nested_tensor([torch.ones(3, 2), torch.ones(5, 2)], **more)


def with_attributes(value: Any, **attributes: Any) -> Any:
    for name, item in attributes.items():
        object.__setattr__(value, name, item)
    return value


def freed_scales() -> Any:
    whole = torch.ones(3, 2)
    value = torch.quantize_per_channel(whole, torch.tensor([0.1, 0.2, 0.3]), torch.zeros(3), 0, torch.quint8)
    freed(value.q_per_channel_scales())
    return value


def freed(value: Any) -> Any:
    value.untyped_storage().resize_(0)
    return value


def truncated() -> Any:
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(b"\0" * 400_000)
    value = torch.from_file(file.name, shared=True, size=100_000, dtype=torch.float32)
    os.truncate(file.name, 4096)
    return value


def stale(**more: Any) -> Any:
    """A view of a leaf's result, made before the result was modified in place."""
    result = torch.ones(2, 2, requires_grad=True) * 1
    view = result.t()
    result.mul_(2)
    return view


def updated() -> Any:
    """A view of a parameter that an optimizer has updated before."""
    weight = nn.Parameter(torch.ones(2, 3))
    with torch.no_grad():
        weight.add_(1)
    return weight.t()


def lost() -> Any:
    first, _ = (torch.ones(2, 3, requires_grad=True) * 1).unbind()
    first._base.add_(1)
    return first


def without_gradients() -> Any:
    leaf = torch.ones(4, requires_grad=True)
    with torch.no_grad():
        return leaf[1:]


def twice_differentiated() -> Any:
    leaf = torch.arange(3.0, requires_grad=True)
    (grad,) = torch.autograd.grad((leaf**3).sum(), leaf, create_graph=True)
    return grad


def watched() -> Any:
    leaf = torch.ones(3, requires_grad=True)
    leaf.register_post_accumulate_grad_hook(hook)
    return leaf


AUTOGRAD: Zoo = {
    "gradient with NaN": of(
        lambda: with_grad(torch.tensor([1.0, nan, nan])), "float32[3] · all 1 · leaf · grad 2 NaN", rows=("grad  float32[3] · finite all 1 · 2 NaN",),
    ),
    "gradient with Inf": of(lambda: with_grad(torch.tensor([1.0, inf, -inf])), "grad 1 Inf, 1 −Inf"),
    "gradient all NaN": of(lambda: with_grad(torch.full((3,), nan)), "grad all NaN"),
    "gradient all zeros": of(lambda: with_grad(torch.zeros(3)), "leaf · grad all zeros"),
    "gradient that is sparse": of(
        lambda: with_grad(coo([[0]], [nan], (3,))), "leaf · grad all NaN", rows=("grad  float32[3] sparse_coo · nnz 1 of 3 (33.3%)",),
    ),
    "gradient, freed": of(lambda: with_grad(freed(torch.ones(3))), "leaf · has grad", rows=("grad  float32[3] · storage freed",)),
    "gradient of a gradient": of(twice_differentiated, "float32[3] · 0…12", "grad ← MulBackward0"),
    "view made before a change in place": of(
        stale, "all 2 · grad ← base ← MulBackward0 · view of [2, 2]", facts={"grad_fn": "base ← MulBackward0"}, rows=("base  float32[2, 2] · all 2 · grad ← MulBackward0",),
    ),
    "view of an updated parameter": of(updated, "all 2 · grad ← base, a leaf · view of [2, 3]", rows=("base  float32[2, 3] · all 2 · leaf",)),
    "view whose node is lost": of(
        lost, "float32[3] · all 2 · grad_fn lost: modified in place · view of [2, 3]", needs=("torch._C._autograd._get_creation_meta",),
    ),
    "view made without gradients": of(without_gradients, "float32[3] · all 1", "view of [4]"),
    "result of the program's function": of(lambda: Twice.apply(torch.ones(3, requires_grad=True)), "all 2 · grad ← TwiceBackward"),
    "hook after accumulation": of(watched, "leaf", rows=("hooks after accumulation  OrderedDict · 1",), needs=("torch.Tensor.register_post_accumulate_grad_hook",)),
}  # fmt: skip

MEMORY: Zoo = {
    "freed": of(lambda: freed(torch.ones(100)), "float32[100] · storage freed", facts={"bytes": 0, "unread": "storage freed"}, readable=False),
    "view of freed memory": of(lambda: (whole := torch.ones(10, 10), view := whole[2:].t(), freed(whole))[1], "float32[10, 8] · storage freed", readable=False),
    "nested, freed": of(lambda: freed(nested()), "float32 nested[2, *, 2] · 2 components · storage freed", facts={"stats": None}, readable=False),
    "nested, cut": of(lambda: cut(nested(), 20), "2 components · storage too small: 20 of 64 bytes", facts={"stats": None}, readable=False),
    "jagged, freed offsets": of(lambda: (value := nested(layout=torch.jagged), freed(value._offsets))[0], "2 components · all 1", rows=("offsets  int64[3] · storage freed",), readable=False, needs=("torch.jagged",)),
    "jagged, without offsets": of(lambda: with_attributes(nested(layout=torch.jagged), _offsets=None), "0 components · all 1", needs=("torch.jagged",)),
    "jagged, with an odd dimension": of(lambda: with_attributes(nested(layout=torch.jagged), _ragged_idx="x"), "2 components · all 1", needs=("torch.jagged",)),
    "quantized, freed scales": of(lambda: freed_scales(), "quint8[3, 2] · 3 scales along dimension 0 · storage freed", rows=("scales  float32[3] · storage freed",), readable=False),
    "copied on write": of(lambda: torch._lazy_clone(torch.arange(5000.0)), "float32[5000] · 0…4999", needs=("torch._lazy_clone",)),
    "class with memory that is copied on write": of(lambda: Remembering(torch._lazy_clone(torch.arange(50.0))), "Remembering · float32[50] · 0…49", needs=("torch._lazy_clone",)),
    "freed parameter": of(lambda: nn.Parameter(freed(torch.ones(100))), "float32[100] · storage freed · leaf · grad None", readable=False),
    "shrunk": of(
        lambda: (value := torch.ones(100), value.untyped_storage().resize_(200))[0], "float32[100] · storage too small: 200 of 400 bytes", readable=False,
    ),
    "over a truncated file": of(truncated, "float32[100000] · file truncated: 4096 of 400000 bytes", readable=False, needs=("torch.UntypedStorage.filename",)),
    "view with its base": of(
        lambda: noise(100)[40:], "float32[60]", "view of [100]", facts={"view_of": "float32[100]", "rows": [["storage", "shares the base's 400 B, offset 40"]]},
        numbers=listed, rows=("base  float32[100]",),
    ),
    "view of a view": of(lambda: noise(10, 10)[2:][:, 3], "view of [10, 10]", numbers=listed),
    "view as another dtype": of(lambda: torch.arange(4, dtype=torch.int32).view(torch.uint8), "uint8[16] · 0…3", numbers=listed),
    "part of another's storage": of(
        lambda: torch.empty(0).set_(noise(1000).untyped_storage(), 10, (3, 3), (4, 1)), "float32[3, 3]", facts={"rows": [["storage", "3.9 KiB, offset 10"]]},
        numbers=listed,
    ),
    "conjugated": of(lambda: torch.tensor([1 + 2j, 3 - 1j]).conj(), "|z|", "view of [2] · conjugated when read", numbers=listed),
    "negated": of(lambda: torch.tensor([1 + 2j, 3 - 1j]).conj().imag, "float32[2] · −2…1", "negated when read", numbers=listed),
    "over bytes": of(lambda: torch.frombuffer(bytearray(b"\1\2\3\4"), dtype=torch.uint8), "uint8[4] [1, 2, 3, 4]", numbers=listed),
    "names of dimensions": of(lambda: torch.ones(2, 3, names=("N", None)), "float32[N=2, 3] · all 1", needs=("torch.Tensor.names",)),
}  # fmt: skip

SPECIMENS: Zoo = {
    **SPARSE, **NESTED, **QUANTIZED, **OPAQUE, **CLASSES, **DISTRIBUTED, **TRACED, **TRANSFORMED, **AUTOGRAD, **MEMORY,
}  # fmt: skip
