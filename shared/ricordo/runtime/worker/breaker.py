"""Circuit breaker of a worker: halts it when most items fail, before all become dead letters.

A single failed item may be bad; if eleven of twenty fail, the code, its settings or a server is at fault.
The worker then stops fetching, keeps its in-flight messages, which costs no delivery, and probes with one
message at a time after growing pauses. The first success closes the breaker.
"""

import math
from collections.abc import Hashable
from dataclasses import dataclass, field

import structlog

from ricordo.clock import Clock
from ricordo.runtime.backoff import Backoff

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerBreakerSettings:
    """When a worker halts.

    Attributes:
        window: number of latest distinct items that count, from 2; fewer decide nothing.
        share: of them that may fail, in (0, 1]; 1 disables the breaker.
        pauses: before each probe.
    """

    window: int = 20
    share: float = 0.5
    pauses: Backoff = field(default_factory=lambda: Backoff(first=1.0, longest=60.0, jitter=0.0))


class ConsumerBreaker:
    """A circuit breaker on the share of failed items; an event without items is one.

    Failures are errors of the handler and refused results; unreadable and rejected items do not count. An
    item counts once, by its last attempt.

    It opens when more than the share of the latest items failed, and when one failed on its last
    delivery before any succeeded, as after a restart. If there is no other message to probe with, that one
    becomes a dead letter.
    """

    def __init__(self, worker: str, clock: Clock, settings: ConsumerBreakerSettings | None = None) -> None:
        self._worker = worker
        self._clock = clock
        self._settings = settings or ConsumerBreakerSettings()
        self._failed: dict[Hashable, bool] = {}
        """Whether each latest item failed, by its key, in the order of the last attempts."""
        self.reason = ""
        """Why it is open and what to do, as a sentence; empty while it is closed."""
        self._since = -math.inf
        """When it opened or the last probe began."""
        self._level = 0
        """Probes since it last was closed with a full window."""
        self._ignores_last = False

    @property
    def is_open(self) -> bool:
        """Whether the worker is halted."""
        return bool(self.reason)

    @property
    def probe_at(self) -> float:
        """When the next probe is due, by the monotonic clock; while it is closed, at any time."""
        return self._since + self._settings.pauses.delay(self._level + 1) if self.is_open else -math.inf

    def begin_probe(self) -> None:
        """Record the begin of a probe, which is due."""
        self._since = self._clock.monotonic()
        self._level += 1

    def succeeded(self, key: Hashable) -> None:
        """Record a success, which closes the breaker."""
        if self.is_open:
            self._close("an item was handled")
        self._note(key, failed=False)
        self._ignores_last = False
        if self._has_enough and not self._exceeds_share:
            self._level = 0

    def failed(self, key: Hashable, reason: str, *, last: bool = False) -> None:
        """Record a failure that may not be the item's fault."""
        self._note(key, failed=True)
        if self.is_open:
            return
        if self._has_enough and self._exceeds_share:
            count, of = sum(self._failed.values()), len(self._failed)
            self._open(f"{count} of the last {of} items failed", reason)
        elif last and all(self._failed.values()) and not self._ignores_last and self._settings.share < 1:
            self._open("an item failed at its last delivery, and none has passed yet", reason)

    def no_message_left_to_probe(self) -> None:
        """Record that there is no untried message left; closes a breaker that opened for a last delivery."""
        if self.is_open and not self._has_enough:
            self._ignores_last = True
            self._close("there is no other message to probe with")

    @property
    def _has_enough(self) -> bool:
        return len(self._failed) >= self._settings.window

    @property
    def _exceeds_share(self) -> bool:
        return sum(self._failed.values()) > self._settings.share * len(self._failed)

    def _note(self, key: Hashable, *, failed: bool) -> None:
        self._failed.pop(key, None)
        self._failed[key] = failed
        if len(self._failed) > self._settings.window:
            del self._failed[next(iter(self._failed))]

    def _open(self, seen: str, reason: str) -> None:
        self.reason = (
            f"halted: {seen}, the last one with {reason}. Nothing more is fetched, and one message is tried "
            "now and then; fix the cause (the version, its settings, a server) and start it again"
        )
        self._since = self._clock.monotonic()
        _log.error("worker has halted, nothing is fetched", worker=self._worker, reason=self.reason)

    def _close(self, reason: str) -> None:
        self.reason = ""
        self._failed.clear()
        _log.warning("worker resumed", worker=self._worker, reason=reason)
