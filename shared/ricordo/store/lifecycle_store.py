"""Use, archive and maintenance of memories."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from ricordo.documents.records import document_key
from ricordo.memory.importance import RecallVerdict
from ricordo.memory.model import Memory, Progress, Stage
from ricordo.messages.codec import owner_of
from ricordo.messages.enumerations import ArchiveReason
from ricordo.runtime.dead_letter_queue import DeadLetter
from ricordo.store import derived_memories, rows
from ricordo.store.database import Connection, Database, Store
from ricordo.store.stages import CONSUMERS_OF_STAGES

_SQL: Final = Database.queries("lifecycle_store")
_STAGES: Final = Database.queries("stages")
_REQUESTS: Final = Database.queries("idempotency")
_ERASURE: Final = Database.queries("erasure")
_LISTINGS: Final = Database.queries("memory_listings")
MemoryKeys = Collection[tuple[UUID, str]]
"""Memories, each with its user."""
_DROPPED: Final = 5_000  # rows per statement
_REPUBLISHED: Final = (Stage.ENCODED, Stage.ENRICHED, Stage.INDEXED, Stage.EXTRACTED)
_BEGINNING: Final = ("", datetime.min.replace(tzinfo=UTC), UUID(int=0))


@dataclass(frozen=True, slots=True, kw_only=True)
class LostStages:
    """A message, the stages whose events were lost, and its lane; `derived` is a memory without a message."""

    progress: Progress
    stages: frozenset[Stage]
    bulk: bool = False
    derived: Memory | None = None


@dataclass(frozen=True, slots=True)
class ArchivedSlice:
    """The result of one slice: archived memories with their users, and its last one; None at the end."""

    examined: int
    archived: tuple[tuple[UUID, str], ...]
    last: UUID | None
    last_user: str | None = None


@dataclass(frozen=True, slots=True)
class ArchiveMove:
    """A memory that was archived (for a `reason`), restored or withdrawn (None)."""

    memory_id: UUID
    user_id: str
    reason: ArchiveReason | None
    at: datetime

    @property
    def archived(self) -> bool:
        """Whether it is archived now."""
        return self.reason is not None


@dataclass(frozen=True, slots=True)
class RecallUse:
    """Use of a memory in a recall, by its event (`accessed_at`) or by feedback (`verdict`)."""

    user_id: str
    memory_id: UUID
    recall_id: UUID
    at: datetime
    accessed_at: datetime | None = None
    verdict: RecallVerdict | None = None


@dataclass(frozen=True, slots=True)
class FeedbackResult:
    """Number of memories that uses reinforced and weakened, and the ids of all changed ones."""

    used: int = 0
    irrelevant: int = 0
    changed: tuple[UUID, ...] = ()


async def lock_memories(connection: Connection, tenant: str, uses: Sequence[RecallUse]) -> MemoryKeys:
    """Lock the memories of `uses` in the order of their ids, and return those that exist.

    A statement of its own, so that the next one reads the uses that concurrent transactions have written.
    """
    pairs = sorted({(one.memory_id, one.user_id) for one in uses})
    users, memories = [user for _, user in pairs], [memory_id for memory_id, _ in pairs]
    found = await connection.fetch(_SQL["lock_memories"], tenant, users, memories)
    return {(row["id"], row["user_id"]) for row in found}


async def record_uses(
    connection: Connection, tenant: str, uses: Sequence[RecallUse], locked: MemoryKeys
) -> FeedbackResult:
    """Record uses of the memories that are `locked`, and reinforce or weaken these."""
    by_pair = {
        (one.memory_id, one.recall_id): one
        for one in reversed(uses)  # of a repeat, the first
        if (one.memory_id, one.user_id) in locked
    }
    if not by_pair:
        return FeedbackResult()
    names = ("memory_id", "recall_id", "accessed_at", "verdict", "at")
    columns = [[getattr(one, name) for one in by_pair.values()] for name in names]
    changed = await connection.fetch(_SQL["use"], tenant, *columns)
    return FeedbackResult(
        used=sum(row["times"] > 0 for row in changed),
        irrelevant=sum(row["times"] < 0 for row in changed),
        changed=tuple(sorted({row["memory_id"] for row in changed if row["times"] or row["touched"]})),
    )


class LifecycleStore(Store):
    """Maintains memories; each method but `tidy` is one transaction."""

    async def tenants(self) -> Sequence[str]:
        """Return all tenants that ever sent a message."""
        async with self._database.unscoped() as connection:
            return [row["tenant"] for row in await connection.fetch(_SQL["tenants"])]

    async def reinforce(self, tenant: str, uses: Sequence[RecallUse]) -> None:
        """Reinforce recalled memories, exactly once per recall and memory.

        Feedback on a recall overrides its event, except for the time of the access.
        """
        if uses:
            async with self._database.transaction(tenant) as connection:
                await record_uses(connection, tenant, uses, await lock_memories(connection, tenant, uses))

    async def archive_faded(
        self, tenant: str, now: datetime, *, user_id: str | None, after: UUID | None, limit: int
    ) -> ArchivedSlice:
        """Archive what has faded of a slice of memories behind `after`, by the formula of `decay_factor`."""
        async with self._database.transaction(tenant, planned_anew=True) as connection:
            place = None if after is None else await connection.fetchrow(_SQL["place"], tenant, after)
            # If it was erased meanwhile, the pass begins again, which archives nothing twice.
            since = _BEGINNING if place is None else (place["user_id"], place["created_at"], after)
            found = await connection.fetchrow(_SQL["archive_faded"], tenant, now, user_id, *since, limit)
        assert found is not None  # noqa: S101 - an aggregate without a group always returns its row
        return ArchivedSlice(
            examined=found["examined"],
            archived=tuple(zip(found["ids"], found["users"], strict=True)),
            last=found["last"] if found["examined"] == limit else None,
            last_user=found["last_user"],
        )

    async def unreported_moves(
        self, tenant: str, before: datetime, limit: int, *, user_id: str | None = None
    ) -> Sequence[ArchiveMove]:
        """Return moves before `before` that were not reported again yet, oldest first."""
        found = await self._fetch(_SQL["moved"], tenant, before, limit, user_id)
        return [
            rows.build(ArchiveMove, row, reason=row["reason"] and ArchiveReason(row["reason"]))
            for row in found
        ]

    async def mark_reported(self, tenant: str, moved: Sequence[ArchiveMove]) -> None:
        """Note that moves were reported again; later moves of the same memories stay."""
        ids, instants = [one.memory_id for one in moved], [one.at for one in moved]
        async with self._database.transaction(tenant) as connection:
            await connection.execute(_SQL["mark_reported"], tenant, ids, instants)
            await connection.execute(_SQL["drop_withdrawn"], tenant, ids, instants)

    async def lost(
        self,
        tenant: str,
        now: datetime,
        after: timedelta,
        oldest: Mapping[Stage, datetime | None],
        limit: int,
    ) -> Sequence[LostStages]:
        """Return messages with stages whose events were lost, and note that these are published again.

        Args:
            after: how long a stage may take; see the query `lost`.
            oldest: time of the oldest unsettled event by the stage that its consumers set; None without one.

        Returns:
            Up to `limit` messages; a stage that ended as a dead letter does not count. Nothing
            while another process reconciles the tenant.
        """
        unsettled = [oldest[stage] for stage in _REPUBLISHED]
        consumers = [CONSUMERS_OF_STAGES[stage] for stage in _REPUBLISHED]
        async with self._database.transaction(tenant) as connection:
            if not await connection.fetchval(_STAGES["reconciling"], tenant):
                return []
            found = await connection.fetch(_STAGES["lost"], tenant, now, limit, *unsettled, after, *consumers)
            ids = [row["memory_id"] for row in found if row["message_id"] is None]
            derived = await connection.fetch(_STAGES["derived"], tenant, ids) if ids else ()
        memories = {row["id"]: rows.memory(row) for row in derived}
        return [
            LostStages(
                progress=rows.progress(row),
                stages=frozenset(stage for stage in _REPUBLISHED if row[f"{stage}_lost"]),
                bulk=row["bulk"],
                derived=memories.get(row["memory_id"]),
            )
            for row in found
        ]

    async def record_dead_letter(
        self, tenant: str, letter: DeadLetter, publish: Callable[[], Awaitable[None]]
    ) -> None:
        """Store the reason of a dead letter, for the status of its message, after `publish` has stored it.

        Nothing is stored if a tombstone covers its message. The reason is dropped when its consumer sets the
        stage, or by `tidy`.
        """
        event, refers_to = letter.message, letter.refers_to
        message = owner_of(event.subject, event.body)
        async with self._database.transaction(tenant) as connection:
            if message is not None:  # under the lock of tombstones
                await derived_memories.lock_users(connection, tenant, [message.user_id])
                place = (message.user_id, message.conversation_id, refers_to.message_id, message.said_at)
                if await connection.fetchval(_SQL["is_forgotten"], tenant, *place):
                    if (key := document_key(tenant, event.body)) is not None:
                        await connection.execute(_ERASURE["discard"], tenant, key, message.user_id)
                    return
            await publish()
            await connection.execute(
                _SQL["record_dead_letter"],
                tenant,
                letter.consumer,
                event.subject,
                event.sequence,
                None if refers_to.message_id is None else _storable(refers_to.message_id),
                refers_to.memory_id,
                letter.code,
                _storable(letter.reason),
                letter.attempts,
                letter.at,
            )

    async def tidy(
        self,
        tenant: str,
        *,
        handled_before: datetime,
        used_before: datetime,
        died_before: datetime,
        listed_before: datetime,
    ) -> None:
        """Drop old records, in several transactions; locked rows are left to the next time.

        Args:
            handled_before: drops the inbox; older than any redelivery.
            used_before: drops uses of memories, and outcomes of requests; older than any redelivery.
            died_before: drops reasons of dead letters; `lost` then finds their messages again.
            listed_before: drops stored listings.
        """
        await self._drop(tenant, _SQL["empty_inbox"], handled_before)
        await self._drop(tenant, _SQL["empty_uses"], used_before)
        await self._drop(tenant, _REQUESTS["drop_old"], used_before)
        await self._drop(tenant, _SQL["delete_old_dead_letters"], died_before)
        await self._drop(tenant, _LISTINGS["delete_old"], listed_before)

    async def _drop(self, tenant: str, query: str, before: datetime) -> None:
        """Drop older rows, some at a time: after a long pause there may be too many for one statement."""
        dropped = _DROPPED
        while dropped == _DROPPED:
            status = await self._execute(query, tenant, before, _DROPPED)
            dropped = int(status.rpartition(" ")[2])


def _storable(text: str) -> str:
    """Replace characters that PostgreSQL does not store: a reason often quotes the rejected text."""
    return text.replace("\0", "\N{SYMBOL FOR NULL}").encode("utf-8", "backslashreplace").decode("utf-8")
