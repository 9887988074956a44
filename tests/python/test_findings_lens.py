"""The lens `findings` through the gateway: slices, what is kept of a stop, rows, and what it leaves as it was."""

from __future__ import annotations

import gc
import sys
import threading
import time
import weakref
from functools import partial
from itertools import count
from types import FrameType
from typing import Any

import pytest
import torch
from test_lens import Paused
from torch.nn import functional as F
from untouched import Watch

from tensor_inspector import findings, forget, operations
from tensor_inspector.lenses.findings import run, search
from tensor_inspector.lenses.findings.finding import Violation
from tensor_inspector.lenses.findings.rule import Rule
from tensor_inspector.lenses.step.step import Step
from tensor_inspector.safe.budget import Budget
from tensor_inspector.watching import history


def step() -> tuple[FrameType, tuple[Any, ...]]:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Softmax(1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(6, 4), torch.tensor([0, 1, 2, 0, 1, 2])
    out = model(x)
    loss = F.cross_entropy(out, y)
    return sys._getframe(), (model, optimizer, x, y, out, loss)


@pytest.fixture
def paused(monkeypatch: pytest.MonkeyPatch) -> Any:
    forget()
    yield Paused(step()[0], monkeypatch)
    forget()


def ask(paused: Paused, **request: Any) -> dict[str, Any]:
    return paused.ask("lens", lens="findings", values={}, **request)


def finish(paused: Paused, **request: Any) -> tuple[dict[str, Any], list[float]]:
    """The answer, and how far it was after each slice."""
    answer, progress = ask(paused, **request), []
    while not answer["done"]:
        progress.append(answer["progress"])
        answer = ask(paused, **{**request, "snapshot": answer["snapshot"], "resume": answer["resume"]})
    return answer, progress


def test_asked_of_a_stop_that_is_over_nothing_is_said_of_the_next(paused: Paused) -> None:
    answer = ask(paused, snapshot=10**6)
    assert answer["error"]["code"] == "gone"


def test_a_title_is_the_fact_and_what_more_there_is_to_say_as_one_sentence(paused: Paused) -> None:
    finding = finish(paused)[0]["found"]["findings"][0]
    assert finding["more"] != ""
    assert finding["title"].startswith(finding["fact"])
    assert finding["title"].endswith(finding["more"])
    whole = Violation("nothing follows")
    assert (whole.title, whole.fact, whole.more) == ("nothing follows", "nothing follows", "")


def test_a_dismissed_rule_that_there_is_no_longer_is_told(paused: Paused) -> None:
    dismissed = "double-softmax label-out-of-range shape-mismatch softmaxed-twice"
    found = finish(paused, options={"ignore": dismissed})[0]["found"]
    reasons = {one["rule"]: one["reason"] for one in found["skipped"] if one["rule"] in dismissed.split()}
    assert reasons == {
        "double-softmax": "ignored",
        "label-out-of-range": "ignored",
        "softmaxed-twice": "there is no such rule",
    }


def test_a_run_of_models_ends_when_it_is_told_to(monkeypatch: pytest.MonkeyPatch, paused: Paused) -> None:
    began = threading.Event()

    def forever(step: Any) -> Any:
        began.set()
        while step.run and time.monotonic() < end:
            time.sleep(0.01)
        yield Violation("it ran to its end")

    def interrupt() -> None:
        began.wait()
        paused.ask("interrupt", request=5)

    end = time.monotonic() + 10
    monkeypatch.setattr(run, "RULES", [Rule("endless", forever, "", "hint", "why", "what")])
    user = threading.Thread(target=interrupt)
    user.start()
    answer = ask(paused, id=5, options={"run": True})
    user.join()
    assert answer["error"]["message"] == "the run was ended before it was done"
    assert ask(paused, options={})["found"]["findings"][0]["title"] == "it ran to its end"


def test_rules_are_asked_in_slices_which_come_to_the_same(monkeypatch: pytest.MonkeyPatch, paused: Paused) -> None:
    whole = ask(paused, options={"stop": 1})["found"]
    ticks = count()  # a millisecond passes whenever somebody looks at the clock
    monkeypatch.setattr(operations, "Budget", partial(Budget, clock=lambda: next(ticks) / 1000))
    answer, progress = finish(paused, limits={"ms": 40}, options={"stop": 1})
    assert len(progress) > 2
    assert progress == sorted(progress)
    assert answer["found"]["findings"] == whole["findings"]
    assert (answer["found"]["checked"], answer["found"]["skipped"]) == (whole["checked"], whole["skipped"])


def slow(ticks: Any, amount: int) -> Any:
    """The check of a rule that takes so long, and finds something."""

    def check(step: Any) -> Any:
        ticks[0] += amount
        yield from ()
        yield Violation("slow")

    return check


@pytest.mark.parametrize(("amount", "found"), [(30, True), (150, False)])
def test_a_rule_that_its_slice_cut_short_is_asked_again_and_is_not_believed_twice(
    monkeypatch: pytest.MonkeyPatch, paused: Paused, amount: int, found: bool
) -> None:
    ticks = [0]
    rules = [Rule(f"slow-{number}", slow(ticks, amount), "", "hint", "", "") for number in range(6)]
    monkeypatch.setattr(run, "RULES", rules)
    monkeypatch.setattr(operations, "Budget", partial(Budget, clock=lambda: ticks[0] / 1000))
    answer, _ = finish(paused, limits={"ms": 100})
    names = [rule.id for rule in rules]
    assert answer["found"]["checked"] == (names if found else [])
    assert answer["found"]["skipped"] == ([] if found else [{"rule": name, "reason": "no time"} for name in names])


@pytest.mark.parametrize(("stalls", "found"), [(2, True), (3, False)])
def test_a_step_that_a_busy_machine_let_no_time_for_is_looked_at_again(
    monkeypatch: pytest.MonkeyPatch, paused: Paused, stalls: int, found: bool
) -> None:
    ticks, left = [0], [stalls]

    class Stalling(Step):
        def __init__(self, *given: Any, **named: Any) -> None:
            ticks[0] += 500 if left[0] else 0
            left[0] -= bool(left[0])
            super().__init__(*given, **named)

    monkeypatch.setattr(search, "Step", Stalling)
    monkeypatch.setattr(operations, "Budget", partial(Budget, clock=lambda: ticks[0] / 1000))
    answer, _ = finish(paused, limits={"ms": 100})
    assert bool(answer["found"]["checked"]) is found
    assert ("no time" in {one["reason"] for one in answer["found"]["skipped"]}) is not found


def test_the_numbers_of_a_stop_are_kept_once_and_not_compared_with_themselves(paused: Paused) -> None:
    owner, file = paused_optimizer(paused), __file__

    def kept(stop: int | None = None) -> int:
        return len(history.recall(owner, file, "step", stop))

    for _ in range(2):
        ask(paused, options={"stop": 7})
    assert (kept(), kept(7)) == (1, 0)
    ask(paused, options={"stop": 8})
    assert (kept(), kept(8)) == (2, 1)


def paused_optimizer(paused: Paused) -> Any:
    from tensor_inspector import debugger

    frame = debugger.user_frame()
    assert frame is not None
    return frame.f_locals["optimizer"]


def test_evidence_that_no_expression_reaches_is_told_all_the_same(
    monkeypatch: pytest.MonkeyPatch, paused: Paused
) -> None:
    def check(step: Any) -> Any:
        yield Violation("odd", (None, "a fact"), ("model(x)", "another"), ("gone", "a third"), certain=False)

    monkeypatch.setattr(run, "RULES", [Rule("odd", check, "", "error", "why", "what")])
    answer = ask(paused)
    (row,) = answer["node"]["page"]["nodes"]
    assert (row["name"], row["line"], "badges" in row) == ("may be: odd", "", False)
    below = paused.ask("children", snapshot=answer["snapshot"], node=row["id"], start=0, count=9)["page"]["nodes"]
    assert [(node["name"], node["line"], node["kind"], "children" in node) for node in below] == [
        ("seen", "a fact", "evidence", False), ("model(x)", "another", "evidence", False),
        ("gone", "a third", "evidence", False), ("why", "why", "advice", False), ("try", "what", "advice", False),
    ]  # fmt: skip


def test_it_is_asked_where_the_program_is_paused(monkeypatch: pytest.MonkeyPatch, paused: Paused) -> None:
    from tensor_inspector import debugger

    monkeypatch.setattr(debugger, "user_frame", lambda: None)
    assert ask(paused)["error"]["code"] == "bad_request"


@pytest.mark.parametrize("thorough", [False, True])
def test_asking_changes_nothing(monkeypatch: pytest.MonkeyPatch, thorough: bool) -> None:
    frame, held = step()
    paused = Paused(frame, monkeypatch)
    ask(paused, options={"thorough": thorough})  # what torch and we load for the first look
    forget()
    with Watch(held) as watch:
        answer = ask(paused, options={"thorough": thorough})
        paused.replies.clear()
        forget()
    assert [finding["rule"] for finding in answer["found"]["findings"]] == ["double-softmax"]
    assert watch.changes() == []


def loss_of(model: torch.nn.Module) -> torch.Tensor:
    return F.mse_loss(model(torch.ones(2, 3)), torch.zeros(2, 1))


def asked_within(thorough: bool) -> weakref.ref[torch.Tensor]:
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = loss_of(model)
    loss.backward()
    optimizer.step()
    findings(thorough=thorough)
    return weakref.ref(loss)


@pytest.mark.parametrize("thorough", [False, True])
def test_what_was_looked_at_dies_without_the_collector_once_the_program_drops_it(thorough: bool) -> None:
    asked_within(thorough)
    gc.disable()
    try:
        assert asked_within(thorough)() is None
    finally:
        gc.enable()
