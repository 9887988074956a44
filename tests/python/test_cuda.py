"""Values on a GPU: told as their copies on the CPU are, and left as they were, whatever the device is at."""

from __future__ import annotations

import math
import re
import time
import warnings
from collections.abc import Callable
from math import inf, nan
from typing import Any

import pytest
import torch
from forked import answered_in_child
from on_gpu import on_gpu
from torch import nn

import tensor_inspector
from tensor_inspector import explain, facts, findings, summarize, tree
from tensor_inspector.measure.stats.first import first_special
from tensor_inspector.safe.untouched import Untouched

_LARGE = 3_000_001  #: more elements than are brought to the CPU, and no multiple of anything


def drawn(*sizes: int, dtype: Any = torch.float32) -> Any:
    return torch.randn(sizes, generator=torch.Generator().manual_seed(5)).to(dtype)


def numbers(*values: float, dtype: Any = torch.float32) -> Any:
    return torch.tensor(values, dtype=dtype)


def odd(count: int, dtype: Any = torch.float32) -> Any:
    value = drawn(count, dtype=dtype)
    value[7::1009], value[11::1013], value[13::2011], value[0] = nan, inf, -inf, 0
    return value


def nested(layout: Any) -> Any:
    return lambda on: torch.nested.nested_tensor([on(drawn(2, 3)), on(drawn(4, 3))], layout=layout)


Moved = Callable[[Any], Any]
#: What is made on a device: by what moves a tensor there.
VALUES: dict[str, Callable[[Moved], Any]] = {
    **{
        f"{str(dtype)[6:]}, {size}": lambda on, dtype=dtype, count=count: on(drawn(count, dtype=dtype))
        for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex64, torch.complex128)
        for size, count in (("few", 1000), ("many", _LARGE))
    },
    **{
        f"{name}, {size}": lambda on, name=name, count=count: on(drawn(count).to(getattr(torch, name)))
        for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
        for size, count in (("few", 1000), ("many", _LARGE))
        if hasattr(torch, name)
    },
    **{
        f"{name}, {size}": lambda on, name=name, count=count: on((torch.arange(count) % 251).to(getattr(torch, name)))
        for name in ("uint8", "int8", "int16", "int32", "int64", "bool", "uint16", "uint32", "uint64")
        for size, count in (("few", 1000), ("many", _LARGE))
        if hasattr(torch, name)
    },
    **{
        f"float8_e8m0fnu, {size}": lambda on, count=count: on(drawn(count).abs().to(torch.float8_e8m0fnu))
        for size, count in (("few", 1000), ("many", _LARGE))
        if hasattr(torch, "float8_e8m0fnu")
    },
    "complex32, few": lambda on: on(drawn(1000).to(torch.complex32)),
    "complex32, many": lambda on: on(drawn(_LARGE).to(torch.complex32)),
    "int64 beyond float64": lambda on: on(numbers(2**53, 2**53 + 1, -(2**63), 2**63 - 1, dtype=torch.int64)),
    "int64 beyond float64, many": lambda on: on(torch.arange(_LARGE) * 3_074_457 + 2**53 + 1),
    "odd ones": lambda on: on(odd(5000)),
    "many odd ones": lambda on: on(odd(_LARGE)),
    "many odd halves": lambda on: on(odd(_LARGE, torch.float16)),
    "many odd doubles": lambda on: on(odd(_LARGE, torch.float64)),
    "NaN alone": lambda on: on(torch.full((_LARGE,), nan)),
    "infinities alone": lambda on: on(torch.full((_LARGE,), -inf)),
    "a constant": lambda on: on(torch.full((_LARGE,), 0.1)),
    "close to a constant": lambda on: on(1e6 + drawn(_LARGE, dtype=torch.float64) * 1e-6),
    "at the end of float32": lambda on: on(torch.full((_LARGE,), 3e38)),
    "at the end of float64": lambda on: on(torch.full((_LARGE,), 1e308, dtype=torch.float64)),
    "halves that add up to more than a half": lambda on: on(torch.full((_LARGE,), 60000.0, dtype=torch.float16)),
    "the least of float32": lambda on: on(torch.full((_LARGE,), 1e-45)),
    "the least of float64": lambda on: on(torch.full((_LARGE,), 5e-324, dtype=torch.float64)),
    "no dimension": lambda on: on(torch.tensor(2.5)),
    "no element": lambda on: on(torch.ones(3, 0)),
    "one element": lambda on: on(torch.ones(1, 1)),
    "columns": lambda on: on(drawn(90, 50))[:, ::3],
    "many columns": lambda on: on(drawn(3000, 3001))[:, ::3],
    "transposed": lambda on: on(drawn(1001, 3000)).t(),
    "channels last": lambda on: on(drawn(8, 3, 300, 301)).to(memory_format=torch.channels_last),
    "permuted": lambda on: on(drawn(70, 80, 900)).permute(2, 0, 1)[1:],
    "expanded": lambda on: on(drawn(3, 1)).expand(3, 1000),
    "many, expanded": lambda on: on(drawn(_LARGE, 1)).expand(_LARGE, 7),
    "windows": lambda on: on(drawn(_LARGE)).unfold(0, 5, 2),
    "conjugated": lambda on: on(drawn(_LARGE, dtype=torch.complex64)).conj(),
    "negated": lambda on: torch.complex(on(drawn(700_000)), on(drawn(700_000))).conj().imag,
    "parameter": lambda on: nn.Parameter(on(drawn(9, 9))),
    "non-leaf": lambda on: nn.Parameter(on(drawn(9, 9))) * 2,
    "labels": lambda on: on(torch.arange(4000) % 7),
    "sparse COO": lambda on: on(drawn(40, 40).relu()).to_sparse(),
    "sparse CSR": lambda on: on(drawn(40, 40).relu()).to_sparse_csr(),
    "sparse CSC": lambda on: on(drawn(40, 40).relu()).to_sparse_csc(),
    "sparse BSR": lambda on: on(drawn(40, 40).relu()).to_sparse_bsr((4, 4)),
    "many, sparse": lambda on: on(drawn(2000, 2000).relu()).to_sparse(),
    "nested, strided": nested(torch.strided),
    "nested, jagged": nested(torch.jagged),
    "a batch": lambda on: {"image": on(drawn(8, 3, 9, 9)), "label": [on(torch.arange(8))]},
    "a model": lambda on: _trained(on),
}  # fmt: skip


