"""The headers of each sort of message, as JSON Schemas."""

from typing import Final

from pydantic import JsonValue
from pydantic.config import JsonDict

from ricordo.messages import errors, headers
from ricordo.messages.subjects import PREFIX

BOT: Final = "headers.event.bot"
DERIVED: Final = "headers.event.derived"
REQUEST: Final = "headers.request"
ERROR: Final = "headers.error"
DEAD_LETTER: Final = "headers.dead-letter"

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


def header_schemas() -> JsonDict:
    """Return the schema of the headers of each sort of message by its name."""
    return {
        BOT: _schema("Of what bots publish: all are optional.", _EVENT | _TRACE),
        DERIVED: _schema("Of what workers publish.", _EVENT | _TRACE, required=list(_EVENT)),
        REQUEST: _schema("Of a query or a command: all are optional.", _TRACE),
        ERROR: _schema("They mark a reply as an error.", _error(), required=list(_error())),
        DEAD_LETTER: _schema(
            "Why it was given up, beside the headers of CloudEvents and of the trace that the original had.",
            _DEAD | {headers.MESSAGE_ID: {"type": "string"}} | _carried(),
            required=[*_DEAD, headers.MESSAGE_ID],
        ),
    }


def _error() -> JsonDict:
    return {
        errors.SERVICE_ERROR: {"type": "string", "description": "The code, a colon and the sentence."},
        errors.SERVICE_ERROR_CODE: {"enum": [str(code.number) for code in errors.ErrorCode]},
    }


def _carried() -> JsonDict:
    # As the original had them, right or wrong.
    return {name: {"type": "string"} for name in (_EVENT | _TRACE) if name != headers.MESSAGE_ID}


def _schema(description: str, properties: JsonDict, *, required: list[str] | None = None) -> JsonDict:
    needed: list[JsonValue] = list(required or ())
    schema: JsonDict = {"type": "object", "description": description, "properties": properties}
    return schema | {"required": needed} if needed else schema
