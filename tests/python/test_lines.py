"""The line that a finding points to: the one that a person would change."""

from __future__ import annotations

import pytest
from faulty import HEAD, said_of

#: the rule; a script, whose names mean nothing, with ``#`` at the line
LINES = {
    "softmax in the call of the loss": (
        "double-softmax",
        """
a1 = nn.Linear(6, 3)
b2 = F.cross_entropy(torch.softmax(a1(torch.randn(8, 6)), -1), torch.randint(0, 3, (8,)))  #
b2.backward()
stop()
""",
    ),
    "softmax in forward": (
        "double-softmax",
        """
class K1(nn.Module):
    def __init__(self):
        super().__init__()
        self.a1 = nn.Linear(6, 3)
    def forward(self, c3):
        d4 = self.a1(c3)
        return d4.softmax(dim=1)  #
e5 = K1()
f6 = e5(torch.randn(8, 6))
g7 = F.cross_entropy(f6, torch.randint(0, 3, (8,)))
g7.backward()
stop()
""",
    ),
    "softmax in a function": (
        "double-softmax",
        """
a1 = nn.Linear(6, 3)
def b2(c3):
    return torch.softmax(a1(c3), 1)  #
d4 = b2(torch.randn(8, 6))
e5 = F.cross_entropy(d4, torch.randint(0, 3, (8,)))
e5.backward()
stop()
""",
    ),
    "softmax after another one that is right": (
        "double-softmax",
        """
class K1(nn.Module):
    def __init__(self):
        super().__init__()
        self.a1, self.b2, self.c3 = nn.Linear(6, 6), nn.Softmax(-1), nn.Linear(6, 3)
    def forward(self, d4):
        return self.c3(d4 * self.b2(self.a1(d4)))
e5 = K1()
f6 = e5(torch.randn(8, 6))
g7 = F.softmax(f6, dim=1)  #
h8 = F.cross_entropy(g7, torch.randint(0, 3, (8,)))
h8.backward()
stop()
""",
    ),
    "softmax in the second of two models": (
        "double-softmax",
        """
a1 = nn.Sequential(nn.Linear(6, 6), nn.Softmax(-1))
b2 = nn.Sequential(nn.Linear(6, 3), nn.Softmax(-1))  #
c3 = b2(a1(torch.randn(8, 6)))
d4 = F.cross_entropy(c3, torch.randint(0, 3, (8,)))
d4.backward()
stop()
""",
    ),
    "sigmoid as a layer of a class": (
        "double-sigmoid",
        """
class K1(nn.Module):
    def __init__(self):
        super().__init__()
        self.a1 = nn.Linear(6, 1)
        self.b2 = nn.Sigmoid()  #
    def forward(self, c3):
        return self.b2(self.a1(c3))
d4, e5 = K1(), nn.BCEWithLogitsLoss()
f6 = e5(d4(torch.randn(8, 6)), torch.rand(8, 1))
f6.backward()
stop()
""",
    ),
    "eval before the loop": (
        "eval-during-training",
        """
a1 = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 3))
b2 = torch.optim.SGD(a1.parameters(), lr=0.1)
a1.eval()  #
for _ in range(2):
    c3 = F.cross_entropy(a1(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
    b2.zero_grad()
    c3.backward()
    stop()
    b2.step()
""",
    ),
    "eval where the trainer is made": (
        "eval-during-training",
        """
class K1:
    def __init__(self):
        self.a1 = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 3))
        self.b2 = torch.optim.SGD(self.a1.parameters(), lr=0.1)
        self.a1.eval()  #
    def d4(self, e5, f6):
        c3 = F.cross_entropy(self.a1(e5), f6)
        self.b2.zero_grad()
        c3.backward()
        stop()
        self.b2.step()
g7 = K1()
g7.d4(torch.randn(8, 6), torch.randint(0, 3, (8,)))
""",
    ),
    "eval as the model is made": (
        "eval-during-training",
        """
a1 = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 3)).eval()  #
b2 = torch.optim.SGD(a1.parameters(), lr=0.1)
c3 = F.cross_entropy(a1(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
b2.zero_grad()
c3.backward()
stop()
b2.step()
""",
    ),
    "a layer that nothing calls": (
        "unused-module",
        """
class K1(nn.Module):
    def __init__(self):
        super().__init__()
        self.a1, self.b2 = nn.Linear(6, 8), nn.Linear(8, 3)
        self.c3 = nn.LayerNorm(8)  #
    def forward(self, d4):
        return self.b2(self.a1(d4).relu())
e5 = K1()
f6 = torch.optim.SGD(e5.parameters(), lr=0.1)
g7 = F.cross_entropy(e5(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
f6.zero_grad()
g7.backward()
stop()
f6.step()
""",
    ),
    "a list in the middle of forward": (
        "missing-grad",
        """
class K1(nn.Module):
    def __init__(self):
        super().__init__()
        self.a1, self.b2 = nn.Linear(6, 8), nn.Linear(8, 2)
    def forward(self, c3):
        d4 = self.a1(c3)
        d4 = torch.tensor(d4.tolist())  #
        return self.b2(d4)
e5 = K1()
f6 = torch.optim.SGD(e5.parameters(), lr=0.1)
g7 = F.cross_entropy(e5(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
f6.zero_grad()
stop()
g7.backward()
f6.step()
""",
    ),
    "cleared in a method that steps too": (
        "step-without-grads",
        """
class K1:
    def __init__(self):
        self.a1 = nn.Linear(6, 2)
        self.b2 = torch.optim.SGD(self.a1.parameters(), lr=0.01)
    def c3(self):
        self.b2.zero_grad()  #
        self.b2.step()
    def d4(self, e5, f6):
        g7 = F.cross_entropy(self.a1(e5), f6)
        g7.backward()
        stop()
        self.c3()
h8 = K1()
for _ in range(2):
    h8.d4(torch.randn(8, 6), torch.randint(0, 2, (8,)))
""",
    ),
    "cleared in a function that is given the optimizer": (
        "step-without-grads",
        """
a1 = nn.Linear(6, 2)
b2 = torch.optim.SGD(a1.parameters(), lr=0.01)
def c3(d4):
    d4.zero_grad()  #
for _ in range(2):
    e5 = F.cross_entropy(a1(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
    e5.backward()
    stop()
    c3(b2)
    b2.step()
""",
    ),
    "a difference in the loss": (
        "loss-broadcast",
        """
a1 = nn.Linear(6, 1)
b2, c3 = torch.randn(8, 6), torch.randn(8)
d4 = ((a1(b2) - c3) ** 2).mean()  #
d4.backward()
stop()
""",
    ),
    "a target that is cast in the call of the loss": (
        "loss-broadcast",
        """
a1 = nn.Linear(6, 1)
b2, c3 = torch.randn(8, 6), torch.randint(0, 2, (8,))
d4 = F.l1_loss(a1(b2), c3.float())  #
d4.backward()
stop()
""",
    ),
    "log_softmax over the batch into cross_entropy": (
        "softmax-wrong-dim",
        """
a1 = nn.Linear(6, 3)
b2 = F.log_softmax(a1(torch.randn(8, 6)), dim=0)  #
c3 = F.cross_entropy(b2, torch.randint(0, 3, (8,)))
c3.backward()
stop()
""",
    ),
    "log_softmax over the batch, chosen by hand": (
        "softmax-wrong-dim",
        """
a1, b2 = nn.Linear(6, 3), torch.randint(0, 3, (8,))
c3 = a1(torch.randn(8, 6)).log_softmax(0)  #
d4 = -c3.gather(1, b2[:, None]).mean()
d4.backward()
stop()
""",
    ),
    "softmax over the batch, weighed by hand": (
        "softmax-wrong-dim",
        """
a1, b2 = nn.Linear(6, 3), F.one_hot(torch.randint(0, 3, (8,)), 3)
c3 = torch.softmax(a1(torch.randn(8, 6)), 0)  #
d4 = -(b2 * torch.log(c3 + 1e-8)).sum(1).mean()
d4.backward()
stop()
""",
    ),
    "a sigmoid in the function that makes the model": (
        "double-sigmoid",
        """
def a1(b2):
    c3 = [nn.Linear(b2, 4), nn.ReLU(), nn.Linear(4, 1)]
    c3 += [nn.Sigmoid()]  #
    return nn.Sequential(*c3)
d4, e5 = nn.Linear(6, 6), a1(6)
f6 = e5(d4(torch.randn(8, 6)))
g7 = F.binary_cross_entropy_with_logits(f6, torch.ones(8, 1))
g7.backward()
stop()
""",
    ),
    "a freeze by another name in a function": (
        "freeze-typo",
        """
def a1(b2):
    for c3 in b2.parameters():
        c3.require_grad = False  #
d4, e5 = nn.Linear(6, 6), nn.Linear(6, 1)
a1(d4)
f6 = torch.optim.SGD([*d4.parameters(), *e5.parameters()], lr=0.1)
g7 = e5(d4(torch.randn(8, 6))).pow(2).mean()
g7.backward()
stop()
""",
    ),
    "one number for all weights in a function": (
        "symmetric-init",
        """
def a1(b2):
    for c3 in b2.parameters():
        nn.init.constant_(c3, 0.1)  #
d4 = nn.Sequential(nn.Linear(6, 4), nn.Tanh(), nn.Linear(4, 1))
a1(d4)
e5 = d4(torch.randn(8, 6)).pow(2).mean()
e5.backward()
stop()
""",
    ),
    "a head whose weights are copied": (
        "tie-broken",
        """
class K1(nn.Module):
    def __init__(self):
        super().__init__()
        self.a1, self.b2 = nn.Embedding(9, 6), nn.Linear(6, 9, bias=False)
        self.b2.weight = self.a1.weight
    def forward(self, c3):
        return self.b2(self.a1(c3))
def d4(e5):
    f6 = nn.Linear(6, 9, bias=False)
    f6.weight.data.copy_(e5.a1.weight)  #
    e5.b2 = f6
g7 = K1()
d4(g7)
h8 = torch.randint(0, 9, (8,))
i9 = F.cross_entropy(g7(h8), h8)
i9.backward()
stop()
""",
    ),
    "an output that is clipped to 0 in forward": (
        "zero-grad-values",
        """
class K1(nn.Module):
    def __init__(self):
        super().__init__()
        self.a1 = nn.Linear(6, 1)
        self.a1.bias.data -= 9
    def forward(self, b2):
        return torch.clamp(self.a1(b2), min=0)[:, 0]  #
c3 = K1()
d4 = torch.optim.SGD(c3.parameters(), lr=0.1)
e5 = c3(torch.randn(8, 6))
f6 = F.l1_loss(e5, torch.ones(8))
f6.backward()
stop()
""",
    ),
    "a deviation of one value that takes its name": (
        "std-of-one",
        """
a1 = nn.Linear(6, 1)
b2 = torch.tensor([2.0])
b2 = (b2 - b2.mean()) / (b2.std() + 1e-8)  #
c3 = (a1(torch.randn(1, 6)) * b2).sum()
c3.backward()
stop()
""",
    ),
    "a rate given to the object that steps": (
        "lr-too-high",
        """
class K1(object):
    def __init__(self, a1):
        self.b2 = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
        self.c3 = torch.optim.SGD(self.b2.parameters(), lr=a1)
    def turn(self, d4):
        self.c3.zero_grad()
        e5 = (self.b2(d4) - d4.sum(1, keepdim=True)).pow(2).mean()
        e5.backward()
        return e5.item()
f6 = K1(9.0)  #
g7 = torch.randn(32, 6)
for h8 in range(4):
    i9 = f6.turn(g7)
    if h8 < 3:
        stop()
    f6.c3.step()
""",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_a_finding_points_to_the_line_to_change(name: str) -> None:
    rule, program = LINES[name]
    text = HEAD.partition("\n\n")[0] + program
    marked = next(number for number, line in enumerate(text.splitlines(), 1) if line.endswith("#"))
    found = said_of(text).found
    assert {(one["rule"], (one["source"] or {}).get("line")) for one in found} == {(rule, marked)}
