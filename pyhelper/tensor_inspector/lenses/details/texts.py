"""The part `values`: the elements of a window as Python writes them, in the fewest digits that tell them apart in their
dtype."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any

from ...measure.composed import read_part
from ...measure.values import listed_values
from ...safe.guard import module
from ...safe.torch_name import torch_name
from ..picture.source import is_tensor

if TYPE_CHECKING:
    from ...protocol import DetailsValues
    from .excerpt import Excerpt
    from .wishes import Wishes

_MOST, _ROWS, _COLUMNS = 2000, 100, 20  #: elements; rows and columns where no window is asked for
_MASKED = "masked"  #: in place of an element that is
_DIGITS = 17  #: from which no float64 needs more
_FEWEST = {"float32": 6, "complex64": 6, "float16": 3, "complex32": 3, "bfloat16": 2}  #: that each number bears
_LEAST = {"float32": 1.2e-38, "complex64": 1.2e-38, "float16": 6.2e-5, "complex32": 6.2e-5, "bfloat16": 1.2e-38}


def values_steps(elements: Any, excerpt: Excerpt, wishes: Wishes) -> Generator[float, None, DetailsValues]:
    """The elements of the window in one step, of its first rows where it has too many; where no window is asked for, of
    the first rows and columns. Along facets it is the first."""
    yield from ()
    rows, columns = excerpt.rows(), excerpt.columns()
    if wishes.window is None and len(excerpt.dims) > 1:
        rows, columns = min(rows, _ROWS), min(columns, _COLUMNS)
    columns = min(columns, _MOST)
    rows = min(rows, _MOST // columns)
    top, _, left, _ = excerpt.window
    numbers, hidden = read_part(excerpt.plane(elements, next(excerpt.at()))[:rows, :columns])
    texts = list(texts_of(numbers))
    if hidden is not None:
        marks = [mark for row in listed_values(hidden) for mark in row]
        texts = [_MASKED if mark else text for text, mark in zip(texts, marks)]
    return {
        "shape": list(excerpt.shape),
        "dims": excerpt.dims,
        "index": excerpt.index,
        "window": [top, top + rows, left, left + columns],
        "rows": [texts[start : start + columns] for start in range(0, len(texts), columns)],
    }


def texts_of(plane: Any) -> Iterator[str]:
    """Each element of a plane, row by row."""
    dtype = torch_name(plane.dtype) if is_tensor(plane) else plane.dtype.name
    items = [item for row in listed_values(plane) for item in row]
    if dtype[:5] != "float" and dtype[:7] != "complex" and dtype != "bfloat16":
        return map(str, items)
    if dtype in ("float64", "complex128"):
        return map(_written, items)
    if not is_tensor(plane) and plane.dtype.itemsize > (16 if plane.dtype.kind == "c" else 8):
        return map(str, items)  # numpy's own numbers, as Python has none for them
    if dtype[:7] != "complex":
        return map(_written, _shortest(items, dtype, _rounded_to(plane, plane.dtype)))
    part = plane.real.dtype if not is_tensor(plane) else _part_of(plane.dtype)
    reals, imags = ([getattr(item, name) for item in items] for name in ("real", "imag"))
    rounded = _rounded_to(plane, part)
    pairs = zip(_shortest(reals, dtype, rounded), _shortest(imags, dtype, rounded))
    return map(_written, (complex(real, imag) for real, imag in pairs))


def _written(item: complex) -> str:
    text = repr(item)
    return text[1:-1] if text[0] == "(" else text


def _part_of(dtype: Any) -> Any:
    torch: Any = module("torch")
    return torch.float16 if torch_name(dtype) == "complex32" else torch.float32


def _rounded_to(plane: Any, dtype: Any) -> Callable[[list[float]], list[float]]:
    """What rounds numbers to a dtype, and back to Python's own."""
    if is_tensor(plane):
        torch: Any = module("torch")
        return lambda items: torch.tensor(items, dtype=torch.float64, device="cpu").to(dtype).to(torch.float64).tolist()
    numpy: Any = module("numpy")
    return lambda items: numpy.array(items, dtype=numpy.float64).astype(dtype).astype(numpy.float64).tolist()


def _shortest(items: list[float], dtype: str, rounded: Callable[[list[float]], list[float]]) -> list[float]:
    """For each number the one of the fewest digits that is rounded to it."""
    found, left = items[:], [at for at, item in enumerate(items) if item - item == 0]
    least, fewest = _LEAST.get(dtype, 0.0), _FEWEST.get(dtype, 1)
    if any(0 < abs(items[at]) < least for at in left):  # so small that they bear fewer
        fewest = 1
    for digits in range(fewest, _DIGITS):
        if not left:
            break
        form = " ".join([f"%.{digits}g"] * len(left))  # of all at once, which is twice as fast
        tried = list(map(float, (form % tuple([items[at] for at in left])).split()))
        more = []
        for at, number, back in zip(left, tried, rounded(tried)):
            if back == items[at]:
                found[at] = number
            else:
                more.append(at)
        left = more
    return found
