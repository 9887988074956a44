"""Puts the README's moving picture together, and keeps each picture that looks as it did before.

    python scripts/pictures.py BEFORE

BEFORE is a folder with the pictures as they were. `npm run pictures` runs it once VS Code's windows are taken.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from PIL import Image, ImageChops, ImageSequence

ROOT = Path(__file__).resolve().parent.parent
WINDOWS = ROOT / "test-results" / "moving"
MOVING = Path("media") / "moving.png"
SIZE = (1080, 675)
COLOURS = 256
SECONDS = 3.0  #: for each window
SAME = 0.01  #: the share of pixels that may differ between two runs: a blinking cursor, the name of a folder
TONES = 16  #: of 256, by which a pixel's colours may differ


def main(before: str) -> None:
    put_together(sorted(WINDOWS.glob("*.png")), ROOT / MOVING)
    for file in sorted([*(ROOT / "docs" / "tour").glob("*.png"), ROOT / MOVING]):
        name = file.relative_to(ROOT)
        old = Path(before) / name
        share = difference(old, file) if old.exists() else 1.0
        if share <= SAME:
            shutil.copyfile(old, file)
        print(f"{name}: {share:.2%} of the pixels differ{', kept' if share <= SAME else ''}")


def put_together(frames: list[Path], target: Path) -> None:
    """An animated PNG, which GitHub and VS Code show, of one palette."""
    if not frames:
        raise SystemExit(f"there are no windows in {WINDOWS}")
    windows = [Image.open(frame).convert("RGB").resize(SIZE, Image.Resampling.LANCZOS) for frame in frames]
    strip = Image.new("RGB", (SIZE[0], SIZE[1] * len(windows)))
    for at, window in enumerate(windows):
        strip.paste(window, (0, SIZE[1] * at))
    palette = strip.quantize(COLOURS)
    first, *rest = (window.quantize(palette=palette, dither=Image.Dither.NONE) for window in windows)
    first.save(target, save_all=True, append_images=rest, duration=SECONDS * 1000, loop=0, optimize=True)


def difference(old: Path, new: Path) -> float:
    """The share of pixels that look different, of the frame where most do; 1 where the sizes are not the same."""
    with Image.open(old) as one, Image.open(new) as other:
        frames = [[frame.convert("RGB") for frame in ImageSequence.Iterator(image)] for image in (one, other)]
    if [frame.size for frame in frames[0]] != [frame.size for frame in frames[1]]:
        return 1.0
    return max(map(_differing, *frames))


def _differing(one: Image.Image, other: Image.Image) -> float:
    red, green, blue = ImageChops.difference(one, other).split()
    largest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    same = sum(largest.histogram()[: TONES + 1])
    return 1 - same / (one.width * one.height)


if __name__ == "__main__":
    main(*sys.argv[1:])
