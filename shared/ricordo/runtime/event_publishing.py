"""Publishes derived events: with deterministic ids, CloudEvents headers and the traces of their causes.

What many causes lead to is gathered: the items of one name and lane go in events of up to 64.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, Self
from uuid import NAMESPACE_OID, UUID, uuid4, uuid5

from ricordo.bus.port import Bus, Outgoing
from ricordo.clock import Clock
from ricordo.messages.codec import encode
from ricordo.messages.event_items import BULK, MAX_ITEMS, DerivedEvent, EventItems, SingleEvent, gather
from ricordo.messages.ids import derived_id
from ricordo.messages.subjects import REPLAYED_FOR, TRACE_PARENTS, Subject, event_headers, subject_of
from ricordo.runtime.handling import Done, Envelope
from ricordo.runtime.tracing import TraceContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """The events that one cause leads to.

    Attributes:
        events: published on the lane of the cause.
        bulk_events: published on the bulk lane.
        is_bulk: whether the cause is of the bulk lane.
        trace: of the cause; None begins none.
    """

    cause: UUID
    events: Sequence[DerivedEvent]
    bulk_events: Sequence[DerivedEvent] = ()
    is_bulk: bool = False
    trace: TraceContext | None = None

    @classmethod
    def of(cls, envelope: Envelope[Any], outcome: Done) -> Self:
        """Return what the handling of `envelope` led to."""
        return cls(
            cause=envelope.id,
            events=outcome.events,
            bulk_events=outcome.bulk_events,
            is_bulk=envelope.is_bulk,
            trace=envelope.trace,
        )


@dataclass(frozen=True, slots=True)
class GatheredMessage:
    """A message to be published, and the places of the effects that it is part of."""

    message: Outgoing
    effects: frozenset[int]


class _Part(NamedTuple):
    """An item, its own id, and the place of the effects that it is part of."""

    event: DerivedEvent
    id: UUID
    effects: int


def publications(
    effects: Sequence[Effects], *, tenant: str, source: str, at: datetime
) -> Sequence[GatheredMessage]:
    """Return the messages that tell effects, in events of up to 64 items.

    The n-th event of a name that a cause leads to always gets the same id; an event of several items gets one
    that follows from theirs, so that it depends on what was gathered.
    """
    parts: defaultdict[str, list[_Part]] = defaultdict(list)
    for place, of_cause in enumerate(effects):
        seen = Counter[str]()
        live = () if of_cause.is_bulk else of_cause.events
        for number, event in enumerate([*of_cause.events, *of_cause.bulk_events]):
            part = _Part(event, derived_id(of_cause.cause, event.name, seen[event.name]), place)
            seen[event.name] += 1
            is_bulk = event.has_bulk and number >= len(live)
            parts[f"{event.name}{BULK}" if is_bulk else event.name].append(part)
    return [
        GatheredMessage(
            _message(name, gathered, effects, tenant=tenant, source=source, at=at),
            frozenset(one.effects for one in gathered),
        )
        for name, of_name in parts.items()
        for gathered in _gathered(of_name)
    ]


def _gathered(parts: Sequence[_Part]) -> Iterator[Sequence[_Part]]:
    size = 1 if isinstance(parts[0].event, SingleEvent) else MAX_ITEMS
    for start in range(0, len(parts), size):
        yield parts[start : start + size]


def _message(
    name: str, parts: Sequence[_Part], effects: Sequence[Effects], *, tenant: str, source: str, at: datetime
) -> Outgoing:
    first, items = parts[0], None
    body: SingleEvent | EventItems[Any]
    if isinstance(first.event, SingleEvent):
        body = first.event.stamp(first.id, at)
    else:
        own = first.id if len(parts) == 1 else uuid5(NAMESPACE_OID, "/".join(str(one.id) for one in parts))
        body, items = gather(own, at, [one.event for one in parts]), len(parts)
    traces = [effects[one.effects].trace for one in parts]
    headers = event_headers(
        name,
        event_id=str(body.id),
        source=f"/ricordo/{source}",
        time=body.at,
        dedup_id=str(body.id),
        traceparent=None if traces[0] is None else str(traces[0]),
        items=items,
    )
    if len(set(traces)) > 1:
        headers[TRACE_PARENTS] = ",".join("" if one is None else str(one) for one in traces)
    return Outgoing(subject=subject_of(tenant, name), body=encode(body), headers=headers)


def item_alone(envelope: Envelope[Any], consumer: str) -> Outgoing:
    """Return an event of a single item, which only `consumer` handles; the item keeps its id."""
    event = gather(envelope.id, envelope.at, [envelope.body])
    headers = event_headers(
        Subject.parse(envelope.subject).name,
        event_id=str(envelope.id),
        source=f"/ricordo/{consumer}",
        time=envelope.at,
        dedup_id=f"{envelope.id}/{consumer}",
        traceparent=None if envelope.trace is None else str(envelope.trace),
        items=1,
    )
    return Outgoing(subject=envelope.subject, body=encode(event), headers={**headers, REPLAYED_FOR: consumer})


class Emitter:
    """Publishes events that no other event has caused, such as those of a pass or a request, as `source`."""

    def __init__(self, bus: Bus, clock: Clock, source: str) -> None:
        self._bus = bus
        self._clock = clock
        self._source = source

    async def emit(self, tenant: str, events: Iterable[DerivedEvent], *, bulk: bool = False) -> None:
        """Stamp and publish `events` in one new trace, and wait until they are stored.

        Args:
            bulk: whether they go on the bulk lane.

        Raises:
            BusError: the first failure; the other events may be stored.
        """
        effects = Effects(cause=uuid4(), events=tuple(events), is_bulk=bulk, trace=TraceContext.begin())
        await self.emit_effects(tenant, effects)

    async def emit_effects(self, tenant: str, effects: Effects) -> None:
        """Publish the events of one cause; raises as `emit`."""
        messages = publications([effects], tenant=tenant, source=self._source, at=self._clock.now())
        for problem in await self._bus.publish([one.message for one in messages]):
            if problem is not None:
                raise problem
