"""Values that are not what they seem, each of which once broke something."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from tensor_inspector import facts, summarize, tree
from tensor_inspector.kinds import Child, Rows
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.stop.frame import rows
from tensor_inspector.stop.snapshot import Snapshot

RAN: list[str] = []


@pytest.fixture(autouse=True)
def count_from_zero() -> None:
    RAN.clear()


class OwnSizes(torch.Tensor):
    """A wrapper that computes even its shape."""

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> OwnSizes:
        policy = {"dispatch_sizes_strides_policy": "sizes", "dispatch_device": True}
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype, **policy)  # type: ignore[attr-defined, no-any-return]

    def __init__(self, inner: torch.Tensor) -> None:
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        RAN.append(str(function))
        return function(*(arg.inner if isinstance(arg, OwnSizes) else arg for arg in args), **(kwargs or {}))


def test_a_wrapper_that_computes_its_shape_is_told_by_what_it_wraps() -> None:
    value = OwnSizes(torch.ones(2, 3))
    RAN.clear()
    assert summarize(value) == "OwnSizes · wraps inner=float32[2, 3]"
    assert facts(value)["stats"] is None
    assert "inner  float32[2, 3] · all 1" in tree(value)
    assert summarize(nn.ParameterDict({"w": nn.Parameter(torch.ones(1))})).startswith("ParameterDict")
    assert RAN == []


class CountingDict(dict):  # type: ignore[type-arg]
    def __len__(self) -> int:
        RAN.append("__len__")
        return 0

    def items(self) -> Any:
        RAN.append("items")
        return super().items()


def test_an_instance_dict_of_the_programs_own_class_runs_nothing() -> None:
    class Thing:
        pass

    value = Thing()
    value.__dict__ = CountingDict(a=1)
    assert summarize(value) == "Thing · a 1"
    assert RAN == []


def test_a_class_body_with_a_namespace_of_its_own_runs_nothing() -> None:
    class Namespace(dict):  # type: ignore[type-arg]
        def __getitem__(self, name: str) -> Any:
            if name == "value":
                RAN.append("__getitem__")
            return super().__getitem__(name)

        items = CountingDict.items

    class Meta(type):
        @classmethod
        def __prepare__(cls, *_: object) -> Any:
            return Namespace()

    class Paused(metaclass=Meta):
        value = [1]
        frame = sys._getframe()
        seen = Snapshot(rows(frame, "all", Budget())).page(0, 0, 10, Budget())

    lines = {node["name"]: node["line"] for node in Paused.seen["nodes"]}
    assert lines["value"] == "list · 1: 1"
    assert RAN == []


class HostileText(str):
    def __format__(self, spec: str) -> str:
        RAN.append("__format__")
        return "?"

    __str__ = __repr__ = __format__  # type: ignore[assignment]


def test_names_that_are_a_str_subclass_run_nothing() -> None:
    def function() -> None: ...

    class Thing:
        pass

    function.__name__ = HostileText("named")
    Thing.__qualname__ = HostileText("Thing")
    for value in (function, Thing, Thing()):
        summarize(value)
        facts(value)
    assert RAN == []


def test_a_module_that_took_the_name_of_a_standard_one_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / "fractions.py").write_text("class Fraction:\n def __repr__(self):\n  print('ran'); return 'x'\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import fractions\nfrom tensor_inspector import summarize\nprint(summarize(fractions.Fraction()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout.strip() == "Fraction"


def test_following_a_slot_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    class Slotted:
        __slots__ = ("a", "b")

    value = Slotted()
    value.a, value.b = 1, 2
    from tensor_inspector.safe.attributes import attribute

    assert attribute(value, "a") == 1
    assert capfd.readouterr().err == ""


def test_a_view_that_autograd_has_given_up_still_shows_its_values() -> None:
    weight = torch.ones(2, 3, requires_grad=True)
    first, _ = (weight * 1).unbind()
    base = first._base
    assert base is not None
    with torch.no_grad():
        pass
    base.add_(1)
    grad = "grad_fn lost: modified in place"
    if not hasattr(torch._C._autograd, "_get_creation_meta"):  # nothing tells it from a view that has its grad_fn
        grad = "grad ← base ← AddBackward0"
    assert summarize(first) == f"float32[3] · all 2 · {grad} · view of [2, 3]"
    assert facts(first)["grad_fn"] == grad.replace("grad ← ", "")
    assert "values" in tree(first)


def test_of_a_view_modified_in_place_the_base_tells_where_the_gradient_goes() -> None:
    base = torch.ones(2, 3, requires_grad=True) * 1
    view = base[0]
    view.add_(1)
    found = facts(view)
    assert (found["requires_grad"], found["is_leaf"], found["grad_fn"]) == (True, False, "base ← CopySlices")


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("layout", ["strided", "jagged"])
def test_nested_tensors_say_what_they_are(layout: str) -> None:
    if not hasattr(torch, layout):
        pytest.skip(f"needs torch.{layout}")
    kept = {"layout": torch.jagged} if layout == "jagged" else {}
    value = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], **kept)
    assert summarize(value).startswith(("float32 nested[2, *] · 2 components", "NestedTensor · float32 jagged[2, j"))
    assert facts(value)["stats"]["count"] == 5  # type: ignore[typeddict-item, index]


@pytest.mark.parametrize(
    ("own", "line"),
    [
        ({"in_channels": 3, "out_channels": 4, "kernel_size": 3}, "Own(3 → 4, 3) · train"),
        ({"normalized_shape": 8}, "Own(8) · train"),
        ({"in_features": (object(),), "out_features": 2}, "Own · train"),
        ({"num_features": 10**5000}, "Own(int of 16,610 bits) · train"),
        ({"p": "half", "inplace": False}, "Own · train"),
    ],
)
def test_modules_of_the_program_may_name_their_sizes_as_they_like(own: dict[str, Any], line: str) -> None:
    module = type("Own", (nn.Module,), {})()
    module.__dict__.update(own)
    assert summarize(module) == line


@pytest.mark.filterwarnings("ignore:.*deprecated")
def test_a_scripted_module_is_read_in_cpp() -> None:
    line = summarize(torch.jit.script(nn.Linear(2, 2)))
    assert line == "RecursiveScriptModule of Linear · 6 params · train · grads None"


def test_memory_that_is_not_there_is_not_told() -> None:
    assert "bytes" not in facts(torch.empty(10**6, 10**6, device="meta"))


def test_a_broadcast_array_takes_the_bytes_of_what_it_repeats() -> None:
    value = np.broadcast_to(np.ones(1), (10**9,))
    assert facts(value)["bytes"] == 8
    assert "expanded from 8 B" in summarize(value)


def test_every_name_of_a_frame_is_listed_however_little_time_there_is() -> None:
    now = [0.0]
    snapshot = Snapshot(Rows.of("", [Child(f"name{i}", [i], f"name{i}") for i in range(100)]))
    budget = Budget(20, clock=lambda: now[0])
    now[0] = 1.0
    assert len(snapshot.page(0, 0, 100, budget)["nodes"]) == 100


@pytest.mark.filterwarnings("ignore:Lazy modules are a new feature")
def test_an_uninitialized_parameter_is_not_empty() -> None:
    assert "uninitialized" in summarize(nn.LazyLinear(3).weight)


def test_a_part_of_a_parameter_tells_its_values_and_nothing_of_its_gradient() -> None:
    weight = nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    snapshot = Snapshot(Rows.of("", [Child("w", weight, "w")]))
    with Untouched():
        [top] = snapshot.page(0, 0, 1, Budget())["nodes"]
        values = snapshot.page(top["id"], 0, 1, Budget())["nodes"][0]
        first = snapshot.page(values["id"], 0, 1, Budget())["nodes"][0]
    assert (first["path"], first["line"], first["kind"]) == ("w[0]", "float32[2] · 1…2 · μ 1.5 σ 0.707", "tensor")


@pytest.mark.parametrize(
    "make", [lambda: torch.zeros(50_000_000, dtype=torch.bool), lambda: np.zeros(50_000_000, bool)]
)
def test_a_sampled_mask_is_marked_and_not_made_true(make: Any) -> None:
    value = make()
    value[::2] = True
    line = summarize(value, budget_ms=2)
    assert "≈" in line or "skipped" in line
    assert "100%" not in line


def test_a_masked_array_is_told_by_what_its_mask_leaves() -> None:
    assert summarize(np.ma.masked_array([1.0, 2.0], [False, True])) == "MaskedArray · float64[2] · 1 · 1 masked"


TRUNCATED = """
import numpy as np, os, sys, tempfile
from tensor_inspector import facts, summarize, tree
from tensor_inspector.safe.budget import Budget
from tensor_inspector.stop.expression import resolve
from tensor_inspector.kinds import NotStatic
path = os.path.join(tempfile.mkdtemp(), "data")
value = np.memmap(path, dtype=sys.argv[1], mode="w+", shape=(100_000,))
os.truncate(path, 4096)
for ask in (summarize, facts, tree):
    ask(value)
