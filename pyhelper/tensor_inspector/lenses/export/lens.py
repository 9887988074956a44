"""The lens `export`: which formats hold a value; asked with a format, it makes the file, slice by slice. Nothing of the
program's runs for it, but for a format that pickles, with the option ``run``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from socket import gethostname
from typing import TYPE_CHECKING, Any

from ...kinds import Child, TextRow
from ...safe.budget import Budget
from ...safe.guard import class_name, module, plain_message
from ...safe.one_thread import OneThread
from ...safe.record import Record
from ...words.text import size
from ..lens import InvalidQuestion, Lens, Paused
from ..new_file import NewFile
from ..surroundings import step_around
from . import csv, npy, pt, safetensors, tensorboard
from .destination import Destination, destination_of, folder_of, working_directory
from .exported import Exported, named
from .new_run import NewRun
from .plan import Plan
from .recorded import wanted_of

if TYPE_CHECKING:
    from ...protocol import ExportFormat, ExportFound, Found
    from .plan import Planning, Steps

_SIGHT = 200  #: milliseconds for what is in sight, half of which it takes at most
_SENT = 1 << 19  #: bytes at once to who writes them elsewhere
_SYNCED = 1 << 25  #: bytes, after which the disk is waited for


class Format(Record):
    """One that ``runs`` code of the program needs the user's consent. One ``is_folder`` of files."""

    plan: Callable[[Child, Mapping[str, Any], Paused | None, Budget], Planning]
    runs: bool = False
    is_folder: bool = False


def _plan_npy(asked: Child, options: Mapping[str, Any], paused: Paused | None, budget: Budget) -> Planning:
    yield
    return npy.plan(Exported(asked.value, budget))


def _plan_csv(asked: Child, options: Mapping[str, Any], paused: Paused | None, budget: Budget) -> Planning:
    yield
    return csv.plan(Exported(asked.value, budget))


def _plan_safetensors(asked: Child, options: Mapping[str, Any], paused: Paused | None, budget: Budget) -> Planning:
    tensors = yield from named(asked.value, asked.name, budget)
    return safetensors.plan(tensors)


def _plan_pt(asked: Child, options: Mapping[str, Any], paused: Paused | None, budget: Budget) -> Planning:
    yield
    return pt.plan(asked)


def _plan_tensorboard(asked: Child, options: Mapping[str, Any], paused: Paused | None, budget: Budget) -> Planning:
    return tensorboard.plan(asked, wanted_of(options), lambda: step_around(paused, Budget(_SIGHT)), budget)


FORMATS = {
    "npy": Format(_plan_npy),
    "safetensors": Format(_plan_safetensors),
    "csv": Format(_plan_csv),
    "pt": Format(_plan_pt, runs=True),
    "tensorboard": Format(_plan_tensorboard, runs=True, is_folder=True),
}


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    """About ``values["value"]``. Without the option ``format`` it tells what each holds. With ``path`` the program
    writes the file, over another only with ``overwrite``; else its bytes are told, for who asks to write them. A folder
    is made where there is none, or, with ``overwrite``, added to; ``step`` and ``scalars`` are what a run is told.

    Raises ``ValueError`` for its options.
    """
    asked, name = values["value"], options.get("format")
    if name is None:
        return FormatsLens(asked, options, paused, budget)
    if type(name) is not str or name not in FORMATS:
        raise ValueError(f"format is one of {', '.join(FORMATS)}")
    if FORMATS[name].runs and options.get("run") is not True:
        raise ValueError(f"{name} runs code of the program: it is asked with the option 'run'")
    at = folder_of if FORMATS[name].is_folder else destination_of
    destination = at(options["path"]) if "path" in options else None
    planning = FORMATS[name].plan(asked, options, paused, budget)
    return ExportLens(asked, planning, FORMATS[name].is_folder, destination, options.get("overwrite") is True, budget)


class FormatsLens(Lens):
    """Which formats hold a value, and what each of them leaves out."""

    def __init__(self, asked: Child, options: Mapping[str, Any], paused: Paused | None, budget: Budget) -> None:
        super().__init__(budget)
        self._asked, self._options, self._paused = asked, options, paused
        self._formats: list[ExportFormat] = []
        self._left = list(FORMATS)
        self._planning: Planning | None = None

    def go_on(self) -> bool:
        while self._left:
            found = self._format(self._left[0])
            if found is None:
                return False
            self._formats.append(found)
            self._left.pop(0)
            self._planning = None
        return True

    def progress(self) -> float:
        return len(self._formats) / len(FORMATS)

    def found(self) -> Found:
        return _found(self._formats)

    def row(self) -> Child:
        return Child(self._asked.name, TextRow(", ".join(one["format"] for one in self._formats)), None)

    def _format(self, name: str) -> ExportFormat | None:
        """What there is to say of a format; None where the time of this slice is over."""
        found: ExportFormat = {"format": name, "notes": [], "runs": FORMATS[name].runs}
        try:
            if self._planning is None:
                self._planning = FORMATS[name].plan(self._asked, self._options, self._paused, self.budget)
            plan = _planned(self._planning, self._asked, self.budget)
        except (TypeError, ValueError) as error:
            found["refused"] = str(error)
            return found
        if plan is None:
            return None
        found["notes"] = plan.notes
        if plan.bytes is not None:
            found["bytes"], found["size"] = plan.bytes, size(plan.bytes)
        return found


