"""The law of the graph: it holds what all messages say together, however they come and whatever crashes.

A message is delivered to the real handler until it succeeds, as a work queue does: a crash before or after
the graph was written rolls PostgreSQL back, and the message comes again, after whatever others.
"""

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j import AsyncGraphDatabase
from tests.contract.store.evidence import claim
from tests.contract.store.stores import Stores
from tests.contract.store.test_folding_laws import LAWS, statements

from ricordo.graph.bolt import GraphSettings
from ricordo.graph.bolt.neo4j_graph import Neo4jGraph
from ricordo.graph.bolt.transactions import Transactions
from ricordo.memory.facts import Evidence, Fact, Statement, fold
from ricordo.memory.facts.folding import ProjectionVersion
from ricordo.memory.facts.utterances import Utterance
from ricordo.messages.events import MemoryCreated
from ricordo.models.fact_extraction import FactExtractor
from ricordo.runtime.handling import Done, Envelope
from ricordo.store.fact_queries import FactQuestion, FactSource
from ricordo.system_clock import SystemClock
from ricordo.testing.factories import at
from ricordo_services.knowledge.fact_handler import FactHandler, to_evidence
from ricordo_services.knowledge.graph_projector import GraphProjector
from ricordo_services.knowledge.graph_repair import GraphRepair, GraphRepairs
from ricordo_services.stack import Endpoints

Fate = Literal["done", "before", "after", "dies"]
"""What becomes of a delivery: it is done, it fails before the graph is written, or after it; or the process
dies with that, and what it remembered is lost."""

FATES: Final[Sequence[Fate]] = ("done", "done", "before", "after", "after", "dies")
USERS: Final = ("u-0", "u-1")


class CrashError(Exception):
    """As whatever ends a process."""


class CrashingGraph(Neo4jGraph):
    """The real graph, at which somebody crashes when told to."""

    fate: Fate = "done"

    async def project(
        self,
        tenant: str,
        user_id: str,
        facts: Sequence[Fact],
        *,
        gone: Collection[UUID] = (),
        step: ProjectionVersion | None = None,
    ) -> None:
        if self.fate == "before":
            raise CrashError
        await super().project(tenant, user_id, facts, gone=gone, step=step)
        if self.fate != "done":
            raise CrashError


@dataclass
class Stated(FactExtractor):
    """A reader that knows what each message states."""

    statements: dict[str, Sequence[Statement]] = field(default_factory=dict)

    async def read(self, utterances: Sequence[Utterance]) -> list[tuple[Statement, ...]]:
        return [tuple(self.statements[one.message_id]) for one in utterances]


