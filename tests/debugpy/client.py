"""A small, strict client of the Debug Adapter Protocol, talking to the real debugpy adapter.

It does what VS Code does and nothing more: one request, one reply. Every wait has a limit and says what it waited for,
an unsuccessful reply is an exception, all traffic is kept, and no process outlives `close()`.

    with Client() as client:
        stop = client.launch(program, breakpoints=[12])
        client.evaluate("loss", stop.frame)["result"]
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

Message = dict[str, Any]
LIMIT = 30.0  # seconds; generous, for two slow cores: reaching it is a failure, never a way to go on

_STOP_MARK = re.compile(r"# STOP(?:: *(?P<name>\w+))?\s*$")


def stop_lines(program: Path) -> dict[str, int]:
    """The lines marked `# STOP` (named "") or `# STOP: name`, as {name: line}."""
    lines = program.read_text(encoding="utf-8").splitlines()
    return {found["name"] or "": at for at, line in enumerate(lines, 1) if (found := _STOP_MARK.search(line))}


class DapError(Exception):
    """A reply with `success: false`."""

    def __init__(self, reply: Message) -> None:
        super().__init__(f"{reply['command']}: {reply.get('message', '')}")
        self.message: str = reply.get("message", "")
        self.reply = reply


class Lost(Exception):
    """What was waited for did not come, or can no longer come."""


@dataclass(frozen=True)
class Stop:
    """Where the program stands: the ids are valid until it continues."""

    reason: str
    thread: int
    frame: int
    function: str
    line: int
    event: Message


class Client:
    """One debug session. Not thread-safe: one request at a time, as VS Code's own queue sends ours."""

    def __init__(self, python: str = sys.executable) -> None:
        self.python = python
        self.traffic: list[tuple[str, Message]] = []  # ("→" sent | "←" received, message), in order
        self._news = threading.Condition()
        self._received: list[Message] = []
        self._ended = False
        self._seq = 0
        self._read_upto = 0  # events before this one were taken by wait_for_event
        self._processes: list[subprocess.Popen[bytes]] = []
        self._socket: socket.socket | None = None
        self._reader: threading.Thread | None = None
        self._writer: IO[bytes] | None = None

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- sessions ------------------------------------------------------------------------------------------------------

    def launch(
        self,
        program: Path | str,
        *,
        breakpoints: Iterable[int] = (),
        exceptions: Sequence[str] = (),
        limit: float = LIMIT,
        **options: object,
    ) -> Stop:
        """Starts `program` under a new adapter over stdio, and returns its first stop.

        `exceptions` are filters ("raised", "uncaught", "userUnhandled"); `options` go into the launch request.
        """
        adapter = self._spawn([self.python, "-m", "debugpy.adapter"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert adapter.stdin is not None
        assert adapter.stdout is not None
        self._open(adapter.stdout, adapter.stdin)
        arguments = {
            "type": "debugpy",
            "request": "launch",
            "program": str(program),
            "cwd": str(Path(program).parent),
            "python": [self.python],
            "console": "internalConsole",
            **options,
        }
        self._configure("launch", arguments, {Path(program): breakpoints}, exceptions, limit)
        return self.wait_for_stop(limit)

    def attach(
        self,
        program: Path | str,
        *,
        breakpoints: Iterable[int] = (),
        exceptions: Sequence[str] = (),
        limit: float = LIMIT,
        **options: object,
    ) -> Stop:
        """Starts `python -m debugpy --listen … program`, connects to it as VS Code does, and returns its first stop."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            address: tuple[str, int] = probe.getsockname()
        listen = f"{address[0]}:{address[1]}"
        command = [self.python, "-m", "debugpy", "--listen", listen, "--wait-for-client", str(program)]
        server = self._spawn(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._socket = self._connect(address, server, limit)
        self._open(self._socket.makefile("rb"), self._socket.makefile("wb"))
        arguments = {"type": "debugpy", "request": "attach", **options}
        self._configure("attach", arguments, {Path(program): breakpoints}, exceptions, limit)
        return self.wait_for_stop(limit)

    def close(self) -> None:
        """Ends the session and every process of it, whatever state they are in."""
        if self._writer is not None and not self._ended:
            with suppress(DapError, Lost, OSError):
                self.request("disconnect", {"terminateDebuggee": True}, limit=5)
        self._end_processes()
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
        if self._reader is not None:
            self._reader.join(5)
        for stream in (self._writer, self._socket, *(p.stdout for p in self._processes)):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        self._writer = self._socket = None

    # -- requests ------------------------------------------------------------------------------------------------------

    def request(self, command: str, arguments: Mapping[str, object] | None = None, *, limit: float = LIMIT) -> Any:
        """Sends one request and returns the body of its reply."""
        return self.reply(self.send(command, arguments), limit=limit)

    def send(self, command: str, arguments: Mapping[str, object] | None = None) -> int:
        """Sends a request without waiting; returns its number, for `reply`."""
        return self._write({"type": "request", "command": command, "arguments": dict(arguments or {})})

    def reply(self, seq: int, *, limit: float = LIMIT) -> Any:
        """The body of the reply to request number `seq`."""

        def is_reply(message: Message) -> bool:
            return message["type"] == "response" and bool(message["request_seq"] == seq)

        sent = next(message for way, message in self.traffic if way == "→" and message["seq"] == seq)
        reply = self._wait(is_reply, 0, f"the reply to {sent['command']} {_short(sent['arguments'])}", limit)[1]
        if not reply["success"]:
            raise DapError(reply)
        return reply.get("body", {})

    def threads(self) -> list[Message]:
        return cast("list[Message]", self.request("threads")["threads"])

    def stack(self, thread: int) -> list[Message]:
        return cast("list[Message]", self.request("stackTrace", {"threadId": thread})["stackFrames"])

    def scopes(self, frame: int) -> list[Message]:
        return cast("list[Message]", self.request("scopes", {"frameId": frame})["scopes"])

    def variables(self, reference: int, **arguments: object) -> list[Message]:
        return cast(
            "list[Message]", self.request("variables", {"variablesReference": reference, **arguments})["variables"]
        )

    def locals(self, frame: int) -> dict[str, Message]:
        """The frame's Locals scope, as the stock Variables view reads it."""
        return {row["name"]: row for row in self.variables(self.scopes(frame)[0]["variablesReference"])}

    def evaluate(
        self,
        expression: str,
        frame: int | None = None,
        *,
        context: str | None = "watch",
        raw: bool = False,
        limit: float = LIMIT,
    ) -> Message:
        """Evaluates; `raw` asks for a string's own characters, unquoted and uncut. Without `frame`: no frame at all."""
        arguments: Message = {"expression": expression}
        if frame is not None:
            arguments["frameId"] = frame
        if context is not None:
            arguments["context"] = context
        if raw:
            arguments["format"] = {"rawString": True}
        return cast("Message", self.request("evaluate", arguments, limit=limit))

    def set_variable(self, reference: int, name: str, value: str) -> Message:
        arguments = {"variablesReference": reference, "name": name, "value": value}
        return cast("Message", self.request("setVariable", arguments))

    def set_expression(self, expression: str, value: str, frame: int) -> Message:
        arguments = {"expression": expression, "value": value, "frameId": frame}
        return cast("Message", self.request("setExpression", arguments))

    def set_breakpoints(self, program: Path | str, lines: Iterable[int]) -> list[Message]:
        arguments = {"source": {"path": str(program)}, "breakpoints": [{"line": line} for line in lines]}
        return cast("list[Message]", self.request("setBreakpoints", arguments)["breakpoints"])

    def step(self, thread: int, how: str = "next", *, limit: float = LIMIT) -> Stop:
        """`next`, `stepIn` or `stepOut`, up to the stop that follows."""
        self.request(how, {"threadId": thread}, limit=limit)
        return self.wait_for_stop(limit)

    def resume(self, thread: int, *, limit: float = LIMIT) -> Stop:
        """Continues, up to the next stop."""
        self.continue_(thread)
        return self.wait_for_stop(limit)

    def continue_(self, thread: int) -> None:
        """Continues, without waiting for anything."""
        self.request("continue", {"threadId": thread})

    def run_to_end(self, thread: int, *, limit: float = LIMIT) -> int:
        """Continues, with the breakpoints as they are, and returns the program's exit code."""
        self.continue_(thread)
        return cast("int", self.wait_for_event("exited", limit=limit)["exitCode"])

    # -- events --------------------------------------------------------------------------------------------------------

    def wait_for_stop(self, limit: float = LIMIT) -> Stop:
        event = self.wait_for_event("stopped", limit=limit)
        top = self.stack(event["threadId"])[0]
        return Stop(event["reason"], event["threadId"], top["id"], top["name"], top["line"], event)

    def wait_for_event(self, name: str, *, limit: float = LIMIT) -> Message:
        """The body of the next event of this name; the events it passes over are not offered again."""

        def is_event(message: Message) -> bool:
            return message["type"] == "event" and bool(message["event"] == name)

        at, message = self._wait(is_event, self._read_upto, f"the event {name!r}", limit)
        self._read_upto = at + 1
        return cast("Message", message.get("body", {}))

    def events(self, name: str) -> list[Message]:
        """The bodies of all events of this name so far."""
        with self._news:
            return [m.get("body", {}) for m in self._received if m["type"] == "event" and m["event"] == name]

    def output(self, *categories: str) -> str:
        """What the program has printed so far: stdout and stderr, or the categories named."""
        chosen = categories or ("stdout", "stderr")
        return "".join(body["output"] for body in self.events("output") if body.get("category") in chosen)

    # -- inside --------------------------------------------------------------------------------------------------------

    def _configure(
        self,
        command: str,
        arguments: Message,
        breakpoints: Mapping[Path, Iterable[int]],
        exceptions: Sequence[str],
        limit: float,
    ) -> None:
        who = {"clientID": "tensor-inspector-tests", "adapterID": "debugpy", "pathFormat": "path"}
        what = {
            "linesStartAt1": True,
            "columnsStartAt1": True,
            "supportsVariableType": True,
            "supportsRunInTerminalRequest": True,
            "supportsStartDebuggingRequest": True,
        }
        self.request("initialize", {**who, **what}, limit=limit)
        start = self.send(command, arguments)
        self.wait_for_event("initialized", limit=limit)
        for program, lines in breakpoints.items():
            for breakpoint_ in self.set_breakpoints(program, lines):
                assert breakpoint_["verified"], breakpoint_
        self.request("setExceptionBreakpoints", {"filters": list(exceptions)}, limit=limit)
        self.request("configurationDone", limit=limit)
        self.reply(start, limit=limit)

    def _spawn(self, command: list[str], **streams: Any) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1", "PYTHONUNBUFFERED": "1"}
        process = subprocess.Popen(command, env=environment, start_new_session=True, **streams)
        self._processes.append(process)
        return process

    @staticmethod
    def _connect(address: tuple[str, int], server: subprocess.Popen[bytes], limit: float) -> socket.socket:
        deadline = time.monotonic() + limit
        while True:
            try:
                return socket.create_connection(address, timeout=None)
            except ConnectionRefusedError:  # not listening yet; the exit code tells a slow start from a failed one
                with suppress(subprocess.TimeoutExpired):
                    raise Lost(f"debugpy exited with {server.wait(0.02)} before it listened") from None
                if time.monotonic() > deadline:
                    raise Lost(f"debugpy did not listen on {address} within {limit} s") from None

    def _open(self, source: IO[bytes], sink: IO[bytes]) -> None:
        self._writer = sink
        self._reader = threading.Thread(target=self._read, args=(source,), name="dap-reader", daemon=True)
        self._reader.start()

    def _read(self, source: IO[bytes]) -> None:
        with suppress(OSError, ValueError), source:
            while (message := _read_message(source)) is not None:
                with self._news:
                    self.traffic.append(("←", message))
                    self._received.append(message)
                    self._news.notify_all()
                if message["type"] == "request":
                    self._serve(message)
        with self._news:
            self._ended = True
            self._news.notify_all()

    def _serve(self, request: Message) -> None:
        """Answers the adapter's own requests, as the editor would."""
        reply: Message = {"type": "response", "request_seq": request["seq"], "command": request["command"]}
        if request["command"] == "runInTerminal":
            arguments = request["arguments"]
            environment = {**os.environ, **{k: v for k, v in arguments.get("env", {}).items() if v is not None}}
            process = subprocess.Popen(
                arguments["args"],
                cwd=arguments.get("cwd") or None,
                env=environment,
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            self._processes.append(process)
            reply |= {"success": True, "body": {"processId": process.pid}}
        elif request["command"] == "startDebugging":  # a child process: kept in the traffic, left to the test
            reply |= {"success": True}
        else:
            reply |= {"success": False, "message": f"this client does not know {request['command']}"}
        self._write(reply)

    def _write(self, message: Message) -> int:
        with self._news:
            if self._writer is None or self._ended:
                raise Lost(f"the session is over; not sent: {_short(message)}")
            self._seq += 1
            message = {"seq": self._seq, **message}
            self.traffic.append(("→", message))
            body = json.dumps(message).encode()
            self._writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            self._writer.flush()
            return self._seq

    def _wait(self, wanted: Callable[[Message], bool], start: int, what: str, limit: float) -> tuple[int, Message]:
        deadline = time.monotonic() + limit
        at = start
        with self._news:
            while True:
                for at in range(at, len(self._received)):  # noqa: B020 - goes on where it left off
                    if wanted(self._received[at]):
                        return at, self._received[at]
                at = len(self._received)
                left = deadline - time.monotonic()
                if why := self._hopeless(wanted) or (f"none within {limit} s" if left <= 0 else ""):
                    raise Lost(f"waited for {what}: {why}; last traffic:\n{self._tail()}")
                self._news.wait(left)

    def _hopeless(self, wanted: Callable[[Message], bool]) -> str:
        """Why no message that is wanted can come any more, or ""."""
        if self._ended:
            return "the adapter closed the connection"
        names = [message.get("event") for message in self._received]
        if "terminated" in names and wanted({"type": "event", "event": "stopped"}):
            return "the program has ended"
        return ""

    def _tail(self, count: int = 12) -> str:
        return "\n".join(f"  {way} {_short(message)}" for way, message in self.traffic[-count:])

    def _end_processes(self) -> None:
        """The debuggee first, which is not our own child, then the sessions of what we started: the launcher too."""
        debuggees = [] if self.events("exited") else [body.get("systemProcessId") for body in self.events("process")]
        for pid in debuggees:
            if pid is not None:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        for process in self._processes:
            with suppress(subprocess.TimeoutExpired):
                process.wait(2 if self._ended else 0.5)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _read_message(source: IO[bytes]) -> Message | None:
    length = None
    while line := source.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if length is None:
        return None
    body = source.read(length)
    return cast("Message", json.loads(body)) if len(body) == length else None


def _short(message: object, limit: int = 300) -> str:
    text = json.dumps(message, ensure_ascii=False)
    return text if len(text) <= limit else text[:limit] + "…"