def _trained(on: Moved) -> nn.Module:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 2))
    for module in net.modules():
        module._apply(on)
    for parameter in net.parameters():
        parameter.grad = on(torch.full(parameter.shape, 0.25))
    return net


def bare(text: str) -> str:
    """Without the device, and without what may differ: digits of a mean, as many as are sure, and the number of a symbol."""
    text = text.replace(" · cuda:0", "").replace(" cuda:0", "")
    text = re.sub(r"(μ|mean +) ?≈?[−\d.e]+", r"\1", text)
    return re.sub(r"\bj\d+", "j", text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", VALUES)
@on_gpu
def test_what_is_said_of_it_is_what_is_said_of_its_copy_on_the_cpu(name: str) -> None:
    here, value = VALUES[name](lambda tensor: tensor), VALUES[name](lambda tensor: tensor.cuda())
    wanted, found = facts(here), facts(value)
    _same_statistics(found.get("stats"), wanted.get("stats"), str(found.get("unread")))
    assert found.get("first_nan") == wanted.get("first_nan")
    assert found.get("first_inf") == wanted.get("first_inf")
    assert bare(summarize(value)) == bare(summarize(here))
    assert bare(tree(value)) == bare(tree(here))


def _same_statistics(found: Any, wanted: Any, why: str) -> None:
    if wanted is None:
        assert found is None
        return
    assert found is not None, why
    if "abs" in wanted:
        for part in ("real", "imag", "abs"):
            _same_statistics(found[part], wanted[part], why)
        return
    for key in ("count", "read", "exact", "nan", "pos_inf", "neg_inf", "zeros"):
        assert found[key] == wanted[key], key
    for key in ("min", "max"):
        assert found[key] == wanted[key] or math.isclose(found[key], wanted[key], rel_tol=1e-7), (
            key
        )  # of |z| is rounded
    if wanted["mean"] is None or wanted["std"] is None:
        assert (found["mean"], found["std"]) == (wanted["mean"], wanted["std"])
        return
    assert abs(found["mean"] - wanted["mean"]) <= found["mean_error"] + wanted["mean_error"] + 1e-15 * abs(
        wanted["mean"]
    )
    assert math.isclose(found["std"], wanted["std"], rel_tol=1e-5, abs_tol=5e-324)


@pytest.mark.parametrize("count", [5000, _LARGE])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.complex64])
@on_gpu
def test_the_first_nan_and_infinity_are_those_of_the_copy_on_the_cpu(count: int, dtype: Any) -> None:
    value = odd(count, dtype).reshape(-1, 1)
    with Untouched():
        budget = tensor_inspector.safe.budget.Budget()
        assert first_special(value.cuda(), budget) == first_special(value, budget)


