"""Writes PNG (ISO/IEC 15948): a raster of indices into a table of colours, or of colours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from struct import pack
from zlib import compress, crc32

from .palettes import Colour

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_QUICK = 3  #: the level of compression
_INDEXED = 3  #: the type of colour
_TYPES = {3: 2, 4: 6}  #: of red, green and blue, and with opacity besides


def png(rows: Sequence[bytes], table: Iterable[Colour]) -> bytes:
    """A picture of ``rows`` from the top down, a byte a pixel: its index in the ``table`` of colours."""
    colours = b"".join(bytes(colour) for colour in table)
    return _written(rows, len(rows[0]), _INDEXED, (b"PLTE", colours))


def png_of_colours(rows: Sequence[bytes], channels: int) -> bytes:
    """A picture of ``rows``, whose pixels are of three bytes or four: red, green, blue, and opacity."""
    return _written(rows, len(rows[0]) // channels, _TYPES[channels])


def _written(rows: Sequence[bytes], width: int, colour: int, *more: tuple[bytes, bytes]) -> bytes:
    header = pack(">IIBBBBB", width, len(rows), 8, colour, 0, 0, 0)
    pixels = compress(b"\0" + b"\0".join(rows), _QUICK)  # each row is led by its filter: none
    chunks = (b"IHDR", header), *more, (b"IDAT", pixels), (b"IEND", b"")
    return _SIGNATURE + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return pack(">I", len(data)) + name + data + pack(">I", crc32(name + data))
