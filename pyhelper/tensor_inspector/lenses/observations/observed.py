"""`Observations`: what is worth a look at a stop, the most unusual first."""

from __future__ import annotations

from typing import Any

from ..answer import plain
from ..findings.finding import Findings, _not_checked


class Observations(Findings):
    """A list as that of `findings`, whose ``checked`` are the detectors. Prints one line an observation."""

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data, for ``json.dumps``; NaN and infinities are texts."""
        found = super().to_dict()
        return {"observations": plain(list(self)), **{key: found[key] for key in ("checked", "skipped", "complete")}}

    def silence(self) -> str:
        """``9 detectors, nothing worth a look, 2 not checked: no time``"""
        unseen = [one for one in self.skipped if one[1] != "ignored"]
        return f"{len(self.checked)} detectors, nothing worth a look{_not_checked(unseen)}"
