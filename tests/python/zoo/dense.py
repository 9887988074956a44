"""Dense tensors: every dtype, odd values, odd layouts, modes around them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from math import inf, nan
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from .specimen import Show, Specimen, Zoo


def listed(value: Any) -> list[Any]:
    """Every element as a Python number, by torch's own ``tolist`` of a copy."""
    with torch.no_grad():
        copy = value.detach().clone().resolve_conj().resolve_neg()
        if str(copy.dtype).startswith("torch.float8") or copy.dtype is torch.complex32:
            copy = copy.to(torch.complex64 if copy.dtype.is_complex else torch.float32)
        return copy.reshape(-1).tolist()  # type: ignore[no-any-return]


def counted(make: Callable[[], Any], *says: str, **more: Any) -> Specimen:
    """A tensor whose statistics are compared with those of its own elements."""
    return Specimen(make, says=says, numbers=listed, **more)


def under(
    context: Callable[[], AbstractContextManager[Any]], make: Callable[[], Any], *says: str, **more: Any
) -> Specimen:
    """A value made outside, looked at inside a context."""

    def inside(show: Show) -> None:
        value = make()
        with context():
            show(value)

    return Specimen(inside=inside, says=says, **more)


class FunctionMode(TorchFunctionMode):
    """Code of the program that would run at every call of torch."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return function(*args, **(kwargs or {}))


class DispatchMode(TorchDispatchMode):
    """Code of the program that would run at every operation."""

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return function(*args, **(kwargs or {}))


def pack(tensor: Any) -> Any:
    return tensor


def hook(grad: Any) -> Any:
    return grad


def mapped(count: int) -> Any:
    """A tensor over a file."""
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(b"\0\0\x80\x3f" * count)
    return torch.from_file(file.name, shared=True, size=count, dtype=torch.float32)


FLOATS = ("float64", "float32", "float16", "bfloat16")
BYTE_FLOATS = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
INTS = ("int64", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64")
COMPLEX = ("complex32", "complex64", "complex128")


def dtype(name: str) -> Any:
    return getattr(torch, name)


def of(name: str, values: list[Any]) -> Any:
    return torch.tensor(values, dtype=dtype(name))


def cast(name: str, values: list[Any]) -> Any:
    """By way of float32, for dtypes that can't be filled from numbers."""
    return torch.tensor(values).to(dtype(name))


def noise(*shape: int) -> Any:
    torch.manual_seed(0)
    return torch.randn(*shape)


DTYPES: Zoo = {
    **{
        f"{name} with NaN and infinities": counted(
            partial(of, name, [1.5, -2.0, 0.0, nan, inf, -inf, 0.25]), f"{name}[7] · −2…1.5", "1 NaN", "1 Inf", "1 −Inf",
            facts={"dtype": name, "stats.nan": 1, "stats.pos_inf": 1, "stats.neg_inf": 1, "stats.zeros": 1, "stats.count": 7},
        )
        for name in FLOATS
    },
    **{
        name: counted(partial(cast, name, [1.5, -2.0, 0.0, nan]), f"{name}[4] · −2…1.5", "1 NaN", needs=(f"torch.{name}",))
        for name in BYTE_FLOATS
    },
    "float8_e5m2 with infinities": counted(lambda: cast("float8_e5m2", [1.0, inf, -inf]), "1 Inf", "1 −Inf", needs=("torch.float8_e5m2",)),
    **{f"{name} of few": counted(partial(of, name, [3, 0, 7]), f"{name}[3] [3, 0, 7]", needs=(f"torch.{name}",)) for name in INTS},
    **{
        f"{name} at its ends": counted(
            lambda name=name: torch.tensor([torch.iinfo(dtype(name)).min, torch.iinfo(dtype(name)).max] * 8, dtype=dtype(name)),
            f"{name}[16]", needs=(f"torch.{name}",),
        )
        for name in INTS
    },
    **{
        name: counted(
            partial(cast, name, [1 + 2j, complex(nan, 1), complex(0, inf), 3j]), f"{name}[4] · |z|", "1 NaN", "1 Inf",
            facts={"stats.real.nan": 1, "stats.imag.nan": 0, "stats.imag.pos_inf": 1}, needs=(f"torch.{name}",),
        )
        for name in COMPLEX
    },
    "bool": counted(lambda: torch.tensor([True, False, True, True]), "3 of 4 True (75%)"),
    "bool, all True": counted(lambda: torch.ones(5, dtype=torch.bool), "all True"),
}  # fmt: skip

