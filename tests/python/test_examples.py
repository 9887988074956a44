"""Every example in a docstring and in the README is true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import numpy  # noqa: F401  the kinds of a library are only there where it is
import pytest
import torch  # noqa: F401

import tensor_inspector

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
