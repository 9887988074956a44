"""Watchpoints, as the extension sets them: the program runs on and stops in the user's own line."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from client import LIMIT, Client, Stop, free_address, stop_lines
from helper import Helper, inject_expression
from table import Start

NAN: dict[str, Any] = {"id": 1, "what": "nan", "gear": "exact"}
LEFT = """
def left():
    from torch.nn.modules import module
    from torch.optim import optimizer
    names = ("_global_forward_pre_hooks", "_global_forward_hooks")
    steps = ("_global_optimizer_pre_hooks", "_global_optimizer_post_hooks")
    hooks = [*(getattr(module, name) for name in names), *(getattr(optimizer, name) for name in steps)]
    return torch._C._len_torch_function_stack() + sum(map(len, hooks))
"""
TRAINING = f"""
import torch
{LEFT}
def train():
    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for step in range(4):
        bad = weight.detach() * 0 / 0  # BUG
        weight.sum().backward()
        optimizer.step()

print("here")  # STOP
train()
print("left", left())  # STOP: end
"""


def line_of(source: str, mark: str) -> int:
    return next(at for at, line in enumerate(dedent(source).splitlines(), 1) if line.endswith(mark))


def state(helper: Helper, stop: Stop) -> dict[str, Any]:
    [found] = helper.frame(stop)["watchpoints"]
    return found  # type: ignore[no-any-return]


def watch(helper: Helper, stop: Stop, *watchpoints: dict[str, Any]) -> None:
    helper.ask(stop, "watch", watchpoints=list(watchpoints))


def test_one_that_is_set_at_a_stop_stops_in_the_line_of_the_user_again_and_again(start: Start) -> None:
    client, stop, helper = start(TRAINING)
    watch(helper, stop, NAN)
    assert state(helper, stop) == {"id": 1, "hits": 0}
    stop = client.resume(stop.thread)
    assert (stop.reason, stop.function, stop.line) == ("exception", "train", line_of(TRAINING, "# BUG"))
    met = state(helper, stop)
    assert (met["hits"], met["here"]) == (1, True)
    assert "NaN of div, in forward, step 0" in met["reason"]
    stop = client.resume(stop.thread)
    assert "step 1" in state(helper, stop)["reason"]


GROWING = """
import torch
def train():
    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.25)
    for step in range(4):
        scaled = weight * 2
        loss = (scaled / (3 - step)).sum() if step < 2 else (scaled * 0 / 0).sum()  # BUG
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

