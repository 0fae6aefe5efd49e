"""Who says little is taken in before their turn, while somebody's flood is before them in the lane.

A lane is first in, first out. So while it is long, it is read beyond what was fetched, without taking
anything out, and what is said by who says little is recorded at once. When its turn comes it is a repeat,
which changes nothing: what fails here, or is left out, loses no more than its start.
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

OVERTAKES_EVERY_S: Final = 0.25
"""Seconds between two looks at how long the lane is."""
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
    """A message of the lane; what cannot be read has no envelope, and becomes a dead letter in its turn."""

    envelope: _Message | None


@dataclass(slots=True)
class FairReadAhead:
    """Takes in what is said behind a flood.

    What was in the lane when the process began is counted, and comes in its turn: so a message that ends the
    process is not read ahead once more by the next one.
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
        """Read to the end of the lane, for as long as it is long.

        Raises:
            BusError: the bus is away, or does not let the lane be read.
            Exception: the first that the handler raised; it had to do with no other batch.
        """
        if self._began is None:
            self._began = await self.bus.last(STREAM_IN)
        while True:
            lane = await self.bus.lag(_CONSUMER)
            if lane.waiting < _LONG:
                self._shares.count_anew()
                return
            await self.gate.wait_open()
            page = await self.bus.page(STREAM_IN, self._read_to, _LANE, _PAGE)
            if not page:
                return
            self._read_to = page[-1].sequence
            await self._see(await self._lines(page), self._began, lane.floor)
            await self.clock.sleep(_PAUSE_S)  # it is read fast enough, and others want the processor

    async def _lines(self, page: Sequence[StoredMessage]) -> list[_ReadAheadLine]:
        lines: list[_ReadAheadLine] = []
        for some in _slices(page):
            await self.priority.yield_to_interactive()
            lines += map(_line, some)
        return lines

    async def _see(self, lines: Sequence[_ReadAheadLine], began: int, settled_to: int) -> None:
        """Take in what may overtake, each batch by itself; raise the first problem in the end."""
        self._shares.count(lines)
        self._shares.leave(one for one in lines if one.sequence <= began)
        overtaking = self._shares.overtaking([one for one in lines if one.envelope is not None], settled_to)
        problems: list[Exception] = []
        for some in _batches(overtaking):
            await self.priority.yield_to_interactive()
            try:
                await self._take_in([cast("_Message", one.envelope) for one in some])
            except Exception as error:  # noqa: BLE001 - whatever it is, its neighbours go on
                self._shares.leave(some)
                problems.append(error)
                if isinstance(error, DependencyUnavailable):
                    self.gate.invalidate()
        if problems:
            raise problems[0]

    async def _take_in(self, said: Sequence[_Message]) -> None:
        outcomes = await self.handler(said[0].tenant, said)
        now = self.clock.now()
        told = [
            event
            for one, outcome in zip(said, outcomes, strict=True)
            if isinstance(outcome, Done)
            for event in derived_messages(one, outcome.events, _CONSUMER, now)
        ]
        for problem in await self.bus.publish(told):
            if problem is not None:
                raise problem
        _log.debug("taken in before their turn", messages=len(said))


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
