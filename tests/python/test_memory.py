"""The lens `memory`, checked against the storages that torch and numpy tell of, each counted once by hand."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import hostile
import numpy as np
import pytest
import torch
from asking import Paused
from torch import nn
from untouched import Watch

import tensor_inspector
from tensor_inspector.lenses.memory import memory as memory_lens
from tensor_inspector.lenses.memory import roots
from tensor_inspector.lenses.memory.inside import ClassLayout
from tensor_inspector.lenses.memory.inventory import Inventory
from tensor_inspector.measure.memory.blocks import Extent, MemoryBlocks
from tensor_inspector.measure.memory.counters import device_memory
from tensor_inspector.safe.budget import Budget


def memory(
    frame: FrameType, monkeypatch: pytest.MonkeyPatch, *, last: tuple[str, ...] = (), **options: Any
) -> dict[str, Any]:
    monkeypatch.setattr(roots, "_is_programs", lambda name, module: False)  # those of other tests
    monkeypatch.setattr(roots, "_LAST", last)
    found = Paused(frame, monkeypatch).lens("memory", options)["found"]
    assert isinstance(found, dict)
    return found


def shares(found: dict[str, Any]) -> dict[str, int]:
    return {share["part"]: share["bytes"] for share in found["shares"]}


def group(found: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in found["groups"] if one["name"] == name)


def bytes_of(*tensors: torch.Tensor) -> int:
    """Of their storages, each once."""
    return sum({one.untyped_storage().data_ptr(): one.untyped_storage().nbytes() for one in tensors}.values())


def test_what_overlaps_is_one_block() -> None:
    some = [("cuda:0", 100, 50), ("cpu", 120, 80), ("cpu", 100, 50), ("cpu", 200, 8), ("cpu", 120, 8)]
    blocks = MemoryBlocks([Extent(*one) for one in some])
    assert [(size, blocks.members(at)) for at, size in enumerate(blocks.bytes)] == [
        (100, [2, 4, 1]), (8, [3]), (50, [0]),
    ]  # fmt: skip


def test_each_part_is_what_its_storages_take_and_they_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        model = nn.Sequential(nn.Linear(30, 40), nn.ReLU(), nn.BatchNorm1d(40))
        optimizer = torch.optim.Adam(model.parameters())
        x = torch.randn(8, 30)
        model(x).sum().backward()
        optimizer.step()
        loss = model(x).square().sum()
        assert loss.requires_grad
        return sys._getframe()

    frame = stop()
    found = memory(frame, monkeypatch)
    model, optimizer = frame.f_locals["model"], frame.f_locals["optimizer"]
    gradients = [one.grad for one in model.parameters() if one.grad is not None]
    states = [one for state in optimizer.state.values() for one in state.values()]
    assert found["lens"] == "memory"
    assert found["complete"] is True
    parts = shares(found)
    assert parts["model"] == bytes_of(*model.parameters(), *model.buffers())
    assert parts["gradients"] == bytes_of(*gradients) > 0
    assert parts["optimizer"] == bytes_of(*states) > 0
    assert parts["variables"] == bytes_of(frame.f_locals["x"], frame.f_locals["loss"])
    # linear's output for batch norm's input, its own two statistics, ReLU's result, and what was squared
    assert parts["saved"] == 4 * (8 * 40 * 2 + 2 * 40)
    assert sum(parts.values()) == found["bytes"] == found["devices"][0]["known"]


def test_what_is_shared_counts_once_and_has_every_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(50, 20)
            self.head = nn.Linear(20, 50, bias=False)
            self.head.weight = self.embed.weight

    def stop() -> FrameType:
        model = Net()
        big = torch.zeros(100, 10)
        parts = [big[1], big.T, big.numpy()[5:], big[:0]]
        assert parts
        assert model
        return sys._getframe()

    found = memory(stop(), monkeypatch)
    assert found["bytes"] == 50 * 20 * 4 + 100 * 10 * 4
    names = [sorted(block["names"]) for block in found["blocks"]]
    assert sorted(names) == [["big", *(f"parts[{at}]" for at in range(4))], ["model.embed.weight", "model.head.weight"]]


def test_arrays_and_tensors_over_them_are_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        array = np.zeros((100, 3))
        some = torch.from_numpy(array[10:])
        reverse = array[::-1, 1]
        assert some is not reverse
        return sys._getframe()

    found = memory(stop(), monkeypatch)
    assert [(block["bytes"], block["names"]) for block in found["blocks"]] == [(2400, ["array", "some", "reverse"])]


def test_a_list_of_a_thousand_tensors_is_one_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        collected = [torch.empty(100, 100) for _ in range(1000)]
        assert collected
        return sys._getframe()

    found = memory(stop(), monkeypatch)
    collected = group(found, "collected")
    assert collected == {"name": "collected", "bytes": 40_000_000, "count": 1000, "graphs": 0, "saved": 0}


@pytest.mark.parametrize(("backward", "saved"), [(False, 5 * 4 * 32 * 64 * 2), (True, 0)])
def test_a_list_of_losses_holds_their_graphs(backward: bool, saved: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        model = nn.Linear(64, 64)
        losses = []
        for _ in range(5):
            loss = model(torch.randn(32, 64)).tanh().sum()
            if backward:
                loss.backward()
            losses.append(loss)
        return sys._getframe()

    losses = group(memory(stop(), monkeypatch), "losses")
    assert (losses["graphs"], losses["saved"]) == (5, saved)


def test_what_hooks_have_put_away_is_counted_and_is_in_no_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        x = torch.ones(300, requires_grad=True)
        here = (1 + x).sin().sum()
        with torch.autograd.graph.saved_tensors_hooks(lambda tensor: "on disk", lambda name: torch.ones(300)):
            away = (1 + x).sin().sum()
        assert here is not away
        return sys._getframe()

    frame = stop()
    found = memory(frame, monkeypatch)
    assert (found["hooked"], shares(found)["saved"]) == (1, 1200)
    line = Paused(frame, monkeypatch).lens("memory", {})["node"]["line"]
    assert line.endswith("not counted: 1 saved tensor that hooks have packed")


def test_what_hooks_have_put_away_as_a_tensor_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        x = torch.ones(1000, requires_grad=True)
        with torch.autograd.graph.save_on_cpu():
            losses = [x.exp().sum()]
        return sys._getframe()

    losses = group(memory(stop(), monkeypatch), "losses")
    assert (losses["graphs"], losses["saved"]) == (1, 4000)


class Product(torch.autograd.Function):
    """Saves both factors."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise AssertionError


