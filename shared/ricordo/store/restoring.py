"""What messages do not tell, written where a user's messages were taken in again."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Final
from uuid import UUID

from ricordo.memory.facts import Evidence
from ricordo.memory.model import Memory, is_held_by_user
from ricordo.store import derived, rejecting, rows
from ricordo.store.beside import Beside
from ricordo.store.database import Connection, Database
from ricordo.store.fact_rows import evidence_row
from ricordo.store.folds import Folds
from ricordo.store.refolding import New
from ricordo.store.types.facts import Project
from ricordo.store.types.restoring import Kept, Rejected, Restored
from ricordo.store.types.stages import Progress

_SQL: Final = Database.queries("restoring")
_EVIDENCE: Final = Database.queries("evidence")


class PostgresRestoring:
    """Implements `Restoring`."""

    def __init__(self, database: Database, beside: Beside | None = None) -> None:
        """Write through `database`; what is folded anew is folded `beside` the event loop."""
        self._database = database
        self._folds = Folds(database, beside, remembered=0)

    async def corrected(self, tenant: str, user_id: str, memory_ids: Sequence[UUID]) -> set[UUID]:
        """Return which memories say what the user has put right; see `Restoring.corrected`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["corrected"], tenant, user_id, memory_ids)
        return {row["id"] for row in found}

    async def words(
        self, tenant: str, user_id: str, words: Mapping[str, Sequence[Evidence]], project: Project
    ) -> int:
        """Keep what a user has said of facts; see `Restoring.words`."""
        async with self._folds.of(tenant, [user_id], project) as folding:
            connection = folding.connection
            await derived.hold(connection, tenant, [user_id])  # nobody puts up a tombstone meanwhile
            state = (await folding.states([user_id])).get(user_id)
            new = New(state=state)
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
        self, tenant: str, user_id: str, rejected: Sequence[Rejected], project: Project
    ) -> int:
        """Keep what a user has rejected; see `Restoring.rejections`."""
        async with self._folds.of(tenant, [user_id], project) as folding:
            connection = folding.connection
            await derived.hold(connection, tenant, [user_id])  # nobody puts up a tombstone meanwhile
            state = (await folding.states([user_id])).get(user_id)
            standing = [one for one in rejected if not await _is_forgotten(connection, tenant, user_id, one)]
            await rejecting.keep(connection, tenant, user_id, map(_rejection_row, standing))
            rejections = [one.rejection for one in standing]
            replaced = await rejecting.retract(connection, tenant, user_id, rejections)
            if replaced:
                await folding.fold({user_id: New(replaced=replaced, state=state)})
        return len(standing)

    async def insights(self, tenant: str, user_id: str, about: Sequence[UUID]) -> Mapping[UUID, UUID]:
        """Return the memories that tell insights, by what these are about; see `Restoring.insights`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["insights"], tenant, user_id, about)
        return {row["about"]: row["memory_id"] for row in found}

    async def derived(
        self, tenant: str, memories: Sequence[Memory], about: Mapping[UUID, UUID], at: datetime
    ) -> Sequence[Progress]:
        """Write memories that no message is behind; see `Restoring.derived`."""
        if not memories:
            return []
        user_id = memories[0].user_id
        async with self._database.transaction(tenant) as connection:
            await derived.hold(connection, tenant, [user_id])
            await _give_way(connection, tenant, [one for one in memories if is_held_by_user(one)])
            written = await derived.write(connection, tenant, memories, at, finished=True)
            insights = [one.memory_id for one in written if one.memory_id in about]
            await connection.execute(
                _SQL["keep_insights"], tenant, user_id, [about[one] for one in insights], insights
            )
        return [one for one in written if one.user_id == user_id]

    async def use(self, tenant: str, user_id: str, kept: Sequence[Kept]) -> Sequence[Restored]:
        """Have memories be as used as they were elsewhere; see `Restoring.use`."""
        offered, ids = rows.recordset(map(asdict, kept)), [one.id for one in kept]
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["use"], tenant, user_id, offered, ids)
        return [Restored(row["id"], row["archive_reason"]) for row in found]


def _rejection_row(one: Rejected) -> dict[str, object]:
    beside = {"request_id": one.request_id, "ordinal": one.ordinal}
    return asdict(one.rejection) | beside | {"fact_id": one.fact_id, "rejected_at": one.at}


async def _is_forgotten(connection: Connection, tenant: str, user_id: str, rejected: Rejected) -> bool:
    """Whether a tombstone stands before what was rejected, or before its message."""
    of_message = user_id, rejected.rejection.message_id
    if await connection.fetchval(_SQL["forgotten_message"], tenant, *of_message):
        return True
    return bool(await connection.fetchval(_SQL["forgotten"], tenant, user_id, rejected.at))


async def _give_way(connection: Connection, tenant: str, held: Sequence[Memory]) -> None:
    """Take away what was computed here under the ids of memories whose words the user stands behind.

    Their points follow once these are written and indexed; those of what rested on them with `Life.moved`.
    """
    if not held:
        return
    ids, contents = [one.id for one in held], [one.content for one in held]
    found = await connection.fetch(_SQL["otherwise"], tenant, held[0].user_id, ids, contents)
    for row in found:
        await derived.unmake(connection, tenant, rows.memory(row))
    await derived.withdraw(connection, tenant, [row["id"] for row in found])


async def _is_new(
    connection: Connection, tenant: str, user_id: str, request: str, evidence: Sequence[Evidence]
) -> bool:
    """Whether nothing is kept of a request, and no tombstone stands before it."""
    said = max(one.at for one in evidence)
    if await connection.fetchval(_SQL["forgotten"], tenant, user_id, said):
        return False
    return not await connection.fetch(_EVIDENCE["kept_word"], tenant, request, user_id)
