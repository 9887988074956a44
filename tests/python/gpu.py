"""Whether a GPU is there, and whether a test's process may see it.

Most tests run as on a machine without one: where CUDA sees a GPU, a process that has run a backward, even on the CPU, can
run none in its forks. So it is seen by its driver's file, without asking CUDA, and shown to processes that are about it.
"""

from __future__ import annotations

import os
from importlib import util
from pathlib import Path

_SEEN = "CUDA_VISIBLE_DEVICES"
_KEPT = "TESTS_CUDA_VISIBLE_DEVICES"  #: what that was where it is hidden
INSIDE = "TESTS_ON_GPU"  #: set in the process of a test that is about a GPU
_DRIVERS = ("/dev/nvidiactl", "/dev/dxg")


def _is_built_for_cuda() -> bool:
    """Whether torch is, found out without loading it."""
    found = util.find_spec("torch")
    if found is None or found.origin is None:
        return False
    told: dict[str, object] = {}
    exec((Path(found.origin).parent / "version.py").read_text(), told)
    return told.get("cuda") is not None


HAS_GPU = hasattr(os, "fork") and any(map(os.path.exists, _DRIVERS)) and _is_built_for_cuda()
if HAS_GPU:
    GPU = True  #: what specimens of the zoo need


def hide() -> None:
    """This process, and those that it starts, see no GPU from now on."""
    if HAS_GPU and INSIDE not in os.environ and _KEPT not in os.environ:
        os.environ[_KEPT] = os.environ.get(_SEEN, "")
        os.environ[_SEEN] = ""
        os.environ["JAX_PLATFORMS"] = "cpu"  # which else fails without a GPU, and takes most of its memory with one


def show() -> None:
    """They see it again; CUDA must not have begun yet."""
    kept = os.environ.pop(_KEPT, None)
    if kept is not None:
        os.environ.pop(_SEEN)
        if kept:
            os.environ[_SEEN] = kept
