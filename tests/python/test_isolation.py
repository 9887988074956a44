"""A model that is run again on request: what that touched is as it was, bit for bit, however the run ends."""

from __future__ import annotations

import pickle
import random
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from types import FrameType
from typing import Any

import numpy as np
import pytest
import torch
from switches import switch_all, switches
from torch import nn
from torch.nn import functional as F

from tensor_inspector import findings, forget
from tensor_inspector.lenses.running import generators
from tensor_inspector.lenses.running.isolation import Isolation, why_not
from tensor_inspector.safe.untouched import Untouched

DICE, TORCH_DICE, NUMPY_DICE = random.Random(2), torch.Generator().manual_seed(2), np.random.default_rng(2)


def drawn() -> float:
    return DICE.random() + float(torch.rand((), generator=TORCH_DICE)) + NUMPY_DICE.random()


class Box:
    """What a model keeps outside of its own attributes."""

    def __init__(self) -> None:
        self.count, self.kept = 0, [torch.zeros(2)]


class Restless(nn.Module):
    """Its forward changes all that a forward may change."""

    def __init__(self, ends: type[BaseException] | None = None) -> None:
        super().__init__()
        self.a, self.norm, self.b = nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 2)
        self.register_buffer("seen", torch.zeros(()))
        self.state, self.count, self.log, self.by_name = torch.zeros(8), 0, [1], {"a": 1}
        self.dice, self.torch_dice, self.numpy_dice = random.Random(1), torch.Generator(), np.random.default_rng(1)
        self.ends, self.switches = ends, False
        self.cache, self.by_key, self.array = [torch.zeros(3)], {"k": {"deep": torch.zeros(3)}}, np.zeros(3)
        self.queue, self.box, self.aside = deque([1], maxlen=4), Box(), [nn.BatchNorm1d(6)]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.count += 1
        self.log.append(self.count)
        self.by_name["b"] = 2
        self.seen += 1
        self.state.add_(1)
        self.late = 1
        self.cache[0].add_(1)
        self.by_key["k"]["deep"].add_(1)
        self.by_key["k"]["more"] = torch.zeros(1)
        self.array += 1
        self.queue.append(2)
        self.box.count += 1
        self.box.kept[0].add_(1)
        self.aside[0](x)
        self.train(not self.training)
        for parameter in self.parameters():
            parameter.data.mul_(1.01)
        noise = random.random() + np.random.rand() + float(torch.rand(())) + self.dice.random() + drawn()
        noise += self.numpy_dice.random() + float(torch.rand((), generator=self.torch_dice))
        if self.switches:
            switch_all()
        if self.ends is not None:
            raise self.ends
        out: torch.Tensor = self.b(F.dropout(self.norm(self.a(x)))) * noise
        return out


def made(ends: type[BaseException] | None = None) -> Restless:
    model = Restless(ends)
    model(torch.randn(4, 6)).sum().backward() if ends is None else None
    model.a.register_forward_hook(lambda *_: CALLED.append(1))
    model.a.register_forward_pre_hook(lambda *_: CALLED.append(1))
    return model


CALLED: list[int] = []


def picture(model: Restless) -> list[Any]:
    """All that may have changed, as bytes and identities."""
    tensors = [*model.parameters(), *model.buffers(), model.state, *model.cache, model.by_key["k"]["deep"]]
    tensors += [*model.box.kept, *model.aside[0].buffers()]
    grads = [one.grad for one in model.parameters()]
    own = [dict(vars(part)) for part in model.modules()]
    return [
        pickle.dumps((random.getstate(), np.random.get_state(), torch.get_rng_state().tolist())),
        pickle.dumps(
            (model.dice.getstate(), model.numpy_dice.bit_generator.state, model.torch_dice.get_state().tolist())
        ),
        [(id(one), one._version, one.detach().numpy().tobytes()) for one in tensors],
        [(id(one), None if one is None else (one._version, one.numpy().tobytes())) for one in grads],
        [[(name, id(value)) for name, value in part.items() if type(value) is not int] for part in own],
        [(part.training, list(part._forward_hooks)) for part in model.modules()],
        (model.count, list(model.log), dict(model.by_name), hasattr(model, "late"), len(CALLED)),
        (model.array.tobytes(), list(model.queue), model.box.count, list(model.by_key["k"]), id(model.box)),
        pickle.dumps((DICE.getstate(), TORCH_DICE.get_state().tolist(), NUMPY_DICE.bit_generator.state)),
        (*switches(), sys.gettrace()),
    ]


