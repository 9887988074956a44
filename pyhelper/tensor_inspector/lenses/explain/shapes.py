"""Shapes that do not fit: of a layer's input, of the operands of an operation, of what a loss compares."""

from __future__ import annotations

import ast
from math import prod

from ...measure.torch.modules import is_of
from ...safe.guard import class_name
from ...words.text import shape
from ..findings.finding import Found
from ..step.source import text_of
from . import sizes as rules
from .errors import mismatched_entries, of_worker, sides, sizes_in
from .operand import Operand, short
from .operation import Operation
from .scene import Layer, Scene
from .wanted import Wanted, fitting, is_channels_last, kernel, wanted

CHANNELS_LAST = "channels-last-input"
MISMATCH = "shape-mismatch"


def shape_mismatch(scene: Scene) -> tuple[str, Found]:
    """The finding, and which rule it is of."""
    for found in (_of_checkpoint(scene), _of_worker(scene), _of_layer(scene), _of_operations(scene)):
        if found is not None:
            return found
    return MISMATCH, _told_by_message(scene)


def _of_checkpoint(scene: Scene) -> tuple[str, Found] | None:
    entries = mismatched_entries(scene.text)
    if not entries:
        return None
    name, there, here = entries[0]
    more = f", and {len(entries) - 1} more differ" if len(entries) > 1 else ""
    facts = [(entry, f"{shape(a)} in the checkpoint, {shape(b)} in the model") for entry, a, b in entries[:6]]
    title = f"{name} is {shape(there)} in the checkpoint, but {shape(here)} in the model{more}"
    return MISMATCH, scene.found(title, *facts, suggestion="build the model with the sizes of the checkpoint")


def _of_worker(scene: Scene) -> tuple[str, Found] | None:
    told = of_worker(scene.text)
    if told is None:
        return None
    fact = (None, "raised in a worker of the DataLoader")
    fit = "bring them to one shape, or pad them in collate_fn"
    return MISMATCH, scene.found(f"the samples of a batch do not fit together: {told}", fact, suggestion=fit)


# Layers


def _of_layer(scene: Scene) -> tuple[str, Found] | None:
    layer = scene.layer
    wants = None if layer is None else wanted(layer.module)
    if layer is None or wants is None:
        return None
    given = next((one for one in layer.inputs if one.sizes is not None), None)
    if given is None or given.sizes is None:
        return None
    if wants.is_met(given.sizes):
        return _of_small_input(scene, layer, wants, given) or _of_state(scene, layer, given)
    fit = fitting(given.sizes, wants, given.written)
    if is_channels_last(given.sizes, wants):
        title = f"{given.name} is {shape(given.sizes)}, with the channels last, but {layer.title} wants {wants.layout}"
        return CHANNELS_LAST, scene.found(title, given, suggestion=fit)
    return MISMATCH, scene.found(
        _layer_title(given, layer, wants), given, suggestion=fit or _other_layer(layer, wants, given)
    )


def _layer_title(given: Operand, layer: Layer, wants: Wanted) -> str:
    sizes = given.sizes or ()
    begin = f"{given.name} is {shape(sizes)}, but {layer.title} wants"
    missing = _missing(sizes, wants)
    if missing is not None:
        return f"{begin} {wants.layout}: the {missing} dimension is missing"
    if wants.dims and len(sizes) not in wants.dims:
        amount = " or ".join(map(str, wants.dims))
        return f"{begin} {wants.layout or f'{amount} dimensions'}: {amount} dimensions, not {len(sizes)}"
    if wants.what == "channels":
        return f"{begin} {wants.layout}: {wants.size} channels, not {wants.found(sizes)}"
    return f"{begin} {wants.what} {wants.size}"


def _missing(sizes: tuple[int, ...], wants: Wanted) -> str | None:
    """Which one dimension an input lacks, where that is plain."""
    if not wants.channels or len(sizes) != wants.channels + 1 or wants.size is None:
        return None
    if sizes[0] == wants.size and len(sizes) not in wants.dims:
        return "batch"
    return "channel" if wants.size == 1 else None