class ExportLens(Lens):
    """Makes the file, or a folder of them: under another name until all is whole, or for who writes it elsewhere."""

    def __init__(
        self,
        asked: Child,
        planning: Planning,
        is_folder: bool,
        destination: Destination | None,
        overwrite: bool,
        budget: Budget,
    ) -> None:
        super().__init__(budget)
        self._asked, self._planning, self._is_folder = asked, planning, is_folder
        self._destination, self._overwrite = destination, overwrite
        self._plan: Plan | None = None
        self._at = 0  #: among the files of the plan
        self._steps: Steps | None = None
        self._done = self._bytes = self._unsynced = 0
        self._target: NewFile | NewRun | None = None
        self._made = bytearray()
        self._name = ""  #: of the file that the bytes are of
        self._is_taken = destination is not None and destination.exists and not overwrite

    def go_on(self) -> bool:
        if self._is_taken:
            return True
        self._made = bytearray()
        if self._plan is None:
            try:
                self._plan = _planned(self._planning, self._asked, self.budget)
            except (TypeError, ValueError) as error:
                raise InvalidQuestion(str(error)) from None
            if self._plan is None:
                return False
        try:
            done = self._write(self._plan)
        except BaseException:
            if self._target is not None:
                self._target.discard()
            raise
        if done:
            self._steps = None
        return done

    def progress(self) -> float:
        return 0.0 if self._plan is None else min(1.0, self._done / max(1, self._plan.total))

    def data(self) -> bytes | None:
        return bytes(self._made) if self._destination is None and self._made else None

    def file(self) -> str | None:
        return self._name or None

    def found(self) -> Found:
        found = _found([])
        if self._destination is not None and self._is_taken:
            found["taken"] = self._destination.path
        elif self._destination is not None:
            found["written"] = self._destination.path
        found["bytes"] = self._bytes
        return found

    def row(self) -> Child:
        return Child(self._asked.name, TextRow(size(self._bytes)), None)

    def _write(self, plan: Plan) -> bool:
        """Whether all is written; else the time of this slice is over."""
        try:
            if self._target is None and self._destination is not None:
                self._target = (NewRun if self._is_folder else NewFile)(self._destination.path)
            numpy = module("numpy")
            with (
                OneThread(module("torch") is not None),
                nullcontext() if numpy is None else numpy.errstate(all="ignore"),
            ):
                if not self._are_over(plan):
                    return False
            return self._is_finished()
        except OSError as error:
            why = error.strerror or plain_message(error)
            raise InvalidQuestion(f"{self._asked.name} is not written: {why}") from None
        except Exception as error:
            raise InvalidQuestion(f"{self._asked.name} is not written: {_sentence(error)}") from None

    def _are_over(self, plan: Plan) -> bool:
        """Makes the files that are left. An answer has bytes of one of them."""
        files = plan.parts()
        while self._at < len(files):
            if self._steps is None:
                if self._made:
                    return False
                self._name, self._steps = files[self._at].name, files[self._at].steps(self.guard)
                if type(self._target) is NewRun:
                    self._target.begin(self._name)
            if not self._is_over(self._steps):
                return False
            self._steps, self._at = None, self._at + 1
        return True

    def _is_over(self, steps: Steps) -> bool:
        for data, amount in steps:
            self._done += amount
            self._bytes += len(data)
            if self._target is None:
                self._made += data
            else:
                self._target.write(data)
                self._unsynced += len(data)
            if self.budget.spent() or len(self._made) >= _SENT or self._is_synced():
                return False
        return True

    def _is_synced(self) -> bool:
        """Whether it was time to wait for the disk, which may take long."""
        if self._target is None or self._unsynced < _SYNCED:
            return False
        self._target.sync()
        self._unsynced = 0
        return True

    def _is_finished(self) -> bool:
        if self._target is None or self._destination is None:
            return True
        self._target.sync()
        try:
            self._target.finish(overwrite=self._overwrite)
        except FileExistsError:  # since it was begun
            self._is_taken = True
        return True


def _planned(planning: Planning, asked: Child, budget: Budget) -> Plan | None:
    """The plan, once all is looked at; None where the time is over. Raises ``TypeError`` and ``ValueError``."""
    try:
        while True:
            next(planning)
            if budget.spent():
                return None
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    except (TypeError, ValueError):
        raise
    except Exception as error:
        raise ValueError(f"{asked.name} is not read: {class_name(type(error))}: {plain_message(error)}") from None


def _found(formats: list[ExportFormat]) -> ExportFound:
    return {"lens": "export", "host": gethostname(), "folder": working_directory(), "formats": formats}


def _sentence(error: Exception) -> str:
    return str(error) if type(error) is ValueError else f"{class_name(type(error))}: {plain_message(error)}"