def test_all_that_a_function_of_the_program_has_saved_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        x = torch.ones(1000, requires_grad=True)
        losses = [Product.apply(x + 2, x + 3).sum()]
        return sys._getframe()

    assert group(memory(stop(), monkeypatch), "losses")["saved"] == 8000


def test_what_hangs_together_is_one_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        x = torch.ones(3, requires_grad=True)
        features = [x.exp()]
        for _ in range(4):
            features.append(features[-1].sin())
        return sys._getframe()

    assert group(memory(stop(), monkeypatch), "features")["graphs"] == 1


def test_attributes_of_an_object_are_variables_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    class Trainer:
        def __init__(self) -> None:
            self.model = nn.Linear(4, 4)
            self.history = [torch.zeros(5)]

        def stop(self) -> FrameType:
            layer = self.model
            assert layer
            return sys._getframe()

    names = {one["name"] for one in memory(Trainer().stop(), monkeypatch)["groups"]}
    assert names == {"layer", "self.history"}


def test_a_part_of_a_model_counts_for_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(layer: nn.Module) -> FrameType:
        return sys._getframe()

    def train() -> FrameType:
        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
        return stop(model[0])

    frame = train()
    assert [one["name"] for one in memory(frame, monkeypatch)["groups"]] == ["model"]


def test_variables_of_the_programs_other_modules_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kept_elsewhere.py").write_text("import torch\nclass Kept:\n    last = [torch.zeros(77)]\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def stop() -> FrameType:
        return sys._getframe()

    importlib.import_module("kept_elsewhere")
    found = Paused(stop(), monkeypatch).lens("memory")["found"]
    assert group(found, "kept_elsewhere.Kept.last")["bytes"] == 77 * 4


