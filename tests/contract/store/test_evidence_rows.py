"""Whatever evidence says is in its row: said by a message, told anew, or given as the user's word."""

from collections.abc import Sequence
from dataclasses import MISSING, fields, replace

import asyncpg
import pytest
from tests.contract.store.evidence import Projection, learn, said, tell
from tests.contract.store.stores import STORED, Stores

from ricordo.memory.facts import Assertion, Evidence
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.store.fact_assertions import FactAssertion
from ricordo.store.fact_queries import FactQuestion
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

RESOLVED = {"subject_as", "object_as"}
"""What is known of evidence once it is found who is meant, and never kept."""
NORA = Evidence(
    subject="Nora",
    predicate="knows",
    object="Marco",
    message_id="m-0",
    at=at(0),
    polarity="past",
    valid_from=at(-50),
    valid_to=at(-40),
    position=7,
    subject_tie="has_friend//",
    object_tie="has_sibling/m/brother",
)


def test_nothing_of_a_row_is_left_at_what_stands_there_anyway() -> None:
    said_alone = RESOLVED | {"kind"}  # a message says nothing else; the user's word has its own test
    plain = {one.name: one.default for one in fields(Evidence) if one.default is not MISSING}
    left = {name for name, value in plain.items() if getattr(NORA, name) == value}
    assert left == said_alone, "a field without a value here is not proved to be kept"


async def _kept(stores: Stores, *evidence: Evidence) -> Sequence[Evidence]:
    told = ExtractedEvidence(
        memory_id=stores.id("m-0"),
        message_id="m-0",
        user_id="u-1",
        said_at=evidence[0].at,
        evidence=evidence,
        quotes=("",) * len(evidence),
    )
    await learn(stores, told)
    return (await stores.ledger.evidence_of_memories(stores.tenant, [told.memory_id]))[
        told.memory_id
    ].evidence


async def test_what_a_message_says_is_kept_whole_and_so_is_what_it_says_instead(stores: Stores) -> None:
    await stores.record(new_message("m-0", tenant=stores.tenant, timestamp=at(0)))
    plain = Evidence("Ada", "likes", "tea", "m-0", at(0), position=90)
    assert await _kept(stores, NORA, plain) == (NORA, plain)
    assert await _kept(stores, plain, NORA) == (plain, NORA), "each takes the row of the other"
    assert await _kept(stores, replace(NORA, valid_to=None)) == (replace(NORA, valid_to=None),)


async def test_a_word_is_kept_whole(stores: Stores, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    await stores.record(new_message("m-0", tenant=stores.tenant, timestamp=at(0)))
    await learn(stores, tell(stores, "m-0", said("has_sibling", "Marco", ties=("", "has_sibling/m/brother"))))
    (fact,) = await stores.ledger.facts(stores.tenant, FactQuestion(user_id="u-1", min_confidence=0))
    word = FactAssertion(user_id="u-1", fact_id=fact.id, request_id="request", word=Assertion(object="Dario"))
    await stores.ledger.apply_assertion(stores.tenant, word, Projection(), STORED)
    found = await connection.fetch(
        "select subject, subject_key, predicate, object, object_key, kind, polarity, valid_from, object_tie, "
        "quote from fact_evidence where tenant = $1 and message_id = 'request' order by ordinal",
        stores.tenant,
    )
    same = ("user", "user", "has_sibling")
    assert [tuple(row) for row in found] == [
        (*same, "Marco", "marco", "rejected", "holds", fact.valid_from, "has_sibling/m/brother", ""),
        (*same, "Dario", "dario", "verified", "holds", fact.valid_from, "has_sibling//", ""),
    ]
