"""Plain Python: what is stepped through stays where it is, what is weak stays weak, and no code of a class runs."""

from __future__ import annotations

import datetime
import functools
import gc
import io
import itertools
import pathlib
import queue
import random
import re
import subprocess
import sys
import types
import weakref
from collections import ChainMap, OrderedDict, UserDict, UserList, deque
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import pytest
import torch

from tensor_inspector import facts, summarize, tree
from tensor_inspector.kinds import Child, Property, Rows, TextRow
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.stop.snapshot import Snapshot

RAN: list[str] = []


@pytest.fixture(autouse=True)
def count_from_zero() -> None:
    RAN.clear()


def look(value: Any) -> str:
    summarize(value)
    facts(value)
    return tree(value, depth=4)


class Thing:
    def __init__(self, **items: object) -> None:
        self.__dict__.update(items)


def counting() -> Iterator[int]:
    yield from range(3)


STEPPED: dict[str, Callable[[], Any]] = {
    "generator": counting,
    "list": lambda: iter([0, 1, 2]),
    "reversed": lambda: reversed([2, 1, 0]),
    "dict": lambda: iter({0: 0, 1: 1, 2: 2}),
    "range": lambda: iter(range(3)),
    "map": lambda: map(int, "012"),
    "zip": lambda: (pair[0] for pair in zip(range(3), range(3))),
    "filter": lambda: filter(lambda it: it >= 0, range(3)),
    "chain": lambda: itertools.chain([0], [1, 2]),
    "islice": lambda: itertools.islice(itertools.count(), 3),
    "deque": lambda: iter(deque([0, 1, 2])),
    "lines of a file": lambda: map(int, io.StringIO("0\n1\n2")),
}


@pytest.mark.parametrize("name", STEPPED)
def test_what_is_stepped_through_is_not_advanced(name: str) -> None:
    value = STEPPED[name]()
    look(value)
    assert next(value) == 0
    look(value)
    assert list(value) == [1, 2]
    look(value)


def test_nothing_is_taken_out_of_a_queue_and_nothing_drawn() -> None:
    waiting: queue.Queue[int] = queue.Queue()
    waiting.put(1)
    first, second = random.Random(1), random.Random(1)
    look(waiting)
    look(first)
    assert waiting.get_nowait() == 1
    assert first.random() == second.random()


def test_a_file_stays_where_it_is(tmp_path: pathlib.Path) -> None:
    (tmp_path / "text").write_text("abc\ndef\n")
    with open(tmp_path / "text") as file:
        file.readline()
        look(file)
        assert file.readline() == "def\n"


def test_a_path_remembers_nothing_of_being_looked_at() -> None:
    value = pathlib.PurePosixPath("/a", "b")
    before = {name: hasattr(value, name) for name in ("_str", "_hash", "_parts", "_tail_cached")}
    look(value)
    assert {name: hasattr(value, name) for name in before} == before


@pytest.mark.parametrize(
    "make",
    [weakref.ref, lambda it: weakref.WeakValueDictionary(a=it), lambda it: weakref.WeakKeyDictionary({it: 1}), lambda it: weakref.WeakSet([it]), weakref.proxy],
    ids=["ref", "values", "keys", "set", "proxy"],
)  # fmt: skip
def test_what_is_weak_keeps_nothing_alive_after_the_look(make: Callable[[Any], Any]) -> None:
    gc.collect()
    gc.disable()
    try:
        thing = Thing()
        value = make(thing)
        gone = weakref.ref(thing)
        look(value)
        del thing
        assert gone() is None
        look(value)
    finally:
        gc.enable()


# No code of the program's classes


class HostileText(str):
    def __str__(self) -> str:
        RAN.append("__str__")
        return "?"

    __repr__ = __format__ = __len__ = __getitem__ = __str__  # type: ignore[assignment]


class Silent:
    def __str__(self) -> str:
        RAN.append("__str__")
        return "?"

    __repr__ = __format__ = __str__  # type: ignore[assignment]


class Zone(datetime.tzinfo):
    def __repr__(self) -> str:
        RAN.append("zone")
        return "?"

    utcoffset = tzname = dst = __repr__  # type: ignore[assignment]


class Date(datetime.datetime):
    def __repr__(self) -> str:
        RAN.append("date")
        return "?"

    isoformat = __str__ = __repr__  # type: ignore[assignment]


class Count(int):
    def __repr__(self) -> str:
        RAN.append("count")
        return "?"

    __index__ = __int__ = __str__ = __eq__ = __lt__ = __repr__  # type: ignore[assignment]
    __hash__ = int.__hash__


