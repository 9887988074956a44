"""Every example in a docstring and in docs/python.md is true."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
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
MANUAL = Path(__file__).parents[2] / "docs/python.md"


@pytest.mark.parametrize("name", ["tensor_inspector", *MODULES])
def test_examples_in_docstrings(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_examples_in_the_manual() -> None:
    failed, tried = doctest.testfile(str(MANUAL), module_relative=False, encoding="utf-8")
    assert (failed, tried > 0) == (0, True)


def test_every_public_function_can_be_imported() -> None:
    public = ["watch"]
    public += [
        name
        for module in (api, questions)
        for name, item in vars(module).items()
        if inspect.isfunction(item) and item.__module__ == module.__name__ and not name.startswith("_")
    ]
    assert sorted([*public, "NonFinite"]) == sorted(tensor_inspector.__all__), "its name stands twice in __init__.py"


@pytest.mark.parametrize("name", tensor_inspector.__all__)
def test_every_public_name_has_a_row_and_a_section_in_the_manual(name: str) -> None:
    text = MANUAL.read_text("utf-8")
    assert f"| [{name}](#{name.lower()}) " in text
    section = f"\n## {name}\n\n"
    if name != "NonFinite":  # which nobody calls
        section += f"`{_signature(name)}`\n\n"
    assert section in text


def _signature(name: str) -> str:
    parameters = inspect.signature(getattr(tensor_inspector, name)).parameters.values()
    plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]
    return f"{name}{inspect.Signature(plain)}"
