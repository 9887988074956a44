"""Every example in a docstring and in the README is true."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import numpy  # noqa: F401  the kinds of a library are only there where it is
import pytest
import torch  # noqa: F401

import tensor_inspector
from tensor_inspector import api, questions

MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(tensor_inspector.__path__, "tensor_inspector.")
    if not name.endswith("loader")
]
README = Path(__file__).parents[2] / "README.md"


@pytest.mark.parametrize("name", ["tensor_inspector", *MODULES])
def test_examples_in_docstrings(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_examples_in_the_readme() -> None:
    failed, tried = doctest.testfile(str(README), module_relative=False, encoding="utf-8")
    assert (failed, tried > 0) == (0, True)


def test_every_public_function_can_be_imported_and_is_told_in_the_readme() -> None:
    public = ["watch"]
    public += [
        name
        for module in (api, questions)
        for name, item in vars(module).items()
        if inspect.isfunction(item) and item.__module__ == module.__name__ and not name.startswith("_")
    ]
    assert sorted([*public, "NonFinite"]) == sorted(tensor_inspector.__all__), "its name stands twice in __init__.py"
    text = README.read_text("utf-8")
    untold = [name for name in public if re.search(rf"(`|\bti\.){name}\(", text) is None]
    assert untold == [], "say in the README what it tells"
