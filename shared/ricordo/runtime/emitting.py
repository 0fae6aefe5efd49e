"""Events that no other event has caused: what a pass over the stores has to tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from ricordo.bus.port import Publisher
from ricordo.clock import Clock
from ricordo.messages.events import DerivedEvent
from ricordo.runtime.publishing import outgoing, stamped
from ricordo.runtime.tracing import TraceContext


@dataclass(frozen=True, slots=True)
class Emitter:
    """Publishes events in the name of `source`."""

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
