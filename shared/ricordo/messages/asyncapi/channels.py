"""The channels and operations of the AsyncAPI document."""

from typing import Final

from pydantic import JsonValue
from pydantic.config import JsonDict

from ricordo.messages.asyncapi.components import (
    DEAD_LETTER,
    ERROR,
    description_of,
    operation_of,
    ref,
    reply_of,
    request_of,
)
from ricordo.messages.base import TENANT_PATTERN
from ricordo.messages.routing import CONSUMERS, CONTRACTS, Contract, Responder, worker_of
from ricordo.messages.subjects import DEAD_LETTER_PREFIX, PREFIX, STREAM_DEAD_LETTERS

_INBOX: Final = (
    "The inbox of whoever asked. NATS carries its subject beside the request, neither among the headers\n"
    "nor in the body: the `request` of a NATS client sees to it."
)
_BINDING_VERSION: Final = "0.1.0"


def channels() -> JsonDict:
    """Return the channels of all subjects and replies, and of dead letters."""
    found: JsonDict = {}
    for contract in CONTRACTS.values():
        found[contract.name] = _channel(contract)
        if contract.reply is not None:
            found[reply_of(contract)] = _reply_channel(contract)
    return found | {DEAD_LETTER: _dead_letters()}


def operations() -> JsonDict:
    """Return one operation per subject, and the sending of dead letters."""
    found: JsonDict = {operation_of(contract): _operation(contract) for contract in CONTRACTS.values()}
    return found | {"sendDeadLetter": _dead_letter_operation()}


def parameters() -> JsonDict:
    """Return the variable parts of addresses."""
    consumers: list[JsonValue] = [item.name for item in CONSUMERS]
    return {
        "tenant": {
            "description": "Whose memories: 1 to 63 of a-z, 0-9 and -, not - first. No body carries it.\n"
            f"Pattern: `{TENANT_PATTERN}`",
            "default": "default",
            "examples": ["default", "acme"],
            "x-pattern": TENANT_PATTERN,
        },
        "consumer": {"description": "The durable consumer that gave up.", "enum": consumers},
        "subject": {
            "description": "The original subject, dots and all.",
            "examples": [f"{PREFIX}.default.message.received"],
        },
    }


def _channel(contract: Contract) -> JsonDict:
    key = request_of(contract)
    channel: JsonDict = {
        "address": f"{PREFIX}.{{tenant}}.{contract.name}",
        "summary": description_of(contract.body)[0],
        "parameters": {"tenant": ref("components", "parameters", "tenant")},
        "messages": {key: ref("components", "messages", key)},
    }
    return channel if contract.stream is None else channel | {"x-stream": contract.stream}


def _reply_channel(contract: Contract) -> JsonDict:
    answer = reply_of(contract)
    return {
        "address": None,
        "summary": f"The reply to `{contract.name}`.",
        "description": _INBOX,
        "messages": {key: ref("components", "messages", key) for key in (answer, ERROR)},
    }


def _operation(contract: Contract) -> JsonDict:
    operation: JsonDict = {
        "action": "receive" if contract.from_bots else "send",
        "channel": ref("channels", contract.name),
        "messages": [ref("channels", contract.name, "messages", request_of(contract))],
        "summary": description_of(contract.body)[0],
    }
    return operation | (
        _event_route(contract) if contract.responder is None else _answering(contract, contract.responder)
    )


def _answering(contract: Contract, responder: Responder) -> JsonDict:
    answer = reply_of(contract)
    replies: list[JsonValue] = [ref("channels", answer, "messages", key) for key in (answer, ERROR)]
    return {
        "description": f"Answered by the worker {responder.worker}, with the reply or with an error.",
        "tags": _tags(contract, responder.worker),
        "bindings": {"nats": {"queue": responder.queue, "bindingVersion": _BINDING_VERSION}},
        "reply": {"channel": ref("channels", answer), "messages": replies},
    }


def _event_route(contract: Contract) -> JsonDict:
    writers, readers = contract.writers, contract.consumers
    involved = map(worker_of, writers or readers)
    consumers: list[JsonValue] = list(readers)
    producers: list[JsonValue] = list(writers)
    written = f"Written by {_listed(writers)}." if writers else "Written by bots."
    read = f"Read by {_listed(readers)}." if readers else ""
    return {
        "description": f"{written} {read or 'No worker reads it: it is for whoever listens.'}",
        "tags": _tags(contract, *involved),
        "x-writers": producers,
        "x-consumers": consumers,
    }


def _listed(names: tuple[str, ...]) -> str:
    """Return names of consumers and workers as text, each consumer with its worker."""
    return ", ".join(
        f"`{name}`" if worker_of(name) == name else f"`{name}` (of {worker_of(name)})" for name in names
    )


def _tags(contract: Contract, *workers: str) -> list[JsonValue]:
    return [ref("components", "tags", name) for name in dict.fromkeys((contract.kind.value, *workers))]


def _dead_letters() -> JsonDict:
    return {
        "address": f"{DEAD_LETTER_PREFIX}.{{consumer}}.{{subject}}",
        "summary": "What was given up: the original bytes, and the reason in headers.",
        "parameters": {name: ref("components", "parameters", name) for name in ("consumer", "subject")},
        "messages": {DEAD_LETTER: ref("components", "messages", DEAD_LETTER)},
        "x-stream": STREAM_DEAD_LETTERS,
    }


def _dead_letter_operation() -> JsonDict:
    workers = dict.fromkeys(item.worker for item in CONSUMERS)
    return {
        "action": "send",
        "channel": ref("channels", DEAD_LETTER),
        "summary": "Give up an event that cannot be handled.",
        "description": "By whichever consumer it came to: its body cannot be read, it is refused, or each\n"
        "delivery failed. Lifecycle gives up what dead workers left behind.",
        "tags": [ref("components", "tags", name) for name in ("event", *workers)],
        "messages": [ref("channels", DEAD_LETTER, "messages", DEAD_LETTER)],
    }
