"""Reads the expressions of a frame's source: finds values by their names, and works out shapes of results.

Nothing is evaluated. Names, attributes and items are looked up by the guard; shapes follow from rules.
"""

from __future__ import annotations

import ast
from types import ModuleType
from typing import Any

from ...measure.torch.metadata import grad_of
from ...measure.torch.modules import is_module, is_of, registered
from ...safe.attributes import attribute
from ...safe.guard import KEYS, NUMBERS, SEQUENCES, dict_attribute, dict_get, each, instance_dict
from ..step.expressions import text_of
from . import sizes as shapes
from .expected_input import convolved
from .items import gives_items, items_of, positional
from .operand import CASTS, UNKNOWN, Operand, in_title, operand
from .trace import TraceEntry

_MISSING = object()
_DEEPEST = 40  #: expressions inside each other
_SAME = frozenset(
    "abs clamp clone contiguous cos detach dropout elu exp gelu leaky_relu log log_softmax neg relu"
    " requires_grad_ sigmoid silu sin softmax softplus sqrt square tanh zeros_like ones_like rand_like randn_like"
    " empty_like".split()
)
_RESHAPED = frozenset(
    "view reshape flatten t transpose permute unsqueeze squeeze sum mean argmax argmin std var prod logsumexp"
    " repeat".split()
)
_KEEPING = tuple(
    "ReLU GELU SiLU Tanh Sigmoid Dropout Identity Softmax LogSoftmax LayerNorm ELU BatchNorm1d BatchNorm2d"
    " BatchNorm3d LeakyReLU GroupNorm Softplus".split()
)
_FILLED = ("zeros", "ones", "empty", "rand", "randn")  #: what makes a tensor of the sizes that it is given
_PRODUCTS = ("matmul", "mm", "bmm", "mv", "dot", "__matmul__")
_LIBRARIES = ("torch", "F", "functional", "nn.functional", "torch.nn.functional", "np", "numpy")


class Reader:
    """Reads expressions of one frame as values: an `Operand` for tensors, else a plain value, or ``UNKNOWN``."""

    def __init__(self, entry: TraceEntry, around: TraceEntry | None = None) -> None:
        """``around`` is the frame around that of a comprehension."""
        self._local = entry.variables if around is None else {**around.variables, **entry.variables}
        self._global: dict[str, Any] = entry.frame.f_globals

    def read(self, node: ast.AST | None, depth: int = 0) -> Any:
        if node is None or depth > _DEEPEST:
            return UNKNOWN
        found = self._read(node, depth + 1)
        return found.named(in_title(node)) if type(found) is Operand else found

    def value(self, node: ast.AST | None) -> Any:
        """The value of a name, attribute or item itself; None where it is not known."""
        found = self.read(node)
        if type(found) is Operand:
            return found.value
        return None if found is UNKNOWN else found

    def _read(self, node: ast.AST, depth: int) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return _as_operand(self._local.get(node.id, dict_get(self._global, node.id, UNKNOWN)))
        if isinstance(node, ast.Attribute):
            return _attribute_of(self.read(node.value, depth), node.attr)
        if isinstance(node, ast.Subscript):
            return _item(self.read(node.value, depth), self._index(node.slice, depth))
        if gives_items(node):
            items = items_of(self.read, node, depth)
            return UNKNOWN if items is None else [self.read(item, depth) for item in items]
        if isinstance(node, (ast.Tuple, ast.List)):
            return [self.read(item, depth) for item in node.elts]
        if isinstance(node, ast.UnaryOp):
            return _negated(node.op, self.read(node.operand, depth))
        if isinstance(node, ast.BinOp):
            return combined_result(node.op, self.read(node.left, depth), self.read(node.right, depth))
        if isinstance(node, ast.Compare):
            return self._compared(node, depth)
        if isinstance(node, ast.Call):
            return self._call(node, depth)
        return UNKNOWN

    def _compared(self, node: ast.Compare, depth: int) -> Any:
        """``a < b``, element by element."""
        if any(isinstance(op, (ast.In, ast.NotIn, ast.Is, ast.IsNot)) for op in node.ops):
            return UNKNOWN
        found = self.read(node.left, depth)
        for other in node.comparators:
            found = combined_result(ast.Add(), found, self.read(other, depth))
        if type(found) is not Operand:
            return UNKNOWN
        return Operand("", sizes=found.sizes, dtype="bool", device=found.device, parts=found.parts)

    def _index(self, node: ast.AST, depth: int) -> Any:
        if isinstance(node, ast.Slice):
            ends = [None if end is None else self.read(end, depth) for end in (node.lower, node.upper, node.step)]
            return slice(*ends) if all(end is None or type(end) is int for end in ends) else UNKNOWN
        if isinstance(node, ast.Tuple):
            return tuple(self._index(item, depth) for item in node.elts)
        return self.read(node, depth)

    def _call(self, node: ast.Call, depth: int) -> Any:
        arguments = [self.read(argument, depth) for argument in positional(self.read, node, depth)]
        if isinstance(node.func, ast.Name) and node.func.id == "len" and len(arguments) == 1:
            return _length(arguments[0])
        if not isinstance(node.func, ast.Attribute):
            return self._of_module(node, arguments, depth)
        receiver = self.read(node.func.value, depth)
        arguments += [self.read(keyword.value, depth) for keyword in node.keywords if keyword.arg in ("dim", "dtype")]
        keepdims = [self.read(keyword.value, depth) for keyword in node.keywords if keyword.arg == "keepdim"]
        arguments += [keeps for keeps in keepdims if keeps is not False]
        if type(receiver) is Operand:
            return method_result(node.func.attr, receiver, arguments)
        if text_of(node.func.value) == "torch":
            made = filled(node.func.attr, arguments)
            if made is not None:
                return made
        if text_of(node.func.value) in _LIBRARIES and arguments and type(arguments[0]) is Operand:
            return method_result(node.func.attr, arguments[0], arguments[1:])
        return self._of_module(node, arguments, depth)

    def _of_module(self, node: ast.Call, arguments: list[Any], depth: int) -> Any:
        called = self.read(node.func, depth)
        if len(arguments) == 1 and type(arguments[0]) is Operand and is_module(called):
            if is_of(called, "RNNBase", "MultiheadAttention"):  # these give tuples
                return UNKNOWN
            return _output(called, arguments[0])
        return UNKNOWN


