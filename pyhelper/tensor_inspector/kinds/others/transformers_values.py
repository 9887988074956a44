"""transformers: outputs of models, encodings of tokenizers and processors, configurations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...safe.guard import class_attribute, dict_attribute, plain_str
from ...words.line import class_word
from ...words.text import listed
from ..families import by_name
from ..kind import Child, Kind
from ..python.objects import PlainObject, attributes, attributes_part
from .batches import Batch

#: The settings shown of a model's configuration, the most important first.
_TELLING = tuple(
    "hidden_size n_embd d_model num_hidden_layers n_layer num_attention_heads n_head vocab_size dtype"
    " torch_dtype".split()
)


class Output(Batch):
    """A ``ModelOutput``: its row also shows the fields that are None, which are not among its items."""

    library = "transformers"

    def fact_rows(self) -> list[list[str]]:
        empty = [child.name for child in attributes(self.value) if child.value is None]
        return [*super().fact_rows(), *([["fields None", listed(empty, False, 110)]] if empty else [])]


class Encoded(Batch):
    """A ``BatchEncoding`` or ``BatchFeature``, which keep their dict inside."""

    library = "transformers"

    def as_dict(self) -> dict[Any, Any]:
        return dict_attribute(self.value, "data")


class Config(PlainObject):
    """A configuration: the sizes of a model, or what was set."""

    def parts(self) -> Iterable[str | None]:
        model = plain_str(class_attribute(type(self.value), "model_type"))
        return [
            class_word(self.type_name()),
            model,
            attributes_part(f"{self.type_name()} · {model}", self._telling(), self),
        ]

    def inline(self) -> str | None:
        return self.inline_of(self._telling())

    def _telling(self) -> list[Child]:
        fields = {child.name: child for child in attributes(self.value) if child.value is not None}
        telling = [fields[name] for name in _TELLING if name in fields]
        return telling or [child for child in fields.values() if not child.name.startswith("_")]


_known = by_name(
    {
        Output: ("ModelOutput",),
        Encoded: ("BatchEncoding", "BatchFeature"),
        Config: ("PreTrainedConfig", "PretrainedConfig", "GenerationConfig"),
    },
    "transformers",
)


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    kind = _known(cls, bases)
    return None if kind is Output and not issubclass(cls, dict) else kind
