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
}


@pytest.mark.parametrize("name", LINES)
def test_a_finding_points_to_the_line_to_change(name: str) -> None:
    rule, program = LINES[name]
    text = HEAD.partition("\n\n")[0] + program
    marked = next(number for number, line in enumerate(text.splitlines(), 1) if line.endswith("#"))
    found = said_of(text).found
    assert [(one["rule"], (one["source"] or {}).get("line")) for one in found] == [(rule, marked)]
