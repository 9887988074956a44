"""Configurations by their keys and values as they were written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .specimen import Specimen, Zoo

OMEGACONF = ("omegaconf",)


def resolver(*_: Any) -> Any:
    raise RuntimeError("a resolver ran")


def config(**changed: Any) -> Any:
    from omegaconf import OmegaConf

    OmegaConf.register_new_resolver("port", resolver, replace=True)
    return OmegaConf.create(
        {
            "paths": {"root": "/data", "train": "${paths.root}/train", "cache": "${paths.scratch}/cache"},
            "optim": {"lr": 3e-4, "betas": [0.9, 0.95], "warmup": "???"},
            "serve": {"port": "${port:8000}", "name": "run-${optim.lr}"},
            **changed,
        }
    )


def of(value: Any, **changed: Any) -> Callable[[], Any]:
    """A function that makes a config of a dict or list."""
    from functools import partial

    def made(value: Any) -> Any:
        from omegaconf import OmegaConf

        return OmegaConf.create(value)

    return partial(made, value)


def marked(name: str, value: bool = True) -> Any:
    from omegaconf import OmegaConf

    found = config()
    getattr(OmegaConf, f"set_{name}")(found, value)
    return found


@dataclass
class Trained:
    rate: float = 0.1
    steps: int = "???"  # type: ignore[assignment]
    size: Any = 3
    names: dict[str, str] = field(default_factory=dict)


def structured(rate: float = 0.1) -> Any:
    from omegaconf import OmegaConf

    return OmegaConf.structured(Trained(rate=rate))


def node(value: Any) -> Any:
    from omegaconf import AnyNode

    return AnyNode(value)


def below(value: Any) -> Any:
    """A config with every sort of reference, and of what has to be put in quotes."""
    return of({"a": {"b": value, "c": [1, {"d": 2}]}, "items": 1, "class": 2, "with space": 3, 4: 5, "none": None})()


SPECIMENS: Zoo = {
    "omegaconf": Specimen(
        config, says=("DictConfig · 1 missing · 1 broken reference · 3: paths DictConfig of 3, optim",), silent=("_metadata",),
        rows=(
            "'train'  AnyNode · '${paths.root}/train' · reference, not resolved", "'root'  '/data'", "'lr'  0.0003", "'warmup'  AnyNode · ??? · missing",
            "'cache'  AnyNode · '${paths.scratch}/cache' · broken reference: there is no paths.scratch", "'port'  AnyNode · '${port:8000}' · reference",
        ),
        needs=OMEGACONF, changed=lambda: config(optim={"lr": 1e-3, "betas": [0.9, 0.95], "warmup": "???"}),
    ),
    "omegaconf, part": Specimen(
        lambda: config().paths, says=("DictConfig · 1 broken reference · 3: root '/data', train '${paths.root}/train'",), needs=OMEGACONF,
        changed=lambda: config(paths={"root": "/data", "train": "${paths.root}/test", "cache": "${paths.scratch}/cache"}).paths,
    ),
    "omegaconf list": Specimen(of([1, "???", ["${0}"]]), says=("ListConfig · 1 missing · 3: 1, missing, ListConfig of 1",), needs=OMEGACONF, changed=of([1, "???", ["${1}"]])),
    "omegaconf, read-only": Specimen(lambda: marked("readonly"), says=("· read-only",), needs=OMEGACONF, changed=config),
    "omegaconf, struct": Specimen(lambda: marked("struct"), says=("· struct",), needs=OMEGACONF, changed=lambda: marked("struct", False)),
    "omegaconf, structured": Specimen(
        structured, says=("DictConfig of Trained · 1 missing · 4: rate 0.1, steps missing, size 3, names DictConfig of 0",), needs=OMEGACONF,
        changed=lambda: structured(0.2),
    ),
    "omegaconf, empty": Specimen(of({}), says=("DictConfig · empty",), needs=OMEGACONF, changed=of({"a": 1})),
    "omegaconf, a reference": Specimen(lambda: of({"a": {"b": 1}, "c": "${a}"})()._get_node("c"), says=("AnyNode · '${a}' · reference",), needs=OMEGACONF, changed=lambda: node("${b}")),
    "omegaconf, keys": Specimen(lambda: below("${.c}"), says=("DictConfig · 6: a DictConfig of 2, items 1",), rows=("'b'  AnyNode · '${.c}' · reference, not",), needs=OMEGACONF, changed=lambda: below(1)),
    "omegaconf, a reference to itself": Specimen(lambda: below("${a.b}"), rows=("'b'  AnyNode · '${a.b}' · broken reference: refers to itself",), needs=OMEGACONF, changed=lambda: below("${a}")),
    "omegaconf, upwards": Specimen(lambda: below("${..none}"), rows=("'b'  AnyNode · '${..none}' · reference, not",), needs=OMEGACONF, changed=lambda: below("${...none}")),
    "omegaconf, in a list": Specimen(lambda: below("${a.c[1].d}"), rows=("'b'  AnyNode · '${a.c[1].d}' · reference, not",), needs=OMEGACONF, changed=lambda: below("${a.c[1].e}")),
    "omegaconf, beyond a list": Specimen(lambda: below("${a.c[2]}"), rows=("broken reference: there is no a.c[2]",), needs=OMEGACONF, changed=lambda: below("${a.c[1]}")),
    "omegaconf, nested reference": Specimen(lambda: below("${a.${x}}"), rows=("'b'  AnyNode · '${a.${x}}' · reference, not",), needs=OMEGACONF, changed=lambda: below("${a.${y}}")),
    "omegaconf node": Specimen(lambda: node(5), says=("AnyNode · 5",), needs=OMEGACONF, changed=lambda: node(6)),
    "omegaconf, whole config missing": Specimen(lambda: of({"a": {}})() and __import__("omegaconf").DictConfig("???"), says=("DictConfig · ??? · missing",), needs=OMEGACONF, changed=lambda: __import__("omegaconf").DictConfig(None)),
}  # fmt: skip
