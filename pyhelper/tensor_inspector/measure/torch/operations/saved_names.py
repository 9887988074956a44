"""Names under which operations save tensors for their backward: what they were given, and what they made.

torch's derivatives name what is given as the operation's parameters are named, and what is made ``result``,
``result0`` …, or as the operation's results are named.
"""

from __future__ import annotations

#: What an operation takes, in its order, by the names under which it may save that.
_TAKEN: dict[str, tuple[str, ...]] = {
    "Addmm": ("self", "mat1", "mat2"),
    "Addcmul": ("self", "tensor1", "tensor2"),
    "Addcdiv": ("self", "tensor1", "tensor2"),
    "Addmv": ("self", "mat", "vec"),
    "Baddbmm": ("self", "batch1", "batch2"),
    "BinaryCrossEntropy": ("self", "target"),
    "BinaryCrossEntropyWithLogits": ("self", "target"),
    "Mm": ("self", "mat2"),
    "Bmm": ("self", "mat2"),
    "Mv": ("self", "vec"),
    "Dot": ("self", "tensor"),
    "Convolution": ("input", "weight", "bias"),
    "HuberLoss": ("self", "target"),
    "Lerp": ("self", "end", "weight"),
    "LinalgDet": ("A",),
    "LinalgSlogdet": ("A",),
    "LinalgSolveEx": ("A", "B"),
    "MkldnnRnnLayer": ("input", "weight0", "weight1", "weight2", "weight3", "hx_", "cx_"),
    "MseLoss": ("self", "target"),
    "NativeBatchNorm": ("input", "weight", "bias"),
    "NativeLayerNorm": ("input", "weight", "bias"),
    "NativeGroupNorm": ("input", "weight", "bias"),
    "Pow": ("self", "exponent"),
    "SmoothL1Loss": ("self", "target"),
    "Where": ("self", "other"),
}
_USUALLY_TAKEN = ("self", "other")

#: What an operation has made, and which of the outputs that have a gradient it is: beyond them, where none has.
_MADE = {
    "LU": 2,
    "L": 0,
    "P": 3,
    "Q": 0,
    "R": 1,
    "S": 1,
    "U": 0,
    "Vh": 2,
    "buffer": 1,
    "eigenvalues": 0,
    "eigenvectors": 1,
    "inverse": 0,
    "log_sumexp": 1,
    "logsumexp": 1,
    "output": 0,
    "result": 0,
    "sign": 0,
    "softmax_logsumexp": 1,
    "solution": 0,
    "total_weight": 1,
}
#: The same, of operations in which it is not as in the others; None of what they take.
_MADE_BY: dict[str, dict[str, int | None]] = {
    "Aminmax": {"max": 1, "min": 0},
    "LinalgLu": {"U": 1},
    "LinalgLuFactorEx": {"LU": 0},
    "LinalgLuSolve": {"LU": None},
}


def taken_names(op: str) -> tuple[str, ...]:
    """The names under which an operation may save what it takes, in its order."""
    return _TAKEN.get(op, _USUALLY_TAKEN)


def output_saved_as(op: str, name: str) -> int | None:
    """Which output of an operation is saved under a name; None where that is no output, but what it was given."""
    known = _MADE_BY.get(op)
    if known is not None and name in known:
        return known[name]
    number = name[len("result") :] if name.startswith("result") else ""
    if number.isdigit():
        return int(number)
    # The backward of an operation takes what that operation had made, under the names that it had there.
    return None if "Backward" in op and name != "result" else _MADE.get(name)
