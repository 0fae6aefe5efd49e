"""The state of a worker's loop: which messages are in flight, and what is fetched and handled next.

It does no input or output and never waits; `Consumption` asks it what to do after each change.
"""

import math
import random
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Final

from ricordo.bus.port import Delivery
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.decoding import items_of, user_of
from ricordo.runtime.handling import Done, Envelope, Outcome
from ricordo.runtime.worker.breaker import ConsumerBreaker, ConsumerBreakerSettings

_BATCH_DELIVERIES: Final = 2
"""Deliveries of a message in a batch; from the next one on it is handled alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumptionSettings:
    """How a worker consumes.

    Attributes:
        batch: number of items from which on a batch takes no further message, 1 to 200.
        concurrency: number of batches handled at once, from 1.
        slots: number of in-flight items from which on nothing is fetched, those fetched ahead included; 0
            for one batch more than are handled at once.
        linger: seconds for which the first message waits for a batch to fill up.
        fetch_timeout: seconds that an empty fetch waits; a stop waits for it.
        grace: seconds that a stop leaves to in-flight messages; then they are redelivered.
        time_limit: seconds per handler call.
        backoff: pauses before a redelivery, by attempt.
    """

    batch: int = 32
    concurrency: int = 1
    slots: int = 0
    linger: float = 0.0
    fetch_timeout: float = 1.0
    grace: float = 4.0
    time_limit: float = 120.0
    backoff: Backoff = field(default_factory=Backoff)
    breaker: ConsumerBreakerSettings = field(default_factory=ConsumerBreakerSettings)

    def __post_init__(self) -> None:
        if not 1 <= self.batch <= 200:
            raise ValueError(f"a batch has 1 to 200 messages, not {self.batch}")

    @property
    def buffer(self) -> int:
        """Number of in-flight items from which on nothing is fetched."""
        return self.slots or self.batch * (self.concurrency + 1)


def needs_isolation(delivery: Delivery) -> bool:
    """Return whether a message is handled alone, as it may crash the worker: two deliveries ended silently.

    One is what every in-flight message loses when a process is killed.
    """
    return delivery.attempt > _BATCH_DELIVERIES


@dataclass(eq=False, slots=True)
class InFlightMessage:
    """A fetched message, settled exactly once or redelivered.

    Attributes:
        delivery: body, subject and attempt.
        last: whether this is its last delivery.
        items: how many items it has, from 1.
        envelopes: what was decoded of it, one an item; empty before, and if it is unreadable.
        outcomes: of the handler, one an item; empty before.
        turn: its place among the messages in flight; those of several users alternate.
        attempted: whether it was handled here without being settled.
        retained: whether it stays in flight when its batch ends.
        settled: whether it was acknowledged, returned or terminated.
    """

    delivery: Delivery
    items: int = 1
    envelopes: Sequence[Envelope[Any]] = ()
    outcomes: list[Outcome] = field(default_factory=list)
    turn: int = 0
    last: bool = False
    attempted: bool = False
    retained: bool = False
    settled: bool = False

    def _settle(self) -> None:
        if self.settled:
            raise RuntimeError(f"message {self.delivery.sequence} is already settled")
        self.settled = True

    @property
    def is_isolated(self) -> bool:
        """Whether it is handled alone; no longer after it was handled here."""
        return needs_isolation(self.delivery) and not self.attempted

    @property
    def is_done(self) -> bool:
        """Whether all of its items were handled."""
        return bool(self.outcomes) and all(isinstance(one, Done) for one in self.outcomes)

    def retain(self) -> None:
        """Keep it in flight to be handled again, which costs no delivery."""
        self.attempted = self.retained = True

    async def ack(self) -> None:
        """Acknowledge it; an isolated one waits for the server's confirmation."""
        self._settle()
        await self.delivery.ack(confirmed=needs_isolation(self.delivery))

    async def retry(self, delay: float) -> None:
        """Return it for redelivery after `delay` seconds."""
        self._settle()
        await self.delivery.retry(delay)

    async def terminate(self) -> None:
        """End its deliveries without success."""
        self._settle()
        await self.delivery.terminate()


