#!/usr/bin/env bash
# Expected: `"port" in config` looks for a key, and a config equals itself.
# Happens:  with OmegaConf both run resolvers: `in` runs the custom resolver behind the value, `config == config` runs it
#           twice and says False where it gives another value each time; a value that is missing (???) is not `in` the
#           config though `keys()` lists it and `len()` counts it. `repr` runs nothing and shows values as written.
# Versions: omegaconf 2.3.1, Python 3.11.7, November 2026.
# Here:     a config is read from what it stores, never by its own questions.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check omegaconf==2.3.1
"$folder/venv/bin/python" - <<'PROGRAM'
from importlib.metadata import version

from omegaconf import OmegaConf

asked = []


def port() -> int:
    asked.append("port")
    return len(asked)


OmegaConf.register_new_resolver("port", port)
config = OmegaConf.create({"port": "${port:}", "warmup": "???"})
seen = {}
for name, ask in {
    "repr": lambda: repr(config),
    "'port' in config": lambda: "port" in config,
    "'warmup' in config": lambda: "warmup" in config,
    "keys": lambda: list(config.keys()),
    "config == config": lambda: config == config,
}.items():
    asked.clear()
    seen[name] = (ask(), len(asked))
print("omegaconf", version("omegaconf"))
for name, (answer, runs) in seen.items():
    print(f"{name}: {answer} (resolver ran {runs} times)")
assert seen["repr"][1] == 0 and seen["'port' in config"] == (True, 1) and seen["'warmup' in config"][0] is False
assert seen["keys"] == (["port", "warmup"], 0) and seen["config == config"] == (False, 2)
PROGRAM
