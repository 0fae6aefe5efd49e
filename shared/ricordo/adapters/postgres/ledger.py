"""Knowledge's part of the truth: evidence as it was said, and the facts and entities folded from it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from ricordo.adapters.postgres import rows
from ricordo.adapters.postgres.database import Connection, Database
from ricordo.adapters.postgres.marking import mark
from ricordo.adapters.postgres.refolding import (
    FACT_FIELDS,
    REMEMBERED,
    Beside,
    New,
    Refolding,
    RememberedFoldings,
)
from ricordo.domain.facts import PREDICATES, USER, Fact, Folding, normalise, parts
from ricordo.ports.facts import FactQuestion, Learned, Project, Told, Utterance
from ricordo.ports.stages import Progress, Stage

_SQL = Database.queries("facts")


class PostgresFactLedger:
    """Implements `FactLedger`.

    What was folded of users is remembered from one call to the next, so that a call costs what is new.
    """

    def __init__(
        self, database: Database, beside: Beside | None = None, *, remembered: int = REMEMBERED
    ) -> None:
        """Read and write through `database`.

        Args:
            database: the connections.
            beside: computes what takes long; None for whom asks only, or may compute on the event loop.
            remembered: how much is remembered over all users, in kilobytes.
        """
        self._database = database
        self._beside = beside
        self._remembered = RememberedFoldings(remembered)

    async def load(self, tenant: str, memory_ids: Sequence[UUID]) -> Sequence[Utterance]:
        """Return what was said; see `FactLedger.load`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["utterances"], tenant, memory_ids)
        return [
            Utterance(
                memory_id=row["memory_id"],
                message_id=row["message_id"],
                user_id=row["user_id"],
                role=row["role"],
                speaker=row["speaker"],
                language=row["language"],
                content=row["content"],
                said_at=row["created_at"],
                timezone=row["timezone"],
            )
            for row in rows.in_order(found, memory_ids)
        ]

    async def record(
        self, tenant: str, told: Sequence[Told], project: Project, at: datetime
    ) -> tuple[Mapping[str, Sequence[Fact]], Sequence[Progress]]:
        """Keep, fold, project and mark in one transaction; see `FactLedger.record`."""
        told = list({one.message_id: one for one in told}.values())
        users = sorted({one.user_id for one in told})
        supported: dict[str, Sequence[Fact]] = {}
        folded: list[tuple[Folding, str, UUID]] = []
        try:
            async with self._database.transaction(tenant) as connection:
                await connection.execute(_SQL["lock_users"], tenant, users)
                new = await _keep(connection, tenant, told, users)
                states = await _states(connection, tenant, sorted(new))
                for user_id in sorted(new):
                    known = self._remembered.take(tenant, user_id, new[user_id].state)
                    folding = known or Folding(tenant, user_id)
                    refolding = Refolding(connection, tenant, user_id, self._beside)
                    changes = await refolding.fold(folding, new[user_id])
                    supported |= changes.supported
                    if changes.facts or changes.gone:
                        await _projected(project, Learned(user_id, changes.facts, changes.gone))
                    if user_id in states:
                        folded.append((folding, user_id, states[user_id]))
                done = [one.memory_id for one in told]
                progress = await mark(connection, tenant, Stage.EXTRACTED, done, at)
        except _NotProjected as failure:
            raise failure.error from None
        for folding, user_id, state in folded:
            self._remembered.keep(tenant, user_id, folding, state)
        return supported, progress

    async def facts(self, tenant: str, question: FactQuestion) -> Sequence[Fact]:
        """Return facts, most confident first, then most recent."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(
                _SQL["facts"],
                tenant,
                question.user_id,
                None if question.entity is None else normalise(question.entity),
                question.predicate,
                question.min_confidence,
                question.as_of,
                question.history,
                question.limit,
            )
        return [_fact(row) for row in found]

    async def surfacing(
        self, tenant: str, user_id: str, *, names: Sequence[str], threshold: int, limit: int
    ) -> Sequence[Fact]:
        """Return current facts worth showing beside memories; see `FactLedger.surfacing`."""
        keys = sorted({normalise(name) for name in names} - {"", USER})
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["surfacing"], tenant, user_id, keys, threshold, limit)
        return [_fact(row) for row in found]


class _NotProjected(Exception):
    """Carries what `project` raised out of the transaction: it is not PostgreSQL that failed."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


async def _projected(project: Project, learned: Learned) -> None:
    try:
        await project(learned)
    except Exception as error:
        raise _NotProjected(error) from error


async def _keep(
    connection: Connection, tenant: str, told: Sequence[Told], users: Sequence[str]
) -> dict[str, New]:
    """Write the evidence, and return what is new by user: what was kept, and what stood in its place."""
    document = rows.recordset(row for one in told for row in _evidence_rows(one))
    messages = [one.message_id for one in told]
    memories = [one.memory_id for one in told]
    found = await connection.fetch(_SQL["keep_evidence"], tenant, messages, document, memories, users)
    kept = {row["message_id"] for row in found if row["message_id"] is not None}
    new: defaultdict[str, New] = defaultdict(New)
    for one in told:
        if one.message_id in kept:
            new[one.user_id].evidence += [row for row in one.evidence if row.predicate in PREDICATES]
            new[one.user_id].messages.add(one.message_id)
    for row in found:
        if row["predicate"] is not None:
            new[row["user_id"]].replaced |= parts(row["subject_key"], row["predicate"], row["object_key"])
    for row in found:
        if row["state"] is not None and row["user_id"] in new:
            new[row["user_id"]].state = row["state"]
    return new


async def _states(connection: Connection, tenant: str, users: Sequence[str]) -> dict[str, UUID]:
    """Return the states in which the evidence of users is now."""
    found = await connection.fetch(_SQL["states"], tenant, users) if users else []
    return {row["user_id"]: row["state"] for row in found}


def _evidence_rows(told: Told) -> list[dict[str, Any]]:
    """Write the evidence as rows; nothing outside of the vocabulary is ever stored."""
    return [
        {
            "memory_id": told.memory_id,
            "user_id": told.user_id,
            "message_id": told.message_id,
            "ordinal": ordinal,
            "said_at": row.at,
            "subject": row.subject,
            "subject_key": normalise(row.subject),
            "predicate": row.predicate,
            "object": row.object,
            "object_key": normalise(row.object),
            "polarity": row.polarity,
            "kind": row.kind,
            "position": row.position,
            "valid_from": row.valid_from,
            "valid_to": row.valid_to,
            "quote": quote,
        }
        for ordinal, (row, quote) in enumerate(zip(told.evidence, told.quotes, strict=True))
        if row.predicate in PREDICATES
    ]


def _fact(row: asyncpg.Record) -> Fact:
    fields = {name: row[name] for name in FACT_FIELDS}
    return Fact(**fields | {"message_ids": tuple(row["message_ids"])})
