"""The lens `item`: takes one item of a dataset as the program would, and times it. State that can be restored is."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from ...kinds import Child, as_kind
from ...safe.budget import Budget
from ...safe.guard import class_attribute, class_name, full_name, instance_dict, is_found_in, mro, plain_message
from ...words.text import full_path, one_line
from ..explain.trace import entries_of
from ..lens import Lens, Paused, wrong_type
from ..running.deep_copy import Uncopied
from ..running.isolation import Isolation, uncopied_in
from ..running.unguarded import Unguarded
from .data import data_of
from .item_words import row_of
from .part import DataPart
from .parts import DataParts
from .settings import data_role_of
from .uncopied import Files, moving, unrestored

if TYPE_CHECKING:
    from ...protocol import Found, ItemFailure, ItemFound

_FAR = 100_000  #: items of a stream that are gone through
_TEXT = 300  #: characters of a message


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    """About ``values["dataset"]``, a dataset or a loader, and the item at the option ``index``, 0 by default. Raises
    ``TypeError`` for what has no items, ``ValueError`` where taking one could not be undone."""
    asked, index = values["dataset"], _whole(options.get("index", 0))
    is_loader = data_role_of(asked.value) == "loader"
    dataset = instance_dict(asked.value).get("dataset") if is_loader else asked.value
    is_stream = any(class_name(base) == "IterableDataset" and is_found_in(base, "torch") for base in mro(type(dataset)))
    is_other = not is_loader and as_kind(dataset, Budget(reads=False)).kind != "object"
    if is_other or class_attribute(type(dataset), "__iter__" if is_stream else "__getitem__") is None:
        raise wrong_type(asked if not is_loader else Child(f"{asked.name}.dataset", dataset), "a torch Dataset")
    if is_stream and not 0 <= index < _FAR:
        raise ValueError(f"{asked.name} is a stream: its items are taken from the first, and counted up to {_FAR:,}")
    uncopied = uncopied_in(dataset)
    goes_on = moving(uncopied)
    if goes_on is not None:
        raise ValueError(f"{asked.name} is not run: what it holds would go on, and can't be put back ({goes_on})")
    return ItemLens(asked, dataset, index, uncopied, is_stream=is_stream, budget=budget)


class ItemLens(Lens):
    """Takes the item in one slice of time, and measures what is in it in the following ones."""

    def __init__(
        self, asked: Child, dataset: Any, index: int, uncopied: list[Uncopied], *, is_stream: bool, budget: Budget
    ) -> None:
        super().__init__(budget)
        self._asked = asked
        self._dataset = dataset
        self._index = index
        self._uncopied = uncopied
        self._is_stream = is_stream
        self._ran = False
        self._item: Any = None
        self._ms: float | None = None
        self._failure: ItemFailure | None = None
        self._waiting: list[tuple[DataPart, Any]] = []
        self.parts: list[DataPart] = []

    def go_on(self) -> bool:
        if not self._ran:
            self._run()
            self._ran = True
            self._find_parts()
            return False
        while self._waiting:
            if self.budget.spent():
                return False
            part, value = self._waiting.pop()
            part.measure(as_kind(value, self.budget))
        for part in self.parts:
            part.settle()
        return True

    def progress(self) -> float:
        return 0.5 if self._ran else 0.0

    def found(self) -> Found:
        answer: ItemFound = {
            "lens": "item",
            "index": self._index,
            "type": None if self._failure is not None else full_name(type(self._item)),
            "ms": self._ms,
            "error": self._failure,
            "parts": [data_of(part) for part in self.parts],
            "not_copied": unrestored(self._uncopied),
        }
        return answer

    def row(self) -> Child:
        name = f"{self._asked.name}[{self._index}]"
        uncopied = unrestored(self._uncopied)
        return row_of(name, self._item, self._ms or 0.0, self._failure, self.parts, uncopied, self.budget)

    def _run(self) -> None:
        """As long as it takes, unless it is interrupted; it works on a copy of what can be copied."""
        with Files(self._uncopied), Isolation(self._dataset, keep_uncopied=True) as run:
            data = run.copy(self._dataset)
            take = _nth if self._is_stream else _at
            with Unguarded(self.guard):
                started = perf_counter()
                try:
                    self._item = take(data, self._index)
                except (Exception, SystemExit) as error:
                    self._failure = _failure(error, self._is_stream)
                self._ms = (perf_counter() - started) * 1000

    def _find_parts(self) -> None:
        if self._failure is not None:
            return
        found = DataParts(Child("item", self._item, None), limit=self.budget, is_batch=False)
        found.go_on(Budget())
        self.parts.extend(found.found.values())
        self._waiting = [(part, one.value) for part in reversed(self.parts) for one in reversed(part.values)]


def _whole(index: Any) -> int:
    """An index as an int, also of numpy's or a tensor of one integer. Raises `TypeError` for any other value."""
    try:
        return range(None if type(index) is bool else index).stop  # type: ignore[arg-type]
    except TypeError:
        raise TypeError("index is a whole number, as in 0") from None


def _at(data: Any, index: int) -> Any:
    return data[index]


def _nth(data: Any, index: int) -> Any:
    stream = iter(data)
    try:
        for _ in range(index):
            next(stream)
        return next(stream)
    finally:
        if type(stream) is GeneratorType:
            stream.close()


def _failure(error: BaseException, is_stream: bool) -> ItemFailure:
    lines = [entry for entry in entries_of(error) if not entry.is_installed() and entry.module != __name__]
    message = "there is no such item" if is_stream and type(error) is StopIteration else plain_message(error)
    return {
        "type": class_name(type(error)),
        "message": one_line(message, _TEXT),
        "source": {"file": full_path(lines[-1].file), "line": lines[-1].lineno} if lines else None,
    }