try:
    resolve("m[50000]", {"m": value}, {}, Budget())
except NotStatic:
    print("refused")
os._exit(0)
"""


@pytest.mark.parametrize("dtype", ["S8", "M8[s]", "f8", "i4"])
def test_a_truncated_memory_map_never_crashes_the_program(dtype: str) -> None:
    done = subprocess.run([sys.executable, "-c", TRUNCATED, dtype], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout.strip()) == (0, "refused"), done.stderr


class Passing(TorchDispatchMode):
    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return function(*args, **(kwargs or {}))


def test_near_the_recursion_limit_the_guard_leaves_torch_as_it_was() -> None:
    def deep(levels: int) -> None:
        if levels:
            deep(levels - 1)
            return
        try:
            summarize(torch.ones(3))
        except RecursionError:
            pass

    # Also where subclasses alone are disabled; torch 2.0 tells only of both at once.
    disabled = getattr(torch._C, "_is_torch_function_all_disabled", lambda: not torch._C._is_torch_function_enabled())
    before = sys.getrecursionlimit()
    try:
        for room in range(1, 60):
            sys.setrecursionlimit(200)
            with Passing():
                try:
                    deep(200 - room)
                except RecursionError:
                    pass
                finally:
                    sys.setrecursionlimit(before)
                assert not disabled()
                assert torch.is_grad_enabled()
    finally:
        sys.setrecursionlimit(before)


class Ticking:
    """A clock that moves only when it is looked at, a millisecond a look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


