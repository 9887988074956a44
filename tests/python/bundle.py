"""The helper as the extension injects it, put together here the same way."""

from __future__ import annotations

from pathlib import Path

SOURCE = Path(__file__).parents[2] / "pyhelper" / "tensor_inspector"


def program(version: str = "test", gateway: str = "") -> str:
    """Python source that installs the helper, with these lines below those of `gateway`, and leaves the loader's answer
    in `answer`."""
    modules = {}
    for file in sorted(SOURCE.rglob("*.py")):
        parts = [part for part in file.relative_to(SOURCE).with_suffix("").parts if part != "__init__"]
        modules[".".join(parts)] = file.read_text("utf-8")
    loader = modules.pop("loader")
    modules["gateway"] += gateway
    return f"{loader}\nanswer = install({modules!r}, {version!r}, {{}})\n"
