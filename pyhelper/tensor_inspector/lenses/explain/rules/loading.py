"""A file that ``torch.load`` refuses, since it holds other objects than tensors and plain containers."""

from __future__ import annotations

from typing import Any

from ....safe.guard import dict_get, instance_dict, module
from ...findings.finding import Violation
from ..error_context import ErrorContext
from ..errors import classes_refused, reason_of_refusal, short_message
from ..operand import in_title


def unsafe_load(context: ErrorContext) -> Violation:
    """The classes that the message names; a whole model where one of them is a module's."""
    refused = classes_refused(context.message)
    given = context.call.args[0] if context.call is not None and context.call.args else None
    what = "the file" if given is None else in_title(given)
    if not refused:
        title = (f"{what} was not read", ": ", reason_of_refusal(context.message) or short_message(context.message))
        fit = "look at its first bytes: it may be no checkpoint. Only if you trust where it comes from: weights_only=False"
        return context.found(title, (what, "not read by torch.load"), suggestion=fit)
    content = f"an object of {refused[0]}"
    title = (f"{what} holds {content}", ": ", "torch.load makes only tensors, numbers, texts and containers of them")
    allow = "weights_only=False, if you trust where the file comes from: such a file can run code as it is loaded"
    if any(_is_model(name) for name in refused):
        allow += "; better save model.state_dict(), and load_state_dict that"
    return context.found(title, (what, f"holds {content}"), suggestion=allow)


def _is_model(name: str) -> bool:
    """Whether a name is that of a class of modules that the program has loaded."""
    home, _, last = name.rpartition(".")
    found: Any = dict_get(instance_dict(module(home)), last) if module(home) is not None else None
    torch: Any = module("torch")
    return issubclass(type(found), type) and issubclass(found, torch.nn.Module)
