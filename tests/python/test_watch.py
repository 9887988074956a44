"""`watch` without a debugger: it names the line, the operation, the phase and the step, and is silent where all is well."""

from __future__ import annotations

import gc
import math
import re
import runpy
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn.modules import module

from tensor_inspector import watch
from tensor_inspector.watching import threads
from tensor_inspector.watching.active import ActiveWatch
from tensor_inspector.watching.hits import NonFinite

PROGRAMS = Path(__file__).parent.parent / "programs" / "watch"
FAULTY, HEALTHY = ([path.stem for path in sorted(PROGRAMS.glob(f"{name}_*.py"))] for name in ("faulty", "healthy"))
_BUG = re.compile(r"# BUG: (?P<operation>[\w.]+), (?P<phase>\w+), (?P<step>\d+)")


def until(holds: Callable[[], bool]) -> None:
    """Waits for what is done in the main thread soon."""
    for _ in range(1000):
        if holds():
            return
        time.sleep(0.001)
    assert holds()


def path_of(program: str) -> str:
    return str(PROGRAMS / f"{program}.py")


def expected(program: str) -> dict[str, Any]:
    """What the comment in the faulty line says."""
    lines = Path(path_of(program)).read_text("utf-8").splitlines()
    at, found = next((at, found) for at, line in enumerate(lines, 1) if (found := _BUG.search(line)))
    return {"file": path_of(program), "line": at, **found.groupdict(), "step": int(found["step"])}


