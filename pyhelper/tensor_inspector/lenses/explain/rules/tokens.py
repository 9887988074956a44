"""Input of which a tokenizer can't make tensors: no padding token, no text, rows of different lengths."""

from __future__ import annotations

from ....safe.guard import Classes, class_name
from ....words.text import listed
from ...findings.finding import Violation
from ..error_context import ErrorContext
from ..operand import UNKNOWN, in_title
from ..operation import FailingLine
from ..values import items_of, value_words

_TEXTS = Classes(str, list, tuple)


def tokenizer_input(context: ErrorContext) -> Violation | None:
    line = FailingLine(context.user)
    for node in line.calls():
        tokenizer = line.reader.value(node.func)
        if tokenizer is None or "Tokenizer" not in class_name(type(tokenizer)):
            continue
        name, class_of = in_title(node.func), class_name(type(tokenizer))
        if "padding token" in context.message:
            title = (f"{name}.pad_token is None", ": ", f"{name} has nothing to pad with")
            return context.found(title, (name, class_of), suggestion=f"{name}.pad_token = {name}.eos_token")
        for argument in node.args:
            text, value = in_title(argument), line.reader.read(argument)
            is_list = issubclass(type(value), (list, tuple))
            rows = items_of(value) if is_list else [value]
            odd = next((at for at, row in enumerate(rows) if type(row) not in _TEXTS and row is not UNKNOWN), None)
            if odd is not None:
                whose = f"{text}[{odd}]" if is_list else text
                title = (f"{whose} is {value_words(rows[odd])}", ", ", f"but {name} wants text")
                return context.found(title, (whose, value_words(rows[odd])), (text, value_words(value)))
            lengths = [len(row.split()) for row in rows if type(row) is str]
            if len(set(lengths)) > 1 and not any(word.arg == "padding" for word in node.keywords):
                title = (f"the texts of {text} are of different lengths", ": ", "without padding they are no tensor")
                fact = (text, f"{value_words(value)}, of {listed(map(str, lengths[:8]), len(lengths) > 8, 40)} words")
                return context.found(title, fact, suggestion="padding=True, truncation=True")
    return None
