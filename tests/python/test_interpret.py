"""The interpreter of statements walks each path that a function may take, and none that it can't."""

from __future__ import annotations

import ast
import sys
from textwrap import dedent

import pytest

from tensor_inspector.lenses.flow.interpret import Allowance, Domain, Interpreter, Names, TooMuch

Numbers = frozenset


class Possible(Domain[Numbers]):
    """Which of the numbers in the source a name may be."""

    def __init__(self) -> None:
        self.results: list[int] = []

    def join(self, one: Numbers, other: Numbers) -> Numbers:
        return one | other

    def assigned(self, statement: ast.Assign, names: Names[Numbers]) -> None:
        names[statement.targets[0].id] = self.value(statement.value, names)

    def returned(self, value: ast.expr, names: Names[Numbers]) -> None:
        self.results += self.value(value, names)

    def value(self, node: ast.expr, names: Names[Numbers]) -> Numbers:
        return Numbers({node.value}) if isinstance(node, ast.Constant) else names.get(node.id, Numbers())


def possible(text: str, allowance: Allowance | None = None) -> set[int]:
    domain = Possible()
    Interpreter(domain, allowance or Allowance()).run(ast.parse(text).body, {})
    return set(domain.results)


PROGRAMS = {
    "a row": ("x = 1; x = 2; return x", {2}),
    "what follows a return": ("return 1; x = 2; return x", {1}),
    "a branch": ("x = 1\nif c:\n    x = 2\nreturn x", {1, 2}),
    "both branches": ("if c:\n    x = 2\nelse:\n    x = 3\nreturn x", {2, 3}),
    "a branch that returns": ("x = 1\nif c:\n    x = 2\n    return 3\nreturn x", {1, 3}),
    "a branch that raises": ("x = 1\nif c:\n    x = 2\n    raise E\nreturn x", {1}),
    "a loop, or none of it": ("x = 1\nfor i in y:\n    x = 2\nreturn x", {1, 2}),
    "what the iteration before has bound": ("z = 0\nx = 1\nfor i in y:\n    z = x\n    x = 2\nreturn z", {0, 1, 2}),
    "continue": ("x = 1\nfor i in y:\n    x = 2\n    if c:\n        continue\n    x = 3\nreturn x", {1, 2, 3}),
    "break": ("x = 1\nwhile c:\n    x = 2\n    break\n    x = 4\nelse:\n    x = 3\nreturn x", {2, 3}),
    "a loop that returns": ("for i in y:\n    return 1\nreturn 2", {1, 2}),
    "with": ("with c:\n    x = 1\nreturn x", {1}),
    "a handler": ("x = 1\ntry:\n    x = 2\nexcept E:\n    pass\nreturn x", {1, 2}),
    "else of try": ("try:\n    x = 2\nexcept E:\n    x = 3\nelse:\n    x = 4\nreturn x", {3, 4}),
    "finally": ("try:\n    x = 2\nfinally:\n    x = 5\nreturn x", {5}),
    "finally after a return": ("try:\n    return 1\nfinally:\n    x = 2\nreturn x", {1}),
}


@pytest.mark.parametrize(("text", "found"), PROGRAMS.values(), ids=PROGRAMS)
def test_what_a_name_may_be_is_found_on_all_paths(text: str, found: set[int]) -> None:
    assert possible(text) == found


@pytest.mark.skipif(sys.version_info < (3, 10), reason="match came with Python 3.10")
def test_a_match_takes_one_of_its_cases_or_none() -> None:
    assert possible("x = 1\nmatch y:\n    case 1:\n        x = 2\n    case 2:\n        x = 3\nreturn x") == {1, 2, 3}


def test_a_question_ends_where_it_has_used_up_what_it_may_take() -> None:
    with pytest.raises(TooMuch):
        possible("x = 1\n" * 10 + "return x", Allowance(statements=5))
    deep = "\n".join(" " * level + "if c:" for level in range(9)) + "\n" + " " * 9 + "x = 1"
    assert possible(f"{deep}\nreturn 2", Allowance(depth=9)) == {2}
    with pytest.raises(TooMuch):
        possible(deep, Allowance(depth=8))


def test_a_chain_of_conditions_is_of_one_level() -> None:
    chain = "".join(f"elif c == {k}:\n    x = {k}\n" for k in range(100))
    text = f"x = 1001\nif c:\n    x = 1002\n{chain}"
    assert possible(f"{text}return x", Allowance(depth=1)) == {1001, 1002, *range(100)}
    ended = possible(f"{text}else:\n    x = 500\nreturn x", Allowance(depth=1))
    assert ended == {1002, 500, *range(100)}
    with pytest.raises(TooMuch):
        possible(text, Allowance(statements=50))


def test_definitions_inside_are_not_gone_through() -> None:
    assert possible(dedent("""\
        x = 1
        def inner():
            x = 2
            return 3
        return x""")) == {1}  # fmt: skip
