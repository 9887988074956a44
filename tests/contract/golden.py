"""Golden replies: what the helper answers for one frame, written to `golden/` by running this file.

Both languages read them: Python checks that the helper still answers so, TypeScript that it can show them. Likewise
`palettes.json`, the colours of pictures: the helper and the page have them each from code of its own.
"""

from __future__ import annotations

import base64
import json
import math
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import numpy
import torch

from tensor_inspector import debugger, gateway
from tensor_inspector.lenses.picture import palettes, tiles

FOLDER = Path(__file__).parent / "golden"
PALETTES = Path(__file__).parent / "palettes.json"
EPOCHS = 3


class Run:
    def __init__(self, name: str) -> None:
        self.name = name
        self.best: Run = self

    @property
    def score(self) -> float:
        return 0.5


def train() -> FrameType:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.Linear(2, 1))
    images = torch.linspace(-1, 1, 12).reshape(3, 4)
    images[0, 0] = math.nan
    batch = {"images": images, "labels": torch.tensor([1, 0, 2**62]), "same": images}
    loss = model[0](torch.ones(1, 4)).sum()
    loss.backward()
    history: list[Any] = [0.1, math.inf]
    history.append(history)
    array, run, steps, none = numpy.arange(6.0).reshape(2, 3), Run("first"), 2**60, None
    del model[1].bias
    assert (batch, array, run, steps, none) is not None
    return sys._getframe()


def lose() -> None:
    """A step whose loss is finite, and one whose is NaN."""
    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.125)
    for factor in (1.0, 0.0):
        loss = (weight * factor).sum() / factor
        loss.backward()
        optimizer.step()


def train_wrongly() -> FrameType:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.Softmax(1))
    probabilities = model(torch.ones(3, 4))
    loss = torch.nn.functional.cross_entropy(probabilities, torch.tensor([0, 1, 0]))
    assert loss is not None
    return sys._getframe()


def replies() -> dict[str, dict[str, Any]]:
    """Name and reply, with what differs from run to run made the same."""
    frame = train()
    kept: list[gateway.Reply] = []
    before = debugger.user_frame, debugger.dynamo_runs, debugger.is_attached, debugger.log
    debugger.user_frame, debugger.dynamo_runs = lambda: frame, lambda: False  # other tests may have compiled frames
    try:

        def ask(op: str, **request: Any) -> dict[str, Any]:
            untimed = {"ms": 60_000, **request.pop("limits", {})}
            text = json.dumps({"op": op, "version": "", "limits": untimed, **request})
            kept.append(gateway.call(base64.b64encode(text.encode()).decode()))
            return json.loads(kept[-1])  # type: ignore[no-any-return]

        expanded = {"batch": {}, "run": {"rows": {"class properties": {}}}, "history": {"count": 2}}
        pins = [{"expression": "model[0].weight", "count": 10}, {"expression": "gone"}, {"expression": "f()"}]
        first = ask("frame", expanded=expanded, pins=pins)
        two = {"a": {"expression": "model[0]"}, "b": {"expression": "model[1]"}}
        pair = {"value": {"expression": "model[0].weight"}, "other": {"expression": "model[0].weight.grad"}}
        details = {"parts": "facts distribution picture values", "bins": 4, "robust": True}
        model = next(node for node in first["rows"]["nodes"] if node["name"] == "model")
        found = {
            "frame": first,
            "frame_tensors": ask("frame", filter="tensors", limits={"nodes": 2}),
            "children": ask("children", snapshot=first["snapshot"], node=model["id"], start=0, count=10),
            "inspect": ask("inspect", expression="batch['images']"),
            "inspect_module": ask("inspect", expression="model"),
            "inspect_complex": ask("evaluate", expression="__import__('torch').tensor([3+4j, 1j])"),
            "evaluate": ask("evaluate", expression="[steps] * 2"),
            "lens_compare": ask("lens", lens="compare", values=two),
            "lens_not_done": ask("lens", lens="compare", values=two, limits={"ms": 0.001}),
            "lens_details": ask(
                "lens", lens="details", values={"value": {"expression": "batch['images']"}}, options=details
            ),
            "lens_autograd": ask(
                "lens", lens="autograd", values={"tensor": {"expression": "loss"}}, options={"drawn": True}
            ),
            "lens_export": ask("lens", lens="export", values={"value": {"expression": "array"}}),
            "lens_export_data": ask(
                "lens", lens="export", values={"value": {"expression": "array"}}, options={"format": "npy"}
            ),
            "lens_details_comparison": ask(
                "lens", lens="details", values=pair, options={"parts": "comparison error_map", "atol": 0.5}
            ),
            "error": ask("inspect", expression="model(images)"),
            "interrupt": ask("interrupt", request=1),
            "watch": ask("watch", watchpoints=[{"id": 1, "what": "nan", "gear": "exact"}]),
        }
        ask("watch", watchpoints=[])
        frame = train_wrongly()
        found["lens_findings"] = ask("lens", lens="findings", values={})
        debugger.is_attached, debugger.log = lambda: True, lambda line: None
        hit = [{"id": 1, "what": "nan", "gear": "exact", "log": True}]
        ask("watch", watchpoints=hit)
        lose()
        found["watch_hit"] = ask("watch", watchpoints=hit)
        ask("watch", watchpoints=[])
    finally:
        debugger.user_frame, debugger.dynamo_runs, debugger.is_attached, debugger.log = before
    return {name: _settled(reply) for name, reply in found.items()}


