"""The health of a worker: its state and counters, shown over request-reply and HTTP."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from ricordo.clock import Clock


class WorkerState(StrEnum):
    """State of a worker."""

    STARTING = "starting"
    READY = "ready"
    YIELDING = "yielding"
    """Pauses because other work has priority."""
    DEGRADED = "degraded"
    HALTED = "halted"
    """Its circuit breaker is open: nearly every message fails."""
    STOPPING = "stopping"
    STOPPED = "stopped"


@dataclass(slots=True)
class Health:
    """State and counters of one worker, written by it alone. Reasons are sentences for people, or empty.

    Attributes:
        state: as the worker set it; `status` is the present one.
        is_throttled: tells whether it may not fetch only because other work has priority.
        is_preparing: tells whether a model is being pulled and nothing else is missing.
        problem: returns what impairs its work although it goes on.
        in_flight: events or requests in progress.
        failed: requests that ended in `internal`, `timeout` or `unavailable`; failed runs of a job.
        last_success: time of the last success; None before.
        models: names of the models it uses; all processes of a worker must use the same.
    """

    worker: str
    clock: Clock
    state: WorkerState = WorkerState.STARTING
    reason: str = ""
    gate_open: bool = True
    gate_reason: Callable[[], str] = str
    is_throttled: Callable[[], bool] = bool
    halt_reason: Callable[[], str] = str
    is_preparing: Callable[[], bool] = bool
    problem: Callable[[], str] = str
    in_flight: int = 0
    processed: int = 0
    retried: int = 0
    dead_lettered: int = 0
    failed: int = 0
    last_success: datetime | None = None
    counters: Callable[[], Mapping[str, int]] = dict
    models: Mapping[str, str | None] = field(default_factory=dict)

    def set_state(self, state: WorkerState, reason: str = "") -> None:
        """Enter `state`, unless the worker is stopping."""
        last = (WorkerState.STOPPING, WorkerState.STOPPED)
        if self.state not in last or state in last:
            self.state, self.reason = state, reason

    def succeeded(self, items: int = 1) -> None:
        """Count items that were handled, if there are any."""
        if items:
            self.processed += items
            self.last_success = self.clock.now()

    @property
    def is_healthy(self) -> bool:
        """Whether a restart would repair nothing, as `/healthz` reports it.

        A worker is healthy while it works, even impaired (`status` then is degraded), while it waits for a
        model that is being pulled, which a restart would interrupt, and while other work has priority.
        """
        present = self._present_state
        if present is WorkerState.DEGRADED and not self.gate_open:
            return self.is_preparing()
        return present in (WorkerState.STARTING, WorkerState.READY, WorkerState.YIELDING)

    @property
    def status(self) -> tuple[WorkerState, str]:
        """Present state and reason; an impaired worker is degraded, although `is_healthy`."""
        match self._present_state:
            case WorkerState.HALTED:
                return WorkerState.HALTED, self.halt_reason()
            case WorkerState.DEGRADED if not self.gate_open:
                return self.state, self.gate_reason() or self.problem() or self.reason
            case WorkerState.READY | WorkerState.YIELDING if problem := self.problem():
                return WorkerState.DEGRADED, problem
            case WorkerState.YIELDING:
                return WorkerState.YIELDING, self.gate_reason()
            case state:
                return state, self.reason

    @property
    def _present_state(self) -> WorkerState:
        # With both an open breaker and a closed gate the gate is reported: it may be the only cause.
        if self.gate_open and self.halt_reason() and self.state in (WorkerState.READY, WorkerState.DEGRADED):
            return WorkerState.HALTED
        waits = self.state is WorkerState.DEGRADED and not self.gate_open
        return WorkerState.YIELDING if waits and self.is_throttled() else self.state

    def report(self) -> dict[str, str | int | bool | None]:
        """Return state and counters as JSON types; instants as RFC 3339 in UTC."""
        last = self.last_success
        state, reason = self.status
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
            **self.counters(),
            **self.models,
        }
