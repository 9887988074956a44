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
TONES = 16  #: of 256, by which a pixel's colours may differ
BLOCK = 32  #: pixels along a side: as much as a short word takes
SHARE = 0.01  #: of a block's pixels, that may differ between two runs: of a changed letter, more do
LINE = 2  #: rows of blocks that one line of text is in, at most: where the moving picture has a temporary folder's name


def main(before: str) -> None:
    put_together(sorted(WINDOWS.glob("*.png")), ROOT / MOVING)
    for file in sorted([*(ROOT / "docs" / "tour").glob("*.png"), ROOT / MOVING]):
        name = file.relative_to(ROOT)
        old = Path(before) / name
        rows = differing_rows(old, file) if old.exists() else None
        is_kept = rows is not None and rows <= (LINE if name == MOVING else 0)
        if is_kept:
            shutil.copyfile(old, file)
        told = "is another size, or new" if rows is None else f"differs in {rows} rows of blocks"
        print(f"{name}: {told}{', kept' if is_kept else ''}")


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


def differing_rows(old: Path, new: Path) -> int | None:
    """How many rows of blocks it takes to hold all that looks different in a frame; None where the sizes differ."""
    with Image.open(old) as one, Image.open(new) as other:
        frames = [[frame.convert("RGB") for frame in ImageSequence.Iterator(image)] for image in (one, other)]
    if [frame.size for frame in frames[0]] != [frame.size for frame in frames[1]]:
        return None
    return max(map(_differing_rows, *frames))


def _differing_rows(one: Image.Image, other: Image.Image) -> int:
    red, green, blue = ImageChops.difference(one, other).split()
    largest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    shares = largest.point([255 * (tone > TONES) for tone in range(256)]).reduce(BLOCK)
    rows = [shares.crop((0, top, shares.width, top + 1)).histogram() for top in range(shares.height)]
    differing = [top for top, row in enumerate(rows) if any(row[int(255 * SHARE) + 1 :])]
    return differing[-1] - differing[0] + 1 if differing else 0


if __name__ == "__main__":
    main(*sys.argv[1:])
