"""What operations can make of finite numbers: some nothing but finite ones, others no NaN."""

from __future__ import annotations

from ..graph import VIEWS

#: Operations that pick, reorder or bound what they are given: of finite numbers they make finite ones.
_KEEPING = (VIEWS - {"ToCopy"}).union(
    "Abs Amax Amin Aminmax Atan Cat Ceil Chunk Clamp ClampMax ClampMin Conj Cos Cummax Cummin Diagonal"
    " Embedding Erf Erfc Expand Flip Floor Fmax Fmin Frac Gather Hardsigmoid Hardtanh Imag Index IndexSelect Kthvalue"
    " MaskedSelect Max MaxPool2DWithIndices MaxPool3DWithIndices AdaptiveMaxPool2D AdaptiveMaxPool3D Maximum Median Min"
    " Minimum Mode NanToNum Neg Real ReflectionPad1D ReflectionPad2D Relu Repeat ReplicationPad1D ReplicationPad2D Roll"
    " Round Select Sgn Sigmoid Sign Sin Slice Sort Split SplitWithSizes Squeeze Stack Take Tanh Threshold Topk Tril"
    " Triu Trunc Unbind Unfold UnsafeSplit UnsafeSplitWithSizes Unsqueeze ViewAsComplex ViewAsReal Where".split()
)
#: Operations that overflow at most: no difference of what has become infinite is taken in them.
_WITHOUT_NAN = frozenset(
    "Add BinaryCrossEntropyWithLogits Cosh Cumsum Exp Exp2 Expm1 HuberLoss Mean Mul MseLoss Rsub Sinh SmoothL1Loss"
    " Softplus Sub Sum ToCopy".split()
)

#: Operations with a finite result for all finite numbers, were there no end of the dtype.
_OVERFLOWING = (_WITHOUT_NAN - {"Softplus"}).union(
    "AdaptiveAvgPool2D AdaptiveAvgPool3D Addbmm Addcmul Addmm Addmv Addr AvgPool2D AvgPool3D Baddbmm Bmm Convolution"
    " CudnnBatchNorm Cumprod Dot EmbeddingBag Hypot IndexAdd Lerp LinalgVectorNorm Mm Mv NativeBatchNorm"
    " NativeGroupNorm NativeLayerNorm NllLoss NllLoss2D Norm Prod ScaledDotProductEfficientAttention"
    " ScaledDotProductFlashAttention ScaledDotProductFlashAttentionForCpu ScatterAdd Std StdMean Var VarMean".split()
)


def keeps_finite(op: str) -> bool:
    """Whether an operation of torch makes finite numbers of finite ones, whatever they are."""
    return op in _KEEPING


def makes_no_nan(op: str) -> bool:
    """Whether an operation of torch makes no NaN of finite numbers, but for sums of numbers near the dtype's end."""
    return op in _KEEPING or op in _WITHOUT_NAN


def only_overflows(op: str) -> bool:
    """Whether an operation of torch makes nothing else of finite numbers, unless one is too large for the dtype."""
    return op in _OVERFLOWING
