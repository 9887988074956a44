"""The lens `report`: what stands in a bug report, and what of the program's data must not."""

from __future__ import annotations

import dataclasses
import importlib
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from asking import Paused
from hostile import RAN
from torch import nn
from untouched import Watch

from tensor_inspector import findings, memory, report
from tensor_inspector.lenses.report.section import without_home

SECRET, NUMBER = "hush-hush", 424242


@dataclasses.dataclass
class Patient:
    name: str = SECRET
    age: int = NUMBER


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(10, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)  # type: ignore[no-any-return]


def full_of_secrets() -> FrameType:
    text, amount, share, blob = SECRET, NUMBER, NUMBER + 0.5, SECRET.encode()
    names, by_name, inside = [SECRET] * 3, {SECRET: NUMBER}, [{SECRET: [NUMBER]}]
    pair, found, counted = (NUMBER, SECRET), {SECRET}, Counter([SECRET])
    numbers, scalar, labels = torch.full((4, 2), float(NUMBER)), torch.tensor(NUMBER), torch.tensor([NUMBER])
    by_key = {SECRET: torch.ones(3)}
    array, texts = np.full((2, 3), NUMBER), np.array([SECRET])
    objects, record = np.array([SECRET, NUMBER], dtype=object), np.zeros(2, [("hush-hush", "i4")])
    table = pd.DataFrame({SECRET: [NUMBER]}, index=[SECRET])
    column, person, path = table[SECRET], Patient(), Path.home() / SECRET
    every = (text, amount, share, blob, names, by_name, inside, pair, found, counted, numbers, scalar, labels, by_key)
    assert (every, array, texts, objects, record, column, person, path) is not None
    return sys._getframe()


def raising(error: BaseException) -> tuple[FrameType, Any]:
    """A frame, and what it has raised by itself."""
    try:
        raise error
    except BaseException as caught:
        return sys._getframe(), (type(caught), caught, caught.__traceback__)


def running(code: str, **names: Any) -> tuple[FrameType, Any]:
    """The frame of a failing line of code, and what was raised there."""
    try:
        exec(compile(code, "/home/someone/train.py", "exec"), {"__name__": "train", **names})
    except Exception as caught:
        trace: Any = caught.__traceback__.tb_next  # type: ignore[union-attr]
        return trace.tb_frame, (type(caught), caught, caught.__traceback__)
    raise AssertionError("it was to fail")


def reported(frame: FrameType, monkeypatch: pytest.MonkeyPatch, raised: Any = None, **options: Any) -> dict[str, Any]:
    if raised is not None:
        frame.f_locals["__exception__"] = raised
    from tensor_inspector.stop import frame as stop

    monkeypatch.setattr(stop, "raised", lambda _: raised)
    return Paused(frame, monkeypatch).lens("report", options)


def test_nothing_that_variables_hold_is_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = reported(full_of_secrets(), monkeypatch)
    told = str({**answer, "ms": None})
    assert "Frame" in told
    assert "person" in told
    for secret in (SECRET, str(NUMBER), f"{NUMBER:,}", "4.242e5"):
        assert secret not in told


