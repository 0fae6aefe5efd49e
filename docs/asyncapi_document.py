"""The AsyncAPI document: `asyncapi/template.yaml`, with what the routing table says of channels and messages.

Each message has an example, from `asyncapi/examples.json`.
"""

import json
from collections.abc import Iterator, Sequence
from inspect import getdoc
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel, JsonValue
from pydantic.config import JsonDict

from ricordo.messages.codec import decode, decode_as
from ricordo.messages.errors import DecodeError, ErrorBody, ErrorCode, dead_letter_headers
from ricordo.messages.event_items import BULK, EventItems, item_model
from ricordo.messages.events import MessageReceived, SessionEnded
from ricordo.messages.ids import session_ended_id
from ricordo.messages.message_types import Message, format_instant, parse_instant
from ricordo.messages.routing import (
    CONSUMERS,
    CONTRACTS,
    WORKERS,
    Contract,
    ContractKind,
    Responder,
    bot_permissions,
    worker_of,
)
from ricordo.messages.subjects import MESSAGE_ID, PART, PREFIX, STREAM_IN, TRACE_PARENT, event_headers

_FOLDER: Final = Path(__file__).with_name("asyncapi")
_ERROR: Final = "error"
_INBOX: Final = (
    "The inbox of whoever asked. NATS carries its subject beside the request, neither among the headers\n"
    "nor in the body: the `request` of a NATS client sees to it."
)
_KINDS: Final = {
    ContractKind.EVENT: "Something happened: published, and kept in a stream.",
    ContractKind.QUERY: "A question, answered by request-reply.",
    ContractKind.COMMAND: "An order, answered by request-reply; `request_id` makes it safe to repeat.",
}
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


def document_text() -> str:
    """Return the document as YAML."""

    class Dumper(yaml.SafeDumper):
        """Writes text of several lines as a block, and equal values in full instead of aliases."""

        def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - the signature is PyYAML's
            return True

    def text(dumper: Dumper, value: str) -> yaml.ScalarNode:
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)

    Dumper.add_representer(str, text)
    template = yaml.safe_load((_FOLDER / "template.yaml").read_text("utf-8"))
    written = yaml.dump(_filled(template), Dumper=Dumper, sort_keys=False, allow_unicode=True, width=110)
    return f"# Generated from the code by `make schemas`.\n{written}"


def _filled(document: dict[str, Any]) -> dict[str, Any]:
    """Add what follows from the code; payloads are references to the JSON Schemas beside the document."""
    components, contracts = document["components"], CONTRACTS.values()
    document["channels"] = {**dict(_channels()), **document["channels"]}
    document["operations"] = {
        **{_operation_name(contract): _operation(contract) for contract in contracts},
        **document["operations"],
    }
    components["messages"] = {**dict(_messages()), **components["messages"]}
    error, dead_letter = components["messages"][_ERROR], components["messages"]["dead-letter"]
    error["examples"] = _error_examples()
    error["description"] += "\n\n" + "\n".join(f"- `{code.value}` {code.number}" for code in ErrorCode)
    dead_letter["examples"] = [_dead_letter_example(CONSUMERS[0].name)]
    codes = components["schemas"]["headers.error"]["properties"]["Nats-Service-Error-Code"]
    codes["enum"] = [str(code.number) for code in ErrorCode]
    components["parameters"]["consumer"]["enum"] = [item.name for item in CONSUMERS]
    bot = bot_permissions("{tenant}")
    components["securitySchemes"]["user"]["x-permissions"] = {
        "publish": list(bot.publish),
        "subscribe": list(bot.subscribe),
    }
    described = {kind.value: text for kind, text in _KINDS.items()} | dict(WORKERS)
    components["tags"] = {name: {"name": name, "description": text} for name, text in described.items()}
    document["info"]["tags"] = _tags(*described)
    document["operations"]["sendDeadLetter"]["tags"] = _tags("event", *(item.worker for item in CONSUMERS))
    return document


def _channels() -> Iterator[tuple[str, JsonDict]]:
    for contract in CONTRACTS.values():
        key = _request_key(contract)
        channel: JsonDict = {
            "address": f"{PREFIX}.{{tenant}}.{contract.name}",
            "summary": _description(contract.body)[0],
            "parameters": {"tenant": _ref("components", "parameters", "tenant")},
            "messages": {key: _ref("components", "messages", key)},
        }
        yield contract.name, channel if contract.stream is None else channel | {"x-stream": contract.stream}
        if contract.reply is not None:
            answer = _reply_key(contract)
            yield (
                answer,
                {
                    "address": None,
                    "summary": f"The reply to `{contract.name}`.",
                    "description": _INBOX,
                    "messages": {
                        name: _ref("components", "messages", name) for name in _reply_keys(contract)
                    },
                },
            )


def _operation(contract: Contract) -> JsonDict:
    operation: JsonDict = {
        "action": "receive" if contract.from_bots else "send",
        "channel": _ref("channels", contract.name),
        "messages": [_ref("channels", contract.name, "messages", _request_key(contract))],
        "summary": _description(contract.body)[0],
    }
    if contract.responder is None:
        return operation | _event_route(contract)
    return operation | _answering(contract, contract.responder)


