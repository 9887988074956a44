"""References between the values of an OmegaConf config, followed by what the nodes hold: no resolver is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...safe.guard import Classes, dict_get, instance_dict, plain_str

MISSING = "???"  #: stands for a value that is yet to be given
_REFERENCE = re.compile(r"\$\{([^${}]*)\}")
_PLAIN = re.compile(r"\s*(\.*)([\w\-/@ ]+(?:\.[\w\-/@ ]+|\[[\w\-/@ ]+\])*)\s*")  #: dots that lead upwards, then keys
_KEY = re.compile(r"[^.\[\]]+")
_DEPTH = 20  #: references followed from one to the next
_CONTAINERS = Classes(dict, list)


class UnknownTarget(Exception):
    """Only OmegaConf, or the program's resolver, could tell where a reference leads."""


class BrokenReference(Exception):
    """A reference leads nowhere; its argument says why."""


def held(node: object) -> Any:
    """What a node or config holds: its value as it was written, or its dict or list of nodes."""
    attrs = instance_dict(node)
    return dict_get(attrs, "_val") if "_val" in attrs else dict_get(attrs, "_content")


def is_missing(written: object) -> bool:
    return type(written) is str and written == MISSING


def is_reference(written: object) -> bool:
    return "${" in plain_str(written)


def why_broken(node: object) -> str | None:
    """Why a reference of the node can't be resolved, where that is seen without running a resolver; else None."""
    try:
        _follow(node, [])
    except BrokenReference as error:
        return str(error.args[0])
    return None


def _follow(node: object, before: list[object]) -> None:
    """Follows all references of the node, and those that they lead to."""
    written = held(node)
    if not is_reference(written) or len(before) > _DEPTH:
        return
    if any(node is one for one in before):
        raise BrokenReference("refers to itself")
    for name, levels, keys in _plain_references(plain_str(written)):
        try:
            target = _target(_start(node, levels), keys, name)
        except UnknownTarget:
            continue
        if is_missing(held(target)):
            raise BrokenReference(f"{name} is missing")
        _follow(target, [*before, node])


def _plain_references(written: str) -> Iterator[tuple[str, int, list[str]]]:
    """References by keys alone: as they are written, how many levels they lead up, and the keys."""
    for match in () if "\\" in written else _REFERENCE.finditer(written):
        plain = _PLAIN.fullmatch(match[1])
        if plain is not None:
            yield match[1].strip(), len(plain[1]), [key.strip() for key in _KEY.findall(plain[2])]


def _start(node: object, levels: int) -> object:
    """The config from which a reference goes: the whole one, or as many levels above the node as it has dots."""
    for _ in range(levels or _DEPTH * _DEPTH):
        above = dict_get(instance_dict(node), "_parent")
        if above is None:
            if levels:
                raise UnknownTarget
            break
        node = above
    return node


def _target(config: object, keys: list[str], name: str) -> object:
    for key in keys:
        content = unboxed(config)
        if type(content) is dict:
            config = _under(content, key, name)
        elif type(content) is list:
            config = _at(content, key, name)
        elif content is None or is_reference(content) or is_missing(content):
            raise UnknownTarget
        else:
            raise BrokenReference(f"there is no {name}")
    return config


def unboxed(node: object) -> Any:
    """What a node holds; of one of several types, what the node in it holds."""
    found = held(node)
    return held(found) if "_metadata" in instance_dict(found) and type(found) not in _CONTAINERS else found


def _under(content: dict[Any, Any], key: str, name: str) -> object:
    node = dict_get(content, key)
    if node is not None:
        return node
    if any(type(known) is not str for known in content):
        raise UnknownTarget  # the key may stand for a number or an enum's member
    raise BrokenReference(f"there is no {name}")


def _at(content: list[Any], key: str, name: str) -> object:
    if not key.isdecimal():
        raise UnknownTarget
    if int(key) >= len(content):
        raise BrokenReference(f"there is no {name}")
    return content[int(key)]
