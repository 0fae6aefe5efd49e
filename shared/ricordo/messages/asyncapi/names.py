"""Where things stand in the document: keys, and references to them."""

from inspect import getdoc
from typing import Final

from pydantic.config import JsonDict

from ricordo.messages.base import Message
from ricordo.messages.routing import Contract

DEAD_LETTER: Final = "dead-letter"
ERROR: Final = "error"


def request_of(contract: Contract) -> str:
    """Return the key of the message that a contract is about: the event, or the request."""
    return contract.name if contract.reply is None else f"{contract.name}.request"


def reply_of(contract: Contract) -> str:
    """Return the key of the reply, and of the channel that it comes by."""
    return f"{contract.name}.reply"


def operation_of(contract: Contract) -> str:
    """Return what the operation is called, in a form that generators make a function's name of."""
    verb = "answer" if contract.reply is not None else "receive" if contract.from_bots else "send"
    return verb + "".join(part.capitalize() for part in contract.name.split("."))


def ref(*path: str) -> JsonDict:
    """Return a reference into the document; no key holds a slash or a tilde."""
    return {"$ref": "/".join(("#", *path))}


def said_of(model: type[Message]) -> tuple[str, str]:
    """Return the first sentence of a model's docstring, and the whole of it."""
    whole = getdoc(model) or ""
    return whole.partition("\n")[0], whole
