"""All that is known of a failure: the user's line, the operations that may have failed, the layer that was running."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from ...measure.torch.metadata import is_tensor
from ...measure.torch.modules import Member, is_module, members
from ...safe.budget import Budget, Steps
from ...safe.guard import SEQUENCES, class_name
from ..findings.classes import methods_of
from ..findings.finding import Found
from ..step.expressions import is_name, text_of
from ..step.source import Source
from ..step.step import Step
from .errors import is_assertion, kind_of
from .operand import UNKNOWN, Operand, operand, short
from .operation import FailingLine, Operation, library_call
from .samples import parts_of, samples
from .trace import Place, message, views
from .wanted import layer_words

_CALLS = ("_wrapped_call_impl", "_call_impl")
#: Modules of torch whose functions are what users call; others are how torch does it.
_PUBLIC = (
    "torch.nn.",
    "torch.functional",
    "torch._tensor",
    "torch.utils.data",
    "torch.autograd",
    "torch.distributions",
)
_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>")
_TIME = 400  #: milliseconds for all that is in sight


class Layer:
    """A module of torch that was running when its forward failed.

    ``name`` is how the user reaches it, None where it has no name; ``inside`` is its place in the whole model;
    ``given`` is its first argument, whatever it is.
    """

    __slots__ = ("given", "inputs", "inside", "module", "name", "words")

    def __init__(self, module: Any, name: str | None, inside: str | None, inputs: list[Operand], given: Any) -> None:
        self.module = module
        self.given = given
        self.name = name
        self.inside = inside
        self.inputs = inputs
        self.words = layer_words(module)

    @property
    def title(self) -> str:
        return self.words if self.name is None else f"{self.name} ({self.words})"

    def fact(self) -> str:
        return self.words if self.inside is None else f"{self.words}, {self.inside}"

    def tensors(self) -> list[Operand]:
        """Its parameters and buffers."""
        member = Member(self.module, "", "", None)
        name = self.name or class_name(type(self.module))
        own = [*member.part("_parameters"), *member.part("_buffers")]
        return [found for suffix, tensor in own if (found := operand(name + suffix, tensor)) is not None]


class Scene:
    def __init__(self, error: BaseException, trace: list[Place], budget: Budget) -> None:
        self.error = error
        self.kind = kind_of(error)
        self.message = message(error)
        self.trace = trace
        self.budget = budget
        self.at = _last(trace, lambda place: not place.is_of_library(), len(trace) - 1)
        self.here = trace[self.at]
        self.user = trace[_last(trace[: self.at + 1], lambda place: not place.is_installed(), self.at)]
        has_file = not self.user.file.startswith("<") or self.user.file.startswith("<ipython")
        self.line = (self.user.file, self.user.lineno) if has_file else None
        is_inside = self.here.function in _COMPREHENSIONS and self.at > 0
        self.failing = FailingLine(self.here, trace[self.at - 1] if is_inside else None)
        self.step = Step(
            views(trace, self.at), Budget(min(_TIME, budget.remaining_ms())), thorough=False, grad_mode=True
        )
        self.names: dict[int, str] = {id(known.value): known.name for known in self.failing.tensors()}
        self.call = self._called()
        self._name_arguments()
        self._name_samples()
        self.layer = self._layer()
        self.operations = list(self._operations())

    def is_raised_by_user(self) -> bool:
        """Whether the program raised it itself, in words that only sound like torch's."""
        return (
            not self._library()
            and not self.here.is_installed()
            and isinstance(self.failing.statement, (ast.Raise, ast.Assert))
            and (isinstance(self.failing.statement, ast.Raise) or is_assertion(self.error))
        )

    # What was running

    def _library(self) -> list[Place]:
        """The library's frames below the failing line, the outermost first."""
        return self.trace[self.at + 1 :]

    def _called(self) -> ast.Call | None:
        """The call in the failing line that led into the library."""
        module = next((_own_module(place) for place in self._library() if _own_module(place) is not None), None)
        calls = list(self.failing.calls())
        if module is not None:
            for call in calls:
                if self.failing.reader.value(call.func) is module:
                    return call
        if self.failing.is_exact:
            return calls[0] if calls and calls[0] in self.failing.nodes else None
        running = self._library()[:1]
        named = [call for call in calls if text_of(call.func).rpartition(".")[2] in _names_of(running)]
        return (named or calls)[0] if len(named or calls) == 1 else None

    def _name_arguments(self) -> None:
        """The arguments of the call are called inside the library what the user wrote."""
        library = self._library()
        if not library or self.call is None:
            return
        first, written = library[0], [*self.call.args]
        if first.function in _CALLS:  # of a module: it has its arguments as they were given
            given: Any = first.variables.get("args")
            values: dict[Any, Any] = dict(enumerate(given)) if type(given) is tuple else {}
            named: Any = first.variables.get("kwargs")
            values.update(named if type(named) is dict else {})
        else:
            values = dict(first.arguments())
            if "self" in values and isinstance(self.call.func, ast.Attribute):
                written.insert(0, self.call.func.value)
        if not any(isinstance(node, ast.Starred) for node in written):
            for value, node in zip(values.values(), written):
                self._name(value, node)
        for keyword in self.call.keywords:
            if keyword.arg in values:
                self._name(values[keyword.arg], keyword.value)

    def _name_samples(self) -> None:
        """The samples that a loader was putting together are called by their numbers in the dataset."""
        fetch = next((place for place in self._library() if place.function == "fetch"), None)
        if fetch is None:
            return
        known = self.step_names()
        for name, sample in samples(fetch):
            for part, value in parts_of(name, sample):
                if is_tensor(value) and id(value) not in known:
                    self.names.setdefault(id(value), part)

    def _name(self, value: Any, node: ast.AST) -> None:
        known = self.failing.reader.value(node)
        if is_tensor(value) and (known is None or known is value):  # a library may use the name for something else
            self.names.setdefault(id(value), short(text_of(node).replace("'", '"')))
        elif type(value) in SEQUENCES:
            items = node.elts if isinstance(node, (ast.List, ast.Tuple)) else []
            for index, item in enumerate(value[:200]):
                if index < len(items):
                    self._name(item, items[index])
                elif is_tensor(item) and is_name(node):
                    self.names.setdefault(id(item), f"{short(text_of(node))}[{index}]")

    def _layer(self) -> Layer | None:
        running = [place for place in self._library() if _own_module(place) is not None]
        if not running:
            return None
        module, outermost = _own_module(running[-1]), _own_module(running[0])
        forward = next(
            (place for place in running if _own_module(place) is module and place.function == "forward"), running[-1]
        )
        written = self._written(outermost)
        path = self._path(outermost, module)
        name = None if written is None or path is None else written + path
        if name is None and id(module) in self.step.members:
            name = self.step.members[id(module)][0]
        values = {key: value for key, value in forward.arguments().items() if key != "self"}
        inputs = list(self._inputs(values, name or class_name(type(module))))
        return Layer(module, name, self._inside(module, name), inputs, next(iter(values.values()), UNKNOWN))

    def _written(self, module: Any) -> str | None:
        """How the failing line reaches a module whose method it calls."""
        func = None if self.call is None else self.call.func
        reached = (
            func.value if isinstance(func, ast.Attribute) and self.failing.reader.value(func.value) is module else func
        )
        return text_of(reached).replace("'", '"') if reached is not None and is_name(reached) else None

    def _inputs(self, values: dict[str, Any], layer: str) -> Iterator[Operand]:
        for at, (parameter, value) in enumerate(values.items()):
            if is_tensor(value):
                what = "the input" if at == 0 else parameter
                name = self.name_of(value)
                found = operand(name or f"{what} of {layer}", value)
                if found is not None:
                    found.is_written = name is not None
                    yield found
            elif type(value) in SEQUENCES:
                below = {f"{parameter}[{index}]": item for index, item in enumerate(value[:8])}
                yield from self._inputs({"": None, **below}, layer)

    def _path(self, outer: Any, inner: Any) -> str | None:
        """How one reaches a module from another."""
        found = members(outer, Steps(self.budget))
        return next((member.path for member in found if member.module is inner), None)

    def _inside(self, module: Any, name: str | None) -> str | None:
        """Where a module stands in the outermost model whose forward is running."""
        for place in self.trace:
            root = _own_module(place, in_library=False)
            if root is None or root is module:
                continue
            for member in members(root, Steps(self.budget)):
                if member.module is module:
                    return None if (name or "").endswith(member.path) else f"{member.name} of {class_name(type(root))}"
        return None

    def _operations(self) -> Iterator[Operation]:
        """What may have failed: the library's function nearest to it, then what stands in the failing line."""
        below = [
            place for place in self._library() if place.module.startswith(_PUBLIC) and place.function not in _CALLS
        ]
        layers = [at for at, place in enumerate(below) if _own_module(place) is not None]
        inner = below[layers[-1] + 1 :] if layers else below
        names = {**self.step_names(), **self.names}
        making_batches = [place for place in inner if place.module.startswith("torch.utils.data")]
        for place in [*reversed(making_batches), *inner[:1], *(below[at] for at in layers[-1:])]:
            found = library_call(place, names)
            if found.operands():
                yield found
        yield from self.failing.operations()

    # Names

    def step_names(self) -> dict[int, str]:
        return {key: names[0] for key, names in self.step.names.items()}

    def name_of(self, value: Any) -> str | None:
        return self.names.get(id(value)) or self.step.name_of(value)

    # What is told

    def operands(self) -> list[Operand]:
        """The operands that are known, each tensor once: of the layer, the operations, and named in the line."""
        found = [*(self.layer.inputs if self.layer is not None else ())]
        for operation in self.operations:
            found += operation.operands()
        found += self.failing.tensors()
        kept: dict[Any, Operand] = {}
        for one in found:
            kept.setdefault(id(one.value) if one.value is not None else one.name, one)
        return [one for one in kept.values() if one.sizes is not None or one.dtype is not None]

    def named(self) -> Iterator[tuple[str, Any]]:
        """The names, attributes and items of the failing line, with what they stand for."""
        for node in self.failing.below():
            if is_name(node):
                yield text_of(node).replace("'", '"'), self.failing.reader.read(node)

    @property
    def called(self) -> str:
        """What the failing line calls: a layer by its title, a function by its name."""
        if self.layer is not None:
            return self.layer.title
        if self.call is not None:
            return text_of(self.call.func).rpartition(".")[2]
        return short(text_of(self.failing.nodes[0])) if self.failing.is_exact else "this line"

    def written(self) -> Iterator[tuple[str, Any]]:
        """What the failing operation, or the call into the library, was given: the texts, with what they stand for."""
        exact = self.failing.nodes if self.failing.is_exact else []
        for node in dict.fromkeys([*exact, *([] if self.call is None else [self.call]), *self.failing.nodes]):
            for given in _given(node):
                yield short(text_of(given).replace("'", '"')), self.failing.reader.read(given)

    def none_words(self, text: str) -> str:
        """``None``, and which function returned nothing, where a name was given its result."""
        known = self.step.sources[0].value_of(text.replace('"', "'"))
        node = None if known is None else getattr(known[1], "value", None)
        called = node.func if isinstance(node, ast.Call) else None
        made = called.func if isinstance(called, ast.Call) else None  # a module that is made and called at once
        function = _silent(self.failing.reader.value(called)) or _silent(self.failing.reader.value(made))
        return "None" if function is None else f"None: {function} returns nothing"

    def named_in_line(self) -> list[tuple[str, str]]:
        return [(one.name, one.fact) for one in self.failing.tensors()]

    def found(
        self, title: str, *operands: Operand | tuple[str | None, str] | None, suggestion: str = "", certain: bool = True
    ) -> Found:
        """A finding with its evidence: what the title is about, the layer, then what else the failing line names."""
        facts = [_evidence(one) for one in operands if one is not None]
        if facts:
            facts[0] = (facts[0][0], facts[0][1] + self._made(facts[0][0]))
        if self.layer is not None and self.layer.name is not None:
            facts.append((self.layer.name, self.layer.fact()))
        facts += self.named_in_line()
        kept: dict[str, tuple[str | None, str]] = {}
        for fact in facts:
            kept.setdefault(fact[0] or fact[1], fact)
        return Found(title, *list(kept.values())[:8], line=self.line, suggestion=suggestion, certain=certain)

    def pair(self, a: Operand, b: Operand, why: str, suggestion: str = "") -> Found:
        """Two operands that do not fit together."""
        return self.found(f"{a.name} is {a.shape} and {b.name} is {b.shape}: {why}", a, b, suggestion=suggestion)

    def _made(self, name: str | None) -> str:
        """The line above the failing one in which a name got its value."""
        source = self.step.sources[0]
        known = source.line_of(name)
        line = 0 if known is None or name is None else known[1]
        failing = getattr(self.failing.statement, "lineno", self.here.lineno)
        later = [at for at, _ in source.bound(name or "") if at >= failing]  # it may be of the turn before
        for first, last in source.loops:
            if first <= failing <= last and not first <= line < failing and any(at <= last for at in later):
                return ""
        return f", from line {line}" if line > 0 and not failing <= line <= self.here.lineno else ""

    def in_sight(self) -> list[Operand]:
        """The tensors in sight, those of the failing frame first."""
        return [found for thing in self.step.tensors if (found := operand(thing.name, thing.value)) is not None]

    def device_tensors(self) -> list[Operand]:
        """All tensors that took part, the layer's own among them."""
        return [*self.operands(), *(self.layer.tensors() if self.layer is not None else ())]


