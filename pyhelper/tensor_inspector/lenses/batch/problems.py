"""Finds what does not fit among the parts of a batch: sizes, devices, dtypes, masks, repeated samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...safe.record import Record
from ...words.text import listed, plural, shape
from .part import DataPart

if TYPE_CHECKING:
    from typing import Literal

    from ...protocol import BatchProblem

    Code = Literal["batch_size", "keys", "device", "dtype", "length", "shape", "duplicates", "contradiction"]

_BESIDE_IDS = ("attention_mask", "token_type_ids", "position_ids")
_LENGTHS = ("length", "lengths", "lens")  #: one a sample
_MAPPING = (2, 3, 4)  #: rows and columns of a matrix that maps coordinates
_CHANNELS = (1, 3, 4)  #: of an image
_LISTED = 80  #: characters
_NEARLY_ALL = 0.8  #: of the samples: where more are of one size, another size is remarkable


class Problem(Record):
    """``loud`` where it is surely wrong, and not only worth a look."""

    code: Code
    text: str
    paths: list[str]
    loud: bool = False

    def data(self) -> BatchProblem:
        return {"code": self.code, "text": self.text, "paths": self.paths}


def size_of(parts: Sequence[DataPart]) -> int | None:
    """How many samples most of the parts have; the first one's of those that are as frequent."""
    packed = next((part for part in parts if part.name() == "batch_sizes" and part.most is not None), None)
    if packed is not None and any(_is_flat(part, packed) for part in parts):
        return int(packed.most)  # of the longest sequences there is one element each at first
    graphs = sum(len(part.values) for part in parts if _is_edges(part))
    if graphs:
        ends = next((part.amount() for part in parts if part.name() == "ptr"), None)
        return graphs if ends is None else ends - 1
    alone = [part for part in parts if part.beside is None]
    if _is_one_sample(alone or parts):
        return 1
    amounts = [amount for amount in (part.amount() for part in _of_samples(alone or parts)) if amount is not None]
    return Counter(amounts).most_common(1)[0][0] if amounts else None


def _of_samples(parts: Sequence[DataPart]) -> list[DataPart]:
    """The parts that may have samples, or all where none may: a matrix that maps coordinates has none."""
    return [part for part in parts if not _is_mapping_matrix(part)] or list(parts)


def _is_mapping_matrix(part: DataPart) -> bool:
    """Whether it may map coordinates, as an affine, a rotation or a camera: one small square of fractions."""
    sizes = part.shapes[0] if len(part.shapes) == 1 else []
    is_square = len(sizes) == 2 and sizes[0] == sizes[1] and sizes[0] in _MAPPING
    return is_square and part.dtypes[0].startswith(("float", "bfloat")) and not part.is_label()


def _is_one_sample(parts: Sequence[DataPart]) -> bool:
    """Whether it is an image, by its channels, with its camera or with one number for label."""
    many = [part for part in parts if part.amount() is not None and not _is_mapping_matrix(part)]
    has_one = any(_is_mapping_matrix(part) or (part.is_label() and _is_one_number(part)) for part in parts)
    return has_one and bool(many) and all(map(_is_one_image, many))


def _is_one_number(part: DataPart) -> bool:
    return part.amount() is None and part.sort in ("tensor", "array", "numbers")


def _is_one_image(part: DataPart) -> bool:
    """Whether it may be an image without a dimension of samples: channels first, or, of bytes, last."""
    sizes = part.shapes[0] if len(part.shapes) == 1 and part.folded is None else []
    if len(sizes) == 3 and sizes[0] not in _CHANNELS and part.dtypes == ["uint8"]:
        sizes = [sizes[2], *sizes[:2]]
    return len(sizes) == 3 and sizes[0] in _CHANNELS and min(sizes[1:]) > max(_CHANNELS)


def _is_graph(parts: Sequence[DataPart]) -> bool:
    """Whether it is a graph, whose parts are of nodes, of edges and of the whole."""
    return any(map(_is_edges, parts))


def _is_edges(part: DataPart) -> bool:
    return part.name() == "edge_index" and len(part.shape() or ()) == 2


