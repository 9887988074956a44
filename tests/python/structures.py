"""A test program written in other structures: as a script, in a function, in a class, and with names that mean nothing.

A program of the tests is a function ``train(stop)``, often with a class of its own in it. It is first written as a
script: what such a class does stands at the top level. The other structures are made of that script.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from renamed import Renamed, attributes_of, bound_in, neutral, uses_of

STRUCTURES = ("script", "function", "class", "neutral")


class NotWritten(Exception):
    """Why a program can't be written in a structure."""


def in_structure(text: str, structure: str) -> str:
    """A program in a structure. What it calls ``stop`` is to be a global of its module."""
    module = ast.parse(text)
    head = [part for part in module.body if isinstance(part, (ast.Import, ast.ImportFrom, ast.Expr))]
    body = next(part.body for part in module.body if isinstance(part, ast.FunctionDef) and part.name == "train")
    script = _flat(body)
    if structure == "function":
        script = _in_function(script)
    elif structure == "class":
        script = _in_class(script)
    elif structure == "neutral":
        script = neutral(script)
    written = ast.Module([*head, *script], [])
    return ast.unparse(ast.fix_missing_locations(written)) + "\n"


# The script


def _flat(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements with what an object of a class without bases does written at the top level."""
    for part in list(body):
        if isinstance(part, ast.ClassDef) and not part.bases and not part.decorator_list and _makes_parts(part):
            body = _without_class(body, part)
    for part in list(body):
        if isinstance(part, ast.FunctionDef):
            body = _without_function(body, part)
    if isinstance(body[-1], ast.Return) and body[-1].value is not None:
        body = [*body[:-1], ast.Expr(body[-1].value)]
    return body


def _makes_parts(cls: ast.ClassDef) -> bool:
    """Whether it holds, or trains, a model; a plain object with settings is none."""
    return any(isinstance(part, ast.FunctionDef) and part.name != "__init__" for part in cls.body)


def _without_class(body: list[ast.stmt], cls: ast.ClassDef) -> list[ast.stmt]:
    made = list(_calls_in(body, cls.name))
    if len(made) != 1 or len(list(uses_of(body, cls.name))) != 1:
        raise NotWritten(f"{cls.name} has several objects")
    methods = {part.name: part for part in cls.body if isinstance(part, ast.FunctionDef)}
    taken = {
        *bound_in(body),
        *(name for part in methods.values() for name in (*bound_in(part.body), *_arguments(part))),
    }
    own = {name: f"own_{name}" if name in taken else name for name in [*attributes_of(cls), *methods]}
    own["__call__"] = "call"
    first = methods.pop("__init__", None)
    begin: list[ast.stmt] = []
    if first is not None:
        begin = [*_given(first, made[0], skip=1), *(_without_self(part, own) for part in first.body)]
    functions = [_as_function(part, own) for part in methods.values()]
    at = next(at for at, part in enumerate(body) if any(node is made[0] for node in ast.walk(part)))
    replaced: list[ast.stmt] = []
    for number, part in enumerate(body):
        if part is cls:
            continue
        if number == at:
            replaced += [*begin, *functions]
            if isinstance(part, ast.Assign) and part.value is made[0]:
                instance = ast.unparse(part.targets[0])
                continue
            instance = ""
        replaced.append(_WithoutObject(instance if number >= at else "", made[0], own).visit(part))
    return replaced


def _calls_in(body: list[ast.stmt], name: str) -> Iterator[ast.Call]:
    for node in (node for part in body for node in ast.walk(part)):
        if isinstance(node, ast.Call) and _calls(node, name):
            yield node


def _calls(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _arguments(function: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]


def _given(function: ast.FunctionDef, call: ast.Call, skip: int = 0) -> list[ast.stmt]:
    """The assignment of what a call gives to the arguments of a function."""
    names = _arguments(function)[skip:]
    values: dict[str, ast.expr] = dict(zip(names[len(names) - len(function.args.defaults) :], function.args.defaults))
    values.update(zip(names, call.args))
    values.update({one.arg: one.value for one in call.keywords if one.arg is not None})
    given = [(name, values[name]) for name in names if ast.unparse(values[name]) != name]
    if not given:
        return []
    targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name, _ in given]
    if len(given) == 1:
        return [ast.Assign([targets[0]], given[0][1])]
    return [ast.Assign([ast.Tuple(targets, ast.Store())], ast.Tuple([value for _, value in given], ast.Load()))]


class _WithoutObject(ast.NodeTransformer):
    """``engine.turn`` and ``Engine().turn`` become ``turn``."""

    def __init__(self, instance: str, made: ast.Call, own: dict[str, str]) -> None:
        self._instance = instance
        self._made = made
        self._own = own

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        is_made = node.value is self._made
        is_named = isinstance(node.value, ast.Name) and node.value.id == self._instance
        if (is_made or is_named) and node.attr in self._own:
            return ast.Name(self._own[node.attr], node.ctx)
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        is_named = isinstance(node.func, ast.Name) and node.func.id == self._instance
        if node.func is self._made or is_named:
            node.func = ast.Name("call", ast.Load())
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == self._instance:
            raise NotWritten(f"{node.id} is used as a value")
        return node


class _WithoutSelf(ast.NodeTransformer):
    def __init__(self, own: dict[str, str]) -> None:
        self._own = own

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            return ast.Name(self._own[node.attr], node.ctx)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == "self":
            raise NotWritten("self is used as a value")
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        return node


def _without_self(part: ast.stmt, own: dict[str, str]) -> ast.stmt:
    return _WithoutSelf(own).visit(part)  # type: ignore[no-any-return]


def _as_function(method: ast.FunctionDef, own: dict[str, str]) -> ast.FunctionDef:
    assigned = sorted(own[name] for name in attributes_of(method))
    body = [_without_self(part, own) for part in method.body]
    if assigned:
        body.insert(0, ast.Global(assigned))
    method.args.args = method.args.args[1:]
    method.body, method.name = body, own[method.name]
    return method


def _without_function(body: list[ast.stmt], function: ast.FunctionDef) -> list[ast.stmt]:
    """With the body of a function in the place of its only call, where that is a statement of its own."""
    places = [place for place in _blocks(body) for part in place if _is_call_of(part, function.name)]
    returns = [node for node in ast.walk(function) if isinstance(node, (ast.Return, ast.Yield, ast.Nonlocal))]
    is_last = all(node is function.body[-1] for node in returns)
    if len(places) != 1 or len(list(uses_of(body, function.name))) != 1 or not is_last or function.decorator_list:
        return body
    place = places[0]
    at = next(at for at, part in enumerate(place) if _is_call_of(part, function.name))
    call: ast.Call = place[at].value  # type: ignore[attr-defined]
    inner = [part for part in function.body if not isinstance(part, ast.Global)]
    if returns:
        inner[-1] = ast.Expr(inner[-1].value)  # type: ignore[attr-defined]
    place[at : at + 1] = [*_given(function, call), *inner]
    return [part for part in body if part is not function]


def _blocks(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """The statements of the top level and of its loops, conditions and ``with`` blocks."""
    yield body
    for part in body:
        if isinstance(part, (ast.For, ast.While, ast.With, ast.If)):
            yield from _blocks(part.body)


def _is_call_of(part: ast.stmt, name: str) -> bool:
    return isinstance(part, ast.Expr) and _calls(part.value, name)


# The structures


def _in_function(script: list[ast.stmt]) -> list[ast.stmt]:
    """All in a function that another one calls; classes and functions that use none of its variables stand before it."""
    local = set(bound_in(part for part in script if not isinstance(part, (ast.FunctionDef, ast.ClassDef))))
    outside, inside = _apart(script, local)
    assigned = set[str]()
    for part in inside:
        for node in ast.walk(part):
            if isinstance(node, ast.FunctionDef) and isinstance(node.body[0], ast.Global):
                node.body[0] = ast.Nonlocal(node.body[0].names)
                assigned.update(node.body[0].names)
    unbound = [ast.parse(f"{name} = None").body[0] for name in sorted(assigned - local)]
    return [
        *outside,
        _function("fit", [], [*unbound, *inside]),
        _function("main", [], ast.parse("fit()").body),
        *ast.parse("main()").body,
    ]


def _apart(script: list[ast.stmt], local: set[str]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Definitions and imports that need none of the variables, and all the rest."""
    outside, local = [], set(local)
    changed = True
    while changed:
        outside = [part for part in script if _is_definition(part) and not _uses(part, local)]
        inner = {
            part.name for part in script if isinstance(part, (ast.FunctionDef, ast.ClassDef)) and part not in outside
        }
        changed = not inner <= local
        local |= inner
    return outside, [part for part in script if part not in outside]


def _is_definition(part: ast.stmt) -> bool:
    return isinstance(part, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom))


