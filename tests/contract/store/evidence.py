"""Evidence as messages state it, and what a ledger makes of it."""

# ruff: noqa: ANN401 - fields are passed on to the model that has them

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from tests.contract.store.stores import STORED, Stores
from tests.support.factories import at

from ricordo.language.facts.evidence import Evidence
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.facts.user_assertions import UserAssertion
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.memory.model import Progress
from ricordo.store.fact_assertions import FactAssertion
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.fact_queries import FactQuestion
from ricordo.store.graph_source import FactSource

ALL = FactQuestion(user_id="u-1", min_confidence=0, history=True, limit=10_000)
CURRENT = FactQuestion(user_id="u-1", min_confidence=0)


async def version(stores: Stores, user_id: str = "u-1") -> int:
    return (await FactSource(stores.database).changes(stores.tenant, user_id, None))[0]


async def changes(
    stores: Stores, since: int, user_id: str = "u-1"
) -> tuple[Collection[Fact], Collection[UUID]]:
    """Return which facts were written after a version, and the ids of those that were deleted."""
    _, delta = await FactSource(stores.database).changes(stores.tenant, user_id, since)
    return {fact async for page in delta.pages for fact in page}, delta.gone


def claim(
    predicate: str,
    value: str,
    *,
    minute: float = 0,
    subject: str = "user",
    ties: tuple[str, str] = ("", ""),
    **fields: Any,
) -> Evidence:
    """Return a statement; `extracted` says by which message."""
    subject_tie, object_tie = ties
    return Evidence(
        subject, predicate, value, "", at(minute), subject_tie=subject_tie, object_tie=object_tie, **fields
    )


def extracted(stores: Stores, message_id: str, *claims: Evidence, user_id: str = "u-1") -> ExtractedEvidence:
    evidence = tuple(replace(one, message_id=message_id) for one in claims)
    return ExtractedEvidence(
        memory_id=stores.id(message_id),
        message_id=message_id,
        user_id=user_id,
        said_at=evidence[0].at if evidence else at(0),
        evidence=evidence,
        quotes=tuple(f"{one.predicate} {one.object}" for one in evidence),
    )


async def learn(
    stores: Stores, *told: ExtractedEvidence, ledger: FactLedger | None = None
) -> tuple[Mapping[str, Sequence[Fact]], Sequence[Progress]]:
    """Record what messages state as one batch; return which facts each supports, and its stages."""
    target = ledger or stores.ledger
    found, progress = await target.record(stores.tenant, told, STORED)
    supported = {message_id: one.supported for message_id, one in found.items() if one.supported}
    return supported, progress


async def tell(
    stores: Stores, message_id: str, *claims: Evidence, ledger: FactLedger | None = None
) -> Sequence[Fact]:
    """Record a message and what it states; return the facts that it supports."""
    await stores.say(message_id)
    supported, _ = await learn(stores, extracted(stores, message_id, *claims), ledger=ledger)
    return supported.get(message_id, ())


async def tell_in_turn(stores: Stores, *claims: Evidence, first: int = 0, user_id: str = "u-1") -> None:
    """Have messages of their own, m-0 and so on, make statements, a minute apart."""
    for n, one in enumerate(claims, first):
        await stores.record(stores.message(f"m-{n}", minute=n, user_id=user_id))
        await learn(stores, extracted(stores, f"m-{n}", replace(one, at=at(n)), user_id=user_id))


async def facts(stores: Stores, question: FactQuestion = ALL) -> Sequence[Fact]:
    """Return facts, the current ones first, by their objects."""
    found = await stores.ledger.facts(stores.tenant, question)
    return sorted(found, key=lambda fact: (not fact.current, fact.object))


async def by_object(stores: Stores) -> dict[str, Fact]:
    return {one.object: one for one in await facts(stores)}


async def assert_fact(
    stores: Stores,
    fact_id: UUID,
    assertion: UserAssertion,
    request: str = "request 1",
    *,
    user_id: str = "u-1",
) -> Fact | None:
    curation = FactAssertion(user_id=user_id, fact_id=fact_id, request_id=request, assertion=assertion)
    return await stores.ledger.apply_assertion(stores.tenant, curation, STORED)
