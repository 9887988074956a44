"""Findings through the real adapter: faults of the table in their paused frames, and when the question is given up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from client import Client, Stop, stop_lines
from helper import Answer, Helper, Refused
from table import PLAYER, Start

FAULTS = Path(__file__).parents[1] / "programs" / "faults"
EXPECTED = json.loads((FAULTS / "expected.json").read_text("utf-8"))
#: Of each group of rules one: graph, optimizer, loss, numbers, model, data.
PAIRS = (
    "argmax_in_loss", "encoder_detached", "encoder_not_in_optimizer", "everything_frozen", "inplace_on_saved",
    "layers_in_list", "loss_rewrapped", "mse_broadcast", "nan_in_table", "raw_pixels", "softmax_on_one_unit",
    "softmax_then_cross_entropy", "train_left_on",
)  # fmt: skip
HEAD = """
import copy, math, warnings
import torch, torch.nn as nn, torch.nn.functional as F
"""
STEP = f"""{HEAD}
def train():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 3), nn.Softmax(1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(6, 4), torch.tensor([0, 1, 2, 0, 1, 2])
    out = model(x)
    loss = F.cross_entropy(out, y)
    loss.backward()  # STOP
    optimizer.step()
"""


def ask(helper: Helper, stop: Stop, **options: object) -> Answer:
    """The whole answer, however many slices it takes."""
    question: Answer = {"lens": "findings", "values": {}, "options": options}
    answer = helper.ask(stop, "lens", **question)
    while not answer["done"]:
        answer = helper.ask(stop, "lens", **question, snapshot=answer["snapshot"], resume=answer["resume"])
    return answer


def rules(answer: Answer) -> list[str]:
    return [finding["rule"] for finding in answer["found"]["findings"]]


@pytest.mark.parametrize("frameless", [False, True])
def test_what_is_found_is_told_as_data_and_as_rows_down_to_the_values(paused: Start, frameless: bool) -> None:
    _, stop, helper = paused(STEP + "train()", frameless=frameless)
    answer = ask(helper, stop)
    assert rules(answer) == ["double-softmax"]
    assert answer["found"]["explained"] == 0
    assert len(answer["found"]["checked"]) > 40
    root = answer["node"]
    assert (root["line"], root["kind"], root["badges"]) == ("1 finding", "finding", ["wrong"])
    (finding,) = root["page"]["nodes"]
    assert finding["name"].startswith("cross_entropy was given probabilities: out")
    assert finding["line"] == "line 7"
    below = helper.children(stop, answer["snapshot"], finding["id"])["page"]["nodes"]
    assert [(node["name"], node["kind"]) for node in below] == [
        ("out", "evidence"), ("why", "advice"), ("try", "advice"),
    ]  # fmt: skip
    (value,) = helper.children(stop, answer["snapshot"], below[0]["id"])["page"]["nodes"]
    assert (value["path"], value["line"].partition(" · ")[0]) == ("out", "float32[6, 3]")


def test_rules_that_are_ignored_are_not_asked(paused: Start) -> None:
    _, stop, helper = paused(STEP + "train()")
    answer = ask(helper, stop, ignore="double-softmax lr-zero")
    assert rules(answer) == []
    assert {"rule": "lr-zero", "reason": "ignored"} in answer["found"]["skipped"]
    assert answer["node"]["line"].startswith(f"{len(answer['found']['checked'])} rules, nothing found, ")
    assert "children" not in answer["node"]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What is found where each program of the table, and its twin, first calls ``stop``: all are played in one session."""
    player = tmp_path_factory.mktemp("found") / "player.py"
    player.write_text(PLAYER, "utf-8")
    breakpoints = {player: stop_lines(player).values()}
    for name in PAIRS:
        for which in ("buggy", "clean"):
            file = player.parent / "programs" / f"{name}_{which}.py"
            file.parent.mkdir(exist_ok=True)
            text = (FAULTS / name / f"{which}.py").read_text("utf-8")
            file.write_text(text.replace("stop()", "print('here')  # STOP", 1), "utf-8")
            breakpoints[file] = stop_lines(file).values()
    found = {}
    with Client() as client:
        stop, helper = client.launch(player, breakpoints=breakpoints), Helper(client)
        while (file := Path(client.stack(stop.thread)[0]["source"]["path"])) != player:
            found[file.stem] = rules(ask(helper, stop, thorough=True))
            stop = client.resume(stop.thread)
    return found


@pytest.mark.parametrize("name", PAIRS)
def test_a_fault_is_found_in_its_paused_frame_and_its_twin_is_clean(found: dict[str, list[str]], name: str) -> None:
    assert found[f"{name}_buggy"][0] in EXPECTED[name]["rules"]
    assert found[f"{name}_clean"] == []


RAISES = f"""{HEAD}
def step():
    model = nn.Linear(10, 5)
    x = torch.randn(32, 7)
    return model(x)  # STOP
step()
"""


@pytest.mark.parametrize("how", ["raised", "uncaught"])
def test_where_the_program_stopped_on_an_exception_it_is_explained_first(start: Start, how: str) -> None:
    client, stop, helper = start(RAISES, exceptions=[how])
    stop = client.resume(stop.thread)
    assert stop.reason == "exception"
    answer = ask(helper, stop)
    assert answer["found"]["explained"] == 1
    assert answer["found"]["findings"][0]["rule"] == "shape-mismatch"
    assert answer["found"]["findings"][0]["source"]["line"] == 8
    first = answer["node"]["page"]["nodes"][0]
    below = helper.children(stop, answer["snapshot"], first["id"])["page"]["nodes"]
    assert [node["name"] for node in below[:2]] == ["x", "model"]


def test_a_search_that_was_begun_is_over_when_the_program_goes_on(start: Start) -> None:
    client, stop, helper = start(STEP + "train()")
    question: Answer = {"lens": "findings", "values": {}}
    answer = helper.ask(stop, "lens", **question, limits={"ms": 0.001})
    assert not answer["done"]
    later = client.step(stop.thread)
    with pytest.raises(Refused) as refused:
        helper.ask(later, "lens", **question, snapshot=answer["snapshot"], resume=answer["resume"])
    assert refused.value.code == "gone"


THREAD = f"""{STEP}
import threading
thread = threading.Thread(target=train)
thread.start()
thread.join()
"""


def test_a_step_in_another_thread_is_looked_at_there(start: Start) -> None:
    _, stop, helper = start(THREAD)
    assert rules(ask(helper, stop)) == ["double-softmax"]


DIES = f"""{HEAD}
import gc, weakref
gc.disable()
model = nn.Linear(4, 3)
out = torch.softmax(model(torch.randn(6, 4)), 1)
loss = F.cross_entropy(out, torch.tensor([0, 1, 2, 0, 1, 2]))
gone = weakref.ref(out)
print("shown")  # STOP: first
del out, loss
print("dead" if gone() is None else "alive")
print("end")  # STOP: second
"""


@pytest.mark.parametrize("frameless", [False, True])
def test_what_was_found_keeps_no_value_alive(start: Start, frameless: bool) -> None:
    client, stop, helper = start(DIES, frameless=frameless)
    assert rules(ask(helper, stop)) == ["double-softmax"]
    client.run_to_end(client.resume(stop.thread).thread)
    assert client.output("stdout").split() == ["shown", "dead", "end"]


def test_gradients_that_are_off_are_known_though_they_are_off_while_it_is_looked(start: Start) -> None:
    off = """
        import torch, torch.nn as nn
        model = nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.5))
        x = torch.randn(6, 4)
        with torch.no_grad():
            out = model(x)
            print("here")  # STOP: first
        print("here")  # STOP: second
    """
    client, stop, helper = start(off)
    assert rules(ask(helper, stop)) == ["train-during-eval"]
    assert rules(ask(helper, client.resume(stop.thread))) == []


NOISY = f"""{HEAD}
class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        print("forward")
        return self.layer(x) + torch.rand(3)

model = Noisy().eval()
x = torch.randn(6, 4)
with torch.no_grad():
    out = model(x)
    state = torch.get_rng_state()
    print("stopped")  # STOP
print(model.calls, torch.equal(state, torch.get_rng_state()))
"""


def test_models_are_run_only_where_that_is_asked_for_and_nothing_of_it_is_left(start: Start) -> None:
    client, stop, helper = start(NOISY)
    assert rules(ask(helper, stop, thorough=True)) == []
    assert rules(ask(helper, stop, thorough=True, run=True)) == ["dropout-in-eval"]
    client.run_to_end(stop.thread)
    assert client.output("stdout").count("forward") > 1
    assert client.output("stdout").split()[-2:] == ["1", "True"]
