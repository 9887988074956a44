"""One JSON call in, one out: requests answered for a real frame, and every failure an answer."""

from __future__ import annotations

import base64
import gc
import json
import math
import sys
import weakref
from pathlib import Path
from types import FrameType
from typing import Any

import asking
import pytest
import torch

from tensor_inspector import debugger, gateway, operations, preferences
from tensor_inspector.safe.budget import Budget
from tensor_inspector.session import session

GLOBAL_TENSOR = torch.arange(3)


class Owner:
    @property
    def answer(self) -> int:
        return 42

    @property
    def broken(self) -> int:
        raise SystemExit(3)


class Paused(asking.Paused):
    def ask(self, op: str, **request: Any) -> dict[str, Any]:
        answer = super().ask(op, **request)
        assert str(self.replies[-1]).isascii()
        return answer

    def frame(self, **request: Any) -> dict[str, Any]:
        answer = self.ask("frame", **request)
        return {node["name"]: node for node in answer["rows"]["nodes"]} | {"answer": answer}

    def error(self, op: str, **request: Any) -> tuple[str, str]:
        error = self.ask(op, **request)["error"]
        return error["code"], error["message"]


def a_function() -> FrameType:
    number, text = 3, "text"
    image = torch.tensor([1.0, math.nan])
    batch = {"image": image, "label": [1, 2]}
    owner = Owner()
    many = list(range(1000))
    big, endless = 2**63 - 1, math.inf

    def local_function() -> None: ...

    return sys._getframe()


@pytest.fixture
def paused(monkeypatch: pytest.MonkeyPatch) -> Paused:
    session.reset()
    return Paused(a_function(), monkeypatch)


def test_a_frame_lists_tensors_first_then_what_holds_them_then_the_rest_then_groups(paused: Paused) -> None:
    names = [node["name"] for node in paused.frame()["answer"]["rows"]["nodes"]]
    assert names == [
        "image", "batch", "number", "text", "owner", "many", "big", "endless", "function variables", "global variables",
    ]  # fmt: skip


def test_the_tensor_filter_leaves_the_rest_out(paused: Paused) -> None:
    names = [node["name"] for node in paused.frame(filter="tensors")["answer"]["rows"]["nodes"]]
    assert names == ["image", "batch", "global variables"]


@pytest.mark.parametrize("asked", [{"filter": "tensors"}, {"page_size": 2}])
def test_variables_that_are_not_listed_have_values_for_the_ends_of_lines_too(
    paused: Paused, asked: dict[str, Any]
) -> None:
    answer = paused.frame(**asked)["answer"]
    assert [(value["name"], value["text"]) for value in answer["inline"]][:3] == [
        ("number", "3"), ("text", "'text'"), ("many", "list of 1,000 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …]"),
    ]  # fmt: skip
    assert "inline" not in paused.frame(preferences={"inline_values": False}, **asked)["answer"]


@pytest.mark.parametrize(
    ("expression", "first"),
    [("many", "[0]"), ("batch", "'image'"), ("owner", "class properties"), ("batch['label']", "[0]")],
)
def test_what_a_hover_is_told_of_a_container_are_its_first_ten_rows_too(
    paused: Paused, expression: str, first: str
) -> None:
    page = paused.ask("inspect", expression=expression)["node"]["page"]
    assert page["nodes"][0]["name"] == first
    assert len(page["nodes"]) == min(10, page["total"])


def test_of_a_tensor_and_a_number_the_facts_and_the_line_tell_all(paused: Paused) -> None:
    nodes = [paused.ask("inspect", expression=expression)["node"] for expression in ("image", "batch['label'][1]")]
    assert [("page" in node, node["line"]) for node in nodes] == [
        (False, "float32[2] · finite all 1 · 1 NaN"),
        (False, "2"),
    ]


def test_a_row_says_what_a_person_asks_first(paused: Paused) -> None:
    image = paused.frame()["image"]
    assert image["line"] == "float32[2] · finite all 1 · 1 NaN"
    assert image["badges"] == ["nan"]
    assert image["path"] == "image"


def test_the_answer_names_the_function_and_the_libraries(paused: Paused) -> None:
    answer = paused.frame()["answer"]
    assert answer["function"] == "a_function"
    assert answer["libraries"]["torch"] == str(torch.__version__)


def test_types_are_those_that_can_be_summarized(paused: Paused) -> None:
    assert paused.frame()["answer"]["types"] == ["Tensor", "dict", "list"]


def test_expanded_rows_come_with_their_children(paused: Paused) -> None:
    rows = paused.frame(expanded={"batch": {"rows": {"'label'": {}}}, "gone": {}})
    page = rows["batch"]["page"]
    assert [node["name"] for node in page["nodes"]] == ["'image'", "'label'"]
    assert page["nodes"][0]["mark"] == {"kind": "shared", "path": "image"}
    assert [node["line"] for node in page["nodes"][1]["page"]["nodes"]] == ["1", "2"]
    assert "page" not in rows["many"]


