"""The promises "look, don't touch" and "nothing outlives the stop" as a harness for any value.

    with Watch(value) as watch:
        summarize(value)
    assert watch.changes() == []

What is compared: every object that the value reaches, with what each refers to; memory, version and gradient of every
tensor and array among them; all state of the process that describing could disturb; what was written and warned; code of
the program that ran. `lasting` and `outlives` tell what a look leaves behind, `peak_memory` what it takes meanwhile.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import tempfile
import threading
import types
import warnings
import weakref
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from ctypes import string_at
from pathlib import Path
from typing import Any

_OBJECTS = 20_000  #: objects followed from the value
_TOLD = 8  #: changes that are told; one of them often moves all that comes after
_HASHED = 1 << 28  #: bytes of one storage that are hashed
_SHARED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.FrameType,
           types.CodeType, types.GetSetDescriptorType, types.MemberDescriptorType)  # fmt: skip
_class_name = type.__dict__["__name__"].__get__  #: runs no metaclass, as those of other tests' classes
_ATOMS = (str, bytes, int, float, complex, bool, type(None), range, slice)


class Watch:
    """What a look at ``value`` changes: taken before and after, and compared.

    ``programs`` are the folders whose code must not run meanwhile. ``readable=False`` leaves the memory alone: that of a
    value whose memory is gone.
    """

    def __init__(self, value: object, programs: tuple[Path, ...] = (), *, readable: bool = True) -> None:
        self._value = value
        self._programs = tuple(map(str, programs))
        self._readable = readable
        self._ran: dict[str, int] = {}
        self._held: list[Any] = []

    def __enter__(self) -> Watch:
        self._written = _Written()
        self._caught = warnings.catch_warnings(record=True)
        _state()  # what torch imports when it is asked for the first time
        self._before = self._picture()
        self._warned = self._caught.__enter__()
        warnings.simplefilter("always")
        self._nodes = _graph_nodes()
        self._modules = set(sys.modules)
        self._threads = set(threading.enumerate())
        self._written.__enter__()
        sys.setprofile(self._profile)
        return self

    def __exit__(self, *error: object) -> None:
        profile = sys.getprofile()
        sys.setprofile(None)
        self._profiled = profile == self._profile
        self._text = self._written.__exit__()
        self._nodes_after = _graph_nodes()
        self._new_modules = {
            name for name in set(sys.modules) - self._modules if not name.startswith("tensor_inspector")
        }
        self._new_threads = set(threading.enumerate()) - self._threads  # a library's own may end meanwhile
        self._caught.__exit__(None, None, None)
        self._after = self._picture()

    def changes(self) -> list[str]:
        """A sentence for everything that is not as it was."""
        before, after = self._before, self._after
        found = [
            f"{name}: {_short(before[name])} became {_short(after.get(name))}"
            for name in before
            if before[name] != after.get(name)
        ]
        found += [f"new: {name}" for name in after if name not in before]
        found += [f"warned: {warning.message}" for warning in self._warned]
        found += [f"ran the program's code: {place} ×{times}" for place, times in self._ran.items()]
        found += [f"imported {name}" for name in sorted(self._new_modules)]
        found += [f"started {thread.name}" for thread in self._new_threads]
        if self._text:
            found.append(f"wrote {self._text[:200]!r}")
        if self._nodes_after != self._nodes:
            found.append(f"made {self._nodes_after - self._nodes} nodes of an autograd graph")
        if not self._profiled:
            found.append("removed the profiler")
        return found if len(found) <= _TOLD else [*found[:_TOLD], f"… {len(found) - _TOLD} more"]

    def _profile(self, frame: types.FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(self._programs or ("?",)):
            place = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {frame.f_code.co_name}"
            self._ran[place] = self._ran.get(place, 0) + 1

    def _picture(self) -> dict[str, Any]:
        # The objects first: asking some tensors makes torch import what it needs for that.
        return {**_objects(self._value, self._readable, self._held), **_state()}


def lasting(look: Callable[[], object]) -> int:
    """How many objects a look leaves behind without the garbage collector; negative when some are gone."""
    with _uncollected():
        look()  # collecting emptied the interpreter's own free lists
        before = len(gc.get_objects())
        look()
        return len(gc.get_objects()) - before


def left_behind(look: Callable[[], object]) -> str:
    """Of which classes the objects are that a look leaves behind, the most frequent first."""
    with _uncollected():
        look()
        before = _names_of_classes()
        look()
        more = _names_of_classes() - before
        return ", ".join(f"{count} {name}" for name, count in more.most_common(6))


def _names_of_classes() -> Counter[str]:
    """Of all objects; classes themselves may refuse to be hashed."""
    return Counter(_class_name(type(one)) for one in gc.get_objects())


def outlives(show: Callable[[Callable[[Any], None]], object], look: Callable[[Any], object]) -> bool:
    """Whether a value lives longer once it was looked at. ``show`` makes one, hands it over, and lets go of it."""
    try:
        unseen = _life(show, lambda value: None)
    except Exception:  # it can be made only once in a process
        return False
    return _life(show, look) > unseen


def _life(show: Callable[[Callable[[Any], None]], object], look: Callable[[Any], object]) -> int:
    """0 where a value is gone with those who hold it, 1 where the collector takes it, 2 where it stays."""
    made: list[weakref.ref[Any]] = []

    def shown(value: Any) -> None:
        made.extend(_weakly(value))
        look(value)

    with _uncollected():
        show(shown)
        life = sum(each() is not None for each in made)
        gc.collect()
        return life + sum(each() is not None for each in made)


def _weakly(value: Any) -> list[weakref.ref[Any]]:
    try:
        return [weakref.ref(value)]
    except TypeError:
        return []


@contextmanager
def _uncollected() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def peak_memory(look: Callable[[], object]) -> float:
    """MB of its own that the process takes at most while ``look`` runs; 0 where the system does not tell."""
    status = Path("/proc/self/status")
    try:
        Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts anew
    except OSError:
        return 0
    before, files = _kilobytes(status, "VmRSS"), _kilobytes(status, "RssFile")
    look()
    loaded = _kilobytes(status, "RssFile") - files  # code of libraries that ran for the first time
    return max(0.0, (_kilobytes(status, "VmHWM") - before - max(0, loaded)) / 1024)


def _kilobytes(status: Path, name: str) -> int:
    line = next(line for line in status.read_text().splitlines() if line.startswith(name + ":"))
    return int(line.split()[1])


class _Written:
    """What is written to the process's own stdout and stderr, by C code too."""

    def __enter__(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self._file = tempfile.TemporaryFile()
        self._kept = [(fd, os.dup(fd)) for fd in (1, 2)]
        for fd, _ in self._kept:
            os.dup2(self._file.fileno(), fd)

    def __exit__(self, *error: object) -> str:
        sys.stdout.flush()
        sys.stderr.flush()
        for fd, kept in self._kept:
            os.dup2(kept, fd)
            os.close(kept)
        self._file.seek(0)
        text = self._file.read().decode("utf-8", "replace")
        self._file.close()
        return text


def _state() -> dict[str, Any]:
    """All of the process that describing a value could disturb."""
    state: dict[str, Any] = {
        "random": random.getstate(),
        "recursion limit": sys.getrecursionlimit(),
        "warning filters": list(warnings.filters),
        "trace": sys.gettrace(),
        "open files": sorted(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None,
        "environment": dict(os.environ),
        "hooks of sys": (sys.excepthook, sys.displayhook, sys.unraisablehook),
    }
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if hasattr(numpy, "ndarray"):
        state["numpy"] = (_hash(numpy.random.get_state()[1]), numpy.geterr(), str(numpy.get_printoptions()))
    if hasattr(torch, "Tensor"):
        modes = [ask() for ask in _modes(torch)]
        with _off(torch):
            state["torch"] = [*modes, *((name, ask()) for name, ask in _torch_state(torch))]
    return state


@contextmanager
def _off(torch: Any) -> Iterator[None]:
    """No mode, transform or override of the program sees what is asked here."""
    with torch._C.DisableTorchFunction(), ExitStack() as stack:
        held = []
        for name in ("_DisableTorchDispatch", "_DisableFuncTorch"):
            guard = getattr(torch._C, name)()
            if hasattr(guard, "__exit__"):
                stack.enter_context(guard)
            else:  # before torch 2.1 it is in force as long as it lives
                held.append(guard)
        yield


def _modes(torch: Any) -> list[Callable[[], Any]]:
    c = torch._C
    names = ("_len_torch_function_stack", "_is_torch_function_enabled", "_len_torch_dispatch_stack")
    return [getattr(c, name, int) for name in names]


def _default_device(torch: Any) -> Any:
    try:
        return torch.get_default_device()
    except AttributeError:  # before torch 2.3; and torch 2.8 fails after `set_default_device(None)`
        return None


def _torch_state(torch: Any) -> list[tuple[str, Callable[[], Any]]]:
    c, module = torch._C, torch.nn.modules.module
    asked: list[tuple[str, Callable[[], Any]]] = [
        ("random", lambda: torch.random.default_generator.get_state().numpy().tobytes()),
        ("grad", torch.is_grad_enabled),
        ("inference", torch.is_inference_mode_enabled),
        ("default dtype", torch.get_default_dtype),
        ("default device", lambda: _default_device(torch)),
        ("autocast", lambda: _autocast(torch)),
        ("anomaly", torch.is_anomaly_enabled),
        ("deterministic", torch.are_deterministic_algorithms_enabled),
        ("threads", torch.get_num_threads),
        ("print options", lambda: str(vars(torch._tensor_str.PRINT_OPTS))),
        ("functorch level", lambda: getattr(c._functorch, "maybe_current_level", int)()),
        ("module hooks", lambda: [len(vars(module)[name]) for name in sorted(vars(module)) if name.startswith("_global_") and name.endswith("hooks")]),
        ("saved tensor hooks", lambda: repr(getattr(c._autograd, "_top_saved_tensors_default_hooks", lambda _: None)(True))),
        ("cuda", lambda: _cuda_state(torch)),
    ]  # fmt: skip
    return asked


def _cuda_state(torch: Any) -> list[Any] | None:
    """Of each GPU what tensors take and what draws random numbers, and what the program has set; None where CUDA has not
    begun."""
    cuda = torch.cuda
    if not cuda.is_initialized():
        return None
    try:
        capturing = cuda.is_current_stream_capturing()
    except Exception as error:  # after a fault on the device nothing can be asked
        return [type(error).__name__]
    return [
        capturing,
        torch._C._cuda_get_sync_debug_mode(),
        cuda.current_device(),
        [cuda.current_stream(number) for number in range(cuda.device_count())],
        list(map(cuda.memory_allocated, range(cuda.device_count()))),
        None if capturing else [_hash(generator.get_state().numpy()) for generator in cuda.default_generators],
    ]


def _autocast(torch: Any) -> list[Any]:
    """On which devices it is off, to what it casts, and whether it keeps the weights that it has cast."""
    c = torch._C
    keys = [name for name in dir(c.DispatchKey) if name.startswith("Autocast")]
    is_off = getattr(c, "_dispatch_tls_is_dispatch_key_excluded", lambda _: None)
    dtype = getattr(
        torch, "get_autocast_dtype", lambda _: (torch.get_autocast_cpu_dtype(), torch.get_autocast_gpu_dtype())
    )
    caches = torch.is_autocast_cache_enabled() if hasattr(torch, "is_autocast_cache_enabled") else None
    return [[(name, is_off(name)) for name in keys], dtype("cpu"), dtype("cuda"), caches]


def _graph_nodes() -> int:
    """How many autograd nodes this thread has made."""
    torch = sys.modules.get("torch")
    ask = getattr(getattr(torch, "autograd", None), "_get_sequence_nr", None)
    return ask() if ask is not None else 0


def _objects(value: object, readable: bool, held: list[Any]) -> dict[str, Any]:
    """Every object that the value reaches, by the order it is met in: what it refers to, and what it holds itself.

    They go into ``held`` too: some exist only as long as somebody holds them, as the Python side of a graph's node.
    """
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    tensor = torch.Tensor.__mro__[1] if hasattr(torch, "Tensor") else ()
    storage = torch.UntypedStorage if hasattr(torch, "UntypedStorage") else ()
    array = getattr(numpy, "ndarray", ())
    found: dict[str, Any] = {}
    seen: dict[int, Any] = {id(value): value}
    waiting = [value]
    while waiting and len(found) < _OBJECTS:
        current = waiting.pop()
        cls = type(current)
        own: list[Any] = []
        if issubclass(cls, tensor):
            own.append(_tensor_state(torch, current, readable))
        elif issubclass(cls, storage) and readable:
            own.append(_storage_hash(current))
        elif issubclass(cls, array) and readable:
            own.append(_hash(numpy.ndarray.view(current, numpy.ndarray)) if current.dtype.kind != "O" else None)
        _dict_of(current)  # made now where Python makes it when first asked for, so that it is there both times
        below = [item for item in gc.get_referents(current) if not _is_common(item)]
        atoms = [item for item in gc.get_referents(current) if issubclass(type(item), _ATOMS)]
        name = f"{len(found)} {type.__dict__['__name__'].__get__(cls)} at {id(current):x}"
        found[name] = (own, sorted(map(id, below)), sorted(map(_atom, atoms)))
        for item in below:
            if id(item) not in seen and type(item) is not Watch:
                seen[id(item)] = item
                waiting.append(item)
    held.extend(seen.values())
    return found


def _is_common(item: object) -> bool:
    """What is not of the value alone. Nodes of the graph have a Python side only once somebody asks for them; sympy,
    whose symbols stand for sizes, remembers all that it is asked."""
    cls = type(item)
    names = type.__dict__["__dict__"].__get__(cls) or {}  # none yet: a type inside C that nobody has asked for anything
    return (
        issubclass(cls, (*_SHARED, *_ATOMS))
        or "next_functions" in names
        or str(names.get("__module__")).startswith("sympy")
    )


def _dict_of(value: object) -> None:
    for base in type.__dict__["__mro__"].__get__(type(value)) or ():
        descriptor = type.__dict__["__dict__"].__get__(base).get("__dict__")
        if type(descriptor) is types.GetSetDescriptorType:
            try:
                descriptor.__get__(value)
            except BaseException:
                pass
            return


def _atom(item: object) -> str:
    return next(base.__repr__(item) for base in _ATOMS if issubclass(type(item), base))[:200]


def _tensor_state(torch: Any, value: Any, readable: bool) -> list[Any]:
    """What a tensor says of itself by the C descriptors, and a hash of the memory beneath it."""
    base = torch.Tensor.__mro__[1]
    said: list[Any] = []
    with torch._C.DisableTorchFunction():
        said += [
            _asked(base, name, value) for name in ("_version", "requires_grad", "_backward_hooks", "dtype", "layout")
        ]
        if _asked(base, "_base", value) is None:  # of a view, this would make its node of the graph anew
            said += [_asked(base, name, value) for name in ("is_leaf", "retains_grad")]
            said += [_asked(base, "grad", value)] if said[-2] is True else []
        if readable:
            try:
                said.append(_is_copied_on_write(torch, value) or _storage_hash(base.untyped_storage(value)))
            except BaseException as error:  # no storage of its own
                said.append(type(error).__name__)
    return said


def _asked(base: Any, name: str, value: Any) -> Any:
    try:
        found = base.__dict__[name].__get__(value)
    except BaseException as error:
        return type(error).__name__
    return found if type(found) in (bool, int, type(None)) else id(found)


def _is_copied_on_write(torch: Any, value: Any) -> bool:
    """Whether its memory is another tensor's until somebody asks for it as one who would write, as the hash does."""
    ask = getattr(torch._C, "_is_cow_tensor", None)
    return ask is not None and bool(ask(value))


def _storage_hash(storage: Any) -> int | None:
    size = storage.nbytes()
    if storage.device.type == "cuda" and type(size) is int and size <= _HASHED and _can_be_copied():
        storage = storage.cpu()
    if storage.device.type != "cpu" or type(size) is not int or not size or not storage.data_ptr():
        return None
    return zlib.crc32(string_at(storage.data_ptr(), min(size, _HASHED)))


def _can_be_copied() -> bool:
    """Whether it changes nothing to wait for the GPU."""
    torch: Any = sys.modules["torch"]
    return not torch.cuda.is_current_stream_capturing() and torch._C._cuda_get_sync_debug_mode() == 0


def _hash(array: Any) -> int:
    return zlib.crc32(array.tobytes() if array.nbytes <= _HASHED else b"")


def _short(item: object) -> str:
    text = repr(item)
    return text if len(text) <= 160 else text[:160] + "…"
