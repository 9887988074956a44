"""The parts of a summary line, in full and in short.

A line says all parts in their order. Where there is little room the same parts stand in short, what is loud before all
else: NaN, Inf, a constant, freed memory, gradients that are None.
"""

from __future__ import annotations

from collections.abc import Iterable

from .text import joined

SHORT = 60  #: characters of a line in short

#: torch's own abbreviations, but for bool
_DTYPES = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "float8_e4m3fn": "f8e4m3fn",
    "float8_e5m2": "f8e5m2", "float8_e4m3fnuz": "f8e4m3fnuz", "float8_e5m2fnuz": "f8e5m2fnuz",
    "float8_e8m0fnu": "f8e8m0fnu", "float4_e2m1fn_x2": "f4e2m1fnx2", "complex128": "c128", "complex64": "c64",
    "complex32": "c32", "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8", "uint64": "u64", "uint32": "u32",
    "uint16": "u16", "uint8": "u8",
}  # fmt: skip


class Word(str):
    """A part of a line that has a short form, or is loud. A plain ``str`` is its own short form, and not loud."""

    __slots__ = ("loud", "short")
    loud: bool
    short: str

    def __new__(cls, text: str, short: str | None = None, *, loud: bool = False) -> Word:
        word = super().__new__(cls, text)
        word.short = text if short is None else short
        word.loud = loud
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


def in_short(parts: Iterable[str | None], limit: int = SHORT) -> str:
    """The parts as there is little room for: in short, the loud ones first; whole ones are left out at the end.

    >>> in_short([head("float32", "[64, 10]"), "μ 0", Word("3 NaN", loud=True)])
    '3 NaN · f32[64,10] · μ 0'
    """
    said = [part for part in parts if part]
    return joined(map(short, sorted(said, key=lambda part: not is_loud(part))), limit)


def head(dtype: str, sizes: str, device: str = "") -> Word:
    """Dtype, sizes and, where it is not the cpu, the device.

    >>> head("float32", "[32, 10]", " cuda:0"), head("float32", "[32, 10]", " cuda:0").short
    ('float32[32, 10] cuda:0', 'f32[32,10] cuda:0')
    """
    return Word(f"{dtype}{sizes}{device}", f"{_DTYPES.get(dtype, dtype)}{sizes.replace(', ', ',')}{device}")
