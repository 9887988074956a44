"""The picture in a hover: of what it is drawn, how large it is, and that the rest of the card never waits for it."""

from __future__ import annotations

import base64
import struct
import sys
from types import FrameType
from typing import Any

import asking
import numpy as np
import pytest
import torch


def stopped() -> FrameType:
    weights, image = torch.randn(64, 64, requires_grad=True), torch.rand(3, 20, 30)
    weights.data[3, 4] = float("nan")
    mask, grid, series = torch.rand(20, 30) > 0.5, np.arange(600.0).reshape(20, 30), torch.arange(100.0)
    few, column, scalar, text, pairs = (
        torch.ones(2, 2),
        torch.ones(50, 1),
        torch.tensor(1.0),
        np.array(["a"] * 20),
        [1] * 50,
    )
    large, meta, sparse = torch.randn(3000, 3000), torch.ones(8, 8, device="meta"), torch.eye(8).to_sparse()
    model, empty, complex_ = torch.nn.Linear(8, 8), torch.ones(0, 8), torch.ones(8, 8, dtype=torch.complex64)
    assert (weights, image, mask, grid, series, few, column, scalar, text, pairs, large, meta) is not None
    assert (sparse, model, empty, complex_) is not None
    return sys._getframe()


@pytest.fixture(scope="module")
def frame() -> FrameType:
    return stopped()


def thumbnail(frame: FrameType, monkeypatch: pytest.MonkeyPatch, expression: str, ms: float = 60_000) -> Any:
    answer = asking.Paused(frame, monkeypatch).ask("inspect", expression=expression, limits={"ms": ms})
    return answer["node"]["facts"].get("thumbnail")


@pytest.mark.parametrize("name", ["weights", "image", "mask", "grid", "series", "large", "model.weight", "complex_"])
def test_a_tensor_or_array_has_a_small_picture(frame: FrameType, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    drawn = thumbnail(frame, monkeypatch, name)
    png = base64.b64decode(drawn["png"])
    wide, high = struct.unpack(">II", png[16:24])
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert max(wide, high) <= 128
    assert len(drawn["png"]) < 60_000  # of what a hover shows


@pytest.mark.parametrize("name", ["few", "column", "scalar", "text", "pairs", "meta", "sparse", "model", "empty"])
def test_where_there_is_nothing_to_see_there_is_none(
    frame: FrameType, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    assert thumbnail(frame, monkeypatch, name) is None


def test_its_legend_counts_what_is_not_finite(frame: FrameType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "1 NaN (magenta ×)" in thumbnail(frame, monkeypatch, "weights")["legend"]


def test_without_time_it_is_sampled_and_says_so(frame: FrameType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert thumbnail(frame, monkeypatch, "large")["legend"].startswith("≈ float32[3000, 3000]")


def test_looking_changes_nothing(frame: FrameType, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = frame.f_locals["weights"]
    torch.manual_seed(7)
    before = torch.is_grad_enabled(), weights._version, weights.grad, torch.get_rng_state().sum()
    thumbnail(frame, monkeypatch, "weights")
    assert (torch.is_grad_enabled(), weights._version, weights.grad, torch.get_rng_state().sum()) == before