def test_further_rows_of_the_frame_are_pages_of_node_zero(paused: Paused) -> None:
    answer = paused.frame(page_size=2)["answer"]
    assert (len(answer["rows"]["nodes"]), answer["rows"]["total"]) == (2, 10)
    page = paused.ask("children", snapshot=answer["snapshot"], node=0, start=2, count=2)["page"]
    assert [node["name"] for node in page["nodes"]] == ["number", "text"]


def test_rows_of_the_frame_have_their_facts_where_these_are_asked_for(paused: Paused) -> None:
    answer = paused.frame()["answer"]
    page = paused.ask("children", snapshot=answer["snapshot"], node=0, start=0, count=2, facts=True)["page"]
    image = page["nodes"][0]
    assert (image["name"], image["line"]) == (answer["rows"]["nodes"][0]["name"], answer["rows"]["nodes"][0]["line"])
    assert all("facts" in node for node in page["nodes"])
    assert {"shape", "dtype", "device", "stats", "requires_grad"} <= image["facts"].keys()
    assert all("facts" not in node for node in answer["rows"]["nodes"])


def test_facts_of_the_frame_end_where_the_time_is_over(paused: Paused) -> None:
    answer = paused.frame()["answer"]
    asked = {"snapshot": answer["snapshot"], "node": 0, "start": 0, "count": 9, "facts": True, "limits": {"ms": 0}}
    page = paused.ask("children", **asked)["page"]
    assert 1 <= len(page["nodes"]) < 9
    assert page["total"] > len(page["nodes"])


def test_where_not_all_rows_are_listed_it_is_told_how_many_are_groups(paused: Paused) -> None:
    assert paused.frame(page_size=2)["answer"]["groups"] == 2  # of functions and of globals
    assert "groups" not in paused.frame()["answer"]


def test_children_come_in_pages(paused: Paused) -> None:
    rows = paused.frame()
    request = {"snapshot": rows["answer"]["snapshot"], "node": rows["many"]["id"], "start": 900, "count": 100}
    page = paused.ask("children", **request)["page"]
    assert (page["start"], page["total"], len(page["nodes"])) == (900, 1000, 100)
    assert page["nodes"][-1]["path"] == "many[999]"


def test_a_module_in_a_namespace_of_the_program_has_its_globals_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Namespace(dict[str, Any]):
        pass

    names = Namespace()
    exec(compile("import sys\nvalue = 3\nframe = sys._getframe()", "main.py", "exec"), names)
    rows = Paused(names["frame"], monkeypatch).frame()
    assert rows["value"]["line"] == "3"
    assert "global variables" not in rows


def test_globals_are_one_collapsed_row(paused: Paused) -> None:
    rows = paused.frame()
    node = rows["global variables"]
    page = paused.ask("children", snapshot=rows["answer"]["snapshot"], node=node["id"], start=0, count=100)["page"]
    assert page["nodes"][0]["name"] == "GLOBAL_TENSOR"
    assert page["nodes"][0]["path"] == "GLOBAL_TENSOR"


def test_a_module_of_functions_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    module: dict[str, Any] = {}
    exec("import sys\ndef step():\n    return sys._getframe()", module)
    row = Paused(module["step"](), monkeypatch).frame()["global variables"]
    assert row["line"] == "special variables, function variables, module variables"


def test_how_many_global_variables_there_are_is_known_before_they_are_read(
    paused: Paused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "__pydevd_ret_val_dict", {"f": 1, "g": 2})
    rows = paused.frame()
    node = rows["global variables"]
    page = paused.ask("children", snapshot=rows["answer"]["snapshot"], node=node["id"], start=0, count=1000)["page"]
    assert node["children"] == page["total"] == len(page["nodes"])


def test_how_many_of_them_hold_tensors_is_not(paused: Paused) -> None:
    assert paused.frame(filter="tensors")["global variables"]["children"] is None


