"""One table of torch's modes and flags: how each is read, and its default.

They are read by torch's functions in C. A flag that this version of torch lacks is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from sys import float_info
from typing import Any

from ...safe.guard import dict_attribute, instance_dict, module
from ...safe.modes import Modes
from ...safe.torch_name import torch_name
from .setting import Setting

#: The flag, the function of `torch._C` that reads it, and its default.
_FLAGS: tuple[tuple[str, str, Any], ...] = (
    ("default dtype", "get_default_dtype", "float32"),
    ("anomaly detection", "is_anomaly_enabled", False),
    ("anomaly detection check_nan", "is_anomaly_check_nan_enabled", True),
    ("deterministic algorithms", "_get_deterministic_algorithms", False),
    ("deterministic algorithms warn_only", "_get_deterministic_algorithms_warn_only", False),
    ("deterministic.fill_uninitialized_memory", "_get_deterministic_fill_uninitialized_memory", True),
    ("float32_matmul_precision", "_get_float32_matmul_precision", "highest"),
    ("cuda.matmul.allow_fp16_accumulation", "_get_cublas_allow_fp16_accumulation", False),
    (
        "cuda.matmul.allow_fp16_reduced_precision_reduction",
        "_get_cublas_allow_fp16_reduced_precision_reduction",
        True,
    ),
    (
        "cuda.matmul.allow_bf16_reduced_precision_reduction",
        "_get_cublas_allow_bf16_reduced_precision_reduction",
        True,
    ),
    ("cudnn.enabled", "_get_cudnn_enabled", True),
    ("cudnn.benchmark", "_get_cudnn_benchmark", False),
    ("cudnn.deterministic", "_get_cudnn_deterministic", False),
    ("cuda.sync_debug_mode", "_cuda_get_sync_debug_mode", 0),
    ("cuda.flash_sdp", "_get_flash_sdp_enabled", True),
    ("cuda.mem_efficient_sdp", "_get_mem_efficient_sdp_enabled", True),
    ("cuda.math_sdp", "_get_math_sdp_enabled", True),
    ("mkldnn.enabled", "_get_mkldnn_enabled", True),
    ("mkldnn.deterministic", "_get_mkldnn_deterministic", False),
    ("nnpack.enabled", "_get_nnpack_enabled", True),
    ("warn_always", "_get_warnAlways", False),
)
#: Of torch from 2.9: backend and operation, and the default.
_PRECISIONS = (
    ("fp32_precision", ("generic", "all"), "ieee"),
    ("cuda.matmul.fp32_precision", ("cuda", "matmul"), "ieee"),
    ("cudnn.conv.fp32_precision", ("cuda", "conv"), "tf32"),
    ("cudnn.rnn.fp32_precision", ("cuda", "rnn"), "tf32"),
    ("mkldnn.matmul.fp32_precision", ("mkldnn", "matmul"), "ieee"),
    ("mkldnn.conv.fp32_precision", ("mkldnn", "conv"), "ieee"),
    ("mkldnn.rnn.fp32_precision", ("mkldnn", "rnn"), "ieee"),
)
#: Before, instead: these raise where both ways of setting it were used.
_TF32: tuple[tuple[str, str, Any], ...] = (
    ("cuda.matmul.allow_tf32", "_get_cublas_allow_tf32", False),
    ("cudnn.allow_tf32", "_get_cudnn_allow_tf32", True),
)
#: The flag, the module whose variable it is, the variable, and its default.
_VARIABLES: tuple[tuple[str, str, str, Any], ...] = (
    ("mha.fastpath", "torch.backends.mha", "_is_fastpath_enabled", True),
    ("overwrite_module_params_on_conversion", "torch.__future__", "_overwrite_module_params_on_conversion", False),
    ("swap_module_params_on_conversion", "torch.__future__", "_swap_module_params_on_conversion", False),
)
_HOOKS = ("forward", "forward_pre", "backward", "backward_pre", "parameter_registration", "module_registration")


def modes_of(thread: Modes | None) -> Iterator[Setting]:
    """What the paused thread runs under; not known where another thread is asked."""
    if module("torch") is None:
        return
    modes = vars(thread) if thread is not None else {}
    for field, name, usual in (
        ("grad", "grad mode", True),
        ("inference", "inference mode", False),
        ("autocast_cache", "autocast cache", True),
        ("multithreaded", "multithreaded backward", True),
        ("tracing", "torch.jit.trace", False),
    ):
        yield Setting("mode", name, _on(modes.get(field)), _on(usual))
    autocast = ", ".join(f"{device} {dtype}" for device, dtype in modes.get("autocast", {}).items())
    yield Setting("mode", "autocast", autocast or "off" if modes else None, "off")
    yield Setting("mode", "default device", modes.get("device"), "cpu")
    # `torch.set_flush_denormal` sets it of the thread's own arithmetic, which floats of Python are computed by too.
    flushes = None if thread is None else float_info.min / 2 == 0.0
    yield Setting("mode", "flush denormal", _on(flushes), "off")
    overriding = ", ".join(modes.get("overriding", ()))
    yield Setting("mode", "torch function and dispatch modes", overriding or "none" if modes else None, "none")


def flags() -> Iterator[Setting]:
    torch = module("torch")
    if "_C" not in instance_dict(torch):
        return
    c = torch._C
    precision = getattr(c, "_get_fp32_precision_getter", None)
    for name, function, usual in (*_FLAGS, *(() if precision else _TF32)):
        if hasattr(c, function):
            yield Setting("flag", name, _read(getattr(c, function)), str(usual))
    for name, of, usual in _PRECISIONS if precision else ():
        found = _read(precision, *of)
        yield Setting("flag", name, "ieee" if found == "none" else found, usual)  # none: nobody has chosen
    for name, home, variable, usual in _VARIABLES:
        found = instance_dict(module(home)).get(variable)
        if found is not None:
            yield Setting("flag", name, str(found) if type(found) is bool else None, str(usual))
    home = module("torch.nn.modules.module")
    hooks = sum(dict.__len__(dict_attribute(home, f"_global_{kind}_hooks")) for kind in _HOOKS)
    yield Setting("flag", "global module hooks", str(hooks), "0")


def _read(ask: Any, *of: str) -> str | None:
    try:
        found = ask(*of)
    except Exception:  # of another version, or a build without it
        return None
    if type(found) is tuple:  # from torch 2.9 on: whether it is allowed, and whether splitting is
        found = all(found)
    return torch_name(found)


def _on(found: Any) -> str | None:
    if found is None:
        return None
    return "on" if found else "off"
