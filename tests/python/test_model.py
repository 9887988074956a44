"""The lens `model`, checked against what torch counts."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
import torch
from asking import Paused
from torch import nn
from torch.ao.quantization import quantize_dynamic
from torch.nn.parameter import UninitializedParameter
from untouched import Watch

from tensor_inspector import model as ask


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))


class Transformer(nn.Module):
    """With an output layer that is tied to the embedding."""

    def __init__(self, layers: int = 4) -> None:
        super().__init__()
        self.embedding = nn.Embedding(10, 4)
        self.layers = nn.ModuleList([Block(4) for _ in range(layers)])
        self.batch_norm = nn.BatchNorm1d(4)
        self.head = nn.Linear(4, 10, bias=False)
        self.head.weight = self.embedding.weight


def frozen_in_part() -> nn.Module:
    model = Transformer()
    model.layers[1].requires_grad_(False)
    return model


def in_two_places() -> nn.Module:
    shared = nn.Linear(3, 3)
    return nn.Sequential(shared, nn.ReLU(), shared, nn.Sequential(shared))


def in_two_places_as_a_whole() -> nn.Module:
    shared = nn.Sequential(nn.BatchNorm1d(2), nn.Linear(2, 3))
    return nn.ModuleList([nn.ModuleList([shared]), nn.ModuleList([shared, nn.Linear(2, 2)])])


def tied_by_memory() -> nn.Module:
    first, second = nn.Linear(3, 2, bias=False), nn.Linear(2, 3, bias=False)
    second.weight = nn.Parameter(first.weight.data.T)
    return nn.Sequential(first, second)


def mixed() -> nn.Module:
    return nn.Sequential(nn.Linear(2, 2).half(), nn.Linear(2, 2, device="meta"), nn.BatchNorm1d(2).double())


class WithNone(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_parameter("absent", None)
        self.register_buffer("gone", None)
        self.register_module("nothing", None)


def compiled() -> Any:
    return torch.compile(Transformer(), backend="eager")


def scripted() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return torch.jit.script(nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)))


MODELS: list[Callable[[], Any]] = [
    Transformer, frozen_in_part, in_two_places, in_two_places_as_a_whole, tied_by_memory, mixed, WithNone, nn.ReLU, compiled,
    lambda: nn.LSTM(3, 4, num_layers=2), lambda: nn.ParameterList([torch.ones(2), torch.ones(3)]),
    lambda: nn.utils.parametrizations.weight_norm(nn.Linear(3, 3)), lambda: nn.MultiheadAttention(4, 2),
    scripted,
]  # fmt: skip


def stored_bytes(module: Any) -> int:
    """Of what it holds, memory of the same place, length and offset once."""
    tensors = [*module.parameters(), *module.buffers()]
    taken = {
        id(one) if one.is_meta else (one.data_ptr(), one.numel()): one.numel() * one.element_size() for one in tensors
    }
    return sum(taken.values())


@pytest.mark.parametrize("make", MODELS)
def test_each_module_is_counted_as_torch_counts_it(make: Callable[[], Any]) -> None:
    model = make()
    found = ask(model)
    expected = {
        name: (
            sum(one.numel() for one in module.parameters()),
            sum(one.numel() for one in module.parameters() if one.requires_grad),
            sum(one.numel() for one in module.buffers()),
            stored_bytes(module),
            module.training,
        )
        for name, module in model.named_modules(remove_duplicate=False)
    }
    rows = {row["name"]: row for row in found["rows"]}
    numbers = ("parameters", "trainable", "buffers", "bytes", "training")
    # What is below a module that stood elsewhere before has no rows.
    assert {name: tuple(row[one] for one in numbers) for name, row in rows.items()} == {
        name: expected[name] for name in rows
    }
    assert len(rows) == found["modules"] >= len(list(model.modules()))
    assert tuple(found[one] for one in numbers[:4]) == expected[""][:4]
    assert found["tensors"] == len(list(model.parameters()))
    assert {f"torch.{name}" for row in rows.values() for name in row["dtypes"]} <= {
        str(one.dtype) for one in [*model.parameters(), *model.buffers()]
    }


def test_what_is_shared_is_told_and_counted_once() -> None:
    assert ask(Transformer())["tied"] == [["embedding.weight", "head.weight"]]
    assert ask(tied_by_memory())["tied"] == [["0.weight", "1.weight"]]
    assert ask(nn.LSTM(3, 4))["tied"] == []
    rows = {row["name"]: row["same_as"] for row in ask(in_two_places())["rows"]}
    assert rows == {"": None, "0": None, "1": None, "2": "0", "3": None, "3.0": "0"}


def test_memory_that_overlaps_is_counted_once() -> None:
    base, model = torch.zeros(1000), nn.ModuleDict({"part": nn.Module(), "whole": nn.Module()})
    model["part"].weight = nn.Parameter(base[:500])
    model["whole"].register_buffer("base", base)
    model["part"].register_buffer("end", base[400:600])
    found = ask(model)
    assert [row["bytes"] for row in found["rows"]] == [4000, 2400, 4000]
    assert (found["bytes"], found["parameters"], found["buffers"]) == (4000, 500, 1200)


def test_columns_of_one_table_count_by_their_own_elements() -> None:
    base, model = torch.zeros(100, 4), nn.Module()
    for at in range(2):
        model.register_buffer(f"column{at}", base[:, at])
    assert ask(model)["bytes"] == 800


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:torch.quantize_per_tensor")
def test_packed_weights_are_of_unknown_size() -> None:
    model = quantize_dynamic(nn.Sequential(nn.Linear(10, 10), nn.ReLU()), {nn.Linear})
    found = ask(model)
    assert found["unknown"] == 1
    assert repr(found).splitlines()[-1] == "size not known: 1 tensor"
    found = ask(nn.Sequential(model, nn.Linear(1, 1, bias=False)))
    assert repr(found).splitlines()[-2:] == ["parameters ≥1 in 1 tensor, 1 trainable", "bytes      ≥4"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("compiled", [torch.jit.script, lambda net: torch.jit.trace(net, torch.ones(1, 4))])
def test_layers_in_cpp_are_told_by_the_classes_that_they_were_made_of(compiled: Any) -> None:
    live = compiled(nn.Sequential(nn.Linear(4, 3), nn.ReLU()))
    lines = [line.split("  ")[0].strip() for line in repr(ask(live)).splitlines()[2:5]]
    assert lines == [
        f"{type(live).__name__} of Sequential",
        "├─ 0: ScriptModule of Linear",
        "└─ 1: ScriptModule of ReLU",
    ]


def test_what_is_not_there_yet_is_said() -> None:
    found = ask(nn.Sequential(nn.LazyLinear(3), nn.Linear(3, 2)))
    assert isinstance(nn.LazyLinear(3).weight, UninitializedParameter)
    assert (found["uninitialized"], found["parameters"], found["unknown"]) == (2, 8, 0)
    assert "not initialized 2" in repr(found)


def test_hooks_modes_dtypes_and_devices_are_told() -> None:
    model = mixed()
    model[0].register_forward_hook(print)
    model[0].register_full_backward_hook(lambda *_: None)
    model[0].eval()
    found = ask(model)
    first, meta, norm = found["rows"][1:]
    assert (first["hooks"], first["training"], first["dtypes"]) == (2, False, ["float16"])
    assert (meta["devices"], norm["dtypes"]) == (["meta"], ["float64"])
    assert (found["dtypes"], found["devices"]) == (["float16", "float32", "float64"], ["cpu", "meta"])


@pytest.mark.parametrize(
    ("sort", "names"),
    [
        ("order", ["small", "large", "frozen"]), ("name", ["frozen", "large", "small"]),
        ("parameters", ["frozen", "large", "small"]), ("trainable", ["large", "small", "frozen"]),
        ("bytes", ["large", "frozen", "small"]), ("buffers", ["small", "large", "frozen"]),
        ("type", ["small", "large", "frozen"]), ("dtype", ["frozen", "small", "large"]),
        ("mode", ["small", "frozen", "large"]), ("hooks", ["frozen", "small", "large"]),
        ("device", ["small", "large", "frozen"]),
    ],
)  # fmt: skip
def test_modules_are_sorted_in_each_module(sort: str, names: list[str]) -> None:
    model = nn.Module()
    model.small, model.large, model.frozen = nn.BatchNorm1d(2), nn.Linear(9, 9).double(), nn.Linear(10, 10).half()
    model.frozen.requires_grad_(False).register_forward_hook(print)
    model.large.eval()
    assert [row["name"] for row in ask(model, sort=sort)["rows"][1:]] == names


@pytest.mark.parametrize(
    ("options", "why"), [({"sort": "size"}, "sort is one of order"), ({"rows": -1}, "rows is a whole number")]
)
def test_an_option_that_makes_no_sense_is_refused(
    options: dict[str, Any], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop() -> FrameType:
        model = nn.ReLU()
        assert model is not None
        return sys._getframe()

    answer = Paused(stop(), monkeypatch).lens("model", options, model="model")
    assert why in str(answer)


def test_what_is_no_module_is_refused() -> None:
    with pytest.raises(TypeError, match=r"not a torch\.nn\.Module"):
        ask(torch.ones(1))


def test_it_prints_as_a_table_in_which_layers_that_are_alike_are_one_row() -> None:
    lines = repr(ask(Transformer(5))).splitlines()
    names = [line.split("  ")[0].strip() for line in lines]
    assert names[2:-6] == [
        "Transformer",
        "├─ embedding: Embedding(10 × 4)",
        "├─ layers: ModuleList(5)",
        "│", "│", "│", "│", "│", "│",
        "├─ batch_norm: BatchNorm1d(4)",
        "└─ head: Linear(4 → 10)",
    ]  # fmt: skip
    assert "0…4: 5 × Block" in lines[5]
    assert lines[5].split()[6:8] == ["420", "420"]
    assert lines[-1] == "tied       embedding.weight = head.weight"
    assert lines[-4] == "parameters 468 in 33 tensors, 468 trainable"


def rows_of(model: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any, Any]:
    def stop(model: Any) -> FrameType:
        assert model is not None
        return sys._getframe()

    paused = Paused(stop(model), monkeypatch)
    answer = paused.lens("model", model="model")
    return paused, answer, answer["node"]


def test_rows_are_nested_as_the_tree_is(monkeypatch: pytest.MonkeyPatch) -> None:
    paused, answer, top = rows_of(Transformer(5), monkeypatch)
    assert top["name"] == "layers of model"
    assert top["line"].startswith("468 params · Transformer · 1.9 KiB")
    below = {row["name"]: row for row in paused.below(answer, top)}
    assert list(below) == ["embedding", "layers", "batch_norm", "head", "tied"]
    assert below["tied"]["line"] == "1: embedding.weight = head.weight"
    (folded,) = paused.below(answer, below["layers"])
    assert (folded["name"], folded["line"].split(" · ")[2:4]) == ("0…4", ["5 × Block", "84 each"])
    blocks = paused.below(answer, folded)
    assert [row["name"] for row in blocks] == ["0", "1", "2", "3", "4"]
    norm, _ = paused.below(answer, blocks[1])
    weight, bias = paused.below(answer, norm)
    assert (weight["name"], weight["path"]) == ("weight", "model.layers[1].norm.weight")
    assert bias["line"].startswith("float32[4] · all zeros")


def test_what_differs_from_the_whole_is_on_a_modules_line(monkeypatch: pytest.MonkeyPatch) -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2).half().eval(), nn.Linear(2, 2).requires_grad_(False))
    model[2].register_forward_pre_hook(rows_of)  # type: ignore[arg-type]
    paused, answer, top = rows_of(model, monkeypatch)
    lines = [row["line"] for row in paused.below(answer, top)]
    assert ["eval" in line.split(" · ") for line in [top["line"], *lines]] == [False, False, True, False]
    assert "float16" in lines[1]
    assert lines[2].endswith("float32 · 1 hook")
    assert "frozen" in lines[2].split(" · ")


def test_hooks_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    model = nn.ReLU()
    model.register_forward_pre_hook(rows_of)  # type: ignore[arg-type]
    paused, answer, top = rows_of(model, monkeypatch)
    (hooks,) = paused.below(answer, top)
    assert [(row["name"], row["line"]) for row in paused.below(answer, hooks)] == [("before forward", "rows_of")]


def test_asking_changes_nothing_and_runs_nothing() -> None:
    model = frozen_in_part()
    with Watch(model) as watch:
        ask(model)
    assert watch.changes() == []


@pytest.mark.parametrize("sort", ["buffers", "hooks"])
def test_what_it_is_sorted_by_has_a_column(sort: str) -> None:
    model = nn.Sequential(nn.ReLU(), nn.BatchNorm1d(2))
    model[1].register_forward_hook(lambda *_: None)
    lines = repr(ask(model, sort=sort)).splitlines()
    assert sort in lines[0]
    assert "BatchNorm1d" in lines[3]


def test_a_name_is_whole_in_a_table_however_long_what_it_is() -> None:
    text = repr(
        ask(nn.ModuleDict({"a_long_name_of_a_layer": nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 8), 1)}))
    )
    assert "out_proj: NonDynamic" in text
    assert "a_long_name_of_a_layer: TransformerDecoder" in text


def test_a_table_says_of_what_the_lines_below_alike_layers_are() -> None:
    said = "below “N ×” stands what one of them has"
    blocks = nn.Sequential(*(nn.Sequential(nn.Linear(2, 2)) for _ in range(3)))
    assert said in repr(ask(blocks))
    assert said not in repr(ask(blocks[0]))