def _other_layer(layer: Layer, wants: Wanted, given: Operand) -> str:
    found = wants.found(given.sizes or ())
    what = layer.name or class_name(type(layer.module))
    return "" if found is None or wants.size is None else f"give it {wants.size} there, or make {what} for {found}"


def _of_small_input(scene: Scene, layer: Layer, wants: Wanted, given: Operand) -> tuple[str, Found] | None:
    """An input that fits, but is smaller than the kernel."""
    window, sizes = kernel(layer.module), given.sizes or ()
    if not window or not wants.channels or all(size >= least for size, least in zip(sizes[-wants.channels :], window)):
        return None
    times = " × ".join(map(str, window))
    title = f"{given.name} is {shape(sizes)}, smaller than the kernel of {layer.title}: {times}"
    return MISMATCH, scene.found(title, given, suggestion="pool less before it, or pad: padding=1")


def _of_state(scene: Scene, layer: Layer, given: Operand) -> tuple[str, Found] | None:
    """The other inputs of a recurrent or an attention layer."""
    for other in layer.inputs[1:]:
        if other.sizes is None or given.sizes is None:
            continue
        if is_of(layer.module, "RNNBase"):
            batch_at = 0 if layer.module.__dict__.get("batch_first") else 1
            batch = given.sizes[batch_at] if len(given.sizes) == 3 else 1
            if len(other.sizes) == 3 and other.sizes[1] != batch:
                title = f"{other.name} is {shape(other.sizes)}, for a batch of {other.sizes[1]}, but {given.name} is {shape(given.sizes)}, a batch of {batch}"
                return MISMATCH, scene.found(
                    title, other, given, suggestion=f"make the state anew for a batch of {batch}, or drop_last=True"
                )
            title = f"{other.name} is {shape(other.sizes)}, which does not fit {layer.title}"
            return MISMATCH, scene.found(title, other, given)
        if other.sizes[-1:] != given.sizes[-1:]:
            title = f"{other.name} is {shape(other.sizes)}, but {given.name} is {shape(given.sizes)}: {layer.title} wants the same last dimension"
            return MISMATCH, scene.found(title, other, given)
    return None


# Operations


def _of_operations(scene: Scene) -> tuple[str, Found] | None:
    for operation in scene.operations:
        for check in (
            _loss,
            _product,
            _linear,
            _joined,
            _einsum,
            _view,
            _convolution,
            _assigned,
            _along,
            _split,
            _elementwise,
        ):
            found = check(scene, operation)
            if found is not None:
                return MISMATCH, found
    return None


def _pair(scene: Scene, a: Operand, b: Operand, why: str, fit: str = "") -> Found:
    title = f"{a.name} is {_shape(a)} and {b.name} is {_shape(b)}: {why}"
    return scene.found(title, a, b, suggestion=fit)


def _product(scene: Scene, operation: Operation) -> Found | None:
    first = 1 if operation.name in ("addmm", "addbmm", "baddbmm", "addmv") else 0
    if operation.name not in (
        "matmul",
        "mm",
        "bmm",
        "mv",
        "dot",
        "addmm",
        "baddbmm",
        "addmv",
        "__matmul__",
        "scaled_dot_product_attention",
    ):
        return None
    a, b = operation.tensor(first, "input", "mat1", "query"), operation.tensor(first + 1, "other", "mat2", "vec", "key")
    if a is None or b is None:
        return None
    if a.sizes is None or b.sizes is None:
        return _from_message(scene, operation, a, b)
    if operation.name == "scaled_dot_product_attention":
        same = a.sizes[-1:] == b.sizes[-1:]
        return (
            None if same else _pair(scene, a, b, f"the last dimensions {a.sizes[-1]} and {b.sizes[-1]} must be equal")
        )
    if not a.sizes or not b.sizes:
        return _pair(scene, a, b, "a product of matrices wants at least one dimension")
    inner, other = a.sizes[-1], b.sizes[-2 if len(b.sizes) > 1 else -1]
    if inner != other:
        where = "the first of the last two dimensions" if len(b.sizes) > 2 else "the first dimension"
        why = f"the last dimension of {a.name}, {inner}, must be {where} of {b.name}, {other}"
        return _pair(scene, a, b, why, _transposed(a, b))
    if operation.name == "bmm" and a.sizes[:1] != b.sizes[:1]:
        return _pair(scene, a, b, f"the batches {a.sizes[0]} and {b.sizes[0]} must be equal")
    if rules.product(a.sizes, b.sizes) is None:
        return _pair(scene, a, b, "the dimensions before the last two do not broadcast")
    return None


