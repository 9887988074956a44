"""Observations: facts that are worth a look, each in a program that has it and not in one that is as it should be."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch
from asking import Paused
from faults import HEAD, with_fault, without_fault
from faulty import observed_in
from hostile import RAN, objects
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler
from untouched import Watch

from tensor_inspector import observations
from tensor_inspector.lenses.observations.ids import DETECTOR_IDS
from tensor_inspector.lenses.observations.reading import BoundedReading
from tensor_inspector.lenses.observations.registry import DETECTORS
from tensor_inspector.lenses.step import frames
from tensor_inspector.lenses.step.step import Step
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched

#: name: the detector, and a program: with the lines that begin with ``-`` it has the fact, with ``+`` it has not.
PROGRAMS: dict[str, tuple[str, str]] = {
    "experts_of_one_layer": (
        "one-layer-in-many-places",
        """
 class Mixture(nn.Module):
     def __init__(self):
         super().__init__()
-        self.experts = nn.ModuleList([nn.Linear(6, 6)] * 3)
+        self.experts = nn.ModuleList(nn.Linear(6, 6) for _ in range(3))
     def forward(self, x):
         return sum(expert(x) for expert in self.experts)
 net = Mixture()
 loss = net(torch.randn(4, 6)).pow(2).mean()
 loss.backward()
 stop()
""",
    ),
    "a_branch_by_name_twice": (
        "one-layer-in-many-places",
        """
 shared = nn.Linear(6, 2)
-heads = nn.ModuleDict({"left": shared, "right": shared})
+heads = nn.ModuleDict({"left": shared, "right": nn.Linear(6, 2)})
 stop()
""",
    ),
    "buckets_of_one_list": (
        "one-value-in-many-places",
        """
-buckets = [[]] * 4
+buckets = [[] for _ in range(4)]
 buckets[0].append(1.5)
 stop()
""",
    ),
    "states_of_one_tensor": (
        "one-value-in-many-places",
        """
 state, states = torch.zeros(3), []
 for step in range(4):
     state += 1
-    states.append(state)
+    states.append(state.clone())
 stop()
""",
    ),
    "weights_of_the_best_round": (
        "kept-but-live",
        """
 net, best = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)), None
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for step in range(3):
     loss = net(torch.randn(8, 4)).pow(2).mean()
     o.zero_grad()
     loss.backward()
     o.step()
     if step == 1:
-        best = net.state_dict()
+        best = copy.deepcopy(net.state_dict())
 stop()
""",
    ),
    "positions_of_a_walk": (
        "entries-share-memory",
        """
 place, walk = torch.zeros(2), []
 for step in range(4):
     place += torch.randn(2)
-    walk.append(place.detach())
+    walk.append(place.detach().clone())
 stop()
""",
    ),
    "counted_and_clipped": (
        "used-up",
        """
 net = nn.Linear(4, 2)
-trained = (p for p in net.parameters() if p.requires_grad)
+trained = [p for p in net.parameters() if p.requires_grad]
 amount = sum(p.numel() for p in trained)
 for step in range(2):
     loss = net(torch.randn(8, 4)).pow(2).mean()
     loss.backward()
     nn.utils.clip_grad_norm_(trained, 1.0)
     stop()
""",
    ),
    "batches_of_the_first_epoch": (
        "used-up",
        """
 data = torch.randn(6, 4)
-batches = iter([data[:3], data[3:]])
+batches = [data[:3], data[3:]]
 for epoch in range(2):
     for batch in batches:
         total = batch.sum()
     stop()
""",
    ),
    "none_of_this_class": (
        "nothing-left",
        """
 x, y = torch.randn(8, 4), torch.arange(8) % 3
-rare = x[y == 3]
+rare = x[y == 2]
 stop()
 centre = rare.mean(0)
""",
    ),
    "fewer_than_a_batch": (
        "no-batches",
        """
 from torch.utils.data import DataLoader, TensorDataset
 data = TensorDataset(torch.randn(10, 4))
