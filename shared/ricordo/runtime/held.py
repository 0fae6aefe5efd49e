"""Deliveries in a worker's hands."""

import asyncio
import random
from collections import deque
from collections.abc import Iterable, Sequence

from ricordo.ports.bus import Delivery


class Held:
    """A delivery that this worker was given: settled exactly once, or left to be delivered again.

    Attributes:
        delivery: what was given; its body, subject and attempt.
    """

    __slots__ = ("_settled", "delivery")

    def __init__(self, delivery: Delivery) -> None:
        self.delivery = delivery
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
        """Whether it was delivered before and never settled as done: it may be what killed its worker."""
        return self.delivery.attempt > 1

    async def ack(self) -> None:
        """Settle as done; of a suspect, the server confirms it, since the next one may kill this process."""
        self._settle()
        await self.delivery.ack(confirmed=self.suspect)

    async def retry(self, delay: float) -> None:
        """Hand it back, to be delivered again after `delay` seconds."""
        self._settle()
        await self.delivery.retry(delay)

    async def terminate(self) -> None:
        """Settle as given up."""
        self._settle()
        await self.delivery.terminate()


class Hands:
    """What one worker holds, bounded by its slots: first a slot, then a message for it.

    Args:
        slots: how many messages may be held at once, from 1.
    """

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._waiting: deque[Held] = deque()
        self._held: set[Held] = set()
        self._closed = False
        self._changed = asyncio.Condition()

    @property
    def held(self) -> Sequence[Held]:
        """All that is held and not settled, whether a handler has it or not."""
        return [held for held in self._held if not held.settled]

    async def reserve(self, limit: int) -> int:
        """Wait for a free slot.

        Returns:
            How many slots were taken, 1 to `limit`.
        """
        async with self._changed:
            await self._changed.wait_for(lambda: self._free > 0)
            taken = min(limit, self._free)
            self._free -= taken
            return taken

    async def receive(self, deliveries: Iterable[Delivery], reserved: int) -> None:
        """Hold `deliveries`, for which `reserved` slots were taken; slots that stay empty are free again."""
        received = [Held(delivery) for delivery in deliveries]
        async with self._changed:
            self._waiting.extend(received)
            self._held.update(received)
            self._free += reserved - len(received)
            self._changed.notify_all()

    async def take(self, limit: int, linger: float) -> Sequence[Held]:
        """Take up to `limit` for handling, waiting for the first and then `linger` seconds for the rest.

        Returns:
            1 to `limit`, oldest first; none when the hands were closed and nothing waits any more.
        """
        async with self._changed:
            while True:
                await self._changed.wait_for(lambda: self._waiting or self._closed)
                if linger > 0 and not self._closed:
                    await self._wait_for_more(limit, linger)
                if self._waiting or self._closed:  # else another one took all of it meanwhile
                    return [self._waiting.popleft() for _ in range(min(limit, len(self._waiting)))]

    async def _wait_for_more(self, limit: int, linger: float) -> None:
        try:
            async with asyncio.timeout(linger):
                await self._changed.wait_for(lambda: len(self._waiting) >= limit or self._closed)
        except TimeoutError:
            return

    async def release(self, done: Sequence[Held]) -> None:
        """Let go of `done`, settled or left, and free their slots."""
        async with self._changed:
            self._held.difference_update(done)
            self._free += len(done)
            self._changed.notify_all()

    async def close(self) -> None:
        """Receive nothing more: who waits to take is sent away once nothing is left."""
        async with self._changed:
            self._closed = True
            self._changed.notify_all()


def one_by_one(suspects: Sequence[Held]) -> Sequence[Held]:
    """Put `suspects` into an order in which each gets its turn, although one of them may kill this process.

    Whoever has been delivered most often comes first. Among equals, the order of the stream at the second
    delivery lets all before a killer pass, the reverse order at the third all behind it, and chance does the
    rest where there are several.
    """

    def turn(held: Held) -> tuple[int, float]:
        attempt, sequence = held.delivery.attempt, held.delivery.sequence
        place = float(sequence) if attempt == 2 else float(-sequence) if attempt == 3 else random.random()
        return -attempt, place

    return sorted(suspects, key=turn)
