"""Changes one element of a tensor, array, column or table of a library, or its shape where that can't be done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_MOST = 1 << 28  #: bytes that are copied
Part = Callable[[Any], Any]  #: changes a part of a value


def _tensor(value: Any, part: Part) -> Any:
    import torch

    if issubclass(type(value), torch.nn.Module):
        next(parameter for parameter in value.parameters() if part(parameter) is parameter)
        return value
    if issubclass(type(value), torch.optim.Optimizer):
        value.param_groups[0]["lr"] = part(value.param_groups[0]["lr"])
        return value
    if issubclass(type(value), (torch.UntypedStorage, torch.TypedStorage)):
        return _written(value, 0)
    if type(value) is torch.Generator:
        return value.manual_seed(value.initial_seed() + 1)
    if type(value) in (torch.device, torch.finfo, torch.iinfo):
        return type(value)({torch.device: "meta", torch.finfo: torch.float16, torch.iinfo: torch.int16}[type(value)])
    if not issubclass(type(value), torch.Tensor):
        raise TypeError
    if type(value) not in (torch.Tensor, torch.nn.Parameter):
        return _of_a_tensor_class(value, part)
    for view in (None, torch.uint8):
        try:
            elements = _values(value.detach())
            return _first_of(value, _in_memory(elements if view is None else elements.view(view)))
        except Exception:  # of what torch can't write, or has no elements
            if value.is_quantized:
                break  # written as bytes, it crashes
    return value.detach().unsqueeze(0)


def _of_a_tensor_class(value: Any, part: Part) -> Any:
    """By what it holds, where it says what that is."""
    import torch

    if type(value) is torch.masked.MaskedTensor:
        part(value._masked_mask)  # what it hides is not there
        return value
    if hasattr(type(value), "__tensor_flatten__"):
        name = value.__tensor_flatten__()[0][0]
        setattr(value, name, part(getattr(value, name)))
        return value
    if value.__dict__:
        raise TypeError  # its attributes hold what it is
    with torch._C.DisableTorchFunctionSubclass():
        return _first_of(value, _in_memory(value.detach()))


def _values(tensor: Any) -> Any:
    """The elements that are stored."""
    import torch

    if tensor.layout is torch.sparse_coo:
        return tensor._values()
    return tensor if tensor.layout is torch.strided and not tensor.is_nested else tensor.values()


def _in_memory(elements: Any) -> Any:
    """They themselves; it raises where writing one would crash."""
    if elements.is_quantized:
        elements.qscheme()  # which raises where there is none
    last = sum((size - 1) * step for size, step in zip(elements.shape, elements.stride()))
    end = (elements.storage_offset() + last + 1) * elements.element_size()
    if elements.untyped_storage().nbytes() < end:
        raise ValueError
    return elements


def _first_of(value: Any, elements: Any) -> Any:
    import torch

    with torch.no_grad():
        _written(elements, (0,) * elements.dim())
    return value


def _written(elements: Any, at: Any) -> Any:
    """With another number at a place."""
    was = elements[at].clone() if hasattr(elements[at], "clone") else elements[at]
    for number in (0, 1):
        elements[at] = number
        if bool(elements[at] != was):
            return elements
    raise ValueError


def _array(value: Any, part: Part) -> Any:
    import numpy as np

    if issubclass(type(value), np.generic):
        return _array(np.array(value), part)[()]
    if issubclass(type(value), np.dtype):
        return value.newbyteorder() if value.newbyteorder() != value else np.dtype((value, (2,)))
    if issubclass(type(value), (np.random.Generator, np.random.RandomState)):
        value.random()
        return value
    if issubclass(type(value), np.random.BitGenerator):
        value.random_raw()
        return value
    if type(value) is np.random.SeedSequence:
        return np.random.SeedSequence(value.entropy + 1)
    if not issubclass(type(value), np.ndarray):
        raise TypeError
    if not value.nbytes or value.nbytes > _MOST:
        return value[None]
    other, at = value.copy(order="K"), (0,) * value.ndim
    if issubclass(type(value), np.ma.MaskedArray) and np.ma.getmaskarray(other)[at] is np.True_:
        other.soften_mask()
        other[at] = other.fill_value  # which is there now
        return other
    elements = other.view(np.ndarray)
    if elements.dtype.kind in "mM":
        elements = elements.view(f"{elements.dtype.byteorder}i8")
    if elements.dtype.kind == "V" and elements.dtype.names is None:
        elements, at = elements.view((np.uint8, elements.dtype.itemsize)), (*at, 0)
    was = _item(elements, at)
    for new in (lambda: 0, lambda: 1, lambda: "x", lambda: part(was)):
        try:
            elements[at] = new()
        except (TypeError, ValueError):  # it is not of this dtype
            continue
        now = _item(elements, at)
        if type(now) is not type(was) or now != was:
            other.flags.writeable = value.flags.writeable
            return other
    raise ValueError


def _item(array: Any, at: Any) -> Any:
    return array[at].item() if hasattr(array[at], "item") else array[at]


def _table(value: Any, part: Part) -> Any:
    import pandas as pd

    if issubclass(type(value), pd.Index):
        return value.append(value[:1]) if len(value) else value.rename("one more")
    if issubclass(type(value), pd.api.extensions.ExtensionArray):
        return value[1:]
    if not issubclass(type(value), (pd.Series, pd.DataFrame)):
        raise TypeError
    other = value.copy()
    if not value.size:
        return other.rename("one more") if value.ndim == 1 else other.assign(more=1)
    at = 0 if value.ndim == 1 else (0, 0)
    try:
        other.iloc[at] = _another(value.iloc[at], part)
    except Exception:  # of a dtype that takes no such value, or a cell that can't be changed
        return value.iloc[1:]
    return other


def _another(cell: Any, part: Part) -> Any:
    """Another value than that of a cell."""
    new = part(cell)
    if new is cell:  # changed in place, which a cell of numbers does not know
        raise ValueError
    return new


def _frame(value: Any, part: Part) -> Any:
    import polars as pl

    if issubclass(type(value), pl.LazyFrame):
        return value.head(1)
    if issubclass(type(value), pl.Expr):
        return value + 1
    if not issubclass(type(value), (pl.Series, pl.DataFrame)):
        raise TypeError
    other = value.clone()
    if not len(value):
        return other.rename("one more") if issubclass(type(value), pl.Series) else other.with_columns(more=1)
    at = 0 if issubclass(type(value), pl.Series) else (0, 0)
    try:
        other[at] = _another(value[at], part)
    except Exception:  # of a dtype that takes no such value, or a cell that can't be changed
        return value.slice(1)
    return other


def _arrow(value: Any, part: Part) -> Any:
    return value.slice(1) if hasattr(value, "slice") else value.with_name("one more")


def _jax(value: Any, part: Part) -> Any:
    import jax

    if not issubclass(type(value), jax.Array):
        raise TypeError
    if not value.size:
        return value[None]
    return value.at[(0,) * value.ndim].set(1 - value[(0,) * value.ndim])


def _image(value: Any, part: Part) -> Any:
    value.putpixel((0, 0), part(value.getpixel((0, 0))))
    return value


def _formula(value: Any, part: Part) -> Any:
    """Another one: they are shared, so that none is changed in place."""
    return value.func(value.args[0] + 1, *value.args[1:]) if value.args else value + 1


def _sparse(value: Any, part: Part) -> Any:
    """One that is a dict of its elements, which is not what its class inherits."""
    place = next(iter(value.keys()))
    value[place] = part(value[place])
    return value


def _without_tensors(value: Any, part: Part) -> Any:
    """What is no tensor, by its data: its class puts no tensors beside that."""
    stored = value.__dict__["_non_tensordict"]
    stored["data"] = part(stored["data"])
    return value


#: What changes a value of a library's class, by the library; it raises where it can't.
LIBRARIES: dict[str, Callable[[Any, Part], Any]] = {
    "torch": _tensor,
    "numpy": _array,
    "pandas": _table,
    "polars": _frame,
    "pyarrow": _arrow,
    "jaxlib": _jax,
    "PIL": _image,
    "scipy": _sparse,
    "sympy": _formula,
    "tensordict": _without_tensors,
}
