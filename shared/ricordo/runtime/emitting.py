"""Publishes events that no other event has caused, such as those of a pass."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import uuid4

from ricordo.bus.port import Publisher
from ricordo.clock import Clock
from ricordo.messages.events import DerivedEvent
from ricordo.runtime.publishing import outgoing, stamped
from ricordo.runtime.tracing import TraceContext


class Emitter(Protocol):
    """Publishes events that no other event has caused."""

    async def emit(self, tenant: str, events: Sequence[DerivedEvent]) -> None:
        """Stamp and publish `events`, and wait until they are stored."""
        ...


@dataclass(frozen=True, slots=True)
class BusEmitter:
    """Publishes events on the bus in the name of `source`."""

    publisher: Publisher
    clock: Clock
    source: str

    async def emit(self, tenant: str, events: Sequence[DerivedEvent]) -> None:
        """Stamp and publish `events` in one new trace, and wait until they are stored.

        Raises:
            BusError: the first that could not be stored; the others may have been.
        """
        trace = TraceContext.begin()
        dated = stamped(events, uuid4(), self.clock.now())
        results = await self.publisher.publish(
            [outgoing(tenant, event, self.source, trace) for event in dated]
        )
        for problem in results:
            if problem is not None:
                raise problem
