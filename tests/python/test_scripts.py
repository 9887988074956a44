"""What the project's own scripts decide."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
try:
    import pictures
finally:
    sys.path.pop(0)

SIZE = (640, 320)
INK = (204, 204, 204)


def _drawn(file: Path, *words: tuple[int, int, str], size: tuple[int, int] = SIZE) -> Path:
    """Draws words on a dark window, each at its place."""
    window = Image.new("RGB", size, (31, 31, 31))
    for left, top, word in words:
        ImageDraw.Draw(window).text((left, top), word, fill=INK, font_size=13)
    window.save(file)
    return file


@pytest.mark.parametrize(("before", "after"), [("loss", "mean"), ("3.14", "3.15"), ("a", "e")])
@pytest.mark.parametrize("top", range(64, 96, 5))
def test_a_changed_word_is_seen_wherever_it_stands(tmp_path: Path, before: str, after: str, top: int) -> None:
    old = _drawn(tmp_path / "old.png", (top + 7, top, before), (300, 200, "same"))
    new = _drawn(tmp_path / "new.png", (top + 7, top, after), (300, 200, "same"))
    assert pictures.differing_rows(old, old) == 0
    assert pictures.differing_rows(old, new) in (1, 2)


def test_a_line_may_differ_and_two_lines_are_told_apart(tmp_path: Path) -> None:
    old = _drawn(tmp_path / "old.png", (10, 90, "/tmp/abc"), (10, 250, "one"))
    line = _drawn(tmp_path / "line.png", (10, 90, "/tmp/xyz"), (10, 250, "one"))
    both = _drawn(tmp_path / "both.png", (10, 90, "/tmp/xyz"), (10, 250, "two"))
    assert (pictures.differing_rows(old, line) or 0) <= pictures.LINE
    assert (pictures.differing_rows(old, both) or 0) > pictures.LINE


def test_pictures_of_different_sizes_cannot_be_compared(tmp_path: Path) -> None:
    old, new = _drawn(tmp_path / "old.png"), _drawn(tmp_path / "new.png", size=(320, 320))
    assert pictures.differing_rows(old, new) is None
