"""Tells whether another function or loop still trains parameters that this step detaches."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from ....measure.torch.metadata import is_exact_tensor
from ....measure.torch.modules import Member
from ....safe.record import Record
from ...step.calls import Call
from ...step.classes import is_library, methods_of
from ...step.expressions import is_name, names_given, root_of, text_of
from ...step.functions import called_at, functions_called, is_same_each_round, value_in
from ...step.grad_mode import off_at
from ...step.roles import Parameter
from ...step.source import Source, source_of
from ...step.step import Step
from ..effects import CLIPPING_BEGINS, MOVING, PARAMETERS, READING, SETTING_MODE, TRAINING, WRITING
from .code_objects import codes_that_name, is_elsewhere

#: methods of a module that neither train it nor change what it holds, and such that need its gradients for that
_HARMLESS = READING.union(SETTING_MODE, MOVING, ("zero_grad",)).difference(PARAMETERS)
_READING = ("enumerate", "len", "list", "print", "reversed", "tuple", "zip")
_Function = tuple[str, str]  #: a file, the name of a function in it


class UntrainedModule(Record):
    """A module whose parameters got no gradient, and the name by which the program holds it.

    ``is_variable``: as a variable too. ``above``: the modules that it is a part of.
    """

    name: str
    module: Any
    is_variable: bool
    above: tuple[UntrainedModule, ...] = ()


def untrained_modules(step: Step, cut: Iterable[Parameter], missed: Iterable[Parameter]) -> list[UntrainedModule]:
    """The largest modules of which every trained parameter got no gradient."""
    gone, found = {id(one.tensor) for one in missed}, dict[int, UntrainedModule]()
    for one in cut:
        member: Member = one.member
        while member.parent is not None and _is_missed(step, member.parent, gone):
            member = member.parent
        found[id(member.module)] = _untrained(one, member)
    return list(found.values())


def _untrained(one: Parameter, member: Member) -> UntrainedModule:
    if member.parent is None:
        return UntrainedModule(one.root.key.rpartition(".")[2], member.module, True)
    above, names = _untrained(one, member.parent), [part for part in member.name.split(".") if part.isidentifier()]
    return UntrainedModule(names[-1] if names else above.name, member.module, False, (above, *above.above))


def _is_missed(step: Step, member: Member, gone: set[int]) -> bool:
    return all(id(one.tensor) in gone for one in step.trained() if one.member.is_in(member.module))


def may_train_elsewhere(
    step: Step, untrained: UntrainedModule, known: Iterable[Source], walked: set[int] | None = None
) -> bool:
    """Whether anything but the step itself may train a module, or write its parameters.

    ``known``: the functions that the step calls. ``walked``: the calls that were followed, where all calls of the
    module should have been.
    """
    places = {
        (source.file, source.function)
        for source in (step.source, *known)
        if source is step.source or not source.backwards
    }
    for _, member in step.members.values():
        places |= set() if is_library(type(member.module)) else step.once(_in_forward, type(member.module))
    return (
        sets_gradients_by_hand(step)
        or is_written(step, untrained.name, is_variable=untrained.is_variable)
        or may_train_by_name(step, untrained.name, places, is_variable=untrained.is_variable)
        or any(_is_used_otherwise(step, untrained.module, level, places, walked) for level in range(len(step.sources)))
        or any(_trains_elsewhere(step, whole, places) for whole in untrained.above)
    )


def _trains_elsewhere(step: Step, untrained: UntrainedModule, known: set[_Function]) -> bool:
    """Whether another function or loop with a backward names the module."""
    codes = codes_that_name(step, untrained.name, variables=untrained.is_variable)
    others = [source_of(code) for code in codes if is_elsewhere(code, known)]
    return any(source.backwards for source in others) or any(
        value_in(step, call.callee, level) is untrained.module
        and _is_in_another(source, call, is_outer=level > step.level)
        for level, source in enumerate(step.sources)
        for call in source.calls
    )


def _is_in_another(source: Source, call: Call, *, is_outer: bool) -> bool:
    """Whether a call leads to a backward outside the step's own loop."""
    if not is_outer and source.loop_of(source.lineno) is None:
        return call.lineno > source.lineno and any(one.lineno >= call.lineno for one in source.backwards)
    return not _is_in_iteration(source, call.lineno, is_outer=is_outer) and any(
        one.lineno >= call.lineno and not _is_in_iteration(source, one.lineno, is_outer=is_outer)
        for one in source.backwards
    )


def may_train_by_name(step: Step, name: str, known: set[_Function], *, is_variable: bool = False) -> bool:
    """Whether another function than these names a module or part, and may train it."""
    codes = codes_that_name(step, name, variables=is_variable)
    return any(is_elsewhere(code, known) and not _only_asks(source_of(code), name) for code in codes)


def _in_forward(cls: type) -> set[_Function]:
    """The ``forward`` of a class, and the methods that it names."""
    methods = dict(methods_of(cls))
    forward = methods.get("forward")
    named = [source for name, source in methods.items() if forward is not None and forward.mentions(name)]
    return {(source.file, source.function) for source in (*named, *([] if forward is None else [forward]))}


def _only_asks(source: Source, name: str) -> bool:
    """Whether a function surely trains nothing of a name: without gradients, or read only."""
    if not source.is_known():
        return False
    methods = _HARMLESS if source.mentions("backward", "fit", "grad") else _HARMLESS.union(PARAMETERS)
    nodes = source.nodes
    asked = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr in methods}
    uses = [node for node in nodes if name in (getattr(node, "id", None), getattr(node, "attr", None))]
    return all(id(node) in asked or off_at(source, node.lineno) is not None for node in uses)  # type: ignore[attr-defined]


