"""The mutants: small changes that mutmut makes inside functions of the helper, and a sample of them."""

from __future__ import annotations

import ast
import difflib
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.file_mutation import Mutation, create_mutations

ROOMS = ("words", "measure", "safe", "stop")


@dataclass(frozen=True)
class Mutant:
    file: str  #: in the helper's folder
    function: str
    was: str  #: the lines that change, joined
    becomes: str
    text: str  #: the whole file, changed
    lines: Sequence[int]  #: of the file as it was: those that the change stands in
    function_lines: Sequence[int]

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What names it, also when other code has changed."""
        return self.file, self.function, self.was, self.becomes

    def __str__(self) -> str:
        return f"{self.file}: {self.function}\n  - {self.was}\n  + {self.becomes}"


def sample(helper: Path, count: int, seed: int) -> list[Mutant]:
    """So many mutants of the rooms. Whether one is taken depends on itself alone, so that a change of the helper exchanges
    few of them."""
    sources = [_Source(file) for room in ROOMS for file in sorted((helper / room).rglob("*.py"))]
    ranked = sorted(
        (hashlib.sha256(f"{seed} {name}".encode()).digest(), source, mutation)
        for source in sources
        for name, mutation in source.named_mutations()
    )
    return [source.mutant(mutation, helper) for _, source, mutation in ranked[:count]]


class _Source:
    """A file, and what mutmut would change inside its functions."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._text = file.read_text("utf-8")
        module, mutations, _, _ = create_mutations(str(file), self._text)
        self._module = module
        self._mutations = [each for each in mutations if _is_in_a_function(each) and not self._says_the_same(each)]
        self._names = dict(_functions(module.body))
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        self._places: Mapping[cst.CSTNode, Any] = wrapper.resolve(PositionProvider)

    def named_mutations(self) -> Iterator[tuple[str, Mutation]]:
        """Each with a name that stays when other code changes."""
        alike = Counter[str]()
        for mutation in self._mutations:
            name = f"{self._function(mutation)}: {' → '.join(self._code(mutation))}"
            alike[name] += 1
            yield f"{name} {alike[name]}", mutation

    def mutant(self, mutation: Mutation, helper: Path) -> Mutant:
        changed = self._module.deep_replace(mutation.original_node, mutation.mutated_node)
        assert isinstance(changed, cst.Module)
        assert mutation.contained_by_top_level_function is not None
        was, becomes = _changed_lines(self._text, changed.code)
        function = mutation.contained_by_top_level_function
        function_lines = self._lines(function)
        lines = self._lines(mutation.original_node)
        is_signature = bool(lines) and lines[0] < self._lines(function.body)[0]  # which runs before any test
        return Mutant(
            file=self._file.relative_to(helper).as_posix(),
            function=self._function(mutation),
            was=was,
            becomes=becomes,
            text=changed.code,
            lines=function_lines if is_signature or not lines else lines,
            function_lines=function_lines,
        )

    def _code(self, mutation: Mutation) -> tuple[str, str]:
        code = self._module.code_for_node
        return code(mutation.original_node), code(mutation.mutated_node)

    def _says_the_same(self, mutation: Mutation) -> bool:
        """As the number ``1e140`` plus 1 does."""
        old, new = self._code(mutation)
        return isinstance(mutation.mutated_node, cst.BaseNumber) and ast.literal_eval(old) == ast.literal_eval(new)

    def _function(self, mutation: Mutation) -> str:
        assert mutation.contained_by_top_level_function is not None
        return self._names[mutation.contained_by_top_level_function]

    def _lines(self, node: cst.CSTNode) -> Sequence[int]:
        """None for what has no place of its own, such as an operator."""
        place = self._places.get(node)
        return range(place.start.line, place.end.line + 1) if place else ()

    def __lt__(self, other: _Source) -> bool:
        return self._file < other._file


def _is_in_a_function(mutation: Mutation) -> bool:
    return isinstance(mutation.contained_by_top_level_function, cst.FunctionDef)


def _functions(statements: Sequence[cst.CSTNode], of: str = "") -> Iterator[tuple[cst.FunctionDef, str]]:
    """Functions of a module and methods of its classes, with their names."""
    for statement in statements:
        if isinstance(statement, cst.FunctionDef):
            yield statement, of + statement.name.value
        elif isinstance(statement, cst.ClassDef):
            yield from _functions(statement.body.body, f"{of}{statement.name.value}.")


def _changed_lines(before: str, after: str) -> tuple[str, str]:
    lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    was, becomes = (" ".join(line[2:].strip() for line in lines if line[0] == sign) for sign in "-+")
    return was, becomes
