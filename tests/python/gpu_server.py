"""What a server loads from which tests on a GPU are forked. Nothing is run, and no plugin of pytest is among it."""

import importlib
import pkgutil

import faulty  # noqa: F401

import tensor_inspector

for module in pkgutil.walk_packages(tensor_inspector.__path__, "tensor_inspector."):
    try:
        importlib.import_module(module.name)
    except ImportError:  # of a library that is not there
        continue
