"""Notes each call of a layer while a module runs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from time import perf_counter
from typing import Any

from ...kinds.torch.module import Module
from ...safe.budget import Budget
from ...safe.guard import class_name, module
from ...safe.untouched import Untouched
from ..model.submodule import Submodule
from .call import LayerRun
from .tensors import Measured, Readings, tensor_data, tensors_in

torch: Any = module("torch")
_MOST = 20_000  #: calls that are noted


class Recorder:
    """What hooks before and after each layer tell. The time that noting takes is no layer's."""

    def __init__(self, layers: Mapping[int, Submodule]) -> None:
        self.calls: list[LayerRun] = []
        self.left_out = 0
        self._layers = layers
        #: Layers under way, the places of their calls (−1: left out), when each began, and our time until then.
        self._open: list[tuple[Any, int, float, float]] = []
        self._ours = 0.0
        self._times: dict[int, int] = {}
        self._readings = Readings()

    def before(self, layer: Any, args: Any, kwargs: Any) -> None:
        started, place = perf_counter(), len(self.calls)
        with Untouched():
            if place < _MOST:
                call = self._begun(layer)
                call.inputs = [tensor_data(where, one, None) for where, one in _given(args, kwargs)]
                self.calls.append(call)
            else:
                self.left_out, place = self.left_out + 1, -1
            _wait()
        now = perf_counter()
        self._ours += now - started
        self._open.append((layer, place, now, self._ours))

    def after(self, layer: Any, args: Any, kwargs: Any, output: Any) -> None:
        with Untouched():
            _wait()
            now = perf_counter()
            while self._open:
                begun, place, began, ours = self._open.pop()
                if begun is layer:
                    if place >= 0:
                        self._note(self.calls[place], args, kwargs, output)
                        self.calls[place].ms = (now - began - (self._ours - ours)) * 1000
                    break  # those above it have raised, and that was caught
        self._ours += perf_counter() - now

    def fail(self) -> LayerRun | None:
        """The module has raised: the innermost call that was under way."""
        running = [self.calls[place] for _, place, _, _ in self._open if place >= 0]
        for call in running[:-1]:
            call.state = "inside"
        return running[-1] if running else None

    def settle(self) -> None:
        """All calls were noted."""
        looks: dict[Hashable, int] = {}
        for call in self.calls:
            if call.parent >= 0:
                self.calls[call.parent].below.append(call)
        for call in reversed(self.calls):
            call.alike = looks.setdefault(call.look(), len(looks))

    def depths(self) -> list[int]:
        found: list[int] = []
        for call in self.calls:
            found.append(0 if call.parent < 0 else found[call.parent] + 1)
        return found

    def _begun(self, layer: Any) -> LayerRun:
        parent = self._open[-1][1] if self._open else -1
        known = self._layers.get(id(layer))
        self._times[id(layer)] = number = self._times.get(id(layer), 0) + 1
        if known is None:  # it is registered nowhere
            words = Module(layer, Budget()).head
            return LayerRun(layer, "", class_name(type(layer)), words, 0, parent, number)
        return LayerRun(layer, known.name, known.key, known.words, known.total.parameters, parent, number)

    def _note(self, call: LayerRun, args: Any, kwargs: Any, output: Any) -> None:
        call.state = "done"
        call.returned = class_name(type(output))
        call.outputs = [tensor_data(where, one, self._readings.of(one)) for where, one in tensors_in(output)]
        if not any(call.bad()):
            return
        given = (self._readings.of(one) for _, one in _given(args, kwargs))
        call.begins = not call.bad_below and not any(map(_is_bad, given))
        if call.parent >= 0:
            self.calls[call.parent].bad_below = True


def _given(args: Any, kwargs: Any) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for at, one in enumerate(args):
        found.extend((f"[{at}]{place}", tensor) for place, tensor in tensors_in(one))
    for name, one in kwargs.items():
        found.extend((f"{name}{place}", tensor) for place, tensor in tensors_in(one))
    return found


def _is_bad(numbers: Measured | None) -> bool:
    return numbers is not None and numbers.nan + numbers.inf > 0


def _wait() -> None:
    """For what was given to devices to be done, so that each layer's time is its own."""
    cuda = torch.cuda
    if cuda.is_initialized() and not cuda.is_current_stream_capturing():
        cuda.synchronize()
