"""Promise 1: describing a value changes nothing in the program."""

from __future__ import annotations

import gc
import io
import random
import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from untouched import Watch

from tensor_inspector import facts, findings, summarize, tree
from tensor_inspector.safe.untouched import Untouched


class Seen(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.calls.append(str(function))
        return function(*args, **(kwargs or {}))


class SeenDispatch(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.calls.append(str(function))
        return function(*args, **(kwargs or {}))


def used_model() -> nn.Module:
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Dropout())
    model(torch.ones(4, 3)).sum().backward()
    return model


VALUES: dict[str, Callable[[], Any]] = {
    "parameter": lambda: nn.Parameter(torch.randn(5, 5)),
    "non-leaf": lambda: torch.randn(3, requires_grad=True) * 2,
    "view": lambda: torch.randn(4, 4)[1:].t(),
    "half": lambda: torch.randn(2000).half(),
    "with NaN": lambda: torch.tensor([1.0, float("nan"), float("inf")] * 10_000),
    "integers": lambda: torch.arange(100_000),
    "complex conjugate": lambda: torch.randn(5, dtype=torch.complex64).conj(),
    "model": used_model,
    "array": lambda: np.arange(12.0).reshape(3, 4)[:, ::2],
    "inference": lambda: torch.inference_mode()(lambda: torch.ones(3) * 2)(),
    "sparse": lambda: torch.eye(3).to_sparse(),
    "batch": lambda: {"image": torch.randn(2, 3), "label": [torch.tensor(1)]},
}


def look(value: Any) -> None:
    summarize(value)
    facts(value)
    tree(value, depth=4)


def tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, nn.Module):
        return [*value.parameters(), *value.buffers()]
    if isinstance(value, dict):
        return [value["image"], *value["label"]]
    return [value] if isinstance(value, torch.Tensor) else []


def contents(value: Any) -> list[Any]:
    found = [(t.detach().to_dense().resolve_conj().numpy().tobytes(), t.dtype) for t in tensors(value)]
    return [*found, value.tobytes() if isinstance(value, np.ndarray) else None]


def state() -> dict[str, Any]:
    return {
        "torch RNG": torch.get_rng_state().numpy().tobytes(),
        "numpy RNG": str(np.random.get_state()),
        "python RNG": random.getstate(),
        "grad": torch.is_grad_enabled(),
        "inference": torch.is_inference_mode_enabled(),
        "dtype": torch.get_default_dtype(),
        "printing": str(vars(torch._tensor_str.PRINT_OPTS)) if hasattr(torch, "_tensor_str") else None,
        "threads": torch.get_num_threads(),
        "warning filters": list(warnings.filters),
        "modules": sorted(name for name in sys.modules if not name.startswith("tensor_inspector")),
        "recursion limit": sys.getrecursionlimit(),
    }


@pytest.mark.parametrize("name", VALUES)
def test_nothing_changes(name: str) -> None:
    value = VALUES[name]()
    look(VALUES["batch"]())  # kinds are loaded now, once for all
    versions = [t._version for t in tensors(value) if not t.is_inference()]
    before, held = contents(value), state()
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        look(value)
    assert contents(value) == before
    assert state() == held
    assert [t._version for t in tensors(value) if not t.is_inference()] == versions
    assert out.getvalue() == ""
    assert [str(warning.message) for warning in warned] == []


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("mode", [Seen, SeenDispatch])
def test_modes_of_the_program_see_nothing(name: str, mode: Any) -> None:
    value = VALUES[name]()
    with mode() as seen:
        look(value)
    assert seen.calls == []


