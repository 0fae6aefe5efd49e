"""Assertions of users about facts, stored as evidence; and rejected readings."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

import asyncpg

from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.evidence import Evidence
from ricordo.language.facts.kinship import tie_of
from ricordo.language.facts.vocabulary import PREDICATES, SINGLE_VALUED
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.facts.user_assertions import Rejection, UserAssertion, assertion_evidence, drop_rejected
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.store import rows
from ricordo.store.database import Connection, Database
from ricordo.store.evidence_store import EvidenceChange, FoldingTransaction
from ricordo.store.idempotency import RequestConflict
from ricordo.store.rows import evidence_of, fact_of

_SQL: Final = Database.queries("fact_assertions")
_EVIDENCE = Database.queries("evidence")


class UnknownFact(LookupError):
    """The user has no such fact."""


class FactEnded(LookupError):
    """No period of the fact's value holds or is disputed: it cannot be corrected.

    Attributes:
        instead: the current fact in its place, if there is one.
    """

    def __init__(self, fact_id: UUID, instead: UUID | None) -> None:
        super().__init__(f"the fact {fact_id} does not hold any more")
        self.instead = instead


@dataclass(frozen=True, slots=True, kw_only=True)
class FactAssertion:
    """An assertion of a user about one fact; `request_id` takes the place of a message id in the evidence."""

    user_id: str
    fact_id: UUID
    request_id: str
    assertion: UserAssertion


async def is_repeated_rejection(connection: Connection, tenant: str, curation: FactAssertion) -> bool:
    """Tell whether a request to reject a fact was made before.

    Raises:
        RequestConflict: it rejected another fact.
    """
    fact_id = await connection.fetchval(_SQL["of_request"], tenant, curation.request_id)
    if fact_id is not None and fact_id != curation.fact_id:
        raise RequestConflict
    return fact_id is not None


async def reject_evidence(
    connection: Connection, tenant: str, curation: FactAssertion, at: datetime, scope: Sequence[str]
) -> Sequence[asyncpg.Record]:
    """Delete the evidence of messages for a fact, and store its words as rejected; return its rows."""
    found = await connection.fetch(_SQL["delete_evidence"], tenant, curation.user_id, *scope)
    rejected = sorted(
        {
            Rejection(row["message_id"], row["subject"], scope[1], row["object"], row["quote"])
            for row in found
        },
        key=lambda one: (one.message_id, one.quote, one.subject, one.object),
    )
    without_message = Rejection("", "user", scope[1], "", "")  # the fact rested on assertions alone
    values = {"request_id": curation.request_id, "fact_id": curation.fact_id, "rejected_at": at}
    new = [asdict(one) | values | {"ordinal": n} for n, one in enumerate(rejected or [without_message])]
    await keep_rejections(connection, tenant, curation.user_id, new)
    return found


async def keep_rejections(
    connection: Connection, tenant: str, user_id: str, rejected: Iterable[Mapping[str, object]]
) -> None:
    """Store rows of `rejections`; existing ones stay."""
    await connection.execute(_SQL["keep"], tenant, user_id, rows.recordset(rejected))


def without_rejected(
    extracted: Sequence[ExtractedEvidence], found: Sequence[asyncpg.Record]
) -> list[ExtractedEvidence]:
    """Return the evidence of messages without the rejected readings in `found`."""
    by_message: defaultdict[str, list[Rejection]] = defaultdict(list)
    for row in found:
        if row["message_id"] is not None:
            words = row["subject"], row["predicate"], row["object"], row["quote"]
            by_message[row["message_id"]].append(Rejection(row["message_id"], *words))
    return [_without(one, by_message[one.message_id]) for one in extracted]


async def delete_rejected_evidence(
    connection: Connection, tenant: str, user_id: str, rejections: Iterable[Rejection]
) -> Sequence[asyncpg.Record]:
    """Delete the evidence of rejected readings; return its rows."""
    by_message: defaultdict[str, list[Rejection]] = defaultdict(list)
    for one in rejections:
        by_message[one.message_id].append(one)
    found = await connection.fetch(_SQL["evidence_of"], tenant, user_id, sorted(by_message))
    gone = [
        row
        for row in found
        if any(one.covers(evidence_of(row), row["quote"]) for one in by_message[row["message_id"]])
    ]
    places = [row["message_id"] for row in gone], [row["ordinal"] for row in gone]
    await connection.execute(_SQL["drop"], tenant, user_id, *places)
    return gone


def _without(one: ExtractedEvidence, rejections: Iterable[Rejection]) -> ExtractedEvidence:
    evidence, quotes = drop_rejected(one.evidence, one.quotes, rejections)
    return replace(one, evidence=evidence, quotes=quotes)


async def keep_assertion(
    transaction: FoldingTransaction, curation: FactAssertion, at: datetime
) -> EvidenceChange:
    """Store a user's assertion as evidence, and return what is to be folded.

    Raises:
        UnknownFact, FactEnded, RequestConflict: see `FactLedger.apply_assertion`.
    """
    connection, tenant = transaction.connection, transaction.tenant
    user_id, request_id = curation.user_id, curation.request_id
    change = EvidenceChange()
    if curation.assertion.rejected and await is_repeated_rejection(connection, tenant, curation):
        return change
    kept = await connection.fetch(_EVIDENCE["kept_word"], tenant, request_id, user_id)
    found = await connection.fetchrow(_SQL["lock_fact"], tenant, user_id, curation.fact_id)
    if kept:
        _check_repeated(kept, found, curation)
        change.touch(kept)
        change.messages.add(request_id)
        return change
    if await connection.fetchval(_SQL["is_memory_request"], tenant, request_id):
        raise RequestConflict
    if found is None:
        raise UnknownFact(f"the user has no fact {curation.fact_id}")
    fact = fact_of(found)
    subject_key = found["subject_key"]
    last = await connection.fetchval(_SQL["last_evidence"], tenant, user_id, subject_key, _competing(fact))
    if curation.assertion.times and curation.assertion.object is None:
        await _check_latest(
            connection, (tenant, user_id, subject_key, fact.predicate, found["object_key"]), curation, fact
        )
    named = assertion_evidence(fact, curation.assertion, message_id=request_id, now=at, last_said=last)
    scope = (tenant, user_id, subject_key, fact.predicate, found["object_key"])
    if curation.assertion.rejected and not await connection.fetchval(_SQL["is_verified"], *scope):
        change.remove(await reject_evidence(connection, tenant, curation, at, scope[2:]))
        return change
    words = await connection.fetchrow(_SQL["words"], *scope)
    evidence = [_in_words(row, fact, words) for row in named]
    if curation.assertion.object is not None and not fact.current and not fact.disputed:
        raise FactEnded(curation.fact_id, await _instead(connection, scope))
    if named[0].kind == "unverified" and fact.predicate not in SINGLE_VALUED:
        evidence += [_restored(row, named[0]) for row in await connection.fetch(_SQL["corrected"], *scope)]
    await transaction.keep(change, user_id, {request_id: evidence})
    if curation.assertion.rejected:
        change.remove(await reject_evidence(connection, tenant, curation, at, scope[2:]))
    return change


def _in_words(row: Evidence, fact: Fact, words: asyncpg.Record | None) -> Evidence:
    """Return evidence in the words of messages: entities follow from these, and may change.

    Whoever is named in the place of somebody is tied as they were: a brother stays a brother.
    """
    if words is None:
        return row
    row = replace(row, subject=_word(words["subject"], row.subject), subject_tie=words["subject_tie"])
    if row.object != fact.object:
        tie = tie_of(words["object_tie"])
        return row if tie is None else replace(row, object_tie=str(replace(tie, named=True)))
    return replace(row, object=_word(words["object"], row.object), object_tie=words["object_tie"])


def _restored(rejected: asyncpg.Record, taking_back: Evidence) -> Evidence:
    """Withdraw the rejection of a value, together with its correction."""
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


def _word(written: str, canonical: str) -> str:
    return canonical if normalise(written) == normalise(canonical) else written


def _competing(fact: Fact) -> list[str]:
    opposite = PREDICATES[fact.predicate].opposite
    return [fact.predicate] if opposite is None else [fact.predicate, opposite]


def _check_repeated(
    kept: Sequence[asyncpg.Record], found: asyncpg.Record | None, curation: FactAssertion
) -> None:
    """Check a repeated request against its stored evidence; its fact may have another id since.

    Raises:
        RequestConflict: the request was made with another content.
    """
    first, word = kept[0], curation.assertion
    last, times = kept[-1], word.times
    if word.is_dated:
        same = (
            last["polarity"] != "holds"
            and last["valid_from"] == times.get("valid_from")
            and ("valid_to" not in times or last["valid_to"] == times["valid_to"])
            and normalise(last["object"]) == normalise(word.object or first["object"])
        )
    elif word.object is None:
        kinds = ["verified"] if word.verified else ["unverified", *["restored"] * (len(kept) - 1)]
        same = [row["kind"] for row in kept] == kinds and last["polarity"] == "holds"
    else:
        same = (last["kind"], last["polarity"]) == ("verified", "holds")
        same = same and normalise(last["object"]) == normalise(word.object)
    if not same or (found is not None and _statement(first) != _statement(found)):
        raise RequestConflict


def _statement(row: asyncpg.Record) -> tuple[str, str, str]:
    return row["subject_key"], row["predicate"], row["object_key"]


async def _check_latest(
    connection: Connection, scope: tuple[str, ...], curation: FactAssertion, fact: Fact
) -> None:
    """Check that times are given for the latest period of a value, which a correction is about.

    Raises:
        FactEnded: another period of the value is later.
    """
    later = (
        fact.id if fact.id != curation.fact_id else await connection.fetchval(_SQL["later"], *scope, fact.id)
    )
    if later is not None:
        raise FactEnded(curation.fact_id, later)


async def _instead(connection: Connection, scope: tuple[str, ...]) -> UUID | None:
    *of, predicate, _ = scope
    if predicate not in SINGLE_VALUED:
        return None
    found: UUID | None = await connection.fetchval(_SQL["instead"], *of, predicate)
    return found
