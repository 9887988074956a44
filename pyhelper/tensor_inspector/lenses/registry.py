"""The table of lenses. The module of a lens is loaded when it is first asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kinds import Child
from ..safe.budget import Budget
from ..safe.guard import module as loaded
from ..safe.record import Record
from .lens import InvalidQuestion, Lens, Paused


class Registered(Record):
    """What is known of a lens before it is loaded.

    ``module`` is its file below `lenses`, ``values`` the names of the values that it takes, ``optional`` those that it
    may be asked without, ``options`` those of its options. ``further`` is the beginning of names of more values:
    ``input1``, ``input2`` … for "input". One ``without_torch`` also answers where the program has not imported torch.
    One ``of_the_stop`` is about the stop as a whole, so its question ends with the stop. One that ``runs`` code of the
    program needs the option ``run``, by which the user has agreed.
    """

    module: str
    values: tuple[str, ...]
    options: tuple[str, ...] = ()
    further: str | None = None
    without_torch: bool = False
    of_the_stop: bool = False
    runs: bool = False
    optional: tuple[str, ...] = ()


_OF_DETAILS = "parts exact dims facets index window tiles shown bins robust rtol atol equal_nan"
LENSES: dict[str, Registered] = {
    "compare": Registered("compare.lens", ("a", "b"), ("rtol", "atol"), without_torch=True),
    "details": Registered(
        "details.lens", ("value",), tuple(_OF_DETAILS.split()), without_torch=True, optional=("other",)
    ),
    "export": Registered(
        "export.lens", ("value",), ("format", "path", "overwrite", "run", "step", "scalars"), without_torch=True
    ),
    "keep": Registered("keep.lens", ("value",), ("as", "checksums")),
    "autograd": Registered("graphs.autograd", ("tensor",), ("drawn",)),
    "findings": Registered("findings.lens", (), ("thorough", "run", "ignore", "stop"), of_the_stop=True),
    "observations": Registered("observations.lens", (), ("ignore",), of_the_stop=True),
    "nan_origin": Registered("graphs.nan_origin", ("tensor",)),
    "no_gradient": Registered("graphs.no_gradient", ("parameter",)),
    "gradcheck": Registered("gradcheck.gradcheck", ("function",), ("names",), further="input", runs=True),
    "gradients": Registered("gradients.gradients", ("model",), ("rows",)),
    "environment": Registered("environment.environment", (), without_torch=True, of_the_stop=True),
    "shapes": Registered("shapes.shapes", ("module",), ("names",), further="input", runs=True),
    "model": Registered("model.model", ("model",), ("sort", "rows")),
    "batch": Registered("batch.batch", ("batch",), without_torch=True),
    "item": Registered("batch.item", ("dataset",), ("index",), runs=True),
    "report": Registered("report.report", (), ("values", "stop"), without_torch=True, of_the_stop=True),
    "referrers": Registered("memory.referrers", ("value",), ("rows",), without_torch=True),
    "memory": Registered("memory.memory", (), ("rows", "thorough"), without_torch=True, of_the_stop=True),
}


def registered(name: str) -> Registered:
    """What is known of a lens; ``InvalidQuestion`` where there is none of this name."""
    if name not in LENSES:
        raise InvalidQuestion(f"there is no lens '{name}'")
    return LENSES[name]


def lens(
    name: str, values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None
) -> Lens:
    """The beginning of the question that ``name`` stands for; ``InvalidQuestion`` where it makes none.

    ``paused`` is where it is asked, if anything is paused: what is in sight there gives values their names.
    """
    known = registered(name)
    further = range(1, len(values) - len(known.values) + 1) if known.further is not None else ()
    if {*values} - {*known.optional} != {*known.values, *(f"{known.further}{number}" for number in further)}:
        raise InvalidQuestion(f"'{name}' is asked about {' and '.join(known.values) or 'no value'}")
    unknown = sorted(set(options) - {*known.options} - ({"run"} if known.runs else set()))
    if unknown:
        raise InvalidQuestion(f"'{name}' has no option '{unknown[0]}'")
    if known.runs and options.get("run") is not True:
        raise InvalidQuestion(f"'{name}' runs code of the program: it is asked with the option 'run'")
    if not known.without_torch and loaded("torch") is None:
        raise InvalidQuestion("the program has not imported torch")
    try:
        return _load(known.module).lens(values, options, budget, paused)  # type: ignore[no-any-return]
    except (TypeError, ValueError) as error:
        raise InvalidQuestion(str(error)) from None


def _load(name: str) -> Any:
    return __import__(name, globals(), None, ["*"], 1)  # importlib's own runs built-in functions of the program
