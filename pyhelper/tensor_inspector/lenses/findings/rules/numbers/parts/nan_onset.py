"""Finds where NaN or Inf at a stop began, once for all rules."""

from __future__ import annotations

import ast
from typing import Any
from weakref import WeakKeyDictionary

from ......measure.torch.elements import same_elements
from ......measure.torch.flow import Flow
from ......measure.torch.node import AutogradNode
from ......measure.torch.origin import Origin, OriginSearch
from ......safe.guard import instance_dict
from ......safe.record import Record
from .....flow.ops import MATRIX_PRODUCTS
from .....graphs.masked import find_mask
from .....step.expressions import last_name, names_in
from .....step.sight import VisibleVariable
from .....step.step import Step

_ASKING = ("isfinite", "isnan", "isinf")
_REPLACING = ("nan_to_num", "where", "masked_fill")
_PRODUCTS = (*MATRIX_PRODUCTS, "Baddbmm", "Mul")
onsets: WeakKeyDictionary[Step, Onset | None] = WeakKeyDictionary()


class Onset(Record):
    """Where what is not finite began: the operation, and the value in sight that is not finite because of it."""

    origin: Origin
    name: str
    tensor: Any


def onset_of(step: Step) -> Onset | None:
    """Where the first loss that is not finite began to be so, else the first value in sight.

    None where it was in what the operations were given, as the batch or a parameter.
    """
    found = _onset(step)
    return None if found is None or found.origin.given is not None else found


def onset_outside(step: Step) -> Onset | None:
    """A loss that is not finite since an operation was given what is not, and what no gradient leads to."""
    found = _onset(step)
    given = None if found is None else found.origin.given
    is_loss = found is not None and any(loss.tensor is found.tensor for loss in step.losses)
    return found if is_loss and given is not None and given.node is None else None


def _onset(step: Step) -> Onset | None:
    if step not in onsets:
        found = _search(step)
        if step.budget.spent():
            return None
        onsets[step] = found
    return onsets[step]


def flow_of(step: Step) -> Flow:
    """The values of the step's graph, as far as those in sight tell them."""
    return Flow(step.graph, (variable.value for variable in step.tensors))


def _search(step: Step) -> Onset | None:
    results = _bad_results(step)
    losses = {id(loss.tensor) for loss in step.losses}
    for root, name, tensor in results:
        search = OriginSearch(step.graph, flow_of(step), step.graph.below(root))
        search.go_on(step.budget.share())
        found = search.found
        if found is None:
            continue
        if found.given is not None:
            return Onset(found, name, tensor)
        if found.is_hidden or _is_scaled_up(step, found):
            continue
        if found.node is root and not found.certain and not root.has_saved():
            continue
        find_mask(step, found)
        may_be_masked = found.masked or (found.is_softmax() and not found.certain)
        is_spoilt = _spoils_gradients(step, found.node, root) or (found.node is root and _will_multiply(step, tensor))
        if may_be_masked and id(tensor) not in losses and not is_spoilt:
            continue  # such rows may be replaced before they matter
        return Onset(found, name, tensor)
    return None


def _is_scaled_up(step: Step, origin: Origin) -> bool:
    """Whether it is a product with the scale of a scaler, which skips such a step and lowers the scale."""
    if origin.seen.op != "Mul" or origin.seen not in (origin.node, *origin.others):
        return False
    scales = (instance_dict(variable.value).get("_scale") for variable in step.scalers)
    return any(same_elements(origin.seen.tensor("other"), scale) for scale in scales)


def _spoils_gradients(step: Step, node: AutogradNode, root: AutogradNode) -> bool:
    """Whether what is made of rows of NaN in a training step gives a NaN to a gradient, whatever is done with it: a product
    multiplies the gradient by them, and 0 · NaN is NaN."""
    if not _is_before_backward(step):
        return False
    made = [above for above in step.graph.below(root) if step.graph.reaches(above, node) and above is not node]
    return any(above.op in _PRODUCTS and len(list(step.graph.inputs(above))) > 1 for above in made)


