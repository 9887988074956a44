"""Walks through the modules of a model, once per answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any
from weakref import ref

from ...safe.budget import Known, Steps
from ...safe.guard import ByClass, class_name, each, instance_dict, module, mro, plain_str
from .codes import codes_in
from .metadata import is_any_tensor

torch: Any = module("torch")
_Module: Any = torch.nn.Module
_Scripted: Any = torch._C.ScriptModule
_NOTHING: tuple[tuple[Any, Any], ...] = ()


class Visit:
    """What is known of a module itself. It is kept for the answer, and holds neither the module nor its tensors.

    The names of its tensors begin with ``prefix``; it stands ``depth`` modules below the root of the walk.
    """

    __slots__ = ("buffers", "cls", "coded", "depth", "module", "parameters", "prefix", "training")

    def __init__(self, prefix: str, depth: int, module: Any, attrs: dict[str, Any], steps: Steps) -> None:
        self.prefix = prefix
        self.depth = depth
        self.module = ref(module)
        self.cls = type(module)
        mode = attrs.get("training")
        self.training: bool | None = mode if type(mode) is bool else None
        self.parameters = _tensors(attrs, "_parameters", steps)
        self.coded = codes_in(attrs)  #: the shape of what integers among them stand for
        states = _states(attrs, steps)
        self.buffers = [*_tensors(attrs, "_buffers", steps), *states] if states else _tensors(attrs, "_buffers", steps)


def _tensors(attrs: dict[str, Any], part: str, steps: Steps) -> Sequence[tuple[str, ref[Any]]]:
    items = _items(attrs, part)
    if items is _NOTHING:
        return _NOTHING
    met: list[tuple[str, ref[Any]]] = []
    for key, tensor in items:
        if steps.end():
            break
        if is_any_tensor(tensor):
            met.append((plain_str(key), ref(tensor)))
    return met


def _states(attrs: dict[str, Any], steps: Steps) -> Sequence[tuple[str, ref[Any]]]:
    """What a metric of torchmetrics gathers: attributes that are as buffers, named by ``_defaults``."""
    if type(attrs.get("_defaults")) is not dict:
        return _NOTHING
    names = [name for name, _ in _items(attrs, "_defaults") if type(name) is str]
    return _tensors({"states": {name: attrs.get(name) for name in names}}, "states", steps)


def visits(root: Any, known: Known, steps: Steps) -> Iterator[tuple[str, Visit]]:
    """The module and all below it, each once, as far as there is time: what the names of its tensors begin with."""
    before, index = known.walked.get(id(root), ((), 0))
    if before and before[index].module() is root:
        return _again(before, index, steps)
    return _walk(root, known, steps)


def _again(before: list[Visit], index: int, steps: Steps) -> Iterator[tuple[str, Visit]]:
    """A part of an earlier walk."""
    first = before[index]
    yield "", first
    for visit in islice(before, index + 1, None):
        if visit.depth <= first.depth or steps.end():
            return
        yield visit.prefix[len(first.prefix) :], visit


def _walk(root: Any, known: Known, steps: Steps) -> Iterator[tuple[str, Visit]]:
    """Without recursion. It is known from then on if it came to its end, and each module stands in one place."""
    attrs = parts_of(root)
    met = [Visit("", 0, root, attrs, steps)]
    yield "", met[0]
    seen, levels, is_tree = {id(root)}, [("", iter(_items(attrs, "_modules")))], True
    while levels:
        prefix, rest = levels[-1]
        for key, item in rest:
            if steps.end():
                return
            is_scripted = issubclass(type(item), _Scripted)  # which is made anew each time it is asked for
            if is_scripted or (issubclass(type(item), _Module) and id(item) not in seen):
                seen.add(id(item))
                name, attrs = f"{prefix}{plain_str(key)}.", parts_of(item)
                visit = Visit(name, len(levels), item, attrs, steps)
                is_tree = is_tree and not is_scripted
                met.append(visit)
                yield name, visit
                inside = _items(attrs, "_modules")
                if inside is not _NOTHING:
                    levels.append((name, iter(inside)))
                    break
                continue
            is_tree = is_tree and item is None
        else:
            levels.pop()
    if is_tree and not steps.over:
        known.walked.update((id(visit.module()), (met, index)) for index, visit in enumerate(met))


def parts_of(found: Any) -> dict[str, Any]:
    """The instance's dict; of a module in C++, what that would be."""
    attrs = instance_dict(found)
    if "_modules" in attrs and "_c" not in attrs:
        return attrs
    compiled = in_cpp(found)
    if compiled is None:
        return attrs
    c = torch._C
    dicts = (("_parameters", c.ParameterDict), ("_buffers", c.BufferDict), ("_modules", c.ModuleDict))
    parts: dict[str, Any] = {name: dict(read(compiled).items()) for name, read in dicts}
    return {**parts, "training": compiled.getattr("training")} if compiled.hasattr("training") else parts


def in_cpp(found: Any) -> Any:
    """What TorchScript keeps of a module in C++; None of any other module."""
    attrs = instance_dict(found)
    inner = attrs.get("_c", instance_dict(attrs.get("_actual_script_module")).get("_c"))
    return next((item for item in (found, inner) if issubclass(type(item), _Scripted)), None)


def _items(attrs: dict[str, Any], part: str) -> Iterable[tuple[Any, Any]]:
    """What is registered there."""
    found: Any = attrs.get(part)
    if type(found) is dict:
        return each(dict.items, found) if found else _NOTHING
    return each(dict.items, found) if issubclass(type(found), dict) else _NOTHING


is_lazy = ByClass(lambda cls: any(class_name(base) == "UninitializedTensorMixin" for base in mro(cls)))
