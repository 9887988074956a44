"""Arrays, files and models of libraries beside torch and numpy, by their shape and dtype."""

from __future__ import annotations

from typing import Any

from .specimen import Specimen, Zoo

TRANSFORMERS = ("torch", "transformers.cache_utils.DynamicLayer")


def cache(tokens: int = 5, value: float = 1.0, last: int | None = None) -> Any:
    import torch
    from transformers import DynamicCache

    found = DynamicCache()
    for layer in range(3):
        length = tokens if last is None or layer < 2 else last
        found.update(torch.full((1, 12, length, 64), value), torch.ones(1, 12, length, 64), layer)
    return found


def fixed_cache(tokens: int, value: float = 1.0) -> Any:
    import torch
    from transformers import GPT2Config, StaticCache

    found = StaticCache(config=GPT2Config(n_layer=2, n_embd=32, n_head=4), max_cache_len=16)
    if tokens:
        for layer in range(2):
            found.update(torch.full((1, 4, tokens, 8), value), torch.ones(1, 4, tokens, 8), layer)
    return found


def old_cache(tokens: int) -> Any:
    """A cache as transformers kept it before there were objects for layers."""
    import torch
    from transformers import DynamicCache

    found = DynamicCache()
    found.__dict__.clear()
    found.__dict__["key_cache"] = [torch.ones(1, 12, tokens, 64) for _ in range(3)]
    found.__dict__["value_cache"] = [torch.ones(1, 12, tokens, 64) for _ in range(3)]
    return found


def two_caches(tokens: int) -> Any:
    from transformers import DynamicCache, EncoderDecoderCache

    return EncoderDecoderCache(cache(tokens), DynamicCache())


def pairs(value: float) -> Any:
    import torch

    return tuple((torch.full((1, 12, 5, 64), value), torch.ones(1, 12, 5, 64)) for _ in range(3))


CACHES: Zoo = {
    "cache": Specimen(cache, says=("DynamicCache · 3 layers × 5 tokens · float32[1, 12, 5, 64]",), needs=TRANSFORMERS, changed=lambda: cache(value=2)),
    "cache with NaN": Specimen(lambda: cache(value=float("nan")), says=("DynamicCache · NaN in layers[0].keys, layers[1].keys and 1 more · 3 layers",), needs=TRANSFORMERS, changed=cache),
    "cache of unlike layers": Specimen(lambda: cache(last=4), says=("3 layers × 4…5 tokens · float32[1, 12, 5, 64] · 1 other shape",), needs=TRANSFORMERS, changed=cache),
    "cache of old": Specimen(lambda: old_cache(5), says=("DynamicCache · 3 layers × 5 tokens · float32[1, 12, 5, 64]",), needs=TRANSFORMERS, changed=lambda: old_cache(6)),
    "static cache": Specimen(lambda: fixed_cache(5), says=("StaticCache · 2 layers × 5 of 16 tokens · float32[1, 4, 16, 8]",), needs=TRANSFORMERS, changed=lambda: fixed_cache(5, 2)),
    "static cache, empty": Specimen(lambda: fixed_cache(0), says=("StaticCache · 2 layers, empty",), needs=TRANSFORMERS, changed=lambda: fixed_cache(1)),
    "two caches": Specimen(lambda: two_caches(5), says=("EncoderDecoderCache · self-attention 3 layers × 5 tokens · float32[1, 12, 5, 64]", "cross-attention empty"), needs=TRANSFORMERS, changed=lambda: two_caches(6)),
    "keys and values in tuples": Specimen(lambda: pairs(1.0), says=("tuple · 3: (tuple of 2 f32[1,12,5,64]) ×3",), needs=("torch",), changed=lambda: pairs(2.0)),
}  # fmt: skip
SPECIMENS: Zoo = {**CACHES}
