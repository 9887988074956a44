"""Objects that are still being made, as on the first lines of an ``__init__``: that is said, and nothing else goes wrong."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from forked import printed_in_child

from tensor_inspector import facts, summarize, tree
from tensor_inspector.kinds import Child, Rows, as_kind
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.stop.snapshot import Snapshot

BARE = [
    "pandas.DataFrame", "pandas.Series", "pandas.Categorical", "pandas.arrays.BooleanArray", "pandas.arrays.DatetimeArray",
    "pandas.arrays.SparseArray", "pandas.StringDtype", "pandas.DatetimeTZDtype", "polars.DataFrame", "polars.Series",
    "polars.Datetime", "polars.List", "jax._src.core.Tracer", "jax._src.interpreters.ad.JVPTracer",
    "jax._src.interpreters.partial_eval.DynamicJaxprTracer", "jax._src.random.prng.PRNGKeyArray", "torch.SymInt",
    "torch.SymBool", "torch.nn.Linear", "torch.jit._script.RecursiveScriptModule", "torch.jit._trace.TopLevelTracedModule",
    "uuid.UUID", "torch.amp.GradScaler", "torch.optim.AdamW", "torch.optim.LBFGS", "torch.optim.lr_scheduler.StepLR",
    "torch.optim.lr_scheduler.SequentialLR", "torch.optim.lr_scheduler.ReduceLROnPlateau", "torch.utils.data.DataLoader",
    "torch.utils.data.dataloader._SingleProcessDataLoaderIter", "torch.utils.data.Subset", "torch.utils.data.TensorDataset",
    "torch.utils.data.ConcatDataset", "torch.utils.data.RandomSampler", "torch.utils.data.BatchSampler",
]  # fmt: skip
#: Whose methods crash as long as there is nothing behind them.
IN_C = [
    "torch._C.ScriptFunction", "torch._C.ScriptModule", "torch._C.ScriptObject", "torch._C._distributed_c10d.ProcessGroup",
    "numpy.random.PCG64", "numpy.random.Philox", "numpy.random.MT19937",
]  # fmt: skip


def class_of(name: str) -> Any:
    module, _, name = name.rpartition(".")
    cls = getattr(pytest.importorskip(module), name, None)
    return pytest.skip(f"no {name} here") if cls is None else cls


def made(name: str) -> Any:
    """An instance of a class, which is nothing more than allocated."""
    cls = class_of(name)
    return cls.__new__(cls)


def lines(value: Any) -> list[str]:
    """Its own line and those of its rows."""
    with Untouched():
        snapshot = Snapshot(Rows.of("", []))
        node = snapshot.describe(Child("value", value, "value"), 0, Budget(), facts=True)
        rows = snapshot.page(node["id"], 0, 100, Budget())["nodes"] if "children" in node else []
        return [node["line"], *(row["line"] for row in rows)]


@pytest.mark.parametrize("name", BARE)
def test_an_object_that_is_not_initialized_says_so(name: str) -> None:
    value = made(name)
    said = lines(value)
    assert said[0].endswith(" · not initialized")
    assert not [line for line in said if "not read" in line]
    assert summarize(value) == said[0]
    assert facts(value)["type"].endswith(type(value).__name__)


@pytest.mark.parametrize("name", ["torch.nn.Linear", "torch.nn.Sequential", "torch.jit._script.RecursiveScriptModule"])
def test_a_module_says_so_at_the_end_of_a_line_too(name: str) -> None:
    with Untouched():
        assert str(as_kind(made(name), Budget()).inline()).endswith(" not initialized")


def test_an_optimizer_that_asks_another_one_for_its_groups_is_told_as_ever() -> None:
    torch = pytest.importorskip("torch")
    inner = torch.optim.SGD([torch.ones(1, requires_grad=True)])

    class Around(torch.optim.Optimizer):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            self.inner = inner

        @property
        def param_groups(self) -> Any:
            return self.inner.param_groups

    assert "not initialized" not in summarize(Around())


@pytest.mark.parametrize("base", ["Dataset", "Sampler"])
def test_what_has_nothing_to_keep_is_initialized(base: str) -> None:
    cls = type("Own", (getattr(pytest.importorskip("torch.utils.data"), base),), {"__len__": lambda self: 3})
    assert "not initialized" not in summarize(cls())


@pytest.mark.skipif(sys.platform != "linux", reason="nowhere else can memory be looked at without harm")
@pytest.mark.parametrize("name", IN_C)
def test_one_in_c_says_so_and_does_not_crash_the_program(name: str) -> None:
    cls = class_of(name)

    def say() -> None:
        value = cls.__new__(cls)  # in the child alone: to let go of one may crash too
        facts(value), tree(value)
        print(summarize(value))

    assert printed_in_child(say).strip() == f"{name.rpartition('.')[2]} · not initialized"


@pytest.mark.parametrize(("library", "name"), [("pandas", "DataFrame"), ("pandas", "Series"), ("polars", "DataFrame")])
def test_what_its_init_has_set_so_far_is_shown(library: str, name: str) -> None:
    base = getattr(pytest.importorskip(library), name)
    own = type("Own", (base,), {})
    value = own.__new__(own)
    object.__setattr__(value, "source", "file.csv")
    said = tree(value)
    assert said.startswith("Own · not initialized")
    assert "source  'file.csv'" in said


def test_what_has_no_init_to_wait_for_tells_what_went_wrong() -> None:
    dtype = pytest.importorskip("pandas").api.extensions.ExtensionDtype()
    assert summarize(dtype).startswith("not read: AbstractMethodError")
