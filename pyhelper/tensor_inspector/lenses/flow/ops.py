"""What torch's functions, methods and graph nodes do, by name: the one table of operations."""

from __future__ import annotations

# Of tensors, by what a gradient makes of them

#: Attributes and methods that describe a tensor without its elements.
METADATA = frozenset(
    "device dim dtype element_size get_device is_complex is_contiguous is_cuda is_floating_point is_leaf is_sparse"
    " itemsize layout nbytes ndim ndimension nelement numel requires_grad shape size storage_offset stride type".split()
)
#: Functions and methods that take only the shape, dtype or class of their argument.
SHAPE_ONLY = frozenset(
    "empty_like full_like isinstance len new_empty new_full new_ones new_zeros ones_like rand_like randint_like"
    " randn_like type zeros_like".split()
)
#: A method or attribute of a tensor whose result has no graph, though it has the same numbers.
DETACHING_METHODS = ("detach", "data", "item", "numpy", "tolist")
#: Functions that make a new tensor or array of numbers.
DETACHING_FUNCTIONS = ("array", "as_tensor", "asarray", "from_numpy", "tensor")
DETACHING = (*DETACHING_METHODS, *DETACHING_FUNCTIONS)
#: Builtins that make a number of a tensor. The method `float` keeps the graph.
NUMBERS = ("float", "int")
#: Functions and methods whose results are whole numbers or booleans: they have no graph.
WITHOUT_GRAPH = frozenset(
    "argmax argmin argsort bincount bool bucketize count_nonzero eq ge gt int isclose isfinite isinf isnan le"
    " logical_and logical_not logical_or logical_xor long lt multinomial ne nonzero one_hot searchsorted".split()
)
#: Nodes whose gradient is 0 everywhere, each with the functions and methods that make it.
ZERO_GRADIENT = {"Round": ("round",), "Floor": ("floor",), "Ceil": ("ceil",), "Trunc": ("trunc",), "Sign": ("sign",)}
#: Functions with a result that has a gradient beside one that has none: its values and its indices.
WITH_INDICES = frozenset(("topk",))
#: Functions and methods whose results, or one of them, have no gradient or one of 0, or refuse a backward.
NON_DIFFERENTIABLE = WITHOUT_GRAPH.union(*ZERO_GRADIENT.values(), WITH_INDICES, ("floor_divide", "heaviside", "sample"))

# Of tensors that are made

#: Functions and methods whose elements are all the same number.
CONSTANT = frozenset("full full_like new_full new_ones new_zeros ones ones_like zeros zeros_like".split())
#: Functions and methods whose elements are whatever the memory held.
UNINITIALIZED = ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided")
#: What makes a new leaf of the numbers that it is given.
NEW_LEAF = ("tensor", "as_tensor", "new_tensor", "Variable", "Tensor", "FloatTensor", "DoubleTensor")
#: Functions and methods whose elements are normally distributed, as those of a latent variable.
GAUSSIAN = frozenset("normal normal_ randn randn_like".split())
#: Functions and methods whose elements are random numbers, of no data: unlike `bernoulli` of an image.
RANDOM = GAUSSIAN.union("bernoulli_ exponential_ rand rand_like randint randint_like random_ uniform_".split())
#: Functions and methods that draw from a distribution that a model computes.
SAMPLING = frozenset("gumbel_softmax multinomial rsample sample".split())

#: Methods that change the shape, dtype or device of a tensor, and keep each of its elements.
REARRANGING = frozenset("contiguous cpu cuda flatten long ravel reshape squeeze t to transpose unsqueeze view".split())

# Layers

#: The classes of layers that normalise, each with those that derive from it.
NORMS = ("_NormBase", "LayerNorm", "GroupNorm", "RMSNorm")

# Losses

#: The classes of losses, each with the function that it computes.
LOSS_CLASSES = {
    "CrossEntropyLoss": "cross_entropy",
    "NLLLoss": "nll_loss",
    "MSELoss": "mse_loss",
    "L1Loss": "l1_loss",
    "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss",
    "BCELoss": "binary_cross_entropy",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "KLDivLoss": "kl_div",
}
LOSS_FUNCTIONS = frozenset(LOSS_CLASSES.values())
#: Nodes of losses of a regression.
REGRESSIONS = ("MseLoss", "SmoothL1Loss", "HuberLoss", "L1Loss")
#: Nodes of errors against a target, each with the functions that compute it.
ERRORS = {
    "NllLoss": ("cross_entropy", "nll_loss"),
    "NllLoss2D": ("cross_entropy", "nll_loss"),
    "BinaryCrossEntropy": ("binary_cross_entropy",),
    "BinaryCrossEntropyWithLogits": ("binary_cross_entropy_with_logits",),
    "MseLoss": ("mse_loss",),
    "SmoothL1Loss": ("smooth_l1_loss",),
    "HuberLoss": ("huber_loss",),
    "L1Loss": ("l1_loss",),
}

# Nodes of products

#: Nodes that multiply matrices.
MATRIX_PRODUCTS = ("Addmm", "Bmm", "Mm")
#: Nodes of layers with a weight, also such as multiply a weight by hand.
LINEAR = (*MATRIX_PRODUCTS, "Convolution", "Linear")
#: Nodes of layers with a weight, each with the inputs that may be weight and bias.
WEIGHT_INPUTS = {"Addmm": (0, 2), "Mm": (1,), "Convolution": (1, 2), "Linear": (1, 2)}
