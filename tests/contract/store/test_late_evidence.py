"""What a `FactLedger` holds when there is much, and when some of it comes late or again."""

import pytest
from tests.contract.store.evidence import learn, said, tell
from tests.contract.store.stores import Stores

from ricordo.memory.facts import Evidence, fold
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.store.fact_queries import FactQuestion
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

MANY = 400
"""Messages: more than a ledger need take back to let a late one take its place."""
CITIES = ("Rome", "Milan", "Turin", "Bari", "Rome", "Rome")
ALL = FactQuestion(user_id="u-1", min_confidence=0, history=True, limit=10_000)


async def _told(stores: Stores) -> list[ExtractedEvidence]:
    """Record many messages, all of which say where the user lives, and one thing that she likes."""
    told = []
    for start in range(0, MANY, 100):
        numbers = range(start, start + 100)
        await stores.record(*(new_message(f"m-{n}", tenant=stores.tenant, timestamp=at(n)) for n in numbers))
        told += [tell(stores, f"m-{n}", *_says(n)) for n in numbers]
    return told


def _says(n: int) -> tuple[Evidence, Evidence]:
    city = said("lives_in", CITIES[n % len(CITIES)], minute=n)
    return city, said("likes", "tea", minute=n, position=9)


async def _holds_the_fold(stores: Stores, *told: ExtractedEvidence) -> None:
    evidence = [row for one in told for row in one.evidence]
    facts = fold(evidence, tenant=stores.tenant, user_id="u-1")
    assert set(await stores.ledger.facts(stores.tenant, ALL)) == set(facts)


async def test_a_message_that_comes_a_little_late_takes_its_place(stores: Stores) -> None:
    told = await _told(stores)
    for start in range(0, MANY, 40):  # of each two batches, the second comes first
        await learn(stores, *told[start + 20 : start + 40])
        await learn(stores, *told[start : start + 20])
        await _holds_the_fold(stores, *told[: start + 40])


async def test_so_does_one_that_comes_long_after_its_time(stores: Stores) -> None:
    first, second, *told = await _told(stores)
    await learn(stores, first)
    await learn(stores, *told)
    await learn(stores, second)
    await _holds_the_fold(stores, first, second, *told)
    await learn(stores, tell(stores, first.message_id, said("lives_in", "Paris")))
    await _holds_the_fold(stores, tell(stores, first.message_id, said("lives_in", "Paris")), second, *told)


async def test_a_fact_names_its_latest_messages_and_says_of_each_that_it_supports_it(stores: Stores) -> None:
    told = await _told(stores)
    supported, _ = await learn(stores, *told)
    assert set(supported) == {one.message_id for one in told}
    assert all({"tea"} < {fact.object for fact in facts} for facts in supported.values())
    again, _ = await learn(stores, told[0])
    assert again == {"m-0": supported["m-0"]}
    (tea,) = [fact for fact in again["m-0"] if fact.object == "tea"]
    assert tea.message_ids == tuple(f"m-{n}" for n in range(MANY - 100, MANY))
    assert tea.confidence == 10


async def test_another_worker_goes_on_from_what_the_one_has_left(stores: Stores) -> None:
    told = await _told(stores)
    ledgers = stores.ledger, stores.another_ledger()
    for turn, start in enumerate(range(0, MANY, 50)):
        await learn(stores, *told[start : start + 50], ledger=ledgers[turn % 3 // 2])
    await _holds_the_fold(stores, *told)