def test_the_state_of_an_optimizer_is_named_by_its_parameter(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        model = nn.Linear(3, 2, bias=False)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        model(torch.ones(1, 3)).sum().backward()
        optimizer.step()
        return sys._getframe()

    found = memory(stop(), monkeypatch)
    state = next(block for block in found["blocks"] if block["part"] == "optimizer")
    assert state["names"] == ['optimizer.state[model.weight]["momentum_buffer"]']


def test_what_no_name_reaches_is_found_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    library = ModuleType("some_library")
    monkeypatch.setitem(sys.modules, "some_library", library)
    library.__dict__["kept"] = torch.zeros(12345)

    def stop() -> FrameType:
        return sys._getframe()

    frame = stop()
    assert "unnamed" not in shares(memory(frame, monkeypatch))
    unnamed = [one for one in memory(frame, monkeypatch, thorough=True)["blocks"] if one["part"] == "unnamed"]
    assert 12345 * 4 in [block["bytes"] for block in unnamed]
    asked = Paused(frame, monkeypatch)
    answer = asked.lens("memory")
    row = next(row for row in asked.below(answer, answer["node"]) if row["name"] == "no name in sight")
    assert any("12345" in below["line"] for below in asked.below(answer, row))


def test_each_row_says_what_is_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roots, "_is_programs", lambda name, module: False)

    def stop() -> FrameType:
        losses = [torch.zeros(3 << 20, dtype=torch.uint8), torch.zeros(1 << 20, dtype=torch.uint8)]
        batch = {"x": torch.zeros(2 << 20, dtype=torch.uint8)}
        assert losses is not batch
        return sys._getframe()

    asked = Paused(stop(), monkeypatch)
    answer = asked.lens("memory")
    lines = {row["name"]: row["line"] for row in asked.below(answer, answer["node"])}
    assert answer["node"]["line"] == "6.0 MiB · losses 4.0 MiB · batch 2.0 MiB · 3 blocks"
    assert lines["by variable"] == "losses 4.0 MiB, batch 2.0 MiB"
    assert lines["largest"] == '3.0 MiB losses[0], 2.0 MiB batch["x"], 1.0 MiB losses[1]'
    assert lines["other variables"] == "6.0 MiB · 100% · 3 blocks"


def array_of(*objects: object) -> Any:
    array = np.empty(len(objects), object)
    array[:] = objects
    return array


def raised(value: object) -> BaseException:
    """An exception that has come through a function with this variable."""
    try:
        raise KeyError
    except KeyError as error:
        return error


