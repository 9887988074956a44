"""What memory the machine has left, by the files in which Linux tells it."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tensor_inspector.measure.memory import process

_MACHINE = {
    "/proc/self/status": "VmRSS:\t 10 kB\nVmHWM:\t 20 kB\n",
    "/proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 900 kB\n",
}
_FOLDER = "/sys/fs/cgroup"


@pytest.mark.parametrize(
    ("container", "free", "total"),
    [
        ({}, 900, 1000),
        ({"memory.max": "max\n", "memory.current": "4096\n"}, 900, 1000),
        ({"memory.max": f"{500 * 1024}", "memory.current": f"{450 * 1024}"}, 50, 500),
        (
            {
                "memory.max": f"{500 * 1024}",
                "memory.current": f"{450 * 1024}",
                "memory.stat": f"anon 7\ninactive_file {300 * 1024}\nactive_file 9\n",
            },
            350,
            500,
        ),
        (
            {
                "memory/memory.limit_in_bytes": f"{500 * 1024}",
                "memory/memory.usage_in_bytes": f"{450 * 1024}",
                "memory/memory.stat": f"inactive_file 1\ntotal_inactive_file {100 * 1024}\n",
            },
            150,
            500,
        ),
    ],
)
def test_files_that_a_container_keeps_in_memory_count_as_free(
    container: dict[str, str], free: int, total: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {**_MACHINE, **{f"{_FOLDER}/{name}": text for name, text in container.items()}}
    monkeypatch.setattr(process, "system_text", lambda file: texts.get(file, ""))
    found = process.process_memory()
    assert (found.free, found.total) == (free * 1024, total * 1024)


def test_what_is_in_memory_and_was_at_most_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "system_text", lambda file: _MACHINE.get(file, ""))
    found = process.process_memory()
    assert (found.resident, found.peak) == (10 * 1024, 20 * 1024)


@pytest.mark.parametrize(("platform", "unit"), [("freebsd14", 1024), ("darwin", 1)])
def test_without_these_files_the_peak_is_told_in_the_unit_of_the_system(
    platform: str, unit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource: Any = pytest.importorskip("resource")
    monkeypatch.setattr(process, "system_text", lambda file: "")
    monkeypatch.setattr(sys, "platform", platform)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = process.process_memory()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert (found.resident, found.free, found.total) == (None, None, None)
    assert found.peak is not None
    assert before * unit <= found.peak <= after * unit