def sets_gradients_by_hand(step: Step) -> bool:
    """Whether the step, or a function it calls, sets or computes gradients by hand."""
    for level, source in enumerate(step.sources):
        if _sets_gradients(source):
            return True
        for call in source.calls_of("grad"):
            inputs = call.argument(1, "inputs")
            if not is_exact_tensor(value := step.value(text_of(inputs), level)) or id(value) in step.optimized:
                return True
    return any(_sets_gradients(called.source) for called in functions_called(step, [step.level]))


def _sets_gradients(source: Source) -> bool:
    bound = [node for key, nodes in source.bindings.items() if key.endswith(".grad") for _, node in nodes]
    values = [getattr(node, "value", None) for node in bound]
    return any(not (isinstance(value, ast.Constant) and value.value is None) for value in values)


def is_written(step: Step, name: str, *, is_variable: bool = False) -> bool:
    """Whether a function writes a module's parameters in place, or gives it to one that may."""
    codes = codes_that_name(step, name, variables=is_variable)
    own = [source_of(code) for code in codes if code.co_name != "__init__"]
    is_given = any(_gives(source, name) for source in own if source.function != "forward")
    return (is_given and not is_variable) or any(_writes(source, name) for source in (*step.sources, *own))


def _ending_with(source: Source, name: str) -> set[str]:
    """The variable of a name, or the attributes, as a function writes them: ``self.target``."""
    nodes = source.nodes
    return {text_of(node) for node in nodes if name in (getattr(node, "id", None), getattr(node, "attr", None))}


def _gives(source: Source, name: str) -> bool:
    texts = _ending_with(source, name)
    return any(
        text_of(value) in texts
        for call in source.calls
        if call.callee not in _READING
        for value in (*call.args, *call.keywords.values())
    )


def _writes(source: Source, name: str) -> bool:
    inside = tuple(f"{text}." for text in _ending_with(source, name))
    if not inside:
        return False
    looped = {
        key
        for key, bound in source.bindings.items()
        for _, node in bound
        if _goes_through(node, inside) or _is_part(getattr(node, "value", None), inside)
    }
    receivers = [text_of(call.receiver) for call in source.calls_of(*WRITING)]
    written = [text for text in receivers if not text.removesuffix(".data").endswith(".grad")]
    written += [key for key in source.bindings if ".data" in key]
    loaded = [f"{text_of(call.receiver)}." for call in source.calls_of("load_state_dict")]
    return any(one.startswith(inside) or root_of(one) in looped for one in written) or any(
        one in inside for one in loaded
    )


def _is_part(value: ast.AST | None, inside: tuple[str, ...]) -> bool:
    return is_name(value) and text_of(value).startswith(inside)


def _goes_through(node: ast.AST, inside: tuple[str, ...]) -> bool:
    text = text_of(node.iter) if isinstance(node, ast.For) else ""
    return any(one in text for one in inside)


def _is_used_otherwise(step: Step, module: object, level: int, known: set[_Function], walked: set[int] | None) -> bool:
    """Whether a frame may train, change or call a module outside the step's own loop."""
    source = step.sources[level]
    clipped = {
        id(node) for call in source.calls for node in ast.walk(call.node) if call.name.startswith(CLIPPING_BEGINS)
    }
    for call in source.calls:
        if id(call.node) in clipped or call.name in _HARMLESS:
            continue
        if level > step.level and call.lineno == source.lineno and is_same_each_round(step, source, call.callee, level):
            continue  # it leads to the step itself
        is_own = _is_in_iteration(source, call.lineno, is_outer=level > step.level)
        is_called = value_in(step, call.callee, level) is module
        is_missed = is_own and walked is not None and id(call.node) not in walked
        if (
            is_called
            and off_at(source, call.lineno) is None
            and (is_missed or _is_in_another(source, call, is_outer=level > step.level))
        ):
            return True
        if call.name in PARAMETERS and source.loop_of(call.lineno) is None:
            continue  # as an optimizer is given them
        is_method = call.receiver is not None and value_in(step, text_of(call.receiver), level) is module
        if is_method and (is_own or call.name in TRAINING) and id(call.node) not in (walked or ()):
            return True
        given = [
            one for one in names_given(*call.args, *call.keywords.values()) if value_in(step, one, level) is module
        ]
        if given and _may_train(step, call, level, given, known, is_own=is_own):
            return True
    return False


def _may_train(step: Step, call: Call, level: int, given: list[str], known: set[_Function], *, is_own: bool) -> bool:
    """Whether a call with the module as an argument may train it.

    Outside of the step's loop, only a function that is seen to train counts.
    """
    function = called_at(step, call, level)
    if function is None:
        return is_own or call.name.startswith(TRAINING)
    if not is_own and call.lineno < step.sources[level].lineno and not function.source.mentions(*TRAINING):
        return False  # it has made it ready
    if (function.source.file, function.source.function) in known:
        return False
    names = [key for key, value in function.given.items() if not set(names_given(value)).isdisjoint(given)]
    return not names or not all(_only_asks(function.source, name) for name in names)


def _is_in_iteration(source: Source, line: int, *, is_outer: bool) -> bool:
    """Whether a line is in the outermost loop around the stop, or in a function that is a step."""
    around = [(first, last) for first, last in source.loops if first <= source.lineno <= last]
    if not around:
        return not is_outer and source.function != "<module>"
    first, last = min(around)
    return first <= line <= last
