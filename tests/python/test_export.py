"""The lens `export`: files of a value that other programs read, bit for bit, whole or not at all."""

from __future__ import annotations

import base64
import csv
import gc
import io
import json
import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from asking import Paused
from jsonschema import Draft7Validator
from torch import nn
from untouched import Watch

from tensor_inspector.kinds import Child
from tensor_inspector.lenses import registry
from tensor_inspector.lenses.export.exported import Exported
from tensor_inspector.lenses.lens import InvalidQuestion
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.session import session
from tensor_inspector.wire import tagged

SCHEMA = json.loads((Path(__file__).parents[2] / "pyhelper" / "protocol.schema.json").read_text("utf-8"))
FOUND = Draft7Validator({"$ref": "#/definitions/ExportFound", "definitions": SCHEMA["definitions"]})


def asked(value: Any, ms: float = 20, **options: Any) -> tuple[dict[str, Any], bytes]:
    """What is found after all slices, and the bytes that they carried."""
    made = b""
    with Untouched():
        lens = registry.lens("export", {"value": Child("x", value, "x")}, options, Budget(ms), None)
        done = False
        while not done:
            done = lens.go_on()
            assert 0 <= lens.progress() <= 1
            made += lens.data() or b""
            lens.budget.renew(ms)
        found: Any = lens.found()
    FOUND.validate(json.loads(json.dumps(tagged(found), allow_nan=False)))
    return found, made


def formats(value: Any) -> dict[str, dict[str, Any]]:
    return {one["format"]: one for one in asked(value)[0]["formats"]}


def sent(value: Any, format: str) -> bytes:
    """The bytes of a file, which it says beforehand if it can."""
    found, made = asked(value, format=format)
    known = formats(value)[format].get("bytes", len(made))
    assert (found["bytes"], len(made)) == (known, known)
    return made


def refused(value: Any, format: str) -> str:
    """Why a format does not hold it, which is said before anything is written."""
    reason = formats(value)[format]["refused"]
    with pytest.raises(InvalidQuestion) as raised:
        asked(value, format=format)
    assert str(raised.value) == reason
    return str(reason)


def of_torch(dtype: str) -> Any:
    """A dtype, which older ones have not."""
    return getattr(torch, dtype, None) or pytest.skip(f"this torch has no {dtype}")


def bits(tensor: torch.Tensor) -> bytes:
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous().reshape(-1)
    return plain.view(torch.uint8).numpy().tobytes() if plain.numel() else b""


def filled(dtype: str, *shape: int) -> torch.Tensor:
    """Random bits: NaN with payloads, infinities, subnormal numbers."""
    kind = of_torch(dtype)
    size = torch.empty(0, dtype=kind).element_size()
    raw = torch.randint(0, 2 if dtype == "bool" else 256, (*shape[:-1], shape[-1] * size), dtype=torch.uint8)
    return raw.view(kind)


FLOATS = ("float64", "float32", "float16", "bfloat16")
DTYPES = (
    *FLOATS, "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "complex64",
    "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
)  # fmt: skip
ONLY_NPY = ("complex128", "complex32", "float8_e8m0fnu")
LAYOUTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.transpose(0, 1),
    "every second": lambda x: x[:, ::2],
    "from the middle": lambda x: x[1:, 1:],
    "expanded": lambda x: x[:1].expand(5, *x.shape[1:]),
    "0-dim": lambda x: x[0, 0, 0],
    "empty": lambda x: x[:0],
    "12 dims": lambda x: x[0, 0].expand(*[1] * 11, x.shape[2]),
    "parameter": lambda x: nn.Parameter(x) if x.is_floating_point() and x.element_size() > 1 else x,
}


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [*DTYPES, *ONLY_NPY])
def test_npy_is_read_by_numpy_bit_for_bit(dtype: str, layout: str) -> None:
    value = LAYOUTS[layout](filled(dtype, 3, 4, 6))
    loaded = np.load(io.BytesIO(sent(value, "npy")), allow_pickle=False)
    assert loaded.shape == tuple(value.shape)
    assert loaded.tobytes() == bits(value)
    notes = " ".join(formats(value)["npy"]["notes"])
    if loaded.dtype.name == dtype:
        assert "numpy has no" not in notes
    else:  # read back as the note says
        assert f"for torch.from_numpy(…).view(torch.{dtype})" in notes
        back = torch.from_numpy(loaded).view(of_torch(dtype))
        assert bits(back) == bits(value)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_safetensors_is_read_by_its_own_library_bit_for_bit(dtype: str, layout: str) -> None:
    library = pytest.importorskip("safetensors.torch")
    value = LAYOUTS[layout](filled(dtype, 3, 4, 6))
    loaded = library.load(sent(value, "safetensors"))
    assert list(loaded) == ["x"]
    assert (loaded["x"].dtype, loaded["x"].shape) == (value.dtype, value.shape)
    assert bits(loaded["x"]) == bits(value)


