"""Has the debugger's own views ask us: it registers our providers, and leaves all else of theirs as it is."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any
from weakref import ref

from . import debugger

MARK = "# tensor-inspector"  #: every expression that the extension sends ends with it


def register_providers(lines: Any, children: Any) -> bool:
    """Have the debugger's own views ask these providers, first and alone of ours. True where the views have asked
    before, so that their rows have to be fetched again."""
    handler = _presenter()
    if handler is None or (has_client(lines) and _is_registered(handler, lines)):
        return False
    unregister_providers()
    lines.is_of_tensor_inspector = children.is_of_tensor_inspector = ref(debugger.pydevd().writer)
    if not handler._initialized:
        handler._initialize = _SetUp(handler, (lines, children))
        return False
    _insert(handler, lines, children)
    return True


class _SetUp:
    """In the place of the debugger's set-up of its views until one of them asks, which the answers to us do not count
    as: it imports what the program may not want, django for one. It takes our providers in."""

    def __init__(self, handler: Any, providers: tuple[Any, ...] = ()) -> None:
        self.handler = handler
        self.providers = providers

    def __call__(self) -> None:
        handler = self.handler
        if _is_asked_by_us():
            handler._default_type_map = [(object, None)]  # an answer has nothing below it
            handler._str_providers = handler._resolve_providers = []
            return
        del handler._initialize
        handler._initialize()
        _forget(handler)
        if self.providers and has_client(self.providers[0]):
            _insert(handler, *self.providers)


def _is_asked_by_us() -> bool:
    """Whether the debugger is about to answer an evaluate of ours."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code.co_name == "internal_evaluate_expression_json":
            return str(frame.f_locals.get("expression")).endswith(MARK)
        frame = frame.f_back
    return False


def stock_rows(value: object, format: object) -> Any:
    """What the debugger itself shows below a value."""
    resolver: Any = sys.modules["_pydevd_bundle.pydevd_resolver"]
    return resolver.defaultResolver.get_contents_debug_adapter_protocol(value, format)


def has_client(provider: Any) -> bool:
    """Whether the client for which a provider was put there is still connected: the next one may not know of us."""
    client = getattr(provider, "is_of_tensor_inspector", None)
    return client is None or client() is getattr(debugger.pydevd(), "writer", None)


def unregister_providers() -> bool:
    """Leave the debugger's own views as they were. True where they have shown anything of ours."""
    handler = _presenter()
    if handler is None:
        return False
    if not handler._initialized:
        handler._initialize = _SetUp(handler)
        return False
    found = False
    for providers in (handler._str_providers, handler._resolve_providers):
        others = [one for one in providers if not hasattr(one, "is_of_tensor_inspector")]
        found = found or len(others) < len(providers)
        providers[:] = others
    if found:
        _forget(handler)
    return found


def _is_registered(handler: Any, lines: Any) -> bool:
    waiting = vars(handler).get("_initialize")
    providers = handler._str_providers if handler._initialized else getattr(waiting, "providers", ())
    return any(one is lines for one in providers)


def _insert(handler: Any, lines: Any, children: Any) -> None:
    handler._str_providers.insert(0, lines)
    handler._resolve_providers.insert(0, children)
    _forget(handler)


def _forget(handler: Any) -> None:
    """Make the debugger ask again which classes our providers present."""
    handler._type_to_str_provider_cache.clear()
    handler._type_to_resolver_cache.clear()


def _presenter() -> Any:
    """What the debugger asks for providers by; None where it is not as we know it.

    Left alone is also one that does not tell a provider what a text is for (before 1.6.7): copying a value must give
    the whole of it.
    """
    xml = sys.modules.get("_pydevd_bundle.pydevd_xml")
    handler = getattr(xml, "_TYPE_RESOLVE_HANDLER", None)
    needed = (
        "_initialize",
        "_initialized",
        "_get_str_from_provider",
        "_type_to_str_provider_cache",
        "_type_to_resolver_cache",
    )
    return handler if all(hasattr(handler, name) for name in needed) else None
