"""Each kind of debug session, through the real adapter: the values of the very process that stands there are shown.

In each the helper is put into that process, our rows and the stock Variables say what its own values are, and the program
then runs to its end as it would without us.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from queue import Empty
from textwrap import dedent
from typing import Any, Callable, cast

import pytest
from client import LIMIT, Client, DapError, Lost, Message, Stop, free_address, has_ended, stop_lines
from helper import Helper, Refused
from jupyter_client.manager import KernelManager
from table import Start

PREFERRED = {"stock_views": True}

WORK = """
    import os, numpy

    def work(rank):
        pid = os.getpid()
        mine = numpy.full((2,), float(rank))
        print("rank", rank)  # STOP
        return mine.sum().item()

"""

ALONE = 'print("sum", work(3))'

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A program on disk, of these parts."""

    def make(*parts: str, name: str = "program.py") -> Path:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(dedent(part) for part in parts), "utf-8")
        return file

    return make


@pytest.fixture
def clients() -> Iterator[Callable[[], Client]]:
    """New sessions, closed at the end; then no process of any of them is left."""
    made: list[Client] = []

    def new() -> Client:
        made.append(Client())
        return made[-1]

    yield new
    for client in made:
        client.close()
    sessions = [session for client in made for session in (client, *client.family())]
    processes = {body["systemProcessId"] for session in sessions for body in session.events("process")}
    assert [process for process in processes if not has_ended(process)] == []


@pytest.fixture
def client(clients: Callable[[], Client]) -> Client:
    return clients()


def ask(stop: Stop, helper: Helper, **question: object) -> dict[str, dict[str, Any]]:
    answer = helper.frame(stop, preferences=PREFERRED, **question)
    return {node["name"]: node for node in answer["rows"]["nodes"]}


def line(rank: int, dtype: str = "float32") -> str:
    return f"{dtype}[2] · all {rank or 'zeros'}"


def shown(client: Client, stop: Stop, rank: int, helper: Helper | None = None) -> Helper:
    """Asks for the frame of `work` and finds the values of this process alone, in our rows and in the stock ones."""
    helper = helper or Helper(client)
    rows = ask(stop, helper)
    assert stop.function == "work"
    assert rows["mine"]["line"] in (line(rank), line(rank, "float64"))
    assert rows["pid"]["line"] == str(client.process())
    assert helper.injected is not None
    assert helper.injected["pid"] == client.process()
    stock = client.locals(stop.frame)
    assert stock["mine"]["value"] == rows["mine"]["line"]
    assert stock["rank"]["value"] == rows["rank"]["line"] == str(rank)
    return helper


def sends_at_once(client: Client, stop: Stop) -> bool:
    """Whether the debugger in the program sends small packets without waiting 40 ms for more."""
    expression = (
        "__import__('_pydevd_bundle.pydevd_constants', fromlist=['x']).get_global_debugger()"
        ".writer.sock.getsockopt(6, 1)"
    )
    return bool(client.evaluate(expression, stop.frame)["result"] != "0")


# -- one process -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("console", ["internalConsole", "integratedTerminal"])
def test_a_program_that_is_launched(client: Client, write: Write, console: str) -> None:
    program = write(WORK, ALONE)
    stop = client.launch(program, breakpoints=stop_lines(program).values(), console=console)
    shown(client, stop, 3)
    assert sends_at_once(client, stop)
    asked_for_a_terminal = any(message.get("command") == "runInTerminal" for way, message in client.traffic)
    assert asked_for_a_terminal is (console == "integratedTerminal")
    assert client.run_to_end(stop.thread) == 0
    printed = client.printed() if console == "integratedTerminal" else client.output("stdout")
    assert printed.splitlines() == ["rank 3", "sum 6.0"]
    assert client.output("stderr") == ""


def test_a_program_that_listens_and_is_attached_to(client: Client, write: Write) -> None:
    program = write(WORK, ALONE)
    stop = client.attach(program, breakpoints=stop_lines(program).values())
    shown(client, stop, 3)
    assert client.run_to_end(stop.thread) == 0
    assert client.printed().splitlines() == ["rank 3", "sum 6.0"]


