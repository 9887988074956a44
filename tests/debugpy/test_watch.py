"""`watch` under the real debugger: the program stops in the user's own line, and goes on as from any other stop."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from client import Client, Stop
from table import Start

SOURCE = Path(__file__).parents[2] / "pyhelper" / "tensor_inspector"
TRAINING = """
    import torch
    import tensor_inspector as ti

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 2)

        def forward(self, x):
            hidden = self.layer(x) - 100
            return hidden.log()

    def train(model):
        loss = model(torch.ones(1, 2))
        total = loss.sum()
        total.backward()
        return "trained"

    def twice():
        ratio = torch.zeros(2) / 0
        share = ratio * 2
        other = torch.zeros(2).log() * 0
        last = other + 1
        return share, last

    print("here")  # STOP
    with ti.watch(WHAT, gear="exact", repeat=True):
        print(CALL)
    print("the end")
"""


def stopped(start: Start, what: str, call: str, **options: object) -> tuple[Client, Stop]:
    """At the first hit of a watch that looks for ``what`` while ``call`` runs."""
    client, stop, _ = start(TRAINING.replace("WHAT", repr(what)).replace("CALL", call), **options)
    return client, client.resume(stop.thread)


def test_it_stops_in_the_line_of_the_user_with_what_was_produced(start: Start) -> None:
    client, stop = stopped(start, "nan", "train(Model())")
    source = dedent(TRAINING).splitlines()
    assert (stop.reason, stop.function, source[stop.line - 1].strip()) == (
        "exception",
        "forward",
        "return hidden.log()",
    )
    information = client.request("exceptionInfo", {"threadId": stop.thread})
    said = information["description"]
    assert "NaN of log in Model, in forward, step 0" in said
    assert "went in: float32[1, 2]" in said
    assert client.evaluate("hidden.shape", stop.frame)["result"].endswith("[1, 2])")


@pytest.mark.parametrize("just_my_code", [True, False])
def test_no_frame_of_the_helper_or_of_torch_is_on_top(start: Start, just_my_code: bool) -> None:
    client, stop = stopped(start, "nan", "train(Model())", justMyCode=just_my_code)
    assert client.stack(stop.thread)[0]["name"] == "forward"


def test_the_program_goes_on_and_is_stopped_again(start: Start) -> None:
    client, stop = stopped(start, "nan", "twice()")
    assert stop.function == "twice"
    again = client.resume(stop.thread)
    assert (again.reason, again.function, again.line) == ("exception", "twice", stop.line + 2)
    assert client.run_to_end(again.thread) == 0
    assert "the end" in client.output("stdout")


def test_stepping_goes_on_from_that_line(start: Start) -> None:
    helper = {"path": f"{SOURCE}/**", "include": False}  # as where it is installed
    client, stop = stopped(start, "nan", "train(Model())", rules=[helper])
    later = client.step(stop.thread)
    assert (later.reason, later.function) == ("step", "train")
    after = client.step(later.thread)
    assert (after.function, after.line) == ("train", later.line + 1)
    assert client.evaluate("1 + 1", after.frame)["result"] == "2"
    client.run_to_end(after.thread)
