"""Documents of messages: keys of their objects, and their state in PostgreSQL.

Ingest writes both before it acknowledges the message: the object first, under a key derived from its content,
so that a redelivery writes the same object and no row refers to a missing one.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from ricordo.memory.model import Memory
from ricordo.messages.codec import decode_as
from ricordo.messages.errors import DecodeError
from ricordo.messages.events import MessageReceived
from ricordo.messages.ids import memory_id
from ricordo.messages.subjects import checked_tenant
from ricordo.unavailable import DependencyUnavailable

UNREADABLE: Final = "document_unreadable"
LOST: Final = "document_lost"
"""Prefixes of the reason of a failed document."""


class ObjectsUnavailable(DependencyUnavailable):
    """The object store does not answer: a transient failure."""

    server = "the object store"


class ObjectMissing(Exception):
    """There is no object with that key."""


def object_key(tenant: str, user_id: str, message_id: str, data: bytes) -> str:
    """Return the key of a document, the same for the same bytes of the same message.

    No two messages share an object, so that discarding one affects no other. Values that users choose are in
    it only as hashes.

    Raises:
        ValueError: the tenant is invalid.
    """
    digest = hashlib.sha256(memory_id(tenant, message_id).bytes)
    digest.update(data)
    user = hashlib.sha256(user_id.encode()).hexdigest()
    return f"{checked_tenant(tenant)}/{user}/{digest.hexdigest()}"


def document_key(tenant: str, body: bytes) -> str | None:
    """Return the key of the document in a message body; None without one."""
    try:
        message = decode_as(MessageReceived, body)
    except DecodeError:
        return None  # its document was not stored either
    if message.document is None:
        return None
    return object_key(tenant, message.user_id, message.id, message.document.data)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """A document in a message.

    Attributes:
        name, media_type: as the bot says.
    """

    name: str
    media_type: str
    key: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentToRead:
    """A document that waits to be read.

    Attributes:
        attempts: number of claims that did not finish, this one included.
        message: the memory of its message, from which extracts take speaker, time and place; None if that is
            in the history only.
    """

    memory_id: UUID
    user_id: str
    name: str
    media_type: str
    key: str
    attempts: int
    message: Memory | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRecord:
    """The state of a document.

    Attributes:
        state: `waiting`, `read` into extracts, or `failed`.
        whole: whether these cover the whole document.
        settled_at: when it was read, or failed.
        pending: number of extracts that lack a stage.
    """

    memory_id: UUID
    user_id: str
    name: str
    media_type: str
    state: Literal["waiting", "read", "failed"]
    reason: str = ""
    extract_ids: tuple[UUID, ...] = ()
    complete: bool = True
    settled_at: datetime | None = None
    pending: int = 0