def _transposed(a: Operand, b: Operand) -> str:
    """What to transpose so that the product is possible."""
    if a.sizes is None or b.sizes is None:
        return ""
    if len(b.sizes) > 1 and b.sizes[-1] == a.sizes[-1]:
        return f"{b.written}.T" if len(b.sizes) == 2 else f"{b.written}.transpose(-2, -1)"
    if len(a.sizes) == 2 and a.sizes[0] == b.sizes[-2 if len(b.sizes) > 1 else -1]:
        return f"{a.written}.T"
    return f"a {b.written} with {a.sizes[-1]} there"


def _linear(scene: Scene, operation: Operation) -> Found | None:
    a, weight = operation.tensor(0, "input"), operation.tensor(1, "weight")
    if operation.name != "linear" or a is None or weight is None or not a.sizes or not weight.sizes:
        return None
    if a.sizes[-1] == weight.sizes[-1]:
        return None
    turned = len(weight.sizes) == 2 and weight.sizes[0] == a.sizes[-1]
    why = f"the last dimensions {a.sizes[-1]} and {weight.sizes[-1]} must be equal"
    return _pair(scene, a, weight, why, f"{weight.written}.T" if turned else "")


def _joined(scene: Scene, operation: Operation) -> Found | None:
    """cat and stack: the first that differs from the one before it."""
    if (
        operation.name not in ("cat", "concat", "concatenate", "stack", "vstack", "hstack")
        and "collate" not in operation.name
    ):
        return None
    items = [one for one in operation.operands() if one.sizes is not None]
    joins = operation.name in ("cat", "concat", "concatenate")
    dim = operation.argument(1, "dim", "axis") if joins else None
    dim = dim if type(dim) is int else 0 if joins else None
    for first, other in zip(items[:1] * len(items), items[1:]):
        a, b = first.sizes or (), other.sizes or ()
        if len(a) != len(b):
            word = f"{len(a)} and {len(b)} dimensions"
            fit = (
                f"{other.written}.unsqueeze({dim or 0})"
                if len(b) < len(a)
                else f"{first.written}.unsqueeze({dim or 0})"
            )
            return _pair(scene, first, other, word, fit)
        at = None if dim is None or not a else dim % len(a)
        wrong = next((axis for axis in range(len(a)) if axis != at and a[axis] != b[axis]), None)
        if wrong is None:
            continue
        if at is None:
            return _pair(
                scene,
                first,
                other,
                f"to stack them all must have one shape, they differ in dimension {wrong}",
                "pad or crop them to one size",
            )
        elsewhere = [axis for axis in range(len(a)) if a[:axis] + a[axis + 1 :] == b[:axis] + b[axis + 1 :]]
        fit = f"dim={elsewhere[0]}" if elsewhere else ""
        return _pair(
            scene,
            first,
            other,
            f"joined along dimension {at} they must agree in dimension {wrong}: {a[wrong]} and {b[wrong]}",
            fit,
        )
    return None


def _einsum(scene: Scene, operation: Operation) -> Found | None:
    text = operation.argument(0, "equation")
    if operation.name != "einsum":
        return None
    if type(text) is not str and type(operation.named.get("args")) is not list:
        text = _equation(operation.node)
    operands = operation.operands()
    if type(text) is not str:
        return None
    terms = [term.replace(" ", "") for term in text.partition("->")[0].split(",")]
    if len(terms) != len(operands):
        return scene.found(f'einsum "{text}" wants {len(terms)} operands, not {len(operands)}', *operands)
    seen: dict[str, tuple[Operand, int]] = {}
    for term, one in zip(terms, operands):
        if one.sizes is None or "." in term:
            continue
        if len(term) != len(one.sizes):
            return scene.found(
                f'{one.name} is {shape(one.sizes)}, but its part "{term}" of einsum "{text}" has {len(term)} dimensions',
                one,
                *operands,
            )
        for letter, size in zip(term, one.sizes):
            other, known = seen.setdefault(letter, (one, size))
            if known != size and 1 not in (known, size):
                title = f'{letter} in einsum "{text}" is {known} in {other.name} {_shape(other)}, but {size} in {one.name} {_shape(one)}'
                return scene.found(title, other, one, *operands)
    return None


