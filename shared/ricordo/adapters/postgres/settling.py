"""The user's word on a fact: kept as evidence, without a message or a memory behind it."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import asyncpg

from ricordo.adapters.postgres import rows
from ricordo.adapters.postgres.database import Connection, Database
from ricordo.adapters.postgres.refolding import FACT_FIELDS, New
from ricordo.domain.facts import PREDICATES, Evidence, Fact, normalise, parts_of, settled
from ricordo.ports.facts import FactEnded, OtherRequest, Settlement, UnknownFact

_SQL = Database.queries("settling")


def fact_of(row: asyncpg.Record) -> Fact:
    """Return the fact of a row that has all its fields."""
    fields = {name: row[name] for name in FACT_FIELDS}
    return Fact(**fields | {"message_ids": tuple(row["message_ids"])})


async def keep(
    connection: Connection, tenant: str, settlement: Settlement, at: datetime, state: UUID | None
) -> New:
    """Keep the evidence that a user's word is, and return what is to be folded.

    Where it stood already, that is all that has a say where it has one.

    Raises:
        UnknownFact, FactEnded, OtherRequest: see `FactLedger.settle`.
    """
    user_id, request_id = settlement.user_id, settlement.request_id
    found = await connection.fetchrow(_SQL["hold_fact"], tenant, user_id, settlement.fact_id)
    if found is None:
        raise UnknownFact(f"the user has no fact {settlement.fact_id}")
    fact = fact_of(found)
    subject_key = found["subject_key"]
    last = await connection.fetchval(_SQL["last_said"], tenant, user_id, subject_key, _competing(fact))
    evidence = settled(fact, settlement.word, message_id=request_id, now=at, last_said=last)
    new = New(list(evidence), {request_id}, state=state)
    kept = await connection.fetch(_SQL["kept_word"], tenant, request_id)
    if kept:
        if [(row["predicate"], row["object_key"], row["kind"]) for row in kept] != _said(evidence):
            raise OtherRequest("this request has settled something else already")
        new.replaced = {part for row in evidence for part in parts_of(row)}  # reads them as they stand
        return new
    if settlement.word.object is not None and not fact.current and not fact.disputed:
        raise FactEnded(f"the fact {fact.id} does not hold any more")
    await connection.execute(_SQL["keep_word"], tenant, user_id, rows.recordset(_rows(evidence)))
    return new


def _competing(fact: Fact) -> list[str]:
    opposite = PREDICATES[fact.predicate].opposite
    return [fact.predicate] if opposite is None else [fact.predicate, opposite]


def _said(evidence: Sequence[Evidence]) -> list[tuple[str, str, str]]:
    return [(row.predicate, normalise(row.object), row.kind) for row in evidence]


def _rows(evidence: Sequence[Evidence]) -> list[dict[str, object]]:
    return [
        {
            "message_id": row.message_id,
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
        }
        for ordinal, row in enumerate(evidence)
    ]
