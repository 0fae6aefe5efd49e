"""Restores what messages do not tell, after a user's messages were taken in again."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from ricordo.memory.facts import Evidence, Rejection
from ricordo.memory.facts.projection import Project
from ricordo.memory.model import Memory, is_held_by_user
from ricordo.memory.progress import Progress
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store import derived_memories, fact_assertions, rows
from ricordo.store.database import Connection, Database, Store
from ricordo.store.evidence_store import EvidenceStore, NewEvidence
from ricordo.store.fact_rows import evidence_row

_SQL: Final = Database.queries("imports")
_EVIDENCE: Final = Database.queries("evidence")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedUse:
    """Use, decay, pin and archive state of an exported memory.

    Attributes:
        id: of the memory here.
        event_id: of this very state: once it has counted, it counts no more.
        importance_beyond: what use would have added to the importance above its ceiling.
        stored_at: when it came in there: it goes on to fade from then.
        synthesis_id: the memory here that it was condensed into.
    """

    id: UUID
    event_id: UUID
    access_count: int
    last_accessed: datetime | None
    reinforcement: float
    importance: float
    importance_beyond: float
    decay_factor: float
    pinned: bool
    verified: bool
    stored_at: datetime
    archived_at: datetime | None
    archive_reason: str | None
    compressed: bool
    synthesis_id: UUID | None


@dataclass(frozen=True, slots=True)
class ImportedMemory:
    """A memory that an import has changed.

    Attributes:
        archive_reason: why the archive has it; None where it has not.
    """

    memory_id: UUID
    archive_reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRejection:
    """A rejected reading of an export.

    Attributes:
        request_id: under which they did.
        ordinal: its place among all of that request.
        fact_id: of the fact there.
        at: when, aware.
    """

    request_id: str
    ordinal: int
    fact_id: UUID
    rejection: Rejection
    at: datetime


class ImportStore(Store):
    """Each method is one transaction, changes nothing when it is repeated, and raises `StoreUnavailable`."""

    def __init__(self, database: Database, beside: CpuExecutor | None = None) -> None:
        """Write through `database`; what is folded anew is folded `beside` the event loop."""
        super().__init__(database)
        self._folds = EvidenceStore(database, beside, remembered=0)

    async def corrected(self, tenant: str, user_id: str, memory_ids: Sequence[UUID]) -> set[UUID]:
        """Return which of the user's memories say what the user has put right here."""
        found = await self._fetch(_SQL["corrected"], tenant, user_id, memory_ids)
        return {row["id"] for row in found}

    async def words(
        self, tenant: str, user_id: str, words: Mapping[str, Sequence[Evidence]], project: Project
    ) -> int:
        """Keep what a user has said of facts, fold it and project it; as `FactLedger.record` does.

        Args:
            tenant: whose store.
            user_id: whose word.
            words: by the request under which each was said; those that are known are left as they are, and
                so are those before which a tombstone stands.
            project: as there.

        Returns:
            How many requests are new.
        """
        async with self._folds.of(tenant, [user_id], project) as folding:
            connection = folding.connection
            await derived_memories.lock_users(
                connection, tenant, [user_id]
            )  # nobody puts up a tombstone meanwhile
            state = (await folding.states([user_id])).get(user_id)
            new = NewEvidence(state=state)
            for request, evidence in sorted(words.items()):
                if not evidence or not await _is_new(connection, tenant, user_id, request, evidence):
                    continue
                document = rows.recordset(evidence_row(row, ordinal) for ordinal, row in enumerate(evidence))
                await connection.execute(_EVIDENCE["keep_word"], tenant, user_id, document)
                new.evidence += evidence
                new.messages.add(request)
            if new.messages:
                await folding.fold({user_id: new})
        return len(new.messages)

    async def rejections(
        self, tenant: str, user_id: str, rejected: Sequence[ImportedRejection], project: Project
    ) -> int:
        """Keep what a user has rejected, and take away what was read so; fold it and project it.

        Those before which a tombstone stands are left out.

        Returns:
            How many readings are rejected by it.
        """
        async with self._folds.of(tenant, [user_id], project) as folding:
            connection = folding.connection
            await derived_memories.lock_users(
                connection, tenant, [user_id]
            )  # nobody puts up a tombstone meanwhile
            state = (await folding.states([user_id])).get(user_id)
            standing = [one for one in rejected if not await _is_forgotten(connection, tenant, user_id, one)]
            await fact_assertions.keep_rejections(connection, tenant, user_id, map(_rejection_row, standing))
            rejections = [one.rejection for one in standing]
            replaced = await fact_assertions.delete_rejected_evidence(connection, tenant, user_id, rejections)
            if replaced:
                await folding.fold({user_id: NewEvidence(replaced=replaced, state=state)})
        return len(standing)

    async def insights(self, tenant: str, user_id: str, about: Sequence[UUID]) -> Mapping[UUID, UUID]:
        """Return the memories that tell the user's insights here, by what these are about."""
        found = await self._fetch(_SQL["insights"], tenant, user_id, about)
        return {row["insight_hash"]: row["memory_id"] for row in found}

    async def derived(
        self, tenant: str, memories: Sequence[Memory], about: Mapping[UUID, UUID], at: datetime
    ) -> Sequence[Progress]:
        """Write memories that no message is behind; those that are there already stay.

        One that the user has put right or confirmed takes the place of what was computed here under its id,
        and of what was made of that. One whose sources are not all there, or before which a tombstone stands,
        is left out.

        Args:
            tenant: whose store.
            memories: of one user.
            about: of insights, what each is about.
            at: when they are stored.

        Returns:
            The stages of those that are there now.
        """
        if not memories:
            return []
        user_id = memories[0].user_id
        async with self._database.transaction(tenant) as connection:
            await derived_memories.lock_users(connection, tenant, [user_id])
            await _give_way(connection, tenant, [one for one in memories if is_held_by_user(one)])
            written = await derived_memories.write(connection, tenant, memories, at, finished=True)
            insights = [one.memory_id for one in written if one.memory_id in about]
            await connection.execute(
                _SQL["keep_insights"], tenant, user_id, [about[one] for one in insights], insights
            )
        return [one for one in written if one.user_id == user_id]

    async def use(self, tenant: str, user_id: str, kept: Sequence[ImportedUse]) -> Sequence[ImportedMemory]:
        """Have memories be as used, as faded and as held on to as they were elsewhere.

        Nothing is taken back that has been made of one here: of two counts the larger stands, who is pinned
        or verified stays so, and one that was used more here keeps its importance, and its place.

        Returns:
            Those that changed.
        """
        offered, ids = rows.recordset(map(asdict, kept)), [one.id for one in kept]
        found = await self._fetch(_SQL["use"], tenant, user_id, offered, ids)
        return [ImportedMemory(row["id"], row["archive_reason"]) for row in found]


