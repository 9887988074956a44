"""Speaks to our helper inside the paused program, as the extension does: the same two expressions, one evaluate each.

    stop = client.launch(program, breakpoints=[12])
    helper = Helper(client)
    answer = helper.frame(stop, expanded={"model": {}})
    row = helper.row(stop, ["model", "weight"])

The twin of extension/src/helper/injection.ts; a test in test_client.py keeps the two from drifting apart.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast
from zlib import compress

from client import Client, Stop

PACKAGE = Path(__file__).parents[2] / "pyhelper" / "tensor_inspector"
VERSION = "tests"
UNTIMED = {"ms": 60_000}  # slow machines answer as others do
MARK = "# tensor-inspector"
SYS = (
    "(c for c in ().__class__.__base__.__subclasses__() if c.__name__=='ModuleSpec')"
    ".__next__().__init__.__globals__['sys']"
)

Answer = dict[str, Any]
Node = dict[str, Any]


class Refused(Exception):
    """The helper answered with an error."""

    def __init__(self, error: dict[str, str]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code = error["code"]


class Helper:
    """The helper of one session; injected on first use. `frameless` asks without a frame, naming it by its DAP id."""

    def __init__(self, client: Client, *, frameless: bool = False) -> None:
        self.client = client
        self.frameless = frameless
        self.injected: Answer | None = None

    def frame(self, stop: Stop, **question: object) -> Answer:
        return self.ask(stop, "frame", **question)

    def children(self, stop: Stop, snapshot: int, node: int, start: int = 0, count: int = 100) -> Answer:
        return self.ask(stop, "children", snapshot=snapshot, node=node, start=start, count=count)

    def inspect(self, stop: Stop, expression: str, **question: object) -> Node:
        return cast("Node", self.ask(stop, "inspect", expression=expression, **question)["node"])

    def evaluate(self, stop: Stop, expression: str, **question: object) -> Node:
        return cast("Node", self.ask(stop, "evaluate", expression=expression, **question)["node"])

    def row(self, stop: Stop, names: Sequence[str]) -> Node:
        """The row reached by expanding these names one after the other; its own children are its `page`."""
        answer = self.frame(stop)
        page, snapshot = answer["rows"], answer["snapshot"]
        node: Node = {}
        for name in names:
            node = _named(page["nodes"], name, names)
            page = self.children(stop, snapshot, node["id"])["page"] if "children" in node else {"nodes": []}
        return {**node, "page": page}

    def inject(self, stop: Stop | None = None) -> Answer:
        """Without a frame, as the extension does: one that torch.compile runs would have the helper compiled too."""
        expression = self.client.greeting or inject_expression()
        if self.client.greeted is None:
            reply = self.client.evaluate(expression, None, context="watch", raw=True)["result"]
        else:
            reply = self.client.reply(self.client.greeted)["result"]
        if reply == "" and stop is not None:  # older debugpy runs what names no frame, and does not answer
            reply = self._evaluate(stop, expression)
        self.injected = json.loads(reply)
        return self.injected

    def ask(self, stop: Stop, op: str, **question: object) -> Answer:
        if self.injected is None:
            self.inject(stop)
        request: Answer = {"op": op, "version": VERSION, "limits": UNTIMED, **question}
        if self.frameless:
            request["at"] = {"thread": stop.thread, "frame": stop.frame}
        answer: Answer = json.loads(self._evaluate(stop, call_expression(request)))
        if answer["op"] == "error":
            raise Refused(answer["error"])
        return answer

    def _evaluate(self, stop: Stop, expression: str) -> str:
        frame = None if self.frameless else stop.frame
        return cast("str", self.client.evaluate(expression, frame, context="watch", raw=True)["result"])


def call_expression(request: Answer) -> str:
    """Calls the injected helper; the request travels as data, never as code."""
    text = b64encode(json.dumps(request).encode()).decode()
    return f"{SYS}.modules['_tensor_inspector.gateway'].call('{text}') {MARK}"


def inject_expression(*, untimed: bool = True, watchpoints: Sequence[Answer] = (), **preferences: object) -> str:
    """Puts the helper into the process: one expression that leaves no name behind in the user's frame.

    Unlike the extension's, it gives the debugger's own views the time that slow machines need too, if `untimed`.
    """
    texts: dict[str, dict[str, str]] = {}
    injected = {*PACKAGE.rglob("*.py")} - {PACKAGE / "__main__.py"}
    for file in sorted(injected, key=lambda file: file.relative_to(PACKAGE).as_posix()):
        texts.setdefault(_room(file), {})[_module(file)] = file.read_text(encoding="utf-8")
    loader, time_outs = texts[""].pop("loader"), texts[""]["time_outs"]
    sources = {name: at for at, room in enumerate(texts.values()) for name in room}
    rooms = ", ".join(f"b('{_packed(chr(0).join(room.values()))}')" for room in texts.values())
    watched = f", m['json'].loads(z('{_packed(json.dumps(watchpoints))}'))" if watchpoints else ""
    run = (
        f"(m['builtins'].exec(m['builtins'].compile(z('{_packed(time_outs)}'), "
        "'<frozen _tensor_inspector.time_outs>', 'exec'), g), g['dispose'](), "
        f"m['builtins'].exec(m['builtins'].compile(z('{_packed(loader)}'), "
        "'<frozen _tensor_inspector.loader>', 'exec'), g), "
        f"g['install'](m['json'].loads(z('{_packed(json.dumps(sources))}')), '{VERSION}', "
        f"m['json'].loads(z('{_packed(json.dumps(preferences))}')), [{rooms}]{watched})"
        f"{_untimed(preferences) if untimed else ''})[3]"
    )
    unpack = "lambda text: m['zlib'].decompress(m['binascii'].a2b_base64(text))"
    names = "{'__name__': '_tensor_inspector', '__builtins__': m['builtins']}"
    return f"(lambda m: (lambda g, z, b: {run})({names}, {unpack}, m['binascii'].a2b_base64))({SYS}.modules) {MARK}"


def _untimed(preferences: Answer) -> str:
    """More of the tuple that injects."""
    budget = "m['_tensor_inspector.preferences'].__dict__.update(BUDGET_MS={ms}, _MOST_MS={ms})".format(**UNTIMED)
    return f", {budget}, m['_tensor_inspector.gateway'].prefer(m['json'].loads('{json.dumps(preferences)}'))"


def _packed(text: str) -> str:
    return b64encode(compress(text.encode(), 9)).decode()


def _room(file: Path) -> str:
    """The folder whose sources are packed together: at most two deep."""
    return "/".join(file.relative_to(PACKAGE).parts[:-1][:2])


def _module(file: Path) -> str:
    """The name below the package: "" for the package itself."""
    return ".".join(part for part in file.relative_to(PACKAGE).with_suffix("").parts if part != "__init__")


def _named(nodes: list[Node], name: str, names: Sequence[str]) -> Node:
    for node in nodes:
        if node["name"] == name:
            return node
    raise LookupError(f"no row {name} of {' › '.join(names)}; there are {[node['name'] for node in nodes][:20]}")
