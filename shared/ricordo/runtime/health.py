"""How a worker is: counted where it happens, shown over request-reply and over HTTP."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from ricordo.clock import Clock


class WorkerState(StrEnum):
    """Where a worker stands in its life."""

    STARTING = "starting"
    READY = "ready"
    YIELDING = "yielding"
    """It does its work, and lets that of others go first just now."""
    DEGRADED = "degraded"
    HALTED = "halted"
    """It fails at nearly everything, and has stopped before all becomes dead letters."""
    STOPPING = "stopping"
    STOPPED = "stopped"


@dataclass(slots=True)
class Health:
    """The figures of one worker, written by it alone.

    Attributes:
        worker: its name.
        clock: dates the last success.
        state: where it stands.
        reason: why it is degraded, else empty; why it yields is asked of the gate.
        gate_open: whether it may take work.
        why_closed: says in words why it may not, as of now; empty where nobody knows.
        yields: tells whether it may not, as of now, only because others go first.
        halts: says in words what it has halted for, and what to do; empty while it works.
        prepares: tells whether what it may not work without is on its way, such as a model that is being
            pulled, and nothing else is missing.
        trouble: says in words what hampers its work, even while the gate is open; empty for nothing.
        in_flight: events or requests in hand.
        processed: handled, or answered without an error of ours.
        retried: handed back to be delivered again.
        dead_lettered: given up and kept.
        failed: requests that ended in `internal`, `timeout` or `unavailable`; runs of a job that failed.
        last_success: when something was last done; None before.
        figures: gives what this worker alone counts, by name.
        works_by: what it works by, such as its model, by name; what writes beside it must work by the same.
    """

    worker: str
    clock: Clock
    state: WorkerState = WorkerState.STARTING
    reason: str = ""
    gate_open: bool = True
    why_closed: Callable[[], str] = str
    is_throttled: Callable[[], bool] = bool
    halts: Callable[[], str] = str
    prepares: Callable[[], bool] = bool
    trouble: Callable[[], str] = str
    in_flight: int = 0
    processed: int = 0
    retried: int = 0
    dead_lettered: int = 0
    failed: int = 0
    last_success: datetime | None = None
    figures: Callable[[], Mapping[str, int]] = dict
    works_by: Mapping[str, str | None] = field(default_factory=dict)

    def become(self, state: WorkerState, reason: str = "") -> bool:
        """Enter `state`, unless the worker is on its way out.

        Returns:
            Whether that changed anything, for those who log changes only.
        """
        leaving = self.state in (WorkerState.STOPPING, WorkerState.STOPPED)
        if leaving and state not in (WorkerState.STOPPING, WorkerState.STOPPED):
            return False
        changed = self.state is not state
        self.state, self.reason = state, reason
        return changed

    def succeeded(self, count: int = 1) -> None:
        """Count `count` more that were done."""
        self.processed += count
        self.last_success = self.clock.now()

    @property
    def is_well(self) -> bool:
        """Whether a restart would mend nothing: what `/healthz` goes by.

        That is of a worker that does its work, or is about to begin. One that works all the same is well,
        although what hampers it has `told` call it degraded: while the fallback serves, for instance. So is
        one that waits until a model is pulled, which a restart would only interrupt, and one that lets others
        go first: it waits by design, however long that is.
        """
        standing = self._standing
        if standing is WorkerState.DEGRADED and not self.gate_open:
            return self.prepares()
        return standing in (WorkerState.STARTING, WorkerState.READY, WorkerState.YIELDING)

    @property
    def told(self) -> tuple[WorkerState, str]:
        """State and reason as they are now: a dependency that is away may have been heard of since.

        A worker that is hampered, or waits for a model that is being pulled, is called degraded here, and is
        well: see `is_well`.
        """
        match self._standing:
            case WorkerState.HALTED:
                return WorkerState.HALTED, self.halts()
            case WorkerState.DEGRADED if not self.gate_open:
                return self.state, self.why_closed() or self.trouble() or self.reason
            case WorkerState.READY | WorkerState.YIELDING if trouble := self.trouble():
                return WorkerState.DEGRADED, trouble
            case WorkerState.YIELDING:
                return WorkerState.YIELDING, self.why_closed()
            case standing:
                return standing, self.reason

    @property
    def _standing(self) -> WorkerState:
        """Where it stands as of now: who waits at a gate may have to, or may let others go first.

        Of who has halted and waits at a gate besides, the gate is told: it may be all there is to it.
        """
        if self.gate_open and self.halts() and self.state in (WorkerState.READY, WorkerState.DEGRADED):
            return WorkerState.HALTED
        waits = self.state is WorkerState.DEGRADED and not self.gate_open
        return WorkerState.YIELDING if waits and self.is_throttled() else self.state

    def report(self) -> dict[str, str | int | bool | None]:
        """Return the figures as they are shown: JSON types only, instants as RFC 3339 in UTC."""
        last = self.last_success
        state, reason = self.told
        return {
            "worker": self.worker,
            "state": state.value,
            "reason": reason or None,
            "gate_open": self.gate_open,
            "in_flight": self.in_flight,
            "processed": self.processed,
            "retried": self.retried,
            "dead_lettered": self.dead_lettered,
            "failed": self.failed,
            "last_success": None if last is None else last.isoformat().replace("+00:00", "Z"),
            **self.figures(),
            **self.works_by,
        }
