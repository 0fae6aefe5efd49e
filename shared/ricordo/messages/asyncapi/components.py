"""The messages of the AsyncAPI document: keys and references, schemas of headers, payloads and examples."""

from collections.abc import Iterator
from inspect import getdoc
from typing import Final

from pydantic import JsonValue
from pydantic.config import JsonDict

from ricordo.messages import errors, headers
from ricordo.messages.asyncapi import examples
from ricordo.messages.base import Message
from ricordo.messages.errors import ErrorBody, ErrorCode
from ricordo.messages.routing import CONSUMERS, CONTRACTS, Contract
from ricordo.messages.subjects import PREFIX

DEAD_LETTER: Final = "dead-letter"
ERROR: Final = "error"
BOT: Final = "headers.event.bot"
DERIVED: Final = "headers.event.derived"
REQUEST: Final = "headers.request"
ERROR_HEADERS: Final = "headers.error"
DEAD_LETTER_HEADERS: Final = "headers.dead-letter"

_TRACE: Final[JsonDict] = {
    headers.TRACE_PARENT: {
        "type": "string",
        "description": "The W3C trace context, carried through the whole pipeline.",
    }
}
_EVENT: Final[JsonDict] = {
    headers.CE_SPEC_VERSION: {"const": "1.0", "description": "CloudEvents in binary mode."},
    headers.CE_ID: {"type": "string", "description": "The event's own id."},
    headers.CE_SOURCE: {"type": "string", "format": "uri-reference", "description": "Who published it."},
    headers.CE_TYPE: {
        "type": "string",
        "pattern": f"^{PREFIX.replace('.', '[.]')}[.][a-z]+[.][a-z]+$",
        "description": f"`{PREFIX}.` and the name of the event.",
    },
    headers.CE_TIME: {"type": "string", "format": "date-time", "description": "When it happened."},
    headers.CONTENT_TYPE: {"const": "application/json"},
    headers.MESSAGE_ID: {
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
            _DEAD | {headers.MESSAGE_ID: {"type": "string"}} | _copied(),
            required=[*_DEAD, headers.MESSAGE_ID],
        ),
    }


def _error_headers() -> JsonDict:
    return {
        errors.SERVICE_ERROR: {"type": "string", "description": "The code, a colon and the sentence."},
        errors.SERVICE_ERROR_CODE: {"enum": [str(code.number) for code in errors.ErrorCode]},
    }


def _copied() -> JsonDict:
    # Copied from the original, valid or not.
    return {name: {"type": "string"} for name in (_EVENT | _TRACE) if name != headers.MESSAGE_ID}


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
        yield key, _message(key, contract.body, sort, examples.of_event(contract))
        return
    yield key, _message(key, contract.body, REQUEST, examples.of_request(contract))
    answer = reply_of(contract)
    yield answer, _message(answer, contract.reply, None, examples.of_reply(contract, contract.reply))


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
    message = _message(ERROR, ErrorBody, ERROR_HEADERS, *examples.of_errors())
    message["description"] = f"Comes instead of any reply, with one of these codes and numbers:\n\n{codes}"
    return message


def _dead_letter() -> JsonDict:
    return {
        "name": DEAD_LETTER,
        "title": "DeadLetter",
        "summary": "An event that was given up.",
        "headers": ref("components", "schemas", DEAD_LETTER_HEADERS),
        "payload": {"description": "The original bytes as they came: JSON, or what should have been JSON."},
        "examples": [examples.of_dead_letter(CONSUMERS[0].name)],
    }
