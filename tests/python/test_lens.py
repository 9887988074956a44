"""Lenses through the gateway: what they are asked about, slices with progress, answers as rows, and what keeps them."""

from __future__ import annotations

import gc
import json
import sys
import weakref
from functools import partial
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import asking
import pytest
import torch
from bundle import SOURCE

from tensor_inspector import operations
from tensor_inspector.kinds import Child
from tensor_inspector.lenses import registry
from tensor_inspector.safe.budget import Budget


def step() -> FrameType:
    torch.manual_seed(0)
    before, after = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
    same, x = before, torch.ones(3)
    many = {f"k{index}": torch.full((4,), float(index)) for index in range(50)}
    others = {f"k{index}": torch.full((4,), float(index % 7)) for index in range(50)}
    held = {frozenset([1]): x}
    assert (after, same, many, others, held) is not None
    return sys._getframe()


class Paused(asking.Paused):
    def compare(self, a: Any, b: Any, **more: Any) -> dict[str, Any]:
        places = [{"expression": side} if isinstance(side, str) else side for side in (a, b)]
        return self.ask("lens", lens="compare", values=dict(zip("ab", places)), **more)


@pytest.fixture
def paused(monkeypatch: pytest.MonkeyPatch) -> Paused:
    return Paused(step(), monkeypatch)


def test_values_are_compared_though_all_the_time_went_before(paused: Paused) -> None:
    answer = paused.compare("before.weight", "after.weight", limits={"ms": 0.001})
    while not answer["done"]:
        again = {"snapshot": answer["snapshot"], "resume": answer["resume"]}
        answer = paused.compare("before.weight", "after.weight", limits={"ms": 0.001}, **again)
    assert (answer["found"]["not_compared"], answer["found"]["complete"]) == (0, True)
    assert answer["node"]["page"]["nodes"][0]["line"].startswith("2 of 2 differ")


def test_two_values_by_their_expressions_are_answered_as_data_and_as_rows(paused: Paused) -> None:
    answer = paused.compare("before", "after")
    assert (answer["done"], answer["progress"]) == (True, 1)
    assert answer["found"] == {
        "lens": "compare", "same": False, "close": False, "differences": 2, "compared": answer["found"]["compared"], "by_line": 0,
        "not_compared": 0, "cached": [], "complete": True, "worst": answer["found"]["worst"],
    }  # fmt: skip
    worst = answer["found"]["worst"]
    assert [(one["path"], one["what"], one["different"]) for one in worst] == [
        (".weight", "values", 2),
        (".bias", "values", 1),
    ]
    assert worst[0]["relative"] >= worst[1]["relative"] > 0
    row = answer["node"]
    assert (row["name"], row["kind"], row["badges"]) == ("before ↔ after", "comparison", ["differs"])
    assert row["line"] == f"2 differences · {answer['found']['compared']} values compared"
    assert [(node["name"], node["kind"]) for node in row["page"]["nodes"]] == [
        (".weight", "difference"), (".bias", "difference"),
    ]  # fmt: skip


def test_below_a_difference_stand_both_values_by_the_expressions_that_reach_them(paused: Paused) -> None:
    answer = paused.compare("before", "after")
    difference = answer["node"]["page"]["nodes"][0]
    below = paused.ask("children", snapshot=answer["snapshot"], node=difference["id"], start=0, count=9)["page"]
    assert [(node["name"], node["path"], node["kind"]) for node in below["nodes"]] == [
        ("before.weight", "before.weight", "tensor"), ("after.weight", "after.weight", "tensor"),
    ]  # fmt: skip


def test_what_is_equal_is_said_to_be_and_is_not_loud(paused: Paused) -> None:
    row = paused.compare("before", "same")["node"]
    assert row["line"].startswith("equal · ")
    assert "badges" not in row
    assert "children" not in row


def test_values_without_an_expression_are_named_by_their_nodes(paused: Paused) -> None:
    frame = paused.ask("frame", expanded={"held": {}})
    held = next(node for node in frame["rows"]["nodes"] if node["name"] == "held")
    (node,) = held["page"]["nodes"]
    assert "path" not in node
    place = {"snapshot": frame["snapshot"], "node": node["id"]}
    assert paused.compare(place, "x", snapshot=frame["snapshot"])["node"]["line"].startswith("equal")
    answer = paused.compare(place, "others['k0']", snapshot=frame["snapshot"])
    assert answer["snapshot"] == frame["snapshot"]
    (difference,) = answer["node"]["page"]["nodes"]
    below = paused.ask("children", snapshot=answer["snapshot"], node=difference["id"], start=0, count=9)["page"]
    assert [node.get("path") for node in below["nodes"]] == [None, "others['k0']"]


