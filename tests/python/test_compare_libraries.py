"""What a library keeps beside the content of a value is compared as well, and nothing else stands against `same`."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from zoo.beside import array, days, masked, model, moment, series

from tensor_inspector import compare


def pandas() -> Any:
    return pytest.importorskip("pandas")


def indexed(step: str) -> Any:
    return pandas().Series([1], index=days(step))


def zoned(of: str) -> Any:
    zone = pytest.importorskip("pytz").UTC if of == "pytz" else pytest.importorskip("zoneinfo").ZoneInfo("UTC")
    return pandas().Timestamp("2020-01-01", tz=zone)


def step(name: str, **given: Any) -> Any:
    return getattr(pandas().offsets, name)(**given)


def settings(**given: Any) -> Any:
    pytest.importorskip("pydantic")
    return model()(**given)


def paddled(grad: float | None = None, persistable: bool = False) -> Any:
    paddle = pytest.importorskip("paddle")
    made = paddle.ones([2])
    made.stop_gradient, made.persistable = False, persistable
    if grad is not None:
        made.grad = paddle.full([2], grad)
    return made


def onnx_tensor(note: str = "", end: int = 0) -> Any:
    onnx = pytest.importorskip("onnx")
    made = onnx.helper.make_tensor("w", onnx.TensorProto.FLOAT, [2], [1.0, 2.0])
    if note:
        entry = made.metadata_props.add()
        entry.key, entry.value = "k", note
    if end:
        made.segment.end = end
    return made


def config(content: Any, flag: str = "", **typed: Any) -> Any:
    made = pytest.importorskip("omegaconf").DictConfig(content, **typed)
    if flag:
        made._set_flag(flag, True)
    return made


def config_of(node: str, flag: str = "") -> Any:
    """A config of one value, in a node of this class."""
    one = getattr(pytest.importorskip("omegaconf"), node)(1)
    if flag:
        one._set_flag(flag, True)
    return config({"a": one})


@functools.cache
def declared(number: int) -> Any:
    return dataclasses.make_dataclass("Declared", [("x", int, 1)])


def structured(number: int) -> Any:
    """A config made of one of several classes, all alike."""
    return pytest.importorskip("omegaconf").OmegaConf.structured(declared(number))


def labelled(**given: Any) -> Any:
    settings = {"data": [1.0, 2.0], "dims": "x", "coords": {"x": [1, 2]}, **given}
    return pytest.importorskip("xarray").DataArray(**settings)


def arrow(*values: Any, dtype: str = "int64[pyarrow]") -> Any:
    pytest.importorskip("pyarrow")
    return pandas().Series(values, dtype=dtype)


def joined_arrow(*values: int) -> Any:
    return pandas().concat([arrow(value) for value in values], ignore_index=True)


def polars(*values: Any) -> Any:
    return pytest.importorskip("polars").Series(values)


def own_index(tag: int) -> Any:
    made = pandas().Index([1, 2])
    made.tag = tag
    return made


#: Two that differ in one thing beside their content: how both are made, where and how that is said.
UNLIKE: dict[str, tuple[Callable[[], Any], Callable[[], Any], str, str]] = {
    "flags of a series": (
        lambda: series(True), lambda: series(False), "", "repeated labels allowed → not allowed",
    ),
    "flags of a table": (
        lambda: series(True).to_frame(), lambda: series(False).to_frame(),
        "", "repeated labels allowed → not allowed",
    ),
    "step of an index": (lambda: days("D"), lambda: days("2D"), ".freq.n", "1 → 2"),
    "index without a step": (lambda: days("D"), lambda: pandas().DatetimeIndex(days("D").values), ".freq", "only in a: Day · D"),
    "step of the index of a series": (lambda: indexed("D"), lambda: indexed("2D"), ".index.freq.n", "1 → 2"),
    "attribute of an index": (lambda: own_index(1), lambda: own_index(2), ".tag", "1 → 2"),
    "holidays of a step": (
        lambda: step("CustomBusinessDay", holidays=["2020-01-01"]),
        lambda: step("CustomBusinessDay", holidays=["2020-01-02"]),
        ".holidays[0]", "datetime64[D] 2020-01-01 → datetime64[D] 2020-01-02",
    ),
    "day of a week": (lambda: step("Week", weekday=1), lambda: step("Week", weekday=2), ".weekday", "1 → 2"),
    "class of a step": (lambda: step("Day", n=2), lambda: step("Hour", n=48), "", "Day → Hour"),
    "unit of a timestamp": (lambda: moment("s"), lambda: moment("ns"), "", "unit s → Timestamp('2020-01-01 00:00:00') · unit ns"),
    "fill value": (lambda: masked(fill_value=1), lambda: masked(fill_value=2), ".fill_value", "float64 1 → float64 2"),
    "a fill value of many digits": (
        lambda: masked(fill_value=1), lambda: masked(fill_value=1 + 2e-16), ".fill_value", "float64 1 → float64 1.0000000000000002",
    ),
    "a default as fill value": (masked, lambda: masked(fill_value=0), ".fill_value", "1e20 → float64 0"),
    "hard mask": (masked, lambda: masked(hard_mask=True), "", "hard mask False → True"),
    "fill value of texts": (
        lambda: np.ma.array(["a", "b"]), lambda: np.ma.array(["a", "b"], fill_value="c"), ".fill_value", "'N' → 'c'",
    ),
    "fill values of records": (
        lambda: np.ma.zeros(2, "i4,f8"), lambda: np.ma.array(np.zeros(2, "i4,f8"), fill_value=(1, 2)),
        ".fill_value['f0']", "→ int32 1",
    ),
    "what may be written": (lambda: array(True), lambda: array(False), "", "writeable True → False"),
    "fields that were given": (
        lambda: settings(), lambda: settings(rate=0.1), ".__pydantic_fields_set__ › ‹'rate'›", "only in b: 'rate'",
    ),
    "gradient of paddle": (lambda: paddled(1.0), lambda: paddled(2.0), ".grad", "2 of 2 differ"),
    "no gradient of paddle": (lambda: paddled(1.0), paddled, ".grad", "only in a"),
    "persistable tensor": (paddled, lambda: paddled(persistable=True), "", "persistable False → True"),
    "metadata of onnx": (
        lambda: onnx_tensor("1"), lambda: onnx_tensor("2"), ".metadata_props[0].value", "'1' → '2'",
    ),
    "segment of onnx": (lambda: onnx_tensor(end=1), lambda: onnx_tensor(end=2), ".segment.end", "1 → 2"),
    "class of a config": (
        lambda: structured(1), lambda: structured(2), "._metadata.object_type", "another class of this name",
    ),
    "flags of a config": (
        lambda: config({}), lambda: config({}, "allow_objects"), "._metadata.flags['allow_objects']", "only in b: True",
    ),
    "flags of a value": (
        lambda: config_of("IntegerNode"), lambda: config_of("IntegerNode", "readonly"),
        "node of 'a' › flags › 'readonly'", "only in b: True",
    ),
    "flags of a usual value": (
        lambda: config_of("AnyNode"), lambda: config_of("AnyNode", "readonly"), "node of 'a'", "only in b: AnyNode",
    ),
    "class of a node": (lambda: config_of("AnyNode"), lambda: config_of("IntegerNode"), "node of 'a'", "only in b: IntegerNode"),
    "type of keys": (lambda: config({}), lambda: config({}, key_type=str), "._metadata.key_type", "→ type class str"),
    "what a config may be": (
        lambda: config({}), lambda: config({}, is_optional=False), "._metadata.optional", "True → False",
    ),
    "what a reference leads to": (
        lambda: config({"r": 1, "a": {"b": "${r}"}}).a, lambda: config({"r": 2, "a": {"b": "${r}"}}).a,
        "'b' › the config around it › 'r'", "1 → 2",
    ),
    "data of xarray": (labelled, lambda: labelled(data=[1.0, 3.0]), "._variable._data", "1 of 2 differ"),
    "attributes of xarray": (labelled, lambda: labelled(attrs={"unit": "m"}), "._variable._attrs", "None → dict · 1"),
    "coordinates of xarray": (
        lambda: labelled(name="t").to_dataset(), lambda: labelled(name="t", coords={"x": [1, 3]}).to_dataset(),
        "._variables['x']._data.array", "1 of 2 differ",
    ),
    "numbers of Arrow": (lambda: arrow(1, 2), lambda: arrow(1, 3), "", "1 of 2 differ"),
    "large integers of Arrow": (lambda: arrow(2**60 + 1, None), lambda: arrow(2**60, None), "", "1 of 1 differ"),
    "missing numbers of Arrow": (lambda: arrow(1, None), lambda: arrow(1, 0), "", "1 of 2 missing in one only"),
    "truth values of Arrow": (
        lambda: arrow(True, False, dtype="bool[pyarrow]"), lambda: arrow(True, None, dtype="bool[pyarrow]"),
        "", "1 of 2 missing in one only",
    ),
    "chunks of Arrow": (lambda: joined_arrow(1, 2), lambda: joined_arrow(1, 3), "", "1 of 2 differ"),
    "numbers of polars with a null": (lambda: polars(1, None), lambda: polars(2, None), "", "1 of 1 differ"),
    "truth values of polars": (lambda: polars(True, None), lambda: polars(False, None), "", "1 of 1 differ"),
    "library of a time zone": (lambda: zoned("pytz"), lambda: zoned("zoneinfo"), "", "tzinfo pytz.UTC"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNLIKE)
def test_what_a_library_keeps_beside_the_content_is_compared(name: str) -> None:
    one, other, path, said = UNLIKE[name]
    found = compare(one(), other())
    assert any(told["path"] == path and said in told["text"] for told in found.differences), repr(found)
    assert compare(one(), one()).same


def test_a_config_around_references_is_compared_once() -> None:
    one, other = (config({"r": number, "a": {"b": "${r}"}, "c": "${r}"}) for number in (1, 2))
    assert [found["path"] for found in compare(one, other).differences] == [".r"]


def test_a_key_of_one_config_is_one_difference() -> None:
    assert [found["path"] for found in compare(config({"a": 1}), config({"a": 1, "b": 2})).differences] == [".b"]


def test_what_xarray_has_put_into_a_value_that_was_asked_is_no_difference() -> None:
    one, other = labelled(), labelled()
    assert (one.attrs, one.encoding) == ({}, {})
    assert compare(one, other).same
    one, other = one.to_dataset(name="t"), other.to_dataset(name="t")
    assert (one.attrs, one.encoding) == ({}, {})
    assert compare(one, other).same


def test_chunks_are_compared_with_a_whole() -> None:
    assert compare(joined_arrow(1, 2), arrow(1, 2)).same


def test_a_large_column_is_not_copied_to_be_compared() -> None:
    one, other = (arrow(*[1] * 600_000, None) for _ in range(2))
    assert "not compared: numbers with missing ones, in chunks or in bits of Arrow's" in repr(compare(one, other))


def test_a_fill_value_that_was_asked_for_is_no_difference() -> None:
    one, other = masked(), masked()
    assert one.fill_value == 1e20
    assert compare(one, other).same


def test_what_a_span_of_time_has_worked_out_is_no_difference() -> None:
    one, other = (pandas().Timedelta("1s") for _ in range(2))
    assert one.components.seconds == 1
    assert compare(one, other).same
