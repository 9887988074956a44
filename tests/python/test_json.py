"""Every answer is data that JSON can carry, whatever numbers it is about."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from torch import nn
from torch.utils.data import Dataset

import tensor_inspector as ti

ROWS = torch.tensor([[1.0, nan, inf], [3e38, -inf, -3e38]])


class Hostile(Dataset[Any]):
    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> Any:
        return {"a": torch.tensor([inf, -inf]), "b": inf, "c": [inf, nan], "d": np.float64(nan)}


class WrongBackward(torch.autograd.Function):
    gradient = nan

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return torch.full_like(gradients[0], WrongBackward.gradient)


def model() -> nn.Sequential:
    made = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 2))
    with torch.no_grad():
        made[0].weight[0, 0], made[2].bias[0] = inf, nan
    return made


def trained() -> tuple[nn.Sequential, torch.optim.Optimizer, torch.Tensor]:
    made = model()
    optimizer = torch.optim.SGD(made.parameters(), lr=inf)
    loss = made(ROWS).sum()
    loss.backward()
    return made, optimizer, made(ROWS).sum()


def explained() -> Any:
    try:
        return nn.functional.cross_entropy(ROWS, torch.tensor([5, -1]))
    except IndexError as error:
        return ti.explain(error)


def gradcheck_of(gradient: float) -> Any:
    WrongBackward.gradient = gradient
    return ti.gradcheck(WrongBackward.apply, torch.tensor([0.0, 1.0], requires_grad=True))


VALUES: dict[str, Any] = {
    "labels of samples": [(torch.ones(2), inf), (torch.zeros(2), -inf), (torch.zeros(2), nan)],
    "labels": (ROWS, torch.tensor([inf, -inf])),
    "labels of arrays": (ROWS.numpy(), np.array([nan, inf])),
    "numbers": [1.0, inf, nan, -inf],
    "huge integers": [10**400, 5],
    "one huge integer": {"y": 10**5000},
    "huge floats": [1e308, 1e308],
    "complex": np.array([complex(nan, inf), 1j, 1j]),
    "complex tensor": torch.tensor([complex(inf, nan), 1j]),
    "half": torch.tensor([inf] * 4).half(),
    "long doubles": np.array([np.longdouble("1e4000"), np.longdouble(inf)]),
    "sparse": ROWS.to_sparse(),
    "objects": np.array([inf, None], dtype=object),
    "pandas": pd.DataFrame({"a": [1, inf, nan], "d": [inf] * 3, "o": [inf, "x", 1], "t": [pd.NaT] * 3}),
    "polars": pl.DataFrame({"a": [1.0, inf, nan], "d": [-inf] * 3}),
    "categories": pd.DataFrame({"c": pd.Categorical([inf, 1.0, inf])}),
    "numpy's": [np.float64(inf), np.float32(nan)],
}
ANSWERS: dict[str, Callable[[], Any]] = {
    **{f"batch of {name}": lambda value=value: ti.batch(value) for name, value in VALUES.items()},
    **{f"compare {name}": lambda value=value: ti.compare(ROWS, value) for name, value in VALUES.items()},
    "item": lambda: ti.item(Hostile()),
    "dataset": lambda: ti.batch(Hostile()),
    "model": lambda: ti.model(model()),
    "memory": lambda: ti.memory(),
    "referrers": lambda: ti.referrers(ROWS),
    "shapes": lambda: ti.shapes(model(), ROWS),
    "gradcheck": lambda: ti.gradcheck(model(), ROWS),
    "gradcheck of NaN": lambda: gradcheck_of(nan),
    "gradcheck of Inf": lambda: gradcheck_of(-inf),
    "environment": ti.environment,
    "report": lambda: ti.report(values=True),
    "explain": explained,
    "findings": lambda: trained() and ti.findings(thorough=True),
    "observations": lambda: trained() and ti.observations(),
    "gradients": lambda: ti.gradients(trained()[0]),
    "gradients of an optimizer": lambda: ti.gradients(trained()[1]),
    "picture": lambda: ti.picture(ROWS),
    "picture of a complex": lambda: ti.picture(VALUES["complex tensor"]),
    "picture of half": lambda: ti.picture(VALUES["half"]),
    "nan origin": lambda: ti.nan_origin(trained()[2]),
    "no gradient": lambda: ti.no_gradient(model()),
    "autograd": lambda: ti.autograd(trained()[2]),
    "compare models": lambda: ti.compare(model(), nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 2))),
    "compare numbers": lambda: ti.compare({"a": inf, "b": [nan, 1.0]}, {"a": -inf, "b": [inf, 2.0]}),
    "compare the largest": lambda: ti.compare(np.array([-1.7e308]), np.array([1.7e308])),
    "compare with Inf": lambda: ti.compare(torch.ones(4), torch.full((4,), inf)),
}


def test_every_function_whose_answer_is_data_is_among_them() -> None:
    asked = {name for ask in ANSWERS.values() for name in (ask.__name__, *ask.__code__.co_names)}
    assert set(ti.__all__) - asked == {"NonFinite", "facts", "forget", "rules", "summarize", "tree", "watch"}


@pytest.mark.parametrize("case", ANSWERS)
def test_every_answer_is_strict_json(case: str) -> None:
    answer = ANSWERS[case]()
    data = answer.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert str(answer)


def test_the_rules_are_strict_json() -> None:
    assert json.loads(json.dumps(ti.rules(), allow_nan=False)) == ti.rules()


def test_what_a_watch_reports_is_strict_json() -> None:
    reports: list[dict[str, Any]] = []
    with ti.watch("nan", gear="exact", do=reports.append):
        torch.tensor([-1.0, 3e38]).log()
    assert json.loads(json.dumps(reports, allow_nan=False)) == reports
    assert [report["kind"] for report in reports] == ["nan"]


def test_what_json_has_no_number_for_is_a_text() -> None:
    labels = ti.batch((ROWS, torch.tensor([inf, -inf]))).to_dict()["parts"][1]["labels"]
    assert [one["label"] for one in labels] == ["-inf", "inf"]
    assert ti.batch(torch.tensor([inf]))["parts"][0]["labels"][0]["label"] == inf
    assert gradcheck_of(nan).to_dict()["worst"][0]["analytic"] == "nan"


def test_the_data_of_findings_is_that_of_the_list() -> None:
    found = ti.findings(ignore=["lr-zero"])
    data = found.to_dict()
    assert (data["findings"], data["checked"], data["complete"]) == (list(found), found.checked, True)
    assert data["skipped"] == [{"rule": rule, "reason": reason} for rule, reason in found.skipped]


def test_integers_beyond_64_bits_are_not_counted() -> None:
    part = ti.batch([10**400, 5])["parts"][0]
    assert (part["unread"], part["min"], part["labels"]) == ("not read: integers beyond 64 bits", None, None)
    assert ti.batch([1e308, 1e308])["parts"][0]["labels"] is None
