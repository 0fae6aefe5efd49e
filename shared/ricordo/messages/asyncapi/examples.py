"""Examples of messages for the AsyncAPI document: each is read by its model, or refused, as it would be."""

import json
from importlib.resources import files
from typing import Final

from pydantic.config import JsonDict

from ricordo.messages.codec import decode, decode_as
from ricordo.messages.errors import DecodeError, ErrorBody, ErrorCode, dead_letter_headers
from ricordo.messages.events import MessageReceived, SessionEnded
from ricordo.messages.ids import session_ended_id
from ricordo.messages.message_types import Message, format_instant, parse_instant
from ricordo.messages.routing import Contract
from ricordo.messages.subjects import MESSAGE_ID, STREAM_IN, TRACE_PARENT, event_headers

TENANT: Final = "default"

_TRACE_PARENT: Final = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
_CONTENTLESS: Final[JsonDict] = {
    "id": "m-4",
    "user_id": "davide",
    "conversation_id": "c-1",
    "role": "user",
    "timestamp": "2026-02-02T21:00:00+01:00",
}
_SEQUENCE: Final = 42


def of_event(contract: Contract) -> JsonDict:
    """Return headers and payload of an event."""
    written = json.dumps(_examples()[contract.name]).encode()
    event = decode_as(contract.body, written)
    payload: JsonDict = json.loads(written) if contract.from_bots else event.model_dump(mode="json")
    instant = payload["timestamp" if contract.from_bots else "at"]
    if isinstance(event, SessionEnded):
        event_id = str(session_ended_id(TENANT, event.conversation_id, format_instant(event.timestamp)))
    else:
        event_id = str(payload["id"])
    headers = event_headers(
        contract.name,
        event_id=event_id,
        source=f"/bots/{TENANT}" if contract.from_bots else f"/ricordo/{contract.writers[0]}",
        time=parse_instant(instant),
        dedup_id=f"{TENANT}/{event_id}" if contract.from_bots else event_id,
        traceparent=_TRACE_PARENT,
    )
    return {"headers": {**headers}, "payload": payload}


def of_request(contract: Contract) -> JsonDict:
    """Return headers and payload of a query or a command."""
    payload = _examples()[f"{contract.name}.request"]
    decode(contract.name, json.dumps(payload).encode())
    return {"headers": {TRACE_PARENT: _TRACE_PARENT}, "payload": payload}


def of_reply(contract: Contract, model: type[Message]) -> JsonDict:
    """Return the payload of a reply as the model writes it."""
    written = json.dumps(_examples()[f"{contract.name}.reply"]).encode()
    return {"payload": decode_as(model, written).model_dump(mode="json")}


def of_errors() -> list[JsonDict]:
    """Return an invalid request's error, and that of a server that is down."""
    refused = _refusal(
        "query.recall", b'{"user_id": "davide", "query": "Che animale ho?", "limit": 500}'
    ).body()
    away = ErrorBody.of(ErrorCode.UNAVAILABLE, "PostgreSQL is away: try again")
    return [
        {
            "name": body.error.code.value,
            "headers": {**body.headers()},
            "payload": body.model_dump(mode="json"),
        }
        for body in (refused, away)
    ]


def of_dead_letter(consumer: str) -> JsonDict:
    """Return the dead letter of a message without content."""
    refusal = _refusal(MessageReceived.name, json.dumps(_CONTENTLESS).encode())
    headers = {
        TRACE_PARENT: _TRACE_PARENT,
        MESSAGE_ID: f"dlq:{STREAM_IN}:{_SEQUENCE}:{consumer}",
        **dead_letter_headers(refusal.code, refusal.message, 1, _SEQUENCE),
    }
    return {"headers": {**headers}, "payload": {**_CONTENTLESS}}


def _refusal(name: str, body: bytes) -> DecodeError:
    try:
        decode(name, body)
    except DecodeError as error:
        return error
    raise AssertionError(f"{body!r} can be read as {name}")


def _examples() -> dict[str, JsonDict]:
    examples: dict[str, JsonDict] = json.loads(
        files(__package__).joinpath("examples.json").read_text("utf-8")
    )
    return examples
