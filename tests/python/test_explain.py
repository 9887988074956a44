"""What an exception of torch was about: which rule, which names, in a script, inside a model, and in a trainer."""

from __future__ import annotations

import json
import re
import sys
import textwrap
import threading
import traceback
import warnings
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import everyday_errors  # noqa: E402
from untouched import Watch  # noqa: E402

from tensor_inspector import explain, findings  # noqa: E402
from tensor_inspector.lenses.explain import operation  # noqa: E402
from tensor_inspector.lenses.explain.rules import memory  # noqa: E402
from tensor_inspector.lenses.memory import roots  # noqa: E402


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other test files are no part of the program: not their variables, nor what they let torch leave unchecked."""
    monkeypatch.setattr(roots, "_is_programs", lambda name, module: False)
    monkeypatch.setattr(torch.distributions.Distribution, "_validate_args", True)


HEAD = """import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
R = torch.randn
"""

#: The rule, what must be said, what stands before, the line that fails. ``$`` marks a name of the user's.
CASES = """
shape-mismatch | $x 10 | $x = R(32, 5); $fc = nn.Linear(10, 5) | out = $fc($x)
shape-mismatch | $x | $x = R(32, 1, 28, 28); $net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Linear(2704, 10)) | out = $net($x)
shape-mismatch | $a $b | $a = R(32, 5); $b = R(10, 5) | out = $a @ $b
shape-mismatch | $a $b | $a = R(3); $b = R(4) | out = $a + $b
shape-mismatch | $a $b | $a = R(3, 4); $b = R(4, 3) | out = ($a * 2) - $b.relu()
shape-mismatch | $a $b | $a = R(2, 3, 4); $b = R(2, 5, 6) | out = torch.bmm($a, $b)
shape-mismatch | $a $b | $a = R(3, 4); $b = R(5) | out = torch.mv($a, $b)
shape-mismatch | $a $b | $a = R(3, 4); $b = R(5, 4) | out = torch.matmul($a, $b)
shape-mismatch | $q $k | $q = R(2, 4, 16); $k = R(2, 4, 16) | out = $q @ $k
channels-last-input | $images | $images = R(8, 32, 32, 3); $conv = nn.Conv2d(3, 8, 3) | out = $conv($images)
shape-mismatch | $images | $images = R(32, 28, 28); $conv = nn.Conv2d(1, 8, 3) | out = $conv($images)
shape-mismatch | $images | $images = R(28, 28); $conv = nn.Conv2d(3, 8, 3) | out = $conv($images)
shape-mismatch | $images | $images = R(1, 3, 2, 2); $conv = nn.Conv2d(3, 8, 3) | out = $conv($images)
channels-last-input | $seq | $seq = R(8, 32, 3); $conv = nn.Conv1d(3, 8, 3) | out = $conv($seq)
shape-mismatch | $x | $x = R(4, 5); $bn = nn.BatchNorm1d(16) | out = $bn($x)
shape-mismatch | $x | $x = R(4, 16); $bn = nn.BatchNorm2d(16) | out = $bn($x)
shape-mismatch | $x | $x = R(16, 8, 8); $bn = nn.BatchNorm2d(16) | out = $bn($x)
batchnorm-batch-of-one | $x | $x = R(1, 16); $bn = nn.BatchNorm1d(16) | out = $bn($x)
batchnorm-batch-of-one | $net[1] | $x = R(1, 8); $net = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16)) | out = $net($x)
shape-mismatch | $x | $x = R(32, 5); $norm = nn.LayerNorm(10) | out = $norm($x)
shape-mismatch | $x | $x = R(4, 3, 5); $rnn = nn.LSTM(10, 8) | out = $rnn($x)
shape-mismatch | $x $h | $x = R(4, 3, 10); $rnn = nn.LSTM(10, 8); $h = R(1, 2, 8); $c = R(1, 2, 8) | out = $rnn($x, ($h, $c))
shape-mismatch | $x $h | $x = R(4, 3, 10); $rnn = nn.GRU(10, 8, batch_first=True); $h = R(1, 3, 8) | out = $rnn($x, $h)
shape-mismatch | $x | $x = R(4, 5); $cell = nn.GRUCell(10, 8) | out = $cell($x)
shape-mismatch | $x | $x = R(4, 3, 12); $attn = nn.MultiheadAttention(16, 2) | out = $attn($x, $x, $x)
shape-mismatch | $x | $x = R(4, 3, 12); $layer = nn.TransformerEncoderLayer(16, 2) | out = $layer($x)
index-out-of-range | $ids 10 | $ids = torch.tensor([[1, 2], [10, 3]]); $emb = nn.Embedding(10, 4) | out = $emb($ids)
index-out-of-range | $ids −1 | $ids = torch.tensor([1, -1]); $emb = nn.Embedding(10, 4) | out = $emb($ids)
dtype-mismatch | $ids | $ids = R(3); $emb = nn.Embedding(10, 4) | out = $emb($ids)
shape-mismatch | $a $b | $a = R(2, 3); $b = R(3, 4) | out = torch.cat([$a, $b])
shape-mismatch | $a $b | $a = R(2, 3); $b = R(3, 4) | out = torch.cat(($a, $b), dim=1)
shape-mismatch | $parts | $parts = [R(2, 3), R(2, 3), R(3, 4)] | out = torch.cat($parts)
shape-mismatch | $a $b | $a = R(2, 3); $b = R(3) | out = torch.cat([$a, $b])
shape-mismatch | $a $b | $a = R(3); $b = R(4) | out = torch.stack([$a, $b])
shape-mismatch | $x | $x = R(8, 12) | out = $x.view(8, 10)
shape-mismatch | $x | $x = R(8, 12); $n = 10 | out = $x.reshape($x.size(0), $n)
shape-mismatch | $x reshape | $x = R(8, 12) | out = $x.t().view(-1)
shape-mismatch | $x | $x = R(2, 3) | out = $x.expand(2, 4)
shape-mismatch | $x | $x = R(2, 3) | out = $x.permute(0, 2, 1)
shape-mismatch | $x | $x = R(2, 3) | out = $x.sum(2)
shape-mismatch | $x | $x = R(2, 3) | out = $x.sum(dim=2)
dtype-mismatch | $y long | $out = R(8, 3); $y = torch.zeros(8) | loss = F.cross_entropy($out, $y)
dtype-mismatch | $y long | $out = R(8, 3); $y = torch.zeros(8).int(); $crit = nn.CrossEntropyLoss() | loss = $crit($out, $y)
shape-mismatch | $out $y | $out = R(8, 3); $y = torch.zeros(6).long(); $crit = nn.CrossEntropyLoss() | loss = $crit($out, $y)
shape-mismatch | $y squeeze | $out = R(8, 3); $y = torch.zeros(8, 1).long(); $crit = nn.CrossEntropyLoss() | loss = $crit($out, $y)
dtype-mismatch | $y argmax | $out = R(8, 3); $y = torch.zeros(8, 3).long() | loss = F.cross_entropy($out, $y)
shape-mismatch | $out $y transpose | $out = R(8, 5, 3); $y = torch.zeros(8, 5).long() | loss = F.cross_entropy($out, $y)
shape-mismatch | $out $y | $out = R(8, 3, 4, 4); $y = torch.zeros(8).long() | loss = F.cross_entropy($out, $y)
label-out-of-range | $y 3 | $out = R(8, 3); $y = torch.full((8,), 3) | loss = F.cross_entropy($out, $y)
label-out-of-range | $y ignore_index | $out = R(8, 3); $y = torch.full((8,), -1) | loss = nn.CrossEntropyLoss()($out, $y)
label-out-of-range | $y | $out = R(8, 3); $y = torch.full((8,), 3) | loss = F.nll_loss(torch.log_softmax($out, 1), $y)
logits-to-prob-loss | $out | $out = R(8, 1) * 9; $y = torch.zeros(8, 1) | loss = F.binary_cross_entropy($out, $y)
logits-to-prob-loss | $y | $out = torch.rand(8, 1); $y = torch.full((8, 1), 2.0) | loss = nn.BCELoss()($out, $y)
shape-mismatch | $out $y unsqueeze | $out = torch.rand(8, 1); $y = torch.zeros(8) | loss = F.binary_cross_entropy($out, $y)
dtype-mismatch | $y float | $out = torch.rand(8, 1); $y = torch.zeros(8, 1).long() | loss = nn.BCELoss()($out, $y)
shape-mismatch | $out $y | $out = R(8, 1); $y = torch.zeros(8) | loss = nn.BCEWithLogitsLoss()($out, $y)
dtype-mismatch | $y | $out = R(8, 1, requires_grad=True); $y = torch.zeros(8, 1).long() | loss = F.binary_cross_entropy_with_logits($out, $y)
shape-mismatch | $out $y | $out = R(8, 3); $y = R(8, 4) | loss = F.mse_loss($out, $y)
shape-mismatch | $a $b j | $a = R(2, 3); $b = R(4, 5) | out = torch.einsum("ij,jk->ik", $a, $b)
shape-mismatch | $a | $a = R(2, 3, 4); $b = R(4, 5) | out = torch.einsum("ij,jk->ik", $a, $b)
dtype-mismatch | $x float64 float | $x = R(8, 6).double(); $fc = nn.Linear(6, 2) | out = $fc($x)
dtype-mismatch | $x int64 | $x = torch.zeros(8, 6).long(); $fc = nn.Linear(6, 2) | out = $fc($x)
dtype-mismatch | $x uint8 | $x = torch.zeros(1, 3, 9, 9, dtype=torch.uint8); $conv = nn.Conv2d(3, 8, 3) | out = $conv($x)
dtype-mismatch | $x | $x = R(4, 3, 10).double(); $rnn = nn.LSTM(10, 8) | out = $rnn($x)
dtype-mismatch | $x | $x = R(3, 5).double(); $norm = nn.LayerNorm(5) | out = $norm($x)
dtype-mismatch | $a $b | $a = R(2, 3); $b = R(3, 4).double() | out = $a @ $b
dtype-mismatch | $x | $x = torch.zeros(3).long() | out = torch.softmax($x, 0)
dtype-mismatch | $x | $x = torch.zeros(3).long() | out = $x.mean()
dtype-mismatch | $i | $x = R(3); $i = R(3) | out = $x[$i]
index-out-of-range | $i $x 3 | $x = R(3); $i = torch.tensor([0, 3]) | out = $x[$i]
index-out-of-range | $x 4 | $x = R(3) | out = $x[4]
index-out-of-range | $x | $x = R(3) | out = $x[0, 0]
index-out-of-range | $xs | $xs = [R(1), R(2)]; $k = 2 | out = $xs[$k]
dtype-mismatch | $x | $x = torch.zeros(3).long() | $x.add_(0.5)
index-out-of-range | $i | $x = R(3, 4); $i = torch.tensor([[5]]) | out = $x.gather(1, $i)
index-out-of-range | $i | $x = R(3); $i = torch.tensor([5]) | out = $x.index_select(0, $i)
label-out-of-range | $y | $y = torch.tensor([1, 5]) | out = F.one_hot($y, 3)
loss-not-scalar | $loss | $w = R(3, requires_grad=True); $loss = $w * 2 | $loss.backward()
loss-without-grad | $loss | $loss = R(3).sum() | $loss.backward()
graph-freed | $loss | $w = R(3, requires_grad=True); $loss = $w.pow(2).sum(); $loss.backward() | $loss.backward()
fp16-overflow | $x -1000000000.0 65504 | $x = R(4).half(); $m = torch.ones(4).bool() | out = $x.masked_fill($m, -1e9)
inplace-modified | $h | $w = R(3, requires_grad=True); $h = torch.sigmoid($w); $h.mul_(2); $loss = $h.sum() | $loss.backward()
inplace-modified | $w | $w = R(3, requires_grad=True) | $w.add_(1)
inplace-modified | $w | $w = R(3, requires_grad=True) | $w += 1
inplace-modified | $w | $w = R(3, requires_grad=True) | $w[0] = 1
device-mismatch | $x $mask cpu meta | $x = R(3); $mask = torch.ones(3, device="meta") | out = $x + $mask
device-mismatch | $x cpu meta | $x = R(3, 3); $fc = nn.Linear(3, 3, device="meta") | out = $fc($x)
device-mismatch | $x cpu meta | $x = R(3, 3, device="meta"); $net = nn.Sequential(nn.Linear(3, 3), nn.ReLU()) | out = $net($x)
device-mismatch | $x meta | $x = R(3, 3); $bn = nn.BatchNorm1d(3, device="meta") | out = $bn($x)
device-mismatch | $x meta | $x = R(3, 3, 3); $rnn = nn.LSTM(3, 3, device="meta") | out = $rnn($x)
device-mismatch | $a $b | $a = R(3); $b = torch.ones(3, device="meta") | out = torch.cat([$a, $b])
device-mismatch | $y | $out = R(8, 3); $y = torch.zeros(8, device="meta").long() | loss = F.cross_entropy($out, $y)
device-mismatch | $x | $x = torch.ones(3, device="meta") | out = $x.numpy()
out-of-memory | TiB | $n = 10**7 | out = torch.zeros($n, $n)
out-of-memory | $kept 3.8 free TiB | $kept = torch.zeros(1000, 1000); $n = 10**7 | out = torch.zeros($n, $n)
out-of-memory | $a TiB | $a = torch.zeros(1).expand(10**7, 10**7) | out = $a + 1
dtype-mismatch | $x float16 | $x = R(2, 3); $fc = nn.Linear(3, 3).half() | out = $fc($x)
shape-mismatch | weight | $old = nn.Linear(4, 3); $new = nn.Linear(3, 3) | $new.load_state_dict($old.state_dict())
wrong-arguments | nn.Linear in_feature | $n = 4 | out = nn.Linear(in_feature=$n, out_features=2)
wrong-arguments | $fc input | $x = R(2, 4); $fc = nn.Linear(4, 2) | out = $fc($x, $x)
wrong-arguments | $fc input | $fc = nn.Linear(4, 2) | out = $fc()
wrong-arguments | F.cross_entropy target | $x = R(2, 4) | loss = F.cross_entropy($x)
wrong-arguments | torch.optim.SGD rate | $fc = nn.Linear(4, 2) | opt = torch.optim.SGD($fc.parameters(), rate=0.1)
shape-mismatch | $a $b | $a = R(2, 3); $b = R(3); $i = torch.tensor([0, 1]) | $a.index_add_(0, $i, $b)
shape-mismatch | $x $y | $x = R(3, 4); $y = R(5) | $x[0] = $y
shape-mismatch | $x $y | $x = R(3, 4); $y = R(5) | $x.copy_($y)
shape-mismatch | $b $c | $b = R(4); $c = R(3) | out = torch.where($c > 0, $b, $c)
shape-mismatch | $m $n | $c = R(3); $m = R(2, 4); $n = R(5, 3) | out = torch.addmm($c, $m, $n)
shape-mismatch | $x | $x = R(3, 3); $pool = nn.MaxPool2d(2) | out = $pool($x)
shape-mismatch | $x | $x = R(1, 3, 2, 2); $pool = nn.MaxPool2d(4) | out = $pool($x)
shape-mismatch | $q $k | $q = R(1, 2, 3, 4); $k = R(1, 2, 3, 5) | out = F.scaled_dot_product_attention($q, $k, $k)
dtype-mismatch | $k float64 | $q = R(1, 2, 3, 4); $k = R(1, 2, 3, 4).double() | out = F.scaled_dot_product_attention($q, $k, $q)
shape-mismatch | $a $b | $a = np.ones((2, 3)); $b = np.ones((4, 5)) | out = $a @ $b
shape-mismatch | $a $b | $a = np.ones((2, 3)); $b = np.ones((4, 5)) | out = $a + $b
shape-mismatch | $x | $x = R(4) | out = $x.split([2, 3])
shape-mismatch | $a $b | $a = R(2, 3); $b = R(2, 4) | loss = F.kl_div($a, $b)
channels-last-input | $x | $x = R(8, 32, 32, 3); $up = nn.ConvTranspose2d(3, 8, 3) | out = $up($x)
dtype-mismatch | $x numpy | $x = np.ones((1, 3, 8, 8)); $conv = nn.Conv2d(3, 8, 3) | out = $conv($x)
dtype-mismatch | $x numpy | $x = np.ones((2, 3)); $fc = nn.Linear(3, 2) | out = $fc($x)
shape-mismatch | $x $w | $x = R(2, 3); $w = R(4, 5) | out = F.linear($x, $w)
shape-mismatch | $x $w | $x = R(2, 3, 8, 8); $w = R(4, 5, 3, 3) | out = F.conv2d($x, $w)
shape-mismatch | $a $b 3 | $a = R(2, 3); $b = R(2, 4) | out = ($a.sum(0) + $b.mean(0)).relu()
shape-mismatch | $x 10 | $x = R(32, 5); $fc = nn.Linear(10, 5) | out = torch.relu($fc($x.relu()))
"""
TABLE = [
    tuple(part.strip() for part in case.split(" | "))
    for case in [*CASES.strip().splitlines(), *everyday_errors.CASES.strip().splitlines()]
]


def as_script(before: list[str], line: str) -> str:
    return "\n".join([HEAD, *before, line])


def as_model(before: list[str], line: str) -> str:
    body = textwrap.indent("\n".join([*before, line]), " " * 8)
    block = f"class Block(nn.Module):\n    def forward(self, given):\n{body}\n"
    return f"{HEAD}{block}model = nn.Sequential(nn.Identity(), Block())\nmodel(torch.zeros(1))\n"


def as_trainer(before: list[str], line: str) -> str:
    made = textwrap.indent("\n".join(before), " " * 8)
    step = f"    def fit(self):\n        for batch in range(2):\n            self.step(batch)\n    def step(self, batch):\n        {line}\n"
    return f"{HEAD}class Trainer:\n    def __init__(self):\n{made}\n{step}Trainer().fit()\n"


def raised(text: str, folder: Path) -> Exception:
    """The exception that a program raises, run from a file."""
    file = folder / "program.py"
    file.write_text(text, "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(text, str(file), "exec"), {"__name__": "program"})
        except Exception as error:
            return error
    raise AssertionError("nothing was raised")


def said(finding: dict[str, Any]) -> str:
    evidence = [f"{one['expression']} {one['fact']}" for one in finding["evidence"]]
    return " ".join([finding["title"], finding["suggestion"], *evidence])


def check(structure: Any, case: tuple[str, ...], folder: Path) -> None:
    rule, names, before, line = case
    own = "self." if structure is as_trainer else ""

    def written(text: str) -> str:
        return re.sub(r"\$(\w+)", rf"{own}\1", text)

    text = structure([written(part) for part in before.split("; ")], written(line))
    found = explain(raised(text, folder))
    assert [finding["rule"] for finding in found] == [rule], found
    assert ", but " not in found[0]["fact"], "a row has room for what is wrong alone"
    words = said(found[0])
    for name in written(names).split():
        assert re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words), f"{name} is not in: {words}"
    failing = next(at for at, each in enumerate(text.splitlines(), 1) if each.strip() == written(line))
    assert found[0]["source"] is not None
    assert found[0]["source"]["file"] == str(folder / "program.py")
    if rule not in ("graph-freed", "inplace-modified", "loss-without-grad"):
        assert found[0]["source"]["line"] == failing


@pytest.mark.parametrize("structure", [as_script, as_model, as_trainer])
@pytest.mark.parametrize("case", TABLE, ids=lambda case: f"{case[0]} {case[3]}")
def test_the_operands_are_named(structure: Any, case: tuple[str, ...], tmp_path: Path) -> None:
    check(structure, case, tmp_path)


@pytest.mark.parametrize("case", TABLE, ids=lambda case: f"{case[0]} {case[3]}")
def test_so_they_are_where_the_interpreter_tells_only_the_line(
    case: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operation, "_at_instruction", lambda place, nodes: [])
    check(as_script, case, tmp_path)


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ('if d["x"]: y = e["z"]', "d has no key 'x', only 'a'"),
        ('for i in d["x"]: y = e["z"]', "d has no key 'x', only 'a'"),
        ('x = d["x"]; y = e["z"]', "d has no key 'x', only 'a'"),
        ('x = d["a"]; y = e["z"]', "e has no key 'z', only 'q'"),
        ("if n.shape: z = d.shape", "n is None, where a tensor is meant: .shape can't be read"),
        ("if (a @ b).sum() > 0: z = b @ c", "a is [2, 3] and b is [4, 5]: the last dimension of a, 3,"),
        ("with torch.no_grad(): z = a @ b", "a is [2, 3] and b is [4, 5]: the last dimension of a, 3,"),
        ("while a: y = bool(b)", "a is float32[2, 3], 6 elements: `while` needs"),
        ("if a > 0 and a < 1: pass", "a > 0 is bool[2, 3], 6 elements: `and` needs"),
    ],
)
def test_of_statements_in_one_line_the_one_that_failed_is_told(
    line: str, title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = 'd = {"a": 1}; e = {"q": 1}; n = None; a = R(2, 3); b = R(4, 5); c = R(9, 9)'
    error = raised(f"{HEAD}{before}\n{line}\n", tmp_path)
    if sys.version_info >= (3, 11):
        assert explain(error)[0]["title"].startswith(title)
    monkeypatch.setattr(operation, "_position", lambda place: None)
    assert not any(name in said(one) for one in explain(error) for name in ("e has", "d has", "n is", "c is", "b is"))


NET = """class Net(nn.Module):;  def __init__(self, size=2):;   super().__init__();   self.fc = nn.Linear(4, size);  def forward(self, x, mask=None):;   return self.fc(x)"""
SENTENCES = [
    (
        "net = nn.Sequential(nn.LSTM(8, 16), nn.Linear(16, 2)); net(R(4, 5, 8))",
        "the input of net[1] is a tuple of 2 items, but net[1] (Linear 16 → 2) wants a tensor",
        "take the tensor out of the tuple that the layer before it returns",
    ),
    (
        "h = nn.LSTM(8, 16)(R(4, 5, 8)); fc = nn.Linear(16, 2); fc(h)",
        "h is a tuple of 2 items, but fc (Linear 16 → 2) wants a tensor",
        "h[0]",
    ),
    (
        "from types import SimpleNamespace as Out; out = Out(loss=None, logits=R(4, 3)); F.relu(out)",
        "out is a SimpleNamespace, but relu wants a tensor",
        "out.logits",
    ),
    ("R(2) + None", "None is given in R(2) + None, which wants a tensor", ""),
    (
        'a = R(2, 5, 6, 3); torch.einsum("bthk,bhk->bth", a, R(2, 5, 3))',
        "a is [2, 5, 6, 3]: einsum(): subscript h has size 5 for operand 1",
        "",
    ),
    (
        "x = torch.ones(3, requires_grad=True); y = x * 2; y.sum().backward(); y.grad.norm()",
        "y.grad is None: y is no leaf, and only leaves keep it",
        "y.retain_grad() before backward",
    ),
    (
        "x = R(3); x.grad.norm()",
        "x.grad is None: x does not require a gradient",
        "x.requires_grad_() before it is used",
    ),
    (
        "x = R(2, 5); x.mean(0, keepdim=True).expand(2, 4)",
        "x.mean(0, keepdim=True) is [1, 5], which does not expand to [2, 4]: dimension 1 is 5",
        "",
    ),
    (
        "q = R(32, 4); act = torch.zeros(32).long(); q.gather(1, act)",
        "q is [32, 4] and act is [32]: gather wants an index with as many dimensions",
        "act.unsqueeze(1)",
    ),
    (
        "a = R(2).requires_grad_(); b = R(2).requires_grad_(); torch.autograd.grad((a * 2).sum(), [a, b])",
        "b is not used in what is differentiated",
        "leave it out, or allow_unused=True",
    ),
    (
        "a = R(2).requires_grad_(); b = a * 2; c = a * 3; torch.autograd.grad(b.sum(), [b, a, c])",
        "c is not used in what is differentiated",
        "leave it out, or allow_unused=True",
    ),
    (
        "fc = nn.Linear(3, 3); x = R(2, 3); torch.autograd.grad(fc(x).sum(), x)",
        "x does not require a gradient: nothing is differentiated by it",
        "x.requires_grad_() before it is used",
    ),
    (
        "crit = nn.CrossEntropyLoss(); logits = R(8, 3); y = torch.zeros(8).long(); crit(y, logits)",
        "y is int64[8] and stands where the logits belong, logits is float32[8, 3]: they are swapped",
        "crit(logits, y)",
    ),
    (
        f"{NET}; net = Net(); m = R(2); net(R(3, 4), attention_mask=m)",
        "Net.forward has no argument attention_mask: it takes x, mask",
        "mask=m",
    ),
    (f"{NET}; Net(num_size=3)", "Net has no argument num_size: it takes size", "size=3"),
    (f"{NET}; net = Net(); net()", "net(…) gives no x, which Net.forward(x, mask=None) wants", "give x in the call"),
    (f"{NET}; net = Net(); net(1, 2, 3)", "Net.forward(x, mask=None) takes 2 arguments, 3 are given", ""),
    (
        NET.replace("super().__init__()", "pass") + "; Net()",
        "Net.__init__ never calls super().__init__(), so self can hold no layers or parameters",
        "super().__init__() as the first line of Net.__init__",
    ),
    (
        "class Net(nn.Module):;  def __init__(self): self.k = 2;  def forward(self, x): return x; net = Net(); net(R(2))",
        "Net.__init__ never calls super().__init__(), so net can hold no layers or parameters",
        "super().__init__() as the first line of Net.__init__",
    ),
    (
        "class Net(nn.Module):;  def __init__(self):;   self.w = nn.Parameter(R(2));   super().__init__(); Net()",
        "Net.__init__ uses self as a module before it calls super().__init__()",
        "call super().__init__() first in Net.__init__",
    ),
    (
        "class Other:;  def __init__(self): self.c = 1; class Net(nn.Module, Other):;  def __init__(self):;   self.l = nn.Linear(1, 1);   super().__init__(); Net()",
        "Net.__init__ uses self as a module before it calls super().__init__()",
        "call super().__init__() first in Net.__init__",
    ),
    (
        "class Net(nn.Module):;  def __init__(self):;   self.l = nn.Linear(1, 1);   self.begin();  def begin(self): super().__init__(); Net()",
        "Net.__init__ uses self as a module before it calls super().__init__()",
        "call super().__init__() first in Net.__init__",
    ),
    (
        f"{NET.replace('x, mask', 'x, *, mask')}; net = Net(); net(1, 2)",
        "Net.forward(x, *, mask=None) takes 1 argument by place, 2 are given",
        "",
    ),
    (
        f"{NET.replace('mask=None', 'n=10**5000, s=chr(97) * 200')}; net = Net(); net(1, q=2)",
        "Net.forward has no argument q: it takes x, n, s",
        "",
    ),
    (
        "ops = (R(3, 4), R(5, 6)); torch.matmul(*ops)",
        "ops[0] is [3, 4] and ops[1] is [5, 6]: the last dimension of ops[0], 4, must be the first dimension of ops[1], 5",
        "",
    ),
    (
        'kw = {"input": R(3, 4), "mat2": R(5, 6)}; torch.mm(**kw)',
        'kw["input"] is [3, 4] and kw["mat2"] is [5, 6]: the last dimension of kw["input"], 4, must be the first',
        "",
    ),
    (
        "xs = [R(2, 3), R(2, 3), R(2, 4)]; torch.cat([x * 2 for x in xs])",
        "xs[0] * 2 is [2, 3] and xs[2] * 2 is [2, 4]: joined along dimension 0 they must agree in dimension 1: 3 and 4",
        "dim=1",
    ),
    (
        'd = {"u": R(3, 2), "v": R(3, 1)}; torch.stack(list(d.values()), dim=0)',
        'd["u"] is [3, 2] and d["v"] is [3, 1]: to stack them all must have one shape, they differ in dimension 1',
        "",
    ),
    (
        "torch.zeros(2, 3) @ torch.ones((2, 3))",
        "torch.zeros(2, 3) is [2, 3] and torch.ones((2, 3)) is [2, 3]: the last dimension of torch.zeros(2, 3), 3, must",
        "(torch.ones((2, 3))).T",
    ),
    (
        "x = R(2, 3); n = 4; x[None].matmul(torch.randn(n, 2))",
        "x[None] is [1, 2, 3] and torch.randn(n, 2) is [4, 2]: the last dimension of x[None], 3, must be the first",
        "",
    ),
    (
        "x = R(2); x + torch.zeros_like(R(3)) * torch.ones(3)",
        "x is [2] and torch.zeros_like(R(3)) * torch.ones(3) has 3 in dimension 0: dimension 0 is 2 and 3",
        "",
    ),
    (
        "from torch.utils.checkpoint import checkpoint as saving; fc = nn.Linear(4, 4); saving(fc, R(2, 5), use_reentrant=False)",
        "the input of fc is [2, 5], but fc (Linear 4 → 4) wants a last dimension of 4",
        "give it 4 there, or make fc for 5",
    ),
    (
        "net = nn.Sequential(nn.Conv2d(3, 8, 1), nn.BatchNorm2d(4)); net(R(2, 3, 4, 4))",
        "the input of net[1] is [2, 8, 4, 4], but net[1] (BatchNorm2d 4) wants [N, 4, H, W]: 4 channels, not 8",
        "give it 4 there, or make net[1] for 8",
    ),
    ("m = nn.Linear(2, 3); m.foward", "m (Linear) has no foward: its parts are weight, bias", "m.forward"),
]


@pytest.mark.parametrize(("text", "title", "suggestion"), SENTENCES, ids=lambda text: text[:40])
def test_what_is_said(text: str, title: str, suggestion: str, tmp_path: Path) -> None:
    found = explain(
        raised(HEAD + text.replace(":;", ":\n").replace(";  ", "\n  ").replace("; ", "\n") + "\n", tmp_path)
    )
    assert found[0]["title"].startswith(title)
    assert found[0]["suggestion"].startswith(suggestion)


#: A failing line, and what stands first in a row: the two that do not agree, and where.
DIFFERS = [
    ("x = R(32, 5); fc = nn.Linear(10, 5); fc(x)", "5 ≠ 10 · fc"),
    ("net = nn.Sequential(nn.Linear(4, 8), nn.Linear(6, 2)); net(R(3, 4))", "8 ≠ 6 · net[1]"),
    ("nn.Linear(10, 5)(R(32, 5))", "5 ≠ 10 · Linear"),
    ("x = R(8, 5); fc = nn.Linear(5, 2).double(); fc(x)", "float32 ≠ float64 · fc"),
    ("x = R(8, 32, 32, 3); conv = nn.Conv2d(3, 8, 3); conv(x)", "32 ≠ 3 channels · conv"),
    ("x = R(32, 28, 28); conv = nn.Conv2d(1, 8, 3); conv(x)", "3 ≠ 4 dimensions · conv"),
    ("x = R(4, 5); bn = nn.BatchNorm2d(16); bn(x)", "2 ≠ 4 dimensions · bn"),
    ("x = R(4, 3, 10); rnn = nn.GRU(10, 8, batch_first=True); h = R(1, 3, 8); rnn(x, h)", "3 ≠ 4 · h, x"),
    ("a = R(32, 5); b = R(10, 5); a @ b", "5 ≠ 10 · a, b"),
    ("a = R(3); b = R(4); a + b", "3 ≠ 4 · a, b"),
    ("a = R(2, 3); b = R(3, 4); torch.cat([a, b])", "3 ≠ 4 · a, b"),
    ("a = R(2, 3); b = R(3); torch.cat([a, b])", "2 ≠ 1 dimensions · a, b"),
    ("a = R(2, 3); b = R(4, 5); torch.einsum('ij,jk->ik', a, b)", "3 ≠ 4 · j of a, b"),
    ("w = R(8, 4, 3, 3); x = R(1, 3, 9, 9); F.conv2d(x, w)", "3 ≠ 4 channels · x, w"),
    ("x = R(8, 12); x.view(8, 10)", "96 ≠ 80 · x"),
    ("x = R(4, 3); m = torch.ones(5, dtype=torch.bool); x[m]", "4 ≠ 5 · x, m"),
    ("x = R(4, 3); y = R(5); x[0] = y", "[5] ≠ [3] · x[0]"),
    ("x = R(10); x.split([4, 4])", "10 ≠ 8 · x"),
    ("x = R(8, 5); y = torch.ones(7, dtype=torch.long); F.cross_entropy(x, y)", "[7] ≠ [8] · y"),
    ("x = R(8, 5); y = R(8); F.binary_cross_entropy(x.sigmoid(), y)", "[8, 5] ≠ [8] · x.sigmoid(), y"),
    ("x = R(2, 3); y = R(3, 2).double(); x @ y", "float64 ≠ float32 · y, x"),
]


@pytest.mark.parametrize(("text", "differs"), DIFFERS, ids=lambda text: text[:40])
def test_what_does_not_agree_stands_first_where_there_is_little_room(text: str, differs: str, tmp_path: Path) -> None:
    found = explain(raised(HEAD + text.replace("; ", "\n") + "\n", tmp_path))
    assert found[0].get("differs") == differs


def test_of_a_file_that_is_not_loaded_it_is_told_what_it_holds(tmp_path: Path) -> None:
    text = f"""class Net(nn.Module):
    pass