def test_a_program_that_connects_to_an_adapter_that_listens(client: Client, write: Write) -> None:
    program = write(WORK, ALONE)
    stop = client.attach_by_listening(program, breakpoints=stop_lines(program).values())
    shown(client, stop, 3)
    assert client.run_to_end(stop.thread) == 0
    assert client.printed().splitlines() == ["rank 3", "sum 6.0"]


GATED = """
    import sys, threading, time
    print("up", flush=True)
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.01)  # not in a test's way: it ends as soon as the debugger is there
    print("sum", work(3))
"""


@pytest.fixture
def injectable() -> None:
    """Skips where gdb, by which the debugger gets into a running process on Linux, can't call a function in one."""
    if not sys.platform.startswith("linux"):
        return
    victim = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        command = ["gdb", "--nx", "--batch", "--pid", str(victim.pid), "--eval-command", "print 6 * (int)getppid()"]
        said = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
        if f"$1 = {6 * os.getpid()}" not in said.stdout:
            why = (said.stderr.strip() or "no answer").splitlines()[-1]
            pytest.skip(f"gdb can't call a function in a running process here: {why}")
    except FileNotFoundError:
        pytest.skip("gdb is not installed: debugpy needs it to get into a running process")
    finally:
        victim.kill()
        victim.wait()


@pytest.mark.usefixtures("injectable")
def test_a_process_that_runs_already_is_attached_to_by_its_id(client: Client, write: Write, tmp_path: Path) -> None:
    program, gate = write(WORK, GATED), tmp_path / "gate"
    process = client.run([client.python, program, gate])
    client.wait_until_printed("up\n")
    client.attach_to_process(process.pid, breakpoints={program: stop_lines(program).values()})
    gate.touch()
    stop = client.wait_for_stop()
    shown(client, stop, 3)
    assert client.run_to_end(stop.thread) == 0
    assert client.printed().splitlines() == ["up", "rank 3", "sum 6.0"]


def test_two_sessions_at_once_do_not_mix(clients: Callable[[], Client], write: Write) -> None:
    sessions = []
    for rank in (1, 2):
        program = write(WORK, f"print('sum', work({rank}))", name=f"of_{rank}.py")
        client = clients()
        stop = client.launch(program, breakpoints=stop_lines(program).values())
        sessions.append((client, stop, rank, shown(client, stop, rank)))
    for client, stop, rank, helper in sessions:
        shown(client, stop, rank, helper)
    for client, stop, rank, _ in reversed(sessions):
        assert client.run_to_end(stop.thread) == 0
        assert client.output("stdout").splitlines() == [f"rank {rank}", f"sum {2.0 * rank}"]


def test_a_process_without_torch(start: Start) -> None:
    client, stop, helper = start("""
        import sys
        def work(rank):
            mine = {"rank": [rank]}
            print("rank", rank)  # STOP
            return "torch" in sys.modules or "numpy" in sys.modules
        print(work(3))
    """)
    before = client.locals(stop.frame)["mine"]["value"]
    assert ask(stop, helper, expanded={"mine": {}})["mine"]["page"]["nodes"][0]["line"] == "list · 1: 3"
    assert client.locals(stop.frame)["mine"]["value"] == before
    assert client.run_to_end(stop.thread) == 0
    assert client.output("stdout").splitlines() == ["rank 3", "False"]


def test_a_program_that_was_copied_to_another_folder_is_found_by_its_path_mappings(
    client: Client, write: Write, tmp_path: Path
) -> None:
    here = write(WORK, ALONE, name="here/program.py")
    there = write(WORK, ALONE, name="there/program.py")
    mappings = [{"localRoot": str(here.parent), "remoteRoot": str(there.parent)}]
    stop = client.attach(there, breakpoints={here: stop_lines(here).values()}, pathMappings=mappings)
    assert client.stack(stop.thread)[0]["source"]["path"] == str(here)
    shown(client, stop, 3)
    assert client.run_to_end(stop.thread) == 0
    assert client.printed().splitlines() == ["rank 3", "sum 6.0"]


# -- the same program again --------------------------------------------------------------------------------------------


