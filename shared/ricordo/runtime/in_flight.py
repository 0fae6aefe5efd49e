"""The messages that a worker has fetched and not settled, and the order in which they are handled."""

import asyncio
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from ricordo.bus.port import Delivery

_IN_BATCH: Final = 2
"""Deliveries of a message together with others; from the next one on it is handled alone."""


def needs_isolation(delivery: Delivery) -> bool:
    """Whether a message is to be handled alone, as it may crash the worker: two deliveries were not settled.

    One is what all messages in flight lose when a process is killed.
    """
    return delivery.attempt > _IN_BATCH


class InFlightMessage:
    """A fetched message: settled exactly once, or left to be delivered again.

    Attributes:
        delivery: its body, subject and attempt.
        last: whether this is its last delivery.
        tried: whether it was handled here, to an end that was no settlement.
        kept: whether it stays in hand when its batch is let go.
    """

    __slots__ = ("_settled", "attempted", "delivery", "last", "retained")

    def __init__(self, delivery: Delivery, *, last: bool = False) -> None:
        self.delivery = delivery
        self.last = last
        self.attempted = False
        self.retained = False
        self._settled = False

    @property
    def settled(self) -> bool:
        """Whether a settlement was sent."""
        return self._settled

    def _settle(self) -> None:
        if self._settled:
            raise RuntimeError(f"message {self.delivery.sequence} is settled already")
        self._settled = True

    @property
    def needs_isolation(self) -> bool:
        """Whether it is to be handled alone; no longer once it was handled here."""
        return needs_isolation(self.delivery) and not self.attempted

    def retain(self) -> None:
        """Keep it in flight to be handled again, which costs no delivery."""
        self.attempted = self.retained = True

    async def ack(self) -> None:
        """Settle it as done; one that is handled alone waits for the server's confirmation."""
        self._settle()
        await self.delivery.ack(confirmed=needs_isolation(self.delivery))

    async def retry(self, delay: float) -> None:
        """Hand it back for redelivery after `delay` seconds."""
        self._settle()
        await self.delivery.retry(delay)

    async def terminate(self) -> None:
        """Settle it as given up."""
        self._settle()
        await self.delivery.terminate()


class InFlightBuffer:
    """The messages in flight of one worker. A slot is reserved before a message is fetched.

    A message that needs isolation is handled with no other: should it crash the process, no other has used up
    a delivery. While there is one, no slot is reserved, and it waits until all others are done, except for
    those retained. On its last delivery it waits only for those in work.

    Args:
        slots: messages in flight at most, from 1.
    """

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._waiting: list[InFlightMessage] = []
        self._in_work: set[InFlightMessage] = set()
        self._messages: set[InFlightMessage] = set()
        self._closed = False
        self._changed = asyncio.Condition()

    @property
    def messages(self) -> Sequence[InFlightMessage]:
        """All messages that are not settled, in work or not."""
        return [message for message in self._messages if not message.settled]

    @property
    def has_room(self) -> bool:
        """Whether a slot is free."""
        return self._free > 0

    @property
    def all_attempted(self) -> bool:
        """Whether every message was handled before."""
        return all(message.attempted for message in self._messages)

    async def reserve(self, limit: Callable[[], int]) -> int:
        """Wait for a free slot, and only then ask for `limit`.

        Returns:
            How many slots were taken, 1 to `limit`; 0 where that is 0.
        """
        async with self._changed:
            await self._changed.wait_for(self._may_hold_more)
            taken = min(limit(), self._free)
            self._free -= taken
            return taken

    async def receive(self, deliveries: Iterable[Delivery], reserved: int, max_deliver: int) -> None:
        """Add `deliveries`, for which `reserved` slots were taken, and free the slots that stay empty."""
        received = [
            InFlightMessage(delivery, last=delivery.attempt >= max_deliver) for delivery in deliveries
        ]
        async with self._changed:
            self._waiting.extend(received)
            self._messages.update(received)
            self._free += reserved - len(received)
            self._changed.notify_all()

    async def take(self, limit: Callable[[], int], linger: float) -> Sequence[InFlightMessage]:
        """Take up to `limit` for handling, waiting for the first and then `linger` seconds for the rest.

        Args:
            limit: asked once there is something to take.
            linger: seconds.

        Returns:
            1 to `limit`, oldest first, those first that were not handled before; or one that needs isolation.
            None when the limit is 0, or when the buffer was closed and nothing waits any more.
        """
        async with self._changed:
            while True:
                await self._changed.wait_for(lambda: self._next(1) or self.is_over)
                if linger > 0 and not self._closed:
                    await self._wait_for_more(limit, linger)
                most = limit()
                taken = self._next(most)
                if taken or most == 0 or self.is_over:  # else another one took all of it meanwhile
                    self._in_work.update(taken)
                    self._waiting = [message for message in self._waiting if message not in self._in_work]
                    return taken

    def _may_hold_more(self) -> bool:
        return self._free > 0 and not any(message.needs_isolation for message in self._messages)

    @property
    def is_over(self) -> bool:
        """Whether the buffer was closed and nothing waits any more."""
        return self._closed and not self._waiting

    def _next(self, limit: int) -> Sequence[InFlightMessage]:
        if not self._waiting or any(message.needs_isolation for message in self._in_work):
            return []
        suspects = [message for message in self._waiting if message.needs_isolation]
        usual = sorted(
            (message for message in self._waiting if not message.needs_isolation),
            key=lambda message: message.attempted,
        )
        # What is kept comes again and again: a suspect would wait for ever.
        is_turn = not usual or usual[0].attempted or any(message.last for message in suspects)
        if suspects and is_turn:
            return [] if self._in_work else isolation_order(suspects)[: min(limit, 1)]
        return usual[:limit]

    async def _wait_for_more(self, limit: Callable[[], int], linger: float) -> None:
        try:
            async with asyncio.timeout(linger):
                await self._changed.wait_for(lambda: len(self._waiting) >= limit() or self._closed)
        except TimeoutError:
            return

    async def release(self, done: Sequence[InFlightMessage]) -> int:
        """Remove `done`, settled or not, and free their slots, except for those retained.

        Returns:
            How many were removed.
        """
        retained = [message for message in done if message.retained]
        gone = len(done) - len(retained)
        async with self._changed:
            self._in_work.difference_update(done)
            self._messages.difference_update(set(done).difference(retained))
            for message in retained:
                message.retained = False
            self._waiting.extend(retained)
            self._free += gone
            self._changed.notify_all()
        return gone

    async def close(self) -> None:
        """Receive nothing more; `take` returns nothing once all are taken."""
        async with self._changed:
            self._closed = True
            self._changed.notify_all()


def isolation_order(suspects: Sequence[InFlightMessage]) -> Sequence[InFlightMessage]:
    """Sort `suspects` so that each has its turn, although one of them crashes the process.

    The most delivered comes first. Among equals, the order of the stream lets all before the killer pass, the
    reverse order at the next delivery all behind it; later deliveries are in random order.
    """

    def turn(message: InFlightMessage) -> tuple[int, float]:
        attempt, sequence = message.delivery.attempt, message.delivery.sequence
        first = attempt - _IN_BATCH
        place = float(sequence) if first == 1 else float(-sequence) if first == 2 else random.random()
        return -attempt, place

    return sorted(suspects, key=turn)
