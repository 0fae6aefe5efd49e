"""The AsyncAPI document."""

from typing import Final

from pydantic import JsonValue
from pydantic.config import JsonDict

from ricordo.messages.access import bot_permissions
from ricordo.messages.asyncapi.channels import channels, operations, parameters
from ricordo.messages.asyncapi.components import header_schemas, messages, ref
from ricordo.messages.routing import WORKERS, ContractKind
from ricordo.messages.subjects import PREFIX

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