class Wide(io.TextIOWrapper):
    @property
    def name(self) -> str:  # type: ignore[override]
        RAN.append("name")
        return "?"

    closed = mode = name  # type: ignore[assignment]


class Raw(io.RawIOBase):
    @property
    def closed(self) -> bool:
        RAN.append("closed")
        return False

    name = closed

    def readable(self) -> bool:
        return True


class Mapping(UserDict):  # type: ignore[type-arg]
    def __getitem__(self, key: Any) -> Any:
        RAN.append("__getitem__")
        return 0

    __len__ = __iter__ = __getitem__  # type: ignore[assignment]


def with_traceback() -> BaseException:
    try:
        raise KeyError(Silent())
    except KeyError as error:
        error.__notes__ = [HostileText("note")]  # type: ignore[attr-defined]
        return error


def filled() -> Any:
    value = Mapping.__new__(Mapping)
    value.__dict__["data"] = {"a": 1}
    return value


QUIET: dict[str, tuple[Callable[[], Any], str]] = {
    "exception of an object": (lambda: ValueError(Silent()), "ValueError · Silent"),
    "exception of a str subclass": (lambda: ValueError(HostileText("bad")), "ValueError · 'bad'"),
    "OSError of an object": (lambda: OSError(2, "gone", Silent()), "FileNotFoundError: [Errno 2] gone"),
    "raised": (with_traceback, "KeyError · Silent · "),
    "datetime": (lambda: datetime.datetime(2026, 1, 2, tzinfo=Zone()), "datetime.datetime(2026, 1, 2, 0, 0) · tzinfo Zone"),
    "datetime subclass": (lambda: Date(2026, 1, 2), "Date(2026, 1, 2, 0, 0)"),
    "range": (lambda: range(Count(0), Count(9), Count(2)), "range(0, 9, 2)"),
    "slice": (lambda: slice(Silent()), "slice · start None, stop Silent"),
    "pattern": (lambda: re.compile("a"), "Pattern · 'a'"),
    "match in a str subclass": (lambda: re.match("a", HostileText("ab")), "Match · 0…1"),
    "partial": (lambda: functools.partial(print, Silent(), **{HostileText("end"): Silent()}), "partial · print(Silent, end=Silent)"),
    "file subclass": (lambda: Wide(io.BytesIO(b"")), "Wide · over BytesIO"),
    "buffer over a raw file": (lambda: io.BufferedReader(Raw()), "BufferedReader · over Raw"),
    "UserDict": (filled, "Mapping · 1: a"),
    "UserList of something else": (lambda: bare(UserList, data=Silent()), "UserList · empty"),
    "ChainMap of anything": (lambda: bare(ChainMap, maps=[Silent(), 1]), "ChainMap · 2 maps: Silent, 1"),
    "mappingproxy of a mapping": (lambda: types.MappingProxyType(filled()), "mappingproxy · empty"),
    "namespace": (lambda: types.SimpleNamespace(**{HostileText("a"): Silent()}), "SimpleNamespace · a Silent"),
    "set": (lambda: {Silent()}, "set · 1: Silent"),
    "keys": (lambda: {Silent(): 1}, "dict · 1: ‹Silent›: 1"),
    "tuple as a key": (lambda: {(Silent(), (1, 2)): 1}, "dict · 1: (‹Silent›, (…)): 1"),
    "cell": (lambda: (lambda it: lambda: it)(Silent()).__closure__[0], "cell · Silent"),  # type: ignore[index]
}  # fmt: skip


def bare(cls: Any, **own: Any) -> Any:
    value = cls.__new__(cls)
    value.__dict__.update(own)
    return value


@pytest.mark.parametrize("name", QUIET)
def test_no_code_of_a_class_runs(name: str) -> None:
    make, line = QUIET[name]
    value = make()
    RAN.clear()
    text = look(value)
    assert summarize(value).startswith(line)
    assert "not read: " not in text
    assert RAN == []


# Where things are reached


class Colour(Enum):
    RED = 1


class OwnList(list):  # type: ignore[type-arg]
    def __getitem__(self, index: Any) -> Any:
        raise RuntimeError("__getitem__ ran")


class OwnDict(OrderedDict):  # type: ignore[type-arg]
    __getitem__ = OwnList.__getitem__  # type: ignore[assignment]


def chained() -> BaseException:
    try:
        try:
            raise KeyError("k")
        except KeyError as error:
            raise ValueError("bad") from error
    except ValueError as error:
        return error


