"""Publishes derived events: with deterministic ids, CloudEvents headers and the trace of their cause."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID, uuid4

from ricordo.bus.port import Bus, Outgoing
from ricordo.clock import Clock
from ricordo.messages.codec import encode
from ricordo.messages.events import DerivedEvent
from ricordo.messages.ids import derived_id
from ricordo.messages.subjects import event_headers, subject_of
from ricordo.runtime.tracing import TraceContext


def derived_messages(
    events: Iterable[DerivedEvent],
    *,
    tenant: str,
    cause: UUID,
    source: str,
    trace: TraceContext | None,
    at: datetime,
) -> Sequence[Outgoing]:
    """Return the messages of the events that follow from `cause`, stamped and in `trace`.

    The n-th event of a name always gets the same id, so that handling a cause twice publishes nothing new.
    """
    seen = Counter[str]()
    messages = []
    for event in events:
        name = event.lane_of or event.name
        stamped = event.stamp(derived_id(cause, name, seen[name]), at)
        seen[name] += 1
        headers = event_headers(
            event.name,
            event_id=str(stamped.id),
            source=f"/ricordo/{source}",
            time=stamped.at,
            dedup_id=str(stamped.id),
            traceparent=None if trace is None else str(trace),
        )
        subject = subject_of(tenant, stamped.name)
        messages.append(Outgoing(subject=subject, body=encode(stamped), headers=headers))
    return messages


class Emitter:
    """Publishes events that no other event has caused, such as those of a pass, in the name of `source`."""

    def __init__(self, bus: Bus, clock: Clock, source: str) -> None:
        self._bus = bus
        self._clock = clock
        self._source = source

    async def emit(self, tenant: str, events: Sequence[DerivedEvent]) -> None:
        """Stamp and publish `events` in one new trace, and wait until they are stored.

        Raises:
            BusError: the first failure; the other events may be stored.
        """
        messages = derived_messages(
            events,
            tenant=tenant,
            cause=uuid4(),
            source=self._source,
            trace=TraceContext.begin(),
            at=self._clock.now(),
        )
        for problem in await self._bus.publish(messages):
            if problem is not None:
                raise problem