@pytest.mark.parametrize(
    "hold",
    [
        lambda tensor: {tensor: 1},
        lambda tensor: {tensor},
        lambda tensor: ValueError("text", tensor),
        raised,
        lambda tensor: array_of("text", [tensor]),
        lambda tensor: array_of(array_of(tensor), 1),
        lambda tensor: (one for one in [tensor]),
        lambda tensor: map(id, [tensor]),
    ],
)
def test_whatever_holds_a_tensor_it_counts(hold: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        held = hold(torch.zeros(1000))
        assert held is not None
        return sys._getframe()

    blocks = memory(stop(), monkeypatch)["blocks"]
    assert next(one["bytes"] for one in blocks if one["names"][0].startswith("held")) == 4000


@pytest.mark.filterwarnings("ignore:TypedStorage")
@pytest.mark.parametrize("storage_of", [torch.Tensor.untyped_storage, torch.Tensor.storage])
def test_a_storage_counts_by_its_own_name(storage_of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        storage = storage_of(torch.zeros(1000))
        assert storage is not None
        return sys._getframe()

    (block,) = memory(stop(), monkeypatch)["blocks"]
    assert (block["bytes"], "storage" in block["names"]) == (4000, True)


class Wrapping(torch.Tensor):
    """Holds another tensor in a slot, as a `DTensor` does, and has no memory of its own."""

    __slots__ = ("inner",)
    inner: torch.Tensor

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> Wrapping:
        made: Any = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)  # type: ignore[attr-defined]
        made.inner = inner
        return made  # type: ignore[no-any-return]

    @classmethod
    def __torch_dispatch__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise AssertionError("its code was run")


def test_what_a_tensor_holds_in_a_slot_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        wrapping = Wrapping(torch.ones(300))
        assert wrapping is not None
        return sys._getframe()

    found = memory(stop(), monkeypatch)
    assert [(block["bytes"], block["names"]) for block in found["blocks"]] == [(1200, ["wrapping.inner"])]


def test_a_gradient_is_named_by_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        parameters = [*nn.Linear(3, 1, bias=False).parameters()]
        model = nn.Linear(3, 1, bias=False)
        model.weight = parameters[0]
        model(torch.ones(2, 3)).sum().backward()
        return sys._getframe()

    found = memory(stop(), monkeypatch)
    assert sorted(one["names"][0] for one in found["blocks"]) == ["model.weight", "model.weight.grad"]


def test_the_exception_that_a_prompt_has_told_last_keeps_what_its_frames_have(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        return sys._getframe()

    monkeypatch.setattr(sys, "last_value", raised(torch.zeros(1000)), raising=False)
    assert group(memory(stop(), monkeypatch, last=("last_value",)), "sys.last_value")["bytes"] == 4000


def test_the_frames_of_an_exception_that_are_looked_at_give_no_second_names(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        tensor = torch.zeros(1000)
        try:
            raise KeyError(len(tensor))
        except KeyError as error:
            kept = error
        assert kept.args
        return sys._getframe()

    (block,) = memory(stop(), monkeypatch)["blocks"]
    assert block["names"] == ["tensor"]


def test_hostile_objects_are_gone_through_without_their_code(monkeypatch: pytest.MonkeyPatch) -> None:
    hostile.RAN.clear()

    def stop() -> FrameType:
        everything = hostile.objects()
        tensor = torch.zeros(50)
        everything["a tensor"] = tensor
        return sys._getframe()

    frame = stop()
    found = memory(frame, monkeypatch)
    answer = Paused(frame, monkeypatch).lens("referrers", value="tensor")
    assert hostile.RAN == []
    assert "everything" in {one["name"] for one in found["groups"]}
    assert 'everything["a tensor"]' in [one["name"] for one in answer["found"]["referrers"]]


def test_from_python_what_no_name_reaches_is_found_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    library = ModuleType("another_library")
    monkeypatch.setitem(sys.modules, "another_library", library)
    library.__dict__["kept"] = torch.zeros(23456)

    def sizes(**options: bool) -> list[int]:
        return [one["bytes"] for one in tensor_inspector.memory(**options)["blocks"] if one["part"] == "unnamed"]

    assert sizes() == []
    assert 23456 * 4 in sizes(thorough=True)
    row = next(line for line in repr(tensor_inspector.memory(thorough=True)).splitlines() if "float32[23456]" in line)
    assert row.strip().startswith("91.6 KiB")
    with pytest.raises(TypeError, match="thorough is True or False, not str"):
        tensor_inspector.memory(thorough="yes")  # type: ignore[arg-type]


class Counting:
    """What torch.cuda counts of one device in use and of one that is not."""

    asked: list[int] = []

    @staticmethod
    def is_initialized() -> bool:
        return True

    @staticmethod
    def device_count() -> int:
        return 2

    @staticmethod
    def memory_stats(number: int) -> dict[str, int]:
        names = (
            "allocated_bytes.all.current",
            "reserved_bytes.all.current",
            "reserved_bytes.all.peak",
            "allocated_bytes.all.peak",
            "inactive_split_bytes.all.current",
        )
        return dict.fromkeys(names, 0) if number else dict(zip(names, (100, 300, 300, 200, 50)))

    @classmethod
    def mem_get_info(cls, number: int) -> tuple[int, int]:
        cls.asked.append(number)
        return 700, 1000


def test_devices_in_use_tell_what_torch_counts_and_no_other_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    Counting.asked.clear()
    monkeypatch.setitem(torch.__dict__, "cuda", Counting)
    monkeypatch.setattr(torch._C, "_cuda_hasPrimaryContext", lambda number: number == 0, raising=False)
    (found,) = device_memory([])
    assert vars(found) == {
        "device": "cuda:0", "allocated": 100, "rounding": None, "reserved": 300, "peak": 200, "fragmented": 50,
        "free": 700, "total": 1000,
    }  # fmt: skip
    assert Counting.asked == [0]


def test_what_a_device_has_given_out_beyond_what_is_found_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roots, "_is_programs", lambda name, module: False)
    monkeypatch.setitem(torch.__dict__, "cuda", Counting)
    monkeypatch.setattr(torch._C, "_cuda_hasPrimaryContext", lambda number: number == 0, raising=False)
    asked = Paused(sys._getframe(), monkeypatch)
    answer = asked.lens("memory")
    lines = {row["name"]: row["line"] for row in asked.below(answer, answer["node"])}
    assert lines["cuda:0"].startswith(
        "allocated 100 B · not found: 100 B, workspaces of libraries as cuBLAS may be among it · reserved 300 B"
    )


MAY_BE = "may be workspaces of cuBLAS of 8.1 MiB each, tensors without a name"


@pytest.mark.parametrize(
    ("requested", "rounding", "rows"),
    [
        (
            69_000_000,
            1_000_123,
            {
                "in tensors and arrays found": "0 B",
                "rounding up of blocks": "976.7 KiB (1,000,123 B)",
                "in none of them": f"65.8 MiB (69,000,000 B) · {MAY_BE}",
            },
        ),
        (
            0,  # as CUDA's own allocator leaves it
            None,
            {
                "in tensors and arrays found": "0 B",
                "in none of them": f"66.8 MiB (70,000,123 B) · {MAY_BE}, rounding up",
            },
        ),
    ],
)
def test_what_a_device_has_given_out_is_the_sum_of_rows(
    requested: int, rounding: int | None, rows: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("allocated_bytes.all.current", "reserved_bytes.all.peak")
    stats = {**dict.fromkeys(names, 70_000_123), "requested_bytes.all.current": requested}
    monkeypatch.setattr(roots, "_is_programs", lambda name, module: False)
    monkeypatch.setattr(Counting, "memory_stats", {0: stats, 1: {}}.__getitem__)
    monkeypatch.setitem(torch.__dict__, "cuda", Counting)
    monkeypatch.setattr(torch._C, "_cuda_hasPrimaryContext", lambda number: number == 0, raising=False)
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:2:16:8")
    asked = Paused(sys._getframe(), monkeypatch)
    answer = asked.lens("memory")
    (one,) = (one for one in answer["found"]["devices"] if one["device"] == "cuda:0")
    assert (one["known"], one["rounding"], one["allocated"]) == (0, rounding, 70_000_123)
    device = next(row for row in asked.below(answer, answer["node"]) if row["name"] == "cuda:0")
    assert {row["name"]: row["line"] for row in asked.below(answer, device)} == rows


def test_a_device_that_is_not_in_use_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counting, "is_initialized", lambda: False)
    monkeypatch.setitem(torch.__dict__, "cuda", Counting)
    assert list(device_memory([])) == []


GROWTH = """
import tensor_inspector, torch
from torch import nn

def work():
    model = nn.Sequential(*(nn.Linear(2048, 2048) for _ in range(4)))
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(64, 2048)).sum().backward()
    optimizer.step()
    x = torch.randn(16384, 2048)
    return model, optimizer, x, model(x).sum()

def main():
    done = work()  # what libraries keep once they have run
    del done
    before = tensor_inspector.memory()
    kept = work()
    after = tensor_inspector.memory()
    print(after["bytes"] - before["bytes"], after["resident"] - before["resident"])

main()
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells what is resident")
def test_what_is_found_is_what_the_process_grows_by() -> None:
    # Each allocation is given back when it is freed, as glibc does for large ones of its own accord.
    env = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536", "OMP_NUM_THREADS": "1"}
    code = [sys.executable, "-c", GROWTH]
    done = subprocess.run(code, capture_output=True, text=True, timeout=600, check=True, env=env)
    found, grown = map(int, done.stdout.split())
    assert found > 600 << 20
    assert found == pytest.approx(grown, rel=0.01)


def test_memory_on_no_device_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    def stop() -> FrameType:
        on_meta = torch.empty(1000, device="meta")
        with FakeTensorMode():
            fake = torch.ones(1000)
        freed = torch.ones(1000)
        freed.untyped_storage().resize_(0)
        assert on_meta is not fake
        return sys._getframe()

    assert memory(stop(), monkeypatch)["bytes"] == 0


def test_nothing_is_touched() -> None:
    def program() -> None:
        model = nn.Linear(3, 3)
        loss = model(torch.ones(2, 3)).exp().sum()
        view = loss.detach()
        with Watch([model, loss, view]) as watch:
            tensor_inspector.memory()
        assert watch.changes() == []

    program()


def test_it_is_worked_at_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    from tensor_inspector.lenses.memory.account import Account
    from tensor_inspector.lenses.memory.inventory import Inventory

    def stop() -> FrameType:
        model = nn.Sequential(*(nn.Linear(5, 5) for _ in range(100)))
        loss = model(torch.ones(1, 5)).sum()
        assert loss.requires_grad
        return sys._getframe()

    frame = stop()
    whole, sliced = Inventory(frame), Inventory(frame)
    assert whole.go_on(Budget())
    slices = 1
    while not sliced.go_on(Budget(0)):
        slices += 1
    assert slices > 3
    assert Account(sliced).sorted_shares() == Account(whole).sorted_shares()


@pytest.mark.parametrize("key", ["plain", "it's", 'say "it"', "'\"", b"it's", 3, 1.5, None, "a\\b", "\n"])
def test_a_key_stands_in_a_path_as_one_types_it(key: object) -> None:
    (held,) = ClassLayout(dict).parts({key: []})
    assert held.is_path
    assert eval(f"held{held.name}", {"held": {key: 7}}) == 7


@pytest.mark.parametrize("key", ["it's " * 50, "x" * 200, float("inf"), (1, 2)])
def test_a_key_that_no_one_types_is_no_path(key: object) -> None:
    (held,) = ClassLayout(dict).parts({key: []})
    assert not held.is_path


def test_a_block_has_one_name_wherever_it_stands_and_no_other_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roots, "_is_programs", lambda name, module: False)

    def stop() -> FrameType:
        x, layer = torch.ones(30, 4), nn.Linear(4, 3)
        sparse, losses = torch.eye(50).to_sparse(), [layer(x).exp().sum() for _ in range(3)]
        assert sparse.is_sparse
        assert losses
        return sys._getframe()

    asked = Paused(stop(), monkeypatch)
    answer = asked.lens("memory")
    rows = {row["name"]: row for row in asked.below(answer, answer["node"])}
    largest = [row["name"] for row in asked.below(answer, rows["largest"])]
    saved = [row["name"] for row in asked.below(answer, rows["saved for backward"])]
    assert saved == ["saved by Exp", "saved by Exp (2)", "saved by Exp (3)"]
    assert [name for name in largest if name.startswith("saved")] == saved
    others = {row["name"] for row in asked.below(answer, rows["other variables"])}
    assert {"sparse._indices()", "sparse._values()"} <= others <= set(largest)


def test_each_block_is_printed_once() -> None:
    kept = [torch.ones(3000), torch.ones(2000)]
    lines = repr(tensor_inspector.memory()).splitlines()
    assert len([line for line in lines if line.startswith("    kept[1]  7.8 KiB")]) == 1
    assert "  no name in sight  not looked for: memory(thorough=True) does" in lines
    assert len(kept) == 2


class Link:
    def __init__(self, before: Link | None) -> None:
        self.before = before
        self.value = torch.ones(3)


def test_a_long_way_to_a_value_has_a_short_name_that_nobody_types() -> None:
    last: Link | None = None
    for _ in range(3000):
        last = Link(last)
    blocks = tensor_inspector.memory()["blocks"]
    names = [block["names"][0] for block in blocks if block["names"][0].startswith("last.")]
    assert len(names) == 3000
    assert {"last.value", "last.before.value", "last.before.before.value"} <= set(names)
    assert max(map(len, names)) < 1000
    assert last is not None


def test_of_two_blocks_whose_path_nobody_can_type_the_second_has_a_number() -> None:
    pair = {torch.ones(3000), torch.ones(2000)}
    largest = repr(tensor_inspector.memory()).partition("  largest ")[2]
    assert "    pair{…}  " in largest
    assert "    pair{…} (2)  " in largest
    assert len(pair) == 2


def test_what_took_longer_than_the_search_should_but_was_done_in_time_is_complete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(roots, "_is_programs", lambda name, module: False)
    monkeypatch.setattr(memory_lens, "_WALK", 0)

    def stop() -> FrameType:
        collected = [torch.empty(1) for _ in range(300)]
        assert collected
        return sys._getframe()

    for is_walked in (True, False):
        inventory = Inventory(stop())
        if is_walked:
            inventory.walk.go_on(Budget())
        answer = memory_lens.MemoryLens(inventory, Budget(), 100)
        answer.limit = Budget(60_000)
        assert (answer.go_on(), inventory.complete) == (is_walked, is_walked)


def test_tensors_that_are_keys_of_each_other_have_names() -> None:
    a, b = torch.ones(4000), torch.ones(3000)
    of_each_other, of_itself = {a: b, b: a}, {torch.ones(2000): None}
    for key in of_itself:
        of_itself[key] = key
    del a, b, key
    assert {block["bytes"] for block in tensor_inspector.memory()["blocks"]} >= {16000, 12000, 8000}
    assert of_each_other


def test_at_a_prompt_of_pdb_a_variable_has_one_name(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import torch\ndef step():\n    x = torch.ones(30)\n    breakpoint()\n    return x\nstep()\n")
    typed = "import tensor_inspector as ti\nz = x * 1\nprint([one['names'] for one in ti.memory()['blocks']])\nq\n"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, str(program)], input=typed, capture_output=True, text=True, timeout=600, env=environment
    )
    assert "[['x'], ['z']]" in done.stdout, done.stderr


def test_what_holds_itself_by_a_list_counts_for_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        model = nn.Linear(4, 4)
        model.__dict__["all_of_us"] = [model]
        return sys._getframe()

    assert [one["name"] for one in memory(stop(), monkeypatch)["groups"]] == ["model"]