def problems(
    parts: Sequence[DataPart], size: int | None, lacking: Mapping[str, tuple[int, int]] | None = None
) -> list[Problem]:
    """``lacking``: for each key that some samples lack, how many samples have it, and of how many."""
    return [
        *_sizes(parts, size),
        *_keys(lacking or {}),
        *_devices(parts),
        *_dtypes(parts),
        *_shapes(parts),
        *_masks(parts),
        *(() if _is_graph(parts) else _duplicates(parts, size)),
    ]


def _sizes(parts: Sequence[DataPart], size: int | None) -> Iterator[Problem]:
    others = [part for part in parts if part.amount() not in (None, size) and part.beside != size]
    packed = [part for part in parts if part.name() == "batch_sizes"]
    others = [part for part in others if not part.is_place() and not _is_of_flat(part, parts)]
    others = [part for part in others if not any(_is_flat(part, one) for one in packed)]
    others = [part for part in others if not (_is_mapping_matrix(part) or (size == 1 and _is_one_image(part)))]
    if not others or size is None or _is_graph(parts):
        return
    having = sum(part.amount() == size for part in parts)
    text = listed((f"{_called(part)} has {part.amount():,}" for part in others), False, _LISTED)
    is_sure = any(part.is_label() or (len(parts) == 2 and _is_close(part, size)) for part in others)
    if is_sure or having > len(others):
        yield Problem("batch_size", f"{text}, the others {size:,}", [part.path for part in others], is_sure)
        return
    counted = [part for part in parts if part.amount() == size or part in others]
    text = listed((f"{_called(part)} has {part.amount():,}" for part in counted), False, _LISTED)
    yield Problem("batch_size", f"first dimensions differ: {text}", [part.path for part in counted])


def _keys(lacking: Mapping[str, tuple[int, int]]) -> Iterator[Problem]:
    """What samples are collated by, where not all have it."""
    if lacking:
        (first, (times, amount)), *others = lacking.items()
        texts = [f"{first} is in {times:,} of {plural(amount, 'sample')}"]
        texts += [f"{path} in {times:,}" for path, (times, _) in others]
        yield Problem("keys", listed(texts, False, _LISTED), list(lacking))


def _is_flat(part: DataPart, places: DataPart) -> bool:
    """Whether a part stores the samples one after the other whose sizes another one has."""
    return part is not places and part.amount() == places.total


def _is_of_flat(part: DataPart, parts: Sequence[DataPart]) -> bool:
    """Whether this part has the lengths of samples that another part stores one after the other."""
    return part.name() in _LENGTHS and any(other is not part and other.amount() == part.total for other in parts)


def _is_close(part: DataPart, size: int) -> bool:
    """Whether it may well be meant as many: a graph's edges, or the weights of classes, are not."""
    amount = part.amount() or 0
    return 2 * abs(amount - size) <= size and amount > 2


def _devices(parts: Sequence[DataPart]) -> Iterator[Problem]:
    by_device: dict[str, list[str]] = {}
    for part in parts:
        for device in part.devices:
            by_device.setdefault(device, []).append(part.path)
    if len(by_device) > 1:
        text = listed((f"{device}: {_names(paths)}" for device, paths in by_device.items()), False, _LISTED)
        yield Problem(
            "device", f"on {len(by_device)} devices: {text}", [p for one in by_device.values() for p in one], True
        )


def _dtypes(parts: Sequence[DataPart]) -> Iterator[Problem]:
    """Floating-point dtypes that differ, in one part or among several."""
    by_dtype: dict[str, list[str]] = {}
    for part in parts:
        for dtype in part.dtypes:
            if dtype.startswith(("float", "bfloat")) and len(part.dtypes) == 1:
                by_dtype.setdefault(dtype, []).append(part.path)
        if len(part.dtypes) > 1:
            odd = part.usual_dtype.odd()
            text = _odd(part, odd[0], odd[1], odd[2]) if odd else f"{_called(part)} is of {', '.join(part.dtypes)}"
            yield Problem("dtype", text, [part.path], True)
    if len(by_dtype) > 1:
        text = listed((f"{dtype}: {_names(paths)}" for dtype, paths in by_dtype.items()), False, _LISTED)
        yield Problem("dtype", text, [path for paths in by_dtype.values() for path in paths])


