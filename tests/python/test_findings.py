"""Findings: every fault is found, its cause first and named; nothing is found where nothing is wrong."""

from __future__ import annotations

import json
import re
import runpy
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from faults import PROGRAMS, ahead, call, with_fault, without_fault
from faults.never import NEVER
from faults.traps import TRAPS
from faulty import HEAD, said_in_all_ways, said_in_every_round, said_of
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint
from untouched import Watch

from tensor_inspector import explain, findings, forget
from tensor_inspector.lenses.findings.finding import Findings
from tensor_inspector.lenses.findings.rules.data.split_overlap import _shared_rows
from tensor_inspector.lenses.findings.rules.registry import RULES
from tensor_inspector.measure.torch.flow import Flow
from tensor_inspector.measure.torch.graph import Graph
from tensor_inspector.measure.torch.steep import steep
from tensor_inspector.safe.budget import Budget

FOLDER = Path(__file__).parents[1] / "programs"
EXPECTED = json.loads((FOLDER / "faults" / "expected.json").read_text())
HEALTHY = sorted(path.stem for path in (FOLDER / "healthy").glob("*.py"))


def words(finding: dict[str, Any]) -> str:
    return " ".join([finding["title"], *(f"{one['expression']} {one['fact']}" for one in finding["evidence"])])


@pytest.mark.parametrize("name", EXPECTED)
def test_a_fault_is_found_first_and_by_its_name(name: str) -> None:
    said, expected = said_of((FOLDER / "faults" / name / "buggy.py").read_text()), EXPECTED[name]
    assert said.failed == []
    assert said.rules[0] in expected["rules"]
    assert set(said.rules) <= {*expected["rules"], *expected["allowed"]}
    good = [words(one) for one in said.found if one["rule"] in expected["rules"]]
    assert any(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text) for text in good for part in expected["names"])


RIGHT = {
    **{name: (FOLDER / "healthy" / f"{name}.py").read_text() for name in HEALTHY},
    **{name: (FOLDER / "faults" / name / "clean.py").read_text() for name in EXPECTED},
    **{name: HEAD + without_fault(program) for name, (_, program) in [*PROGRAMS.items(), *TRAPS.items()]},
}


@pytest.mark.parametrize("name", RIGHT)
def test_of_what_is_right_nothing_is_said_at_any_line_in_any_round(name: str) -> None:
    assert said_in_all_ways(RIGHT[name]) == {}


def test_programs_that_are_right_have_names_of_their_own() -> None:
    assert len(RIGHT) == len(HEALTHY) + len(EXPECTED) + len(PROGRAMS) + len(TRAPS)


@pytest.mark.parametrize("name", ["state_grows", "rate_of_nothing", "summed_in_trainer"])
def test_one_breakpoint_sees_what_takes_rounds(name: str) -> None:
    rule, program = PROGRAMS[name]
    assert set(said_in_every_round(HEAD + with_fault(program)).rules) == {rule}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_rule_finds_its_fault_and_nothing_else(name: str) -> None:
    rule, program = PROGRAMS[name]
    said = said_of(HEAD + with_fault(program))
    assert (set(said.rules), said.failed) == ({rule}, [])
    assert all(", but " not in one["fact"] and ": " not in one["fact"] for one in said.found), (
        "a row has room for a fact"
    )


#: What a loss is made of, and what is said of where it stops to be finite.
CAUSES_SAID = {
    "running_var below 0": (
        "norm = nn.BatchNorm1d(2).eval()\n    norm.running_var.fill_(-1)\n    loss = norm(torch.ones(3, 2)).mean()",
        r"it begins at NativeBatchNorm .*: running_var below 0",
    ),
    "-inf at the target": (
        'h = nn.Linear(2, 3)(torch.ones(1, 2)) + torch.tensor([[float("-inf"), 0, 0]])\n'
        "    loss = F.cross_entropy(h, torch.tensor([0]))",
        r"it begins at NllLoss, .*: Inf went in",
    ),
    "float16 divided by 0": (
        "h = nn.Linear(2, 3).half()(torch.ones(1, 2).half())\n    loss = (h / torch.zeros(3).half()).sum()",
        r"it begins at Div of finite h, .*: a division by 0",
    ),
}


@pytest.mark.parametrize(("program", "said"), CAUSES_SAID.values(), ids=CAUSES_SAID)
def test_a_cause_is_said_only_where_it_is_proven(program: str, said: str) -> None:
    found = said_of(f"{HEAD}    {program}\n    stop()\n    loss.backward()\n").found
    titles = [finding["title"] for finding in found]
    assert any(re.search(said, title) for title in titles), titles
    assert not any("overflow" in title or "65504" in title for title in titles)


