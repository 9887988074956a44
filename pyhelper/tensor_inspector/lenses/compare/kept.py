"""What stands in a kept copy for what is not copied, and how it is compared with the value of now."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any
from zlib import adler32, crc32

from ...kinds import Kind, TextRow, as_kind
from ...safe.guard import full_name, module
from ...safe.torch_name import torch_name
from ...words.text import shape
from .comparison import Note

if TYPE_CHECKING:
    from collections.abc import Iterator

_PIECE = 1 << 22  #: elements that are read at once


class NotHere(TextRow):
    """Stands for a value that is not here to be compared, with the reason."""


_UNREAD = NotHere("it can't be read")


class TensorChecksum(TextRow):
    """Stands for a tensor of which only the line and a checksum of its elements are kept.

    ``unread`` are the pieces of it that are still to be added.
    """

    def __init__(self, kind: Kind, value: Any) -> None:
        super().__init__(kind.line())
        self.dtype, self.sizes = torch_name(value.dtype), tuple(value.shape)
        self.device = str(getattr(value, "device", "cpu"))
        self.requires_grad = kind.requires_grad()
        self.class_name = full_name(type(kind.value))
        self.gradient: Any = None  #: of its gradient: a `TensorChecksum`, or a `NotHere`
        self.repeated = repeated(value)
        self.unread = pieces(without_repetition(value))
        self.checksum = (0, 1)  #: CRC-32 and Adler-32 (RFC 1950) of the bytes, in the order of the indices

    def add(self, piece: Any) -> None:
        data = _bytes_of(piece)
        self.checksum = crc32(data, self.checksum[0]), adler32(data, self.checksum[1])


def repeated(value: Any) -> tuple[int, ...]:
    """The dimensions along which an expanded tensor or array has the same memory again and again."""
    if 0 in value.shape:  # numpy's strides are 0 where there is nothing to step to
        return ()
    steps = value.stride() if hasattr(value, "stride") else value.strides
    return tuple(at for at, step in enumerate(steps) if step == 0 and value.shape[at] > 1)


def without_repetition(value: Any) -> Any:
    """An expanded tensor or array with each element once: a view of it."""
    dims = repeated(value)
    return value[tuple(slice(0, 1) if at in dims else slice(None) for at in range(len(value.shape)))] if dims else value


def pieces(value: Any, most: int = _PIECE) -> Iterator[Any]:
    """A tensor or array in parts of at most so many elements, in the order of its indices: views of it."""
    at = next((at for at, size in enumerate(value.shape) if size > 1), None)
    if at is None or prod(value.shape) <= most:
        yield value
        return
    for part in parts_of(value, at, most):
        yield from pieces(part, most)


def parts_of(value: Any, dim: int, most: int) -> Iterator[Any]:
    """Parts along a dimension, of at most so many elements, or of one index there."""
    length = max(1, most * int(value.shape[dim]) // prod(value.shape))
    for start in range(0, int(value.shape[dim]), length):
        yield value[(slice(None),) * dim + (slice(start, start + length),)]


def of_stand_ins(a: Kind, b: Kind) -> list[Note] | None:
    """How two values differ of which one is a `NotHere` or a `TensorChecksum`; None where neither is."""
    sides = a.value, b.value
    missing = next((one for one in sides if type(one) is NotHere), None)
    if missing is not None:
        return [Note("not compared", f"not compared: {missing.text}")]
    return _of_checksums(a, b) if any(type(one) is TensorChecksum for one in sides) else None


def _of_checksums(a: Kind, b: Kind) -> list[Note]:
    was, now = _checksum_of(a), _checksum_of(b)
    if was is None or now is None:
        return [Note("type", f"{a.line()} → {b.line()}")]
    notes = []
    if was.class_name != now.class_name:
        notes.append(Note("type", f"{was.class_name} → {now.class_name}"))
    if was.dtype != now.dtype:
        notes.append(Note("dtype", f"{was.dtype} → {now.dtype}"))
    if was.sizes != now.sizes:
        notes.append(Note("shape", f"shape {shape(was.sizes)} → {shape(now.sizes)}"))
    if was.device != now.device:
        notes.append(Note("device", f"device {was.device} → {now.device}"))
    if was.requires_grad is not now.requires_grad:
        notes.append(Note("requires_grad", f"requires_grad {was.requires_grad} → {now.requires_grad}"))
    notes += _of_gradients(was.gradient, now.gradient)
    if was.dtype != now.dtype or was.sizes != now.sizes:
        return notes
    if was.repeated != now.repeated:
        notes.append(Note("not compared", "not compared: only one of the two is expanded"))
    elif was.checksum != now.checksum:
        notes.append(Note("values", f"elements differ: {was.text} → {now.text}"))
    return notes


def _of_gradients(was: Any, now: Any) -> list[Note]:
    if was is None or now is None:
        words = ["None" if one is None else one.text for one in (was, now)]
        return [] if was is now else [Note("values", f"gradient {words[0]} → {words[1]}")]
    if type(was) is NotHere or type(now) is NotHere:
        return [Note("not compared", "not compared: its gradient")]
    same = (was.dtype, was.sizes, was.checksum) == (now.dtype, now.sizes, now.checksum)
    return [] if same else [Note("values", f"gradient: {was.text} → {now.text}")]


def with_moves(notes: list[Note], was: str | None, now: str) -> list[Note]:
    """The differences of a copy that was moved onto the CPU, as of the tensor on the device where that was."""
    if was is None:
        return notes
    others = [note for note in notes if note.what != "device"]
    return others if was == now else [*others, Note("device", f"device {was} → {now}")]


def _checksum_of(kind: Kind) -> TensorChecksum | None:
    if type(kind.value) is TensorChecksum:
        return kind.value
    known = kind.comparable()
    elements = None if known is None else known.read()
    if elements is None or not hasattr(elements, "shape"):
        return None
    made = TensorChecksum(kind, elements)
    for piece in made.unread:
        made.add(piece)
    gradient = _gradient_of(kind.value)
    made.gradient = None if gradient is None else _checksum_of(as_kind(gradient, kind.budget)) or _UNREAD
    return made


def _gradient_of(value: Any) -> Any:
    if module("torch") is None:
        return None
    from ...measure.torch.metadata import grad_of, is_exact_tensor  # only where torch is loaded

    return grad_of(value) if is_exact_tensor(value) else None


def _bytes_of(piece: Any) -> Any:
    torch = module("torch")
    if torch is None or not issubclass(type(piece), torch.Tensor):
        return piece.tobytes()
    flat = piece.detach().resolve_conj().resolve_neg().cpu().clone(memory_format=torch.contiguous_format).reshape(-1)
    return memoryview(flat.view(torch.uint8).numpy()) if flat.numel() else b""
