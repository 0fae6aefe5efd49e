"""Documents: where they are kept, and how far each one is. How they are read: `ricordo.ports.reading`.

The bytes of a document live in an object store; PostgreSQL knows which there are and what has become of them.
Both are written by ingest before the message is acknowledged: the object first, under a key that follows from
what it holds, so that a redelivery puts the same object again and no row ever names one that was not kept.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from ricordo.messages.subjects import checked_tenant
from ricordo.ports.unavailable import Unavailable


class ObjectsUnavailable(Unavailable):
    """The object store cannot be asked now: a transient failure."""

    server = "the object store"


class ObjectMissing(Exception):
    """Nothing is kept under that key."""


def object_key(tenant: str, user_id: str, data: bytes) -> str:
    """Return under which key a document is kept: the same for the same bytes of the same user.

    Nothing that somebody may choose freely is in it but as a hash.

    Raises:
        ValueError: no tenant goes by that name.
    """
    return f"{user_prefix(tenant, user_id)}/{hashlib.sha256(data).hexdigest()}"


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
    """A document, with what its extracts take from the message that brought it.

    Attributes:
        memory_id: of the message's memory, which is the source of the extracts.
    """

    memory_id: UUID
    message_id: str
    user_id: str
    name: str
    media_type: str
    key: str
    conversation_id: str
    role: str
    speaker: str
    participants: tuple[str, ...]
    said_at: datetime
    timezone: str
    tags: tuple[str, ...]
    location: str
    expires_at: datetime | None
    trust: float
    source: str
    importance: float | None
    attempts: int


class Documents(Protocol):
    """Which documents there are, and how far each is."""

    async def claim(self, tenant: str, at: datetime, until: datetime) -> DocumentToRead | None:
        """Return the document that has waited longest for a reader, which is then nobody else's for a while.

        Args:
            tenant: whose.
            at: now.
            until: from when on somebody else may have it, unless that is moved on by `hold`.
        """
        ...

    async def hold(self, tenant: str, memory_id: UUID, until: datetime) -> None:
        """Keep a claimed document until then, or give it back with an instant that has passed."""
        ...

    async def done(
        self, tenant: str, memory_id: UUID, extracts: Sequence[UUID], *, whole: bool, at: datetime
    ) -> None:
        """Note that a document is cut into `extracts`, in their order, and whether these are all of it."""
        ...

    async def failed(self, tenant: str, memory_id: UUID, reason: str, at: datetime) -> None:
        """Note that nobody can read a document, and why."""
        ...

    async def is_kept(self, tenant: str, key: str) -> bool:
        """Whether a document is known whose bytes are under `key`."""
        ...
