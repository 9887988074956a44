"""Why a call failed: wrong arguments, or a module without ``super().__init__()``."""

from __future__ import annotations

import ast
from itertools import takewhile
from types import CodeType, FunctionType
from typing import Any

from ....measure.torch.modules import is_module
from ....safe.guard import Classes, class_dict, class_name, library_of, module, mro, plain_str, top_package
from ....words.text import integer, listed, plural, quoted
from ...findings.finding import Title, Violation
from ...step.classes import is_library
from ...step.expressions import last_name
from ..error_context import ErrorContext
from ..errors import argument_not_taken, arguments_missing
from ..operand import UNKNOWN, in_title
from ..values import nearest, value_words

_PLAIN = Classes(bool, float)
_CALLED = ("_wrapped_call_impl", "_call_impl")
_VARIABLE, _KEYWORDS = 4, 8  #: flags of code that takes ``*args`` and ``**kwargs``


class Signature:
    """The parameters of a function without its object: their names, those that have a value if they are not given.

    ``positional`` of them can be given by their place, the others by their name only.
    """

    __slots__ = ("code", "function", "names", "optional", "positional", "title")

    def __init__(self, function: FunctionType, title: str, *, is_method: bool) -> None:
        code = function.__code__
        positional = list(code.co_varnames[: code.co_argcount])
        keyword_only = list(code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])
        defaults = function.__defaults__ or ()
        self.code: CodeType = code
        self.function = function
        self.title = title
        self.names = [*positional[int(is_method) :], *keyword_only]
        self.positional = len(self.names) - len(keyword_only)
        self.optional = {
            **dict(zip(positional[len(positional) - len(defaults) :], defaults)),
            **(function.__kwdefaults__ or {}),
        }

    @property
    def text(self) -> str:
        """``Net.forward(x, mask=None)``"""
        parts = [name if name not in self.optional else f"{name}={_shown(self.optional[name])}" for name in self.names]
        if self.code.co_flags & _VARIABLE:
            parts.insert(self.positional, "*…")
        elif self.positional < len(parts):
            parts.insert(self.positional, "*")
        if self.code.co_flags & _KEYWORDS:
            parts.append("**…")
        return f"{self.title}({listed(parts, False, 90)})"


def wrong_arguments(context: ErrorContext) -> Violation | None:
    call = _call(context)
    signature = None if call is None else _signature(context, call)
    if call is None or signature is None:
        return None
    what = in_title(call.func)
    signature_fact = (what, signature.text)
    unknown = argument_not_taken(context.message)
    if unknown is not None:
        given = next((word.value for word in call.keywords if word.arg == unknown), None)
        near = nearest(unknown, signature.names)
        fact = (unknown, _words(context, given)) if given is not None else None
        title = (f"{signature.title} has no argument {unknown}", ": ", f"it takes {_listed(signature.names)}")
        fit = f"{near}={in_title(given)}" if near is not None and given is not None else near or ""
        return context.found(title, signature_fact, fact, suggestion=fit)
    missing = arguments_missing(context.message)
    if missing:
        title = (f"{what}(…) gives no {_listed(missing)}", ", ", f"which {signature.text} wants")
        return context.found(title, signature_fact, suggestion=f"give {_listed(missing)} in the call")
    if (
        call.keywords
        or any(isinstance(one, ast.Starred) for one in call.args)
        or len(call.args) <= signature.positional
    ):
        return None
    by = " by place" if signature.positional < len(signature.names) else ""
    title = (
        f"{signature.text} takes {plural(signature.positional, 'argument')}{by}",
        ", ",
        f"{len(call.args)} are given",
    )
    facts = [(in_title(one), _words(context, one)) for one in call.args]
    return context.found(title, signature_fact, *facts)


