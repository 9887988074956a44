"""Runs a program in a forked child and says what is found at its stops, and in the exception that ends it."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from traceback import walk_tb
from types import FrameType
from typing import Any

import torch
from faults import HEAD
from forked import answered_in_child

import tensor_inspector
from tensor_inspector import explain, findings, observations

_WARM = """
    net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(), nn.Linear(4, 2))
    optimizer = torch.optim.Adam(net.parameters())
    loss = F.cross_entropy(net(torch.randn(4, 4)), torch.tensor([0, 1, 0, 1]))
    loss.backward()
    stop()
    optimizer.step()
    net(torch.randn(4, 5))
"""
_VISITS = 2  #: of one line at which is asked: a loop's later rounds are like its second
_ROUNDS = 4  #: that some rules must have seen


class Said:
    """What was found, the rules that raised, each with its reason, and the exception that ended the program."""

    def __init__(self, found: list[dict[str, Any]], failed: list[str], raised: Sequence[str] = ()) -> None:
        self.found = found
        self.failed = failed
        self.raised = raised

    @property
    def rules(self) -> list[str]:
        return [finding["rule"] for finding in self.found]


def said_of(text: str, *, every_line: bool = False, thorough: bool = True) -> Said:
    """What is found in a program from a neutral path; ``every_line`` asks at each of its lines, as a stop there would."""
    return Said(**_in_child(lambda: found_in(text, every_line, thorough)))


def said_on(device: str, text: str) -> Said:
    """What is found at the stops of a program that makes its tensors on a device, run in this process."""
    with _by_default(device):
        return Said(**found_in(text, False, True))


def raised_on(device: str, text: str) -> str:
    """What ends a program on a device where nobody looks at it, run in this process; empty where it comes to its end."""
    raised: list[str] = []
    with _by_default(device):
        _play(text, None, None, lambda error: raised.append(f"{type(error).__name__}: {error}"))
    return "".join(raised)


@contextmanager
def _by_default(device: str) -> Iterator[None]:
    torch.set_default_device(device)
    try:
        yield
    finally:
        torch.set_default_device(None)


def observed_in(text: str) -> list[list[dict[str, Any]]]:
    """What is worth a look at each of the stops of a program."""

    def work() -> dict[str, Any]:
        seen: list[Any] = []
        failed: list[str] = []

        def look(frame: FrameType) -> None:
            answer = observations(frame)
            seen.append(list(answer))
            failed.extend(f"{id}: {reason}" for id, reason in answer.skipped)

        _play(text, look, None, lambda error: failed.append(f"{type(error).__name__}: {error}"))
        return {"seen": seen, "failed": failed}

    answer = _in_child(work)
    assert answer["failed"] == []
    seen: list[list[dict[str, Any]]] = answer["seen"]
    return seen


def said_of_each(texts: list[str], *, every_line: bool = False) -> list[Said]:
    """What is found in several programs, one after another in one process, at the calls of ``stop`` or at each line."""
    answer = _in_child(lambda: {"each": [found_in(text, every_line, True) for text in texts]})
    return [Said(**said) for said in answer["each"]] if "each" in answer else [Said(**answer)]


def said_in_all_ways(text: str) -> dict[str, list[str]]:
    """The rules that say something of a program, each with the line before which it does, and what fails or ends it, by
    the way to ask: empty where all is well.

    In one process it is asked thoroughly at the calls of ``stop``, then as every stop is, at each line and in every round.
    """

    def said() -> dict[str, Any]:
        ways = {
            "at its stops": found_in(text, False, True),
            "at every line": found_in(text, True, False),
            "in every round": _in_every_round(text),
        }
        lines = text.splitlines()
        each = {
            way: [
                *dict.fromkeys(
                    f"{one['rule']}, before: {lines[one['stopped'] - 1].strip()}" for one in answer["found"]
                ),
                *answer["failed"],
                *answer["raised"],
            ]
            for way, answer in ways.items()
        }
        return {way: said for way, said in each.items() if said}

    return _in_child(said)


def said_in_every_round(text: str) -> Said:
    """What is found where a single breakpoint stops in each round of a loop: of the busiest lines the first and the last."""
    return Said(**_in_child(lambda: _in_every_round(text)))


def _in_every_round(text: str) -> dict[str, Any]:
    parts = [found_in(text, False, False, line) for line in busy_lines(text)]
    return {key: [one for part in parts for one in part[key]] for key in ("found", "failed", "raised")}


def _in_child(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    warm()
    answer = answered_in_child(work)
    return answer if isinstance(answer, dict) else {"found": [], "failed": [answer]}


@cache
def warm() -> None:
    """Loads, before any fork, what torch and the helper load for the first program: seconds that each child would take."""
    found_in(HEAD + _WARM, every_line=False, thorough=True)


def busy_lines(text: str) -> list[int]:
    """Lines that run in enough rounds for numbers to be compared, but not in those of a long inner loop."""
    visits: Counter[int] = Counter()

    def count(frame: FrameType) -> None:
        visits[frame.f_lineno] += 1

    _play(text, None, count, lambda error: None)
    busy = sorted(line for line, count in visits.items() if _ROUNDS <= count <= 10 * _ROUNDS)
    return list(dict.fromkeys((busy[0], busy[-1]))) if busy else []


def found_in(text: str, every_line: bool, thorough: bool, line: int | None = None) -> dict[str, Any]:
    """What is found at the calls of ``stop``, at every line, or at one line in each round; ``stopped`` is the line."""
    found: list[Any] = []
    failed: list[str] = []
    raised: list[str] = []
    visits: Counter[int] = Counter()

    def look(frame: FrameType) -> None:
        answer = findings(frame, thorough=thorough, run=thorough)
        found.extend({**finding, "stopped": frame.f_lineno} for finding in answer)
        failed.extend(f"{rule}: {reason}" for rule, reason in answer.skipped if "Error" in reason)

    def see(frame: FrameType) -> None:
        visits[frame.f_lineno] += 1
        if frame.f_lineno == line or (line is None and visits[frame.f_lineno] <= _VISITS):
            look(frame)

    def end(error: Exception) -> None:
        found.extend({**finding, "stopped": _last_line(error)} for finding in explain(error))
        raised.append(f"{type(error).__name__}: {error}")

    traced = every_line or line is not None
    stop = None if traced else look
    _play(text, stop, see if traced else None, end)
    return {"found": found, "failed": failed, "raised": raised}


def _last_line(error: BaseException) -> int:
    """The program's line that an exception came from: of the last frame that stands in it."""
    lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename.endswith("/program.py")]
    return lines[-1] if lines else 1