path = {str(tmp_path / "net.pt")!r}
import sys, types
sys.modules["made_here"] = types.ModuleType("made_here")
sys.modules["made_here"].Net, Net.__module__ = Net, "made_here"
torch.save({{"net": Net(), "epoch": 3}}, path)
torch.load(path, weights_only=True)
"""
    found = explain(raised(HEAD + text, tmp_path))
    assert [one["rule"] for one in found] == ["load-refused"]
    assert found[0]["title"].startswith("path holds an object of made_here.Net: torch.load makes only tensors")
    assert "load_state_dict" in found[0]["suggestion"]


def test_a_wrong_argument_of_a_function_of_the_program_is_not_explained(tmp_path: Path) -> None:
    assert explain(raised(HEAD + "def add(a, b): return a + b\nadd(R(2), c=R(2))\n", tmp_path)) == []


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the interpreter does not tell which names")
def test_of_names_inside_names_those_are_told_that_could_not_be_given(tmp_path: Path) -> None:
    text = "from torch.utils.data import DataLoader\nfor i, (x, y) in DataLoader([(0, (1, 2, 3))]): pass\n"
    found = explain(raised(HEAD + text, tmp_path))
    assert found[0]["title"].endswith("but 2 names take it: x, y")


def test_a_name_that_a_loop_has_made_anew_is_not_said_to_come_from_above(tmp_path: Path) -> None:
    text = "x = R(1, 3)\nfor layer in [nn.Linear(3, 4), nn.Linear(5, 2)]:\n    x = layer(x)\n"
    found = explain(raised(HEAD + text, tmp_path))
    assert {"expression": "x", "fact": "float32[1, 4]"} in found[0]["evidence"]


def test_of_a_freed_graph_the_state_that_a_loop_carries_is_told(tmp_path: Path) -> None:
    loop = "for turn in range(3):\n    out, h = rnn(R(5, 2, 4), h)\n    loss = out.pow(2).mean()\n    loss.backward()\n"
    found = explain(raised(f"{HEAD}rnn, h = nn.GRU(4, 8), None\n{loop}", tmp_path))
    assert found[0]["title"].startswith("h goes from step to step with the graph of the step before")
    assert found[0]["suggestion"] == "h = h.detach()"


def test_a_loss_does_not_go_back_through_itself(tmp_path: Path) -> None:
    text = "w = R(3, requires_grad=True)\nloss = w.pow(2).sum().sqrt()\nloss.backward()\nloss.backward()\n"
    found = explain(raised(HEAD + text, tmp_path))
    assert found[0]["title"] == "what loss goes back through was freed by an earlier backward"


def test_an_error_in_a_handler_is_told_and_not_what_it_handled(tmp_path: Path) -> None:
    text = 'd, e = {"a": 1}, {"q": 2}\ntry:\n    d["b"]\nexcept KeyError:\n    e["c"]\n'
    assert explain(raised(HEAD + text, tmp_path))[0]["title"] == "e has no key 'c', only 'q'"


def test_a_layer_is_told_by_its_place_in_the_model(tmp_path: Path) -> None:
    text = f"""{HEAD}
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(10, 5), nn.Linear(6, 5)])
    def forward(self, x):
        h = x
        for block in self.blocks:
            h = block(h)
        return h
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
    def forward(self, batch):
        return self.encoder(batch["image"])
