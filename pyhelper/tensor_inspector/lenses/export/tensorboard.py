"""The format ``tensorboard``: a run, a folder of files that TensorBoard reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from json import dumps
from math import inf, prod
from socket import gethostname
from time import time_ns
from typing import TYPE_CHECKING, Any

from ...measure.stats.distribution import spread_steps
from ...measure.unread import Unread
from ...safe.budget import Budget
from ...safe.guard import module, mro
from ..compare.kept import pieces, without_repetition
from ..details.texts import texts_of
from ..picture.labels import sort_of
from ..picture.picture import View, draw
from ..picture.reduction import Library
from .events import EventWriter, why_missing
from .exported import Exported, named
from .image import ImageAsPng, Images, images_of
from .plan import FileOfRun, Plan

if TYPE_CHECKING:
    from ...kinds import Child
    from ...safe.untouched import Untouched
    from ..step.step import Step
    from .plan import Planning, Steps
    from .recorded import Wanted

_BINS = 60
_NAMED = 3  #: tensors without elements
_SCALARS = 1000  #: of a series, at once
_MOST_ROWS, _MOST_NUMBERS = 100_000, 1 << 22  #: of an embedding
_AT_ONCE = 1 << 18  #: elements
_PASSES = 6  #: in which all elements of a tensor are read, about
_TSV_AT_ONCE = 2048  #: numbers
_SIDE = 512  #: pixels of a heatmap
_HEADER = 24  #: bytes of a PNG up to the end of its width and height


def plan(asked: Child, wanted: Wanted, step: Callable[[], Step | None], budget: Budget) -> Planning:
    """Raises ``TypeError`` and ``ValueError`` for what has no numbers, or where the program has no tensorboard."""
    why = why_missing()
    if why is not None:
        raise ValueError(why)
    yield
    number, tensors = _number_of(asked.value), []
    if number is None:
        try:
            tensors = yield from named(asked.value, asked.name, budget)
        except (TypeError, ValueError):
            if not wanted.series:
                raise
    if number is None and not wanted.series and not any(one.count() for _, one in tensors):
        what = f"shape {list(tensors[0][1].shape)} has none" if len(tensors) == 1 else "these tensors have none"
        raise ValueError(f"a run is of elements: {what}")
    content = _Content(asked, wanted, number, tensors, step if _is_module(asked.value) else None, budget)
    notes = list(dict.fromkeys(content.notes()))
    if _is_module(asked.value):
        from .graph import notes_of  # which needs torch

        notes += yield from notes_of(step())
    return Plan(None, content.total(), None, notes, tuple(content.files()))


class _Content:
    """What is in a run."""

    def __init__(
        self,
        asked: Child,
        wanted: Wanted,
        number: float | None,
        tensors: list[tuple[str, Exported]],
        step: Callable[[], Step | None] | None,
        budget: Budget,
    ) -> None:
        self._asked, self._wanted, self._number, self._budget = asked, wanted, number, budget
        self._step = step  #: around a module, whose graph is written
        self._is_one = len(tensors) == 1 and tensors[0][0] == asked.name
        self._tensors = [
            (name if self._is_one else f"{asked.name}/{name}", one) for name, one in tensors if one.count()
        ]
        self._empty = [name for name, one in tensors if not one.count()]
        self._whole = self._tensors[0][1] if self._is_one and self._tensors else None
        self._images: Images | None = images_of(self._whole.values) if self._whole is not None else None

    def total(self) -> int:
        read = sum(one.count() for _, one in self._tensors) * _PASSES
        return max(1, read + (self._whole.count() if self._whole is not None and self._has_embedding() else 0))

    def notes(self) -> Iterator[str]:
        yield "imports tensorboard in the program"
        if self._number is not None or self._wanted.series or any(not one.shape for _, one in self._tensors):
            yield "scalars are kept as float32"
        if any(one.shape for _, one in self._tensors):
            yield "histograms are of finite elements: NaN and Inf are counted beside them"
        if any(_is_complex(one) for _, one in self._tensors):
            yield "complex numbers are written by their magnitudes"
        if self._empty:
            more = f" and {len(self._empty) - _NAMED} more" if len(self._empty) > _NAMED else ""
            yield f"nothing is written of what has no elements: {', '.join(self._empty[:_NAMED])}{more}"
        if self._images is not None:
            yield from self._images.notes()
        if self._is_table() and not self._has_embedding():
            yield f"an embedding is of up to {_MOST_ROWS:,} rows and {_MOST_NUMBERS:,} numbers: this one is not written"
        if self._step is not None:
            yield "the graph is of the operations by which a tensor in sight was computed; else of the modules alone"

    def files(self) -> Iterator[FileOfRun]:
        """The first one comes last in time: TensorBoard reads a run once there is an event file."""
        stamp = time_ns()
        name = f"events.out.tfevents.{stamp // 10**9:010d}.{gethostname()}.{os.getpid()}.{stamp % 10**9:09d}"
        if self._has_embedding():
            folder = f"embedding-{self._wanted.step}-{stamp}"
            yield FileOfRun(f"{folder}/tensors.tsv", self._tsv)
            yield FileOfRun(f"{folder}/projector_config.pbtxt", self._config)
            yield FileOfRun(f"{folder}/{name}", _no_events)
        if self._wanted.series:
            yield FileOfRun(f"history-{self._wanted.step}-{stamp}/{name}", self._history)
        if self._number is not None or self._tensors:
            yield FileOfRun(name, self._events)

    def _history(self, guard: Untouched | None) -> Steps:
        """In a run of its own: the next export has all of it again, and more."""
        writer = EventWriter(guard)
        for series in self._wanted.series:
            points = zip(series.steps, series.times, series.values)
            for count, (at, time, value) in enumerate(points, 1):
                writer.add_scalar(f"{self._asked.name}/{series.tag}", value, at, time)
                if count % _SCALARS == 0:
                    yield writer.taken(), 0
            yield writer.taken(), 0

    def _events(self, guard: Untouched | None) -> Steps:
        writer, step = EventWriter(guard), self._wanted.step
        if self._number is not None:
            writer.add_scalar(self._asked.name, self._number, step)
        for name, one in self._tensors:
            one.check()
            for amount in self._of_tensor(writer, name, one):
                yield writer.taken(), amount
                one.check()  # a slice may have ended there
        if self._step is not None:
            from .graph import graph_of  # which needs torch

            for _ in writer.add_graph(graph_of(self._asked, self._step())):
                yield writer.taken(), 0
        if self._whole is not None:
            for _ in self._pictures(writer, self._whole):
                yield writer.taken(), 0
                self._whole.check()
        yield writer.taken(), 0

    def _of_tensor(self, writer: EventWriter, name: str, one: Exported) -> Iterator[int]:
        """Writes its histogram, and beside it how often it has what is not finite; of a single number that."""
        step, tag = self._wanted.step, f"{name}/magnitude" if _is_complex(one) else name
        if not one.shape:
            writer.add_scalar(tag, _real(one.values), step)
            return
        steps = spread_steps(one.values, self._budget, (), _BINS, robust=False, exact=True)
        while True:
            try:
                yield next(steps)
            except StopIteration as end:
                found = end.value
                break
        if isinstance(found, Unread):
            raise ValueError(f"{name}: no histogram: {found.text}")
        counts: list[int] = found["histogram"]["counts"]
        for special, amount in (("nan", found["nan"]), ("inf", found["pos_inf"]), ("-inf", found["neg_inf"])):
            if amount:
                writer.add_scalar(f"{name}/{special}", amount, step)
        if sum(counts):
            sums = _Sums()
            yield from sums.steps(one.values)
            edges = list(map(float, found["histogram"]["edges"]))
            writer.add_histogram(
                tag,
                step,
                {
                    "min": sums.least,
                    "max": sums.most,
                    "num": sum(counts),
                    "sum": sums.sum,
                    "sum_squares": sums.squares,
                    "bucket_limit": edges[1:],
                    "bucket": counts,
                },
            )

    def _pictures(self, writer: EventWriter, whole: Exported) -> Iterator[None]:
        """Writes those that a tensor is of; of another one with two dimensions a heatmap."""
        step, at = self._wanted.step, 0
        lightest = None if self._images is None else (yield from self._images.look())
        if self._images is not None and lightest is not None:
            for image in self._images.pictures(lightest):
                if image is not None:
                    tag = f"image/{at}" if self._images.shown > 1 else "image"
                    yield from writer.add_image(f"{self._asked.name}/{tag}", step, image)
                    at += 1
                yield
        elif len(whole.shape) > 1:
            drawn = draw(whole.values, View(size=_SIDE), self._budget)
            data, png = drawn.to_dict(), drawn._repr_png_()
            width, height = (int.from_bytes(png[at : at + 4], "big") for at in (_HEADER - 8, _HEADER - 4))
            tag = "heatmap" if data["complete"] else "heatmap_sampled"
            led = f"{self._asked.name}/magnitude" if _is_complex(whole) else self._asked.name
            yield from writer.add_image(f"{led}/{tag}", step, ImageAsPng(png, height, width, 3))

    def _is_table(self) -> bool:
        """Whether its rows may be points in a space."""
        whole = self._whole
        return whole is not None and len(whole.shape) == 2 and min(whole.shape) > 1 and sort_of(whole.values) == "float"

    def _has_embedding(self) -> bool:
        whole = self._whole
        return (
            whole is not None
            and self._is_table()
            and whole.shape[0] <= _MOST_ROWS
            and prod(whole.shape) <= _MOST_NUMBERS
        )

    def _tsv(self, guard: Untouched | None) -> Steps:
        """A line for each row."""
        whole = self._whole
        assert whole is not None
        rows, columns = whole.shape
        most = max(1, _TSV_AT_ONCE // columns)
        whole.check()
        for top in range(0, rows, most):
            texts = list(texts_of(whole.values[top : top + most]))
            lines = ("\t".join(texts[start : start + columns]) for start in range(0, len(texts), columns))
            yield "".join(f"{line}\n" for line in lines).encode(), len(texts)
            whole.check()  # a slice may have ended there

    def _config(self, guard: Untouched | None) -> Steps:
        """In protobuf's text format."""
        name = dumps(self._asked.name, ensure_ascii=False)
        yield f'embeddings {{\n  tensor_name: {name}\n  tensor_path: "tensors.tsv"\n}}\n'.encode("utf-8", "replace"), 0