print("here")  # STOP
train()
"""


def test_a_hit_tells_what_went_before(start: Start) -> None:
    client, stop, helper = start(GROWING)
    watch(helper, stop, NAN)
    stop = client.resume(stop.thread)
    before = state(helper, stop)["before"]
    assert before["step"] == {"step": 1, "loss": "1.67", "gradient_norm": "1.41", "learning_rates": ["0.25"]}
    line = line_of(GROWING, "# BUG")
    *_, parameter, first, second = before["checks"]
    assert (parameter["role"], parameter["operation"], parameter["largest"]) == ("parameter", "SGD.step", "0.583")
    assert (first["operation"], first["source"]["line"], first["largest"]) == ("mul", line - 1, "1.17")
    assert (second["operation"], second["source"]["line"], second["largest"]) == ("mul", line, "0")


def test_what_the_user_runs_at_a_stop_is_no_hit(start: Start) -> None:
    client, stop, helper = start(TRAINING)
    watch(helper, stop, NAN)
    assert client.evaluate("float(torch.zeros(1) / 0 + 1)", stop.frame, context="repl")["result"] == "nan"
    assert state(helper, stop) == {"id": 1, "hits": 0}
    stop = client.resume(stop.thread)
    assert client.evaluate("float(torch.zeros(1) / 0 + 1)", stop.frame, context="repl")["result"] == "nan"
    assert state(helper, stop)["hits"] == 1


def test_of_one_that_is_removed_nothing_is_left(start: Start) -> None:
    client, stop, helper = start(TRAINING)
    watch(helper, stop, NAN)
    stop = client.resume(stop.thread)
    watch(helper, stop)
    stop = client.resume(stop.thread)
    assert stop.line == line_of(TRAINING, "# STOP: end")
    assert client.evaluate("left()", stop.frame)["result"] == "0"
    assert "watchpoints" not in helper.frame(stop)


def test_it_may_write_a_line_in_the_place_of_a_stop(start: Start) -> None:
    client, stop, helper = start(TRAINING)
    watch(helper, stop, {**NAN, "log": True})
    stop = client.resume(stop.thread)
    assert stop.line == line_of(TRAINING, "# STOP: end")
    lines = client.output("console").splitlines()
    assert [line.partition(" ·")[0] for line in lines if "Tensor Inspector" in line] == [
        f"Tensor Inspector: NaN of div, in forward, step {step}" for step in range(4)
    ]


@pytest.mark.parametrize(("condition", "step"), [({"skip_hits": 2}, 2), ({"after_step": 3}, 3), ({"every": 4}, 3)])
def test_it_stops_under_a_condition(start: Start, condition: dict[str, int], step: int) -> None:
    client, stop, helper = start(TRAINING)
    watch(helper, stop, {**NAN, **condition})
    stop = client.resume(stop.thread)
    assert f"step {step} " in state(helper, stop)["reason"]


LOSSES = f"""
import torch
{LEFT}
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(2, 2)
        self.last = torch.nn.Linear(2, 1)

    def forward(self, x):
        return self.last(self.first(x).relu())

def ratio(step):
    part = torch.ones(2) * step
    whole = part.sum().item()
    share = part / whole
    return share

def train(model, optimizer):
    for step in range(3):
        optimizer.zero_grad()
        loss = model(torch.ones(4, 2)).square().mean() + step
        if step == 1:
            loss = loss * 100
        loss.backward()
        if step == 2:
            model.last.bias.grad = None
            model.first.weight.grad.zero_()
        optimizer.step()  # STEP

