"""Finds the layers and the losses of torch's own that the statement about to run will compute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ......measure.torch.metadata import is_exact_tensor
from ......measure.torch.modules import Member, children, is_module
from ......safe.guard import class_module, class_name, instance_dict, module
from .....explain.expected_input import layer_words
from .....flow.ops import LOSS_CLASSES
from .....step.calls import Call
from .....step.expressions import shown
from .....step.sight import VisibleVariable
from .....step.step import Step
from .next_calls import function_of, next_calls

torch: Any = module("torch")
_LEAVES = 100  #: layers of a model that are gone through
#: Layers that keep the dtype, and the sizes of a table.
PASSING = tuple("Dropout ELU Flatten GELU Identity LeakyReLU ReLU SELU SiLU Sigmoid Softplus Tanh".split())


class PlannedLayer:
    """A layer of torch's own that a call runs, its name, and the tensor that the first of these layers is ``given``."""

    __slots__ = ("_member", "attributes", "given", "is_first", "name", "value")

    def __init__(self, value: Any, name: str, given: VisibleVariable, is_first: bool) -> None:
        self.value = value
        self._member = Member(value)
        self.attributes = instance_dict(value)
        self.name = shown(name)
        self.given = given
        self.is_first = is_first

    @property
    def kind(self) -> str:
        return class_name(type(self.value))

    @property
    def title(self) -> str:
        """``model[2] (Linear 4 → 3)``"""
        return f"{self.name} ({layer_words(self.value)})"

    @property
    def subject(self) -> str:
        return self.given.name if self.is_first else f"the input of {self.name}"

    def weight(self) -> Any:
        found = next((item for name, item in self._member.part("_parameters") if name == ".weight"), None)
        return found if type(found) is torch.nn.Parameter else None


def planned_layers(step: Step) -> Iterator[list[PlannedLayer]]:
    """The layers that each next call will run one after another, as far as they are torch's own."""
    for call in next_calls(step):
        called = step.module_of(call.callee, 0)
        argument = call.args[0] if len(call.args) == 1 and not call.keywords else None
        given = None if called is None else step.operand(argument, 0, call.lineno)
        if called is not None and given is not None and is_exact_tensor(given.value):
            shown = VisibleVariable(given.key, given.value, given.level, 0)
            yield [
                PlannedLayer(layer, name, shown, at == 0)
                for at, (layer, name) in enumerate(_in_a_row(called.value, called.key))
                if at < _LEAVES
            ]


def _in_a_row(model: Any, name: str) -> Iterator[tuple[Any, str]]:
    if not _is_plain(model):
        return
    if class_name(type(model)) != "Sequential":
        yield model, name
        return
    for at, layer in enumerate(children(Member(model))):
        found = list(_in_a_row(layer, f"{name}[{at}]"))
        yield from found
        if not found or not _is_plain(layer):
            return


def _is_plain(model: Any) -> bool:
    """Whether a module is of a class of torch's own, and no hook of the program runs before its forward."""
    own = instance_dict(model)
    return (
        is_module(model)
        and class_module(type(model)).startswith("torch.nn.modules.")
        and not own.get("_forward_pre_hooks")
        and not own.get("_forward_hooks")
        and not own.get("_compiled_call_impl")
        and "forward" not in own
        and not torch.nn.modules.module._global_forward_pre_hooks
    )


def planned_losses(step: Step) -> Iterator[tuple[str, VisibleVariable, VisibleVariable]]:
    """The losses of torch's own that a next call computes: which one, of what, and the target."""
    for call in next_calls(step):
        kind = _kind_of_loss(step, call)
        operands = [step.operand(call.argument(at, name), 0, call.lineno) for at, name in ((0, "input"), (1, "target"))]
        given, target = operands
        if (
            kind is not None
            and given is not None
            and target is not None
            and is_exact_tensor(given.value)
            and is_exact_tensor(target.value)
        ):
            yield kind, given, target


def _kind_of_loss(step: Step, call: Call) -> str | None:
    criterion = step.module_of(call.callee, 0)
    if criterion is not None:
        return LOSS_CLASSES.get(class_name(type(criterion.value))) if _is_plain(criterion.value) else None
    function = function_of(step, call)
    known = instance_dict(torch.nn.functional)
    return next((kind for kind in LOSS_CLASSES.values() if function is not None and known.get(kind) is function), None)


def line_here(step: Step) -> tuple[str, int]:
    return step.here.file, step.here.lineno
