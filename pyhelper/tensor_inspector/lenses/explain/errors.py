"""Recognizes an exception as one of the faults that are explained, by its class and by the text of torch or numpy."""

from __future__ import annotations

import re

from ...safe.guard import class_name, mro
from ...words.text import shorten
from .operand import CASTS
from .trace import message

#: Kinds of fault, each with what torch 2.0 to 2.13 say; the first that fits holds.
_MESSAGES: list[tuple[str, str]] = [
    ("worker", r"^Caught \w+ in DataLoader worker|^DataLoader worker \(pid"),
    ("init", r"before Module\.__init__\(\) call"),
    ("load", r"^Weights only load failed"),
    ("pickle", r"^Can't pickle |^Can't get local object |^cannot pickle "),
    ("copy", r"support the deepcopy protocol"),
    ("inference", r"[Ii]nference tensors? cannot be|update to inference tensor"),
    ("recompute", r"different number of tensors was saved|Recomputed values for the following tensors"),
    ("arguments", r"unexpected keyword argument|missing \d+ required (positional|keyword-only) argument"
                  r"|takes (from )?\d+ .*positional arguments? but"),
    ("state_dict", r"(Missing|Unexpected) key\(s\) in state_dict|loaded state dict|state_dict to be dict-like"),
    ("memory", r"out of memory|can't allocate memory|Unable to allocate|not enough memory|ALLOC_FAILED"),
    ("freed", r"backward through the graph a second time|saved (tensors|intermediate values).* freed"),
    ("inplace", r"modified by an inplace operation|used in an in-place operation|is being modified inplace"),
    ("no_grad", r"does not require grad and does not have a grad_fn|appears to not have been used in the graph"
                r"|differentiated Tensors does not require grad"),
    ("not_scalar", r"grad can be implicitly created only for"),
    ("half", r"cannot be converted to type (c10|at)::Half without overflow"),
    ("one_value", r"Expected more than 1 (value per channel|spatial element)"),
    ("probability", r"all elements of (input|target) should be between 0 and 1|Assertion .*input_val"),
    ("distribution", r"^Expected (parameter \w+|value argument) \(|probability tensor contains|invalid multinomial"
                     r"|p_in >= 0"),
    ("truth", r"Boolean value of Tensor|truth value of an array"),
    ("number", r"converted to (a )?(Python )?[Ss]calar|only (one element|length-1|size-1|0-dim)|an array of size 1"
               r"|single element can be converted"),
    ("array", r"numpy\(\) on Tensor that requires grad"),
    ("unpack", r"values to unpack|iteration over a 0-d tensor"),
    ("parameters", r"optimizer got an empty|optimize a non-leaf|optimizer can only optimize"),
    ("token", r"not have a padding token|TextEncodeInput must be|text input must be of type"
              r"|activate truncation and/or padding"),
    ("label", r"Target -?\d+ is out of bounds|Class values must be|Assertion .*(cur_target|t >= 0 && t < n_classes)"),
    ("device", r"same device|not on the expected device|backend .* but got|device type tensor to numpy"
               r"|on meta tensors|out of meta tensor|Placeholder storage has not been allocated"
               r"|Input type \(torch\.cuda.* and (weight|bias) type \(torch\.(?!cuda)"
               r"|Input type \(torch\.(?!cuda).* and (weight|bias) type \(torch\.cuda"
               r"|should be either on cpu or on the same device|found at least two devices"),
    ("index", r"not in the valid range|index out of range|index -?\d+ is out of bounds|out of bounds for dimension"
              r"|too many indices"
              r"|out of bounds for axis|srcIndex < srcSelectDimSize|index out of bounds|device-side assert"),
    ("shape", r"shape of the mask|expected sequence of length"
              r"|multi-target not supported|Expected target size|batches of spatial targets"),
    ("type", r"must be (Tensor|Number|tuple of ints|int), not (?!numpy)|got \(NoneType|NoneType, "
             r"|but got (NoneType|list|tuple|int|float|str)$"
             r"|'NoneType' object is not|'NoneType' has no len|unsupported operand type|object is not iterable"
             r"|^default_collate: batch must contain"
             r"|invalid data type 'str'"),
    ("dtype", r"must have the same dtype|to have (the )?same dtype|should have (the )?same dtype|same datatype"
              r"|expected (scalar type|dtype)|[Ff]ound dtype|target dtype to be|not implemented for '"
              r"|infer output dtype"
              r"|does not match weight dtype|following scalar types|can't be cast to the desired output type"
              r"|used as indices must be|Input type \(|dtypes? match|Expected floating point type|dtype int64"
              r"|floating point and complex dtype can require|self\.dtype to be equal|must be the same dtype"
              r"|[Ee]xpected a floating|floating point (dtype|type)|mat1 and mat2 must have"
              r"|Expected object of scalar type"
              r"|only supports floating|dtype int|integral or|expected input to be a floating|has invalid type"
              r"|two bool tensors is not supported|bool tensor is not supported"
              r"|must be Tensor, not numpy|got \(numpy\.ndarray|but got numpy\.ndarray"),
    ("shape", r"shapes? cannot be multiplied|must match the size|[Ss]ize mismatch|inconsistent tensor size"
              r"|Expected size for|expected input\[|Expected \d[^,]*D|expected .*\dD (or \dD )?(input|tensor)"
              r"|\dD or \dD"
              r"|Kernel size can't|running_mean should|normalized_shape=|number of channels"
              r"|must be equal to input_size|Expected hidden|inconsistent (input|hidden)|embedding dimension"
              r"|Sizes of tensors must match|same number of dimensions|cannot be concatenated|to be equal size"
              r"|is invalid for input|is not compatible|expanded size|size=\[|Dimension out of range"
              r"|number of dimensions|batch_size \(|target size|Target size|spatial sizes"
              r"|einsum\(\)|could not be broadcast|core dimension|broadcast|dim \d+ must match"
              r"|shapes? .* (not aligned|do not match)|Mismatch in shape|Output size is too small"
              r"|non-empty|size does not match|multiply up to|sum exactly|at least 1D|same shape|batch dim"
              r"|must be a \dD|must be \dD|\d-?[dD]imensional|must be (a )?(matrix|vector)|cannot reshape array"
              r"|all the input array dimensions|all input arrays must have the same|[Pp]adding (size|length)"
              r"|should have at least \d dim|to be no larger than|Number of indices \(\d+\) should be"
              r"|storage that is not resizable|be divisible by|invalid shape|wrong shape|two dimensions"),
]  # fmt: skip
_PATTERNS = [(kind, re.compile(pattern)) for kind, pattern in _MESSAGES]
_PICKLING = next(pattern for kind, pattern in _PATTERNS if kind == "pickle")
#: What `nn.Module.__init__` makes, and a module lacks that has not called it.
_PARTS = re.compile(r"before Module\.__init__\(\) call|has no attribute '_(modules|parameters|buffers|\w+_hooks)'")
#: Exceptions that torch, numpy and the interpreter raise for these; others are a program's own.
_CLASSES = frozenset(
    "RuntimeError ValueError IndexError TypeError AssertionError NotImplementedError MemoryError"
    " OutOfMemoryError AcceleratorError UnpicklingError PicklingError CheckpointError".split()
)