@pytest.mark.parametrize("count", [5000, 1 << 19])
@on_gpu
def test_percentiles_and_histogram_are_those_of_the_copy_on_the_cpu(count: int) -> None:
    value = odd(count)
    found, wanted = (facts(one, quantiles=(0.1, 0.5), bins=8) for one in (value.cuda(), value))
    for name in ("quantiles", "histogram", "notes"):
        assert found.get(name) == wanted.get(name)


@on_gpu
def test_what_is_too_large_for_the_time_is_told_in_part_and_marked() -> None:
    value = torch.zeros(1 << 31, device="cuda")
    value[::3] = 1
    line = summarize(value, budget_ms=120)
    assert "float32[2147483648] cuda:0 · " in line
    assert "≈" in line


#: What the scratch of a look may take of a device.
_SCRATCH = 128 << 20


@pytest.mark.parametrize("count", [1000, 1 << 19, 10**7, 10**8])
@on_gpu
def test_the_scratch_on_the_device_is_bounded_and_given_back(count: int) -> None:
    value = torch.ones(count, device="cuda")
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    summarize(value), facts(value), tree(value)
    taken = torch.cuda.max_memory_allocated() - before
    assert torch.cuda.memory_allocated() == before
    assert taken <= (0 if count * 4 <= 1 << 21 else _SCRATCH), taken


@on_gpu
def test_many_tensors_at_once_take_next_to_nothing_of_the_device() -> None:
    net = nn.Sequential(*(nn.Linear(100, 100) for _ in range(100))).cuda()
    optimizer = torch.optim.Adam(net.parameters())
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    tree({"net": net, "optimizer": optimizer, "weights": list(net.parameters())})
    assert torch.cuda.max_memory_allocated() - before <= 1 << 20


#: A step before its backward: to ask for that is enough for torch to ask the driver.
def _asked_of_a_step(*asks: Callable[[], object]) -> None:
    net, x = nn.Sequential(nn.Linear(4, 4), nn.Dropout(), nn.Linear(4, 2)), torch.randn(8, 4)
    optimizer = torch.optim.Adam(net.parameters())
    loss = nn.functional.cross_entropy(net(x), torch.arange(8) % 2)
    for look in (summarize, facts, tree):
        look({"net": net, "x": x, "optimizer": optimizer, "loss": loss, "stream": torch.device("cuda")})
    findings(thorough=True)
    for ask in (tensor_inspector.environment, tensor_inspector.memory, tensor_inspector.report, *asks):
        ask()
    tensor_inspector.shapes(net, x)


@on_gpu
def test_a_look_at_the_cpu_does_not_begin_to_use_cuda() -> None:
    _asked_of_a_step()
    assert not torch.cuda.is_initialized()
    # Nor was the driver asked: a fork could not use it any more.
    assert answered_in_child(lambda: torch.ones(3, device="cuda").sum().item()) == 3


@on_gpu
def test_running_what_is_on_the_cpu_does_not_begin_to_use_cuda() -> None:
    net, x = nn.Sequential(nn.Linear(4, 4), nn.ReLU()), torch.randn(8, 4)
    x.requires_grad_()
    tensor_inspector.gradcheck(net, x)
    findings(thorough=True, run=True)
    assert not torch.cuda.is_initialized()


