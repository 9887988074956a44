"""NaN and Inf in modules and optimizers: all is read where there is time, and what was not read is never called clean."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from zoo.tensor_classes import Wrapping

from tensor_inspector import facts, summarize
from tensor_inspector.kinds import Child, Rows
from tensor_inspector.kinds.torch.forms import form_class_of
from tensor_inspector.measure.stats import finite
from tensor_inspector.measure.torch.finite import find_not_finite
from tensor_inspector.protocol import Node
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.stop.snapshot import Snapshot

nan, inf = math.nan, math.inf


def rows(value: Any) -> dict[str, str]:
    return dict(facts(value)["rows"])  # type: ignore[arg-type]


def layer(values: Any = 1.0, dtype: torch.dtype = torch.float32, size: int = 4) -> nn.Module:
    module = nn.Linear(size, size, bias=False)
    module.weight = nn.Parameter(torch.full((size, size), values, dtype=dtype))
    return module


def layers(count: int) -> nn.Module:
    return nn.Sequential(*(layer() for _ in range(count)))


def looked_at(value: Any, looks: float, then: float = 1.0) -> Node:
    """The node of a value, where so many looks at the clock find all of 20 ms; later ones, that ``then`` s have gone."""
    asked = [-1.0]  # the budget itself looks once

    def clock() -> float:
        asked[0] += 1
        return 0.0 if asked[0] <= looks else then

    with Untouched():
        return Snapshot(Rows.of("", [])).describe(
            Child("value", value, "value"), 0, Budget(20, clock=clock), facts=True
        )


def beside(parameter: Any) -> nn.Module:
    """A layer of 16 numbers beside another parameter or buffer."""
    module = layer()
    module.register_buffer("other", parameter)
    return module


def quantized(scale: float) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.quantize_per_tensor(torch.ones(3), scale, 0, torch.quint8)


# What is found


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex64])
@pytest.mark.parametrize(("values", "words"), [(nan, "NaN in weight"), (inf, "Inf in weight"), (-inf, "Inf in weight")])
def test_a_module_says_that_a_parameter_is_not_finite(dtype: torch.dtype, values: float, words: str) -> None:
    assert words in summarize(layer(values, dtype))
    assert words not in summarize(layer(1.0, dtype))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (layer(), "none in all values"),
        (nn.Linear(4, 4, device="meta"), "values not read"),
        (nn.Sequential(layer(), nn.Linear(4, 4, device="meta")), "none seen, not all values of 2 tensors read"),
        (torch.optim.SGD([torch.ones(2), torch.ones(2, device="meta")]), "none seen, not all values of 1 tensor read"),
        (beside(Wrapping(torch.ones(4, 4))), "none seen, ≈ 50 % read"),
        (beside(quantized(0.1)), "none in all values"),
    ],
)
def test_what_was_not_read_is_never_said_to_be_clean(value: Any, words: str) -> None:
    assert rows(value)["NaN and Inf"] == words


def test_a_quantized_tensor_whose_scale_is_not_finite_is_found() -> None:
    assert "NaN in other" in summarize(beside(quantized(inf)))


def test_both_are_said_of_a_tensor_that_holds_both() -> None:
    module = layer()
    module.weight.data[0, :2] = torch.tensor([nan, inf])
    assert "NaN in weight · Inf in weight" in summarize(module)


def _last_of_many() -> tuple[nn.Module, str]:
    net = nn.Sequential(nn.Linear(784, 1500), nn.ReLU(), nn.Linear(1500, 10))
    net[0].weight.data[-1, -1] = nan
    return net, "0.weight"


def _last_bias() -> tuple[nn.Module, str]:
    net = nn.Sequential(*(nn.Linear(8, 8) for _ in range(30)))
    net[-1].bias.data[-1] = nan
    return net, "29.bias"


def _running_statistics() -> tuple[nn.Module, str]:
    net = nn.Sequential(*(nn.BatchNorm1d(8) for _ in range(60)))
    net[-1].running_var[-1] = nan
    return net, "59.running_var"


def _gradient() -> tuple[nn.Module, str]:
    net = layers(100)
    for below in net:
        below.weight.grad = torch.ones(4, 4)
    net[70].weight.grad[-1, -1] = nan
    return net, "70.weight.grad"


def _transposed() -> tuple[nn.Module, str]:
    net = nn.Linear(1000, 600, bias=False)
    net.weight = nn.Parameter(torch.ones(1000, 600).t())
    net.weight.data[-1, -1] = nan
    return net, "weight"


def _strided() -> tuple[nn.Module, str]:
    net = nn.Linear(1000, 600, bias=False)
    net.weight = nn.Parameter(torch.ones(600, 2000)[:, ::2])
    net.weight.data[-1, -1] = nan
    return net, "weight"


def _one_byte() -> tuple[nn.Module, str]:
    net = layer()
    values = torch.ones(300)
    values[-1] = nan
    net.register_buffer("scales", values.to(torch.float8_e5m2))
    return net, "scales"


def _sparse_gradient() -> tuple[nn.Module, str]:
    net = nn.Embedding(3, 2, sparse=True)
    (net(torch.tensor([1])).sum() * nan).backward()
    return net, "weight.grad"


_PLACES = [
    _last_of_many,
    _last_bias,
    _running_statistics,
    _gradient,
    _transposed,
    _strided,
    _sparse_gradient,
    pytest.param(_one_byte, marks=pytest.mark.skipif(not hasattr(torch, "float8_e5m2"), reason="no float8 yet")),
]


@pytest.mark.parametrize("make", _PLACES)
def test_one_nan_is_found_wherever_it_is(make: Callable[[], tuple[nn.Module, str]]) -> None:
    net, name = make()
    assert f"NaN in {name} ·" in summarize(net)
    assert rows(net)["NaN in"] == name
    assert looked_at(net, inf).get("badges", [])[:1] == ["nan"]


def test_an_optimizer_finds_it_in_its_state() -> None:
    parameters = [nn.Parameter(torch.ones(3)) for _ in range(30)]
    optimizer = torch.optim.Adam(parameters)
    for parameter in parameters:
        parameter.grad = torch.ones(3)
    optimizer.step()
    assert rows(optimizer)["NaN and Inf"] == "none in all values"
    optimizer.state[parameters[-1]]["exp_avg_sq"][-1] = nan
    assert "NaN in state #29 exp_avg_sq ·" in summarize(optimizer)


def test_many_are_counted_and_the_first_is_named() -> None:
    net = nn.Sequential(*(layer(nan) for _ in range(200)))
    assert "NaN in 0.weight and 199 more" in summarize(net)
    assert rows(nn.Sequential(layer(nan), layer(nan)))["NaN in"] == "0.weight, 1.weight"


def after_a_backward() -> nn.Module:
    """Four parameters, all NaN, and so is the gradient of each."""
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    for parameter in net.parameters():
        parameter.data.fill_(nan)
        parameter.grad = torch.full_like(parameter, nan)
    return net


def normalized() -> nn.Module:
    net = nn.Sequential(layer(nan), nn.BatchNorm1d(4))
    net(torch.ones(3, 4))
    return net


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (after_a_backward, "NaN in 0.weight and 3 more, 4 gradients"),
        (lambda: torch.optim.SGD(after_a_backward().parameters()), "NaN in #0 and 3 more, 4 gradients"),
        (normalized, "NaN in 0.weight, 2 buffers"),
    ],
)
def test_parameters_are_counted_as_findings_count_them(make: Callable[[], Any], said: str) -> None:
    """Their gradients, and buffers, are counted apart."""
    assert said in summarize(make())


@pytest.mark.parametrize("mode", [torch.inference_mode, torch.no_grad, lambda: torch.device("meta")])
def test_modes_around_it_hide_no_alarm(mode: Callable[[], Any]) -> None:
    module = layer(nan)
    with mode():
        assert "NaN in weight" in summarize(module)


# What is no alarm


@pytest.mark.parametrize(
    ("values", "dtype"),
    [(60000.0, torch.float16), (-300.0, torch.float16), (1e20, torch.float32), (3e38, torch.float32),
     (1e308, torch.float64), (3e38, torch.complex64)],
)  # fmt: skip
def test_finite_numbers_that_overflow_when_added_are_no_alarm(values: float, dtype: torch.dtype) -> None:
    module = layer(values, dtype, 300)
    assert "in weight" not in summarize(module)
    assert rows(module)["NaN and Inf"] == "none in all values"


def test_small_tensors_that_overflow_only_together_are_no_alarm() -> None:
    assert rows(nn.Sequential(layer(3e37), layer(3e37)))["NaN and Inf"] == "none in all values"
    mixed = nn.Sequential(layer(3e37), layer(nan), layer(3e37), layer(inf, torch.float64))
    assert (rows(mixed)["NaN in"], rows(mixed)["Inf in"]) == ("1.weight", "3.weight")


def test_what_can_hold_no_nan_is_nothing_to_read() -> None:
    net = nn.Sequential(nn.BatchNorm1d(2), nn.Linear(2, 2))
    net.register_buffer("positions", torch.arange(512))
    assert rows(net)["NaN and Inf"] == "none in all values"


@pytest.mark.parametrize("told", [finite.sums, finite.norms])
@pytest.mark.parametrize("values", [1.0, 3e38, nan, inf, -inf])
def test_a_total_is_finite_only_where_all_numbers_are(told: Callable[..., list[Any]], values: float) -> None:
    if told is finite.norms and not hasattr(torch, "_foreach_norm"):
        pytest.skip("this torch has no norms of many tensors at once")
    part = torch.ones(3, 5)
    part[1, 2] = values
    with torch.no_grad():
        clean, other = told(torch, [torch.ones(7), part])
    assert clean.isfinite()
    assert not other.isfinite() or math.isfinite(values)


# What was not read


def test_neighbours_that_can_not_be_read_hide_nothing_and_are_not_called_clean() -> None:
    net = nn.ModuleDict({"freed": layer(), "sparse": layer(), "meta": layer().to("meta"), "last": layer(nan)})
    net["sparse"].weight = nn.Parameter(torch.ones(4, 4).to_sparse())
    net.register_buffer("whole", torch.arange(4))
    net["freed"].weight.untyped_storage().resize_(0)
    assert "NaN in last.weight · ≈ 66 % read" in summarize(net)
    net["last"].weight.data.fill_(1.0)
    assert "≈ 66 % read" in summarize(net)
    assert rows(net)["NaN and Inf"] == "none seen, ≈ 66 % read"


def test_of_what_can_not_be_read_at_all_that_is_said() -> None:
    net = layer()
    net.weight.untyped_storage().resize_(0)
    node = looked_at(net, inf)
    assert "values not read ·" in node["line"]
    assert node["badges"] == ["unread"]


def _freed() -> torch.Tensor:
    tensor = torch.ones(4)
    tensor.untyped_storage().resize_(0)
    return tensor


def _cut_short() -> torch.Tensor:
    tensor = torch.ones(4)
    tensor.untyped_storage().resize_(8)
    return tensor


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        (_freed(), {"read": 300, "total": 304}),
        (_cut_short(), {"read": 300, "total": 304}),
        (torch.ones(4, device="meta"), {"read": 300, "total": 300, "elsewhere": 1}),
        (torch.tensor([1.0, nan, 2.0]), {"nan": ["7"], "read": 303}),
        (torch.tensor([1.0, inf, 2.0])[1:], {"inf": ["7"], "read": 302}),
        (torch.tensor([1.0, 2.0, nan])[:2], {"nan": [], "read": 302}),
        (torch.tensor([1.0, nan, 2.0, 3.0])[::2], {"nan": [], "read": 302}),
        (torch.tensor([1.0, nan]).expand(3, 2), {"nan": ["7"], "read": 306}),
        (torch.tensor([1.0, nan]).share_memory_(), {"nan": ["7"], "read": 302}),
        (torch.tensor([1.0, nan]).to_sparse(), {"nan": ["7"], "read": 302}),
        (torch.tensor([1 + 1j, complex(1, nan)]).conj(), {"nan": ["7"], "read": 302}),
        (quantized(inf), {"nan": ["7"], "read": 303}),
        (torch.arange(5), {"nan": [], "read": 300, "total": 300}),
        (Wrapping(torch.ones(4)), {"read": 300, "total": 304}),
    ],
)
def test_one_tensor_unlike_the_many_around_it_is_told_as_if_it_were_alone(odd: Any, said: dict[str, object]) -> None:
    tensors = [*(torch.ones(1) for _ in range(7)), odd, *(torch.ones(1) for _ in range(293))]
    with Untouched():
        found = find_not_finite([(str(at), one) for at, one in enumerate(tensors)], Budget(), True, form_class_of)
    assert {name: getattr(found, name) for name in said} == said


@pytest.mark.parametrize("ms", [10, inf])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex64])
def test_one_nan_in_a_long_tensor_is_found_by_one_thread_and_by_several(dtype: torch.dtype, ms: float) -> None:
    tensor = torch.ones(100_000).to(dtype)
    tensor[-1] = nan
    named = [("whole", tensor), ("odd", tensor[1::2]), ("even", tensor[::2]), ("rows", torch.ones(300, 301).to(dtype))]
    with Untouched():
        found = find_not_finite(named, Budget(ms, clock=lambda: 0.0), True, form_class_of)
    assert (found.nan, found.inf, found.read) == (["whole", "odd"], [], 200_000 + 300 * 301)


def test_what_was_known_of_a_tensor_is_not_said_of_another_that_has_its_id() -> None:
    known, tensor = Budget().known, torch.ones(1)
    known.note_searched([tensor], {id(tensor)}, {id(tensor)})
    known.note_searched([tensor], set(), set())  # as another one, in the same place of memory
    assert not known.with_nan | known.with_inf


def test_without_time_nothing_is_read_and_nothing_claimed() -> None:
    node = looked_at(layer(nan), 0)
    assert "values not read: no time" in node["line"]
    assert node["badges"] == ["unread"]
    assert dict(node["facts"]["rows"])["NaN and Inf"] == "values not read: no time"  # type: ignore[arg-type]


def test_with_little_time_the_row_itself_says_how_much_was_read() -> None:
    node = looked_at(layer(1.0, size=3000), 12)
    share = node["line"].partition("≈ ")[2].partition(" % read")[0]
    assert 0 < int(share) < 100
    assert node["badges"] == ["sampled"]
    assert dict(node["facts"]["rows"])["NaN and Inf"] == f"none seen, ≈ {share} % read"  # type: ignore[arg-type]


def test_with_little_time_every_tensor_gets_its_turn() -> None:
    net = nn.Sequential(layer(1.0, size=3000), layer(1.0, size=3000), layer(nan))
    assert "NaN in 2.weight" in looked_at(net, 12)["line"]


def test_where_not_all_modules_were_met_nothing_is_called_clean() -> None:
    net = layers(200)
    net[-1].weight.data[-1, -1] = nan
    some = [looked_at(net, looks, then) for looks in range(9) for then in (0.012, 1.0)]
    counted = [node for node in some if "time budget" in node["line"]]
    for node in counted:
        assert {"sampled", "unread"}.intersection(node["badges"])
        assert "none in all" not in dict(node["facts"]["rows"])["NaN and Inf"]  # type: ignore[arg-type]
    for said in ("only 336 values read", "values not read: no time"):
        assert any(said in node["line"] for node in counted)


def test_from_python_all_is_read_however_large() -> None:
    module = layer(1.0, size=3000)
    module.weight.data[-1, -1] = nan
    assert "NaN in weight ·" in summarize(module)


TRUNCATED = """
import os, sys, tempfile, torch
from torch import nn
from tensor_inspector import facts, summarize, tree
path = os.path.join(tempfile.mkdtemp(), "weights")
open(path, "wb").write(bytes(400_000))
module = nn.Linear(100, 1000, bias=False)
module.weight = nn.Parameter(torch.from_file(path, shared=True, size=100_000).view(1000, 100))
os.truncate(path, 4096)
for ask in (summarize, facts):
    ask(module)
print("alive")
os._exit(0)
"""


def test_weights_over_a_truncated_file_never_crash_the_program() -> None:
    done = subprocess.run([sys.executable, "-c", TRUNCATED], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout.strip()) == (0, "alive"), done.stderr


def test_what_was_read_once_is_not_read_again_for_the_same_answer() -> None:
    tensors = [("a", torch.ones(3)), ("b", torch.tensor([nan])), ("c", torch.tensor([inf]))]
    budget = Budget()
    first = find_not_finite(tensors, budget, True, form_class_of)

    def refuse(value: object) -> Any:
        raise AssertionError("it is read again")

    again = find_not_finite(tensors, budget, True, refuse)
    assert (again.nan, again.inf, again.read, again.total) == (first.nan, first.inf, first.read, first.total)
    assert (again.nan, again.inf, again.read) == (["b"], ["c"], 5)
