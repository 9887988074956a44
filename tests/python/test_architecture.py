"""The helper's shape: data flows one way, and nothing but the standard library is needed."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest
from bundle import SOURCE

# From the front door down. A module imports from its own layer or from those below it.
LAYERS = [
    {"__init__"},
    {"face", "gateway"},
    {"presentation"},
    {"properties"},
    {"frame", "expression", "debugger", "interruption", "process"},
    {"snapshot", "lenses"},
    {"kinds"},
    {"stats"},
    {"text", "words", "untouched", "guard", "budget", "preferences"},
    {"protocol"},
]
STANDARD = {
    "__future__", "ast", "binascii", "keyword", "collections", "contextlib", "ctypes", "functools", "gc", "importlib", "itertools", "json", "math", "os", "re", "socket",
    "struct", "sys", "threading", "time", "types", "typing", "weakref",
}  # fmt: skip
FILES = sorted(SOURCE.rglob("*.py"))


def part_of(module: str) -> str:
    return module.split(".")[0] or "__init__"


def imports(path: str) -> tuple[set[str], set[str]]:
    """Parts of the helper, and modules of elsewhere, that a file imports anywhere in it."""
    file = SOURCE / path
    package = list(file.relative_to(SOURCE).parts[:-1])
    ours, others = set(), set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            others |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            others.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1]
            base = ".".join([*above, *([node.module] if node.module else [])])
            ours |= {base} if base else {alias.name for alias in node.names}
    return {part_of(name) for name in ours}, others


PATHS = [str(file.relative_to(SOURCE)) for file in FILES if file.name != "loader.py"]


@pytest.mark.parametrize("path", PATHS)
def test_imports_point_down(path: str) -> None:
    own = part_of(path.replace(".py", "").replace("/", "."))
    level = next(index for index, layer in enumerate(LAYERS) if own in layer)
    allowed = set().union(*LAYERS[level:])
    assert imports(path)[0] <= allowed


@pytest.mark.parametrize("path", [str(file.relative_to(SOURCE)) for file in FILES])
def test_only_standard_modules_that_a_debugger_has_loaded_are_imported(path: str) -> None:
    assert imports(path)[1] <= STANDARD


def test_importing_the_package_loads_neither_torch_nor_numpy() -> None:
    code = "import sys, tensor_inspector as t; t.summarize([1]); print({'torch', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("path", [str(file.relative_to(SOURCE)) for file in FILES])
def test_a_module_holds_one_idea(path: str) -> None:
    assert len((SOURCE / path).read_text("utf-8").splitlines()) <= 400
