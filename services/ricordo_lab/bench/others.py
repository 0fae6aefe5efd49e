"""Who else is at work on the machine: a figure is worth what others left of it."""

import os
import time
from collections.abc import Mapping
from typing import Final

import psutil
from rich.console import Console
from rich.text import Text

_LOOK_S: Final = 0.5
_NOTICED: Final = 10  # percent: less is what a system does by itself
_AT_WORK: Final = ("user", "nice", "system", "irq", "softirq", "steal")


def percent_of_others(seconds: float = _LOOK_S) -> int | None:
    """Return how much of the processors others take, as seen for a moment; this process is none of them.

    Unlike the load average, it forgets at once what was measured here before.

    Args:
        seconds: to look.

    Returns:
        0 to 100, of the processors that this process may use; None where the system does not tell.
    """
    try:
        usable = _usable()
        began, before = time.monotonic(), _taken(usable)
        time.sleep(seconds)
        taken = _taken(usable) - before
    except (OSError, psutil.Error):
        return None
    return round(100 * min(1.0, max(0.0, taken / ((time.monotonic() - began) * len(usable)))))


def _usable() -> frozenset[int]:
    if hasattr(os, "sched_getaffinity"):
        return frozenset(os.sched_getaffinity(0))
    return frozenset(range(os.cpu_count() or 1))


def _taken(processors: frozenset[int]) -> float:
    """Return the seconds that processors have worked for others, guests of the same host included."""
    times = psutil.cpu_times(percpu=True)
    seen = (one for number, one in enumerate(times) if number in processors)
    own = psutil.Process().cpu_times()
    return sum(getattr(one, name, 0.0) for one in seen for name in _AT_WORK) - own.user - own.system


def warn_of_others(bench: str, machine: Mapping[str, object], *, recorded: bool) -> None:
    """Say on standard error that others are at work, before a benchmark is run beside them.

    Args:
        bench: its name.
        machine: the line that describes the machine.
        recorded: whether the figures are to be kept.
    """
    percent = machine["others_percent"]
    if not isinstance(percent, int) or percent < _NOTICED:
        return
    kept = "; they are recorded, and that with them: Ctrl-C ends it" if recorded else ""
    told = f"others keep {percent} % of the processors busy: figures of {bench} tell of a busy hour{kept}"
    _Margin(stderr=True, highlight=False, emoji=False).print(Text(told, "bold yellow"), soft_wrap=True)


class _Margin(Console):
    """Standard error, whose reader may have gone: the figures are worth having all the same."""

    def on_broken_pipe(self) -> None:
        """Say no more."""
        self.quiet = True