def conjugated() -> torch.Tensor:
    return torch.tensor([[1 + 2j, complex(3, float("nan"))]]).conj()


def inferred() -> torch.Tensor:
    with torch.inference_mode():
        return torch.arange(3.0)


class Own(torch.Tensor):
    @classmethod
    def __torch_function__(cls, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("code of the program ran")


ODD: dict[str, Callable[[], Any]] = {
    "conjugated": conjugated, "negated": lambda: conjugated().imag, "inference": inferred,
    "of a graph": lambda: torch.ones(2, requires_grad=True) * 3, "zero": lambda: torch._efficientzerotensor((2,)),
    "subclass": lambda: torch.arange(3.0).as_subclass(Own),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_tensors_are_written_as_they_read(name: str) -> None:
    value = ODD[name]()
    plain = torch.Tensor.detach(value.as_subclass(torch.Tensor)).resolve_conj().resolve_neg().clone()
    assert np.load(io.BytesIO(sent(value, "npy"))).tobytes() == plain.numpy().tobytes()
    assert sent(value, "safetensors").endswith(plain.numpy().tobytes())


ARRAYS: dict[str, Callable[[], Any]] = {
    "big-endian": lambda: np.array([1.5, -2, np.nan], ">f4"), "fortran": lambda: np.asfortranarray(np.arange(12).reshape(3, 4)),
    "reversed": lambda: np.arange(5.0)[::-1], "broadcast": lambda: np.broadcast_to(np.arange(3), (2, 3)),
    "bool": lambda: np.array([True, False]), "complex": lambda: np.array([[1j]], np.complex64),
    "0-dim": lambda: np.array(3), "empty": lambda: np.zeros((0, 3)),
    "read-only": lambda: np.frombuffer(b"abcd", np.uint8),
}  # fmt: skip


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_keep_their_numbers(name: str) -> None:
    value = ARRAYS[name]()
    loaded = np.load(io.BytesIO(sent(value, "npy")))
    assert (loaded.dtype, loaded.shape) == (value.dtype, value.shape)
    assert loaded.tobytes() == value.tobytes()
    library = pytest.importorskip("safetensors.numpy")
    again = library.load(sent(value, "safetensors"))["x"]
    assert np.array_equal(again, np.asarray(value), equal_nan=value.dtype.kind in "fc")


def test_lists_are_written_as_an_array() -> None:
    assert np.load(io.BytesIO(sent([[1, 2.5], [3, 4]], "npy"))).tolist() == [[1, 2.5], [3, 4]]
    assert sent([[True, False]], "csv") == b"True,False\n"


def test_what_another_library_has_is_written_wider_and_said_so() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    value = np.array([1.5, np.nan], ml_dtypes.bfloat16)
    assert np.array_equal(np.load(io.BytesIO(sent(value, "npy"))), value.astype(np.float64), equal_nan=True)
    assert formats(value)["npy"]["notes"] == ["bfloat16 is written as float64, which holds its numbers"]


def test_of_a_state_dict_each_tensor_has_its_name() -> None:
    library = pytest.importorskip("safetensors.torch")
    model = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2), nn.Linear(2, 3))
    model[2].weight = nn.Parameter(model[0].weight.t())  # the same memory in another order
    for value in (model, model.state_dict()):
        loaded = library.load(sent(value, "safetensors"))
        assert {name: bits(one) for name, one in loaded.items()} == {
            name: bits(one) for name, one in model.state_dict().items()
        }
    assert sorted(library.load(sent([torch.ones(1), torch.zeros(2)], "safetensors"))) == ["0", "1"]


def test_tied_tensors_are_written_twice_and_said_so() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[1].weight = model[0].weight
    assert formats(model)["safetensors"]["notes"] == ["safetensors holds no ties: 1.weight is 0.weight, written again"]
    tensor = torch.ones(3)
    assert "1 is 0" in formats([tensor, tensor])["safetensors"]["notes"][0]


