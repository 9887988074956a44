"""What was changed in place after the graph had saved it: a call and a line are said only where they surely did that."""

from __future__ import annotations

import pytest
from faulty import HEAD, said_of

NORM = """
class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 3)
        self.register_buffer("mean", torch.ones(3))
        self.reset()
    def reset(self):
        self.mean.fill_(1)
    def forward(self, x):
        h = self.l(x) * self.mean
        self.mean.mul_(0.9)  #
        return h.sum()
"""
STEP = """
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), 0.1)
x = torch.randn(4, 3, requires_grad=True)
"""

#: what is said to be changed, and by what; a program, with ``#`` at the line that is said to do it
CHANGES = {
    "a method that only another one's caller has run": (
        "c.mean (self.mean.mul_)",
        NORM.replace("        self.reset()\n", "") + "c = Norm()\nloss = c(torch.randn(4, 3))\nstop()\nloss.backward()",
    ),
    "a method that ran before it was saved": (
        "c.mean",
        NORM.replace(" #", "") + "c = Norm()\nh = c.l(torch.randn(4, 3))\nloss = (h * c.mean).sum()\n"
        "torch.add(c.mean, 1, out=c.mean)\nstop()\nloss.backward()",
    ),
    "a line of a method before the operation, and one after it": (
        "c.mean",
        """
class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 3)
        self.register_buffer("mean", torch.zeros(3))
    def forward(self, x):
        h = self.l(x)
        self.mean = self.mean.mul_(0.9)
        h = h * self.mean
        self.mean += h.detach().mean(0)  #
        return h.sum()
c = Norm()
loss = c(torch.randn(4, 3))
stop()
loss.backward()
""",
    ),
    "a method of a part of a Sequential": (
        "c[0].mean (self.mean.mul_)",
        NORM + "c = nn.Sequential(Norm(), nn.Identity())\nloss = c(torch.randn(4, 3)).sum()\nstop()\nloss.backward()",
    ),
    "the operation stands in the frame too": (
        "c.mean",
        NORM.replace(" #", "") + "c = Norm()\nloss = (c(torch.randn(4, 3)) * c.mean).sum()\n"
        "torch.add(c.mean, 1, out=c.mean)\nstop()\nloss.backward()",
    ),
    "a method that runs, below where it is": (
        "self.mean",
        """
class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 3)
        self.register_buffer("mean", torch.ones(3))
    def forward(self, x):
        loss = (self.l(x) * self.mean).sum()
        torch.add(self.mean, 1, out=self.mean)
        stop()
        loss.backward()
        self.mean.mul_(0.9)
Norm()(torch.randn(4, 3))
""",
    ),
    "a method under a condition": (
        "c.mean",
        NORM.replace("self.mean.mul_(0.9)  #", "if x is None: self.mean.mul_(0.9)")
        + "c = Norm()\nloss = c(torch.randn(4, 3))\ntorch.add(c.mean, 1, out=c.mean)\nstop()\nloss.backward()",
    ),
    "a step that is still to come": (
        "m.weight",
        STEP
        + """
loss = (m(x) ** 2).sum()
with torch.no_grad():
    for p in m.parameters(): p.clamp_(-0.01, 0.01)
stop()
loss.backward()
o.step()
""",
    ),
    "a step before the operation": (
        "m.weight",
        STEP
        + """
m(x).sum().backward()
o.step()
loss = (m(x) ** 2).sum()
with torch.no_grad():
    for p in m.parameters(): p.clamp_(-0.01, 0.01)
stop()
loss.backward()
""",
    ),
    "a step of another optimizer": (
        "m.weight",
        STEP
        + """
n = nn.Linear(3, 1)
q = torch.optim.SGD(n.parameters(), 0.1)
loss = (m(x) ** 2).sum()
n(x).sum().backward()
q.step()
with torch.no_grad():
    for p in m.parameters(): p.clamp_(-0.01, 0.01)
stop()
loss.backward()
""",
    ),
    "a step between": (
        "m.weight (o.step)",
        STEP
        + """
loss = (m(x) ** 2).sum()
m(x).sum().backward()
o.step()  #
stop()
loss.backward()
""",
    ),
    "a line before the operation": (
        "x",
        """
m = nn.Linear(3, 1)
x = torch.randn(4, 3)
x[0] = 1
loss = m(x).sum()
torch.add(x, 1, out=x)
stop()
loss.backward()
""",
    ),
    "a line under a condition": (
        "x",
        """
m = nn.Linear(3, 1)
x = torch.randn(4, 3)
loss = m(x).sum()
if m is None:
    x.mul_(2)
m is None and x.mul_(2)
torch.add(x, 1, out=x)
stop()
loss.backward()
""",
    ),
    "a line of what the name meant before": (
        "x",
        """
m = nn.Linear(3, 1)
x = torch.randn(4, 3)
x.mul_(2)
x = torch.randn(4, 3)
loss = m(x).sum()
torch.add(x, 1, out=x)
stop()
loss.backward()
""",
    ),
    "a line after the operation, of what was changed before too": (
        "x (x.mul_)",
        """
m = nn.Linear(3, 1)
x = torch.randn(4, 3)
x[0] = 1
loss = m(x).sum()
x.mul_(2)  #
stop()
loss.backward()
""",
    ),
    "one of two lines": (
        "x",
        """
m = nn.Linear(3, 1)
x = torch.randn(4, 3)
loss = m(x).sum()
x.mul_(2)
x.add_(2)
stop()
loss.backward()
""",
    ),
    "an item of a dict": (
        'd["x"]',
        """
m = nn.Linear(3, 1)
d = {"x": torch.randn(4, 3)}
loss = m(d["x"]).sum()
d["x"] += 1  #
stop()
loss.backward()
""",
    ),
    "a part of an item": (
        'd["x"]',
        """
m = nn.Linear(3, 1)
d = {"x": torch.randn(4, 3)}
loss = m(d["x"]).sum()
d["x"][0] = 1  #
stop()
loss.backward()
""",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_changed_it_is_said_only_where_that_is_sure(name: str) -> None:
    said, program = CHANGES[name]
    text = HEAD + "\n".join("    " + line for line in program.splitlines())
    changed, _, by_call = said.partition(" ")
    marked = next((number for number, line in enumerate(text.splitlines(), 1) if line.endswith("#")), None)
    found = said_of(text).found[0]
    assert found["title"].partition(" since ")[0] == (
        f"backward will fail: {changed} was changed in place{by_call and ' '}{by_call}"
    )
    assert (found["source"] or {}).get("line") == marked
