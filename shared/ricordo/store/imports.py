"""Restores what an export has besides messages, after the messages were published again."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from ricordo.language.facts.evidence import Evidence
from ricordo.memory.facts.user_assertions import Rejection
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.memory.model import Memory, Progress, is_held_by_user
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store import derived_memories, fact_assertions, rows
from ricordo.store.database import Connection, Database, Store
from ricordo.store.evidence_change import EvidenceChange
from ricordo.store.evidence_store import EvidenceStore

_SQL: Final = Database.queries("imports")
_EVIDENCE: Final = Database.queries("evidence")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedUse:
    """Use, pin and archive state of an exported memory.

    Attributes:
        event_id: of this state, which counts once.
        stored_at: in the exporting store, from which it decays.
    """

    id: UUID
    event_id: UUID
    access_count: int
    last_accessed: datetime | None
    reinforcement: float
    importance: float
    importance_beyond: float
    pinned: bool
    verified: bool
    stored_at: datetime
    archived_at: datetime | None
    archive_reason: str | None
    compressed: bool
    synthesis_id: UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRejection:
    """A rejection of an export: the `ordinal`-th of a request about a fact."""

    request_id: str
    ordinal: int
    fact_id: UUID
    rejection: Rejection
    at: datetime


class ImportStore(Store):
    """Imports parts of an export. Each method is idempotent, and raises `StoreUnavailable`."""

    def __init__(self, database: Database, executor: CpuExecutor | None = None) -> None:
        super().__init__(database)
        self._evidence = EvidenceStore(database, executor)

    async def corrected(self, tenant: str, user_id: str, memory_ids: Sequence[UUID]) -> set[UUID]:
        """Return memories whose text the user has corrected here."""
        found = await self._fetch(_SQL["corrected"], tenant, user_id, memory_ids)
        return {row["id"] for row in found}

    async def words(self, tenant: str, user_id: str, words: Mapping[str, Sequence[Evidence]]) -> int:
        """Import assertions about facts by request, and fold them, as `FactLedger.record`.

        Known requests, and those that a tombstone covers, are left out. Returns the number of new requests.
        """
        async with self._evidence.lock(tenant, [user_id]) as folding:
            connection = folding.connection
            await derived_memories.lock_users(connection, tenant, [user_id])
            change = EvidenceChange()
            for request, evidence in sorted(words.items()):
                if not evidence or not await _is_new(connection, tenant, user_id, request, evidence):
                    continue
                await folding.keep(change, user_id, {request: evidence})
            await folding.fold(change)
        return len(change.messages)

    async def assertions(self, tenant: str, user_id: str, asserted: Sequence[ExtractedEvidence]) -> int:
        """Import what bots asserted of the messages that are here, or of themselves; return how much.

        What a tombstone covers is left out.
        """
        async with self._evidence.lock(tenant, [user_id]) as folding:
            change, number = EvidenceChange(), 0
            for one in asserted:
                last = max(row.at for row in one.evidence)
                if await folding.connection.fetchval(_SQL["forgotten"], tenant, user_id, last):
                    continue
                memory_id = None if " " in one.message_id else one.memory_id  # a key of the bot has a space
                if await folding.keep_asserted(change, one, memory_id):
                    number += len(one.evidence)
            await folding.fold(change)
        return number

    async def rejections(self, tenant: str, user_id: str, rejected: Sequence[ImportedRejection]) -> int:
        """Import rejections, delete the rejected evidence and fold; return the number of rejections.

        Those that a tombstone covers are left out.
        """
        async with self._evidence.lock(tenant, [user_id]) as folding:
            connection = folding.connection
            await derived_memories.lock_users(connection, tenant, [user_id])
            valid = [one for one in rejected if not await _is_forgotten(connection, tenant, user_id, one)]
            await fact_assertions.keep_rejections(connection, tenant, user_id, map(_rejection_row, valid))
            rejections = [one.rejection for one in valid]
            change = EvidenceChange()
            change.remove(
                await fact_assertions.delete_rejected_evidence(connection, tenant, user_id, rejections)
            )
            await folding.fold(change)
        return len(valid)

    async def insights(self, tenant: str, user_id: str, about: Sequence[UUID]) -> Mapping[UUID, UUID]:
        """Return the memories of the user's insights by their hashes."""
        found = await self._fetch(_SQL["insights"], tenant, user_id, about)
        return {row["insight_hash"]: row["memory_id"] for row in found}

    async def derived(
        self, tenant: str, memories: Sequence[Memory], about: Mapping[UUID, UUID], at: datetime
    ) -> Sequence[Progress]:
        """Write derived memories of one user, and return the stages of those that exist now.

        Existing ones stay, unless the imported one was corrected or verified by the user. One without all of
        its sources, or that a tombstone covers, is left out. `about` has the hashes of insights by memory.
        """
        if not memories:
            return []
        user_id = memories[0].user_id
        async with self._database.transaction(tenant) as connection:
            await derived_memories.lock_users(connection, tenant, [user_id])
            await _withdraw_computed(connection, tenant, [one for one in memories if is_held_by_user(one)])
            written = await derived_memories.write(connection, tenant, memories, at, finished=True)
            insights = [one.memory_id for one in written if one.memory_id in about]
            await connection.execute(
                _SQL["keep_insights"], tenant, user_id, [about[one] for one in insights], insights
            )
        return [one for one in written if one.user_id == user_id]

    async def use(self, tenant: str, user_id: str, kept: Sequence[ImportedUse]) -> Mapping[UUID, str | None]:
        """Import use, pins and archive states; return why each changed memory is archived, if it is.

        The larger of two counts stays, as do pins and verifications; a memory that was used more here keeps
        its importance and archive state.
        """
        offered, ids = rows.recordset(map(asdict, kept)), [one.id for one in kept]
        found = await self._fetch(_SQL["use"], tenant, user_id, offered, ids)
        return {row["id"]: row["archive_reason"] for row in found}


def _rejection_row(one: ImportedRejection) -> dict[str, object]:
    values = {"request_id": one.request_id, "ordinal": one.ordinal, "fact_id": one.fact_id}
    return asdict(one.rejection) | values | {"rejected_at": one.at}


async def _is_forgotten(
    connection: Connection, tenant: str, user_id: str, rejected: ImportedRejection
) -> bool:
    of_message = user_id, rejected.rejection.message_id
    if await connection.fetchval(_SQL["forgotten_message"], tenant, *of_message):
        return True
    return bool(await connection.fetchval(_SQL["forgotten"], tenant, user_id, rejected.at))


async def _withdraw_computed(connection: Connection, tenant: str, memories: Sequence[Memory]) -> None:
    """Withdraw computed memories with the ids of imported ones that the user has corrected or verified."""
    if not memories:
        return
    ids, contents = [one.id for one in memories], [one.content for one in memories]
    found = await connection.fetch(_SQL["with_other_text"], tenant, memories[0].user_id, ids, contents)
    for row in found:
        await derived_memories.withdraw_derived(connection, tenant, rows.memory(row))
    await derived_memories.withdraw(connection, tenant, [row["id"] for row in found])


async def _is_new(
    connection: Connection, tenant: str, user_id: str, request: str, evidence: Sequence[Evidence]
) -> bool:
    last = max(one.at for one in evidence)
    if await connection.fetchval(_SQL["forgotten"], tenant, user_id, last):
        return False
    return not await connection.fetch(_EVIDENCE["kept_word"], tenant, request, user_id)
