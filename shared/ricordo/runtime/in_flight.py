"""The in-flight messages of a worker, and the order in which they are handled."""

import asyncio
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from ricordo.bus.port import Delivery

_BATCH_DELIVERIES: Final = 2
"""Deliveries of a message in a batch; from the next one on it is handled alone."""


def needs_isolation(delivery: Delivery) -> bool:
    """Return whether a message is handled alone, as it may crash the worker: two deliveries ended silently.

    One is what every in-flight message loses when a process is killed.
    """
    return delivery.attempt > _BATCH_DELIVERIES


class InFlightMessage:
    """A fetched message, settled exactly once or redelivered.

    Attributes:
        delivery: body, subject and attempt.
        last: whether this is its last delivery.
        attempted: whether it was handled here without being settled.
        retained: whether it stays in flight when its batch is released.
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
        """Whether it was acknowledged, returned or terminated."""
        return self._settled

    def _settle(self) -> None:
        if self._settled:
            raise RuntimeError(f"message {self.delivery.sequence} is already settled")
        self._settled = True

    @property
    def needs_isolation(self) -> bool:
        """Whether it is handled alone; no longer after it was handled here."""
        return needs_isolation(self.delivery) and not self.attempted

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


class InFlightBuffer:
    """The in-flight messages of one worker. A slot is reserved before a message is fetched.

    A message that needs isolation is handled with no other: should it crash the process, no other message has
    used up a delivery. While there is one, no slot is reserved, and it waits until all others are done,
    except retained ones. On its last delivery it waits only for those being handled.

    Args:
        slots: maximum number of messages, from 1.
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
        """All messages that are not settled."""
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
        """Wait for a free slot, then call `limit` and take up to that many slots.

        Returns:
            Number of slots taken; 0 if the limit is 0.
        """
        async with self._changed:
            await self._changed.wait_for(self._may_reserve)
            taken = min(limit(), self._free)
            self._free -= taken
            return taken

    async def receive(self, deliveries: Iterable[Delivery], reserved: int, max_deliver: int) -> None:
        """Add `deliveries`, for which `reserved` slots were taken, and free the unused slots."""
        received = [
            InFlightMessage(delivery, last=delivery.attempt >= max_deliver) for delivery in deliveries
        ]
        async with self._changed:
            self._waiting.extend(received)
            self._messages.update(received)
            self._free += reserved - len(received)
            self._changed.notify_all()

    async def take(self, limit: Callable[[], int], linger: float) -> Sequence[InFlightMessage]:
        """Take up to `limit` messages, waiting for the first and then `linger` seconds for the rest.

        Returns:
            Messages not handled before first, then oldest first; or one that needs isolation. None if the
            limit is 0, or the buffer is closed and empty.
        """
        async with self._changed:
            while True:
                await self._changed.wait_for(lambda: self._next(1) or self.is_over)
                if linger > 0 and not self._closed:
                    await self._wait_for_more(limit, linger)
                most = limit()
                taken = self._next(most)
                if taken or most == 0 or self.is_over:  # else another task took them meanwhile
                    self._in_work.update(taken)
                    self._waiting = [message for message in self._waiting if message not in self._in_work]
                    return taken

    def _may_reserve(self) -> bool:
        return self._free > 0 and not any(message.needs_isolation for message in self._messages)

    @property
    def is_over(self) -> bool:
        """Whether the buffer is closed and empty."""
        return self._closed and not self._waiting

    def _next(self, limit: int) -> Sequence[InFlightMessage]:
        if not self._waiting or any(message.needs_isolation for message in self._in_work):
            return []
        isolated = [message for message in self._waiting if message.needs_isolation]
        regular = sorted(
            (message for message in self._waiting if not message.needs_isolation),
            key=lambda message: message.attempted,
        )
        # Retained messages come again and again: an isolated one would wait forever.
        is_turn = not regular or regular[0].attempted or any(message.last for message in isolated)
        if isolated and is_turn:
            return [] if self._in_work else isolation_order(isolated)[: min(limit, 1)]
        return regular[:limit]

    async def _wait_for_more(self, limit: Callable[[], int], linger: float) -> None:
        try:
            async with asyncio.timeout(linger):
                await self._changed.wait_for(lambda: len(self._waiting) >= limit() or self._closed)
        except TimeoutError:
            return

    async def release(self, done: Sequence[InFlightMessage]) -> int:
        """Remove handled messages, settled or not, and free their slots, except for retained ones.

        Returns:
            Number of removed messages.
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
        """Receive nothing more; `take` returns nothing once the rest is taken."""
        async with self._changed:
            self._closed = True
            self._changed.notify_all()


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
