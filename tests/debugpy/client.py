"""A small, strict client of the Debug Adapter Protocol, talking to the real debugpy adapter.

It does what VS Code does and nothing more: one request, one reply, and a session of its own for every child process that
the adapter announces. Every wait has a limit and says what it waited for, an unsuccessful reply is an exception, all
traffic is kept, and no process outlives `close()`.

    with Client() as client:
        stop = client.launch(program, breakpoints=[12])
        client.evaluate("loss", stop.frame)["result"]
        child, stop = client.wait_for_child()
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar, Union, cast

from warm import Child, Warm

Message = dict[str, Any]
Breakpoints = Union[Iterable[int], Mapping[Path, Iterable[int]]]  # lines of the program, or of each of these files
LIMIT = 240.0  # seconds; generous, for two slow and busy cores: reaching it is a failure, never a way to go on

Process = Union[subprocess.Popen[bytes], Child]
Found = TypeVar("Found")

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
    """One debug session. Not thread-safe: one request at a time, as VS Code's own queue sends ours.

    A child process is attached to as soon as it is announced, with the breakpoints of its parent.
    """

    def __init__(
        self, python: str = sys.executable, *, greeting: str | None = None, parent: Client | None = None
    ) -> None:
        self.python = python
        self.greeting = greeting  # evaluated without a frame as soon as the adapter can be asked, as our injection is
        self.greeted: int | None = None  # the number of that request
        self.traffic: list[tuple[str, Message]] = []  # ("→" sent | "←" received, message), in order
        self.children: list[Client] = []  # of the child processes announced so far
        self.address: tuple[str, int] | None = None  # where the program listens, when it does
        self.failure: Exception | None = None  # why a child session did not come about
        self._news: threading.Condition = threading.Condition() if parent is None else parent._news
        self._breakpoints: dict[Path, list[int]] = {}
        self._exceptions: list[str] = []
        self._joining: threading.Thread | None = None
        self._closing = False
        self._received: list[Message] = []
        self._ended = False
        self._seq = 0
        self._read_upto = 0  # events before this one were taken by wait_for_event
        self._processes: list[Process] = []
        self._debuggee: Process | None = None  # when it is our own child
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the client
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
        breakpoints: Breakpoints = (),
        exceptions: Sequence[str] = (),
        limit: float = LIMIT,
        **options: object,
    ) -> Stop:
        """Starts `program` under a new adapter over stdio, and returns its first stop.

        `exceptions` are filters ("raised", "uncaught", "userUnhandled"); `options` go into the launch request.
        """
        self.start(program, breakpoints=breakpoints, exceptions=exceptions, limit=limit, **options)
        return self.wait_for_stop(limit)

    def start(
        self,
        program: Path | str,
        *,
        breakpoints: Breakpoints = (),
        exceptions: Sequence[str] = (),
        limit: float = LIMIT,
        **options: object,
    ) -> None:
        """As `launch`, without waiting for a stop: of `program`, or of `module=` beside it."""
        self._open_adapter()
        arguments = {
            "type": "debugpy",
            "request": "launch",
            **({} if "module" in options else {"program": str(program)}),
            "cwd": str(Path(program).parent),
            "python": [self.python],
            "console": "internalConsole",
            **options,
        }
        self._configure("launch", arguments, _by_file(program, breakpoints), exceptions, limit)

    def attach(
        self,
        program: Path | str,
        *,
        limit: float = LIMIT,
        **options: Any,
    ) -> Stop:
        """As `start_and_attach`, up to the first stop."""
        self.start_and_attach(program, limit=limit, **options)
        return self.wait_for_stop(limit)

    def start_and_attach(
        self,
        program: Path | str,
        *,
        breakpoints: Breakpoints = (),
        exceptions: Sequence[str] = (),
        args: Sequence[str] = (),
        warm: Warm | None = None,
        limit: float = LIMIT,
        **options: object,
    ) -> None:
        """Starts `python -m debugpy --listen … program`, and connects to it as VS Code does.

        `warm` starts it in the program's folder, with torch loaded.
        """
        arguments = ["--listen", "127.0.0.1:0", "--wait-for-client", str(program), *args]
        with tempfile.TemporaryDirectory() as folder:
            endpoints = Path(folder) / "endpoints.json"
            told = {"DEBUGPY_ADAPTER_ENDPOINTS": str(endpoints)}
            if warm is None:
                self.run([self.python, "-m", "debugpy", *arguments], **told)
            else:
                self._debuggee = warm.start(arguments, _environment(**told), Path(program).parent, self._printed)
                self._processes.append(self._debuggee)
            assert self._debuggee is not None
            self.address = self._listens(endpoints, self._debuggee, limit)
        self._socket = socket.create_connection(self.address)
        self._attach(self._socket, _by_file(program, breakpoints), exceptions, limit, options)

    def attach_again(
        self, to: Client, *, breakpoints: Mapping[Path, Iterable[int]], limit: float = LIMIT, **options: object
    ) -> None:
        """Connects to the program that another client, which has let go of it, has attached to and will end."""
        assert to.address is not None
        self._socket = socket.create_connection(to.address)
        self._attach(self._socket, breakpoints, (), limit, options)

    def attach_by_listening(
        self, program: Path | str, *, breakpoints: Breakpoints = (), limit: float = LIMIT, **options: object
    ) -> Stop:
        """Has the adapter listen, starts `python -m debugpy --connect … program`, and returns its first stop."""
        self._open_adapter()
        arguments = {
            "type": "debugpy",
            "request": "attach",
            "listen": {"host": "127.0.0.1", "port": 0},
            **options,
        }

        def connect() -> None:
            where = self.wait_for_event("debugpyWaitingForServer", limit=limit)
            address = f"{where['host']}:{where['port']}"
            self.run([self.python, "-m", "debugpy", "--connect", address, "--wait-for-client", program])

        self._configure("attach", arguments, _by_file(program, breakpoints), (), limit, connect)
        return self.wait_for_stop(limit)

    def attach_to_process(
        self, process: int, *, breakpoints: Mapping[Path, Iterable[int]], limit: float = LIMIT, **options: object
    ) -> None:
        """Has the adapter put a debugger into a process that runs without one."""
        self._open_adapter()
        arguments = {"type": "debugpy", "request": "attach", "processId": process, **options}
        self._configure("attach", arguments, breakpoints, (), limit)

    def run(self, command: Sequence[Path | str], **environment: str) -> subprocess.Popen[bytes]:
        """Runs the program itself, to be attached to; what it prints is kept, see `printed`."""
        streams = {"stdin": subprocess.DEVNULL, "stdout": self._printed, "stderr": subprocess.STDOUT}
        self._debuggee = self._spawn([str(part) for part in command], environment, **streams)
        return self._debuggee

    def detach(self) -> None:
        """Lets go of the program, which runs on."""
        self.request("disconnect", {"terminateDebuggee": False})
        self._hang_up()

    def close(self) -> None:
        """Ends the session and every process of it, whatever state they are in."""
        self._closing = True
        for child in list(self.children):
            child.close()
        if self._writer is not None and not self._ended:
            with suppress(DapError, Lost, OSError):
                self.request("disconnect", {"terminateDebuggee": True}, limit=5)
        self._end_processes()
        self._hang_up()
        if self._joining is not None:
            self._joining.join(5)
        self._printed.close()

    def _hang_up(self) -> None:
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
        self._breakpoints[Path(program)] = lines = list(lines)
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
        return self.wait_for_end(limit)

    def wait_for_end(self, limit: float = LIMIT) -> int:
        """The exit code of the program: from the adapter when it was launched, from the system when it was attached to."""
        if self._debuggee is None:
            code = cast("int", self.wait_for_event("exited", limit=limit)["exitCode"])
            over = lambda: self._over("terminated") or None  # noqa: E731
            self._until(over, str, "the session to end, when all output is here", limit)
            return code
        try:
            return self._debuggee.wait(limit)
        except subprocess.TimeoutExpired:
            raise Lost(f"waited for the program to end: still running after {limit} s") from None

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

    def wait_for_child(self, limit: float = LIMIT) -> tuple[Client, Stop]:
        """The next stop of a child process, or of a child's child, and its session."""

        def stopped() -> Client | None:
            return next((child for child in self.family() if child._next("stopped") is not None), None)

        child = self._until(stopped, lambda: self._over("terminated"), "a child process to stop", limit)
        return child, child.wait_for_stop(limit)

    def family(self) -> list[Client]:
        """The sessions of all child processes, of their child processes, and so on."""
        with self._news:
            return [one for child in self.children for one in (child, *child.family())]

    def process(self) -> int:
        """The id of the program's process, as the debugger reports it."""
        return cast("int", self.events("process")[0]["systemProcessId"])

    def printed(self) -> str:
        """What the program has printed so far when it was attached to, or runs in the terminal that it was given."""
        size = os.fstat(self._printed.fileno()).st_size
        return os.pread(self._printed.fileno(), size, 0).decode()  # the program shares the file's position

    def wait_until_printed(self, text: str, limit: float = LIMIT) -> None:
        """Until the program, not attached to yet, has printed just this: no message tells of that, so it is polled."""
        deadline = time.monotonic() + limit
        while self.printed() != text:
            if time.monotonic() > deadline:
                raise Lost(f"waited for the program to print {text!r}: within {limit} s it printed {self.printed()!r}")
            time.sleep(0.01)

    def output(self, *categories: str) -> str:
        """What of the program's stdout and stderr, or of the categories named, is here: all of it once it has ended.

        At a stop some may be on its way still: it comes by another road than the debugger's events.
        """
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
        meanwhile: Callable[[], None] = lambda: None,
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
        meanwhile()
        self.wait_for_event("initialized", limit=limit)
        if self.greeting is not None:
            greeting = {"expression": self.greeting, "context": "watch", "format": {"rawString": True}}
            self.greeted = self.send("evaluate", greeting)
        self._exceptions = list(exceptions)
        for program, lines in breakpoints.items():
            for breakpoint_ in self.set_breakpoints(program, lines):
                assert breakpoint_["verified"], breakpoint_
        self.request("setExceptionBreakpoints", {"filters": list(exceptions)}, limit=limit)
        self.request("configurationDone", limit=limit)
        self.reply(start, limit=limit)

    def _open_adapter(self) -> None:
        adapter = self._spawn([self.python, "-m", "debugpy.adapter"], {}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert adapter.stdin is not None
        assert adapter.stdout is not None
        self._open(adapter.stdout, adapter.stdin)

    def _attach(
        self,
        to: socket.socket,
        breakpoints: Mapping[Path, Iterable[int]],
        exceptions: Sequence[str],
        limit: float,
        options: Mapping[str, object],
    ) -> None:
        self._open(to.makefile("rb"), to.makefile("wb"))
        arguments = {"type": "debugpy", "request": "attach", **options}
        self._configure("attach", arguments, breakpoints, exceptions, limit)

    def _follow(self, configuration: Message) -> None:
        """Makes a session for a child process, beside this one: until it is configured, that process waits."""
        child = Client(self.python, greeting=self.greeting, parent=self)
        with self._news:
            self.children.append(child)
        join = threading.Thread(target=child._join, args=(self, configuration), name="dap-child", daemon=True)
        child._joining = join
        join.start()

    def _join(self, parent: Client, configuration: Message) -> None:
        where = configuration["connect"]
        try:
            self._socket = socket.create_connection((where["host"], where["port"]))
            self._attach(self._socket, dict(parent._breakpoints), parent._exceptions, LIMIT, configuration)
        except (DapError, Lost, OSError) as error:  # it has ended already, or all is being closed
            self.failure = error

    def _spawn(self, command: list[str], environment: Mapping[str, str], **streams: Any) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(command, env=_environment(**environment), start_new_session=True, **streams)
        self._processes.append(process)
        return process

    @staticmethod
    def _listens(endpoints: Path, server: Process, limit: float) -> tuple[str, int]:
        """Where the program's adapter listens, as it writes into this file when it is ready for clients.

        A client that connects earlier, before `debugpy.adapter.clients.serve` has returned, makes `report_sockets` fail
        there: the adapter ends, or takes no other client any more.
        """
        deadline = time.monotonic() + limit
        while True:
            with suppress(FileNotFoundError):
                if (written := endpoints.read_text("utf-8")).endswith("\n"):  # all of it
                    client = json.loads(written)["client"]
                    return client["host"], client["port"]
            with suppress(subprocess.TimeoutExpired):
                raise Lost(f"debugpy exited with {server.wait(0.02)} before it listened")
            if time.monotonic() > deadline:
                raise Lost(f"debugpy did not listen within {limit} s")

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
                stdout=self._printed,
                stderr=subprocess.STDOUT,
            )
            self._processes.append(process)
            reply |= {"success": True, "body": {"processId": process.pid}}
        elif request["command"] == "startDebugging" and not self._closing:  # a child process
            self._follow(request["arguments"]["configuration"])
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
        at = start

        def found() -> tuple[int, Message] | None:
            nonlocal at
            while at < len(self._received):  # goes on where it left off
                if wanted(self._received[at]):
                    return at, self._received[at]
                at += 1
            return None

        return self._until(found, lambda: self._hopeless(wanted), what, limit)

    def _until(self, found: Callable[[], Found | None], hopeless: Callable[[], str], what: str, limit: float) -> Found:
        deadline = time.monotonic() + limit
        with self._news:
            while (result := found()) is None:
                left = deadline - time.monotonic()
                if why := hopeless() or (f"none within {limit} s" if left <= 0 else ""):
                    raise Lost(f"waited for {what}: {why}; last traffic:\n{self._tail()}")
                self._news.wait(left)
            return result

    def _hopeless(self, wanted: Callable[[Message], bool]) -> str:
        """Why no message that is wanted can come any more, or ""."""
        waits = any(wanted({"type": "event", "event": event}) for event in ("stopped", "initialized"))
        return self._over("terminated" if waits else "")

    def _over(self, event: str) -> str:
        """Why nothing more can come from the adapter, or from the program once this event has, or ""."""
        if self._ended:
            return "the adapter closed the connection"
        return "the program has ended" if any(one.get("event") == event for one in self._received) else ""

    def _next(self, event: str) -> int | None:
        """Where in `_received` the next event of that name stands that no one has waited for."""
        rest = range(self._read_upto, len(self._received))
        return next((at for at in rest if self._received[at].get("event") == event), None)

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


def has_ended(process: int, limit: float = 5) -> bool:
    """Whether that process has ended, or does so now that it was told to; its parent may still have to take note."""
    if not hasattr(os, "pidfd_open"):  # not Linux
        return subprocess.run(["kill", "-0", str(process)], capture_output=True).returncode != 0
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], limit)[0])
    finally:
        os.close(handle)


def free_address() -> tuple[str, int]:
    """Where nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address: tuple[str, int] = probe.getsockname()
    return address


def _environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1", "PYTHONUNBUFFERED": "1", **more}


def _by_file(program: Path | str, breakpoints: Breakpoints) -> Mapping[Path, Iterable[int]]:
    return breakpoints if isinstance(breakpoints, Mapping) else {Path(program): breakpoints}


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
