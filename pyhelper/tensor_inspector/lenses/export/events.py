"""Records of TensorBoard's event files, made by the program's own `tensorboard`."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from contextlib import nullcontext
from importlib import import_module
from struct import pack
from time import time
from typing import TYPE_CHECKING, Any

from ...safe.guard import module, plain_message
from ..running.unguarded import Unguarded

if TYPE_CHECKING:
    from ...safe.untouched import Untouched
    from .graph import NodeOfRun
    from .image import ImageAsPng

_VERSION = "brain.Event:2"  #: with which each event file begins
_PRODUCER = 22  #: the version of a graph's format, as torch's own writer has it
_NODES = 200  #: that are made at once
_SUMMED = 1 << 16  #: bytes, of which tensorboard makes the checksum at once: it does so in Python
_MASK, _ADDED = (1 << 32) - 1, 0xA282EAD8  #: by which a record masks its checksum


def why_missing() -> str | None:
    """Where the program has no tensorboard: how it comes to one. Nothing is imported for it."""
    if module("tensorboard") is not None:
        return None
    folders = [folder for folder in sys.path if type(folder) is str]
    if any(os.path.isfile(os.path.join(folder, "tensorboard", "__init__.py")) for folder in folders):
        return None
    return f"the program has no tensorboard, which makes the run: {sys.executable} -m pip install tensorboard"


class EventWriter:
    """Makes the records of an event file. tensorboard is imported for it, in the modes of the paused line: code of the
    program."""

    def __init__(self, guard: Untouched | None) -> None:
        if why := why_missing():
            raise ValueError(why)
        with Unguarded(guard) if module("torch") is not None else nullcontext():
            try:
                self._graphs: Any = import_module("tensorboard.compat.proto.graph_pb2")
                self._events: Any = import_module("tensorboard.compat.proto.event_pb2")
                self._summaries: Any = import_module("tensorboard.compat.proto.summary_pb2")
                self._checksums: Any = import_module("tensorboard.compat.tensorflow_stub.pywrap_tensorflow")
            except ImportError as error:
                raise ValueError(f"tensorboard can't be imported: {plain_message(error)}") from None
        self._made = bytearray()
        self._add(self._events.Event(wall_time=time(), file_version=_VERSION))

    def taken(self) -> bytes:
        """What was made since it was asked last."""
        data = bytes(self._made)
        self._made.clear()
        return data

    def add_scalar(self, tag: str, value: float, step: int, at: float | None = None) -> None:
        self._add(self._event(step, at, tag=tag, simple_value=value))

    def add_histogram(self, tag: str, step: int, histogram: dict[str, Any]) -> None:
        self._add(self._event(step, None, tag=tag, histo=self._summaries.HistogramProto(**histogram)))

    def add_image(self, tag: str, step: int, image: ImageAsPng) -> Iterator[None]:
        """In steps."""
        made = self._summaries.Summary.Image(
            height=image.height,
            width=image.width,
            colorspace=image.channels,
            encoded_image_string=image.png,
        )
        return self._steps(self._event(step, None, tag=tag, image=made))

    def add_graph(self, made: Generator[None, None, list[NodeOfRun]]) -> Iterator[None]:
        """In steps, as its nodes are made."""
        nodes = yield from made
        graph = self._graphs.GraphDef()
        graph.versions.producer = _PRODUCER
        for count, one in enumerate(nodes, 1):
            node = graph.node.add(name=one.name, op=one.op, input=one.inputs)
            if one.shape is not None:
                shape = node.attr["_output_shapes"].list.shape.add()
                for size in one.shape:
                    shape.dim.add(size=size)
            for name, text in (("dtype", one.dtype), ("variable", one.variable)):
                if text:
                    node.attr[name].s = text.encode("utf-8", "replace")
            if count % _NODES == 0:
                yield
        yield from self._steps(self._events.Event(wall_time=time(), graph_def=graph.SerializeToString()))

    def _event(self, step: int, at: float | None, **value: Any) -> Any:
        summary = self._summaries.Summary(value=[self._summaries.Summary.Value(**value)])
        return self._events.Event(wall_time=time() if at is None else at, step=step, summary=summary)

    def _add(self, event: Any) -> None:
        for _ in self._steps(event):
            pass

    def _steps(self, event: Any) -> Iterator[None]:
        """Makes the record of an event: its length and its bytes, each with a checksum."""
        data = event.SerializeToString()
        length = pack("<Q", len(data))
        checksum = 0
        for start in range(0, len(data), _SUMMED):
            checksum = self._checksums.crc_update(checksum, data[start : start + _SUMMED])
            yield
        self._made += length + _masked(self._checksums.crc32c(length)) + data + _masked(checksum)


def _masked(checksum: int) -> bytes:
    return pack("<I", (((checksum >> 15 | checksum << 17) & _MASK) + _ADDED) & _MASK)
