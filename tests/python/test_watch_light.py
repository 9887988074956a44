"""The light gear of `watch`: it tells the origins that it can prove, says where it can't, and is silent where all is well."""

from __future__ import annotations

import runpy
from typing import Any

import pytest
import torch
from test_watch import FAULTY, HEALTHY, expected, path_of

from tensor_inspector import watch

#: What the light gear proves: operation and line. Of these others it only says that there is something;
FOUND = "faulty_custom_backward faulty_custom_forward faulty_data faulty_in_place faulty_normalized_gradient".split()
#: and these reach no module, loss or step, so nothing is looked at.
UNSEEN = "faulty_functional_gradient faulty_looked_at faulty_metric faulty_returned_gradient faulty_view".split()
_ORIGIN = ("operation", "file", "line")


def hits(program: str, what: Any = "nonfinite", **options: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    with watch(what, do=found.append, **options):
        runpy.run_path(path_of(program))
    return found


@pytest.mark.parametrize("program", FAULTY)
def test_it_tells_what_it_can_prove_and_else_says_so(program: str) -> None:
    if program == "faulty_compiled" and not hasattr(torch.compiler, "set_stance"):
        pytest.skip("needs torch.compiler.set_stance")
    found, right = hits(program), expected(program)
    assert len(found) == (program not in UNSEEN)
    for report in found:
        if program in FOUND:
            assert [report[name] for name in _ORIGIN] == [None] * 3
            assert "can't tell" in report["reason"]
            assert 'gear="exact" would tell' in report["reason"]
        else:
            assert {name: report[name] for name in right} == right


def test_it_tells_two_of_three() -> None:
    assert 3 * len({*FAULTY} - {*FOUND, *UNSEEN}) >= 2 * len(FAULTY)


@pytest.mark.parametrize("program", HEALTHY)
def test_it_is_silent_where_nan_and_inf_are_meant(program: str) -> None:
    assert hits(program) == []