def test_after_a_restart_nothing_of_the_old_session_is_used(clients: Callable[[], Client], write: Write) -> None:
    program = write(WORK, "import sys\nprint('sum', work(int(sys.argv[1])))")
    old = clients()
    stop = old.launch(program, breakpoints=stop_lines(program).values(), args=["1"])
    snapshot = shown(old, stop, 1).frame(stop)["snapshot"]
    old.request("disconnect", {"restart": True, "terminateDebuggee": True})

    new = clients()
    stop = new.launch(program, breakpoints=stop_lines(program).values(), args=["2"])
    assert new.evaluate("'_tensor_inspector' in __import__('sys').modules", stop.frame)["result"] == "False"
    helper = Helper(new)
    with pytest.raises(Refused) as refused:
        helper.children(stop, snapshot, 1)
    assert refused.value.code == "gone"
    shown(new, stop, 2, helper)
    assert new.process() != old.process()
    assert new.run_to_end(stop.thread) == 0
    assert new.output("stdout").splitlines() == ["rank 2", "sum 4.0"]


def test_a_process_that_is_attached_to_again_has_the_helper_already(
    clients: Callable[[], Client], write: Write
) -> None:
    program = write(
        WORK,
        """
        import socket, sys
        work(1)
        socket.create_connection(("127.0.0.1", int(sys.argv[1]))).recv(1)  # until it is closed
        work(2)
    """,
    )
    with socket.create_server(("127.0.0.1", 0)) as gate:
        first = clients()
        marked = {program: stop_lines(program).values()}
        stop = first.attach(program, breakpoints=marked, args=[str(gate.getsockname()[1])])
        helper = shown(first, stop, 1)
        helper_is = "id(__import__('sys').modules['_tensor_inspector'])"
        known = first.evaluate(helper_is, stop.frame)["result"]
        first.detach()
        gate.settimeout(LIMIT)
        waiting, _ = gate.accept()
        with waiting:
            second = clients()
            second.attach_again(first, breakpoints=marked)
        stop = second.wait_for_stop()
    assert second.evaluate(helper_is, stop.frame)["result"] == known
    shown(second, stop, 2)
    assert sends_at_once(second, stop)
    assert second.evaluate(helper_is, stop.frame)["result"] == known
    providers = "__import__('_pydevd_bundle.pydevd_xml', fromlist=['x'])._TYPE_RESOLVE_HANDLER._str_providers"
    ours = f"len([one for one in {providers} if hasattr(one, 'is_of_tensor_inspector')])"
    assert second.evaluate(ours, stop.frame)["result"] == "1"
    second.continue_(stop.thread)
    assert first.wait_for_end() == 0
    assert first.printed().splitlines() == ["rank 1", "rank 2"]


# -- child processes ---------------------------------------------------------------------------------------------------


def test_a_child_process_that_is_spawned(client: Client, write: Write) -> None:
    program = write(
        WORK,
        """
        if __name__ == "__main__":
            import multiprocessing
            child = multiprocessing.get_context("spawn").Process(target=work, args=(7,))
            child.start()
            child.join()
            print("child ended with", child.exitcode)
    """,
    )
    client.start(program, breakpoints=stop_lines(program).values())
    child, stop = client.wait_for_child(2 * LIMIT)
    shown(child, stop, 7)
    assert child.process() != client.process()
    child.continue_(stop.thread)
    assert client.wait_for_end() == 0
    assert client.output("stdout").splitlines() == ["rank 7", "child ended with 0"]


FORKED = """
    work(0)
    child = os.fork()
    if child == 0:
        os._exit(int(work(4)))
    _, status = os.waitpid(child, 0)
    print("child ended with", os.waitstatus_to_exitcode(status))
"""


def test_a_child_process_that_is_forked_has_the_helper_of_its_parent(client: Client, write: Write) -> None:
    program = write(WORK, FORKED)
    stop = client.launch(program, breakpoints=stop_lines(program).values())
    shown(client, stop, 0)
    client.continue_(stop.thread)
    child, stop = client.wait_for_child(2 * LIMIT)
    assert child.locals(stop.frame)["mine"]["value"] == "array([4., 4.])"  # switched on for its parent's client alone
    shown(child, stop, 4)
    assert child.process() != client.process()
    child.continue_(stop.thread)
    assert client.wait_for_end() == 0
    assert client.output("stdout").splitlines() == ["rank 0", "rank 4", "child ended with 8"]


