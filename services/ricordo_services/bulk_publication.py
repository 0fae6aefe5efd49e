"""Publishes past messages on the bulk lane in chunks, and tells which were refused."""

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from ricordo.client import InvalidRequest, MemoryClient, Published, StreamFull, Timeout, Unavailable
from ricordo.messages.errors import DeadLetterCode
from ricordo.messages.events import MessageReceived
from ricordo_services.ingest_watch import IngestWatch

FAULTS_SHOWN: Final = 100
_MOST_WAITING: Final = 200
"""Chunks whose fate is looked after while ingest lags behind."""
_INGEST_WITHIN_S: Final = 30.0
_LOOK_WITHIN_S: Final = 0.1
"""How long a chunk may be held up by looking what became of those before it."""
_FULL_PAUSE_S: Final = 0.5
_FULL_PATIENCE: Final = 120  # pauses: a minute without room is no longer a peak

Place = TypeVar("Place", int, str)


async def publish_when_room(client: MemoryClient, message: MessageReceived, *, bulk: bool) -> Published:
    """Publish a message, and retry for a minute while the stream is full.

    Raises:
        StreamFull: it stays full.
    """
    for _ in range(_FULL_PATIENCE):
        try:
            return await client.publish(message, bulk=bulk)
        except StreamFull:
            await asyncio.sleep(_FULL_PAUSE_S)
    raise StreamFull("the input stream is full and stays so: do the workers run? `ricordo doctor` tells")


@dataclass(slots=True)
class BulkPublication(Generic[Place]):
    """Publishes messages in chunks, and looks what became of the chunks that were taken in meanwhile.

    Attributes:
        watch: None if nobody can tell.
        waits_for_room: whether a full stream is waited for, for a minute; else it is an error at once.
        conflicts: messages whose id another message has, which stays.
        unchecked: accepted messages that were not taken in yet: they may be conflicts.
        faults: place and reason of the first 100 of what was rejected, or is a conflict.
    """

    client: MemoryClient
    watch: IngestWatch | None
    waits_for_room: bool = False
    accepted: int = 0
    rejected: int = 0
    conflicts: int = 0
    unchecked: int = 0
    faults: list[tuple[Place, str]] = field(default_factory=list)
    _waiting: deque[dict[int, Place]] = field(default_factory=deque)
    """Of each chunk that is not checked, oldest first, the places by their number in the stream."""

    async def publish(self, chunk: Sequence[tuple[Place, MessageReceived]]) -> None:
        """Publish messages, each with its place in the input.

        Raises:
            RicordoError: nothing more can be published; a repeat of all adds nothing twice.
        """
        acks = await asyncio.gather(*(self._send(message) for _, message in chunk), return_exceptions=True)
        places: dict[int, Place] = {}
        for (place, _), ack in zip(chunk, acks, strict=True):
            if isinstance(ack, InvalidRequest):  # too large for this NATS server
                self.reject(place, str(ack))
            elif isinstance(ack, BaseException):
                raise ack
            else:
                self.accepted += 1
                places[ack.sequence] = place
        self._waiting.append(places)
        self.unchecked += len(places)
        if len(self._waiting) > _MOST_WAITING:
            self._waiting.popleft()
        await self._check(_LOOK_WITHIN_S, patience=0)

    async def _send(self, message: MessageReceived) -> Published:
        if self.waits_for_room:
            return await publish_when_room(self.client, message, bulk=True)
        return await self.client.publish(message, bulk=True)

    async def finish(self) -> None:
        """Count apart what ingest has refused, until it is done with everything or the time is over.

        Messages of others that come first are no reason to give up earlier, so there is no other patience.
        """
        await self._check(_INGEST_WITHIN_S, patience=_INGEST_WITHIN_S)

    async def _check(self, within: float, patience: float) -> None:
        """Count apart what ingest has refused, for so many seconds; the next call goes on where it ends."""
        clock = asyncio.get_running_loop()
        until = clock.time() + within
        with suppress(Timeout, Unavailable):
            while self.watch is not None and self._waiting and clock.time() < until:
                refused = await self.watch.refusals(self._waiting[0], patience, until=until)
                places = self._waiting.popleft()
                self.unchecked -= len(places)
                self.accepted -= len(refused)
                for sequence, reason in refused.items():
                    self.reject(places[sequence], reason)

    def reject(self, place: Place, detail: str) -> None:
        """Count a message that is left out."""
        if detail.startswith(DeadLetterCode.ID_CONFLICT):
            self.conflicts += 1
        else:
            self.rejected += 1
        if len(self.faults) < FAULTS_SHOWN:
            self.faults.append((place, detail))
