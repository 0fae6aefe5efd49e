"""Backfill waits for the index, for the model a while, and gives nothing up that was derived better."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

import pytest

from ricordo.language.document import Document
from ricordo.memory.enrichment import VERSION, enrich
from ricordo.memory.model import local_moment
from ricordo.memory.progress import Progress
from ricordo.messages.events import DerivedEvent, MemoryCreated
from ricordo.store.reprocessing import BackfillQuery, BackfillSlice, BackfillStore, OutdatedMemory
from ricordo.store.stages import EnrichedMemory
from ricordo.testing.clock import ManualClock, settle
from ricordo.testing.factories import START, TENANT
from ricordo_services.backpressure import IndexStuck
from ricordo_services.enrichment.backfill import Backfill
from ricordo_services.enrichment.reading import Asked
from ricordo_services.progress import Backfilled, BackfillOrder, Part

MODEL = "hermes3:8b"
BY_MODEL = f"{VERSION}+{MODEL}"
OLD, BY_OLD = "rules-0", f"rules-0+{MODEL}"


@dataclass
class World(BackfillStore):
    """All that a backfill stands on, in memory.

    Attributes:
        rows: the versions of each memory: what derived it, and what rated it.
        model: the name of the language model; None for none.
        answers: whether it answers, by memory.
        waiting: what the index has before it.
        asked: what each slice was derived with, and how many were in it.
        unread: whose facts are to be read again once a memory is linked.
    """

    rows: dict[UUID, tuple[str, str]]
    model: str | None = None
    answers: dict[UUID, bool] = field(default_factory=dict)
    backlog: int = 0
    asked: list[tuple[Asked, int]] = field(default_factory=list)
    told: list[UUID] = field(default_factory=list)
    linked: list[UUID] = field(default_factory=list)
    unread: dict[UUID, UUID] = field(default_factory=dict)
    clock: ManualClock = field(default_factory=ManualClock)

    def _found(self, sought: BackfillQuery) -> list[OutdatedMemory]:
        def is_old(version: str) -> bool:
            return version != sought.version and (sought.with_model or "+" not in version)

        return [
            OutdatedMemory(one, "u-1", "m", *versions)
            for one, versions in sorted(self.rows.items())
            if any(map(is_old, versions[1:] if sought.rating_only else versions))
        ]

    async def tenants(self) -> Sequence[str]:
        return [TENANT]

    async def count(self, tenant: str, sought: BackfillQuery) -> Mapping[str, int]:
        versions = [one.version for one in self._found(sought)]
        return {version: versions.count(version) for version in versions}

    async def find(self, tenant: str, sought: BackfillQuery, after: UUID | None, limit: int) -> BackfillSlice:
        """Look at three rows at the most, so that some slices are empty and not the last."""
        rows = [one for one in sorted(self.rows) if after is None or one > after][: max(3, limit)]
        found = [one for one in self._found(sought) if one.memory_id in rows][:limit]
        last = found[-1].memory_id if len(found) == limit else rows[-1]
        return BackfillSlice(found, None if last == max(self.rows) else last)

    async def derived(
        self, tenant: str, model: str, memory_ids: Sequence[UUID], *, asked: Asked = "all"
    ) -> Sequence[EnrichedMemory]:
        self.asked.append((asked, len(memory_ids)))
        found = []
        for one in memory_ids:
            by_model = self.model is not None and asked != "nothing" and self.answers.get(one, True)
            version = BY_MODEL if by_model else VERSION
            enrichment = replace(
                enrich(Document("hello", "en")),
                version=version if asked != "importance" else VERSION,
                rated_by=version,
            )
            found.append(
                EnrichedMemory(memory_id=one, enrichment=enrichment, local=local_moment(START, "UTC"))
            )
        return found

    async def link(self, tenant: str, model: str, users: Mapping[UUID, str]) -> Sequence[MemoryCreated]:
        self.linked += users
        again = [self.unread[one] for one in users if one in self.unread]
        return [MemoryCreated(user_id="u-1", memory_id=one) for one in again]

    async def replace(
        self, tenant: str, enriched: Sequence[EnrichedMemory], *, rating_only: bool = False
    ) -> Sequence[Progress]:
        for one in enriched:
            before, new = self.rows[one.memory_id], (one.enrichment.version, one.enrichment.rated_by)
            # As the statements do: rules do not replace what a model had a hand in.
            now = tuple(
                then if "+" in then and "+" not in now else now for then, now in zip(before, new, strict=True)
            )
            self.rows[one.memory_id] = (before[0] if rating_only else now[0], now[1])
        return [
            Progress(
                memory_id=one.memory_id,
                message_id="m-1",
                user_id="u-1",
                conversation_id="c-1",
                ingested=START,
            )
            for one in enriched
        ]

    async def emit(self, tenant: str, events: Sequence[DerivedEvent]) -> None:
        self.told += [event.memory_id for event in events if event.memory_id is not None]

    async def waiting(self) -> int:
        return self.backlog

    async def run(self, part: Part = "all", limit: int | None = None, *, dry: bool = False) -> Backfilled:
        backfill = Backfill(
            deriving=self,
            linking=self,
            outdated=self,
            life=self,  # type: ignore[arg-type]  # of a life, it asks for the tenants
            emitter=self,
            index=self,
            clock=self.clock,
            models=("m",),
            model=self.model,
            batch=2,
        )
        return await backfill.run(BackfillOrder(part=part, limit=limit, dry=dry))


def world(count: int, version: str = OLD, *, model: bool = False) -> World:
    rows = {UUID(int=n): (version, version) for n in range(1, count + 1)}
    return World(rows, model=MODEL if model else None)


async def test_rules_take_large_slices_and_a_model_small_ones() -> None:
    plain, asking = world(300), world(5, model=True)
    assert (await plain.run()).raised == 300
    assert plain.asked == [("nothing", 256), ("nothing", 44)]
    assert (await asking.run()).raised == 5
    assert asking.asked == [("all", 2), ("all", 2), ("all", 1)]
    assert asking.told == asking.linked == sorted(asking.rows)


async def test_corrections_that_are_found_by_the_way_are_read_again() -> None:
    some = world(3)
    some.unread = {UUID(int=2): UUID(int=9)}
    await some.run()
    assert sorted(some.told) == [*sorted(some.rows), UUID(int=9)]


async def test_a_dry_run_and_a_limit_change_no_more_than_they_say() -> None:
    some = world(5)
    looked = await some.run(dry=True)
    assert (looked.outdated, looked.by_version, some.asked) == (5, {OLD: 5}, [])
    done = await some.run(limit=3)
    assert (done.outdated, done.changed, len(some.told)) == (3, 3, 3)


async def test_a_model_that_is_away_is_given_up_and_the_rules_go_on() -> None:
    some = world(300, model=True)
    some.answers = dict.fromkeys(some.rows, False)
    done = await some.run()
    assert some.asked == [("all", 2), ("all", 2), ("nothing", 256), ("nothing", 40)]
    assert set(some.rows.values()) == {(VERSION, VERSION)}
    assert (done.changed, done.raised, done.left) == (300, 0, 300)
    again = await some.run()
    assert (again.changed, again.left) == (0, 300)
    assert some.asked[4:] == [("all", 2), ("all", 2)]


async def test_a_message_that_the_model_cannot_read_holds_up_no_other() -> None:
    some = world(8, VERSION, model=True)
    some.answers = {UUID(int=1): False, UUID(int=2): False, UUID(int=5): False}
    done = await some.run()
    assert (done.raised, done.left) == (5, 3)
    assert [one for one, versions in some.rows.items() if versions == (VERSION, VERSION)] == [
        UUID(int=1),
        UUID(int=2),
        UUID(int=5),
    ]


@pytest.mark.parametrize("model", [True, False])
async def test_nothing_that_a_model_derived_is_given_up_for_the_rules(*, model: bool) -> None:
    some = world(4, BY_OLD, model=model)
    some.answers = dict.fromkeys(some.rows, False)
    before = dict(some.rows)
    some.rows[UUID(int=9)] = (BY_OLD, OLD)
    await some.run()
    assert some.rows == {**before, UUID(int=9): (BY_OLD, VERSION)}
    assert some.told == [UUID(int=9)]


async def test_the_importance_alone_leaves_the_rest_of_its_version() -> None:
    some = world(3, model=True)
    assert (await some.run("importance")).raised == 3
    assert set(some.rows.values()) == {(OLD, BY_MODEL)}
    assert some.linked == []


async def test_it_waits_while_the_index_has_much_before_it() -> None:
    some = world(3)
    some.backlog = 10_000
    running = asyncio.create_task(some.run())
    for _ in range(100):
        await some.clock.advance(1)
        some.backlog -= 90  # slowly, but it moves
    assert some.asked == []
    some.backlog = 0
    await some.clock.advance(1)
    await settle()
    assert (await running).raised == 3


async def test_it_gives_up_on_an_index_that_does_not_move() -> None:
    some = world(3)
    some.backlog = 10_000
    running = asyncio.create_task(some.run())
    for _ in range(62):
        await some.clock.advance(1)
    with pytest.raises(IndexStuck, match="10000 points have yet to follow"):
        await running
    assert some.asked == []


async def test_what_a_model_has_rated_stays_so_while_the_rest_is_raised() -> None:
    mixed = World({UUID(int=1): (OLD, f"{OLD}+{MODEL}")})
    done = await mixed.run()
    assert (done.changed, done.raised, done.left) == (1, 1, 0)
    assert mixed.rows[UUID(int=1)] == (VERSION, f"{OLD}+{MODEL}")
    assert (await mixed.run()).outdated == 0
