"""Restores what an export has besides messages, after the messages were published again."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

import asyncpg

from ricordo.language.facts.evidence import Evidence
from ricordo.memory.facts.user_assertions import Rejection
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.memory.model import Progress
from ricordo.store import derived_memories, fact_assertions, rows
from ricordo.store.database import Database
from ricordo.store.evidence_store import EvidenceChange, FoldingStore

_SQL: Final = Database.queries("imports")
Row = Mapping[str, Any]
"""Columns of a memory as JSON has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRejection:
    """A rejection of an export: the `ordinal`-th of a request about a fact."""

    request_id: str
    ordinal: int
    fact_id: UUID
    rejection: Rejection
    rejected_at: datetime


class ImportedNumbers(NamedTuple):
    """Numbers of new requests of the user, of assertions of bots, and of rejections."""

    words: int
    asserted: int
    rejected: int


class ImportStore(FoldingStore):
    """Imports parts of an export. Each method is idempotent, and raises `StoreUnavailable`."""

    async def decisions(
        self,
        tenant: str,
        user_id: str,
        words: Mapping[str, Sequence[Evidence]],
        asserted: Sequence[ExtractedEvidence],
        rejected: Sequence[ImportedRejection],
    ) -> ImportedNumbers:
        """Import decisions about facts, and fold them, as `FactLedger.record`.

        What a tombstone covers is left out, and so is what bots asserted of messages that are not here.

        Args:
            words: what the user asserted, by request.
            asserted: what bots asserted of messages, or of themselves.
        """
        async with self.lock(tenant, [user_id]) as folding:
            connection, change = folding.connection, EvidenceChange()
            await derived_memories.lock_users(connection, tenant, [user_id])
            messages = [one.rejection.message_id for one in rejected]
            [forgotten] = await connection.fetch(_SQL["forgotten"], tenant, user_id, messages)
            user_at, gone = forgotten["user_at"], forgotten["messages"] or ()

            def stands(*instants: datetime) -> bool:
                return user_at is None or max(instants) > user_at

            new = {
                request: evidence
                for request, evidence in sorted(words.items())
                if stands(*(row.at for row in evidence)) and not await folding.kept(request, user_id)
            }
            await folding.keep(change, user_id, new)
            said = 0
            for one in asserted:
                memory_id = None if " " in one.message_id else one.memory_id  # a key of the bot has a space
                is_kept = stands(*(row.at for row in one.evidence))
                if is_kept and await folding.keep_asserted(change, one, memory_id):
                    said += len(one.evidence)
            left = [
                one for one in rejected if stands(one.rejected_at) and one.rejection.message_id not in gone
            ]
            readings = [one.rejection for one in left]
            rejections = [asdict(one) | asdict(one.rejection) for one in left]
            await fact_assertions.keep_rejections(connection, tenant, user_id, rejections)
            change.remove(
                await fact_assertions.delete_rejected_evidence(connection, tenant, user_id, readings)
            )
            await folding.fold(change)
        return ImportedNumbers(len(new), said, len(left))

    async def to_correct(self, tenant: str, user_id: str, texts: Mapping[UUID, str]) -> set[UUID]:
        """Return the memories here whose text the user stands behind in an export, and not yet here.

        These are messages that were not corrected, and derived memories with another text that was neither
        corrected nor verified.
        """
        found = await self._fetch(_SQL["to_correct"], tenant, user_id, list(texts), list(texts.values()))
        return {row["id"] for row in found}

    async def insights(self, tenant: str, user_id: str, about: Sequence[UUID]) -> Mapping[UUID, UUID]:
        """Return the memories of the user's insights by their hashes."""
        found = await self._fetch(_SQL["insights"], tenant, user_id, about)
        return {row["insight_hash"]: row["memory_id"] for row in found}

    async def derived(
        self, tenant: str, user_id: str, derived: Sequence[Row], at: datetime
    ) -> Sequence[Progress]:
        """Write derived memories of one user as finished, and return the stages of those that exist now.

        Existing ones stay. One without all of its sources, or that a tombstone covers, is left out. A row may
        have the hash of the insight that it is, in `about`.

        Raises:
            ValueError: a row does not have the form of a memory.
        """
        about = {row["id"]: row["about"] for row in derived if row.get("about")}
        finished = [
            {**row, "user_id": user_id, "derived_by": derived_memories.BY_LIFECYCLE} for row in derived
        ]
        async with self._database.transaction(tenant) as connection:
            await derived_memories.lock_users(connection, tenant, [user_id])
            with _invalid_rows():
                written = await derived_memories.write_rows(connection, tenant, finished, at)
            written = [one for one in written if one.user_id == user_id]
            insights = [one.memory_id for one in written if one.memory_id in about]
            hashes = [about[one] for one in insights]
            await connection.execute(_SQL["keep_insights"], tenant, user_id, hashes, insights)
        return written

    async def use(self, tenant: str, user_id: str, states: Sequence[Row]) -> Mapping[UUID, str | None]:
        """Import use, pins and archive states; return why each changed memory is archived, if it is.

        The larger of two counts stays, as do pins and verifications; a memory that was used more here keeps
        its archive state. Importance follows from the uses.

        Args:
            states: rows of the columns that the statement names, and an `event_id` that counts once.

        Raises:
            ValueError: a row does not have the form of such a state.
        """
        ids = [row["id"] for row in states]
        with _invalid_rows():
            found = await self._fetch(_SQL["use"], tenant, user_id, rows.recordset(states), ids)
        return {row["id"]: row["archive_reason"] for row in found}


@contextmanager
def _invalid_rows() -> Iterator[None]:
    try:
        yield
    except (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError) as error:
        raise ValueError(str(error)) from None
