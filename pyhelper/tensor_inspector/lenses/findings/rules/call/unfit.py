"""Rules about a call that is about to run and will fail, since its arguments do not fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import device_name, dtype_and_shape, dtype_name, is_exact_tensor, shape_of
from .....measure.torch.modules import Member, children, is_module
from .....safe.guard import class_module, class_name, instance_dict, module
from .....words.text import number, shape
from ....explain.expected_input import layer_words
from ....step.calls import Call
from ....step.expressions import shown
from ....step.sight import VisibleVariable
from ....step.step import Step
from ...finding import Violation
from ...losses import BY_CLASS
from ...rule import rule
from .next_calls import function_of, next_calls

torch: Any = module("torch")
_LEAVES = 100  #: layers of a model that are gone through
#: Layers that keep the dtype, and the sizes of a table.
_PASSING = tuple("Dropout ELU Flatten GELU Identity LeakyReLU ReLU SELU SiLU Sigmoid Softplus Tanh".split())
_CONVERTING = ("Linear", "Conv1d", "Conv2d", "Conv3d")


class _Planned:
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


def _layers(step: Step) -> Iterator[list[_Planned]]:
    """The layers that each next call will run one after another, as far as they are torch's own."""
    for call in next_calls(step):
        called = step.module_of(call.callee, 0)
        argument = call.args[0] if len(call.args) == 1 and not call.keywords else None
        given = None if called is None else step.operand(argument, 0, call.lineno)
        if called is not None and given is not None and is_exact_tensor(given.value):
            shown = VisibleVariable(given.key, given.value, given.level, 0)
            yield [
                _Planned(layer, name, shown, at == 0)
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


@rule(
    "error",
    why="An operation takes its tensors from one device.",
    suggestion="move the model and the batch to one device",
    needs="module source",
)
def device_mismatch(step: Step) -> Iterator[Violation]:
    """A layer's parameters are on another device than what it will be given."""
    for layers in _layers(step):
        device = device_name(layers[0].given.value) if layers and shape_of(layers[0].given.value) else None
        for layer in layers:
            weight = layer.weight()
            if device is None or (weight is None and any(map(layer.attributes.get, ("_parameters", "_buffers")))):
                break  # it is not known what it makes of it
            if weight is None or device_name(weight) == device:
                continue
            yield Violation(
                (
                    f"{layer.subject} is on {device}",
                    ", ",
                    f"but {layer.title} is on {device_name(weight)}: this call will fail",
                ),
                (layer.given.name, f"{dtype_and_shape(layer.given.value)} on {device_name(layer.given.value)}"),
                (layer.name, f"its weight is on {device_name(weight)}"),
                line=_line(step),
                suggestion=f"{layer.given.name} = {layer.given.name}.to({str(device_name(weight))!r})"
                if layer.is_first
                else "",
            )
            return


@rule(
    "error",
    why="These operands are not converted to one another.",
    suggestion="convert one of them",
    needs="source",
)
def dtype_mismatch(step: Step) -> Iterator[Violation]:
    """What no conversion makes fit: doubles or integers for a layer, integers for binary labels, floats for classes."""
    for layers in _layers(step):
        layer = next((one for one in layers if one.kind not in _PASSING), None)
        weight = None if layer is None or layer.kind not in _CONVERTING else layer.weight()
        if layer is None or weight is None:
            continue
        given, wanted = layer.given.value.dtype, weight.dtype
        # Autocast converts no doubles and no integers.
        if given == wanted or not (given is torch.float64 or wanted is torch.float64 or _is_whole(given)):
            continue
        yield Violation(
            (
                f"{layer.given.name} is {dtype_name(layer.given.value)}",
                ", ",
                f"but {layer.title} has {dtype_name(weight)} parameters: this call will fail",
            ),
            (layer.given.name, dtype_and_shape(layer.given.value)),
            (layer.name, f"its weight is {dtype_and_shape(weight)}"),
            line=_line(step),
            suggestion=f"{layer.given.name}.to({wanted})",
        )
        return
    for kind, given, target in _losses(step):
        found = _unfit_labels(kind, given, target)
        if found is not None:
            fact, reason, fit = found
            yield Violation(
                (f"{target.name} is {fact}", ", ", f"but {reason}: this call will fail"),
                (target.name, dtype_and_shape(target.value)),
                (given.name, dtype_and_shape(given.value)),
                line=_line(step),
                suggestion=f"{target.name}.{fit}",
            )
            return


def _unfit_labels(kind: str, given: VisibleVariable, target: VisibleVariable) -> tuple[str, str, str] | None:
    """What labels are that a loss can't take, why it can't, and what would make them fit."""
    scores, labels = given.value, target.value
    if not scores.dtype.is_floating_point:
        return None
    if kind.startswith("binary_cross_entropy") and _is_whole(labels.dtype):
        reason = f"{given.name} is {dtype_name(scores)}, and {kind} takes both as they are"
        return dtype_name(labels), reason, "float()"
    sizes, of_scores = tuple(shape_of(labels)), tuple(shape_of(scores))
    is_of_classes = len(of_scores) > 1 and sizes == (of_scores[0], *of_scores[2:])
    if kind == "cross_entropy" and labels.dtype.is_floating_point and is_of_classes:
        return dtype_and_shape(labels), f"{kind} wants integer class labels (int64)", "long()"
    return None


@rule(
    "error",
    why="Binary cross entropy takes the logarithm of probabilities.",
    suggestion="binary_cross_entropy_with_logits (BCEWithLogitsLoss), which takes logits, or torch.sigmoid before it",
    needs="source",
)
def logits_to_prob_loss(step: Step) -> Iterator[Violation]:
    """Probabilities are wanted, and what is given goes beyond 0 and 1."""
    for kind, given, _ in _losses(step):
        stats = step.stats(given.value) if kind == "binary_cross_entropy" else None
        if stats is None or stats["min"] is None or stats["nan"] or 0 <= stats["min"] <= stats["max"] <= 1:
            continue
        span = f"from {number(float(stats['min']), 3)} to {number(float(stats['max']), 3)}"
        yield Violation(
            (f"{given.name} runs {span}", ", ", f"but {kind} wants 0…1: this call will fail"),
            (given.name, f"{dtype_and_shape(given.value)}, {span}"),
            line=_line(step),
        )
        return


@rule(
    "error",
    why="A single value has no variance to normalise by.",
    suggestion="drop_last=True in the loader, or eval() for a single sample",
    needs="module source",
)
def batchnorm_batch_of_one(step: Step) -> Iterator[Violation]:
    """Batch norm in train mode of a table with one row."""
    for layers in _layers(step):
        sizes: Any = tuple(shape_of(layers[0].given.value)) if layers else ()
        for layer in layers:
            if len(sizes) != 2 or sizes[0] != 1:
                break
            if layer.kind == "BatchNorm1d" and layer.attributes.get("training") is True:
                yield Violation(
                    (
                        f"{layer.subject} is {shape(sizes)}",
                        ": ",
                        f"one value per channel, of which {layer.title} in train mode can take no variance; this call will fail",
                    ),
                    (layer.given.name, f"{dtype_and_shape(layer.given.value)}, one row"),
                    (layer.name, "in train mode"),
                    line=_line(step),
                )
                return
            if layer.kind == "Linear":
                sizes = (1, layer.attributes.get("out_features"))
            elif layer.kind not in _PASSING:
                break


def _losses(step: Step) -> Iterator[tuple[str, VisibleVariable, VisibleVariable]]:
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
        return BY_CLASS.get(class_name(type(criterion.value))) if _is_plain(criterion.value) else None
    function = function_of(step, call)
    known = instance_dict(torch.nn.functional)
    return next((kind for kind in BY_CLASS.values() if function is not None and known.get(kind) is function), None)


def _is_whole(dtype: Any) -> bool:
    return not dtype.is_floating_point and not dtype.is_complex


def _line(step: Step) -> tuple[str, int]:
    return step.here.file, step.here.lineno