@pytest.mark.parametrize("ends", [None, ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("mode", [True, False])
def test_what_a_run_touches_is_put_back(ends: type[BaseException] | None, mode: bool) -> None:
    model = made(ends).train(mode)
    model.switches = True
    before = picture(model)
    assert why_not(model) is None
    for _ in range(2):
        with nullcontext() if ends is None else pytest.raises(ends), Untouched(), Isolation(model) as run:
            generators.draw()
            assert model(torch.randn(4, 6)).shape == (4, 2)
        assert (picture(model) == before) is True


def test_random_numbers_are_put_back_without_asking_whether_cuda_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked() -> bool:
        raise AssertionError("a process whose driver was asked can't use CUDA in its forks")

    monkeypatch.setattr(torch.cuda, "is_available", asked)
    before = torch.get_rng_state()
    states = list(generators.common_states())
    generators.draw()
    for put_back in states:
        put_back()
    assert torch.equal(torch.get_rng_state(), before)


def test_what_is_put_back_is_so_where_that_is_interrupted() -> None:
    model = made()
    model.switches = True
    before, struck = picture(model), []

    def interrupted() -> None:
        if not struck:
            struck.append(1)
            raise KeyboardInterrupt

    def run_and_interrupt() -> None:
        with Isolation(model) as run:
            model(torch.randn(4, 6))
            run._undo.append(interrupted)

    with pytest.raises(KeyboardInterrupt):
        run_and_interrupt()
    assert (picture(model) == before) is True


def left_with_an_interruption(model: nn.Module, at: int) -> bool:
    """Runs a model in isolation and ends that with an exception as a signal raises it, before the line ``at`` that the
    way out takes in its own functions. Whether it takes so many."""
    met = 0

    def see(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal met
        if frame.f_code.co_name not in ("__exit__", "all_undone"):
            return None
        met += event == "line"
        if event == "line" and met == at:
            raise KeyboardInterrupt
        return see

    run = Isolation(model)
    run.__enter__()
    model(torch.randn(4, 6))
    sys.settrace(see)
    try:
        run.__exit__()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def test_what_is_put_back_is_so_if_a_signal_comes_once_the_way_out_has_begun() -> None:
    model = made()
    model.switches = True
    before, at = picture(model), 2  # before the first line nothing can be caught
    while left_with_an_interruption(model, at):
        assert (picture(model) == before) is True, at
        at += 1
    assert at > 20


@pytest.mark.parametrize("context", [Untouched(), Isolation(nn.Linear(1, 1))])
def test_a_context_that_has_ended_does_not_keep_what_was_there_before(context: Any) -> None:
    undo = partial(list)
    kept = weakref.ref(undo)
    with context:
        context._undo.append(undo)
        del undo
        assert kept() is not None
    assert kept() is None


def test_two_runs_begin_with_the_same_random_numbers_unless_others_are_drawn() -> None:
    model, x, outputs = made(), torch.randn(4, 6), []
    for draws in (False, False, True):
        with Untouched(), Isolation(model) as run:
            if draws:
                generators.draw()
            outputs.append(model(x))
    assert torch.equal(outputs[0], outputs[1])
    assert not torch.equal(outputs[0], outputs[2])


def with_attribute(value: object) -> nn.Module:
    model = nn.Linear(3, 3)
    vars(model)["held"] = value
    return model


class Dispatching(torch.Tensor):
    @classmethod
    def __torch_dispatch__(cls, *_: Any) -> Any:
        raise AssertionError


def freed() -> nn.Module:
    model = nn.Linear(3, 3)
    model.weight.untyped_storage().resize_(0)
    return model


class Slotted:
    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 1


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (with_attribute(Dispatching()), "holds a Dispatching, which only its own code could copy"),
        (with_attribute([{"deep": threading.Lock()}]), "a lock, which can't be copied"),
        (with_attribute(x for x in [1]), "a generator, which can't be copied"),
        (with_attribute({Box(): 1}), "a Box as a key"),
        (with_attribute(Slotted()), "a Slotted, which can't be copied"),
        (with_attribute(np.array([object()])), "an array of objects"),
        (freed(), "Linear.weight holds a Parameter in memory that is not plain"),
        (nn.SyncBatchNorm(3), "may wait for other processes"),
    ],
)
def test_a_model_that_can_not_be_put_back_is_not_run(model: nn.Module, why: str) -> None:
    assert why in (why_not(model) or "")


def test_no_model_runs_where_other_processes_may_have_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.distributed, "get_world_size", lambda: 2)
    assert why_not(nn.Linear(3, 3)) == "other processes would have to run it too"