Net()({{"image": R(4, 10)}})
"""
    found = explain(raised(text, tmp_path))
    assert found[0]["title"] == "h is [4, 5], but block (Linear 6 → 5) wants a last dimension of 6"
    assert "encoder.blocks.1 of Net" in said(found[0])


def test_an_input_that_has_no_name_is_told_by_the_layer(tmp_path: Path) -> None:
    text = f"{HEAD}model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16))\nx = R(1, 8)\nmodel(x)\n"
    found = explain(raised(text, tmp_path))
    assert found[0]["title"].startswith("the input of model[1] is [1, 16]")
    assert {"expression": "x", "fact": "float32[1, 8]"} in found[0]["evidence"]


def test_the_samples_of_a_batch_are_told_apart(tmp_path: Path) -> None:
    text = f"{HEAD}from torch.utils.data import DataLoader\ndata = [R(3, 32), R(3, 28)]\nfor batch in DataLoader(data, 2):\n    pass\n"
    found = explain(raised(text, tmp_path))
    assert found[0]["rule"] == "shape-mismatch"
    assert found[0]["title"].startswith("data[0] is [3, 32] and data[1] is [3, 28]")


STEP = """
def step(x, fc):
    try:
        fc(x)
    except RuntimeError as error:
        {}
step(R(3, 4), nn.Linear(5, 2))
"""


@pytest.mark.parametrize(
    "again", ['raise KeyError("step failed") from error', 'raise RuntimeError("in step: " + str(error))', "raise"]
)
def test_what_was_raised_anew_is_told_by_where_it_began(again: str, tmp_path: Path) -> None:
    found = explain(raised(HEAD + STEP.format(again), tmp_path))
    assert found[0]["title"] == "x is [3, 4], but fc (Linear 5 → 2) wants a last dimension of 5"


@pytest.mark.parametrize(
    "line",
    [
        '{}["missing"]',
        "x.no_such_attribute",
        'raise ValueError("size mismatch between the config and the data")',
        'assert x.shape == (4,), "the shapes cannot be multiplied"',
        '"text"[9]',
        "next(iter(()))",
        'int("seven")',
        STEP.format('{}["missing"]'),
    ],
)
def test_of_other_exceptions_nothing_is_said(line: str, tmp_path: Path) -> None:
    found = explain(raised(f"{HEAD}x = R(3)\n{line}\n", tmp_path))
    assert list(found) == []
    assert found.checked or found.skipped


def test_why_an_error_that_is_known_is_not_explained_is_said(tmp_path: Path) -> None:
    found = explain(
        raised(f"{HEAD}from functools import partial\nadd = partial(torch.add, R(3))\nadd(R(4))\n", tmp_path)
    )
    assert (list(found), found.checked) == ([], [])
    assert dict(found.skipped) == {"all": "nothing that the failing line names tells what is wrong"}
    assert "1 not checked: nothing that the failing line names tells what is wrong" in str(found)


def test_what_the_program_raises_itself_is_not_explained(tmp_path: Path) -> None:
    found = explain(
        raised(f'{HEAD}raise RuntimeError("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)")\n', tmp_path)
    )
    assert (list(found), dict(found.skipped)) == ([], {"all": "the program raised it itself"})


class Hostile(RuntimeError):
    ran: list[str] = []

    def __str__(self) -> str:
        self.ran.append("str")
        raise RuntimeError

    __repr__ = __str__

    def __getattribute__(self, name: str) -> Any:
        Hostile.ran.append(name)
        raise RuntimeError


def test_nothing_of_a_hostile_exception_runs() -> None:
    error = Hostile("mat1 and mat2 shapes cannot be multiplied (3x4 and 5x6)")
    x, w = torch.zeros(3, 4), torch.zeros(5, 6)
    try:
        [x, w, x @ w]
    except RuntimeError as cause:
        trace = cause.__traceback__
    BaseException.with_traceback(error, trace)
    BaseException.__dict__["__cause__"].__set__(error, error)
    Hostile.ran.clear()
    found = explain(error)
    assert Hostile.ran == []
    assert found[0]["title"].startswith("x is [3, 4] and w is [5, 6]")


def test_a_chain_that_leads_back_to_itself_ends() -> None:
    first, second = KeyError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    assert list(explain(first)) == []


def test_an_explanation_empties_no_locals_that_the_program_keeps() -> None:
    x, w = torch.zeros(3, 4), torch.zeros(5, 6)
    kept = locals()
    try:
        x @ w
    except RuntimeError as error:
        explain(error)
    assert kept["x"] is x


def test_names_that_exec_made_in_a_function_are_still_there() -> None:
    exec("scale = 3")
    findings()
    assert eval("scale") == 3


def test_objects_of_the_program_are_not_asked(tmp_path: Path) -> None:
    text = f"""{HEAD}
