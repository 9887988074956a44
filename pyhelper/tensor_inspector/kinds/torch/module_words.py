"""Puts a module into words: the sizes that its class was given, and what was counted of it.

Where the count is not complete, an amount is a lower bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...measure.torch.digest import Digest
from ...words.line import Word
from ...words.text import count, integer, listed, plural, shorten_middle

_SHORT_HEAD = 14  #: characters of a class in short: the mode and the gradients stand beside it in 300 pixels


def sizes(attrs: dict[str, Any], zero: str) -> str:
    """The arguments by which layers of one class differ, from the attributes in which torch's layers keep them.

    ``zero`` stands for a size of 0, which means "not known yet" in a lazy layer.
    """

    def between_sizes(*names: str, between: str = " → ") -> str | None:
        if names[0] not in attrs:
            return None
        found = [attrs.get(name) for name in names]
        texts = [zero if type(size) is int and size == 0 else _size(size) for size in found]
        return between.join(texts) if all(texts) else None  # type: ignore[arg-type]

    channels, kernel = between_sizes("in_channels", "out_channels"), _size(attrs.get("kernel_size"), "×")
    if channels and kernel:
        return f"({channels}, {kernel})"
    recurrent, layers = between_sizes("input_size", "hidden_size"), attrs.get("num_layers")
    if recurrent and type(layers) is int and layers > 1:
        return f"({recurrent}, {layers} layers)"
    attention = between_sizes("embed_dim", "num_heads", between=", ")
    if attention:
        return f"({attention} heads)"
    dropped = attrs.get("p")
    if type(dropped) is float and "inplace" in attrs:
        return f"(p {dropped})"
    text = (
        between_sizes("in_features", "out_features")
        or between_sizes("num_embeddings", "embedding_dim", between=" × ")
        or recurrent
        or between_sizes("num_features")
        or between_sizes("num_groups", "num_channels", between=" groups, ")
        or between_sizes("normalized_shape")
        or kernel
    )
    bits = _bits(attrs)
    return f"({text}, {bits}-bit)" if text and bits else f"({text})" if text else ""


def _bits(attrs: dict[str, Any]) -> int | None:
    """How many bits a weight takes in a layer whose weights were quantized, by what libraries call that."""
    meta = attrs.get("meta")
    places = (attrs, meta) if type(meta) is dict else (attrs,)
    found = (place.get(name) for place in places for name in ("nbits", "bits", "w_bit", "wbits"))
    return next((bits for bits in found if type(bits) is int and 0 < bits < 16), None)


def has_sizes(attrs: dict[str, Any]) -> bool:
    """Whether a module without parameters has sizes beside its class: a pooling, a dropout, a norm."""
    return any(name in attrs for name in _SIZES) or (type(attrs.get("p")) is float and "inplace" in attrs)


_SIZES = ("kernel_size", "num_features", "num_channels", "normalized_shape", "in_features")


def _size(value: object, between: str = ", ") -> str | None:
    """A size, or a tuple of sizes, as text; None for all else."""
    if type(value) is int:
        return integer(value)
    if type(value) is tuple and value and all(type(side) is int for side in value):
        return between.join(map(integer, value[:6]))
    return None


def head_words(head: str) -> list[Word]:
    """The class with its sizes, first; in short the class alone, and long sizes after the mode and the gradients.

    >>> [word.short for word in head_words("Linear(784 → 128)")], [word.short for word in head_words("ReLU")]
    (['Linear', '784 → 128'], ['ReLU'])
    """
    if len(head) <= _SHORT_HEAD:
        return [Word(head, early=True)]
    name, bracket, sizes = head.partition("(")
    first = Word(head, shorten_middle(name, _SHORT_HEAD), early=True)
    return [first, Word("", sizes.removesuffix(")"))] if bracket else [first]


def at_least(found: Digest, amount: str) -> str:
    """A count of its parts."""
    return amount if found.complete else f"≥{amount}"


def elements_words(found: Digest, elements: int, how: Callable[[int], str] = "{:,}".format) -> str:
    """A number of elements; a symbol stands for some that are not counted."""
    return how(elements) if found.is_counted() else f"≥{how(elements)}"


def parameter_words(found: Digest) -> str | None:
    """``5.1K params``"""
    if not found.elements:
        if found.computed:
            return "params of unknown size"
        return "params of symbolic size" if found.symbolic else None
    return f"{elements_words(found, found.elements, count)} param{'' if found.elements == 1 else 's'}"


def cut_words(found: Digest) -> str | None:
    """How far the walk came."""
    if found.complete:
        return None
    return f"first {plural(found.submodules + 1, 'module')} and {plural(len(found.tensors), 'tensor')}: time budget"


def mode_words(found: Digest) -> Word | None:
    """``train``, or ``eval, 2 inside in train``; None of what keeps no mode."""
    if found.training is None:
        return None
    word, other = ("train", "eval") if found.training else ("eval", "train")
    inside = at_least(found, str(found.others))
    return Word(f"{word}, {inside} inside in {other}" if found.others else word, early=True)


def uninitialized_words(found: Digest) -> str | None:
    if not found.uninitialized:
        return None
    return f"{at_least(found, plural(found.uninitialized, 'parameter'))} uninitialized"


def frozen_words(found: Digest) -> Word | None:
    if not found.frozen:
        return None
    if found.complete and found.frozen == found.parameters:
        return Word("frozen", early=True)
    return Word(f"{at_least(found, str(found.frozen))} of {at_least(found, str(found.parameters))} frozen", early=True)


def grad_words(found: Digest) -> Word | None:
    if not found.wanting:
        return None
    if not found.without_grad:
        return Word("has grads" if found.complete else f"≥{found.with_grad} have grads", early=True)
    if found.complete and not found.with_grad:
        return Word("grads None", early=True)
    missing = f"{at_least(found, str(found.without_grad))} of {at_least(found, str(found.wanting))} grads None"
    return Word(missing, loud=found.with_grad > 0)


def device_words(found: Digest) -> str:
    devices = found.devices()
    return listed((device for device in devices if device != "cpu" or len(devices) > 1), not found.complete, 40)


def digest_rows(found: Digest) -> list[list[str]]:
    """All that was counted, as labels and texts."""
    more = [] if found.complete else ["…"]
    cut, shared = cut_words(found), f"{at_least(found, plural(found.shared, 'parameter'))} met again"
    tensors = at_least(found, plural(found.parameters, "tensor"))
    return [
        *([["counted", cut]] if cut is not None else []),
        ["parameters", f"{elements_words(found, found.elements)} in {tensors}"],
        ["trainable", elements_words(found, found.trainable)],
        *([["shared", shared]] if found.shared else []),
        ["devices", ", ".join([*found.devices(), *more]) or "none"],
        ["dtypes", ", ".join([*found.dtypes(), *more]) or "none"],
        ["submodules", at_least(found, f"{found.submodules:,}")],
        ["mode", str(mode_words(found) or "none")],
        ["gradients", str(grad_words(found) or "not wanted")],
    ]
