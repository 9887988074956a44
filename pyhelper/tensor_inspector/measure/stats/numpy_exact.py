"""Exact and sampled statistics of numpy arrays, without torch.

The same method as `exact` in numpy's terms: blocks of 64K numbers (a core's own cache), two passes of float64 about a
block's mean (Chan, Golub and LeVeque, 1983), merged as `Tally.add` says. The array is never written to, and numpy's
error state is set for our own arithmetic only.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, Callable, cast

from ...safe.budget import Budget
from ...safe.memory import mapped
from ..unread import OFF, UNMAPPED, Unread, beyond, indistinct, skipped, too_small
from .integers import counted
from .layout import normalised
from .reductions import DOUBLE, deviation_about, unscaled
from .scan import scan
from .tally import LEAST, Beyond, ComplexTally, Tally

if TYPE_CHECKING:
    from ...protocol import ComplexStats, Stats

_BLOCK = 1 << 16
_DOT = 1 << 12
_LOW, _HIGH = 1e-120, 1e140  # between these a float64's square neither vanishes nor overflows
_GRANULARITY = 4096  # of file mappings


def of_array(a: Any, budget: Budget) -> Stats | ComplexStats | Unread:
    """Statistics of a numpy.ndarray, or why there are none."""
    np = sys.modules["numpy"]
    found = strided(np, a)
    if isinstance(found, Unread):
        return found
    view, weight = found
    kind, count = view.dtype.kind, int(view.size)
    if count == 0:
        return Tally().stats(0) if kind != "c" else ComplexTally(Tally(), Tally(), Tally()).parts(0)
    if not budget.reads:
        return OFF
    if budget.spent() and count > _BLOCK:
        return skipped(budget)
    with np.errstate(all="ignore"):
        try:
            tally: Any = scan(view, gatherer(np, view), _kernel_for(np, kind), count, _BLOCK, budget)
        except Beyond:
            return beyond(view.dtype.name)
    if view.dtype.itemsize > (8 if kind != "c" else 16) and _is_blurred(tally, kind):
        return indistinct(view.dtype.name)
    count *= weight
    if kind == "c":
        return cast("ComplexStats", tally.parts(count, weight))
    return cast("Stats", tally.stats(count, weight))


def strided(np: Any, a: Any) -> tuple[Any, int] | Unread:
    """An array's distinct elements as a plain view in the order of memory, and how often each of them occurs."""
    a = np.ndarray.view(a, np.ndarray)
    if a.dtype.kind not in "biufc":
        return Unread("dtype", f"{a.dtype} values are not numbers")
    if a.size == 0:
        return a, 1
    unread = unreadable(np, a)
    if unread is not None:
        return unread
    a = a[tuple(slice(None, None, -1 if stride < 0 else 1) for stride in a.strides)]
    dims, weight = normalised(a.shape, a.strides)
    sizes, strides = [size for size, _ in dims] or [1], [stride for _, stride in dims] or [a.itemsize]
    return np.lib.stride_tricks.as_strided(a, sizes, strides, writeable=False), weight


def gatherer(np: Any, view: Any) -> Callable[[range], Any]:
    """Fetches the elements of `view` at given positions."""

    def gather(where: range) -> Any:
        return view[np.unravel_index(np.arange(where.start, where.stop, where.step), view.shape)]

    return gather


def unreadable(np: Any, a: Any) -> Unread | None:
    """Why reading a plain array would crash the program: the file that it maps was cut short or closed."""
    root = a
    offset = 0
    while issubclass(type(root), np.ndarray):
        if type(root) is np.memmap:
            offset = root.__dict__.get("offset") or 0
        root = np.ndarray.__dict__["base"].__get__(root)
        if root is None:
            return None  # an array owns its memory
    mapping = getattr(sys.modules.get("mmap"), "mmap", None)
    if mapping is not None and type(root) is mapping:
        try:
            size, need = root.size(), len(root) + offset - offset % _GRANULARITY
        except (ValueError, OSError):
            return None  # no file beneath, or closed: an array keeps the mapping itself alive
        if size < need:
            return too_small("file truncated", size, need)
        return None
    first, end = np.lib.array_utils.byte_bounds(a) if hasattr(np.lib, "array_utils") else np.byte_bounds(a)
    if end > first and not mapped(end - 1):
        return UNMAPPED
    return None


def _kernel_for(np: Any, kind: str) -> Callable[[Any], Any]:
    if kind == "b":
        return lambda block: _bools(np, block)
    if kind in "iu":
        return lambda block: _ints(np, block)
    if kind == "f":
        return lambda block: _reals(np, block.reshape(-1))
    return lambda block: _complex(np, block.reshape(-1))


def _bools(np: Any, block: Any) -> Tally:
    return counted(int(block.size), int(np.count_nonzero(block)))


