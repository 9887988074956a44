"""Notes each call of a layer while a module runs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from time import perf_counter
from typing import Any

from ...kinds.torch.compiled import module_words
from ...safe.budget import Budget
from ...safe.guard import class_attribute, class_name, module
from ...safe.untouched import Untouched
from ..model.submodule import Submodule
from .call import LayerRun
from .tensors import TensorPath, ValueRange, ValueRanges, tensor_data, tensors_in

torch: Any = module("torch")
_MOST = 20_000  #: calls that are noted
_LISTED = 32  #: tensors listed of a call's inputs, and of its outputs; further ones are counted


class Recorder:
    """Records each call by hooks before and after each layer. The time that recording takes is not counted."""

    def __init__(self, layers: Mapping[int, Submodule]) -> None:
        self.calls: list[LayerRun] = []
        self.left_out = 0
        self._layers = layers
        #: Layers under way, the places of their calls (−1: left out), when each began, and our time until then.
        self._open: list[tuple[Any, int, float, float]] = []
        self._ours = 0.0
        self._times: dict[int, int] = {}
        self._ranges = ValueRanges()

    def before(self, layer: Any, args: Any, kwargs: Any) -> None:
        started, index = perf_counter(), len(self.calls)
        with Untouched():
            if index < _MOST:
                call = self._begun(layer)
                given = _argument_tensors(args, kwargs)
                call.inputs = [tensor_data(where, one, None) for where, one in given[:_LISTED]]
                call.more_inputs = len(given) - len(call.inputs)
                self.calls.append(call)
            else:
                self.left_out, index = self.left_out + 1, -1
            _wait()
        now = perf_counter()
        self._ours += now - started
        self._open.append((layer, index, now, self._ours))

    def after(self, layer: Any, args: Any, kwargs: Any, output: Any) -> None:
        with Untouched():
            _wait()
            now = perf_counter()
            if self._is_under_way(layer):
                _, index, began, ours = self._open[-1]
                if index >= 0:
                    self._note(self.calls[index], args, kwargs, output)
                    self.calls[index].ms = (now - began - (self._ours - ours)) * 1000
        self._ours += perf_counter() - now

    def ended(self, layer: Any, *_: Any) -> None:
        """It is over, whether it has raised or not."""
        if self._is_under_way(layer):
            self._open.pop()

    def _is_under_way(self, layer: Any) -> bool:
        """Whether it has begun; then what had begun inside it is over: that has raised, which was caught."""
        at = next((at for at in reversed(range(len(self._open))) if self._open[at][0] is layer), None)
        if at is not None:
            del self._open[at + 1 :]
        return at is not None

    def fail(self, error: BaseException) -> LayerRun | None:
        """The module has raised: the innermost call that the exception came through."""
        found: LayerRun | None = None
        index = -1
        for layer in _came_through(error):
            for at in reversed(range(index + 1, len(self.calls))):
                call = self.calls[at]
                if call.module is layer and call.parent == index and call.state == "raised":
                    if found is not None:
                        found.state = "inside"
                    found, index = call, at
                    break
        return found

    def is_lazy(self) -> bool:
        """Whether some layers were not initialized when it began."""
        return any(layer.total.lazy for layer in self._layers.values())

    def update_layers(self, layers: Mapping[int, Submodule]) -> None:
        """What the layers are now that they have run."""
        for call in self.calls:
            known = layers.get(id(call.module))
            if known is not None:
                call.words, call.parameters = known.words, known.total.parameters

    def settle(self) -> None:
        """All calls were noted."""
        signatures: dict[Hashable, int] = {}
        for call in self.calls:
            if call.parent >= 0:
                self.calls[call.parent].below.append(call)
        for call in reversed(self.calls):
            call.alike = signatures.setdefault(call.signature(), len(signatures))

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
            words = module_words(layer, Budget())
            return LayerRun(layer, "", class_name(type(layer)), words, 0, parent, number)
        above = self.calls[parent].name if parent >= 0 else ""
        key = known.name[len(above) + 1 :] if above and known.name.startswith(f"{above}.") else known.name
        return LayerRun(layer, known.name, key, known.words, known.total.parameters, parent, number)

    def _note(self, call: LayerRun, args: Any, kwargs: Any, output: Any) -> None:
        call.state = "done"
        call.returned = class_name(type(output))
        for where, one in tensors_in(output, TensorPath()):
            numbers = self._ranges.of(one)
            if len(call.outputs) < _LISTED:
                call.outputs.append(tensor_data(where, one, numbers))
            else:
                call.more_outputs += 1
            if numbers is not None:
                call.add(numbers)
        if not call.nan and not call.inf:
            return
        given = (self._ranges.of(one) for _, one in _argument_tensors(args, kwargs))
        call.begins = not call.bad_below and not any(map(_is_bad, given))
        if call.parent >= 0:
            self.calls[call.parent].bad_below = True


def _came_through(error: BaseException) -> Iterator[Any]:
    """The modules whose calls an exception came through, the outermost first."""
    code = getattr(class_attribute(torch.nn.Module, "_call_impl"), "__code__", None)
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code is code:
            yield step.tb_frame.f_locals.get("self")
        step = step.tb_next


def _argument_tensors(args: Any, kwargs: Any) -> list[tuple[TensorPath, Any]]:
    found: list[tuple[TensorPath, Any]] = []
    for at, one in enumerate(args):
        found += tensors_in(one, TensorPath().item(at))
    for name, one in kwargs.items():
        found += tensors_in(one, TensorPath(name, name))
    return found


def _is_bad(numbers: ValueRange | None) -> bool:
    return numbers is not None and numbers.nan + numbers.inf > 0


def _wait() -> None:
    """Waits for queued work of the devices, so that it is counted in the layer that queued it."""
    cuda = torch.cuda
    if cuda.is_initialized() and not cuda.is_current_stream_capturing():
        cuda.synchronize()
