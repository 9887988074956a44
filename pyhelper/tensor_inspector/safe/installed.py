"""Tells files and classes of installed libraries from those of the program, by where their source lies."""

from __future__ import annotations

from .guard import ByClass, class_module, instance_dict, module, mro, plain_str, top_package

INSTALLED = ("/site-packages/", "/dist-packages/")  #: folders of installed packages


def is_installed_file(file: str) -> bool:
    """Whether a file belongs to an installed package."""
    plain = file.replace("\\", "/")
    return any(folder in plain for folder in INSTALLED)


def is_standard_file(file: str) -> bool:
    """Whether a file belongs to Python's own library, or was compiled by Cython, which only libraries are."""
    plain = file.replace("\\", "/")
    home = plain_str(instance_dict(module("os")).get("__file__")).replace("\\", "/").rpartition("/")[0]
    return plain.endswith((".pyx", ".pxi")) or (bool(home) and plain.startswith(f"{home}/"))


def _is_installed(cls: type) -> bool:
    """Whether a class itself stands in an installed library."""
    home = class_module(cls)
    return any(_stands_there(module(name)) for name in (home, top_package(home)))


def _stands_there(library: object) -> bool:
    return is_installed_file(plain_str(instance_dict(library).get("__file__")))


is_installed = ByClass(_is_installed)
#: Whether a class, or one that it is derived from, stands in an installed library.
is_made_of_installed = ByClass(lambda cls: any(is_installed(base) for base in mro(cls)))
