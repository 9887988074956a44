"""Whether the rows of a value lead where they say: each path reaches, in Python and for us, the value that is shown; and
whether any other path is reached, or refused in our own words."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from tensor_inspector.kinds import Child, Elements, NotFound, NotStatic, Property, Rows, TextRow, as_kind
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.stop.expression import resolve
from tensor_inspector.stop.snapshot import Snapshot

_NODES = 300  #: looked at
_PAGE = 12  #: rows of each, from its start
_LAST = 2  #: and at its end
_ASKED = (
    ".there_is_none", ".shape", ".dtype", ".data", ".T", ".grad", ".values", ".name", ".args", "['none']", "[b'none']", "[0]",
    "[-1]", "[99999999999999999999]", "[1.5]", "[None]", "[True]", "[()]", "[(0, 'x')]", "[0, 0]", "[...]", "[:2]",
    "[::-1]", "[5:2]", "[..., None, 0]", "[0].there_is_none", ".values()", ".row(0)", "()", "(3)",
)  # fmt: skip
_NO_VALUES = (Rows, Property)


def misleading(value: Any, program: Collection[Path]) -> list[str]:
    """What is wrong with the paths of the rows below a value. A path may run into code of the program, which refuses."""
    snapshot = Snapshot(Rows.of("", [Child("value", value, "value")]))
    found: list[str] = []
    with Untouched():
        nodes = snapshot.page(0, 0, 1, Budget())["nodes"]
        for node in nodes:
            if "children" in node and "lazy" not in node and len(nodes) < _NODES:
                page = snapshot.page(node["id"], 0, _PAGE, Budget())
                nodes += page["nodes"]
                if page["total"] is not None and page["total"] > _PAGE:
                    last = max(_PAGE, page["total"] - _LAST)
                    nodes += snapshot.page(node["id"], last, _LAST, Budget())["nodes"]
        for node in nodes:
            shown = snapshot.value(node["id"])
            if "path" in node and not any(type(shown) is kind for kind in _NO_VALUES):  # `in` would ask its metaclass
                found += _misled(node["path"], shown, value, program)
    return found


def failing(value: Any) -> list[str]:
    """What goes wrong where a hover or a pin asks for what may not be there."""
    found: list[str] = []
    with Untouched():
        for suffix in _ASKED:
            try:
                resolve(f"value{suffix}", {"value": value}, {}, Budget())
            except (NotFound, NotStatic):
                pass
            except Exception as error:
                found.append(f"value{suffix} fails with {error!r}")
    return found


def _misled(path: str, shown: Any, value: Any, program: Collection[Path]) -> list[str]:
    try:
        eval(path, {"value": value})
    except Exception as error:
        return [] if _is_of(error, program) else [f"{path} raises {error!r}"]
    try:
        reached = resolve(path, {"value": value}, {}, Budget())
    except Exception as error:
        return [f"{path} is refused: {error!r}"]
    if type(shown) is TextRow:  # `isinstance` would ask a hostile value what it is
        said = as_kind(reached, Budget()).line()
        return [] if shown.text in said else [f"{path} reaches {said!r} for {shown.text!r}"]
    if issubclass(type(shown), Elements) or reached is shown:
        return []
    lines = [as_kind(one, Budget()).line() for one in (shown, reached)]  # such as a number made anew
    return [] if lines[0] == lines[1] else [f"{path} reaches {lines[1]!r} for {lines[0]!r}"]


def _is_of(error: BaseException, program: Collection[Path]) -> bool:
    """Whether code of these files raised it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and Path(trace.tb_frame.f_code.co_filename) in program