torch.manual_seed(0)
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
print("here")  # STOP
ratio(1)
ratio(0)
train(model, optimizer)
print("left", left())  # STOP: end
"""


@pytest.mark.parametrize(
    ("function", "of", "condition", "line", "looks", "said"),
    [
        ("<module>", "model.last", {"what": "none"}, "# STEP", "object", "no gradient: bias, in backward, step 2"),
        ("<module>", "model.first.weight", {"what": "zero"}, "# STEP", "object", "all zero: the gradient of "),
        ("<module>", "optimizer", {"what": "norm", "bound": 1}, "# STEP", "object", "large gradients: the norm "),
        ("train", "loss", {"what": "rises", "bound": 10}, "# STEP", "returns", "risen: loss, 0.00"),
        ("train", "loss", {"what": "above", "bound": 50}, "# STEP", "returns", "too large: loss, "),
        ("ratio", "share", {"what": "nan"}, "return share", "returns", "noticed in share"),
        ("ratio", "whole", {"what": "zero"}, "return share", "returns", "all zero: whole, "),
    ],
)
def test_one_thing_is_watched_by_its_expression(
    start: Start, function: str, of: str, condition: dict[str, Any], line: str, looks: str, said: str
) -> None:
    client, stop, helper = start(LOSSES)
    place = {"name": function, "file": client.stack(stop.thread)[0]["source"]["path"]}
    watch(helper, stop, {"id": 1, "gear": "light", "of": of, "function": place, **condition})
    is_known = function == "<module>"
    found = state(helper, stop)
    assert ("measurement" in found) is (of == "model.first.weight")
    found.pop("measurement", None)
    assert found == {"id": 1, "hits": 0, **({"looks": "object"} if is_known else {"absent": True})}
    stop = client.resume(stop.thread)
    assert stop.line == line_of(LOSSES, line)
    met = state(helper, stop)
    assert (met["hits"], met["looks"], met["here"]) == (1, looks, True)
    assert said in met["reason"]
    assert ("measurement" in met) is (function != "<module>")
    watch(helper, stop)
    stop = client.resume(stop.thread)
    assert stop.line == line_of(LOSSES, "# STOP: end")
    assert client.evaluate("left()", stop.frame)["result"] == "0"
    assert client.evaluate("__import__('sys').getprofile()", stop.frame)["result"] == "None"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="functions of one name are not told apart")
def test_one_whose_name_its_function_does_not_know_is_told_to_be_gone_where_that_is_paused(start: Start) -> None:
    client, stop, helper = start(LOSSES)
    file = client.stack(stop.thread)[0]["source"]["path"]
    common = {"what": "nonfinite", "gear": "light", "function": {"name": "ratio", "file": file}}
    wanted = [{"id": at, "of": name, **common} for at, name in enumerate(["share", "fc9.weight"])]
    watch(helper, stop, *wanted)
    assert ["gone" in found for found in helper.frame(stop)["watchpoints"]] == [False, False]
    stop = client.resume(stop.thread)
    assert stop.function == "ratio"
    assert ["gone" in found for found in helper.frame(stop)["watchpoints"]] == [False, True]


def test_one_thing_is_looked_for_from_before_the_program_starts_and_one_steps_on_from_the_hit(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(dedent(LOSSES), "utf-8")
    ratio = {"name": "ratio", "file": str(program)}
    share = {"id": 1, "what": "nonfinite", "gear": "light", "of": "share", "function": ratio}
    model = {"id": 2, "what": "zero", "gear": "light", "of": "model.first", "function": {**ratio, "name": "train"}}
    with Client(greeting=inject_expression(watchpoints=[share, model])) as client:
        stop = client.launch(program, breakpoints=[stop_lines(program)["end"]])
        assert (stop.reason, stop.function, stop.line) == ("exception", "ratio", line_of(LOSSES, "return share"))
        stop = client.step(stop.thread)
        assert (stop.function, stop.line) == ("<module>", line_of(LOSSES, "ratio(0)") + 1)
        stop = client.resume(stop.thread)
        assert (stop.reason, stop.function, stop.line) == ("exception", "train", line_of(LOSSES, "# STEP"))


def test_another_condition_takes_the_place_of_the_first(start: Start) -> None:
    client, stop, helper = start(TRAINING)
    watch(helper, stop, {**NAN, "what": "inf"})
    watch(helper, stop, NAN)
    stop = client.resume(stop.thread)
    assert "NaN of div" in state(helper, stop)["reason"]


def test_one_that_is_set_before_the_program_starts_waits_for_torch(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(dedent(TRAINING), "utf-8")
    with Client(greeting=inject_expression(watchpoints=[NAN])) as client:
        stop = client.launch(program, breakpoints=[stop_lines(program)["end"]])
        assert (stop.reason, stop.line) == ("exception", line_of(TRAINING, "# BUG"))


WORKERS = """
from torch.utils.data import DataLoader, Dataset
import torch

class Scans(Dataset):
    def __len__(self):
        return 2
    def __getitem__(self, index):
        scan = torch.zeros(2)
        return scan / scan.sum()  # BUG

if __name__ == "__main__":
    for batch in DataLoader(Scans(), num_workers=1, multiprocessing_context=CONTEXT):
        print("batch", batch.tolist())
"""
RANKS = """
import torch
import torch.distributed as dist

def work(rank):
    mine = torch.full((2,), float(rank))
    return mine / mine.sum()  # BUG

if __name__ == "__main__":
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    work(dist.get_rank())
    dist.destroy_process_group()
