"""The helper's tests on the ends of what it supports: the oldest and the newest torch and Python.

    npm run test:versions [-- NAME ...]

Apart from ``npm test``, since it downloads gigabytes: every environment is made once, under ``.cache/versions``. An
interpreter is looked for by its name (``python3.9``), among pyenv's, and in ``$PYTHONS`` (paths, separated as in PATH).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".cache" / "versions"
TESTS = ["debugpy", "pytest", "hypothesis", "jsonschema"]
LIBRARIES = ["pandas", "polars", "pillow", "scipy", "jax", "tensordict", "transformers"]
ALL, ALONE = ["tests/python", "tests/contract"], ["tests/python/test_alone.py", "tests/python/test_architecture.py"]
#: Name, the Pythons that will do, what is installed, and which tests run.
ENDS: dict[str, tuple[tuple[str, ...], list[str], list[str]]] = {
    "oldest": (("3.9",), ["torch==2.0.1", "numpy<2", *TESTS], ALL),
    "newest on the oldest Python": (("3.9",), ["torch", "numpy", "pandas", "pillow", "scipy", *TESTS], ALL),
    "newest": (("3.14", "3.13"), ["torch", "numpy", *LIBRARIES, *TESTS], ALL),
    "without torch": (("3.14", "3.13"), ["numpy", *TESTS], ALONE),
    "without torch and numpy": (("3.9",), TESTS, ALONE),
}


def interpreter(versions: tuple[str, ...]) -> str | None:
    """The first Python of these versions that is there."""
    named = [Path(path) for path in os.environ.get("PYTHONS", "").split(os.pathsep) if path]
    for version in versions:
        kept = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
        onpath = shutil.which(f"python{version}")
        for candidate in [*named, *([Path(onpath)] if onpath else []), *kept]:
            asked = [str(candidate), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
            found = subprocess.run(asked, capture_output=True, text=True, check=False)
            if found.returncode == 0 and found.stdout.strip() == version:
                return str(candidate)
    return None


def environment(name: str, base: str, packages: list[str]) -> str:
    """The interpreter of an environment with these packages, made if it is not there."""
    home = CACHE / name.replace(" ", "-")
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = home / "packages"
    if not stamp.exists() or stamp.read_text() != "\n".join(packages):
        shutil.rmtree(home, ignore_errors=True)
        subprocess.run([base, "-m", "venv", str(home)], check=True)
        quiet = ["--quiet", "--disable-pip-version-check"]
        subprocess.run([str(python), "-m", "pip", "install", *quiet, *packages], check=True)
        stamp.write_text("\n".join(packages))
    return str(python)


def versions(python: str) -> str:
    asked = """
import platform
print("Python", platform.python_version(), end="")
for name in ("torch", "numpy"):
    try:
        print(",", name, __import__(name).__version__.partition("+")[0], end="")
    except ImportError:
        pass
"""
    return subprocess.run([python, "-c", asked], capture_output=True, text=True, check=True).stdout


def main() -> int:
    wanted = sys.argv[1:] or list(ENDS)
    results = []
    for name in wanted:
        pythons, packages, tests = ENDS[name]
        base = interpreter(pythons)
        if base is None:
            results.append((name, f"no Python {' or '.join(pythons)}: install one, or name it in $PYTHONS", False))
            continue
        print(f"━━ {name}: {base}", flush=True)
        python = environment(name, base, packages)
        env = {**os.environ, "PYTHONPATH": str(ROOT / "pyhelper")}
        command = [python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *tests]
        done = subprocess.run(command, cwd=ROOT, env=env, check=False)
        results.append((name, versions(python), done.returncode == 0))
    print("\n━━ versions")
    for name, told, passed in results:
        print(f"{'✓' if passed else '✗'} {name:30} {told}")
    failed = sum(not passed for _, _, passed in results)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
