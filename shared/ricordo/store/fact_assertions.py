"""What users say of facts, kept as evidence; and readings that they have rejected."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

import asyncpg

from ricordo.memory.facts import (
    FUNCTIONAL,
    PREDICATES,
    Assertion,
    Evidence,
    Fact,
    Partition,
    Rejection,
    assertion_evidence,
    drop_rejected,
    normalise,
    partitions_for,
)
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.store import rows
from ricordo.store.database import Connection, Database, RequestConflict
from ricordo.store.evidence_store import NewEvidence
from ricordo.store.fact_rows import evidence_of, evidence_row, fact_of

_SQL: Final = Database.queries("fact_assertions")
_EVIDENCE = Database.queries("evidence")


class UnknownFact(LookupError):
    """The user has no such fact."""


class FactEnded(LookupError):
    """The fact is over, and its value neither holds nor is disputed elsewhere: it cannot be put right.

    Attributes:
        instead: the fact that holds in its place; None where nothing does, or many may.
    """

    def __init__(self, fact_id: UUID, instead: UUID | None) -> None:
        super().__init__(f"the fact {fact_id} does not hold any more")
        self.instead = instead


@dataclass(frozen=True, slots=True, kw_only=True)
class FactAssertion:
    """What a user says of one fact: that it is so, is not sure, is otherwise, or was read wrongly.

    Attributes:
        request_id: under which it is kept, as a message is under its own; one that no message can have.
    """

    user_id: str
    fact_id: UUID
    request_id: str
    word: Assertion


async def is_repeated_rejection(connection: Connection, tenant: str, curation: FactAssertion) -> bool:
    """Tell whether a request to reject a fact was made before.

    Raises:
        RequestConflict: of another fact.
    """
    fact_id = await connection.fetchval(_SQL["of_request"], tenant, curation.request_id)
    if fact_id is not None and fact_id != curation.fact_id:
        raise RequestConflict(f"the request {curation.request_id} has rejected something else already")
    return fact_id is not None


async def reject_evidence(
    connection: Connection, tenant: str, curation: FactAssertion, at: datetime, scope: Sequence[str]
) -> set[Partition]:
    """Take back what messages say for a fact, and keep in which words; return where that had a say.

    Args:
        connection: of the caller's transaction, which holds the facts of the user.
        tenant: whose fact.
        curation: names it.
        at: when it is rejected.
        scope: the keys of its subject, its predicate and its object.
    """
    found = await connection.fetch(_SQL["take_back"], tenant, curation.user_id, *scope)
    rejected = sorted(
        {
            Rejection(row["message_id"], row["subject"], scope[1], row["object"], row["quote"])
            for row in found
        },
        key=lambda one: (one.message_id, one.quote, one.subject, one.object),
    )
    by_word_alone = Rejection("", "user", scope[1], "", "")
    await keep_rejections(
        connection,
        tenant,
        curation.user_id,
        [
            _row(one, curation.request_id, ordinal, curation.fact_id, at)
            for ordinal, one in enumerate(rejected or [by_word_alone])
        ],
    )
    return _parts(found)


async def is_confirmed(connection: Connection, tenant: str, user_id: str, scope: Sequence[str]) -> bool:
    """Tell whether the user has said that a fact is so, whatever they have said since."""
    return bool(await connection.fetchval(_SQL["is_confirmed"], tenant, user_id, *scope))


async def keep_rejections(
    connection: Connection, tenant: str, user_id: str, rejected: Iterable[Mapping[str, object]]
) -> None:
    """Keep rows of `rejections`; those that are known stay as they are."""
    await connection.execute(_SQL["keep"], tenant, user_id, rows.recordset(rejected))


async def without_rejected(
    connection: Connection, tenant: str, told: Sequence[ExtractedEvidence]
) -> list[ExtractedEvidence]:
    """Return what messages state without the readings that their users have rejected."""
    messages = [one.message_id for one in told if one.evidence]
    if not messages:
        return list(told)
    found = await connection.fetch(_SQL["of_messages"], tenant, messages)
    by_message: defaultdict[str, list[Rejection]] = defaultdict(list)
    for row in found:
        by_message[row["message_id"]].append(Rejection(**row))
    return [
        _without(one, by_message[one.message_id]) if one.message_id in by_message else one for one in told
    ]


async def delete_rejected_evidence(
    connection: Connection, tenant: str, user_id: str, rejections: Iterable[Rejection]
) -> set[Partition]:
    """Take away what is kept of rejected readings; return in what it had a say."""
    by_message: defaultdict[str, list[Rejection]] = defaultdict(list)
    for one in rejections:
        by_message[one.message_id].append(one)
    found = await connection.fetch(_SQL["said_in"], tenant, user_id, sorted(by_message))
    gone = [
        row
        for row in found
        if any(one.covers(evidence_of(row), row["quote"]) for one in by_message[row["message_id"]])
    ]
    places = [row["message_id"] for row in gone], [row["ordinal"] for row in gone]
    await connection.execute(_SQL["drop"], tenant, user_id, *places)
    return _parts(gone)


def _without(told: ExtractedEvidence, rejections: Iterable[Rejection]) -> ExtractedEvidence:
    evidence, quotes = drop_rejected(told.evidence, told.quotes, rejections)
    return replace(told, evidence=evidence, quotes=quotes)


def _row(one: Rejection, request: str, ordinal: int, fact_id: UUID, at: datetime) -> dict[str, object]:
    beside = {"request_id": request, "ordinal": ordinal, "fact_id": fact_id, "rejected_at": at}
    return asdict(one) | beside


def _parts(found: Iterable[asyncpg.Record]) -> set[Partition]:
    return {
        part
        for row in found
        for part in partitions_for(row["subject_key"], row["predicate"], row["object_key"])
    }


async def keep_assertion(
    connection: Connection, tenant: str, curation: FactAssertion, at: datetime, state: UUID | None
) -> NewEvidence:
    """Keep the evidence that a user's word is, and return what is to be folded.

    Where it stood already, that is all that has a say where it has one.

    Raises:
        UnknownFact, FactEnded, RequestConflict: see `FactLedger.apply_assertion`.
    """
    user_id, request_id = curation.user_id, curation.request_id
    if curation.word.rejected and await is_repeated_rejection(connection, tenant, curation):
        return NewEvidence(state=state)
    kept = await connection.fetch(_EVIDENCE["kept_word"], tenant, request_id, user_id)
    found = await connection.fetchrow(_SQL["hold_fact"], tenant, user_id, curation.fact_id)
    if kept:
        return NewEvidence(list(_repeated(kept, found, curation)), {request_id}, _parts(kept), state)
    if await connection.fetchval(_SQL["asked_of_a_memory"], tenant, request_id):
        raise RequestConflict(f"the request {request_id} is known for something else")
    if found is None:
        raise UnknownFact(f"the user has no fact {curation.fact_id}")
    fact = fact_of(found)
    subject_key = found["subject_key"]
    last = await connection.fetchval(_SQL["last_said"], tenant, user_id, subject_key, _competing(fact))
    named = assertion_evidence(fact, curation.word, message_id=request_id, now=at, last_said=last)
    scope = (tenant, user_id, subject_key, fact.predicate, found["object_key"])
    if curation.word.rejected and not await is_confirmed(connection, *scope[:2], scope[2:]):
        return NewEvidence(
            replaced=await reject_evidence(connection, tenant, curation, at, scope[2:]), state=state
        )
    words = await connection.fetchrow(_SQL["words"], *scope)
    evidence = [_in_words(row, fact, words) for row in named]
    if curation.word.object is not None and not fact.current and not fact.disputed:
        raise FactEnded(curation.fact_id, await _instead(connection, scope))
    if named[0].kind == "unverified" and fact.predicate not in FUNCTIONAL:
        evidence += [_restored(row, named[0]) for row in await connection.fetch(_SQL["corrected"], *scope)]
    document = rows.recordset(evidence_row(row, ordinal) for ordinal, row in enumerate(evidence))
    await connection.execute(_EVIDENCE["keep_word"], tenant, user_id, document)
    new = NewEvidence(evidence, {request_id}, state=state)
    if curation.word.rejected:
        new.replaced = await reject_evidence(connection, tenant, curation, at, scope[2:])
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
        valid_to=rejected["sent_at"],
    )


def _word(said: str, canonical: str) -> str:
    return canonical if normalise(said) == normalise(canonical) else said


def _competing(fact: Fact) -> list[str]:
    opposite = PREDICATES[fact.predicate].opposite
    return [fact.predicate] if opposite is None else [fact.predicate, opposite]


def _repeated(
    kept: Sequence[asyncpg.Record], found: asyncpg.Record | None, curation: FactAssertion
) -> Iterator[Evidence]:
    """Return what was kept of a request that comes again; its fact may go by another id since.

    Raises:
        RequestConflict: it says something else now.
    """
    first, word = kept[0], curation.word
    if word.object is None:
        kinds = ["verified"] if word.verified else ["unverified", *["restored"] * (len(kept) - 1)]
        same = [row["kind"] for row in kept] == kinds
    else:
        same = kept[-1]["kind"] == "verified" and normalise(kept[-1]["object"]) == normalise(word.object)
    if not same or (found is not None and _statement(first) != _statement(found)):
        raise RequestConflict("this request has settled something else already")
    return map(evidence_of, kept)


def _statement(row: asyncpg.Record) -> tuple[str, str, str]:
    return row["subject_key"], row["predicate"], row["object_key"]


async def _instead(connection: Connection, scope: tuple[str, ...]) -> UUID | None:
    """Return what holds in the place of a value that does not, where one value holds at a time."""
    *of, predicate, _ = scope
    if predicate not in FUNCTIONAL:
        return None
    found: UUID | None = await connection.fetchval(_SQL["instead"], *of, predicate)
    return found
