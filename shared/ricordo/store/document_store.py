"""Documents attached to messages, and their extracts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from ricordo.documents.records import UNREADABLE, DocumentRecord, DocumentToRead
from ricordo.memory.model import Memory, Progress
from ricordo.store import derived_memories, rows
from ricordo.store.database import Database, Store

_SQL: Final = Database.queries("document_store")
_FORGOTTEN: Final = f"{UNREADABLE}: the message that brought it is not remembered any more"


class DocumentStore(Store):
    """Reads and writes the state of documents. `IntakeStore.record` writes a row with its message."""

    async def claim(
        self, tenant: str, at: datetime, until: datetime, *, behind: str = ""
    ) -> DocumentToRead | None:
        """Lease the oldest waiting document of the next user.

        Args:
            until: when the lease ends, unless `renew` extends it.
            behind: the user who was served last; empty to begin with the first.
        """
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetchrow(_SQL["claim"], tenant, at, until, behind)
            if found is None and behind:  # that was the last user
                found = await connection.fetchrow(_SQL["claim"], tenant, at, until, "")
            if found is None:
                return None
            message = await connection.fetchrow(_SQL["message"], tenant, found["memory_id"])
        return DocumentToRead(**dict(found), message=None if message is None else rows.memory(message))

    async def renew(self, tenant: str, memory_id: UUID, until: datetime) -> None:
        """Extend the lease of a document."""
        await self._execute(_SQL["renew"], tenant, memory_id, until)

    async def give_back(self, tenant: str, memory_id: UUID, free: datetime) -> None:
        """Release an unread document to others from `free` on; this attempt does not count."""
        await self._execute(_SQL["give_back"], tenant, memory_id, free)

    async def uncount_attempt(self, tenant: str, memory_id: UUID) -> None:
        """Uncount an attempt that returned after its lease."""
        await self._execute(_SQL["uncount_attempt"], tenant, memory_id)

    async def done(
        self, tenant: str, memory_id: UUID, extracts: Sequence[Memory], *, complete: bool, at: datetime
    ) -> Sequence[Progress]:
        """Write the extracts of a document and set its state, in one transaction; return their stages.

        If its message was forgotten, nothing is written, and the document has failed.

        Args:
            extracts: in order, with the message as their only source.
            complete: whether they cover the whole document.
        """
        ids = [one.id for one in extracts]
        async with self._database.transaction(tenant) as connection:
            await derived_memories.lock_users(connection, tenant, {one.user_id for one in extracts})
            written = await derived_memories.write(connection, tenant, extracts, at, finished=False)
            if len(written) == len(ids):
                await connection.execute(_SQL["settle"], tenant, memory_id, ids, complete, at)
            else:
                await connection.execute(_SQL["settle_failed"], tenant, memory_id, _FORGOTTEN, at)
        return written

    async def failed(self, tenant: str, memory_id: UUID, reason: str, at: datetime) -> None:
        """Record that a document cannot be read, and why."""
        await self._execute(_SQL["settle_failed"], tenant, memory_id, reason, at)

    async def is_kept(self, tenant: str, user_id: str, key: str) -> bool:
        """Whether there is a document of the user with the bytes of `key`."""
        return bool(await self._fetchval(_SQL["is_kept"], tenant, user_id, key))

    async def about(self, tenant: str, memory_id: UUID) -> DocumentRecord | None:
        """Return the document of a message; None if it has none."""
        found = await self._fetchrow(_SQL["about"], tenant, memory_id)
        return None if found is None else rows.build(DocumentRecord, found)
