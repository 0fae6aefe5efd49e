"""Contract of `FactSource`: it reads facts as they stand, and nobody changes what is held."""

import asyncio
from uuid import uuid4

import pytest
from tests.contract.store.evidence import Projection, learn, said, tell
from tests.contract.store.stores import Stores

from ricordo.memory.facts import Fact
from ricordo.store.database import Database
from ricordo.store.fact_queries import FactQuestion
from ricordo.store.rebuild_sources import FactSource
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

_AT_ONCE = 8


@pytest.fixture
def known(database: Database) -> FactSource:
    return FactSource(database)


async def _know(stores: Stores, user_id: str, *cities: str) -> list[Fact]:
    """Have a user live in one city after the other; return the facts, past ones too, sorted by id."""
    names = [f"{user_id}-{uuid4()}" for _ in cities]
    await stores.record(
        *(
            new_message(name, tenant=stores.tenant, user_id=user_id, timestamp=at(n))
            for n, name in enumerate(names)
        )
    )
    for n, (name, city) in enumerate(zip(names, cities, strict=True)):
        await learn(stores, tell(stores, name, said("lives_in", city, minute=n), user_id=user_id))
    question = FactQuestion(user_id=user_id, history=True, limit=1_000)
    return sorted(await stores.ledger.facts(stores.tenant, question), key=lambda fact: fact.id)


async def test_owners_are_counted(stores: Stores, known: FactSource) -> None:
    await _know(stores, "u-2", "Rome", "Milan", "Turin")
    await _know(stores, "u-1", "Oslo")
    assert list((await known.owners(stores.tenant)).items()) == [("u-1", 1), ("u-2", 3)]
    assert await known.owners(stores.tenant, "u-2") == {"u-2": 3}
    assert await known.owners(stores.tenant, "u-3") == {}
    assert await known.owners(stores.elsewhere().tenant) == {}


async def test_facts_of_a_user_are_found_by_id_as_they_stand(stores: Stores, known: FactSource) -> None:
    facts = await _know(stores, "u-1", "Rome", "Milan", "Turin")
    others = [fact.id for fact in await _know(stores, "u-2", "Oslo")]
    ids = {fact.id for fact in facts}
    assert set(await known.ids(stores.tenant, "u-1")) == ids
    async with known.held(stores.tenant, "u-1") as held:
        assert list(await held.among([*ids, *others, uuid4()])) == facts
        assert list(await held.among([])) == []


async def test_nobody_projects_what_is_held(stores: Stores, known: FactSource) -> None:
    before = await _know(stores, "u-1", "Rome")
    await stores.record(new_message("m-9", tenant=stores.tenant, timestamp=at(9)))
    projection = Projection()
    async with known.held(stores.tenant, "u-1") as held:
        learning = asyncio.create_task(
            learn(stores, tell(stores, "m-9", said("lives_in", "Milan", minute=9)), projection=projection)
        )
        for n in range(_AT_ONCE):  # others go on meanwhile
            await _know(stores, f"v-{n}", "Oslo")
        assert list(await held.among([fact.id for fact in before])) == before
        assert projection.learned == []
    await learning
    assert {fact.object for fact in projection.learned[0].facts} == {"Rome", "Milan"}


async def test_an_error_within_comes_out_as_it_was(stores: Stores, known: FactSource) -> None:
    with pytest.raises(LookupError, match="odd"):
        async with known.held(stores.tenant, "u-1"):
            raise LookupError("odd")
    assert await _know(stores, "u-1", "Rome")
