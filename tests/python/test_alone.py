"""Without torch, without numpy, without either: what is there is described, and nothing is missed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

HELPER = Path(__file__).parents[2] / "pyhelper"
WITHOUT = "import sys\nsys.modules.update(dict.fromkeys({names!r}))\nimport warnings\nwarnings.simplefilter('ignore')\n"


def said(code: str, *without: str) -> list[str]:
    """The lines that a program prints which can't import these libraries."""
    program = WITHOUT.format(names=without) + "from tensor_inspector import *\n" + textwrap.dedent(code)
    run = [sys.executable, "-c", program]
    done = subprocess.run(
        run, capture_output=True, text=True, timeout=600, env={"PYTHONPATH": str(HELPER)}, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def needs(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(importlib.util.find_spec(name) is None, reason=f"needs {name}")


PLAIN = """
    class Point:
        def __init__(self): self.x, self.y = 1, [2.5]
    loop = [1]
    loop.append(loop)
    print(summarize({"a": [1, 2], "b": Point()}))
    print(summarize(Point()))
    print(tree(loop))
    print(facts("text")["type"])
    print(compare([1, 2], [1, 3]))
"""
PLAIN_SAID = [
    "dict · 2: a list of 2, b Point",
    "Point · x 1, y list of 1",
    "list · 2: 1, list of 2",
    "  [0]  1",
    "  [1]  list · 2: 1, list of 2  ↻ value",
    "str",
    "1 difference · 2 values compared",
    "  [1]  2 → 3",
]


@pytest.mark.parametrize("without", [("torch", "numpy"), ("torch",), ("numpy",)], ids="without {0}".format)
def test_plain_values_need_no_library(without: tuple[str, ...]) -> None:
    assert said(PLAIN, *without) == PLAIN_SAID


@needs("numpy")
def test_arrays_need_no_torch() -> None:
    code = """
        import numpy
        a = numpy.array([[1.0, numpy.nan], [-2.0, 0.0]])
        print(summarize(a))
        print(facts(a)["stats"]["nan"], "torch" in [name for name, module in sys.modules.items() if module])
        print(tree(a, depth=1))
        print(compare(a, a + 1))
    """
    lines = said(code, "torch")
    assert lines[0] == "float64[2, 2] · −2…1 · μ −0.333 σ 1.53 · 1 NaN"
    assert lines[1] == "1 False"
    assert any("values" in line for line in lines)
    assert lines[-1] == "  value  3 of 4 differ, |Δ| up to 1, 50% relative: 1 → 2 at [0, 0]"


@needs("torch")
def test_tensors_need_no_numpy() -> None:
    code = """
        import torch
        for dtype in (torch.float32, torch.bfloat16, torch.int64, torch.uint8, torch.bool, torch.complex64):
            print(summarize(torch.arange(40_000).remainder(100).to(dtype).view(200, 200).t()))
        print(summarize(torch.nn.Linear(2, 3)))
        print(tree(torch.ones(2, requires_grad=True) * 2, depth=1).splitlines()[1])
        print(compare(torch.ones(2), torch.zeros(2)))
    """
    lines = said(code, "numpy")
    assert lines[0].startswith("float32[200, 200] · 0…99 · μ 49.5 σ 28.9 · ")
    assert lines[4].startswith("bool[200, 200] · 39.6K of 40.0K True (99%)")
    assert lines[5].startswith("complex64[200, 200] · |z| 0…99")
    assert lines[6] == "Linear(2 → 3) · 9 params · train · grads None"
    assert lines[7].startswith("  values")
    assert lines[-1] == "  value  2 of 2 differ, |Δ| up to 1, 100% relative: 1 → 0 at [0]"


@pytest.mark.parametrize("name", ["torch", "numpy", "pandas", "jax", "polars", "PIL.Image", "tensordict"])
def test_a_module_of_the_program_under_a_library_s_name_does_no_harm(name: str) -> None:
    code = f"""
        import types
        false = types.ModuleType({name!r})
        false.Tensor = false.ndarray = false.DataFrame = false.Array = false.Image = false.TensorDict = 3
        sys.modules[{name!r}] = false
        print(summarize([1, 2]))
        print(summarize(false).split()[0])
    """
    lines = said(code, *({"torch", "numpy"} - {name}))
    assert lines[0] == "list · 2: 1, 2"
    assert lines[1].startswith(name.partition(".")[0])


def test_without_torch_there_is_no_step_to_look_at() -> None:
    asked = """
        print(findings())
        try:
            {}["a"]
        except KeyError as error:
            print(explain(error))
    """
    assert said(asked, "torch") == ["0 rules, nothing found, 1 not checked: the program has not imported torch"] * 2


def test_without_torch_there_is_no_graph_to_ask_about() -> None:
    asked = """
        for lens in (autograd, gradients, nan_origin, no_gradient):
            try:
                lens([1])
            except TypeError as error:
                print(error)
    """
    assert said(asked, "torch") == ["the program has not imported torch"] * 4
