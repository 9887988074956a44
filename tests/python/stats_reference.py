"""Statistics by exact rational arithmetic, and a budget whose clock a test turns."""

import math
from fractions import Fraction
from itertools import count

from tensor_inspector.safe.budget import Budget


def ticking(ms, step=0.0, max_elements=None):
    """A budget of `ms` milliseconds whose clock moves on by `step` milliseconds at each look."""
    clock = count(0, step / 1000)
    return Budget(ms, max_elements=max_elements, clock=lambda: next(clock))


def reference(values):
    """What `Stats` must say of these Python numbers, from integers; std as a float with 1e-12 to spare."""
    finite = [v for v in values if not isinstance(v, float) or math.isfinite(v)]
    n = len(finite)
    ratios = [v.as_integer_ratio() for v in finite]
    scale = max((denominator for _, denominator in ratios), default=1)  # all are powers of two
    whole = [numerator * (scale // denominator) for numerator, denominator in ratios]
    total, squares = sum(whole), sum(v * v for v in whole)
    return {
        "count": len(values),
        "min": min(finite, default=None),
        "max": max(finite, default=None),
        "mean": Fraction(total, scale * n) if n else None,
        "std": _root(Fraction(n * squares - total**2, scale**2 * n * (n - 1))) if n > 1 else None,
        "nan": sum(1 for v in values if v != v),
        "pos_inf": sum(1 for v in values if v == math.inf),
        "neg_inf": sum(1 for v in values if v == -math.inf),
        "zeros": sum(1 for v in values if v == 0),
    }


def _root(square):
    """The square root of a Fraction of any size, infinite when beyond float64."""
    if not square:
        return 0.0
    shift = (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    root = math.sqrt(square / Fraction(4) ** shift)
    try:
        return math.ldexp(root, shift)
    except OverflowError:
        return math.inf


def check(stats, values):
    """Asserts that exact `stats` say what is true of `values`."""
    want = reference(values)
    for key in ("count", "min", "max", "nan", "pos_inf", "neg_inf", "zeros"):
        assert stats[key] == want[key], key
    assert stats["exact"] is True
    assert stats["read"] == stats["count"]
    if want["mean"] is None:
        assert stats["mean"] is None
    else:
        off = abs(Fraction(stats["mean"]) - want["mean"])
        largest = max(abs(Fraction(want["min"])), abs(Fraction(want["max"])))
        assert off <= Fraction(stats["mean_error"]) + Fraction(abs(stats["mean"])) / 2**52 + Fraction(5e-324), (
            "mean_error is no bound"
        )
        assert off <= largest / 10**6 + Fraction(5e-324)
        assert Fraction(stats["mean_error"]) <= largest / 10**5 + Fraction(5e-324)
    if want["std"] is None:
        assert stats["std"] is None
    elif math.isinf(want["std"]):
        assert stats["std"] is None or stats["std"] > 1.7e308
    else:
        assert math.isclose(stats["std"], want["std"], rel_tol=1e-5, abs_tol=5e-324)
