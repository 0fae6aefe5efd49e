"""From a derived event to a message: stamped, in CloudEvents' binary mode, in the trace of its cause."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from ricordo.messages.base import format_instant
from ricordo.messages.codec import encode
from ricordo.messages.events import DerivedEvent
from ricordo.messages.ids import derived_id
from ricordo.messages.subjects import subject_of
from ricordo.ports.bus import Outgoing
from ricordo.runtime.tracing import TRACEPARENT, TraceContext

MESSAGE_ID: Final = "Nats-Msg-Id"


def stamped(events: Iterable[DerivedEvent], cause: UUID, at: datetime) -> Sequence[DerivedEvent]:
    """Give the events that follow from `cause` their ids and their instant.

    The n-th event of a name always gets the same id, so that handling a cause twice emits nothing new.
    """
    seen: dict[str, int] = {}
    result = []
    for event in events:
        ordinal = seen.get(event.name, 0)
        seen[event.name] = ordinal + 1
        result.append(event.stamped(derived_id(cause, event.name, ordinal), at))
    return result


def outgoing(tenant: str, event: DerivedEvent, source: str, trace: TraceContext | None) -> Outgoing:
    """Write a stamped event as a message.

    Args:
        tenant: whose event it is.
        event: stamped.
        source: the worker that produced it.
        trace: the span in which it was produced.

    Raises:
        ValueError: the event is not stamped.
    """
    event_id = str(event.id)
    headers = {
        MESSAGE_ID: event_id,
        "ce-id": event_id,
        "ce-source": f"ricordo/{source}",
        "ce-type": event.name,
        "ce-time": format_instant(event.at),
    }
    if trace is not None:
        headers[TRACEPARENT] = str(trace)
    return Outgoing(subject=subject_of(tenant, event.name), body=encode(event), headers=headers)