def test_what_a_half_was_given_is_not_said_to_pass_its_end() -> None:
    given = "net = nn.Linear(2, 2).half()\n    x = torch.tensor([[math.inf, 30_000.0]]).half()\n    loss = net(x).sum()"
    found = said_of(f"{HEAD}    {given}\n    stop()\n    loss.backward()\n").found
    titles = [finding["title"] for finding in found if finding["rule"] == "fp16-overflow"]
    assert titles == ["x has 1 Inf: its others go up to 3e4; beyond 65504, the largest float16, is Inf"]


ANGLES = {
    "on an axis": (0.0, 1.0, []),
    "where torch takes 0": (0.0, 0.0, []),
    "too near to it": (0.0, 1e-20, ["Atan2"]),
}


@pytest.mark.parametrize(("y", "x", "ops"), ANGLES.values(), ids=ANGLES)
def test_an_angle_is_steep_by_both_of_its_sides(y: float, x: float, ops: list[str]) -> None:
    sides = [torch.tensor([side], requires_grad=True) for side in (y, x)]
    graph = Graph([torch.atan2(*sides).grad_fn], Budget())
    assert [node.op for node in steep(Flow(graph, ()), graph.nodes)] == ops
    torch.atan2(*sides).sum().backward()
    assert bool(sides[0].grad.isfinite().all()) != bool(ops)


@pytest.mark.parametrize("name", ahead.LINES)
def test_a_finding_is_about_the_line_of_the_fault(name: str) -> None:
    text = HEAD + with_fault(PROGRAMS[name][1])
    first = said_of(text).found[0]
    assert text.splitlines()[first["source"]["line"] - 1].strip() == ahead.LINES[name]


@pytest.mark.parametrize("name", ahead.TITLES)
def test_a_title_names_what_is_at_fault(name: str) -> None:
    assert ahead.TITLES[name] in said_of(HEAD + with_fault(PROGRAMS[name][1])).found[0]["title"]


def test_every_rule_has_a_program_in_which_nothing_else_finds_the_fault() -> None:
    alone = {rule for rule, _ in PROGRAMS.values()}
    alone |= {rule for one in EXPECTED.values() for rule in one["rules"] if len(one["rules"]) == 1}
    assert {rule.id for rule in RULES} - alone == set()


def test_every_rule_has_healthy_situations_in_which_it_says_nothing_each_with_a_program() -> None:
    assert set(NEVER) == {rule.id for rule in RULES}
    assert [rule for rule, situations in NEVER.items() if not situations] == []
    assert {name for situations in NEVER.values() for name in situations.values()} - set(RIGHT) == set()


@pytest.mark.parametrize("name", call.PROGRAMS)
def test_that_a_call_will_fail_is_said_before_it_does_and_explained_after(name: str) -> None:
    rule, program = call.PROGRAMS[name]
    said = said_of(HEAD + with_fault(program))
    assert said.rules == [rule, rule]
    assert all(", but " not in one["fact"] for one in said.found), "a row has room for a fact"


@pytest.mark.parametrize("name", call.FORESEEN)
def test_that_a_call_will_fail_is_not_said_where_the_program_has_foreseen_it(name: str) -> None:
    assert said_of(HEAD + with_fault(call.FORESEEN[name])).rules == []


def faulty_step() -> Any:
    """The frame of a step whose loss was given probabilities, with all that a look could disturb in sight."""
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3), nn.Softmax(1))
    optimizer = torch.optim.Adam(model.parameters())
    x, y = torch.randn(6, 4), torch.tensor([0, 1, 2, 0, 1, 2])
    out = checkpoint(model, x, use_reentrant=False)
    probabilities = model(x)
    with torch.autograd.graph.save_on_cpu():
        kept = model(x)
    loss = F.cross_entropy(probabilities, y) + out.sum() + kept.sum()
    frame = sys._getframe()
    return frame, (model, optimizer, x, y, out, probabilities, kept, loss)


@pytest.mark.parametrize("thorough", [False, True])
def test_looking_for_findings_changes_nothing(thorough: bool) -> None:
    frame, held = faulty_step()
    findings(frame, thorough=thorough)  # what torch and we load for the first look
    forget()
    with Watch(held) as watch:
        found = findings(frame, thorough=thorough)
        forget()
    assert [finding["rule"] for finding in found] == ["double-softmax"]
    assert watch.changes() == []


