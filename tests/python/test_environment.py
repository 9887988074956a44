"""The lens `environment`: what a program runs with, checked against torch's own functions and against fresh processes."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType
from typing import Any

import numpy as np
import pytest
import torch
from asking import Paused
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from untouched import Watch

from tensor_inspector import environment
from tensor_inspector.lenses.environment import installed

BARE = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "PYTHONPATH", "SYSTEMROOT")}


def here() -> FrameType:
    return sys._getframe()


@pytest.fixture
def paused(monkeypatch: pytest.MonkeyPatch) -> Paused:
    return Paused(here(), monkeypatch)


def named(found: dict[str, Any]) -> dict[str, Any]:
    return {setting["name"]: setting for setting in found["settings"]}


def values(found: dict[str, Any]) -> dict[str, Any]:
    return {setting["name"]: setting["value"] for setting in found["settings"]}


def in_a_process(code: str, *switches: str, **variables: str) -> dict[str, Any]:
    """What a fresh process that has run some code is told."""
    lines = f"import json, tensor_inspector\n{code}\nprint(json.dumps(tensor_inspector.environment()))"
    done = subprocess.run(
        [sys.executable, *switches, "-c", lines], env={**BARE, **variables}, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


@contextmanager
def being(set_to: Callable[[Any], object], value: Any, before: Any) -> Iterator[None]:
    set_to(value)
    try:
        yield
    finally:
        set_to(before)


def attribute(owner: Any, name: str) -> Callable[[Any], object]:
    return lambda value: setattr(owner, name, value)


class Overriding(TorchFunctionMode):
    pass


class Dispatching(TorchDispatchMode):
    pass


CASES: dict[str, tuple[Callable[[], Any], str, str]] = {
    "gradients off": (torch.no_grad, "grad mode", "off"),
    "gradients on again": (torch.enable_grad, "grad mode", "on"),
    "inference mode": (torch.inference_mode, "inference mode", "on"),
    "autocast": (lambda: torch.autocast("cpu", torch.bfloat16), "autocast", "cpu bfloat16"),
    "autocast that is disabled": (lambda: torch.autocast("cpu", enabled=False), "autocast", "off"),
    "autocast's cache": (lambda: torch.autocast("cpu", cache_enabled=False), "autocast cache", "off"),
    "a function mode": (Overriding, "torch function and dispatch modes", "Overriding"),
    "a dispatch mode": (Dispatching, "torch function and dispatch modes", "Dispatching"),
    "a default device": (lambda: torch.device("meta"), "default device", "meta"),
    "default dtype": (lambda: being(torch.set_default_dtype, torch.float64, torch.float32), "default dtype", "float64"),
    "denormals": (lambda: being(torch.set_flush_denormal, True, False), "flush denormal", "on"),
    "anomaly": (lambda: torch.autograd.set_detect_anomaly(True), "anomaly detection", "True"),
    "anomaly without NaN": (
        lambda: torch.autograd.set_detect_anomaly(True, check_nan=False), "anomaly detection check_nan", "False"
    ),
    "deterministic": (
        lambda: being(torch.use_deterministic_algorithms, True, False), "deterministic algorithms", "True"
    ),
    "benchmark": (
        lambda: being(attribute(torch.backends.cudnn, "benchmark"), True, False), "cudnn.benchmark", "True"
    ),
    "matmul precision": (
        lambda: being(torch.set_float32_matmul_precision, "medium", "highest"), "float32_matmul_precision", "medium"
    ),
    "mkldnn": (lambda: being(torch._C._set_mkldnn_enabled, False, True), "mkldnn.enabled", "False"),
    "numpy's errors": (
        lambda: np.errstate(invalid="raise"), "numpy errors", "divide warn, over warn, under ignore, invalid raise"
    ),
    "the collector": (lambda: being(lambda on: gc.enable() if on else gc.disable(), False, True), "garbage collector", "off"),
    "backward in one thread": (lambda: torch.autograd.set_multithreading_enabled(False), "multithreaded backward", "off"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_is_set_is_told_and_comes_first_where_it_is_not_the_default(case: str, paused: Paused) -> None:
    make, name, value = CASES[case]
    with make():
        found = paused.lens("environment")["found"]
    setting = named(found)[name]
    assert setting["value"] == value
    assert setting["differs"] is (setting["value"] != setting["default"])
    differ = [setting["differs"] for setting in found["settings"]]
    assert differ == sorted(differ, reverse=True)
    assert found["different"] == sum(differ)


@pytest.mark.parametrize("case", CASES)
def test_asking_leaves_it_as_it_is(case: str, paused: Paused) -> None:
    with CASES[case][0]():
        paused.lens("environment")  # torch imports what it needs to be asked once
        with Watch(None) as watch:
            paused.lens("environment")
    assert watch.changes() == []


def test_python_is_told_the_same_as_the_debugger(paused: Paused) -> None:
    with torch.no_grad(), torch.autocast("cpu"):
        asked, told = paused.lens("environment"), environment()
    assert told == {"complete": True, "text": asked["text"], **asked["found"]}
    assert str(told) == asked["text"]
    assert (values(told)["grad mode"], values(told)["autocast"]) == ("off", "cpu bfloat16")


def test_the_defaults_are_those_of_a_fresh_process() -> None:
    found = in_a_process("import numpy, torch, torch.multiprocessing")
    assert [setting for setting in found["settings"] if setting["differs"]] == []
    assert [setting for setting in found["settings"] if setting["group"] == "flag" and setting["value"] is None] == []


def test_what_a_process_was_started_with_is_told() -> None:
    code = "import torch, torch.multiprocessing as m; m.set_start_method('spawn'); torch.set_num_threads(1); torch.manual_seed(7)"
    found = in_a_process(code, "-O", "-W", "error::UserWarning", OMP_NUM_THREADS="1", PYTHONHASHSEED="0")
    assert {setting["name"]: setting["value"] for setting in found["settings"] if setting["differs"]} == {
        "python -O": "1", "python -W": "error::UserWarning", "multiprocessing start method": "spawn", "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }  # fmt: skip
    assert (values(found)["initial seed"], values(found)["intra-op threads"]) == ("7", "1")


def test_without_torch_python_itself_is_told() -> None:
    found = in_a_process("", MKL_NUM_THREADS="2")
    assert {setting["group"] for setting in found["settings"]} == {"process", "variable", "version", "device"}
    assert values(found)["MKL_NUM_THREADS"] == "2"
    assert values(found)["Python"].startswith(".".join(map(str, sys.version_info[:3])))


def test_a_start_method_that_nobody_has_asked_for_stays_open(paused: Paused) -> None:
    context = multiprocessing.context._default_context  # type: ignore[attr-defined]
    before = context._actual_context
    context._actual_context = None
    try:
        told = values(paused.lens("environment")["found"])["multiprocessing start method"]
        assert context._actual_context is None
        assert told == multiprocessing.get_start_method()
    finally:
        context._actual_context = before


def test_variables_that_change_nothing_and_secrets_are_not_told(
    paused: Paused, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "USER", "TORCH_HUB_TOKEN", "CUDA_API_KEY", "NCCL_DEBUG"):
        monkeypatch.setenv(name, "hush-hush")
    answer = paused.lens("environment")
    told = values(answer["found"])
    assert {name: told.get(name) for name in ("HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "USER", "TORCH_HUB_TOKEN")} == {
        "HF_TOKEN": None, "AWS_SECRET_ACCESS_KEY": None, "USER": None, "TORCH_HUB_TOKEN": "set, not shown",
    }  # fmt: skip
    assert (told["CUDA_API_KEY"], told["NCCL_DEBUG"]) == ("set, not shown", "hush-hush")
    assert "TORCH_HUB_TOKEN" in answer["text"]
    assert answer["text"].count("hush-hush") == 1


def test_versions_are_those_of_what_is_loaded(paused: Paused) -> None:
    told = values(paused.lens("environment")["found"])
    assert (told["torch"], told["numpy"]) == (str(torch.__version__), np.__version__)
    assert {name for name in ("onnx", "wandb", "fastai") if name in told} <= set(sys.modules)


@pytest.mark.skipif(torch.version.cuda is not None, reason="for a torch that is built without CUDA")
def test_a_torch_without_cuda_says_so(paused: Paused) -> None:
    answer = paused.lens("environment")
    assert values(answer["found"])["CUDA"] == "not available: torch is built without it"
    assert answer["found"]["cuda"] == "not_built"
    assert answer["node"]["line"].endswith(" · no CUDA")


def test_a_torch_for_cuda_without_a_driver_says_so(paused: Paused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.version, "cuda", "12.4")
    monkeypatch.setattr(installed, "_DRIVERS", ())
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(torch.cuda, "_initialized", False)
    told = values(paused.lens("environment")["found"])["CUDA"]
    assert told == "not available: no driver of NVIDIA's, torch is built for CUDA 12.4"


def test_a_driver_tells_its_devices_though_cuda_is_not_initialized(
    paused: Paused, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    place = tmp_path / "gpus" / "0000:01:00.0"
    place.mkdir(parents=True)
    (place / "information").write_text("Model: \t\t NVIDIA H200\nIRQ: 42\n")
    monkeypatch.setattr(torch.version, "cuda", "12.4")
    monkeypatch.setattr(installed, "_DRIVER", str(tmp_path))
    monkeypatch.setattr(installed, "_DRIVERS", (str(tmp_path),))
    monkeypatch.setattr(torch.cuda, "_initialized", False)
    assert values(paused.lens("environment")["found"])["CUDA"] == "CUDA 12.4, not initialized, NVIDIA H200"


def test_modes_of_another_thread_are_not_known() -> None:
    from tensor_inspector.lenses.environment.flags import modes_of

    assert {setting.value for setting in modes_of(None)} == {None}


def test_modes_are_those_of_the_thread_that_asks() -> None:
    told: list[str] = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: told.append(values(environment())["grad mode"]))
        thread.start()
        thread.join(240)
    assert told == ["on"]


@pytest.mark.skipif(not torch.distributed.is_available(), reason="needs torch.distributed")
def test_a_process_group_is_told_by_its_rank_and_backend(paused: Paused) -> None:
    store = torch.distributed.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        told = values(paused.lens("environment")["found"])["process group"]
    finally:
        torch.distributed.destroy_process_group()
    assert told == "rank 0 of 1 by gloo"
    assert values(paused.lens("environment")["found"])["process group"] == "none"


def test_hooks_on_all_modules_are_counted(paused: Paused) -> None:
    handle = torch.nn.modules.module.register_module_forward_hook(lambda *_: None)
    try:
        assert values(paused.lens("environment")["found"])["global module hooks"] == "1"
    finally:
        handle.remove()


def test_the_row_says_what_is_not_as_by_default_and_opens_to_all(
    paused: Paused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NCCL_DEBUG", "INFO")
    with torch.no_grad():
        answer = paused.lens("environment")
    row, rows = answer["node"], answer["node"]["page"]["nodes"]
    assert (row["name"], row["kind"]) == ("environment", "group")
    assert row["line"].startswith("not as by default: grad mode off, ")
    assert row["short"].startswith("differs: grad mode off, ")
    assert (rows[0]["name"], rows[0]["line"]) == ("grad mode", "off · default on")
    assert ("NCCL_DEBUG", "INFO · default not set") in [(node["name"], node["line"]) for node in rows]
    groups = {node["name"]: node for node in rows[answer["found"]["different"] :]}
    assert set(groups) == {"versions", "devices", "modes", "flags", "process"}
    below = [node["name"] for group in groups.values() for node in paused.below(answer, group)]
    assert len(below) + answer["found"]["different"] == len(answer["found"]["settings"])


def test_what_the_program_has_put_in_place_of_torchs_settings_harms_nothing(
    paused: Paused, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Refusing:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(name)

    monkeypatch.setattr(torch, "default_generator", nullcontext())
    monkeypatch.setattr(torch.distributed.distributed_c10d, "_world", Refusing())
    monkeypatch.setattr(torch.nn.modules.module, "_global_forward_hooks", Refusing())
    monkeypatch.setattr(multiprocessing.context, "_default_context", Refusing())
    told = values(paused.lens("environment")["found"])
    assert (told["process group"], told["initial seed"], told["grad mode"]) == ("none", None, "on")