def method_result(name: str, of: Operand, arguments: list[Any]) -> Any:
    """The shape, dtype and device of ``x.name(*arguments)``."""
    if name in ("size", "shape"):
        known = of.sizes is not None
        if not arguments:
            return list(of.sizes) if of.sizes is not None else UNKNOWN
        return _item(list(of.sizes or ()), arguments[0]) if known else UNKNOWN
    if name in ("dim", "ndimension"):
        return UNKNOWN if of.sizes is None else len(of.sizes)
    if name in CASTS and not arguments:
        return of.like("", of.sizes, CASTS[name])
    if name in _SAME:
        return of.like("", of.sizes)
    if name in _PRODUCTS and arguments and type(arguments[0]) is Operand:
        return combined_result(ast.MatMult(), of, arguments[0])
    if name == "linear" and arguments and type(arguments[0]) is Operand:
        weight = arguments[0].sizes
        fits = of.sizes and weight and len(weight) == 2 and of.sizes[-1] == weight[1]
        return of.like("", (*of.sizes[:-1], weight[0]) if fits and of.sizes and weight else None)
    if name in _RESHAPED:
        integers = "int64" if name in ("argmax", "argmin") else None
        return of.like("", None if of.sizes is None else shapes.after(name, of.sizes, arguments), integers)
    return (
        UNKNOWN
        if name in ("item", "tolist", "numpy", "cpu", "cuda", "to")
        else Operand("", device=of.device, parts=(of,))
    )


def filled(name: str, arguments: list[Any]) -> Operand | None:
    """A new tensor, by the function of torch that makes it."""
    sizes = arguments[0] if len(arguments) == 1 and type(arguments[0]) in SEQUENCES else arguments
    if name not in _FILLED or any(type(size) is not int for size in sizes):
        return None
    return Operand("", sizes=tuple(sizes))


def combined_result(op: ast.AST, left: Any, right: Any) -> Any:
    """The result of an operation on two values."""
    if type(left) is Operand and type(right) is Operand:
        sizes = None
        if left.sizes is not None and right.sizes is not None:
            join = shapes.product if isinstance(op, ast.MatMult) else shapes.broadcast
            sizes = join(left.sizes, right.sizes)
        same = left.dtype if left.dtype == right.dtype else None
        device = left.device if left.device == right.device else None
        return Operand("", sizes=sizes, dtype=same, device=device, parts=(left, right))
    one = left if type(left) is Operand else right
    other = right if one is left else left
    if type(one) is Operand:
        return one.like("", one.sizes if type(other) in NUMBERS or type(other) is bool else None)
    if type(left) is int and type(right) is int:
        return _computed(op, left, right)
    return UNKNOWN


