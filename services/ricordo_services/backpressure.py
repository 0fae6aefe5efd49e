"""Backpressure: how much workers have before them, and waiting until the index has little."""

from dataclasses import dataclass
from typing import Final, Protocol

from ricordo.ports.clock import Clock

_AHEAD: Final = 512  # points that may have yet to follow before there is more work for the index
_LOOK_EVERY_S: Final = 0.2
_STUCK_AFTER_S: Final = 60.0


class IndexStuck(Exception):
    """The points do not follow: whoever writes them is not at work."""


class Consumers(Protocol):
    """What knows how far durable consumers are."""

    async def unsettled(self, consumer: str) -> int:
        """Return how many events the consumer has not settled yet."""
        ...


class Backlog(Protocol):
    """How much workers still have before them."""

    async def waiting(self) -> int:
        """Return how many events are not settled yet."""
        ...


@dataclass(frozen=True, slots=True)
class StreamBacklog:
    """How much some durable consumers have before them."""

    bus: Consumers
    consumers: tuple[str, ...]

    async def waiting(self) -> int:
        """Return the events that are not settled yet, over all of the consumers.

        Raises:
            BusUnavailable: the bus does not answer.
        """
        return sum([await self.bus.unsettled(consumer) for consumer in self.consumers])


async def wait_for_room(index: Backlog, clock: Clock) -> None:
    """Wait until the index has little before it: what is said meanwhile waits behind it.

    Raises:
        IndexStuck: the points did not follow for a minute.
    """
    least, since = await index.waiting(), clock.monotonic()
    waiting = least
    while waiting > _AHEAD:
        if clock.monotonic() - since > _STUCK_AFTER_S:
            raise IndexStuck(f"{waiting} points have yet to follow, and none has for a minute")
        await clock.sleep(_LOOK_EVERY_S)
        waiting = await index.waiting()
        if waiting < least:
            least, since = waiting, clock.monotonic()