@pytest.mark.parametrize("broken", ["_push_on_torch_dispatch_stack", "torch.utils._python_dispatch"])
@pytest.mark.parametrize("hidden", [True, False])
def test_refusing_that_fails_half_way_leaves_nothing_entered(
    broken: str, hidden: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tensor_inspector.measure.torch.dispatch import _Refusing

    def fails(*_: object) -> None:
        raise RuntimeError("it can't be entered")

    with monkeypatch.context() as patch:
        if broken.startswith("torch"):
            patch.delitem(sys.modules, broken)
        else:
            patch.setattr(torch._C, broken, fails)
        torch._C._dispatch_tls_set_dispatch_key_excluded("Python", hidden)
        try:
            with pytest.raises((RuntimeError, AttributeError)):
                _Refusing().__enter__()
            left = torch._C._dispatch_tls_is_dispatch_key_excluded("Python")
        finally:
            torch._C._dispatch_tls_set_dispatch_key_excluded("Python", False)
    assert left is hidden
    assert torch._C._len_torch_dispatch_stack() == 0


@pytest.mark.filterwarnings("ignore:.*Profiler clears events")  # torch 2.11 says so of each
def test_the_profiler_does_not_record_the_look_and_goes_on_recording() -> None:
    x = torch.randn(100_000)
    with torch.profiler.profile() as profile:
        facts(x)
        torch.ones(2)
    recorded = {event.key for event in profile.key_averages()}
    assert "aten::ones" in recorded
    assert "aten::aminmax" not in recorded


def test_while_a_value_is_read_no_derivative_is_recorded_forward_or_backward() -> None:
    def are_on() -> tuple[bool, bool]:
        return torch.is_grad_enabled(), torch._C._is_fwd_grad_enabled()

    with Untouched():
        assert are_on() == (False, False)
    assert are_on() == (True, True)


@pytest.mark.parametrize("grad", [True, False])
def test_the_gradient_mode_is_left_as_found(grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        look(torch.ones(3, requires_grad=True) * 2)
        assert torch.is_grad_enabled() is grad


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize(
    "context",
    [
        torch.inference_mode,
        torch.no_grad,
        lambda: torch.autocast("cpu", dtype=torch.bfloat16),
        lambda: torch.autograd.set_detect_anomaly(True, check_nan=True),
        torch.autograd.graph.save_on_cpu,
    ],
    ids=["inference", "no_grad", "autocast", "anomaly", "saved tensor hooks"],
)
@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
def test_under_a_context_the_answer_is_the_same(name: str, context: Callable[[], Any]) -> None:
    value = VALUES[name]()
    expected = summarize(value)
    with context():
        assert summarize(value) == expected


@pytest.fixture(params=[torch.bfloat16, torch.float16], ids=str)
def autocast(request: pytest.FixtureRequest) -> Any:
    return torch.autocast("cpu", dtype=request.param)


def with_nan(dtype: torch.dtype) -> nn.Module:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1)).to(dtype)
    with torch.no_grad():
        next(model.parameters())[0, 0] = float("nan")
    return model


SIXTEEN_BITS: dict[str, Callable[[torch.dtype], Any]] = {
    "model": with_nan,
    "optimizer": lambda dtype: torch.optim.SGD(with_nan(dtype).parameters(), 0.1),
    "list": lambda dtype: [torch.full((3,), float("nan"), dtype=dtype) for _ in range(5)],
    "list of mixed": lambda dtype: [torch.ones(3), torch.full((3,), float("inf"), dtype=dtype)] * 3,
}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("name", SIXTEEN_BITS)
def test_under_autocast_values_of_16_bits_are_read_as_outside(name: str, dtype: torch.dtype, autocast: Any) -> None:
    value = SIXTEEN_BITS[name](dtype)
    expected = summarize(value), facts(value), tree(value, depth=4)
    with autocast:
        assert (summarize(value), facts(value), tree(value, depth=4)) == expected
    assert "NaN" in expected[0] or "Inf" in expected[0]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_under_autocast_nan_in_a_model_of_16_bits_is_found(dtype: torch.dtype, autocast: Any) -> None:
    model = with_nan(dtype)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with autocast:
        loss = model(torch.ones(2, 4, dtype=dtype)).float().sum()
        found = str(findings())
    assert "NaN or Inf: model[0].weight" in found
    assert loss.isnan()
    assert optimizer.state == {}


