"""transformers' caches of keys and values: how many layers and tokens, and of which shape, without their methods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any

from ...measure.stats import Unread
from ...safe.budget import Budget
from ...safe.guard import dict_get, instance_dict
from ...safe.record import Record
from ...words.line import class_word
from ...words.text import joined, plural
from ..families import by_name
from ..python.objects import PlainObject, is_listed_first
from ..registry import as_kind

_LAYERS = 1000  #: looked at
_KEPT = ("keys", "values", "_quantized_keys", "_quantized_values")
_KEPT_IN_LISTS = ("key_cache", "value_cache")  #: of a cache before there were objects for layers
_LENGTHS = ("max_cache_len", "sliding_window")  #: of what has room for so many tokens


class CacheLayer(Record):
    """One layer of a cache: its tensors by the names that reach them, its tokens, and for how many there is room."""

    tensors: list[tuple[str, Any]]
    tokens: int | None
    most: int | None


class TokenCache(PlainObject):
    """A cache of keys and values: layers × tokens, and the shape of one layer's keys."""

    def parts(self) -> Iterable[str | None]:
        return [class_word(self.type_name()), *self.warnings(), *self.cache_words(), self.memory_word()]

    def entries(self) -> Iterable[tuple[object, object]]:
        return self.all_entries()

    def all_entries(self) -> Iterator[tuple[object, object]]:
        return chain.from_iterable(layer.tensors for layer in self.layers)

    def cache_words(self) -> list[str]:
        filled = [layer for layer in self.layers if layer.tensors]
        if not filled:
            return [f"{plural(len(self.layers), 'layer')}, empty" if self.layers else "empty"]
        empty = len(self.layers) - len(filled)
        total = f"{plural(len(self.layers), 'layer')}{f' ({empty} empty)' if empty else ''}"
        heads = list(dict.fromkeys(as_kind(layer.tensors[0][1], self.budget).brief() for layer in filled))
        others = [f"{plural(len(heads) - 1, 'other shape')}"] if len(heads) > 1 else []
        tokens = _tokens_of(filled)
        return [f"{total} × {tokens}" if tokens else total, heads[0], *others]

    @cached_property
    def layers(self) -> list[CacheLayer]:
        attrs = instance_dict(self.value)
        found = dict_get(attrs, "layers")
        if type(found) is list:
            return [_layer(layer, at, self.budget) for at, layer in enumerate(found[:_LAYERS])]
        lists = [(name, dict_get(attrs, name)) for name in _KEPT_IN_LISTS]
        return _layers_of_lists([(name, kept) for name, kept in lists if type(kept) is list], _room(attrs), self.budget)


class EncoderDecoderCache(PlainObject):
    """The caches of an encoder and a decoder."""

    def parts(self) -> Iterable[str | None]:
        caches = {name: dict_get(instance_dict(self.value), f"{name}_attention_cache") for name in ("self", "cross")}
        kinds = {name: as_kind(cache, self.budget) for name, cache in caches.items()}
        told = [
            f"{name}-attention {joined(kind.cache_words())}"
            for name, kind in kinds.items()
            if isinstance(kind, TokenCache)
        ]
        return [class_word(self.type_name()), *self.warnings(), *(told or self.attribute_words())]


def _layer(layer: object, at: int, budget: Budget) -> CacheLayer:
    attrs = instance_dict(layer)
    named = ((name, dict_get(attrs, name)) for name in _KEPT)
    tensors = [(f"layers[{at}].{name}", kept) for name, kept in named if is_listed_first(kept)]
    counted, most = dict_get(attrs, "cumulative_length"), _room(attrs)
    tokens = _number(counted, budget)
    if tokens is None and most is None and tensors:
        tokens = _length(tensors[0][1], budget)
    return CacheLayer(tensors, tokens, most)


def _layers_of_lists(kept: list[tuple[str, list[Any]]], most: int | None, budget: Budget) -> list[CacheLayer]:
    longest = max((len(tensors) for _, tensors in kept), default=0)
    found = []
    for at in range(min(longest, _LAYERS)):
        here = [(f"{name}[{at}]", tensors[at]) for name, tensors in kept if at < len(tensors)]
        tensors = [(name, tensor) for name, tensor in here if is_listed_first(tensor)]
        tokens = _length(tensors[0][1], budget) if tensors and most is None else None
        found.append(CacheLayer(tensors, tokens, most))
    return found


def _room(attrs: dict[str, Any]) -> int | None:
    return next((found for name in _LENGTHS if type(found := dict_get(attrs, name)) is int), None)


def _number(value: object, budget: Budget) -> int | None:
    """An integer, also one that a tensor without dimensions holds."""
    if type(value) is int:
        return value
    reading: Any = as_kind(value, budget).reading() if is_listed_first(value) else None
    return int(reading["min"]) if reading is not None and not isinstance(reading, Unread) else None


def _length(tensor: object, budget: Budget) -> int | None:
    """The tokens of keys: the size of the dimension before the last."""
    known = as_kind(tensor, budget).comparable()
    return int(known.sizes[-2]) if known is not None and len(known.sizes) > 1 else None


def _tokens_of(layers: list[CacheLayer]) -> str:
    """The tokens in layers, from the fewest to the most, and the room for them."""
    tokens = sorted({layer.tokens for layer in layers if layer.tokens is not None})
    room = sorted({layer.most for layer in layers if layer.most is not None})
    most = "…".join(f"{amount:,}" for amount in dict.fromkeys([*room[:1], *room[-1:]]))
    if not tokens:
        return f"at most {most} tokens" if room else ""
    span = "…".join(f"{amount:,}" for amount in dict.fromkeys([tokens[0], tokens[-1]]))
    return f"{span} of {most} tokens" if room else f"{span} {'token' if tokens == [1] else 'tokens'}"


kind_for = by_name(
    {TokenCache: ("Cache", "DynamicCache", "StaticCache"), EncoderDecoderCache: ("EncoderDecoderCache",)},
    "transformers",
)