def _operation_name(contract: Contract) -> str:
    """Return the name of an operation, valid as a function name for generators."""
    verb = "answer" if contract.reply is not None else "receive" if contract.from_bots else "send"
    return verb + "".join(part.capitalize() for part in contract.name.split("."))


def _answering(contract: Contract, responder: Responder) -> JsonDict:
    answer = _reply_key(contract)
    replies: list[JsonValue] = [_ref("channels", answer, "messages", key) for key in _reply_keys(contract)]
    return {
        "description": f"Answered by the worker {responder.worker}, with the reply or with an error.",
        "tags": _tags(contract.kind.value, responder.worker),
        "bindings": {"nats": {"queue": responder.queue, "bindingVersion": "0.1.0"}},
        "reply": {"channel": _ref("channels", answer), "messages": replies},
    }


def _event_route(contract: Contract) -> JsonDict:
    writers, readers = contract.writers, contract.consumers
    written = f"Written by {_listed(writers)}." if writers else "Written by bots."
    read = f"Read by {_listed(readers)}." if readers else "No worker reads it: it is for whoever listens."
    return {
        "description": f"{written} {read}",
        "tags": _tags(contract.kind.value, *map(worker_of, writers or readers)),
        "x-writers": [*writers],
        "x-consumers": [*readers],
    }


def _listed(names: Sequence[str]) -> str:
    """Return names of consumers and workers as text, each consumer with its worker."""
    return ", ".join(
        f"`{name}`" if worker_of(name) == name else f"`{name}` (of {worker_of(name)})" for name in names
    )


def _messages() -> Iterator[tuple[str, JsonDict]]:
    for contract in CONTRACTS.values():
        key = _request_key(contract)
        if contract.reply is None:
            headers = "headers.event.bot" if contract.from_bots else "headers.event.derived"
            yield key, _message(key, contract.body, headers, _event_example(contract))
            continue
        yield key, _message(key, contract.body, "headers.request", _request_example(contract))
        answer = _reply_key(contract)
        yield answer, _message(answer, contract.reply, None, _reply_example(answer, contract.reply))
        if contract.part is not None:
            key = _part_key(contract)
            example: JsonDict = {"headers": {PART: "1"}, **_reply_example(key, contract.part)}
            yield key, _message(key, contract.part, "headers.part", example)


def _message(key: str, model: type[Message], headers: str | None, example: JsonDict) -> JsonDict:
    described = item_model(model)
    summary, whole = _description(described)
    message: JsonDict = {"name": key, "title": described.__name__, "summary": summary}
    if whole != summary:
        message["description"] = whole
    if headers is not None:
        message["headers"] = _ref("components", "schemas", headers)
    return message | {"payload": {"$ref": f"./{key}.json"}, "examples": [example]}


def _request_key(contract: Contract) -> str:
    """Return the key of an event or request."""
    return contract.name if contract.reply is None else f"{contract.name}.request"


def _reply_key(contract: Contract) -> str:
    """Return the key of a reply and of its channel."""
    return f"{contract.name}.reply"


def _part_key(contract: Contract) -> str:
    """Return the key of a part of a reply."""
    return f"{contract.name}.part"


def _reply_keys(contract: Contract) -> Sequence[str]:
    """Return the keys of all messages that come to an inbox."""
    parts = [] if contract.part is None else [_part_key(contract)]
    return [_reply_key(contract), *parts, _ERROR]


def _ref(*path: str) -> JsonDict:
    """Return a reference into the document; no key contains a slash or a tilde."""
    return {"$ref": "/".join(("#", *path))}


def _tags(*names: str) -> list[JsonValue]:
    return [_ref("components", "tags", name) for name in dict.fromkeys(names)]


def _description(model: type[BaseModel]) -> tuple[str, str]:
    """Return the first sentence of a model's docstring, and the whole."""
    whole = getdoc(model) or ""
    return whole.partition("\n")[0], whole


def _event_example(contract: Contract) -> JsonDict:
    """Return headers and payload of an event."""
    written = json.dumps(_examples()[contract.name.removesuffix(BULK)]).encode()  # both lanes are the same
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
        items=len(event.items) if isinstance(event, EventItems) else None,
    )
    return {"headers": {**headers}, "payload": payload}


def _request_example(contract: Contract) -> JsonDict:
    """Return headers and payload of a query or a command."""
    payload = _examples()[f"{contract.name}.request"]
    decode(contract.name, json.dumps(payload).encode())
    return {"headers": {TRACE_PARENT: _TRACE_PARENT}, "payload": payload}


def _reply_example(key: str, model: type[Message]) -> JsonDict:
    """Return the payload of a reply, or of a part, as the model writes it."""
    written = json.dumps(_examples()[key]).encode()
    return {"payload": decode_as(model, written).model_dump(mode="json")}


def _error_examples() -> list[JsonDict]:
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


def _dead_letter_example(consumer: str) -> JsonDict:
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
    examples: dict[str, JsonDict] = json.loads((_FOLDER / "examples.json").read_text("utf-8"))
    return examples