def test_a_pin_that_fails_leaves_all_else(paused: Paused, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OverflowError("too large")

    monkeypatch.setattr(operations.frame, "resolve", fail)
    answer = paused.frame(pins=[{"expression": "image"}])["answer"]
    assert answer["pins"][0]["error"] == {"code": "internal", "message": "OverflowError: too large"}
    assert "image" in [node["name"] for node in answer["rows"]["nodes"]]


def test_pins_are_resolved_or_say_why_not(paused: Paused) -> None:
    pins = [{"expression": "batch['label']", "count": 10}, {"expression": "nowhere"}, {"expression": "f(image)"}]
    first, second, third = paused.frame(pins=pins)["answer"]["pins"]
    assert [node["line"] for node in first["node"]["page"]["nodes"]] == ["1", "2"]
    assert second["error"]["code"] == "not_found"
    assert third["error"]["code"] == "not_static"


def test_numbers_that_json_can_not_carry_are_tagged(paused: Paused) -> None:
    facts = paused.ask("inspect", expression="image")["node"]["facts"]
    assert facts["stats"]["count"] == 2
    rows = paused.frame()
    assert (rows["big"]["line"], rows["endless"]["line"]) == ("9223372036854775807", "inf")
    huge = paused.ask("evaluate", expression="__import__('torch').tensor([2**63-1, 0])")["node"]["facts"]
    assert huge["stats"]["max"] == "#9223372036854775807"


def test_inspecting_gives_facts(paused: Paused) -> None:
    node = paused.ask("inspect", expression=" batch['image'] ")["node"]
    assert (node["name"], node["facts"]["dtype"], node["facts"]["values"]) == ("batch['image']", "float32", "[1, NaN]")


def test_evaluating_runs_the_expression_in_the_frame(paused: Paused) -> None:
    node = paused.ask("evaluate", expression="[number for _ in range(2)]")["node"]
    assert node["line"] == "list · 2: 3, 3"
    assert [child["line"] for child in node["page"]["nodes"]] == ["3", "3"]


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("1 +", "SyntaxError"),
        ("nowhere", "NameError: name 'nowhere' is not defined"),
        ("exit(3)", "SystemExit: 3"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
    ],
)
def test_what_the_users_expression_raises_is_an_answer(paused: Paused, expression: str, said: str) -> None:
    code, message = paused.error("evaluate", expression=expression)
    assert code == "raised"
    assert message.startswith(said)


def test_a_property_is_read_when_it_is_expanded(paused: Paused) -> None:
    rows = paused.frame(expanded={"owner": {"rows": {"class properties": {}}}})
    lazy = rows["owner"]["page"]["nodes"][0]["page"]["nodes"]
    assert [(node["name"], node["kind"], node["lazy"]) for node in lazy] == [
        ("answer", "property", True),
        ("broken", "property", True),
    ]
    ask = {"snapshot": rows["answer"]["snapshot"], "start": 0, "count": 10}
    [value] = paused.ask("children", node=lazy[0]["id"], **ask)["page"]["nodes"]
    assert (value["line"], value["path"]) == ("42", "owner.answer")
    [failed] = paused.ask("children", node=lazy[1]["id"], **ask)["page"]["nodes"]
    assert (failed["kind"], failed["line"]) == ("error", "raised SystemExit: 3")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("not base64!", "bad_request"),
        (base64.b64encode(b"[]").decode(), "bad_request"),
        (base64.b64encode(b'{"op": "frame"}').decode(), "bad_request"),
        (base64.b64encode(b'{"op": "dance", "version": ""}').decode(), "bad_request"),
        (base64.b64encode(b'{"op": "frame", "version": "other"}').decode(), "stale_helper"),
    ],
)
def test_what_is_no_request_is_refused_in_words(text: str, code: str) -> None:
    error = json.loads(gateway.call(text))["error"]
    assert error["code"] == code
    assert error["message"]


def test_without_a_paused_frame_the_answer_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    paused = Paused(a_function(), monkeypatch)
    monkeypatch.setattr(debugger, "user_frame", lambda: None)
    assert paused.error("frame") == ("no_frame", "the debugger shows no paused frame here")


def test_at_a_line_of_a_template_the_answer_says_so() -> None:
    class DjangoTemplateFrame:  # as the debugger's plugins for template engines make it, in the place of a frame
        IS_PLUGIN_FRAME = True
        f_back, f_globals, f_locals, f_lineno = None, {}, {"item": 3}, 4

    space: Any = {"__name__": "_pydevd_bundle.pydevd_vars", "call": gateway.call}
    exec("def evaluate_expression(frame, text): return call(text)", space)
    request = base64.b64encode(json.dumps({"op": "frame", "version": ""}).encode()).decode()
    error = json.loads(space["evaluate_expression"](DjangoTemplateFrame(), request))["error"]
    assert error["code"] == "no_frame"
    assert error["message"] == "this is a line of a template, not of Python: the Variables view has its values"


def test_the_snapshot_lives_as_long_as_an_answer_that_speaks_of_it(paused: Paused) -> None:
    rows = paused.frame()
    ask = {"snapshot": rows["answer"]["snapshot"], "node": rows["many"]["id"], "start": 0, "count": 1}
    assert paused.ask("children", **ask)["op"] == "children"
    gc.disable()
    try:
        paused.replies.clear()
        assert paused.error("children", **ask)[0] == "gone"
    finally:
        gc.enable()


