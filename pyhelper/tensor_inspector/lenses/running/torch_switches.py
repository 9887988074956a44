"""The modes and flags that code of the program may switch: one table of how each is read and set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from threading import local
from typing import Any

from ...safe.guard import instance_dict, module

torch: Any = module("torch")
#: Functions of `torch._C` that set and read a flag; each version of torch has some of them.
_FLAGS = (
    ("_set_grad_enabled", "is_grad_enabled"),
    ("_set_fwd_grad_enabled", "_is_fwd_grad_enabled"),
    ("_set_multithreading_enabled", "_is_multithreading_enabled"),
    ("set_autocast_cache_enabled", "is_autocast_cache_enabled"),
    ("_set_default_dtype", "get_default_dtype"),
    ("_set_deterministic_fill_uninitialized_memory", "_get_deterministic_fill_uninitialized_memory"),
    ("_set_check_sparse_tensor_invariants", "_check_sparse_tensor_invariants"),
    ("_set_cublas_allow_fp16_accumulation", "_get_cublas_allow_fp16_accumulation"),
    ("_set_cublas_allow_fp16_reduced_precision_reduction", "_get_cublas_allow_fp16_reduced_precision_reduction"),
    ("_set_cublas_allow_bf16_reduced_precision_reduction", "_get_cublas_allow_bf16_reduced_precision_reduction"),
    ("_set_cudnn_enabled", "_get_cudnn_enabled"),
    ("_set_cudnn_benchmark", "_get_cudnn_benchmark"),
    ("_set_cudnn_deterministic", "_get_cudnn_deterministic"),
    ("_set_sdp_use_flash", "_get_flash_sdp_enabled"),
    ("_set_sdp_use_mem_efficient", "_get_mem_efficient_sdp_enabled"),
    ("_set_sdp_use_math", "_get_math_sdp_enabled"),
    ("_set_sdp_use_cudnn", "_get_cudnn_sdp_enabled"),
    ("_set_mkldnn_enabled", "_get_mkldnn_enabled"),
    ("_set_mkldnn_deterministic", "_get_mkldnn_deterministic"),
    ("_set_nnpack_enabled", "_get_nnpack_enabled"),
    ("_set_warnAlways", "_get_warnAlways"),
    ("set_num_threads", "get_num_threads"),
)
#: For torch before 2.9. Later these raise where the program also uses `_PRECISIONS`.
_TF32 = (
    ("_set_cudnn_allow_tf32", "_get_cudnn_allow_tf32"),
    ("_set_cublas_allow_tf32", "_get_cublas_allow_tf32"),
)
#: For torch 2.9 and later: backend and operation. A later pair inherits from an earlier one that is set.
_PRECISIONS = tuple(
    (backend, operation)
    for operation in ("all", "matmul", "conv", "rnn")
    for backend in ("generic", "cuda", "mkldnn")
    if backend != "generic" or operation == "all"
)


def switch_restorers() -> Iterator[Callable[[], object]]:
    """Functions that set each switch back to its present value. Call them in the reverse order."""
    for read, write in _switches():
        before = _read(read)
        if before:
            yield partial(_set_back, read, write, before)


def _set_back(read: Callable[[], Any], write: Callable[..., object], before: tuple[Any, ...]) -> None:
    if _read(read) != before:
        write(*before)


def _read(read: Callable[[], Any]) -> tuple[Any, ...]:
    """The arguments that set the present value; empty where it is not known."""
    try:
        found = read()
    except RuntimeError:  # this version or build has none, or its parts contradict one another
        return ()
    return found if type(found) is tuple else (found,)


def _switches() -> Iterator[tuple[Callable[[], Any], Callable[..., object]]]:
    """The functions that read and set each switch."""
    c = torch._C
    if hasattr(c, "_get_fp32_precision_getter"):
        for of in reversed(_PRECISIONS):
            yield partial(c._get_fp32_precision_getter, *of), partial(c._set_fp32_precision_setter, *of)
    if hasattr(c, "_get_float32_matmul_precision"):  # it sets some of those too
        yield c._get_float32_matmul_precision, c._set_float32_matmul_precision
    for change, ask in (*_FLAGS, *(() if hasattr(c, "_get_fp32_precision_getter") else _TF32)):
        if hasattr(c, change) and hasattr(c, ask):
            yield getattr(c, ask), getattr(c, change)
    yield _anomaly, torch.set_anomaly_enabled
    yield _deterministic, _set_deterministic
    yield from _autocast()
    if type(instance_dict(torch).get("_GLOBAL_DEVICE_CONTEXT")) is local:
        yield _device, _set_device
    numpy = module("numpy")
    if numpy is not None:
        yield lambda: (numpy.geterr(),), lambda how: numpy.seterr(**how)


def _anomaly() -> tuple[bool, ...]:
    checks: Any = getattr(torch, "is_anomaly_check_nan_enabled", None)
    return (torch.is_anomaly_enabled(),) if checks is None else (torch.is_anomaly_enabled(), checks())


def _deterministic() -> tuple[bool, bool]:
    return torch._C._get_deterministic_algorithms(), torch._C._get_deterministic_algorithms_warn_only()


def _set_deterministic(on: bool, warns: bool) -> None:
    torch._C._set_deterministic_algorithms(on, warn_only=warns)


def _autocast() -> Iterator[tuple[Callable[[], Any], Callable[..., object]]]:
    if hasattr(torch, "get_autocast_dtype"):  # since torch 2.4
        for device in ("cpu", "cuda"):
            yield partial(torch.is_autocast_enabled, device), partial(torch.set_autocast_enabled, device)
            yield partial(torch.get_autocast_dtype, device), partial(torch.set_autocast_dtype, device)
        return
    yield torch.is_autocast_enabled, torch.set_autocast_enabled
    yield torch.get_autocast_gpu_dtype, torch.set_autocast_gpu_dtype
    yield torch.is_autocast_cpu_enabled, torch.set_autocast_cpu_enabled
    yield torch.get_autocast_cpu_dtype, torch.set_autocast_cpu_dtype


def _device() -> Any:
    """The context by which torch has a default device; None without one."""
    return getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)


def _set_device(context: Any) -> None:
    now = _device()
    if now is not None:
        now.__exit__(None, None, None)
    if context is not None:
        context.__enter__()
    torch._GLOBAL_DEVICE_CONTEXT.device_context = context
