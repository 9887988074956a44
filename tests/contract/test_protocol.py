"""The wire contract: golden replies fit the schema, and numbers survive the way."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest
from golden import PALETTES, palettes_text, texts
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from tensor_inspector.lenses.registry import LENSES
from tensor_inspector.wire import tagged

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "pyhelper" / "protocol.schema.json").read_text("utf-8"))
DEFINITIONS = SCHEMA["definitions"]
GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.json"))


def test_there_is_a_golden_reply_of_every_answer() -> None:
    answers = [
        DEFINITIONS[one["$ref"].rpartition("/")[2]]["properties"]["op"] for one in DEFINITIONS["Answer"]["oneOf"]
    ]
    given = {op for answer in answers for op in answer.get("enum", [answer.get("const")])}
    assert {json.loads(path.read_text("utf-8"))["op"] for path in GOLDEN} == given


def test_each_lens_has_one_type_of_answer_among_those_that_can_be_found() -> None:
    types = [one["$ref"].rpartition("/")[2] for one in DEFINITIONS["Found"]["oneOf"]]
    assert sorted(DEFINITIONS[name]["properties"]["lens"]["const"] for name in types) == sorted(LENSES)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_golden_reply_fits_the_schema(path: Path) -> None:
    validate("Answer", json.loads(path.read_text("utf-8")))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="`typing.Any`, which one of them shows, is a class since 3.11")
def test_the_helper_still_gives_the_golden_replies() -> None:
    kept = {path.stem: path.read_text("utf-8") for path in GOLDEN}
    assert texts() == kept, "if the change is meant: python tests/contract/golden.py"


def test_the_colours_of_pictures_are_those_of_the_page() -> None:
    kept = PALETTES.read_text("utf-8")
    assert palettes_text() == kept, (
        "if the change is meant: python tests/contract/golden.py, then the page's palettes.ts"
    )


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
        text = json.dumps(tagged(value), allow_nan=False)
        assert same(value, read(json.loads(text)))
