"""Documents: where they are kept, and how far each one is. How they are read: `ricordo.documents.reader`.

The bytes of a document live in an object store; PostgreSQL knows which there are and what has become of them.
Both are written by ingest before the message is acknowledged: the object first, under a key that follows from
what it holds, so that a redelivery puts the same object again and no row ever names one that was not kept.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, Protocol
from uuid import UUID

from ricordo.memory.model import Memory
from ricordo.messages.codec import decode_as
from ricordo.messages.errors import DecodeError
from ricordo.messages.events import MessageReceived
from ricordo.messages.ids import memory_id
from ricordo.messages.subjects import checked_tenant
from ricordo.unavailable import Unavailable

UNREADABLE: Final = "document_unreadable"
LOST: Final = "document_lost"
"""What the reason of a document that failed begins with."""


class ObjectsUnavailable(Unavailable):
    """The object store cannot be asked now: a transient failure."""

    server = "the object store"


class ObjectMissing(Exception):
    """Nothing is kept under that key."""


def object_key(tenant: str, user_id: str, message_id: str, data: bytes) -> str:
    """Return under which key a document is kept: the same for the same bytes of the same message.

    So no two messages share an object, and who discards that of one that was refused takes nobody else's.
    Nothing that somebody may choose freely is in it but as a hash.

    Raises:
        ValueError: no tenant goes by that name.
    """
    brought = hashlib.sha256(memory_id(tenant, message_id).bytes)
    brought.update(data)
    return f"{user_prefix(tenant, user_id)}/{brought.hexdigest()}"


def brought_by(tenant: str, body: bytes) -> str | None:
    """Return under which key the document of a message is kept, by the message as it came; None of none."""
    try:
        message = decode_as(MessageReceived, body)
    except DecodeError:
        return None  # neither was its document kept
    if message.document is None:
        return None
    return object_key(tenant, message.user_id, message.id, message.document.data)


def user_prefix(tenant: str, user_id: str) -> str:
    """Return what the keys of a user's documents begin with.

    Raises:
        ValueError: no tenant goes by that name.
    """
    return f"{checked_tenant(tenant)}/{hashlib.sha256(user_id.encode()).hexdigest()}"


class ObjectStore(Protocol):
    """Keeps bytes under keys made by `object_key`."""

    async def put(self, key: str, data: bytes) -> None:
        """Keep `data`, in place of what was there; it survives a loss of power from then on.

        Raises:
            ObjectsUnavailable: it was not kept.
        """
        ...

    async def get(self, key: str) -> bytes:
        """Return what is kept.

        Raises:
            ObjectMissing: nothing is.
            ObjectsUnavailable: the store cannot be asked now.
        """
        ...

    async def delete(self, key: str) -> None:
        """Delete what is kept, if anything is.

        Raises:
            ObjectsUnavailable: it may still be there.
        """
        ...

    async def delete_all(self, tenant: str, user_id: str) -> int:
        """Delete all that is kept for a user, and return how many objects that were.

        Raises:
            ObjectsUnavailable: some may still be there.
        """
        ...

    async def check(self) -> None:
        """Return when the store answers.

        Raises:
            ObjectsUnavailable: it does not.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """A document that a message brings along.

    Attributes:
        name, media_type: as the bot says.
        key: where its bytes are kept.
        size: of the bytes.
    """

    name: str
    media_type: str
    key: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentToRead:
    """A document that waits for a reader.

    Attributes:
        memory_id: of the message that brought it.
        attempts: how often somebody claimed it and never came back, this claim included.
        message: the memory of that message, from which the extracts take who, when and where; None where that
            is in the history only.
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
    """What is known of a document.

    Attributes:
        memory_id: of the message that brought it.
        state: `waiting` for a reader, `read` into extracts, or `failed`.
        reason: why it failed.
        extract_ids: its extracts, in its order.
        complete: whether these are all of it.
        settled_at: when it was read, or failed.
        pending: extracts that are not remembered yet, as they lack a stage.
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
