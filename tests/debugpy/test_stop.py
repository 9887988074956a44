"""The helper at a stop, through the real adapter: what it answers, what it leaves behind, and for how long."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from helper import VERSION, Refused, call_expression
from table import DROPPED, Start

TENSORS = """
    import torch
    def step(count):
        image = torch.tensor([1.0, float("nan")])
        batch = {"image": image}
        other = {"image": image + 1}
        print("here")  # STOP
        print("after")
    step(3)
"""


def rows(answer: dict[str, Any]) -> dict[str, Any]:
    return {node["name"]: node for node in answer["rows"]["nodes"]}


@pytest.mark.parametrize("frameless", [False, True])
def test_the_variables_of_the_frame_come_in_one_answer(paused: Start, frameless: bool) -> None:
    _, stop, helper = paused(TENSORS, frameless=frameless)
    answer = helper.frame(stop)
    assert answer["function"] == "step"
    assert list(rows(answer)) == ["image", "batch", "other", "count", "global variables"]
    assert rows(answer)["image"]["line"] == "float32[2] · finite all 1 · 1 NaN"


@pytest.mark.parametrize("frameless", [False, True])
def test_the_files_of_the_frame_and_its_callers_are_told_with_the_ids_that_the_adapter_gives_them(
    start: Start, frameless: bool
) -> None:
    client, stop, helper = start(
        """
        exec(compile("def call(function):\\n    function()", "/srv/caller.py", "exec"))
        def step():
            print("here")  # STOP
        call(step)
        """,
        frameless=frameless,
    )
    told = helper.frame(stop)["files"]  # before the callers are asked for
    stack = client.stack(stop.thread)
    shown = {frame["id"]: (frame["source"]["path"], frame["line"]) for frame in stack}
    assert [frame["source"]["path"] for frame in stack][1:2] == ["/srv/caller.py"]
    assert [(one["file"], one["line"]) for one in told[:2]] == [shown[one["frame"]] for one in told[:2]]
    assert [one["frame"] for one in told[:2]] == [frame["id"] for frame in stack[:2]]


@pytest.mark.parametrize("frameless", [False, True])
def test_children_are_asked_for_later_in_the_same_stop(paused: Start, frameless: bool) -> None:
    _, stop, helper = paused(TENSORS, frameless=frameless)
    answer = helper.frame(stop)
    page = helper.children(stop, answer["snapshot"], rows(answer)["batch"]["id"])["page"]
    assert [node["path"] for node in page["nodes"]] == ["batch['image']"]


@pytest.mark.parametrize("frameless", [False, True])
def test_the_snapshot_is_gone_at_the_next_stop(start: Start, frameless: bool) -> None:
    client, stop, helper = start(TENSORS, frameless=frameless)
    answer = helper.frame(stop)
    later = client.step(stop.thread)
    with pytest.raises(Refused) as refused:
        helper.children(later, answer["snapshot"], 1)
    assert refused.value.code == "gone"
    assert rows(helper.frame(later))["count"]["line"] == "3"


@pytest.mark.parametrize("frameless", [False, True])
def test_a_tensor_that_was_shown_dies_when_the_program_drops_it(start: Start, frameless: bool) -> None:
    client, stop, helper = start(DROPPED, frameless=frameless)
    answer = helper.frame(stop, expanded={"big": {"rows": {"[0]": {"rows": {"values": {}}}}}})
    helper.children(stop, answer["snapshot"], rows(answer)["big"]["id"])
    helper.inspect(stop, "big[0]")
    client.run_to_end(client.resume(stop.thread).thread)
    assert client.output("stdout").split() == ["shown", "dead", "end"]


def test_nothing_is_left_in_the_frame_and_nothing_is_printed(start: Start) -> None:
    client, stop, helper = start(TENSORS)
    before = set(client.locals(stop.frame))
    helper.frame(stop)
    helper.inspect(stop, "batch['image']")
    assert set(client.locals(stop.frame)) == before
    assert client.output("stdout", "stderr", "console").strip() in ("", "here")
    client.run_to_end(stop.thread)
    assert client.output("stdout").split() == ["here", "after"]
    assert client.output("stderr") == ""


SHADOWED = """
    def stop():
        __import__ = sys = eval = exec = compile = object = type = tuple = c = getattr = None
        locals = globals = len = list = dict = str = print_ = None
        value = [1, 2]
        print("here")  # STOP
    stop()