asked = []
class Batch(dict):
    def __getitem__(self, key): asked.append(key); return dict.__getitem__(self, key)
class Config:
    def __getattr__(self, name): asked.append(name); return R(2, 2)
    @property
    def x(self): asked.append("property"); return R(3, 4)
batch, config = Batch(x=R(3, 4)), Config()
try:
    batch["x"] @ config.x @ config.w
except RuntimeError as error:
    raise ValueError(asked) from error
"""
    error = raised(text, tmp_path)
    asked = error.args[0]
    before = list(asked)
    found = explain(error)
    assert asked == before
    assert found[0]["rule"] == "shape-mismatch"
    assert 'batch["x"]' in said(found[0])


ASKED = """
asked = []
class Lazy:
    @property
    def __class__(self): asked.append("__class__"); return object
    def __call__(self, x): return None
class Meta(type):
    def __eq__(one, other): asked.append("__eq__"); return one is other
    def __hash__(one): asked.append("__hash__"); return 1
    def __instancecheck__(one, other): asked.append("__instancecheck__"); return False
class Odd(metaclass=Meta):
    def __eq__(self, other): asked.append("==")
    def backward(self): pass
lazy, odd, x = Lazy(), Odd(), R(2)
"""


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("torch.relu(lazy)", "not-a-tensor"), ("torch.relu(odd)", "not-a-tensor"), ("x + odd", "not-a-tensor"),
        ("y = lazy(x); z = y.shape", "missing-attribute"), ("pair = {'a': lazy}; pair['b']", "missing-key"),
        ("pair = {'a': odd}; pair['b']", "missing-key"), ("parts = [lazy, odd]; a, b, c = parts", "unpack-count"),
    ],
)  # fmt: skip
def test_a_proxy_or_its_class_is_not_asked_what_it_is(line: str, rule: str, tmp_path: Path) -> None:
    text = "\n".join([HEAD, ASKED, *line.split("; ")])
    error = raised(text, tmp_path)
    asked = error.__traceback__.tb_next.tb_frame.f_globals["asked"]  # type: ignore[union-attr]
    asked.clear()
    assert [finding["rule"] for finding in explain(error)] == [rule]
    assert asked == []


def test_explaining_leaves_torch_as_it_was(tmp_path: Path) -> None:
    error = raised(f"{HEAD}w = R(3, 4, requires_grad=True)\nx = R(3, 5)\nx.sum() + x @ w\n", tmp_path)
    state, loaded, mode = torch.get_rng_state(), set(sys.modules), torch.is_grad_enabled()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert explain(error)
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.is_grad_enabled() == mode
    assert {name for name in set(sys.modules) - loaded if not name.startswith("tensor_inspector")} == set()
    assert warned == []


def product(x: Any, w: Any) -> Any:
    return x @ w


def test_without_a_traceback_the_frame_is_asked() -> None:
    try:
        product(torch.zeros(3, 4), torch.zeros(5, 6))
    except RuntimeError as error:
        trace = error.__traceback__
        bare = RuntimeError(*error.args)
    assert trace is not None
    assert trace.tb_next is not None
    found = explain(bare, trace.tb_next.tb_frame)
    assert found[0]["title"].startswith("x is [3, 4] and w is [5, 6]")
    assert list(explain(bare)) == []


def test_a_finding_is_plain_data(tmp_path: Path) -> None:
    found = explain(raised(f"{HEAD}x, fc = R(32, 5), nn.Linear(10, 5)\nfc(x)\n", tmp_path))
    assert json.loads(json.dumps(found)) == list(found)
    assert repr(found).startswith("error  shape-mismatch  x is [32, 5], but fc (Linear 10 → 5) wants")


def test_only_an_exception_is_explained() -> None:
    with pytest.raises(TypeError, match="takes an exception"):
        explain("x")  # type: ignore[arg-type]


# More than there are addresses: less is given by a system that lets programs ask for more than it has.
def test_the_amount_that_memory_was_asked_for_stands_first(tmp_path: Path) -> None:
    (found, *_) = explain(raised(f"{HEAD}out = torch.zeros(10**7, 10**7)\n", tmp_path))
    assert found["title"].startswith("out of memory: 363.8 TiB asked for in torch.zeros(10 ** 7, 10 ** 7)")


def test_of_what_fills_memory_the_nearest_is_named_where_there_is_no_time_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_TIME", 0)
    [found] = explain(
        raised(f"{HEAD}kept = torch.zeros(1000, 1000)\ntorch.zeros(10**7, 10**7)\n", tmp_path), budget_ms=60_000
    )
    assert "kept 3.8 MiB on cpu" in said(found)


def test_after_memory_ran_out_an_operand_says_what_it_takes_as_the_largest_do(tmp_path: Path) -> None:
    program = f"{HEAD}model = nn.Linear(256, 256)\nkept = torch.zeros(2000, 256)\nout = kept.new_empty(10**7, 10**7)\n"
    (found, *_) = explain(raised(program, tmp_path))
    facts = {one["expression"]: one["fact"] for one in found["evidence"]}
    assert facts["kept"].startswith("2.0 MiB on cpu: float32[2000, 256]")
    assert facts["model.weight"] == "256.0 KiB on cpu"
    assert found["evidence"][-1]["fact"].partition(" of ")[2].partition(" is free")[1]


def test_what_was_there_is_read_from_the_message_of_cuda() -> None:
    from tensor_inspector.lenses.explain.rules import memory

    text = (
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 12.44 MiB is "
        "free. Process 7 has 79.13 GiB memory in use. Of the allocated memory 70.10 GiB is allocated by PyTorch, and "
        "8.31 GiB is reserved by PyTorch but unallocated."
    )
    assert memory._free_by_message(text) == "12.44 MiB of 79.15 GiB was free, 8.31 GiB was reserved but not in use"
    assert memory._free_by_message("can't allocate memory") is None


FAILED_STEP = """
from torch.utils.checkpoint import checkpoint
class Odd:
    def __getattribute__(self, name): raise RuntimeError("the program's code ran")
    __repr__ = __len__ = __iter__ = __bool__ = __eq__ = __hash__ = __getattribute__
