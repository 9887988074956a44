"""Finds samples of a CTC loss that have fewer frames than their target needs: their loss is infinite."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any

from ......measure.torch.elements import bare, is_plain
from ......measure.torch.metadata import element_count, is_exact_tensor
from ......measure.torch.modules import is_of
from ......measure.torch.node import AutogradNode
from ......safe.guard import SEQUENCES, instance_dict
from ......safe.record import Record
from ......words.text import plural
from .....flow.lines import line_of_binding_or_call
from .....step.calls import Call
from .....step.expressions import constant_of, is_name, shown_text, text_of, without_moves
from .....step.functions import Called, functions_called
from .....step.source import Source
from .....step.step import Step
from ....finding import Violation
from .gradient_handling import is_left_out_if_not_finite

CTC = ("CtcLoss", "CudnnCtcLoss", "MiopenCtcLoss")
_MOST = 1 << 16  #: labels that are read


def too_few_frames(step: Step) -> Iterator[Violation]:
    """A loss that is not finite, and of what its CTC loss was given, which inputs are too short."""
    for loss in step.losses:
        root, number = step.node_of(loss.tensor), step.number(loss.tensor)
        is_bad = number is not None and number - number != 0
        nodes = [] if root is None or not is_bad else step.graph.below(root, *CTC)
        calls = list(_calls(step)) if nodes else []
        one = calls[0] if len(calls) == 1 else None
        lengths, needed = _in_graph(nodes[0], one) if len(nodes) == 1 else ([], [])
        if one is not None and not lengths:
            lengths, needed = _in_source(one)
        if is_left_out_if_not_finite(step.source, loss.name):
            continue  # as such batches are
        short = [at for at, (has, needs) in enumerate(zip(lengths, needed)) if has < needs]
        if not short or len(lengths) != len(needed):
            continue
        at, given = short[0], None if one is None else one.call.argument(2, "input_lengths")
        name = "Inf" if number == number else "NaN"
        yield Violation(
            (
                f"{loss.name} is {name}",
                ": ",
                f"{plural(len(short), 'sample')} of {len(needed)} {'has' if len(short) == 1 else 'have'} fewer frames than the target needs, which is no CTC path",
            ),
            (
                f"{shown_text(given)}[{at}]" if is_name(given) else None,
                f"{lengths[at]} frames, where its target needs {needed[at]}",
            ),
            (loss.name, name),
            line=line_of_binding_or_call(step, "", loss.name) if one is None else (one.source.file, one.call.lineno),
            suggestion="leave such samples out, or give zero_infinity=True",
        )
        return


class _CtcCall(Record):
    """A call of a CTC loss, and what tells the value of an argument there."""

    source: Source
    call: Call
    value_of: Callable[[ast.expr | None], Any]


def _in_graph(node: AutogradNode, one: _CtcCall | None) -> tuple[list[int], list[int]]:
    """The frames of each input, and those that its target needs, as the node of the loss keeps them."""
    if node.setting("zero_infinity") is not False:
        return [], []
    lengths, sizes = (_numbers(node.setting(name)) for name in ("input_lengths", "target_lengths"))
    targets = node.tensor("targets")
    if targets is None and one is not None:  # freed by a backward
        targets = one.value_of(without_moves(one.call.argument(1, "targets")))
    return lengths, (_needed(sizes, targets) if is_exact_tensor(targets) else []) or sizes


def _in_source(one: _CtcCall) -> tuple[list[int], list[int]]:
    lengths, sizes = (
        _numbers(one.value_of(one.call.argument(at, name)))
        for at, name in ((2, "input_lengths"), (3, "target_lengths"))
    )
    targets = one.value_of(without_moves(one.call.argument(1, "targets")))
    return lengths, _needed(sizes, targets) if sizes and is_exact_tensor(targets) else []


def _calls(step: Step) -> Iterator[_CtcCall]:
    """The calls of a CTC loss that may be infinite."""
    for level in step.levels:
        for call in step.sources[level].calls:
            found = step.module_of(call.callee, level)
            if _may_be_infinite(call, None if found is None else found.value):
                yield _CtcCall(step.sources[level], call, _values_in(step, level, call.lineno))
    for called in functions_called(step):
        for call in called.source.calls:
            if _may_be_infinite(call, called.value(call.callee)):
                yield _CtcCall(called.source, call, _values_there(called))


def _may_be_infinite(call: Call, criterion: Any) -> bool:
    if criterion is not None and is_of(criterion, "CTCLoss"):
        return instance_dict(criterion).get("zero_infinity") is False
    asked = call.argument(6, "zero_infinity")
    return call.name == "ctc_loss" and (asked is None or constant_of(asked) is False)


def _values_in(step: Step, level: int, line: int) -> Callable[[ast.expr | None], Any]:
    def value_of(node: ast.expr | None) -> Any:
        found = step.operand(node, level, line)
        return None if found is None else found.value

    return value_of


def _values_there(called: Called) -> Callable[[ast.expr | None], Any]:
    return lambda node: called.value(text_of(node)) if is_name(node) else None


def _needed(lengths: list[int], targets: Any) -> list[int]:
    """The frames that each target needs: one for each label, and one between two that are alike."""
    if targets.dim() not in (1, 2):
        return []
    labels = _numbers(targets)
    width = targets.shape[1] if targets.dim() == 2 else 0
    begins = [at * width for at in range(len(lengths))] if width else [0, *accumulate(lengths)][:-1]
    rows = [labels[begin : begin + length] for begin, length in zip(begins, lengths)]
    return [len(row) + sum(one == other for one, other in zip(row, row[1:])) for row in rows] if labels else []


def _numbers(value: Any) -> list[int]:
    """The whole numbers in a tensor, list or tuple; empty where there are none, or too many."""
    if is_exact_tensor(value):
        is_read = is_plain(value) and not value.dtype.is_floating_point and (element_count(value) or 0) <= _MOST
        return [int(one) for one in bare(value).reshape(-1).tolist()] if is_read else []
    found = list(value) if type(value) in SEQUENCES else []
    return found if all(type(one) is int for one in found) else []
