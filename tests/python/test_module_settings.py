"""Modules without parameters by what they were made with: losses, activations, poolings, one's own."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
nn = torch.nn

from tensor_inspector import facts, summarize  # noqa: E402
from tensor_inspector.kinds.registry import as_kind  # noqa: E402
from tensor_inspector.safe.budget import Budget  # noqa: E402


class Focal(nn.Module):  # type: ignore[name-defined,misc]
    def __init__(self, gamma: float = 2.0, alpha: Any = None) -> None:
        super().__init__()
        self.gamma, self.alpha, self.calls = gamma, alpha, 5


class Scaled(nn.CrossEntropyLoss):  # type: ignore[name-defined,misc]
    def __init__(self, *args: Any, scale: float = 1.0, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.scale = scale


#: A module, the words between its class and its mode, and the facts of it in their order.
CASES: list[tuple[Any, str, list[str]]] = [
    (nn.CrossEntropyLoss(), "", ["ignore_index -100", "reduction 'mean'", "label_smoothing 0"]),
    (
        nn.CrossEntropyLoss(ignore_index=0, label_smoothing=0.1),
        "ignore_index 0, label_smoothing 0.1",
        ["ignore_index 0", "label_smoothing 0.1", "reduction 'mean'"],
    ),
    (nn.CrossEntropyLoss(torch.ones(3)), "weight f32[3]", ["ignore_index -100", "reduction 'mean'", "label_smoothing 0"]),
    (nn.BCEWithLogitsLoss(pos_weight=torch.ones(2)), "pos_weight f32[2]", ["reduction 'mean'"]),
    (nn.MSELoss(reduction="sum"), "reduction 'sum'", ["reduction 'sum'"]),
    (nn.HuberLoss(delta=0.5), "delta 0.5", ["delta 0.5", "reduction 'mean'"]),
    (nn.SmoothL1Loss(), "", ["reduction 'mean'", "beta 1"]),
    (nn.TripletMarginLoss(0.3), "margin 0.3", ["margin 0.3", "p 2", "eps 1e-6", "swap False", "reduction 'mean'"]),
    (nn.KLDivLoss(reduction="batchmean"), "reduction 'batchmean'", ["reduction 'batchmean'", "log_target False"]),
    (nn.Softmax(dim=1), "dim 1", ["dim 1"]),
    (nn.LeakyReLU(0.2), "negative_slope 0.2", ["negative_slope 0.2", "inplace False"]),
    (nn.Identity(), "", []),
    (Focal(3.0), "gamma 3", ["gamma 3", "alpha None", "calls 5"]),
    (Scaled(ignore_index=1), "ignore_index 1", ["ignore_index 1", "scale 1", "reduction 'mean'", "label_smoothing 0"]),
]  # fmt: skip


@pytest.mark.parametrize(("module", "words", "rows"), CASES, ids=lambda one: one if type(one) is str else "")
def test_a_module_without_parameters_tells_its_settings(module: Any, words: str, rows: list[str]) -> None:
    name = type(module).__name__
    assert summarize(module) == " · ".join(filter(None, [name, words, "train"]))
    assert as_kind(module, Budget()).inline() == " ".join(filter(None, [name, words]))
    told = [f"{label} {text}" for label, text in facts(module)["rows"] if label != "NaN and Inf"]
    assert told == [*rows, "mode train"]


def test_a_module_with_parameters_tells_these() -> None:
    labels = [label for label, _ in facts(nn.Linear(2, 3))["rows"]]
    assert labels[:2] == ["parameters", "trainable"]
    assert "parameters" in dict(facts(nn.Sequential(nn.ReLU()))["rows"])


def test_a_setting_called_mode_is_not_that_of_the_module() -> None:
    assert [row for row in facts(nn.Upsample(scale_factor=2))["rows"] if row[0] in ("mode", "train or eval")] == [
        ["mode", "'nearest'"],
        ["train or eval", "train"],
    ]


@pytest.mark.parametrize(
    ("module", "text"),
    [
        (nn.CrossEntropyLoss(ignore_index=-1, label_smoothing=0.1), "3 attributes"),  # which the facts list
        (nn.Softmax(dim=1), "1 attribute"),
        (nn.Linear(2, 3), "in_features, out_features"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_settings_are_named_once(module: Any, text: str) -> None:
    rows = {child.name: child.value for child in as_kind(module, Budget()).children(0, 10)}
    assert as_kind(rows["other attributes"], Budget()).line() == text
