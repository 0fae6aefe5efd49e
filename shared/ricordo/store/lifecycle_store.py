"""Use, decay and maintenance of memories."""

import math
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import asyncpg

from ricordo.bus.port import DeadLetter
from ricordo.documents.port import brought_by
from ricordo.memory.model import Memory
from ricordo.memory.progress import Progress, Stage
from ricordo.memory.reinforcement import RecallVerdict
from ricordo.messages.codec import spoken
from ricordo.messages.vocabulary import ArchiveReason
from ricordo.store import derived_memories, rows
from ricordo.store.database import Connection, Database, Store

_SQL = Database.queries("lifecycle_store")
_STAGES = Database.queries("stages")
_CURATING = Database.queries("curation_store")
_ERASING = Database.queries("erasure")
MemoryKeys = Collection[tuple[UUID, str]]
"""Memories, each with its user."""
_FADED = ("ids", "former", "accessed", "factors", "weak")
_ROOM = 0.2  # of a page is left free for new versions of its rows: its fillfactor is 80
_DROPPED = 5_000  # rows that one statement drops
_BEGINNING = ("", datetime.min.replace(tzinfo=UTC), UUID(int=0))


@dataclass(frozen=True, slots=True)
class Lagging:
    """A message that has lacked a stage for too long, and the stages that it lacks.

    Attributes:
        derived: the memory, where no message is behind it; else None.
    """

    progress: Progress
    lacks: tuple[Stage, ...]
    derived: Memory | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """One access event: memories that a recall has returned."""

    recall_id: UUID
    user_id: str
    memory_ids: tuple[UUID, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class DecaySlice:
    """The work of one slice; `last` is None when there is no more."""

    examined: int
    changed: int
    archived: tuple[tuple[UUID, str], ...]
    last: UUID | None


@dataclass(frozen=True, slots=True)
class ArchiveMove:
    """A memory that the archive took, or gave back, or whose place another one took.

    Attributes:
        reason: why the archive has it; None where it was given back.
        at: when it moved.
    """

    memory_id: UUID
    user_id: str
    reason: ArchiveReason | None
    at: datetime

    @property
    def archived(self) -> bool:
        """Whether the archive has it now."""
        return self.reason is not None


@dataclass(frozen=True, slots=True)
class RecallUse:
    """Use of a memory in a recall, or feedback on it.

    Attributes:
        at: as of when it is kept.
        accessed_at: the moment of the recall, where its event tells it.
        verdict: where the user's bot tells one.
    """

    user_id: str
    memory_id: UUID
    recall_id: UUID
    at: datetime
    accessed_at: datetime | None = None
    verdict: RecallVerdict | None = None


@dataclass(frozen=True, slots=True)
class ReinforcementResult:
    """Number of memories made stronger and weaker, and the ids of all changed ones."""

    stronger: int
    weaker: int
    changed: tuple[UUID, ...]


async def lock_memories(connection: Connection, tenant: str, told: Sequence[RecallUse]) -> MemoryKeys:
    """Lock the memories that are told of, in the order of their ids, and return those that there are.

    A statement of its own: what the next one reads of their uses is what others have left.
    """
    pairs = sorted({(one.memory_id, one.user_id) for one in told})
    users, memories = [user for _, user in pairs], [memory_id for memory_id, _ in pairs]
    found = await connection.fetch(_SQL["hold_memories"], tenant, users, memories)
    return {(row["id"], row["user_id"]) for row in found}


async def record_uses(
    connection: Connection, tenant: str, told: Sequence[RecallUse], held: MemoryKeys
) -> ReinforcementResult:
    """Keep what is told of the memories that are `held`, and make these stronger or weaker by it."""
    of_pairs = {
        (one.memory_id, one.recall_id): one for one in reversed(told) if (one.memory_id, one.user_id) in held
    }
    if not of_pairs:
        return ReinforcementResult(0, 0, ())
    one_each = list(of_pairs.values())  # of a repeat, the first
    changed = await connection.fetch(
        _SQL["use"],
        tenant,
        [one.memory_id for one in one_each],
        [one.recall_id for one in one_each],
        [one.accessed_at for one in one_each],
        [one.verdict for one in one_each],
        [one.at for one in one_each],
    )
    return ReinforcementResult(
        stronger=sum(row["times"] > 0 for row in changed),
        weaker=sum(row["times"] < 0 for row in changed),
        changed=tuple(sorted({row["memory_id"] for row in changed if row["times"] or row["touched"]})),
    )


class LifecycleStore(Store):
    """Maintenance of memories; each method but `decay` and `tidy` is one transaction, atomic in SQL."""

    async def tenants(self) -> Sequence[str]:
        """Return all tenants that ever said something."""
        async with self._database.unscoped() as connection:
            return [row["tenant"] for row in await connection.fetch(_SQL["tenants"])]

    async def reinforce(self, tenant: str, accesses: Sequence[Access]) -> None:
        """Strengthen what was accessed, exactly once per recall and memory.

        What `CurationStore.feedback` has said of a recall stands above its event: that comes to nothing then
        but the moment at which a memory was shown.
        """
        told = [
            RecallUse(access.user_id, memory_id, access.recall_id, access.at, accessed_at=access.at)
            for access in accesses
            for memory_id in access.memory_ids
        ]
        if told:
            async with self._database.transaction(tenant) as connection:
                await record_uses(connection, tenant, told, await lock_memories(connection, tenant, told))

    async def decay(
        self, tenant: str, now: datetime, *, user_id: str | None, after: UUID | None, limit: int, floors: bool
    ) -> DecaySlice:
        """Let a slice of memories fade, in an order of the store's own behind `after`; archive the too weak.

        It may take several transactions, each of which follows from what is stored: one that is cut off is
        simply repeated. What is used or changed at that moment is left to the next pass.
        """
        async with self._database.transaction(tenant, planned_anew=True) as connection:
            place = None if after is None else await connection.fetchrow(_SQL["place"], tenant, after)
            # What was erased meanwhile has no place any more: all is gone through again, and no more changes.
            since = _BEGINNING if place is None else (place["user_id"], place["created_at"], after)
            found = await connection.fetchrow(_SQL["fading"], tenant, now, user_id, *since, limit, floors)
        assert found is not None  # noqa: S101 - an aggregate without a group always returns its row
        written = await self._fade(tenant, now, [found[name] for name in _FADED], examined=found["examined"])
        return DecaySlice(
            examined=found["examined"],
            changed=len(written),
            archived=tuple((row["id"], row["archived_of"]) for row in written if row["archived_of"]),
            last=found["last"] if found["examined"] == limit else None,
        )

    async def _fade(
        self, tenant: str, now: datetime, faded: Sequence[Sequence[object]], *, examined: int
    ) -> Sequence[asyncpg.Record]:
        """Write new factors, few of a page of the table at a time.

        What changes stays in its page while that has room for another version of it, and each transaction
        leaves the room of the former versions to the next one: otherwise every index would be written, too.
        """
        turns = max(1, math.ceil(len(faded[0]) / (_ROOM * examined))) if examined else 0
        written = []
        for turn in range(turns):
            async with self._database.transaction(tenant) as connection:
                part = [column[turn::turns] for column in faded]
                written += await connection.fetch(_SQL["fade"], tenant, now, *part)
        return written

    async def unreported_moves(
        self, tenant: str, before: datetime, limit: int, *, user_id: str | None = None
    ) -> Sequence[ArchiveMove]:
        """Return, oldest first, what moved before `before` and was not reported to `told` yet."""
        found = await self._fetch(_SQL["moved"], tenant, before, limit, user_id)
        return [
            ArchiveMove(
                row["memory_id"],
                row["user_id"],
                None if row["reason"] is None else ArchiveReason(row["reason"]),
                row["at"],
            )
            for row in found
        ]

    async def mark_reported(self, tenant: str, moved: Sequence[ArchiveMove]) -> None:
        """Note that these moves were said once more, to be forgotten; what has moved since stays."""
        ids, instants = [one.memory_id for one in moved], [one.at for one in moved]
        async with self._database.transaction(tenant) as connection:
            await connection.execute(_SQL["told"], tenant, ids, instants)
            await connection.execute(_SQL["told_withdrawn"], tenant, ids, instants)

    async def lagging(
        self, tenant: str, now: datetime, older_than: timedelta, limit: int
    ) -> Sequence[Lagging]:
        """Return messages that have lacked a stage for longer than `older_than`.

        What became a dead letter waits for its replay, for as long as its reason is kept.
        """
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_STAGES["lagging"], tenant, now - older_than, limit)
            lagging = list(map(rows.progress, found))
            made = [one.memory_id for one in lagging if one.message_id is None]
            derived_memories = await connection.fetch(_STAGES["derived"], tenant, made) if made else ()
        memories = {row["id"]: rows.memory(row) for row in derived_memories}
        return [Lagging(one, _lacks(one), memories.get(one.memory_id)) for one in lagging]

    async def record_dead_letter(
        self, tenant: str, letter: DeadLetter, keep: Callable[[], Awaitable[None]]
    ) -> None:
        """Keep a dead letter's reason, for the status of its message, once `keep` has kept the letter.

        It goes when the stage is set that its consumer sets, or with `tidy`. Neither is kept where a
        tombstone stands before the words in it; and none is put up between the two.
        """
        told = spoken(letter.subject, letter.body)
        async with self._database.transaction(tenant) as connection:
            if told is not None:
                await derived_memories.lock_users(
                    connection, tenant, [told.user_id]
                )  # nobody is forgotten meanwhile
                of_message = (told.user_id, told.conversation_id, letter.message_id, told.said_at)
                if await connection.fetchval(_SQL["is_forgotten"], tenant, *of_message):
                    if (key := brought_by(tenant, letter.body)) is not None:
                        await connection.execute(_ERASING["discard"], tenant, key, told.user_id)
                    return
            await keep()
            await connection.execute(
                _SQL["bury"],
                tenant,
                letter.consumer,
                letter.subject,
                letter.sequence,
                None if letter.message_id is None else _storable(letter.message_id),
                letter.memory_id,
                letter.code,
                _storable(letter.sentence),
                letter.attempts,
                letter.at,
            )

    async def tidy(
        self, tenant: str, *, handled_before: datetime, used_before: datetime, died_before: datetime
    ) -> None:
        """Drop what is too old to matter.

        It takes several transactions, and what one has dropped stays dropped; what somebody else holds is
        left to the next time.

        Args:
            handled_before: until when the record of handled events goes; older than any redelivery.
            used_before: until when it goes what each recall has added to each memory, and what came of
                requests that may be repeated; older than any redelivery, too. What was said of a recall
                before, nobody knows then.
            died_before: until when the reasons of dead letters go. A message that still lacks a stage is
                found by `lagging` again.
        """
        await self._drop(tenant, _SQL["empty_inbox"], handled_before)
        await self._drop(tenant, _SQL["empty_uses"], used_before)
        await self._drop(tenant, _CURATING["empty_requests"], used_before)
        await self._drop(tenant, _SQL["empty_letters"], died_before)

    async def _drop(self, tenant: str, query: str, before: datetime) -> None:
        """Drop what is older, some at a time: after a long pause that may be more than one statement can."""
        dropped = _DROPPED
        while dropped == _DROPPED:
            status = await self._execute(query, tenant, before, _DROPPED)
            dropped = int(status.rpartition(" ")[2])


def _storable(text: str) -> str:
    """Write visibly what PostgreSQL does not take: a reason often quotes the very text that was refused."""
    return text.replace("\0", "\N{SYMBOL FOR NULL}").encode("utf-8", "backslashreplace").decode("utf-8")


def _lacks(progress: Progress) -> tuple[Stage, ...]:
    return tuple(
        stage
        for stage, instant in (
            (Stage.ENCODED, progress.encoded),
            (Stage.ENRICHED, progress.enriched),
            (Stage.INDEXED, progress.indexed),
            (Stage.EXTRACTED, progress.extracted),
        )
        if instant is None
    )
