"""The line in short, for a view of 300 px: what is loud first, then the short form; built of the same parts."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy
import pytest
import torch

from tensor_inspector.kinds import Child, Rows
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.stop.snapshot import Snapshot


def described(value: object) -> dict[str, Any]:
    with Untouched():
        return dict(Snapshot(Rows.of("", [])).describe(Child("value", value, "value"), 0, Budget()))


def short(value: object) -> str:
    node = described(value)
    return node.get("short", node["line"])  # type: ignore[no-any-return]


def inline(value: object) -> str | None:
    return described(value).get("inline")


def linear(*, grads: bool = False, broken: bool = False) -> torch.nn.Linear:
    made = torch.nn.Linear(28, 10)
    if grads:
        made.weight.grad = torch.zeros(10, 28)
    if broken:
        made.weight.data[0, 0] = nan
    return made


def parameter(grad: float) -> torch.Tensor:
    made = torch.ones(2, 3, requires_grad=True)
    made.grad = torch.full((2, 3), grad)
    return made


def freed() -> torch.Tensor:
    made = torch.ones(100)
    made.untyped_storage().resize_(0)
    return made


LOUD_FIRST: list[tuple[Callable[[], object], str, str]] = [
    (lambda: torch.tensor([[1.0, nan], [3.0, 2.0]]), "1 NaN · f32[2,2] · 1…3 · μ 2 σ 1", "1 NaN f32[2,2] μ 2"),
    (lambda: torch.tensor([inf, -inf, 0.0, 1.0]), "1 Inf · 1 −Inf · f32[4] · 0…1 · μ 0.5 σ 0.707", "1 Inf 1 −Inf f32[4] μ 0.5"),
    (lambda: torch.full((3,), nan), "all NaN · f32[3]", "all NaN f32[3]"),
    (lambda: torch.zeros(2, 3), "all zeros · f32[2,3]", "all zeros f32[2,3]"),
    (lambda: torch.full((2, 3), 7.0), "all 7 · f32[2,3]", "all 7 f32[2,3]"),
    (lambda: torch.tensor(nan), "f32[] NaN", "f32[] NaN"),
    (lambda: torch.zeros(3, dtype=torch.bool), "all False · bool[3]", "all False bool[3]"),
    (lambda: torch.tensor([1j, complex(nan, 0)]), "1 NaN · c64[2] · |z| finite all 1", "1 NaN c64[2] |z| μ 1"),
    (freed, "storage freed · f32[100]", "storage freed f32[100]"),
    (lambda: parameter(nan), "all 1 · grad all NaN · f32[2,3] · leaf", "all 1 f32[2,3]"),
    (lambda: parameter(0.0), "all 1 · grad all zeros · f32[2,3] · leaf", "all 1 f32[2,3]"),
    (lambda: numpy.array([0.5, nan]), "1 NaN · f64[2] · finite all 0.5", "1 NaN f64[2] μ 0.5"),
    (lambda: numpy.zeros((2, 3)), "all zeros · f64[2,3]", "all zeros f64[2,3]"),
    (lambda: linear(grads=True), "1 of 2 grads None · Linear · train · 28 → 10 · 290 params", "1 of 2 grads None Linear(28 → 10) 290 params"),
    (lambda: linear(broken=True), "NaN in weight · Linear · train · grads None · 28 → 10 · 290 params", "NaN in weight Linear(28 → 10) 290 params"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "row", "line_end"), LOUD_FIRST, ids=lambda value: value if type(value) is str else "")
def test_what_is_wrong_comes_first(make: Callable[[], object], row: str, line_end: str) -> None:
    value = make()
    assert (short(value), inline(value)) == (row, line_end)


DTYPES = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "float8_e4m3fn": "f8e4m3fn",
    "float8_e5m2": "f8e5m2", "complex128": "c128", "complex64": "c64", "complex32": "c32", "int64": "i64",
    "int32": "i32", "int16": "i16", "int8": "i8", "uint64": "u64", "uint32": "u32", "uint16": "u16", "uint8": "u8",
    "bool": "bool",
}  # fmt: skip


class SequenceClassificationModel(torch.nn.Module):
    """A class with a long name."""

    def __init__(self) -> None:
        super().__init__()
        self.head = torch.nn.Linear(2, 3)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: torch.nn.Linear(4, 2), "Linear(4 → 2) · train · grads None · 10 params"),
        (lambda: torch.nn.Linear(784, 128).eval(), "Linear · eval · grads None · 784 → 128 · 100K params"),
        (
            lambda: torch.nn.Conv2d(3, 64, 7).requires_grad_(False),
            "Conv2d · train · frozen · 3 → 64, 7×7 · 9.5K params",
        ),
        (lambda: torch.nn.ReLU(), "ReLU · train"),
        (SequenceClassificationModel, "Sequ…tionModel · train · grads None · 9 params"),
    ],
    ids=lambda value: value if type(value) is str else "",
)
def test_of_a_module_the_mode_and_the_gradients_come_before_its_sizes(make: Callable[[], object], said: str) -> None:
    assert short(make()) == said


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize(("dtype", "said"), DTYPES.items(), ids=DTYPES)
def test_a_dtype_has_its_short_form(dtype: str, said: str) -> None:
    if not hasattr(torch, dtype):
        pytest.skip(f"needs torch.{dtype}")
    assert f"{said}[2,3]" in short(torch.empty(2, 3, dtype=getattr(torch, dtype))).split(" · ")


@pytest.mark.parametrize("dtype", [name for name in DTYPES if hasattr(numpy, name) and name != "bool"])
def test_an_array_has_the_same_one(dtype: str) -> None:
    assert f"{DTYPES[dtype]}[2,3]" in short(numpy.zeros((2, 3), dtype)).split(" · ")


def test_parts_that_do_not_fit_are_left_out_whole() -> None:
    image = torch.linspace(-2, 2, 64 * 28 * 28).reshape(64, 1, 28, 28).requires_grad_() * 1.5
    image.data[0, 0, 0, :3] = nan
    assert short(image.mT) == "3 NaN · f32[64,1,28,28] · −2.9996…3 · μ 0.00018 σ 1.73 · grad ← TransposeBackward0 …"


def error_of_shapes() -> RuntimeError:
    return RuntimeError("mat1 and mat2 shapes cannot be multiplied (2x4 and 5x2)")


LINE_ENDS: list[tuple[Callable[[], object], str | None]] = [
    (lambda: {"loss": torch.tensor(0.25), "acc": 0.5}, "{'loss': f32[] 0.25, 'acc': 0.5}"),
    (lambda: [torch.tensor(nan), 1], "NaN in [0] · [f32[] NaN, 1]"),
    (lambda: (torch.ones(2, 3),) * 3, "(f32[2,3] ×3)"),
    (lambda: [(0, 1), (2, 3)] * 3, "[(tuple of 2) ×6]"),
    (lambda: [7, 7], "[7, 7]"),
    (lambda: (7,), "(7,)"),
    (lambda: list(range(100)), "list of 100 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …]"),
    (lambda: {f"layer{at}.weight": torch.ones(64, 64) for at in range(40)},
     "dict of 40 {'layer0.weight': f32[64,64], …}"),
    (lambda: UserDict(x=torch.ones(2)), "UserDict({'x': f32[2]})"),
    (lambda: torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1), "SGD lr 0.1"),
    (error_of_shapes, "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x…"),
    (lambda: object(), None),
]  # fmt: skip


@pytest.mark.parametrize(("make", "said"), LINE_ENDS, ids=lambda value: value if type(value) is str else "")
def test_at_a_line_end_a_value_says_what_is_in_it(make: Callable[[], object], said: str | None) -> None:
    assert inline(make()) == said


def test_a_container_tells_the_value_of_a_tensor_of_one_number() -> None:
    assert short({"loss": torch.tensor(0.25)}) == "dict · 1: loss f32[] 0.25"


def test_dtypes_among_other_values_do_not_say_so_twice() -> None:
    assert short({"dtype": numpy.dtype("float32")}) == "dict · 1: dtype float32"


@pytest.mark.parametrize(
    ("library", "made", "said"),
    [
        ("pandas", "Series(np.arange(20.0), name='price')", "Series price · f64[20] · 0…19 · μ 9.5 σ 5.92"),
        ("pandas", "array([1, None] * 20, dtype='Int64')", "all 1 · IntegerArray · i64[40] · 20 NA"),
        ("pandas", "RangeIndex(100)", "RangeIndex · i64[100] · 0…99"),
        ("pandas", "DataFrame({'a': np.zeros(2), 'b': np.arange(2)})", "DataFrame · 2 × 2: a f64, b i64"),
        ("polars", "Series('a', np.arange(20.0))", "Series a · f64[20] · 0…19 · μ 9.5 σ 5.92"),
        ("polars", "DataFrame({'a': [1.5], 'b': ['x']})", "DataFrame · 1 × 2: a f64, b String"),
        ("jax", "device_put(np.ones((2, 4)), module.devices('cpu')[0])", "all 1 · f32[2,4]"),
        ("jax", "ShapeDtypeStruct((2, 4), 'float32')", "f32[2,4] · shape and dtype only"),
    ],
)  # fmt: skip
def test_arrays_and_tables_of_other_libraries_name_their_dtypes_as_tensors_do(
    library: str, made: str, said: str
) -> None:
    module = pytest.importorskip(library)
    assert short(eval(f"module.{made}", {"module": module, "np": numpy})) == said


def test_a_dataset_of_tensors_lists_them_in_short() -> None:
    images, labels = torch.zeros(64, 3, 32, 32), torch.zeros(64, dtype=torch.int64)
    dataset = torch.utils.data.TensorDataset(images, labels)
    assert short(dataset) == "TensorDataset · 64 samples · f32[3,32,32], i64[]"
    assert short(torch.utils.data.TensorDataset(*[images] * 4)).startswith(
        "TensorDataset · 64 samples · f32[3,32,32], f32[3"
    )


def test_a_line_that_is_as_short_already_stands_for_itself() -> None:
    assert "short" not in described({"lr": 0.1})
    assert "short" not in described(3)