@pytest.mark.parametrize("thorough", [False, True])
def test_what_was_saved_under_hooks_is_not_read(thorough: bool) -> None:
    """That would run the forward of a checkpoint again, and hooks of the program."""
    ran: list[str] = []

    def forward(x: torch.Tensor) -> torch.Tensor:
        ran.append("forward")
        return torch.relu((layer(x) - 1e3) * 0).log()

    def unpacked(value: torch.Tensor) -> torch.Tensor:
        ran.append("hook")
        return value

    layer, x = nn.Linear(4, 4), torch.randn(6, 4)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    with torch.autograd.graph.saved_tensors_hooks(lambda value: value, unpacked):
        kept = torch.relu((layer(x) - 1e3) * 0).log()
    loss = checkpoint(forward, x, use_reentrant=False).sum() + kept.sum()
    optimizer.zero_grad()
    ran.clear()
    found = findings(thorough=thorough)
    forget()
    assert ran == []
    assert "nan-origin" in found.checked
    del loss


class Compose:
    def __init__(self, transforms: list[Any]) -> None:
        self.transforms = transforms


class Normalize:
    def __init__(self, mean: Any, std: Any) -> None:
        self.mean, self.std = mean, std


@pytest.mark.parametrize(
    ("last", "said"),
    [
        (Normalize([0.5], [0.2]), ["normalized-twice"]),
        (Normalize((0.5,), (0.2,)), ["normalized-twice"]),
        (Normalize([0.4], [0.2]), []),
        (Normalize(torch.zeros(1), torch.ones(1)), []),
        (torch.flip, []),
    ],
)
def test_a_normalisation_that_stands_twice_in_one_list_of_transforms_is_told(last: Any, said: list[str]) -> None:
    model, prepare = nn.Linear(3, 3), Compose([Normalize([0.5], [0.2]), torch.flip, last])
    x = torch.randn(4, 3)
    loss = F.cross_entropy(model(x), torch.tensor([0, 1, 2, 0]))
    assert [finding["rule"] for finding in findings()] == said
    del prepare, loss


class Hostile:
    def __init__(self) -> None:
        self.ran = False

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError("the program's code ran")

    __repr__ = __len__ = __iter__ = __bool__ = __eq__ = __hash__ = __getattribute__  # type: ignore[assignment]


class OddTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, *_: Any, **__: Any) -> Any:
        raise RuntimeError("the program's code ran")


def test_hostile_objects_in_the_step_are_safe() -> None:
    hostile, odd = Hostile(), torch.Tensor._make_subclass(OddTensor, torch.ones(3))
    model = nn.Linear(3, 3)
    vars(model)["strange"] = hostile
    logits = torch.softmax(model(torch.randn(4, 3)), 1)
    loss = F.cross_entropy(logits, torch.tensor([0, 1, 2, 0]))
    found = findings()
    assert [finding["rule"] for finding in found] == ["double-softmax"]
    assert [reason for _, reason in found.skipped if "Error" in reason] == []


class Computed(torch.optim.SGD):
    """An optimizer of the program whose groups are a property."""

    @property
    def param_groups(self) -> Any:
        return self._kept

    @param_groups.setter
    def param_groups(self, groups: Any) -> None:
        self._kept = groups


def test_what_an_optimizer_holds_that_computes_its_groups_is_not_known() -> None:
    net = nn.Linear(2, 1)
    opt = Computed(net.parameters(), 0.1)
    loss = net(torch.ones(3, 2)).sum()
    loss.backward()
    said = findings()
    assert [one["rule"] for one in said] == []
    assert ("param-not-in-optimizer", "an optimizer computes its groups") in said.skipped
    opt.step()


def test_a_second_backward_of_one_loss_is_not_said_to_go_through_itself() -> None:
    net = nn.Linear(2, 1)
    loss = F.mse_loss(net(torch.ones(3, 2)), torch.zeros(3, 1))
    loss.backward()
    said = findings()
    if len(said) == 0:
        loss.backward()
    titles = [one["title"] for one in said if one["rule"] == "graph-freed"]
    assert titles == ["an earlier backward of loss has freed its graph"]


def test_a_second_backward_is_told_of_in_its_own_line() -> None:
    text = """
 c = F.mse_loss(nn.Linear(2, 1)(torch.ones(3, 2)), torch.zeros(3, 1))
 c.backward()
 stop(), c.backward()
"""
    titles = [one["title"] for one in said_of(HEAD + with_fault(text)).found if one["rule"] == "graph-freed"]
    assert "an earlier backward of c has freed its graph" in titles


