"""A model as a tree of modules, counted: parameters that several share once, and the memory of tied ones once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ...measure.memory.blocks import MemoryBlocks
from ...measure.torch.digest import in_cpp, parts_of
from ...measure.torch.metadata import is_any_tensor
from ...measure.torch.modules import Member, is_module
from ...safe.attributes import traits
from ...safe.budget import Budget, Steps
from ...safe.guard import class_name
from .held import HeldTensor
from .submodule import Submodule

if TYPE_CHECKING:
    _Met = list[tuple[int, HeldTensor, bool]]  #: where memory is held, by what, and whether as a parameter


class ModuleTree:
    """The modules in their order, parents first. `go_on` walks until all were met, or the time is over."""

    def __init__(self, root: Any, path: str | None) -> None:
        self.modules: list[Submodule] = []
        self.tied: list[list[str]] = []  #: names of tensors that are one, or show the same elements
        self._waiting = [(Member(root, "", "", None), "", -1, path)]
        self._first: dict[int, Submodule] = {}
        self._looks: dict[Hashable, int] = {}

    @property
    def root(self) -> Submodule:
        return self.modules[0]

    def go_on(self, budget: Budget) -> bool:
        steps = Steps(budget)
        while self._waiting:
            if steps.end():
                return False
            self._take(*self._waiting.pop(), budget)
        if not self._looks:
            self._count()
        return True

    def progress(self) -> float:
        return len(self.modules) / max(1, len(self.modules) + len(self._waiting))

    def _take(self, member: Member, key: str, parent: int, path: str | None, budget: Budget) -> None:
        if in_cpp(member.module) is not None:
            member.attributes, path = parts_of(member.module), None
        found, place = Submodule(member, key, parent, path, budget), len(self.modules)
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
        for name, item in reversed(member.items("_modules")):
            if is_module(item) or in_cpp(item) is not None:
                below = Member(item, "", f"{member.name}.{name}" if member.name else name, member)
                self._waiting.append((below, name, place, None if inner is None else inner + member.suffix(name)))

    def _count(self) -> None:
        places: dict[Hashable, _Met] = {}
        for place, one in enumerate(self.modules):
            for held, is_parameter in self._held(one):
                places.setdefault(held.memory, []).append((place, held, is_parameter))
        parents = [one.parent for one in self.modules]
        for block in _blocks(list(places.values())):
            self._add_bytes(block, parents)
        for met in places.values():
            self._add(met, parents)
            holders = [(self.modules[place], held) for place, held, _ in met]
            names = [_full_name(one, held) for one, held in holders if one.same is None]
            if len(names) > 1:
                self.tied.append(names)
        for place, one in enumerate(self.modules):
            for above in _above([place], parents) if one.packed else ():
                self.modules[above].total.unknown += one.packed
        for one in reversed(self.modules):
            for below in one.below:
                one.note_below(below)
            one.alike = self._looks.setdefault(one.look(), len(self._looks))

    def _held(self, one: Submodule) -> Iterator[tuple[HeldTensor, bool]]:
        """Its own tensors; where it stood before, those of all below it too."""
        yield from one.held()
        waiting, seen = [one] if one.same is not None else [], set()
        while waiting:
            below = waiting.pop()
            first = self._first[id(below.module)]
            if id(first) not in seen:
                seen.add(id(first))
                yield from first.held()
                waiting.extend(first.below)

    def _add_bytes(self, block: list[_Met], parents: list[int]) -> None:
        """Adds memory that overlaps to each module that holds some of it, and to each above these: what these hold."""
        held: dict[int, list[HeldTensor]] = {}
        for met in block:
            for place in _above((place for place, _, _ in met), parents):
                held.setdefault(place, []).append(met[0][1])
        for place, tensors in held.items():
            taken = sum(one.bytes or 0 for one in tensors)
            if len(tensors) > 1:
                taken = min(taken, sum(MemoryBlocks([one.extent for one in tensors if one.extent]).bytes))
            self.modules[place].total.bytes += taken

    def _add(self, met: _Met, parents: list[int]) -> None:
        """Adds the tensors that show the same memory once to each module that holds them and to each above these."""
        by_tensor: dict[int, _Met] = {}
        for one in met:
            by_tensor.setdefault(id(one[1].value), []).append(one)
        for same in by_tensor.values():
            _, held, is_parameter = same[0]
            for place in _above((place for place, _, _ in same), parents):
                self.modules[place].total.add(held, is_parameter)
            for place, _, _ in same:
                self.modules[place].note(held, is_parameter)


def _blocks(places: list[_Met]) -> Iterator[list[_Met]]:
    """Tensors whose memory overlaps, together."""
    known = [met for met in places if met[0][1].extent is not None]
    yield from ([met] for met in places if met[0][1].extent is None)
    blocks = MemoryBlocks([met[0][1].extent for met in known if met[0][1].extent is not None])
    for number in range(len(blocks)):
        yield [known[member] for member in blocks.members(number)]


def _tensors(member: Member, part: str, path: str | None) -> list[HeldTensor]:
    found = [(key, item) for key, item in member.items(part) if is_any_tensor(item)]
    return [HeldTensor(key, item, None if path is None else path + member.suffix(key)) for key, item in found]


def _full_name(one: Submodule, held: HeldTensor) -> str:
    return f"{one.name}.{held.key}" if one.name else held.key


def _above(places: Iterable[int], parents: list[int]) -> set[int]:
    """Some places in a tree, and all above them."""
    found: set[int] = set()
    for place in places:
        while place >= 0 and place not in found:
            found.add(place)
            place = parents[place]
    return found