def _play(
    text: str,
    stop: Callable[[FrameType], None] | None,
    see: Callable[[FrameType], None] | None,
    caught: Callable[[Exception], None],
) -> None:
    """Runs a program: ``stop`` is shown the frame that calls it, ``see`` each line before it runs, ``caught`` what ends it.

    What ``stop`` or ``see`` raise is no error of the program, and is raised from here even if the program catches it.
    """
    compile(text, "program.py", "exec")  # what is no Python would end without a stop, as if all were well
    torch.set_num_threads(1)
    ours: list[Exception] = []

    def look(ask: Callable[[FrameType], None], frame: FrameType) -> None:
        try:
            ask(frame)
        except Exception as error:
            ours.append(error)
            raise

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text(text)
        spec: Any = importlib.util.spec_from_file_location("program", path)
        program = importlib.util.module_from_spec(spec)
        stopped = (lambda: None) if stop is None else (lambda: look(stop, sys._getframe(1)))
        program.stop = stopped  # type: ignore[attr-defined]

        def tracer(frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
            if frame.f_code.co_filename != str(path):
                return None
            if event == "line" and see is not None:
                look(see, frame)
            return tracer

        try:
            sys.settrace(tracer if see is not None else None)
            spec.loader.exec_module(program)
            if hasattr(program, "train"):
                program.train(stopped)
        except Exception as error:
            sys.settrace(None)
            if not ours:
                caught(error)
        finally:
            sys.settrace(None)
            tensor_inspector.forget()
            if torch.distributed.is_initialized():
                torch.distributed.destroy_process_group()
        if ours:
            raise ours[0]