def _shapes(parts: Sequence[DataPart]) -> Iterator[Problem]:
    """Samples of different ranks: no batch can be made of them. Nor of sizes that differ, unless they are padded."""
    for part in parts:
        is_sure = len({len(sizes) for sizes in part.shapes}) > 1
        odd = part.usual_shape.odd(*(() if is_sure else (_NEARLY_ALL,)))
        if odd is not None and (is_sure or len(odd[2]) > 1):  # texts are of many lengths
            yield Problem("shape", _odd(part, odd[0], shape(odd[1]), shape(odd[2])), [part.path], is_sure)
        elif is_sure:
            text = sorted({shape(sizes) for sizes in part.shapes}, key=lambda sizes: (len(sizes), sizes))
            yield Problem("shape", f"{_called(part)} is {listed(text, False, _LISTED)}", [part.path], True)


def _odd(part: DataPart, sample: int, odd: str, usual: str) -> str:
    """``[9] is [1, 4, 4], most are [3, 4, 4]``"""
    return f"{part.path.replace('[i]', f'[{sample}]', 1)} is {odd}, most are {usual}"


def _masks(parts: Sequence[DataPart]) -> Iterator[Problem]:
    """Ids and their masks that are not of one length."""
    ids = next((part for part in parts if part.name() == "input_ids" and len(part.shape() or ()) == 2), None)
    if ids is None:
        return
    wanted = ids.shape() or [None, None]
    for part in parts:
        sizes = part.shape() or []
        if part.name() in _BESIDE_IDS and len(sizes) == 2 and sizes[1] != wanted[1]:
            text = f"{_called(part)} is {shape(sizes)}, input_ids {shape(wanted)}"
            yield Problem("length", text, [part.path, ids.path], True)
    for part in parts:
        is_length = part.name() in _LENGTHS and part.most is not None
        if is_length and type(wanted[1]) is int and part.most > wanted[1]:
            text = f"{_called(part)} goes to {part.most}, input_ids have {wanted[1]}"
            yield Problem("length", text, [part.path, ids.path], True)


def _duplicates(parts: Sequence[DataPart], size: int | None) -> Iterator[Problem]:
    """Samples that are equal in all parts, and samples with equal inputs but different labels."""
    if size is None or size < 2:
        return
    known = [part for part in parts if part.amount() == size]
    if any(part.keys is None for part in known) or not any(part.duplicates() for part in known):
        return
    read = min(len(part.keys or ()) for part in known)
    of = f" of the first {read:,}" if read < size else ""
    whole = _firsts(known)
    twice = sum(first != at for at, first in enumerate(whole))
    if twice:
        yield Problem("duplicates", f"{plural(twice, 'sample')}{of or f' of {size:,}'} equal to an earlier one", [])
    inputs = [part for part in known if not part.is_label() and part.duplicates() is not None]
    others = [(at, first) for at, first in enumerate(_firsts(inputs)) if first != at and whole[at] == at]
    if others and len(known) == len(inputs) + 1:
        wanted = next(part for part in known if part not in inputs)
        (again, first), but = others[0], f"with another {_called(wanted)}"
        text = f"sample {again:,} repeats sample {first:,} {but}"
        if len(others) > 1:
            text = f"{len(others):,} samples{of} repeat an earlier one {but}, as sample {again:,} does sample {first:,}"
        yield Problem("contradiction", text, [part.path for part in known])


def _firsts(parts: Sequence[DataPart]) -> list[int]:
    """For each sample the first that is equal to it in these parts."""
    seen: dict[tuple[Any, ...], int] = {}
    return [seen.setdefault(sample, at) for at, sample in enumerate(zip(*(part.keys or [] for part in parts)))]


def _called(part: DataPart) -> str:
    return part.path or "it"


def _names(paths: list[str]) -> str:
    return listed((path or "it" for path in paths), False, 40)
