"""Gates: conditions that must hold before a worker fetches, such as a server that answers.

Returning a message costs one of its deliveries; leaving it in the stream costs nothing.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence

import structlog

from ricordo.clock import Clock
from ricordo.runtime.backoff import Backoff
from ricordo.unavailable import DependencyUnavailable

_log = structlog.stdlib.get_logger(__name__)


class Gate:
    """A condition for fetching; this one always holds."""

    @property
    def reason(self) -> str:
        """Why it is closed, as a sentence; empty while it is open or merely slow to answer."""
        return ""

    @property
    def is_throttled(self) -> bool:
        """Whether it is closed only because other work has priority."""
        return False

    async def wait_open(self) -> None:
        """Return once work may be fetched."""

    def invalidate(self) -> None:
        """Discard cached results, as a call to what it guards has just failed."""


class AllGates(Gate):
    """A gate that is open while all of `gates` are."""

    def __init__(self, gates: Sequence[Gate]) -> None:
        self._gates = gates

    @property
    def reason(self) -> str:
        """The reasons of the closed gates."""
        return "; ".join(gate.reason for gate in self._gates if gate.reason)

    @property
    def is_throttled(self) -> bool:
        """Whether every closed gate is throttled."""
        closed = [gate for gate in self._gates if gate.reason]
        return bool(closed) and all(gate.is_throttled for gate in closed)

    async def wait_open(self) -> None:
        """Wait for each gate in turn."""
        for gate in self._gates:
            await gate.wait_open()

    def invalidate(self) -> None:
        """Invalidate each gate."""
        for gate in self._gates:
            gate.invalidate()


class ProbeGate(Gate):
    """A gate that is open while `probe` succeeds. It probes when a caller waits, with backoff on failure.

    Args:
        probe: a cheap call, such as `SELECT 1`, that raises while the dependency is down.
        timeout: seconds after which a probe has failed.
        ttl: seconds for which a success is valid, from the begin of the probe.
    """

    def __init__(
        self,
        name: str,
        probe: Callable[[], Awaitable[object]],
        clock: Clock,
        *,
        backoff: Backoff | None = None,
        timeout: float = 5.0,
        ttl: float = 0.5,
    ) -> None:
        self._name = name
        self._probe = probe
        self._clock = clock
        self._backoff = backoff or Backoff(first=0.2, longest=5.0)
        self._timeout = timeout
        self._ttl = ttl
        self._succeeded_at = -math.inf
        self._invalidations = 0
        self._failures = 0
        self._error = ""
        self._probes = 0
        self._lock = asyncio.Lock()

    @property
    def is_open(self) -> bool:
        """Whether the last probe succeeded."""
        return self._failures == 0

    @property
    def reason(self) -> str:
        """The error of the last probe."""
        return f"{self._name}: {self._error}" if self._failures else ""

    async def wait_open(self) -> None:
        """Return once a probe succeeds, or at once if one just has. Concurrent callers share the probes."""
        if self._clock.monotonic() - self._succeeded_at < self._ttl:
            return
        while not await self._try_once():
            await self._clock.sleep(self._backoff.delay(self._failures))

    def invalidate(self) -> None:
        """Probe again at the next wait; a probe that is running does not count."""
        self._succeeded_at = -math.inf
        self._invalidations += 1

    async def _try_once(self) -> bool:
        probes = self._probes
        async with self._lock:
            if self._probes > probes:
                return self.is_open  # another caller has probed meanwhile
            self._probes += 1
            began, invalidations = self._clock.monotonic(), self._invalidations
            try:
                async with asyncio.timeout(self._timeout):
                    await self._probe()
            except Exception as error:  # noqa: BLE001 - any error means that the dependency is down
                self._succeeded_at = -math.inf
                self._failures += 1
                known = isinstance(error, DependencyUnavailable)
                self._error = str(error) if known else f"{type(error).__name__}: {error}"
                if self._failures == 1:
                    _log.warning("dependency is down", dependency=self._name, error=self._error)
                return False
            if self._failures:
                _log.info("dependency is up again", dependency=self._name, probes=self._failures)
            self._failures = 0
            self._succeeded_at = began if invalidations == self._invalidations else -math.inf
            return True