def test_a_forked_child_process_answers_without_delay(client: Client, write: Write) -> None:
    program = write(WORK, FORKED)
    stop = client.launch(program, breakpoints=stop_lines(program).values())
    shown(client, stop, 0)
    client.continue_(stop.thread)
    child, stop = client.wait_for_child(2 * LIMIT)
    shown(child, stop, 4)
    assert sends_at_once(child, stop)


def test_a_worker_of_a_data_loader(client: Client, write: Write) -> None:
    program = write("""
        import os, torch
        from torch.utils.data import DataLoader, Dataset

        class Scans(Dataset):
            def __len__(self):
                return 2
            def __getitem__(self, index):
                return work(index)

        def work(rank):
            pid = os.getpid()
            mine = torch.full((2,), float(rank))
            worker = torch.utils.data.get_worker_info()
            return mine  # STOP

        if __name__ == "__main__":
            for batch in DataLoader(Scans(), num_workers=2):
                print("batch", batch.tolist())
    """)
    client.start(program, breakpoints=stop_lines(program).values())
    seen = set()
    for _ in range(2):
        child, stop = client.wait_for_child(2 * LIMIT)
        rank = int(child.evaluate("rank", stop.frame)["result"])
        helper = shown(child, stop, rank)
        assert sends_at_once(child, stop)
        assert ask(stop, helper)["worker"]["line"].startswith("WorkerInfo")
        assert helper.inspect(stop, "worker.id")["line"] == str(rank)
        seen.add((rank, child.process()))
        child.continue_(stop.thread)
    assert len({pid for _, pid in seen}) == 2
    assert client.wait_for_end() == 0
    assert client.output("stdout").splitlines() == ["batch [[0.0, 0.0]]", "batch [[1.0, 1.0]]"]


TORCHRUN = """
    import os, torch
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Shard, distribute_tensor
    from torch.nn.parallel import DistributedDataParallel

    def work(rank):
        pid = os.getpid()
        mine = torch.full((2,), float(rank))
        model = DistributedDataParallel(torch.nn.Linear(2, 2))
        sharded = distribute_tensor(torch.arange(4.0), init_device_mesh("cpu", (2,)), [Shard(0)])
        dist.barrier()
        total = mine.clone()  # STOP
        dist.all_reduce(total)
        model(total).sum().backward()
        print(f"rank {rank} has {total.tolist()}\\n", end="", flush=True)  # in one piece: both write to one pipe

    if __name__ == "__main__":
        torch.set_num_threads(1)
        dist.init_process_group("gloo")
        work(dist.get_rank())
        dist.destroy_process_group()
"""


def test_the_ranks_of_torchrun_each_show_their_own_values(client: Client, write: Write) -> None:
    """One rank stands while the other waits for it in a collective: were it asked for one too, it would never answer."""
    program = write(TORCHRUN)
    client.start(
        program,
        module="torch.distributed.run",
        args=["--nproc-per-node=2", "--master-addr=127.0.0.1", f"--master-port={free_address()[1]}", str(program)],
        env={"GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"},
        breakpoints=stop_lines(program).values(),
    )
    ranks = {}
    for _ in range(2):
        child, stop = client.wait_for_child(2 * LIMIT)
        ranks[int(child.evaluate("rank", stop.frame)["result"])] = child, stop
    everything: dict[str, Any] = {name: {"rows": {"values": {}, "stats": {}}} for name in ("sharded", "model", "mine")}
    for rank in (1, 0):  # rank 0 is asked once more while rank 1 waits in `all_reduce`
        child, stop = ranks[rank]
        helper = shown(child, stop, rank)
        for _ in range(2):
            rows = ask(stop, helper, expanded=everything)
            assert rows["mine"]["line"] == line(rank)
            assert "DistributedDataParallel" in rows["model"]["line"]
            assert "float32[4]" in rows["sharded"]["line"]
            assert "Shard" in rows["sharded"]["line"]
        helper.inspect(stop, "sharded")
        helper.inspect(stop, "model.module.weight")
        child.continue_(stop.thread)
    assert client.wait_for_end() == 0
    said = [words for words in client.output("stdout").splitlines() if words.startswith("rank")]
    assert sorted(said) == ["rank 0 has [1.0, 1.0]", "rank 1 has [1.0, 1.0]"]


# -- threads and coroutines --------------------------------------------------------------------------------------------