VALUES: Zoo = {
    "0-d float": counted(lambda: torch.tensor(2.5), "float32[] 2.5", facts={"shape": [], "stats.std": None}),
    "0-d integer": counted(lambda: torch.tensor(2**62 + 1), "4611686018427387905"),
    "0-d NaN": counted(lambda: torch.tensor(nan), "float32[] NaN"),
    "0-d complex": counted(lambda: torch.tensor(1 - 2j), "complex64[] 1 − 2i"),
    "0-d bool": counted(lambda: torch.tensor(True), "bool[] True"),
    "empty": counted(lambda: torch.empty(0), "float32[0] · empty", facts={"stats.min": None, "stats.mean": None}),
    "empty with sizes": counted(lambda: torch.empty(3, 0, 5, dtype=torch.int64), "int64[3, 0, 5] · empty"),
    "one element": counted(lambda: torch.tensor([4.5]), "float32[1] · 4.5", facts={"stats.std": None}),
    "all zeros": counted(lambda: torch.zeros(100), "all zeros"),
    "constant": counted(lambda: torch.full((50,), 0.1), "all 0.1"),
    "all NaN": counted(lambda: torch.full((9,), nan), "all NaN", facts={"stats.min": None, "stats.mean": None}),
    "all Inf": counted(lambda: torch.full((9,), inf), "all Inf"),
    "minus zero": counted(lambda: torch.tensor([-0.0, 0.0, 1.0] * 10), facts={"stats.zeros": 20}),
    "denormals": counted(lambda: torch.tensor([1e-45, 2e-45, 3e-45] * 4)),
    "near float32's maximum": counted(lambda: torch.full((3000,), 3.3e38).index_fill_(0, torch.tensor([0]), -3e38)),
    "near float64's maximum": counted(lambda: torch.tensor([1.7e308, -1.7e308, 1.6e308] * 5, dtype=torch.float64)),
    "far off centre": counted(lambda: torch.arange(1000, dtype=torch.float64) + 1e9),
    "far off centre, with NaN": counted(
        lambda: torch.cat([torch.arange(1000, dtype=torch.float64) + 1e9, torch.tensor([nan], dtype=torch.float64)]), "1 NaN",
    ),
    "float16 whose sum overflows": counted(lambda: torch.full((5000,), 60000.0, dtype=torch.float16).index_fill_(0, torch.tensor([1]), 1.0)),
    "bfloat16 in blocks": counted(lambda: noise(30_000).bfloat16(), "bfloat16[30000]"),
    "int64 beyond 2⁵³": counted(lambda: torch.arange(2**60, 2**60 + 40), facts={"stats.min": 2**60, "stats.max": 2**60 + 39}),
    "uint8 in blocks": counted(lambda: (torch.arange(50_000) % 251).to(torch.uint8), "uint8[50000] · 0…250"),
    "float32 in blocks, a tenth NaN": counted(
        lambda: noise(40_000).masked_fill_(torch.arange(40_000) % 10 == 0, nan), "4.0K NaN", facts={"stats.nan": 4000},
    ),
    "one NaN among many": counted(lambda: noise(50_000).index_fill_(0, torch.tensor([49_999]), nan), "1 NaN"),
    "zeros but for one NaN": counted(lambda: torch.tensor([0.0, 0.0, nan]), "1 NaN"),
    "ten million": Specimen(lambda: torch.ones(10_000_000), says=("float32[10000000] · all 1",), facts={"stats.exact": True}),
    "many bytes": Specimen(
        lambda: (torch.arange(9_999_872) % 256).to(torch.uint8), says=("0…255",), facts={"stats.exact": True, "stats.mean": 127.5},
    ),
    "ten million halves, transposed": Specimen(
        lambda: torch.ones(2000, 5000, dtype=torch.float16).t(), says=("float16[5000, 2000] · all 1",), facts={"stats.exact": True},
    ),
    "many dimensions": counted(lambda: noise(2, 1, 2, 1, 2, 1, 2, 1, 2), "float32[2, 1, 2, 1, 2, 1, 2, 1, 2]"),
}  # fmt: skip

