"""What a program runs with, a bug report, a batch and an item, through the real adapter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from client import Client, Stop
from helper import Helper

PROGRAM = """\
import torch
from torch.utils.data import TensorDataset
data = TensorDataset(torch.arange(12.0).view(4, 3), torch.tensor([0, 1, 0, 0]))
batch = data[:]
with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
    name = "hush-hush"  # STOP
assert torch.rand(1).shape == (1,)
"""


def answered(helper: Helper, stop: Stop, lens: str, options: dict[str, Any], **values: str) -> dict[str, Any]:
    question = {
        "lens": lens,
        "values": {name: {"expression": text} for name, text in values.items()},
        "options": options,
    }
    answer = helper.ask(stop, "lens", **question)
    while not answer["done"]:
        where = {"snapshot": answer["snapshot"], "resume": answer["resume"]}
        answer = helper.ask(stop, "lens", **question, **where)
    return answer


@pytest.mark.parametrize("frameless", [False, True])
def test_they_are_told_of_the_paused_thread(frameless: bool, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    with Client() as client:
        stop = client.launch(program, breakpoints=[6])
        helper = Helper(client, frameless=frameless)
        told = {one["name"]: one["value"] for one in answered(helper, stop, "environment", {})["found"]["settings"]}
        # Without a frame another thread is asked, which has modes of its own.
        expected = (None, None) if frameless else ("off", "cpu bfloat16")
        assert (told["grad mode"], told["autocast"]) == expected
        text = answered(helper, stop, "report", {"stop": 1})["text"]
        assert f"{program}:6 in <module>" in text
        assert "batch  tuple of 2 · float32[4, 3], int64[4]" in text
        assert "hush-hush" not in text
        parts = answered(helper, stop, "batch", {}, batch="batch")["found"]["parts"]
        assert [one["labels"] for one in parts] == [None, [{"label": 0, "count": 3}, {"label": 1, "count": 1}]]
        item = answered(helper, stop, "item", {"index": 1, "run": True}, dataset="data")["found"]
        assert (item["error"], [one["max"] for one in item["parts"]]) == (None, [5, 1])
        assert client.run_to_end(stop.thread) == 0