"""


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_a_worker_of_a_data_loader_stops_in_its_own_line(tmp_path: Path, context: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(dedent(WORKERS).replace("CONTEXT", repr(context)), "utf-8")
    with Client(greeting=inject_expression(watchpoints=[NAN])) as client:
        client.start(program)
        child, stop = client.wait_for_child(2 * LIMIT)
        assert (stop.reason, stop.function, stop.line) == ("exception", "__getitem__", line_of(WORKERS, "# BUG"))
        assert "NaN of div" in state(Helper(child), stop)["reason"]
        child.continue_(stop.thread)


def test_a_rank_of_torchrun_stops_in_its_own_line(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(dedent(RANKS), "utf-8")
    with Client(greeting=inject_expression(watchpoints=[NAN])) as client:
        client.start(
            program,
            module="torch.distributed.run",
            args=["--nproc-per-node=2", "--master-addr=127.0.0.1", f"--master-port={free_address()[1]}", str(program)],
            env={"GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"},
        )
        child, stop = client.wait_for_child(2 * LIMIT)
        assert (stop.function, stop.line) == ("work", line_of(RANKS, "# BUG"))
        assert child.evaluate("rank", stop.frame)["result"] == "0"
        child.continue_(stop.thread)
        assert client.wait_for_end() == 0


WAITING = f"""
import time
import torch
from pathlib import Path
{LEFT}
def pause(name):
    while not Path(__file__).with_name(name).exists():
        time.sleep(0.01)

def divide():
    return (torch.zeros(2) / 0).sum()  # BUG

print("runs")  # STOP
pause("go")
with torch.device("cpu"):
    divide()
print("on")  # STOP: middle
pause("end")
divide()
print("left", left())  # STOP: end
"""
MODES = "torch._C._len_torch_function_stack()"


def test_one_that_is_set_while_the_program_runs_is_on_in_its_main_thread(start: Start, tmp_path: Path) -> None:
    client, stop, helper = start(WAITING)
    helper.inject(stop)
    client.continue_(stop.thread)
    helper.frameless = True
    watch(helper, stop, NAN)
    (tmp_path / "go").touch()
    stop = client.wait_for_stop()
    assert (stop.function, stop.line) == ("divide", line_of(WAITING, "# BUG"))
    stop = client.resume(stop.thread)
    assert client.evaluate(MODES, stop.frame)["result"] == "1"  # that of the device is off
    client.continue_(stop.thread)
    watch(helper, stop)
    (tmp_path / "end").touch()
    stop = client.wait_for_stop()
    assert stop.line == line_of(WAITING, "# STOP: end")
    assert client.evaluate("left()", stop.frame)["result"] == "0"


DETACHED = f"""
import time
import torch
from pathlib import Path
{LEFT}
print("runs")  # STOP
while not Path(__file__).with_name("go").exists():
    time.sleep(0.01)
bad = torch.zeros(2) / 0
while left():
    time.sleep(0.01)
print("gone")
"""


def test_after_a_detach_it_ends_at_what_it_meets_first(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(DETACHED, "utf-8")
    with Client() as client:
        stop = client.attach(program, breakpoints=stop_lines(program).values())
        watch(Helper(client), stop, NAN)
        client.detach()
        (tmp_path / "go").touch()
        client.wait_until_printed("runs\ngone\n")


def test_one_that_is_set_again_where_it_has_stopped_begins_anew(start: Start) -> None:
    client, stop, helper = start(TRAINING)
    watch(helper, stop, NAN)
    stop = client.resume(stop.thread)
    watch(helper, stop)
    assert "watchpoints" not in helper.frame(stop)
    watch(helper, stop, NAN)
    assert state(helper, stop) == {"id": 1, "hits": 0}
    stop = client.resume(stop.thread)
    assert "step 1" in state(helper, stop)["reason"]


def test_another_condition_of_one_that_was_met_leaves_its_hits_and_steps(start: Start) -> None:
    client, stop, helper = start(TRAINING)
    watch(helper, stop, NAN)
    stop = client.resume(stop.thread)
    watch(helper, stop, {**NAN, "after_step": 2})
    assert state(helper, stop)["hits"] == 1
    stop = client.resume(stop.thread)
    met = state(helper, stop)
    assert (met["hits"], "step 2 " in met["reason"]) == (2, True)
