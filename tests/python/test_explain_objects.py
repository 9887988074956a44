"""Exceptions about objects: hidden by a property, copied, pickled, looked up by a label, made under inference mode."""

from __future__ import annotations

import copy
import sys
import traceback
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from forked import fork_unwarned  # noqa: E402
from untouched import Watch  # noqa: E402

from tensor_inspector import explain  # noqa: E402

HEAD = """
import copy, pickle
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Sizes:
    def __init__(self):
        self.heads, self.per_head = 4, 8


KEEP = lambda rows: rows


class Nosy(type):
    def __getattribute__(cls, name):
        asked.append(name)
        return super().__getattribute__(name)


asked = []


class Watched(metaclass=Nosy):
    pass


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.sizes, self.cache, self.calls = Sizes(), None, 0
        self.lift = nn.Linear(4, 4)

    @property
    def width(self):
        return self.heads * self.sizes.head_size

    @property
    def heads(self):
        return self.sizes.heads

    @property
    def depth(self):
        return self.width * 2

    @property
    def area(self):
        if "_area" not in self.__dict__:
            self._area = self.widht * 2
        return self._area

    @property
    def size(self):
        if hasattr(self, "head"):
            return self.head.size
        return self.tial.weight

    @property
    def total(self):
        return self.helper() + self.result

    def helper(self):
        return self.sizes.of_heads

    @property
    def sure(self):
        assert self.lift is not None, self.message
        return self.needed

    def forward(self, x):
        self.calls += 1
        x = self.lift(x)
        self.cache = x.sin() if self.calls == 1 else x
        return self.cache


"""

#: name: the rule, what is said, the body of a function whose last line fails
CASES: dict[str, tuple[str, list[str], str]] = {
    "a property asks for what is not there": (
        "missing-attribute",
        ["the property width of encoder fails", "self.sizes (Sizes) has no head_size", "self.sizes.head_size"],
        "encoder = Encoder()\nnn.Linear(encoder.width, 2)",
    ),
    "a property asks for another that fails": (
        "missing-attribute",
        ["the property depth of encoder fails", "has no head_size"],
        "encoder = Encoder()\nprint(encoder.depth)",
    ),
    "a property that keeps what it has computed, and misspells": (
        "missing-attribute",
        ["the property area of encoder fails", "an AttributeError that it raised itself is hidden"],
        "encoder = Encoder()\nprint(encoder.area)",
    ),
    "a property that asks whether something is there first": (
        "missing-attribute",
        ["the property size of encoder fails", "hidden"],
        "encoder = Encoder()\nprint(encoder.size)",
    ),
    "a property that calls before it reads": (
        "missing-attribute",
        ["the property total of encoder fails", "an AttributeError that it raised itself is hidden"],
        "encoder = Encoder()\nprint(encoder.total)",
    ),
    "a property that asserts": (
        "missing-attribute",
        ["the property sure of encoder fails", "has no needed"],
        "encoder = Encoder()\nprint(encoder.sure)",
    ),
    "what inference mode made is to be saved": (
        "inference-tensor",
        ["features was made under inference_mode", "features.clone()"],
        "net = nn.Linear(4, 2)\nwith torch.inference_mode():\n    features = torch.randn(3, 4)\nnet(features).sum()",
    ),
    "a copy of a model that keeps a result": (
        "copied-graph",
        ["net.cache has a graph", "net.cache.detach()"],
        "net = Encoder()\nnet(torch.randn(2, 4))\ncopy.deepcopy(net)",
    ),
    "a copy of a list of results": (
        "copied-graph",
        ["kept[1] has a graph"],
        "x = torch.ones(2, requires_grad=True)\nkept = [x, x * 2]\ncopy.deepcopy(kept)",
    ),
    "a local function in what is pickled": (
        "not-picklable",
        ['job["collate"] can\'t be pickled', "<lambda>"],
        'job = {"net": nn.Linear(2, 2), "collate": lambda rows: rows}\njob["watched"] = Watched()\npickle.dumps(job)',
    ),
    "a lambda of the file": (
        "not-picklable",
        ["job[0] can't be pickled", "finds a function by its name"],
        "job = [KEEP]\npickle.dumps(job)",
    ),
    "a handle in what is pickled": (
        "not-picklable",
        ['job["lock"] can\'t be pickled', "of this process alone"],
        'import threading\njob = {"lock": threading.Lock()}\npickle.dumps(job)',
    ),
    "an object whose class is not found by its name": (
        "not-picklable",
        ["job[1] can't be pickled", "does not find its class"],
        "job = [1, Sizes()]\npickle.dumps(job)",
    ),
    "a checkpoint that counts its calls": (
        "recomputation-differs",
        ["3 tensors were saved, then 2"],
        "net = Encoder()\nx = torch.randn(2, 4, requires_grad=True)\n"
        "out = checkpoint(net, x, use_reentrant=False)\nout.sum().backward()",
    ),
}


