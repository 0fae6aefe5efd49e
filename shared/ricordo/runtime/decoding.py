"""Decodes deliveries into envelopes, one for each item of an event."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from ricordo.bus.port import ReceivedMessage
from ricordo.messages.codec import decode, readable_id
from ricordo.messages.errors import DeadLetterCode, DecodeError
from ricordo.messages.event_items import BULK, MAX_ITEMS, DerivedEvent, EventItems, SingleEvent
from ricordo.messages.events import MessageImported, MessageReceived, SessionEnded
from ricordo.messages.ids import derived_id, memory_id, session_ended_id
from ricordo.messages.message_types import Message, format_instant
from ricordo.messages.subjects import ITEMS, TRACE_PARENT, TRACE_PARENTS, InvalidSubject, Subject
from ricordo.runtime.handling import Envelope, Reject
from ricordo.runtime.tracing import TraceContext

_USER_ID: Final = re.compile(rb'"user_id"\s*:\s*("(?:[^"\\]|\\.)*")')  # no quote of a content is bare


def user_of(message: ReceivedMessage) -> tuple[str, bytes]:
    """Return what tells the users of messages apart that were not decoded yet: subject, and id as written."""
    found = _USER_ID.search(message.body)
    return message.subject, found[1] if found else b""


def items_of(message: ReceivedMessage) -> int:
    """Return the number of items of a message that was not decoded yet; one where it does not say."""
    number = message.headers.get(ITEMS, "")
    return min(max(1, int(number[:4])), MAX_ITEMS) if number.isascii() and number.isdigit() else 1


def decode_message(message: ReceivedMessage, attempt: int = 1) -> Sequence[Envelope[Message]] | Reject:
    """Decode a delivered or stored event.

    Args:
        attempt: number of deliveries so far.

    Returns:
        An envelope for each item, or for the event itself if it has none, in a new span of the trace that the
        headers name; or why it cannot be read. An item has the same id at every delivery, also when it is
        published alone.
    """
    try:
        address = Subject.parse(message.subject)
        event = decode(address.name, message.body)
    except InvalidSubject as error:
        return Reject(DeadLetterCode.INVALID_SUBJECT, str(error))
    except DecodeError as error:
        return Reject(error.code, error.message)
    caused = _causes(address.tenant, event)
    if not caused:
        return Reject(DeadLetterCode.INVALID_SUBJECT, f"{address.name!r} is not an event")
    headers = message.headers
    parents = headers.get(TRACE_PARENTS, "").split(",")
    if len(parents) != len(caused):
        parents = [headers.get(TRACE_PARENT, "")] * len(caused)
    return [
        Envelope(
            tenant=address.tenant,
            id=cause,
            subject=message.subject,
            body=item,
            attempt=attempt,
            trace=TraceContext.continued(parent),
            at=_instant(event),
            is_bulk=address.name.endswith(BULK) or address.name == MessageImported.name,
        )
        for (cause, item), parent in zip(caused, parents, strict=True)
    ]


def _instant(event: Message) -> datetime:
    """Return when an event happened: of a bot's, when its message was sent."""
    if isinstance(event, MessageReceived | SessionEnded):
        return event.timestamp
    assert isinstance(event, EventItems | SingleEvent)  # noqa: S101 - it has a cause
    return event.at


def _causes(tenant: str, event: Message) -> list[tuple[UUID, Message]]:
    """Return the items of an event, or the event itself, each with the id that its effects follow from.

    Events of bots carry no such id; it follows from the fields that identify them.
    """
    match event:
        case EventItems(items=(item,)):
            return [(event.id, item)]
        case EventItems():
            return [(derived_id(event.id, "item", at), item) for at, item in enumerate(event.items)]
        case SingleEvent():
            return [(event.id, event)]
        case MessageReceived():
            return [(memory_id(tenant, event.id), event)]
        case SessionEnded():
            said_at = format_instant(event.timestamp)
            return [(session_ended_id(tenant, event.conversation_id, said_at), event)]
        case _:
            return []


class MessageReferences(NamedTuple):
    """The ids that a message refers to; None where unknown.

    Attributes:
        tenant: of its subject.
        message_id: of the bot's message.
        memory_id: of a memory without a message.
    """

    tenant: str | None
    message_id: str | None
    memory_id: UUID | None = None


def references(subject: str, body: bytes) -> MessageReferences:
    """Return the ids that a message refers to; one that cannot be decoded is searched for its id.

    An event of several items refers to none of them: it is taken apart before it could become a dead letter.
    """
    try:
        address = Subject.parse(subject)
    except InvalidSubject:
        return MessageReferences(None, None)
    try:
        decoded = decode(address.name, body)
    except DecodeError:
        sent_by_bot = address.name.startswith("message.")
        return MessageReferences(address.tenant, readable_id(body) if sent_by_bot else None)
    if isinstance(decoded, EventItems) and len(decoded.items) == 1:
        decoded = decoded.items[0]
    message_id = _message_id(decoded)
    memory = decoded.memory_id if isinstance(decoded, DerivedEvent) and message_id is None else None
    return MessageReferences(address.tenant, message_id, memory)


def log_fields(envelope: Envelope[Message]) -> Mapping[str, str | None]:
    """Return the fields that identify an event in a log line: ids only, never content."""
    message_id = _message_id(envelope.body)
    return {"tenant": envelope.tenant, "event_id": str(envelope.id), "message_id": message_id}


def _message_id(body: Message) -> str | None:
    if isinstance(body, MessageReceived):
        return body.id
    return body.message_id if isinstance(body, DerivedEvent) else None
