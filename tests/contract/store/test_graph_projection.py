"""The law of the graph: whatever came before, after one projection of a user it equals the user's facts.

A reindexing projects whole, whatever version the graph has.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, LiteralString
from uuid import uuid4

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st
from neo4j import AsyncGraphDatabase
from tests.contract.store.evidence import ALL, claim, extracted, learn
from tests.contract.store.stores import STORED, Stores
from tests.contract.store.test_folding_laws import statements
from tests.fixtures.examples import laws
from tests.fixtures.fact_graphs import erase, graph_of, in_pages
from tests.fixtures.sentence_tables import table
from tests.support.factories import START
from tests.support.manual_clock import ManualClock

from ricordo.graph.fact_graph import FactGraph
from ricordo.graph.graph_model import GraphDelta, GraphUnavailable, ReadDelta
from ricordo.language.facts.evidence import Evidence
from ricordo.memory.facts.fact_model import Fact
from ricordo.messages.enumerations import ForgetScope
from ricordo.messages.events import FactsExtracted
from ricordo.runtime.handling import Envelope
from ricordo.store.erasure import ErasureRequest, ErasureStore
from ricordo.store.graph_source import FactSource
from ricordo_services.job_progress import ReindexOrder
from ricordo_services.knowledge.graph_projector import GraphCatchUp, GraphProjector, GraphRebuild
from ricordo_services.stack.endpoints import Endpoints

LAWS = laws(25)
MESSAGES = 6


class CountingGraph(FactGraph):
    """Counts the facts that are written, and whether all of a user were; while `away`, it takes none."""

    def __init__(self, graph: FactGraph) -> None:
        super().__init__(graph._transactions)
        self.away, self.written, self.whole = False, 0, 0

    async def project(self, tenant: str, user_id: str, read: ReadDelta) -> int:
        if self.away:
            raise GraphUnavailable("the graph is away")

        async def counted(version: int | None) -> GraphDelta:
            delta = await read(version)
            self.whole += delta.whole
            return delta

        written = await super().project(tenant, user_id, counted)
        self.written += written
        return written


@dataclass
class World:
    stores: Stores
    graph: CountingGraph

    def __post_init__(self) -> None:
        self.source = FactSource(self.stores.database)
        self.projector = GraphProjector(self.source, self.graph)

    async def learn(self, nth: int, *said: Evidence) -> None:
        await learn(self.stores, extracted(self.stores, f"m-{nth}", *said))

    async def forget(self, scope: ForgetScope, key: str) -> None:
        erasure = ErasureStore(self.stores.database)
        request = await erasure.put_tombstone(
            self.stores.tenant, ErasureRequest("u-1", scope, key, STORED.replace(year=2027))
        )
        assert isinstance(request, ErasureRequest)
        while (await erasure.erase(self.stores.tenant, request, 2)).more:
            pass
        await erasure.finish(self.stores.tenant, request)

    async def project(self) -> None:
        await self.projector.project(self.stores.tenant, "u-1")

    async def is_projected(self) -> bool:
        known = await self.stores.ledger.facts(self.stores.tenant, ALL)
        held = await self.graph.export(self.stores.tenant, "u-1")
        behind = await self.source.behind(self.stores.tenant, None, 9)
        gone = await self.stores.fetch("select id from gone_facts")
        return set(held) == set(known) and (list(behind), gone) == ([], [])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def graph(stack: Endpoints) -> AsyncIterator[FactGraph]:
    async with graph_of(stack) as graph:
        yield graph


@pytest_asyncio.fixture(loop_scope="module")
async def world(stores: Stores, graph: FactGraph) -> World:
    await stores.say(*(f"m-{n}" for n in range(MESSAGES)))
    return World(stores, CountingGraph(graph))


STEPS: st.SearchStrategy[tuple[str, int, list[Evidence]]] = st.one_of(
    st.tuples(st.just("learn"), st.integers(0, MESSAGES - 1), statements()),
    st.tuples(st.just("forget"), st.integers(0, MESSAGES - 1), st.just([])),
    st.tuples(
        st.sampled_from(("project", "project", "fail", "unconfirmed", "wipe", "ahead", "older")),
        st.just(0),
        st.just([]),
    ),
)


async def _step(world: World, name: str, nth: int, said: Sequence[Evidence]) -> None:
    owner = world.stores.tenant, "u-1"
    match name:
        case "learn":
            await world.learn(nth, *said)
        case "forget":
            await world.forget(ForgetScope.MESSAGE, f"m-{nth}")
        case "project":
            await world.project()
        case "fail":  # the server goes away
            world.graph.away = True
            with pytest.raises(GraphUnavailable):
                await world.project()
            world.graph.away = False
        case "unconfirmed":  # the process ends between the graph and PostgreSQL
            await world.graph.project(*owner, partial(_read, world))
        case "wipe":
            await erase(world.graph, *owner)
        case "ahead":  # PostgreSQL was restored from an older backup
            await world.graph.project(*owner, _nothing_of(1_000))
        case "older":  # the graph was
            await world.graph.project(*owner, _nothing_of(0))
        case _:
            raise ValueError(name)


def _nothing_of(version: int) -> ReadDelta:
    async def read(_: int | None) -> GraphDelta:
        return GraphDelta(version=version, pages=in_pages())

    return read


async def _read(world: World, version: int | None) -> GraphDelta:
    return (await world.source.changes(world.stores.tenant, "u-1", version))[1]


@LAWS
@given(steps=st.lists(STEPS, max_size=14))
async def test_one_projection_makes_the_graph_equal_to_the_facts(
    stores: Stores, graph: FactGraph, steps: Sequence[tuple[str, int, Sequence[Evidence]]]
) -> None:
    here = stores.another_tenant()
    await here.say(*(f"m-{n}" for n in range(MESSAGES)))
    world = World(here, CountingGraph(graph))
    for name, nth, said in steps:
        await _step(world, name, nth, said)
    await world.project()
    assert await world.is_projected()
    await world.project()
    assert await world.is_projected()


async def test_only_what_is_newer_than_the_graph_is_written(world: World) -> None:
    await world.learn(0, *(claim("likes", f"thing {n}", position=n) for n in range(20)))
    await world.project()
    await world.learn(1, claim("likes", "tea", minute=1))
    await world.learn(2, claim("likes", "jazz", minute=2))
    await world.project()
    assert (world.graph.written, world.graph.whole) == (22, 1)
    await world.project()
    assert (world.graph.written, world.graph.whole) == (22, 1), "nothing is newer"


async def test_projections_amid_folds_lose_nothing(world: World) -> None:
    async def learn_all() -> None:
        for nth in range(MESSAGES):
            await world.learn(nth, claim("lives_in", f"city {nth}", minute=nth), claim("likes", "tea"))
            if nth % 2:
                await world.forget(ForgetScope.MESSAGE, f"m-{nth - 1}")

    learning = asyncio.create_task(learn_all())
    while not learning.done():
        await asyncio.gather(world.project(), world.project())
    await learning
    await world.project()
    assert await world.is_projected()


async def test_facts_on_many_pages_are_written_whole(world: World) -> None:
    for nth in range(3):
        said = (claim("likes", f"thing {nth} {n}", minute=nth, position=n) for n in range(400))
        await world.learn(nth, *said)
    await world.project()
    assert world.graph.written == 1_200
    assert await world.is_projected()


async def test_of_a_forgotten_user_nothing_stays_on_either_side(world: World) -> None:
    await world.learn(0, claim("likes", "tea"))
    await world.project()
    await world.forget(ForgetScope.USER, "u-1")
    await world.project()
    assert await world.is_projected()
    assert await world.graph.owners(world.stores.tenant) == set()
    assert await world.stores.fetch("select user_id from fact_versions") == []


async def test_an_event_projects_its_user_if_there_is_something_new(world: World) -> None:
    tenant = world.stores.tenant
    body = FactsExtracted(
        user_id="u-1", conversation_id="c-1", message_id="m-0", memory_id=world.stores.id("m-0"), facts=1
    )
    event = Envelope(tenant, world.stores.id("m-0"), "subject", body, 1, None, ManualClock().now())
    await world.projector(tenant, [event])
    assert world.graph.whole == 0
    await world.learn(0, claim("likes", "tea"))
    await world.projector(tenant, [event, event])
    await world.stores.record_dead_letter("m-0", consumer="graph")
    await world.projector(tenant, [event])
    assert (await world.stores.queries.status(tenant, "m-0"))[1] is None, "it has worked now"
    assert (world.graph.whole, world.graph.written) == (1, 1)
    assert await world.is_projected()


async def test_facts_without_an_event_are_caught_up_with_past_a_user_that_fails(world: World) -> None:
    await world.stores.record(world.stores.message("n-0", user_id="u-0"))
    await learn(world.stores, extracted(world.stores, "n-0", claim("likes", "rain"), user_id="u-0"))
    await world.learn(0, claim("likes", "tea"))

    class Faulty(GraphProjector):
        async def project(self, tenant: str, user_id: str, *, whole: bool = False) -> int:
            if user_id == "u-0":
                raise RuntimeError("what nobody has foreseen")
            return await super().project(tenant, user_id, whole=whole)

    catch_up = GraphCatchUp(
        Faulty(world.source, world.graph), world.stores.lifecycle, ManualClock(start=START)
    )
    await catch_up.run()
    assert list(await world.source.behind(world.stores.tenant, None, 9)) == ["u-0"]
    assert len(await world.graph.export(world.stores.tenant, "u-1")) == 1


USERS: Final = ("u-1", "u-2", "u'3`{}")
SOME: Final = "00000000-0000-4000-8000-000000000000"
"""The id of no fact, and no state."""
ENTITIES: Final[LiteralString] = (
    "MATCH (e:Entity {tenant: $tenant}) OPTIONAL MATCH (e)-[f]->() "
    "RETURN e.user_id AS user_id, e.key AS key, count(f) AS edges ORDER BY user_id, key"
)
VERSIONS: Final[LiteralString] = (
    "MATCH (p:Projection {tenant: $tenant}) "
    "RETURN p.user_id AS user_id, p.version AS version, p.state AS state ORDER BY user_id"
)
STRANGERS: Final[LiteralString] = (
    "MATCH (e:Entity) WHERE $mark IN [e.tenant, e.unlike] DETACH DELETE e RETURN count(e) AS number"
)


async def test_a_reindexing_restores_the_graph_however_it_was_damaged(
    stores: Stores, graph: FactGraph, stack: Endpoints
) -> None:
    """Of all users or of one; what another application has put there is left alone."""
    projector = GraphProjector(FactSource(stores.database), graph)
    rebuild = GraphRebuild(
        projector=projector, lifecycle_store=stores.lifecycle, clock=ManualClock(start=START)
    )
    told = claim("friend", "Nora"), claim("lives_in", "Rome", subject="Nora", polarity="past", position=9)
    for n, user_id in enumerate(USERS):
        await stores.say(f"m-{n}", f"n-{n}", user_id=user_id)
        for name, said in ((f"m-{n}", told), (f"n-{n}", told[1:])):
            await learn(stores, extracted(stores, name, *said, user_id=user_id))
        await projector.project(stores.tenant, user_id)

    async def run(query: LiteralString) -> list[dict[str, object]]:
        async with driver.session(database=stack.bolt_database) as session:
            result = await session.run(query, {"tenant": stores.tenant, "some": SOME, "mark": mark})
            return await result.data()

    async def exported() -> list[Sequence[Fact]]:
        return [await graph.export(stores.tenant, user_id) for user_id in (*USERS, "u-9")]

    async def shape() -> list[object]:
        """Return the entities with how many edges leave each, and the states."""
        return [await run(query) for query in (ENTITIES, VERSIONS)]

    access, mark = (stack.bolt_user, stack.bolt_password), f"Not A Tenant {uuid4()}"
    async with AsyncGraphDatabase.driver(stack.bolt_url, auth=access) as driver:
        whole, facts = await shape(), await exported()
        for name, damage in table(__file__, "damage").items():
            await run(damage)
            assert await shape() != whole or await exported() != facts, name
            done = await rebuild.run(ReindexOrder(projection="graph", tenant=stores.tenant))
            assert (await shape(), await exported(), done.found, done.written) == (whole, facts, 6, 6), name
        for user_id in USERS[:2]:
            await erase(graph, stores.tenant, user_id)
        await rebuild.run(ReindexOrder(projection="graph", tenant=stores.tenant, user_id="u-2"))
        assert [len(await graph.export(stores.tenant, user_id)) for user_id in USERS] == [0, 2, 2]
        await run("CREATE (:Entity {tenant: $mark, user_id: $mark, key: 'k'}), (:Entity {unlike: $mark})")
        await rebuild.run(ReindexOrder(projection="graph", user_id=mark))
        assert await run(STRANGERS) == [{"number": 2}]
