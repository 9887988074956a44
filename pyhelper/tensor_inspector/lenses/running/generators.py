"""Random generators: those of the libraries, and those that the program made."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ...safe.guard import ByClass, instance_dict, module

torch: Any = module("torch")
_GENERATORS = (("random", "Random"), ("numpy.random", "Generator"), ("numpy.random", "RandomState"))


def is_generator(value: Any) -> bool:
    """Whether its state can be read and set back."""
    return _is_of_generators(type(value))


def _is_generator_class(cls: type) -> bool:
    if cls is torch.Generator:
        return True
    libraries: Any = ((sys.modules.get(library), name) for library, name in _GENERATORS)
    return any(cls is instance_dict(library).get(name) for library, name in libraries if library is not None)


_is_of_generators = ByClass(_is_generator_class)


def common_states() -> Iterator[Callable[[], object]]:
    """Functions that restore the present states of the global generators of Python, numpy and torch."""
    python: Any = sys.modules.get("random")
    if python is not None:
        yield partial(python.setstate, python.getstate())
    numpy: Any = sys.modules.get("numpy.random")
    if numpy is not None:
        yield partial(numpy.set_state, numpy.get_state())
    yield partial(torch.set_rng_state, torch.get_rng_state())
    if torch.cuda.is_initialized():  # asking whether CUDA is available would begin it in a process that has not
        for number in range(torch.cuda.device_count()):
            yield partial(torch.cuda.set_rng_state, torch.cuda.get_rng_state(number), number)


def state_of(generator: Any) -> Callable[[], object]:
    """A function that restores the present state of a generator of the program."""
    if type(generator) is torch.Generator:
        return partial(generator.set_state, generator.get_state())
    if hasattr(generator, "bit_generator"):
        bits = generator.bit_generator
        return partial(setattr, bits, "state", bits.state)
    names = ("setstate", "getstate") if hasattr(generator, "getstate") else ("set_state", "get_state")
    return partial(getattr(generator, names[0]), getattr(generator, names[1])())


def draw() -> None:
    """Advances all global generators."""
    torch.rand(7)
    if torch.cuda.is_initialized():
        for number in range(torch.cuda.device_count()):
            torch.rand(7, device=f"cuda:{number}")
    for name in ("random", "numpy.random"):
        library: Any = sys.modules.get(name)
        if library is not None:
            library.random()
