"""Turns an exception into findings: which operand does not fit, and what would fit."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import TYPE_CHECKING

from ...safe.budget import Budget
from ...safe.guard import class_name, module
from ..findings.finding import Findings
from ..findings.rule import finding, finding_of
from .error_context import ErrorContext
from .errors import fault_of
from .operation import FailingLine
from .rules import (
    backward,
    calls,
    checkpoints,
    conversions,
    distributions,
    dtypes,
    loading,
    lookups,
    memory,
    not_tensors,
    parameters,
    ranges,
    shapes,
    tokens,
    unpacking,
    workers,
)
from .rules.objects import copied, inference, recomputed
from .trace import TraceEntry, chain, entries_of, is_caused

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...protocol import Finding
    from ..findings.finding import Violation

_NOT = (
    "not one of the errors that are explained: of shapes, dtypes, devices, indices, numbers made of tensors, unpacking,"
    " keys and attributes, arguments, modules that were not begun, checkpoints, optimizers, distributions, batches,"
    " a backward, memory, copies"
)

#: What is explained, by the ids of rules: why it fails, and what to try.
EXPLAINED: dict[str, tuple[str, str]] = {
    "shape-mismatch": (
        "Operands must agree in the dimensions that an operation joins.",
        "compare the shapes of what it joins",
    ),
    "channels-last-input": (
        "Convolutions take the channels before the height and the width.",
        "permute the dimensions",
    ),
    "dtype-mismatch": ("These operands are not converted to one another.", "convert one of them"),
    "device-mismatch": (
        "An operation takes its tensors from one device.",
        "move the model and the batch to one device",
    ),
    "index-out-of-range": ("An index must stand for an entry that exists.", "check how many entries there are"),
    "label-out-of-range": ("Each label picks a class, counted from 0.", "check the number of classes and the labels"),
    "logits-to-prob-loss": ("Binary cross entropy takes the logarithm of probabilities.", "use BCEWithLogitsLoss"),
    "fp16-overflow": ("float16 ends at 65504.", "a smaller number, or float32 there"),
    "batchnorm-batch-of-one": ("A single value has no variance to normalise by.", "drop_last=True in the loader"),
    "loss-not-scalar": ("The gradient is that of one number.", "take the mean or the sum before backward"),
    "graph-freed": (
        "A backward frees what it needed, so a second one through the same graph fails.",
        "call backward once",
    ),
    "inplace-modified": ("Backward needs the value as it was.", "write the operation out of place"),
    "loss-without-grad": (
        "Without a graph there is nothing to differentiate.",
        "check what the loss was computed from",
    ),
    "ambiguous-truth": (
        "Python asks for one True or False, and a comparison of tensors gives one for each element.",
        "reduce it with all() or any()",
    ),
    "not-one-element": ("A Python number is made of a single element.", "reduce it first, or take one element"),
    "grad-to-numpy": ("An array has no graph, so the gradient would be lost without a word.", "detach() it first"),
    "unpack-count": ("Each part of the value is given to one name.", "give as many names as there are parts"),
    "missing-key": ("A dict gives only what was put in under that key.", "use a key that it has"),
    "missing-attribute": ("The value is of another type than the line takes it for.", "check where it was made"),
    "not-a-tensor": ("The operation is defined for tensors.", "make a tensor of it"),
    "state-dict-mismatch": (
        "Each entry of a state_dict is loaded into what has the same name and shape.",
        "build the model that was saved",
    ),
    "optimizer-parameters": ("An optimizer changes leaf tensors that it is given.", "give it model.parameters()"),
    "invalid-distribution": (
        "The values of each parameter must lie in its range.",
        "check what made them",
    ),
    "worker-failed": ("The loader's workers run the dataset in processes of their own.", "run it with num_workers=0"),
    "tokenizer-input": ("A tensor has rows of one length.", "give it texts, and padding=True"),
    "super-not-called": (
        "nn.Module.__init__ makes what a module keeps its layers, parameters and hooks in.",
        "call super().__init__() first",
    ),
    "wrong-arguments": ("A call gives each parameter its value, and nothing else.", "look at what it takes"),
    "load-refused": (
        "Since torch 2.6, torch.load runs no code of a file: only what is known to be harmless is made.",
        "weights_only=False, if you trust the file",
    ),
    "inference-tensor": (
        "What inference mode makes has no version counter, so autograd can never use it.",
        "make it under torch.no_grad()",
    ),
    "copied-graph": ("A copy of a result would have no graph.", "detach it first"),
    "not-picklable": ("Another process makes the object anew from its pickle.", "leave it out, or name it"),
    "recomputation-differs": (
        "A checkpoint keeps no results: backward computes them again, and they must be the same.",
        "compute the same both times",
    ),
    "out-of-memory": ("The allocation did not fit.", "smaller batches, or less kept alive between steps"),
}

#: Of each kind of fault, by its name in `errors`: the id of the rule, and what explains it.
_CHECKS: dict[str | None, tuple[str, Callable[[ErrorContext], Violation | None]]] = {
    "dtype": ("dtype-mismatch", dtypes.dtype_mismatch),
    "device": ("device-mismatch", dtypes.device_mismatch),
    "index": ("index-out-of-range", ranges.index_out_of_range),
    "label": ("label-out-of-range", ranges.label_out_of_range),
    "probability": ("logits-to-prob-loss", ranges.logits_to_prob_loss),
    "half": ("fp16-overflow", ranges.half_overflow),
    "one_value": ("batchnorm-batch-of-one", ranges.batchnorm_batch_of_one),
    "not_scalar": ("loss-not-scalar", backward.loss_not_scalar),
    "memory": ("out-of-memory", memory.out_of_memory),
    "truth": ("ambiguous-truth", conversions.ambiguous_truth),
    "number": ("not-one-element", conversions.not_one_element),
    "array": ("grad-to-numpy", conversions.grad_to_numpy),
    "unpack": ("unpack-count", unpacking.unpack_count),
    "key": ("missing-key", lookups.missing_key),
    "attribute": ("missing-attribute", lookups.missing_attribute),
    "type": ("not-a-tensor", not_tensors.not_tensor),
    "state_dict": ("state-dict-mismatch", checkpoints.state_dict_mismatch),
    "parameters": ("optimizer-parameters", parameters.optimizer_parameters),
    "worker": ("worker-failed", workers.worker_failed),
    "token": ("tokenizer-input", tokens.tokenizer_input),
    "init": ("super-not-called", calls.init_not_called),
    "arguments": ("wrong-arguments", calls.wrong_arguments),
    "load": ("load-refused", loading.unsafe_load),
    "inference": ("inference-tensor", inference.inference_tensor),
    "copy": ("copied-graph", copied.graph_copied),
    "pickle": ("not-picklable", copied.not_picklable),
    "recompute": ("recomputation-differs", recomputed.recomputation_differs),
}

_NAN = ("nan-in-input", "nan-in-params", "nan-origin")
_NO_GRAPH = ("frozen-params", "grad-mode-off", "nondifferentiable")
#: Of each fault of a backward: the findings' rules that may tell more from the graph, then as in `_CHECKS`.
_BACKWARD: dict[str | None, tuple[tuple[str, ...], str, Callable[[ErrorContext], Violation]]] = {
    "freed": ((), "graph-freed", backward.graph_freed),
    "inplace": (("inplace-modified",), "inplace-modified", backward.inplace_modified),
    "no_grad": (_NO_GRAPH, "loss-without-grad", backward.loss_without_grad),
}


def explain(
    error: BaseException,
    frame: FrameType | None = None,
    traceback: TracebackType | None = None,
    *,
    budget: Budget,
) -> Findings:
    """The explanation of an exception as findings; empty, with the reason, where it is none that is explained.

    ``traceback`` is the traceback of an exception that is not caught yet. ``frame`` is where the program stands, for an
    exception without a traceback.
    """
    torch = module("torch")
    if torch is None or not hasattr(torch, "_C"):
        return Findings(skipped=[("all", "torch is not loaded")])
    candidates = list(_candidates(error))
    if not candidates:
        return Findings(skipped=[("all", f"this {class_name(type(error))} is {_NOT}")])
    reason = "nothing that the failing line names tells what is wrong"
    try:
        for found in candidates:
            trace = entries_of(found, traceback if found is error else None)
            if not trace and frame is not None:
                trace = [TraceEntry(frame, frame.f_lineno, frame.f_lasti)]
            if not trace:
                return Findings(skipped=[("all", "the exception has no traceback")])
            context = ErrorContext(found, trace, budget)
            if context.is_raised_by_user():  # with a message that only resembles torch's
                reason = "the program raised it itself"
                continue
            findings = _explained(context)
            if findings:
                return Findings(findings, EXPLAINED)
        return Findings(skipped=[("all", reason)])
    except Exception as failed:  # values may be in any state after an error
        return Findings(skipped=[("all", f"not explained: {class_name(type(failed))}")])


def _explained(context: ErrorContext) -> list[Finding]:
    return [one for one in _findings(context) if one["evidence"] or context.kind == "memory"]


def _candidates(error: BaseException) -> Iterator[BaseException]:
    """The exceptions of the chain that can be explained, in the order in which that is tried.

    Of one that was raised again the first is taken. What was only being handled when another was raised is none.
    """
    errors = chain(error)
    index = 0
    while index < len(errors) and is_caused(errors, index):
        kind = fault_of(errors[index])
        while kind is not None and index + 1 < len(errors) and fault_of(errors[index + 1]) == kind:
            if not is_caused(errors, index + 1) and not _is_raised(errors[index]):
                break
            if all(entry.is_installed() for entry in entries_of(errors[index + 1])):
                break  # a library has caught it inside of itself
            index += 1
        if kind is not None:
            yield errors[index]
        index += 1


def _is_raised(error: BaseException) -> bool:
    """Whether a ``raise`` statement raised it, and not an operation that failed while another exception was handled."""
    trace = entries_of(error)
    return bool(trace) and isinstance(FailingLine(trace[-1]).statement, ast.Raise)


def _findings(context: ErrorContext) -> list[Finding]:
    kind = context.kind
    if kind == "shape":
        return [_finding(*shapes.shape_mismatch(context))]
    if kind == "distribution":
        return _of_values(context)
    if kind in _BACKWARD:
        return _of_backward(context, *_BACKWARD[kind])
    rule, check = _CHECKS[kind]
    found = check(context)
    return [] if found is None else [_finding(rule, found)]


def _of_values(context: ErrorContext) -> list[Finding]:
    """Values that are invalid for a distribution, and the origin of NaN among them."""
    from ..findings.rules.registry import RULES
    from ..findings.run import folded

    found = _finding("invalid-distribution", distributions.invalid_distribution(context))
    return folded([found, *(finding_of(rule, one) for rule, one in backward.found_by_rules(context, RULES, *_NAN))])


def _of_backward(
    context: ErrorContext, names: tuple[str, ...], rule: str, check: Callable[[ErrorContext], Violation]
) -> list[Finding]:
    """A failed backward: what the findings' rules of these names find in the graph, else what the check says."""
    from ..findings.rules.registry import RULES
    from ..findings.run import folded

    if "differentiated Tensor" in context.message:  # what it is differentiated by
        return [_finding("loss-without-grad", backward.input_without_grad(context))]
    known = backward.found_by_rules(context, RULES, *names)
    found = [finding_of(asked, one) for asked, one in known]
    return folded(found) if found else [_finding(rule, check(context))]


def _finding(id: str, found: Violation) -> Finding:
    why, suggestion = EXPLAINED[id]
    return finding(id, "error", why, suggestion, found)
