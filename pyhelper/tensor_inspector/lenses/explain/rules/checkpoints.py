"""Why a state_dict could not be loaded into a model or an optimizer."""

from __future__ import annotations

from typing import Any

from ....measure.torch.modules import is_module
from ....safe.guard import dict_get, each, instance_dict
from ....words.text import listed, plural, shape
from ...findings.finding import Violation
from ...step.expressions import is_name, shown_text, text_of
from ..error_context import ErrorContext
from ..errors import mismatched_entries, names_in
from ..operand import operand
from ..trace import TraceEntry
from ..values import keys_of, nearest, value_words

_SHOWN = 4
#: What wraps a model, by the prefix that it puts before each name.
_WRAPPERS = {
    "module.": "DataParallel or DistributedDataParallel",
    "_orig_mod.": "torch.compile",
    "_forward_module.": "Fabric",
}


def state_dict_mismatch(context: ErrorContext) -> Violation:
    if "loaded state dict" in context.message:
        return _of_optimizer(context)
    if "dict-like" in context.message:
        return _of_object(context)
    missing = names_in(context.message, "Missing key(s) in state_dict:")
    unexpected = names_in(context.message, "Unexpected key(s) in state_dict:")
    sizes = mismatched_entries(context.message)
    if not missing and not unexpected and not sizes:
        return context.quoted([])
    name, model = _state(context), _model(context)
    found = _prefixed(context, name, model, missing, unexpected) or _nested(context, name, missing, unexpected)
    return found or _differing(context, name, model, missing, unexpected, sizes)


def _of_object(context: ErrorContext) -> Violation:
    """A whole module, as ``torch.load`` gives one that was saved whole, or a path."""
    for text, value in list(context.written())[1:2]:
        fit = f"{text}.state_dict()" if is_module(value) else "torch.load(…) of it"
        return context.found(
            (f"{text} is {value_words(value)}", ", ", "not a state_dict"), (text, value_words(value)), suggestion=fit
        )
    return context.quoted([])


def _state(context: ErrorContext) -> str:
    """How the failing line writes the state that it loads."""
    given = (
        []
        if context.call is None
        else [*context.call.args, *(word.value for word in context.call.keywords if word.arg == "state_dict")]
    )
    return shown_text(given[0]) if given and is_name(given[0]) else "the state_dict"


def _model(context: ErrorContext) -> str:
    known = None if context.call is None else getattr(context.call.func, "value", None)
    return text_of(known) if known is not None and is_name(known) else "the model"


def _loading(context: ErrorContext) -> TraceEntry | None:
    """The frame of ``load_state_dict``."""
    return next((one for one in context.library.frames if one.function == "load_state_dict"), None)


def _value(context: ErrorContext) -> Any:
    """The state that is loaded."""
    entry = _loading(context)
    return None if entry is None else entry.arguments().get("state_dict")


def _prefixed(
    context: ErrorContext, name: str, model: str, missing: list[str], unexpected: list[str]
) -> Violation | None:
    """Names that differ only by a prefix."""
    prefix = _prefix(unexpected, missing)
    if prefix:
        by = f", as {_WRAPPERS[prefix]} saves them" if prefix in _WRAPPERS else ""
        others = "" if _all_begin(unexpected, prefix) else f' if key.startswith("{prefix}")'
        amount = sum(key.startswith(prefix) for key in unexpected)
        title = (f'{plural(amount, "key")} of {name} begin with "{prefix}"{by}', ", ", f"the names in {model} do not")
        fit = f'{{key[{len(prefix)}:]: value for key, value in {name}.items(){others}}}  # without "{prefix}"'
        return context.found(title, *_pairs(unexpected, [prefix + one for one in missing], prefix), suggestion=fit)
    prefix = _prefix(missing, unexpected)
    if not prefix:
        return None
    by = f", a {_WRAPPERS[prefix]} model," if prefix in _WRAPPERS else ""
    title = (
        f'the names in {model}{by} begin with "{prefix}"',
        ", ",
        f"the {plural(len(unexpected), 'key')} of {name} do not",
    )
    inside = f"{model}.{prefix[:-1]}.load_state_dict({name})"
    return context.found(title, *_pairs([prefix + one for one in unexpected], missing, prefix), suggestion=inside)