EXPANDED: dict[str, Callable[[Any], Any]] = {
    "one element": lambda x: x[:1, :1, :1].expand(50, 40, 300),
    "rows": lambda x: x[:1, :1].expand(50, 40, 300),
    "planes": lambda x: x[:1].expand(5, 40, 300),
    "within rows": lambda x: x[:, :, :1].expand(5, 40, 3000),
    "between": lambda x: x[:, :1].expand(5, 400, 300),
    "twice": lambda x: x[:1, :, :1].expand(30, 40, 3000),
    "outer and inner": lambda x: x[:1, :7, :1].expand(300, 7, 300),
    "turned": lambda x: x[:1].expand(60, 40, 300).permute(1, 0, 2),
    "short rows": lambda x: x[0, :, :1].expand(40, 3).t().expand(4000, 3, 40),
}


@pytest.mark.parametrize("name", EXPANDED)
@pytest.mark.parametrize("library", ["torch", "numpy"])
def test_expanded_values_are_written_bit_for_bit(name: str, library: str) -> None:
    value = EXPANDED[name](torch.randn(5, 40, 300))
    data = sent(value if library == "torch" else value.numpy(), "npy")
    np.testing.assert_array_equal(np.load(io.BytesIO(data)), value.numpy())


@pytest.mark.parametrize("shape", [(3_000_000_000,), (1000, 3_000_000), (1000, 1, 3_000_000)])
@pytest.mark.parametrize("library", ["torch", "numpy"])
def test_of_an_expanded_value_a_block_is_made_once_and_written_again(library: str, shape: tuple[int, ...]) -> None:
    value = torch.ones(1).expand(shape)
    read = Exported(value if library == "torch" else np.broadcast_to(np.ones(1, np.float32), shape), Budget()).read()
    first, *others = [next(read) for _ in range(50)]
    assert 1 << 17 < len(first) <= 1 << 18
    assert all(one is first for one in others), "nothing is copied for the others"


@pytest.mark.parametrize("value", [np.empty((3, 0)), torch.empty(3, 0)], ids=["numpy", "torch"])
def test_what_has_no_elements_is_not_said_to_be_expanded(value: Any) -> None:
    assert formats(value)["npy"]["notes"] == []


def test_an_expanded_tensor_is_said_to_take_more() -> None:
    value = torch.ones(1).expand(1_000_000_000, 4)
    told = formats(value)["npy"]
    assert told["bytes"] > 16e9
    assert told["notes"] == ["expanded: an element is written as often as it is shown"]


REFUSED: dict[str, tuple[Callable[[], Any], str, str]] = {
    "sparse": (lambda: torch.eye(2).to_sparse(), "npy", "no file of this Tensor: sparse_coo layout"),
    "quantized": (lambda: torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8), "safetensors", "quantized"),
    "nested": (lambda: torch.nested.nested_tensor([torch.ones(1), torch.ones(2)]), "npy", "nested"),
    "meta": (lambda: torch.empty(2, device="meta"), "csv", "meta tensor: no values"),
    "masked": (lambda: np.ma.array([1, 2], mask=[0, 1]), "npy", "1 masked"),
    "not initialized": (lambda: nn.LazyLinear(2).weight, "npy", "not initialized"),
    "freed": (lambda: freed(torch.ones(3)), "safetensors", "storage freed"),
    "texts": (lambda: np.array(["a"]), "npy", "a file is of numbers, not of <U1"),
    "objects": (lambda: np.array([None]), "npy", "a file is of numbers, not of object"),
    "dict": (lambda: {"a": torch.ones(1)}, "npy", "a file is of a tensor, an array or lists of numbers, not of dict"),
    "number": (lambda: 3, "safetensors", "not of int"),
    "empty dict": (dict, "safetensors", "a file is of tensors: x holds none"),
    "dict with another": (lambda: {"a": torch.ones(1), "b": 3}, "safetensors", "b: a file is of a tensor"),
    "dict with odd keys": (lambda: {(1, 2): torch.ones(1)}, "safetensors", "the keys of this dict are no texts"),
    "dict with one name twice": (lambda: {0: torch.ones(1), "0": torch.ones(1)}, "safetensors", "two of these are 0"),
    "dict with a broken name": (lambda: {"\ud800": torch.ones(1)}, "safetensors", "can't hold '\\ud800': give it"),
    "lists of texts": (lambda: [["a"]], "npy", "a file is of lists of numbers, not of str"),
    "lists of two lengths": (lambda: [[1], [1, 2]], "csv", "a file is of lists of equal lengths: these are not"),
    "dict with metadata": (lambda: {"__metadata__": torch.ones(1)}, "safetensors", "keeps the name __metadata__"),
    "complex128": (lambda: torch.ones(1, dtype=torch.complex128), "safetensors", "safetensors has no complex128"),
    "long rows": (lambda: torch.ones(1).expand(2, 3_000_000), "csv", "rows of up to 1,048,576 numbers, not of 3,000,000"),
}  # fmt: skip


