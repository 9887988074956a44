"""What a line does not show is compared too, or said not to be: nothing that differs is called the same."""

from __future__ import annotations

import ctypes
import datetime
import functools
import mmap
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
import torch

from tensor_inspector import compare, summarize, tree


class Text(str):
    tag: int


class Number(float):
    tag: int


class Whole(int):
    tag: int


class Day(datetime.date):
    tag: int


class Amount(Decimal):
    tag: int


class Named(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char * 8),
        ("wide", ctypes.c_wchar * 4),
        ("few", ctypes.c_uint, 3),
        ("one", ctypes.c_wchar),
    ]


def named(field: str, data: bytes) -> Named:
    made = Named()
    ctypes.memmove(ctypes.addressof(made) + getattr(Named, field).offset, data, len(data))
    return made


class Phase(complex):
    tag: int


class Double(np.float64):
    tag: int


class Span(datetime.timedelta):
    tag: int


def jagged() -> Any:
    return torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)


def tensordict() -> Any:
    return pytest.importorskip("tensordict").TensorDict({"a": torch.ones(2)}, batch_size=[2])


def stacked() -> Any:
    return pytest.importorskip("tensordict").LazyStackedTensorDict(tensordict(), tensordict())


@functools.cache
def units() -> Any:
    return pytest.importorskip("pint").UnitRegistry()


#: Values that may carry attributes, which no row of theirs shows.
CARRIERS: dict[str, Callable[[], Any]] = {
    "text": lambda: Text("a"),
    "number": lambda: Number(1),
    "NaN": lambda: Number("nan"),
    "integer": lambda: Whole(1),
    "complex number": lambda: Phase(1),
    "date": lambda: Day(2020, 1, 1),
    "span of time": lambda: Span(1),
    "decimal": lambda: Amount("1.5"),
    "number of numpy": lambda: Double(1),
    "jagged tensor": jagged,
    "tensordict": tensordict,
    "stacked tensordicts": stacked,
    "quantity": lambda: units().Quantity(1.0, "m"),
}


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("name", CARRIERS)
def test_attributes_that_no_row_shows_are_compared(name: str) -> None:
    one, other = CARRIERS[name](), CARRIERS[name]()
    assert compare(one, other).same
    object.__setattr__(other, "tag", 1)
    found = compare([one], [other])
    assert [(row["path"], row["what"]) for row in found.differences] == [("[0].tag", "only in b")]
    object.__setattr__(one, "tag", 2)
    assert [row["path"] for row in compare(one, other).differences] == [".tag"]


@pytest.mark.parametrize(("a", "b"), [("1.0", "1.00"), ("0", "-0"), ("NaN", "-NaN"), ("NaN1", "NaN2")])
def test_decimals_are_compared_to_the_last_digit(a: str, b: str) -> None:
    one, other = Decimal(a), Decimal(b)
    assert compare([one], [Decimal(a)]).same
    assert [row["text"] for row in compare(one, other).differences] == [f"{one!r} → {other!r}"]
    for held in ([one], [other]), ({one: 1}, {other: 1}), ({one}, {other}):
        assert not compare(*held).same


@pytest.mark.parametrize(
    ("field", "a", "b", "said"),
    [
        ("name", b"ab\0x", b"ab\0y", "b'ab\\x00x' → b'ab\\x00y'"),
        ("name", b"ab", b"", "b'ab' → b''"),
        ("wide", "a\0x".encode("utf-32-le"), "a\0y".encode("utf-32-le"), "'a\\x00x' → 'a\\x00y'"),
        ("few", b"\1", b"\2", "1 → 2"),
        ("one", b"\xff" * 4, b"\xfe" * 4, "b'\\xff\\xff\\xff\\xff' → b'\\xfe\\xfe\\xfe\\xfe'"),
    ],
)
def test_all_of_a_structure_is_compared(field: str, a: bytes, b: bytes, said: str) -> None:
    if ctypes.sizeof(ctypes.c_wchar) != 4:
        pytest.skip("needs wide characters of 4 bytes")
    assert compare(named(field, a), named(field, a)).same
    found = compare(named(field, a), named(field, b))
    assert [(row["path"], row["text"]) for row in found.differences] == [(f".{field}", said)]


def test_characters_that_are_none_are_shown_as_bytes() -> None:
    assert "one b'\\xff\\xff\\xff\\xff'" in summarize(named("one", b"\xff" * 4))


