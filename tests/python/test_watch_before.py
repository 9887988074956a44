"""What a watch tells of what went before a hit: the latest checks, in numbers, and the last good step."""

from __future__ import annotations

import gc
import json
import math
import weakref
from typing import Any

import pytest
import torch
from torch import nn

from tensor_inspector import watch
from tensor_inspector.watching.before.gradient_norm import norm_of
from tensor_inspector.watching.before.shown import shown

GEARS = ("exact", "light")


def hit(run: Any, what: Any = "nonfinite", **options: Any) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    with watch(what, do=found.append, **options):
        run()
    before = found[0]["before"]
    json.dumps(before, allow_nan=False)
    return before  # type: ignore[no-any-return]


def checks(before: dict[str, Any], *fields: str) -> list[tuple[Any, ...]]:
    return [tuple(check[field] for field in fields) for check in before["checks"]]


def test_an_overflow_announces_itself() -> None:
    kept = []

    def run() -> None:
        kept.append(torch.full((100,), 1e10))
        for _ in range(3):
            kept.append(kept[-1] * 1e10)
        kept.append(kept[-1] - kept[-1])

    before = hit(run, "inf", gear="exact")
    assert checks(before, "operation", "magnitude") == [
        ("full", 1e10),
        ("mul", pytest.approx(1e20)),
        ("mul", pytest.approx(1e30)),
    ]
    first = run.__code__.co_firstlineno
    assert checks(before, "line") == [(first + 1,), (first + 3,), (first + 3,)]
    assert {file for (file,) in checks(before, "file")} == {__file__}


def test_of_what_is_gone_the_mean_is_told_and_no_magnitude() -> None:
    def run() -> None:
        x = torch.full((100,), 2.0)
        x = x * 3
        x = x / 0

    [made, times] = hit(run, "inf", gear="exact")["checks"]
    assert (made["magnitude"], made["mean"]) == (None, 2.0)
    assert times["magnitude"] == 6.0  # it went into the division
    assert "mean" not in times


def test_of_what_was_changed_in_place_no_magnitude_is_told() -> None:
    def run() -> None:
        x = torch.full((100,), 2.0)
        x.fill_(7.0)
        x / 0

    assert checks(hit(run, "inf", gear="exact"), "operation", "magnitude") == [("full", None), ("fill_", 7.0)]


@pytest.mark.parametrize(
    ("value", "magnitude", "text"),
    [(-3.5, 3.5, "3.5"), (-math.inf, "#inf", "Inf"), (math.nan, "#nan", None)],
)
@pytest.mark.parametrize("length", [1, 2, 500])
def test_magnitudes_travel_as_json_can_carry_them(value: float, magnitude: Any, text: str | None, length: int) -> None:
    kept = []

    def run() -> None:
        kept.append(torch.full((length,), value))
        kept.append(torch.zeros(1) / 0)

    before = hit(run, "nan", gear="exact")
    assert before["checks"][0]["magnitude"] == magnitude
    check = shown(before)["checks"][0]
    assert (check.get("largest"), check.get("nan", False)) == (text, text is None)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64, torch.complex64])
def test_magnitudes_of_each_dtype(dtype: torch.dtype) -> None:
    kept = []

    def run() -> None:
        kept.append(torch.tensor([-3.0, 2.0], dtype=dtype) * 2)
        kept.append(torch.zeros(1) / 0)

    assert checks(hit(run, "nan", gear="exact"), "operation", "magnitude")[-2:] == [("mul", 6.0), ("zeros", 0.0)]


@pytest.mark.parametrize("gear", GEARS)
def test_there_are_at_most_so_many(gear: str) -> None:
    def run() -> None:
        model = nn.Linear(2, 2)
        for _ in range(40):
            loss = model(torch.ones(1, 2)).sum()
        (loss * math.nan).backward()

    assert len(hit(run, gear=gear)["checks"]) == 16


@pytest.mark.parametrize("gear", GEARS)
def test_no_tensor_lives_longer(gear: Any) -> None:
    gc.disable()
    try:
        with watch(gear=gear, do=print):
            model = nn.Sequential(nn.Linear(2, 100), nn.Linear(100, 2))
            output = model(torch.ones(300, 2))
            output.sum().backward()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            optimizer.step()
            gone = [weakref.ref(output), weakref.ref(model), weakref.ref(model[0].weight.grad)]
            optimizer.zero_grad()
            del output, model
            assert [one() for one in gone] == [None] * 3
    finally:
        gc.enable()