@on_gpu
def test_after_a_fault_on_the_device_each_value_there_says_so_and_the_others_are_told() -> None:
    x, there, table = torch.ones(3), torch.ones(3, device="cuda"), torch.ones(4, 2, device="cuda")
    large = torch.ones(_LARGE, device="cuda")
    event = torch.cuda.Event()
    event.record()
    fault = "values not read: CUDA error: device-side assert triggered"
    with pytest.raises(Exception) as raised:  # noqa: PT011
        print(table[torch.tensor([9], device="cuda")].sum().item())
    assert summarize(x).startswith("float32[3] · all 1")
    for value in (there, large, table):
        assert summarize(value).startswith(f"float32{list(value.shape)} cuda:0 · {fault}"), summarize(value)
        assert facts(value)["stats"] is None
    text = tree({"x": x, "there": there, "event": event, "stream": torch.cuda.current_stream()})
    assert "float32[3] · all 1" in text
    assert f"float32[3] cuda:0 · {fault}" in text
    said = explain(raised.value)
    assert said[0]["rule"] == "index-out-of-range", str(said)
    tensor_inspector.environment()
    tensor_inspector.memory()
    findings()


@on_gpu
def test_what_no_memory_was_left_for_is_told() -> None:
    weights = torch.ones(1 << 28, device="cuda")
    with pytest.raises(torch.cuda.OutOfMemoryError) as raised:
        weights.repeat(1 << 12)
    found = explain(raised.value)
    assert found[0]["rule"] == "out-of-memory"
    assert "4 TiB" in found[0]["title"] or "4096" in found[0]["title"], found[0]["title"]
    assert "weights" in str(found), str(found)


@on_gpu
def test_work_of_another_stream_is_not_disturbed() -> None:
    side, x = torch.cuda.Stream(), torch.zeros(1 << 20, device="cuda")
    assert "done" in summarize(side)
    torch.cuda._sleep(1)  # to load a kernel can wait for all streams
    summarize(x)
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(4_000_000_000)
        x.add_(1)
    assert "at work" in summarize(side)
    summarize(x)
    torch.cuda.synchronize()
    assert bool((x == 1).all())
    assert "all 1" in summarize(x)


@on_gpu
def test_a_device_that_does_not_come_to_an_end_holds_no_answer_up() -> None:
    x, event = torch.ones(5, device="cuda"), torch.cuda.Event()
    summarize(x)
    torch.cuda._sleep(12_000_000_000)  # some seconds
    event.record()
    begin = time.perf_counter()
    line = summarize(x, budget_ms=120)
    assert not event.query(), f"waited {time.perf_counter() - begin:.1f} s: {line}"
    assert "cuda:0 is busy" in line


@on_gpu
def test_in_a_forked_child_the_parents_tensors_say_that_they_are_not_read() -> None:
    x, here = torch.ones(5, device="cuda"), torch.ones(2)
    lines = answered_in_child(lambda: [summarize(x), summarize(here)])
    assert lines == ["float32[5] cuda:0 · values not read: a forked process can't use CUDA", "float32[2] · all 1"]


@on_gpu
def test_a_graph_that_is_captured_goes_on_and_plays() -> None:
    x, here, graph = torch.ones(4, device="cuda"), torch.ones(4), torch.cuda.CUDAGraph()
    net = nn.Linear(4, 2).cuda()
    net(x)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        y = net(x) * 2
        lines = [summarize(y), summarize(here)]
        tree({"net": net, "optimizer": optimizer, "stream": torch.cuda.current_stream(), "graph": graph})
        findings()
        tensor_inspector.environment()
        tensor_inspector.memory()
        z = y + 1
    x.fill_(3)
    graph.replay()
    assert torch.allclose(z, net(x) * 2 + 1)
    assert "values not read: CUDA graph capture" in lines[0]
    assert "all 1" in lines[1]


@on_gpu
def test_where_waiting_is_an_error_nothing_is_waited_for() -> None:
    x, net = torch.ones(4, device="cuda"), nn.Linear(4, 2).cuda()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is a prototype
        torch.cuda.set_sync_debug_mode("error")
    try:
        assert "values not read: sync debug mode" in summarize(x)
        tree({"net": net, "optimizer": torch.optim.Adam(net.parameters()), "x": x})
        findings()
    finally:
        torch.cuda.set_sync_debug_mode("default")
