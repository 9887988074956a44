"""The parts `comparison` and `error_map`: how close a value is to another, and where they are apart."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from ...kinds import Child
from ...kinds.kind import Elements
from ...measure.closeness import Closeness
from ...measure.composed import is_composed, like_of, read_part
from ...measure.stats.difference import paired
from ...measure.unread import Unread
from ...safe.guard import full_name
from ...safe.record import Record
from ...words.text import shape as shape_text
from ..picture.source import arrays_of, dtype_of, is_mapped, is_tensor
from .described import described
from .differences import Differences, DifferencesLibrary
from .drawn import Drawing, drawn
from .excerpt import Excerpt
from .planes import PlanesReading
from .source import readable_in_parts
from .texts import texts_of

if TYPE_CHECKING:
    from ...measure.closeness import Farthest
    from ...protocol import DetailsCloseness, DetailsComparison, DetailsFarthest, DetailsPicture, DetailsSide
    from ...safe.budget import Budget
    from ..picture.tiles import How
    from .wishes import Wishes


class TwoValues(Record):
    """What is known of two values, and their elements; none where these can't be compared, for a ``reason``."""

    sides: list[DetailsSide]
    elements: tuple[Any, ...]
    reason: str = ""


def two_values(asked: Child, other: Child, budget: Budget) -> TwoValues:
    sides: list[DetailsSide] = []
    elements: list[Any] = []
    reasons: list[str] = []
    for child in (asked, other):
        try:
            found = readable_in_parts(child.value, "comparison", budget)
        except (TypeError, ValueError) as error:
            sides.append(_described(child.value, budget))
            reasons.append(f"{child.name}: {error}")
        else:
            sides.append(_of_elements(child.value, found))
            elements.append(found)
    if not reasons:
        reasons += _unlike(*elements)
    return TwoValues(sides, (), reasons[0]) if reasons else TwoValues(sides, tuple(elements))


def comparison_steps(pair: TwoValues, wishes: Wishes, budget: Budget) -> Generator[float, None, DetailsComparison]:
    """The comparison, in steps that say which share is done: many where it is to be exact, else one, within the
    budget."""
    a, b = pair.sides
    if not pair.elements:
        return {"a": a, "b": b, "reason": pair.reason}
    one, other = pair.elements
    closeness = Closeness(one, other, wishes.rtol, wishes.atol)
    done = 0
    for amount in closeness.steps():
        done += amount
        if wishes.exact:
            yield done / closeness.total
        elif budget.spent():
            break
    found = closeness.found()
    beyond = found["beyond"] + (0 if wishes.equal_nan else found["nan_in_both"])
    elements: DetailsCloseness = {
        "count": found["count"],
        "read": found["read"],
        "complete": found["read"] == found["count"],
        "close": beyond == 0,
        "rtol": wishes.rtol,
        "atol": wishes.atol,
        "equal_nan": wishes.equal_nan,
        "different": found["different"],
        "beyond": beyond,
        "nan_in_one": found["nan_in_one"],
        "nan_in_both": found["nan_in_both"],
        "inf_in_one": found["inf_in_one"],
    }
    if any(is_composed(side) and side.can_be_masked for side in pair.elements):
        elements["masked"], elements["masked_in_one"] = found["masked"], found["masked_in_one"]
    if found["max_abs"] is not None:
        elements["max_abs"] = _farthest(pair, found["max_abs"])
    if found["max_relative"] is not None:
        elements["max_relative"] = _farthest(pair, found["max_relative"])
    if found["max_ulps"] is not None:
        elements["max_ulps"] = _farthest(pair, found["max_ulps"])
    return {"a": a, "b": b, "elements": elements}


def error_map_steps(
    pair: TwoValues, excerpt: Excerpt, wishes: Wishes, budget: Budget
) -> Generator[float, None, DetailsPicture]:
    """A picture of |a - b|, whose tiles show the largest of theirs: one element that differs is never averaged away."""
    a, b = pair.elements
    how = paired(like_of(a), like_of(b))
    shown: How = "range" if len(excerpt.dims) == 1 else "max"
    assert not isinstance(how, Unread)
    planes = [Differences(excerpt.plane(a, at), excerpt.plane(b, at), how) for at in excerpt.at()]
    reading, done = PlanesReading(planes, wishes.tiles, shown, 0, DifferencesLibrary(how)), 0
    if wishes.exact:
        for amount in reading.steps():
            done += amount
            yield done / reading.total
    else:
        reading.at_once(budget, is_mapped(a) or is_mapped(b))
    assert reading.tiled is not None
    return drawn(Drawing(excerpt, "float", shown, 0, None), planes, reading.tiled, None)


def _of_elements(value: Any, elements: Any) -> DetailsSide:
    first = arrays_of(elements)[0]
    whole = value.value if issubclass(type(value), Elements) else value  # of a subscript: what the program would get
    return {
        "type": full_name(type(whole)),
        "shape": list(map(int, elements.shape)),
        "dtype": dtype_of(elements),
        "device": str(first.device) if is_tensor(first) else "cpu",
    }


def _described(value: Any, budget: Budget) -> DetailsSide:
    """What is known of a value whose elements can't be read."""
    _, facts = described(value, budget)
    found: DetailsSide = {"type": facts["type"]}
    if "dtype" in facts:
        found["dtype"] = facts["dtype"]
    if "device" in facts:
        found["device"] = facts["device"]
    if "shape" in facts:
        found["shape"] = ["*" if size is None else size for size in facts["shape"]]
    return found


def _unlike(a: Any, b: Any) -> list[str]:
    """Why the elements of two can't be compared one by one, if they can't."""
    one, other = (tuple(map(int, elements.shape)) for elements in (a, b))
    if one == other:
        how = paired(like_of(a), like_of(b))
        return [how.text] if isinstance(how, Unread) else []
    both = f"the shapes {shape_text(one)} and {shape_text(other)} are different: elements are compared one by one"
    pairs = zip(reversed(one), reversed(other))
    fit = all(size == across or 1 in (size, across) for size, across in pairs)
    return [f"{both}; in an operation one would be broadcast to the other" if fit else both]


def _farthest(pair: TwoValues, found: Farthest) -> DetailsFarthest:
    a, b = (_element(elements, found["at"]) for elements in pair.elements)
    return {"by": found["by"], "at": found["at"], "a": a, "b": b}


def _element(elements: Any, at: list[int]) -> str:
    """One element, as Python writes it."""
    alone, _ = read_part(elements[tuple(slice(place, place + 1) for place in at)])
    (text,) = texts_of(alone.reshape(1, 1))
    return text
