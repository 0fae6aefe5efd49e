"""What every `FactLedger` promises of a correction that the user takes back: it goes whole."""

from collections.abc import Sequence
from uuid import UUID

import pytest
from tests.contract.store.evidence import Projection, learn, said, tell
from tests.contract.store.stores import STORED, Stores

from ricordo.memory.facts import Assertion, Fact
from ricordo.store.fact_assertions import FactAssertion
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.fact_queries import FactQuestion
from ricordo.testing.factories import new_message

pytestmark = pytest.mark.integration

ALL = FactQuestion(user_id="u-1", min_confidence=0, history=True, limit=1000)
BACK = Assertion(verified=False)


async def _told(stores: Stores, predicate: str, *values: str) -> Sequence[Fact]:
    """Record a message that states something of each value, and return the facts."""
    await stores.record(new_message("m-1", tenant=stores.tenant))
    stated = (said(predicate, value, position=n) for n, value in enumerate(values))
    await learn(stores, tell(stores, "m-1", *stated))
    return await _facts(stores)


async def _facts(stores: Stores) -> Sequence[Fact]:
    found = await stores.ledger.facts(stores.tenant, ALL)
    return sorted(found, key=lambda fact: (not fact.current, fact.object))


async def _settle(
    stores: Stores, fact_id: UUID, word: Assertion, request: str, ledger: FactLedger | None = None
) -> Fact | None:
    curation = FactAssertion(user_id="u-1", fact_id=fact_id, request_id=request, word=word)
    return await (ledger or stores.ledger).apply_assertion(stores.tenant, curation, Projection(), STORED)


async def test_a_correction_is_taken_back_whole(stores: Stores) -> None:
    (rome,) = await _told(stores, "lives_in", "Rome")
    lecce = await _settle(stores, rome.id, Assertion(object="Lecce"), "request 1")
    assert lecce is not None
    for ledger in (stores.ledger, stores.another_ledger()):
        assert await _settle(stores, lecce.id, BACK, "request 2", ledger) is None
        assert await _facts(stores) == [rome]
    assert await _settle(stores, rome.id, Assertion(object="Lecce"), "request 1") is None, "it was taken back"
    assert await _facts(stores) == [rome]


async def test_another_ledger_takes_it_back_too(stores: Stores) -> None:
    (rome,) = await _told(stores, "lives_in", "Rome")
    lecce = await _settle(stores, rome.id, Assertion(object="Lecce"), "request 1")
    assert lecce is not None
    assert await _settle(stores, lecce.id, BACK, "request 2", stores.another_ledger()) is None
    assert await _facts(stores) == [rome]


async def test_a_correction_among_many_values_is_taken_back_whole(stores: Stores) -> None:
    before = await _told(stores, "likes", "cake", "tea")
    tea = next(one for one in before if one.object == "tea")
    coffee = await _settle(stores, tea.id, Assertion(object="coffee"), "request 1")
    assert coffee is not None
    corrected = await _facts(stores)
    await _settle(stores, tea.id, BACK, "request 2")
    assert await _facts(stores) == corrected, "of tea itself nothing was confirmed"
    for _ in range(2):
        await _settle(stores, coffee.id, BACK, "request 3")
        assert await _facts(stores) == before
    again = await _settle(stores, tea.id, Assertion(object="coffee"), "request 4")
    assert again is not None
    assert again.id == coffee.id
