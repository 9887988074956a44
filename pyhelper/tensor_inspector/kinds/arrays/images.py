"""PIL images: the pixels of loaded ones, the file of the others. No image is loaded to describe it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...measure.pixels import count_bytes, stats_of_bytes
from ...measure.reading import badges
from ...measure.stats import Reading, Unread
from ...measure.unread import OFF, skipped, too_small
from ...safe.guard import class_name, dict_get, full_name, instance_dict, library_of, module, plain_str
from ...words.line import is_loud
from ...words.stats import stats_words
from ...words.text import listed
from ...words.values import value_text
from ..facts import add_stats
from ..families import by_home
from ..kind import Child, WithRows
from ..python.objects import brief, other_attributes
from ..rows import Rows, TextRow
from ..stats_rows import stats_rows

if TYPE_CHECKING:
    from ...protocol import Badge, Facts

#: The names of a mode's bands: its letters, but of one.
_BYTES = {
    **{mode: mode for mode in ("1", "L", "P", "RGB", "RGBA", "CMYK", "LAB", "HSV", "LA", "PA", "RGBX", "RGBa", "La")},
    "YCbCr": ("Y", "Cb", "Cr"),
}
_RANGED = ("I", "F", "I;16")  #: modes of wider pixels, of which PIL gives the range alone
_COPIED = 1 << 22  #: pixels up to which an image is copied to be compared


class Image(WithRows):
    """A ``PIL.Image.Image`` of any format."""

    repeating = ("bands",)
    kind = "array"
    summarized = True
    rank = 0

    def __init__(self, value: Any, budget: Any) -> None:
        super().__init__(value, budget)
        attrs = instance_dict(value)
        self.mode = plain_str(dict_get(attrs, "_mode", dict_get(attrs, "mode")))
        size: Any = dict_get(attrs, "_size")
        both: tuple[int, int] = size if type(size) is tuple and len(size) == 2 else (0, 0)
        self.width, self.height = both
        core = dict_get(attrs, "_im", dict_get(attrs, "im"))
        self.core: Any = core if class_name(type(core)) == "ImagingCore" else None

    def brief(self) -> str:
        return f"{self.type_name()} {self._head()}"

    def parts(self) -> Iterable[str | None]:
        return [self.type_name(), self._head(), *self._value_words(), self._file()]

    def inline(self) -> str | None:
        return " ".join([*filter(is_loud, self._value_words()), self.brief()])

    def badges(self) -> list[Badge]:
        return badges(self.reading()) if self._range is None else []

    def facts(self) -> Facts:
        bands = len(_BYTES.get(self.mode, "?"))
        facts: Facts = {
            "type": full_name(type(self.value)),
            "shape": [self.height, self.width, *([bands] if bands > 1 else [])],
            "dtype": self.mode,
        }
        add_stats(facts, self.reading())
        facts["rows"] = [["size", f"{self.width} × {self.height}"], *map(list, self._bands())]
        attrs = instance_dict(self.value)
        rows = (("file", self._file()), ("range", self._range), ("palette", self._palette(attrs)))
        facts["rows"] += [[label, text] for label, text in rows if text]
        return facts

    def rows(self) -> list[Child]:
        attrs = instance_dict(self.value)
        rows = [] if isinstance(self.reading(), Unread) else [Child("stats", stats_rows(self.reading()))]
        bands = [Child(name, TextRow(text)) for name, text in self._bands()]
        rows += (
            [Child("bands", Rows.of(listed((band.name for band in bands), False, 60), bands))] if len(bands) > 1 else []
        )
        rows += [Child("info", dict_get(attrs, "info"), ".info")] if dict_get(attrs, "info") else []
        return rows + other_attributes(self.value)

    def elements(self) -> Any:
        numpy, unread = module("numpy"), self._why_unread()
        if unread is not None:
            return unread
        if numpy is None or self.mode not in _BYTES or self.width * self.height > _COPIED:
            return Unread("too_many", "pixels that are not compared")
        if library_of(type(self.value)) != "PIL":
            return Unread("own_code", "its own code could read it")
        return self._pixels(numpy)

    def _pixels(self, numpy: Any) -> Any:
        """The pixels as an array. PIL's own way to it would import more of PIL."""
        encoder = module("PIL.Image").core.raw_encoder(self.mode, "L" if self.mode == "1" else self.mode)
        encoder.setimage(self.core, (0, 0, self.width, self.height))
        pieces, status = [], 0
        while status == 0 and self.width * self.height:
            _, status, piece = encoder.encode(max(1 << 16, 4 * self.width))
            pieces.append(piece)
        bands = len(_BYTES[self.mode])
        pixels = numpy.frombuffer(b"".join(pieces), "u1")
        pixels = pixels.reshape(self.height, self.width, *([bands] if bands > 1 else []))
        return pixels != 0 if self.mode == "1" else pixels

    def _head(self) -> str:
        return f"{self.mode} {self.width}×{self.height}"

    def _value_words(self) -> list[str]:
        if self._range is not None:
            return [self._range]
        return stats_words(self.reading(), self.mode == "1")

    def _file(self) -> str | None:
        """The name of the file that it comes from."""
        name = dict_get(instance_dict(self.value), "filename")
        return plain_str(name).replace("\\", "/").rpartition("/")[2] or None

    def _palette(self, attrs: dict[Any, Any]) -> str | None:
        palette = dict_get(attrs, "palette")
        return None if palette is None else brief(palette, self)

    def reading(self) -> Reading:
        return self._reading

    @cached_property
    def _reading(self) -> Reading:
        unread = self._why_unread()
        if unread is not None:
            return unread
        if self.mode not in _BYTES:
            return Unread("dtype", f"of {self.mode} pixels only the range is told")
        if not self.width * self.height:
            return stats_of_bytes([[0] * 256], 0, True)
        if not self.budget.reads:
            return OFF
        if self._counts is None:
            return skipped(self.budget)
        bands, read = self._counts
        size = self.width * self.height * len(_BYTES[self.mode])
        return stats_of_bytes(bands, size, read == self.height)

    def _why_unread(self) -> Unread | None:
        attrs = instance_dict(self.value)
        if dict_get(attrs, "tile"):
            return Unread("no_values", "not loaded: its pixels are in the file")
        if self.core is None:
            is_closed = dict_get(attrs, "_im", dict_get(attrs, "im")) is not None
            return Unread("no_values", "closed" if is_closed else "not loaded")
        mapping, mmap = dict_get(attrs, "map"), getattr(module("mmap"), "mmap", None)
        if mmap is not None and type(mapping) is mmap:
            try:
                if mapping.size() < len(mapping):
                    return too_small("file truncated", mapping.size(), len(mapping))
            except (ValueError, OSError):
                return None
        return None

    @cached_property
    def _range(self) -> str | None:
        """From the least to the greatest pixel, of wide ones; PIL looks at all of them."""
        if self.mode not in _RANGED or self._why_unread() is not None or not self.width * self.height:
            return None
        low, high = self.core.getextrema()
        return f"all {value_text(low)}" if low == high else f"{value_text(low)}…{value_text(high)}"

    @cached_property
    def _counts(self) -> tuple[list[list[int]], int] | None:
        """How often each byte occurs in each band, and in how many rows; None where there was no time."""
        counted = count_bytes(self.core, len(_BYTES[self.mode]), (self.width, self.height), self.budget.share())
        if counted is None or self.mode != "1":
            return counted
        amounts = counted[0][0]
        return [[amounts[0], sum(amounts[1:])]], counted[1]  # a bit is kept as 0 or 255

    def _bands(self) -> Iterator[tuple[str, str]]:
        if isinstance(self.reading(), Unread) or not self.width * self.height or self._counts is None:
            return
        bands, read = self._counts
        for name, amounts in zip(_BYTES[self.mode], bands):
            band = stats_of_bytes([amounts], self.width * self.height, read == self.height)
            yield name, " · ".join(stats_words(band, self.mode == "1"))


kind_for = by_home({Image: ("Image",)}, "PIL.Image")