def test_what_is_not_finite_is_told_by_the_first_variable_that_it_was_made_of() -> None:
    text = """
 table = torch.rand(16, 5)
 table[3, 2] = 1.0
 ratio = table / (table - 1)
 centred = ratio - ratio.mean(0)
 net = nn.Linear(5, 2)
 o = torch.optim.SGD(net.parameters(), 0.1)
 c = F.cross_entropy(net(centred), torch.arange(16) % 2)
 stop()
 c.backward()
"""
    found = said_of(HEAD + with_fault(text)).found[0]
    assert (found["rule"], found["source"]["line"]) == (
        "nan-in-input",
        (HEAD + with_fault(text)).splitlines().index("    ratio = table / (table - 1)") + 1,
    )
    assert found["title"].startswith("ratio has 1 Inf, the first at [3, 2], centred is made of it, before net has it")
    assert {"expression": "table", "fact": "finite"} in found["evidence"]
    assert "divides by" in found["suggestion"]


def test_what_was_cleaned_is_not_blamed() -> None:
    text = """
 raw = torch.rand(16, 5)
 raw[3, 2] = float("nan")
 clean = torch.nan_to_num(raw) / torch.zeros(16, 5)
 net = nn.Linear(5, 2)
 c = F.cross_entropy(net(clean), torch.arange(16) % 2)
 stop()
"""
    assert said_of(HEAD + with_fault(text)).found[0]["title"].startswith("clean has ")


def test_parameters_that_are_not_finite_are_told_with_what_earlier_stops_have_seen() -> None:
    text = """
 net = nn.Linear(4, 1)
 o = torch.optim.SGD(net.parameters(), 1.0)
 for k in range(3):
     c = F.mse_loss(net(torch.ones(2, 4)), torch.zeros(2, 1))
     o.zero_grad()
     c.backward()
     if k > 0:
         net.weight.data[0, 0] = float("inf")
     if k > 1:
         net.bias.data[0] = float("nan")
     stop()
"""
    found = [one for one in said_of(HEAD + with_fault(text)).found if one["rule"] == "nan-in-params"][-1]
    assert found["title"] == "2 parameters have NaN or Inf: net.weight, net.bias; net.weight was the first"
    facts = [one["fact"] for one in found["evidence"]]
    assert facts[:2] == ["1 Inf, already 1 stop ago", "1 NaN"]
    assert re.fullmatch(r"gradient norms [0-9.]+, [0-9.a-zN]+ at the stops before", facts[2])


def test_two_stops_in_one_line_are_of_one_round() -> None:
    forget()
    net = nn.Linear(2, 1)
    opt = torch.optim.SGD(net.parameters(), 0.1)
    said: list[Any] = []
    for _ in range(1):
        loss = net(torch.ones(3, 2)).sum()
        # fmt: off
        opt.zero_grad(); loss.backward(); said.append(findings(thorough=True)); nn.utils.clip_grad_norm_(net.parameters(), 1.0); opt.step(); said.append(findings(thorough=True))  # noqa: E702
        # fmt: on
    assert [[one["rule"] for one in some] for some in said] == [[], []]
    forget()


class Compared(type):
    """A class of such classes is asked whether they are equal to another one."""

    asked = 0

    def __eq__(cls, other: object) -> bool:
        Compared.asked += 1
        return cls is other

    __hash__ = type.__hash__


class OddLoss(metaclass=Compared):
    def backward(self) -> None: ...


def test_what_a_backward_is_called_of_is_not_asked_what_it_is() -> None:
    model, loss, parts = nn.Linear(3, 3), OddLoss(), OddLoss()
    vars(model)["parts"] = parts
    Compared.asked = 0
    findings()
    assert Compared.asked == 0
    loss.backward()


def test_a_step_in_another_thread_is_looked_at_there() -> None:
    rules: list[list[str]] = []

    def work() -> None:
        model = nn.Linear(3, 3)
        logits = torch.softmax(model(torch.randn(4, 3)), 1)
        loss = F.cross_entropy(logits, torch.tensor([0, 1, 2, 0]))
        rules.append([finding["rule"] for finding in findings()])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert rules == [["double-softmax"]]


def test_findings_print_a_line_each_and_silence_says_how_much_was_asked() -> None:
    nothing = findings()
    assert not nothing
    assert re.fullmatch(r"\d+ rules, nothing found, .*no optimizer in sight.*", repr(nothing))
    logits = torch.softmax(nn.Linear(3, 3)(torch.randn(4, 3)), 1)
    loss = F.cross_entropy(logits, torch.tensor([0, 1, 2, 0]))
    found = findings()
    assert repr(found).startswith("error  double-softmax  cross_entropy was given probabilities: logits")
    assert json.loads(json.dumps(found)) == found