LAYOUTS: Zoo = {
    "transposed": counted(lambda: noise(30, 40).t(), "float32[40, 30]", "view", "not contiguous", facts={"strides": [1, 40]}),
    "every second column": counted(lambda: noise(30, 40)[:, ::2], "float32[30, 20]", "not contiguous"),
    "a slice with an offset": counted(lambda: noise(100)[17:31], "float32[14]"),
    "permuted": counted(lambda: noise(3, 4, 5).permute(2, 0, 1), "float32[5, 3, 4]"),
    "diagonal": counted(lambda: noise(20, 20).diagonal(), "float32[20]"),
    "overlapping windows": counted(lambda: noise(50).unfold(0, 5, 2), "float32[23, 5]"),
    "overlapping by as_strided": counted(lambda: noise(50).as_strided((10, 10), (3, 1), 2), "float32[10, 10]"),
    "expanded": counted(lambda: noise(5, 1).expand(5, 40), "float32[5, 40]", "expanded from 20 B", facts={"bytes": 20}),
    "expanded to 10¹²": Specimen(
        lambda: torch.tensor([[1.0, 2.0]]).expand(5 * 10**11, 2), says=("float32[500000000000, 2] · 1…2 · μ 1.5", "expanded from 8 B"),
        facts={"stats.count": 10**12, "stats.exact": True, "stats.mean": 1.5, "bytes": 8},
    ),
    "expanded in the middle": counted(lambda: noise(4, 1, 6).expand(4, 7, 6).transpose(0, 2), "float32[6, 7, 4]"),
    "channels_last": counted(lambda: noise(2, 3, 4, 5).to(memory_format=torch.channels_last), "channels_last"),
    "channels_last_3d": counted(lambda: noise(2, 3, 4, 5, 6).to(memory_format=torch.channels_last_3d), "float32[2, 3, 4, 5, 6]"),
    "conjugate": counted(lambda: noise(5, 2).to(torch.complex64).mul(1 + 2j).conj(), "complex64[5, 2]"),
    "conjugate, transposed": counted(lambda: torch.randn(5, 3, dtype=torch.complex128).mH, "complex128[3, 5]"),
    "negative bit": counted(lambda: torch.tensor([1 + 2j, 3 - 4j, 0j]).conj().imag, "float32[3] · −2…4"),
    "negative bit in a conjugate": counted(lambda: torch.tensor([1 + 2j, 3 - 4j]).conj().imag.neg(), "float32[2]"),
    "real part": counted(lambda: torch.randn(6, dtype=torch.complex64).real, "float32[6]", "not contiguous"),
    "seen as other dtype": counted(lambda: torch.arange(8, dtype=torch.int32).view(torch.uint8), "uint8[32]"),
    "sizes of one": counted(lambda: noise(1, 1, 1), "float32[1, 1, 1]"),
    "empty view": counted(lambda: noise(4, 4)[2:2], "float32[0, 4] · empty"),
    "bool, not contiguous": counted(lambda: (noise(9, 9) > 0)[::2, ::3], "bool[5, 3]"),
    "over a file": counted(lambda: mapped(64), "float32[64] · all 1"),
    "over numpy's memory": counted(lambda: torch.from_numpy(__import__("numpy").arange(12.0)), "float64[12]"),
    "in shared memory": counted(lambda: noise(8).share_memory_(), "float32[8]"),
    "its storage is larger": counted(lambda: torch.zeros(1000).set_(noise(100).untyped_storage(), 10, (3, 3), (4, 1)), "float32[3, 3]"),
}  # fmt: skip

