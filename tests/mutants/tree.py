"""A copy of the project in which tests run, in a forked child: what is preloaded is loaded once for all of them."""

from __future__ import annotations

import compileall
import os
import py_compile
import shutil
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

PROJECT = Path(__file__).parents[2]
HELPER = Path("pyhelper/tensor_inspector")
_COPIED = ("pyhelper", "tests")
_LEFT_OUT = (".hypothesis",)

Job = TypeVar("Job")
Where = TypeVar("Where", bound="WorkFolder")


class WorkFolder:
    """A folder in which one child at a time works."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def start(self, work: Callable[[], int]) -> int:
        """The child that does the work here, and ends with what it answers."""
        child = os.fork()
        if child != 0:
            return child
        status = 1
        try:
            self._move_in()
            status = work()
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)

    def _move_in(self) -> None:
        os.chdir(self.folder)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        log = os.open("log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        _give_memory_back_first()

    @property
    def log(self) -> str:
        return (self.folder / "log.txt").read_text("utf-8", "replace")


class Tree(WorkFolder):
    """A copy of the project: a child changes it or runs tests in it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        for each in PROJECT.iterdir():
            if each.name in _COPIED:
                shutil.copytree(each, folder / each.name, ignore=shutil.ignore_patterns("__pycache__"))
            elif each.name not in _LEFT_OUT:
                (folder / each.name).symlink_to(each)
        # Bytecode that is checked by its source's hash: a mutant may have the size and time of the file it stands for.
        hashed = py_compile.PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(folder / "pyhelper", quiet=1, invalidation_mode=hashed)

    def _move_in(self) -> None:
        super()._move_in()
        helper = str(self.folder / HELPER.parent)
        sys.path.insert(0, helper)
        os.environ["PYTHONPATH"] = helper

    def restore(self, file: str) -> None:
        """A file of the helper, and what tests keep of what failed on its mutant."""
        shutil.copyfile(PROJECT / HELPER / file, self.folder / HELPER / file)
        shutil.rmtree(self.folder / ".hypothesis", ignore_errors=True)


def _give_memory_back_first() -> None:
    """A mutant may take all memory there is; it shall be the one that is ended for it."""
    try:
        Path("/proc/self/oom_score_adj").write_text("1000")
    except OSError:
        pass  # not Linux


def each_in_a_child(
    places: Iterable[Where], jobs: Iterable[Job], work: Callable[[Job], int]
) -> Iterator[tuple[Job, Where, int]]:
    """As many jobs at a time as there are places: each, where it was done, and how its child ended."""
    free = list(places)
    running: dict[int, tuple[Job, Where]] = {}

    def done() -> tuple[Job, Where, int]:
        child, status = os.wait()
        job, place = running.pop(child)
        free.append(place)
        return job, place, os.waitstatus_to_exitcode(status)

    for job in jobs:
        if not free:
            yield done()
        place = free.pop()
        running[place.start(lambda job=job: work(job))] = job, place
    while running:
        yield done()