class LoopState:
    """The in-flight messages of one worker, and what it may do next.

    A message that needs isolation is handled with no other in flight: should it crash the process, no other
    message has used up a delivery. While there is one, nothing is fetched, and it waits until all others are
    done, except retained ones. On its last delivery it waits only for those being handled.

    While the breaker is open, each probe handles one message and fetches one.

    The users of what is in flight take turns, so that a message waits for few of another user; those of one
    user keep their order.
    """

    def __init__(self, settings: ConsumptionSettings, breaker: ConsumerBreaker) -> None:
        self._settings = settings
        self._breaker = breaker
        self._mean_items = 1.0
        """Of the messages that were fetched last: how many of them may be fetched into the free slots."""
        self._turn = 0
        """The turn of the last message that was begun."""
        self._last_turns: dict[Hashable, int] = {}
        """By user; only those after `_turn`."""
        self._waiting: list[InFlightMessage] = []
        self._working: set[InFlightMessage] = set()
        self._fetching = False
        self._batches = 0
        self._linger_until = 0.0
        self._may_fetch_probe = False
        """Whether a probe was begun since the last fetch."""
        self._is_probe = False
        """Whether the fetch that runs was allowed by a probe, or as nothing was in flight."""
        self.is_stopping = False

    @property
    def messages(self) -> Sequence[InFlightMessage]:
        """All messages that are not settled."""
        return [one for one in (*self._waiting, *self._working) if not one.settled]

    @property
    def is_over(self) -> bool:
        """Whether it is stopping and nothing is left to do."""
        return self.is_stopping and not (self._fetching or self._waiting or self._working)

    def fetch_size(self) -> int:
        """Return how many messages may be fetched now; 0 for none."""
        free = self._settings.buffer - sum(one.items for one in (*self._waiting, *self._working))
        if self.is_stopping or free <= 0 or any(one.is_isolated for one in (*self._waiting, *self._working)):
            return 0
        if not self._breaker.is_open:
            return max(1, int(min(self._settings.batch, free) / self._mean_items))
        return int(self._may_fetch_probe or not self.messages)

    def begin_fetch(self) -> bool:
        """Mark a fetch as running, if one may begin; one runs at a time."""
        if self._fetching or not self.fetch_size():
            return False
        self._fetching = True
        return True

    def note_probe(self) -> None:
        """Use up the probe that allows the fetch."""
        self._is_probe = self._breaker.is_open
        self._may_fetch_probe = False

    def end_fetch(self, deliveries: Iterable[Delivery] | None, max_deliver: int, now: float) -> None:
        """Add what was fetched; None if the bus did not answer or nothing was asked."""
        self._fetching = False
        self._last_turns = {user: turn for user, turn in self._last_turns.items() if turn > self._turn}
        received = [
            InFlightMessage(
                one, items=items_of(one), turn=self._next_turn(one), last=one.attempt >= max_deliver
            )
            for one in deliveries or ()
        ]
        if received:
            mean = sum(one.items for one in received) / len(received)
            self._mean_items = max(mean, self._mean_items / 2)  # after a few single ones large ones may come
        if received and not self._waiting:
            self._linger_until = now + self._settings.linger
        self._waiting += received
        found_nothing = self._is_probe and deliveries is not None and not received
        if found_nothing and all(one.attempted for one in (*self._waiting, *self._working)):
            self._breaker.no_message_left_to_probe()
        self._is_probe = False

    def begin_batch(self, now: float) -> Sequence[InFlightMessage]:
        """Return the next batch to handle, or nothing: new messages first, then by turn."""
        if self._batches >= self._settings.concurrency or not self._waiting:
            return ()
        is_open = self._breaker.is_open
        if is_open and not self.is_stopping and now < self._breaker.probe_at:
            return ()
        limit = 1 if is_open and not self.is_stopping else self._settings.batch
        waiting = sum(one.items for one in self._waiting)
        if now < self._linger_until and waiting < limit and not self.is_stopping:
            return ()
        batch = self._next(limit)
        if batch:
            if is_open and not self.is_stopping:
                self._breaker.begin_probe()
                self._may_fetch_probe = True
            self._batches += 1
            self._turn = max(self._turn, *(one.turn for one in batch))
            self._working.update(batch)
            self._waiting = [one for one in self._waiting if one not in self._working]
        return batch

    def end_batch(self, batch: Sequence[InFlightMessage]) -> int:
        """Remove handled messages, settled or not, except for retained ones; return how many."""
        self._batches -= 1
        self._working.difference_update(batch)
        retained = [one for one in batch if one.retained]
        for one in retained:
            one.retained = False
            one.turn = self._turn + 1  # behind all that were attempted, so that the next probe is another
        self._waiting += retained
        return len(batch) - len(retained)

    def seconds_to_wait(self, now: float) -> float:
        """Return after how many seconds to look again, if nothing changes before."""
        times = (self._breaker.probe_at, self._linger_until if self._waiting else now)
        return min((at - now for at in times if at > now), default=math.inf)

    def _next_turn(self, delivery: Delivery) -> int:
        user = user_of(delivery)
        turn = self._last_turns[user] = max(self._turn, self._last_turns.get(user, 0)) + 1
        return turn

    def _next(self, limit: int) -> Sequence[InFlightMessage]:
        if any(one.is_isolated for one in self._working):
            return ()
        isolated = [one for one in self._waiting if one.is_isolated]
        regular = sorted(
            (one for one in self._waiting if not one.is_isolated), key=lambda one: (one.attempted, one.turn)
        )
        # Retained messages come again and again: an isolated one would wait forever.
        is_turn = not regular or regular[0].attempted or any(one.last for one in isolated)
        if isolated and is_turn:
            return () if self._working else isolation_order(isolated)[:1]
        items = accumulate(one.items for one in regular)
        return regular[:1] + [
            one for one, so_far in zip(regular[1:], [*items][1:], strict=True) if so_far <= limit
        ]


def isolation_order(isolated: Sequence[InFlightMessage]) -> Sequence[InFlightMessage]:
    """Sort messages that need isolation so that each is handled, although one of them crashes the process.

    The most delivered comes first. Among equals, the order of the stream lets all before the crashing one
    pass, the reverse order at the next delivery all after it; later deliveries are in random order.
    """

    def rank(message: InFlightMessage) -> tuple[int, float]:
        attempt, sequence = message.delivery.attempt, message.delivery.sequence
        first = attempt - _BATCH_DELIVERIES
        position = float(sequence) if first == 1 else float(-sequence) if first == 2 else random.random()
        return -attempt, position

    return sorted(isolated, key=rank)