def _ints(np: Any, block: Any) -> Tally:
    t = Tally(int(block.size))
    x = block.reshape(-1)
    lo, hi = int(np.minimum.reduce(x)), int(np.maximum.reduce(x))
    t.lo, t.hi, t.centre = lo, hi, lo
    if lo == hi:
        t.total, t.zeros = lo * t.read, t.read if lo == 0 else 0
        return t
    if lo <= 0 <= hi:
        t.zeros = t.read - int(np.count_nonzero(x))
    if hi - lo < 1 << 32 and max(-lo, hi) < 1 << 53:
        rises = x.astype(np.float64) - lo
        rise = int(np.add.reduce(rises))  # exact: below 2**53
    else:  # differences modulo 2**64 are right, whatever the sign
        steps = x.astype(np.uint64) - np.uint64(lo % (1 << 64))
        rise = (int(np.add.reduce(steps >> np.uint64(32))) << 32) + int(np.add.reduce(steps & np.uint64(0xFFFFFFFF)))
        rises = steps.astype(np.float64)
    t.total = lo * t.read + rise
    d = rises - rise / t.read
    t.offset, t.deviation = rise / t.read, math.sqrt(_squares(np, d) / t.read)
    return t


def _squares(np: Any, d: Any) -> float:
    """The sum of the squares; a long dot product would be split among threads, for which busy cores make it wait."""
    return float(np.dot(d, d) if d.size < _DOT else np.einsum("i,i->", d, d))


def narrow(np: Any, x: Any) -> Any:
    """The numbers as float64 of our own: float16 and float32 widened, longdouble rounded, if that loses none."""
    d = x.astype(np.float64)
    if x.dtype.itemsize > 8 and bool(((np.isinf(d) != np.isinf(x)) | ((d == 0.0) != (x == 0.0))).any()):
        raise Beyond
    return d


def _reals(np: Any, x: Any) -> Tally:
    """A one-dimensional block of any floating-point type. Long doubles that float64 hardly tells apart are moved near
    zero before they are rounded."""
    d = narrow(np, x)
    t = _floats(np, d)
    if x.dtype.itemsize <= 8 or t.lo is None or t.hi is None:
        return t
    finite = np.isfinite(d)
    if bool((d == x)[finite].all()):
        return t
    peak = max(-t.lo, t.hi)
    t.error += peak * 2.0**-53 + LEAST
    if t.deviation < 1e-9 * peak:
        first = x[finite][0]
        moved = _floats(np, narrow(np, x[finite] - first))
        t.offset, t.deviation = float(first - t.centre) + moved.centre + moved.offset, moved.deviation
    return t


def _is_blurred(tally: Any, kind: str) -> bool:
    """Whether numbers that differ have become one."""
    parts = (tally,) if kind != "c" else (tally.real, tally.imag, tally.abs)
    return any(part.lo == part.hi and part.deviation > 0.0 for part in parts)


def _floats(np: Any, d: Any) -> Tally:
    """A one-dimensional block of float64."""
    t = Tally(int(d.size))
    lo, hi = float(np.minimum.reduce(d)), float(np.maximum.reduce(d))
    if not (math.isfinite(lo) and math.isfinite(hi)):
        t.pos_inf, t.neg_inf = int(np.count_nonzero(d == math.inf)), int(np.count_nonzero(d == -math.inf))
        t.zeros = t.read - int(np.count_nonzero(d))
        d = d[np.isfinite(d)]
        t.finite = int(d.size)
        t.nan = t.read - t.finite - t.pos_inf - t.neg_inf
        if not t.finite:
            return t
        lo, hi = float(np.minimum.reduce(d)), float(np.maximum.reduce(d))
    elif lo <= 0.0 <= hi:
        t.zeros = t.read - int(np.count_nonzero(d))
    t.lo, t.hi, t.centre = lo, hi, lo
    if lo == hi:
        return t
    peak = max(-lo, hi)
    power = 0 if _LOW < peak < _HIGH else -math.frexp(peak)[1]
    if power:
        d = d * 2.0 ** (power // 2) * 2.0 ** (power - power // 2)
    centre = min(max(float(np.add.reduce(d)) / t.finite, unscaled(lo, -power)), unscaled(hi, -power))
    d = d - centre
    square, offset = _squares(np, d) / t.finite, float(np.add.reduce(d)) / t.finite
    t.centre, t.offset = unscaled(centre, power), unscaled(offset, power)
    t.deviation = unscaled(deviation_about(square, offset), power)
    t.error = unscaled(math.sqrt(square + centre * centre) * DOUBLE, power)
    return t


def _complex(np: Any, x: Any) -> ComplexTally:
    real, imag = x.real, x.imag
    if x.dtype.itemsize <= 16:
        real, imag = narrow(np, real), narrow(np, imag)
    a, b, magnitude, unknown = _reals(np, real), _reals(np, imag), np.hypot(real, imag), np.isnan(real) | np.isnan(imag)
    magnitude[unknown] = math.nan  # for `hypot` the infinite part of such a number counts
    c = _reals(np, magnitude)
    return ComplexTally(
        a, b, c, int(np.count_nonzero((np.isinf(real) | np.isinf(imag)) & ~unknown)) if c.pos_inf else 0
    )