def _call(context: ErrorContext) -> ast.Call | None:
    """The call that failed; else the only one in the line with such a keyword, or of such a name."""
    if context.call is not None:
        return context.call
    unknown, calls = argument_not_taken(context.message), list(context.failing.calls())
    if unknown is not None:
        calls = [call for call in calls if any(word.arg == unknown for word in call.keywords)]
    else:
        calls = [call for call in calls if last_name(call.func) in context.message]
    return calls[0] if len(calls) == 1 else None


def _signature(context: ErrorContext, call: ast.Call) -> Signature | None:
    """The function that refused the call: the forward of the running module, else the one that the line calls."""
    running = context.trace[-1]
    if running.function in _CALLED and running.is_of_library():
        return _signature_of(type(running.variables.get("self")), "forward")
    called = context.failing.reader.value(call.func)
    if called is None or called is UNKNOWN:
        return None
    if is_module(called):
        return _signature_of(type(called), "forward")
    if issubclass(type(called), type):
        torch: Any = module("torch")
        is_known = issubclass(called, (torch.nn.Module, torch.optim.Optimizer)) or library_of(called) == "torch"
        return _signature_of(called, "__init__") if is_known else None
    if type(called) is FunctionType and top_package(plain_str(called.__module__)) == "torch":
        return Signature(called, called.__name__, is_method=False)
    return None


def _signature_of(cls: type, name: str) -> Signature | None:
    method = next((class_dict(base)[name] for base in mro(cls) if name in class_dict(base)), None)
    title = f"{class_name(cls)}.forward" if name == "forward" else class_name(cls)
    return Signature(method, title, is_method=True) if type(method) is FunctionType else None


def _shown(value: Any) -> str:
    if type(value) is int:
        return integer(value)
    if type(value) is str:
        return quoted(value, 20)
    return repr(value) if value is None or type(value) in _PLAIN else "…"


def _words(context: ErrorContext, node: ast.AST | None) -> str:
    value = context.failing.reader.read(node)
    return "given here" if value is UNKNOWN else value_words(value)


def _listed(names: list[str]) -> str:
    return listed(names, False, 60) if names else "nothing"


# Modules without super().__init__()


def init_not_called(context: ErrorContext) -> Violation | None:
    """``_modules``, ``_parameters`` and the like are made by ``nn.Module.__init__``: without it there are none."""
    owners = [entry.variables.get("self") for entry in reversed(context.trace[context.at + 1 :])]
    value = next((one for one in owners if one is not None and is_module(one)), None)
    if value is None:
        return None
    name = class_name(type(value))
    text = context.names.of(value) or next(
        (key for key, keyword_only in context.here.variables.items() if keyword_only is value), name
    )
    on_the_way = takewhile(lambda base: base is not module("torch").nn.Module, mro(type(value)))
    forgetting = next(filter(_forgets, on_the_way), None)
    where = f"{class_name(forgetting or type(value))}.__init__"
    is_running = any(entry.function == "__init__" and entry.variables.get("self") is value for entry in context.trace)
    if forgetting is None and not is_running:
        title: Title = (f"{text} lacks what nn.Module.__init__ makes", ": ", "it can hold no layers or parameters")
        fit = f"make it by {name}(…), which calls __init__"
    elif forgetting is None:
        title = f"{where} uses {text} as a module before it calls super().__init__()"
        fit = f"call super().__init__() first in {where}"
    else:
        title = (
            f"{where} never calls super().__init__()",
            ", ",
            f"so {text} can hold no layers or parameters, nor be called",
        )
        fit = f"super().__init__() as the first line of {where}"
    return Violation(title, (text, f"{name}, without what nn.Module.__init__ makes"), line=context.line, suggestion=fit)


def _forgets(cls: type) -> bool:
    """Whether a class of the program has an ``__init__``, and no function that calls another one."""
    functions = {name: item for name, item in class_dict(cls).items() if type(item) is FunctionType}
    if is_library(cls) or "__init__" not in functions:
        return False
    return not any("__init__" in function.__code__.co_names for function in functions.values())
