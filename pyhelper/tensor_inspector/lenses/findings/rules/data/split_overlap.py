"""Samples of the validation data are among the training data.

Why: The score on data that was trained on says nothing.

Example:
    train, test = data[:900], data[800:]

Instead:
    train, test = data[:900], data[900:]

Silent when:
    - names and uses do not tell which part is trained on and which one judges
    - rows are whole numbers, have fewer than 3 numbers, or may be the same by chance
    - what is trained on is made of both, or after all that is judged: a last fit on all
    - one part is all of the other, where only their memory says that they belong together
    - both are judged by: one of them may be for a quick look
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain, memory_of
from .....measure.torch.metadata import is_exact_tensor
from .....safe.guard import Classes, class_name, instance_dict, module, mro
from .....words.text import plural
from ....flow.definitions import uses
from ....flow.lines import line_of_last_binding
from ....step.classes import own_methods_of
from ....step.expressions import key_of, names_in, root_of, text_of
from ....step.grad_mode import no_grad_block
from ....step.roles import role_of
from ....step.sight import VisibleVariable
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...rule import rule

torch: Any = module("torch")
_INDICES = Classes(list, range)
_ROWS, _OTHER_ROWS = 20_000, 5_000  #: of two tensors that are compared
_COLUMNS = 64  #: whose values are counted
_MANY = 16  #: values that differ in a column, and such columns, are too many for rows that are the same by chance
_UNSEEN_PAIRS = 3  #: pairs of rows that may be the same by chance where none are (19 times of 20)
_WIDTHS = {1: "uint8", 2: "int16", 4: "int32", 8: "int64"}  #: integers by their bytes
#: Words in names, a hint only: of two parts that share rows at least one must be used as its name says, or both must be
#: cut from the same memory or dataset.
_TRAIN = ("train", "training", "tr")
_OTHER = ("val", "valid", "validation", "test", "eval", "holdout", "dev")


@rule(
    "error",
    why="The score on data that was trained on says nothing.",
    suggestion="split before anything is copied or sampled",
    needs="thorough",
)
def split_overlap(step: Step) -> Iterator[Violation]:
    trained, judged = _roles(step)
    yield from _overlap_of_subsets(step, judged)
    datasets = list(_rows_of_datasets(step))
    tensors = [variable for variable in (*step.tensors, *datasets) if variable.value.dim() >= 2]
    for variable in tensors:
        for other in tensors if _is_for(variable.key, _TRAIN, trained) else ():
            if not _is_for(other.key, _OTHER, judged) or variable.value is other.value:
                continue
            if _is_joined_of(step, variable.key, other.key):
                continue
            if step.budget.spent():
                return
            if variable.key not in trained and other.key not in judged and not _is_one_memory(variable, other):
                continue
            shared = _shared_rows(variable.value, other.value)
            rows = int(other.value.shape[0])
            is_used_so = variable in datasets and variable.key in trained and other in datasets and other.key in judged
            are_parts = (is_used_so and shared < rows) or _are_parts(step, variable, other, shared)
            if shared and (_is_named_as_split(variable, other) or are_parts):
                yield Violation(
                    f"{plural(shared, 'row')} of the {rows} in {other.name} {'is' if shared == 1 else 'are'} in {variable.name} too",
                    (other.name, f"{shared} of {plural(rows, 'row')}"),
                    (variable.name, "has the same rows"),
                    line=line_of_last_binding(step, other.key),
                )
                return


def _rows_of_datasets(step: Step) -> Iterator[VisibleVariable]:
    """The first tensor of each ``TensorDataset`` in sight, or of a loader's: its rows are samples."""
    for (level, key), value in step.named_values():
        inside = instance_dict(value).get("dataset") if role_of(type(value)) == "loaders" else value
        held = instance_dict(inside).get("tensors") if class_name(type(inside)) == "TensorDataset" else None
        if type(held) is tuple and held and is_exact_tensor(held[0]):
            yield VisibleVariable(key, held[0], level, 0)


def _is_named_as_split(variable: VisibleVariable, other: VisibleVariable) -> bool:
    return _is_for(variable.key, _TRAIN, set()) and _is_for(other.key, _OTHER, set())