def _computed(op: ast.AST, left: int, right: int) -> Any:
    if isinstance(op, ast.Add):
        return left + right
    if isinstance(op, ast.Sub):
        return left - right
    if isinstance(op, ast.Mult) and abs(left) < 1 << 60 and abs(right) < 1 << 60:
        return left * right
    if isinstance(op, ast.FloorDiv) and right:
        return left // right
    if isinstance(op, ast.Mod) and right:
        return left % right
    return UNKNOWN


def _negated(op: ast.AST, value: Any) -> Any:
    if isinstance(op, ast.USub) and type(value) in NUMBERS:
        return -value
    return value.like("", value.sizes) if type(value) is Operand else UNKNOWN


def _as_operand(value: Any) -> Any:
    known = operand("", value)
    return value if known is None else known


def _attribute_of(of: Any, name: str) -> Any:
    """An attribute, without running code."""
    if of is UNKNOWN:
        return UNKNOWN
    if type(of) is Operand:
        if name == "grad" and of.value is not None and not of.is_array:
            return _as_operand(grad_of(of.value))
        if name == "data":
            return of.like("", of.sizes) if of.value is None else of
        if name in ("shape", "ndim"):
            return method_result("size" if name == "shape" else "dim", of, [])
        turns = name in ("T", "mT") and of.sizes is not None and shapes.after(name, of.sizes, []) is not None
        return method_result(name, of, []) if turns else UNKNOWN
    if type(of) is ModuleType:
        return _as_operand(instance_dict(of).get(name, UNKNOWN))
    try:
        return _as_operand(attribute(of, name))
    except AttributeError:
        pass
    found = registered(of, name, _MISSING) if is_module(of) else _MISSING
    return UNKNOWN if found is _MISSING else _as_operand(found)


def _item(of: Any, key: Any) -> Any:
    """An item of a built-in container or of a container of modules, or a part of a tensor."""
    if type(of) is Operand:
        sizes = None if of.sizes is None else shapes.subscript(of.sizes, key)
        return of.like("", sizes)
    cls = type(of)
    if issubclass(cls, dict) and type(key) in KEYS:
        found = dict_get(of, key, _MISSING)
        return UNKNOWN if found is _MISSING else _as_operand(found)
    if is_module(of) and type(key) in KEYS and is_of(of, "Sequential", "ModuleList", "ModuleDict"):
        items = [item for _, item in each(dict.items, dict_attribute(of, "_modules"))]
        if type(key) is str:
            return _as_operand(dict_get(dict_attribute(of, "_modules"), key, UNKNOWN))
        return items[key] if -len(items) <= key < len(items) else UNKNOWN
    if issubclass(cls, (list, tuple)) and type(key) is int:
        base: Any = list if issubclass(cls, list) else tuple
        return _as_operand(base.__getitem__(of, key)) if -base.__len__(of) <= key < base.__len__(of) else UNKNOWN
    return UNKNOWN


def _length(of: Any) -> Any:
    if type(of) is Operand:
        return of.sizes[0] if of.sizes else UNKNOWN
    cls = type(of)
    for base in (list, tuple, dict):
        if issubclass(cls, base):
            return base.__len__(of)
    return UNKNOWN


def _output(called: Any, given: Operand) -> Operand:
    """The output of a layer."""
    if is_of(called, "Linear"):
        weight = operand("", dict_get(dict_attribute(called, "_parameters"), "weight"))
        if weight is not None and given.sizes and weight.sizes and given.sizes[-1] == weight.sizes[-1]:
            return given.like("", (*given.sizes[:-1], weight.sizes[0]))
    if is_of(called, "Embedding"):
        table = operand("", dict_get(dict_attribute(called, "_parameters"), "weight"))
        if table is not None and given.sizes is not None and table.sizes:
            return table.like("", (*given.sizes, table.sizes[-1]))
    made = None if given.sizes is None else convolved(called, given.sizes)
    if made is not None:
        return given.like("", made)
    if is_of(called, *_KEEPING):
        return given.like("", given.sizes)
    return Operand("", device=given.device, parts=(given,))