def _names_of(running: list[Place]) -> list[str]:
    """How a user calls the function that is running: by its name, or by that of the class that it makes."""
    made = [class_name(type(place.variables.get("self"))) for place in running if place.function == "__init__"]
    return [place.function for place in running] + made


def _given(node: ast.AST) -> list[ast.AST]:
    """What an operation is done with."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.AugAssign):
        return [node.target, node.value]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Subscript):
        return [node.value]
    if isinstance(node, ast.Call):
        receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else [node.func]
        return [*receiver, *node.args, *(keyword.value for keyword in node.keywords)]
    return []


def _silent(called: Any) -> str | None:
    """A function of the user's, or a module's forward, that returns nothing, by its name."""
    if type(called) is FunctionType:
        sources = [(called.__name__, Source(called.__code__, 0))]
    elif is_module(called) or issubclass(type(called), type):
        cls = called if issubclass(type(called), type) else type(called)
        sources = [(f"{class_name(cls)}.forward", one) for name, one in methods_of(cls) if name == "forward"][:1]
    else:
        return None
    return next((name for name, one in sources if one.body and not any(each.value for each in one.returns)), None)


def _evidence(one: Operand | tuple[str | None, str]) -> tuple[str | None, str]:
    return (one.name, one.fact) if type(one) is Operand else one


def _last(trace: list[Place], holds: Any, otherwise: int) -> int:
    return next((at for at in range(len(trace) - 1, -1, -1) if holds(trace[at])), otherwise)


def _own_module(place: Place, in_library: bool = True) -> Any:
    """The module whose method a frame runs."""
    names = place.frame.f_code.co_varnames
    if not names or names[0] != "self" or (in_library and not place.is_of_library()):
        return None
    found = place.variables.get("self")
    return found if found is not None and is_module(found) else None
