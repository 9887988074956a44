"""`DataPart`: the values at one path of a batch."""

from __future__ import annotations

from collections import Counter
from math import isfinite, prod
from typing import TYPE_CHECKING, Any

from ...kinds import Child, Kind, as_kind
from ...kinds.numpy.contents import ArrayKind, Contents
from ...kinds.numpy.texts import is_missing
from ...measure import samples
from ...measure.stats import Reading, Unread
from ...measure.unread import is_late
from ...safe.budget import Budget
from ...safe.guard import class_name, module
from .held import opaque_items
from .plain import ITEMS, PlainValues, is_string_or_number, items_in, sort_of
from .usual import Usual

if TYPE_CHECKING:
    from typing import Literal

    Sort = Literal["tensor", "array", "numbers", "strings", "other"]

_LABELS = samples.FEW  #: different values that are counted as labels
_LARGEST = 1 << 64  #: no number of a list is told from here on
_FEW = 256  #: and of labels that have several for each sample
_SEVERAL = 20  #: and of all else that has
_NAMES = ("y", "label", "labels", "mask", "masks", "target", "targets")  #: of labels
_PLACES = ("offsets", "cu_seqlens", "batch_sizes", "ptr")
_FEW_FLOATS = 20  #: and of floating-point numbers, where all are whole
_ENOUGH = 20  #: rows of a table from which on a constant column is remarkable
_COLUMNS = 1024  #: of a table in which constant ones are looked for
_WHOLE = ("strided", "dense", "jagged", "nested")  #: layouts that store all elements
_ONCE = ("sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")  #: that store none twice