def freed(tensor: torch.Tensor) -> torch.Tensor:
    tensor.untyped_storage().resize_(0)
    return tensor


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REFUSED)
def test_what_a_format_does_not_hold_is_refused_in_its_own_terms(name: str, tmp_path: Path) -> None:
    make, format, reason = REFUSED[name]
    value = make()
    assert reason in refused(value, format)
    with pytest.raises(InvalidQuestion):
        asked(value, format=format, path=str(tmp_path / "x"))
    assert list(tmp_path.iterdir()) == []


CSV: list[tuple[Any, str]] = [
    (torch.tensor(1.5), "1.5\n"),
    (torch.tensor([1.0, 0.1, float("nan"), float("-inf")]), "1.0\n0.1\nnan\n-inf\n"),
    (torch.tensor([[1, -2], [2**62 + 1, 0]]), "1,-2\n4611686018427387905,0\n"),
    (torch.tensor([[0.1, 3e38]], dtype=torch.bfloat16), "0.1,3e+38\n"),
    (torch.tensor([[1 - 2j]]), "1-2j\n"),
    (np.array([[True], [False]]), "True\nFalse\n"),
    (torch.arange(8).reshape(2, 2, 2), "dim 0,dim 1,0,1\n0,0,0,1\n0,1,2,3\n1,0,4,5\n1,1,6,7\n"),
    (torch.empty(0), ""),
    (torch.empty(2, 0), "\n\n"),
    (torch.empty(0, 2, 2), "dim 0,dim 1,0,1\n"),
]


@pytest.mark.parametrize(("value", "text"), CSV)
def test_csv_has_the_fewest_digits_that_give_a_number_back(value: Any, text: str) -> None:
    assert sent(value, "csv").decode() == text


@pytest.mark.parametrize("shape", [(300, 41), (3, 9001), (7, 3, 50), (20_000,)])
@pytest.mark.parametrize("dtype", FLOATS)
def test_csv_is_read_back_as_the_same_numbers(dtype: str, shape: tuple[int, ...]) -> None:
    value = torch.randn(shape).to(of_torch(dtype))
    rows = list(csv.reader(io.StringIO(sent(value, "csv").decode())))
    led = len(shape) - 1 if len(shape) > 2 else 0
    numbers = [[float(cell) for cell in row[led:]] for row in rows[1 if led else 0 :]]
    back = torch.tensor(numbers, dtype=torch.float64).to(value.dtype).reshape(shape)
    assert torch.equal(back, value)


# Pickled, once the user has agreed


def pickled(value: Any, **load: Any) -> Any:
    return torch.load(io.BytesIO(asked(value, format="pt", run=True)[1]), **load)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "complex64", "bool", "float8_e5m2"])
def test_pt_is_read_by_torch_bit_for_bit(dtype: str, layout: str) -> None:
    value = LAYOUTS[layout](filled(dtype, 3, 4, 6))
    loaded = pickled(value, weights_only=True)
    assert (type(loaded), loaded.dtype, loaded.shape) == (type(value), value.dtype, value.shape)
    assert loaded.requires_grad is value.requires_grad
    assert bits(loaded) == bits(value)


def test_of_a_view_only_its_own_elements_are_pickled() -> None:
    value = torch.zeros(10_000_000)[:3].requires_grad_()
    _, made = asked(value, format="pt", run=True)
    assert len(made) < 10_000
    assert torch.load(io.BytesIO(made)).requires_grad
    assert "views in it" not in " ".join(formats(value)["pt"]["notes"])
    assert "views in it" in " ".join(formats([value])["pt"]["notes"])


def test_a_state_dict_is_pickled_whole() -> None:
    state = nn.Linear(3, 2).state_dict()
    loaded = pickled(state, weights_only=True)
    assert {name: bits(one) for name, one in loaded.items()} == {name: bits(one) for name, one in state.items()}


