"""``nn.Module``: what it is, how many parameters, where they are, which have a gradient."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, islice
from keyword import iskeyword
from typing import Any, NamedTuple

from ..budget import Budget
from ..guard import Classes, class_dict, class_module, class_name, held, instance_dict, module, mro, plain_str
from ..protocol import Badge, Facts
from ..text import count, integer, joined, listed
from .kind import Child, Kind, NotStatic, Rows
from .objects import PlainObject, suffix
from .torch_metadata import byte_count, device_name, dtype_name, element_count, grad_of, is_tensor, requires_grad

torch: Any = module("torch")

_TYPES = 1000  #: modules whose class names the menus are told
_PARTS = ("_parameters", "_buffers", "_modules")
_LISTS = Classes(torch.nn.Sequential, torch.nn.ModuleList)
_CONTAINERS = Classes(torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ModuleDict)
_INTERNAL = {*_PARTS, "training", "_non_persistent_buffers_set"}


class Digest(NamedTuple):
    """What a walk over a module and all below it found, each shared parameter once."""

    parameters: int
    trainable: int
    bytes: int
    devices: tuple[str, ...]
    dtypes: tuple[str, ...]
    grads: int
    grads_none: int
    submodules: int
    others: int
    complete: bool


class Module(Kind):
    kind = "module"
    summarized = True
    rank = 0

    def brief(self) -> str:
        return self.head()

    def head(self) -> str:
        """The class with the sizes that make it: ``Linear(512 → 10)``."""
        if any(base in _CONTAINERS for base in mro(type(self.value))):
            return f"{self.type_name()}({dict.__len__(held(self.value, '_modules'))})"
        return self.type_name() + sizes(instance_dict(self.value))

    def line(self) -> str:
        digest = self.digest()
        devices = [device for device in digest.devices if device != "cpu" or len(digest.devices) > 1]
        return joined(
            [
                self.head(),
                f"{count(digest.parameters)} param{'' if digest.parameters == 1 else 's'}"
                if digest.parameters
                else None,
                listed(devices, False, 40),
                _mode(self.value, digest),
                _grads(digest),
                None if digest.complete else f"first {digest.submodules + 1:,} modules: time budget",
            ]
        )

    def badges(self) -> list[Badge]:
        digest = self.digest()
        return ["no_grad"] if digest.grads and digest.grads_none else []

    def child_count(self) -> int | None:
        parts = sum(dict.__len__(held(self.value, part)) for part in _PARTS)
        return parts + sum(1 for _ in self._groups())

    def children(self, start: int, count: int) -> Iterable[Child]:
        return islice(chain(self._members(), self._groups()), start, start + count)

    def item(self, key: Any) -> Any:
        suffix = f"[{key!r}]"
        found = next((child for child in self._members() if child.suffix == suffix), None)
        if found is None:
            raise NotStatic(f"{self.type_name()} computes its subscripts")
        return found.value

    def facts(self) -> Facts:
        digest = self.digest()
        facts = super().facts()
        facts["bytes"] = digest.bytes
        facts["rows"] = [
            ["parameters", f"{digest.parameters:,}"],
            ["trainable", f"{digest.trainable:,}"],
            ["devices", ", ".join(digest.devices) or "none"],
            ["dtypes", ", ".join(digest.dtypes) or "none"],
            ["submodules", f"{digest.submodules:,}"],
            ["mode", _mode(self.value, digest)],
            ["gradients", _grads(digest) or ("none yet" if digest.trainable else "not wanted")],
        ]
        return facts

    def member_types(self) -> Iterable[str]:
        return {class_name(type(item)) for item in islice(_walk(self.value), _TYPES)}

    def digest(self) -> Digest:
        known = getattr(self, "_digest", None)
        if known is None:
            known = self._digest = _digest(self.value, self.budget)
        return known

    def _members(self) -> Iterator[Child]:
        """Parameters, buffers and submodules, each by the expression that reaches it."""
        for part in _PARTS:
            for index, (key, item) in enumerate(dict.items(held(self.value, part))):
                name = plain_str(key)
                yield Child(name or f"#{index}", item, self._suffix(name, part, index) if name else None)

    def _suffix(self, name: str, part: str, index: int) -> str:
        cls = type(self.value)
        bases = mro(cls)
        if part == "_modules" and any(base in _LISTS for base in bases) and name == str(index):
            return f"[{index}]"
        if part == "_modules" and any(base is torch.nn.ModuleDict for base in bases):
            return f"[{name!r}]"
        taken = name in instance_dict(self.value) or any(name in class_dict(base) for base in bases)
        is_name = name.isidentifier() and not iskeyword(name) and not taken
        return f".{name}" if is_name else f".{part}[{name!r}]"

    def _groups(self) -> Iterator[Child]:
        own = instance_dict(self.value)
        hooks = [name for name, item in own.items() if name.endswith("_hooks") and _is_filled(item)]
        rest = [name for name in own if name not in _INTERNAL and not (name.startswith("_") and "hook" in name)]
        for label, names in (("other attributes", rest), ("registered hooks", hooks)):
            if names:
                shown = listed(names[:8], len(names) > 8, 60)
                rows = [Child(name, own[name], suffix(type(self.value), name)) for name in names]
                yield Child(label, Rows(shown, len(rows), partial(_page, rows)), "")


def _page(rows: list[Child], start: int, count: int) -> list[Child]:
    return rows[start : start + count]


def _is_filled(item: object) -> bool:
    return issubclass(type(item), dict) and dict.__len__(item) > 0  # type: ignore[arg-type]


class Scripted(PlainObject):
    """A module that TorchScript has compiled: what it consists of is kept in C++, out of its instance's dict."""

    kind = "module"
    summarized = True
    rank = 0

    def line(self) -> str:
        name = plain_str(instance_dict(self.value).get("original_name"))
        return joined([self.type_name(), name, "compiled by TorchScript: its parameters are not read"])


