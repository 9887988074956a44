"""Calls the checked function once on double-precision copies, and leaves nothing of the call behind."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from ...measure.torch.elements import bare
from ...measure.torch.metadata import is_any_tensor
from ...safe.guard import SEQUENCES, class_name, module, plain_message
from ...safe.record import Record
from ...safe.untouched import Released
from ...words.text import one_line
from ..running.call_arguments import CallArguments
from ..running.isolation import Isolation
from .callee import Callee, trained_parameters
from .doubles import Doubled, is_continuous, strided_like

torch: Any = module("torch")
_DEPTH = 20


class Failed(Exception):
    """The program's code raised; the message says what."""


class Leaf(Record):
    """A tensor by whose entries the function is differentiated: an input, a part of one, or a parameter."""

    name: str
    tensor: Any
    is_parameter: bool = False


class Shift(Record):
    """By which share of its size one entry of a leaf is to be moved, along the imaginary axis if it is ``imaginary``.

    An entry that is smaller than what is ``typical`` counts as large as that.
    """

    leaf: int
    index: tuple[int, ...]
    share: float
    typical: float
    imaginary: bool


class Evaluation:
    """A call: its ``leaves`` and its ``outputs``, the tensors in what it returned. To be used within `evaluated`."""

    def __init__(self, run: Isolation, what: Callee, given: CallArguments) -> None:
        self._run = run
        self._what = what
        self.leaves: list[Leaf] = []
        self._passed: dict[int, Any] = {}  #: what is passed for a leaf, by its id
        self._positional = [self._prepared(one.value, one.name, 0) for one in given.positional]
        self._named = {one.name: self._prepared(one.value, one.name, 0) for one in given.named}
        self.leaves.extend(Leaf(name, tensor, True) for name, tensor in trained_parameters(what.owner))
        self.outputs: list[Any] = []
        self.result = ""  #: the class of what it returned

    def move(self, shift: Shift) -> float:
        """How far the entry is moved, which rounding makes another number."""
        moved = self.leaves[shift.leaf].tensor.detach()
        before = moved[shift.index].item()
        by = shift.share * max(shift.typical, abs(before))
        moved[shift.index] = before + (1j * by if shift.imaginary else by)
        return float(abs(moved[shift.index].item() - before))

    def call(self, wanted: Callable[[Leaf], bool]) -> None:
        """Calls it, recording what is done with the leaves that are wanted."""
        for leaf in self.leaves:
            if not leaf.is_parameter:
                leaf.tensor.requires_grad_(wanted(leaf))
        function = self._run.copy(self._what.target)
        arguments = [make() for make in self._positional]
        named = {name: make() for name, make in self._named.items()}
        try:
            result = (function.apply if self._what.is_class else function)(*arguments, **named)
        except (Exception, SystemExit, GeneratorExit) as error:
            raise Failed(error_text(error)) from None
        self.result = class_name(type(result))
        self.outputs = [tensor for tensor in _tensors(result, 0) if is_continuous(tensor)]

    def _prepared(self, value: Any, name: str, depth: int) -> Callable[[], Any]:
        """What makes the argument, once all are known: it is no leaf, so that it can be changed in place."""
        cls = type(value)
        if depth < _DEPTH and cls in SEQUENCES:
            items = [self._prepared(item, f"{name}[{at}]", depth + 1) for at, item in enumerate(value)]
            return lambda: cls(make() for make in items)
        if depth < _DEPTH and cls is dict:
            made = {key: self._prepared(item, _named(name, key), depth + 1) for key, item in value.items()}
            return lambda: {key: make() for key, make in made.items()}
        copied = self._run.copy(value)
        if not is_any_tensor(value) or not is_continuous(copied):
            return lambda: copied
        if type(copied) is torch.nn.Parameter:
            return lambda: copied
        if all(leaf.tensor is not copied for leaf in self.leaves):
            self.leaves.append(Leaf(name, copied))
        return partial(_passed, self._passed, copied)  # which does not hold this call: that would be a cycle


def _passed(known: dict[int, Any], leaf: Any) -> Any:
    if id(leaf) not in known:
        known[id(leaf)] = strided_like(leaf, leaf.dtype).copy_(leaf)
    return known[id(leaf)]


@contextmanager
def evaluated(what: Callee, given: CallArguments, *, doubles: bool = True) -> Iterator[Evaluation]:
    """A call that is about to be made: random numbers go on from where the program's are, and all is put back."""
    kind = Doubled if doubles else Isolation
    with _recording(doubles), kind(what.target, *what.values, *(one.value for one in given.all())) as run:
        yield Evaluation(run, what, given)


@contextmanager
def _recording(doubles: bool) -> Iterator[None]:
    """As code of the program runs by itself, with gradients, and doubles where it does not say otherwise."""
    usual = torch.get_default_dtype()
    with Released():
        try:
            if doubles:
                torch.set_default_dtype(torch.float64)
            yield
        finally:
            torch.set_default_dtype(usual)


def flat(outputs: list[Any]) -> Any:
    """All numbers of the outputs as one vector of float64 on the CPU; complex ones as two each."""
    parts = [_real(output.detach()).reshape(-1).to(device="cpu", dtype=torch.float64) for output in outputs]
    return torch.cat(parts) if parts else torch.empty(0, dtype=torch.float64, device="cpu")


def as_gradients(weights: Any, outputs: list[Any]) -> list[Any]:
    """The weights of such a vector as tensors in the shapes of the outputs, for their backward."""
    found, start = [], 0
    for output in outputs:
        shape = tuple(output.shape)
        length = math.prod(shape) * (2 if output.is_complex() else 1)
        part = weights[start : start + length]
        if output.is_complex():
            part = torch.view_as_complex(part.reshape(*shape, 2).contiguous())
        found.append(part.reshape(shape).to(device=output.device, dtype=output.dtype))
        start += length
    return found


def error_text(error: BaseException) -> str:
    text = plain_message(error)
    return one_line(f"{class_name(type(error))}: {text}" if text else class_name(type(error)), 300)


def _named(name: str, key: object) -> str:
    return f"{name}[{key!r}]" if type(key) is str or type(key) is int else name


def _real(values: Any) -> Any:
    return torch.view_as_real(values.resolve_conj()) if values.is_complex() else values


def _tensors(value: Any, depth: int) -> Iterator[Any]:
    """The tensors in a result: itself, or in lists, tuples and dicts of any class."""
    if is_any_tensor(value):
        if bare(value) is not None:
            yield value
    elif depth < _DEPTH:
        for base in (list, tuple):
            if issubclass(type(value), base):
                for item in base.__iter__(value):
                    yield from _tensors(item, depth + 1)
        if issubclass(type(value), dict):
            for item in dict.values(value):
                yield from _tensors(item, depth + 1)