def _rejection_row(one: ImportedRejection) -> dict[str, object]:
    beside = {"request_id": one.request_id, "ordinal": one.ordinal}
    return asdict(one.rejection) | beside | {"fact_id": one.fact_id, "rejected_at": one.at}


async def _is_forgotten(
    connection: Connection, tenant: str, user_id: str, rejected: ImportedRejection
) -> bool:
    """Whether a tombstone stands before what was rejected, or before its message."""
    of_message = user_id, rejected.rejection.message_id
    if await connection.fetchval(_SQL["forgotten_message"], tenant, *of_message):
        return True
    return bool(await connection.fetchval(_SQL["forgotten"], tenant, user_id, rejected.at))


async def _give_way(connection: Connection, tenant: str, held: Sequence[Memory]) -> None:
    """Take away what was computed here under the ids of memories whose words the user stands behind.

    Their points follow once these are written and indexed; those of what rested on them with
    `LifecycleStore.unreported_moves`.
    """
    if not held:
        return
    ids, contents = [one.id for one in held], [one.content for one in held]
    found = await connection.fetch(_SQL["otherwise"], tenant, held[0].user_id, ids, contents)
    for row in found:
        await derived_memories.withdraw_derived(connection, tenant, rows.memory(row))
    await derived_memories.withdraw(connection, tenant, [row["id"] for row in found])


async def _is_new(
    connection: Connection, tenant: str, user_id: str, request: str, evidence: Sequence[Evidence]
) -> bool:
    """Whether nothing is kept of a request, and no tombstone stands before it."""
    said = max(one.at for one in evidence)
    if await connection.fetchval(_SQL["forgotten"], tenant, user_id, said):
        return False
    return not await connection.fetch(_EVIDENCE["kept_word"], tenant, request, user_id)
