"""Formats numbers, sizes, names and lists for people.

A digit that is not guaranteed is not shown. Long texts are shortened. No ``__repr__`` of the program runs: only
built-in types are turned into text here, by their own methods.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from math import floor, inf, log10
from typing import Any

from ..session import session

LINE = 120  #: characters of a line
HUGE = 1e308  #: from here on rounding may lead beyond that
_ALL_DIGITS = 17  #: that tell any two floats apart
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def shorten(text: str, limit: int = LINE) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def shorten_middle(text: str, limit: int) -> str:
    """Shortened in the middle: long names of one family differ at their ends.

    >>> shorten_middle("encoder.layers.0.self_attn.q_proj.weight", 24)
    'encoder.…n.q_proj.weight'
    """
    if len(text) <= limit:
        return text
    head = limit // 3
    return f"{text[:head]}…{text[len(text) - (limit - head - 1) :]}"


def full_path(name: str) -> str:
    """Where a file of code is: ``runpy`` and the like run a file by the path that they were given."""
    # os.path is Python code that asks built-in functions, in whose place a program can put its own.
    return name if name.startswith(("<", os.sep)) else os.path.abspath(name)


def fingerprint(numbers: Iterable[int]) -> str:
    """Eight digits that tell long states apart.

    >>> fingerprint([1, 2]) == fingerprint((1, 2)) != fingerprint([2, 1])
    True
    """
    return f"{hash(tuple(numbers)) & 0xFFFFFFFF:08x}"


def one_line(text: str, limit: int = LINE) -> str:
    """``text`` as a row can show it: line breaks and other control characters as blanks, and shortened.

    >>> one_line("two\\nlines")
    'two lines'
    """
    if len(text) <= limit and text.isprintable():
        return text
    return shorten(text[: limit + 1] if text.isprintable() else _printable(text[: limit + 1]), limit)


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text)


def distinct(name: str, number: int, names: set[str]) -> str:
    """The name of a row, with its number where a row before it has that name; ``names`` are those so far.

    >>> names = set()
    >>> [distinct(name, at, names) for at, name in enumerate(["x", "y", "x"])]
    ['x', 'y', 'x #2']
    """
    found = f"{name} #{number}" if name in names else name
    names.add(found)
    return found


def joined(parts: Iterable[str | None], limit: int = LINE) -> str:
    """The parts that say something, joined by ``·``; whole parts are left out at the end rather than cut in two."""
    shown = [part for part in parts if part]
    whole = " · ".join(shown)
    if len(whole) <= limit:
        return whole
    line, *others = shown
    for part in others:
        longer = f"{line} · {part}"
        if len(longer) > limit:
            break
        line = longer
    return shorten(line if len(line) > limit else f"{line} …", limit)


def led_by(name: str, text: str) -> str:
    """``text`` after a name, once where it begins with that.

    >>> led_by("int", "7"), led_by("Path", "Path('a')")
    ('int 7', "Path('a')")
    """
    return text if text.startswith(name) else f"{name} {text}"


def listed(items: Iterable[str], more: bool, limit: int) -> str:
    """Items joined by commas up to ``limit`` characters, then an ellipsis if there are more."""
    text = ""
    for item in items:
        longer = f"{text}, {item}" if text else item
        if len(longer) > limit:
            return f"{text}, …" if text else shorten(item, limit)
        text = longer
    return f"{text}, …" if more and text else text


def number(value: int | float, digits: int = 0) -> str:
    """``value`` with ``digits`` significant digits (0: as preferred, 4) and a real minus; integers below 10⁷ in full.

    >>> number(-2.117904), number(1234567), number(1e-05), number(float("-inf"))
    ('−2.118', '1234567', '1e-5', '−Inf')
    """
    if type(value) is int and -10_000_000 < value < 10_000_000:
        return str(value).replace("-", "−")
    digits = digits or session.preferred.digits
    if -HUGE < value < HUGE:
        return tidied(f"{value:.{digits}g}")
    if not -inf < value < inf:
        return "NaN" if value != value else "Inf" if value > 0 else "−Inf"
    try:
        text = f"{value:.{digits}g}"
    except OverflowError:  # an int beyond the floats
        return f"{'−' if value < 0 else ''}10^{floor(int(abs(value)).bit_length() * log10(2))}"
    if float(text) in (inf, -inf):  # rounded up beyond all floats: cut instead
        head, _, exponent = f"{value:.16e}".partition("e")
        text = f"{head[: head.index('.') + digits].rstrip('.')}e{exponent}"
    return tidied(text)


def _digits_off_whole(value: int | float, digits: int) -> int:
    """At least ``digits``: so many that ``value`` does not read as the whole number next to it."""
    if not -HUGE < value < HUGE or value % 1 == 0:
        return digits
    whole = round(value)
    while whole and digits < _ALL_DIGITS and float(f"{value:.{digits}g}") == whole:
        digits += 1
    return digits


def tidied(text: str) -> str:
    """A number as Python formats it, with a short exponent and a real minus sign."""
    if "e" in text:
        head, _, exponent = text.partition("e")
        text = f"{head}e{int(exponent)}"
    return "−" + text[1:] if text[0] == "-" else text


def exact_number(value: int | float, digits: int = 0) -> str:
    """A number that is known exactly: integers to the last digit, floats as `number` but whole ones below 10⁷ in full.

    None but a whole number reads as one.

    >>> exact_number(2**53 + 1), exact_number(65536.0), exact_number(0.1 + 0.2), exact_number(254.99998)
    ('9007199254740993', '65536', '0.3', '254.99998')
    """
    if type(value) is int:
        return str(value).replace("-", "−")
    if -1e7 < value < 1e7 and value % 1 == 0:
        return f"{value:.0f}".replace("-", "−")
    return number(value, _digits_off_whole(value, digits or session.preferred.digits))


def count(value: int, beside: int | None = None) -> str:
    """A count at a glance: 512, 5.1K, 25.6M, 10¹²; in full where another one ``beside`` it would read the same.

    >>> count(512), count(5130), count(25_557_032), count(10**12), count(999_999, 10**6)
    ('512', '5.1K', '25.6M', '10¹²', '999,999')
    """
    text = _abbreviated(value)
    return text if beside is None or beside == value or text != _abbreviated(beside) else f"{value:,}"


def _abbreviated(value: int) -> str:
    if value < 1000:
        return str(value)
    for unit, size in (("K", 10**3), ("M", 10**6), ("B", 10**9)):
        short = value / size
        if short < 999.5:
            return f"{short:.1f}{unit}" if short < 99.95 else f"{short:.0f}{unit}"
    power = len(str(value)) - 1
    power += value / 10**power >= 9.95
    lead = "" if value == 10**power else f"{value / 10**power:.1f}×"
    return f"{lead}10{str(power).translate(_SUPERSCRIPT)}"


def out_of(part: int, whole: int) -> str:
    """Two counts, as `count` gives them.

    >>> out_of(5130, 25_557_032), out_of(999_999, 1_000_000)
    ('5.1K of 25.6M', '999,999 of 1,000,000')
    """
    return f"{count(part, whole)} of {count(whole, part)}"


def percent(part: int, whole: int, digits: int = 3) -> str:
    """The share of ``part`` in ``whole``, all of it or nothing only where that is so.

    >>> percent(1, 3), percent(999_999, 1_000_000), percent(1, 10**9), percent(0, 7), percent(7, 7)
    ('33.3%', '>99.9%', '1e-7%', '0%', '100%')
    """
    if part >= whole:
        return f"{100 * part / whole:.0f}%"
    text = number(100 * part / whole, digits)
    if float(text) < 100:
        return f"{text}%"
    return f">99.{'9' * (digits - 2)}%" if digits > 2 else ">99%"


def size(bytes: int) -> str:
    """Bytes in binary units: 512 B, 4.0 KiB, 1.5 GiB."""
    if bytes < 1024:
        return f"{bytes} B"
    power = min(6, (bytes.bit_length() - 1) // 10)
    power += power < 6 and bytes / 1024**power >= 1023.95
    return f"{bytes / 1024**power:.1f} {' KMGTPE'[power]}iB"


def duration(ms: float) -> str:
    """A time, given in milliseconds.

    >>> duration(0.834), duration(96.4), duration(1934), duration(123_456)
    ('0.83 ms', '96 ms', '1.9 s', '123 s')
    """
    return f"{_short(ms)} ms" if ms < 999.5 else f"{_short(ms / 1000)} s"


def _short(value: float) -> str:
    return number(value, 2) if value < 99.5 else f"{value:.0f}"


def plural(amount: int, noun: str) -> str:
    return f"{amount:,} {noun}" if amount == 1 else f"{amount:,} {noun}s"


def quoted(value: str, limit: int = 60) -> str:
    """A string as Python writes it; a long one is shortened and shows its length. No code of a str subclass is run."""
    length = str.__len__(value)
    if length <= limit:
        return repr(str.__getitem__(value, slice(None)) + "")
    return f"{repr(str.__getitem__(value, slice(limit)) + '')[:-1]}…' · {length:,} chars"


def quoted_bytes(value: bytes | bytearray, limit: int = 40) -> str:
    """Bytes as Python writes them, shortened as `quoted` does."""
    base: Any = bytes if issubclass(type(value), bytes) else bytearray
    opening, closing = ("", "") if base is bytes else ("bytearray(", ")")
    length = base.__len__(value)
    head = bytes(base.__getitem__(value, slice(limit)))
    if length <= limit:
        return f"{opening}{head!r}{closing}"
    if len(repr(head)) > 2 * limit:  # what is no text takes four characters a byte
        head = head[: limit // 4]
    return f"{opening}{repr(head)[:-1]}…'{closing} · {length:,} bytes"


def integer(value: int) -> str:
    """An int in full up to 40 digits, then by its size. ``int.__repr__`` of a huge one is quadratic, or refused."""
    bits = int.bit_length(value)
    if bits <= 133:
        return int.__repr__(value)
    sign = "−" if int.__lt__(value, 0) else ""
    return f"{sign}int of {bits:,} bits"


def shape(sizes: Iterable[object]) -> str:
    """``[32, 3, 224]``; a symbolic size by its symbol, which is the library's own text."""
    return f"[{', '.join(map(str, sizes))}]"