class Reduced:
    ran = 0

    def __reduce__(self) -> Any:
        Reduced.ran += 1
        return (dict, ())


def test_code_of_the_program_runs_only_where_the_user_has_agreed(paused: Any, tmp_path: Path) -> None:
    Reduced.ran, path = 0, tmp_path / "x.pt"
    one = paused(Reduced())
    told = one.lens("export", {}, value="x")["found"]["formats"]
    assert [(each["format"], each["runs"]) for each in told if each["runs"]] == [("pt", True), ("tensorboard", True)]
    assert one.lens("export", {"format": "pt", "path": str(path)}, value="x")["error"]["code"] == "bad_request"
    assert Reduced.ran == 0
    one.lens("export", {"format": "pt", "path": str(path), "run": True}, value="x")
    assert Reduced.ran == 1
    path.write_bytes(b"mine")
    found = one.lens("export", {"format": "pt", "path": str(path), "run": True}, value="x")["found"]
    assert (found["taken"], Reduced.ran) == (str(path), 1)


def test_what_cannot_be_pickled_is_said_and_leaves_nothing(paused: Any, tmp_path: Path) -> None:
    answer = paused({"f": lambda: 1}).lens(
        "export", {"format": "pt", "path": str(tmp_path / "x.pt"), "run": True}, value="x"
    )
    assert answer["error"]["message"].startswith("x is not written: ")
    assert "pickle" in answer["error"]["message"]
    assert list(tmp_path.iterdir()) == []


# Files on the machine of the program


def test_many_tensors_are_looked_at_in_slices(paused: Any) -> None:
    value = {f"layer {at}": torch.full((3,), at) for at in range(300)}
    one = paused(value)
    answer, slices = begun(one, format="safetensors"), 1
    while not answer["done"]:
        assert "data" not in answer or slices > 250
        answer, slices = gone_on(one, answer, limits={"ms": 0}), slices + 1
    assert slices > 300
    assert sum(1 for _ in one.replies) == slices


def frame(value: Any) -> Any:
    x = value
    assert x is not None
    return sys._getframe()


@pytest.fixture
def paused(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any], Paused]]:
    yield lambda value: Paused(frame(value), monkeypatch)
    session.reset()


LARGE = torch.arange(20_000_000, dtype=torch.int32)


def begun(paused: Paused, ms: float = 0, **options: Any) -> dict[str, Any]:
    """The answer of the first slice, in which there is no time for all."""
    values = {"value": {"expression": "x"}}
    return paused.ask("lens", lens="export", values=values, options={"format": "npy", **options}, limits={"ms": ms})


def gone_on(paused: Paused, before: dict[str, Any], **more: Any) -> dict[str, Any]:
    where = {"snapshot": before["snapshot"], "resume": before["resume"], "values": {}}
    return paused.ask("lens", lens="export", **where, **more)


def half_written(paused: Paused, folder: Path, format: str = "npy", **options: Any) -> dict[str, Any]:
    """The answer of the slice after which there is a file of another name."""
    before = set(folder.iterdir())
    answer = begun(paused, format=format, path=str(folder / f"x.{format}"), **options)
    while set(folder.iterdir()) == before:
        assert not answer["done"]
        answer = gone_on(paused, answer, limits={"ms": 0})
    assert [path.suffix for path in set(folder.iterdir()) - before] == [".part"]
    return answer


@pytest.mark.parametrize("format", ["npy", "safetensors", "csv"])
def test_the_program_writes_the_same_bytes_as_it_sends(paused: Any, tmp_path: Path, format: str) -> None:
    value = torch.randn(64, 40)
    path = tmp_path / f"x.{format}"
    answer = paused(value).lens("export", {"format": format, "path": str(path)}, value="x")
    assert answer["found"]["written"] == str(path)
    assert "data" not in answer
    assert path.read_bytes() == sent(value, format)
    assert list(tmp_path.iterdir()) == [path]


def test_bytes_are_sent_in_slices_that_are_the_file(paused: Any) -> None:
    one, made, slices = paused(LARGE), b"", 0
    answer = begun(one, 20)
    while True:
        piece = base64.b64decode(answer.get("data", ""))
        assert len(piece) <= 1_000_000
        made, slices = made + piece, slices + 1
        if answer["done"]:
            break
        answer = gone_on(one, answer)
    assert slices > 100
    assert np.array_equal(np.load(io.BytesIO(made)), LARGE.numpy())


