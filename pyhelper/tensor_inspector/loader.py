"""Injects the helper into a running program: makes its modules out of source text, and runs each when it is first used.

This file is sent first and runs once per process. The debugger never traces, steps into or stops in code whose file
name begins with ``<frozen``.
"""

import json
import sys
from threading import RLock
from typing import Any
from zlib import decompress as _decompress

_lock = RLock()


def _original_builtins() -> Any:
    """The built-ins as the interpreter made them, whatever the program has put, or will put, in their place.

    A helper that is here already has found them. The interpreter keeps a copy of its own, which only the garbage
    collector knows: it is looked for where something was replaced. Itself this uses no name that could have been.
    """
    before = sys.modules.get("_tensor_inspector")
    if before is not None and "__builtins__" in before.__dict__:
        return before.__dict__["__builtins__"]
    module = sys.modules["builtins"]
    type: Any = ().__class__.__class__
    function: Any = "".join.__class__
    home = type.__dict__["__module__"].__get__

    def is_original(item: Any) -> Any:
        cls = type(item)
        return item.__self__ is module if cls is function else cls is type and home(item) == "builtins"

    namespace = module.__dict__.copy()
    replaced = False
    for name, item in namespace.items():
        if name == "open":  # the last one of the interpreter's; what the program adds comes after it
            break
        replaced = replaced or (name not in _NO_CALLABLES and not is_original(item))
    if replaced:
        import gc  # which goes through all there is: only now

        known = [item for item in namespace.values() if type(item) is function and is_original(item)]
        for copy in gc.get_referrers(known[0]):
            if type(copy) is type(namespace) and copy.get("__name__") == "builtins" and copy is not module.__dict__:
                namespace.update({name: item for name, item in copy.items() if is_original(item)})
    return namespace


#: What is no function or class of the interpreter's own from the start.
_NO_CALLABLES = {
    "None", "True", "False", "Ellipsis", "NotImplemented", "__debug__", "__doc__", "__loader__", "__name__",
    "__package__", "__spec__",
}  # fmt: skip
__builtins__ = _original_builtins()  #: of all functions that are made below, and of all modules of ours


def _import(name, globals=None, locals=None, fromlist=None, level=0):  # type: ignore[no-untyped-def]
    """``import`` of what is there, our own modules and what the program or the debugger has loaded, by look-ups alone:
    the interpreter's own runs functions that the program may have replaced, and would wait for what another thread is
    about to import. It is asked for all else."""
    parent = globals["__package__"] if level else ""
    for _ in "." * (level - 1):
        parent = parent.rpartition(".")[0]
    full = f"{parent}.{name}".strip(".")
    found = sys.modules.get(full)
    if found is None:
        return _interpreters_import(name, globals, locals, fromlist, level)
    return found if level or fromlist else sys.modules[full.partition(".")[0]]


_interpreters_import: Any = __builtins__["__import__"]  # type: ignore[index]
if type(_interpreters_import) is not type(_import):  # else a helper that is here already has put its own there
    __builtins__["__import__"] = _import

#: Run at once, before the program begins: types with named fields are made by functions that it may replace.
_AT_ONCE = tuple(
    """
    measure.stats measure.stats.exact measure.stats.finite measure.stats.floats measure.stats.integers
    measure.stats.layout measure.stats.reductions measure.stats.scan measure.stats.tally measure.torch
    measure.torch.readable measure.unread safe.attributes safe.environ stop.expression time_outs
    """.split()
)
#: Compiled at once: what nearly every stop needs too, so that its time is for values. They are run when they are first
#: used, as all others are: the program may import torch later.
_SOON = tuple(
    """
    addressed kinds.alarms kinds.contained kinds.contained_memory kinds.declared kinds.facts kinds.holder
    kinds.python.mappings kinds.stats_rows kinds.subscripts kinds.summaries kinds.templates kinds.torch.dense
    kinds.torch.finite kinds.torch.forms kinds.torch.module kinds.torch.module_words kinds.torch.form
    kinds.torch.tensor kinds.torch.training measure.memory.blocks measure.memory.extents measure.memory.storages
    measure.reading measure.stats.together measure.torch.codes measure.torch.digest measure.torch.dispatch
    measure.torch.finite kinds.measured
    measure.torch.metadata measure.torch.visits measure.values stop.frame stop.process words.contained_memory
    words.stats words.values
    """.split()
)