def test_with_values_what_they_hold_is_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    text = reported(full_of_secrets(), monkeypatch, values=True)["text"]
    assert f"text     '{SECRET}'" in text
    assert f"numbers  float32[4, 2] · all {NUMBER}" in text


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("numbers", "float32[4, 2]"), ("scalar", "int64[]"), ("array", "int64[2, 3]"), ("text", "str"), ("amount", "int"),
        ("names", "list of 3 · str ×3"), ("by_key", "dict of 1 · float32[3]"), ("pair", "tuple of 2 · int, str"),
        ("person", "test_report.Patient"), ("table", "pandas.DataFrame 1 × 1"),
    ],
)  # fmt: skip
def test_a_variable_is_told_by_its_type_shape_dtype_and_device(
    name: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = reported(full_of_secrets(), monkeypatch)["text"].splitlines()
    assert [said.split(maxsplit=1)[1] for said in lines if said.startswith(f"{name} ")] == [line]


def test_tensors_come_first_then_what_holds_some(monkeypatch: pytest.MonkeyPatch) -> None:
    text = reported(full_of_secrets(), monkeypatch)["text"]
    places = [text.index(f"\n{name} ") for name in ("numbers", "by_key", "amount")]
    assert places == sorted(places)


def test_an_exception_is_told_with_the_lines_of_the_user_that_it_came_through(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, raised = running("out = model(x)", model=Net(), x=torch.ones(32, 5))
    answer = reported(frame, monkeypatch, raised)
    assert answer["found"]["exception"] == "RuntimeError"
    block = answer["text"].split("### Exception")[1].split("###")[0].strip().splitlines()
    assert block[1] == "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x5 and 10x5)"
    assert "  /home/someone/train.py:1 in <module>" in block
    assert block[-2].startswith("  … ")
    assert block[-2].endswith(" frames of libraries")
    assert any(line.startswith(f"  {__file__}:") and line.endswith(" in forward") for line in block)


def test_where_nothing_was_raised_it_says_where_the_program_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = reported(full_of_secrets(), monkeypatch)
    assert answer["found"]["exception"] is None
    assert "### Exception" not in answer["text"]
    assert f"{__file__}:" in answer["text"].split("### Stopped at")[1].splitlines()[3]


@pytest.mark.parametrize(
    "error",
    [
        ValueError(f"no such user: {SECRET}"), KeyError(SECRET), AssertionError(SECRET),
        RuntimeError(f"shape mismatch for {SECRET}"), ValueError(NUMBER, SECRET),
    ],
)  # fmt: skip
def test_what_the_program_says_itself_is_left_out(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    frame, raised = raising(error)
    answer = reported(frame, monkeypatch, raised)
    assert type(error).__name__ in answer["text"]
    assert SECRET not in str(answer)
    assert str(NUMBER) not in str(answer)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("lambda: int('hush-hush')", "ValueError: invalid literal for int() with base 10: …"),
        ("lambda: float('hush-hush')", "ValueError: could not convert string to float: …"),
        ("lambda: [1].index(424242)", "ValueError: (message left out: it may hold data)"),
        ("lambda: int('a\\'b\"secret hush-hush\\'')", "ValueError: invalid literal for int() with base 10: …\n"),
        ("lambda: torch.optim.SGD([torch.ones(1)], lr=-424242)", "ValueError: (message left out"),
        ("lambda: torch.testing.assert_close(torch.tensor(424242), torch.tensor(1))", "AssertionError: (message left out"),
        ("lambda: torch._C.PyTorchFileReader('/mnt/hush-hush/m.pt')", "RuntimeError: (message left out: it may hold data)"),
        ("lambda: torch.arange(3)[424242]", "IndexError: index … is out of bounds for dimension 0 with size 3"),
        ("lambda: torch.nn.functional.nll_loss(torch.ones(1, 2), torch.tensor([424242]))", "Target … is out of bounds."),
        ("lambda: getattr(1, 'hush_hush'.replace('_', ''))", "AttributeError: (message left out: it may hold data)"),
        (
            "lambda: torch.nn.Linear(2, 2).load_state_dict({'hush-hush': torch.ones(1)})",
            'Error(s) in loading state_dict for Linear:\nMissing key(s) in state_dict: "weight", "bias".\n…\n',
        ),
        ("lambda: {}['hush-hush']", "KeyError: (message left out: it may hold data)"),
        ("lambda: [].missing", "AttributeError: 'list' object has no attribute 'missing'"),
        ("lambda: print(hush=1)", "TypeError: "),
        ("lambda: 1 / 0", "ZeroDivisionError: division by zero"),
        (
            "lambda: torch.distributions.Normal(torch.tensor([424242.0]), torch.tensor([-1.0]), validate_args=True)",
            "ValueError: Expected parameter scale (Tensor of shape (1,)) of distribution … but found invalid values:\n…\n",
        ),
    ],
)  # fmt: skip
def test_what_a_library_says_is_told_without_what_it_quotes(
    code: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, raised = running(f"call = {code}\ncall()", torch=torch)
    text = reported(frame, monkeypatch, raised)["text"]
    assert said in text
    assert SECRET not in text
    assert str(NUMBER) not in text


class Secretive(torch.utils.data.Dataset[int]):
    def __len__(self) -> int:
        return 1

    def __getitem__(self, at: int) -> int:
        raise ValueError(f"patient {SECRET}")


def test_of_what_a_worker_raised_the_first_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    wrapper: Any = importlib.import_module("torch._utils").ExceptionWrapper

    def work() -> None:
        try:
            Secretive()[0]
        except ValueError:
            wrapped = wrapper(where="in DataLoader worker process 0")
        wrapped.reraise()

    frame, raised = running("work()", work=work)
    text = reported(frame, monkeypatch, raised)["text"]
    assert "ValueError: Caught ValueError in DataLoader worker process 0.\n…\n" in text
    assert SECRET not in text
    assert "patient" not in text


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("torch.ones(2, 3) + torch.ones(2, 4)", "The size of tensor a (3) must match the size of tensor b (4) at"),
        ("torch.ones(2, 3) @ torch.ones(3, 4).double()", "to have the same dtype, but got: float != double"),
        ("torch.nn.Conv2d(3, 4, 2)(torch.ones(1, 2, 8, 8))", "to have 3 channels, but got 2 channels instead"),
        ("torch.ones(2).backward()", "element 0 of tensors does not require grad and does not have a grad_fn"),
        ("torch.cat([torch.ones(2, 3), torch.ones(2, 4)])", "Sizes of tensors must match except in dimension 0."),
        ("torch.ones(6).view(4, 2)", "shape '[4, 2]' is invalid for input of size 6"),
        ("torch.embedding(torch.ones(2, 2), torch.tensor([5]))", "index out of range in self"),
        ("torch.ones(3).undefined", "'Tensor' object has no attribute 'undefined'"),
        ("1 + 'a'", "unsupported operand type(s) for +: 'int' and 'str'"),
    ],
)
def test_a_message_of_a_known_form_is_told(code: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    frame, raised = running(code, torch=torch)
    assert said in reported(frame, monkeypatch, raised)["text"]


def test_a_name_that_is_the_text_of_a_variable_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, raised = running("eval(held)", held="patient_0815")
    text = reported(frame, monkeypatch, raised)["text"]
    assert "NameError" in text
    assert "patient" not in text
    frame, raised = running("undefined + 1")
    assert "name 'undefined' is not defined" in reported(frame, monkeypatch, raised)["text"]


def test_how_much_memory_was_asked_for_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    said = (
        "CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.25 GiB is free."
        " Process 12 has 3.00 MiB memory in use. Including non-PyTorch memory, this process has 70.00 GiB memory in use."
        " Of the allocated memory 60.50 GiB is allocated by PyTorch, and 10.00 MiB is reserved by PyTorch but unallocated."
    )
    frame, raised = raising(torch.cuda.OutOfMemoryError(said))
    assert said in reported(frame, monkeypatch, raised)["text"]


def test_with_values_a_message_is_told_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, raised = raising(ValueError(f"no such user: {SECRET}"))
    assert f"ValueError: no such user: {SECRET}" in reported(frame, monkeypatch, raised, values=True)["text"]


def test_what_an_exception_came_from_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "divide = lambda: 1 / 0\ntry:\n    divide()\nexcept ZeroDivisionError as error:\n    raise RuntimeError('mine') from error"
    frame, raised = running(code)
    lines = reported(frame, monkeypatch, raised)["text"].splitlines()
    assert lines.index("caused by") < lines.index("ZeroDivisionError: division by zero")


def test_the_home_folder_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    frame, raised = running("1 / 0")
    answer = reported(frame, monkeypatch, raised)
    assert "~/train.py:1 in <module>" in answer["text"]
    assert "someone" not in str(answer)


@pytest.mark.parametrize(
    ("home", "text", "told"),
    [
        ("/root", "/data/rootfs/x.py", "/data/rootfs/x.py"),
        ("/root", "/data/root/x.py", "/data/user/x.py"),
        ("/root", "/root/x.py:3 and /root", "~/x.py:3 and ~"),
        ("/home/jo", "/home/john/x.py", "/home/john/x.py"),
        ("/home/jo", "/backup/home/jo/x.py", "/backup/home/user/x.py"),
        ("/home/jo", "/scratch/jo/joint/x.py", "/scratch/user/joint/x.py"),
        ("/home/jo", "in /home/jo. And /mnt/jo", "in ~. And /mnt/user"),
        ("/home/jo", "jo / 2, (jo)", "jo / 2, (jo)"),
        ("C:\\Users\\jo", "C:\\Users\\jo\\x.py, D:\\jo\\y.py", "~\\x.py, D:\\user\\y.py"),
        ("/", "/a/b", "/a/b"),
    ],
)
def test_the_home_folder_and_the_users_name_are_parts_of_paths(
    home: str, text: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", home)
    assert without_home(text) == told


def test_where_the_home_folder_is_a_link_what_it_leads_to_is_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.setenv("HOME", str(tmp_path / "link"))
    assert without_home(f"{tmp_path}/real/x.py") == "~/x.py"


def test_of_variables_that_may_hold_data_it_is_told_that_they_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_HOME", f"/data/{SECRET}")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    text = reported(full_of_secrets(), monkeypatch)["text"]
    assert "TORCH_HOME: set · default not set" in text
    assert "CUDA_VISIBLE_DEVICES: 0,1 · default not set" in text
    assert f"TORCH_HOME: /data/{SECRET}" in reported(full_of_secrets(), monkeypatch, values=True)["text"]


@pytest.mark.parametrize("values", [False, True])
def test_findings_are_a_line_each(values: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    frame, raised = running("out = model(x)", model=Net(), x=torch.ones(32, 5))
    answer = reported(frame, monkeypatch, raised, values=values)
    said = "x is [32, 5], but" if values else "Operands must agree in the dimensions that an operation joins."
    block = answer["text"].split("### Findings")[1].split("###")[0]
    assert answer["found"]["findings"] == 1
    assert "error shape-mismatch (" in block
    assert said in block


@pytest.mark.skipif(torch.version.cuda is not None, reason="for a torch that is built without CUDA")
def test_a_machine_without_cuda_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = reported(full_of_secrets(), monkeypatch)
    assert "\nCUDA: not available: torch is built without it\n" in answer["text"]
    assert answer["found"]["cuda"] == "not_built"


def test_what_is_not_as_by_default_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NCCL_DEBUG", "INFO")
    with torch.inference_mode():
        text = reported(full_of_secrets(), monkeypatch)["text"]
    block = text.split("not as by default:\n")[1]
    assert "  inference mode: on · default off\n" in block
    assert "  NCCL_DEBUG: INFO · default not set\n" in block
    assert f"\ntorch: {torch.__version__}\n" in text


def test_it_is_markdown_in_which_nothing_of_the_program_has_a_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, raised = raising(ValueError("```\n# owned"))
    text = reported(frame, monkeypatch, raised, values=True)["text"]
    assert text.count("```text\n") == text.count("### ")
    assert text.count("```") == 2 * text.count("### ")


def test_asking_runs_nothing_changes_nothing_and_remembers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from tensor_inspector.watching import history

    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = model(torch.ones(2, 10)).sum()
    loss.backward()
    paused = Paused(sys._getframe(), monkeypatch)
    paused.lens("report")
    history.forget()
    RAN.clear()
    with Watch([model, optimizer, loss]) as watch:
        paused.lens("report", {"stop": 1})
        paused.lens("report", {"values": True})
    assert (watch.changes(), RAN, history._known) == ([], [], {})


def test_a_variable_that_can_not_be_read_is_told_by_its_class(monkeypatch: pytest.MonkeyPatch) -> None:
    from tensor_inspector.lenses.report import variables

    def failing(value: object, budget: object) -> str:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(variables, "typed", failing)
    assert "person   Patient" in reported(full_of_secrets(), monkeypatch)["text"]


def test_from_python_it_is_about_the_exception_that_is_being_handled() -> None:
    assert report()["exception"] is None
    try:
        Net()(torch.ones(32, 5))
    except RuntimeError:
        found = report()
    assert (found["exception"], found["findings"]) == ("RuntimeError", 1)
    text = str(found)
    assert "float32[32, 5]" in text  # what the frame that raised was given
    assert " in test_from_python_it_is_about_the_exception_that_is_being_handled" in text


AT_PDB = """
import pdb, sys
from tensor_inspector import findings, memory, report

def fail(count):
    return count / 0

try:
    fail(3)
except ZeroDivisionError:
    {prompt}
    print(sys.argv)
"""


@pytest.mark.parametrize("prompt", ["pdb.set_trace()", "pdb.post_mortem()"])
@pytest.mark.parametrize(
    "line", ["str(report())", "print(report())", "p str(report())", "found = str(report()); print(found)"]
)
def test_at_a_prompt_of_pdb_it_is_about_the_exception_of_the_program(prompt: str, line: str, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(AT_PDB.format(prompt=prompt), "utf-8")
    shown = subprocess.run(
        [sys.executable, script], input=f"{line}\nq\n", capture_output=True, text=True, timeout=600, check=False
    ).stdout
    assert "\nZeroDivisionError: division by zero\n" in shown.replace("\\n", "\n")
    assert "AttributeError" not in shown


def test_without_torch_there_is_a_report_too() -> None:
    code = "import tensor_inspector as t\nwords = ['a']\nprint(t.report())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600)
    assert "words  list of 1 · str" in done.stdout
    assert "Python: " in done.stdout


def test_the_row_sums_it_up_and_opens_to_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, raised = running("out = model(x)", model=Net(), x=torch.ones(32, 5))
    answer = reported(frame, monkeypatch, raised)
    row = answer["node"]
    assert row["name"] == "bug report"
    assert row["line"].startswith("RuntimeError · 1 finding · ")
    assert [node["name"] for node in row["page"]["nodes"]] == [
        "Exception", "Findings", "Frame that raised", "Frame", "Environment",
    ]  # fmt: skip


def test_its_text_is_in_its_data() -> None:
    found = report()
    assert found["text"] == str(found)


@pytest.mark.parametrize(("ask", "name"), [(report, "values"), (memory, "thorough"), (findings, "thorough"), (findings, "run")])  # fmt: skip
def test_an_option_is_true_or_false(ask: Any, name: str) -> None:
    with pytest.raises(TypeError, match=f"^{name} is True or False, not int$"):
        ask(**{name: 1})
