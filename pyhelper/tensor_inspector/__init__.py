"""Every value at a glance: summarized, cycle-safe, truthful, untouched.

The same code serves two doors: the VS Code extension injects it into a paused program; from Python, `summarize` gives
the line, `facts` the data and `tree` the finite tree of any value; `compare` says how two differ. Import it as a whole:
`model`, `batch` and others are names that a program has itself.

    >>> import tensor_inspector as ti
    >>> ti.summarize({"lr": 0.1, "steps": [1, 2, 3]})
    'dict · 2: lr 0.1, steps list of 3'
    >>> loop = [1]
    >>> loop.append(loop)
    >>> print(ti.tree(loop, depth=3))
    list · 2: 1, list of 2
      [0]  1
      [1]  list · 2: 1, list of 2  ↻ value

Requirements: Python 3.9 or newer and the standard library. torch and numpy are described when the program has them.
"""

from __future__ import annotations

from .api import compare, explain, facts, findings, forget, observations, picture, rules, summarize, tree
from .questions import (
    autograd,
    batch,
    environment,
    gradcheck,
    gradients,
    item,
    memory,
    model,
    nan_origin,
    no_gradient,
    referrers,
    report,
    shapes,
)
from .watching.hits import NonFinite
from .watching.watch import watch

__all__ = [
    "NonFinite",
    "autograd",
    "batch",
    "compare",
    "environment",
    "explain",
    "facts",
    "findings",
    "forget",
    "gradcheck",
    "gradients",
    "item",
    "memory",
    "model",
    "nan_origin",
    "no_gradient",
    "observations",
    "picture",
    "referrers",
    "report",
    "rules",
    "shapes",
    "summarize",
    "tree",
    "watch",
]