def test_a_fault_of_ours_is_an_answer_too(paused: Paused, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("a bug")

    monkeypatch.setattr("tensor_inspector.stop.frame.rows", broken)
    assert paused.error("frame") == ("internal", "KeyError: a bug")


def test_module_level_frames_have_no_globals_row(monkeypatch: pytest.MonkeyPatch) -> None:
    space: dict[str, Any] = {"sys": sys, "x": torch.ones(2)}
    exec(compile("class Thing: pass\ndef f(): pass\nframe = sys._getframe()", "module.py", "exec"), space)
    rows = Paused(space["frame"], monkeypatch).frame()["answer"]["rows"]["nodes"]
    assert [node["name"] for node in rows] == [
        "x", "frame", "special variables", "class variables", "function variables", "module variables",
    ]  # fmt: skip


def test_what_the_debugger_puts_among_the_locals_is_named_for_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {debugger.EXCEPTION: (ValueError, ValueError("no"), None), debugger.RETURN_VALUES: {"double": 4}}
    space: dict[str, Any] = {"sys": sys, **kept}
    exec(compile("frame = sys._getframe()", "module.py", "exec"), space)
    rows = Paused(space["frame"], monkeypatch).frame()
    assert rows["(exception)"]["line"] == "ValueError: no"
    assert rows["(exception)"]["path"] == f"{debugger.EXCEPTION}[1]"
    assert rows["(return) double"]["line"] == "4"
    assert rows["(return) double"]["path"] == f"{debugger.RETURN_VALUES}['double']"


def test_a_local_hides_the_path_of_a_global_of_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def shadowing() -> FrameType:
        GLOBAL_TENSOR = 1
        assert GLOBAL_TENSOR
        return sys._getframe()

    paused = Paused(shadowing(), monkeypatch)
    rows = paused.frame(expanded={"global variables": {}})
    shadowed = next(node for node in rows["global variables"]["page"]["nodes"] if node["name"] == "GLOBAL_TENSOR")
    assert "path" not in shadowed


def test_values_of_the_frame_are_not_kept_by_the_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    value = torch.ones(3)
    gone = weakref.ref(value)

    def holding(held: torch.Tensor) -> FrameType:
        assert held is not None
        return sys._getframe()

    frame = holding(value)
    paused = Paused(frame, monkeypatch)
    paused.frame(expanded={"held": {"rows": {"values": {}}}})
    gc.disable()
    try:
        paused.replies.clear()
        monkeypatch.undo()
        frame.clear()
        del value, frame
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("wanted", "frame", "rows", "one"),
    [
        ({}, 120, 80, 100),
        ({"budget_ms": 240}, 240, 160, 200),
        ({"budget_ms": 1}, 12, 8, 10),
        ({"budget_ms": "a"}, 120, 80, 100),
        ({"budget_ms": 240, "statistics": "exact"}, 960, 640, 800),
        ({"budget_ms": 10_000, "statistics": "exact"}, 1200, 800, 1000),
    ],
)
def test_each_request_takes_its_share_of_the_time_that_the_user_gives(
    monkeypatch: pytest.MonkeyPatch, paused: Paused, wanted: Any, frame: float, rows: float, one: float
) -> None:
    given: list[float] = []
    monkeypatch.setattr(session, "cold", False)
    monkeypatch.setattr(operations, "Budget", lambda ms, *rest, **more: given.append(ms) or Budget(ms, *rest, **more))
    answer = paused.frame(limits={}, preferences=wanted)["answer"]
    paused.ask("children", snapshot=answer["snapshot"], node=0, start=0, count=1, limits={}, preferences=wanted)
    paused.ask("inspect", expression="number", limits={}, preferences=wanted)
    assert given == pytest.approx([frame, rows, one])


def test_the_time_is_what_the_setting_says_that_it_is() -> None:
    settings = json.loads((Path(__file__).parents[2] / "package.json").read_text())["contributes"]["configuration"][
        "properties"
    ]
    assert settings["tensorInspector.timeBudget"]["default"] == preferences.Preferred().budget_ms


def test_the_first_frame_of_a_process_has_more_time(monkeypatch: pytest.MonkeyPatch, paused: Paused) -> None:
    given: list[float] = []
    monkeypatch.setattr(session, "cold", True)
    monkeypatch.setattr(operations, "Budget", lambda ms, *rest, **more: given.append(ms) or Budget(ms, *rest, **more))
    for _ in range(2):
        paused.frame(limits={})
    assert given == [360, 120]


def test_the_client_is_told_when_line_ends_are_to_be_asked_for_anew(
    monkeypatch: pytest.MonkeyPatch, paused: Paused
) -> None:
    told: list[bool] = []
    monkeypatch.setattr(debugger, "views_changed", lambda: told.append(True))
    for wanted in (True, False, False, True):
        paused.frame(preferences={"inline_values": wanted})
    assert len(told) == 2
