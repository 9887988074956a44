"""The lens `item`: one item of a dataset, with its time; what taking it changes is put back."""

from __future__ import annotations

import gc
import io
import random
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from asking import Paused
from torch.utils.data import ConcatDataset, DataLoader, Dataset, IterableDataset, Subset, TensorDataset
from untouched import Watch

from tensor_inspector import item
from tensor_inspector.stop.interruption import Interrupted


class Drawing(Dataset[Any]):
    """Draws from every generator, counts, caches, reads a file, and switches modes."""

    def __init__(self, path: Path) -> None:
        path.write_text("0123456789")
        self.file = path.open()
        self.file.seek(4)
        self.cache: dict[int, float] = {}
        self.asked = 0
        self.state = torch.zeros(3)
        self.own = np.random.default_rng(0)

    def __getitem__(self, at: int) -> Any:
        self.asked += 1
        self.cache[at] = random.random() + float(np.random.rand()) + float(self.own.random())
        self.state += 1
        text = self.file.read(2)
        torch.set_default_dtype(torch.float64)
        torch.set_grad_enabled(False)
        if at > 5:
            raise ValueError("too far")
        return torch.rand(3), text


class Counted(IterableDataset[Any]):
    def __init__(self) -> None:
        self.closed = 0

    def __iter__(self) -> Iterator[Any]:
        for at in range(3):
            yield torch.full((at + 1,), float(at))


class Raising(Dataset[Any]):
    def __init__(self, error: BaseException) -> None:
        self.error = type(error)
        self.said = str(error)

    def __getitem__(self, at: int) -> Any:
        raise self.error(self.said)


class Moving(Dataset[Any]):
    def __init__(self) -> None:
        self.rows = iter([1, 2, 3])

    def __getitem__(self, at: int) -> Any:
        return next(self.rows)


class Modes(Dataset[Any]):
    def __getitem__(self, at: int) -> Any:
        loud = torch.tensor([1.0]).as_subclass(Loud)
        return torch.is_grad_enabled(), type(loud + 1).__name__


class Loud(torch.Tensor):
    pass


@pytest.fixture
def drawing(tmp_path: Path) -> Iterator[Drawing]:
    data = Drawing(tmp_path / "data.txt")
    yield data
    data.file.close()


X, Y = torch.arange(12.0).view(4, 3), torch.tensor([0, 1, 0, 1])


@pytest.mark.parametrize(
    ("make", "index", "values"),
    [
        (lambda: TensorDataset(X, Y), 2, (X[2], Y[2])),
        (lambda: TensorDataset(X, Y), -1, (X[3], Y[3])),
        (lambda: Subset(TensorDataset(X, Y), [3, 1]), 0, (X[3], Y[3])),
        (lambda: ConcatDataset([TensorDataset(X), TensorDataset(X + 100)]), 5, (X[1] + 100,)),
        (lambda: DataLoader(TensorDataset(X, Y), 2, shuffle=True), 1, (X[1], Y[1])),
        (lambda: DataLoader([(X[1], Y[1])], 2), 0, (X[1], Y[1])),
    ],
)
def test_an_item_is_the_one_that_the_dataset_gives(make: Callable[[], Any], index: int, values: Any) -> None:
    found = item(make(), index)
    assert (found["error"], found["type"], found["index"]) == (None, "tuple", index)
    ends = [(float(value.min()), float(value.max())) for value in values]
    assert [(part["min"], part["max"]) for part in found["parts"]] == ends
    assert found["ms"] > 0


def test_an_item_of_a_stream_is_counted_from_its_first() -> None:
    assert item(Counted(), 2)["parts"][0]["shape"] == [3]
    assert item(Counted(), 3)["error"]["message"] == "there is no such item"


