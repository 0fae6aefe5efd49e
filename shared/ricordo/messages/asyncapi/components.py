"""The messages of the AsyncAPI document: keys and references, schemas of headers, payloads and examples."""

import json
from collections.abc import Iterator
from importlib.resources import files
from inspect import getdoc
from typing import Final

from pydantic import JsonValue
from pydantic.config import JsonDict

from ricordo.messages import errors, subjects
from ricordo.messages.codec import decode, decode_as
from ricordo.messages.errors import DecodeError, ErrorBody, ErrorCode, dead_letter_headers
from ricordo.messages.events import MessageReceived, SessionEnded
from ricordo.messages.ids import session_ended_id
from ricordo.messages.message_types import Message, format_instant, parse_instant
from ricordo.messages.routing import CONSUMERS, CONTRACTS, Contract
from ricordo.messages.subjects import MESSAGE_ID, PREFIX, STREAM_IN, TRACE_PARENT, event_headers

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
    event_id = str(payload["id"]) if "id" in payload else _id_of(event)
    instant = payload["timestamp" if contract.from_bots else "at"]
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


def _id_of(event: Message) -> str:
    if not isinstance(event, SessionEnded):
        raise TypeError(f"{type(event).__name__} has an id of its own")
    return str(session_ended_id(TENANT, event.conversation_id, format_instant(event.timestamp)))


def _examples() -> dict[str, JsonDict]:
    examples: dict[str, JsonDict] = json.loads(
        files(__package__).joinpath("examples.json").read_text("utf-8")
    )
    return examples


DEAD_LETTER: Final = "dead-letter"
ERROR: Final = "error"
BOT: Final = "headers.event.bot"
DERIVED: Final = "headers.event.derived"
REQUEST: Final = "headers.request"
ERROR_HEADERS: Final = "headers.error"
DEAD_LETTER_HEADERS: Final = "headers.dead-letter"

_TRACE: Final[JsonDict] = {
    subjects.TRACE_PARENT: {
        "type": "string",
        "description": "The W3C trace context, carried through the whole pipeline.",
    }
}
_EVENT: Final[JsonDict] = {
    subjects.CE_SPEC_VERSION: {"const": "1.0", "description": "CloudEvents in binary mode."},
    subjects.CE_ID: {"type": "string", "description": "The event's own id."},
    subjects.CE_SOURCE: {"type": "string", "format": "uri-reference", "description": "Who published it."},
    subjects.CE_TYPE: {
        "type": "string",
        "pattern": f"^{PREFIX.replace('.', '[.]')}[.][a-z]+[.][a-z]+([.]bulk)?$",
        "description": f"`{PREFIX}.` and the name of the event.",
    },
    subjects.CE_TIME: {"type": "string", "format": "date-time", "description": "When it happened."},
    subjects.CONTENT_TYPE: {"const": "application/json"},
    subjects.MESSAGE_ID: {
        "type": "string",
        "description": "What JetStream recognises a repetition by, across all tenants: begin it with yours.",
    },
}
_DEAD: Final[JsonDict] = {
    errors.DEAD_LETTER_REASON: {"type": "string", "description": "A code, a colon and a sentence."},
    errors.DEAD_LETTER_ATTEMPTS: {
        "type": "string",
        "pattern": "^[0-9]+$",
        "description": "How often delivery was tried.",
    },
    errors.DEAD_LETTER_SEQUENCE: {
        "type": "string",
        "pattern": "^[0-9]+$",
        "description": "Of the original in its stream.",
    },
}


def request_of(contract: Contract) -> str:
    """Return the key of an event or request."""
    return contract.name if contract.reply is None else f"{contract.name}.request"


def reply_of(contract: Contract) -> str:
    """Return the key of a reply and of its channel."""
    return f"{contract.name}.reply"


def operation_of(contract: Contract) -> str:
    """Return the name of an operation, valid as a function name for generators."""
    verb = "answer" if contract.reply is not None else "receive" if contract.from_bots else "send"
    return verb + "".join(part.capitalize() for part in contract.name.split("."))


