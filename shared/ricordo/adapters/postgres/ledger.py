"""Knowledge's part of the truth: evidence as it was said, and the facts and entities folded from it."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from ricordo.adapters.postgres import rows
from ricordo.adapters.postgres.database import Connection, Database
from ricordo.adapters.postgres.marking import mark
from ricordo.domain.facts import PREDICATES, USER, Evidence, Fact, entities, fold, normalise
from ricordo.ports.facts import FactQuestion, Learned, Project, Told, Utterance
from ricordo.ports.stages import Progress, Stage

_SQL = Database.queries("facts")


class PostgresFactLedger:
    """Implements `FactLedger`."""

    def __init__(self, database: Database) -> None:
        """Read and write through `database`."""
        self._database = database

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
            )
            for row in rows.in_order(found, memory_ids)
        ]

    async def record(
        self, tenant: str, told: Sequence[Told], project: Project, at: datetime
    ) -> tuple[Sequence[Learned], Sequence[Progress]]:
        """Keep, fold, project and mark in one transaction; see `FactLedger.record`."""
        told = list({one.message_id: one for one in told}.values())
        users = sorted({one.user_id for one in told})
        try:
            async with self._database.transaction(tenant) as connection:
                await connection.execute(_SQL["lock_users"], tenant, users)
                replaced = await _keep(connection, tenant, told)
                learned = []
                for user_id in users:
                    touched = _Touched.by(
                        [row for one in told if one.user_id == user_id for row in one.evidence],
                        [row for row in replaced if row["user_id"] == user_id],
                    )
                    if touched:
                        now, changed = await _refold(connection, tenant, user_id, touched)
                        learned.append(now)
                        if changed.facts or changed.gone:
                            await _projected(project, changed)
                done = [one.memory_id for one in told]
                return learned, await mark(connection, tenant, Stage.EXTRACTED, done, at)
        except _NotProjected as failure:
            raise failure.error from None

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


async def _keep(connection: Connection, tenant: str, told: Sequence[Told]) -> list[asyncpg.Record]:
    """Write the evidence and return what stood in its place."""
    document = rows.recordset(row for one in told for row in _evidence_rows(one))
    messages = [one.message_id for one in told]
    memories = [one.memory_id for one in told]
    return await connection.fetch(_SQL["keep_evidence"], tenant, messages, document, memories)


class _Touched:
    """What has to be folded again: all about some names, and some statements about the user in person.

    Of a predicate that holds one value, every value competes with the new one; of the others only those that
    say something of the same object, or its opposite: most of what a user likes is left alone.
    """

    def __init__(self, names: Collection[str], of_user: Collection[tuple[str, str]]) -> None:
        self.names = sorted(names)
        self.predicates = sorted({predicate for predicate, _ in of_user if PREDICATES[predicate].functional})
        self.statements = sorted(
            {
                (one, object_key)
                for predicate, object_key in of_user
                if not PREDICATES[predicate].functional
                for one in (predicate, PREDICATES[predicate].opposite)
                if one is not None
            }
        )

    @classmethod
    def by(cls, told: Sequence[Evidence], replaced: Sequence[asyncpg.Record]) -> "_Touched":
        statements = [(normalise(row.subject), row.predicate, normalise(row.object)) for row in told]
        statements += [(row["subject_key"], row["predicate"], row["object_key"]) for row in replaced]
        known = [statement for statement in statements if statement[1] in PREDICATES]
        names = {subject for subject, _, _ in known if subject != USER}
        names |= {object_ for _, predicate, object_ in known if PREDICATES[predicate].about}
        return cls(names, {(predicate, object_) for subject, predicate, object_ in known if subject == USER})

    def __bool__(self) -> bool:
        return bool(self.names or self.predicates or self.statements)

    @property
    def parameters(self) -> tuple[list[str], list[str], list[str], list[str]]:
        """What the queries take: names, predicates, and the statements as two columns."""
        return (
            self.names,
            self.predicates,
            [predicate for predicate, _ in self.statements],
            [object_key for _, object_key in self.statements],
        )

    def folds(self, row: asyncpg.Record) -> bool:
        """Whether all evidence of this row's kind is at hand, so that it may be folded."""
        if row["subject_key"] == USER:
            statement = (row["predicate"], row["object_key"])
            return row["predicate"] in self.predicates or statement in self.statements
        return row["subject_key"] in self.names


async def _refold(
    connection: Connection, tenant: str, user_id: str, touched: _Touched
) -> tuple[Learned, Learned]:
    """Fold again what was touched; return it as it now stands, and what of it has changed."""
    found = await connection.fetch(_SQL["evidence"], tenant, user_id, *touched.parameters)
    facts = fold([_evidence(row) for row in found if touched.folds(row)], tenant=tenant, user_id=user_id)
    kept = [fact.id for fact in facts]
    dropped = await connection.fetch(_SQL["drop_facts"], tenant, user_id, *touched.parameters, kept)
    gone = tuple(row["id"] for row in dropped)
    document = rows.recordset(map(_fact_row, facts))
    written = {row["id"] for row in await connection.fetch(_SQL["keep_facts"], tenant, user_id, document)}
    met = [entity for entity in entities(map(_evidence, found)) if entity.key in touched.names]
    document = rows.recordset(
        {"key": one.key, "name": one.name, "aliases": one.aliases, "mentions": one.mentions} for one in met
    )
    await connection.execute(_SQL["keep_entities"], tenant, user_id, touched.names, document)
    changed = tuple(fact for fact in facts if fact.id in written)
    return Learned(user_id, facts, gone), Learned(user_id, changed, gone)


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


def _evidence(row: asyncpg.Record) -> Evidence:
    return Evidence(
        subject=row["subject"],
        predicate=row["predicate"],
        object=row["object"],
        message_id=row["message_id"],
        at=row["said_at"],
        polarity=row["polarity"],
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        kind=row["kind"],
        position=row["position"],
    )


_FACT_FIELDS = [
    "id",
    "subject",
    "predicate",
    "object",
    "confidence",
    "first_seen",
    "last_reinforced",
    "valid_from",
    "valid_to",
    "contradictions",
    "disputed",
    "verified",
    "message_ids",
]


def _fact_row(fact: Fact) -> dict[str, Any]:
    fields = {name: getattr(fact, name) for name in _FACT_FIELDS}
    return fields | {"subject_key": normalise(fact.subject), "object_key": normalise(fact.object)}


def _fact(row: asyncpg.Record) -> Fact:
    fields = {name: row[name] for name in _FACT_FIELDS}
    return Fact(**fields | {"message_ids": tuple(row["message_ids"])})
