"""What every `FactLedger` says of a message: what follows from the state, and not from the call."""

import pytest
from tests.contract.store.evidence import Projection, said, tell
from tests.contract.store.stores import STORED, Stores

from ricordo.memory.facts import MessageContribution
from ricordo.store.fact_ledger import FactLedger
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

CITIES = ("Rome", "Rome", "Rome", "Rome", "Rome", "Milan", "Milan", "Turin")
SAID = ("new", *["reinforced"] * 4, "new", "reinforced", "new")


async def _told(stores: Stores, n: int, ledger: FactLedger | None = None) -> MessageContribution:
    told = tell(stores, f"m-{n}", said("lives_in", CITIES[n], minute=n))
    found, _ = await (ledger or stores.ledger).record(stores.tenant, [told], Projection(), STORED)
    return found[f"m-{n}"]


async def test_what_is_new_reinforced_superseded_and_disputed_is_told(stores: Stores) -> None:
    await stores.record(
        *(new_message(f"m-{n}", tenant=stores.tenant, timestamp=at(n)) for n in range(len(CITIES)))
    )
    told = [await _told(stores, n) for n in range(len(CITIES))]
    for n, (one, bearing) in enumerate(zip(told, SAID, strict=True)):
        (fact,) = getattr(one, bearing)
        assert (fact.object, one.supported) == (CITIES[n], (fact,))
    superseded = [tuple(fact.object for fact in one.superseded) for one in told]
    assert superseded == [(), (), (), (), (), (), ("Rome",), ("Milan",)]
    disputed = [sorted(fact.object for fact in one.disputed) for one in told]
    assert disputed == [[], [], [], [], [], ["Milan", "Rome"], [], []]


async def test_a_redelivery_tells_the_same(stores: Stores) -> None:
    await stores.record(
        *(new_message(f"m-{n}", tenant=stores.tenant, timestamp=at(n)) for n in range(len(CITIES)))
    )
    for n in range(len(CITIES)):
        first = await _told(stores, n)
        for ledger in (stores.ledger, stores.another_ledger()):
            assert await _told(stores, n, ledger) == first


async def test_a_message_that_states_nothing_has_none(stores: Stores) -> None:
    await stores.record(new_message("m-0", tenant=stores.tenant))
    told = tell(stores, "m-0")
    found, _ = await stores.ledger.record(stores.tenant, [told], Projection(), STORED)
    assert found.get("m-0", MessageContribution()) == MessageContribution()
