"""The conditions that a watch may have, each asked of a tensor at a boundary."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from weakref import ref

from ...safe.guard import module
from ..finite import found_in, is_dense
from .looks import unsound

if TYPE_CHECKING:
    from ..hits import FaultKind
    from .subjects import Role, Subject

torch: Any = module("torch")

_COPIED = 4096  #: bytes up to which a value is copied; of a larger one there is a checksum
_COLUMNS = 64  #: of a checksum
_INFINITE = float("inf")
_DOUBLE = (torch.float64, torch.complex128)
_INTEGERS = {1: "int8", 2: "int16", 4: "int32", 8: "int64", 16: "int64"}


class Met:
    """A condition holds for a tensor: ``kind`` is its name, ``text`` what was found."""

    __slots__ = ("kind", "text")

    def __init__(self, kind: FaultKind, text: str = "") -> None:
        self.kind = kind
        self.text = text


class Condition:
    """Is asked of the tensors of some roles. ``key`` is what they are values of, from one look to the next."""

    roles: tuple[Role, ...] = ("output", "loss", "gradient", "parameter", "buffer", "value")
    kind: FaultKind = "nan"
    takes_none = False  #: it is asked of parameters without a gradient too
    of_gradient = "the gradient of {}"  #: what a hit says of the gradient of a parameter

    def among(self, tensors: list[Any], role: Role, keys: Iterable[Any]) -> list[tuple[int, Met]]:
        """The tensors for which it holds, by their numbers."""
        read = ((at, one, key) for at, (one, key) in enumerate(zip(tensors, keys)) if is_dense(one))
        with torch.no_grad():
            found = [(at, self.met(tensor, role, key)) for at, tensor, key in read]
        return [(at, met) for at, met in found if met is not None]

    def met(self, tensor: Any, role: Role, key: Any) -> Met | None:
        raise NotImplementedError


class HoldsFault(Condition):
    """NaN, or Inf where it matters: what a module returns may be a mask."""

    def __init__(self, what: str) -> None:
        self._nan, self._inf = what != "inf", what != "nan"

    def among(self, tensors: list[Any], role: Role, keys: Iterable[Any]) -> list[tuple[int, Met]]:
        bad = {id(tensor) for tensor in unsound(tensors)}
        few = [(at, tensor) for at, tensor in enumerate(tensors) if id(tensor) in bad]
        found = ((at, self.met(tensor, role, None)) for at, tensor in few)
        return [(at, met) for at, met in found if met is not None]

    def met(self, tensor: Any, role: Role, key: Any) -> Met | None:
        found = found_in(tensor)
        if found is None:
            return None
        if found.nan and self._nan:
            return Met("nan")
        return Met("inf") if found.inf and self._inf and role != "output" else None


class AllZero(Condition):
    kind = "zero"
    roles = ("output", "loss", "gradient", "parameter", "value")

    def met(self, tensor: Any, role: Role, key: Any) -> Met | None:
        return Met("zero") if tensor.numel() and not bool(tensor.any()) else None


class Above(Condition):
    def __init__(self, bound: float) -> None:
        self._bound = bound

    def met(self, tensor: Any, role: Role, key: Any) -> Met | None:
        if not tensor.numel() or tensor.dtype is torch.bool:
            return None
        largest = self.largest(tensor)
        return Met("above", self.text(largest)) if self.is_beyond(largest) else None

    def largest(self, tensor: Any) -> float:
        with torch.no_grad():
            sizes = (tensor.double() if tensor.element_size() < 4 else tensor).abs()
            largest = float(sizes.max().item())
            if largest != largest:  # beside NaN there may be more
                known = sizes[sizes == sizes]
                largest = float(known.max().item()) if known.numel() else 0.0
            return largest

    def is_beyond(self, largest: float) -> bool:
        return largest > self._bound

    def text(self, largest: float) -> str:
        return f"{largest:.4g} > {self._bound:g}"


class NoGradient(Condition):
    """Parameters that no backward has reached, as an optimizer steps."""

    kind = "none"
    roles = ("gradient",)
    takes_none = True
    of_gradient = "{}"

    def among(self, tensors: list[Any], role: Role, keys: Iterable[Any]) -> list[tuple[int, Met]]:
        found = enumerate(zip(tensors, keys))
        return [(at, Met("none")) for at, (tensor, owner) in found if tensor is None and owner.requires_grad]

    def met(self, tensor: Any, role: Role, key: Any) -> Met | None:
        return None


class LargeNorm(Condition):
    """The norm of all gradients together, as `torch.nn.utils.clip_grad_norm_` reckons it, but where that overflows."""

    kind = "norm"
    roles = ("gradient",)
    of_gradient = ""

    def __init__(self, bound: float) -> None:
        self._bound = bound

    def among(self, tensors: list[Any], role: Role, keys: Iterable[Any]) -> list[tuple[int, Met]]:
        with torch.no_grad():
            dense = [one.float() if one.element_size() < 4 else one for one in tensors if is_dense(one)]
            norm = self._norm(dense)
            if norm == _INFINITE:  # squares overflow sooner than what is added up
                norm = self._norm([one.cpu().to(_DOUBLE[one.is_complex()]) for one in dense])
        return [(0, Met("norm", f"the norm {norm:.4g} > {self._bound:g}"))] if norm > self._bound else []

    def _norm(self, tensors: list[Any]) -> float:
        norms = [torch.linalg.vector_norm(one).to("cpu", torch.float64) for one in tensors]
        return float(torch.linalg.vector_norm(torch.stack(norms))) if norms else 0.0

    def met(self, tensor: Any, role: Role, key: Any) -> Met | None:
        return None


class Remembering(Condition):
    """Compares with the look before, of which it keeps little."""

    def __init__(self) -> None:
        self._before: dict[Any, tuple[Any, Any]] = {}

    def met(self, tensor: Any, role: Role, key: Any) -> Met | None:
        owner, part = key if type(key) is tuple else (key, 0)
        place = (role, id(owner), part)
        before = self._before.get(place)
        now = self.kept(tensor)
        self._before[place] = (ref(owner, lambda _: self._before.pop(place, None)), now)
        return None if before is None or before[0]() is not owner else self.compared(before[1], now)

    def begin(self, tensors: list[Any], role: Role, keys: Iterable[Any]) -> None:
        """Looks at those of which there was no look yet."""
        for tensor, key in zip(tensors, keys):
            before = self._before.get((role, id(key), 0))
            if before is None or before[0]() is not key:
                self.among([tensor], role, [key])

    def kept(self, tensor: Any) -> Any:
        raise NotImplementedError

    def compared(self, before: Any, now: Any) -> Met | None:
        raise NotImplementedError


class OtherMetadata(Remembering):
    roles = ("output", "loss", "gradient", "parameter", "value")

    def kept(self, tensor: Any) -> Any:
        return tuple(tensor.shape), tensor.dtype, tensor.device

    def compared(self, before: Any, now: Any) -> Met | None:
        texts = [f"{str(dtype)[len('torch.') :]}{list(shape)} {device}" for shape, dtype, device in (before, now)]
        return None if before == now else Met("metadata", " → ".join(texts))


class ValuesKept(Remembering):
    """Values that change, or that do not, from one look to the next."""

    roles = ("loss", "gradient", "parameter", "value")

    def __init__(self, kind: FaultKind) -> None:
        super().__init__()
        self._kind = kind

    def kept(self, tensor: Any) -> Any:
        value = tensor.detach()
        if value.numel() * value.element_size() <= _COPIED:
            return value.clone()
        return _checksum(value)

    def met(self, tensor: Any, role: Role, key: Any) -> Met | None:
        is_frozen = self._kind == "unchanged" and role == "parameter" and not tensor.requires_grad
        return None if is_frozen else super().met(tensor, role, key)

    def compared(self, before: Any, now: Any) -> Met | None:
        is_same = before.shape == now.shape and before.dtype == now.dtype and before.device == now.device
        is_same = is_same and bool(((before == now) | ((before != before) & (now != now))).all())
        return Met(self._kind) if is_same == (self._kind == "unchanged") else None


class Rises(Remembering):
    """A value that grows, from one look to the next, to more than ``factor`` times what it was."""

    kind = "rises"
    roles = ("loss", "value")

    def __init__(self, factor: float) -> None:
        super().__init__()
        self._factor = factor

    def kept(self, tensor: Any) -> Any:
        value = tensor.detach()
        return (value.abs() if value.is_complex() else value).double().mean().item()

    def compared(self, before: Any, now: Any) -> Met | None:
        rises = before > 0 and now > before * self._factor
        return Met("rises", f"{before:.4g} → {now:.4g}") if rises else None


_BOUNDED: dict[str, Callable[[float], Condition]] = {"above": Above, "norm": LargeNorm, "rises": Rises}


def condition_of(what: Any) -> Condition:
    if type(what) is tuple:
        return _BOUNDED[what[0]](what[1])
    if what == "none":
        return NoGradient()
    if what == "zero":
        return AllZero()
    if what == "metadata":
        return OtherMetadata()
    return ValuesKept(what) if what in ("changed", "unchanged") else HoldsFault(what)


def roles_of(condition: Condition, subject: Subject) -> frozenset[str]:
    """What is looked at: outputs change with each batch, and a bias often is zero."""
    roles = frozenset(condition.roles) & frozenset(subject.roles)
    if isinstance(condition, ValuesKept) and subject.is_one:
        return roles & {"parameter"}
    if condition.kind == "zero" and (subject.is_module or subject.is_optimizer):
        return roles - {"parameter"}
    return roles


def _checksum(value: Any) -> Any:
    """Sums of the bits, as integers, of every 64th element: what changes one element changes a sum."""
    plain = torch.view_as_real(value) if value.is_complex() else value
    bits = plain.contiguous().view(-1).view(getattr(torch, _INTEGERS[plain.element_size()]))
    whole = len(bits) // _COLUMNS * _COLUMNS
    return torch.cat([bits[:whole].view(-1, _COLUMNS).sum(0), bits[whole:].to(torch.int64)])
