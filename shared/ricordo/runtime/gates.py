"""Gates: conditions that must hold before a worker fetches, such as a server that answers.

Returning a message costs one of its deliveries; leaving it in the stream costs nothing.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence

import structlog

from ricordo.clock import Clock, wait_for_event
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.health import Health, WorkerState
from ricordo.runtime.tasks import cancel_and_wait
from ricordo.unavailable import DependencyUnavailable

_log = structlog.stdlib.get_logger(__name__)
_GATE_IS_CLOSED_AFTER = 0.1
_TIME_TO_END_S = 0.5
_PROBE_S = 5.0
_SUCCESS_IS_VALID_S = 0.5  # from the begin of the probe
_BACKOFF = Backoff(first=0.2, longest=5.0)


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

    @property
    def is_known_open(self) -> bool:
        """Whether it is open for sure, so that `wait_open` would return at once."""
        return False

    async def wait_open(self) -> None:
        """Return once work may be fetched."""

    def invalidate(self) -> None:
        """Discard cached results, as a call to what it guards has just failed."""


class ProbeGate(Gate):
    """A gate that is open while `probe` succeeds. It probes when a caller waits, with backoff on failure.

    Args:
        probe: a cheap call, such as `SELECT 1`, that raises while the dependency is down.
    """

    def __init__(self, name: str, probe: Callable[[], Awaitable[object]], clock: Clock) -> None:
        self._name = name
        self._probe = probe
        self._clock = clock
        self._succeeded_at = self._probed_at = -math.inf
        self._invalidations = 0
        self._failures = 0
        self._error = ""
        self._probes = 0
        self._lock = asyncio.Lock()
        self._background: asyncio.Task[bool] | None = None

    @property
    def is_open(self) -> bool:
        """Whether the last probe succeeded."""
        return self._failures == 0

    @property
    def reason(self) -> str:
        """The error of the last probe."""
        return f"{self._name}: {self._error}" if self._failures else ""

    @property
    def is_known_open(self) -> bool:
        """Whether a probe has just succeeded."""
        return self._clock.monotonic() - self._succeeded_at < _SUCCESS_IS_VALID_S

    async def wait_open(self) -> None:
        """Return once a probe succeeds, or at once if one just has. Concurrent callers share the probes."""
        if self.is_known_open:
            return
        while not await self._try_once():
            await self._clock.sleep(_BACKOFF.delay(self._failures))

    async def answers(self, ttl: float, at_most: float) -> bool:
        """Return whether the dependency answers, for callers that can do without it.

        A result older than `ttl` seconds is renewed in the background. It is waited for while the dependency
        was up, until `at_most` seconds after the begin of the probe; a slower one counts as down.
        """
        now = self._clock.monotonic()
        if now - self._probed_at > ttl and (self._background is None or self._background.done()):
            self._probed_at = now
            self._background = asyncio.create_task(self._try_once())
        probing = self._background
        if probing is None or not self.is_open:
            return self.is_open
        ended = asyncio.Event()
        probing.add_done_callback(lambda _: ended.set())
        if not probing.done():
            await wait_for_event(ended, self._probed_at + at_most - now, self._clock)
        return probing.done() and self.is_open

    async def close(self) -> None:
        """Cancel a probe in the background."""
        if self._background is not None:
            await cancel_and_wait(self._background)

    def invalidate(self) -> None:
        """Probe again at the next wait; a probe that is running does not count."""
        self._succeeded_at = -math.inf
        self._invalidations += 1

    async def _ask(self) -> None:
        """Await the probe; a cancelled one may end first, as drivers leave sockets open that they connect."""
        probing = asyncio.ensure_future(self._probe())
        try:
            async with asyncio.timeout(_PROBE_S):
                await asyncio.shield(probing)
        finally:
            await asyncio.wait({probing}, timeout=_TIME_TO_END_S)
            await cancel_and_wait(probing)
            if not probing.cancelled():
                probing.exception()  # retrieved, also where nobody waits any more

    async def _try_once(self) -> bool:
        probes = self._probes
        async with self._lock:
            if self._probes > probes:
                return self.is_open  # another caller has probed meanwhile
            self._probes += 1
            self._probed_at = began = self._clock.monotonic()
            invalidations = self._invalidations
            try:
                await self._ask()
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


class WatchedGate:
    """The gates of a worker, whose waits are shown in its health and, if long, in its log.

    Args:
        gates: are open while the dependencies of the worker are up.
        lane: says whether more may be fetched; what was fetched does not wait for it.
        log_after: seconds after which a wait is logged; shorter ones only at debug level.
    """

    def __init__(
        self, gates: Sequence[Gate], health: Health, log_after: float = 30.0, *, lane: Gate | None = None
    ) -> None:
        self._dependencies = tuple(gates)
        self._all = self._dependencies if lane is None else (*gates, lane)
        self._health = health
        self._told_after = log_after
        self._logged = False
        health.gate_reason = self._reason
        health.is_throttled = self._is_throttled

    def invalidate(self) -> None:
        """Invalidate the dependencies, as a call has just failed."""
        for gate in self._dependencies:
            gate.invalidate()

    @property
    def is_known_open(self) -> bool:
        """Whether all gates are open for sure, without a wait."""
        return all(gate.is_known_open for gate in self._all)

    async def wait_open(self) -> bool:
        """Wait until more may be fetched.

        Returns:
            Whether a gate was closed, that is, whether the wait was noticeable.
        """
        return await self._wait(self._all)

    async def wait_for_dependencies(self) -> bool:
        """Wait until the dependencies are up, and return whether one was down."""
        return await self._wait(self._dependencies)

    def _reason(self) -> str:
        return "; ".join(gate.reason for gate in self._all if gate.reason)

    def _is_throttled(self) -> bool:
        closed = [gate for gate in self._all if gate.reason]
        return bool(closed) and all(gate.is_throttled for gate in closed)

    async def _wait(self, gates: Sequence[Gate]) -> bool:
        waiting = asyncio.ensure_future(_all_open(gates))
        try:
            done, _ = await asyncio.wait({waiting}, timeout=_GATE_IS_CLOSED_AFTER)
            if done:
                waiting.result()
                return False
            self._show(is_open=False)
            done, _ = await asyncio.wait({waiting}, timeout=self._told_after)
            if not done:
                self._log_closed()
            await waiting
            self._show(is_open=True)
            return True
        finally:
            await cancel_and_wait(waiting)

    def _log_closed(self) -> None:
        if self._logged:
            return
        self._logged = True
        worker, why = self._health.worker, self._reason() or "slow to answer"
        if self._is_throttled():
            _log.info("fetching is paused for work with priority", worker=worker, reason=why)
        else:
            _log.warning("fetching is paused: gate closed", worker=worker, reason=why)

    def _show(self, *, is_open: bool) -> None:
        worker = self._health.worker
        if is_open and self._logged:
            self._logged = False
            _log.info("fetching is resumed: gate open", worker=worker)
        elif self._health.gate_open is not is_open:
            _log.debug("gate opened" if is_open else "gate closed", worker=worker, reason=self._reason())
        self._health.gate_open = is_open
        if is_open:
            self._health.set_state(WorkerState.READY)
        else:
            self._health.set_state(WorkerState.DEGRADED, "waiting for its gate to open")


async def _all_open(gates: Sequence[Gate]) -> None:
    for gate in gates:
        await gate.wait_open()
