"""The steps in which the examples of rules stand, so that each can be run: what it leaves out, as short as possible."""

from __future__ import annotations

import textwrap

#: Of what no program can be made here, each with the reason.
NOT_RUN = {
    "device-mismatch": "needs a second device",
}

#: What is told of the right program too, in the step that its example needs: a column is constant there.
STILL_TOLD = {"nan-in-input": {"constant-feature"}}

#: What compares several rounds, and is asked at each call of `stop`: every line is only asked about twice.
IN_EACH_ROUND = {"graph-grows"}

_HEAD = """import copy, warnings
import numpy as np
import torch, torch.nn as nn, torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.optim.lr_scheduler import ExponentialLR, LambdaLR
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, Dataset, TensorDataset
warnings.simplefilter("ignore")


def train(stop):
    torch.manual_seed(0)
"""

_NET = """
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(32, 8), torch.randint(0, 3, (32,))
loader = [(torch.randn(32, 8), torch.randint(0, 3, (32,))) for _ in range(5)]
"""
_TO_NUMBERS = _NET.replace("torch.randint(0, 3, (32,))", "torch.randn(32, 3)")
_TO_ONE = _TO_NUMBERS.replace("nn.Linear(16, 3)", "nn.Linear(16, 1)").replace("torch.randn(32, 3)", "torch.randn(32)")
_TO_SHARE = _TO_ONE.replace("torch.randn(32)", "torch.rand(32, 1).round()")
_WITH_DROPOUT = _NET.replace("nn.ReLU()", "nn.ReLU(), nn.Dropout()")
_IMAGES = """
conv = model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(784, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
images, y = torch.randint(0, 256, (16, 3, 16, 16), dtype=torch.uint8), torch.randint(0, 2, (16,))
def to_tensor(image): return image.float() / 255
"""
_BODY_AND_HEAD = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Sequential(nn.Linear(8, 16), nn.ReLU()), nn.Linear(16, 3)
    def forward(self, x): return self.head(self.body(x))
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(32, 8), torch.randint(0, 3, (32,))
"""
_STEP = """
optimizer.zero_grad()
loss.backward()
optimizer.step()
"""
_STEP_OF_CLASSES = "loss = F.cross_entropy(model(x), y)" + _STEP
_STEP_OF_OUT = "loss = F.cross_entropy(out, y)" + _STEP
_STEP_OF_HEAD = (
    """
loss = F.cross_entropy(head(h), y)
optimizer = torch.optim.SGD([*layer.parameters(), *head.parameters()], lr=0.1)
"""
    + _STEP
)
_EPOCH = """
for x, y in loader:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
"""
_LOOK = "stop()\n"
_RECURRENT = """
cell, x = nn.RNNCell(8, 8), torch.randn(4, 8)
hidden = torch.zeros(4, 8)
"""


def _module(layers: str, *, init: str = "", forward: str = "def forward(self, x): return self.head(x)") -> str:
    """A class of a model that the example is a part of, its object and a step of it."""
    return f"""
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {layers}
        {init}
    {forward}
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(32, 8), torch.randint(0, 3, (32,))
"""


#: By the rule: the step, in which the example stands in the place of `{}`.
AROUND = {
    "dtype-mismatch": "table = np.random.rand(4, 8)\n{}\nstop()",
    "logits-to-prob-loss": _TO_SHARE + "{}" + _STEP,
    "batchnorm-batch-of-one": """
