"""Gates: while what a worker depends on is away, it fetches nothing and nothing is lost or burnt.

Handing a message back costs one of its deliveries; leaving it in the stream costs nothing.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import structlog

from ricordo.clock import Clock
from ricordo.runtime.backoff import Backoff
from ricordo.unavailable import Unavailable

_log = structlog.stdlib.get_logger(__name__)


class Gate(Protocol):
    """Something that must be open before a worker fetches: a circuit breaker, a store that answers."""

    async def wait_open(self) -> None:
        """Return once work may be taken; at once while open."""
        ...


@runtime_checkable
class Explained(Protocol):
    """A gate that can say why it is closed."""

    @property
    def reason(self) -> str:
        """Why it is closed, in words; empty while it is open."""
        ...


@runtime_checkable
class Throttling(Protocol):
    """A gate that closes for others to go first."""

    @property
    def is_throttled(self) -> bool:
        """Whether it is closed for that, and for nothing else."""
        ...


@runtime_checkable
class Caching(Protocol):
    """A gate that takes an answer of a moment ago for the present one."""

    def invalidate(self) -> None:
        """Trust no former answer the next time that somebody waits."""
        ...


def invalidate(gate: Gate) -> None:
    """Tell `gate` that something has just failed, which what it guards may be to blame for."""
    if isinstance(gate, Caching):
        gate.invalidate()


def reason(gate: Gate) -> str:
    """Return why `gate` is closed, for a log; empty where it cannot tell or is merely slow to answer."""
    return gate.reason if isinstance(gate, Explained) else ""


def is_throttled(gate: Gate) -> bool:
    """Tell whether `gate` is closed only because others go first: who waits there is in its place."""
    return isinstance(gate, Throttling) and gate.is_throttled


@dataclass(frozen=True, slots=True)
class OpenGate:
    """The gate of a worker that depends on nothing."""

    async def wait_open(self) -> None:
        """Return at once."""


@dataclass(frozen=True, slots=True)
class AllGates:
    """Open when all of `gates` are."""

    gates: Sequence[Gate]

    async def wait_open(self) -> None:
        """Wait for one after the other."""
        for gate in self.gates:
            await gate.wait_open()

    def invalidate(self) -> None:
        """Have each of them ask anew."""
        for gate in self.gates:
            invalidate(gate)

    @property
    def reason(self) -> str:
        """Why those of them that are closed are closed."""
        return "; ".join(filter(None, map(reason, self.gates)))

    @property
    def is_throttled(self) -> bool:
        """Whether those of them that are closed are so for others to go first."""
        closed = [gate for gate in self.gates if reason(gate)]
        return bool(closed) and all(map(is_throttled, closed))


class ProbeGate:
    """Open while `probe` succeeds: asked when somebody waits, with growing pauses while it fails.

    An answer is good for a moment, so that who fetches often does not ask each time. Who comes from
    a failure says so first (`invalidate`), and learns whether the dependency has just gone.

    Args:
        name: of the dependency, for the log.
        probe: a cheap call, such as `SELECT 1`, that raises while the dependency is away.
        clock: measures the pauses.
        backoff: the pauses between failing probes.
        limit: seconds after which a probe that does not answer has failed.
        patience: seconds for which an answer is good, from when it was asked for.
    """

    def __init__(
        self,
        name: str,
        probe: Callable[[], Awaitable[object]],
        clock: Clock,
        *,
        backoff: Backoff | None = None,
        limit: float = 5.0,
        patience: float = 0.5,
    ) -> None:
        self._name = name
        self._probe = probe
        self._clock = clock
        self._backoff = backoff or Backoff(first=0.2, longest=5.0)
        self._limit = limit
        self._patience = patience
        self._answered = -math.inf
        self._doubts = 0
        self._failures = 0
        self._error = ""
        self._begun = 0
        self._turn = asyncio.Lock()

    @property
    def is_open(self) -> bool:
        """Whether the last probe succeeded."""
        return self._failures == 0

    @property
    def reason(self) -> str:
        """What the last probe met, where it failed."""
        return f"{self._name}: {self._error}" if self._failures else ""

    async def wait_open(self) -> None:
        """Return once a probe succeeds or has just done so. Those who wait together share the probes."""
        if self._clock.monotonic() - self._answered < self._patience:
            return
        while not await self._try_once():
            await self._clock.sleep(self._backoff.delay(self._failures))

    def invalidate(self) -> None:
        """Ask anew the next time that somebody waits; what was asked before this moment is no answer."""
        self._answered = -math.inf
        self._doubts += 1

    async def _try_once(self) -> bool:
        begun = self._begun
        async with self._turn:
            if self._begun > begun:
                return self.is_open  # somebody asked after we came, and has the answer
            self._begun += 1
            asked, doubts = self._clock.monotonic(), self._doubts
            try:
                async with asyncio.timeout(self._limit):
                    await self._probe()
            except Exception as error:  # noqa: BLE001 - whatever it is, the dependency is away
                self._answered = -math.inf
                self._failures += 1
                self._error = (
                    str(error) if isinstance(error, Unavailable) else f"{type(error).__name__}: {error}"
                )
                if self._failures == 1:
                    _log.warning("dependency is away", dependency=self._name, error=self._error)
                return False
            if self._failures:
                _log.info("dependency is back", dependency=self._name, probes=self._failures)
            self._failures = 0
            self._answered = asked if doubts == self._doubts else -math.inf
            return True


class BacklogGate:
    """Open while others have little before them: what may wait does not delay what may not.

    Args:
        waiting: counts what the others still have before them.
        limit: tells, after a count, from how much on the gate is closed.
        clock: measures the pauses between two counts.
        pause: seconds between them.
        longest: seconds that the pause grows to while the count stands still; None: it does not grow.
    """

    def __init__(
        self,
        waiting: Callable[[], Awaitable[int]],
        limit: Callable[[], int],
        clock: Clock,
        pause: float = 0.25,
        longest: float | None = None,
    ) -> None:
        self._waiting = waiting
        self._limit = limit
        self._clock = clock
        self._pause = pause
        self._longest = pause if longest is None else longest
        self._closed_by = ""
        self._yields = False

    @property
    def reason(self) -> str:
        """What the last count found, where it was too much."""
        return self._closed_by

    @property
    def is_throttled(self) -> bool:
        """Whether the last count found too much; one that failed is no reason to be content."""
        return self._yields

    async def wait_open(self) -> None:
        """Return once there is less than the limit before the others; what cannot be counted is much."""
        pause, before = self._pause, ""
        while not await self._has_room():
            pause = min(2 * pause, self._longest) if self._closed_by == before else self._pause
            before = self._closed_by
            await self._clock.sleep(pause)

    async def _has_room(self) -> bool:
        try:
            waiting = await self._waiting()
        except Unavailable as error:
            self._yields = False
            self._closed_by = f"what others have before them cannot be counted ({error})"
            return False
        self._yields = waiting >= self._limit()
        self._closed_by = f"others have {waiting} before them" if self._yields else ""
        return not self._yields
