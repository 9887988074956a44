"""The answer of `gradcheck` as rows: how much of each input is right, then the entries that disagree."""

from __future__ import annotations

from math import isfinite, isinf
from typing import TYPE_CHECKING, Any

from ...kinds import Child, Rows, TextRow
from ...words.line import Word, line_of
from ...words.text import count, number, out_of

if TYPE_CHECKING:
    from ...protocol import Badge, GradcheckDoubt, GradcheckEntry, GradcheckFound, GradcheckInput, GradcheckWhy

_WHY: dict[GradcheckWhy, str] = {
    "not_run": "not run",
    "raised": "not checked: it raised",
    "backward_raised": "its backward raised",
    "refuses_double": "not checked: it takes no float64",
    "no_input": "not checked: no floating-point tensor is given to it",
    "no_tensor": "not checked: no floating-point tensor in what it returns",
    "empty": "not checked: what it returns is empty",
    "no_graph": "no gradient: what it returns is cut from what it is given",
    "not_finite": "not checked: it returns NaN or infinities",
    "unsettled": "not told: differences of its values don't settle, as it is rounded in between or not smooth",
    "not_deterministic": "not checked: two calls with the same random numbers return other values",
}
_DOUBT: dict[GradcheckDoubt, str] = {
    "symmetric": "agrees where both sides of the diagonal change together: it takes a symmetric matrix",
    "not_unique": "can't be told: its result is unique up to signs or bases only",
    "straight_through": "straight-through? its result does not change where its backward says so",
    "left_out": "no gradient for {}, though the result depends on it: on purpose?",
    "log_softmax": "right behind a log_softmax alone, as the CTC loss takes it: check both",
    "cut": "a part of the gradient is cut off, as by detach(): on purpose?",
}
_LOUD = ("backward_raised", "no_graph")
_LONG = 60  #: characters of an error, of which the line may not have all
_ROUND = 0.02  #: relative distance within which a ratio is shown as a round number


def rows(function: Child, inputs: list[Child], found: GradcheckFound) -> Child:
    below: list[Child] = []
    paths = {one.name: one for one in inputs}
    if found["looked_at"]:
        below += [_input_row(one, paths.get(one["name"])) for one in found["inputs"]]
        below += [Child(name, Rows.of("not looked at: it requires no gradient", []), "") for name in found["not_asked"]]
    below += [_entry_row(one, found["doubt"] is None) for one in found["worst"]]
    if len(found["error"] or "") > _LONG:
        below.append(Child("error", TextRow(found["error"] or ""), ""))
    name = f"gradcheck of {function.name}({', '.join(one.name for one in inputs)})"
    badges: list[Badge] = ["wrong"] if found["state"] == "disagrees" or found["why"] in _LOUD else []
    if found["doubt"] is not None:
        badges = [] if found["doubt"] == "symmetric" else ["doubtful"]
    line = line_of(_parts(found))
    return Child(name, Rows(line, len(below), lambda start, most: below[start : start + most], "group", badges), "")


def _parts(found: GradcheckFound) -> list[str | None]:
    why = found["why"]
    if why is not None:
        text = f"{_WHY[why]}: {found['error']}" if found["error"] else _WHY[why]
        return [Word(text, loud=True) if why in _LOUD else text]
    if not found["looked_at"]:
        is_none = not found["inputs"]
        return [
            "not checked: nothing that it is given has a gradient" if is_none else "not checked: no time for an entry"
        ]
    wrong, looked_at = found["wrong"], found["looked_at"]
    ratios = {one["ratio"] for one in found["inputs"] if one["wrong"]}
    ratio = ratios.pop() if len(ratios) == 1 else None
    without = [one["name"] for one in found["inputs"] if one["wrong"] and one["without"]]
    wrong_as = "wrong" if ratio is None else f"wrong: {_ratio(ratio)}"
    if without:
        wrong_as = f"wrong: no gradient for {without[0]}"
    worst = found["worst"][0] if wrong else None
    if worst is not None and not isfinite(worst["analytic"]):
        wrong_as = f"its backward gives {number(worst['analytic'])} at {_entry_text(worst)}"
    doubt = found["doubt"]
    verdict = Word(wrong_as, loud=True) if wrong else "agrees"
    of_worst = None if worst is None else _shown(worst, doubt is None)
    return [
        verdict if doubt is None else _DOUBT[doubt].format(*without[:1]),
        of_worst if doubt is not None else None,  # which has to stand before what there may be no room for
        _ratio(ratio) if doubt is not None and ratio else None,
        f"{out_of(wrong, looked_at)} entries disagree" if wrong else None,
        of_worst if doubt is None else None,
        *(f"{one['name']} gets no gradient" for one in found["inputs"] if one["without"] and not one["looked_at"]),
        *(f"{name} not looked at" for name in found["not_asked"]),
        _checked_text(found) if not wrong or looked_at < found["entries"] else None,
        f"{count(found['kinks'])} at kinks" if found["kinks"] else None,
        f"{count(found['unsure'])} can't be told" if found["unsure"] else None,
    ]


