"""`gradcheck` through the real adapter: a wrong backward in the paused program, which goes on as if it had not been asked."""

from __future__ import annotations

from client import Client, stop_lines
from helper import Helper
from table import PROGRAMS

QUESTION = {"lens": "gradcheck", "values": {"function": {"expression": "clipped"}, "input1": {"expression": "x"}}}


def test_the_entries_that_disagree_are_told_and_the_program_goes_on_as_it_was() -> None:
    program = PROGRAMS / "s19_custom_function.py"
    with Client() as client:
        stop = client.launch(program, breakpoints=stop_lines(program).values())
        helper = Helper(client)
        answer = helper.ask(stop, "lens", **QUESTION, options={"run": True})
        while not answer["done"]:
            where = {"snapshot": answer["snapshot"], "resume": answer["resume"]}
            answer = helper.ask(stop, "lens", **QUESTION, options={"run": True}, **where)
        found = answer["found"]
        assert [(one["index"], one["analytic"], one["numeric"]) for one in found["worst"]] == [
            ([0, 2], 6, 0), ([1, 1], -5, 0),
        ]  # fmt: skip
        assert (found["looked_at"], found["wrong"], found["unsure"]) == (6, 2, 0)
        assert answer["node"]["line"].startswith("wrong · 2 of 6 entries disagree · x[0, 2]: 6, ")
        assert answer["node"]["badges"] == ["wrong"]
        assert client.run_to_end(stop.thread) == 0