def test_threads_that_stand_at_a_breakpoint_each_show_their_own_values(client: Client, write: Write) -> None:
    program = write("""
        import os, threading, numpy
        both = threading.Barrier(2)

        def work(rank):
            pid = os.getpid()
            mine = numpy.full((2,), float(rank))
            both.wait()
            print(f"rank {rank}\\n", end="")  # STOP

        threads = [threading.Thread(target=work, args=(rank,), name=f"rank {rank}") for rank in (5, 6)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print("end", threading.active_count())
    """)
    stop = client.launch(program, breakpoints=stop_lines(program).values())
    helper, found = Helper(client), {}
    for thread in client.threads():
        if thread["name"].startswith("rank"):
            top = client.stack(thread["id"])[0]
            there = Stop("breakpoint", thread["id"], top["id"], top["name"], top["line"], {})
            found[thread["name"]] = there
            shown(client, there, int(thread["name"].split()[1]), helper)
    assert sorted(found) == ["rank 5", "rank 6"]
    assert stop.thread in [there.thread for there in found.values()]
    assert {there.line for there in found.values()} == {stop.line}
    client.set_breakpoints(program, [])
    assert client.run_to_end(stop.thread) == 0
    assert sorted(client.output("stdout").splitlines()) == ["end 1", "rank 5", "rank 6"]


def test_a_coroutine_that_another_awaits(client: Client, write: Write) -> None:
    program = write("""
        import asyncio, os, numpy
        async def work(rank):
            pid = os.getpid()
            mine = numpy.full((2,), float(rank), "float32")
            await asyncio.sleep(0)
            print("rank", rank)  # STOP
            return mine
        async def outer():
            before = numpy.zeros(2, "float32")
            return await work(3) + before
        async def main():
            print((await asyncio.gather(outer(), asyncio.sleep(0)))[0].tolist())
        asyncio.run(main())
    """)
    stop = client.launch(program, breakpoints=stop_lines(program).values())
    helper = shown(client, stop, 3)
    outer = next(frame for frame in client.stack(stop.thread) if frame["name"] == "outer")
    there = Stop("", stop.thread, outer["id"], "outer", outer["line"], {})
    assert ask(there, helper)["before"]["line"] == line(0)
    assert client.locals(there.frame)["before"]["value"] == line(0)
    assert client.run_to_end(stop.thread) == 0
    assert client.output("stdout").splitlines() == ["rank 3", "[3.0, 3.0]"]


# -- exceptions --------------------------------------------------------------------------------------------------------

RAISES = """
    import re, torch

    def inner(x):
        weight = torch.ones(2, 3)
        return x @ weight

    def outer(rank):
        mine = torch.full((2,), float(rank))
        picture = torch.zeros(4, 4)
        return inner(picture)

    def run():
        # `re.sub` stands for any library that calls the user's code
        return re.sub("a", lambda found: str(outer(3)), "a")
"""

CAUGHT = """
    try:
        run()
    except RuntimeError as error:
        print("caught", type(error).__name__)
"""


def test_an_exception_that_is_raised_is_among_the_rows(client: Client, write: Write) -> None:
    stop = client.launch(write(RAISES, CAUGHT), exceptions=["raised"])
    raised_in_inner(client, stop)


def test_an_exception_that_leaves_the_users_code_is_among_the_rows(client: Client, write: Write) -> None:
    stop = client.launch(write(RAISES, CAUGHT), exceptions=["userUnhandled"])
    raised_in_inner(client, stop)


def raised_in_inner(client: Client, stop: Stop) -> None:
    helper = Helper(client)
    rows = ask(stop, helper)
    assert rows["(exception)"]["type"] == "RuntimeError"
    assert "mat1 and mat2 shapes cannot be multiplied (4x4 and 2x3)" in rows["(exception)"]["line"]
    assert rows["weight"]["line"] == "float32[2, 3] · all 1"
    outer_is_shown(client, stop, helper)
    goes_on_to_be_caught(client, stop)


def outer_is_shown(client: Client, stop: Stop, helper: Helper) -> None:
    assert (stop.reason, stop.function) == ("exception", "inner")
    [frame] = [frame for frame in client.stack(stop.thread) if frame["name"] == "outer"]
    outer = Stop("", stop.thread, frame["id"], "outer", frame["line"], {})
    assert ask(outer, helper)["mine"]["line"] == line(3)
    assert client.locals(outer.frame)["mine"]["value"] == line(3)