def _equation(node: ast.AST | None) -> str | None:
    first = node.args[0] if isinstance(node, ast.Call) and node.args else None
    return first.value if isinstance(first, ast.Constant) and type(first.value) is str else None


def _view(scene: Scene, operation: Operation) -> Found | None:
    given = operation.tensor(0, "input")
    if operation.name not in ("view", "reshape", "unflatten", "expand", "resize") or given is None:
        return None
    asked = (
        operation.arguments[1]
        if len(operation.arguments) == 2 and type(operation.arguments[1]) in (list, tuple)
        else operation.arguments[1:]
    )
    numbers = tuple(number for number in asked if type(number) is int)
    told = sizes_in(scene.text)
    if len(numbers) != len(asked) and told:
        numbers = told[0]
    if given.sizes is None:
        return (
            scene.found(
                f"{given.name} can't be {operation.name}ed to {shape(numbers)}: {scene.text.splitlines()[0]}", given
            )
            if numbers
            else None
        )
    if operation.name == "expand":
        at = rules.clash(given.sizes, tuple(max(number, 1) if number != -1 else 1 for number in numbers))
        where = (
            ""
            if at is None
            else f": dimension {len(given.sizes) + at} is {given.sizes[at]}, and only 1 can be expanded"
        )
        return scene.found(
            f"{given.name} is {shape(given.sizes)}, which does not expand to {shape(numbers)}{where}", given
        )
    fixed = prod(number for number in numbers if number != -1)
    if operation.name == "view" and rules.viewed(given.sizes, numbers) is not None and "stride" in scene.text:
        title = (
            f"{given.name} is {shape(given.sizes)} in another order than memory: view can't make {shape(numbers)} of it"
        )
        return scene.found(title, given, suggestion=f"{given.written}.reshape({', '.join(map(str, numbers))})")
    count = prod(given.sizes)
    word = f"a multiple of {fixed}" if -1 in numbers else f"{fixed}"
    fit = _fitting_view(given.sizes, numbers, given.written, operation.name)
    return scene.found(
        f"{given.name} is {shape(given.sizes)}, {count} elements, but {shape(numbers)} wants {word}",
        given,
        suggestion=fit,
    )


def _fitting_view(sizes: tuple[int, ...], numbers: tuple[int, ...], name: str, method: str) -> str:
    for at in range(len(numbers)):
        tried = rules.viewed(sizes, (*numbers[:at], -1, *numbers[at + 1 :])) if -1 not in numbers else None
        if tried is not None:
            return f"{name}.{method}({', '.join(map(str, (*numbers[:at], -1, *numbers[at + 1 :])))}), which is {shape(tried)}"
    rest = prod(sizes[1:])
    return f"{name}.flatten(1), which is {shape((sizes[0], rest))}" if len(sizes) > 1 and len(numbers) == 2 else ""


def _convolution(scene: Scene, operation: Operation) -> Found | None:
    a, weight = operation.tensor(0, "input"), operation.tensor(1, "weight")
    if not operation.name.startswith("conv") or a is None or weight is None or not a.sizes or not weight.sizes:
        return None
    groups = operation.argument(6, "groups")
    channels = weight.sizes[0 if "transpose" in operation.name else 1] * (groups if type(groups) is int else 1)
    spatial = len(weight.sizes) - 2
    wants = Wanted("channels", channels, -spatial - 1, (spatial + 1, spatial + 2), spatial)
    if wants.is_met(a.sizes):
        return None
    why = f"{operation.name} wants {channels} channels before the last {spatial} dimensions"
    return _pair(scene, a, weight, why, fitting(a.sizes, wants, a.written))


