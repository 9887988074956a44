"""What stands in an object, read without its code (`safe.guard`), and in memory (`safe.memory`)."""

from __future__ import annotations

import gc
import sys
import types
from typing import Any

import pytest

from tensor_inspector.safe.attributes import traits
from tensor_inspector.safe.guard import ByClass, instance_dict
from tensor_inspector.safe.memory import mapped


class Thing:
    pass


class Odd(str):
    pass


def test_the_dict_of_an_object_is_read_where_it_stands() -> None:
    thing = Thing()
    thing.__dict__.update({str(number): number for number in range(1000)})
    assert instance_dict(thing) is thing.__dict__


def test_so_is_that_of_a_module_whatever_its_keys() -> None:
    module = types.ModuleType("module")
    module.__dict__[3] = "three"  # type: ignore[index]
    assert instance_dict(module) is module.__dict__


@pytest.mark.parametrize(("key", "names"), [(3, ["a"]), (Odd("b"), ["a", "b"])])
def test_of_a_dict_with_other_keys_the_strings_are_copied_as_plain_ones(key: Any, names: list[str]) -> None:
    thing = Thing()
    thing.__dict__.update({"a": 1, key: 2})
    found = instance_dict(thing)
    assert list(found) == names
    assert {type(name) for name in found} == {str}


def test_a_class_is_asked_anew_when_it_has_changed() -> None:
    class Growing:
        pass

    assert traits(Growing).properties == []
    Growing.later = property(lambda self: 1)  # type: ignore[attr-defined]
    assert traits(Growing).properties == ["later"]


def test_what_was_said_of_a_class_goes_with_it() -> None:
    asked = ByClass(lambda cls: cls.__name__)
    short_lived = type("ShortLived", (), {})
    assert asked(short_lived) == "ShortLived"
    assert len(asked._known) == 1
    del short_lived
    gc.collect()
    assert asked._known == {}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
def test_memory_that_is_not_there_is_known() -> None:
    assert mapped(id(Thing))
    assert not mapped(0)
    assert mapped(2**70)  # no address at all: not known
