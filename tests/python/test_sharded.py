"""A model that FSDP has cut up and left under its own names: each rank compares and tells the part that it has."""

from __future__ import annotations

import pytest
import torch
from test_ranks import on_two_ranks

import tensor_inspector as ti

PROGRAM = """
import copy, json
import torch, torch.distributed as dist, torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
import tensor_inspector as ti

def wrapped(model):
    return FSDP(copy.deepcopy(model), use_orig_params=True, device_id=torch.device("cpu"))

def told(a, b):
    found = ti.compare(a, b)
    return [[one["what"] for one in found.differences], [one["text"] for one in found.not_compared], bool(found)]

torch.set_num_threads(1)
dist.init_process_group("gloo")
torch.manual_seed(0)
plain = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))
model, twin = wrapped(plain), wrapped(plain)
answer = {
    "here": [parameter.numel() for parameter in model.parameters()],
    "equal": [told(plain, model), told(model, plain), told(plain.state_dict(), model)], "twin": told(model, twin),
}
with torch.no_grad():
    for parameter in plain.parameters():
        parameter.add_(1)
answer["other"] = told(plain, model)
wider = nn.Sequential(nn.Linear(5, 3), nn.Linear(3, 2))
pairs = [(wider, model), (model, wider), (wider.state_dict(), model), (wrapped(wider), model)]
answer["wider"] = [[one["text"] for one in ti.compare(*pair).differences if one["what"] == "shape"] for pair in pairs]
answer["apart"] = told(wrapped(wider), model)[1]
model(torch.ones(2, 4)).sum().backward()
found = ti.gradients(model)
answer["gradients"] = [found["none"], found["empty"], sorted(row["state"] for row in found["rows"]), str(found)]
dist.barrier()
print(json.dumps(answer))
dist.destroy_process_group()
"""
APART = "not compared: this rank has other elements of one than of the other"
NONE = "not compared: this rank has none of its elements"


@pytest.mark.skipif(not torch.distributed.is_available(), reason="torch without distributed")
def test_of_parameters_that_fsdp_has_cut_up_each_rank_tells_its_part() -> None:
    answers = on_two_ranks(PROGRAM)
    assert [sum(answer["here"]) for answer in answers] == [13, 10]
    assert any(APART in answer["apart"] for answer in answers)
    for answer in answers:
        absent = answer["here"].count(0)
        assert absent > 0
        for what, not_compared, _ in answer["equal"]:
            assert set(what) <= {"type", "names"}
            assert not_compared == [NONE] * absent
        assert answer["twin"] == [
            [], ["not compared: modes, hooks and what FSDP keeps beside the parameters"], False
        ]  # fmt: skip
        assert answer["other"][0] == ["type"] + ["values"] * (4 - absent)
        assert answer["wider"] == [
            ["shape [3, 5] → [3, 4]"], ["shape [3, 4] → [3, 5]"], ["shape [3, 5] → [3, 4]"], ["shape [3, 5] → [3, 4]"]
        ]  # fmt: skip
        none, empty, states, text = answer["gradients"]
        assert (none, empty, states.count("empty")) == (0, absent, absent)
        assert f" · {absent} without elements on this rank · " in text
        assert "without elements on this rank, so no gradient" in text
        assert "None" not in text


def test_a_parameter_without_elements_lacks_no_gradient() -> None:
    model = torch.nn.ParameterDict(
        {"none": torch.nn.Parameter(torch.empty(0)), "one": torch.nn.Parameter(torch.ones(1))}
    )
    model["one"].square().sum().backward()
    found = ti.gradients(model)
    assert (found["none"], found["empty"]) == (0, 1)
