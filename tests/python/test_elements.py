"""Which tensors' elements may be read for a question about them, and their sizes as plain data: `measure.torch`."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn
from zoo.tensor_classes import Wrapping
from zoo.tensors import jag

from tensor_inspector.measure import devices
from tensor_inspector.measure.reading import badges
from tensor_inspector.measure.torch.dispatch import known_bytes
from tensor_inspector.measure.torch.elements import bare, number_of, same_elements
from tensor_inspector.measure.torch.metadata import size_text, sizes_listed
from tensor_inspector.measure.torch.readable import why_unread
from tensor_inspector.measure.torch.visits import parts_of
from tensor_inspector.measure.unread import Unread
from tensor_inspector.safe.budget import Budget
from tensor_inspector.session import session


class Own(torch.Tensor):
    pass


def freed() -> torch.Tensor:
    tensor = torch.ones(1)
    tensor.untyped_storage().resize_(0)
    return tensor


NUMBERS: dict[str, tuple[Any, float | None]] = {
    "a tensor": (torch.tensor(2.5), 2.5),
    "an integer": (torch.tensor([3]), 3),
    "a parameter": (nn.Parameter(torch.tensor([[0.5]])), 0.5),
    "of a class of the program": (torch.ones(1).as_subclass(Own), None),
    "sparse": (torch.ones(1).to_sparse(), None),
    "without memory": (torch.ones(1, device="meta"), None),
    "freed": (freed(), None),
    "two numbers": (torch.ones(2), None),
    "complex": (torch.tensor(1j), None),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_told_of_plain_memory_alone(name: str) -> None:
    value, number = NUMBERS[name]
    assert number_of(value) == number


def test_the_elements_of_a_parameter_are_those_of_its_memory_without_a_gradient() -> None:
    weight = nn.Parameter(torch.arange(3.0))
    found = bare(weight)
    assert found.data_ptr() == weight.data_ptr()
    assert not found.requires_grad
    assert bare(weight.detach().as_subclass(Own)) is None


@pytest.mark.skipif(not hasattr(torch, "jagged"), reason="needs torch.jagged")
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_a_size_that_is_a_symbol_is_listed_by_its_name() -> None:
    batch, symbol, width = sizes_listed(jag(torch.ones(2, 3), torch.ones(1, 3)).shape)
    assert (batch, width) == (2, 3)
    assert type(symbol) is str
    assert symbol.startswith("j")


def test_a_symbol_is_named_without_its_own_str_which_would_keep_what_it_looks_up() -> None:
    class Symbol:
        def __init__(self) -> None:
            self.node = SimpleNamespace(_expr="s0")

        def __str__(self) -> str:
            raise AssertionError("its str was asked")

    assert (size_text(Symbol()), size_text(7)) == ("s0", "7")


@pytest.mark.parametrize(
    ("device", "capturing", "debugged", "text"),
    [
        ("cuda", True, 0, "values not read: CUDA graph capture"),
        ("cuda", False, 1, "values not read: sync debug mode"),
        ("xla", False, 0, "values not read: xla would compute them now"),
    ],
)
def test_a_device_is_not_asked_where_that_would_change_what_it_does(
    device: str, capturing: bool, debugged: int, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: capturing)
    monkeypatch.setattr(torch.cuda, "get_sync_debug_mode", lambda: debugged)
    there = SimpleNamespace(dtype=torch.float32, is_cpu=False, is_meta=False, device=SimpleNamespace(type=device))
    unread = why_unread(there)
    assert unread is not None
    assert (unread.code, unread.text) == ("disturbing", text)


class Stream:
    """One that has come to its end when it is asked for the last of ``looks`` times."""

    def __init__(self, looks: float) -> None:
        self.looks = looks
        self.asked = 0

    def query(self) -> bool:
        self.asked += 1
        return self.asked >= self.looks


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A CUDA that has begun and says nothing against being read; the tensor is on its first device."""
    monkeypatch.setattr(session, "busy_devices", {})
    for name, answer in (("is_initialized", True), ("is_current_stream_capturing", False), ("get_sync_debug_mode", 0)):
        monkeypatch.setattr(torch.cuda, name, lambda answer=answer: answer)
    there = SimpleNamespace(is_meta=False, device=torch.device("cuda:0"))

    def ask(looks: float, patience: float) -> tuple[Unread | None, int]:
        stream = Stream(looks)
        monkeypatch.setattr(torch.cuda, "current_stream", lambda device: stream)
        return devices.why_silent(there, Budget(patience)), stream.asked

    return ask


