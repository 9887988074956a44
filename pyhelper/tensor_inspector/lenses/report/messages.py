"""Decides which lines of an exception's message may stand in a report: those of a known form, without data of the user.

A known form has shapes, dtypes, devices, amounts of memory, types and names of the source. Other lines are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from types import CodeType

from ..explain.trace import TraceEntry

LEFT_OUT = "(message left out: it may hold data)"
_MOST = 40  #: lines of a message, and frames that names are looked up in

_DTYPE = (
    r"(?:(?:c10|at)::|torch\.(?:cuda\.)?)?(?i:Bool|Byte|Char|U?Int(?:8|16|32|64)?|Short|Long(?: int)?|Half|Double"
    r"|Float(?:16|32|64|8_\w+)?|BFloat16|Complex(?:Half|Float|Double|32|64|128)?|unsigned char|signed char)"
    r"(?:Tensor)?"
)
_AMOUNT = r"[\d.]+ ?(?:[KMGTP]?i?B|bytes)"
#: What a form has in angle brackets. A ``value`` is left out of a report; a ``source`` is a name in the program's code.
_PIECES = {
    "n": r"-?\d+",
    "sizes": r"(?:torch\.Size\(\[[\d, ]*\]\)|[\[(][\d, ]*[\])]|\d+(?:x\d+)+)",
    "dtype": _DTYPE,
    "device": r"(?:cpu|cuda|mps|xpu|hpu|xla|meta)(?::\d+)?",
    "amount": _AMOUNT,
    "type": r"[A-Za-z_][\w.]*",
    "source": r"(?P<source>[A-Za-z_][\w.]*)",
    "keys": r'"[A-Za-z_][\w.]*"(?:, "[A-Za-z_][\w.]*")*',
    "parameters": r"'\w+'(?:, '\w+')*(?:,? and '\w+')?",
    "argument": r"\w+",
    "op": r"[-+*/%@&|^<>=]+(?: or pow\(\))?",
    "value": r"(?P<value>.+?)",
    "checked": r"(?: \(when checking (?:argument|all arguments)(?: for argument \w+)?"
    r"(?: (?:in|for)(?: method)? \w+)?\))?",
    "s": "s?",
}

_FORMS = (
    # shapes
    "mat1 and mat2 shapes cannot be multiplied (<sizes> and <sizes>)",
    "size mismatch, got input (<n>), mat (<n>x<n>), vec (<n>)",
    "The size of tensor a (<n>) must match the size of tensor b (<n>) at non-singleton dimension <n>",
    "The expanded size of the tensor (<n>) must match the existing size (<n>) at non-singleton dimension <n>."
    "  Target sizes: <sizes>.  Tensor sizes: <sizes>",
    "Expected size for first two dimensions of batch2 tensor to be: <sizes> but got: <sizes>.",
    "Sizes of tensors must match except in dimension <n>. Expected size <n> but got size <n> for tensor number <n>"
    " in the list.",
    "stack expects each tensor to be equal size, but got <sizes> at entry <n> and <sizes> at entry <n>",
    "shape '<sizes>' is invalid for input of size <n>",
    "Given groups=<n>, weight of size <sizes>, expected input<sizes> to have <n> channel<s>, but got <n> channel<s>"
    " instead",
    "Given normalized_shape=<sizes>, expected input with shape [*, <n>], but got input of size<sizes>",
    "running_mean should contain <n> elements not <n>",
    "Expected <n>D (unbatched) or <n>D (batched) input to conv<n>d, but got input of size: <sizes>",
    "expected <n>D or <n>D input (got <n>D input)",
    "expected <n>D input (got <n>D input)",
    "Expected input batch_size (<n>) to match target batch_size (<n>).",
    "Expected target size <sizes>, got <sizes>",
    "Expected more than 1 value per channel when training, got input size <sizes>",
    "input.size(-1) must be equal to input_size. Expected <n>, got <n>",
    "Target size (<sizes>) must be the same as input size (<sizes>)",
    "Using a target size (<sizes>) that is different to the input size (<sizes>) is deprecated. Please ensure they have"
    " the same size.",
    "Dimension out of range (expected to be in range of [<n>, <n>], but got <n>)",
    "number of dims don't match in permute",
    "The shape of the mask <sizes> at index <n> does not match the shape of the indexed tensor <sizes> at index <n>",
    "a Tensor with <n> elements cannot be converted to Scalar",
    "too many indices for tensor of dimension <n>",
    "operands could not be broadcast together with shapes <sizes> <sizes>",
    "shapes <sizes> and <sizes> not aligned: <n> (dim <n>) != <n> (dim <n>)",
    "cannot reshape array of size <n> into shape <sizes>",
    # dtypes
    "mat1 and mat2 must have the same dtype, but got <dtype> and <dtype>",
    "mat1 and mat2 must have the same dtype",
    "expected m1 and m2 to have the same dtype, but got: <dtype> != <dtype>",
    "expected scalar type <dtype> but found <dtype>",
    "Found dtype <dtype> but expected <dtype>",
    "result type <dtype> can't be cast to the desired output type <dtype>",
    "Input type (<dtype>) and <argument> type (<dtype>) should be the same",
    "Input type (<dtype>) and weight type (<dtype>) should be the same or input should be a MKLDNN tensor and weight is"
    " a dense tensor",
    "tensors used as indices must be long, int, byte or bool tensors",
    '"<argument>" not implemented for \'<dtype>\'',
    "Expected tensor for argument #<n> '<argument>' to have one of the following scalar types: <dtype>, <dtype>; but"
    " got <dtype> instead<checked>",
    "Only Tensors of floating point and complex dtype can require gradients",
    # devices
    "Expected all tensors to be on the same device, but found at least two devices, <device> and <device>!<checked>",
    "Expected all tensors to be on the same device, but got <argument> is on <device>, different from other tensors on"
    " <device><checked>",
    "can't convert <device> device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",
    "Torch not compiled with CUDA enabled",
    "CUDA error: device-side assert triggered",
    "CUDA error: out of memory",
    "CUDA error: an illegal memory access was encountered",
    "CUDA error: invalid device ordinal",
    "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be"
    " incorrect.",
    # gradients
    "element <n> of tensors does not require grad and does not have a grad_fn",
    "grad can be implicitly created only for scalar outputs",
    "a leaf Variable that requires grad is being used in an in-place operation.",
    "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
    "optimizer got an empty parameter list",
    "can't optimize a non-leaf Tensor",
    "Boolean value of Tensor with more than one value is ambiguous",
    # values, which are not told
    "index <value> is out of bounds for dimension <n> with size <n>",
    "index <value> is out of bounds for axis <n> with size <n>",
    "Target <value> is out of bounds.",
    "index out of range in self",
    "Expected parameter <argument> (Tensor of shape <sizes>) of distribution <value> but found invalid values:",
    "Expected value argument (Tensor of shape <sizes>) <value> but found invalid values:",
    "invalid literal for int() with base <n>: <value>",
    "could not convert string to float: <value>",
    # state dicts
    "Error(s) in loading state_dict for <type>:",
    "Missing key(s) in state_dict: <keys>.",
    "size mismatch for <type>: copying a param with shape <sizes> from checkpoint, the shape in current model is"
    " <sizes>.",
    # other processes
    "Caught <type> in DataLoader worker process <n>.",
    "Caught <type> in pin memory thread for device <n>.",
    "Caught <type> in replica <n> on device <n>.",
    # the interpreter
    "division by zero", "float division by zero", "integer division or modulo by zero", "integer modulo by zero",
    "list index out of range", "tuple index out of range", "string index out of range", "pop from empty list",
    "list assignment index out of range", "max() arg is an empty sequence", "min() arg is an empty sequence",
    "math domain error", "maximum recursion depth exceeded", "dictionary changed size during iteration",
    "not enough values to unpack (expected <n>, got <n>)", "too many values to unpack (expected <n>)",
    "too many values to unpack (expected <n>, got <n>)", "cannot unpack non-iterable <type> object",
    "'<type>' object is not callable", "'<type>' object is not iterable", "'<type>' object is not subscriptable",
    "'<type>' object does not support item assignment", "object of type '<type>' has no len()",
    "unsupported operand type(s) for <op>: '<type>' and '<type>'",
    "list indices must be integers or slices, not <type>", "tuple indices must be integers or slices, not <type>",
    "'<type>' object has no attribute '<source>'", "module '<type>' has no attribute '<source>'",
    "name '<source>' is not defined", "No module named '<source>'",
    "cannot access local variable '<source>' where it is not associated with a value",
    "<type>() missing <n> required positional argument<s>: <parameters>",
    "<type>() missing <n> required keyword-only argument<s>: <parameters>",
    "<type>() takes <n> positional argument<s> but <n> were given",
    "<type>() takes from <n> to <n> positional arguments but <n> were given",
    "<type>() got an unexpected keyword argument '<source>'",
)  # fmt: skip


def _pattern(form: str) -> str:
    parts = re.split(r"<(\w+)>", form)
    return "".join(f"(?:{_PIECES[part]})" if at % 2 else re.escape(part) for at, part in enumerate(parts))


_OUT_OF_MEMORY = (
    rf"(?:CUDA|HIP|XPU) out of memory\. Tried to allocate {_AMOUNT}\."
    rf"(?: GPU \d+ has a total capacity of {_AMOUNT} of which {_AMOUNT} is free\."
    rf"| Process \d+ has {_AMOUNT} memory in use\."
    rf"| Including non-PyTorch memory, this process has {_AMOUNT} memory in use\."
    rf"| Of the allocated memory {_AMOUNT} is allocated by PyTorch, and {_AMOUNT} is reserved by PyTorch but"
    r" unallocated\.)*"
    r"(?: If reserved but unallocated memory is large try setting PYTORCH_\w+=expandable_segments:True to avoid"
    r" fragmentation\. +See documentation for Memory Management +\(https://[a-z./#-]+\))?"
)
_PATTERNS = [re.compile(pattern) for pattern in (*map(_pattern, _FORMS), _OUT_OF_MEMORY)]


def without_data(text: str, trace: list[TraceEntry]) -> str:
    """The lines of a message that are of a known form; ``…`` is what was left out."""
    lines = text.strip().splitlines()[:_MOST]
    names = _names(entry.frame.f_code for entry in trace[-_MOST:])
    shown = [_known(line.strip(), names) for line in lines]
    if not shown or shown[0] is None:
        return LEFT_OUT if shown else ""
    rest = [line or "…" for line in shown[1:]]
    return "\n".join([shown[0], *(line for at, line in enumerate(rest) if line != "…" or rest[at - 1 : at] != ["…"])])


def _known(line: str, names: set[str]) -> str | None:
    for pattern in _PATTERNS:
        found = pattern.fullmatch(line)
        if found is None:
            continue
        groups = found.groupdict()
        if groups.get("source", "") and groups["source"] not in names:
            return None
        start, end = found.span("value") if "value" in groups else (0, 0)
        return f"{line[:start]}…{line[end:]}" if end else line
    return None


def _names(codes: Iterable[CodeType]) -> set[str]:
    """What the source names: variables, attributes, modules, and the keywords of calls.

    Code that stands in no file may have been made of data, as by ``eval``.
    """
    found: set[str] = set()
    for code in codes:
        if code.co_filename.startswith("<"):
            continue
        found.update(code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        for constant in code.co_consts:
            if type(constant) is tuple:
                found.update(name for name in constant if type(name) is str)
    return found
