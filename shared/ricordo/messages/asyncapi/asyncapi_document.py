"""The AsyncAPI document: its channels, operations and parameters."""

from typing import Final

from pydantic import JsonValue
from pydantic.config import JsonDict

from ricordo.messages.asyncapi.components import (
    DEAD_LETTER,
    ERROR,
    description_of,
    header_schemas,
    messages,
    operation_of,
    ref,
    reply_of,
    request_of,
)
from ricordo.messages.message_types import TENANT_PATTERN
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
        "tags": _tag_refs(contract, responder.worker),
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
        "tags": _tag_refs(contract, *involved),
        "x-writers": producers,
        "x-consumers": consumers,
    }


def _listed(names: tuple[str, ...]) -> str:
    """Return names of consumers and workers as text, each consumer with its worker."""
    return ", ".join(
        f"`{name}`" if worker_of(name) == name else f"`{name}` (of {worker_of(name)})" for name in names
    )


def _tag_refs(contract: Contract, *workers: str) -> list[JsonValue]:
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


# 3.1 adds a binding for ROS 2 and nothing else; many tools know only 3.0.
_ASYNCAPI: Final = "3.0.0"
_ABOUT: Final = """\
A memory for bots and assistants. Bots publish what was said; workers make memories of it; bots ask by
request-reply and get ranked memories, facts, recent turns and text for a prompt.

The application described here is Ricordo: what it receives, a bot sends, and the other way round. Its own
workers read events from each other, too: `x-writers` and `x-consumers` of an operation tell the way of an
event, and `x-stream` of a channel names the JetStream stream that keeps it.

Bodies are UTF-8 JSON; readers ignore fields that they do not know. An event may come more than once, always
under the same `id`. A command or query that a version does not have yet is answered with `unavailable`."""
_KINDS: Final = {
    ContractKind.EVENT: "Something happened: published, and kept in a stream.",
    ContractKind.QUERY: "A question, answered by request-reply.",
    ContractKind.COMMAND: "An order, answered by request-reply; `request_id` makes it safe to repeat.",
}


def document_text() -> str:
    """Return the document as YAML."""
    import yaml  # noqa: PLC0415 - a dependency of development only

    class Dumper(yaml.SafeDumper):
        """Writes text of several lines as a block, and equal values in full instead of aliases."""

        def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - the signature is PyYAML's
            return True

    def text(dumper: Dumper, value: str) -> yaml.ScalarNode:
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)

    Dumper.add_representer(str, text)
    written = yaml.dump(document(), Dumper=Dumper, sort_keys=False, allow_unicode=True, width=110)
    return f"# Generated from the code by `make schemas`.\n{written}"


def document() -> JsonDict:
    """Return the AsyncAPI document; its payloads are references to the JSON Schemas beside it."""
    tags = _tags()
    every_tag: list[JsonValue] = [ref("components", "tags", name) for name in tags]
    return {
        "asyncapi": _ASYNCAPI,
        "id": "urn:ricordo:v1",
        "info": {
            "title": "Ricordo",
            "version": PREFIX.rpartition(".v")[2],
            "description": _ABOUT,
            "license": {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
            "tags": every_tag,
        },
        "defaultContentType": "application/json",
        "servers": {"nats": _server()},
        "channels": channels(),
        "operations": operations(),
        "components": {
            "messages": messages(),
            "schemas": header_schemas(),
            "parameters": parameters(),
            "securitySchemes": {"user": _security()},
            "tags": tags,
        },
    }


def _server() -> JsonDict:
    return {
        "host": "{host}:{port}",
        "protocol": "nats",
        "description": "NATS with JetStream. A local stack has a port of its own choosing, which\n"
        "`ricordo up` prints and leaves in `stack.json`.",
        "variables": {
            "host": {
                "description": "The loopback address unless a proxy stands before it.",
                "default": "127.0.0.1",
            },
            "port": {"default": "4222"},
        },
        "security": [ref("components", "securitySchemes", "user")],
    }


def _security() -> JsonDict:
    return {
        "type": "userPassword",
        "description": "The local stack has one user for all clients, who may use what is any tenant's.\n"
        "`ricordo auth` makes users that are kept to a tenant: each may do what `x-permissions` says.",
        "x-permissions": _permissions(),
    }


def _permissions() -> JsonDict:
    """Return the permissions of a bot."""
    bot = bot_permissions("{tenant}")
    publish: list[JsonValue] = [*bot.publish]
    subscribe: list[JsonValue] = [*bot.subscribe]
    return {"publish": publish, "subscribe": subscribe}


def _tags() -> dict[str, JsonValue]:
    known = {kind.value: said for kind, said in _KINDS.items()} | dict(WORKERS)
    return {name: {"name": name, "description": said} for name, said in known.items()}