def test_tolerances_are_options(paused: Paused) -> None:
    assert paused.compare("many", "others", options={"atol": 50.0})["found"]["same"] is True


def test_long_work_is_done_in_slices_which_come_to_the_same(monkeypatch: pytest.MonkeyPatch, paused: Paused) -> None:
    whole = paused.compare("many", "others")
    time = count()  # a millisecond passes whenever somebody looks at the clock
    monkeypatch.setattr(operations, "Budget", partial(Budget, clock=lambda: next(time) / 1000))
    answer = paused.compare("many", "others", limits={"ms": 10})
    progress = []
    while not answer["done"]:
        progress.append(answer["progress"])
        assert "found" not in answer
        where = {"snapshot": answer["snapshot"], "resume": answer["resume"]}
        answer = paused.compare("many", "others", limits={"ms": 10}, **where)
    assert len(progress) > 10
    assert progress == sorted(progress)
    assert 0 <= progress[0] < 0.1 < 0.9 < progress[-1] < 1
    assert answer["found"]["differences"] == whole["found"]["differences"] == 43


def test_a_slice_takes_200_ms_at_most_whatever_the_user_gives_a_frame(
    monkeypatch: pytest.MonkeyPatch, paused: Paused
) -> None:
    given: list[float] = []
    paused.ask("frame")
    monkeypatch.setattr(operations, "Budget", lambda ms, *rest, **more: given.append(ms) or Budget(ms, *rest, **more))
    paused.compare("before", "same", limits={}, preferences={"budget_ms": 1000})
    assert given == [200]


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        ({"lens": "taste", "values": {}}, "bad_request", "there is no lens 'taste'"),
        ({"lens": "compare", "values": {"a": {"expression": "x"}}}, "bad_request", "'compare' is asked about a and b"),
        ({"options": {"speed": 1}}, "bad_request", "'compare' has no option 'speed'"),
        ({"options": {"rtol": -1}}, "bad_request", "rtol must be at least 0, not -1"),
        ({"values": {"a": {}, "b": {}}}, "bad_request", "a value is named by a node or by an expression"),
        ({"values": {"a": {"expression": "y"}, "b": {"expression": "x"}}}, "not_found", "there is no 'y'"),
        ({"values": {"a": {"expression": "x.sum()"}, "b": {"expression": "x"}}}, "not_static", "only running code"),
        ({"values": {"a": {"snapshot": -1, "node": 1}, "b": {"expression": "x"}}}, "gone", "has run on"),
        ({"resume": 7}, "gone", "has run on"),
    ],
    ids=str,
)  # fmt: skip
def test_what_can_not_be_asked_is_refused(paused: Paused, asked: Any, code: str, said: str) -> None:
    usual = {"lens": "compare", "values": {"a": {"expression": "x"}, "b": {"expression": "x"}}}
    error = paused.ask("lens", **{**usual, **asked})["error"]
    assert error["code"] == code
    assert said in error["message"]


def test_a_property_that_was_not_read_is_not_run(paused: Paused, monkeypatch: pytest.MonkeyPatch) -> None:
    class Owner:
        @property
        def answer(self) -> int:
            raise SystemExit(3)

    def stop() -> FrameType:
        owner = Owner()
        assert owner is not None
        return sys._getframe()

    paused = Paused(stop(), monkeypatch)
    frame = paused.ask("frame", expanded={"owner": {"rows": {"class properties": {}}}})
    owner = next(node for node in frame["rows"]["nodes"] if node["name"] == "owner")
    group = owner["page"]["nodes"][0]
    place = {"snapshot": frame["snapshot"], "node": group["page"]["nodes"][0]["id"]}
    assert paused.compare(place, "owner")["error"]["code"] == "not_static"