class DataPart:
    """The part holds all samples itself. What is no batch has one sample, and no equal ones."""

    def __init__(self, path: str, *, is_batch: bool = True) -> None:
        self.path = path
        self.folded: int | None = None  #: how many samples stand side by side in a list, of which these are the values
        self.beside: int | None = None  #: how many stand in a list with it, which may be as many samples
        self.is_batch = is_batch
        self.unit = "sample"  #: what stands along its first dimension
        self.values: list[Child] = []
        self.numbers: list[int] = []  #: of the samples that these are of, where there are several
        self.sort: Sort = "other"
        self.types: list[str] = []
        self.dtypes: list[str] = []
        self.devices: list[str] = []
        self.shapes: list[list[Any]] = []
        self.usual_shape: Usual[tuple[Any, ...]] = Usual()
        self.usual_dtype: Usual[str] = Usual()
        self.least: Any = None
        self.most: Any = None
        self.nan = self.inf = self.zeros = 0
        self.exact = True  #: of each value all elements were read
        self.is_late = False  #: else there was no time for that
        self.is_long = False  #: or it is a list of which only the first are read
        self.read: int | None = None  #: how many samples, where not all were
        self.unread: str | None = None
        self.reading: Reading | None = None  #: where there is one value
        self.labels: dict[Any, int] | None = None  #: how often each occurs
        self.distinct: int | None = None
        self.keys: list[Any] | None = None  #: one per sample: equal for equal samples
        self.constant: list[int] = []  #: columns
        self.words: list[str] = []  #: the description of a table's column
        self.empty = 0  #: strings
        self.missing = 0  #: values that are None, or null as the library of a column says
        self._measured = self._finite = 0
        self._total = 0.0
        self._uncounted = False
        self._length: int | None = None  #: of a list of numbers or texts
        self._plain = PlainValues()

    def name(self) -> str:
        """The last name in its path, without quotes and brackets."""
        return self.path.replace("]", "").replace("[", ".").replace("'", "").rpartition(".")[2]

    def is_label(self) -> bool:
        """Whether it has a name that labels have."""
        return self.name() in _NAMES

    def is_place(self) -> bool:
        """Whether it says where samples begin in values that stand one after the other."""
        return self.name() in _PLACES

    @property
    def mean(self) -> float | None:
        return self._total / self._finite if self._finite and isfinite(self._total) else None

    @property
    def total(self) -> float:
        """The sum of its finite values."""
        return self._total

    def amount(self) -> int | None:
        """How many samples this part holds, as far as the part alone shows it."""
        if self.sort in ("tensor", "array"):
            return int(self.shapes[0][0]) if self.shapes[0] and type(self.shapes[0][0]) is int else None
        held = self._length or len(self._plain.items)
        return held if held > 1 or (held == 1 and not is_string_or_number(self.values[0].value)) else None

    def is_whole(self) -> bool:
        """Whether all of it was read."""
        return self.exact and self.read is None and self.unread is None

    def is_counted(self) -> bool:
        """Whether all of it was counted, also what is no number."""
        return self.exact and self.read is None

    def present(self) -> int:
        """How many texts or numbers it holds."""
        return (self._plain.held if self._measured else self.amount() or 1) - self.missing

    def shape(self) -> list[Any] | None:
        """Sizes in common, None for one that differs; None where there are none, or not as many."""
        if not self.shapes or len({len(shape) for shape in self.shapes}) > 1:
            return None
        return [sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*self.shapes)]

    def measure(self, kind: Kind) -> None:
        """Takes in the next of its values."""
        self._measured += 1
        value, name = kind.value, class_name(type(kind.value))
        self.types.extend([name] if name not in self.types else [])
        if kind.kind in ("tensor", "array"):
            self._measure_elements(kind, kind.budget)
        elif is_string_or_number(value) or issubclass(type(value), (list, tuple)):
            self._take_plain(value)
        elif (opaque := opaque_items(kind)) is not None:
            self._length, self.unread = opaque

    def note_unread(self, count: int) -> None:
        """Notes that some of its values will not be measured, as there is no time."""
        self.exact, self.is_late, self.unread = False, True, "not read: there was no time"

    def settle(self) -> None:
        """Works out what only all values together tell."""
        present = self._plain.present()
        if not present or self._plain.sort is None:
            return
        self.sort = self._plain.sort
        self.keys = list(self._plain.items) if self.amount() == len(self._plain.items) else None
        if self.sort == "numbers":
            self._settle_numbers(present)
            return
        self.distinct, self.empty = len(set(present)), present.count("")
        self.labels = dict(Counter(present)) if self.distinct <= _FEW else None
        lengths = list(map(len, present))
        self.least, self.most = min(lengths), max(lengths)

    def _settle_numbers(self, present: list[Any]) -> None:
        if any(type(number) is int and abs(number) >= _LARGEST for number in present):
            self.unread = "not read: integers beyond 64 bits"
            return
        finite = [number for number in present if -float("inf") < number < float("inf")]
        self.nan = sum(number != number for number in present)
        self.inf = len(present) - len(finite) - self.nan
        self.least, self.most = (+min(finite), +max(finite)) if finite else (None, None)  # of bools, as numbers
        self._finite, self._total = len(finite), float(sum(finite))
        if all(number % 1 == 0 and abs(number) < _LARGEST for number in finite):
            counts = dict(Counter(int(number) for number in finite))
            self._take_counts((len(counts), counts if len(counts) <= _LABELS else {}), _LABELS)

    def _take_plain(self, value: Any) -> None:
        items, length = items_in(value)
        if length is not None and len(self.values) == 1:
            self._length = length
        if length is not None and length > ITEMS:
            self.exact, self.is_long = False, True
        self._take_items(items, length)

    def _take_items(self, items: list[Any], length: int | None = None) -> None:
        """Takes in the first items of a list of that length, else all."""
        self.missing += self._plain.take(items, length).count(None)

    def _measure_elements(self, kind: Kind, budget: Budget) -> None:
        self.sort = "tensor" if kind.kind == "tensor" else "array"
        facts = as_kind(kind.value, Budget(budget.ms, reads=False)).facts()
        for name, known in (("dtype", self.dtypes), ("device", self.devices)):
            text = facts.get(name)
            known.extend([text] if type(text) is str and text not in known else [])
        shape = list(facts.get("shape", []))
        self.shapes.append(shape)
        self._note_usual(tuple(shape), str(facts.get("dtype")))
        self._take_reading(kind.reading())
        compared = kind.comparable()
        if compared is not None and compared.layout not in _WHOLE:
            self._take_zeros(kind.value, compared.layout, shape)
        elif isinstance(self.reading, Unread) and isinstance(kind, ArrayKind) and len(shape) == 1:
            self._take_texts(kind.contents)
        elements = kind.elements()
        if elements is None or isinstance(elements, Unread) or self.unread is not None:
            return
        try:
            self._count(elements, shape, budget)
        except Exception:  # of a dtype for which the library has no such operation
            return

    def _take_reading(self, reading: Reading | None) -> None:
        self.reading, self.is_late = reading, self.is_late or is_late(reading)
        if reading is None or isinstance(reading, Unread):
            self.unread = None if reading is None else reading.text
            return
        stats: Any = reading.get("abs", reading)
        ends = [end for end in (self.least, self.most, stats["min"], stats["max"]) if end is not None]
        self.least, self.most = (min(ends), max(ends)) if ends else (None, None)
        self.nan += stats["nan"]
        self.inf += stats["pos_inf"] + stats["neg_inf"]
        self.zeros += stats["zeros"]
        self.exact = self.exact and stats["exact"]
        finite = stats["count"] - stats["nan"] - stats["pos_inf"] - stats["neg_inf"]
        if stats["mean"] is not None:
            self._finite, self._total = self._finite + finite, self._total + stats["mean"] * finite

    def _take_zeros(self, value: Any, layout: str, shape: list[Any]) -> None:
        """The statistics of a sparse value are of what is stored: takes in the zeros between, which are not."""
        reading, self.reading = self.reading, None
        if reading is None or isinstance(reading, Unread):
            return
        stats: Any = reading.get("abs", reading)
        implied = prod(shape) - stats["count"]
        may_repeat = layout != "sparse_coo" or not module("torch").Tensor.is_coalesced(value)
        if implied < 0 or (may_repeat and layout not in _ONCE):
            self.unread = "sparse: values at one place add up"
            self.least = self.most = None
            self._finite = 0
        elif implied:
            self.least, self.most = min(0, self.least or 0), max(0, self.most or 0)
            self.zeros += implied
            self._finite += implied

    def _take_texts(self, contents: Contents) -> None:
        """Takes in the texts of an array or column, as those of a list, without what is missing."""
        length = contents.length()
        if not 0 < length <= ITEMS:
            return
        items = [None if is_missing(item) else item for item in contents.objects(length)]
        if sort_of(items) == "strings":
            self._take_items(items)
            self._length, self.unread = length, None

    def _count(self, elements: Any, shape: list[Any], budget: Budget) -> None:
        """Labels, equal samples and constant columns. What has several values a sample has labels if there are few."""
        one_each = len(shape) < 2 or all(size == 1 for size in shape[1:])
        is_whole = not any(map(_is_inexact, self.dtypes))
        is_picture = self.dtypes == ["uint8"] and len(shape) > 2
        if self.exact and not is_picture and (one_each or is_whole):
            several = _FEW if self.is_label() else _SEVERAL
            most = _LABELS if one_each else several
            found = samples.counts(elements)
            self._take_counts(found, most if is_whole else min(most, _FEW_FLOATS))
        if self.is_batch:
            self._find_equal(elements, shape, budget)

    def _note_usual(self, shape: tuple[Any, ...], dtype: str) -> None:
        """Of one sample of several, what can be told from most."""

    def _find_equal(self, elements: Any, shape: list[Any], budget: Budget) -> None:
        """Samples that are equal, and columns that are constant."""
        if len(self.values) > 1 or not shape:
            return
        one_each = all(size == 1 for size in shape[1:])
        if one_each and shape[0] <= samples.MAX_SAMPLES:
            self.keys = elements.reshape(-1).tolist()
            return
        self.keys = samples.equal_samples(elements, budget.share())
        is_whole = not any(map(_is_inexact, self.dtypes))
        is_table = not is_whole and len(shape) == 2 and 1 < shape[1] <= _COLUMNS and "mask" not in self.name()
        if is_table and shape[0] >= _ENOUGH:
            constant = samples.constant_columns(elements)
            self.constant = constant if len(constant) < shape[1] else []

    def _take_counts(self, found: tuple[int, dict[Any, int]] | None, most: int) -> None:
        """Adds up how often values occur; once there are more than are counted, none is any more."""
        if found is None or self._uncounted or (found[0] and not found[1]):
            self.labels, self._uncounted = None, True
            self.distinct = None if found is None or len(self.values) > 1 else found[0]
            return
        merged = Counter(self.labels or {})
        merged.update(found[1])
        self.distinct = len(merged)
        self.labels = {label: merged[label] for label in sorted(merged)} if len(merged) <= most else None
        self._uncounted = self.labels is None

    def duplicates(self) -> int | None:
        """Samples of several elements that are equal to an earlier one; None where that is not known."""
        if self.keys is None or self.sort not in ("tensor", "array") or len(self.shapes[0]) < 2:
            return None
        if all(size == 1 for size in self.shapes[0][1:]):
            return None
        return sum(1 for at, first in enumerate(self.keys) if first != at)


def _is_inexact(dtype: str) -> bool:
    return dtype.startswith(("float", "bfloat", "complex"))
