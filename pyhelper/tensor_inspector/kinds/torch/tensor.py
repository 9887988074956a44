"""Tensors of the program: their elements, what autograd knows of them, and whose memory they share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...measure.stats import Unread
from ...measure.torch.metadata import (
    LOST,
    PLAIN,
    Base,
    Gradient,
    base_of,
    byte_count,
    dtype_name,
    grad_hooks_of,
    gradient_of,
    hooks_of,
    is_channels_last,
    is_opaque,
    shape_of,
    stored_bytes,
    tangent_of,
)
from ...protocol import Badge, Facts
from ...safe.guard import module
from ...words.line import Word, is_loud
from ...words.stats import stats_words
from ...words.text import size
from ..kind import Child, Kind, WithRows
from ..python.objects import other_attributes, property_rows
from ..stats_rows import stats_rows
from .finite import look_at_gradients_too
from .forms import form_of
from .values import TensorElements, Values

torch: Any = module("torch")
_LOUD: tuple[Badge, ...] = ("nan", "inf")
_WRONG = frozenset(("nan", "inf", "zeros"))  #: with a gradient


class Tensor(WithRows, Values):
    """A tensor, and by itself one with plain memory. How another keeps its elements is its form: a subclass.

    The kind is chosen by class alone, the form by what torch's dispatcher knows of the tensor.
    """

    search = staticmethod(look_at_gradients_too)

    def __new__(cls, value: Any, budget: Any) -> Tensor:
        form: type[Tensor] = (form_of(value) or Tensor) if cls is Tensor else cls
        return object.__new__(form)

    def __init__(self, value: Any, budget: Any) -> None:
        super().__init__(value, budget)
        self._gradient: Gradient | None = None
        self._grad: Tensor | None = None
        self._laid_out: list[str] | None = None

    def is_dense(self) -> bool:
        """Whether its elements stand in memory as its strides say, and no form of its own keeps them."""
        return type(self) is Tensor

    def parts(self) -> Iterable[str | None]:
        own = None if type(self.value) in PLAIN else self.type_name()
        return [own, *self.value_words(), *self.gradient_words(), self.view_words(), *self.laid_out()]

    def badges(self) -> list[Badge]:
        own, grad = super().badges(), self.grad()
        if grad is not None:
            own += [badge for badge in Values.badges(grad) if badge in _LOUD and badge not in own]
        return own

    def facts(self) -> Facts:
        facts, gradient, base = self.value_facts(), self.gradient(), self.base()
        facts["requires_grad"] = gradient.required
        facts["is_leaf"] = gradient.is_leaf
        facts["grad_fn"] = gradient.said
        facts["view_of"] = None if base is None else Tensor(base, self.budget).head()
        facts["notes"] = [*self.notes(), *self.laid_out()]
        rows = [*self.form_facts(), *self.memory_facts()]
        grad = self.grad()
        if gradient.required and (gradient.is_leaf or grad is not None):
            rows.append(["grad", "None" if grad is None else grad.line()])
        if rows:
            facts["rows"] = rows
        return facts

    def form_facts(self) -> list[list[str]]:
        """Facts of the form alone: labels and texts."""
        return []

    def form_rows(self) -> list[Child]:
        """What the form is made of: of a dtype of which torch knows only the bytes, those."""
        if not is_opaque(self.value):
            return []
        seen_as = torch.uint8 if Base.element_size(self.value) == 1 else torch.int16
        return [Child("bytes", TensorElements(Base.view(self.plain(), seen_as)))]

    def base(self) -> Any:
        """The tensor that this one is a view of."""
        return base_of(self.value)

    def gradient(self) -> Gradient:
        if self._gradient is None:
            self._gradient = gradient_of(self.value)
        return self._gradient

    def grad(self) -> Tensor | None:
        """``.grad``, itself a tensor with statistics."""
        if self._grad is None and self.gradient().grad is not None:
            self._grad = Tensor(self.gradient().grad, self.budget)
        return self._grad

    def tangent(self) -> Any:
        return tangent_of(self.value)

    def gradient_words(self) -> Iterator[str]:
        gradient, tangent = self.gradient(), self.tangent()
        if tangent is not None:
            yield f"dual, tangent {stats_words(Tensor(tangent, self.budget).reading())[0]}"
        if not gradient.required:
            return
        if gradient.said is None:
            yield "leaf"
        else:
            yield gradient.said if gradient.said is LOST else f"grad ← {gradient.said}"
        grad = self.grad()
        if grad is not None:
            loud = filter(is_loud, stats_words(grad.reading()))
            is_alarming = not _WRONG.isdisjoint(Values.badges(grad))
            yield Word(f"grad {', '.join(loud)}", loud=True) if is_alarming else "has grad"
        elif gradient.said is None:
            yield "grad None"

    def laid_out(self) -> list[str]:
        if self._laid_out is None:
            self._laid_out = list(self.layout_words())
        return self._laid_out

    def view_words(self) -> str | None:
        """What it is a view of."""
        base = self.base()
        if base is None:
            return None
        dtype = "" if _same_dtype(base, self.value) else dtype_name(base)
        return f"view of {dtype}{Tensor(base, self.budget).sizes()}"

    def layout_words(self) -> Iterator[str]:
        """How the elements lie in memory, where that is not in order."""
        sizes, strides = shape_of(self.value), Base.stride(self.value)
        if not all(type(number) is int for number in (*sizes, *strides)):
            return  # comparing symbols would add guards to the program's own trace
        if 0 not in sizes and any(length > 1 and stride == 0 for length, stride in zip(sizes, strides)):
            yield f"expanded from {size(byte_count(self.value) or 0)}"
        elif not Base.is_contiguous(self.value):
            yield "channels_last" if is_channels_last(self.value) else "not contiguous"

    def child_count(self) -> int | None:
        own = bool(self.length()) + (not isinstance(self.reading(), Unread))
        return own + len(self.form_rows()) + len(self.linked_rows()) + len(self.attribute_rows())

    def rows(self) -> list[Child]:
        rows = [Child("values", self.values(), "")] if self.length() else []
        if not isinstance(self.reading(), Unread):
            rows.append(Child("stats", stats_rows(self.reading(), self.elements)))
        return [*rows, *self.form_rows(), *self.linked_rows(), *self.attribute_rows()]

    def linked_rows(self) -> list[Child]:
        """What autograd ties to it."""
        gradient = self.gradient()
        linked = [
            ("grad", gradient.grad, ".grad"),
            ("grad_fn", gradient.function, ".grad_fn"),
            ("base", self.base(), "._base"),
            ("tangent", self.tangent(), None),
            ("hooks", hooks_of(self.value) or None, "._backward_hooks"),
            ("hooks after accumulation", grad_hooks_of(self.value) or None, "._post_accumulate_grad_hooks"),
        ]
        return [Child(name, item, suffix) for name, item, suffix in linked if item is not None]

    def attribute_rows(self) -> list[Child]:
        """What the instance carries besides; not the marks that torch.compile leaves."""
        own = _own_dict(self.value) if type(self.value) in PLAIN else None
        if own is not None and all(name.startswith("_dynamo") for name in own if type(name) is str):
            return []
        return [*other_attributes(self.value), *property_rows(self.value)]

    def memory_facts(self) -> list[list[str]]:
        """Whose memory it is, where that is more than its elements take."""
        own, stored = byte_count(self.value), stored_bytes(self.value)
        if own is None or not stored:
            return []
        offset, is_view = Base.storage_offset(self.value), self.base() is not None
        if stored == own and not is_view:
            return []
        shared = "shares the base's " if is_view else ""
        return [["storage", f"{shared}{size(stored)}" + (f", offset {offset:,}" if offset else "")]]


class Part(Kind):
    """Elements taken out to be looked at. Their gradient is not told: they were taken out without one."""

    kind = "tensor"
    summarized = True
    rank = 0
    contains = False

    def __init__(self, value: TensorElements, budget: Any) -> None:
        super().__init__(value, budget)
        self.of = Tensor(value.value, budget)

    def type_name(self) -> str:
        return self.of.type_name()

    def brief(self) -> str:
        return self.of.brief()

    def parts(self) -> Iterable[str | None]:
        return self.of.value_words()

    def badges(self) -> list[Badge]:
        return Values.badges(self.of)

    def first_values(self) -> str | None:
        return self.of.first_values()

    def child_count(self) -> int | None:
        return self.of.length()

    def children(self, start: int, count: int) -> Iterable[Child]:
        return self.of.values().children(start, count) if self.of.length() else ()

    def facts(self) -> Facts:
        return self.of.value_facts()

    def elements(self) -> Any:
        return self.of.elements()

    def item(self, key: Any) -> Any:
        return self.of.item(key)


def _same_dtype(a: Any, b: Any) -> bool:
    return dtype_name(a) == dtype_name(b)


_own_dict: Any = torch.Tensor.__dict__["__dict__"].__get__


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    if cls is TensorElements:
        return Part
    return Tensor if any(base is Base for base in bases) else None