def _assigned(scene: Scene, operation: Operation) -> Found | None:
    """``x[i] = y``"""
    place, given = operation.tensor(0), operation.given
    if (
        operation.name != "setitem"
        or place is None
        or not isinstance(given, Operand)
        or place.sizes is None
        or given.sizes is None
    ):
        return None
    part = rules.subscript(place.sizes, operation.argument(1))
    if part is None:
        told = [sizes for sizes in sizes_in(scene.text) if len(sizes) <= len(place.sizes)]
        part = told[0] if told else None
    written = short(text_of(operation.node).replace("'", '"'))
    title = (
        f"{given.name} is {shape(given.sizes)}, but {written} is {shape(part)}"
        if part is not None
        else f"{given.name} is {shape(given.sizes)}, which does not fit into {written}"
    )
    return scene.found(title, given, place)


def _along(scene: Scene, operation: Operation) -> Found | None:
    """A dimension that the tensor does not have."""
    given = operation.tensor(0, "input")
    if (
        given is None
        or given.sizes is None
        or ("Dimension out of range" not in scene.text and "number of dimensions" not in scene.text)
    ):
        return None
    numbers = [number for number in (*operation.arguments[1:], *operation.named.values()) if type(number) is int]
    count = len(given.sizes)
    wrong = next((number for number in numbers if not -count <= number < count), None)
    if "number of dimensions" in scene.text:
        return scene.found(
            f"{given.name} is {shape(given.sizes)}, {count} dimensions, but {operation.name} names {len(numbers)}",
            given,
        )
    if wrong is None:
        return None
    return scene.found(
        f"{given.name} is {shape(given.sizes)}: it has no dimension {wrong}, only {-count}…{count - 1}", given
    )


def _split(scene: Scene, operation: Operation) -> Found | None:
    given, parts = operation.tensor(0, "tensor", "self"), operation.argument(1, "split_size", "split_size_or_sections")
    if (
        operation.name not in ("split", "split_with_sizes")
        or given is None
        or not given.sizes
        or type(parts) not in (list, tuple)
    ):
        return None
    total = sum(part for part in parts if type(part) is int)
    return scene.found(f"{given.name} is {shape(given.sizes)}, but the parts {shape(parts)} add up to {total}", given)


_ELEMENTWISE_LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "kl_div",
                       "binary_cross_entropy_with_logits", "poisson_nll_loss", "soft_margin_loss")  # fmt: skip


def _loss(scene: Scene, operation: Operation) -> Found | None:
    a, b = operation.tensor(0, "input"), operation.tensor(1, "target")
    if a is None or b is None or a.sizes is None or b.sizes is None:
        return None
    if operation.name in _ELEMENTWISE_LOSSES and a.sizes != b.sizes:
        return _pair(scene, a, b, f"{operation.name} compares them element by element", _same_shape(a, b))
    if operation.name not in ("cross_entropy", "nll_loss") or not a.sizes:
        return None
    expected = (a.sizes[0], *a.sizes[2:]) if len(a.sizes) > 1 else ()
    if b.sizes == expected or (b.sizes == a.sizes and b.is_float()):
        return None
    begin = f"{a.name} is {shape(a.sizes)}, so {operation.name} wants labels of {shape(expected)}, but {b.name} is {shape(b.sizes)}"
    return scene.found(begin, a, b, suggestion=_fitting_labels(a, b, expected))


def _fitting_labels(a: Operand, b: Operand, expected: tuple[int, ...]) -> str:
    sizes, labels = a.sizes or (), b.sizes or ()
    if (*expected, 1) == labels:
        return f"{b.written}.squeeze(-1)"
    if len(labels) == len(sizes) and len(labels) > 1 and labels[1] == 1 and (labels[0], *labels[2:]) == expected:
        return f"{b.written}.squeeze(1)"
    if len(sizes) > 2 and sizes[:-1] == labels:
        return f"{a.written}.transpose(1, -1): the classes stand in dimension 1"
    if labels == sizes:
        return f"{b.written}.argmax(1), or {b.written}.float() if they are probabilities"
    if prod(labels) == prod(expected):
        return f"{b.written}.reshape({', '.join(map(str, expected))})"
    if sizes and labels and sizes[0] != labels[0]:
        return f"the batches differ: {sizes[0]} and {labels[0]}"
    return ""