def _uses(part: ast.stmt, names: set[str]) -> bool:
    return any(next(uses_of([part], name), None) is not None for name in names)


def _function(name: str, arguments: list[str], body: list[ast.stmt]) -> ast.FunctionDef:
    made = ast.parse(f"def {name}({', '.join(arguments)}): pass").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.body = body or made.body
    return made


def _in_class(script: list[ast.stmt]) -> list[ast.stmt]:
    """A class: ``__init__`` makes the parts, which are attributes, ``fit`` has all the rest, functions are methods."""
    functions = [part for part in script if isinstance(part, ast.FunctionDef)]
    top = [one for part in script if not isinstance(part, ast.FunctionDef) for one in _singly(part)]
    until, parts = _setup(top)
    setup, rest = top[:until], top[until:]
    held = set(bound_in(part for part in setup if not _is_definition(part)))
    for function in functions:
        held |= {name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names}
    used = {name for name in held if name in parts or _uses_any([*rest, *functions], name)}
    methods = [part for part in functions if _uses(part, {*used, *(one.name for one in functions)})]
    attributes = {*used, *(part.name for part in methods)}
    outside = [part for part in [*setup, *rest] if _is_definition(part)] + [
        one for one in functions if one not in methods
    ]
    if any(_uses(part, attributes) for part in outside):
        raise NotWritten("a class uses a part")
    renamed = Renamed({name: f"self.{name}" for name in attributes})
    inside = [
        _function("__init__", ["self"], [renamed.statement(part) for part in setup if not _is_definition(part)]),
        *(_as_method(part, renamed) for part in methods),
        _function("fit", ["self"], [renamed.statement(part) for part in rest if not _is_definition(part)]),
    ]
    trainer = ast.parse("class Trainer: pass").body[0]
    assert isinstance(trainer, ast.ClassDef)
    trainer.body = inside
    return [*outside, trainer, *ast.parse("Trainer().fit()").body]


