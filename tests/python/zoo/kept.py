"""What libraries keep to themselves: NaN in private attributes, bounds, quantized weights."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

from .specimen import Specimen, Zoo

NAN = math.nan


def floats(last: float) -> Any:
    return import_module("numpy").array([[1.0, last]])


def flax_layer(last: float) -> Any:
    from flax import nnx

    layer = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    layer.kernel[...] = layer.kernel[...].at[0, 0].set(last)
    return layer


def jax_ref(last: float) -> Any:
    return import_module("jax").new_ref(import_module("jax.numpy").array([1.0, last]))


def data_array(last: float) -> Any:
    return import_module("xarray").DataArray(floats(last), dims=("x", "y"), name="t")


def ragged(last: float) -> Any:
    return import_module("awkward").Array([[1.0, last], [2.0]])


def shared(last: float) -> Any:
    return import_module("pytensor").shared(floats(last), name="w")


def cache(last: float) -> Any:
    import torch
    from transformers import DynamicCache

    found, keys = DynamicCache(), torch.zeros(1, 2, 3, 4)
    keys[0, 0, 0, 0] = last
    found.update(keys, torch.ones(1, 2, 3, 4), 0)
    return found


def polars_frame(last: float, other: float = 1.0) -> Any:
    return import_module("polars").DataFrame({"a": [1.0, last], "b": [1.0, other], "t": ["x", "y"]})


def graph(last: float) -> Any:
    import torch
    from torch_geometric.data import Data

    return Data(x=torch.tensor([[1.0, last]]), edge_index=torch.tensor([[0], [0]]))


def annotated(last: float) -> Any:
    return import_module("anndata").AnnData(floats(last).astype("float32"))


def quantity(last: float) -> Any:
    import pint

    return _UNITS.setdefault("m", pint.UnitRegistry()).Quantity(floats(last), "m")


_UNITS: dict[str, Any] = {}


def kernel(scale: float = 1.0) -> Any:
    import gpytorch

    found = gpytorch.kernels.RBFKernel()
    found.lengthscale = scale
    return found


def box(low: float) -> Any:
    import numpy as np
    import scipy.optimize

    return scipy.optimize.Bounds(np.array([low, -np.inf]), np.array([np.inf, 1.0]))


def broadcast(first: float) -> Any:
    import numpy as np

    return np.broadcast_arrays(np.array([[first], [1.0]]), np.ones((1, 3)))[0]


def attention(size: int = 2, last: float = 0.0) -> Any:
    import torch

    found = torch.nn.Linear(size, 2, bias=False)
    torch.nn.init.ones_(found.weight)
    mask = torch.triu(torch.full((4, 4), -math.inf), 1)
    mask[3, 0] = last
    found.register_buffer("causal", mask)
    return found


def masked(last: float) -> Any:
    import torch

    return {"mask": torch.tensor([[last, -math.inf], [last, last]])}


def linear(seed: int = 0) -> Any:
    import torch

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return torch.nn.Linear(64, 64, bias=False)


def torchao_weight(seed: int = 0) -> Any:
    import torch
    from torchao.quantization import Int8WeightOnlyConfig, quantize_

    found = torch.nn.Sequential(linear(seed))
    quantize_(found, Int8WeightOnlyConfig())
    return found


def four_bit(seed: int = 0) -> Any:
    import torch
    from bitsandbytes.nn import Params4bit

    return Params4bit(linear(seed).weight.data, requires_grad=False, quant_type="nf4").to(torch.device("cpu"))


def eight_bit(seed: int = 0) -> Any:
    import torch
    from bitsandbytes.nn import Int8Params

    return Int8Params(linear(seed).weight.data, requires_grad=False).to(torch.device("cpu"))


def quanto(kind: str, seed: int = 0) -> Any:
    import torch
    from optimum import quanto

    found = torch.nn.Sequential(linear(seed))
    quanto.quantize(found, weights=getattr(quanto, kind))
    quanto.freeze(found)
    return found[0].weight


def hqq_layer(seed: int = 0) -> Any:
    import torch
    from hqq.core.quantize import BaseQuantizeConfig, HQQLinear

    config = BaseQuantizeConfig(nbits=4, group_size=64)
    return HQQLinear(linear(seed), config, compute_dtype=torch.float32, device="cpu")


HIDDEN: Zoo = {
    "flax layer with NaN": Specimen(
        lambda: flax_layer(NAN), says=("Linear · NaN in kernel · ",), needs=("flax",), changed=lambda: flax_layer(1.0)
    ),
    "jax reference with NaN": Specimen(
        lambda: jax_ref(NAN), says=("1 NaN",), needs=("jax.new_ref",), changed=lambda: jax_ref(2.0)
    ),
    "xarray array with NaN": Specimen(
        lambda: data_array(NAN),
        says=("DataArray · 1 NaN · f64[1,2] · ",),
        needs=("xarray",),
        changed=lambda: data_array(2.0),
    ),
    "xarray dataset with NaN": Specimen(
        lambda: data_array(NAN).to_dataset(),
        says=("Dataset · NaN in t · ",),
        needs=("xarray",),
        changed=lambda: data_array(2.0).to_dataset(),
    ),
    "xarray array with NaN in a dict": Specimen(
        lambda: {"run": data_array(NAN)},
        says=("dict · NaN in run · ",),
        needs=("xarray",),
        changed=lambda: {"run": data_array(2.0)},
    ),
    "awkward array with NaN": Specimen(
        lambda: ragged(NAN), says=("Array · NaN in layout · ",), needs=("awkward",), changed=lambda: ragged(2.0)
    ),
    "pytensor variable with NaN": Specimen(
        lambda: shared(NAN), says=(" · NaN in container.storage[0] · ",), needs=("pytensor",)
    ),
    "transformers cache with NaN": Specimen(
        lambda: cache(NAN), says=(" · NaN in layers[0].keys",), needs=("transformers",), changed=lambda: cache(2.0)
    ),
    "polars frame with NaN and Inf": Specimen(
        lambda: polars_frame(NAN, math.inf),
        says=("DataFrame · NaN in a · Inf in b · 2 × 3: ",),
        needs=("polars",),
        changed=lambda: polars_frame(NAN, 2.0),
    ),
    "polars frame with NaN in a list": Specimen(
        lambda: [polars_frame(NAN)],
        says=("list · NaN in [0] · ",),
        needs=("polars",),
        changed=lambda: [polars_frame(1)],
    ),
    "pandas frame with Inf": Specimen(
        lambda: import_module("pandas").DataFrame({"a": [1.0, math.inf]}),
        says=("DataFrame · Inf in a · 2 × 1: ",),
        needs=("pandas",),
        changed=lambda: import_module("pandas").DataFrame({"a": [1.0, 2.0]}),
    ),
    "graph network's data with NaN": Specimen(
        lambda: graph(NAN), says=("Data · NaN in x · ",), needs=("torch_geometric",), changed=lambda: graph(2.0)
    ),
    "anndata with NaN": Specimen(
        lambda: annotated(NAN), says=("AnnData · NaN in X",), needs=("anndata",), changed=lambda: annotated(2.0)
    ),
    "pint quantity with NaN": Specimen(
        lambda: quantity(NAN),
        says=("Quantity · float64[1, 2] · finite all 1 · 1 NaN · m",),
        needs=("pint",),
        changed=lambda: quantity(2.0),
    ),
}
MEANT: Zoo = {
    "kernel of a Gaussian process": Specimen(
        kernel, says=("RBFKernel · 1 param · train",), silent=("Inf",), needs=("gpytorch",), changed=lambda: kernel(2.0)
    ),
    "kernel of a Gaussian process in a dict": Specimen(
        lambda: {"m": kernel()}, silent=("Inf",), needs=("gpytorch",), changed=lambda: {"m": kernel(2.0)}
    ),
    "bounds of a search": Specimen(
        lambda: box(0.0), says=("Bounds · lb f64[2]",), silent=("Inf",), needs=("scipy",), changed=lambda: box(1.0)
    ),
    "array that numpy broadcast": Specimen(
        lambda: broadcast(0.0),
        says=("float64[2, 3] · 0…1",),
        silent=("read-only",),
        needs=("numpy",),
        changed=lambda: broadcast(2.0),
    ),
    "layer with a causal mask": Specimen(
        attention, says=("Linear(2 → 2) · 4 params · train",), silent=("Inf",), changed=lambda: attention(last=-1.0)
    ),
    "layer with NaN in its mask": Specimen(
        lambda: attention(last=NAN), says=("NaN in causal",), changed=lambda: attention()
    ),
    "mask in a dict": Specimen(lambda: masked(0.0), says=("dict · 1: mask f32[2,2]",), changed=lambda: masked(1.0)),
    "scores with −Inf in a dict": Specimen(
        lambda: {"scores": masked(0.0)["mask"][:1]},
        says=("dict · Inf in scores",),
        changed=lambda: {"scores": masked(1.0)["mask"][:1]},
    ),
}
CODES: Zoo = {
    "torchao layer": Specimen(
        torchao_weight,
        says=("Sequential(1) · 4.1K params · ",),
        silent=("read",),
        facts={"bytes": 4416},
        rows=("Int8Tensor · int8 of float32[64, 64] · 4.3 KiB",),
        needs=("torchao",),
        changed=lambda: torchao_weight(1),
    ),
    "bitsandbytes 4-bit weight": Specimen(
        four_bit,
        says=("Params4bit · nf4 of float32[64, 64] · 2.1 KiB",),
        silent=("…",),
        needs=("bitsandbytes",),
        changed=lambda: four_bit(1),
    ),
    "bitsandbytes 8-bit weight": Specimen(
        eight_bit,
        says=("Int8Params · int8 codes[64, 64] · 4.2 KiB",),
        silent=("…",),
        needs=("bitsandbytes",),
        changed=lambda: eight_bit(1),
    ),
    "quanto 8-bit weight": Specimen(
        lambda: quanto("qint8"),
        says=("WeightQBytesTensor · int8 of float32[64, 64] · 4.2 KiB",),
        facts={"bytes": 4352},
        needs=("optimum.quanto",),
        changed=lambda: quanto("qint8", 1),
    ),
    "quanto 4-bit weight": Specimen(
        lambda: quanto("qint4"),
        says=("WeightQBitsTensor · 4-bit of float32[64, 64] · 2.5 KiB",),
        facts={"bytes": 2560},
        needs=("optimum.quanto",),
        changed=lambda: quanto("qint4", 1),
    ),
    "hqq layer": Specimen(
        hqq_layer, says=("HQQLinear(64 → 64, 4-bit) · 4.1K params · ",), needs=("hqq",), changed=lambda: hqq_layer(1)
    ),
}

SPECIMENS: Zoo = {**HIDDEN, **MEANT, **CODES}
