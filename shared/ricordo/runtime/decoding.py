"""From a delivery to an envelope, once per delivery, with the same id for its effects at every delivery."""

from collections.abc import Mapping
from typing import NamedTuple
from uuid import UUID

from ricordo.bus.port import Delivery, StoredMessage
from ricordo.messages.base import Message, format_instant
from ricordo.messages.codec import decode, readable_id
from ricordo.messages.errors import DeadLetterCode, DecodeError
from ricordo.messages.events import DerivedEvent, MessageReceived, SessionEnded
from ricordo.messages.headers import TRACE_PARENT
from ricordo.messages.ids import memory_id, session_ended_id
from ricordo.messages.subjects import InvalidSubject, Subject
from ricordo.runtime.handling import Envelope, Reject
from ricordo.runtime.tracing import TraceContext


def decode_delivery(delivery: Delivery) -> Envelope[Message] | Reject:
    """Read what was delivered.

    Returns:
        The envelope, in a span of its own of the trace that the headers name; or why it cannot be read.
    """
    return _read(delivery, delivery.attempt)


def decode_stored(message: StoredMessage) -> Envelope[Message] | Reject:
    """Read, as `read` does, what was not delivered yet."""
    return _read(message, attempt=0)


def _read(message: Delivery | StoredMessage, attempt: int) -> Envelope[Message] | Reject:
    try:
        subject = Subject.parse(message.subject)
        body = decode(subject.name, message.body)
        cause = cause_id(subject.tenant, body)
    except InvalidSubject as error:
        return Reject(DeadLetterCode.INVALID_SUBJECT, str(error))
    except DecodeError as error:
        return Reject(error.code, error.message)
    if cause is None:
        return Reject(DeadLetterCode.INVALID_SUBJECT, f"{subject.name!r} is no event")
    return Envelope(
        tenant=subject.tenant,
        id=cause,
        subject=message.subject,
        body=body,
        attempt=attempt,
        traceparent=str(TraceContext.continued(message.headers.get(TRACE_PARENT))),
    )


def cause_id(tenant: str, body: Message) -> UUID | None:
    """Return the id under which an event's effects are known; None for what is no event.

    What bots publish carries no such id: there it follows from what makes the event what it is.
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
    """What a message is references, each None where it cannot be told.

    Attributes:
        tenant: of its subject.
        message_id: the bot's.
        memory_id: of a memory that no message is behind.
    """

    tenant: str | None
    message_id: str | None
    memory_id: UUID | None = None


def references(subject: str, body: bytes, readable: Message | None = None) -> MessageReferences:
    """Tell what a message is about.

    Args:
        subject: the subject of the message.
        body: its bytes, searched for an id where they could not be read.
        readable: its body, where it could.
    """
    try:
        address = Subject.parse(subject)
    except InvalidSubject:
        return MessageReferences(None, None)
    if isinstance(readable, DerivedEvent):
        made = readable.memory_id if readable.message_id is None else None
        return MessageReferences(address.tenant, readable.message_id, made)
    if isinstance(readable, MessageReceived):
        return MessageReferences(address.tenant, readable.id)
    return MessageReferences(
        address.tenant, readable_id(body) if address.name.startswith("message.") else None
    )


def stored_references(subject: str, body: bytes) -> MessageReferences:
    """Tell what a message is about that nobody has read yet."""
    try:
        readable = decode(Subject.parse(subject).name, body)
    except (InvalidSubject, DecodeError):
        return references(subject, body)
    return references(subject, body, readable)


def log_fields(envelope: Envelope[Message]) -> Mapping[str, str | None]:
    """Return what names an event in a log line: ids only, never what was said."""
    told = references(envelope.subject, b"", envelope.body)
    return {"tenant": envelope.tenant, "event_id": str(envelope.id), "message_id": told.message_id}