def _uses_any(parts: list[ast.stmt], name: str) -> bool:
    return next(uses_of(parts, name), None) is not None


def _as_method(function: ast.FunctionDef, renamed: Renamed) -> ast.stmt:
    function.body = [part for part in function.body if not isinstance(part, ast.Global)]
    made = renamed.statement(function)
    assert isinstance(made, ast.FunctionDef)
    made.name = made.name.removeprefix("self.")
    made.args.args.insert(0, ast.arg("self"))
    return made


def _singly(part: ast.stmt) -> list[ast.stmt]:
    """``a, b = f(), g()`` as two statements, unless one needs the other as it was."""
    if not isinstance(part, ast.Assign) or len(part.targets) != 1:
        return [part]
    target, value = part.targets[0], part.value
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple) or len(target.elts) != len(value.elts):
        return [part]
    if any(_uses(ast.Expr(value), {ast.unparse(one)}) for one in target.elts):
        return [part]
    return [ast.Assign([one], made) for one, made in zip(target.elts, value.elts)]


def _setup(top: list[ast.stmt]) -> tuple[int, set[str]]:
    """How many statements make the parts, as models and optimizers, before the first that trains; and their names."""
    classes = {part.name for part in top if isinstance(part, ast.ClassDef) and part.bases}
    until, names = 0, set[str]()
    for at, part in enumerate(top):
        attributes = (node.attr for node in ast.walk(part) if isinstance(node, ast.Attribute))
        if not _is_definition(part) and "backward" in attributes:
            break
        if isinstance(part, ast.Assign) and any(_is_part(node, classes, names) for node in _outer(part.value)):
            names |= set(bound_in([part]))
            until = at + 1
    return until, names


def _outer(node: ast.expr) -> Iterator[ast.expr]:
    """An expression, and what it is made of by lists and methods."""
    yield node
    if isinstance(node, (ast.Tuple, ast.List)):
        for item in node.elts:
            yield from _outer(item)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
        yield from _outer(node.func.value)
    elif isinstance(node, ast.GeneratorExp):
        yield from _outer(node.elt)


def _is_part(node: ast.expr, classes: set[str], names: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in names
    if not isinstance(node, ast.Call):
        return False
    owner, _, name = ast.unparse(node.func).rpartition(".")
    return (
        name in classes
        or name == "deepcopy"
        or (owner not in ("F", "nn.init") and name[:1].isupper() and name != "Size")
    )
