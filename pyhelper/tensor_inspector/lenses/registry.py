"""Which lenses there are: a module each, loaded by its name when it is first asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kinds import Child
from ..safe.budget import Budget
from ..safe.guard import module as loaded
from .lens import Lens, Misasked, Paused

#: By name: the module below `lenses`, the names of the values that it is asked about, and those of its options.
LENSES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "compare": ("compare_lens", ("a", "b"), ("rtol", "atol")),
    "autograd": ("graphs.autograd", ("tensor",), ()),
    "findings": ("findings.lens", (), ("thorough", "run", "ignore", "stop")),
    "nan_origin": ("graphs.nan_origin", ("tensor",), ()),
    "no_gradient": ("graphs.no_gradient", ("parameter",), ()),
    "gradients": ("gradients.gradients", ("model",), ("rows",)),
}


def lens(
    name: str, values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None
) -> Lens:
    """The beginning of the question that ``name`` stands for; ``Misasked`` where it makes none.

    ``paused`` is where it is asked, if anything is paused: what is in sight there gives values their names.
    """
    if name not in LENSES:
        raise Misasked(f"there is no lens '{name}'")
    module, wanted, known = LENSES[name]
    if set(values) != set(wanted):
        raise Misasked(f"'{name}' is asked about {' and '.join(wanted) or 'no value'}")
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise Misasked(f"'{name}' has no option '{unknown[0]}'")
    if name != "compare" and loaded("torch") is None:
        raise Misasked("the program has not imported torch")
    try:
        return _load(module).lens(values, options, budget, paused)  # type: ignore[no-any-return]
    except (TypeError, ValueError) as error:
        raise Misasked(str(error)) from None


def _load(name: str) -> Any:
    return __import__(name, globals(), None, ["*"], 1)  # importlib's own runs built-in functions of the program
