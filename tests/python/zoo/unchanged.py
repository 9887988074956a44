"""Why nothing of some values can be changed, by their classes."""

from __future__ import annotations

from tensor_inspector.safe.guard import class_attribute, full_name, mro

_WHY = {
    "NoneType ellipsis NotImplementedType": "there is one of it only",
    "object hostile.Properties": "it has no content",
    "type": "a class has nothing of its own to change",
    "builtin_function_or_method numpy.ufunc numpy._ArrayFunctionDispatcher": "a function in C has nothing of its own to change",
    "member_descriptor": "it says only where its class keeps something",
    "ReferenceType ProxyType CallableProxyType weakref.ReferenceType weakref.ProxyType": "it leads to another value, and has none of its own",
    "frame traceback": "it tells where the program runs, which nobody sets",
    "async_generator": "an event loop alone moves it on",
    "random.SystemRandom": "the system keeps what it draws from",
    "_asyncio.Future": "it is done, and can't be done again",
    "torch.Stream torch.Event": "a device keeps what its handle leads to",
    "types.GenericAlias": "it is written in the program only",
    "sqlite3.Row sqlalchemy.engine.row.Row shapely.lib.Geometry": "its library keeps it in C, and makes another one only",
}
_REASONS = {name: reason for names, reason in _WHY.items() for name in names.split()}
_ENDED = "it is at its end"


def why_never(cls: type) -> str:
    """Why no value of a class can be changed; empty where that is not known."""
    if class_attribute(cls, "next_functions") is not None:
        return "autograd alone makes the nodes of a graph"
    names = [full_name(base) for base in mro(cls)]
    return next((_REASONS[name] for name in names[: len(names) - 1 or 1] if name in _REASONS), "")


def why_not_this(cls: type) -> str:
    """Why a value of a class could not be changed, though others can; empty where that is not known."""
    if cls is memoryview or cls is dict:
        return "it is released" if cls is memoryview else "its keys take no other beside them"
    return _ENDED if class_attribute(cls, "__next__") or class_attribute(cls, "send") else ""
