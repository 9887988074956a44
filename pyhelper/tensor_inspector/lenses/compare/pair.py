"""Two values at one path of a comparison, and a difference of theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...kinds import Kind, TextRow
from ...safe.record import Record
from ...words.text import one_line, plural, shape
from .atoms import Tolerance
from .comparison import Comparison, Note
from .kept import NotHere

if TYPE_CHECKING:
    from ...protocol import DifferenceKind
    from .comparison import Difference

_PATH = 1000  #: characters of a path
#: Dicts of hooks, whose keys count the hooks that the process has registered.
_HOOKS = frozenset(
    "_forward_hooks _forward_pre_hooks _backward_hooks _backward_pre_hooks _state_dict_hooks _state_dict_pre_hooks"
    " _load_state_dict_pre_hooks _load_state_dict_post_hooks _optimizer_step_pre_hooks _optimizer_step_post_hooks"
    " _optimizer_state_dict_pre_hooks _optimizer_state_dict_post_hooks _optimizer_load_state_dict_pre_hooks"
    " _optimizer_load_state_dict_post_hooks _post_accumulate_grad_hooks".split()
)
MISSING = object()  #: stands on the side that has no such value
UNTOLD = NotHere("what get_extra_state() gives")  #: and this for what only code of the program could give
ELSEWHERE = NotHere("this rank has none of its elements")  #: and this for what other processes have
OTHER_SHARDS = NotHere(
    "this rank has other elements of one than of the other"
)  #: and this where each is cut up another way


class Whole(TextRow):
    """Stands for a parameter of which this rank has a part only, beside one of another shape."""

    __slots__ = ("sizes",)

    def __init__(self, sizes: tuple[int, ...], count: int) -> None:
        super().__init__(f"{shape(sizes)}, of which this rank has {plural(count, 'element')}")
        self.sizes = sizes


def sizes_of(kind: Kind) -> str:
    """The shape of a tensor, or of one of which only a part is here."""
    known = kind.value if type(kind.value) is Whole else kind.comparable()
    return "" if known is None else shape(known.sizes)


class Location:
    """Where a pair stands: by the expression that reaches it, and as the tree names it where there is none.

    ``other`` is the expression on the side of b, where that is another one.
    """

    __slots__ = ("other", "path", "words")

    def __init__(self, path: str | None = "", words: str = "", other: str | None = None) -> None:
        self.path = path
        self.words = words
        self.other = path if other is None else other

    def shown(self) -> str:
        return self.words if self.path is None else self.path

    def is_of_hooks(self) -> bool:
        """Whether torch's hooks are here, which are like one another by their order."""
        return self.path is not None and self.path.rpartition(".")[2] in _HOOKS

    def below(self, name: str, suffix: str | None, other: str | None = None) -> Location:
        path, like = self._longer(self.path, suffix), self._longer(self.other, suffix if other is None else other)
        if path is not None and like is not None:
            return Location(path, other=like)
        return Location(None, one_line(f"{self.shown()} › {name}".lstrip(" ›"), _PATH))

    def inside(self, side: int, suffix: str) -> Location:
        """What stands in the value of one side, beside the other value as it is."""
        paths = [self.path, self.other]
        paths[side] = self._longer(paths[side], suffix)
        return Location(paths[0], self.words, paths[1]) if None not in paths else Location(None, self.shown())

    def _longer(self, path: str | None, suffix: str | None) -> str | None:
        longer = None if suffix is None or path is None else path + suffix
        return longer if longer is not None and len(longer) <= _PATH else None


class Pair:
    """Two values that are compared, where they stand, and how far apart numbers in them may be."""

    __slots__ = ("a", "b", "location", "tolerance")

    def __init__(self, location: Location, a: Any, b: Any, tolerance: Tolerance) -> None:
        self.location = location
        self.a = a
        self.b = b
        self.tolerance = tolerance


class PairDifference(Record):
    """A difference, or what was not compared, with the values themselves; `MISSING` is on the side without any."""

    location: Location
    difference: Difference
    a: Any
    b: Any


class DifferenceRecorder:
    """What is found: the differences, and beside each the values themselves where ``noted`` is given."""

    __slots__ = ("_noted", "found")

    def __init__(self, found: Comparison, noted: list[PairDifference] | None = None) -> None:
        self.found = found
        self._noted = noted

    def add(self, pair: Pair, what: DifferenceKind, text: str) -> None:
        self.take(pair, Note(what, text))

    def take(self, pair: Pair, note: Note) -> None:
        difference = self.found.note(pair.location.shown(), note)
        if difference is not None and self._noted is not None:
            self._noted.append(PairDifference(pair.location, difference, pair.a, pair.b))