class _Whole(nn.Module):
    """Uses all that it holds; a subclass may not."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.head = nn.Linear(4, 4), nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.encoder(x))


class _Cutting(_Whole):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.encoder(x).detach())


class _Adding(_Cutting):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) + 1


@pytest.mark.parametrize("kind", [_Cutting, _Adding])
def test_a_method_that_a_subclass_replaces_says_nothing_of_what_runs(kind: type[_Whole]) -> None:
    model = kind()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = F.cross_entropy(model(torch.randn(4, 4)), torch.tensor([0, 1, 1, 0]))
    optimizer.zero_grad()
    loss.backward()
    (finding,) = findings()
    assert (finding["rule"], finding["title"].partition(":")[0]) == ("missing-grad", "model.encoder got no gradient")
    optimizer.step()


def test_a_line_stands_in_a_file_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "step.py").write_text(
        "import torch\n"
        "from tensor_inspector import findings\n"
        "given = torch.softmax(torch.nn.Linear(3, 3)(torch.ones(4, 3)), 1)\n"
        "loss = torch.nn.functional.cross_entropy(given, torch.tensor([0, 1, 2, 0]))\n"
        "found = findings()\n"
    )
    monkeypatch.chdir(tmp_path)
    (finding,) = runpy.run_path("step.py")["found"]
    assert finding["source"]["file"] == str(tmp_path / "step.py")


def test_a_printed_finding_says_how_many_follow_from_it() -> None:
    follows: dict[str, Any] = {"rule": "b", "severity": "hint", "tier": "sure", "title": "b", "source": None}
    follows |= {"evidence": [], "why": "", "suggestion": "", "consequences": []}
    cause = follows | {"title": "a", "consequences": [follows, follows]}
    assert repr(Findings([cause])) == "hint  b  a · 2 consequences"


def test_one_text_is_no_collection_of_rules() -> None:
    with pytest.raises(TypeError, match="collection of rules"):
        findings(ignore="lr-zero")


@pytest.mark.parametrize(
    ("ignored", "said"),
    [
        ("lr_zero", "there is no rule 'lr_zero' to ignore: is 'lr-zero' meant?"),
        ("Double-SoftMax", "there is no rule 'Double-SoftMax' to ignore: is 'double-softmax' meant?"),
        ("softmaxed-twice", "there is no rule 'softmaxed-twice' to ignore: is 'normalized-twice' meant?"),
        ("nonsense", "there is no rule 'nonsense' to ignore"),
    ],
)
def test_a_rule_that_there_is_not_cannot_be_ignored(ignored: str, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        findings(ignore=["lr-zero", ignored])


def test_an_ignored_rule_is_skipped() -> None:
    logits = torch.softmax(nn.Linear(3, 3)(torch.randn(4, 3)), 1)
    loss = F.cross_entropy(logits, torch.tensor([0, 1, 2, 0]))
    found = findings(ignore=("double-softmax",))
    assert found == []
    assert ("double-softmax", "ignored") in found.skipped


def test_an_error_that_is_not_about_tensors_is_not_explained() -> None:
    with pytest.raises(KeyError) as raised:
        {}["key"]
    assert explain(raised.value) == []


SCALED = {
    "made by a division": ("images = raw / raw.std(1, keepdim=True)", "look at what line 4 divides by"),
    "made by a logarithm": ("images = (raw - 1).log()", "look at line 4: it makes this of finite values"),
    "not finite before": ("images = raw * broken", "clean or mask it where the data is read"),
}


@pytest.mark.parametrize(("made", "tried"), SCALED.values(), ids=SCALED)
def test_an_input_that_its_own_line_makes_not_finite_is_no_fault_of_the_data(made: str, tried: str) -> None:
    program = f"""
raw, broken = torch.rand(8, 6), torch.full((6,), float("nan"))
raw[3] = 0.0
{made}
model = nn.Linear(6, 1)
loss = model(images).mean()
stop()
loss.backward()
"""
    text = program.replace("\n", "", 1)
    (found,) = said_of(HEAD + text).found
    line = (HEAD + text).splitlines().index(made) + 1
    assert found["rule"] == "nan-in-input"
    assert found["suggestion"].startswith(tried.replace("line 4", f"line {line}"))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64], ids=str)
def test_rows_that_two_tensors_share_are_counted_by_their_bytes(dtype: torch.dtype) -> None:
    rows = torch.linspace(0.01, 0.99, 40 * 5).reshape(40, 5).flip(1).to(dtype)
    others = torch.cat([rows[[3, 17, 3]], rows[:9].flip(1), rows[:4] + 0.001])
    known = {tuple(row) for row in rows.tolist()}
    assert _shared_rows(rows, others) == sum(tuple(row) in known for row in others.tolist()) >= 3
