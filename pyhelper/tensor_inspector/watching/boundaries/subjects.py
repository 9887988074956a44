"""What a watch is of: the whole program, losses, gradients, parameters, or a module, tensor or optimizer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal
from weakref import ref

from ...safe.guard import class_name, instance_dict, module

if TYPE_CHECKING:
    from ..hits import Phase

#: "value" is what an expression reaches, "buffer" a running statistic.
Role = Literal["output", "loss", "gradient", "parameter", "buffer", "value"]
PHASES: dict[Role, Phase] = {
    "output": "forward",
    "loss": "forward",
    "gradient": "backward",
    "parameter": "step",
    "buffer": "buffer",
    "value": "forward",
}
_ROLES: dict[str, tuple[Role, ...]] = {"loss": ("loss",), "gradients": ("gradient",), "parameters": ("parameter",)}
_ALL: tuple[Role, ...] = ("output", "loss", "gradient", "parameter", "buffer")


class Subject:
    """What is looked at, by weak reference: one thing, or everything of some roles."""

    def __init__(self, of: Any) -> None:
        self.roles: tuple[Role, ...] = (
            _ALL if of is None else _ROLES[of] if type(of) is str else ("output", "gradient", "parameter", "buffer")
        )
        self.is_whole = of is None
        self.is_one = not (of is None or type(of) is str)
        self._is_known = True
        self._name = class_name(type(of)) if self.is_one else ""
        self._ref: Any = ref(of) if self.is_one else None
        torch = module("torch")
        self.is_module = self.is_one and isinstance(of, torch.nn.Module)
        self.is_tensor = self.is_one and isinstance(of, torch.Tensor)
        self.is_optimizer = self.is_one and not (self.is_module or self.is_tensor)

    @classmethod
    def unknown(cls) -> Subject:
        """In the place of one that is still looked for."""
        subject = cls("loss")
        subject.roles, subject._is_known = (), False
        return subject

    def thing(self) -> Any:
        """The one thing; None where it is gone, and where it is not one."""
        return None if self._ref is None else self._ref()

    def lost(self) -> str | None:
        """A sentence where the thing is gone."""
        if self.is_one and self.thing() is None:
            return f"the {self._name} that it watched is gone: the program has dropped it, or put another in its place"
        return None

    def parts(self) -> list[Any]:
        """The parameters of the one thing, or the tensor itself."""
        thing = self.thing()
        if self.is_module:
            return [] if thing is None else list(thing.parameters())
        return [thing] if self.is_tensor and thing is not None else parameters_of(thing)

    def held_by(self, optimizer: Any) -> list[tuple[str, Any]]:
        """The tensors to be looked at as an optimizer steps, with their names where these are known."""
        if not self.is_one:
            return [("", parameter) for parameter in parameters_of(optimizer)] if self._is_known else []
        thing = self.thing()
        if thing is None:
            return []
        if self.is_optimizer and thing is not optimizer and _groups(thing) is not _groups(optimizer):
            return []  # one that wraps another has its groups
        stepped = parameters_of(optimizer)
        if self.is_module:  # its other parameters are another optimizer's
            ids = set(map(id, stepped))
            # Of one that has no others in it torch's own way takes five times as long.
            if thing._modules:
                return [(name, one) for name, one in thing.named_parameters() if id(one) in ids]
            own = {id(one): (name, one) for name, one in reversed(thing._parameters.items()) if id(one) in ids}
            return list(own.values())[::-1]
        if self.is_tensor:
            is_anothers = isinstance(thing, module("torch").nn.Parameter) and all(thing is not one for one in stepped)
            return [] if is_anothers else [("", thing)]
        return [("", parameter) for parameter in stepped]


def check_subject(of: Any) -> None:
    """Raises ``ValueError`` or ``TypeError`` for what can't be watched."""
    if of is None or (type(of) is str and of in _ROLES):
        return
    named = f"None, {', '.join(map(repr, _ROLES))}, a module, a tensor or an optimizer"
    if isinstance(of, str):
        raise ValueError(f"`of` is {named}, not {of!r}")
    torch = module("torch")
    if torch is None or not isinstance(of, (torch.nn.Module, torch.Tensor, torch.optim.Optimizer)):
        raise TypeError(f"`of` is {named}, not {_kind_of(of)}")


def parameters_of(optimizer: Any) -> list[Any]:
    return [parameter for group in _groups(optimizer) or () for parameter in group["params"]]


def _groups(optimizer: Any) -> Any:
    return instance_dict(optimizer).get("param_groups")


def _kind_of(value: object) -> str:
    if isinstance(value, type):
        return f"the class {class_name(value)}"
    name = class_name(type(value))
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def tensors_of(value: Any, depth: int = 3) -> Iterator[Any]:
    """The tensors in what a module is given or returns: in lists, tuples, dicts and objects with fields."""
    if isinstance(value, module("torch").Tensor):
        yield value
    elif depth and isinstance(value, (list, tuple)):
        for one in value:
            yield from tensors_of(one, depth - 1)
    elif depth and isinstance(value, dict):
        for one in list(dict.values(value)):
            yield from tensors_of(one, depth - 1)