def _are_parts(step: Step, variable: VisibleVariable, other: VisibleVariable, shared: int) -> bool:
    """Whether both are parts of one tensor, not batches, and neither is all of it."""
    lines = [line for one in (variable, other) for line in step.source.lines_of(one.key)]
    is_one = _is_one_memory(variable, other)
    is_part = shared < min(int(variable.value.shape[0]), int(other.value.shape[0]))
    return is_one and is_part and not any(map(step.source.loop_of, lines))


def _is_one_memory(variable: VisibleVariable, other: VisibleVariable) -> bool:
    memory = memory_of(variable.value)
    return memory is not None and memory == memory_of(other.value)


def _is_for(key: str, words: tuple[str, ...], used: set[str]) -> bool:
    return key in used or (bool(_words(key) & set(words)) and not _names_both(key))


def _names_both(key: str) -> bool:
    """Whether a name tells of both splits: ``x_train_val`` is what a last fit is made on."""
    return bool(_words(key) & set(_TRAIN)) and bool(_words(key) & set(_OTHER))


def _words(key: str) -> set[str]:
    return set(key.replace(".", "_").lower().split("_"))


def _is_joined_of(step: Step, whole: str, part: str) -> bool:
    """Whether the source makes what is trained on of what was judged by: a last fit on all."""
    return any(part in source.bindings_behind(whole) for source in step.sources)


def _roles(step: Step) -> tuple[set[str], set[str]]:
    """What is trained on and what is only judged by, as the source in sight, and the methods around it, use them."""
    trained: set[str] = set()
    judged: set[str] = set()
    for call, _, level in step.calls_of_modules():
        source = step.sources[level]
        names = {text_of(argument) for argument in call.args}
        if no_grad_block(source, call.lineno):
            judged |= names
        elif source.backwards:
            trained |= names
    around = own_methods_of(step.value(step.source.self_name))
    for source in (step.source, *(method for _, method in around)):
        for iterated, first, last in _iterations(source):
            names = set(names_in(iterated))
            if any(first <= backward.lineno <= last for backward in source.backwards):
                trained |= names
            elif no_grad_block(source, first) or _is_without_gradients(source):
                judged |= names
    return trained - judged, judged - trained


def _iterations(source: Source) -> Iterator[tuple[ast.expr, int, int]]:
    """What is gone through, and from which line to which."""
    for node in source.nodes:
        if isinstance(node, ast.For):
            yield node.iter, node.lineno, node.end_lineno or node.lineno
        elif isinstance(node, ast.comprehension):
            yield node.iter, node.iter.lineno, node.iter.lineno


def _is_without_gradients(source: Source) -> bool:
    return any("no_grad" in text or "inference_mode" in text for text in source.decorators)


def _shared_rows(a: Any, b: Any) -> int:
    """How many rows of ``b`` are in ``a``: of continuous values, since categories repeat."""
    if (
        a.shape[1:] != b.shape[1:]
        or a.dtype != b.dtype
        or not a.dtype.is_floating_point
        or not is_plain(a)
        or not is_plain(b)
    ):
        return 0
    if a.numel() > 1 << 22 or b.numel() > 1 << 22 or a.numel() < 3 * a.shape[0] or not b.shape[0]:
        return 0
    ours, theirs = (bare(tensor).reshape(tensor.shape[0], -1).cpu() for tensor in (a, b))
    if not bool((theirs != theirs.round()).any(1).all()):
        return 0
    known, asked = _marks(ours[:_ROWS]), _marks(theirs[:_OTHER_ROWS])
    shared = int(torch.isin(asked, known).sum())
    return 0 if shared and _may_be_chance(ours[:_ROWS], known, len(asked), shared) else shared