@pytest.mark.parametrize("index", [1, 9])
def test_all_that_taking_it_changes_is_put_back_also_where_it_raises(index: int, drawing: Drawing) -> None:
    data = drawing
    item(data, index)
    with Watch([data.cache, data.state]) as watch:
        found = item(data, index)
    assert watch.changes() == []
    assert (data.asked, data.cache, data.file.tell(), data.state.tolist()) == (0, {}, 4, [0, 0, 0])
    assert data.own.random() == np.random.default_rng(0).random()
    assert (torch.get_default_dtype(), torch.is_grad_enabled()) == (torch.float32, True)
    assert (found["error"] is None) is (index == 1)


def test_the_same_item_comes_again_as_random_numbers_are_put_back(drawing: Drawing) -> None:
    data = drawing
    first, second = item(data, 1), item(data, 1)
    assert first["parts"] == second["parts"]


@pytest.mark.parametrize(
    ("error", "said"),
    [(ValueError("no such file"), "no such file"), (SystemExit("done"), "done"), (IndexError("x"), "x")],
)
def test_an_exception_is_told_with_the_line_that_raised_it(error: BaseException, said: str) -> None:
    found = item(Raising(error))
    line = Raising.__getitem__.__code__.co_firstlineno + 1
    assert found["error"] == {
        "type": type(error).__name__, "message": said, "source": {"file": __file__, "line": line},
    }  # fmt: skip
    assert str(found).startswith(f"raised {type(error).__name__}: {said} · after ")


def test_it_runs_under_the_modes_of_the_program() -> None:
    assert [part["path"] for part in item(Modes())["parts"]] == ["[0]", "[1]"]
    assert "[1]  'Loud'" in str(item(Modes()))
    with torch.no_grad():
        assert "[0]  False" in str(item(Modes()))
    assert "[0]  True" in str(item(Modes()))


@pytest.mark.parametrize("value", [None, [1, 2], {"a": 1}, X, print, torch.nn.Linear(1, 1)])
def test_what_is_no_dataset_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match=r"is (an? \w+|None), not a torch Dataset"):
        item(value)


def test_what_holds_an_iterator_is_refused_since_that_would_go_on() -> None:
    data = Moving()
    with pytest.raises(TypeError, match=r"would go on.*\(rows, a list_iterator\)"):
        item(data)
    assert next(data.rows) == 1


class Holding(Dataset[Any]):
    """Does with what it holds what a test says."""

    def __init__(self, take: Callable[[Any], object], **held: Any) -> None:
        self.take = take
        self.__dict__.update(held)

    def __getitem__(self, at: int) -> Any:
        return self.take(self)


@pytest.mark.parametrize(
    ("make", "take", "name"),
    [
        (lambda rows: Holding(len, it=rows), lambda s: next(s.inner.it), "inner.it, a list_iterator"),
        (lambda rows: [0, {"a": [rows]}], lambda s: next(s.inner[1]["a"][0]), "inner, a list_iterator"),
        (lambda rows: [rows] * 2000, lambda s: next(s.inner[0]), "inner: items of the class list_iterator"),
    ],
)
def test_an_iterator_is_refused_at_any_depth(make: Any, take: Any, name: str) -> None:
    rows = iter([1, 2, 3])
    with pytest.raises(TypeError, match=f"would go on.*{name}"):
        item(Holding(take, inner=make(rows)))
    assert next(rows) == 1


@pytest.mark.parametrize("count", [1, 1500])
def test_files_in_containers_are_read_on_from_where_they_were(count: int) -> None:
    files = [io.StringIO("0123456789") for _ in range(count)]
    files[-1].seek(3)
    found = item(Holding(lambda s: s.inner["files"][-1].read(2), inner={"files": files}))
    assert (files[-1].tell(), found["error"], found["not_copied"]) == (3, None, [])


def _change(data: Any) -> int:
    data.lst[0] = 99
    data.cache["new"] = 1
    data.queue.append(5)
    return 0


def test_long_containers_are_copied_too() -> None:
    lst, cache, queue = list(range(5000)), {str(at): at for at in range(5000)}, deque(range(5000))
    found = item(Holding(_change, lst=lst, cache=cache, queue=queue, paths=[("a.png", 1)] * 5000))
    assert (found["error"], found["not_copied"]) == (None, [])
    assert (lst[0], "new" in cache, len(queue)) == (0, False, 5000)


