"""The wheel, as pip installs it: it has all that the package needs, and nothing else is imported."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command: object) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=240, cwd=ROOT.anchor)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
    [found] = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def python(wheel: Path) -> Path:
    """The interpreter of a fresh environment in which nothing but the wheel is."""
    folder = wheel.parent / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    found = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run(sys.executable, "-m", "pip", "--quiet", "--python", found, "install", "--no-index", wheel)
    return found


def test_has_every_module_and_nothing_beside_the_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    package = ROOT / "pyhelper" / "tensor_inspector"
    modules = {f"tensor_inspector/{path.relative_to(package).as_posix()}" for path in package.rglob("*.py")}
    assert {name for name in names if name.endswith(".py")} == modules
    assert {name.split("/")[0].split("-")[0] for name in names} == {"tensor_inspector"}
    assert "tensor_inspector/py.typed" in names


def test_says_what_it_can_do(python: Path) -> None:
    said = run(python, "-I", "-m", "tensor_inspector")
    assert said.startswith("Tensor Inspector 0.")
    assert "none of its libraries is installed" in said
    assert "ti.watch" in said
    assert "ti.summarize     The summary line of a value, at most 120 characters." in said


def test_describes_values_without_any_library(python: Path) -> None:
    assert run(python, "-I", "-c", "import tensor_inspector as ti; print(ti.summarize([1, 2]))") == "list · 2: 1, 2\n"


def test_describes_what_a_program_has_imported(python: Path) -> None:
    torch = pytest.importorskip("torch")
    program = f"""
import sys
sys.path.append({str(Path(torch.__file__).parents[1])!r})
import torch
import tensor_inspector as ti
assert ti.__file__.startswith(sys.prefix), ti.__file__
weight = torch.tensor([1.0, float("nan")], requires_grad=True)
print(ti.summarize(weight))
print(ti.facts(weight)["stats"]["nan"])
print(ti.compare(weight, weight.detach().clone()).same)
"""
    lines = run(python, "-I", "-c", program).splitlines()
    assert "1 NaN" in lines[0]
    assert lines[1:] == ["1", "False"]  # one of the two requires no gradient
