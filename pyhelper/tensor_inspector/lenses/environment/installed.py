"""Versions of the libraries that are loaded, and torch's devices. Nothing is imported or initialized."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...safe.guard import dict_attribute, dict_get, instance_dict, module, plain_str
from ...safe.system import system_text
from .setting import Setting

if TYPE_CHECKING:
    from typing import Literal

    Cuda = Literal["initialized", "not_initialized", "no_driver", "not_built", "no_torch"]

_LIBRARIES = tuple(
    """
    torch numpy torchvision torchaudio lightning pytorch_lightning torchmetrics transformers tokenizers accelerate
    datasets diffusers peft safetensors timm einops triton xformers flash_attn bitsandbytes deepspeed tensordict
    torchrl torch_geometric monai ignite fastai sentence_transformers gymnasium pandas polars pyarrow scipy sklearn
    skimage cv2 PIL jax jaxlib flax tensorflow onnx onnxruntime tensorboard wandb mlflow hydra debugpy
    """.split()
)
_DRIVER = "/proc/driver/nvidia"
_DRIVERS = (_DRIVER, "/dev/nvidiactl", "/dev/dxg")  #: on Linux one of them is there where a driver is


def versions() -> Iterator[Setting]:
    yield Setting("version", "Python", _python())
    yield Setting("version", "system", _system())
    for name in _LIBRARIES:
        library = sys.modules.get(name)
        if library is not None and issubclass(type(library), ModuleType):
            yield Setting("version", name, _version(library))


def devices() -> Iterator[Setting]:
    torch = module("torch")
    c = instance_dict(torch).get("_C")
    capability = getattr(c, "_get_cpu_capability", None)
    yield Setting("device", "CPU", _cores() + (f", {capability()}" if capability is not None else ""))
    if c is None:
        return
    yield Setting("device", "CUDA", cuda_text(torch))
    for name, has in (("MPS", "_has_mps"), ("XPU", "_has_xpu")):
        if getattr(c, has, False):
            yield Setting("device", name, "torch is built with it")


def cuda() -> Cuda:
    """Whether torch can use GPUs of NVIDIA or AMD, asked without initializing anything."""
    version = instance_dict(module("torch.version"))
    if not version:
        return "no_torch"
    if not (version.get("cuda") or version.get("hip")):
        return "not_built"
    if instance_dict(module("torch.cuda")).get("_initialized") is True:
        return "initialized"
    if sys.platform == "linux" and version.get("cuda") and not any(map(os.path.exists, _DRIVERS)):
        return "no_driver"
    return "not_initialized"


def cuda_text(torch: Any) -> str:
    version, state = instance_dict(module("torch.version")), cuda()
    built = f"CUDA {version['cuda']}" if version.get("cuda") else f"ROCm {version.get('hip')}"
    if state == "not_built":
        return "not available: torch is built without it"
    if state == "no_driver":
        return f"not available: no driver of NVIDIA's, torch is built for {built}"
    if state == "initialized":
        return f"{built}, {_initialized(torch._C)}"
    return ", ".join([built, "not initialized", *_seen_by_the_driver()])


def _initialized(c: Any) -> str:
    try:
        count, current = c._cuda_getDeviceCount(), c._cuda_getDevice()
        names = [f"{number}: {_device(c, number)}" for number in range(count)]
    except Exception as error:  # after a failure on the device nothing can be asked any more
        return f"initialized, but it fails: {type(error).__name__}"
    return f"{count} {'device' if count == 1 else 'devices'}, {', '.join(names)}; current {current}"


def _device(c: Any, number: int) -> str:
    ask = instance_dict(module("torch.cuda")).get("_get_device_properties") or c._get_device_properties
    found = ask(number)
    return f"{found.name} sm_{found.major}{found.minor}"


def _seen_by_the_driver() -> list[str]:
    try:
        places = sorted(os.listdir(f"{_DRIVER}/gpus"))
    except OSError:
        return []
    found = (_line(f"{_DRIVER}/gpus/{place}/information", "Model:") for place in places)
    return [name for name in found if name]


def _line(path: str, label: str) -> str:
    """What stands after a label in a file of the system."""
    return next((line[len(label) :].strip() for line in system_text(path).splitlines() if line.startswith(label)), "")


def _version(library: ModuleType) -> str | None:
    """As the module keeps it; one that loads its parts when they are needed keeps it among other things."""
    found = instance_dict(library).get("__version__") or dict_get(dict_attribute(library, "_objects"), "__version__")
    return plain_str(found) or None


def _python() -> str:
    made_by = "" if sys.implementation.name == "cpython" else f" ({sys.implementation.name})"
    return ".".join(map(str, sys.version_info[:3])) + made_by


def _system() -> str:
    if not hasattr(os, "uname"):
        return sys.platform
    system = os.uname()  # without the name of the machine
    return f"{system.sysname} {system.release} {system.machine}"


def _cores() -> str:
    """How many there are, and how many of them this process may use."""
    every = os.cpu_count() or 1
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else every
    return f"{every} cores" if usable == every else f"{usable} of {every} cores"
