"""Following an expression without running code: names, attributes and literal subscripts (promise 8)."""

from __future__ import annotations

from array import array
from collections import defaultdict, deque, namedtuple
from typing import Any

import numpy
import pandas
import polars
import pytest
import torch
from hostile import RAN, objects

from tensor_inspector.kinds import NotFound, NotStatic
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.stop.expression import parse, resolve

Point = namedtuple("Point", "x y")


class Config:
    def __init__(self) -> None:
        self.lr = 0.1
        self.net = torch.nn.Sequential(torch.nn.Linear(2, 3))

    @property
    def computed(self) -> int:
        raise AssertionError("a property ran")


class Stored:
    """What the instance holds is not what the program sees."""

    def __init__(self) -> None:
        self.__dict__["value"] = -1

    @property
    def value(self) -> int:
        raise AssertionError("a property ran")


LOCALS: dict[str, Any] = {
    "x": torch.arange(12.0).reshape(3, 4),
    "a": numpy.arange(6).reshape(2, 3),
    "batch": {"image": [torch.ones(2)], 3: "three", True: "yes", None: "nothing", "it's": 1},
    "config": Config(),
    "queue": deque([1, 2, 3]),
    "typed": array("i", [1, 2, 3]),
    "point": Point(1, 2),
    "odd": {
        (1, 2): "tuple",
        0.5: "float",
        1: "one",
        "a\b\n": "escaped",
        b"x": "bytes",
        "both '\"": "quotes",
        "\0": "nul",
    },
    "named": torch.nn.ModuleDict({"32": torch.nn.Linear(2, 3)}),
    "stored": Stored(),
    "foreign": {numpy.int64(3): 1},
    "grown": defaultdict(list, {"known": 1}),
    "größe": 5,
    "frame": pandas.DataFrame({"c": range(200)}),
    "table": polars.DataFrame({"c": range(200)}),
    "model": torch.nn.Sequential(torch.nn.Linear(1, 1)),
    "record": numpy.zeros(200, [("x", "i4")]),
}


def follow(text: str) -> Any:
    with Untouched():
        return resolve(text, LOCALS, {"shared": 9, "x": "shadowed"}, Budget())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("größe", 5),
        ("shared", 9),
        ("config.lr", 0.1),
        (" config . lr ", 0.1),
        ("batch[3]", "three"),
        ("batch[True]", "yes"),
        ("batch[None]", "nothing"),
        ('batch["it\'s"]', 1),
        ("queue[-1]", 3),
        ("typed[-1]", 3),
        ("point.y", 2),
        ("point[0]", 1),
        ("grown['known']", 1),
        ("odd[(1, 2)]", "tuple"),
        ("odd[0.5]", "float"),
        ("odd[1]", "one"),
        ("odd[1.0]", "one"),
        (r"odd['a\b\n']", "escaped"),
        (r"odd['\x00']", "nul"),
        ("odd[b'x']", "bytes"),
        ("odd['both \\'\"']", "quotes"),
    ],
)
def test_a_static_expression_reaches_its_value(text: str, value: object) -> None:
    assert follow(text) == value


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("x", (3, 4)),
        ("x[0]", (4,)),
        ("x[0, 1]", ()),
        ("x[:, 1:3]", (3, 2)),
        ("x[..., -1]", (3,)),
        ("x[1:]", (2, 4)),
        ("a[1]", (3,)),
        ("a[:, ::2]", (2, 2)),
        ("batch['image'][0]", (2,)),
        ("named['32'].weight", (3, 2)),
        ("config.net[0].weight", (3, 2)),
        ("config.net[0].weight[2]", (2,)),
    ],
)
def test_tensors_arrays_and_modules_are_followed(text: str, shape: tuple[int, ...]) -> None:
    found = follow(text)
    assert tuple(getattr(found, "value", found).shape) == shape


@pytest.mark.parametrize(
    "text",
    ["", "f(x)", "x + 1", "x[i]", "batch[key]", "[1, 2]", "x.", ".x", "x[", "x[0]]", "lambda: 0", "x if x else x",
     "x := 1",
     "config.computed", "x[0].grad", "x[0].value", "stored.value", "foreign[3]", "queue[0:1]", "batch['a\\\\n']", "x; y", "x\ny", "__import__('os')", "x[f()]"],
)  # fmt: skip
def test_what_would_run_code_is_refused(text: str) -> None:
    with pytest.raises((NotStatic, NotFound)):
        follow(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nowhere", "there is no 'nowhere' in this frame"),
        ("config.gone", "there is no attribute 'gone'"),
        ("batch['gone']", "there is no key 'gone'"),
        ("queue[3]", "there is no item 3: it has 3"),
        ("grown['new']", "there is no key 'new'"),
    ],
)
def test_what_is_not_there_is_said(text: str, said: str) -> None:
    with pytest.raises(NotFound, match=said.replace("[", r"\[")):
        follow(text)


@pytest.mark.parametrize("name", [name for name in LOCALS if name != "größe"])
@pytest.mark.parametrize(
    "subscript", ["[99999999999999999999999]", "[:99999999999999999999999]", "[0, 99999999999999999999999]", "[1.5]",
                  "[b'x']", "[(1, 2)]", "['x']", ".values()[99999999999999999999999]"]
)  # fmt: skip
def test_a_subscript_that_cannot_be_is_refused(name: str, subscript: str) -> None:
    try:
        follow(f"{name}{subscript}")
    except (NotStatic, NotFound):
        pass  # all else would be a fault


@pytest.mark.parametrize("text", ["frame['c'].iloc[{}]", "table['c'][{}]", "model[{}]", "record['x'][{}]"])
def test_a_number_beyond_all_rows_is_refused(text: str) -> None:
    with pytest.raises((NotStatic, NotFound)):
        follow(text.format(10**23))


@pytest.mark.parametrize("text", ["x[True]", "a[True]", "a[False, 0]", "x[(0, 1),]"])
def test_a_subscript_that_would_copy_the_elements_is_refused(text: str) -> None:
    with pytest.raises(NotStatic, match="copies"):
        follow(text)


def test_a_field_of_a_structured_array_is_followed() -> None:
    assert follow("record['x'][1]") == 0


def test_a_defaultdict_gains_no_key() -> None:
    with pytest.raises(NotFound):
        follow("grown['new']")
    assert list(LOCALS["grown"]) == ["known"]


@pytest.mark.parametrize("name", objects())
def test_following_runs_no_code_of_the_value(name: str) -> None:
    value = objects()[name]
    RAN.clear()
    for text in ("v", "v.attribute", "v['a']", "v[0]", "v.kept", "v.x"):
        try:
            resolve(text, {"v": value}, {}, Budget())
        except (NotStatic, NotFound):
            continue
    assert RAN == []


def test_a_subscript_with_brackets_in_its_string_is_one_step() -> None:
    assert parse("a['b]c[d'][0]") == [("name", "a"), ("item", "b]c[d"), ("item", 0)]


def test_one_slice_is_a_key_itself_and_several_are_a_tuple() -> None:
    assert parse("x[1:]") == [("name", "x"), ("item", slice(1, None))]
    assert parse("x[1:, 0]") == [("name", "x"), ("item", (slice(1, None), 0))]


@pytest.mark.parametrize("text", ["table.row({})", "frame.iloc[{}]"])
def test_a_row_of_a_table_is_reached_also_beyond_the_first_hundred(text: str) -> None:
    for index in (0, 99, 100, 199):
        assert follow(text.format(index)).text == f"c={index}"
    for index in (200, -1):
        with pytest.raises((NotFound, NotStatic)):
            follow(text.format(index))