-loader = DataLoader(data, batch_size=16, drop_last=True)
+loader = DataLoader(data, batch_size=16)
 stop()
""",
    ),
    "a_weight_for_each_class": (
        "weights-and-data",
        """
 from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler
 y = torch.arange(30) % 3
 by_class = 1 / y.bincount().float()
-drawn = WeightedRandomSampler(by_class, 30)
+drawn = WeightedRandomSampler(by_class[y], 30)
 loader = DataLoader(TensorDataset(torch.randn(30, 4), y), batch_size=6, sampler=drawn)
 stop()
""",
    ),
    "hits_of_a_column": (
        "all-pairs",
        """
 scores, truth = torch.randn(12, 3), torch.randint(0, 3, (12, 1))
 chosen = scores.argmax(1)
-right = (chosen == truth).float().mean()
+right = (chosen == truth.squeeze(1)).float().mean()
 stop()
""",
    ),
    "residuals_of_a_column": (
        "all-pairs",
        """
 made, truth = torch.randn(12), torch.randn(12, 1)
-bias = torch.sub(made, truth).mean()
+bias = torch.sub(made, truth[:, 0]).mean()
 stop()
""",
    ),
    "blind_to_its_input": (
        "the-same-for-every-sample",
        """
 net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
 x = torch.randn(16, 4)
-net[0].bias.data.fill_(-100)
+net[0].bias.data.fill_(0)
 out = net(x)
 stop()
""",
    ),
    "scores_of_each_question": (
        "equal-within-groups",
        """
 difficulty, answers = torch.randn(4).repeat_interleave(6), torch.randn(24)
-table = difficulty.view(4, 6)
+table = (difficulty + answers).view(4, 6)
 stop()
 gain = table - table.mean(1, keepdim=True)
""",
    ),
    "targets_without_spread": (
        "flat-and-no-gradient",
        """
 net, o = nn.Linear(4, 1), None
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 reward = torch.full((16,), 2.0)
+reward[0] = 3.0
 gain = reward - reward.mean()
 loss = (net(torch.randn(16, 4)).squeeze(1) * gain).mean()
 loss.backward()
 stop()
 o.step()
""",
    ),
    "the_end_is_the_padding": (
        "never-a-label",
        """
 rows = [torch.cat([torch.randint(1, 9, (n,)), torch.tensor([0])]) for n in (3, 5, 4, 6)]
 ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)
 goal = ids.clone()
-goal[goal == 0] = -100
+for row, one in zip(goal, rows):
+    row[len(one):] = -100
 stop()
""",
    ),
    "the_padding_is_read": (
        "mask-of-what-is-kept",
        """
 ids = torch.tensor([[5, 3, 7, 2], [4, 0, 0, 0], [6, 2, 0, 0]])
 words = nn.Embedding(8, 16)
 encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, batch_first=True), 1, enable_nested_tensor=False)
-mask = ids != 0
+mask = ids == 0
 stop()
 out = encoder(words(ids), src_key_padding_mask=mask)
""",
    ),
    "lengths_before_the_cut": (
        "longer-than-its-row",
        """
 rows = [torch.randn(size, 3) for size in (4, 9, 7)]
 x = nn.utils.rnn.pad_sequence(rows, batch_first=True)[:, :6]
-lengths = torch.tensor([len(row) for row in rows])
+lengths = torch.tensor([min(len(row), 6) for row in rows])
 stop()
""",
    ),
    "positions_in_half_precision": (
        "rounded-to-its-neighbour",
        """
-positions = torch.arange(1000).to(torch.bfloat16)
+positions = torch.arange(1000).float()
 stop()
""",
    ),
    "features_of_both_branches": (
        "one-value-in-many-places",
        """
 blank = torch.zeros(2, 3)
-pages = [blank, blank, blank]
+pages = [blank.clone() for _ in range(3)]
 for page in pages:
     page += torch.randn(2, 3)
 stop()
