"""Publishes derived events: with deterministic ids, CloudEvents headers and the trace of their cause."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID, uuid4

from ricordo.bus.port import Outgoing, Publisher
from ricordo.clock import Clock
from ricordo.messages.codec import encode
from ricordo.messages.events import DerivedEvent
from ricordo.messages.ids import derived_id
from ricordo.messages.message_types import Message
from ricordo.messages.subjects import event_headers, subject_of
from ricordo.runtime.handling import Envelope
from ricordo.runtime.tracing import TraceContext


def stamp(events: Iterable[DerivedEvent], cause: UUID, at: datetime) -> Sequence[DerivedEvent]:
    """Set ids and time of the events that follow from `cause`.

    The n-th event of a name always gets the same id, so that handling a cause twice publishes nothing new.
    """
    seen: dict[str, int] = {}
    result = []
    for event in events:
        name = event.lane_of or event.name
        ordinal = seen.get(name, 0)
        seen[name] = ordinal + 1
        result.append(event.stamp(derived_id(cause, name, ordinal), at))
    return result


def derived_messages(
    envelope: Envelope[Message], events: Iterable[DerivedEvent], source: str, at: datetime
) -> Sequence[Outgoing]:
    """Return the messages of the events that handling `envelope` produced, stamped and in its trace."""
    trace = TraceContext.parse(envelope.traceparent)
    return [to_message(envelope.tenant, event, source, trace) for event in stamp(events, envelope.id, at)]


def to_message(tenant: str, event: DerivedEvent, source: str, trace: TraceContext | None) -> Outgoing:
    """Return a stamped event as a message.

    Raises:
        ValueError: the event is not stamped.
    """
    event_id = str(event.id)
    headers = event_headers(
        event.name,
        event_id=event_id,
        source=f"/ricordo/{source}",
        time=event.at,
        dedup_id=event_id,
        traceparent=None if trace is None else str(trace),
    )
    return Outgoing(subject=subject_of(tenant, event.name), body=encode(event), headers=headers)


class Emitter:
    """Publishes events that no other event has caused, such as those of a pass, in the name of `source`."""

    def __init__(self, publisher: Publisher, clock: Clock, source: str) -> None:
        self._publisher = publisher
        self._clock = clock
        self._source = source

    async def emit(self, tenant: str, events: Sequence[DerivedEvent]) -> None:
        """Stamp and publish `events` in one new trace, and wait until they are stored.

        Raises:
            BusError: the first failure; the other events may be stored.
        """
        trace = TraceContext.begin()
        events = stamp(events, uuid4(), self._clock.now())
        results = await self._publisher.publish(
            [to_message(tenant, event, self._source, trace) for event in events]
        )
        for problem in results:
            if problem is not None:
                raise problem
