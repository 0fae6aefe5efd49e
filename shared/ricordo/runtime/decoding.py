"""Decodes deliveries into envelopes; an event gets the same id at every delivery."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple
from uuid import UUID

from ricordo.bus.port import Delivery
from ricordo.messages.codec import decode, readable_id
from ricordo.messages.errors import DeadLetterCode, DecodeError
from ricordo.messages.events import DerivedEvent, MessageReceived, SessionEnded
from ricordo.messages.ids import memory_id, session_ended_id
from ricordo.messages.message_types import Message, format_instant
from ricordo.messages.subjects import TRACE_PARENT, InvalidSubject, Subject
from ricordo.runtime.handling import Envelope, Reject
from ricordo.runtime.tracing import TraceContext

_USER_ID: Final = re.compile(rb'"user_id"\s*:\s*("(?:[^"\\]|\\.)*")')  # no quote of a content is bare


def user_of(message: Delivery) -> tuple[str, bytes]:
    """Return what tells the users of messages apart that were not decoded yet: subject, and id as written."""
    found = _USER_ID.search(message.body)
    return message.subject, found[1] if found else b""


def decode_delivery(delivery: Delivery) -> Envelope[Message] | Reject:
    """Decode a delivery.

    Returns:
        The envelope, in a new span of the trace that the headers name; or why it cannot be read.
    """
    try:
        subject = Subject.parse(delivery.subject)
        body = decode(subject.name, delivery.body)
        cause = cause_id(subject.tenant, body)
    except InvalidSubject as error:
        return Reject(DeadLetterCode.INVALID_SUBJECT, str(error))
    except DecodeError as error:
        return Reject(error.code, error.message)
    if cause is None:
        return Reject(DeadLetterCode.INVALID_SUBJECT, f"{subject.name!r} is not an event")
    return Envelope(
        tenant=subject.tenant,
        id=cause,
        subject=delivery.subject,
        body=body,
        attempt=delivery.attempt,
        traceparent=str(TraceContext.continued(delivery.headers.get(TRACE_PARENT))),
    )


def cause_id(tenant: str, body: Message) -> UUID | None:
    """Return the id from which the ids of an event's effects are derived; None if it is no event.

    Events of bots carry no such id; it follows from the fields that identify them.
    """
    match body:
        case DerivedEvent():
            return body.id
        case MessageReceived():
            return memory_id(tenant, body.id)
        case SessionEnded():
            return session_ended_id(tenant, body.conversation_id, format_instant(body.timestamp))
        case _:
            return None


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
    """Return the ids that a message refers to; one that cannot be decoded is searched for its id."""
    try:
        address = Subject.parse(subject)
    except InvalidSubject:
        return MessageReferences(None, None)
    try:
        decoded = decode(address.name, body)
    except DecodeError:
        sent_by_bot = address.name.startswith("message.")
        return MessageReferences(address.tenant, readable_id(body) if sent_by_bot else None)
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