class OpenedRows:
    """Closes what it has open when it is collected, as a connection does."""

    def __init__(self) -> None:
        self.open = [True]

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> int:
        return index

    def __del__(self) -> None:
        self.open[0] = False


def test_what_closes_itself_is_not_copied_since_the_copy_would_close_it_too() -> None:
    dataset = Subset(OpenedRows(), [0, 1])
    assert item(dataset, 1)["error"] is None
    gc.collect()
    assert dataset.dataset.open == [True]


def test_what_is_no_copy_is_named() -> None:
    rows = [{"label": at} for at in range(5000)]
    held = {"rows": rows, "lock": threading.Lock(), "inner": Holding(len, cls=[object()] * 3)}
    found = item(Holding(lambda s: s.rows[0].update(label=7), **held))
    assert found["not_copied"] == ["rows: items of the class dict", "lock, a lock"]
    assert "not copied  rows: items of the class dict" in str(found)


@pytest.mark.parametrize("index", [np.int64(3), np.uint8(3), torch.tensor(3), -1])
def test_an_index_may_be_of_any_library(index: Any) -> None:
    found = item(TensorDataset(X), index)
    assert (found["index"], type(found["index"]), found["parts"][0]["min"]) == (int(index), int, 9.0)


@pytest.mark.parametrize("index", ["a", 1.5, None, True])
def test_an_index_is_a_whole_number(index: Any) -> None:
    with pytest.raises(TypeError, match="index is a whole number"):
        item(TensorDataset(X), index)


def test_nothing_runs_unless_the_user_has_agreed(monkeypatch: pytest.MonkeyPatch, drawing: Drawing) -> None:
    data = drawing
    refused = Paused(sys._getframe(), monkeypatch).lens("item", {"index": 0}, dataset="data")
    assert "runs code of the program" in str(refused)
    assert data.asked == 0


def test_an_interrupted_run_leaves_all_as_it_was(monkeypatch: pytest.MonkeyPatch, drawing: Drawing) -> None:
    data = drawing
    monkeypatch.setattr(torch, "set_grad_enabled", lambda _: (_ for _ in ()).throw(Interrupted()))
    state = torch.get_rng_state()
    answer = Paused(sys._getframe(), monkeypatch).lens("item", {"index": 0, "run": True}, dataset="data")
    assert answer["op"] == "error"
    assert "ended before it was done" in str(answer)
    assert (data.asked, data.cache, data.file.tell()) == (0, {}, 4)
    assert torch.equal(state, torch.get_rng_state())
    assert torch.get_default_dtype() is torch.float32


def test_the_row_tells_the_time_and_opens_to_parts_and_the_item(monkeypatch: pytest.MonkeyPatch) -> None:
    data = TensorDataset(X, Y)
    assert data
    paused = Paused(sys._getframe(), monkeypatch)
    answer = paused.lens("item", {"index": 2, "run": True}, dataset="data")
    row = answer["node"]
    assert row["name"] == "data[2]"
    assert " ms · tuple · 2: f32[3], i64[] 0" in row["line"]
    rows = row["page"]["nodes"]
    assert [node["name"] for node in rows] == ["[0]", "[1]", "item"]
    assert [node["name"] for node in paused.below(answer, rows[2])] == ["[0]", "[1]"]


def test_a_closed_file_is_no_reason_to_fail() -> None:
    class Closed(Dataset[int]):
        def __init__(self) -> None:
            self.file = io.StringIO("abc")
            self.file.close()

        def __getitem__(self, at: int) -> int:
            return 7

    assert item(Closed())["error"] is None


def test_the_numbers_of_one_item_are_no_labels() -> None:
    class Listed(Dataset[Any]):
        def __getitem__(self, index: int) -> Any:
            return [[2.0, 3.0]], 1

    assert "  [0][0]  2 numbers · 2…3 · μ 2.5" in str(item(Listed())).splitlines()