@dataclass(frozen=True)
class Story:
    """What messages state, and when; and how they are delivered: to which worker, and what becomes of it."""

    told: Sequence[Sequence[Evidence]]
    minutes: Sequence[int]
    deliveries: Sequence[tuple[Sequence[int], int, Fate]]

    def user(self, number: int) -> str:
        return USERS[number % 3 // 2]

    def messages(self) -> Sequence[str]:
        return [f"m-{n}" for n in range(len(self.told))]

    def statements(self, number: int) -> Sequence[Statement]:
        return [
            Statement(
                one.subject,
                one.predicate,
                one.object,
                "this is",
                (one.position, one.position + 7),
                one.polarity,
                one.valid_from,
                one.valid_to,
                one.subject_tie,
                one.object_tie,
            )
            for one in self.told[number]
        ]


@st.composite
def stories(draw: st.DrawFn) -> Story:
    """Draw a story, each message of it delivered up to three times besides those that failed."""
    told = draw(st.lists(statements(), min_size=1, max_size=7))
    minutes = draw(st.lists(st.integers(0, 9), min_size=len(told), max_size=len(told)))
    often = draw(st.lists(st.integers(1, 3), min_size=len(told), max_size=len(told)))
    rest = draw(st.permutations([n for n, times in enumerate(often) for _ in range(times)]))
    deliveries = []
    while rest:
        size = draw(st.integers(1, 4))
        deliveries.append((rest[:size], draw(st.integers(0, 1)), draw(st.sampled_from(FATES))))
        rest = rest[size:]
    return Story(told, minutes, deliveries)


@dataclass
class World:
    """Two workers, their graph and their ledgers."""

    stores: Stores
    graph: CrashingGraph
    known: FactSource
    reader: Stated

    def __post_init__(self) -> None:
        self.workers = [self.worker(), self.worker()]

    def worker(self) -> FactHandler:
        """Start a process that remembers nothing."""
        follow = GraphProjector(
            self.graph, GraphRepairs(GraphRepair(facts=self.known, graph=self.graph, batch=2))
        )
        return FactHandler(self.stores.another_ledger(), follow, SystemClock(), self.reader)

    async def record(self, story: Story) -> None:
        await self.stores.record(
            *(
                self.stores.message(name, minute=minute, user_id=story.user(n))
                for n, (name, minute) in enumerate(zip(story.messages(), story.minutes, strict=True))
            )
        )
        self.reader.statements = {name: story.statements(n) for n, name in enumerate(story.messages())}

    async def deliver(self, story: Story, numbers: Sequence[int], turn: int, fate: Fate) -> bool:
        """Deliver messages to one of the workers, and return whether it has taken them in."""
        self.graph.fate = fate
        try:
            outcomes = await self.workers[turn](self.stores.tenant, [self.event(story, n) for n in numbers])
        except CrashError:
            if fate == "dies":
                self.workers[turn] = self.worker()
            return False
        assert all(isinstance(one, Done) for one in outcomes)
        return True

    def event(self, story: Story, number: int) -> Envelope[MemoryCreated]:
        name = story.messages()[number]
        body = MemoryCreated(
            id=uuid4(),
            user_id=story.user(number),
            conversation_id="c-1",
            message_id=name,
            memory_id=self.stores.id(name),
            at=at(0),
        )
        return Envelope(self.stores.tenant, body.id, "memory.created", body, attempt=1, traceparent=None)

    async def holds_the_fold(self, story: Story) -> None:
        """The graph, and the truth, hold for each user what all the messages say."""
        tenant = self.stores.tenant
        ids = [self.stores.id(name) for name in story.messages()]
        rows = [
            (one.user_id, row)
            for one in await self.stores.ledger.load(tenant, ids)
            for row in to_evidence(one, self.reader.statements[one.message_id]).evidence
        ]
        for user in USERS:
            facts = set(fold([row for of, row in rows if of == user], tenant=tenant, user_id=user))
            question = FactQuestion(user_id=user, min_confidence=0, history=True, limit=10_000)
            assert set(await self.stores.ledger.facts(tenant, question)) == facts
            assert set(await self.graph.export(tenant, user)) == facts


NewWorld = Callable[[], World]


@pytest.fixture
async def new_world(stores: Stores, stack: Endpoints) -> AsyncIterator[NewWorld]:
    """Yield a maker of worlds, each a tenant of its own."""
    access = (stack.bolt_user, stack.bolt_password)
    async with AsyncGraphDatabase.driver(stack.bolt_url, auth=access) as driver:
        graph = CrashingGraph(Transactions(driver, stack.bolt_database, GraphSettings()))
        await graph.prepare()
        yield lambda: World(stores.another_tenant(), graph, FactSource(stores.database), Stated())


async def played(world: World, story: Story) -> None:
    """Deliver all of a story, and what failed once more, until none waits."""
    await world.record(story)
    waiting: list[int] = []
    for numbers, turn, fate in story.deliveries:
        if not await world.deliver(story, numbers, turn, fate):
            waiting += numbers
    for turn, number in enumerate(waiting):
        assert await world.deliver(story, [number], turn % 2, "done")
    await world.holds_the_fold(story)


@LAWS
@given(story=stories())
@pytest.mark.slow
async def test_messages_that_come_thrice_in_any_order_with_crashes_between(
    new_world: NewWorld, story: Story
) -> None:
    await played(new_world(), story)


@pytest.mark.parametrize("fate", ["after", "dies"])
@pytest.mark.parametrize("turn", [0, 1])
async def test_what_a_crash_left_of_another_name_is_removed(
    new_world: NewWorld, fate: Fate, turn: int
) -> None:
    """Bea is a friend of her own, until it is said that Bea Rossi is one: then the two are one."""
    told = [[claim("friend", "Bea")], [claim("friend", "Bea Rossi")]]
    await played(new_world(), Story(told, (0, 1), (((0,), 0, fate), ((1,), turn, "done"))))