""",
    ),
    "weights_before_tuning": (
        "kept-but-live",
        """
 net = nn.Linear(4, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
-original = net.state_dict()
+original = copy.deepcopy(net.state_dict())
 net(torch.randn(8, 4)).pow(2).mean().backward()
 o.step()
 stop()
 moved = (net.weight - original["weight"]).norm()
""",
    ),
    "losses_kept_by_a_helper": (
        "default-of-all-calls",
        """
 def note(losses, loss):
     losses.append(loss)
-def fit(net, losses=[]):
+def fit(net, losses=None):
+    losses = [] if losses is None else losses
     note(losses, net(torch.randn(2, 3)).mean().item())
     stop()
 fit(nn.Linear(3, 1))
""",
    ),
    "lengths_of_packed_features": (
        "longer-than-its-row",
        """
 x = torch.randn(3, 6, 4)
-lengths = torch.tensor([8, 6, 5])
+lengths = torch.tensor([6, 6, 5])
 stop()
 packed = len(x) > 3 and nn.utils.rnn.pack_padded_sequence(x, lengths.cpu(), batch_first=True)
""",
    ),
    "a_backbone_with_norms_that_was_evaluated": (
        "part-in-eval",
        """
 body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8))
 net = nn.Sequential(body, nn.Linear(8, 2))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
-net[0].eval()
+net.train()
 stop()
""",
    ),
    "losses_of_all_calls": (
        "default-of-all-calls",
        """
-def fit(net, losses=[]):
+def fit(net, losses=None):
+    losses = [] if losses is None else losses
     losses.append(net(torch.randn(2, 3)).mean().item())
     stop()
     return losses
 for _ in range(2):
     fit(nn.Linear(3, 1))
""",
    ),
    "an_encoder_that_was_evaluated": (
        "part-in-eval",
        """
 class Reader(nn.Module):
     def __init__(self):
         super().__init__()
         self.body = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2))
         self.head = nn.Linear(8, 2)
     def forward(self, x):
         return self.head(self.body(x))
 net = Reader()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 net.body.eval()
+net.train()
 loss = net(torch.randn(8, 4)).pow(2).mean()
 loss.backward()
 stop()
 o.step()
