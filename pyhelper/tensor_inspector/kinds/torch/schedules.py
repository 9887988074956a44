"""Learning-rate schedulers and gradient scalers."""

from __future__ import annotations

from collections.abc import Iterable

from ...safe.guard import instance_dict
from ...words.text import exact_number, listed, number, plural
from ..families import by_home
from ..python.callables import name_of
from ..python.objects import WordedObject, brief
from .training import rate, scalar

_BOOKKEEPING = ("last_epoch", "verbose", "mode_worse", "default_min_lr", "num_bad_epochs", "cooldown_counter", "best")


class Scheduler(WordedObject):
    """A scheduler: its step, the first and the present learning rate, and its settings."""

    needs = ("optimizer",)

    def words(self) -> Iterable[str | None]:
        step = self.attr("last_epoch")
        return [
            f"step {step}" if type(step) is int else None,
            self._lr(),
            *self._progress_words(),
            self._settings() or None,
        ]

    def fact_rows(self) -> list[list[str]]:
        optimizer = self.attr("optimizer")
        trains = None if optimizer is None else brief(optimizer, self)
        known = (("lr", self._lr()), ("made with", self._settings()), ("optimizer", trains))
        return [[name, text] for name, text in known if text]

    def _lr(self) -> str | None:
        """``lr 0.1 → 0.01``, of each group."""
        last = _rates(self.attr("_last_lr"))
        if not last:
            return None
        first = _rates(self.attr("base_lrs"))
        changes = [f"{before} → {now}" if before != now else now for before, now in zip(first or last, last)]
        return "lr " + " and ".join(list(dict.fromkeys(changes))[:3])

    def _progress_words(self) -> list[str | None]:
        return []

    def _settings(self) -> str:
        """Its settings: the numbers and texts in its public attributes."""
        texts = []
        for name, value in list(instance_dict(self.value).items()):
            if name in _BOOKKEEPING or name.startswith("_"):
                continue
            if type(value) is str:
                texts.append(f"{name} {value}")
            elif type(value) is bool:
                texts += [name] if value else []
            elif type(value) is int or type(value) is float:
                texts.append(f"{name} {exact_number(value)}")
            elif name == "milestones" and issubclass(type(value), dict):
                steps = sorted(step for step in dict.keys(value) if type(step) is int)
                texts.append(f"milestones {listed(map(str, steps), False, 40)}")
            elif name == "lr_lambdas" and type(value) is list:
                texts.append(listed((name_of(function) for function in value if function is not None), False, 40))
        return listed(texts, False, 48)


class ReduceOnPlateau(Scheduler):
    """`ReduceLROnPlateau`: its best metric, and the number of epochs without improvement."""

    def _progress_words(self) -> list[str | None]:
        best, bad = scalar(self.attr("best")), self.attr("num_bad_epochs")
        if best is None or best - best != 0 or type(bad) is not int:  # it begins with the worst there is, Inf
            return []
        return [f"best {number(best)}, {plural(bad, 'epoch')} not better"]


class CombinedScheduler(Scheduler):
    """Several schedulers in sequence, or all at once."""

    def _progress_words(self) -> list[str | None]:
        parts = self.attr("_schedulers")
        if type(parts) is not list:
            return []
        names = [brief(part, self) for part in parts]
        step, milestones = self.attr("last_epoch"), self.attr("_milestones")
        if type(milestones) is not list or type(step) is not int or not all(type(at) is int for at in milestones):
            return [listed(names, False, 60)]
        now = sum(at <= step for at in milestones)
        shown = [f"[{name}]" if index == now else name for index, name in enumerate(names)]
        return [f"{' then '.join(shown)} at {listed(map(str, milestones), False, 30)}"]


class GradScaler(WordedObject):
    """A ``GradScaler``. Its scale lives on the device, and is shown where it can be read now."""

    needs = ("_enabled",)

    def words(self) -> Iterable[str | None]:
        if self.attr("_enabled") is False:
            yield "disabled"
            return
        scale, tracker, interval = self.attr("_scale"), self.attr("_growth_tracker"), self.attr("_growth_interval")
        if scale is None:
            yield f"scale {rate(self.attr('_init_scale'))}"
            yield "not used yet"
            return
        unread, steps = "" if scalar(scale) is not None else ": not read", scalar(tracker)
        yield f"scale {rate(scale)}{unread}"
        if steps is not None and type(interval) is int:
            yield f"{plural(int(steps), 'good step')} of {interval:,} to growth"


def _rates(found: object) -> list[str]:
    return [rate(item) for item in found] if type(found) is list else []


kind_for = by_home(
    {
        CombinedScheduler: ("SequentialLR", "ChainedScheduler"),
        ReduceOnPlateau: ("ReduceLROnPlateau",),
        Scheduler: ("LRScheduler", "_LRScheduler"),
        GradScaler: ("GradScaler",),
    },
    "torch",
)
