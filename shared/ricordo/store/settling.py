"""The user's word on a fact: kept as evidence, without a message or a memory behind it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

import asyncpg

from ricordo.memory.facts import (
    FUNCTIONAL,
    PREDICATES,
    Evidence,
    Fact,
    Partition,
    assertion_evidence,
    normalise,
    partitions_for,
)
from ricordo.store import rejecting, rows
from ricordo.store.database import Connection, Database
from ricordo.store.fact_rows import evidence_of, evidence_row, fact_of
from ricordo.store.refolding import New
from ricordo.store.types.facts import Curation, FactEnded, OtherRequest, UnknownFact

_SQL = Database.queries("settling")
_EVIDENCE = Database.queries("evidence")


async def keep(
    connection: Connection, tenant: str, curation: Curation, at: datetime, state: UUID | None
) -> New:
    """Keep the evidence that a user's word is, and return what is to be folded.

    Where it stood already, that is all that has a say where it has one.

    Raises:
        UnknownFact, FactEnded, OtherRequest: see `FactLedger.settle`.
    """
    user_id, request_id = curation.user_id, curation.request_id
    if curation.word.rejected and await rejecting.is_made(connection, tenant, curation):
        return New(state=state)
    kept = await connection.fetch(_EVIDENCE["kept_word"], tenant, request_id, user_id)
    found = await connection.fetchrow(_SQL["hold_fact"], tenant, user_id, curation.fact_id)
    if kept:
        return New(list(_repeated(kept, found, curation)), {request_id}, _parts(kept), state)
    if await connection.fetchval(_SQL["asked_of_a_memory"], tenant, request_id):
        raise OtherRequest(f"the request {request_id} is known for something else")
    if found is None:
        raise UnknownFact(f"the user has no fact {curation.fact_id}")
    fact = fact_of(found)
    subject_key = found["subject_key"]
    last = await connection.fetchval(_SQL["last_said"], tenant, user_id, subject_key, _competing(fact))
    named = assertion_evidence(fact, curation.word, message_id=request_id, now=at, last_said=last)
    scope = (tenant, user_id, subject_key, fact.predicate, found["object_key"])
    if curation.word.rejected and not await rejecting.is_confirmed(connection, *scope[:2], scope[2:]):
        return New(
            replaced=await rejecting.take_back(connection, tenant, curation, at, scope[2:]), state=state
        )
    words = await connection.fetchrow(_SQL["words"], *scope)
    evidence = [_in_words(row, fact, words) for row in named]
    if curation.word.object is not None and not fact.current and not fact.disputed:
        raise FactEnded(curation.fact_id, await _instead(connection, scope))
    if named[0].kind == "unverified" and fact.predicate not in FUNCTIONAL:
        evidence += [_restored(row, named[0]) for row in await connection.fetch(_SQL["corrected"], *scope)]
    document = rows.recordset(evidence_row(row, ordinal) for ordinal, row in enumerate(evidence))
    await connection.execute(_EVIDENCE["keep_word"], tenant, user_id, document)
    new = New(evidence, {request_id}, state=state)
    if curation.word.rejected:
        new.replaced = await rejecting.take_back(connection, tenant, curation, at, scope[2:])
    return new


def _in_words(row: Evidence, fact: Fact, words: asyncpg.Record | None) -> Evidence:
    """Speak of a fact as messages did: who is who follows from their words, and may change."""
    if words is None:
        return row
    row = replace(row, subject=_word(words["subject"], row.subject), subject_tie=words["subject_tie"])
    if row.object != fact.object:
        return row
    return replace(row, object=_word(words["object"], row.object), object_tie=words["object_tie"])


def _restored(rejected: asyncpg.Record, taking_back: Evidence) -> Evidence:
    """Take back that something was rejected, with what was put in its place and does not compete with it."""
    return replace(
        taking_back,
        kind="restored",
        subject=rejected["subject"],
        object=rejected["object"],
        subject_tie=rejected["subject_tie"],
        object_tie=rejected["object_tie"],
        valid_from=None,
        valid_to=rejected["said_at"],
    )


def _word(said: str, canonical: str) -> str:
    return canonical if normalise(said) == normalise(canonical) else said


def _competing(fact: Fact) -> list[str]:
    opposite = PREDICATES[fact.predicate].opposite
    return [fact.predicate] if opposite is None else [fact.predicate, opposite]


def _repeated(
    kept: Sequence[asyncpg.Record], found: asyncpg.Record | None, curation: Curation
) -> Iterator[Evidence]:
    """Return what was kept of a request that comes again; its fact may go by another id since.

    Raises:
        OtherRequest: it says something else now.
    """
    first, word = kept[0], curation.word
    if word.object is None:
        kinds = ["verified"] if word.verified else ["unverified", *["restored"] * (len(kept) - 1)]
        same = [row["kind"] for row in kept] == kinds
    else:
        same = kept[-1]["kind"] == "verified" and normalise(kept[-1]["object"]) == normalise(word.object)
    if not same or (found is not None and _statement(first) != _statement(found)):
        raise OtherRequest("this request has settled something else already")
    return map(evidence_of, kept)


def _statement(row: asyncpg.Record) -> tuple[str, str, str]:
    return row["subject_key"], row["predicate"], row["object_key"]


def _parts(kept: Sequence[asyncpg.Record]) -> set[Partition]:
    """Return in what that which was kept of a request has a say."""
    return {
        part
        for row in kept
        for part in partitions_for(row["subject_key"], row["predicate"], row["object_key"])
    }


async def _instead(connection: Connection, scope: tuple[str, ...]) -> UUID | None:
    """Return what holds in the place of a value that does not, where one value holds at a time."""
    *of, predicate, _ = scope
    if predicate not in FUNCTIONAL:
        return None
    found: UUID | None = await connection.fetchval(_SQL["instead"], *of, predicate)
    return found
