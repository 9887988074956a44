"""A model drops values in eval mode too.

Why: Predictions differ from call to call.

Example:
    def forward(self, x):
        return self.head(F.dropout(x))  # training=True by default

Instead:
    def forward(self, x):
        return self.head(F.dropout(x, training=self.training))

Silent when:
    - the module is in train mode, or a module of a library
    - the code around asks for `self.training`, or `training=` comes from a variable
    - the model is called again and again with the same, so that dropout is wanted, with `training=True` as written
    - without `run=True`: what only running the model shows
    - the model draws samples on purpose (`randn`, `rsample`, `multinomial` …), or differs from run to run anyway
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import Any

from .....measure.torch.modules import Member
from .....safe.guard import NUMBERS, module
from .....words.text import number
from ....flow.losses import ModelInput
from ....flow.ops import GAUSSIAN, SAMPLING
from ....step.calls import Call
from ....step.classes import is_library, methods_of
from ....step.expressions import text_of
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...rule import NotAsked, rule
from .parts.call_purpose import is_sampled
from .parts.layer_kinds import is_dropout
from .parts.model_runs import (
    SUMMING_NOISE,
    line_of_forward,
    members_inside,
    methods_in_model,
    output_again,
    relative_difference,
    runnable_inputs,
)

torch: Any = module("torch")
functional: Any = module("torch.nn.functional")
#: what draws numbers that are wanted, and not only which ones to drop
_SPACES = ("F.", "nn.functional.", "torch.nn.functional.", "functional.")
_ON = ("dropout", "dropout1d", "dropout2d", "dropout3d")  #: whose ``training`` is True by default
_OFF = ("alpha_dropout", "feature_alpha_dropout")  #: whose ``training`` is False by default


@rule(
    "error",
    why="Predictions differ from call to call.",
    suggestion="training=self.training",
    needs="module",
)
def dropout_in_eval(step: Step) -> Iterator[Violation]:
    proved = next(_always_dropped(step), None)
    if proved is not None:
        yield proved
        return
    failed: list[str] = []
    for given in runnable_inputs(step) if step.run else ():
        top = step.members[id(given.model.value)][1]
        if top.training is not False or any(part.training for part in members_inside(step, given) if is_dropout(part)):
            continue
        if _samples(step, given) or is_sampled(step, top):
            continue
        first, again, other = (output_again(given, given.tensor, failed, draws=draws) for draws in (False, False, True))
        if first is None or again is None or other is None or not torch.equal(first, again):
            continue
        apart = relative_difference(first, other)
        if apart > SUMMING_NOISE:
            yield Violation(
                (
                    f"{given.model.name} is in eval mode",
                    ", ",
                    f"and gives other outputs for the same {given.name}: up to {number(apart, 2)} apart",
                ),
                (f"{given.model.name}.training", "False"),
                (given.name, "given three times, with other random numbers the last time"),
                line=line_of_forward(given) or (step.sources[given.level].file, given.call.lineno),
                certain=False,
                suggestion="draw random numbers in training only: if self.training",
            )
            return
    if failed:
        raise NotAsked(failed[0])


def _samples(step: Step, given: ModelInput) -> bool:
    """Whether a class in the model draws samples, as a variational coder does in eval mode too."""
    return any(source.mentions(*GAUSSIAN, *SAMPLING) for source in methods_in_model(step, given))


def _always_dropped(step: Step) -> Iterator[Violation]:
    """What a forward drops in eval mode too: without ``training=``, or with ``training=True``."""
    seen: set[int] = set()
    for name, member in list(step.members.values()):
        cls = type(member.module)
        if is_library(cls) or member.training is not False:
            continue
        kept = _kept_dropouts(member)
        if id(cls) in seen and not kept:
            continue
        seen.add(id(cls))
        for method, source in _run_by_forward(cls):
            for call in _dropouts_in(source, kept):
                always = call.argument(2, "training")
                if always is not None and is_sampled(step, member):
                    continue
                yield Violation(
                    (
                        f"{call.callee} in {method} of {name} stays on in eval mode",
                        ": ",
                        f"training={'True' if always is not None else 'True by default'}",
                    ),
                    (f"{name}.training", "False"),
                    line=(source.file, call.lineno),
                    suggestion="training=self.training",
                )
                return


def _dropouts_in(source: Source, kept: set[str]) -> Iterator[Call]:
    """The calls that drop whatever the mode is: of torch's functions, or of one that the module keeps."""
    mine = {f"{source.self_name}.{key}" for key in kept}
    calls = [call for call in source.calls if call.callee in mine or _is_functional(call)]
    nodes = source.nodes
    deciding_nothing = [call.node for call in calls] + [node for node in nodes if isinstance(node, ast.Expr)]
    inside = {id(node) for one in deciding_nothing for node in ast.walk(one)}
    nodes = [node for node in nodes if id(node) not in inside]
    if any(isinstance(node, ast.Attribute) and node.attr == "training" for node in nodes):
        return  # which may decide whether the call is reached
    for call in calls:
        always = call.argument(2, "training")
        is_open = "**" in call.keywords or any(isinstance(part, ast.Starred) for part in call.args)
        is_on = call.callee in mine or call.name in _ON
        if not is_open and (is_on if always is None else text_of(always) == "True"):
            yield call


def _is_functional(call: Call) -> bool:
    return call.name in (*_ON, *_OFF) and call.callee.startswith(_SPACES)


def _kept_dropouts(member: Member) -> set[str]:
    """The attributes of a module that are torch's function, or a ``partial`` of it that leaves ``training`` open."""
    functions = {id(getattr(functional, name)) for name in _ON}
    found = set()
    for key, item in list(member.attributes.items()):
        function, bound = (item.func, item.keywords) if type(item) is partial else (item, {})
        rate = bound.get("p")
        if id(function) in functions and "training" not in bound and not (type(rate) in NUMBERS and rate == 0):
            found.add(key)
    return found


def _run_by_forward(cls: type) -> Iterator[tuple[str, Source]]:
    """``forward``, and the methods that it calls of its own object, also through others."""
    methods = dict(methods_of(cls))
    waiting, seen = ["forward"], {"forward"}
    while waiting:
        method = waiting.pop(0)
        source = methods.get(method)
        if source is None:
            continue
        yield method, source
        called = {call.name for call in source.calls if call.callee == f"{source.self_name}.{call.name}"}
        waiting += sorted(called - seen)
        seen |= called
