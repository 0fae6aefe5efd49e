"""Graph repairs run outside the transaction that found the graph out of step."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import asyncpg
import pytest
import pytest_asyncio
from tests.contract.store.conftest import Dsns
from tests.contract.store.evidence import claim, extracted
from tests.contract.store.stores import STORED, Stores
from tests.fixtures.memory_graph import MemoryGraph

from ricordo.graph.port import GraphInRepair, GraphUnavailable, Survey
from ricordo.memory.facts import Fact
from ricordo.memory.facts.fact_model import Project, ProjectionVersion
from ricordo.store.database import Database
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.fact_queries import FactQuestion, FactSource
from ricordo.testing.factories import at, new_message
from ricordo_services.knowledge.graph_projector import GraphProjector
from ricordo_services.knowledge.graph_repair import GraphRepair, GraphRepairs

IDLE_S = 0.5
"""For how long a transaction may wait here for something else; 60 s where it is used."""
EACH_S = 0.006
"""What a slow graph takes for a fact."""
MANY = 110


class SlowGraph(MemoryGraph):
    """Takes long for many facts, and counts those that it was given."""

    def __init__(self, each_s: float = 0.0) -> None:
        super().__init__()
        self.each_s = each_s
        self.given = 0
        self.wrote = asyncio.Event()
        self.goes_on = asyncio.Event()
        self.goes_on.set()

    async def project(
        self,
        tenant: str,
        user_id: str,
        facts: Sequence[Fact],
        *,
        gone: Collection[UUID] = (),
        step: ProjectionVersion | None = None,
    ) -> None:
        self.given += len(facts)
        await asyncio.sleep(self.each_s * len(facts))
        await super().project(tenant, user_id, facts, gone=gone, step=step)
        self.wrote.set()

    async def survey(self, tenant: str, user_id: str) -> Survey:
        await self.goes_on.wait()
        return await super().survey(tenant, user_id)


@dataclass
class Knowing:
    """A ledger whose transactions must not wait, and what has a graph follow it."""

    stores: Stores
    database: Database
    writes: int = field(default=0, init=False)
    _mendings: dict[MemoryGraph, GraphRepairs] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.ledger = FactLedger(self.database)
        self.known = FactSource(self.database)

    def mending(self, graph: MemoryGraph) -> GraphRepair:
        return GraphRepair(facts=self.known, graph=graph, batch=10)

    def mendings(self, graph: MemoryGraph) -> GraphRepairs:
        """Return the mendings of the one process that there is."""
        return self._mendings.setdefault(graph, GraphRepairs(self.mending(graph)))

    async def say(
        self,
        graph: MemoryGraph,
        number: int,
        *likes: str,
        users: Sequence[str] = ("u-1",),
        patience: float | None = None,
    ) -> None:
        """Have each user say something in one batch, and the graph follow."""
        tenant = self.stores.tenant
        names = {user: f"{user}-{number}" for user in users}
        await self.stores.record(
            *(
                new_message(name, tenant=tenant, user_id=user, timestamp=at(number))
                for user, name in names.items()
            )
        )
        statements = [claim("likes", value, minute=number, position=n) for n, value in enumerate(likes)]
        told = [extracted(self.stores, name, *statements, user_id=user) for user, name in names.items()]

        async def write(project: Project) -> None:
            self.writes += 1
            await self.ledger.record(tenant, told, project, STORED)

        await GraphProjector(graph, self.mendings(graph), patience)(tenant, users, write)

    async def is_shown(self, graph: MemoryGraph, user_id: str = "u-1") -> bool:
        """Whether the graph holds what is known of a user, and says so."""
        tenant = self.stores.tenant
        question = FactQuestion(user_id=user_id, min_confidence=0, history=True, limit=1_000)
        known = await self.ledger.facts(tenant, question)
        held = await graph.export(tenant, user_id)
        return set(held) == set(known) and await self.mending(graph).is_in_step(tenant, user_id)


@pytest_asyncio.fixture(loop_scope="module")
async def knowing(stores: Stores, dsns: Dsns) -> AsyncIterator[Knowing]:
    impatient = {"idle_in_transaction_session_timeout": f"{IDLE_S * 1000:.0f}"}
    async with asyncpg.create_pool(dsns.worker, min_size=1, max_size=4, server_settings=impatient) as pool:
        yield Knowing(stores, Database(pool))


@pytest.mark.parametrize("by_hand", [False, True])
async def test_a_lost_graph_of_many_facts_is_written_again(knowing: Knowing, *, by_hand: bool) -> None:
    await knowing.say(MemoryGraph(), 0, *(f"thing {n}" for n in range(MANY)))
    lost = SlowGraph(EACH_S)
    assert MANY * EACH_S > IDLE_S, "one transaction would be cut off"
    if by_hand:
        await knowing.mending(lost).repair(knowing.stores.tenant, "u-1")
    else:
        await knowing.say(lost, 1, "tea")
    assert lost.given >= MANY
    assert await knowing.is_shown(lost)


async def test_users_who_are_out_of_step_in_one_batch_are_mended_before_it_is_tried_again(
    knowing: Knowing,
) -> None:
    users = ["u-1", "u-2", "u-3"]
    shown, lost = SlowGraph(), SlowGraph()
    await knowing.say(shown, 0, "tea", "jazz", users=users)
    await knowing.say(shown, 1, "Rome", users=users)
    knowing.writes = 0
    await knowing.say(lost, 2, "Milan", users=users)
    assert knowing.writes == 2
    assert [await knowing.is_shown(lost, user) for user in users] == [True] * 3


async def test_who_is_in_step_is_not_written_again_with_others(knowing: Knowing) -> None:
    graph = SlowGraph()
    await knowing.say(graph, 0, "tea", "jazz", "Rome", users=["u-1", "u-2"])
    await graph.erase(knowing.stores.tenant, "u-1")
    graph.given = 0
    await knowing.say(graph, 1, "Milan", users=["u-1", "u-2"])
    assert graph.given == 6, "three of whom was lost, and what is new: once in vain, and once of each"
    assert [await knowing.is_shown(graph, user) for user in ("u-1", "u-2")] == [True] * 2


async def test_what_others_learn_while_a_graph_is_mended_stays(knowing: Knowing) -> None:
    await knowing.say(MemoryGraph(), 0, *(f"thing {n}" for n in range(MANY)))
    lost = SlowGraph(EACH_S / 5)
    numbers = range(1, 6)
    async with asyncio.TaskGroup() as together:
        together.create_task(knowing.mending(lost).repair(knowing.stores.tenant, "u-1"))
        for number in numbers:
            together.create_task(knowing.say(lost, number, f"tea {number}", "jazz"))
    assert await knowing.is_shown(lost)


async def test_many_who_find_it_out_of_step_have_it_mended_once(knowing: Knowing) -> None:
    await knowing.say(MemoryGraph(), 0, *(f"thing {n}" for n in range(MANY)))
    lost = SlowGraph(EACH_S / 5)
    numbers = range(1, 7)
    await asyncio.gather(*(knowing.say(lost, number, f"tea {number}") for number in numbers))
    assert MANY < lost.given < 2 * MANY
    assert await knowing.is_shown(lost)


async def test_who_may_not_wait_is_told_so_and_finds_it_mended_later(knowing: Knowing) -> None:
    await knowing.say(MemoryGraph(), 0, *(f"thing {n}" for n in range(MANY)))
    lost, in_vain = SlowGraph(EACH_S / 5), 0
    lost.goes_on.clear()
    while not await knowing.is_shown(lost):
        try:
            await knowing.say(lost, 1, "tea", patience=0.1)
        except GraphInRepair:
            in_vain += 1
            if in_vain == 2:
                lost.goes_on.set()
    assert in_vain > 1
    assert lost.given < 2 * MANY, "nobody began again from the first"


async def test_who_is_cancelled_leaves_the_mending_to_go_on(knowing: Knowing) -> None:
    await knowing.say(MemoryGraph(), 0, *(f"thing {n}" for n in range(MANY)))
    lost = SlowGraph(EACH_S / 3)
    first = asyncio.create_task(knowing.say(lost, 1, "tea"))
    await lost.wrote.wait()
    first.cancel()
    await knowing.say(lost, 2, "jazz")
    assert first.cancelled()
    assert lost.given < 2 * MANY
    assert await knowing.is_shown(lost)


async def test_a_server_that_goes_away_ends_a_mending_and_the_next_one_begins_anew(knowing: Knowing) -> None:
    await knowing.say(MemoryGraph(), 0, *(f"thing {n}" for n in range(MANY)))
    lost = SlowGraph(EACH_S / 3)
    waiting = asyncio.create_task(knowing.say(lost, 1, "tea"))
    await lost.wrote.wait()
    lost.away = True
    with pytest.raises(GraphUnavailable):
        await waiting
    lost.away = False
    await knowing.say(lost, 1, "tea")
    assert await knowing.is_shown(lost)


async def test_mendings_stop_with_their_process(knowing: Knowing) -> None:
    await knowing.say(MemoryGraph(), 0, *(f"thing {n}" for n in range(MANY)))
    lost = SlowGraph(EACH_S / 3)
    async with knowing.mendings(lost) as mendings:
        waiting = asyncio.create_task(mendings.repair(knowing.stores.tenant, "u-1"))
        await lost.wrote.wait()
    with pytest.raises(GraphUnavailable, match="the process ends"):
        await waiting
    assert lost.given < MANY
    assert not await knowing.is_shown(lost)
    await knowing.mending(lost).repair(knowing.stores.tenant, "u-1")
    assert await knowing.is_shown(lost)


async def test_a_graph_that_is_out_of_step_for_ever_is_unavailable(knowing: Knowing) -> None:
    class Elsewhere(MemoryGraph):
        mended = 0

        async def stand(self, *_: object, **__: object) -> None:
            """Take note of nothing."""
            self.mended += 1

    await knowing.say(MemoryGraph(), 0, "tea")
    knowing.writes, elsewhere = 0, Elsewhere()
    with pytest.raises(GraphUnavailable, match="out of step"):
        await knowing.say(elsewhere, 1, "jazz")
    assert (knowing.writes, elsewhere.mended) == (3, 2), "mended as long as a write follows"
    assert not await knowing.ledger.evidence_of_memories(knowing.stores.tenant, [knowing.stores.id("u-1-1")])