def raised_by(body: str, tmp_path: Path) -> tuple[BaseException, str]:
    """The exception that a function of this body ends with, and the last line of the body."""
    lines = [f"    {line}" for line in body.splitlines()]
    file = tmp_path / "program.py"
    file.write_text(f"{HEAD}def run():\n" + "\n".join(lines) + "\n")
    namespace: dict[str, Any] = {"__name__": "program", "__file__": str(file)}
    exec(compile(file.read_text(), str(file), "exec"), namespace)
    try:
        namespace["run"]()
    except Exception as error:
        return error, lines[-1].strip()
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("name", CASES)
def test_it_is_explained_by_what_is_at_fault(name: str, tmp_path: Path) -> None:
    rule, texts, body = CASES[name]
    error, _ = raised_by(body, tmp_path)
    frame = next(one for one, _ in traceback.walk_tb(error.__traceback__) if one.f_code.co_name == "run")
    held = dict(frame.f_locals)
    assert explain(error)  # which also loads what we need for the first look
    with Watch(held, (tmp_path,)) as watch:
        [found] = explain(error)
    assert watch.changes() == []
    assert found["rule"] == rule
    said = " ".join(
        [found["title"], found["suggestion"], *(f"{one['expression']} {one['fact']}" for one in found["evidence"])]
    )
    for text in texts:
        assert text in said


def test_what_a_class_copies_by_itself_is_not_looked_into() -> None:
    class Selective:
        def __init__(self) -> None:
            self.kept = torch.ones(1, requires_grad=True) * 2

        def __deepcopy__(self, memo: dict[int, Any]) -> Selective:
            return self

    both = [Selective(), torch.ones(1, requires_grad=True) * 3]
    try:
        copy.deepcopy(both)
    except RuntimeError as error:
        [found] = explain(error)
    assert found["title"].startswith("both[1] has a graph")


def test_a_failing_property_is_told_in_its_own_line(tmp_path: Path) -> None:
    error, _ = raised_by(CASES["a property asks for what is not there"][2], tmp_path)
    [found] = explain(error)
    assert found["source"] is not None
    lines = Path(found["source"]["file"]).read_text().splitlines()
    assert "self.sizes.head_size" in lines[found["source"]["line"] - 1]


def test_an_attribute_that_a_module_has_not_is_no_property() -> None:
    net = torch.nn.Linear(2, 2)
    try:
        net.wieght  # noqa: B018
    except AttributeError as error:
        [found] = explain(error)
    assert "net.weight" in found["suggestion"]


def test_a_row_of_a_series_is_asked_for_by_its_label() -> None:
    pandas = pytest.importorskip("pandas")
    outcome = pandas.Series([1, 0, 1], index=[10, 11, 12])
    number = 2
    try:
        outcome[number]
    except KeyError as error:
        [found] = explain(error)
    assert "outcome has no row that is labelled 2" in found["title"]
    assert found["suggestion"] == "outcome.iloc[number]"


class Killed(torch.utils.data.Dataset):  # type: ignore[misc]
    def __len__(self) -> int:
        return 4

    def __getitem__(self, at: int) -> int:
        import os
        import signal

        os.kill(os.getpid(), signal.SIGKILL)
        return at


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_worker_that_was_killed_is_no_error_of_the_dataset() -> None:
    loader = torch.utils.data.DataLoader(Killed(), num_workers=1)
    try:
        with fork_unwarned():
            next(iter(loader))
    except RuntimeError as error:
        [found] = explain(error)
    assert found["rule"] == "worker-failed"
    assert "ended from outside" in found["title"]
    assert {"expression": "num_workers", "fact": "1"} in found["evidence"]
