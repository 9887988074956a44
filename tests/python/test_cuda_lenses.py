"""Questions about a program on a GPU: answered as on the CPU."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest
import torch
from asking import Paused
from faults import HEAD, PROGRAMS, with_fault, without_fault
from faults.traps import TRAPS
from faulty import raised_on, said_on
from on_gpu import on_gpu
from test_findings import EXPECTED, FOLDER, HEALTHY
from torch import nn

import tensor_inspector
from tensor_inspector import explain, findings
from tensor_inspector.measure.torch.norms import Norms
from tensor_inspector.safe.budget import Budget

HEALTHY_PROGRAMS = {
    **{name: (FOLDER / "healthy" / f"{name}.py").read_text() for name in HEALTHY},
    **{name: (FOLDER / "faults" / name / "clean.py").read_text() for name in EXPECTED},
    **{name: HEAD + without_fault(program) for name, (_, program) in [*PROGRAMS.items(), *TRAPS.items()]},
}
FAULTY_PROGRAMS = {
    **{name: ((FOLDER / "faults" / name / "buggy.py").read_text(), EXPECTED[name]["rules"], EXPECTED[name]["allowed"]) for name in EXPECTED},
    **{name: (HEAD + with_fault(program), [rule], []) for name, (rule, program) in PROGRAMS.items()},
}  # fmt: skip


_AT_ONCE = 24  #: programs in one process


def _only_runs_here(text: str) -> bool:
    """Whether a program goes another way on the CPU, as one whose arrays are numpy's."""
    there = raised_on("cuda", text)
    return bool(there) and "CUDA error" not in there and there != raised_on("cpu", text)


@pytest.mark.parametrize("start", range(0, len(HEALTHY_PROGRAMS), _AT_ONCE))
@on_gpu
def test_in_a_healthy_program_on_a_gpu_nothing_is_found(start: int) -> None:
    wrong, run = [], 0
    for name, text in list(HEALTHY_PROGRAMS.items())[start : start + _AT_ONCE]:
        said = said_on("cuda", text)
        only_here = bool(said.rules or said.failed) and _only_runs_here(text)
        run += not only_here
        if (said.rules or said.failed) and not only_here:
            wrong.append(f"{name}: {[one['title'] for one in said.found]} {said.failed}")
    assert not wrong, "\n".join(wrong)
    assert run > 0


#: Faults that end all use of the device, each in a process of its own: after that the device tells no more than that
#: something was out of range.
_FATAL = ("label-out-of-range", "index-out-of-range", "logits-to-prob-loss")
_ALONE = [[name] for name, (_, rules, _) in FAULTY_PROGRAMS.items() if not set(_FATAL).isdisjoint(rules)]
_TOGETHER = [name for name in FAULTY_PROGRAMS if [name] not in _ALONE]
FAULTY_GROUPS = [*(_TOGETHER[start : start + _AT_ONCE] for start in range(0, len(_TOGETHER), _AT_ONCE)), *_ALONE]


@pytest.mark.parametrize("group", range(len(FAULTY_GROUPS)))
@on_gpu
def test_a_fault_on_a_gpu_is_found_as_on_the_cpu(group: int) -> None:
    wrong = []
    for name in FAULTY_GROUPS[group]:
        text, rules, allowed = FAULTY_PROGRAMS[name]
        rules = [*rules, "index-out-of-range"] if [name] in _ALONE else rules
        said = said_on("cuda", text)
        found = bool(said.rules) and said.rules[0] in rules and {*rules, *allowed}.issuperset(said.rules)
        if not (found and not said.failed) and not _only_runs_here(text):
            wrong.append(f"{name}: {rules}, not {[one['title'] for one in said.found]} {said.failed}")
        if len(FAULTY_GROUPS[group]) > 1:
            torch.cuda.synchronize()
    assert not wrong, "\n".join(wrong)


@on_gpu
def test_a_batch_on_the_cpu_is_said_before_the_call_and_explained_after() -> None:
    net, x = nn.Sequential(nn.Linear(4, 2)).cuda(), torch.ones(3, 4)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    with pytest.raises(RuntimeError) as raised:
        net(x)
    found = explain(raised.value)
    assert found[0]["rule"] == "device-mismatch"
    assert "x is on cpu" in found[0]["title"], found[0]["title"]
    assert "cuda:0" in found[0]["title"], found[0]["title"]


