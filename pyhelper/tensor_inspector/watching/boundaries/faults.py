"""Origins of what is not finite at a boundary, as far as the light gear can know them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from math import isfinite
from typing import TYPE_CHECKING, Any

from ...lenses.lens import Paused
from ...lenses.surroundings import names_of_parameters
from ...measure.torch.graph import Graph
from ...measure.torch.metadata import grad_fn_of
from ...safe.budget import Budget
from ...safe.guard import class_name, dict_get, instance_dict
from ...safe.untouched import Untouched
from ..finite import found_in, is_readable
from ..hits import FaultKind, FaultOrigin, Phase
from ..origins import words
from ..places import CodePlace, SourceLine, place_of, user_frame
from .calls_of_modules import RunningCall, is_torchs_alone, name_in_model, operation_of, running_calls
from .looks import unsound
from .scopes import function_of
from .standing import UNKNOWN_PLACE, ProvenOrigin, line_of, names_of, returned_by, where_it_began
from .written import is_written_for_call

if TYPE_CHECKING:
    from types import FrameType

_EXACT = 'gear="exact" would tell'
_LIMIT = 1000  #: milliseconds in which a graph is read


def of_output(called: Any, output: Any, kind: FaultKind) -> FaultOrigin:
    """Of what a module returns; it is called while the hook runs."""
    frame = sys._getframe(1)
    calls = running_calls(frame)
    name = name_in_model(calls)
    call = calls[0] if calls and calls[0].module is called else None
    if call is None:
        return _untold(kind, "forward", name, "the light gear does not know what the module was given")
    bad = sorted(unsound(call.tensors()), key=lambda one: (not bool(one.isnan().any()), one.grad_fn is None))
    if bad:
        return _of_given(call, bad[0], kind, name, frame)
    held = next((key for key, one in _state(called) if found_in(one) is not None), None)
    if held is not None:
        return _untold(
            kind, "input", name, f"{held} of the module is not finite itself, and the light gear can't tell why"
        )
    begun = where_it_began(output, frame, returned_by(called))
    went_in = words(call.tensors())
    if is_torchs_alone(called):
        alone = None if list(called.children()) else operation_of(called)
        return FaultOrigin(kind, "forward", alone or begun.operation, place_of(frame, None), name, went_in)
    return _of_begun(begun, kind, name, went_in, "where in the module")


def of_loss(loss: Any, kind: FaultKind, frame: FrameType) -> FaultOrigin:
    begun = where_it_began(loss, frame, names_of(loss, frame))
    return _of_begun(begun, kind, None, "", "where")


def of_given_gradient(gradient: Any, frame: FrameType) -> FaultOrigin:
    """Of the gradient that a backward begins with."""
    if is_written_for_call(gradient, frame):
        return FaultOrigin("nan", "input", "backward", place_of(frame, None), None)
    origin = of_loss(gradient, "nan", frame)
    origin.phase = "input"
    return origin


def of_gradient(kind: FaultKind, recorded: FaultOrigin | None) -> FaultOrigin:
    if recorded is None:
        return _untold(kind, "backward", None, "the light gear can't tell which operation made it")
    missing = "which operation made it" if recorded.operation is None else "its line"
    recorded.untold = "" if recorded.place.lineno() is not None else f"the light gear can't tell {missing}: {_EXACT}"
    return recorded


def of_parameter(
    optimizer: Any,
    kind: FaultKind,
    parameter: Any,
    was_finite: bool,
    recorded: FaultOrigin | None,
    frame: FrameType,
) -> FaultOrigin:
    """Of a parameter after a step."""
    gradient = parameter.grad if parameter.is_leaf else None
    if found_in(gradient) is not None:  # the optimizer has only taken it over
        return of_gradient(kind, recorded)
    if not was_finite or (kind == "nan" and _can_not_make_nan(optimizer, parameter)):
        return _untold(kind, "step", None, "it may have been so before the step: the light gear can't tell")
    name = f"{class_name(type(optimizer))}.step"
    return FaultOrigin(kind, "step", name, place_of(frame, None), None, words([gradient]))


def _can_not_make_nan(optimizer: Any, parameter: Any) -> bool:
    """Whether a step of torch's own can't have made NaN of a finite parameter, given its gradient is finite.

    It divides by nothing that may be 0 but for ``eps``, and what overflows is Inf. What ``.data`` was given changes no
    version, so that a look before the step may have been left out.
    """
    if type(optimizer).__module__.partition(".")[0] != "torch":
        return False
    groups = dict_get(instance_dict(optimizer), "param_groups") or ()
    group: dict[str, Any] = next((one for one in groups if any(held is parameter for held in one["params"])), {})
    numbers = [one for one in group.values() if isinstance(one, float)]
    state = (dict_get(instance_dict(optimizer), "state") or {}).get(parameter, {})
    tensors = [one for one in state.values() if is_readable(one)]
    return group.get("eps") != 0 and all(map(isfinite, numbers)) and not unsound(tensors)


def of_buffer(called: Any, output: Any, kind: FaultKind, was_finite: bool) -> FaultOrigin:
    """Of a running statistic that a module has changed, whose output may be finite."""
    frame = sys._getframe(1)
    calls = running_calls(frame)
    name = name_in_model(calls)
    if not was_finite or not calls or unsound(calls[0].tensors()):
        return _untold(kind, "buffer", name, "the light gear can't tell where it arose")
    went_in = words(calls[0].tensors())
    if function_of(called)[0] is None:
        return FaultOrigin(kind, "buffer", operation_of(called), place_of(frame, None), name, went_in)
    with Untouched():
        graph = Graph([grad_fn_of(output)], Budget(_LIMIT))
        nodes = graph.by("NativeBatchNorm", "CudnnBatchNorm", "NativeGroupNorm")
        place = line_of(graph, nodes[0], output, returned_by(called)) if len(nodes) == 1 else None
    if place is None:
        return _untold(kind, "buffer", name, "the light gear can't tell where in the module")
    return FaultOrigin(kind, "buffer", place[2], SourceLine(*place[:2], None), name, went_in)


def name_of_parameter(parameter: Any, frame: FrameType | None) -> str:
    """The name of a parameter in a model in sight; else its shape."""
    found = user_frame(frame)
    with Untouched():
        paused = None if found is None else Paused(found, None, True, None, lambda expression, frame: None)
        known = names_of_parameters(paused, Budget(_LIMIT)).get(id(parameter))
    return known or f"a parameter of shape {list(parameter.shape)}"


def _of_given(call: RunningCall, bad: Any, kind: FaultKind, name: str | None, frame: FrameType) -> FaultOrigin:
    if bad.grad_fn is not None:
        begun = where_it_began(bad, frame, names_of(bad, frame))
        return _of_begun(begun, kind, None if begun.where == "operation" else name, "", "where")
    if is_torchs_alone(call.module) and is_written_for_call(bad, frame):
        return FaultOrigin(kind, "input", operation_of(call.module), place_of(frame, None), name, words([bad]))
    return _untold(kind, "input", name, "a module was given it, and the light gear can't tell where it arose")


def _of_begun(begun: ProvenOrigin, kind: FaultKind, name: str | None, went_in: str, what: str) -> FaultOrigin:
    if begun.where in ("input", "parameter"):
        held = (
            f"{begun.name} held it"
            if begun.name
            else f"it was in {'an input' if begun.where == 'input' else 'a parameter'}"
        )
        return _untold(kind, "input", name, f"{held} already, and the light gear can't tell where it arose")
    place: CodePlace = begun.place
    untold = ""
    if begun.operation is None:
        untold = f"the light gear can't tell {what} it arose: {_EXACT}"
    elif place is UNKNOWN_PLACE:
        untold = f"the light gear can't tell the line: {_EXACT}"
    was_inf = kind == "nan" and begun.is_inf
    return FaultOrigin(kind, "forward", begun.operation, place, name, went_in, untold=untold, was_inf=was_inf)


def _untold(kind: FaultKind, phase: Phase, name: str | None, why: str) -> FaultOrigin:
    return FaultOrigin(kind, phase, None, UNKNOWN_PLACE, name, untold=f"{why}: {_EXACT}")


def _state(called: Any) -> Iterable[tuple[str, Any]]:
    """Parameters and buffers, and what a hook has computed in their place, as a norm of weights."""
    return (*called.named_parameters(), *called.named_buffers(), *vars(called).items())
