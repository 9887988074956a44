"""Arrays in files: what is asked of a library in C while other threads run, and of files that are not local."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from forked import answered_in_child

from tensor_inspector import compare, summarize
from tensor_inspector.debugger import is_only_thread


@contextmanager
def another_thread(**attributes: Any) -> Iterator[None]:
    """Another thread of the program, which does nothing."""
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    vars(thread).update(attributes)
    thread.start()
    yield
    end.set()
    thread.join()


def netcdf(name: str = "run.nc", **settings: Any) -> Any:
    file = pytest.importorskip("netCDF4").Dataset(name, "w", diskless=True, **settings)
    file.createDimension("time", None)
    file.createVariable("heat", "f4", ("time",))[:] = [1, 2]
    return file


def h5(place: Any = "run.h5", **settings: Any) -> Any:
    file = pytest.importorskip("h5py").File(place, "w", **settings)
    for name in "abcdefghijklmno":
        file.create_group(f"many/{name}")
    file["x"] = [1, 2]
    return file


def in_memory(name: str = "run.h5") -> Any:
    return h5(name, driver="core", backing_store=False)


# Threads


@pytest.mark.parametrize(
    ("attributes", "alone"), [({}, False), ({"is_pydev_daemon_thread": True}, True)], ids=["program", "debugger"]
)
def test_a_thread_of_the_debugger_is_none_of_the_program(attributes: dict[str, Any], alone: bool) -> None:
    def work() -> list[bool]:
        with another_thread(**attributes):
            return [is_only_thread()]

    assert answered_in_child(is_only_thread) is True
    assert answered_in_child(work) == [alone]


NETCDF: list[tuple[Callable[[Any], Any], str, str]] = [
    (lambda file: file["heat"], "Variable · float32[2] · heat · dims time · not read from disk", "Variable · float32[?] · heat · "),
    (lambda file: file.dimensions["time"], "Dimension · time · 2", "Dimension · time · "),
    (lambda file: file, "Dataset · dims time 2 · 1 variable: heat", "Dataset · dims time · 1 variable: heat"),
]  # fmt: skip


@pytest.mark.parametrize(("part", "line", "beside"), NETCDF, ids=["variable", "dimension", "file"])
def test_netcdf_is_asked_nothing_while_another_thread_may_be_in_it(
    part: Callable[[Any], Any], line: str, beside: str
) -> None:
    def work() -> list[str]:
        file = netcdf()
        first = summarize(part(file))
        with another_thread():
            return [first, summarize(part(file))]

    pytest.importorskip("netCDF4")
    told = " " if beside.endswith("heat") else "not read: another thread may be in its library"
    assert answered_in_child(work) == [line, (beside + told).strip()]


def test_netcdf_does_not_crash_beside_a_thread_that_writes() -> None:
    def work() -> str:
        file, end = netcdf(), threading.Event()

        def write() -> None:
            while not end.is_set():
                file["heat"][:] = range(100)

        thread = threading.Thread(target=write)
        thread.start()
        for _ in range(500):
            summarize(file["heat"])
        end.set()
        thread.join()
        return "fine"

    pytest.importorskip("netCDF4")
    assert answered_in_child(work) == "fine"


def test_a_file_that_is_held_weakly_is_not_said_to_be_closed() -> None:
    pytest.importorskip("netCDF4")
    said = answered_in_child(lambda: (file := netcdf(keepweakref=True)) and summarize(file.variables["heat"]))
    assert said == "Variable · float32[?] · heat · not read: it holds its file by a weak reference"


# What h5py is asked


def test_h5py_is_asked_only_while_its_lock_is_free() -> None:
    def work() -> list[str]:
        file, held, end = in_memory(), threading.Event(), threading.Event()

        def hold() -> None:
            with pytest.importorskip("h5py")._objects.phil:
                held.set()
                end.wait()

        thread = threading.Thread(target=hold)
        thread.start()
        held.wait()
        said = [summarize(file)]
        end.set()
        thread.join()
        return [*said, summarize(file)]

    pytest.importorskip("h5py")
    assert answered_in_child(work) == ["File · not read: its library is at work", "File · run.h5 · items: many, x"]


def test_of_a_large_group_only_the_first_names_are_read() -> None:
    line = summarize(in_memory()["many"])
    assert line == "Group · /many · items: a, b, c, d, e, f, g, h, i, j, k, l, …"


def test_a_group_is_told_where_h5py_visits_it() -> None:
    said: list[str] = []
    in_memory().visititems(lambda name, item: said.append(summarize(item)))
    assert said[1] == "Group · /many/a · empty"


def test_a_file_that_code_of_the_program_reads_is_not_read() -> None:
    class Place(io.BytesIO):
        reads = 0

        def readinto(self, buffer: Any) -> int:
            Place.reads += 1
            return super().readinto(buffer)

    file = h5(Place())
    before = Place.reads
    said = [summarize(one) for one in (file["many"], file["x"], file["x"].attrs)]
    assert Place.reads == before
    assert said == [
        "Group · not read: it is no local file",
        "Dataset · int64[2] · not read from disk",
        "AttributeManager · not read: it is no local file",
    ]


def test_files_differ_by_what_they_hold() -> None:
    one, other = in_memory("one.h5"), in_memory("other.h5")
    del other["x"]
    assert [found["text"] for found in compare(one, other).differences] == ["items many, x → many"]
