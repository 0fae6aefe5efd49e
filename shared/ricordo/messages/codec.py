"""Decodes and encodes messages."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, TypeVar

from pydantic import ValidationError

from ricordo.messages.errors import DeadLetterCode, DecodeError
from ricordo.messages.event_items import SingleEvent
from ricordo.messages.message_types import ID_PATTERN, Message
from ricordo.messages.routing import CONTRACTS
from ricordo.messages.subjects import InvalidSubject, Subject

M = TypeVar("M", bound=Message)

_BOT_MESSAGES: Final = frozenset({"message.received", "message.imported"})

_ID: Final = re.compile(ID_PATTERN.removeprefix("^").removesuffix("$"), re.ASCII)
_ID_IN_TEXT: Final = re.compile(rb'"id"\s*:\s*"([\x21\x23-\x5b\x5d-\x7e]{1,128})"')


def decode(name: str, body: bytes) -> Message:
    """Decode the body of an event, a query or a command.

    Args:
        name: such as `message.received`.
        body: UTF-8 JSON. Of a repeated key the last value counts.

    Raises:
        DecodeError: the name is unknown, or the body does not match its model.
    """
    contract = CONTRACTS.get(name)
    if contract is None:
        raise DecodeError(DeadLetterCode.INVALID_SUBJECT, f"{name[:80]!r} is not a name of the contract")
    return decode_as(contract.body, body)


def decode_as(model: type[M], body: bytes) -> M:
    """Decode `body` as `model`.

    Raises:
        DecodeError: it is not a JSON object, or a field is missing or wrong.
    """
    try:
        message = model.model_validate_json(body)
    except ValidationError as error:
        raise DecodeError.from_validation(error) from None
    if isinstance(message, SingleEvent) and not message.is_stamped:
        raise DecodeError(DeadLetterCode.INVALID, "id and at are required", "id")
    return message


def encode(message: Message) -> bytes:
    """Encode `message` as UTF-8 JSON.

    Raises:
        ValueError: an event is not stamped.
    """
    if isinstance(message, SingleEvent) and not message.is_stamped:
        raise ValueError(f"{message.name} has no id or no instant yet: stamp it before publishing")
    return message.model_dump_json().encode()


def readable_id(body: bytes) -> str | None:
    """Return the `id` of a body that `decode` rejected, if any.

    With it, `query.status` finds the dead letter.
    """
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        match = _ID_IN_TEXT.search(body)
        return match[1].decode() if match else None
    return _id(content.get("id")) if isinstance(content, dict) else None


@dataclass(frozen=True, slots=True)
class MessageOwner:
    """User, conversation and time of a message, as far as readable.

    Attributes:
        said_at: in UTC.
    """

    user_id: str
    conversation_id: str | None
    said_at: datetime | None


def owner_of(subject: str, body: bytes) -> MessageOwner | None:
    """Return the owner of a message, valid or not; None if it is not a bot's or names no user."""
    try:
        content = json.loads(body) if Subject.parse(subject).name in _BOT_MESSAGES else None
    except (InvalidSubject, ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or (user_id := _id(content.get("user_id"))) is None:
        return None
    return MessageOwner(user_id, _id(content.get("conversation_id")), _instant(content.get("timestamp")))


def _id(found: object) -> str | None:
    return found if isinstance(found, str) and _ID.fullmatch(found) else None


def _instant(found: object) -> datetime | None:
    try:
        said_at = datetime.fromisoformat(found) if isinstance(found, str) else None
        return said_at.astimezone(UTC) if said_at is not None and said_at.tzinfo else None
    except (ValueError, OverflowError):
        return None