def step():
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 4))
    optimizer, odd = torch.optim.Adam(model.parameters()), Odd()
    x, w, y, batch = R(6, 4), R(5, 3), torch.zeros(6).long(), {"image": torch.ones(2), "odd": odd}
    out, parts = checkpoint(model, x, use_reentrant=False), [x, w]
    with torch.autograd.graph.save_on_cpu():
        kept = model(x)
    loss = (out.sum() + kept.sum()).exp()
    loss.detach().add_(1)
    {}
step()
"""


@pytest.mark.parametrize(
    "line",
    [
        "x @ w",
        "model(w)",
        "loss.backward()",
        "checkpoint(model, w, use_reentrant=False)",
        "F.cross_entropy(out, y - 5)",
        "batch['labels']",
        "torch.cat([one * 2 for one in parts], 1)",
        "torch.distributions.Normal(x, -kept.abs() - 1)",
        "torch.zeros(10**7, 10**7)",
    ],
)
def test_explaining_changes_nothing(line: str, tmp_path: Path) -> None:
    error = raised(HEAD + FAILED_STEP.replace("{}", line), tmp_path)
    frame = next(one for one, _ in traceback.walk_tb(error.__traceback__) if one.f_code.co_name == "step")
    held = dict(frame.f_locals)
    assert explain(error)  # which also loads what torch and we need for the first look
    with Watch(held, (tmp_path,)) as watch:
        explain(error)
    assert watch.changes() == []


def test_an_error_of_another_thread_is_explained_there_and_here(tmp_path: Path) -> None:
    text = f"{HEAD}def work():\n    x, w = R(3, 4), R(5, 6)\n    return x @ w\nwork()\n"
    errors: list[Any] = []
    thread = threading.Thread(target=lambda: errors.extend([error := raised(text, tmp_path), explain(error)]))
    thread.start()
    thread.join()
    assert errors[1][0]["title"].startswith("x is [3, 4] and w is [5, 6]")
    assert list(explain(errors[0])) == list(errors[1])
