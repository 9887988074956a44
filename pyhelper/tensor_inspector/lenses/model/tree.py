"""A model as a tree of modules with counts: shared parameters and tied memory count once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ...measure.memory.blocks import MemoryBlocks
from ...measure.torch.codes import codes_in
from ...measure.torch.metadata import is_any_tensor
from ...measure.torch.modules import Member
from ...measure.torch.visits import in_cpp
from ...safe.attributes import traits
from ...safe.budget import Budget, Steps
from ...safe.guard import class_name
from .module_tensor import ModuleTensor
from .submodule import Submodule

if TYPE_CHECKING:
    _Met = list[tuple[int, ModuleTensor, bool]]  #: where memory is held, by what, and whether as a parameter


class ModuleTree:
    """The modules in their order, parents first. `go_on` walks until all were met, or the time is over."""

    def __init__(self, root: Any, path: str | None) -> None:
        self.modules: list[Submodule] = []
        self.tied: list[list[str]] = []  #: names of tensors that are one, or show the same elements
        self._waiting = [(Member(root), "", -1, path)]
        self._first: dict[int, Submodule] = {}
        self._signatures: dict[Hashable, int] = {}

    @property
    def root(self) -> Submodule:
        return self.modules[0]

    def go_on(self, budget: Budget) -> bool:
        steps = Steps(budget)
        while self._waiting:
            if steps.end():
                return False
            self._take(*self._waiting.pop(), budget)
        if not self._signatures:
            self._count()
        return True

    def stop(self) -> None:
        """Counts what was met until now."""
        self._waiting.clear()
        self.go_on(Budget())

    def progress(self) -> float:
        return len(self.modules) / max(1, len(self.modules) + len(self._waiting))

    def _take(self, member: Member, key: str, parent: int, path: str | None, budget: Budget) -> None:
        if in_cpp(member.module) is not None:
            path = None
        found, index = Submodule(member, key, parent, path, budget), len(self.modules)
        self.modules.append(found)
        if parent >= 0:
            self.modules[parent].below.append(found)
        first = self._first.setdefault(id(member.module), found)
        if first is not found:
            found.same = first.name
            return
        inner = None if path is None or traits(type(member.module)).computes else path
        found.parameters = _tensors(member, "_parameters", inner)
        found.packed = sum(class_name(type(item)) == "ScriptObject" for item in member.attributes.values())
        found.buffers = _tensors(member, "_buffers", inner)
        for name, below in reversed(list(member.below())):
            self._waiting.append((below, name, index, None if inner is None else inner + member.suffix(name)))

    def _count(self) -> None:
        by_memory: dict[Hashable, _Met] = {}
        for index, one in enumerate(self.modules):
            for held, is_parameter in self._tensors_inside(one):
                by_memory.setdefault(held.memory, []).append((index, held, is_parameter))
        parents = [one.parent for one in self.modules]
        for block in _overlapping(list(by_memory.values())):
            self._add_bytes(block, parents)
        for met in by_memory.values():
            self._add(met, parents)
            holders = [(self.modules[index], held) for index, held, _ in met]
            names = [_full_name(one, held) for one, held in holders if one.same is None]
            if len(names) > 1:
                self.tied.append(names)
        for index, one in enumerate(self.modules):
            for above in _above([index], parents) if one.packed else ():
                self.modules[above].total.unknown += one.packed
        for one in reversed(self.modules):
            for below in one.below:
                one.note_below(below)
            one.alike = self._signatures.setdefault(one.signature(), len(self._signatures))

    def _tensors_inside(self, one: Submodule) -> Iterator[tuple[ModuleTensor, bool]]:
        """Its own tensors; where it stood before, those of all below it too."""
        yield from one.own_tensors()
        waiting, seen = [one] if one.same is not None else [], set()
        while waiting:
            below = waiting.pop()
            first = self._first[id(below.module)]
            if id(first) not in seen:
                seen.add(id(first))
                yield from first.own_tensors()
                waiting.extend(first.below)

    def _add_bytes(self, block: list[_Met], parents: list[int]) -> None:
        """Adds memory that overlaps to each module that holds some of it, and to each above these: what these hold."""
        held: dict[int, list[ModuleTensor]] = {}
        for met in block:
            for index in _above((index for index, _, _ in met), parents):
                held.setdefault(index, []).append(met[0][1])
        for index, tensors in held.items():
            taken = sum(one.bytes or 0 for one in tensors)
            if len(tensors) > 1:
                taken = min(taken, sum(MemoryBlocks([one.extent for one in tensors if one.extent]).bytes))
            self.modules[index].total.bytes += taken

    def _add(self, met: _Met, parents: list[int]) -> None:
        """Adds the tensors that show the same memory once to each module that holds them and to each above these."""
        by_tensor: dict[int, _Met] = {}
        for one in met:
            by_tensor.setdefault(id(one[1].value), []).append(one)
        for same in by_tensor.values():
            _, held, is_parameter = same[0]
            for index in _above((index for index, _, _ in same), parents):
                self.modules[index].total.add(held, is_parameter)
            for index, _, _ in same:
                self.modules[index].note(held, is_parameter)


def _overlapping(by_memory: list[_Met]) -> Iterator[list[_Met]]:
    """Tensors whose memory overlaps, together."""
    known = [met for met in by_memory if met[0][1].extent is not None]
    yield from ([met] for met in by_memory if met[0][1].extent is None)
    blocks = MemoryBlocks([met[0][1].extent for met in known if met[0][1].extent is not None])
    for number in range(len(blocks)):
        yield [known[member] for member in blocks.members(number)]


def _tensors(member: Member, part: str, path: str | None) -> list[ModuleTensor]:
    found = [(key, item) for key, item in member.items(part) if is_any_tensor(item)]
    coded = codes_in(member.attributes) if part == "_parameters" else None
    return [ModuleTensor(key, item, None if path is None else path + member.suffix(key), coded) for key, item in found]


def _full_name(one: Submodule, held: ModuleTensor) -> str:
    return f"{one.name}.{held.key}" if one.name else held.key


def _above(places: Iterable[int], parents: list[int]) -> set[int]:
    """Some places in a tree, and all above them."""
    found: set[int] = set()
    for index in places:
        while index >= 0 and index not in found:
            found.add(index)
            index = parents[index]
    return found
