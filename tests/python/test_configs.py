"""Configurations of OmegaConf: what is asked of them runs no resolver."""

from __future__ import annotations

from typing import Any

import pytest

from tensor_inspector import compare, facts, summarize, tree
from tensor_inspector.kinds import as_kind
from tensor_inspector.safe.budget import Budget
from tensor_inspector.stop.expression import resolve

OmegaConf: Any = pytest.importorskip("omegaconf").OmegaConf


@pytest.fixture
def asked() -> Any:
    """How often the resolver ``port`` was asked."""
    found: list[Any] = []
    OmegaConf.register_new_resolver("port", lambda base: found.append(base) or base, replace=True)
    return found


def config(**changed: Any) -> Any:
    return OmegaConf.create({"port": "${port:8000}", "lr": 0.1, "on": {"lr": "${lr}", "steps": [1, 2]}, **changed})


def test_no_look_at_a_config_asks_a_resolver(asked: list[Any]) -> None:
    settings = config()
    for look in (summarize, facts, tree, lambda value: compare(value, config())):
        look(settings)
    assert asked == []
    assert settings.port == 8000
    assert asked == [8000]


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        ({}, None),
        ({"lr": 0.2}, ".lr"),
        ({"port": "${port:8001}"}, "'port'"),
        ({"port": 8000}, "'port'"),
        ({"port": "???"}, "'port'"),
        ({"on": {"lr": "${lr}", "steps": [1, 3]}}, ".on.steps[1]"),
        ({"on": "${lr}"}, ".on"),
        ({"on": None}, ".on"),
        ({"more": 1}, ".more"),
    ],
)
def test_configs_are_compared_by_what_was_written(changed: dict[str, Any], difference: str | None) -> None:
    found = compare(config(), config(**changed))
    assert [one["path"] for one in found.differences] == ([] if difference is None else [difference])
    assert found.same is (difference is None)


@pytest.mark.parametrize(
    ("expression", "line"),
    [
        ("settings.lr", "0.1"),
        ("settings['lr']", "0.1"),
        ("settings.on.steps[1]", "2"),
        ("settings.on", "DictConfig · 2: lr '${lr}', steps ListConfig of 2"),
        ("settings.port", "AnyNode · '${port:8000}' · reference, not resolved"),
    ],
)
def test_what_an_expression_reaches_is_read_from_the_nodes(asked: list[Any], expression: str, line: str) -> None:
    assert as_kind(resolve(expression, {"settings": config()}, {}, Budget()), Budget()).line() == line
    assert asked == []