class _Sums:
    """The sum, the sum of squares and the ends of finite elements, of complex ones of their magnitudes."""

    def __init__(self) -> None:
        self.sum = self.squares = 0.0
        self.least, self.most = inf, -inf

    def steps(self, values: Any) -> Iterator[int]:
        library, few = Library(values), without_repetition(values)
        names, times = library.names, prod(map(int, values.shape)) // prod(map(int, few.shape))
        for piece in pieces(few, _AT_ONCE):
            x = library.reals(piece.reshape(1, -1))
            x = x.to(library.real) if library.is_torch else x.astype(library.real)
            finite = names.isfinite(x)
            self.least = min(self.least, float(names.where(finite, x, library.full((1, 1), inf)).min()))
            self.most = max(self.most, float(names.where(finite, x, library.full((1, 1), -inf)).max()))
            x = names.where(finite, x, library.full((1, 1), 0.0))
            self.sum += times * float(x.sum())
            self.squares += times * float((x * x).sum())
            yield prod(map(int, piece.shape))


def _no_events(guard: Untouched | None) -> Steps:
    """An event file with nothing in it: by it TensorBoard knows the folder as a run."""
    yield EventWriter(guard).taken(), 0


def _is_complex(one: Exported) -> bool:
    return one.dtype.startswith("complex")


def _is_module(value: Any) -> bool:
    torch = module("torch")
    return torch is not None and issubclass(type(value), torch.nn.Module)


def _real(values: Any) -> float:
    library = Library(values)
    return float(library.reals(values.reshape(1, 1))[0, 0])


def _number_of(value: Any) -> float | None:
    """A number of Python's own, or one of numpy's; None of anything else."""
    cls, numpy = type(value), module("numpy")
    if numpy is not None and any(base is numpy.number or base is numpy.bool_ for base in mro(cls)):
        value = numpy.generic.__dict__["item"](value)
        cls = type(value)
    try:
        if issubclass(cls, float):
            return float.__float__(value)
        return float(int.__int__(value)) if issubclass(cls, int) else None
    except OverflowError:
        raise ValueError("a scalar is kept as float32, which has no integers of this size") from None
