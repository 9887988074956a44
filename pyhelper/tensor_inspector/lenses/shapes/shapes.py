"""The lens `shapes`: runs a module on inputs and lists the inputs and outputs of each layer. All is restored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...kinds import Child
from ...measure.torch.modules import is_module
from ...safe.budget import Budget
from ...safe.guard import class_attribute, instance_dict, module
from ..lens import Lens, Paused, wrong_type
from ..model.submodule import Submodule
from ..model.tree import ModuleTree
from ..running.call_arguments import CallArguments
from ..running.deep_copy import CannotCopy
from ..running.isolation import Isolation, inner_model, why_not
from ..running.unguarded import Unguarded
from .arguments import arguments
from .failure import Failure
from .recorder import Recorder
from .rows import row_of
from .table import table

if TYPE_CHECKING:
    from ...protocol import Found, ShapesFound

torch: Any = module("torch")


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    """About ``values["module"]``, called with ``input1``, ``input2`` …, the last of which the option ``names`` names.
    Raises ``TypeError`` or ``ValueError`` where it can't be run."""
    asked, given = values["module"], CallArguments.of(values, options)
    if not is_module(asked.value):
        raise wrong_type(asked, "a torch.nn.Module")
    model = inner_model(asked.value)
    if "forward" not in instance_dict(model) and class_attribute(type(model), "forward") is torch.nn.Module.forward:
        raise TypeError(f"{asked.name} has no forward of its own: its layers are called by others")
    given.refuse_none(model)
    why = why_not(model, shares=True, lazy=True) or next(
        filter(None, (_why_not_taken(one) for one in given.all())), None
    )
    if why is not None:
        raise ValueError(f"{asked.name} is not run: {why}")
    _, by_key = arguments(model, [one.value for one in given.positional])
    twice = next((one.name for one in given.named if one.name in by_key), None)
    if twice is not None:
        holder = given.positional[0].name
        raise ValueError(f"{twice} is given twice, as an entry of {holder} and by name: leave one out")
    return ShapesLens(asked, model, given, budget)


class ShapesLens(Lens):
    """Runs once, in one slice."""

    def __init__(self, asked: Child, model: Any, given: CallArguments, budget: Budget) -> None:
        super().__init__(budget)
        self._asked = asked
        self._model = model
        self._given = given
        self._recorder = Recorder(self._layers())
        self._failure: Failure | None = None
        self._hooks = 0  #: of the program, which were not called

    def go_on(self) -> bool:
        try:
            self._run()
        except (CannotCopy, RuntimeError) as error:  # there is no memory for copies
            self._failure = Failure(error, None)
        self._recorder.settle()
        return True

    def _run(self) -> None:
        given, recorder = self._given, self._recorder
        with Isolation(self._model, *(one.value for one in given.all()), shares=True, lazy=True) as run:
            self._hooks = run.hooks_left_out
            run.watch(recorder.before, recorder.after, recorder.ended)
            positional, named = arguments(self._model, [run.copy(one.value) for one in given.positional])
            named.update((one.name, run.copy(one.value)) for one in given.named)
            try:
                with Unguarded(self.guard), run.read_only():
                    _called(self._model, positional, named)
            except (Exception, SystemExit) as error:
                self._failure = Failure(_of_the_program(error), recorder.fail(error))
            if recorder.is_lazy():
                recorder.update_layers(self._layers())

    def _layers(self) -> dict[int, Submodule]:
        tree = ModuleTree(self._model, self._asked.suffix)
        tree.go_on(Budget())
        return {id(one.module): one for one in reversed(tree.modules)}

    def progress(self) -> float:
        return 0.0

    def found(self) -> Found:
        calls, failure = self._recorder.calls, self._failure
        answer: ShapesFound = {
            "lens": "shapes",
            "calls": len(calls) + self._recorder.left_out,
            "ms": calls[0].ms if calls else None,
            "hooks": self._hooks,
            "error": None if failure is None else failure.data(),
            "rows": [call.data(depth) for call, depth in zip(calls, self._recorder.depths())],
        }
        return answer

    def row(self) -> Child:
        return row_of(f"shapes of {self._asked.name}", self._recorder, self._failure, self._hooks)

    def text(self) -> str:
        return table(self._recorder, self._failure, self._hooks)


def _why_not_taken(given: Child) -> str | None:
    why = why_not(given.value)
    return None if why is None else f"{given.name} {why}"


def _called(model: Any, inputs: tuple[Any, ...], named: dict[str, Any]) -> None:
    """By these names an exception is explained, where no code of the program has others."""
    model(*inputs, **named)


def _of_the_program(error: BaseException) -> BaseException:
    """The exception without our outer frame, which has names of our own."""
    trace: Any = error.__traceback__
    return error if trace is None else error.with_traceback(trace.tb_next)
