"""The helper as the extension injects it, put together here the same way."""

from __future__ import annotations

from pathlib import Path
from zlib import compress

SOURCE = Path(__file__).parents[2] / "pyhelper" / "tensor_inspector"


def program(version: str = "test", gateway: str = "") -> str:
    """Python source that installs the helper, with these lines below those of `gateway`, and leaves the loader's answer
    in `answer`."""
    texts: dict[str, dict[str, str]] = {}
    for file in sorted({*SOURCE.rglob("*.py")} - {SOURCE / "__main__.py"}):
        path = file.relative_to(SOURCE)
        parts = [part for part in path.with_suffix("").parts if part != "__init__"]
        texts.setdefault("/".join(path.parts[:-1][:2]), {})[".".join(parts)] = file.read_text("utf-8")
    loader = texts[""].pop("loader")
    texts[""]["gateway"] += gateway
    sources = {name: at for at, folder in enumerate(texts.values()) for name in folder}
    folders = [compress("\0".join(folder.values()).encode()) for folder in texts.values()]
    return f"{loader}\nanswer = install({sources!r}, {version!r}, {{}}, {folders!r})\n"