def hits(program: str, what: Any = "nonfinite", **options: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    with watch(what, gear="exact", do=found.append, **options):
        runpy.run_path(path_of(program))
    return found


@pytest.mark.parametrize("program", FAULTY)
def test_it_names_line_operation_phase_and_step(program: str) -> None:
    if program == "faulty_compiled" and not hasattr(torch.compiler, "set_stance"):
        pytest.skip("needs torch.compiler.set_stance")
    [report] = hits(program)
    assert {name: report[name] for name in ("file", "line", "operation", "phase", "step")} == expected(program)


@pytest.mark.parametrize("program", HEALTHY)
def test_it_is_silent_where_nan_and_inf_are_meant(program: str) -> None:
    assert hits(program) == []


def hooks() -> list[int]:
    steps = sys.modules[torch.optim.Optimizer.__module__]
    return [
        torch._C._len_torch_function_stack(),
        *(len(getattr(module, name)) for name in ("_global_forward_pre_hooks", "_global_forward_hooks")),
        *(len(getattr(steps, name)) for name in ("_global_optimizer_pre_hooks", "_global_optimizer_post_hooks")),
    ]


@pytest.mark.parametrize("program", ["faulty_logarithm_in_module", "faulty_custom_backward", "healthy_training"])
def test_nothing_is_left_behind(program: str) -> None:
    before = hooks()
    hits(program)
    with pytest.raises(KeyError), watch(gear="exact", do=print):
        raise KeyError
    assert hooks() == before


def test_without_a_debugger_it_raises_with_the_report() -> None:
    with pytest.raises(NonFinite, match="NaN of div, in forward, step 0") as raised, watch(gear="exact"):
        runpy.run_path(path_of("faulty_division"))
    assert raised.value.report["kind"] == "nan"


def test_of_an_infinity_that_became_nan_both_are_told() -> None:
    [report] = hits("faulty_overflow")
    assert report["kind"] == "nan"
    assert report["reason"].startswith("Inf of exp, which became NaN, in forward, step ")


def test_what_a_backward_within_a_backward_has_made_is_told_once() -> None:
    reports = hits("faulty_reentrant", repeat=True)
    assert [(report["operation"], report["line"]) for report in reports] == [("SqrtBackward0", 9)]


class RunsABackward(torch.autograd.Function):
    """In its backward it runs one that meets Inf; then it returns a gradient times ``factor``, or raises without one."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, factor: float | None) -> torch.Tensor:
        ctx.factor = factor
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        with torch.enable_grad():
            aside = torch.zeros(2, requires_grad=True)
            total = aside.sqrt().sum()
        for _ in range(2):
            total.backward(retain_graph=True)
            depths.append(torch._C._len_torch_function_stack())
        if ctx.factor is None:
            raise ValueError("no gradient")
        return gradient * ctx.factor, None


depths: list[int] = []


@pytest.mark.parametrize(("factor", "operations"), [(1.0, []), (math.nan, ["mul"]), (None, ["SqrtBackward0"])])
def test_what_a_backward_within_a_backward_has_met_hides_nothing_else(
    factor: float | None, operations: list[str]
) -> None:
    found: list[str] = []
    depths.clear()
    with watch("nan", gear="exact", do=lambda report: found.append(report["operation"]), repeat=True):
        x = torch.ones(2, requires_grad=True)
        with suppress(ValueError):
            RunsABackward.apply(x, factor).sum().backward()
        if factor is None:
            torch.zeros(2, requires_grad=True).sqrt().backward(torch.zeros(2))
    assert set(depths) == {1}
    assert found == operations


@pytest.mark.parametrize("what", ["inf", "nonfinite"])
def test_of_a_sparse_gradient_the_values_are_looked_at(what: str) -> None:
    [report] = hits("faulty_sparse_gradient", what)
    assert (report["kind"], report["operation"]) == ("inf", "DivBackward0")


def test_the_module_is_told_by_its_name_in_the_model() -> None:
    [report] = hits("faulty_buffer")
    assert report["module"] == "1"


@pytest.mark.parametrize(("what", "operation"), [("nan", "div"), ("inf", "exp"), ("nonfinite", "exp")])
def test_nan_alone_is_told_where_it_arises_and_inf_alone_too(what: str, operation: str) -> None:
    assert [report["operation"] for report in hits("faulty_overflow", what)] == [operation]


def infinite_slope_times_zero(leaf: torch.Tensor) -> torch.Tensor:
    return (leaf * 0.0).sqrt()


def infinite_slopes_that_a_leaf_adds_up(leaf: torch.Tensor) -> torch.Tensor:
    return leaf.sqrt() - leaf.sqrt()


def infinite_slopes_that_a_node_adds_up(leaf: torch.Tensor) -> torch.Tensor:
    return infinite_slopes_that_a_leaf_adds_up(leaf * 1.0)


INFINITE_SLOPES = [
    infinite_slope_times_zero,
    infinite_slopes_that_a_leaf_adds_up,
    infinite_slopes_that_a_node_adds_up,
]


@pytest.mark.parametrize("compute", INFINITE_SLOPES)
@pytest.mark.parametrize(("what", "kind"), [("inf", "inf"), ("nonfinite", "nan")])
def test_of_an_inf_in_backward_that_arrives_as_nan_the_inf_is_told(compute: Any, what: Any, kind: str) -> None:
    found: list[dict[str, Any]] = []
    leaf = torch.zeros(3, requires_grad=True)
    with watch(what, gear="exact", do=found.append, repeat=True):
        compute(leaf).sum().backward()
    assert leaf.grad is not None
    assert leaf.grad.isnan().all()
    assert [(report["kind"], report["operation"], report["phase"]) for report in found] == [
        (kind, "SqrtBackward0", "backward")
    ]
    assert found[0]["reason"].startswith("Inf of SqrtBackward0, which became NaN, in backward")


def test_of_an_inf_that_arises_forward_the_inf_alone_is_told_at_once() -> None:
    found: list[dict[str, Any]] = []
    leaf = torch.full((3,), 1e3, requires_grad=True)
    with watch("inf", gear="exact", do=found.append, repeat=True):
        grown = leaf.exp()
        assert [report["operation"] for report in found] == ["exp"]
        (grown - grown).sum().backward()
    assert [(report["kind"], report["operation"], report["phase"]) for report in found] == [("inf", "exp", "forward")]


def infinite_through_one_more(given: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    scaled = given * weight
    return scaled - scaled


def infinite_at_once(given: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return given * (weight - weight)


@pytest.mark.parametrize(("what", "kind"), [("inf", "inf"), ("nonfinite", "nan")])
@pytest.mark.parametrize("compute", [infinite_through_one_more, infinite_at_once])
def test_an_inf_that_came_in_and_is_nan_in_the_loss_is_told(compute: Any, what: Any, kind: str) -> None:
    found: list[dict[str, Any]] = []
    given, weight = torch.full((3,), float("inf")), torch.ones(3)
    with watch(what, gear="exact", do=found.append, repeat=True):
        loss = compute(given, weight.requires_grad_()).sum()
        assert loss.isnan()
        loss.backward(torch.zeros(()))
    [report] = [one for one in found if one["phase"] != "backward"]
    assert report["kind"] == kind
    if what == "inf":
        assert report["reason"].startswith("Inf of mul, which became NaN, came in as an input")


@pytest.mark.parametrize(("given", "told"), [(0.0, []), (float("inf"), ["inf"])])
def test_of_inf_alone_nan_that_the_program_reads_is_told_only_of_an_inf(given: float, told: list[str]) -> None:
    found: list[dict[str, Any]] = []
    values = torch.full((3,), given)
    with watch("inf", gear="exact", do=found.append, repeat=True):
        assert math.isnan((values * 0 / values).sum().item())
    assert [report["kind"] for report in found] == told


def test_of_inf_alone_nan_of_a_mask_that_the_program_wrote_is_no_hit() -> None:
    found: list[dict[str, Any]] = []
    scores = torch.zeros(2, 3, requires_grad=True)
    with watch("inf", gear="exact", do=found.append):
        loss = scores.masked_fill(torch.ones(2, 3).bool(), float("-inf")).softmax(-1).sum()
        assert loss.isnan()
        loss.backward()
    assert found == []


@pytest.mark.parametrize("what", ["inf", "nonfinite"])
def test_an_inf_in_backward_that_arrives_nowhere_is_no_hit(what: Any) -> None:
    found: list[dict[str, Any]] = []
    leaf = torch.zeros(3, requires_grad=True)
    with watch(what, gear="exact", do=found.append):
        inner = leaf * 1.0
        inner.register_hook(torch.zeros_like)
        inner.sqrt().sum().backward()
    assert found == []


def test_of_inf_alone_nan_that_came_of_no_inf_is_no_hit() -> None:
    found: list[dict[str, Any]] = []
    leaf = torch.zeros(3, requires_grad=True)
    with watch("inf", gear="exact", do=found.append):
        inner = leaf * 1.0
        inner.register_hook(lambda gradient: gradient * float("nan"))
        inner.sum().backward()
    assert leaf.grad is not None
    assert leaf.grad.isnan().all()
    assert found == []


def make_nan(gradient: torch.Tensor) -> torch.Tensor:
    return gradient * float("nan")


def through_a_view(leaf: torch.Tensor) -> torch.Tensor:
    inner = leaf.view(-1) + 1.0
    inner.register_hook(make_nan)
    return inner


def through_an_expand_to_the_same_shape(leaf: torch.Tensor) -> torch.Tensor:
    inner = leaf.expand(2, 3) + 1.0
    inner.register_hook(make_nan)
    return inner * 2


def through_a_transpose(leaf: torch.Tensor) -> torch.Tensor:
    inner = leaf.t() + 0.5
    inner.register_hook(make_nan)
    return torch.ones(2, 3) @ inner


def through_a_sum_of_two(leaf: torch.Tensor) -> torch.Tensor:
    shaped = leaf.reshape(3, 2)
    inner = shaped + shaped.clone()
    inner.register_hook(make_nan)
    return inner * 2


def through_views_of_views(leaf: torch.Tensor) -> torch.Tensor:
    shaped = leaf
    for _ in range(5000):
        shaped = torch.cat([shaped]).view(2, 3)
    inner = shaped + 1.0
    inner.register_hook(make_nan)
    return inner


def out_of_what_the_program_has_expanded(leaf: torch.Tensor) -> torch.Tensor:
    inner = leaf.expand(2, 3)
    inner.register_hook(make_nan)
    return inner * 2


def past_a_node_that_masks_it(leaf: torch.Tensor) -> torch.Tensor:
    flat = leaf.view(-1)
    inner = flat + flat.exp().masked_fill(torch.ones(6).bool(), 0.0)
    inner.register_hook(make_nan)
    return inner


PASSING_NAN_ON = [
    through_a_view,
    through_an_expand_to_the_same_shape,
    through_a_transpose,
    through_a_sum_of_two,
    through_views_of_views,
    out_of_what_the_program_has_expanded,
    past_a_node_that_masks_it,
]


@pytest.mark.parametrize("what", ["nan", "nonfinite"])
@pytest.mark.parametrize("compute", PASSING_NAN_ON)
def test_nan_in_backward_is_told_where_nodes_only_pass_it_on(compute: Any, what: Any) -> None:
    found: list[dict[str, Any]] = []
    leaf = torch.ones(2, 3, requires_grad=True)
    with watch(what, gear="exact", do=found.append, repeat=True):
        compute(leaf).sum().backward()
    assert leaf.grad is not None
    assert leaf.grad.isnan().all()
    assert [(report["kind"], report["phase"]) for report in found] == [("nan", "backward")]
    assert "a hook on a tensor has made it" in found[0]["reason"]


@pytest.mark.parametrize("what", ["nan", "nonfinite"])
@pytest.mark.parametrize("asks", ["grad", "backward"])
def test_nan_in_the_gradient_of_a_tensor_between_is_told(what: Any, asks: str) -> None:
    found: list[dict[str, Any]] = []
    between = torch.ones(3, requires_grad=True) * 2
    between.retain_grad()
    with watch(what, gear="exact", do=found.append, repeat=True):
        inner = between + 1.0
        inner.register_hook(make_nan)
        if asks == "grad":
            (gradient,) = torch.autograd.grad(inner.sum(), between)
        else:
            inner.sum().backward(inputs=[between])
            gradient = between.grad
    assert gradient is not None
    assert gradient.isnan().all()
    assert [(report["kind"], report["phase"]) for report in found] == [("nan", "backward")]


def test_nan_that_a_later_line_takes_away_is_told_where_asked_for() -> None:
    [report] = hits("healthy_nan_to_num", "nan")
    assert (report["operation"], report["phase"]) == ("div", "forward")


def test_nan_at_the_end_that_nothing_has_used_is_told() -> None:
    found: list[dict[str, Any]] = []
    with watch(gear="exact", do=found.append):
        kept = torch.zeros(1) / 0
    assert [report["operation"] for report in found] == ["div"]
    del kept


def test_it_goes_on_where_asked_to() -> None:
    found: list[dict[str, Any]] = []
    with watch(gear="exact", do=found.append, repeat=True):
        for _ in range(3):
            (torch.zeros(1) / 0 * 2).sum()
    assert [report["operation"] for report in found] == ["div"] * 3


@pytest.mark.parametrize("what", ["nan", "nonfinite"])
def test_nan_in_both_gradients_of_a_node_is_one_hit(what: Any) -> None:
    found: list[dict[str, Any]] = []
    with watch(what, gear="exact", do=found.append, repeat=True):
        for _ in range(2):
            leaf = torch.zeros(2, requires_grad=True)
            (leaf * leaf).sum().sqrt().backward()
    assert [(report["kind"], report["phase"]) for report in found] == [("nan", "backward")] * 2


def test_a_callback_that_raises_is_reported_and_the_program_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    def fail(report: dict[str, Any]) -> None:
        raise OSError("the disk is full")

    with watch(gear="exact", do=fail):
        runpy.run_path(path_of("faulty_metric"))
    printed = capsys.readouterr()
    assert "accuracy nan" in printed.out
    assert "tensor_inspector.watch: the callback raised OSError: the disk is full" in printed.err


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (
            {"what": "infinite"},
            ValueError,
            "what is one of 'nonfinite', 'nan', 'inf', 'zero', 'changed', 'unchanged', 'metadata', 'none', "
            '("above", bound), ("norm", bound) or ("rises", factor), not \'infinite\'',
        ),
        ({"what": ("above", "much")}, ValueError, "the bound of (\"above\", bound) is a number, not 'much'"),
        ({"what": ("above", True)}, ValueError, 'the bound of ("above", bound) is a number, not True'),
        ({"what": ("above", float("nan"))}, ValueError, 'the bound of ("above", bound) is a number, not nan'),
        ({"what": ("rises", "twice")}, ValueError, "the factor of (\"rises\", factor) is a number, not 'twice'"),
        ({"what": ("norm", 5)}, ValueError, "use gear=\"light\" for ('norm', 5)"),
        ({"what": ("below", 1)}, ValueError, "or (\"rises\", factor), not ('below', 1)"),
        ({"what": ["nan"]}, ValueError, "or (\"rises\", factor), not ['nan']"),
        (
            {"what": "zero", "of": None},
            ValueError,
            "gear=\"exact\" looks for 'nonfinite', 'nan', 'inf' and (\"above\", bound): use gear=\"light\" for 'zero'",
        ),
        ({"of": "loss"}, ValueError, 'gear="exact" looks at the whole program: `of` is for gear="light"'),
        (
            {"what": "zero", "gear": "light"},
            ValueError,
            "'zero' is often right somewhere in a program: say by `of` where it is not, as a module, a tensor, an "
            "optimizer, 'loss', 'gradients' or 'parameters'",
        ),
        (
            {"of": "weights", "gear": "light"},
            ValueError,
            "`of` is None, 'loss', 'gradients', 'parameters', a module, a tensor or an optimizer, not 'weights'",
        ),
        ({"of": 3, "gear": "light"}, TypeError, "a module, a tensor or an optimizer, not an int"),
        ({"of": torch.nn.Linear, "gear": "light"}, TypeError, "or an optimizer, not the class Linear"),
        ({"gear": "slow"}, ValueError, "gear is one of 'light', 'exact', not 'slow'"),
        ({"do": 3}, TypeError, "`do` is called with a report, and int can't be called"),
    ],
)
def test_bad_arguments_are_refused(arguments: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=re.escape(said)):
        watch(**{"gear": "exact", **arguments})


def test_a_watch_inside_a_watch_is_refused() -> None:
    with (
        watch(gear="exact", do=print),
        pytest.raises(RuntimeError, match="a watch is on already: end it first"),
        watch(gear="exact", do=print),
    ):
        pass
    assert torch._C._len_torch_function_stack() == 0


def test_modes_of_the_program_stay_as_they_are() -> None:
    class Counting(torch.overrides.TorchFunctionMode):
        seen = 0

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.seen += 1
            return func(*args, **(kwargs or {}))

    with Counting() as below:
        found: list[Any] = []
        with watch(gear="exact", do=found.append), Counting() as above:
            torch.zeros(1).log().exp().sqrt().item()
            (torch.zeros(1) / 0 * 2).sum()
        assert torch._C._len_torch_function_stack() == 1
    assert above.seen == below.seen > 5
    assert [report["operation"] for report in found] == ["div"]


def test_results_are_those_of_the_program_alone() -> None:
    def train() -> list[Any]:
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3), torch.nn.Dropout())
        optimizer = torch.optim.Adam(model.parameters())
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.rand(4, 3)).sum().backward()
            optimizer.step()
        return [*model.state_dict().values(), torch.rand(1)]

    plain = train()
    with watch(gear="exact"):
        watched = train()
    assert all(torch.equal(one, other) for one, other in zip(plain, watched))


def test_it_may_begin_before_torch_is_imported() -> None:
    program = (
        "import sys, runpy, tensor_inspector as ti\n"
        "assert 'torch' not in sys.modules\n"
        "with ti.watch(gear='exact', do=lambda report: print(report['line'], report['operation'])):\n"
        f"    runpy.run_path({path_of('faulty_division')!r})\n"
        "assert not any('tensor_inspector' in type(one).__module__ for one in sys.meta_path)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    assert (done.stdout, done.stderr) == ("6 div\n", "")


def test_another_thread_is_neither_watched_nor_changed() -> None:
    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    left: list[int] = []

    def train() -> None:
        torch.nn.Linear(2, 2)(torch.ones(2)).sum().backward()
        (weight / 0).sum().backward()
        optimizer.step()
        left.append(torch._C._len_torch_function_stack())

    found: list[Any] = []
    with watch(gear="exact", do=found.append):
        thread = threading.Thread(target=train)
        thread.start()
        thread.join()
    assert (left, found) == ([0], [])


def test_a_mode_of_the_program_that_a_step_is_taken_in_ends_where_it_should() -> None:
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    found: list[dict[str, Any]] = []
    with watch(gear="exact", do=found.append):
        with torch.device("meta"):
            optimizer.step()
        assert torch.zeros(1).device.type == "cpu"
        (torch.zeros(1) / 0 * 2).sum()
    assert [report["operation"] for report in found] == ["div"]
    assert torch.zeros(1).device.type == "cpu"


class Twice(torch.optim.SGD):
    def step(self, closure: Any = None) -> Any:
        return super().step(closure)


class Failing(torch.optim.SGD):
    def step(self, closure: Any = None) -> Any:
        raise KeyError


@pytest.mark.parametrize("cls", [torch.optim.SGD, Twice])
def test_a_step_is_counted_once(cls: Any) -> None:
    torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)  # from now on torch's own step has hooks
    weight = torch.ones(2, requires_grad=True)
    optimizer = cls([weight], lr=0.1)
    found: list[dict[str, Any]] = []
    with watch(gear="exact", do=found.append):
        for _ in range(3):
            weight.sum().backward()
            optimizer.step()
        (torch.zeros(1) / 0 * 2).sum()
    assert [report["step"] for report in found] == [3]


def test_after_a_step_that_raises_the_watch_goes_on_with_the_next_module() -> None:
    optimizer = Failing([torch.ones(1, requires_grad=True)], lr=0.1)
    found: list[dict[str, Any]] = []
    with watch(gear="exact", do=found.append):
        with pytest.raises(KeyError):
            optimizer.step()
        torch.nn.Identity()(torch.ones(1))
        (torch.zeros(1) / 0 * 2).sum()
    assert [report["operation"] for report in found] == ["div"]


def test_after_a_step_that_raises_the_next_one_is_looked_at() -> None:
    failing, weight = Failing([torch.ones(1, requires_grad=True)], lr=0.1), torch.ones(2, requires_grad=True)
    found: list[dict[str, Any]] = []
    with watch(gear="exact", do=found.append):
        with pytest.raises(KeyError):
            failing.step()
        weight.sum().backward()
        torch.optim.SGD([weight], lr=1e38).step()
        torch.optim.SGD([weight], lr=1e38).step()
        (torch.zeros(1) / 0 * 2).sum()
    assert [(report["operation"], report["step"]) for report in found] == [("div", 2)]


def test_a_model_that_the_program_drops_is_gone() -> None:
    with watch(gear="exact", do=print):
        model = torch.nn.Linear(2, 2)
        gone = weakref.ref(model)
        model(torch.ones(1, 2)).sum().backward()
        del model
        gc.collect()
        assert gone() is None


def test_what_a_hook_on_a_tensor_makes_is_not_blamed_on_another() -> None:
    found: list[dict[str, Any]] = []
    with watch(gear="exact", do=found.append):
        weight = torch.nn.Parameter(torch.ones(2))
        hidden = weight * 2
        hidden.register_hook(lambda gradient: gradient / 0 * 0)
        hidden.sum().backward()
        torch.optim.SGD([weight], lr=0.1).step()
    assert [(one["operation"], one["phase"], one["line"]) for one in found] == [(None, "backward", None)]
    assert "a hook on a tensor has made it" in found[0]["reason"]


def test_dispatch_modes_of_the_program_see_nothing_of_it() -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    class Counting(TorchDispatchMode):
        seen = 0

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.seen += 1
            return func(*args, **(kwargs or {}))

    x = torch.ones(2)
    with watch(gear="exact"), Counting() as counting:
        x.exp()
    assert counting.seen == 1


def run_alone(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    assert done.stderr == ""
    return done.stdout


def test_a_program_that_asks_whether_there_is_a_torch_does_not_end_the_wait_for_it() -> None:
    program = (
        "import importlib.util, tensor_inspector as ti\n"
        "with ti.watch(gear='exact', do=lambda report: print(report['operation'])), ti.watch(do=print):\n"
        "    importlib.util.find_spec('torch')\n"
        "    import torch\n"
        "    (torch.zeros(1) / 0 * 2).sum()\n"
    )
    assert run_alone(program) == "div\n"


def test_an_import_of_torch_goes_on_where_a_watch_can_not_begin(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("Tensor = int\n", "utf-8")
    program = (
        "import sys\n"
        "from tensor_inspector.watching.active import ActiveWatch\n"
        "watch = ActiveWatch('nan', print, failed=lambda error: print(type(error).__name__))\n"
        "watch.begin()\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "import torch\n"
        "print(watch.is_on, torch.Tensor.__name__)\n"
    )
    assert run_alone(program) == "AttributeError\nFalse int\n"


def test_a_watch_that_can_not_begin_with_the_torch_that_comes_says_so(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("Tensor = int\n", "utf-8")
    program = (
        "import sys, tensor_inspector as ti\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "with ti.watch(gear='exact'):\n"
        "    import torch\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert done.stderr.startswith("tensor_inspector.watch can't begin: AttributeError: ")


def test_one_that_is_asked_for_while_torch_is_imported_begins_after_that() -> None:
    program = (
        "import sys, threading, time\n"
        "from tensor_inspector.watching.active import ActiveWatch\n"
        "from tensor_inspector.watching.threads import run_on\n"
        "watch = ActiveWatch('nan', lambda report, frame: print(report['operation']), repeat=True)\n"
        "def begin():\n"
        "    while 'torch' not in sys.modules:\n"
        "        time.sleep(0.001)\n"
        "    run_on(None, watch.begin)\n"
        "threading.Thread(target=begin).start()\n"
        "import torch\n"
        "while not torch._C._len_torch_function_stack():\n"
        "    time.sleep(0.001)\n"
        "torch.zeros(1) / 0\n"
        "watch.end()\n"
    )
    assert run_alone(program) == "div\n"


def test_what_fails_in_the_main_thread_does_not_end_the_program() -> None:
    def fail() -> None:
        done.append(True)
        raise OSError

    done: list[bool] = []
    asking = threading.Thread(target=lambda: threads.run_on(None, fail))
    asking.start()
    asking.join()
    until(lambda: bool(done))


def test_a_model_that_is_run_at_a_hit_leaves_no_second_mode() -> None:
    model = torch.nn.Linear(2, 1)
    depths: list[int] = []

    def run(report: dict[str, Any]) -> None:
        model(torch.ones(1, 2))

    with watch("nan", gear="exact", do=run, repeat=True):
        torch.zeros(1) / 0
        depths.append(torch._C._len_torch_function_stack())
    assert (*depths, torch._C._len_torch_function_stack()) == (1, 0)


@pytest.mark.skipif(not hasattr(torch, "set_default_device"), reason="since torch 2.0")
def test_the_default_device_can_be_changed_meanwhile() -> None:
    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    with watch(gear="exact"):
        torch.set_default_device("cpu")
        weight.sum().backward()
        optimizer.step()
        torch.set_default_device(None)
        torch.set_default_device("cpu")
    torch.set_default_device(None)
    assert torch._C._len_torch_function_stack() == 0


def test_one_that_ends_at_its_hit_in_a_thread_asks_no_other_for_help() -> None:
    def compute() -> None:
        active = ActiveWatch("nan", lambda report, frame: active.end_soon() and None, repeat=True)
        active.begin()
        before = threading.active_count()
        for _ in range(20):
            torch.zeros(1) / 0
        counts.append(threading.active_count() - before)

    counts: list[int] = []
    thread = threading.Thread(target=compute)
    thread.start()
    thread.join()
    assert counts == [0]
    assert ActiveWatch.current is None


def test_one_that_begins_at_the_hit_of_another_and_ends_at_its_own_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threads, "_PAUSE", 0.05)  # longer than the way from the first hit to the second

    def goes_over_to_the_second(report: dict[str, Any], frame: Any) -> None:
        first.end_soon()
        second.begin()

    first = ActiveWatch("nan", goes_over_to_the_second, repeat=True)
    second = ActiveWatch("nan", lambda report, frame: second.end_soon() and None, repeat=True)
    first.begin()
    zero = torch.zeros(1)
    zero / zero
    zero / zero
    until(lambda: not torch._C._len_torch_function_stack())


def test_what_a_backward_meets_in_another_thread_is_told_where_it_was_called() -> None:
    class Elsewhere(torch.autograd.Function):
        @staticmethod
        def forward(context: Any, root: Any) -> Any:
            return root.detach().clone()

        @staticmethod
        def backward(context: Any, gradient: Any) -> Any:  # as torch does with what is on a GPU
            thread = threading.Thread(target=lambda: root.backward(retain_graph=True))
            thread.start()
            thread.join()
            return torch.zeros(())

    told: list[tuple[Any, ...]] = []
    zero = torch.zeros((), requires_grad=True)
    root = (zero * 2).sqrt() * 0
    with watch(
        "nan", gear="exact", do=lambda hit: told.append((hit["phase"], hit["operation"], threading.get_ident()))
    ):
        Elsewhere.apply(root).backward()
    assert told == [("backward", "SqrtBackward0", threading.get_ident())]