def sizes(own: dict[str, Any]) -> str:
    """The arguments that tell layers of one class apart, from the attributes torch's own layers keep them in."""

    def told(*names: str, between: str = " → ") -> str | None:
        texts = [_size(own.get(name)) for name in names]
        return between.join(texts) if all(texts) else None  # type: ignore[arg-type]

    channels, kernel = told("in_channels", "out_channels"), _size(own.get("kernel_size"), "×")
    if channels and kernel:
        return f"({channels}, {kernel})"
    recurrent, layers = told("input_size", "hidden_size"), own.get("num_layers")
    if recurrent and type(layers) is int and layers > 1:
        return f"({recurrent}, {layers} layers)"
    attention = told("embed_dim", "num_heads", between=", ")
    if attention:
        return f"({attention} heads)"
    dropped = own.get("p")
    if type(dropped) is float and "inplace" in own:
        return f"(p {dropped})"
    known = (
        told("in_features", "out_features"),
        told("num_embeddings", "embedding_dim", between=" × "),
        recurrent,
        told("num_features"),
        told("num_channels"),
        told("normalized_shape"),
    )
    return next((f"({text})" for text in known if text), "")


def _size(value: object, between: str = ", ") -> str | None:
    """A size, or a tuple of sizes, as text; None for all else."""
    if type(value) is int:
        return integer(value)
    if type(value) is tuple and value and all(type(side) is int for side in value):
        return between.join(map(integer, value[:6]))
    return None


def _digest(root: Any, budget: Budget) -> Digest:
    parameters = trainable = total = grads = none = submodules = inside = 0
    devices: dict[str, None] = {}
    dtypes: dict[str, None] = {}
    seen = set()
    mode = instance_dict(root).get("training")
    complete = True
    for below in _walk(root):
        submodules += 1
        if submodules % 64 == 0 and budget.spent():
            complete = False
            break
        inside += instance_dict(below).get("training") is not mode
        for part in ("_parameters", "_buffers"):
            for tensor in dict.values(held(below, part)):
                if id(tensor) in seen or not is_tensor(tensor):
                    continue
                seen.add(id(tensor))
                devices.setdefault(device_name(tensor))
                total += byte_count(tensor) or 0
                if part == "_parameters":
                    elements = element_count(tensor)
                    dtypes.setdefault(dtype_name(tensor))
                    parameters += elements
                    if requires_grad(tensor):
                        trainable += elements
                        has = grad_of(tensor) is not None
                        grads += has
                        none += not has
    return Digest(parameters, trainable, total, tuple(devices), tuple(dtypes), grads, none, submodules - 1, inside,
                  complete)  # fmt: skip


def _walk(root: Any) -> Iterator[Any]:
    """The module and all below it, each once, without recursion."""
    seen = {id(root)}
    waiting = [root]
    while waiting:
        current = waiting.pop()
        yield current
        for below in reversed(list(dict.values(held(current, "_modules")))):
            if issubclass(type(below), torch.nn.Module) and id(below) not in seen:
                seen.add(id(below))
                waiting.append(below)


def _mode(value: Any, digest: Digest) -> str:
    training = instance_dict(value).get("training")
    word, other = ("train", "eval") if training is True else ("eval", "train")
    return f"{word}, {digest.others} inside in {other}" if digest.others else word


def _grads(digest: Digest) -> str | None:
    if not digest.grads:
        return None
    return f"{digest.grads_none} of {digest.grads + digest.grads_none} grads None" if digest.grads_none else "has grads"


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    if not any(base is torch.nn.Module for base in bases):
        return None
    scripted = any(class_name(base) == "ScriptModule" and class_module(base).startswith("torch.jit") for base in bases)
    return Scripted if scripted else Module