"""


def test_a_frame_whose_names_shadow_the_builtins_is_read_all_the_same(start: Start) -> None:
    _, stop, helper = start(SHADOWED)
    assert rows(helper.frame(stop))["value"]["line"] == "list · 2: 1, 2"
    assert helper.inspect(stop, "value[1]")["line"] == "2"


PLACES = {
    "module": "value = [1]\nprint('here')  # STOP",
    "class body": "class Thing:\n    value = [1]\n    print('here')  # STOP",
    "method": "class Thing:\n    def run(self):\n        value = [1]\n        print('here')  # STOP\nThing().run()",
    "generator": "def run():\n    value = [1]\n    print('here')  # STOP\n    yield\nlist(run())",
    "coroutine": "import asyncio\nasync def run():\n    value = [1]\n    print('here')  # STOP\nasyncio.run(run())",
    "thread": "import threading\ndef run():\n    value = [1]\n    print('here')  # STOP\n"
    "t = threading.Thread(target=run)\nt.start()\nt.join()",
    "closure": "def outer(value):\n    def run():\n        print('here', value)  # STOP\n    run()\nouter([1])",
}


@pytest.mark.parametrize("source", PLACES.values(), ids=PLACES)
def test_every_kind_of_frame_is_read(start: Start, source: str) -> None:
    _, stop, helper = start(source)
    assert rows(helper.frame(stop))["value"]["line"] == "list · 1: 1"


def test_a_program_without_torch_is_read_and_does_not_get_it(start: Start) -> None:
    client, stop, helper = start("import sys\nvalue = {'a': (1, 2)}\nprint('here')  # STOP")
    answer = helper.frame(stop)
    assert answer["libraries"] == {}
    assert client.evaluate("'torch' in sys.modules or 'numpy' in sys.modules", stop.frame)["result"] == "False"


def test_packets_are_sent_at_once(start: Start) -> None:
    client, stop, helper = start("value = 1\nprint('here')  # STOP")
    helper.frame(stop)
    expression = (
        "__import__('_pydevd_bundle.pydevd_constants', fromlist=['x']).get_global_debugger()"
        ".writer.sock.getsockopt(6, 1)"
    )
    assert client.evaluate(expression, stop.frame)["result"] != "0"


def test_what_the_user_sets_is_seen_when_asked_again(start: Start) -> None:
    client, stop, helper = start(TENSORS)
    assert rows(helper.frame(stop))["count"]["line"] == "3"
    locals_ = next(scope for scope in client.scopes(stop.frame) if scope["name"] == "Locals")
    client.set_variable(locals_["variablesReference"], "count", "4")
    assert rows(helper.frame(stop))["count"]["line"] == "4"
    client.evaluate("image[0] = 8", stop.frame, context="repl")
    assert rows(helper.frame(stop))["image"]["line"] == "float32[2] · finite all 8 · 1 NaN"


def test_the_exception_of_a_stop_is_the_first_row(start: Start) -> None:
    source = """
        import torch
        def forward(x):
            return torch.nn.Linear(10, 5)(x)
        forward(torch.ones(32, 5))
    """
    _, stop, helper = start(source, exceptions=["uncaught"])
    answer = helper.frame(stop)
    assert answer["raised"] is True
    first = answer["rows"]["nodes"][0]
    assert first["name"] == "(exception)"
    assert first["type"] == "RuntimeError"
    assert "mat1 and mat2 shapes cannot be multiplied" in first["line"]
    assert first["line"].endswith(" in forward"), "the innermost place in the program's own code"


def test_values_that_calls_returned_are_shown_as_the_stock_view_names_them(start: Start) -> None:
    source = """
        def double(x):
            return [x, x]
        def run():
            double(2)  # STOP
            print("next")
        run()
    """
    client, stop, helper = start(source, showReturnValue=True)
    helper.frame(stop)
    later = client.step(stop.thread)
    returned = rows(helper.frame(later))["(return) double"]
    assert returned["line"] == "list · 2: 2, 2"
    assert client.evaluate(returned["path"], later.frame)["result"] == "[2, 2]"


@pytest.mark.parametrize("just_my_code", [True, False])
def test_our_code_never_stops_a_debugger_that_stops_at_raised_exceptions(start: Start, just_my_code: bool) -> None:
    source = """
        import torch
        value = {"a": torch.ones(3), "b": torch.empty(3, device="meta")}
        print("here")  # STOP
        print("end")  # STOP: end
    """
    client, stop, helper = start(source, justMyCode=just_my_code)
    client.request("setExceptionBreakpoints", {"filters": ["raised"]})
    helper.frame(stop, expanded={"value": {"rows": {"'b'": {}}}}, pins=[{"expression": "gone"}, {"expression": "f()"}])
    helper.inspect(stop, "value['a'][0]")
    later = client.resume(stop.thread)
    assert (later.reason, later.line) == ("breakpoint", stop.line + 1)


@pytest.mark.parametrize("expression", ["exit(3)", "1 / 0", "raise_it(", "(_ for _ in ()).throw(KeyboardInterrupt)"])
def test_what_the_users_expression_raises_is_an_answer(paused: Start, expression: str) -> None:
    _, stop, helper = paused(TENSORS)
    with pytest.raises(Refused) as refused:
        helper.evaluate(stop, expression)
    assert refused.value.code == "raised"
    assert rows(helper.frame(stop))["count"]["line"] == "3"


def test_a_property_that_never_ends_is_stopped_and_the_next_question_is_answered(start: Start) -> None:
    source = """
        class Slow:
            @property
            def endless(self):
                while True:
                    pass
        value = Slow()
        print("here")  # STOP
    """
    _, stop, helper = start(source)
    answer = helper.frame(stop, expanded={"value": {"rows": {"class properties": {}}}})
    lazy = rows(answer)["value"]["page"]["nodes"][0]["page"]["nodes"][0]
    [said] = helper.children(stop, answer["snapshot"], lazy["id"])["page"]["nodes"]
    assert re.fullmatch(r"stopped after \d\.\d s", said["line"])
    assert rows(helper.frame(stop))["value"]["line"] == "Slow"


@pytest.mark.parametrize("frameless", [False, True])
def test_a_frame_that_torch_compile_runs_is_read(paused: Start, frameless: bool) -> None:
    source = """
        import torch
        def body(x):
            for i in range(2):
                x = x + i
                torch._dynamo.graph_break()
                if i == 1:
                    print("here")  # STOP
            return x
        torch.compile(body, backend="eager")(torch.ones(3))
    """
    _, stop, helper = paused(source, frameless=frameless)
    answer = helper.frame(stop)
    assert rows(answer)["x"]["line"] == "float32[3] · all 2"
    assert answer["frameless"] is True


def test_a_request_that_is_none_is_refused_in_words(start: Start) -> None:
    client, stop, helper = start("value = 1\nprint('here')  # STOP")
    helper.frame(stop)
    reply = client.evaluate(call_expression({"op": "dance", "version": "tests"}), stop.frame, raw=True)["result"]
    assert reply == '{"op":"error","error":{"code":"bad_request","message":"there is no operation \'dance\'"}}'


def test_an_answer_keeps_to_its_limits_whatever_the_frame_holds(start: Start) -> None:
    source = """
        def run():
            names = {f"key number {i:06d} " + "x" * 80: "y" * 1000 for i in range(100_000)}
            print("here")  # STOP
        run()
    """
    client, stop, helper = start(source)
    answer = helper.frame(stop, page_size=5000, expanded={"names": {"count": 5000}})
    assert len(rows(answer)["names"]["page"]["nodes"]) < 500
    assert "more rows than one answer holds" in answer["cut"] or "more text" in answer["cut"]
    longest = max(len(str(message)) for way, message in client.traffic if way == "←")
    assert longest < 600_000


@pytest.mark.parametrize("frameless", [False, True])
def test_a_lens_is_asked_in_slices_and_what_is_left_of_it_is_gone_at_the_next_stop(
    start: Start, frameless: bool
) -> None:
    client, stop, helper = start(TENSORS, frameless=frameless)
    sides = {"a": {"expression": "batch"}, "b": {"expression": "other"}}
    assert helper.ask(stop, "lens", lens="compare", values=sides)["found"]["differences"] == 1
    begun = helper.ask(stop, "lens", lens="compare", values=sides, limits={"ms": 0.001})
    later = client.step(stop.thread)
    where = {"snapshot": begun["snapshot"], "resume": begun["resume"]}
    with pytest.raises(Refused) as refused:
        helper.ask(later, "lens", lens="compare", values=sides, **where)
    assert refused.value.code == "gone"


def test_while_the_program_runs_questions_that_name_no_frame_are_answered(start: Start) -> None:
    client, stop, helper = start("""
        import time
        def step():
            image = 1
            print("here")  # STOP
            while image:
                time.sleep(0.01)
        step()
    """)
    assert rows(helper.frame(stop))["image"]["line"] == "1"
    client.continue_(stop.thread)
    for question, code in (
        ({"values": {"a": {"expression": "image"}, "b": {"expression": "image"}}}, "no_frame"),
        ({"values": {"a": {"snapshot": 1, "node": 1}, "b": {"snapshot": 1, "node": 1}}}, "gone"),
    ):
        request = {"op": "lens", "version": VERSION, "lens": "compare", **question}
        reply = client.evaluate(call_expression(request), None, context="watch", raw=True)["result"]
        assert json.loads(reply)["error"]["code"] == code


def test_code_that_is_run_for_an_answer_writes_no_warning_of_the_debugger(start: Start) -> None:
    client, stop, helper = start("""
        import torch
        layer, x = torch.nn.Linear(2, 3), torch.ones(4, 2)
        print("here")  # STOP
    """)
    values = {"module": {"expression": "layer"}, "input1": {"expression": "x"}}
    assert helper.ask(stop, "lens", lens="shapes", values=values, options={"run": True})["done"]
    client.run_to_end(stop.thread)
    assert client.output() == "here\n"
