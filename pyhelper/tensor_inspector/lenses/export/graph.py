"""The graph of a module in a run: operations by which a tensor in sight was computed with it; else its tree."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ...measure.torch.graph import MAX_NODES, VIEWS, Graph
from ...measure.torch.metadata import dtype_name, is_exact_tensor, shape_of
from ...measure.torch.modules import Member, is_module, members
from ...safe.budget import Budget, Steps
from ...safe.guard import class_attribute, class_name, module
from ...safe.record import Record

if TYPE_CHECKING:
    from ...kinds import Child
    from ...measure.torch.node import AutogradNode
    from ..step.step import Step

    Path = tuple[str, ...]

_AT_ONCE = 500  #: nodes
_SLICE = 20  #: milliseconds in which the graph is walked on
_ASKED = 50  #: tensors in sight, of which it is looked with how many parameters of the module they were computed
_RESERVED = str.maketrans({"/": "_", ":": "_", "^": "_"})  #: what has a meaning in the names of nodes


class NodeOfRun(Record):
    """A node of a graph. Names of ``inputs`` are those of nodes before it. ``variable`` holds what it has made."""

    name: str
    op: str
    inputs: list[str]
    shape: tuple[int, ...] | None
    dtype: str
    variable: str


def graph_of(asked: Child, step: Step | None) -> Generator[None, None, list[NodeOfRun]]:
    """Makes the nodes, each behind those that it takes, in steps. Nothing of the program's runs for it."""
    tree = list(members(asked.value, Steps(Budget())))
    computed = None if step is None else (yield from _computed_with(tree, step))
    if computed is not None and step is not None:
        nodes = _OperationsOfRun(asked.name, tree, step, computed).nodes()
    else:
        nodes = _TreeOfRun(asked.name, tree[0]).nodes()
    found: list[NodeOfRun] = []
    for node in nodes:
        found.append(node)
        if len(found) % _AT_ONCE == 0:
            yield
    return found


def notes_of(step: Step | None) -> Generator[None, None, list[str]]:
    """Looks, in steps, whether there are more operations in sight than are walked through, and says what is written."""
    if step is None:
        return []
    yield from _grow(step.graph)
    why = f"of a graph of more than {MAX_NODES:,} nodes those are written that are nearest to the tensors in sight"
    return [why] if step.graph.full else []


def _grow(graph: Graph) -> Generator[None, None, None]:
    while not graph.grow(Budget(_SLICE)):
        yield


def _computed_with(tree: list[Member], step: Step) -> Generator[None, None, AutogradNode | None]:
    """The node of the tensor in sight that was computed with most parameters of a module, by the longest way."""
    yield from _grow(step.graph)
    own = {id(tensor) for member in tree for _, tensor in member.parameters()}
    tensors = [*(loss.tensor for loss in step.losses), *(variable.value for variable in step.tensors)]
    asked = {node.index: node for node in map(step.node_of, tensors) if node is not None and node.leaf is None}
    best, most = None, (0, 0)
    for node in list(asked.values())[:_ASKED]:
        found = sum(id(leaf) in own for leaf in step.graph.leaves(node))
        reached = found, step.graph.size_below(node) if found else 0
        if reached > most:
            best, most = node, reached
        yield
    return best


