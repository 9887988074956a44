"""Settings of the process: Python's switches, numpy's, threads, processes, environment variables."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from typing import Any

from ...safe.environ import variables
from ...safe.guard import class_name, dict_get, instance_dict, module, mro, plain_str
from ...words.text import one_line
from .setting import Setting

#: What the names of variables begin with that change what a program computes, or how fast: never all of them.
_PREFIXES = tuple(
    """
    ATEN_ BLIS_ CUBLAS CUDA CUDNN_ DNNL_ GLOO_ GOMP_ GOTO_ HIP_ HSA_ KMP_ MIOPEN_ MKL_ NCCL_ NUMEXPR_ OMP_ ONEDNN_
    OPENBLAS_ PYTORCH_ ROCM_ ROCR_ TORCH TRITON_ UCC_ VECLIB_ XLA_
    """.split()
)
_NAMES = frozenset(
    """
    LOCAL_RANK LOCAL_WORLD_SIZE NVIDIA_TF32_OVERRIDE NVIDIA_VISIBLE_DEVICES PYTHONHASHSEED RANK
    TOKENIZERS_PARALLELISM WORLD_SIZE
    """.split()
)
#: Variables that hold a number, a switch or a list of devices: their values may stand in a report for others.
PUBLIC = frozenset(
    """
    BLIS_NUM_THREADS CUBLAS_WORKSPACE_CONFIG CUBLASLT_WORKSPACE_SIZE CUDA_DEVICE_MAX_CONNECTIONS CUDA_DEVICE_ORDER
    CUDA_LAUNCH_BLOCKING CUDA_MODULE_LOADING CUDA_VISIBLE_DEVICES HIP_VISIBLE_DEVICES HSA_OVERRIDE_GFX_VERSION
    KMP_AFFINITY KMP_BLOCKTIME KMP_DUPLICATE_LIB_OK LOCAL_RANK LOCAL_WORLD_SIZE MKL_DYNAMIC MKL_NUM_THREADS
    MKL_THREADING_LAYER NCCL_DEBUG NCCL_IB_DISABLE NCCL_P2P_DISABLE NCCL_SHM_DISABLE NUMEXPR_MAX_THREADS
    NUMEXPR_NUM_THREADS NVIDIA_TF32_OVERRIDE NVIDIA_VISIBLE_DEVICES OMP_DYNAMIC OMP_NUM_THREADS OMP_PROC_BIND
    OMP_SCHEDULE OPENBLAS_CORETYPE OPENBLAS_NUM_THREADS PYTHONHASHSEED PYTORCH_ALLOC_CONF PYTORCH_CUDA_ALLOC_CONF
    PYTORCH_ENABLE_MPS_FALLBACK PYTORCH_HIP_ALLOC_CONF PYTORCH_JIT PYTORCH_MPS_HIGH_WATERMARK_RATIO
    PYTORCH_NO_CUDA_MEMORY_CACHING RANK ROCR_VISIBLE_DEVICES TOKENIZERS_PARALLELISM TORCHDYNAMO_DISABLE
    TORCHINDUCTOR_MAX_AUTOTUNE TORCH_ALLOW_TF32_CUBLAS_OVERRIDE TORCH_COMPILE_DEBUG TORCH_DISTRIBUTED_DEBUG
    TORCH_NCCL_ASYNC_ERROR_HANDLING TORCH_NCCL_BLOCKING_WAIT TORCH_SHOW_CPP_STACKTRACES TORCH_USE_CUDA_DSA
    VECLIB_MAXIMUM_THREADS WORLD_SIZE
    """.split()
)
_BY_TORCH = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")  #: which it sets itself
#: In the names of variables whose values are not shown.
_SECRET = ("AUTH", "CREDENTIAL", "KEY", "PASS", "SECRET", "TOKEN")
_ERRORS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}  #: of numpy, by default


def processes() -> Iterator[Setting]:
    """What is set for the whole process."""
    yield Setting("process", "python -O", str(sys.flags.optimize), "0")
    yield Setting("process", "python -W", ", ".join(map(plain_str, sys.warnoptions)) or "none", "none")
    yield Setting("process", "garbage collector", "on" if gc.isenabled() else "off", "on")
    if hasattr(sys, "_is_gil_enabled"):
        yield Setting("process", "GIL", "on" if sys._is_gil_enabled() else "off", "on")
    yield from _start_method()
    sharing = instance_dict(module("torch.multiprocessing")).get("_sharing_strategy")
    if sharing is not None:
        usual = "file_system" if sys.platform in ("darwin", "win32") else "file_descriptor"
        yield Setting("process", "multiprocessing sharing strategy", plain_str(sharing), usual)
    yield from _group()
    yield from _numpy()
    torch = module("torch")
    for name, function in (("intra-op threads", "get_num_threads"), ("inter-op threads", "get_num_interop_threads")):
        ask = instance_dict(torch).get(function)
        if ask is not None:
            yield Setting("process", name, str(ask()))
    generator: Any = instance_dict(torch).get("default_generator")
    if generator is not None:
        yield Setting("process", "initial seed", _seed(torch.Generator, generator))


def environment_variables() -> Iterator[Setting]:
    for name, value in sorted(variables()):
        if (name.startswith(_PREFIXES) and name not in _BY_TORCH) or name in _NAMES:
            secret = any(word in name for word in _SECRET)
            yield Setting("variable", name, "set, not shown" if secret else one_line(value), "not set")


def _seed(cls: Any, generator: Any) -> str | None:
    try:
        return str(cls.initial_seed(generator))
    except Exception:  # while a CUDA graph is captured it may not be asked for
        return None


def _start_method() -> Iterator[Setting]:
    """To ask for it would fix it: what is kept of it is read."""
    kept = instance_dict(instance_dict(module("multiprocessing.context")).get("_default_context"))
    usual = _method(kept.get("_default_context"))
    if usual is not None:
        yield Setting("process", "multiprocessing start method", _method(kept.get("_actual_context")) or usual, usual)


def _method(context: Any) -> str | None:
    """The name of a context's method, which its class keeps."""
    for home in (context, type(context)):
        found = vars(home).get("_name") if hasattr(home, "__dict__") else None
        if type(found) is str:
            return found
    return None


def _group() -> Iterator[Setting]:
    """The process group of torch.distributed; no other process is asked."""
    home = instance_dict(module("torch.distributed.distributed_c10d"))
    world = home.get("_world")
    if world is None:
        return
    try:
        group = world.default_pg
        base: Any = next((base for base in mro(type(group)) if class_name(base) == "ProcessGroup"), None)
        value = "none" if base is None else f"rank {base.rank(group)} of {base.size(group)}{_backend(home, group)}"
    except Exception:  # a group that was destroyed
        value = "none"
    yield Setting("process", "process group", value, "none")


def _backend(home: dict[str, Any], group: Any) -> str:
    for known, kept in dict.items(home.get("_pg_map", {})):
        if known is group and type(kept) is tuple:
            return f" by {plain_str(kept[0])}"
    return ""


def _numpy() -> Iterator[Setting]:
    ask = instance_dict(module("numpy")).get("geterr")
    if ask is None:
        return
    found = ask()
    value = ", ".join(f"{error} {plain_str(dict_get(found, error))}" for error in _ERRORS)
    yield Setting("process", "numpy errors", value, ", ".join(f"{error} {done}" for error, done in _ERRORS.items()))