def goes_on_to_be_caught(client: Client, stop: Stop) -> None:
    client.request("setExceptionBreakpoints", {"filters": []})
    assert client.run_to_end(stop.thread) == 0
    assert client.output("stdout").splitlines() == ["caught RuntimeError"]


def test_all_frames_of_an_uncaught_exception_are_read_after_they_have_ended(client: Client, write: Write) -> None:
    stop = client.launch(write(RAISES, "run()"), exceptions=["uncaught"])
    helper = Helper(client)
    assert stop.reason == "exception"
    read = {}
    for frame in client.stack(stop.thread):
        there = Stop("", stop.thread, frame["id"], frame["name"], frame["line"], {})
        read[frame["name"]] = {name: row["line"] for name, row in ask(there, helper).items()}
        stock = client.locals(there.frame)
        for name in {"weight", "mine", "picture"} & set(stock):
            assert stock[name]["value"] == read[frame["name"]][name]
    assert read["inner"]["weight"] == "float32[2, 3] · all 1"
    assert read["outer"]["mine"] == line(3)
    assert read["outer"]["picture"] == "float32[4, 4] · all zeros"
    assert [frame for frame, rows in read.items() if "(exception)" in rows][:1] == ["inner"]
    assert client.run_to_end(stop.thread) == 1
    assert client.output("stderr").splitlines()[-1].startswith("RuntimeError: mat1 and mat2 shapes")


# -- the code of libraries, and ours -----------------------------------------------------------------------------------

STEPS = """
    import torch
    def work():
        mine = torch.ones(2)
        mine = torch.nn.functional.relu(mine)  # STOP
        print("sum", mine.sum().item())
        return mine
    work()
    print("end")
"""


def test_with_just_my_code_a_step_passes_over_the_library(client: Client, write: Write) -> None:
    program = write(STEPS)
    stop = client.launch(program, breakpoints=stop_lines(program).values(), justMyCode=True)
    helper, passed = Helper(client), []
    while stop.function == "work":
        ask(stop, helper)
        client.locals(stop.frame)
        passed.append(stop.line)
        stop = client.step(stop.thread, "stepIn")
    assert list(dict.fromkeys(passed)) == [5, 6, 7]
    assert stop.function == "<module>"
    assert client.run_to_end(stop.thread) == 0


def test_without_just_my_code_a_step_leads_into_the_library_and_never_into_ours(client: Client, write: Write) -> None:
    program = write(STEPS)
    stop = client.launch(program, breakpoints=stop_lines(program).values(), justMyCode=False)
    helper = Helper(client)
    visited = []
    for _ in range(4):
        rows = ask(stop, helper)
        stock = client.locals(stop.frame)
        visited.append(stop.function)
        assert "tensor_inspector" not in str(client.stack(stop.thread))
        stop = client.step(stop.thread, "stepIn")
        if stop.function == "relu":
            rows, stock = ask(stop, helper), client.locals(stop.frame)
            assert rows["input"]["line"] == stock["input"]["value"] == "float32[2] · all 1"
    assert "relu" in visited
    client.set_breakpoints(program, [])
    assert client.run_to_end(stop.thread) == 0
    assert client.output("stdout").splitlines() == ["sum 2.0", "end"]


def test_our_code_stops_no_debugger_that_stops_at_raised_exceptions(client: Client, write: Write) -> None:
    program = write(STEPS)
    stop = client.launch(program, breakpoints=stop_lines(program).values(), justMyCode=False)
    client.request("setExceptionBreakpoints", {"filters": ["raised"]})
    helper = Helper(client)
    ask(stop, helper, pins=[{"expression": "missing"}])
    for row in client.locals(stop.frame).values():
        if row["variablesReference"]:
            client.variables(row["variablesReference"])
    client.evaluate("mine", stop.frame, context="hover")
    with pytest.raises(Refused):
        helper.inspect(stop, "missing")
    assert len(client.events("stopped")) == 1
    assert client.run_to_end(stop.thread) == 0


# -- a notebook --------------------------------------------------------------------------------------------------------