""",
    ),
}
#: Healthy programs that have something alike.
HEALTHY = {
    "one activation in many places": "act = nn.ReLU()\nnet = nn.Sequential(nn.Linear(4, 4), act, nn.Linear(4, 2), act)",
    "parameters by their names": "net = nn.Linear(4, 2)\nparams = dict(net.named_parameters())",
    "rows of one table": "table = torch.randn(4, 3)\nrows = [table[at] for at in range(4)]",
    "a generator that nobody asks again": "made = (x for x in range(3))\ntotal = sum(made)",
    "to be filled": "kept = torch.empty(0, 4)\nnone = torch.tensor([])",
    "all pairs on purpose": "a = torch.randn(6)\npairs = a[:, None] == a",
    "a frozen part in eval": (
        "net = nn.Sequential(nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5)), nn.Linear(4, 2))\n"
        "net[0].eval().requires_grad_(False)"
    ),
    "a padding mask that leaves the ends out": (
        "x = torch.randn(3, 5, 8)\nattention = nn.MultiheadAttention(8, 2, batch_first=True)\n"
        "left_out = torch.arange(5)[None] >= torch.tensor([2, 5, 3])[:, None]\n"
        "out, _ = attention(x, x, x, key_padding_mask=left_out)"
    ),
    "lengths of samples, not of frames": "x = torch.randn(3, 20)\nlengths = torch.tensor([3200, 1600, 3000])",
    "a few numbers in half precision": "steps = torch.arange(200).half()\nnoise = torch.randn(4000).half()",
    "a default that is a cache": (
        "def table(size, cache={}):\n    cache[size] = torch.arange(size)\n    stop()\n    return cache[size]\n"
        "table(3)\ntable(4)"
    ),
    "padding that is no end": (
        "ids = torch.tensor([[3, 4, 9, 0], [5, 6, 7, 9]])\ngoal = ids.clone()\ngoal[goal == 0] = -100"
    ),
    "defaults that are only read": (
        'def fit(net, betas=[0.9, 0.999], opts={"lr": 1e-3}):\n'
        "    o = torch.optim.Adam(net.parameters(), betas=tuple(betas), **opts)\n    stop()\nfit(nn.Linear(2, 2))"
    ),
    "padding on the left, to one length": (
        "keep = torch.tensor([[0, 0, 1, 1], [0, 1, 1, 1]])\nx = torch.randn(2, 4, 8)\npad = keep == 0\n"
        "attention = nn.MultiheadAttention(8, 2, batch_first=True)\nout, _ = attention(x, x, x, key_padding_mask=pad)"
    ),
    "holes in a mask": (
        "x, left_out = torch.randn(2, 4, 8), torch.tensor([[1, 0, 1, 0], [1, 1, 0, 1]]).bool()\n"
        "attention = nn.MultiheadAttention(8, 2, batch_first=True)\nout, _ = attention(x, x, x, key_padding_mask=left_out)"
    ),
    "a token for each image": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.cls, self.pos = nn.Parameter(torch.randn(1, 1, 8)), nn.Parameter(torch.randn(1, 5, 8))\n"
        "        self.mix = nn.Linear(8, 8)\n"
        "    def forward(self, x):\n        first = self.cls.expand(len(x), -1, -1)\n"
        "        places = self.pos.expand(len(x), -1, -1)\n        copies = self.cls.repeat(len(x), 1, 1)\n"
        "        y = self.mix(torch.cat([first, x], 1) + places)\n        stop()\n        return y\n"
        "net, x = Net(), torch.randn(3, 4, 8)\nout = net(x)"
    ),
    "a layer that makes a row for each sample": (
        "class Start(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.first = nn.Parameter(torch.randn(1, 8))\n"
        "    def forward(self, x):\n        return self.first.repeat(len(x), 1)\n"
        "start, x = Start(), torch.randn(4, 8)\nfirst = start(x)"
    ),
    "a head of zeros at the first step": (
        "net, x = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 3)), torch.randn(6, 4)\n"
        "nn.init.zeros_(net[1].weight)\nnn.init.zeros_(net[1].bias)\nout = net(x)"
    ),
    "gates that begin half open": (
        "net, x = nn.Sequential(nn.Linear(4, 8), nn.Sigmoid()), torch.randn(6, 4)\n"
        "nn.init.zeros_(net[0].weight)\nnn.init.zeros_(net[0].bias)\ngate = net(x)"
    ),
    "ids that are the labels": 'ids = torch.randint(1, 9, (2, 5))\nbatch = {"input_ids": ids, "labels": ids}',
    "query, key and value": "x = torch.randn(2, 5, 8)\nqkv = (x, x, x)\nmore = [x, x, x]",
    "a state of two": (
        "h = torch.zeros(1, 2, 6)\nstate = (h, h)\nboth = [h, h]\nh += 1\n"
        "out, state = nn.LSTM(3, 6, batch_first=True)(torch.randn(2, 4, 3), state)"
    ),
    "gradients that were cleared": (
        "net, target = nn.Linear(4, 1), torch.full((16,), 2.0)\no = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for step in range(2):\n    loss = (net(torch.randn(16, 4)).squeeze(1) - target).pow(2).mean()\n"
        "    o.zero_grad(set_to_none=False)\n    stop()\n    loss.backward()\n    o.step()"
    ),
    "no box is sure": (
        "boxes, score = torch.rand(6, 4), torch.rand(6)\nleft = boxes[score > 2]\nplaces = (boxes > 100).nonzero()\n"
        "for box in left:\n    print(box)"
    ),
    "a mean where there is something": (
        "x, y = torch.randn(8, 4), torch.arange(8) % 3\nrare = x[y == 3]\nstop()\n"
        "centre = rare.mean(0) if len(rare) else None\nif len(rare):\n    spread = rare.std(0)"
    ),
    "a batch without a picture": (
        "net = nn.Linear(4, 1)\nfor x in (torch.randn(3, 4), torch.randn(0, 4)):\n"
        "    loss = net(x).sum() / max(len(x), 1)\n    stop()\n    loss.backward()"
    ),
    "norms whose statistics are frozen": (
        "net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8)))\n"
        "for part in net.modules():\n    if isinstance(part, nn.BatchNorm1d):\n        part.eval()\n"
        "o = torch.optim.SGD(net.parameters(), lr=0.1)"
    ),
    "a state that is saved at once": (
        "net = nn.Linear(4, 2)\no = torch.optim.SGD(net.parameters(), lr=0.1)\nfor epoch in range(2):\n"
        "    net(torch.randn(8, 4)).pow(2).mean().backward()\n    o.step()\n"
        "    if epoch % 2 == 0:\n        state = net.state_dict()\n        size = len(state)\n        stop()"
    ),
    "a length for each place": (
        "sizes = torch.tensor([4.0, 2.0, 3.0])\nx = torch.randn(3, 5)\nwide = sizes[:, None].expand(3, 5)\n"
        "mean = wide.mean(1)"
    ),
    "a noise level for each row": (
        "sigma, x = torch.rand(4, 1).repeat(1, 6), torch.randn(4, 6)\nnoisy = x + sigma * torch.randn_like(x)"
    ),
    "pooled features beside lengths": "lengths, pooled = torch.tensor([100, 70, 80]), torch.randn(3, 64)",
    "pairs of one class": (
        "labels = torch.randint(0, 3, (6,))\nn = labels.unsqueeze(1)\nsame = labels == n\n"
        "column = labels.view(-1, 1)\nalike = torch.eq(column, labels)"
    ),
    "padded to one length": (
        "ids = torch.tensor([[3, 4, 9, 0], [5, 9, 0, 0]])\ngoal = ids.clone()\ngoal[goal == 0] = -100"
    ),
}


def program(text: str) -> str:
    return HEAD + "\n".join(f"    {line}" for line in text.splitlines()) + "\n    stop()\n"


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_detector_sees_its_fact_first(name: str) -> None:
    id, text = PROGRAMS[name]
    for seen in observed_in(HEAD + with_fault(text)):
        assert seen[0]["rule"] == id
        assert (seen[0]["tier"], seen[0]["severity"], seen[0]["consequences"]) == ("look", "hint", [])
        assert all(one["fact"] for one in seen[0]["evidence"])


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_without_the_fact_has_nothing_worth_a_look(name: str) -> None:
    assert [one["title"] for seen in observed_in(HEAD + without_fault(PROGRAMS[name][1])) for one in seen] == []


@pytest.mark.parametrize("name", HEALTHY)
def test_what_is_alike_and_healthy_is_left_alone(name: str) -> None:
    assert [one["title"] for seen in observed_in(program(HEALTHY[name])) for one in seen] == []


def test_every_detector_has_a_program_a_reason_and_a_rank() -> None:
    assert {id for id, _ in PROGRAMS.values()} == {detector.id for detector in DETECTORS} == DETECTOR_IDS
    assert all(detector.because and detector.one_in >= 10 for detector in DETECTORS)


def test_what_is_rarest_in_healthy_programs_comes_first() -> None:
    weights = torch.ones(3)
    loader = DataLoader(TensorDataset(torch.randn(9, 2)), sampler=WeightedRandomSampler(weights, 9))
    row: list[float] = []
    rows = [row, row, row]
    seen = [one["rule"] for one in observations()]
    assert seen == ["weights-and-data", "one-value-in-many-places"]
    assert str(observations(ignore=seen)) == f"{len(DETECTORS) - 2} detectors, nothing worth a look"


def step() -> Any:
    """The frame of a step with something to see for several detectors."""
    layer = nn.Linear(4, 4)
    model = nn.Sequential(layer, layer, nn.Dropout(0.1), nn.Linear(4, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    spent = model.parameters()
    kept, x, y = model.state_dict(), torch.randn(6, 4), torch.tensor([0, 1, 0, 1, 0, 1])
    chosen, column = model(x).argmax(1), y[:, None]
    amount = sum(p.numel() for p in spent)
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    frame = sys._getframe()
    hits = chosen == column
    optimizer.step()
    size = len(kept)
    return frame, (model, optimizer, kept, x, y, chosen, column, loss)


def test_looking_changes_nothing() -> None:
    frame, held = step()
    observations(frame)  # what torch and we load for the first look
    with Watch(held) as watch:
        seen = observations(frame)
    assert {one["rule"] for one in seen} == {"one-layer-in-many-places", "kept-but-live", "all-pairs"}
    assert watch.changes() == []


@pytest.mark.parametrize("name", objects())
def test_no_code_of_a_hostile_object_runs(name: str) -> None:
    hostile = objects()[name]
    several, named = [hostile, hostile], {"one": hostile, "other": hostile}
    RAN.clear()
    seen = observations(sys._getframe())
    assert RAN == []
    assert [reason for _, reason in seen.skipped] == []


def test_a_name_that_no_detector_has_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no detector 'used_up'"):
        observations(ignore=["used_up"])


def test_what_there_is_no_time_for_is_said() -> None:
    seen = observations(budget_ms=0)
    assert not seen.complete
    assert {reason for _, reason in seen.skipped} == {"no time"}


class Clock:
    """Stands still until a test sets it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def stop_in(text: str, folder: Path, look: Callable[[FrameType], None]) -> None:
    """Runs a program, which shows each of its stops to ``look``."""
    path = folder / "program.py"
    path.write_text(text)
    spec: Any = importlib.util.spec_from_file_location("program", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    made.train(lambda: look(sys._getframe(1)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_detector_ends_where_the_time_is_over(name: str, tmp_path: Path) -> None:
    id, text = PROGRAMS[name]
    (asked,) = (detector for detector in DETECTORS if detector.id == id)
    in_time: list[Any] = []
    late: list[Any] = []

    def look(frame: FrameType) -> None:
        clock = Clock()
        budget = Budget(1000, clock=clock)
        visible = frames.nearest(frame)
        assert visible is not None
        with Untouched():
            step = Step(frames.in_sight(visible), budget, thorough=True, grad_mode=True)
            in_time.extend(asked.look(step, BoundedReading(budget)))
            clock.now = 2
            late.extend(asked.look(step, BoundedReading(budget)))

    stop_in(HEAD + with_fault(text), tmp_path, look)
    assert in_time
    assert late == []


def test_one_of_a_thousand_parts_in_eval_is_looked_at_once() -> None:
    net = nn.Sequential(*(nn.BatchNorm1d(2) for _ in range(1000)))
    for part in net:
        part.eval()
    visible = frames.nearest(sys._getframe())
    assert visible is not None
    reads = []

    def clock() -> float:
        reads.append(1)
        return 0.0

    budget = Budget(1000, clock=clock)
    step = Step(frames.in_sight(visible), budget, thorough=True, grad_mode=True)
    (asked,) = (detector for detector in DETECTORS if detector.id == "part-in-eval")
    before = len(reads)
    assert list(asked.look(step, BoundedReading(budget))) == []
    assert len(reads) - before == 1001


def test_a_value_that_is_too_large_to_read_is_said() -> None:
    ids = torch.zeros(2, 1_200_000, dtype=torch.int8)
    labels = ids - 1
    seen = observations()
    assert "never-a-label" in seen.checked
    assert seen.skipped == [("never-a-label", "labels not read: too many elements")]
    assert str(seen).endswith("nothing worth a look, 1 not checked: labels not read: too many elements")


def test_gradients_that_are_too_many_to_read_are_said() -> None:
    net = nn.Linear(1 << 20, 5)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loss = net(torch.zeros(1, 1 << 20)).mul(0).sum()
    loss.backward()
    seen = observations()
    assert [one["rule"] for one in seen] == []
    assert seen.skipped == [("flat-and-no-gradient", "the gradients not read: too many elements")]


def test_most_tables_are_told_apart_by_their_last_columns() -> None:
    tables = [torch.arange(start, start + (1 << 22)).view(2, -1) for start in range(3)]
    assert observations().skipped == []


def test_a_pair_that_torch_can_not_compare_leaves_the_others_to_be_compared() -> None:
    if not hasattr(torch, "uint16"):
        pytest.skip("torch has no such dtype yet")
    small = torch.tensor([[3, 4, 9, 0, 0], [5, 6, 0, 0, 0]]).to(torch.uint16)
    hidden = torch.tensor([[3, 4, 9, 8, 8], [5, 6, 8, 8, 8]]).to(torch.uint16)
    ids = torch.tensor([[3, 4, 9, 0, 0], [5, 6, 0, 0, 0]])
    labels = torch.tensor([[3, 4, 9, -100, -100], [5, 6, -100, -100, -100]])
    seen = observations()
    assert [one["title"] for one in seen] == ["no label is 0: all 2 rows of ids end with it"]
    assert {(id, "not read: " in reason) for id, reason in seen.skipped} == {("never-a-label", True)}
    assert any(reason.startswith("hidden ") for _, reason in seen.skipped)


@pytest.mark.parametrize("name", objects())
def test_no_code_of_a_hostile_object_runs_where_torch_keeps_it(name: str) -> None:
    hostile = objects()[name]
    weights = torch.ones(9)
    loader = DataLoader(TensorDataset(torch.randn(9, 2)), sampler=WeightedRandomSampler(weights, 9))
    others = [DataLoader(TensorDataset(torch.randn(9, 2)), batch_size=3) for _ in range(3)]
    for other, key in zip(others, ("sampler", "batch_sampler", "dataset")):
        vars(other)[key] = hostile
    vars(loader.sampler)["weights"] = hostile
    net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
    net._modules["part"] = net._modules["same"] = hostile
    net._buffers["kept"] = net._parameters["weight"] = hostile
    net[1].eval()
    vars(net[1])["p"] = hostile
    RAN.clear()
    seen = observations(sys._getframe())
    assert RAN == []
    assert [reason for _, reason in seen.skipped] == []


def test_a_name_in_the_list_of_what_is_ignored_that_nobody_has_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, _ = step()
    paused = Paused(frame, monkeypatch)
    ignored = "kept-but-live lr-zero shape-mismatch kept-alive"
    skipped = paused.lens("observations", options={"ignore": ignored})["found"]["skipped"]
    assert skipped == [
        {"rule": "kept-alive", "reason": "there is no such detector"},
        {"rule": "kept-but-live", "reason": "ignored"},
    ]


def test_in_a_paused_program_each_opens_to_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, _ = step()
    paused = Paused(frame, monkeypatch)
    answer = paused.ask("lens", lens="observations", values={}, options={"ignore": "kept-but-live"})
    while not answer["done"]:
        answer = paused.ask("lens", lens="observations", values={}, options={}, resume=answer["resume"])
    first, second = answer["node"]["page"]["nodes"]
    assert (answer["node"]["line"], first["kind"], "badges" in first) == ("2 things worth a look", "finding", False)
    below = paused.ask("children", snapshot=answer["snapshot"], node=second["id"], start=0, count=9)["page"]["nodes"]
    assert [node["name"] for node in below] == ["chosen", "column", "why", "try"]
    (value,) = paused.ask("children", snapshot=answer["snapshot"], node=below[1]["id"], start=0, count=9)["page"][
        "nodes"
    ]
    assert value["line"].startswith("int64[6, 1]")
