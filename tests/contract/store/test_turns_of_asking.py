"""Several processes ask a model who is who: one at a time about each user, on PostgreSQL."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import asyncpg
import pytest
from tests.contract.store.conftest import Dsns
from tests.contract.store.evidence import Projection, learn, said, tell
from tests.contract.store.stores import Stores
from tests.fixtures.fake_llm import FakeIdentityReader

from ricordo.models.encoder import ModelUnavailable
from ricordo.models.ollama.entity_matching import EntityPair, MatchVerdict
from ricordo.models.throttle import Throttle
from ricordo.resilience import CircuitBreaker
from ricordo.store.database import Database
from ricordo.store.fact_ledger import FactLedger, UnresolvedPair
from ricordo.store.fact_queries import FactQuestion
from ricordo.store.rebuild_sources import FactSource
from ricordo.system_clock import SystemClock
from ricordo.testing.factories import new_message
from ricordo.testing.fakes.graph import MemoryGraph
from ricordo_services.knowledge.graph_projector import GraphProjector
from ricordo_services.knowledge.graph_repair import GraphRepair, GraphRepairs
from ricordo_services.knowledge.identify import IdentifyByModel

pytestmark = pytest.mark.integration

NAMES = (("nico", "nicola"), ("christina", "cristina"))


@dataclass
class Slow(FakeIdentityReader):
    """A reader that takes its time.

    Attributes:
        entered: set once it was asked.
        let_go: it answers once this is set.
    """

    entered: asyncio.Event = field(default_factory=asyncio.Event)
    let_go: asyncio.Event = field(default_factory=asyncio.Event)

    async def judge(self, pairs: Sequence[EntityPair]) -> list[MatchVerdict | None]:
        """Judge, when it may."""
        self.entered.set()
        await self.let_go.wait()
        return await super().judge(pairs)

    def names(self) -> list[tuple[str, str]]:
        """Return the pairs that it was asked about."""
        return sorted((pair.one.name, pair.other.name) for pairs in self.asked for pair in pairs)


class Nobody:
    """No events wait."""

    async def waiting(self) -> int:
        """Return none."""
        return 0


@pytest.fixture
def ledger(database: Database) -> FactLedger:
    """Return a ledger that doubts."""
    return FactLedger(database, doubting=True)


def asking(stores: Stores, database: Database, reader: Slow) -> IdentifyByModel:
    """Return the pass as a process of its own has it."""
    clock, graph = SystemClock(), MemoryGraph()

    async def tenants() -> Sequence[str]:
        return [stores.tenant]

    async def ask_graph() -> None:
        pass

    return IdentifyByModel(
        ledger=FactLedger(database, doubting=True),
        follow=GraphProjector(graph, GraphRepairs(GraphRepair(facts=FactSource(database), graph=graph))),
        reader=reader,
        throttle=Throttle(
            CircuitBreaker(clock, 3, 60.0, counted=ModelUnavailable), None, clock, gone="", back=""
        ),
        tenants=tenants,
        backlog=Nobody(),
        ask_graph=ask_graph,
    )


async def doubted(stores: Stores, ledger: FactLedger, *users: str) -> None:
    """Have each of `users` name people who may be one: two pairs."""
    for user_id in users:
        name = f"m-{user_id}"
        await stores.record(new_message(name, tenant=stores.tenant, user_id=user_id))
        people = [said("friend", one) for one in ("Nico", "Nicola", "Cristina", "Christina")]
        await learn(stores, tell(stores, name, *people, user_id=user_id), ledger=ledger)
    assert len(await ledger.unresolved_pairs(stores.tenant, 100)) == 2 * len(users)


async def test_who_comes_second_asks_about_others_and_nobody_twice(
    stores: Stores, database: Database, ledger: FactLedger
) -> None:
    await doubted(stores, ledger, "u-1", "u-2")
    first, second = Slow(), Slow()
    second.let_go.set()
    one, other = (asking(stores, database, reader) for reader in (first, second))
    running = asyncio.create_task(one.run())
    await first.entered.wait()
    await other.run()
    assert second.names() == [("Christina", "Cristina"), ("Nico", "Nicola")], "of the user who was free"
    assert len(await ledger.unresolved_pairs(stores.tenant, 100)) == 2
    first.let_go.set()
    await running
    assert first.names() == second.names(), "of the other user, and of nobody else"
    assert await ledger.unresolved_pairs(stores.tenant, 100) == []
    await other.run()
    assert len(second.asked) == 1


async def test_many_at_once_ask_about_each_pair_once(
    stores: Stores, database: Database, ledger: FactLedger
) -> None:
    await doubted(stores, ledger, *(f"u-{n}" for n in range(8)))
    readers = [Slow() for _ in range(4)]
    for reader in readers:
        reader.let_go.set()
    await asyncio.gather(*(asking(stores, database, reader).run() for reader in readers))
    assert sum(len(reader.names()) for reader in readers) == 16
    assert await ledger.unresolved_pairs(stores.tenant, 100) == []


async def test_a_turn_is_of_one_user_of_one_tenant(stores: Stores, ledger: FactLedger) -> None:
    await doubted(stores, ledger, "u-1", "u-2")
    of = {user: [UnresolvedPair(user, names) for names in NAMES] for user in ("u-1", "u-2")}
    elsewhere = stores.elsewhere()
    await doubted(elsewhere, ledger, "u-1")
    async with ledger.turn(stores.tenant, of["u-1"]) as mine:
        assert set(mine) == set(of["u-1"])
        async with ledger.turn(stores.tenant, of["u-1"][:1]) as nothing:
            assert not nothing
        for tenant, user in ((stores.tenant, "u-2"), (elsewhere.tenant, "u-1")):
            async with ledger.turn(tenant, of[user]) as free:
                assert set(free) == set(of[user])


async def test_a_turn_ends_with_an_error_and_shows_what_was_decided_before_it(
    stores: Stores, ledger: FactLedger
) -> None:
    await doubted(stores, ledger, "u-1")
    doubts = [UnresolvedPair("u-1", names) for names in NAMES]

    async def fail_within() -> None:
        async with ledger.turn(stores.tenant, doubts):
            await ledger.decide(stores.tenant, "u-1", NAMES[0], Projection(), same=True, by="model:m")
            raise ModelUnavailable("away")

    with pytest.raises(ModelUnavailable):
        await fail_within()
    async with ledger.turn(stores.tenant, doubts) as still_open:
        assert set(still_open) == {doubts[1]}, "what was decided within stays so"


async def test_a_user_who_decides_while_the_model_thinks_is_right(
    stores: Stores, database: Database, ledger: FactLedger
) -> None:
    await doubted(stores, ledger, "u-1")
    reader = Slow(verdict=lambda _, __: MatchVerdict.SAME)
    running = asyncio.create_task(asking(stores, database, reader).run())
    await reader.entered.wait()
    await ledger.decide(stores.tenant, "u-1", ("Nico", "Nicola"), Projection(), same=False, by="user")
    reader.let_go.set()
    await running
    friends = await ledger.facts(stores.tenant, FactQuestion(user_id="u-1", predicate="friend"))
    assert {one.object for one in friends} == {"Nico", "Nicola", "Christina"}


async def test_who_thinks_for_longer_than_a_transaction_may_be_idle_keeps_the_turn(
    stores: Stores, dsns: Dsns, ledger: FactLedger
) -> None:
    await doubted(stores, ledger, "u-1")
    doubts = [UnresolvedPair("u-1", names) for names in NAMES]
    impatient = {"idle_in_transaction_session_timeout": "100"}
    async with asyncpg.create_pool(dsns.worker, min_size=1, max_size=2, server_settings=impatient) as pool:
        thinking = FactLedger(Database(pool), doubting=True)
        async with thinking.turn(stores.tenant, doubts):
            await asyncio.sleep(0.3)  # what is tested is that this time passes
            async with ledger.turn(stores.tenant, doubts) as nothing:
                assert not nothing
    async with ledger.turn(stores.tenant, doubts) as still_open:
        assert set(still_open) == set(doubts)
