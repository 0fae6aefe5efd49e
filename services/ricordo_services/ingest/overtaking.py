"""Who says little is taken in before their turn, while somebody's flood is before them in the lane.

A lane is first in, first out. So while it is long, it is read beyond what was fetched, without taking
anything out, and what is said by who says little is recorded at once. When its turn comes it is a repeat,
which changes nothing: what fails here, or is left out, loses no more than its start.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, cast

import structlog

from ricordo.messages.events import MessageReceived
from ricordo.messages.subjects import STREAM_IN, every_tenant
from ricordo.ports.bus import Publisher, StoredMessage, StreamPages
from ricordo.ports.clock import Clock
from ricordo.runtime.decoding import read_ahead
from ricordo.runtime.gates import Gate
from ricordo.runtime.handling import Done, Envelope, Handler
from ricordo.runtime.publishing import following
from ricordo_services.backpressure import Backlog
from ricordo_services.ingest.shares import Shares

OVERTAKES_EVERY_S: Final = 0.25
"""Seconds between two looks at how long the lane is."""
_LONG: Final = 500
_PAGE: Final = 1000
_PAUSE_S: Final = 0.05
_AT_ONCE: Final = 64

_log = structlog.stdlib.get_logger(__name__)
_Said = Envelope[MessageReceived]


class _Pages(Publisher, StreamPages, Protocol): ...


@dataclass(slots=True)
class Overtake:
    """Takes in what is said behind a flood.

    Where this begins is where the lane ended when the process started: a message that ends the process is not
    read here once more by the next one, but comes in its turn, alone.

    Attributes:
        bus: holds the lane.
        lane: tells how much waits in it.
        handler: of the lane.
        gate: open while messages can be recorded.
        clock: dates events, and measures pauses.
    """

    bus: _Pages
    lane: Backlog
    handler: Handler[MessageReceived]
    gate: Gate
    clock: Clock
    _read_to: int | None = None
    _shares: Shares = field(default_factory=Shares)

    async def run(self) -> None:
        """Read to the end of the lane, if it is long.

        Raises:
            BusError: the bus is away; what was not told is told when its turn comes.
            Exception: whatever the handler raised; the messages behind these are next.
        """
        if self._read_to is None:
            self._read_to = await self.bus.last(STREAM_IN)
        if await self.lane.waiting() < _LONG:
            self._shares = Shares()
            return
        while page := await self.bus.page(STREAM_IN, self._read_to, _LANE, _PAGE):
            await self.gate.wait_open()
            self._read_to = page[-1].sequence
            said = _readable(page)
            quiet = self._shares.quiet([(one.tenant, one.body.user_id) for one in said])
            for some in _batches(said[n] for n in quiet):
                await self._take_in(some)
            await self.clock.sleep(_PAUSE_S)  # it is read fast enough, and others want the processor

    async def _take_in(self, said: Sequence[_Said]) -> None:
        outcomes = await self.handler(said[0].tenant, said)
        now = self.clock.now()
        told = [
            event
            for one, outcome in zip(said, outcomes, strict=True)
            if isinstance(outcome, Done)
            for event in following(one, outcome.events, "ingest", now)
        ]
        for problem in await self.bus.publish(told):
            if problem is not None:
                raise problem
        _log.debug("taken in before their turn", messages=len(said))


_LANE: Final = every_tenant("message.received")


def _readable(page: Iterable[StoredMessage]) -> list[_Said]:
    """Return what can be read; the rest becomes a dead letter in its turn."""
    found = (read_ahead(one) for one in page)
    return [cast("_Said", one) for one in found if isinstance(one, Envelope)]


def _batches(said: Iterable[_Said]) -> list[list[_Said]]:
    """Return batches of one tenant each, in order."""
    of_tenants: dict[str, list[_Said]] = {}
    for one in said:
        of_tenants.setdefault(one.tenant, []).append(one)
    return [some[n : n + _AT_ONCE] for some in of_tenants.values() for n in range(0, len(some), _AT_ONCE)]