class Notebook(Client):
    """A notebook's debug session: the same messages, over the control channel of a real kernel."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.manager = KernelManager(connection_file=str(folder / "kernel.json"))
        self.kernel: Any = None
        self._folder = folder

    def open(self) -> None:
        environment = {**os.environ, "IPYTHONDIR": str(self._folder)}
        self.manager.start_kernel(stdout=self._printed, stderr=self._printed, env=environment)
        self.kernel = self.manager.blocking_client()
        self.kernel.start_channels()
        self.kernel.wait_for_ready(timeout=2 * LIMIT)

    def close(self) -> None:
        if self.kernel is not None:
            self.kernel.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()
        super().close()

    def request(self, command: str, arguments: Any = None, *, limit: float = LIMIT) -> Any:
        self._seq += 1
        message = {"type": "request", "seq": self._seq, "command": command, "arguments": dict(arguments or {})}
        asked = self.kernel.session.msg("debug_request", message)
        self.kernel.control_channel.send(asked)

        def answers(reply: Message) -> bool:
            return bool(reply["parent_header"].get("msg_id") == asked["header"]["msg_id"])

        reply = self._from(self.kernel.control_channel, answers, f"the reply to {command}", limit)["content"]
        if not reply.get("success"):
            raise DapError({"command": command, **reply})
        return reply.get("body", {})

    def wait_for_stop(self, limit: float = LIMIT) -> Stop:
        def stopped(message: Message) -> bool:
            return message["msg_type"] == "debug_event" and bool(message["content"]["event"] == "stopped")

        message = self._from(self.kernel.iopub_channel, stopped, "the event 'stopped'", limit)
        event = message["content"]["body"]
        top = self.stack(event["threadId"])[0]
        return Stop(event["reason"], event["threadId"], top["id"], top["name"], top["line"], event)

    def run_cell(self, code: str) -> str:
        """What the cell has printed when it has ended."""
        return self.wait_for_cell(self.kernel.execute(code))

    def wait_for_cell(self, cell: str, limit: float = LIMIT) -> str:
        printed: list[str] = []

        def ended(message: Message) -> bool:
            content = message["content"]
            if message["parent_header"].get("msg_id") == cell:
                printed.extend([content["text"]] if message["msg_type"] == "stream" else content.get("traceback", []))
            return bool(message["parent_header"].get("msg_id") == cell and content.get("execution_state") == "idle")

        self._from(self.kernel.iopub_channel, ended, "the cell to end", limit)
        return "".join(printed)

    @staticmethod
    def _from(channel: Any, wanted: Callable[[Message], bool], what: str, limit: float) -> Message:
        try:
            while not wanted(message := channel.get_msg(timeout=limit)):
                pass
        except Empty:
            raise Lost(f"waited for {what}: none within {limit} s") from None
        return cast("Message", message)


CELL = """
def work(rank):
    pid = os.getpid()
    mine = torch.full((2,), float(rank))
    return mine.sum().item()  # STOP

print("sum", work(3))
"""


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[Notebook]:
    with closing(Notebook(tmp_path)) as made:
        made.open()
        yield made


def test_a_cell_of_a_notebook(notebook: Notebook) -> None:
    pid = notebook.run_cell("import os, torch; print(os.getpid())").strip()  # slow in a kernel that is debugged
    notebook.request("initialize", {"clientID": "tests", "adapterID": "", "pathFormat": "path"})
    notebook.request("attach")
    source = notebook.request("dumpCell", {"code": CELL})["sourcePath"]
    marked = next(at for at, text in enumerate(CELL.splitlines(), 1) if "# STOP" in text)
    notebook.set_breakpoints(source, [marked])
    notebook.request("configurationDone")
    cell = notebook.kernel.execute(CELL)
    stop = notebook.wait_for_stop()
    assert (stop.function, stop.line) == ("work", marked)
    helper = Helper(notebook)
    rows = ask(stop, helper)
    assert rows["mine"]["line"] == line(3)
    assert rows["pid"]["line"] == pid
    stock = notebook.locals(stop.frame)
    assert stock["mine"]["value"] == line(3)
    notebook.request("continue", {"threadId": stop.thread})
    assert notebook.wait_for_cell(cell) == "sum 6.0\n"
