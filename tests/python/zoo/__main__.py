"""What we say of every kind in the zoo, for people: ``python -m zoo [PART OF A NAME] [--tree]`` in tests/python."""

from __future__ import annotations

import sys

from . import zoo
from .cage import Keeper

words = [word for word in sys.argv[1:] if not word.startswith("--")]
keeper = Keeper()
for name in zoo:
    if all(word in name for word in words):
        found = keeper.examine(name)
        print(f"{name:45} {found.get('line', found)}")
        if "--tree" in sys.argv:
            print(found.get("tree"))
        for complaint in found.get("complaints", []):
            print(f"{'':45} ✗ {complaint}")
keeper.close()