def _asked(frame: FrameType, lens: str, monkeypatch: pytest.MonkeyPatch, **values: str) -> dict[str, Any]:
    answer = Paused(frame, monkeypatch).lens(lens, {}, **values)
    found = answer.get("found")
    assert isinstance(found, dict), answer
    return found


@on_gpu
def test_what_memory_is_found_adds_up_to_what_torch_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        net = nn.Sequential(*(nn.Linear(4096, 4096, device="cuda") for _ in range(4)))
        optimizer = torch.optim.Adam(net.parameters())
        for _ in range(2):
            x = torch.randn(8192, 4096, device="cuda")
            out = net(x)
            loss = out.relu().sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        out = net(x)
        return sys._getframe()

    frame = stop()  # which keeps its tensors until the end of this function
    found = _asked(frame, "memory", monkeypatch)
    one = next(one for one in found["devices"] if one["device"] == "cuda:0")
    assert one["allocated"] == torch.cuda.memory_allocated()
    assert one["reserved"] == torch.cuda.memory_reserved()
    assert one["peak"] == torch.cuda.max_memory_allocated()
    torch._C._cuda_clearCublasWorkspaces()  # all that no tensor has
    workspaces = one["allocated"] - torch.cuda.memory_allocated()
    assert one["known"] + one["rounding"] + workspaces == one["allocated"], one


@on_gpu
def test_what_memory_tensors_take_is_what_torch_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        some = {f"{size}": torch.ones(size, device="cuda") for size in (10, 1000, 123_457, 10_000_001)}
        views, halves = some["1000"][::2], some["123457"].half()
        return sys._getframe()

    found = _asked(stop(), "memory", monkeypatch)
    one = next(one for one in found["devices"] if one["device"] == "cuda:0")
    assert one["known"] + one["rounding"] == one["allocated"]
    assert one["known"] == torch.cuda.memory_stats()["requested_bytes.all.current"]


@on_gpu
def test_the_environment_tells_the_gpu() -> None:
    torch.ones(1, device="cuda")
    torch.backends.cuda.matmul.allow_tf32 = True
    said = tensor_inspector.environment()
    assert said["cuda"] == "initialized"
    text = str(said)
    assert torch.cuda.get_device_name(0) in text
    assert "sm_" in text
    report = tensor_inspector.report()
    assert torch.cuda.get_device_name(0) in str(report)


@on_gpu
def test_the_gpu_is_named_before_cuda_has_begun() -> None:
    said = tensor_inspector.environment()
    assert said["cuda"] == "not_initialized"
    assert not torch.cuda.is_initialized()
    assert "not initialized" in str(said)


@on_gpu
def test_running_a_model_puts_the_random_numbers_of_the_device_back() -> None:
    net, x = (
        nn.Sequential(nn.Linear(4, 4), nn.Dropout(), nn.BatchNorm1d(4), nn.Linear(4, 2)).cuda(),
        torch.randn(8, 4).cuda(),
    )
    own = torch.Generator("cuda").manual_seed(3)
    states = torch.cuda.get_rng_state(), own.get_state()
    weights = {name: value.clone() for name, value in net.state_dict().items()}
    for _ in range(2):
        calls = tensor_inspector.shapes(net, x)
    assert "Dropout" in str(calls)
    assert "cuda:0" in str(calls)
    net(x).sum().backward()
    torch.cuda.set_rng_state(states[0])
    findings(thorough=True, run=True)
    assert torch.equal(torch.cuda.get_rng_state(), states[0])
    assert torch.equal(own.get_state(), states[1])
    assert all(
        torch.equal(value, weights[name])
        for name, value in net.state_dict().items()
        if "running" not in name and "tracked" not in name
    )


