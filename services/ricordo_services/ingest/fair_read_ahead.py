"""Fair read ahead: records messages of light users before their turn, while a flood is ahead of them.

A lane is first in, first out. While it is long, it is read beyond the fetched messages without consuming any,
and the messages of light users are recorded at once. In its turn such a message is a repeat, which changes
nothing, so a failure here costs only the head start.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar, cast

import structlog

from ricordo.bus.port import Publisher, StoredMessage, StreamPages
from ricordo.clock import Clock
from ricordo.messages.events import MessageReceived
from ricordo.messages.subjects import STREAM_IN, every_tenant
from ricordo.runtime.decoding import decode_stored
from ricordo.runtime.event_publishing import derived_messages
from ricordo.runtime.gates import Gate
from ricordo.runtime.handling import Done, Envelope, Handler
from ricordo.runtime.scheduling import QueryPriority
from ricordo.unavailable import DependencyUnavailable
from ricordo_services.backpressure import Consumers
from ricordo_services.ingest.user_shares import LaneMessage, UserShares

READ_AHEAD_INTERVAL_S: Final = 0.25
"""Seconds between two checks of the length of the lane."""
_CONSUMER: Final = "ingest"
_LANE: Final = every_tenant("message.received")
_LONG: Final = 500
_PAGE: Final = 1000
_PAUSE_S: Final = 0.05
_AT_ONCE: Final = 64

_log = structlog.stdlib.get_logger(__name__)
_Message = Envelope[MessageReceived]
T = TypeVar("T")


class _Bus(Publisher, StreamPages, Consumers, Protocol): ...


@dataclass(frozen=True, slots=True)
class _ReadAheadLine(LaneMessage):
    """A message of the lane; an unreadable one has no envelope, and becomes a dead letter in its turn."""

    envelope: _Message | None


@dataclass(slots=True)
class FairReadAhead:
    """Records messages behind a flood.

    Messages that were in the lane at the start are only counted: a message that crashed the process must not
    be read ahead again by the next one.
    """

    bus: _Bus
    handler: Handler[MessageReceived]
    gate: Gate
    clock: Clock
    priority: QueryPriority = field(default_factory=QueryPriority)
    _began: int | None = None
    _read_to: int = 0
    _shares: UserShares = field(default_factory=UserShares)

    async def run(self) -> None:
        """Read ahead to the end of the lane, while it is long.

        Raises:
            BusError: the bus is unavailable, or denies reading the lane.
            Exception: the first of the handler; other batches are not affected.
        """
        if self._began is None:
            self._began = await self.bus.last(STREAM_IN)
        while True:
            lane = await self.bus.lag(_CONSUMER)
            if lane.waiting < _LONG:
                self._shares.reset()
                return
            await self.gate.wait_open()
            page = await self.bus.page(STREAM_IN, self._read_to, _LANE, _PAGE)
            if not page:
                return
            self._read_to = page[-1].sequence
            await self._record_page(await self._lines(page), self._began, lane.floor)
            await self.clock.sleep(_PAUSE_S)  # leaves the processor to others

    async def _lines(self, page: Sequence[StoredMessage]) -> list[_ReadAheadLine]:
        lines: list[_ReadAheadLine] = []
        for some in _slices(page):
            await self.priority.yield_to_interactive()
            lines += map(_line, some)
        return lines

    async def _record_page(self, lines: Sequence[_ReadAheadLine], began: int, settled_to: int) -> None:
        """Record the messages that may overtake, batch by batch; raise the first error at the end."""
        self._shares.count(lines)
        self._shares.leave(one for one in lines if one.sequence <= began)
        overtaking = self._shares.overtaking([one for one in lines if one.envelope is not None], settled_to)
        problems: list[Exception] = []
        for some in _batches(overtaking):
            await self.priority.yield_to_interactive()
            try:
                await self._record([cast("_Message", one.envelope) for one in some])
            except Exception as error:  # noqa: BLE001 - other batches go on
                self._shares.leave(some)
                problems.append(error)
                if isinstance(error, DependencyUnavailable):
                    self.gate.invalidate()
        if problems:
            raise problems[0]

    async def _record(self, batch: Sequence[_Message]) -> None:
        outcomes = await self.handler(batch[0].tenant, batch)
        now = self.clock.now()
        events = [
            event
            for one, outcome in zip(batch, outcomes, strict=True)
            if isinstance(outcome, Done)
            for event in derived_messages(one, outcome.events, _CONSUMER, now)
        ]
        for problem in await self.bus.publish(events):
            if problem is not None:
                raise problem
        _log.debug("taken in before their turn", messages=len(batch))


def _line(message: StoredMessage) -> _ReadAheadLine:
    found = decode_stored(message)
    if isinstance(found, Envelope):
        envelope = cast("_Message", found)
        return _ReadAheadLine(message.sequence, envelope.tenant, envelope.body.user_id, envelope)
    return _ReadAheadLine(message.sequence, message.subject.split(".")[2], "", None)


def _slices(some: Sequence[T]) -> list[Sequence[T]]:
    return [some[n : n + _AT_ONCE] for n in range(0, len(some), _AT_ONCE)]


def _batches(lines: Iterable[_ReadAheadLine]) -> list[Sequence[_ReadAheadLine]]:
    """Return batches of one tenant each, in order."""
    of_tenants: dict[str, list[_ReadAheadLine]] = {}
    for one in lines:
        of_tenants.setdefault(one.tenant, []).append(one)
    return [some for each in of_tenants.values() for some in _slices(each)]