def test_a_page_ends_when_its_time_is_over_and_says_so() -> None:
    snapshot = Snapshot(Rows.of("", [Child("value", [[i] for i in range(1000)], "value")]))
    [top] = snapshot.page(0, 0, 1, Budget())["nodes"]
    budget = Budget(20, clock=Ticking())
    page = snapshot.page(top["id"], 0, 1000, budget)
    assert 0 < len(page["nodes"]) < 60
    assert page["total"] == 1000
    assert budget.cut == ["not all is shown here: there was no time for more"]


def test_when_the_time_is_over_the_rows_that_are_left_are_shown_without_statistics() -> None:
    big = torch.zeros(30_000_000)
    snapshot = Snapshot(Rows.of("", [Child(f"t{i}", big + i, f"t{i}") for i in range(3)]))
    now = [0.0]
    budget = Budget(20, clock=lambda: now[0])
    now[0] = 0.021
    page = snapshot.page(0, 0, 10, budget)
    assert [node["line"] for node in page["nodes"]] == ["float32[30000000] · stats skipped: 20 ms budget"] * 3


def test_the_first_page_of_a_million_attributes_looks_at_a_page_of_them() -> None:
    class Big:
        pass

    value = Big()
    value.__dict__.update((f"a{i}", i) for i in range(10**6))
    snapshot = Snapshot(Rows.of("", [Child("value", value, "value")]))
    budget = Budget(200, clock=Ticking())
    [top] = snapshot.page(0, 0, 1, budget)["nodes"]
    page = snapshot.page(top["id"], 0, 100, budget)
    assert (top["children"], len(page["nodes"])) == (10**6, 100)


def test_a_row_too_large_for_an_answer_is_shown_cut_so_that_the_next_can_be_asked_for() -> None:
    class Big:
        pass

    value = Big()
    value.__dict__.update({"x" * 300_000: 1, "y": 2})
    snapshot = Snapshot(Rows.of("", [Child("value", value, "value")]))
    [top] = snapshot.page(0, 0, 1, Budget())["nodes"]
    page = snapshot.page(top["id"], 0, 100, Budget(bytes=1024))
    assert [len(node["name"]) for node in page["nodes"]] == [200, 1]


def test_class_names_of_any_length_leave_the_answer_small() -> None:
    value = type("N" * 3_000_000, (), {})()
    snapshot = Snapshot(Rows.of("", [Child("value", value, "value")]))
    [top] = snapshot.page(0, 0, 1, Budget())["nodes"]
    assert len(str(top)) < 1000


def test_a_symbolic_tensor_is_told_by_its_symbols_and_gains_no_guard() -> None:
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    env = ShapeEnv()
    mode = torch._subclasses.FakeTensorMode(shape_env=env)
    value, other = mode.from_tensor(torch.ones(5, 7)), mode.from_tensor(torch.ones(5, 7))
    before = len(env.guards)
    for shown in (value, other):
        assert facts(shown)["stats"] is None
        assert "FakeTensor" in summarize(shown)
    assert len(env.guards) == before


def paused() -> FrameType:
    return sys._getframe()
