"""``nn.Module``: what it is, how many parameters, where they are, which have a gradient."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from ..guard import Classes, class_name, held, instance_dict, module, mro
from ..protocol import Badge, Facts
from ..text import count, joined, listed
from .kind import Child, Kind, NotStatic, Rows
from .torch_tensor import byte_count, device_name, dtype_name, element_count, grad_of, is_tensor, requires_grad

torch: Any = module("torch")
_MODULES = 20_000  #: submodules walked at most

_PARTS = ("_parameters", "_buffers", "_modules")
_CONTAINERS = Classes(torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ModuleDict)
_SIZES = Classes(int, float, tuple)
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
            return f"{self.type_name()}({len(held(self.value, '_modules'))})"
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
                None if digest.complete else "first 20,000 modules",
            ]
        )

    def badges(self) -> list[Badge]:
        digest = self.digest()
        return ["no_grad"] if digest.grads and digest.grads_none else []

    def child_count(self) -> int | None:
        return len(self._rows())

    def children(self, start: int, count: int) -> Iterable[Child]:
        return self._rows()[start : start + count]

    def item(self, key: Any) -> Any:
        found = next((child.value for child in self._rows() if child.suffix == f"[{key!r}]"), None)
        if found is None:
            raise NotStatic(f"{self.type_name()} computes its subscripts")
        return found

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
        return {class_name(type(item)) for item in _walk(self.value)}

    def digest(self) -> Digest:
        known = getattr(self, "_digest", None)
        if known is None:
            known = self._digest = _digest(self.value)
        return known

    def _rows(self) -> list[Child]:
        own = instance_dict(self.value)
        rows: list[Child] = []
        for part in _PARTS:
            parts = dict.items(held(self.value, part))
            rows.extend(Child(name, item, _suffix(name, part)) for name, item in parts if type(name) is str)
        hooks = [(n, v) for n, v in own.items() if n.endswith("_hooks") and issubclass(type(v), dict) and len(v)]
        rest = [(n, v) for n, v in own.items() if n not in _INTERNAL and not (n.startswith("_") and "hook" in n)]
        for label, items in (("attributes", rest), ("hooks", hooks)):
            if items:
                below = [Child(name, item, f".{name}") for name, item in items if type(name) is str]
                rows.append(Child(label, Rows.of(listed((child.name for child in below), False, 60), below), ""))
        return rows


def sizes(own: dict[str, Any]) -> str:
    """The arguments that tell layers of one class apart, from the attributes torch's own layers keep them in."""

    def has(*names: str) -> bool:
        return all(type(own.get(name)) in _SIZES for name in names)

    if has("in_features", "out_features"):
        return f"({own['in_features']} → {own['out_features']})"
    if has("in_channels", "out_channels", "kernel_size"):
        kernel = "×".join(str(side) for side in own["kernel_size"] if type(side) is int)
        return f"({own['in_channels']} → {own['out_channels']}, {kernel})"
    if has("num_embeddings", "embedding_dim"):
        return f"({own['num_embeddings']} × {own['embedding_dim']})"
    if has("input_size", "hidden_size"):
        layers = f", {own['num_layers']} layers" if type(own.get("num_layers")) is int and own["num_layers"] > 1 else ""
        return f"({own['input_size']} → {own['hidden_size']}{layers})"
    if has("embed_dim", "num_heads"):
        return f"({own['embed_dim']}, {own['num_heads']} heads)"
    for name in ("num_features", "num_channels"):
        if has(name):
            return f"({own[name]})"
    if has("normalized_shape"):
        return f"({', '.join(str(side) for side in own['normalized_shape'] if type(side) is int)})"
    if has("p") and "inplace" in own:
        return f"(p {own['p']})"
    return ""


def _digest(root: Any) -> Digest:
    parameters = trainable = total = grads = none = submodules = inside = 0
    devices: dict[str, None] = {}
    dtypes: dict[str, None] = {}
    seen = set()
    mode = instance_dict(root).get("training")
    for below in _walk(root):
        submodules += 1
        inside += instance_dict(below).get("training") is not mode
        for part in ("_parameters", "_buffers"):
            for tensor in dict.values(held(below, part)):
                if id(tensor) in seen or not is_tensor(tensor):
                    continue
                seen.add(id(tensor))
                devices.setdefault(device_name(tensor))
                total += byte_count(tensor)
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
                  submodules < _MODULES)  # fmt: skip


def _walk(root: Any) -> Iterator[Any]:
    """The module and all below it, each once, without recursion."""
    return islice(_walk_all(root), _MODULES)


def _walk_all(root: Any) -> Iterator[Any]:
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
    word = "train" if training else "eval"
    other = "eval" if training else "train"
    return f"{word}, {digest.others} inside in {other}" if digest.others else word


def _grads(digest: Digest) -> str | None:
    if not digest.grads:
        return None
    return f"{digest.grads_none} of {digest.grads + digest.grads_none} grads None" if digest.grads_none else "has grads"


def _suffix(name: str, part: str) -> str:
    if name.isidentifier():
        return f".{name}"
    return f"[{name}]" if part == "_modules" and name.isdigit() else f".{part}[{name!r}]"


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    return Module if any(base is torch.nn.Module for base in bases) else None