def _pairs(there: list[str], here: list[str], prefix: str) -> list[tuple[str | None, str]]:
    both = [one for one in there if one in here]
    return [(one[len(prefix) :], f'"{one}" with the prefix') for one in both[:_SHOWN]]


def _prefix(longer: list[str], shorter: list[str]) -> str:
    """What stands before names so that they are the others: before all of them, or before each that is wanted."""
    for known in shorter[:1]:
        for one in longer:
            prefix = one[: -len(known)] if one.endswith(known) else ""
            wanted = {prefix + name for name in shorter}
            if prefix.endswith(".") and (
                wanted <= set(longer) or (wanted & set(longer) and _all_begin(longer, prefix))
            ):
                return prefix
    return ""


def _all_begin(names: list[str], prefix: str) -> bool:
    return all(name.startswith(prefix) for name in names)


def _nested(context: ErrorContext, name: str, missing: list[str], unexpected: list[str]) -> Violation | None:
    """A checkpoint with the model's state under one of its keys."""
    state = _value(context)
    if not issubclass(type(state), dict) or not missing:
        return None
    for key in unexpected:
        inside = dict_get(state, key)
        if issubclass(type(inside), dict) and set(missing) & set(each(dict.keys, inside)):
            title = (
                f"{name} is a checkpoint of {listed([repr(one) for one in keys_of(state)], False, 60)}",
                ": ",
                f'the parameters stand under "{key}"',
            )
            return context.found(title, (f'{name}["{key}"]', value_words(inside)), suggestion=f'{name}["{key}"]')
    return None


def _differing(
    context: ErrorContext, name: str, model: str, missing: list[str], unexpected: list[str], sizes: list[Any]
) -> Violation:
    """Names that only one of the two has, and shapes that differ."""
    state = _value(context)
    parts, facts = [], []
    for key in missing[:_SHOWN]:
        near = nearest(key, unexpected)
        facts.append((key, f"in {model}, not in {name}" + (f": there is {near} in it" if near is not None else "")))
    for key in unexpected[:_SHOWN]:
        known = operand(key, dict_get(state, key)) if issubclass(type(state), dict) else None
        facts.append((key, f"in {name}, not in {model}" + (f": {known.fact}" if known is not None else "")))
    if missing:
        parts.append(f"{name} has no {listed(missing[:_SHOWN], len(missing) > _SHOWN, 60)}")
    if unexpected:
        whose = "it has " if missing else f"{name} has "
        parts.append(f"{whose}{listed(unexpected[:_SHOWN], len(unexpected) > _SHOWN, 60)}, which {model} does not have")
    for key, there, here in sizes[:_SHOWN]:
        facts.append((key, f"{shape(there)} in the checkpoint, {shape(here)} in the model"))
    if sizes:
        parts.append(f"{sizes[0][0]} is {shape(sizes[0][1])} in the checkpoint and {shape(sizes[0][2])} in the model")
    fit = "build the model that was saved, or strict=False to load the rest"
    title = (parts[0], "; ", "; ".join(parts[1:])) if len(parts) > 1 else parts[0]
    return context.found(title, *facts, suggestion=fit)


def _of_optimizer(context: ErrorContext) -> Violation:
    """The parameter groups of an optimizer, compared with the saved ones."""
    entry = _loading(context)
    there = _sizes(dict_get(_value(context), "param_groups")) if issubclass(type(_value(context)), dict) else []
    here = _sizes(instance_dict(entry.variables.get("self")).get("param_groups")) if entry is not None else []
    model, name = _model(context), _state(context)
    words = [f"{plural(len(sizes), 'group')} of {', '.join(map(str, sizes))} parameters" for sizes in (there, here)]
    title = (f"{name} has {words[0]}", ", ", f"but {model} has {words[1]}")
    fit = "build the same model and groups before, in the same order"
    return context.found(title, (name, words[0]), (model, words[1]), suggestion=fit)


def _sizes(groups: Any) -> list[int]:
    """How many parameters each group has."""
    if type(groups) is not list:
        return []
    found = [dict_get(group, "params") for group in groups if issubclass(type(group), dict)]
    return [len(params) for params in found if type(params) is list]