def _same_shape(a: Operand, b: Operand) -> str:
    first, second = a.sizes or (), b.sizes or ()
    if first == (*second, 1):
        return f"{b.written}.unsqueeze(-1), or {a.written}.squeeze(-1)"
    if (*first, 1) == second:
        return f"{a.written}.unsqueeze(-1), or {b.written}.squeeze(-1)"
    return f"{b.written}.view_as({a.written})" if prod(first) == prod(second) else ""


def _elementwise(scene: Scene, operation: Operation) -> Found | None:
    """The first pair of operands that does not broadcast."""
    if not operation.name[:1].islower():  # a class is made
        return None
    known = [one for one in operation.operands() if one.sizes is not None]
    for at, a in enumerate(known):
        for b in known[at + 1 :]:
            wrong = rules.clash(a.sizes or (), b.sizes or ())
            if wrong is None or _takes_other_shapes(operation):
                continue
            first, second = (a.sizes or ())[wrong], (b.sizes or ())[wrong]
            same = len(a.sizes or ()) == len(b.sizes or ())
            where = (
                f"dimension {len(a.sizes or ()) + wrong}"
                if same
                else "the last dimension"
                if wrong == -1
                else f"dimension {wrong} from the end"
            )
            why = f"{where} is {first} and {second}, which do not broadcast"
            return _pair(scene, a, b, why, _broadcasting(a, b))
    unknown = [one for one in operation.operands() if one.sizes is None]
    if operation.name == "elementwise" and unknown and scene.failing.is_exact:
        both = operation.operands()
        return _from_message(scene, operation, both[0], both[-1])
    return None


def _takes_other_shapes(operation: Operation) -> bool:
    """Whether an operation's tensors need not broadcast."""
    names = (
        "getitem",
        "setitem",
        "embedding",
        "gather",
        "scatter",
        "index_select",
        "cat",
        "stack",
        "conv",
        "matmul",
        "linear",
    )
    return operation.name.startswith(names)


def _broadcasting(a: Operand, b: Operand) -> str:
    first, second = a.sizes or (), b.sizes or ()
    for one, sizes, other in ((a, first, second), (b, second, first)):
        if len(sizes) == 1 and len(other) > 1 and sizes[0] in other[:-1] and sizes[0] != other[-1]:
            ones = len(other) - 1 - other.index(sizes[0])
            return f"{one.written}[{', '.join([':', *['None'] * ones])}]"
    return f"{b.written}.T" if len(first) == 2 and second == first[::-1] else ""


def _from_message(scene: Scene, operation: Operation, a: Operand, b: Operand) -> Found | None:
    """Operands of which only the message tells the shapes."""
    told = sides(scene.text)
    if told is None:
        names = " and ".join(f"{one.name} {_shape(one)}" if one.sizes is not None else one.name for one in (a, b))
        return scene.found(f"{names} do not fit: {_first_line(scene)}", a, b)
    facts = [
        f"{one.name} is {_shape(one)}" if one.sizes is not None else f"{one.name} has {size} in dimension {told[2]}"
        for one, size in zip((a, b), told)
    ]
    title = f"{' and '.join(facts)}: dimension {told[2]} is {told[0]} and {told[1]}, which do not broadcast"
    return scene.found(
        title,
        *(
            one if one.sizes is not None else (one.name, f"{size} in dimension {told[2]}")
            for one, size in zip((a, b), told)
        ),
    )


def _told_by_message(scene: Scene) -> Found:
    known = [one for one in scene.operands() if one.sizes is not None]
    if scene.layer is not None:
        inputs = [one for one in scene.layer.inputs if one.sizes is not None]
        if inputs:
            return scene.found(
                f"{inputs[0].name} is {_shape(inputs[0])}, which does not fit {scene.layer.title}: {_first_line(scene)}",
                *inputs,
            )
    told = ", ".join(f"{one.name} is {_shape(one)}" for one in known[:3])
    return scene.found(f"{told}: {_first_line(scene)}" if told else _first_line(scene), *known[:6])


def _first_line(scene: Scene) -> str:
    return short_message(scene.text)


def short_message(text: str) -> str:
    line = text.strip().splitlines()[0] if text.strip() else ""
    return line if len(line) <= 160 else line[:159] + "…"


def _shape(one: Operand) -> str:
    return "of unknown shape" if one.sizes is None else shape(one.sizes)