def fault_of(error: BaseException) -> str | None:
    """The kind of fault that an exception is; None where it is not explained."""
    names = [class_name(base) for base in mro(type(error))]
    text = message(error)
    if _PATTERNS[0][1].search(text):
        return "worker"
    if "KeyError" in names:
        return "key"
    if "AttributeError" in names:
        if _PICKLING.search(text):
            return "pickle"
        if _PARTS.search(text):
            return "init"
        return None if attribute_in(text) is None else "attribute"
    if not _CLASSES.intersection(names):
        return None
    if "MemoryError" in names or "OutOfMemoryError" in names:
        return "memory"
    return next((kind for kind, pattern in _PATTERNS if pattern.search(text)), None)


def _captured(pattern: str, text: str) -> str | None:
    found = re.search(pattern, text)
    return None if found is None else found[1]


def short_message(text: str) -> str:
    """The first line of a message, short enough for a title."""
    return shorten(text.strip().partition("\n")[0], 160)


def target_in(text: str) -> int | None:
    """The label that is no class: ``Target 7 is out of bounds.``"""
    found = _captured(r"Target\s*\(?(-?\d+)", text)
    return None if found is None else int(found)


def sizes_in(text: str) -> list[tuple[int, ...]]:
    """The shapes in a message, however they are written: ``(32x5``, ``[2, 3]``, ``torch.Size([2])``, ``(2,3)``."""
    found = re.finditer(r"\d+(?:x\d+)+|[\[(]\d+(?:, ?\d+)*,?[\])]", text)
    return [tuple(int(number) for number in re.findall(r"\d+", match[0])) for match in found]


def argument_in(text: str) -> tuple[int, str] | None:
    """Which argument was of a wrong type, counted from 0, and the type that is wanted."""
    found = re.search(r"\(position (\d+)\) must be (\w+)", text)
    return None if found is None else (int(found[1]) - 1, found[2])