def train(steps: int = 4, *, rate: Any = 0.5, found: list[tuple[float, float]] | None = None) -> None:
    """At the last step the loss is NaN. The loss and the norm of the gradients of each step are put into ``found``."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 100), nn.LayerNorm(100), nn.Linear(100, 1))
    optimizer = torch.optim.SGD(
        [{"params": model[0].parameters()}, {"params": model[2].parameters(), "lr": 0.25}], lr=rate
    )
    for step in range(steps):
        optimizer.zero_grad()
        loss = model(torch.ones(8, 4)).square().mean()
        if step == steps - 1:
            loss = loss * math.nan
        loss.backward()
        if found is not None:
            held = [*model[0].parameters(), *model[2].parameters()]
            norm = math.sqrt(sum(float(one.grad.double().square().sum()) for one in held))
            found.append((loss.item(), norm))
        optimizer.step()


@pytest.mark.parametrize("rate", [0.5, torch.tensor(0.5)])
@pytest.mark.parametrize("gear", GEARS)
def test_the_last_good_step_is_told(gear: str, rate: Any) -> None:
    expected: list[tuple[float, float]] = []
    train(found=expected)
    step = hit(lambda: train(rate=rate), gear=gear)["step"]
    loss, norm = expected[2]
    assert step == {
        "step": 2,
        "loss": pytest.approx(loss),
        "gradient_norm": pytest.approx(norm, rel=1e-4),
        "learning_rates": [0.5, 0.25],
    }


@pytest.mark.parametrize("gear", GEARS)
def test_without_a_good_step_none_is_told(gear: str) -> None:
    assert hit(lambda: train(1), gear=gear)["step"] is None


@pytest.mark.parametrize("gear", GEARS)
def test_a_step_after_a_hit_is_no_good_one(gear: str) -> None:
    found: list[dict[str, Any]] = []
    with watch(gear=gear, do=found.append, repeat=True):  # type: ignore[arg-type]
        train(2)
        torch.zeros(1, requires_grad=True).mul(math.nan).backward()
    assert {report["before"]["step"]["step"] for report in found} == {0}


def test_the_light_gear_names_modules_and_tells_what_they_returned() -> None:
    before = hit(train, gear="light")
    last = before["checks"][-3:]
    assert [(one["role"], one["module"], one["operation"]) for one in last] == [
        ("output", "0", None), ("output", "1", None), ("output", "2", None),
    ]  # fmt: skip
    assert all(one["magnitude"] > 0 for one in last)
    [loss] = [one for one in before["checks"] if one["role"] == "loss"][-1:]
    assert loss["magnitude"] == pytest.approx(before["step"]["loss"])


def test_the_exact_gear_names_nodes_and_modules() -> None:
    told = checks(hit(train, gear="exact"), "role", "operation", "module")
    assert ("gradient", "AddmmBackward0", "2") in told
    assert ("parameter", "SGD.step", None) in told
    assert ("result", "linear", "2") in told


@pytest.mark.parametrize("gear", GEARS)
def test_a_bound_has_it_too(gear: str) -> None:
    kept = []

    model, small, large = nn.Linear(1, 100), torch.ones(1, 1), torch.full((1, 1), 1e9)

    def run() -> None:
        kept.append(model(small))
        kept.append(model(large))

    [check] = hit(run, ("above", 1e6), gear=gear)["checks"]
    assert check["magnitude"] == pytest.approx(kept[0].abs().max().item())


@pytest.mark.parametrize("gear", GEARS)
def test_the_loss_is_without_the_scale_of_a_scaler(gear: str) -> None:
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)

    def run() -> None:
        weight = torch.ones(3, requires_grad=True)
        optimizer = torch.optim.SGD([weight], lr=0.1)
        scaler.scale((weight * 2).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        (weight * math.nan).sum().backward()

    step = hit(run, gear=gear)["step"]
    assert (step["loss"], step["gradient_norm"]) == (6.0, pytest.approx(math.sqrt(12)))


def test_the_norm_of_gradients_is_true_where_squares_overflow_or_are_many() -> None:
    assert norm_of([torch.full((4,), 1e30)]) == pytest.approx(2e30)
    assert norm_of([torch.full((5_000_000,), 0.1), torch.zeros(3)]) == pytest.approx(0.1 * math.sqrt(5e6), rel=1e-3)
    assert norm_of([torch.tensor([60000.0, 60000.0], dtype=torch.float16)]) == pytest.approx(60000 * math.sqrt(2))
    assert not math.isfinite(norm_of([torch.tensor([1.0, math.nan])]))
    assert not math.isfinite(norm_of([torch.tensor([1.0, math.inf])]))
    assert norm_of([]) is None
    assert norm_of([torch.ones(2).to_sparse()]) is None


def test_looking_changes_no_random_state_and_no_mode() -> None:
    state = torch.random.get_rng_state()
    hit(lambda: torch.zeros(3) / 0, "nan", gear="exact")
    assert torch.equal(state, torch.random.get_rng_state())
    assert torch.is_grad_enabled()