def test_a_path_is_from_the_folder_of_the_program(paused: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = paused(torch.ones(2)).lens("export", {"format": "npy", "path": "x.npy"}, value="x")["found"]
    assert (found["written"], found["folder"], found["host"]) == (
        str(tmp_path / "x.npy"), str(tmp_path), socket.gethostname(),
    )  # fmt: skip


def test_a_file_is_replaced_only_where_that_is_said(paused: Any, tmp_path: Path) -> None:
    path, one = tmp_path / "x.npy", paused(torch.ones(2))
    path.write_bytes(b"mine")
    found = one.lens("export", {"format": "npy", "path": str(path)}, value="x")["found"]
    assert found["taken"] == str(path)
    assert "written" not in found
    assert path.read_bytes() == b"mine"
    one.lens("export", {"format": "npy", "path": str(path), "overwrite": True}, value="x")
    assert np.load(path).tolist() == [1, 1]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("mode", [0o600, 0o666, 0o444])
def test_a_file_in_the_place_of_another_may_be_read_by_the_same_users(paused: Any, tmp_path: Path, mode: int) -> None:
    path, one = tmp_path / "x.npy", paused(LARGE)
    path.write_bytes(b"mine")
    path.chmod(mode)
    answer = half_written(one, tmp_path, overwrite=True)
    (part,) = tmp_path.glob(".*.part")
    assert part.stat().st_mode & 0o777 == mode
    while not answer["done"]:
        answer = gone_on(one, answer)
    assert path.stat().st_mode & 0o777 == mode
    assert np.load(path).tolist() == LARGE.tolist()


def test_a_file_that_comes_meanwhile_is_not_replaced(paused: Any, tmp_path: Path) -> None:
    path, one = tmp_path / "x.npy", paused(LARGE)
    answer = half_written(one, tmp_path)
    path.write_bytes(b"mine")
    while not answer["done"]:
        answer = gone_on(one, answer)
    assert answer["found"]["taken"] == str(path)
    assert path.read_bytes() == b"mine"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_not_followed_nor_replaced(paused: Any, tmp_path: Path) -> None:
    there, link = tmp_path / "there", tmp_path / "x.npy"
    there.write_bytes(b"mine")
    for target in (there, tmp_path / "nowhere"):
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        options = {"format": "npy", "path": str(link), "overwrite": True}
        answer = paused(torch.ones(2)).lens("export", options, value="x")
        assert answer["error"]["message"] == (
            f"{link} is a link, which is not followed: give the path that it leads to"
        )
        assert link.is_symlink()
    assert there.read_bytes() == b"mine"


PATHS = [
    ("nowhere/x.npy", "there is no folder"),
    ("", "path is the path of a file"),
    ("folder", "there is a folder at"),
    ("folder/", "there is no folder"),
    ("pipe", "is no file but a device, a socket or a pipe"),
]


@pytest.mark.parametrize(("path", "reason"), PATHS)
def test_a_path_where_no_file_can_be_is_refused(paused: Any, tmp_path: Path, path: str, reason: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    options = {"format": "npy", "path": path and f"{tmp_path}/{path}"}
    answer = paused(torch.ones(2)).lens("export", options, value="x")
    assert answer["error"]["code"] == "bad_request"
    assert reason in answer["error"]["message"]


def test_a_disk_that_takes_no_more_leaves_nothing(paused: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.write", full)
    answer = paused(torch.ones(2)).lens("export", {"format": "npy", "path": str(tmp_path / "x.npy")}, value="x")
    assert answer["error"]["message"] == "x is not written: No space left on device"
    assert list(tmp_path.iterdir()) == []


def test_what_is_cancelled_leaves_nothing(paused: Any, tmp_path: Path) -> None:
    one = paused(LARGE)
    answer = half_written(one, tmp_path)
    cancelled = gone_on(one, answer, cancel=True)
    assert (cancelled["done"], "resume" in cancelled) == (False, False)
    assert list(tmp_path.iterdir()) == []
    assert gone_on(one, answer)["error"]["code"] == "gone"


def test_what_the_stop_ends_before_it_is_done_leaves_nothing(paused: Any, tmp_path: Path) -> None:
    one = paused(LARGE)
    half_written(one, tmp_path)
    gc.disable()
    try:
        one.replies.clear()  # the debugger lets go of them as the program goes on
        assert list(tmp_path.iterdir()) == []
    finally:
        gc.enable()


def test_a_value_that_changes_between_two_slices_is_not_written(paused: Any, tmp_path: Path) -> None:
    value = LARGE.clone()
    one = paused(value)
    answer = half_written(one, tmp_path)
    value[0] = 7
    assert gone_on(one, answer)["error"]["message"] == "x is not written: it was changed meanwhile"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", ["npy", "csv"])
@pytest.mark.parametrize("shape", [(5,), (1, 5)])
def test_an_array_that_is_resized_between_two_slices_ends_it(
    paused: Any, tmp_path: Path, format: str, shape: tuple[int, ...]
) -> None:
    value = np.full((4, 500_000), 7.0)
    one = paused(value)
    answer = half_written(one, tmp_path, format)
    value.resize(shape, refcheck=False)
    assert gone_on(one, answer)["error"]["message"] == "x is not written: it was changed meanwhile"
    assert list(tmp_path.iterdir()) == []


def test_an_array_that_gets_another_shape_between_two_slices_ends_it(paused: Any, tmp_path: Path) -> None:
    value = np.full((4, 500_000), 7.0)
    one = paused(value)
    answer = half_written(one, tmp_path)
    value.shape = (2_000_000, 1)
    assert gone_on(one, answer)["error"]["message"] == "x is not written: it was changed meanwhile"


SUBSCRIPTS: dict[str, tuple[Callable[[], Any], str]] = {
    "a row of a tensor": (lambda: torch.arange(6.0).reshape(2, 3), "x[1]"),
    "a tensor of a dict": (lambda: {"w": torch.arange(6.0)}, "x['w']"),
    "a row of a tensor in a dict": (lambda: {"w": torch.arange(6.0).reshape(2, 3)}, "x['w'][1]"),
    "a row of an array": (lambda: np.arange(6.0).reshape(2, 3), "x[1]"),
}


@pytest.mark.parametrize("name", SUBSCRIPTS)
def test_what_a_subscript_reaches_is_pickled_as_the_program_has_it(paused: Any, tmp_path: Path, name: str) -> None:
    make, expression = SUBSCRIPTS[name]
    x, path = make(), tmp_path / "x.pt"
    paused(x).lens("export", {"format": "pt", "path": str(path), "run": True}, value=expression)
    wanted = eval(expression, {"x": x})
    found = torch.load(path, weights_only=False)
    assert type(found) is type(wanted)
    assert found.tolist() == wanted.tolist()


def test_what_the_program_has_otherwise_is_not_pickled(paused: Any) -> None:
    pandas = pytest.importorskip("pandas")
    found = paused(pandas.DataFrame({"a": [1, 2]})).lens("export", {}, value="x['a']")["found"]
    (reason,) = [one["refused"] for one in found["formats"] if one["format"] == "pt"]
    assert reason == "x['a'] is a row of the tree, no object of the program"


def test_a_tensor_without_its_memory_is_not_pickled() -> None:
    value = torch.ones(3)
    freed(value)
    assert formats(value)["pt"]["refused"] == "storage freed"


def test_csv_of_no_rows_ends_at_once() -> None:
    assert sent(torch.zeros(10**12, 0, 2), "csv") == b"dim 0,dim 1,0,1\n"


def test_memory_that_goes_away_between_two_slices_ends_it(paused: Any, tmp_path: Path) -> None:
    value = LARGE.clone()
    one = paused(value)
    answer = half_written(one, tmp_path)
    freed(value)
    assert gone_on(one, answer)["error"]["message"] == "x is not written: storage freed"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "xlsx"}, "format is one of npy, safetensors, csv, pt, tensorboard"),
        ({"format": 3}, "format is one of npy, safetensors, csv, pt, tensorboard"),
        ({"format": "pt"}, "pt runs code of the program: it is asked with the option 'run'"),
        ({"at": 1}, "'export' has no option 'at'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(paused: Any, options: dict[str, Any], message: str) -> None:
    answer = paused(torch.ones(2)).lens("export", options, value="x")
    assert answer["error"]["code"] == "bad_request"
    assert message in answer["error"]["message"]


def test_nothing_of_the_program_is_changed(tmp_path: Path) -> None:
    value = torch.randn(100, 100, requires_grad=True).t()
    with Watch({"value": value}) as watch:
        for format in ("npy", "safetensors", "csv"):
            asked(value, format=format, path=str(tmp_path / format))
    assert watch.changes() == []