@pytest.mark.parametrize("name", SIXTEEN_BITS)
def test_autocast_is_left_as_found(name: str, autocast: Any) -> None:
    value = SIXTEEN_BITS[name](torch.float16)
    look(value)
    with autocast:
        with Watch(value) as watch:
            look(value)
        assert watch.changes() == []
        assert torch.ones(2, 2).mm(torch.ones(2, 2)).dtype is autocast.fast_dtype


def test_within_autocast_none_is_in_force_while_a_value_is_read(autocast: Any) -> None:
    with autocast, Untouched():
        assert torch.ones(2, 2).mm(torch.ones(2, 2)).dtype is torch.float32


def test_the_weights_that_autocast_has_cast_stay_in_its_cache(autocast: Any) -> None:
    def cast_of_the_weight() -> Any:
        return model(torch.ones(2, 3)).grad_fn.next_functions[-1][0].next_functions[0][0]

    model = nn.Linear(3, 3)
    with autocast:
        before = cast_of_the_weight()
        look(model)
        assert cast_of_the_weight() is before


def left_with_an_interruption(at: int) -> bool:
    """Leaves `Untouched`, with an exception as a signal raises it before the instruction ``at`` of the way out.

    Whether the way out has that many. The instruction by which `__exit__` begins is not counted.
    """
    met = 0

    def see(frame: Any, event: str, argument: object) -> Any:
        nonlocal met
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            met += 1
            if met == at:
                raise KeyboardInterrupt
        return see

    untouched = Untouched()
    untouched.__enter__()
    gc.disable()  # it would call what others have it call, hypothesis among them: no instructions of the way out
    try:
        sys.settrace(see)
        untouched.__exit__(None, None, None)
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
        gc.enable()
    return met >= at


def test_a_signal_on_the_way_out_leaves_autocast_as_found(autocast: Any) -> None:
    with autocast:
        at = 2
        while left_with_an_interruption(at):
            assert torch.ones(2, 2).mm(torch.ones(2, 2)).dtype is autocast.fast_dtype
            torch.set_grad_enabled(True)
            at += 1
    assert at > 20


def test_a_signal_on_the_way_out_leaves_the_gradient_mode_as_found() -> None:
    left: list[int] = []
    at = 2
    while left_with_an_interruption(at):
        if not (torch.is_grad_enabled() and torch._C._is_fwd_grad_enabled() and torch._C._is_torch_function_enabled()):
            left.append(at)
            torch.set_grad_enabled(True)
        at += 1
    assert at > 20
    assert left == []


def test_deterministic_algorithms_are_no_obstacle() -> None:
    value = VALUES["half"]()
    torch.use_deterministic_algorithms(True)
    try:
        assert summarize(value).startswith("float16[2000] · −")
    finally:
        torch.use_deterministic_algorithms(False)


def test_default_dtype_and_device_of_the_program_do_not_reach_the_statistics() -> None:
    value = torch.arange(100_000)
    expected = facts(value)
    torch.set_default_dtype(torch.float16)
    torch.set_default_device("meta")
    try:
        found = facts(value)
    finally:
        torch.set_default_dtype(torch.float32)
        torch.set_default_device(None)
    # the order in which threads add decides what is beyond the digits that are promised
    assert found["stats"].pop("std") == pytest.approx(expected["stats"].pop("std"), rel=1e-5)
    assert found == expected


def test_the_autograd_graph_still_runs() -> None:
    weight = torch.ones(3, requires_grad=True)
    loss = (weight * 2).sum()
    look(loss)
    loss.backward()
    assert weight.grad is not None
    assert weight.grad.tolist() == [2, 2, 2]


def test_the_gradient_of_a_non_leaf_is_not_asked_for() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        look(torch.ones(3, requires_grad=True) * 2)
