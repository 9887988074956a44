"""…"""

from __future__ import annotations

from .specimen import Specimen, Zoo

SPECIMENS: Zoo = {
    "example": Specimen(lambda: [1, 2], says=("list · 2: 1, 2",)),
}