def ref(*path: str) -> JsonDict:
    """Return a reference into the document; no key contains a slash or a tilde."""
    return {"$ref": "/".join(("#", *path))}


def description_of(model: type[Message]) -> tuple[str, str]:
    """Return the first sentence of a model's docstring, and the whole."""
    whole = getdoc(model) or ""
    return whole.partition("\n")[0], whole


def header_schemas() -> JsonDict:
    """Return the schemas of headers by name."""
    return {
        BOT: _header_schema("Of what bots publish: all are optional.", _EVENT | _TRACE),
        DERIVED: _header_schema("Of what workers publish.", _EVENT | _TRACE, required=list(_EVENT)),
        REQUEST: _header_schema("Of a query or a command: all are optional.", _TRACE),
        ERROR_HEADERS: _header_schema(
            "They mark a reply as an error.", _error_headers(), required=list(_error_headers())
        ),
        DEAD_LETTER_HEADERS: _header_schema(
            "Why it was given up, beside the headers of CloudEvents and of the trace that the original had.",
            _DEAD | {subjects.MESSAGE_ID: {"type": "string"}} | _copied(),
            required=[*_DEAD, subjects.MESSAGE_ID],
        ),
    }


def _error_headers() -> JsonDict:
    return {
        errors.SERVICE_ERROR: {"type": "string", "description": "The code, a colon and the sentence."},
        errors.SERVICE_ERROR_CODE: {"enum": [str(code.number) for code in errors.ErrorCode]},
    }


def _copied() -> JsonDict:
    # Copied from the original, valid or not.
    return {name: {"type": "string"} for name in (_EVENT | _TRACE) if name != subjects.MESSAGE_ID}


def _header_schema(description: str, properties: JsonDict, *, required: list[str] | None = None) -> JsonDict:
    needed: list[JsonValue] = list(required or ())
    schema: JsonDict = {"type": "object", "description": description, "properties": properties}
    return schema | {"required": needed} if needed else schema


def messages() -> JsonDict:
    """Return all messages by key: those of the contract, the error reply, and the dead letter."""
    found: JsonDict = {key: body for contract in CONTRACTS.values() for key, body in _of(contract)}
    return found | {ERROR: _error(), DEAD_LETTER: _dead_letter()}


def _of(contract: Contract) -> Iterator[tuple[str, JsonDict]]:
    key = request_of(contract)
    if contract.reply is None:
        sort = BOT if contract.from_bots else DERIVED
        yield key, _message(key, contract.body, sort, of_event(contract))
        return
    yield key, _message(key, contract.body, REQUEST, of_request(contract))
    answer = reply_of(contract)
    yield answer, _message(answer, contract.reply, None, of_reply(contract, contract.reply))


def _message(key: str, model: type[Message], sort: str | None, *shown: JsonDict) -> JsonDict:
    summary, whole = description_of(model)
    message: JsonDict = {"name": key, "title": model.__name__, "summary": summary}
    if whole != summary:
        message["description"] = whole
    if sort is not None:
        message["headers"] = ref("components", "schemas", sort)
    return message | {"payload": {"$ref": f"./{key}.json"}, "examples": list(shown)}


def _error() -> JsonDict:
    codes = "\n".join(f"- `{code.value}` {code.number}" for code in ErrorCode)
    message = _message(ERROR, ErrorBody, ERROR_HEADERS, *of_errors())
    message["description"] = f"Comes instead of any reply, with one of these codes and numbers:\n\n{codes}"
    return message


def _dead_letter() -> JsonDict:
    return {
        "name": DEAD_LETTER,
        "title": "DeadLetter",
        "summary": "An event that was given up.",
        "headers": ref("components", "schemas", DEAD_LETTER_HEADERS),
        "payload": {"description": "The original bytes as they came: JSON, or what should have been JSON."},
        "examples": [of_dead_letter(CONSUMERS[0].name)],
    }