class _Unborn(type(sys)):  # type: ignore[misc]
    """A module that runs its source when it is first asked for a name: what no value needs is never compiled."""

    def __getattr__(self, name):  # type: ignore[no-untyped-def]
        with _lock:  # another thread may ask before the first is through
            _run(self)
            if name in self.__dict__:
                return self.__dict__[name]
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


class _Folder:
    """Modules of a folder, whose sources stay packed together until one of them is needed: a tenth of the memory."""

    __slots__ = ("modules", "packed")

    def __init__(self, packed: Any) -> None:
        self.packed = packed
        self.modules: Any = []

    def open(self) -> None:
        for module, text in zip(self.modules, _decompress(self.packed).split(b"\0")):
            module.__dict__["_source"] = text


def _compile(module: Any) -> None:
    with _lock:
        if type(module.__dict__.get("_source")) is _Folder:
            module.__dict__["_source"].open()
        source = module.__dict__.get("_source")
        if type(source) is bytes:
            module.__dict__["_source"] = compile(source, f"<frozen {module.__name__}>", "exec", optimize=2)


def _run(module: Any) -> None:
    with _lock:
        _compile(module)
        code = module.__dict__.pop("_source", None)
        if code is not None:
            try:
                exec(code, module.__dict__)
            except BaseException:
                module.__dict__["_source"] = code
                raise


def install(sources, version, preferences, folders, watchpoints=()):  # type: ignore[no-untyped-def]
    """Register ``sources`` (dotted name below the package: the number of its folder; packages are those that others lie
    below), and have ``preferences`` and ``watchpoints`` hold. ``folders`` are packed texts, in ``sources``' order.

    Returns JSON: the version now in place, the Python version and the process id, or what went wrong.
    """
    if sys.version_info < (3, 9):  # noqa: UP036  the program's Python, not ours
        found = sys.version.split()[0]
        return json.dumps({"error": f"it runs on Python {found}, and Tensor Inspector needs 3.9 or newer"})
    root = "_tensor_inspector"
    helper: Any = sys.modules.get(root)
    if helper is None or helper.__dict__.get("version") != version:
        modules = {}
        packed = [_Folder(texts) for texts in folders]
        for name, at in sources.items():
            full = f"{root}.{name}" if name else root
            module = modules[full] = _Unborn(full)
            is_package = not name or any(other.startswith(name + ".") for other in sources)
            module.__dict__.update(
                _source=packed[at],
                __builtins__=__builtins__,
                __package__=full if is_package else full.rpartition(".")[0],
                __file__=f"<frozen {full}>",
                **({"__path__": []} if is_package else {}),
            )
            packed[at].modules.append(module)
        for full, module in modules.items():
            parent, _, name = full.rpartition(".")
            if parent:
                modules[parent].__dict__[name] = module
        before = {full: sys.modules.get(full) for full in modules}
        sys.modules.update(modules)
        try:
            helper = modules[root]
            helper.debugger.no_delay()
            for name in _AT_ONCE:
                _run(modules[f"{root}.{name}"])
            for name in _SOON:
                _compile(modules[f"{root}.{name}"])
            # From here on the debugger's own views ask us and wait for us.
            helper.gateway.begin(preferences, watchpoints)
            # Last: a child that is forked before this has only a part of the helper.
            helper.__dict__["version"] = version
        except BaseException:
            for full, known in before.items():
                if known is None:
                    del sys.modules[full]
                else:
                    sys.modules[full] = known
            raise
    else:
        helper.debugger.no_delay()  # a forked child has a connection of its own
        helper.gateway.begin(preferences, watchpoints)
    answer = {"version": version, "python": sys.version.split()[0], "pid": sys.modules["os"].getpid()}
    if helper.debugger.dynamo_runs():
        answer["frameless"] = True
    return json.dumps(answer)
