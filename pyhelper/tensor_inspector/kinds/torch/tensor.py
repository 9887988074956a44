"""Tensors of the program: their elements, what autograd knows of them, and whose memory they share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...measure.comparable import Comparable
from ...measure.stats import Reading, Unread
from ...measure.torch.metadata import LOST, PLAIN, Base, Gradient, dtype_name, grad_hooks_of, gradient_of, hooks_of
from ...protocol import Badge, Facts
from ...safe.guard import class_name
from ...words.line import Word, is_loud
from ...words.stats import stats_words
from ..kind import Child, Kind, WithRows
from ..stats_rows import stats_rows
from .finite import look_at_gradients_too
from .forms import storage_of
from .storage import Storage, TensorElements

_LOUD: tuple[Badge, ...] = ("nan", "inf")
_WRONG = frozenset(("nan", "inf", "zeros"))  #: with a gradient


class Tensor(WithRows):
    """A tensor. Its class chooses this kind; how it keeps its elements is its storage, chosen for each by `forms`."""

    kind = "tensor"
    summarized = True
    rank = 0
    search = staticmethod(look_at_gradients_too)

    def __init__(self, value: Any, budget: Any) -> None:
        super().__init__(value, budget)
        self.storage = storage_of(value, budget)
        self.repeating = self.storage.repeating
        self._gradient: Gradient | None = None
        self._grad: Storage | None = None
        self._laid_out: list[str] | None = None

    def brief(self) -> str:
        return self.storage.brief()

    def parts(self) -> Iterable[str | None]:
        own = None if type(self.value) in PLAIN else self.type_name()
        return [own, *self.storage.line_words(), *self.gradient_words(), self.view_words(), *self.laid_out()]

    def inline(self) -> str | None:
        return self.storage.inline()

    def badges(self) -> list[Badge]:
        own, grad = self.storage.badges(), self.grad()
        if grad is not None:
            own += [badge for badge in grad.badges() if badge in _LOUD and badge not in own]
        return own

    def facts(self) -> Facts:
        facts, gradient, base = self.storage.facts(), self.gradient(), self.storage.base()
        facts["requires_grad"] = gradient.required
        facts["is_leaf"] = gradient.is_leaf
        facts["grad_fn"] = gradient.said
        facts["view_of"] = None if base is None else storage_of(base, self.budget).head()
        facts["notes"] = [*self.storage.notes(), *self.laid_out()]
        rows, grad = self.storage.fact_rows(), gradient.grad
        if gradient.required and (gradient.is_leaf or grad is not None):
            rows.append(["grad", "None" if grad is None else Tensor(grad, self.budget).line()])
        if rows:
            facts["rows"] = rows
        return facts

    def length(self) -> int:
        """How many rows or values can be listed."""
        return self.storage.length()

    def elements(self) -> Any:
        return self.storage.elements()

    def reading(self) -> Reading:
        return self.storage.reading()

    def measured(self) -> Any:
        return self.storage.measured()

    def item(self, key: Any) -> Any:
        return self.storage.item(key)

    def first_values(self) -> str | None:
        return self.storage.first_values()

    def comparable(self) -> Comparable:
        return self.storage.comparable()

    def requires_grad(self) -> bool:
        return self.gradient().required

    def gradient(self) -> Gradient:
        if self._gradient is None:
            self._gradient = gradient_of(self.value)
        return self._gradient

    def grad(self) -> Storage | None:
        """The elements of ``.grad``, with statistics."""
        if self._grad is None and self.gradient().grad is not None:
            self._grad = storage_of(self.gradient().grad, self.budget)
        return self._grad

    def gradient_words(self) -> Iterator[str]:
        gradient, tangent = self.gradient(), self.storage.tangent()
        if tangent is not None:
            yield f"dual, tangent {stats_words(storage_of(tangent, self.budget).reading())[0]}"
        if not gradient.required:
            return
        if gradient.said is None:
            yield "leaf"
        else:
            yield gradient.said if gradient.said is LOST else f"grad ← {gradient.said}"
        grad = self.grad()
        if grad is not None:
            loud = filter(is_loud, stats_words(grad.reading()))
            is_alarming = not _WRONG.isdisjoint(grad.badges())
            yield Word(f"grad {', '.join(loud)}", loud=True) if is_alarming else "has grad"
        elif gradient.said is None:
            yield "grad None"

    def laid_out(self) -> list[str]:
        if self._laid_out is None:
            self._laid_out = self.storage.layout_words()
        return self._laid_out

    def view_words(self) -> str | None:
        """What it is a view of."""
        base = self.storage.base()
        if base is None:
            return None
        dtype = "" if dtype_name(base) == dtype_name(self.value) else dtype_name(base)
        return f"view of {dtype}{storage_of(base, self.budget).sizes()}"

    def child_count(self) -> int | None:
        own = bool(self.storage.length()) + (not isinstance(self.reading(), Unread))
        return own + len(self.storage.rows()) + len(self.linked_rows()) + len(self.storage.attribute_rows())

    def rows(self) -> list[Child]:
        rows = [Child("values", self.storage.values(), "")] if self.storage.length() else []
        if not isinstance(self.reading(), Unread):
            rows.append(Child("stats", stats_rows(self.reading(), self.elements)))
        return [*rows, *self.storage.rows(), *self.linked_rows(), *self.storage.attribute_rows()]

    def linked_rows(self) -> list[Child]:
        """What autograd ties to it."""
        rows, gradient, base, tangent = [], self.gradient(), self.storage.base(), self.storage.tangent()
        hooks, grad_hooks = hooks_of(self.value), grad_hooks_of(self.value)
        if gradient.grad is not None:
            rows.append(Child("grad", gradient.grad, ".grad"))
        if gradient.function is not None:
            rows.append(Child("grad_fn", gradient.function, ".grad_fn"))
        if base is not None:
            rows.append(Child("base", base, "._base"))
        if tangent is not None:
            rows.append(Child("tangent", tangent))
        if _is_filled(hooks):
            rows.append(Child("hooks", hooks, "._backward_hooks"))
        if _is_filled(grad_hooks):
            rows.append(Child("hooks after accumulation", grad_hooks, "._post_accumulate_grad_hooks"))
        return rows


def _is_filled(hooks: Any) -> bool:
    """Told by the built-in dict: a subclass of the program may have its own truth."""
    return issubclass(type(hooks), dict) and dict.__len__(hooks) > 0


class Part(Kind):
    """Elements taken out to be looked at. Their gradient is not told: they were taken out without one."""

    kind = "tensor"
    summarized = True
    rank = 0
    contains = False

    def __init__(self, value: TensorElements, budget: Any) -> None:
        super().__init__(value, budget)
        self.storage = storage_of(value.value, budget)

    def type_name(self) -> str:
        return class_name(type(self.value.value))

    def brief(self) -> str:
        return self.storage.brief()

    def parts(self) -> Iterable[str | None]:
        return self.storage.line_words()

    def badges(self) -> list[Badge]:
        return self.storage.badges()

    def first_values(self) -> str | None:
        return self.storage.first_values()

    def child_count(self) -> int | None:
        return self.storage.length()

    def children(self, start: int, count: int) -> Iterable[Child]:
        return self.storage.values().children(start, count) if self.storage.length() else ()

    def facts(self) -> Facts:
        return self.storage.facts()

    def elements(self) -> Any:
        return self.storage.elements()

    def comparable(self) -> Comparable:
        return self.storage.comparable()

    def item(self, key: Any) -> Any:
        return self.storage.item(key)


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    if cls is TensorElements:
        return Part
    return Tensor if any(base is Base for base in bases) else None
