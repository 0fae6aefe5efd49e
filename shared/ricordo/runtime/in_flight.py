"""Deliveries in a worker's hands."""

import asyncio
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from ricordo.bus.port import Delivery

_IN_COMPANY: Final = 2
"""So often a message is handled together with others; from then on alone."""


def needs_isolation(delivery: Delivery) -> bool:
    """Whether it may be what kills its worker: delivered twice before, in vain.

    Once is what happens to all that a process has in hand when it is killed.
    """
    return delivery.attempt > _IN_COMPANY


class InFlightMessage:
    """A delivery that this worker was given: settled exactly once, or left to be delivered again.

    Attributes:
        delivery: what was given; its body, subject and attempt.
        last: whether it is delivered for the last time: lost now, it is lost for good.
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
    def suspect(self) -> bool:
        """Whether it may be what kills its worker; not once it was tried here."""
        return needs_isolation(self.delivery) and not self.attempted

    def retain(self) -> None:
        """Have it stay in hand, to be handled again: that costs no delivery."""
        self.attempted = self.retained = True

    async def ack(self) -> None:
        """Settle as done; of one that comes alone, the server confirms it: the next may kill this process."""
        self._settle()
        await self.delivery.ack(confirmed=needs_isolation(self.delivery))

    async def retry(self, delay: float) -> None:
        """Hand it back, to be delivered again after `delay` seconds."""
        self._settle()
        await self.delivery.retry(delay)

    async def terminate(self) -> None:
        """Settle as given up."""
        self._settle()
        await self.delivery.terminate()


class InFlightBuffer:
    """What one worker holds, bounded by its slots: first a slot, then a message for it.

    A suspect is handled with nothing beside it: should it kill the process, nothing else has used up a
    delivery. So while there is one no slot is given away, and it waits until all else is done; but for what
    was tried and is kept, which may stay for ever. One that is delivered for the last time waits for nothing
    that is not in work yet: what may kill the process beside it has another delivery, and it has none.

    Args:
        slots: how many messages may be held at once, from 1.
    """

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._waiting: list[InFlightMessage] = []
        self._in_work: set[InFlightMessage] = set()
        self._held: set[InFlightMessage] = set()
        self._closed = False
        self._changed = asyncio.Condition()

    @property
    def held(self) -> Sequence[InFlightMessage]:
        """All that is held and not settled, whether a handler has it or not."""
        return [held for held in self._held if not held.settled]

    @property
    def has_room(self) -> bool:
        """Whether a slot is free."""
        return self._free > 0

    @property
    def all_attempted(self) -> bool:
        """Whether nothing is held that was not tried."""
        return all(held.attempted for held in self._held)

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
        """Hold `deliveries`, for which `reserved` slots were taken; slots that stay empty are free again."""
        received = [
            InFlightMessage(delivery, last=delivery.attempt >= max_deliver) for delivery in deliveries
        ]
        async with self._changed:
            self._waiting.extend(received)
            self._held.update(received)
            self._free += reserved - len(received)
            self._changed.notify_all()

    async def take(self, limit: Callable[[], int], linger: float) -> Sequence[InFlightMessage]:
        """Take up to `limit` for handling, waiting for the first and then `linger` seconds for the rest.

        Args:
            limit: asked once there is something to take.
            linger: seconds.

        Returns:
            1 to `limit`, oldest first, those first that were not tried before; or a suspect, alone. None when
            the limit is 0, or when the hands were closed and nothing waits any more.
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
                    self._waiting = [held for held in self._waiting if held not in self._in_work]
                    return taken

    def _may_hold_more(self) -> bool:
        return self._free > 0 and not any(held.suspect for held in self._held)

    @property
    def is_over(self) -> bool:
        """Whether the hands were closed and nothing waits any more."""
        return self._closed and not self._waiting

    def _next(self, limit: int) -> Sequence[InFlightMessage]:
        if not self._waiting or any(held.suspect for held in self._in_work):
            return []
        suspects = [held for held in self._waiting if held.suspect]
        usual = sorted((held for held in self._waiting if not held.suspect), key=lambda held: held.attempted)
        # What is kept comes again and again: a suspect would wait for ever.
        is_turn = not usual or usual[0].attempted or any(held.last for held in suspects)
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
        """Let go of `done`, settled or left, and free their slots, but for those that are kept.

        Returns:
            How many are no longer held.
        """
        retained = [held for held in done if held.retained]
        gone = len(done) - len(retained)
        async with self._changed:
            self._in_work.difference_update(done)
            self._held.difference_update(set(done).difference(retained))
            for held in retained:
                held.retained = False
            self._waiting.extend(retained)
            self._free += gone
            self._changed.notify_all()
        return gone

    async def close(self) -> None:
        """Receive nothing more: who waits to take is sent away once nothing is left."""
        async with self._changed:
            self._closed = True
            self._changed.notify_all()


def isolation_order(suspects: Sequence[InFlightMessage]) -> Sequence[InFlightMessage]:
    """Put `suspects` into an order in which each gets its turn, although one of them may kill this process.

    They are fetched one by one; several are in hand only where they fell due between two fetches. Whoever has
    been delivered most often comes first. Among equals, the order of the stream lets all before a killer
    pass, the reverse order at the next delivery all behind it, and chance does the rest.
    """

    def turn(held: InFlightMessage) -> tuple[int, float]:
        attempt, sequence = held.delivery.attempt, held.delivery.sequence
        first = attempt - _IN_COMPANY
        place = float(sequence) if first == 1 else float(-sequence) if first == 2 else random.random()
        return -attempt, place

    return sorted(suspects, key=turn)
