"""The lens `gradients`: a table of the gradients of a model or an optimizer, the worst first."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from functools import cached_property
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any

from ...kinds import Child
from ...measure.torch.metadata import is_exact_tensor, is_tensor
from ...measure.torch.modules import is_module, members
from ...measure.torch.norms import Norms
from ...measure.torch.optimizers import groups, is_optimizer
from ...measure.torch.updates import UpdateRules
from ...safe.budget import Budget, Steps
from ..lens import Lens, Paused, row_limit, wrong_type
from ..surroundings import Names, step_around
from .row import ParameterRow, by_depth
from .words import table

if TYPE_CHECKING:
    from ...protocol import Found, GradientsFound


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    """About ``values["model"]``, a module or an optimizer, else it raises ``TypeError``. The option ``rows`` bounds the
    rows of the data."""
    asked, rows = values["model"], row_limit(options)
    step = step_around(paused, budget)
    optimizers = [variable.value for variable in step.optimizers] if step is not None else []
    if is_optimizer(asked.value):
        return GradientsLens(asked, _of_optimizer(asked, Names(step)), [asked.value], budget, rows)
    if is_module(asked.value):
        return GradientsLens(asked, _of_module(asked), optimizers, budget, rows)
    raise wrong_type(asked, "a torch.nn.Module or an optimizer")


def _of_module(asked: Child) -> Iterator[ParameterRow]:
    """The parameters of a module, each once, by the names that one types."""
    seen: set[int] = set()
    for member in members(asked.value, Steps(Budget())):
        for suffix, tensor in member.parameters():
            if id(tensor) not in seen:
                seen.add(id(tensor))
                path = None if asked.suffix is None else f"{asked.suffix}{member.path}{suffix}"
                yield ParameterRow(path or f"{member.path}{suffix}".lstrip("."), path, tensor)


def _of_optimizer(asked: Child, names: Names) -> Iterator[ParameterRow]:
    for number, group in enumerate(groups(asked.value)):
        held = group.option("params")
        for at, tensor in enumerate(held if type(held) is list else ()):
            if not is_tensor(tensor):
                continue
            name = names.of(tensor)
            yield ParameterRow(name or f"param_groups[{number}]['params'][{at}]", name, tensor)


class GradientsLens(Lens):
    """Finds the parameters, reads the norms of all gradients and weights, and then works out what the optimizer would
    do with them."""

    def __init__(
        self, asked: Child, rows: Iterator[ParameterRow], optimizers: list[Any], budget: Budget, limit: int
    ) -> None:
        super().__init__(budget)
        self._asked = asked
        self._to_find = rows
        self._all: list[ParameterRow] = []
        self._row_limit = limit
        self._with_gradient: list[ParameterRow] = []
        self._norms: Norms | None = None
        self._rules = UpdateRules(optimizers)
        self._waiting: deque[ParameterRow] | None = None
        self._rule: str | None = None

    def go_on(self) -> bool:
        if self._waiting is None:
            if self._norms is None:
                if not self._find():
                    return False
                self._norms = self._norms_of_all()
            if not self._norms.go_on(self.budget):
                return False
            self._note_norms(self._norms)
            self._waiting = deque(row for row in self._with_gradient if row.is_finite())
        while self._waiting:
            if self.budget.spent():
                return False
            self._update(self._waiting.popleft())
        return True

    def stop(self) -> None:
        if self._waiting is None:
            self._note_norms(self._norms or self._norms_of_all())

    def progress(self) -> float:
        if self._waiting is None:
            return 0.0 if self._norms is None else 0.5 * self._norms.progress()
        return 0.5 + 0.5 * (1 - len(self._waiting) / max(1, len(self._with_gradient)))

    def found(self) -> Found:
        rows = self.sorted
        states = [row.state() for row in rows]
        norms = [row.norm for row in self._with_gradient]
        known = [norm for norm in norms if norm is not None]
        answer: GradientsFound = {
            "lens": "gradients",
            "parameters": len(rows),
            "trainable": sum(state != "frozen" for state in states),
            "none": states.count("none"),
            "zero": states.count("zero"),
            "nan": states.count("nan"),
            "inf": states.count("inf"),
            "unread": states.count("unread"),
            "empty": states.count("empty"),
            "norm": sqrt(sum(norm * norm for norm in known)) if len(known) == len(norms) else None,
            "rule": self._rule,
            "by_depth": [norm for _, norm in self._by_depth],
            "rows": [row.data() for row in rows[: self._row_limit]],
        }
        return answer

    def row(self) -> Child:
        return table(f"gradients of {self._asked.name}", self.found(), self.sorted, self._by_depth)

    @cached_property
    def _by_depth(self) -> list[tuple[str, float]]:
        return by_depth(self._all)

    @cached_property
    def sorted(self) -> list[ParameterRow]:
        """The rows, the worst first."""
        return sorted(self._all, key=ParameterRow.order)

    def _find(self) -> bool:
        """Whether all parameters are found."""
        steps = Steps(self.budget)
        for row in self._to_find:
            row.depth = len(self._all)
            self._all.append(row)
            if steps.end():
                return False
        return True

    def _norms_of_all(self) -> Norms:
        self._with_gradient = [row for row in self._all if row.gradient is not None]
        return Norms([*(row.gradient for row in self._with_gradient), *(row.weight for row in self._all)])

    def _note_norms(self, norms: Norms) -> None:
        found = norms.found
        for row, norm in zip(self._with_gradient, found):
            row.note_gradient(norm)
        for row, norm in zip(self._all, found[len(self._with_gradient) :]):
            row.weight_norm = None if norm is None else norm.value

    def _update(self, row: ParameterRow) -> None:
        update = self._rules.of(row.weight, row.gradient) if is_exact_tensor(row.weight) else None
        norm = None if update is None else update.norm()
        if update is not None and norm is not None and isfinite(norm):
            row.update_norm, self._rule = norm, update.rule
