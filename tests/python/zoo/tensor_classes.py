"""Tensor classes of a program, each with code that must not run when an instance is looked at."""

from __future__ import annotations

from typing import Any

import torch


def ran(*_: object, **__: object) -> Any:
    raise RuntimeError("code of the program ran")


class Wrapping(torch.Tensor):
    """Wraps a tensor; what it leaves to torch of its metadata is a matter of the arguments."""

    @staticmethod
    def __new__(cls, inner: Any, **arguments: Any) -> Wrapping:
        with torch._C.DisableTorchFunction():
            given = {"dtype": inner.dtype, "requires_grad": inner.requires_grad, **arguments}
            return torch.Tensor._make_wrapper_subclass(cls, inner.shape, **given)  # type: ignore[attr-defined, no-any-return]

    def __init__(self, inner: Any, **arguments: Any) -> None:
        self.inner = inner

    __torch_dispatch__ = classmethod(ran)  # type: ignore[assignment]
    __torch_function__ = classmethod(ran)  # type: ignore[assignment]
    __repr__ = ran
    __tensor_flatten__ = ran


class Scaled(Wrapping):
    """More than one tensor, and what is no tensor."""

    def __init__(self, inner: Any, **arguments: Any) -> None:
        self.data_ = inner
        self.scale = torch.tensor([0.5, 2.0])
        self.block_size = 32


class InSlots(Wrapping):
    __slots__ = ("held",)

    def __init__(self, inner: Any, **arguments: Any) -> None:
        self.held = inner


class Hidden(Wrapping):
    """Holds its tensors where no attribute is one."""

    def __init__(self, inner: Any, **arguments: Any) -> None:
        self.parts = [inner, inner]


class Remembering(torch.Tensor):
    """Has memory of its own, and code that would be asked for each operation on it."""

    @staticmethod
    def __new__(cls, data: Any, **arguments: Any) -> Remembering:
        return torch.Tensor._make_subclass(cls, data, data.requires_grad, **arguments)  # type: ignore[attr-defined, no-any-return]

    __torch_dispatch__ = classmethod(ran)  # type: ignore[assignment]
    __torch_function__ = classmethod(ran)  # type: ignore[assignment]


class Overriding(torch.Tensor):
    """Overrides whatever a viewer might ask for."""

    __torch_function__ = classmethod(ran)  # type: ignore[assignment]
    __repr__ = __str__ = __len__ = __iter__ = __bool__ = __format__ = __getitem__ = __hash__ = ran  # type: ignore[assignment]
    size = stride = numel = dim = tolist = item = detach = clone = is_contiguous = untyped_storage = ran  # type: ignore[assignment]
    shape = dtype = device = layout = requires_grad = grad = grad_fn = is_leaf = _base = property(ran)  # type: ignore[assignment]
    data = names = T = is_sparse = is_quantized = is_nested = is_cuda = is_meta = _version = property(ran)  # type: ignore[assignment]


class Recursive(torch.Tensor):
    def __getattribute__(self, name: str) -> Any:
        return getattr(self, name)


class Tagged(torch.Tensor):
    tag: str


class OwnParameter(torch.nn.Parameter):
    pass


class LyingClass(torch.Tensor):
    __class__ = property(ran)  # type: ignore[assignment]


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 2