GRADIENTS: Zoo = {
    "leaf": counted(lambda: noise(3).requires_grad_(), "leaf", "grad None", facts={"requires_grad": True, "is_leaf": True, "grad_fn": None}),
    "parameter": counted(lambda: nn.Parameter(noise(3, 3)), "leaf"),
    "result": counted(lambda: noise(3).requires_grad_() * 2, "grad ← MulBackward0", facts={"grad_fn": "MulBackward0", "is_leaf": False}),
    "with a gradient": counted(lambda: grown(noise(3).requires_grad_()), "has grad", rows=("grad  float32[3]",)),
    "retained gradient": Specimen(lambda: retained(), says=("grad ← MulBackward0",), rows=("grad  float32[]",)),
    "with hooks": Specimen(lambda: hooked(), says=("leaf",), rows=("hooks",)),
    "detached": counted(lambda: (noise(3).requires_grad_() * 2).detach(), "float32[3]", silent=("grad",)),
    "a view of a leaf": Specimen(lambda: noise(4, 4).requires_grad_()[1:], says=("grad ← SliceBackward0", "view")),
    "a view modified in place": Specimen(lambda: modified(), says=("grad ←",)),
    "made in inference mode": Specimen(lambda: torch.inference_mode()(noise)(4) * 2, says=("float32[4]",)),
}  # fmt: skip


def grown(leaf: Any) -> Any:
    leaf.sum().backward()
    return leaf


def retained() -> Any:
    value = torch.tensor(2.0, requires_grad=True) * 3
    value.retain_grad()
    value.backward()
    return value


def hooked() -> Any:
    value = noise(3).requires_grad_()
    value.register_hook(hook)
    return value


def modified() -> Any:
    """A view whose node is made anew when it is asked for, since its base was modified in place."""
    base = noise(4, 4).requires_grad_() * 1
    view = base[1]
    base.mul_(2)
    return view


def deterministic() -> AbstractContextManager[Any]:
    torch.use_deterministic_algorithms(True)
    return torch.no_grad()


def meta_by_default() -> AbstractContextManager[Any]:
    torch.set_default_device("meta")
    torch.set_default_dtype(torch.float16)
    return torch.no_grad()


def anomalous() -> AbstractContextManager[Any]:
    import warnings

    warnings.simplefilter("ignore")
    return torch.autograd.set_detect_anomaly(True, check_nan=True)


def batch() -> Any:
    return noise(20_000).requires_grad_() * 2


SAID = ("float32[20000]", "grad ← MulBackward0")
MODES: Zoo = {
    "under no_grad": under(torch.no_grad, batch, *SAID, numbers=listed),
    "under inference mode": under(torch.inference_mode, batch, *SAID),
    "under autocast": under(lambda: torch.autocast("cpu", dtype=torch.bfloat16), batch, *SAID, numbers=listed),
    "under deterministic algorithms": under(deterministic, batch, *SAID, numbers=listed),
    "under anomaly mode": under(anomalous, batch, *SAID, numbers=listed),
    "under saved tensor hooks": under(lambda: torch.autograd.graph.saved_tensors_hooks(pack, pack), batch, *SAID),
    "under a torch function mode": under(FunctionMode, batch, *SAID),
    "under a dispatch mode": under(DispatchMode, batch, *SAID),
    "under other defaults": under(meta_by_default, batch, *SAID),
    "under a device context": under(lambda: torch.device("meta"), batch, *SAID),
    "under multithreading off": under(lambda: torch.autograd.set_multithreading_enabled(False), batch, *SAID),
}

SPECIMENS: Zoo = {**DTYPES, **VALUES, **LAYOUTS, **GRADIENTS, **MODES}