def test_a_device_that_soon_comes_to_an_end_is_waited_for(cuda: Any) -> None:
    assert cuda(looks=1, patience=0.0) == (None, 1)
    assert cuda(looks=3, patience=60_000.0) == (None, 3)


def test_a_device_that_stays_busy_is_waited_for_once(cuda: Any) -> None:
    unread, _ = cuda(looks=math.inf, patience=1.0)
    assert (unread.code, unread.text) == ("no_time", "values not read: cuda:0 is busy")
    assert cuda(looks=math.inf, patience=60_000.0) == (unread, 1)
    assert cuda(looks=1, patience=60_000.0) == (None, 1)


def test_without_a_limit_of_time_no_device_is_asked_whether_it_is_busy(cuda: Any) -> None:
    assert cuda(looks=math.inf, patience=math.inf) == (None, 0)


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (RuntimeError("CUDA error: device-side assert triggered\nFor debugging"), "fault",
         "values not read: CUDA error: device-side assert triggered"),
        (torch.cuda.OutOfMemoryError("CUDA out of memory. Tried"), "no_memory", "stats skipped: no memory left on cuda:0"),
    ],
)  # fmt: skip
def test_what_a_device_raises_is_why_its_values_are_not_read(
    error: Exception, code: str, text: str, cuda: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> bool:
        raise error

    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", fails)
    unread, _ = cuda(looks=1, patience=0.0)
    assert (unread.code, unread.text) == (code, text)
    assert badges(unread) == (["error"] if code == "fault" else ["unread"])


def test_a_forked_process_says_that_it_cant_use_the_devices(cuda: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: False)
    assert cuda(looks=1, patience=0.0) == (None, 0)
    monkeypatch.setattr(torch.cuda, "_is_in_bad_fork", lambda: True)
    unread, _ = cuda(looks=1, patience=0.0)
    assert unread.text == "values not read: a forked process can't use CUDA"


BYTES: dict[str, tuple[Any, int | None]] = {
    "numbers": (torch.ones(3), 12),
    "none": (torch.ones(0), 0),
    "without memory": (torch.ones(3, device="meta"), 0),
    "of a class of the program": (torch.ones(3).as_subclass(Own), 12),
    "around another tensor": (Wrapping(torch.ones(3)), 12),
}


@pytest.mark.parametrize("name", BYTES)
def test_the_bytes_of_elements_are_told_where_they_are_known(name: str) -> None:
    value, bytes = BYTES[name]
    assert known_bytes(value) == bytes


@pytest.mark.filterwarnings("ignore:.*torch.jit.* is deprecated:DeprecationWarning")
def test_the_parts_of_a_module_of_a_compiled_class_are_those_in_cpp() -> None:
    jit: Any = torch.jit

    class Compiled(torch.jit.ScriptModule):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(2, 2)

        def doubled(self, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        forward = jit.script_method(doubled)

    assert list(parts_of(Compiled())["_modules"]) == ["layer"]


def test_two_tensors_show_the_same_elements_where_they_are_one_memory_in_one_shape() -> None:
    whole = torch.arange(6.0)
    assert same_elements(whole, whole.detach())
    assert not same_elements(whole, whole.view(2, 3))
    assert not same_elements(whole, whole.clone())
    empty = torch.empty(0)
    assert not same_elements(empty, empty), "it has none"