model = nn.Sequential(nn.Linear(8, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
data = TensorDataset(torch.randn(33, 8), torch.randn(33, 2))
{}
stop()
""",
    "nan-in-input": _TO_NUMBERS + "x[:, 3] = 1.0\n{}" + _STEP,
    "not-normalized": _IMAGES + "{}\n" + _STEP_OF_OUT,
    "normalized-twice": _IMAGES + "{}\n" + _STEP_OF_OUT,
    "constant-input": _NET + "pixels = np.random.randint(0, 256, (32, 8))\n{}\n" + _STEP_OF_OUT,
    "duplicate-samples": _NET
    + """
labels = torch.randint(0, 3, (32,))
{}
    def __len__(self): return 32
loader = [(x.float(), y) for x, y in DataLoader(Noisy(), batch_size=32)]
"""
    + _EPOCH,
    "constant-feature": _NET + "table, ages = torch.randn(32, 8), np.random.rand(32)\n{}\n" + _STEP_OF_OUT,
    "one-class-batch": """
sorted_by_class = TensorDataset(torch.randn(128, 8), torch.arange(128) // 32)
model = nn.Linear(8, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
{}
"""
    + _EPOCH,
    "split-overlap": "data = torch.randn(1000, 8)\n{}\nstop()",
    "log-of-zero": _NET + "y, probabilities = F.one_hot(y, 3), (model(x) * 3000).softmax(1)\n{}" + _STEP,
    "masked-row": """
x = torch.randn(4, 4, requires_grad=True)
scores, mask = x * 2, torch.zeros(4, 4, dtype=torch.bool)
mask[1] = True
{}
loss = (weights @ x).square().mean()
loss.backward()
stop()
""",
    "fp16-overflow": """
x, weight = torch.randn(8, 8) * 100, torch.randn(8, 8, requires_grad=True)
{}
loss = h.float().mean()
loss.backward()
""",
    "std-of-one": _TO_ONE + "{}" + _STEP,
    "nan-origin": "x = torch.zeros(8, requires_grad=True)\n{}\nloss.backward()",
    "nan-in-params": """
import os
os.chdir(os.path.dirname(__file__))
model = nn.Linear(8, 1)
torch.save(model.state_dict(), "last_good.pt")
loader = [(torch.randn(32, 8), torch.randn(32, 1)) for _ in range(40)]
{}
stop()
""",
    "nan-in-buffers": """
model, x = nn.Sequential(nn.Linear(8, 4), nn.BatchNorm1d(4)), torch.randn(8, 8)
x[0, 0] = torch.nan
{}
stop()
""",
    "nan-in-grad-only": """
model, x = nn.Linear(8, 3), torch.randn(4, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
distance = (model(x) - model(x)).square().sum(1)
{}
"""
    + _STEP,
    "exploding-grad": _NET + "{}\noptimizer.step()",
    "vanishing-grad": """
x, y = torch.randn(32, 8), torch.randint(0, 8, (32,))
{}
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"""
    + _STEP_OF_CLASSES,
    "nondifferentiable": _NET + "{}" + _STEP,
    "loss-without-grad": _NET + "{}\n" + _LOOK,
    "grad-mode-off": _NET + "{}\n" + _LOOK,
    "loss-rewrapped": _NET + "{}\noptimizer.step()",
    "frozen-params": _BODY_AND_HEAD + "{}\n" + _STEP_OF_CLASSES,
    "freeze-typo": _BODY_AND_HEAD + "{}\n" + _STEP_OF_CLASSES,
    "graph-cut": """
encoder, head = nn.Linear(8, 16), nn.Linear(16, 3)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(32, 8), torch.randint(0, 3, (32,))
{}
"""
    + _STEP,
    "checkpoint-cut": """
block, head = nn.Linear(8, 16), nn.Linear(16, 3)
optimizer = torch.optim.SGD([*block.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(32, 8), torch.randint(0, 3, (32,))
{}
loss = F.cross_entropy(head(out), y)
"""
    + _STEP,
    "unused-module": _module("self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 8)", forward="{}") + _STEP_OF_CLASSES,
    "unregistered-params": _module(
        "self.head = nn.Linear(8, 3)",
        init="{}",
        forward="def forward(self, x): return self.head(self.layers[2](self.layers[1](self.layers[0](x).relu()).relu()).relu())",
    )
    + _STEP_OF_CLASSES,
    "non-leaf-grad": "x = torch.randn(32, 8)\n{}",
    "inplace-modified": "x = torch.randn(32, 8, requires_grad=True)\n{}\nloss.backward()",
    "graph-freed": _RECURRENT + "for _ in range(3):\n    {}",
    "retained-graph": _NET + "total, history = 0, []" + _EPOCH + "    {}\n    stop()",
    "graph-grows": _RECURRENT + "for _ in range(6):\n    {}\n    stop()",
    "double-softmax": _NET + "{}" + _STEP,
    "double-sigmoid": _TO_SHARE + "{}" + _STEP,
    "nll-input-not-log": _NET + "{}" + _STEP,
    "kl-input-not-log": _NET + "y = torch.rand(32, 3).softmax(1)\n{}" + _STEP,
    "softmax-singleton": """
x, y = torch.randn(32, 8), torch.rand(32, 1)
{}
loss = F.mse_loss(p, y)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
"""
    + _STEP,
    "softmax-wrong-dim": _NET + "{}" + _STEP,
    "loss-broadcast": _TO_ONE + "{}" + _STEP,
    "all-targets-ignored": _NET + "loader[1] = (x, torch.full((32,), -100))\n{}\n    stop()",
    "label-out-of-range": _NET + "x, y = x[:3], torch.tensor([1, 2, 3])\n{}\n" + _LOOK,
    "class-dim": """
batch, time, classes = 4, 5, 3
head = nn.Linear(8, classes)
h, y = torch.randn(batch, time, 8), torch.randint(0, classes, (batch, time))
logits = head(h)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
{}
"""
    + _STEP,
    "loss-not-scalar": _TO_NUMBERS + "{}\n" + _LOOK,
    "target-requires-grad": _NET
    + "reward, next_x, actions = torch.randn(32), torch.randn(32, 8), torch.randint(0, 3, (32, 1))\n{}"
    + _STEP,
    "target-is-prediction": _TO_NUMBERS + "out = model(x)\n{}" + _STEP,
    "loss-sign": _TO_NUMBERS + "{}\noptimizer.step()",
    "param-not-in-optimizer": _BODY_AND_HEAD + "{}" + _STEP,
    "optimizer-stale-params": _BODY_AND_HEAD + "{}\n" + _STEP_OF_CLASSES,
    "lr-zero": _NET + "{}" + _EPOCH + "    scheduler.step()\n    stop()",
    "lr-too-low": _NET + "loader = loader * 6\n{}\n" + _LOOK,
    "step-without-grads": _NET + "loss = F.cross_entropy(model(x), y)\n{}\n" + _LOOK,
    "clip-before-unscale": _NET
    + "scaler, loss = torch.amp.GradScaler('cpu'), F.cross_entropy(model(x), y)\n{}\nstop()",
    "scaler-bypassed": _NET + "scaler, loss = torch.amp.GradScaler('cpu'), F.cross_entropy(model(x), y)\n{}\nstop()",
    "grads-accumulated": _NET + "{}\n    stop()",
    "lr-too-high": _TO_NUMBERS + "{}" + _EPOCH.replace("cross_entropy", "mse_loss"),
    "eps-underflow": _NET + "{}\n" + _LOOK,
    "weights-unchanged": _NET + "{}\n    stop()",
    "update-lost": _NET + "{}\nx = x.to(model[0].weight.dtype)\n" + _STEP_OF_CLASSES,
    "aliased-models": _NET
    + "net = model\ndel model\n{}\n    loss = F.mse_loss(net(x), target(x).detach())\n    loss.backward()",
    "tie-broken": """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.head = nn.Embedding(20, 8), nn.Linear(8, 20)
        {}
    def forward(self, ids): return self.head(self.embedding(ids))
model = Model()
stop()
""",
    "missing-grad": _module("self.encoder, self.head = nn.Linear(8, 16), nn.Linear(16, 3)", forward="{}")
    + _STEP_OF_CLASSES,
    "zero-grad-values": _TO_NUMBERS + "with torch.no_grad(): model[2].bias += 50\n{}" + _STEP,
    "eval-during-training": _WITH_DROPOUT + "def evaluate(model): pass\n{}\n    optimizer.zero_grad()",
    "train-during-eval": _WITH_DROPOUT + "test_loader, correct = loader, 0\n{}\n        stop()",
    "no-nonlinearity": """
x, y = torch.randn(32, 8), torch.randint(0, 3, (32,))
{}
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"""
    + _STEP_OF_CLASSES,
    "symmetric-init": _NET + "{}\n" + _STEP_OF_CLASSES,
    "dropout-in-eval": _module("self.head = nn.Linear(8, 3)", forward="{}") + "model.eval()\nout = model(x)\nstop()",
    "batch-mixing": _module("self.weight = nn.Parameter(torch.randn(8, 3))", forward="{}") + _STEP_OF_CLASSES,
    "dead-relu": "x, y, head = torch.randn(32, 8), torch.randint(0, 3, (32,)), nn.Linear(16, 3)\n{}" + _STEP_OF_HEAD,
    "saturated": """
x, y = torch.rand(32, 8) * 255, torch.randint(0, 3, (32,))
layer, head = model = nn.ModuleList([nn.Linear(8, 16), nn.Linear(16, 3)])
{}
"""
    + _STEP_OF_HEAD,
    "constant-output": _NET + "{}\n" + _LOOK,
    "ddp-bypassed": """
import tempfile
torch.distributed.init_process_group("gloo", init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1)
"""
    + _NET
    + "net = model\n{}"
    + _STEP
    + _LOOK,
}


def program_of(rule: str, example: str) -> str:
    """An example in its step; its lines have the indentation of the place."""
    before, _, after = AROUND[rule].partition("{}")
    line = before.rpartition("\n")[2]
    body = before + example.replace("\n", "\n" + line) + after
    return _HEAD + textwrap.indent(body, "    ") + "\n"
