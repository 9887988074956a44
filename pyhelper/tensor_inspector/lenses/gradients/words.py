"""The table of gradients as rows of a tree."""

from __future__ import annotations

from collections.abc import Iterator
from math import log10
from typing import TYPE_CHECKING, Any

from ...kinds import Child, Rows
from ...measure.torch.norms import ERROR
from ...safe.guard import module
from ...words.bounded import bounded
from ...words.line import Word, line_of
from ...words.prefix import shared_prefix
from ...words.text import number, plural
from .row import ParameterRow

if TYPE_CHECKING:
    from ...protocol import Badge

_BARS = "▁▂▃▄▅▆▇█"
_WIDTH = 32  #: bars of a row
_BADGES: dict[str, list[Badge]] = {"nan": ["nan"], "inf": ["inf"], "zero": ["zeros"], "none": ["no_grad"]}


def table(name: str, found: Any, rows: list[ParameterRow], depth: list[tuple[str, float]]) -> Child:
    """All of it: what is wrong on the line, below it how the norms change along depth, then the parameters."""
    first = [Child("along depth", Rows.of(_along(depth), [], "evidence"), "")] if len(depth) > 2 else []

    def some(start: int, count: int) -> Iterator[Child]:
        yield from first[start : start + count]
        skipped = max(0, start - len(first))
        for row in rows[skipped : skipped + count - len(first[start : start + count])]:
            yield _row(row, row.name[shared:])

    shared = _length_of_shared_prefix([row.name for row in rows])
    badges = sorted({badge for row in rows for badge in _BADGES.get(row.state(), ())})
    return Child(name, Rows(line_of(_parts(found)), len(first) + len(rows), some, "group", badges), "")


def _parts(found: Any) -> Iterator[str | None]:
    frozen = found["parameters"] - found["trainable"]
    if not found["parameters"]:
        yield "no parameters"
        return
    yield plural(found["parameters"], "parameter") + (f", {frozen:,} frozen" if frozen else "")
    for amount, state in (
        (found["nan"], "with NaN"),
        (found["inf"], "with Inf"),
        (found["none"], "None"),
        (found["zero"], "all zeros"),
        (found["unread"], "not read"),
    ):
        yield Word(f"{amount:,} {state}", loud=True) if amount else None
    yield f"{found['empty']:,} {_without_elements()}" if found["empty"] else None
    if found["norm"] is not None and found["none"] + found["empty"] < found["trainable"]:
        yield f"norm {_about(found['norm'])}"
    yield f"updates by {found['rule']}" if found["rule"] else None


def _length_of_shared_prefix(names: list[str]) -> int:
    """How many characters all names begin with, up to a dot: the name of the model."""
    alike = shared_prefix(names).partition("[")[0]
    return alike.rfind(".") + 1


def _row(row: ParameterRow, name: str) -> Child:
    below = [Child(row.path or row.name, row.weight, row.path)]
    if row.gradient is not None:
        path = None if row.path is None else f"{row.path}.grad"
        below.append(Child(path or "grad", row.gradient, path))
    badges = _BADGES.get(row.state(), ())
    rows = Rows.of(line_of(_row_words(row)), below, "tensor", badges)
    return Child(name, rows, "")


def _row_words(row: ParameterRow) -> Iterator[str | None]:
    state = row.state()
    if state == "frozen":
        yield "frozen: requires no gradient"
    elif state == "none":
        yield Word("grad None", "None", loud=True)
    elif state == "empty":
        yield f"{_without_elements()}, so no gradient"
        return
    elif state == "unread":
        yield "grad not read"
    elif state == "zero":
        yield Word("grad all zeros", "all zeros", loud=True)
    elif state in ("nan", "inf"):
        amounts = [f"{row.nan:,} NaN" if row.nan else "", f"{row.inf:,} Inf" if row.inf else ""]
        text = f"{', '.join(filter(None, amounts))} of {row.count() or 0:,}"
        yield Word(f"grad {text}", text, loud=True)
    else:
        yield Word(f"grad {_about(row.norm or 0.0)}", _about(row.norm or 0.0))
    yield None if row.weight_norm is None else Word(f"weight {_about(row.weight_norm)}", "")
    yield _of_weight("", row.share(), "", " of weight")
    if row.update_norm is not None:
        update = f"update {_about(row.update_norm)}"
        yield _of_weight(f"{update}, ", row.update_share(), "update ") or update


def _without_elements() -> str:
    return "without elements" if module("torch.distributed.fsdp") is None else "without elements on this rank"


def _about(norm: float) -> str:
    return bounded(norm, ERROR * norm, 3)


def _of_weight(before: str, share: float | None, start: str, end: str = "") -> Word | None:
    """A norm as a share of the weight's, or how many times it; and the same in short."""
    if not share:
        return None
    if share >= 1:
        return Word(f"{before}{_two_digits(share)}× the weight", f"{start}{_two_digits(share)}×{end}")
    percent = f"{_two_digits(100 * share)}%"
    return Word(f"{before}{percent} of the weight", f"{start}{percent}{end}")


def _two_digits(value: float) -> str:
    """Written out up to a million: ``0.055``, ``100``, ``14,000``."""
    return f"{float(f'{value:.2g}'):,.0f}" if 99.5 <= value < 1e6 else number(value, 2)


def _along(depth: list[tuple[str, float]]) -> str:
    """Norms from the first layer to the last as bars on a logarithmic scale; ``·`` is zero."""
    norms = [norm for _, norm in depth]
    positive = [norm for norm in norms if norm > 0]
    if not positive:
        return f"{'·' * min(_WIDTH, len(norms))} all zeros"
    low, high = min(positive), max(positive)
    bars = "".join(_bar(norm, low, high) for norm in _thinned(norms))
    return f"{bars} · first {_about(norms[0])}, last {_about(norms[-1])}, from {_about(low)} to {_about(high)}"


def _thinned(norms: list[float]) -> list[float]:
    """As many norms as there is room for: of neighbours the largest."""
    per = -(-len(norms) // _WIDTH)
    return [max(norms[at : at + per]) for at in range(0, len(norms), per)]


def _bar(norm: float, low: float, high: float) -> str:
    if norm <= 0:
        return "·"
    decades = max(1.0, log10(high / low))  # what differs by less than a factor of ten looks alike
    height = 1 - log10(high / norm) / decades
    return _BARS[round(height * (len(_BARS) - 1))]
