"""The brake: a worker whose handler fails at nearly everything stops, before all becomes dead letters.

Whether a message or the worker is at fault cannot be told from one failure; it can from what becomes of the
others. Of twenty messages, one may be bad; where eleven fail, the code, its settings or its surroundings are
at fault, and giving the messages up one after the other would only hide that. So the worker halts: it fetches
no more, keeps what it has in hand, which costs no delivery, and tries one message at a time, after growing
pauses. The first that passes lets it go on.
"""

import asyncio
import math
from dataclasses import dataclass, field

import structlog

from ricordo.clock import Clock
from ricordo.resilience.waiting import happens_within
from ricordo.runtime.backoff import Backoff

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerBreakerSettings:
    """When a worker halts.

    Attributes:
        messages: so many distinct messages, the last ones, are looked at; fewer tell nothing. From 2.
        share: of them that may fail, in (0, 1]; 1 never halts.
        pauses: before each trial, by its number.
    """

    messages: int = 20
    share: float = 0.5
    pauses: Backoff = field(default_factory=lambda: Backoff(first=1.0, longest=60.0, jitter=0.0))

    def __post_init__(self) -> None:
        if self.messages < 2 or not 0 < self.share <= 1:
            raise ValueError(f"no sensible brake: {self}")


class ConsumerBreaker:
    """Knows what became of the last messages of one worker, and whether it may go on.

    A failure is one that the sender is not to blame for: the handler broke off, or what it made was refused.
    What cannot be read, and what the handler rejects, is not told here. A message counts once, by its last
    try, however often it comes.

    It halts when more than the share of the last messages have failed; and when a message has failed at its
    last delivery while none has passed yet, as after a restart: it would be given up without anything to
    show that the worker can do better. Where there turns out to be no other message to try, that one is.

    Args:
        worker: its name, for the log.
        clock: measures the pauses.
        settings: see there.
    """

    def __init__(self, worker: str, clock: Clock, settings: ConsumerBreakerSettings | None = None) -> None:
        self._worker = worker
        self._clock = clock
        self._settings = settings or ConsumerBreakerSettings()
        self._failed: dict[int, bool] = {}
        """Whether they failed, by their place in the stream, in the order of their last try."""
        self._why = ""
        self._since = -math.inf
        """When it halted, or the last trial began."""
        self._level = 0
        """Trials since it last worked as it should."""
        self._alone = False
        self._changed = asyncio.Event()
        self.probes = 0
        """So many were begun, ever."""

    @property
    def on(self) -> bool:
        """Whether the worker has halted."""
        return bool(self._why)

    @property
    def why(self) -> str:
        """What it has halted for, and what to do, as a sentence; empty while it has not."""
        return self._why

    def passed(self, sequence: int) -> None:
        """Take note that a message was handled; who has halted goes on."""
        if self.on:
            self._release("a message was handled")
        self._note(sequence, failed=False)
        self._alone = False
        if self._is_known and not self._is_too_much:
            self._level = 0

    def failed(self, sequence: int, reason: str, *, last: bool = False) -> None:
        """Take note that a message failed and that it is not to blame.

        Args:
            sequence: its place in the stream.
            reason: what happened.
            last: it was delivered for the last time.
        """
        self._note(sequence, failed=True)
        if self.on:
            return
        if self._is_known and self._is_too_much:
            count, of = sum(self._failed.values()), len(self._failed)
            self._halt(f"{count} of the last {of} messages failed", reason)
        elif last and all(self._failed.values()) and not self._alone and self._settings.share < 1:
            self._halt("a message failed at its last delivery, and none has passed yet", reason)

    def found_no_other(self) -> None:
        """Take note that there is no message left that was not tried: few are no reason to halt."""
        if self.on and not self._is_known:
            self._alone = True
            self._release("there is nothing else to try")

    async def wait_for_probe(self) -> bool:
        """Return at once while it works; else when it is time for the next trial.

        Returns:
            Whether a trial has begun.
        """
        while self.on and (rest := self._since + self._pause - self._clock.monotonic()) > 0:
            await happens_within(self._changed, rest, self._clock)
        if self.on:
            self._since = self._clock.monotonic()
            self._level += 1
            self.probes += 1
            self._announce()
        return self.on

    async def wait_for_probe_after(self, after: int) -> None:
        """Return at once while it works; else when more trials than `after` have begun."""
        while self.on and self.probes <= after:
            await self._changed.wait()

    @property
    def _pause(self) -> float:
        return self._settings.pauses.delay(self._level + 1)

    @property
    def _is_known(self) -> bool:
        return len(self._failed) >= self._settings.messages

    @property
    def _is_too_much(self) -> bool:
        return sum(self._failed.values()) > self._settings.share * len(self._failed)

    def _note(self, sequence: int, *, failed: bool) -> None:
        self._failed.pop(sequence, None)
        self._failed[sequence] = failed
        if len(self._failed) > self._settings.messages:
            del self._failed[next(iter(self._failed))]

    def _halt(self, seen: str, reason: str) -> None:
        self._why = (
            f"halted: {seen}, the last one with {reason}. Nothing more is fetched, and one message is tried "
            "now and then; mend the cause (the version, its settings, a server) and start it again"
        )
        self._since = self._clock.monotonic()
        _log.error("worker has halted, nothing is fetched", worker=self._worker, reason=self._why)
        self._announce()

    def _release(self, reason: str) -> None:
        self._why = ""
        self._failed.clear()
        _log.warning("worker goes on", worker=self._worker, reason=reason)
        self._announce()

    def _announce(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
