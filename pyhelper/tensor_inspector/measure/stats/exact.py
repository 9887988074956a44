"""Chooses the kernel that reads a dtype of dense CPU tensors exactly.

A kernel turns one block, a strided view of at most `BLOCK` numbers, into a tally. Invariants: the user's memory is
never written to (in-place operations use scratch memory of our own), and extra memory stays near 8 MiB for every size.
"""

import math
from typing import Any, Callable, Optional, Union, cast

from ...safe.torch_name import torch_name
from .floats import ByteFloatKernel, FloatKernel, small_floats
from .integers import INTS, SIGNED_TWIN, IntKernel, bools, small_ints
from .reductions import Scratch
from .tally import ComplexTally, Tally

AnyTally = Union[Tally, ComplexTally]
Kernel = Callable[[Any], AnyTally]
SmallKernel = Callable[[Any, Any], AnyTally]

_FLOATS = frozenset(("float64", "float32", "float16", "bfloat16"))
_PARTS = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}
_LARGE = 2.4e38  # two parts up to here have a magnitude that float32 holds
_small_kernels: dict[Any, Optional[SmallKernel]] = {}


def kernel_for(torch: Any, dtype: Any) -> Optional[Kernel]:
    """The kernel for blocks of a dtype of any size, or None if its numbers can't be read one by one."""
    name = torch_name(dtype)
    if name in _FLOATS:
        return FloatKernel(torch, dtype)
    if name.startswith("float8_"):
        return ByteFloatKernel(torch, dtype)
    if name in INTS:
        return IntKernel(torch, dtype)
    if name in _PARTS:
        return ComplexKernel(torch, getattr(torch, _PARTS[name]))
    if name == "bool":
        scratch = Scratch(torch)
        return lambda block: bools(torch, block, scratch)
    return None


def small_kernel_for(torch: Any, dtype: Any) -> Optional[SmallKernel]:
    """The kernel for a block of at most `SMALL` numbers of a dtype: a function of torch and the block; None as above.

    A small tensor takes little time, so it is found by one look-up."""
    try:
        return _small_kernels[dtype]
    except KeyError:
        pass
    name = torch_name(dtype)
    if name in _FLOATS or name.startswith("float8_"):
        found: Any = small_floats
    elif name in INTS and name not in SIGNED_TWIN:
        found = small_ints
    elif name in INTS or name in _PARTS:
        found = _small_others
    else:
        found = bools if name == "bool" else None
    _small_kernels[dtype] = found
    return cast("Optional[SmallKernel]", found)


def _small_others(torch: Any, block: Any) -> AnyTally:
    kernel = kernel_for(torch, block.dtype)
    assert kernel is not None
    return kernel(block)


def empty(dtype: Any) -> AnyTally:
    """What is known of no numbers."""
    return ComplexTally(Tally(), Tally(), Tally()) if dtype.is_complex else Tally()


class ComplexKernel:
    """Blocks of complex numbers (without the conjugate bit), whose parts are of the real dtype `part`."""

    def __init__(self, torch: Any, part: Any) -> None:
        self._torch = torch
        self._kernel = FloatKernel(torch, part)
        self._work = torch.float64 if part is torch.float64 else torch.float32
        self._wide: Optional[FloatKernel] = None
        self._scratch = Scratch(torch)

    def __call__(self, block: Any) -> ComplexTally:
        parts = self._torch.view_as_real(block)
        real, imag = parts.select(-1, 0), parts.select(-1, 1)
        a, b = self._kernel(real), self._kernel(imag)
        work, kernel = self._work, self._kernel
        if work is self._torch.float32 and max(abs(end or 0.0) for end in (a.lo, a.hi, b.lo, b.hi)) > _LARGE:
            kernel = self._wide = self._wide or FloatKernel(self._torch, self._torch.float64)
            work = self._torch.float64
        magnitude = self._scratch.take("abs", work, real.numel()).view(real.shape)
        self._torch.hypot(real.to(work), imag.to(work), out=magnitude)
        unknown = real.isnan() | imag.isnan() if a.nan or b.nan else None
        if unknown is not None:  # for `hypot` the infinite part of such a number counts, for `isnan` the other one
            magnitude[unknown] = math.nan
        c = kernel(magnitude)
        if not c.pos_inf:
            return ComplexTally(a, b, c)
        infinite = real.isinf() | imag.isinf()
        return ComplexTally(a, b, c, int((infinite if unknown is None else infinite & ~unknown).sum()))


def is_large(parts: Any) -> bool:
    """Whether magnitudes of complex numbers, of which these are the parts, may be beyond float32."""
    finite = parts[parts.isfinite()]
    return bool(finite.numel()) and float(finite.abs().max()) > _LARGE
