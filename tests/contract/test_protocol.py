"""The wire contract: Python's twins and the schema say the same, and golden replies fit both."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any, ForwardRef, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from golden import replies
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from tensor_inspector import protocol

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "pyhelper" / "protocol.schema.json").read_text("utf-8"))
DEFINITIONS = SCHEMA["definitions"]
OBJECTS = [name for name, body in DEFINITIONS.items() if "properties" in body]
ENUMS = [name for name, body in DEFINITIONS.items() if "enum" in body]
GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.json"))
with_unions = pytest.mark.skipif(sys.version_info < (3, 10), reason="`X | Y` in hints can't be evaluated before 3.10")


@with_unions
@pytest.mark.parametrize("name", OBJECTS)
def test_a_twin_has_the_fields_of_its_definition(name: str) -> None:
    twin, body = getattr(protocol, name), DEFINITIONS[name]
    assert set(get_type_hints(twin)) == set(body["properties"])
    assert twin.__required_keys__ == set(body.get("required", []))


@pytest.mark.parametrize("name", ENUMS)
def test_an_enum_has_the_words_of_its_definition(name: str) -> None:
    assert list(get_args(getattr(protocol, name))) == DEFINITIONS[name]["enum"]


@with_unions
@pytest.mark.parametrize("name", OBJECTS)
def test_a_twin_has_the_types_of_its_definition(name: str) -> None:
    for field, hint in get_type_hints(getattr(protocol, name)).items():
        assert fits(hint, DEFINITIONS[name]["properties"][field]), field


def fits(hint: Any, schema: dict[str, Any]) -> bool:
    """Whether a Python type and a schema speak of the same JSON."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        same = getattr(hint, "__name__", None) == name or hint == getattr(protocol, name, object())
        return same or fits(hint, DEFINITIONS[name])
    origin, args = get_origin(hint), get_args(hint)
    if origin is Union or type(hint).__name__ == "UnionType":
        types = schema.get("type", [])
        kinds = schema.get("anyOf") or [
            {**schema, "type": kind} for kind in (types if type(types) is list else [types])
        ]
        return all(any(fits(arg, kind) for kind in kinds) for arg in args)
    if "anyOf" in schema:
        return any(fits(hint, kind) for kind in schema["anyOf"])
    if origin is Literal:
        return list(args) == schema.get("enum", [schema.get("const")])
    if origin is list:
        return schema["type"] == "array" and fits(args[0], schema["items"])
    if origin is dict:
        return schema["type"] == "object" and fits(args[1], schema["additionalProperties"])
    if (isinstance(hint, type) and issubclass(hint, dict)) or isinstance(hint, ForwardRef):
        return schema["type"] == "object"
    named = {
        int: ("integer", "number"),
        float: ("number",),
        str: ("string",),
        bool: ("boolean",),
        type(None): ("null",),
    }
    return schema.get("type") in named.get(hint, ())


def test_there_are_golden_replies() -> None:
    assert {path.stem for path in GOLDEN} >= {"frame", "children", "inspect", "evaluate", "error"}


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_golden_reply_fits_the_schema(path: Path) -> None:
    validate("Answer", json.loads(path.read_text("utf-8")))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="`typing.Any`, which one of them shows, is a class since 3.11")
def test_the_helper_still_gives_the_golden_replies() -> None:
    kept = {path.stem: json.loads(path.read_text("utf-8")) for path in GOLDEN}
    assert replies() == kept, "if the change is meant: python tests/contract/golden.py"


def validate(name: str, value: object) -> None:
    Draft7Validator({"$ref": f"#/definitions/{name}", "definitions": DEFINITIONS}).validate(value)


@given(st.recursive(st.one_of(st.integers(), st.floats(), st.text(), st.booleans(), st.none()), st.lists))
def test_every_number_survives_the_wire(value: object) -> None:
    def read(item: object) -> object:
        if isinstance(item, list):
            return [read(below) for below in item]
        if isinstance(item, str) and item.startswith("#"):
            return float(item[1:]) if item[1:].strip("-") in ("inf", "nan") else int(item[1:])
        return item

    def same(one: object, other: object) -> bool:
        if isinstance(one, list) and isinstance(other, list):
            return all(map(same, one, other))
        return one == other or (isinstance(one, float) and math.isnan(one) and math.isnan(other))  # type: ignore[arg-type]

    if "#" not in str(value):
        text = json.dumps(protocol.tagged(value), allow_nan=False)
        assert same(value, read(json.loads(text)))