def test_unfinished_work_dies_with_the_answers_of_its_stop(paused: Paused) -> None:
    answer = paused.compare("many", "others", limits={"ms": 0.001})
    snapshot = paused.replies[-1].snapshot
    assert snapshot is not None
    lens = weakref.ref(snapshot.unfinished_lenses[answer["resume"]])
    gc.disable()
    try:
        del snapshot
        paused.replies.clear()
        assert lens() is None
    finally:
        gc.enable()


class Holder(list[Any]):
    """A list to which there can be a weak reference."""


def test_the_values_of_an_unfinished_comparison_die_with_it() -> None:
    a, b = (Holder([[index, [index, side]] for index in range(50)]) for side in (1, 2))
    budget = Budget(10, clock=count().__next__)
    lens = registry.lens("compare", {"a": Child("a", a), "b": Child("b", b)}, {}, budget, None)
    assert not lens.go_on()
    values = weakref.ref(a), weakref.ref(b)
    gc.disable()
    try:
        del a, b, lens
        assert [value() for value in values] == [None, None]
    finally:
        gc.enable()


@pytest.mark.parametrize("slices", [1, 2000], ids=["finding", "measuring"])
def test_the_values_of_an_unfinished_batch_die_with_it(slices: int) -> None:
    samples = Holder([torch.zeros(1), label] for label in range(2000))
    lens = registry.lens("batch", {"batch": Child("samples", samples)}, {}, Budget(0), None)
    assert not any(lens.go_on() for _ in range(slices))
    assert (lens.progress() > 0.3) is (slices > 1)
    values = weakref.ref(samples), weakref.ref(samples[0][0])
    gc.disable()
    try:
        del samples, lens
        assert [value() for value in values] == [None, None]
    finally:
        gc.enable()


def test_a_pair_that_needs_many_slices_is_compared_to_its_end() -> None:
    a, b = (torch.zeros(1 << 21) for _ in "ab")
    b[-1] = 1
    ticks = count()
    budget = Budget(20, clock=lambda: next(ticks) / 1000)
    lens = registry.lens("compare", {"a": Child("a", [1, a]), "b": Child("b", [1, b])}, {}, budget, None)
    progress = [0.0]
    while not lens.go_on():
        progress.append(lens.progress())
        budget.renew(20)
    assert len(progress) > 2
    assert progress == sorted(set(progress))
    found: Any = lens.found()
    assert (found["differences"], found["complete"]) == (1, True)


def test_of_many_questions_that_are_not_gone_on_with_the_oldest_are_dropped(paused: Paused) -> None:
    first = paused.compare("many", "others", limits={"ms": 0.001})
    for _ in range(8):
        paused.compare("many", "others", limits={"ms": 0.001}, snapshot=first["snapshot"])
    again = paused.compare("many", "others", snapshot=first["snapshot"], resume=first["resume"])
    assert again["error"]["code"] == "gone"


def test_facts_of_a_value_are_asked_for_by_its_node_too(paused: Paused) -> None:
    frame = paused.ask("frame", expanded={"held": {}})
    held = next(node for node in frame["rows"]["nodes"] if node["name"] == "held")
    (item,) = held["page"]["nodes"]
    answer = paused.ask("inspect", snapshot=frame["snapshot"], node=item["id"])
    assert answer["node"]["facts"]["shape"] == [3]
    assert "path" not in answer["node"]
    weight = paused.ask("inspect", expression="before.weight", snapshot=frame["snapshot"])["node"]
    again = paused.ask("inspect", snapshot=frame["snapshot"], node=weight["id"])["node"]
    assert (again["name"], again["path"], again["line"]) == ("before.weight", "before.weight", weight["line"])


@pytest.mark.parametrize("name", registry.LENSES)
def test_every_lens_that_the_registry_names_is_there(name: str) -> None:
    known = registry.registered(name)
    assert SOURCE.joinpath("lenses", *known.module.split(".")).with_suffix(".py").exists()
    schema = json.loads((Path(__file__).parents[2] / "pyhelper" / "protocol.schema.json").read_text("utf-8"))
    found = [answer["$ref"].rpartition("/")[2] for answer in schema["definitions"]["Found"]["oneOf"]]
    assert name in [schema["definitions"][answer]["properties"]["lens"]["const"] for answer in found]
    assert len({*known.values, *known.options}) == len(known.values) + len(known.options)
