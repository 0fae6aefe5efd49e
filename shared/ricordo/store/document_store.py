"""Documents that messages bring, and the extracts that are made of them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from ricordo.documents.port import UNREADABLE, DocumentRecord, DocumentToRead
from ricordo.memory.model import Memory
from ricordo.memory.progress import Progress
from ricordo.store import derived_memories, rows
from ricordo.store.database import Database, Store

_SQL: Final = Database.queries("document_store")
_FORGOTTEN: Final = f"{UNREADABLE}: the message that brought it is not remembered any more"


class DocumentStore(Store):
    """Reads and writes the state of documents. `IntakeStore.record` writes a row with its message."""

    async def claim(
        self, tenant: str, at: datetime, until: datetime, *, behind: str = ""
    ) -> DocumentToRead | None:
        """Return the document whose turn it is, which is then nobody else's for a while.

        Users take turns, in an order of the store's own; of each the document that has waited longest.

        Args:
            tenant: whose.
            at: now.
            until: from when on somebody else may have it, unless `hold` moves that on.
            behind: the user who had the last turn; empty to begin with the first.
        """
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetchrow(_SQL["claim"], tenant, at, until, behind)
            if found is None and behind:  # that was the last user: it begins anew
                found = await connection.fetchrow(_SQL["claim"], tenant, at, until, "")
            if found is None:
                return None
            message = await connection.fetchrow(_SQL["message"], tenant, found["memory_id"])
        return DocumentToRead(**dict(found), message=None if message is None else rows.memory(message))

    async def hold(self, tenant: str, memory_id: UUID, until: datetime) -> None:
        """Keep a claimed document until then."""
        await self._execute(_SQL["hold"], tenant, memory_id, until)

    async def give_back(self, tenant: str, memory_id: UUID, free: datetime) -> None:
        """Leave a claimed document, unread, to whoever comes from `free` on; this attempt does not count."""
        await self._execute(_SQL["give_back"], tenant, memory_id, free)

    async def forgive(self, tenant: str, memory_id: UUID) -> None:
        """Count an attempt no more that came back too late to give the document back."""
        await self._execute(_SQL["forgive"], tenant, memory_id)

    async def done(
        self, tenant: str, memory_id: UUID, extracts: Sequence[Memory], *, complete: bool, at: datetime
    ) -> Sequence[Progress]:
        """Write the extracts of a document and note that it is read, in one transaction.

        Where its message is remembered no more, nothing is written, and it has failed.

        Args:
            tenant: whose.
            memory_id: of the message that brought it.
            extracts: in its order, the message their only source.
            complete: whether they are all of it.
            at: when.

        Returns:
            The stages of the extracts.
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
        """Note that nobody can read a document, and why."""
        await self._execute(_SQL["settle_failed"], tenant, memory_id, reason, at)

    async def is_kept(self, tenant: str, user_id: str, key: str) -> bool:
        """Whether a document of the user is known whose bytes are under `key`."""
        found: bool = await self._fetchval(_SQL["is_kept"], tenant, user_id, key)
        return found

    async def about(self, tenant: str, memory_id: UUID) -> DocumentRecord | None:
        """Return what is known of the document that a message brought; None where it brought none."""
        found = await self._fetchrow(_SQL["about"], tenant, memory_id)
        if found is None:
            return None
        return DocumentRecord(**{**dict(found), "extract_ids": tuple(found["extract_ids"])})
