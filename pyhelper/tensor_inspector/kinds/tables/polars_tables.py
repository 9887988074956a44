"""polars frames, series and expressions. A lazy frame is never collected."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from ...safe.guard import dict_get, instance_dict, library_of, owner_of
from ...words.text import joined, one_line, shorten
from ..families import by_name
from ..numpy.contents import Contents
from ..python.plain import Atom
from . import polars_columns
from .tables import COUNTED, Column, Table, Values


class PolarsFrame(Table):
    """A ``polars.DataFrame``."""

    needs = ("_df",)

    @cached_property
    def core(self) -> Any:
        return dict_get(instance_dict(self.value), "_df")

    def size(self) -> tuple[int, int]:
        rows, columns = self.core.shape()
        return int(rows), int(columns)

    def labels(self, start: int, count: int) -> Iterable[object]:
        return self.core.columns()[start : start + count]  # type: ignore[no-any-return]

    def column(self, at: int) -> Column:
        return Column(self.core.to_series(at), polars_columns.SeriesContents, "[{}]")

    def column_suffix(self, at: int, label: object) -> str | None:
        owner = owner_of(type(self.value), "__getitem__") or object
        return f"[{label!r}]" if library_of(owner) == "polars" else f".to_series({at})"

    def row_suffix(self) -> str | None:
        return ".row({})"

    def bytes(self) -> int | None:
        columns = self.size()[1]
        if columns > COUNTED:
            return None
        return sum(polars_columns.bytes_of(self.core.to_series(at)) for at in range(columns))


class PolarsSeries(Values):
    """A ``polars.Series``."""

    needs = ("_s",)

    @cached_property
    def core(self) -> Any:
        return dict_get(instance_dict(self.value), "_s")

    @cached_property
    def contents(self) -> Contents:
        return polars_columns.SeriesContents(self.core, self.budget)

    def parts(self) -> Iterable[str | None]:
        name = self.core.name()
        return [f"{self.type_name()} {shorten(name, 40)}" if name else self.type_name(), *self.words()]


class LazyFrame(Atom):
    """A plan: asking it for anything could read files."""

    def line(self) -> str:
        return f"{self.type_name()} · a plan, not run"

    def brief(self) -> str:
        return self.type_name()


class Expression(Atom):
    """By polars' own text of it."""

    def line(self) -> str:
        core = dict_get(instance_dict(self.value), "_pyexpr")
        return joined([self.type_name(), one_line(core.to_str(), 100) if hasattr(core, "to_str") else None])


class PolarsDType(Atom):
    def brief(self) -> str:
        return shorten(str(self.value))

    def line(self) -> str:
        return shorten(f"dtype {self.value}")


kind_for = by_name(
    {
        PolarsFrame: ("DataFrame",),
        PolarsSeries: ("Series",),
        LazyFrame: ("LazyFrame",),
        Expression: ("Expr",),
        PolarsDType: ("DataType",),
    },
    "polars",
)