#: What a function wants, by the word that torch has for it.
WANTED = {"Number": "a number", "Tensor": "a tensor", "int": "a whole number", "tuple": "whole numbers"}


def type_not_tensor(text: str) -> str | None:
    """The type of an argument that must be a tensor."""
    found = _captured(r"must be Tensor, not (\w+)", text)
    return None if found == "NoneType" else found


def type_in_parameters(text: str) -> str | None:
    """The type of an argument that an optimizer refused as a parameter."""
    return _captured(r"one of the params is ([\w.]+)", text)


def argument_not_taken(text: str) -> str | None:
    """The keyword argument that a function has no parameter for."""
    return _captured(r"unexpected keyword argument '(\w+)'", text)


def arguments_missing(text: str) -> list[str]:
    """The parameters without an argument in a call."""
    found = re.search(r"missing \d+ required [\w-]+ arguments?: (.*)", text)
    return [] if found is None else re.findall(r"'(\w+)'", found[1])


def reason_of_refusal(text: str) -> str | None:
    """What `torch.load` met in a file that it does not read, where that is no class."""
    return _captured(r"Unpickler error:\s*([^\n]+)", text)


def classes_refused(text: str) -> list[str]:
    """The classes in a file that `torch.load` does not make objects of: ``GLOBAL program.Net was not …``."""
    found = re.findall(r"GLOBAL ([\w.]+) was not|Unsupported (?:class|global:? GLOBAL) ([\w.]+)", text)
    return list(dict.fromkeys(one or other for one, other in found))


def numbers_to_unpack(text: str) -> tuple[int | None, int | None]:
    """How many values were expected, and how many there were, where the interpreter says so."""
    expected, got = re.search(r"expected (?:at least )?(\d+)", text), re.search(r"got (\d+)", text)
    return None if expected is None else int(expected[1]), None if got is None else int(got[1])


def names_in(text: str, words: str) -> list[str]:
    """The quoted names that follow some words in a message, on the same line: ``Missing key(s): "a", "b"``."""
    line = next((line for line in text.splitlines() if words in line), "")
    return re.findall(r'"([^"]+)"', line.partition(words)[2])


def attribute_in(text: str) -> str | None:
    """The attribute that an object does not have."""
    return _captured(r"has no attribute '(\w+)'", text)


def parameter_in(text: str) -> str | None:
    """The parameter of a distribution whose values are invalid."""
    found = re.search(r"Expected parameter (\w+) ", text)
    if found is not None:
        return found[1]
    return "value" if "value argument" in text else None


def is_broadcast(text: str) -> bool:
    """Whether two shapes were to be broadcast."""
    return (
        re.search(r"broadcast|size of tensor a|expanded size|shape mismatch|inconsistent tensor size", text) is not None
    )


def sides(text: str) -> tuple[int, int, int] | None:
    """The sizes that do not broadcast, of the left and the right operand, and their dimension."""
    found = re.search(
        r"tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)", text
    )
    return None if found is None else (int(found[1]), int(found[2]), int(found[3]))


def of_worker(text: str) -> str | None:
    """The exception in a worker of a DataLoader, as text; None where there was none."""
    return text.strip().splitlines()[-1] if "DataLoader worker" in text and "Traceback" in text else None


def dtypes_in(text: str) -> list[str]:
    """The dtypes that a message names, as torch calls them in Python, in their order."""
    found = [
        _DTYPES[word.lower()]
        for word in re.findall(r"[A-Za-z0-9]+", text.replace("Tensor", ""))
        if word.lower() in _DTYPES
    ]
    return list(dict.fromkeys(found))


def bytes_asked(text: str) -> str | None:
    """The size of the failed allocation, as the message says it."""
    found = re.search(
        r"[Tt]ried to allocate ([\d.]+) ?([KMGTP]?i?B|bytes)|Unable to allocate ([\d.]+) ([KMGTP]?i?B)", text
    )
    return None if found is None else f"{found[1] or found[3]} {found[2] or found[4]}"


def mismatched_entries(text: str) -> list[tuple[str, tuple[int, ...], tuple[int, ...]]]:
    """Entries of a checkpoint that do not fit: name, its shape there, and the model's."""
    found = re.findall(r"size mismatch for ([^:\s]+):.*?\[([\d, ]*)\].*?\[([\d, ]*)\]", text)
    return [
        (name, *(tuple(int(size) for size in re.findall(r"\d+", part)) for part in parts)) for name, *parts in found
    ]


_DTYPES = {**CASTS, **{dtype: dtype for dtype in CASTS.values()}, "char": "int8"}