class _NodeNames:
    """Gives each node a name that no other has."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def name(self, scope: Path, last: str) -> str:
        wanted = "/".join(part.translate(_RESERVED) or "_" for part in (*scope, last))
        name = wanted
        while name in self._taken:
            self._taken[wanted] += 1
            name = f"{wanted}_{self._taken[wanted]}"
        self._taken[name] = 0
        return name


class _OperationsOfRun:
    """The autograd graph below a node. An operation stands in the module whose parameters it takes; one without any in
    the innermost module that has all that are nearest above and below it."""

    def __init__(self, name: str, tree: list[Member], step: Step, root: AutogradNode) -> None:
        self._graph: Graph = step.graph
        self._step = step
        self._ordered = _ordered(self._graph, root)
        self._parameters: dict[int, tuple[Path, str]] = {}
        self._without_parts: set[Path] = set()  #: paths of modules that have none below them
        for member in tree:
            path = _path(name, member)
            for key, tensor in member.items("_parameters"):
                self._parameters.setdefault(id(tensor), (path, key))
            if not any(True for _ in member.below()):
                self._without_parts.add(path)
        self._given: dict[int, Path] = {}  #: modules of what is made of their parameters alone
        self._owned: dict[int, Path] = {}  #: modules of operations that take parameters

    def nodes(self) -> Iterator[NodeOfRun]:
        scopes, named, names = self._scopes(), _NodeNames(), dict[int, str]()
        variables = {
            node.index: variable.name for variable in self._step.tensors if (node := self._made(variable.value))
        }
        for node in self._ordered:
            known = None if node.leaf is None else self._parameters.get(id(node.leaf))
            if node.leaf is None:
                last, op = node.op, node.op
            elif known is None:
                last, op = self._step.name_of(node.leaf) or "leaf", "Leaf"
            else:
                last, op = known[1], "Parameter"
            name = names[node.index] = named.name(scopes[node.index], last)
            inputs = list(dict.fromkeys(names[below.index] for below in self._graph.inputs(node)))
            shape = node.sizes() if node.leaf is None else tuple(shape_of(node.leaf))
            dtype = node.dtype_name() if node.leaf is None else dtype_name(node.leaf)
            yield NodeOfRun(name, op, inputs, shape, dtype, variables.get(node.index, ""))

    def _made(self, tensor: Any) -> AutogradNode | None:
        node = self._step.node_of(tensor)
        return None if node is None or node.leaf is not None else node

    def _scopes(self) -> dict[int, Path]:
        for node in self._ordered:
            self._sort_in(node)
        below = self._nearest(self._ordered, lambda node: self._graph.inputs(node))
        users: dict[int, list[AutogradNode]] = {}
        for node in self._ordered:
            for one in self._graph.inputs(node):
                users.setdefault(one.index, []).append(node)
        above = self._nearest(self._ordered[::-1], lambda node: users.get(node.index, ()))
        return {node.index: self._scope(node, below, above) for node in self._ordered}

    def _sort_in(self, node: AutogradNode) -> None:
        if node.leaf is not None:
            known = self._parameters.get(id(node.leaf))
            if known is not None:
                self._given[node.index] = known[0]
            return
        inputs = [self._given.get(below.index) for below in self._graph.inputs(node)]
        there = [path for path in inputs if path is not None]
        if there and len(there) == len(inputs) and node.op in VIEWS and not node.is_custom:
            self._given[node.index] = _common(there)
        elif there:
            self._owned[node.index] = _common(there)

    def _nearest(self, nodes: list[AutogradNode], beside: Any) -> dict[int, Path]:
        """What the nearest modules on one side of each operation have in common, where there are any."""
        found: dict[int, Path] = {}
        for node in nodes:
            paths = [self._owned.get(one.index, found.get(one.index)) for one in beside(node)]
            there = [path for path in paths if path is not None]
            if there:
                found[node.index] = _common(there)
        return found

    def _scope(self, node: AutogradNode, below: dict[int, Path], above: dict[int, Path]) -> Path:
        known = self._given.get(node.index, self._owned.get(node.index))
        if known is not None:
            return known
        if node.index not in below or node.index not in above:
            return ()
        path = _common([below[node.index], above[node.index]])
        return path[:-1] if path in self._without_parts else path


class _TreeOfRun:
    """The modules, each with its parameters and buffers, and with what the modules below it give. One of a plain
    ``Sequential`` takes what the one before gives."""

    def __init__(self, name: str, root: Member) -> None:
        self._name, self._root = name, root
        self._named = _NodeNames()
        self._names: dict[int, str] = {}  #: of modules whose nodes are made, by their ids

    def nodes(self) -> Iterator[NodeOfRun]:
        entered = {id(self._root.module)}
        within = [(self._root, iter(_below(self._root)))]
        while within:
            member, left = within[-1]
            below = next((one for one in left if id(one.module) not in entered), None)
            if below is not None:
                entered.add(id(below.module))
                within.append((below, iter(_below(below))))
                continue
            yield from self._of_module(member)
            within.pop()

    def _of_module(self, member: Member) -> Iterator[NodeOfRun]:
        path, inputs = _path(self._name, member), list[str]()
        for part, op in (("_parameters", "Parameter"), ("_buffers", "Buffer")):
            for key, tensor in member.items(part):
                if is_exact_tensor(tensor):
                    inputs.append(self._named.name(path, key))
                    yield NodeOfRun(inputs[-1], op, [], tuple(shape_of(tensor)), dtype_name(tensor), "")
        parts = [id(one.module) for one in _below(member) if id(one.module) in self._names]
        inputs += self._behind(parts) if _is_chain(member) else dict.fromkeys(self._names[part] for part in parts)
        inputs += self._before(member)
        made = class_name(type(member.module))
        name = self._names[id(member.module)] = self._named.name(path, made)
        yield NodeOfRun(name, made, inputs, None, "", "")

    def _before(self, member: Member) -> list[str]:
        """What stands before it in a ``Sequential``."""
        if member.parent is None or not _is_chain(member.parent):
            return []
        beside = [id(one.module) for one in _below(member.parent)]
        return self._behind(beside[: beside.index(id(member.module))])

    def _behind(self, parts: list[int]) -> list[str]:
        """The last of these, in a ``Sequential``. One that stood there before has a node of then: its own input too."""
        found: list[str] = []
        for at in reversed(range(len(parts))):
            if parts[at] in self._names:
                found.append(self._names[parts[at]])
            if parts[at] not in parts[:at]:
                break
        return list(dict.fromkeys(found))


def _below(member: Member) -> list[Member]:
    return [one for _, one in member.below() if is_module(one.module)]


def _is_chain(member: Member) -> bool:
    """Whether its ``forward`` is that of torch's ``Sequential``."""
    forward = class_attribute(type(member.module), "forward")
    return forward is class_attribute(module("torch").nn.Sequential, "forward")


def _ordered(graph: Graph, root: AutogradNode) -> list[AutogradNode]:
    """The node and all below it, each behind those that it takes."""
    nodes = graph.below(root)
    left = {node.index: sum(1 for _ in graph.inputs(node)) for node in nodes}
    users: dict[int, list[AutogradNode]] = {}
    for node in nodes:
        for below in graph.inputs(node):
            users.setdefault(below.index, []).append(node)
    found: list[AutogradNode] = []
    ready = [node for node in nodes if not left[node.index]]
    while ready:
        node = ready.pop()
        found.append(node)
        for user in users.get(node.index, ()):
            left[user.index] -= 1
            if not left[user.index]:
                ready.append(user)
    return found


def _path(name: str, member: Member) -> Path:
    return (name, *filter(None, member.name.split(".")))


def _common(paths: Iterable[Path]) -> Path:
    """What all begin with."""
    first, *others = paths
    for other in others:
        amount = next((at for at, (a, b) in enumerate(zip(first, other)) if a != b), min(len(first), len(other)))
        first = first[:amount]
    return first
