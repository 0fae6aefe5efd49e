"""Lifecycle's part of the truth: use, fading, and what was left behind."""

import math
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import asyncpg

from ricordo.bus.port import DeadLetter
from ricordo.documents.port import brought_by
from ricordo.messages.codec import spoken
from ricordo.messages.vocabulary import ArchiveReason
from ricordo.store import derived, rows
from ricordo.store.database import Database
from ricordo.store.types.life import Access, DecaySlice, Moved
from ricordo.store.types.memories import Lagging
from ricordo.store.types.stages import Progress, Stage
from ricordo.store.uses import Told, hold, note

_SQL = Database.queries("life")
_STAGES = Database.queries("stages")
_USES = Database.queries("uses")
_CURATING = Database.queries("curating")
_ERASING = Database.queries("erasing")
_FADED = ("ids", "former", "accessed", "factors", "weak")
_ROOM = 0.2  # of a page is left free for new versions of its rows: its fillfactor is 80
_DROPPED = 5_000  # rows that one statement drops
_BEGINNING = ("", datetime.min.replace(tzinfo=UTC), UUID(int=0))


class PostgresLife:
    """Implements `Life`."""

    def __init__(self, database: Database) -> None:
        """Read and write through `database`."""
        self._database = database

    async def tenants(self) -> Sequence[str]:
        """Return all tenants that ever said something."""
        async with self._database.unscoped() as connection:
            return [row["tenant"] for row in await connection.fetch(_SQL["tenants"])]

    async def reinforce(self, tenant: str, accesses: Sequence[Access]) -> None:
        """Strengthen what was accessed, exactly once per recall; see `Life.reinforce`."""
        told = [
            Told(access.user_id, memory_id, access.recall_id, access.at, accessed_at=access.at)
            for access in accesses
            for memory_id in access.memory_ids
        ]
        if told:
            async with self._database.transaction(tenant) as connection:
                await note(connection, tenant, told, await hold(connection, tenant, told))

    async def decay(
        self, tenant: str, now: datetime, *, user_id: str | None, after: UUID | None, limit: int, floors: bool
    ) -> DecaySlice:
        """Let a slice of memories fade; see `Life.decay`."""
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

    async def moved(
        self, tenant: str, before: datetime, limit: int, *, user_id: str | None = None
    ) -> Sequence[Moved]:
        """Return what the archive took or gave back; see `Life.moved`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["moved"], tenant, before, limit, user_id)
        return [
            Moved(
                row["memory_id"],
                row["user_id"],
                None if row["reason"] is None else ArchiveReason(row["reason"]),
                row["at"],
            )
            for row in found
        ]

    async def told(self, tenant: str, moved: Sequence[Moved]) -> None:
        """Forget that they moved; see `Life.told`."""
        ids, instants = [one.memory_id for one in moved], [one.at for one in moved]
        async with self._database.transaction(tenant) as connection:
            await connection.execute(_SQL["told"], tenant, ids, instants)
            await connection.execute(_SQL["told_withdrawn"], tenant, ids, instants)

    async def lagging(
        self, tenant: str, now: datetime, older_than: timedelta, limit: int
    ) -> Sequence[Lagging]:
        """Return messages that have lacked a stage for too long."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_STAGES["lagging"], tenant, now - older_than, limit)
            lagging = list(map(rows.progress, found))
            made = [one.memory_id for one in lagging if one.message_id is None]
            derived = await connection.fetch(_STAGES["derived"], tenant, made) if made else ()
        memories = {row["id"]: rows.memory(row) for row in derived}
        return [Lagging(one, _lacks(one), memories.get(one.memory_id)) for one in lagging]

    async def bury(self, tenant: str, letter: DeadLetter, keep: Callable[[], Awaitable[None]]) -> None:
        """Keep a dead letter's reason; see `Life.bury`."""
        told = spoken(letter.subject, letter.body)
        async with self._database.transaction(tenant) as connection:
            if told is not None:
                await derived.hold(connection, tenant, [told.user_id])  # nobody is forgotten meanwhile
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
        """Drop what is too old to matter; see `Life.tidy`."""
        await self._drop(tenant, _SQL["empty_inbox"], handled_before)
        await self._drop(tenant, _USES["empty_uses"], used_before)
        await self._drop(tenant, _CURATING["empty_requests"], used_before)
        await self._drop(tenant, _SQL["empty_letters"], died_before)

    async def _drop(self, tenant: str, query: str, before: datetime) -> None:
        """Drop what is older, some at a time: after a long pause that may be more than one statement can."""
        dropped = _DROPPED
        while dropped == _DROPPED:
            async with self._database.transaction(tenant) as connection:
                status = await connection.execute(query, tenant, before, _DROPPED)
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
