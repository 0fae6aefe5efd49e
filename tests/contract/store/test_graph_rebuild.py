"""A reindexing restores the graph, however it was damaged.

That one projection makes the graph of a user equal to the facts is tested by `test_graph_projection`.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString
from uuid import uuid4

import pytest
import pytest_asyncio
from neo4j import AsyncDriver, AsyncGraphDatabase
from tests.contract.store.evidence import claim, extracted, learn
from tests.contract.store.stores import Stores
from tests.fixtures.fact_graphs import ODD_NAMES, graph_of
from tests.fixtures.sentence_tables import table

from ricordo.clock import SystemClock
from ricordo.graph.bolt.fact_graph import FactGraph
from ricordo.memory.facts.fact_model import Fact
from ricordo.store.fact_source import FactSource
from ricordo_services.job_progress import ReindexOrder, ReindexProgress
from ricordo_services.knowledge.graph_projector import GraphProjector, GraphRebuild
from ricordo_services.stack.endpoints import Endpoints

USERS: Final = ("u-1", "u-2", "u'3`{}")
SOME: Final = "00000000-0000-4000-8000-000000000000"
"""The id of no fact, and no state."""

DAMAGE = table(__file__, "damage")
VERSIONS: Final[LiteralString] = (
    "MATCH (p:Projection {tenant: $tenant}) "
    "RETURN p.user_id AS user_id, p.version AS version, p.state AS state ORDER BY user_id"
)
SHAPE: Final[LiteralString] = (
    "MATCH (e:Entity {tenant: $tenant}) OPTIONAL MATCH (e)-[f]->() "
    "RETURN e.user_id AS user_id, e.key AS key, count(f) AS edges ORDER BY user_id, key"
)


@dataclass(frozen=True)
class World:
    stores: Stores
    graph: FactGraph
    driver: AsyncDriver
    database: str
    job: GraphRebuild

    async def live(self) -> None:
        """Have all users tell of people and odd names, twice of some."""
        names = ("Nora", *(name for name in ODD_NAMES if len(name) < 100))
        for user_id in USERS:
            told = [claim("friend", name, position=n) for n, name in enumerate(names)]
            told += [claim("lives_in", name, subject="Nora", polarity="past", position=99) for name in names]
            message_ids = await self.stores.say(f"{user_id}-0", f"{user_id}-1", user_id=user_id)
            for n in range(len(message_ids)):
                evidence = extracted(self.stores, f"{user_id}-{n}", *told[n:], user_id=user_id)
                await learn(self.stores, evidence)
            await self.job.projector.project(self.stores.tenant, user_id)

    async def rebuild(self, user_id: str | None = None) -> ReindexProgress:
        return await self.job.run(
            ReindexOrder(projection="graph", tenant=self.stores.tenant, user_id=user_id)
        )

    async def run(self, query: LiteralString) -> list[dict[str, object]]:
        async with self.driver.session(database=self.database) as session:
            result = await session.run(query, {"tenant": self.stores.tenant, "some": SOME})
            return await result.data()

    async def exported(self) -> dict[str, Sequence[Fact]]:
        return {user: await self.graph.export(self.stores.tenant, user) for user in (*USERS, "u-9")}

    async def seen(self) -> tuple[dict[str, Sequence[Fact]], list[dict[str, object]]]:
        """Return all facts of the graph, its entities, each with how many edges leave it, and its states."""
        return await self.exported(), [*await self.run(SHAPE), *await self.run(VERSIONS)]


@pytest_asyncio.fixture(loop_scope="module")
async def world(stores: Stores, stack: Endpoints) -> AsyncIterator[World]:
    access = (stack.bolt_user, stack.bolt_password)
    async with graph_of(stack) as graph, AsyncGraphDatabase.driver(stack.bolt_url, auth=access) as driver:
        job = GraphRebuild(
            projector=GraphProjector(FactSource(stores.database), graph),
            life=stores.lifecycle,
            clock=SystemClock(),
        )
        yield World(stores, graph, driver, stack.bolt_database, job)


@pytest.mark.slow
async def test_whatever_was_damaged_is_as_it_was(world: World) -> None:
    await world.live()
    before = await world.seen()
    number = sum(map(len, before[0].values()))
    for name, damage in DAMAGE.items():
        await world.run(damage)
        shape = [*await world.run(SHAPE), *await world.run(VERSIONS)]
        assert shape != before[1] or await world.exported() != before[0], name
        done = await world.rebuild()
        assert await world.seen() == before, name
        assert (done.found, done.written) == (number, number), name


async def test_of_one_user_it_leaves_the_others_alone(world: World) -> None:
    await world.live()
    before = await world.exported()
    await world.run(DAMAGE["wiped"])
    await world.rebuild("u-2")
    assert await world.exported() == {user: before[user] if user == "u-2" else [] for user in before}


async def test_other_peoples_entities_are_none_of_ours(world: World) -> None:
    mark = f"Not A Tenant {uuid4()}"
    queries: tuple[LiteralString, ...] = (
        "CREATE (:Entity {tenant: $mark, user_id: 'u', key: 'k'})",
        "CREATE (:Entity {unlike: $mark})",
        "MATCH (e:Entity) WHERE $mark IN [e.tenant, e.unlike] DETACH DELETE e RETURN count(e) AS number",
    )
    async with world.driver.session(database=world.database) as session:
        for query in queries[:2]:
            await (await session.run(query, {"mark": mark})).consume()
        await world.job.run(ReindexOrder(projection="graph", user_id="u"))
        found = await (await session.run(queries[2], {"mark": mark})).data()
    assert found == [{"number": 2}]
