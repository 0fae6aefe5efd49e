"""A user's word goes with its user: no memory stands behind it that an erasure could follow."""

import asyncio

import pytest
from tests.contract.store.evidence import Projection, learn, said, tell
from tests.contract.store.stores import STORED, Stores

from ricordo.memory.facts import Assertion, Fact
from ricordo.store.database import Database
from ricordo.store.fact_assertions import FactAssertion, UnknownFact
from ricordo.store.fact_queries import FactQuestion
from ricordo.testing.factories import new_message

pytestmark = pytest.mark.integration


async def _known(stores: Stores) -> Fact:
    await stores.record(new_message("m-1", tenant=stores.tenant))
    await learn(stores, tell(stores, "m-1", said("lives_in", "Rome")))
    (fact,) = await stores.ledger.facts(stores.tenant, FactQuestion(user_id="u-1"))
    return fact


async def _settle(stores: Stores, fact: Fact) -> Fact | None:
    word = FactAssertion(
        user_id="u-1", fact_id=fact.id, request_id="request 1", word=Assertion(object="Lecce")
    )
    return await stores.ledger.apply_assertion(stores.tenant, word, Projection(), STORED)


async def _erase(stores: Stores, database: Database) -> None:
    async with database.transaction(stores.tenant) as connection:
        # As whoever erases does: the lock before the first row, or two may wait for each other.
        await connection.execute(Database.queries("facts")["lock_users"], stores.tenant, ["u-1"])
        for table in ("memories", "facts", "fact_evidence", "entities", "entity_names", "identity_decisions"):
            statement = f"delete from {table} where tenant = $1 and user_id = 'u-1'"
            await connection.execute(statement, stores.tenant)


async def _left(stores: Stores, database: Database) -> int:
    async with database.transaction(stores.tenant) as connection:
        return int(await connection.fetchval("select count(*) from fact_evidence"))


async def test_a_word_is_erased_with_its_user(stores: Stores, database: Database) -> None:
    fact = await _known(stores)
    await _settle(stores, fact)
    assert await _left(stores, database) == 3
    await _erase(stores, database)
    assert await _left(stores, database) == 0
    with pytest.raises(UnknownFact):
        await _settle(stores, fact)


@pytest.mark.parametrize("first", ["word", "erasure"])
async def test_a_word_and_an_erasure_at_once_leave_nothing(
    stores: Stores, database: Database, first: str
) -> None:
    fact = await _known(stores)
    work = [_settle(stores, fact), _erase(stores, database)]
    done = await asyncio.gather(*(work if first == "word" else reversed(work)), return_exceptions=True)
    assert all(one is None or isinstance(one, Fact | UnknownFact) for one in done), done
    assert await _left(stores, database) == 0
