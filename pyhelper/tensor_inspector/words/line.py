"""The parts of a summary line, in full and in short.

A line says all its parts in order. Where there is little room, their short forms stand instead, the loud ones first:
NaN, Inf, a constant, freed memory, gradients that are None; then those that tell most.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from .class_names import shorten_class
from .text import LINE, joined, listed, shorten_middle

SHORT = 90  #: characters of a line in short
INLINE = 60  #: characters at the end of a line of source
_LABELS = (42, 26, 14)  #: characters of the labels in a list, as they are tried; in short without the first
_CLASS = 40  #: characters of the name of a class
_LEAST = 24  #: characters of a list, however long the name before it
_WRITTEN_TWICE = 5  #: characters up to which two equal neighbours in a list stay two

#: torch's own abbreviations, but for bool
_DTYPES = {
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "f8e4m3fn",
    "float8_e5m2": "f8e5m2",
    "float8_e4m3fnuz": "f8e4m3fnuz",
    "float8_e5m2fnuz": "f8e5m2fnuz",
    "float8_e8m0fnu": "f8e8m0fnu",
    "float4_e2m1fn_x2": "f4e2m1fnx2",
    "complex128": "c128",
    "complex64": "c64",
    "complex32": "c32",
    "int64": "i64",
    "int32": "i32",
    "int16": "i16",
    "int8": "i8",
    "uint64": "u64",
    "uint32": "u32",
    "uint16": "u16",
    "uint8": "u8",
}


class Word(str):
    """A part of a line that has a short form, or is loud. A plain ``str`` is its own short form, and not loud.

    An ``early`` one stands before the others in short, after the loud ones.
    """

    __slots__ = ("early", "loud", "short")
    early: bool
    loud: bool
    short: str

    def __new__(cls, text: str, short: str | None = None, *, loud: bool = False, early: bool = False) -> Word:
        word = super().__new__(cls, text)
        word.short = text if short is None else short
        word.loud = loud
        word.early = early
        return word

    def then(self, more: str, *, loud: bool = False) -> Word:
        """The word with ``more`` after both of its forms."""
        return Word(f"{self}{more}", f"{self.short}{more}", loud=self.loud or loud)


def is_loud(part: str) -> bool:
    return isinstance(part, Word) and part.loud


def short(part: str) -> str:
    """A part of a line in short."""
    return part.short if isinstance(part, Word) else part


def prefixed(prefix: str, part: str) -> Word:
    return Word(f"{prefix}{part}", f"{prefix}{short(part)}", loud=is_loud(part))


def in_short(parts: Iterable[str | None]) -> str:
    """The parts as there is little room for: in short, the loud ones first; whole ones are left out at the end.

    >>> in_short([head("float32", "[64, 10]"), "μ 0", Word("3 NaN", loud=True)])
    '3 NaN · f32[64,10] · μ 0'
    >>> in_short(["Net", "5.1K params", Word("train", early=True)])
    'train · Net · 5.1K params'
    """
    loud: list[str] = []
    early: list[str] = []
    others: list[str] = []
    for part in parts:
        if type(part) is Word:
            (loud if part.loud else early if part.early else others).append(part.short)
        elif part:
            others.append(part)
    return joined([*loud, *early, *others], SHORT)


def line_of(parts: Iterable[str | None]) -> Word:
    """The line of a row that gathers others.

    >>> line_of([head("float32", "[64, 10]"), Word("3 NaN", loud=True)]).short
    '3 NaN · f32[64,10]'
    """
    shown = list(parts)
    return Word(joined(shown), in_short(shown))


def head(dtype: str, sizes: str, device: str = "") -> Word:
    """Dtype, sizes and, where it is not the cpu, the device.

    >>> head("float32", "[32, 10]", " cuda:0"), head("float32", "[32, 10]", " cuda:0").short
    ('float32[32, 10] cuda:0', 'f32[32,10] cuda:0')
    """
    return Word(f"{dtype}{sizes}{device}", f"{_short_dtype(dtype)}{sizes.replace(', ', ',')}{device}")


def dtype_word(dtype: str) -> Word:
    """A dtype of any library, in short as torch abbreviates it.

    >>> dtype_word("float32").short, dtype_word("Float32").short, dtype_word("category").short
    ('f32', 'f32', 'category')
    """
    return Word(dtype, _short_dtype(dtype))


def _short_dtype(dtype: str) -> str:
    return _DTYPES.get(dtype) or _DTYPES.get(dtype.lower(), dtype)


def content(before: str, lead: str, items: Sequence[tuple[str, str]], more: bool) -> Word:
    """What is in a container, labels and texts, as the part of a line that comes after ``before``.

    >>> content("dict", "3: ", [("x ", "f32[64,1,28,28]"), ("y ", "i64[64]")], True)
    '3: x f32[64,1,28,28], y i64[64], …'
    """
    used = len(before) + len(" · ") + len(lead)
    full = _fitted(items, more, max(LINE - used, _LEAST), _LABELS)
    brief = _fitted([(label, short(text)) for label, text in items], more, max(SHORT - used, _LEAST), _LABELS[1:])
    return Word(f"{lead}{full}", f"{lead}{brief}")


def class_word(name: str) -> Word:
    """The name of a class; in short without its first words, if it is very long."""
    return Word(name, shorten_class(name, _CLASS))


def grouped_runs(texts: Iterable[str]) -> list[str]:
    """Texts in their order, equal neighbours as one.

    >>> grouped_runs(["f32[2,3]"] * 3 + ["7", "7"]), grouped_runs(["dict of 2"] * 12)
    (['f32[2,3] ×3', '7', '7'], ['(dict of 2) ×12'])
    """
    found: list[str] = []
    for text, same in groupby(texts):
        amount = sum(1 for _ in same)
        if amount == 1 or (amount == 2 and len(text) <= _WRITTEN_TWICE):
            found += [text] * amount
        else:
            found.append(f"({text}) ×{amount}" if " " in text else f"{text} ×{amount}")
    return found


def _fitted(items: Sequence[tuple[str, str]], more: bool, limit: int, widths: tuple[int, ...]) -> str:
    """Labels and texts joined by commas. Labels are shortened in the middle before texts are left out at the end."""
    for width in widths:
        whole = ", ".join(
            [*(f"{shorten_middle(label, width)}{text}" for label, text in items), *(["…"] if more else [])]
        )
        if len(whole) <= limit:
            return whole
    return listed((f"{shorten_middle(label, _LABELS[1])}{text}" for label, text in items), more, limit - len(", …"))