@pytest.mark.parametrize("cls", [ctypes.c_ubyte * 8192, type("Long", (ctypes.Structure,), {"_fields_": [("a", ctypes.c_int), ("b", ctypes.c_ubyte * 8188)]})])  # fmt: skip
def test_what_lies_beyond_the_end_of_a_file_is_gone(cls: Any, tmp_path: Any) -> None:
    """Reading it would end the process."""
    file = tmp_path / "mapped"
    file.write_bytes(bytes(8192))
    with file.open("r+b") as opened:
        mapped = mmap.mmap(opened.fileno(), 8192)
        value = cls.from_buffer(mapped)
        opened.truncate(4096)
        assert "freed" in summarize(value)
        found = compare(value, cls())
        del value
    assert not found.same
    assert found.differences == []


def test_what_is_kept_secret_is_neither_shown_nor_compared() -> None:
    pydantic = pytest.importorskip("pydantic")
    model = type("Login", (pydantic.BaseModel,), {"__annotations__": {"key": pydantic.SecretStr}})
    one, other = model(key="hush"), model(key="hash")
    found = compare(one, other)
    assert not found.same
    assert "not compared: it is kept secret" in repr(found)
    assert not any("hush" in text for text in (repr(found), tree(one, depth=5), summarize(one)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"batch_size": [2, 3]}, "batch size [2] → [2, 3]"),
        ({"batch_size": [2], "names": ["row"]}, "names of the dimensions none → row"),
        ({"batch_size": [2], "lock": True}, "locked False → True"),
        ({"batch_size": [2], "device": "cpu"}, "device none → cpu"),
    ],
)
@pytest.mark.parametrize("is_class", [False, True])
def test_how_a_tensordict_is_made_is_compared(change: dict[str, Any], said: str, is_class: bool) -> None:
    tensordict = pytest.importorskip("tensordict")
    one, other = (tensordict.TensorDict({"x": torch.ones(2, 3)}, **given) for given in ({"batch_size": [2]}, change))
    if is_class:
        cls = tensordict.tensorclass(type("Batch", (), {"__annotations__": {"x": torch.Tensor}}))
        one, other = map(cls.from_tensordict, (one, other))
    assert compare(one, one.clone()).same
    assert said in repr(compare(one, other))


def test_stacked_instances_of_a_tensorclass_are_compared() -> None:
    tensordict = pytest.importorskip("tensordict")
    cls = tensordict.tensorclass(type("Batch", (), {"__annotations__": {"x": torch.Tensor}}))
    one, other, like = (
        tensordict.lazy_stack([cls(x=torch.full((2,), number), batch_size=[]) for _ in range(2)])
        for number in (1.0, 2.0, 1.0)
    )
    assert not compare(one, other).same
    assert compare(one, like).same


def test_names_of_dimensions_are_compared_by_what_they_are() -> None:
    tensordict = pytest.importorskip("tensordict")
    one, other = (tensordict.TensorDict({"x": torch.ones(2)}, [2], names=[name]) for name in "ab")
    assert "names of the dimensions a → b" in repr(compare(one, other))


def test_a_config_made_by_a_dataclass_differs_from_a_plain_one() -> None:
    omegaconf = pytest.importorskip("omegaconf")
    from dataclasses import make_dataclass

    made = make_dataclass("Training", [("lr", float, 0.1)])
    structured, plain = omegaconf.OmegaConf.structured(made), omegaconf.OmegaConf.create({"lr": 0.1})
    assert compare(structured, omegaconf.OmegaConf.structured(made)).same
    found = {row["path"]: row["text"] for row in compare(structured, plain).differences}
    assert found["._metadata.object_type"] == "class types.Training → class dict"


class Closing:
    __slots__ = ("close",)


class Table(Closing):
    __slots__ = ("close", "rows")

    def __init__(self, rows: int) -> None:
        self.close, self.rows = None, rows


def test_a_slot_that_is_declared_twice_hides_nothing() -> None:
    assert compare(Table(1), Table(1)).same
    assert [row["path"] for row in compare(Table(1), Table(2)).differences] == [".rows"]


class Slotted:
    __slots__ = ("kept",)


class SlottedToo(Slotted):
    """Has a dict beside its slot."""


def both(slot: int, beside: int) -> SlottedToo:
    made = SlottedToo()
    made.kept = slot
    vars(made)["kept"] = beside
    return made


def test_a_slot_is_compared_though_the_dict_has_its_name() -> None:
    assert compare(both(1, 2), both(1, 2)).same
    assert [row["path"] for row in compare(both(1, 2), both(3, 2)).differences] == [".kept"]
    assert [row["path"] for row in compare(both(1, 2), both(1, 3)).differences] == ["__dict__['kept']"]
    assert "kept  1" in tree(both(1, 2))