def _is_before_backward(step: Step) -> bool:
    ahead = [backward for backward in step.source.backwards if not step.source.is_done(backward.call)]
    return bool(ahead) and step.grad_mode


def _will_multiply(step: Step, tensor: Any) -> bool:
    """Whether the next line that uses a value, and surely runs, multiplies with it."""
    variable = next((one for one in step.tensors if one.value is tensor and not one.depth), None)
    if variable is None or not _is_before_backward(step):
        return False
    source = step.sources[variable.level]
    ahead = [one for one in source.body if (one.end_lineno or one.lineno) >= source.lineno]
    using = next((one for one in ahead if any(_is_load(node, variable.key) for node in ast.walk(one))), None)
    if not isinstance(using, (ast.Assign, ast.Return, ast.Expr)) or using.value is None:
        return False
    products = [
        node for node in ast.walk(using) if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.MatMult))
    ]
    return any(_is_load(_indexed(side), variable.key) for node in products for side in (node.left, node.right))


def _is_load(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


def _indexed(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def bad_roots(step: Step) -> list[tuple[AutogradNode, str]]:
    """Results in sight that are not finite, with their nodes: losses first."""
    return [(node, name) for node, name, _ in _bad_results(step)]


def _bad_results(step: Step) -> list[tuple[AutogradNode, str, Any]]:
    """Masked scores, of −inf alone, are none; nor is what a finite result in sight was made of: it was replaced there;
    nor what the program itself leaves out or replaces."""
    results = (*(loss.tensor for loss in step.losses), *(variable.value for variable in step.tensors))
    is_any = any(_is_bad(step, tensor) for tensor in results)
    losses = {id(loss.tensor) for loss in step.losses}
    named = [
        *((loss.tensor, loss.name) for loss in step.losses),
        *(
            (variable.value, variable.name)
            for variable in (step.tensors if is_any else ())
            if not _is_replaced(step, variable)
        ),
    ]
    made = [(node, name, tensor) for tensor, name in named if (node := step.node_of(tensor)) is not None]
    finite = [node for node, _, tensor in made if _is_bad(step, tensor) is False]
    return [
        (node, name, tensor)
        for node, name, tensor in made
        if _is_bad(step, tensor)
        and (id(tensor) in losses or not any(step.graph.reaches(one, node) for one in finite if one is not node))
    ]


def _is_bad(step: Step, tensor: Any) -> bool | None:
    """Whether a result is not finite; None of what is no result, or is not known, or of −inf among others."""
    node = step.node_of(tensor)
    stats = step.stats(tensor) if node is not None and tensor.dtype.is_floating_point else None
    if stats is None or not stats["count"]:
        return None
    if stats["nan"] or stats["pos_inf"] or (stats["neg_inf"] and stats["count"] == 1):
        return True
    return None if stats["neg_inf"] else False


def _is_replaced(step: Step, variable: VisibleVariable) -> bool:
    """Whether the source says what is to be in the place of a value that is not finite: ``if isfinite(x): c = c + x``."""
    tree = step.sources[variable.level].tree
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and _called(node) in _REPLACING and variable.key in names_in(node):
            return _called(node) == "nan_to_num" or _asks(node, variable.key)
        if isinstance(node, ast.If) and _asks(node.test, variable.key):
            changes = [part for part in (*node.body, *node.orelse) if isinstance(part, (ast.Assign, ast.AugAssign))]
            return any(variable.key in names_in(part) for part in changes)
    return False


def _asks(node: ast.AST, key: str) -> bool:
    calls = (below for below in ast.walk(node) if isinstance(below, ast.Call) and _called(below) in _ASKING)
    return any(key in names_in(call) for call in calls)


def _called(call: ast.Call) -> str:
    return last_name(call.func)
