"""What we say of every kind in the zoo, for people: ``python -m zoo [PART OF A NAME ...] [--tree]`` in tests/python.

It ends with 1 where something is wrong with what is said, or no value has such a name.
"""

from __future__ import annotations

import sys

from . import zoo
from .cage import Keeper

words = [word for word in sys.argv[1:] if not word.startswith("--")]
names = [name for name in zoo if all(word in name for word in words)]
if not names:
    sys.exit(f"no value in the zoo has a name with {' and '.join(map(repr, words))} in it")
keeper = Keeper()
are_wrong = False
for name in names:
    found = keeper.examine(name)
    print(f"{name:45} {found.get('line', found)}")
    if "--tree" in sys.argv:
        print(found.get("tree"))
    for complaint in found.get("complaints", []):
        are_wrong = True
        print(f"{'':45} ✗ {complaint}")
keeper.close()
sys.exit(are_wrong)
