"""A reindexing restores the graph, however it was damaged."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString
from uuid import uuid4

import pytest
import pytest_asyncio
from neo4j import AsyncDriver, AsyncGraphDatabase
from tests.contract.store.evidence import claim, extracted
from tests.contract.store.stores import STORED, Stores
from tests.fixtures.fact_graphs import ODD_NAMES, graph_of, known, write
from tests.fixtures.sentence_tables import table

from ricordo.clock import SystemClock
from ricordo.graph.bolt.fact_graph import FactGraph
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.store.fact_queries import FactQuestion
from ricordo.store.fact_source import FactSource
from ricordo_services.job_progress import ReindexOrder, ReindexProgress
from ricordo_services.knowledge.graph_projector import GraphProjector, GraphRebuild
from ricordo_services.stack.endpoints import Endpoints

USERS: Final = ("u-1", "u-2", "u'3`{}")
NAMES: Final = ("Nora", "nora", "Zoë", "Bea", "Rex", *(name for name in ODD_NAMES if len(name) < 100))
MESSAGES: Final = 16
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

    async def learn(self, *told: ExtractedEvidence) -> None:
        await self.stores.ledger.record(self.stores.tenant, told, STORED)
        for user_id in sorted({one.user_id for one in told}):
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

    async def known(self) -> dict[str, Sequence[Fact]]:
        questions = {user: FactQuestion(user_id=user, history=True, limit=10_000) for user in (*USERS, "u-9")}
        found = {
            user: await self.stores.ledger.facts(self.stores.tenant, question)
            for user, question in questions.items()
        }
        return {user: sorted(facts, key=lambda fact: str(fact.id)) for user, facts in found.items()}


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


def told(stores: Stores, draw: random.Random, number: int, user_id: str) -> ExtractedEvidence:
    """Return what a message states: some facts of people, places and odd names."""
    statements = []
    for position in range(draw.randrange(4)):
        subject = draw.choice(("user", "user", *NAMES))
        predicate = draw.choice(("lives_in", "likes", "friend", "has_pet", "works_at"))
        statements.append(
            claim(
                predicate,
                draw.choice(NAMES),
                minute=number,
                subject=subject,
                polarity=draw.choice(("holds", "holds", "holds", "began", "past", "denied")),
                position=position,
            )
        )
    return extracted(stores, f"{user_id}-{number}", *statements, user_id=user_id)


async def live(world: World, draw: random.Random, begin: int = 0) -> None:
    """Have all users say something, in several batches and out of order."""
    spoken = [
        told(world.stores, draw, number, user) for user in USERS for number in range(begin, begin + MESSAGES)
    ]
    await world.stores.record(
        *(world.stores.message(one.message_id, user_id=one.user_id, timestamp=one.said_at) for one in spoken)
    )
    draw.shuffle(spoken)
    while spoken:
        size = draw.randint(1, 12)
        batch, spoken = spoken[:size], spoken[size:]
        await world.learn(*batch)


@pytest.mark.slow
async def test_whatever_was_damaged_is_as_it_was(world: World) -> None:
    await live(world, random.Random(4))
    before = await world.seen()
    assert before[0] == await world.known()
    number = sum(map(len, before[0].values()))
    for name, damage in DAMAGE.items():
        await world.run(damage)
        shape = [*await world.run(SHAPE), *await world.run(VERSIONS)]
        assert shape != before[1] or await world.exported() != before[0], name
        done = await world.rebuild()
        assert await world.seen() == before, name
        assert (done.found, done.written) == (number, number), name


async def test_facts_that_the_truth_does_not_hold_are_removed(world: World) -> None:
    await live(world, random.Random(5))
    before = await world.seen()
    for user in (*USERS, "u-9"):
        foreign = known(
            *(("user", "knows", f"Ghost {n}") for n in range(20)), tenant=world.stores.tenant, user_id=user
        )
        await write(world.graph, world.stores.tenant, user, foreign)
    done = await world.rebuild()
    assert await world.seen() == before
    assert (done.users, (await world.rebuild()).users) == (4, 3)


async def test_of_one_user_it_leaves_the_others_alone(world: World) -> None:
    await live(world, random.Random(6))
    before = await world.exported()
    await world.run(DAMAGE["wiped"])
    await world.rebuild("u-2")
    assert await world.exported() == {user: before[user] if user == "u-2" else [] for user in before}


async def test_what_is_learned_meanwhile_is_neither_lost_nor_overwritten(world: World) -> None:
    draw = random.Random(8)
    await live(world, draw)
    await world.run(DAMAGE["edges doubled"])
    async with asyncio.TaskGroup() as together:
        living = together.create_task(live(world, draw, MESSAGES))
        while not living.done():
            await world.rebuild()
    await world.rebuild()
    assert await world.exported() == await world.known()


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
