"""``python -m tensor_inspector``: tells what the package can do here, and imports nothing but itself."""

from __future__ import annotations

import inspect
import platform
import re
from importlib import metadata

import tensor_inspector

_DESCRIBED = ("torch", "numpy", "pandas", "polars", "jax", "debugpy")


def main() -> None:
    print(f"Tensor Inspector {_version('tensor-inspector') or '(not installed)'} on Python {platform.python_version()}")
    found = [f"{name} {version}" for name, version in ((name, _version(name)) for name in _DESCRIBED) if version]
    print(
        f"It describes, where the program has imported it: {', '.join(found) or 'none of its libraries is installed'}"
    )
    print("\n    import tensor_inspector as ti\n")
    width = max(map(len, tensor_inspector.__all__))
    for name in tensor_inspector.__all__:
        print(f"    ti.{name.ljust(width)}  {_first_sentence(getattr(tensor_inspector, name))}")
    print("\nIn VS Code the extension of the same name shows all this while a program is paused.")


def _first_sentence(described: object) -> str:
    text = " ".join((inspect.getdoc(described) or "").split())
    return re.split(r"(?<=[.])\s", text, maxsplit=1)[0]


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    main()