@on_gpu
def test_each_layer_is_told_on_a_gpu_as_on_the_cpu() -> None:
    torch.manual_seed(0)
    net, x = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2)), torch.randn(8, 4)
    here = tensor_inspector.shapes(net, x)
    there = tensor_inspector.shapes(net.cuda(), x.cuda())
    assert [(one["name"], one["outputs"][0]["shape"]) for one in there["rows"]] == [
        (one["name"], one["outputs"][0]["shape"]) for one in here["rows"]
    ]
    assert {output["device"] for one in there["rows"] for output in one["outputs"]} == {"cuda:0"}


class _Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x.pow(3)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradient * 2 * x.pow(2)


@pytest.mark.filterwarnings("ignore:Attempting to run cuBLAS")  # for the first time, by a thread of the backward
@on_gpu
def test_a_backward_on_a_gpu_is_checked() -> None:
    x = torch.randn(3, 4).cuda().requires_grad_()
    right = tensor_inspector.gradcheck(nn.Linear(4, 2).cuda(), x)
    wrong = tensor_inspector.gradcheck(_Wrong.apply, x)
    assert (right["state"], right["wrong"]) == ("agrees", 0), str(right)
    assert wrong["wrong"] > 0, str(wrong)


@on_gpu
def test_gradients_are_told_as_torch_has_them() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(300, 400), nn.Tanh(), nn.Linear(400, 2)).cuda()
    optimizer = torch.optim.AdamW(net.parameters(), 0.01, fused=True)
    for _ in range(2):
        optimizer.zero_grad()
        net(torch.randn(8, 300, device="cuda")).pow(2).sum().backward()
        optimizer.step()
    rows = {row["name"].replace("net[", "").replace("]", ""): row for row in tensor_inspector.gradients(net)["rows"]}
    for name, parameter in net.named_parameters():
        wanted = float(parameter.grad.double().norm())  # type: ignore[union-attr]
        assert rows[name]["norm"] == pytest.approx(wanted, rel=1e-4), rows[name]
    for tensor in (torch.full((3_000_000,), 0.1), torch.full((100_000,), 300.0).half(), torch.full((1000,), 1e25)):
        norms = Norms([tensor.cuda()])
        assert norms.go_on(Budget())
        assert norms.found[0].value == pytest.approx(float(tensor.double().norm()), rel=1e-4)  # type: ignore[union-attr]


@on_gpu
def test_where_nan_began_on_a_gpu_is_told() -> None:
    x = torch.tensor([1.0, 0.0, 2.0], device="cuda", requires_grad=True)
    loss = (x.log() * 0).sum()
    told = str(tensor_inspector.nan_origin(loss))
    assert "LogBackward0" in told or "log" in told, told


@on_gpu
def test_batches_models_and_comparisons_are_told() -> None:
    x, y = torch.randn(8, 3, 9, 9), torch.arange(8) % 3
    assert str(tensor_inspector.batch({"x": x.cuda(), "y": y.cuda()})).replace(" cuda:0", "") == str(
        tensor_inspector.batch({"x": x, "y": y})
    )
    net = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2)).cuda()
    assert "cuda:0" in str(tensor_inspector.model(net))
    there, changed = x.cuda(), x.cuda()
    changed[2, 1, 0, 0] += 1
    assert tensor_inspector.compare(there, there.clone()).same
    assert not tensor_inspector.compare(there, changed).same
    assert "1 of 1.9K" in str(tensor_inspector.compare(there, changed)), str(tensor_inspector.compare(there, changed))
    assert "cuda:0" in str(tensor_inspector.compare(x, there))


@on_gpu
def test_a_stop_is_answered_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        net = nn.Linear(4, 2).cuda()
        optimizer = torch.optim.Adam(net.parameters(), fused=True)
        scaler = torch.amp.GradScaler("cuda")
        x, here, stream, event = torch.ones(3, 4, device="cuda"), torch.ones(2), torch.cuda.Stream(), torch.cuda.Event()
        loss = scaler.scale(net(x).sum())
        loss.backward()
        scaler.step(optimizer)
        return sys._getframe()

    answer = Paused(stop(), monkeypatch).ask("frame")
    lines = [node["line"] for node in answer["rows"]["nodes"]]
    assert not [line for line in lines if "not read" in line or "Error" in line], lines
    assert "GradScaler · scale 65536 · 0 good steps of 2,000 to growth" in lines
    assert "Event · not recorded" in lines