def _checked_text(found: Any) -> str:
    looked_at, entries = found["looked_at"], found["entries"]
    if looked_at >= entries:
        return f"{count(looked_at)} {'entry' if looked_at == 1 else 'entries'}"
    return f"{out_of(looked_at, entries)} entries looked at"


def _shown(entry: GradcheckEntry, sure: bool) -> str:
    return f"{_entry_text(entry)}: {_sides(entry, sure)}"


def _sides(entry: GradcheckEntry, sure: bool) -> str:
    """A slope that is infinite is not what differences say, which have a step; where there are none, NaN is."""
    if not isfinite(entry["numeric"]):
        return number(entry["analytic"])
    is_known = sure and not isinf(entry["analytic"])
    return f"{number(entry['analytic'])}, {'should be' if is_known else 'by differences'} {number(entry['numeric'])}"


def _entry_text(entry: GradcheckEntry) -> str:
    part = f".{entry['part']}" if entry["part"] is not None else ""
    return f"{entry['input']}{list(entry['index']) if entry['index'] else ''}{part}"


def _entry_row(entry: GradcheckEntry, sure: bool) -> Child:
    output, index = entry["output"], entry["output_index"]
    of = "of all outputs, weighted" if output is None else ""
    if output is not None and (index or output):
        of = f"of output{output or ''}{index or ''}"
    return Child(_entry_text(entry), Rows.of(line_of([_sides(entry, sure), of]), []), "")


def _input_row(one: GradcheckInput, given: Child | None) -> Child:
    below = [] if given is None else [Child(given.name, given.value, given.suffix)]
    return Child(one["name"], Rows.of(line_of(_input_parts(one)), below), "")


def _input_parts(one: GradcheckInput) -> list[str | None]:
    if not one["looked_at"]:
        return ["its backward gives it no gradient" if one["without"] else "not looked at"]
    wrong = f"{out_of(one['wrong'], one['looked_at'])} entries disagree" if one["wrong"] else None
    ratio = one["ratio"]
    agrees = "agrees" if one["kinks"] + one["unsure"] < one["looked_at"] else None
    return [
        Word(wrong, loud=True) if wrong else agrees,
        None if ratio is None else _ratio(ratio),
        "gets no gradient" if one["without"] else None,
        _checked_text(one) if not wrong or one["looked_at"] < one["entries"] else None,
        f"{count(one['kinks'])} at kinks" if one["kinks"] else None,
        f"{count(one['unsure'])} can't be told" if one["unsure"] else None,
    ]


def _ratio(ratio: float) -> str:
    if ratio == 0:
        return "it is 0"
    if abs(ratio + 1) < _ROUND:
        return "the sign is wrong"
    inverse = 1 / ratio
    if abs(ratio) < 1 and abs(inverse - round(inverse)) < _ROUND * abs(inverse):
        return (
            f"1/{round(inverse)} of what it should be" if inverse > 0 else f"−1/{-round(inverse)} of what it should be"
        )
    return f"{number(ratio, 3)}× what it should be"
