"""The names where a walk begins: variables of the paused frames and of the program's modules."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType, ModuleType
from typing import Any

from ...safe.guard import class_module, instance_dict, plain_str, raw_dict, top_package
from ..step import frames
from ..step.classes import is_library_module
from .parts import HeldPart

_LAST = ("last_exc", "last_value")  #: where Python keeps the exception that a prompt has printed last


def roots(frame: FrameType | None) -> Iterator[HeldPart]:
    """The variables of the paused frame and its callers, those of their modules, those of the program's others, and the
    last exception of a prompt."""
    visible_frames = _visible_frames(frame)
    seen: set[str] = set()
    namespaces: set[int] = set()
    for number, visible in enumerate(visible_frames):
        for name, value in visible.variables.items():
            if _is_shown(name, value):
                where = f"{visible.frame.f_code.co_name}(): " if name in seen else ""
                yield HeldPart(where + name, value, number == 0)
        seen.update(visible.variables)
        if visible.frame.f_code.co_name == "<module>":
            namespaces.add(id(visible.frame.f_globals))
    for number, visible in enumerate(visible_frames):
        if id(visible.frame.f_globals) in namespaces:
            continue
        namespaces.add(id(visible.frame.f_globals))
        home = plain_str(frames.global_of(visible.frame, "__name__"))
        for name, value in list(dict.items(visible.frame.f_globals)):
            if type(name) is str and _is_shown(name, value):
                is_hidden = name in seen
                yield HeldPart(f"{home}.{name}" if is_hidden else name, value, number == 0 and not is_hidden)
    for name in _LAST:
        if raw_dict(sys).get(name) is not None:
            yield HeldPart(f"sys.{name}", raw_dict(sys)[name], False)
    for home, found in list(sys.modules.items()):
        if type(found) is ModuleType and _is_programs(home, found) and id(raw_dict(found)) not in namespaces:
            namespaces.add(id(raw_dict(found)))
            for name, value in list(dict.items(raw_dict(found))):
                if type(name) is str and _is_shown(name, value):
                    yield HeldPart(f"{home}.{name}", value, False)


def frames_of(frame: FrameType | None) -> list[FrameType]:
    """The frames whose variables these are."""
    return [visible.frame for visible in _visible_frames(frame)]


def namespaces_of(frame: FrameType | None) -> list[Any]:
    """What holds these variables, and those of their modules: the frames themselves, and dicts. Before Python 3.13 a
    function's frame has one of its own once it was asked for. At a prompt of pdb the first is the prompt's."""
    frames = frames_of(frame)
    asked = [] if frame is None else [frame, *frames[1:]]
    dicts = [*(one.f_globals for one in frames), *(one.f_locals for one in asked)]
    return [*frames, *(one for one in dicts if type(one) is dict)]


def _visible_frames(frame: FrameType | None) -> list[frames.VisibleFrame]:
    return [] if frame is None else frames.in_sight(frames.paused(frame))


def _is_shown(name: str, value: Any) -> bool:
    if name.startswith("__") and name.endswith("__"):
        return False
    return not (issubclass(type(value), type) and is_library_module(class_module(value)))


def _is_programs(name: Any, found: Any) -> bool:
    """Whether a module is the program's own: no library's, not the debugger's and not ours."""
    if type(name) is not str or top_package(name) in frames.TOOLS or is_library_module(name):
        return False
    file = instance_dict(found).get("__file__")
    return type(file) is str and not file.startswith("<")
