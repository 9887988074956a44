"""The gateway asked in a paused frame, as the extension asks it."""

from __future__ import annotations

import base64
import json
from types import FrameType
from typing import Any

import pytest

from tensor_inspector import debugger, gateway


class Paused:
    """A frame in which the debugger is paused; the replies are kept, as it keeps them until the program goes on."""

    def __init__(self, frame: FrameType, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(debugger, "user_frame", lambda: frame)
        self.replies: list[gateway.Reply] = []

    def ask(self, op: str, **request: Any) -> dict[str, Any]:
        text = json.dumps({"op": op, "version": "", "limits": {"ms": 60_000}, **request})
        self.replies.append(gateway.call(base64.b64encode(text.encode()).decode()))
        return json.loads(self.replies[-1])  # type: ignore[no-any-return]

    def lens(self, lens: str, options: dict[str, Any] | None = None, **values: str) -> dict[str, Any]:
        """The answer of a lens about expressions, all of its slices."""
        question = {"lens": lens, "values": {name: {"expression": value} for name, value in values.items()}}
        answer = self.ask("lens", **question, options=options or {})
        while answer.get("done") is False:
            where = {"snapshot": answer["snapshot"], "resume": answer["resume"]}
            answer = self.ask("lens", **question, options=options or {}, **where)
        return answer

    def late_lens(self, lens: str, **values: str) -> dict[str, Any]:
        """As `lens`, where the time is over as the first slice begins."""
        question = {"lens": lens, "values": {name: {"expression": value} for name, value in values.items()}}
        answer = self.ask("lens", **question, limits={"ms": 0})
        while answer.get("done") is False:
            where = {"snapshot": answer["snapshot"], "resume": answer["resume"]}
            answer = self.ask("lens", **question, **where)
        return answer

    def below(self, answer: dict[str, Any], node: dict[str, Any]) -> list[dict[str, Any]]:
        """The rows below a row of an answer."""
        if "page" in node:
            return node["page"]["nodes"]  # type: ignore[no-any-return]
        page = self.ask("children", snapshot=answer["snapshot"], node=node["id"], start=0, count=200)
        return page["page"]["nodes"]  # type: ignore[no-any-return]