def _may_be_chance(rows: Any, marks: Any, asked: int, shared: int) -> bool:
    """Whether so many rows may be the same by chance: a few measures that are rounded are so within one part as well."""
    _, times = torch.unique(marks, return_counts=True)
    columns = rows[:, :: max(1, rows.shape[1] // _COLUMNS)]
    values = [len(torch.unique(column)) for column in columns.unbind(1)]
    if max(values) > 0.9 * len(times) or sum(count >= _MANY for count in values) >= _MANY:
        return False
    pairs = float((times * (times - 1)).sum()) / 2
    return shared <= 2 * (pairs + _UNSEEN_PAIRS) * asked / len(marks)


def _marks(rows: Any) -> Any:
    """A number of 64 bits for each row, made of its bytes: rows of the same bytes have the same one."""
    words = rows.contiguous().view(getattr(torch, _WIDTHS[rows.element_size()])).long()
    factors = (
        torch.arange(1, words.shape[1] + 1, device=words.device) * -7046029254386353131
    )  # odd, and far apart: sums wrap
    factors = (factors ^ (factors >> 29)) * -4658895280553007687
    return (words * (factors | 1)).sum(1)


def _overlap_of_subsets(step: Step, judged: set[str]) -> Iterator[Violation]:
    found: list[tuple[VisibleVariable, Any, set[int]]] = []
    for (level, key), value in step.named_values():
        inside = instance_dict(value).get("dataset") if role_of(type(value)) == "loaders" else value
        if not any(class_name(base) == "Subset" for base in mro(type(inside))):
            continue
        indices = instance_dict(inside).get("indices")
        if type(indices) in _INDICES and len(indices) < 1_000_000:  # type: ignore[arg-type]
            numbers = {index for index in indices if type(index) is int}  # type: ignore[union-attr]
            found.append((VisibleVariable(key, value, level, 0), instance_dict(inside).get("dataset"), numbers))
    for at, (one, data, indices) in enumerate(found):
        for two, same, theirs in found[at + 1 :]:
            name, other = one.key, two.key
            if _is_judged_no_more(step, one, two) or _is_judged_no_more(step, two, one):
                continue
            is_split = any(_is_for(key, _OTHER, judged) for key in (name, other))
            is_split = is_split and not any(map(_names_both, (name, other)))
            is_split = is_split and not all(_is_judged(step, each, judged) for each in (one, two))
            if data is same and indices != theirs and indices & theirs and is_split:
                yield Violation(
                    f"{name} and {other} share {plural(len(indices & theirs), 'sample')}",
                    (name, f"{len(indices)} indices"),
                    (other, f"{len(theirs)} indices"),
                )
                return


def _is_judged(step: Step, variable: VisibleVariable, judged: set[str]) -> bool:
    """Whether any name of it says that one judges by it: of two such ones, a part may be taken for a quick look."""
    names = (variable.key, *map(key_of, step.names.get(id(variable.value), ())))
    return any(_is_for(name, _OTHER, judged) for name in names)


def _is_judged_no_more(step: Step, whole: VisibleVariable, part: VisibleVariable) -> bool:
    """Whether what is trained on was made after all that is done with what was judged by: for a last fit on all."""
    source = step.sources[whole.level]
    if part.level != whole.level or _is_for(whole.key, _OTHER, set()):
        return False
    if whole.key in source.bindings:
        bound = source.binding_of(whole.key)
        return bound is not None and _is_read_above_only(source, part.key, bound[0])
    owner = root_of(whole.key)
    methods = [] if owner != source.self_name else [one for _, one in own_methods_of(step.value(owner, whole.level))]
    making = [one for one in methods if whole.key in one.bindings]
    return len(making) == 1 and all(
        _is_read_above_only(one, part.key, one.bindings[whole.key][-1][0])
        if one is making[0]
        else not _lines_reading(one, part.key)
        for one in methods
    )


def _is_read_above_only(source: Source, name: str, line: int) -> bool:
    """Whether a source binds a name and reads it only above a line, or above the loop around that."""
    loop, lines = source.loop_of(line), _lines_reading(source, name)
    return name in source.bindings and bool(lines) and max(lines) < (line if loop is None else loop[0])


def _lines_reading(source: Source, name: str) -> list[int]:
    read = [path[-1] for statement in source.body for path in uses(statement, name)]
    return [node.lineno for node in read if isinstance(node.ctx, ast.Load)]  # type: ignore[attr-defined]
