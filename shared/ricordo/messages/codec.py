"""Bytes to models and back."""

import json
import re
from typing import Final, TypeVar

from pydantic import ValidationError

from ricordo.messages.base import ID_PATTERN, Message
from ricordo.messages.errors import DeadLetterCode, DecodeError
from ricordo.messages.events import DerivedEvent
from ricordo.messages.registry import CONTRACTS

M = TypeVar("M", bound=Message)

_ID: Final = re.compile(ID_PATTERN.removeprefix("^").removesuffix("$"), re.ASCII)
_ID_IN_TEXT: Final = re.compile(rb'"id"\s*:\s*"([\x21\x23-\x5b\x5d-\x7e]{1,128})"')


def decode(name: str, body: bytes) -> Message:
    """Read the body of an event, or the request of a query or command.

    Args:
        name: such as `message.received`.
        body: UTF-8 JSON. Of a repeated key the last value counts.

    Raises:
        DecodeError: the name is unknown, or the body cannot be read as its model.
    """
    contract = CONTRACTS.get(name)
    if contract is None:
        raise DecodeError(DeadLetterCode.INVALID_SUBJECT, f"{name[:80]!r} is no name of the contract")
    return decode_as(contract.body, body)


def decode_as(model: type[M], body: bytes) -> M:
    """Read `body` as `model`.

    Raises:
        DecodeError: not JSON, not an object, or a field is missing or wrong.
    """
    try:
        message = model.model_validate_json(body)
    except ValidationError as error:
        raise DecodeError.from_validation(error) from None
    if isinstance(message, DerivedEvent) and not message.is_stamped:
        raise DecodeError(DeadLetterCode.INVALID, "id and at are required", "id")
    return message


def encode(message: Message) -> bytes:
    """Write `message` as UTF-8 JSON.

    Raises:
        ValueError: a derived event that nobody stamped.
    """
    if isinstance(message, DerivedEvent) and not message.is_stamped:
        raise ValueError(f"{message.name} has no id or no instant yet: stamp it before publishing")
    return message.model_dump_json().encode()


def readable_id(body: bytes) -> str | None:
    """Return the `id` of a body that `decode` refused, where one can be read.

    A dead letter then still has a name under which `query.status` finds it.
    """
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        match = _ID_IN_TEXT.search(body)
        return match[1].decode() if match else None
    found = content.get("id") if isinstance(content, dict) else None
    return found if isinstance(found, str) and _ID.fullmatch(found) else None
