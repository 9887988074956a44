"""Tensors: their elements, what autograd knows of them, and whose memory they share."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...measure.comparable import Comparable
from ...measure.stats import Reading, Unread
from ...measure.torch.metadata import (
    EXACT_TENSORS,
    Base,
    Gradient,
    dtype_name,
    grad_hooks_of,
    gradient_of,
    hooks_of,
    is_parameter,
)
from ...safe.guard import class_name, is_filled_dict
from ...words.line import Word, is_loud
from ...words.stats import stats_words
from ..families import by_base
from ..kind import Child, Kind, WithRows
from ..stats_rows import stats_rows
from .dense import read_alike
from .finite import find_in_gradients_too
from .form import TensorElements
from .forms import form_of

if TYPE_CHECKING:
    from ...measure.composed import ComposedElements
    from ...protocol import Badge, Facts, WatchedAs

_LOUD: frozenset[Badge] = frozenset(("nan", "inf"))
_WRONG = frozenset(("nan", "inf", "zeros"))  #: with a gradient


class Tensor(WithRows):
    """A tensor. This kind is chosen by class; how it keeps its elements is its form, which `forms` chooses for each
    tensor."""

    kind = "tensor"
    summarized = True
    rank = 0
    search = staticmethod(find_in_gradients_too)

    def __init__(self, value: Any, budget: Any) -> None:
        super().__init__(value, budget)
        self.form = form_of(value, budget)
        self.repeating = self.form.repeating
        self._gradient: Gradient | None = None
        self._grad: Tensor | None = None
        self._laid_out: list[str] | None = None

    def read(self) -> None:
        self.form.reading()

    @classmethod
    def read_all(cls, kinds: Sequence[Any]) -> None:
        read_alike([kind.form for kind in kinds])
        super().read_all(kinds)

    def brief(self) -> str:
        return self.form.brief()

    def parts(self) -> Iterable[str | None]:
        name = None if type(self.value) in EXACT_TENSORS else self.type_name()
        return [name, *self.form.line_words(), *self.gradient_words(), self.view_words(), *self.laid_out()]

    def inline(self) -> str | None:
        return self.form.inline()

    def badges(self) -> list[Badge]:
        badges, grad = self.form.badges(), self.grad()
        if grad is not None:
            badges += [badge for badge in grad.form.badges() if badge in _LOUD and badge not in badges]
        return badges

    def lenses(self) -> list[str]:
        gradient, known = self.gradient(), []
        is_trained = gradient.required or is_parameter(self.value)
        if gradient.required and not gradient.is_leaf:
            known.append("autograd")
        elif is_trained and gradient.grad is None:
            known.append("no_gradient")
        if not _LOUD.isdisjoint(self.form.badges()):  # that of its gradient is asked about the gradient
            known.append("nan_origin")
        if not is_trained and self.form.listed_sizes():
            known.append("batch")  # it may be data
        return known

    @property
    def watched_as(self) -> WatchedAs:  # type: ignore[override]
        gradient = self.gradient()
        return "parameter" if gradient.required and gradient.is_leaf else "tensor"

    def facts(self) -> Facts:
        facts, gradient, base = self.form.facts(), self.gradient(), self.form.base()
        facts["requires_grad"] = gradient.required
        facts["is_leaf"] = gradient.is_leaf
        facts["grad_fn"] = gradient.origin
        facts["view_of"] = None if base is None else form_of(base, self.budget).head()
        facts["notes"] = [*self.form.notes(), *self.laid_out()]
        rows, grad = self.form.fact_rows(), self.grad()
        if gradient.required and (gradient.is_leaf or grad is not None):
            rows.append(["grad", "None" if grad is None else grad.line()])
        if rows:
            facts["rows"] = rows
        return facts

    def length(self) -> int:
        """How many rows or values can be listed."""
        return self.form.length()

    def elements(self) -> Any:
        return self.form.elements()

    def composition(self) -> ComposedElements | None:
        return self.form.composition()

    def reading(self) -> Reading:
        return self.form.reading()

    def measured(self) -> Any:
        return self.form.measured()

    def item(self, key: Any) -> Any:
        return self.form.item(key)

    def first_values(self) -> str | None:
        return self.form.first_values()

    def comparable(self) -> Comparable:
        return self.form.comparable()

    def unlisted(self) -> Iterable[Child]:
        return self.form.unlisted()

    def requires_grad(self) -> bool:
        return self.gradient().required

    def gradient(self) -> Gradient:
        if self._gradient is None:
            self._gradient = gradient_of(self.value)
        return self._gradient

    def grad(self) -> Tensor | None:
        """``.grad``, which is read once."""
        if self._grad is None and self.gradient().grad is not None:
            self._grad = Tensor(self.gradient().grad, self.budget)
        return self._grad

    def gradient_words(self) -> Iterator[str]:
        gradient, tangent = self.gradient(), self.form.tangent()
        if tangent is not None:
            yield f"dual, tangent {stats_words(form_of(tangent, self.budget).reading())[0]}"
        if not gradient.required:
            return
        if gradient.origin is None:
            yield "leaf"
        else:
            yield gradient.origin if gradient.is_lost else f"grad ← {gradient.origin}"
        grad = self.grad()
        if grad is not None:
            loud = filter(is_loud, stats_words(grad.reading()))
            is_alarming = not _WRONG.isdisjoint(grad.form.badges())
            yield Word(f"grad {', '.join(loud)}", loud=True) if is_alarming else "has grad"
        elif gradient.origin is None:
            yield "grad None"

    def laid_out(self) -> list[str]:
        if self._laid_out is None:
            self._laid_out = self.form.layout_words()
        return self._laid_out

    def view_words(self) -> str | None:
        """What it is a view of."""
        base = self.form.base()
        if base is None:
            return None
        dtype = "" if dtype_name(base) == dtype_name(self.value) else dtype_name(base)
        return f"view of {dtype}{form_of(base, self.budget).sizes()}"

    def child_count(self) -> int | None:
        elements = bool(self.form.length()) + (not isinstance(self.reading(), Unread))
        return elements + len(self.form.rows()) + len(self.linked_rows()) + len(self.form.attribute_rows())

    def rows(self) -> list[Child]:
        return self.rows_without(())

    def rows_without(self, names: Container[str]) -> list[Child]:
        rows = []
        if "values" not in names and self.form.length():
            rows.append(Child("values", self.form.values(), ""))
        if "stats" not in names and not isinstance(self.reading(), Unread):
            rows.append(Child("stats", stats_rows(self.reading(), self.elements)))
        others = [*self.form.rows(), *self.linked_rows(), *self.form.attribute_rows()]
        return [*rows, *(child for child in others if child.name not in names)]

    def linked_rows(self) -> list[Child]:
        """Rows of what autograd links to it."""
        rows, gradient, base, tangent = [], self.gradient(), self.form.base(), self.form.tangent()
        hooks, grad_hooks = hooks_of(self.value), grad_hooks_of(self.value)
        if gradient.grad is not None:
            rows.append(Child("grad", gradient.grad, ".grad"))
        if gradient.function is not None:
            rows.append(Child("grad_fn", gradient.function, ".grad_fn"))
        if base is not None:
            rows.append(Child("base", base, "._base"))
        if tangent is not None:
            rows.append(Child("tangent", tangent))
        if is_filled_dict(hooks):
            rows.append(Child("hooks", hooks, "._backward_hooks"))
        if is_filled_dict(grad_hooks):
            rows.append(Child("hooks after accumulation", grad_hooks, "._post_accumulate_grad_hooks"))
        return rows


class TensorPart(Kind):
    """Elements taken out of a tensor, shown as a value. They have no gradient of their own."""

    kind = "tensor"
    summarized = True
    rank = 0
    contains = False

    def __init__(self, value: TensorElements, budget: Any) -> None:
        super().__init__(value, budget)
        self.form = form_of(value.value, budget)

    def type_name(self) -> str:
        return class_name(type(self.value.value))

    def brief(self) -> str:
        return self.form.brief()

    def parts(self) -> Iterable[str | None]:
        return self.form.line_words()

    def badges(self) -> list[Badge]:
        return self.form.badges()

    def first_values(self) -> str | None:
        return self.form.first_values()

    def child_count(self) -> int | None:
        return self.form.length()

    def children(self, start: int, count: int) -> Iterable[Child]:
        return self.form.values().children(start, count) if self.form.length() else ()

    def facts(self) -> Facts:
        return self.form.facts()

    def elements(self) -> Any:
        return self.form.elements()

    def composition(self) -> ComposedElements | None:
        return self.form.composition()

    def reading(self) -> Reading:
        return self.form.reading()

    def comparable(self) -> Comparable:
        return self.form.comparable()

    def item(self, key: Any) -> Any:
        return self.form.item(key)


kind_for = by_base({TensorPart: (TensorElements,), Tensor: (Base,)})