def _settled(reply: dict[str, Any]) -> dict[str, Any]:
    for field, value in (
        ("ms", 0),
        ("snapshot", 1),
        ("resume", 2),
        ("libraries", {"torch": "2.13.0", "numpy": "2.4.6"}),
    ):
        if field in reply:
            reply[field] = value
    told = reply.get("found", {})
    if told.get("lens") == "findings":  # which rules there are is not said here
        told.update(checked=["nan-in-input"], skipped=[{"rule": "lr-zero", "reason": "no optimizer in sight"}])
        for finding in told["findings"]:
            finding["source"]["file"] = "golden.py"
    if told.get("lens") == "autograd":
        for line in told["graph"]["lines"]:
            line["source"]["file"] = "golden.py"
    if told.get("lens") == "export":
        told.update(host="machine", folder="/home/me")
    for state in reply.get("watchpoints", []):
        for check in state.get("before", {}).get("checks", []):
            check["source"]["file"] = "golden.py"
    return reply


def texts() -> dict[str, str]:
    """The replies as they are written, by the names of their files."""
    return {name: json.dumps(reply, indent=1, ensure_ascii=False) + "\n" for name, reply in replies().items()}


def palettes_text() -> str:
    """The colours of pictures, each palette in a line."""
    marks = ("nan", "pos_inf", "neg_inf", "masked")
    indices = (palettes.NAN, palettes.POS_INF, palettes.NEG_INF, palettes.MASKED)
    bits = (tiles.NAN, tiles.POS_INF, tiles.NEG_INF, tiles.MASKED)
    found: dict[str, Any] = {
        "diverging": palettes.diverging().colours,
        "sequential": palettes.sequential().colours,
        **{f"labels {amount}": palettes.labels(amount).colours for amount in range(1, palettes.MOST_LABELS + 1)},
        **{
            mark: {"bit": bit, "colour": palettes.SPECIAL[index], "ink": palettes.SPECIAL[palettes.INK[index]]}
            for mark, bit, index in zip(marks, bits, indices)
        },
    }
    lines = (f"{json.dumps(name)}: {json.dumps(one)}" for name, one in found.items())
    return "{\n" + ",\n".join(f"  {line}" for line in lines) + "\n}\n"


if __name__ == "__main__":
    PALETTES.write_text(palettes_text(), "utf-8")
    FOLDER.mkdir(exist_ok=True)
    for name, text in texts().items():
        (FOLDER / f"{name}.json").write_text(text, "utf-8")
