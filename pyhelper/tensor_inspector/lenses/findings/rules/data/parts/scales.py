"""Works out the scale of a model's inputs: raw bytes, raw images of more bits, raw audio, images normalised twice."""

from __future__ import annotations

from typing import Any

from ......measure.torch.elements import bare
from ......measure.torch.metadata import element_count
from ......safe.guard import module

torch: Any = module("torch")
#: The means and deviations by which pictures are usually normalised, of three channels or of one.
_USUAL = (
    ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    ((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)),
    ((0.4914, 0.4822, 0.4465), (0.247, 0.2435, 0.2616)),
    ((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.201)),
    ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),
    ((0.1307,), (0.3081,)),
    ((0.286,), (0.353,)),
)
_OFFSETS = (-1024, -2000)  #: what scanners give where there is nothing
_CLOSE = 0.03  #: how far from 0 and 1 the ends of pictures may be


def is_normalised_twice(tensor: Any) -> bool:
    """Whether pictures fill 0…1, channel by channel, when a usual mean and deviation are undone twice."""
    values = bare(tensor)
    if not values.numel():
        return False
    lows, highs = values.amin((0, 2, 3)).double().cpu(), values.amax((0, 2, 3)).double().cpu()
    for means, deviations in _USUAL:
        if len(means) != len(lows):
            continue
        mean, deviation = torch.tensor([means, deviations], dtype=torch.float64)
        low, high = ((one * deviation + mean) * deviation + mean for one in (lows, highs))
        is_within = bool((low > -1e-3).all()) and bool((high < 1 + 1e-3).all())
        if is_within and float(low.max()) < _CLOSE and float(high.min()) > 1 - _CLOSE:
            return True
    return False


def are_of_bytes(tensor: Any, divisor: int) -> bool:
    """Whether all values are whole numbers by this divisor: measures in a large unit are as small, but take any value."""
    values = bare(tensor).double() * divisor
    return bool(((values - values.round()).abs() < 0.05).all())


def scale_of(tensor: Any, stats: dict[str, Any]) -> int | None:
    """What raw bytes, raw pictures of more bits, or raw sound go up to; None for what is none of these."""
    if _are_bytes(tensor, stats):
        return 255
    if _are_samples_of_sound(tensor, stats):
        return 32768
    return _of_deep_pictures(tensor, stats)


def _of_deep_pictures(tensor: Any, stats: dict[str, Any]) -> int | None:
    """What pictures or volumes of 10 to 16 bits go up to, as scanners give them.

    Whole numbers in one plane may be heights, in two a flow: one plane is a picture where it has a scanner's offset.
    """
    if stats["min"] is None or stats["std"] is None or tensor.dim() < 4 or stats["max"] <= 255 or stats["std"] < 50:
        return None
    planes = int(tensor.shape[1])
    is_coloured = planes in (3, 4) and stats["min"] >= 0
    is_volume = planes == 1 and tensor.dim() == 5 and stats["min"] >= min(_OFFSETS)
    if not (is_coloured or is_volume or (planes == 1 and stats["min"] in _OFFSETS)):
        return None
    values = bare(tensor)
    if bool((values != values.round()).any()):
        return None
    return (1 << int(max(stats["max"], 1)).bit_length()) - 1


def _are_bytes(tensor: Any, stats: dict[str, Any]) -> bool:
    if stats["min"] is None or stats["std"] is None or not tensor.dtype.is_floating_point or tensor.dim() < 2:
        return False
    if stats["min"] < 0 or not 100 <= stats["max"] <= 255 or stats["mean"] < 10 or stats["std"] < 10:
        return False
    features = (element_count(tensor) or 0) // max(1, int(tensor.shape[0]))
    if features < 49 or (tensor.dim() == 3 and not _are_pictures(tensor.shape)):
        return False
    if tensor.dim() == 2 and stats["max"] <= 200:
        return False  # as percentages
    values = bare(tensor)
    if bool((values != values.round()).any()):
        return False
    if tensor.dim() > 2:
        return True
    highest = values.amax(0)  # of a table, columns differ in scale
    return bool(highest.min() > 0.5 * highest.max())


def _are_samples_of_sound(tensor: Any, stats: dict[str, Any]) -> bool:
    """Whether they are floats of 16-bit integers that swing about 0, given to a convolution over time."""
    most = 1 << 15
    if stats["min"] is None or stats["std"] is None or tensor.dim() != 3 or int(tensor.shape[1]) > 2:
        return False
    if not -most <= stats["min"] < -1000 or not 1000 < stats["max"] < most or abs(stats["mean"]) > stats["std"] / 4:
        return False
    values = bare(tensor)
    return int(tensor.shape[2]) >= 256 and not bool((values != values.round()).any())


def _are_pictures(sizes: Any) -> bool:
    """Whether samples of two dimensions are gray pictures, and no series of features: square, or large both ways."""
    height, width = int(sizes[1]), int(sizes[2])
    return height == width or min(height, width) >= 32