class Undone(nn.Module):
    """Removes hooks by their handles, and becomes of another class. Holds a module that was never initialized."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.handles = [
            self.layer.register_forward_hook(lambda *_: None, with_kwargs=True),
            self.layer.register_forward_pre_hook(lambda *_: None),
            nn.modules.module.register_module_forward_hook(lambda *_: None),
        ]
        vars(self)["bare"] = nn.Module.__new__(nn.Linear)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        vars(self.bare)["made"] = True
        for handle in self.handles:
            handle.remove()
        self.__class__ = nn.Identity  # type: ignore[assignment]
        return x


def test_hooks_that_a_run_removes_and_the_class_of_a_module_are_put_back() -> None:
    model = Undone()
    layer, common = model.layer, nn.modules.module._global_forward_hooks
    before = [dict(hooks) for hooks in (layer._forward_hooks, layer._forward_pre_hooks, common)]
    try:
        with Isolation(model):
            model(torch.ones(2))
            assert type(model) is nn.Identity
        assert type(model) is Undone
        assert vars(model.bare) == {}
        assert [layer._forward_hooks, layer._forward_pre_hooks, common] == before
        assert all(before)
        assert set(layer._forward_hooks_with_kwargs) == set(layer._forward_hooks)
    finally:
        model.handles[-1].remove()


def test_a_wrapper_that_a_run_leaves_out_is_not_watched() -> None:
    model, seen = nn.Sequential(nn.DataParallel(nn.Linear(2, 2))), list[type]()

    def note(module: nn.Module, *_: Any) -> None:
        seen.append(type(module))

    with Untouched(), Isolation(model) as run:
        run.watch(note, note, note)
        model(torch.ones(1, 2))
    assert nn.Linear in seen
    assert nn.DataParallel not in seen
    assert [len(hooks) for name, hooks in vars(model[0]).items() if "_hooks" in name and hooks] == []


def test_hooks_of_all_modules_are_not_called() -> None:
    called: list[int] = []
    hooks = [
        nn.modules.module.register_module_forward_hook(lambda *_: called.append(1)),
        nn.modules.module.register_module_forward_pre_hook(lambda *_: called.append(1)),
    ]
    try:
        model = nn.Linear(3, 3)
        with Untouched(), Isolation(model):
            model(torch.randn(2, 3))
        assert called == []
        model(torch.randn(2, 3))
        assert len(called) == 2
    finally:
        for hook in hooks:
            hook.remove()


NORM = nn.BatchNorm1d(3)


def normed(x: torch.Tensor) -> Any:
    return NORM(x)


class Named(nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return normed(x)


class Scorer:
    def __init__(self) -> None:
        self.norm, self.calls = nn.BatchNorm1d(3), 0

    def score(self, x: torch.Tensor) -> Any:
        self.calls += 1
        return self.norm(x)


def closed_over(norm: nn.Module) -> Callable[[torch.Tensor], Any]:
    return lambda x: norm(x)


@pytest.mark.parametrize(
    "make",
    [
        lambda: (Named(), NORM), lambda: (normed, NORM),
        lambda: (closed_over(norm := nn.BatchNorm1d(3)), norm),
        lambda: ((scorer := Scorer()).score, scorer.norm),
        lambda: (partial(Scorer.score, scorer := Scorer()), scorer.norm),
    ],
)  # fmt: skip
def test_modules_that_code_names_or_is_bound_to_are_put_back(make: Callable[[], tuple[Any, nn.BatchNorm1d]]) -> None:
    called, norm = make()
    before = (norm.num_batches_tracked, int(norm.num_batches_tracked))
    assert why_not(called) is None
    with Untouched(), Isolation(called) as run:
        run.copy(called)(torch.randn(4, 3))
        assert int(norm.num_batches_tracked) == before[1] + 1
    assert (norm.num_batches_tracked is before[0], int(norm.num_batches_tracked)) == (True, before[1])


def test_what_is_given_is_copied() -> None:
    x = torch.ones(2, requires_grad=True)
    given = {"x": x, "again": [x], "box": Box()}
    with Untouched(), Isolation(given) as run:
        copied = run.copy(given)
        assert copied["x"] is copied["again"][0] is not x
        assert copied["x"].requires_grad
        copied["x"].add_(1)
        copied["box"].kept[0].add_(1)
    assert torch.equal(x, torch.ones(2))
    assert float(given["box"].kept[0].sum()) == 0


class Sharing(nn.Module):
    """Writes to one of two values over the same memory, and reads the other."""

    def __init__(self, held: Callable[[torch.Tensor], dict[str, Any]]) -> None:
        super().__init__()
        vars(self).update(held(torch.zeros(3, 4)))

    def forward(self) -> Any:
        self.written[...] = 2
        return self.read.sum()


@pytest.mark.parametrize(
    "held",
    [
        lambda memory: {"read": memory, "written": memory[1]},
        lambda memory: {"written": memory[1], "read": memory},
        lambda memory: {"written": memory.t(), "read": memory[:, 1::2]},
        lambda memory: {"written": memory.view(torch.int32)[2], "read": memory},
        lambda memory: {"written": memory[:1], "read": memory[0].expand(5, 4)},
        lambda memory: {"read": memory, "written": memory.numpy()[1]},
        lambda memory: {"written": memory.numpy()[1:], "read": memory},
        lambda memory: {"written": memory.numpy()[1, ::-1], "read": memory.numpy()},
        lambda memory: {"read": (columns := np.zeros((3, 4), order="F")), "written": columns.T[1:]},
        lambda memory: {"read": memory, "written": torch.from_numpy(memory.numpy()[:2])},
        lambda memory: {"written": torch.from_numpy(memory.numpy()[:2]), "read": memory},
        lambda memory: {"written": torch.from_numpy(memory.numpy()[:2]), "read": memory.numpy()},
        lambda memory: {"read": memory.numpy(), "written": torch.from_numpy(memory.numpy()[:2])},
    ],
)
def test_copies_share_the_memory_that_what_they_are_of_shares(held: Callable[[torch.Tensor], dict[str, Any]]) -> None:
    model = Sharing(held)
    with Untouched(), Isolation(model):
        found = model()
    assert float(model.read.sum()) == 0
    assert found == model() > 0


def test_memory_that_is_seen_as_longer_later_is_copied_to_its_end() -> None:
    numbers = np.arange(100_000.0)
    few, all_of_them = torch.from_numpy(numbers[:2]), torch.from_numpy(numbers)
    for first, second in ((few, all_of_them), (few.numpy(), all_of_them.numpy()), (few.numpy(), all_of_them)):
        with Untouched(), Isolation(nn.Linear(1, 1)) as run:
            run.copy(first)[...] = -1
            copied = torch.as_tensor(run.copy(second))
        assert torch.equal(copied[2:], all_of_them[2:])
        assert torch.equal(all_of_them[:2], torch.tensor([0.0, 1.0], dtype=torch.float64))


def test_of_large_memory_no_more_is_copied_than_is_seen() -> None:
    memory = torch.zeros(1 << 23)
    with Untouched(), Isolation(nn.Linear(1, 1)) as run:
        copied = run.copy(memory[:8]), run.copy(memory.numpy()[:8])
    assert [copied[0].untyped_storage().nbytes(), copied[1].nbytes] == [32, 32]
    assert copied[1].base is None


def test_what_can_not_be_copied_may_be_used_itself() -> None:
    lock, rows = threading.Lock(), [(Box(), number) for number in range(30_000)]
    held = {"lock": [lock], "rows": rows, "slotted": Slotted(), "tensor": torch.ones(1)}
    assert why_not(held) is not None
    with Untouched(), Isolation(held, keep_uncopied=True) as run:
        copied = run.copy(held)
        assert copied is not held
        assert copied["lock"][0] is lock
        assert copied["rows"] is not rows
        assert copied["rows"][-1] is rows[-1]
        assert copied["slotted"] is held["slotted"]
        assert run.copy(held["tensor"]) is not held["tensor"]


def score(model: nn.Module, x: torch.Tensor, stop: Callable[[], None]) -> Any:
    with torch.no_grad():
        stop()
        return model(x)


@pytest.mark.parametrize("run", [False, True])
def test_findings_run_a_model_only_when_asked_to(run: bool) -> None:
    model, pictures, found = made().eval(), [], []

    def stop() -> None:
        pictures.append(picture(model))
        found.append(findings(sys._getframe(1), run=run))
        pictures.append(picture(model))

    score(model, torch.randn(8, 6), stop)
    forget()
    assert (pictures[0] == pictures[1]) is True
    assert ("batch-mixing" in found[0].checked) is run
    assert [one["rule"] for one in found[0]] == (["dropout-in-eval", "batch-mixing"] if run else ["dropout-in-eval"])


def test_why_a_model_is_not_run_is_said() -> None:
    model, found = made().eval(), []
    vars(model)["lock"] = threading.Lock()
    score(model, torch.randn(8, 6), lambda: found.append(findings(sys._getframe(1), run=True)))
    forget()
    reason = dict(found[0].skipped)["batch-mixing"]
    assert reason.startswith("model is not run: Restless.lock holds a lock")


def test_a_model_that_ends_the_program_does_not() -> None:
    model, found = made(SystemExit).eval(), []
    before = picture(model)
    with pytest.raises(SystemExit):
        score(model, torch.randn(8, 6), lambda: found.append(findings(sys._getframe(1), run=True)))
    forget()
    assert dict(found[0].skipped)["batch-mixing"] == "model raises when it is run again"
    assert model.count == before[6][0] + 1


def test_that_nothing_can_be_told_of_what_a_model_gives_is_said() -> None:
    class InDict(nn.Linear):
        def forward(self, x: torch.Tensor) -> Any:
            return {"logits": super().forward(x)}

    model, found = InDict(6, 2).eval(), []
    score(model, torch.randn(8, 6), lambda: found.append(findings(sys._getframe(1), run=True)))
    forget()
    assert dict(found[0].skipped)["batch-mixing"] == "what model gives is no plain tensor of floats"


def test_what_is_compiled_is_not_compiled_again() -> None:
    counters = pytest.importorskip("torch._dynamo.utils").counters
    inner, found = made().eval(), []
    model: Any = torch.compile(inner, backend="eager")

    def stop() -> None:
        before = {name: dict(amounts) for name, amounts in counters.items()}
        found.append(findings(sys._getframe(1), run=True))
        assert {name: dict(amounts) for name, amounts in counters.items()} == before

    try:
        score(model, torch.randn(8, 6), stop)
        assert why_not(with_attribute([model])) == "a part of it is compiled"
    finally:
        torch._dynamo.reset()
        counters.clear()  # by them the helper tells, in other tests too, whether something was compiled
        forget()
    assert "batch-mixing" in found[0].checked
