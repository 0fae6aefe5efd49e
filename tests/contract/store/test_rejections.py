"""What every `FactLedger` promises of a fact that the user rejects: it is not read again from its words."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from uuid import UUID, uuid4

import pytest
from tests.contract.store.evidence import Projection, learn, said, tell
from tests.contract.store.stores import STORED, Stores

from ricordo.memory.facts import Assertion, Fact
from ricordo.store.database import RequestConflict
from ricordo.store.fact_assertions import FactAssertion, UnknownFact
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.fact_queries import FactQuestion
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

ALL = FactQuestion(user_id="u-1", min_confidence=0, history=True, limit=1000)
REJECTED = Assertion(rejected=True)


async def _recorded(stores: Stores, count: int = 4) -> None:
    await stores.record(*(new_message(f"m-{n}", tenant=stores.tenant, timestamp=at(n)) for n in range(count)))


async def _known(stores: Stores) -> dict[str, Fact]:
    return {one.object: one for one in await stores.ledger.facts(stores.tenant, ALL)}


async def _settle(
    stores: Stores,
    fact_id: UUID,
    word: Assertion = REJECTED,
    request: str = "request 1",
    *,
    projection: Projection | None = None,
    ledger: FactLedger | None = None,
) -> Fact | None:
    curation = FactAssertion(user_id="u-1", fact_id=fact_id, request_id=request, word=word)
    return await (ledger or stores.ledger).apply_assertion(
        stores.tenant, curation, projection or Projection(), STORED
    )


async def test_what_is_rejected_is_gone_and_the_rest_stays(stores: Stores) -> None:
    await _recorded(stores)
    await learn(stores, tell(stores, "m-0", said("likes", "rain"), said("likes", "snow", position=9)))
    rain = (await _known(stores))["rain"]
    projection = Projection()
    assert await _settle(stores, rain.id, projection=projection) is None
    assert (await _known(stores)).keys() == {"snow"}
    assert [one.gone for one in projection.learned] == [(rain.id,)]


async def test_it_is_not_read_again_from_the_same_words_and_may_be_told_anew(stores: Stores) -> None:
    await _recorded(stores)
    told = tell(stores, "m-0", said("likes", "rain"), said("likes", "snow", position=9))
    await learn(stores, told)
    await _settle(stores, (await _known(stores))["rain"].id)
    for ledger in (stores.ledger, stores.another_ledger()):
        supported, progress = await learn(stores, told, ledger=ledger)
        assert [one.object for one in supported["m-0"]] == ["snow"]
        assert progress[0].extracted is not None
        assert (await _known(stores)).keys() == {"snow"}
    await learn(stores, tell(stores, "m-1", said("likes", "rain", minute=1)))
    rain = (await _known(stores))["rain"]
    assert (rain.confidence, rain.message_ids) == (1, ("m-1",))


async def test_what_is_known_follows_from_the_set_of_words_and_rejections(stores: Stores) -> None:
    """In whatever order messages are read again around the rejection, and come late."""
    known: list[Sequence[Fact]] = []
    for order in permutations(range(3)):
        place = stores.elsewhere()
        await _recorded(place)
        told = [
            tell(place, "m-0", said("lives_in", "Rome", minute=0)),
            tell(place, "m-1", said("lives_in", "Lecce", minute=1), said("likes", "rain", minute=1)),
            tell(place, "m-2", said("lives_in", "Rome", minute=2)),
        ]
        await learn(place, told[1])
        await _settle(place, (await _known(place))["Lecce"].id)
        for n in order:
            await learn(place, told[n])
        facts = [_anywhere(one) for one in (await _known(place)).values()]
        known.append(sorted(facts, key=lambda fact: fact.object))
    assert [one.object for one in known[0]] == ["Rome", "rain"]
    assert all(one == known[0] for one in known)


async def test_the_users_word_for_it_goes_too_and_a_later_one_wins(stores: Stores) -> None:
    await _recorded(stores)
    await learn(stores, tell(stores, "m-0", said("works_at", "Acme")))
    acme = (await _known(stores))["Acme"]
    await _settle(stores, acme.id, Assertion(), "request 0")
    await _settle(stores, acme.id)
    assert await _known(stores) == {}
    await learn(stores, tell(stores, "m-1", said("works_at", "Acme", minute=1)))
    again = (await _known(stores))["Acme"]
    assert (again.id, again.verified, again.confidence) == (acme.id, False, 1)
    stands = await _settle(stores, again.id, Assertion(), "request 2")
    assert stands is not None
    assert stands.verified
    await learn(stores, tell(stores, "m-0", said("works_at", "Acme")))
    assert (await _known(stores))["Acme"].message_ids == ("m-1",)


async def test_a_correction_that_is_rejected_is_taken_back(stores: Stores) -> None:
    await _recorded(stores)
    await learn(stores, tell(stores, "m-0", said("lives_in", "Rome")))
    (rome,) = (await _known(stores)).values()
    lecce = await _settle(stores, rome.id, Assertion(object="Lecce"), "request 0")
    assert lecce is not None
    assert await _settle(stores, lecce.id) is None
    assert await _known(stores) == {"Rome": rome}
    assert await _settle(stores, lecce.id) is None, "it rested on no message, and the request is known"


async def test_a_request_counts_once(stores: Stores) -> None:
    await _recorded(stores)
    await learn(stores, tell(stores, "m-0", said("likes", "rain"), said("likes", "snow", position=9)))
    known = await _known(stores)
    await _settle(stores, known["rain"].id)
    await learn(stores, tell(stores, "m-1", said("likes", "rain", minute=1)))
    assert await _settle(stores, known["rain"].id, ledger=stores.another_ledger()) is None
    assert (await _known(stores)).keys() == {"rain", "snow"}, "what was told since is another matter"
    with pytest.raises(RequestConflict):
        await _settle(stores, known["snow"].id)
    with pytest.raises(UnknownFact):
        await _settle(stores, uuid4(), request="request 2")


async def test_what_speaks_against_a_fact_stays(stores: Stores) -> None:
    await _recorded(stores)
    denial = said("allergic_to", "nuts", minute=1, polarity="denied")
    await learn(stores, tell(stores, "m-0", said("allergic_to", "nuts")), tell(stores, "m-1", denial))
    await _settle(stores, (await _known(stores))["nuts"].id)
    await learn(stores, tell(stores, "m-2", said("allergic_to", "nuts", minute=-5)))
    assert not (await _known(stores))["nuts"].current


def _anywhere(fact: Fact) -> Fact:
    """Return a fact under an id that does not tell its tenant."""
    return replace(fact, id=UUID(int=0))