REACHED: dict[str, Callable[[], Any]] = {
    "exception": chained,
    "partial": lambda: functools.partial(print, [1], end={}),
    "method wrappers": lambda: [staticmethod(len), classmethod(chained), property(chained)],
    "named by C": lambda: torch.topk(torch.ones(2), 1),
    "views": lambda: [{"a": [1]}.items(), ChainMap({"a": [1]}), UserDict(a=[1]), UserList([[1]])],
    "proxy": lambda: types.MappingProxyType({"a": [1]}),
    "list of its own": lambda: OwnList([[1]]),
    "dict of its own": lambda: [OwnDict(a=[1])],
    "odd keys": lambda: {Colour.RED: [1], torch.float32: [2], (1, "x"): [3], None: [4]},
    "memory": lambda: memoryview(bytearray(b"abc")),
    "match": lambda: re.match("(a)b", "ab"),
    "cell": lambda: (lambda it: lambda: it)([1]).__closure__[0],  # type: ignore[index]
    "generator": lambda: counting(),
    "weak": lambda: weakref.ref(Colour),
}


@pytest.mark.parametrize("name", REACHED)
def test_a_path_reaches_what_is_shown(name: str) -> None:
    value = REACHED[name]()
    snapshot = Snapshot(Rows.of("", [Child("value", value, "value")]))
    waiting, reached = [(0, 0)], 0
    with Untouched():
        while waiting:
            parent, depth = waiting.pop()
            for node in snapshot.page(parent, 0, 50, Budget())["nodes"]:
                shown = snapshot.value(node["id"])
                if (
                    "path" in node
                    and not isinstance(shown, (Rows, TextRow, Property))
                    and "Elements" not in str(type(shown))
                ):
                    found = eval(node["path"], {"value": value})
                    assert found is shown or found == shown, node["path"]
                    reached += 1
                if node.get("children") and "lazy" not in node and "mark" not in node and depth < 3:
                    waiting.append((node["id"], depth + 1))
    assert reached > 0


def test_items_of_a_class_with_its_own_subscripts_have_no_path() -> None:
    for value in (OwnList([[1]]), OwnDict(a=[1])):
        snapshot = Snapshot(Rows.of("", [Child("value", value, "value")]))
        top = snapshot.page(0, 0, 1, Budget())["nodes"][0]
        assert "path" not in snapshot.page(top["id"], 0, 1, Budget())["nodes"][0]


# Keys that are told apart


def test_long_names_of_one_family_are_told_apart() -> None:
    names = [f"encoder.layers.{i}.self_attn.{part}.weight" for i in range(2) for part in ("q_proj", "k_proj")]
    assert summarize(dict.fromkeys(names, 1)) == (
        "dict · 4: encoder.layers.0.self_attn.q_proj.weight 1, …k_proj.weight 1, …1.self_attn.q_proj.weight 1, …k_proj.weight 1"
    )
    rows = tree(dict.fromkeys(names, 1)).splitlines()[1:]
    assert [row.strip() for row in rows] == [f"'{name}'  1" for name in names]


def test_very_long_names_show_both_ends() -> None:
    names = ["a" * 500 + end for end in ("first", "second")]
    rows = tree(dict.fromkeys(names, 1)).splitlines()[1:]
    assert rows[0].strip().startswith("'aaaa")
    assert "afirst' #0" in rows[0]
    assert "asecond' #1" in rows[1]


def test_a_module_that_is_named_after_a_standard_one_is_not_trusted(tmp_path: pathlib.Path) -> None:
    (tmp_path / "queue.py").write_text("class Queue:\n def __init__(self): self.maxsize = 3\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport queue\n"
        "from tensor_inspector import summarize\nprint(summarize(queue.Queue()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout.strip() in ("Queue · maxsize 3", "Queue · empty of at most 3")


class Guarded:
    """An object whose attributes are all private, as those of many libraries."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


@pytest.mark.parametrize(
    ("attributes", "line"),
    [
        ({"_lock": [1], "_metadata": {"a": 1}, "_size": 3}, "Guarded · _size 3, _lock list of 1, _metadata dict of 1"),
        ({"_flags_cache": {}, "_owner": 1, "_rate": 0.1, "_shape": (2, 3)}, "Guarded · _shape tuple of 2, _rate 0.1, _owner 1"),
        ({"_inner": types.SimpleNamespace(), "_names": ["a"], "_array": torch.ones(2)}, "Guarded · _array f32[2], _names list of 1, _inner"),
        ({**{f"_{at}": at for at in range(20)}, "rate": 0.1}, "Guarded · rate 0.1"),
        ({"_lock": [1]}, "Guarded · _lock list of 1"),
        ({"_none": None}, "Guarded · _none None"),
    ],
)  # fmt: skip
def test_of_private_attributes_those_that_tell_what_it_is_come_first(attributes: dict[str, Any], line: str) -> None:
    assert summarize(Guarded(**attributes)).startswith(line)
