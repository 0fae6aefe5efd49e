"""An import restores uses, assertions and derived memories once, and overwrites nothing newer."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from tests.contract.store.evidence import claim, extracted, learn, tell, version
from tests.contract.store.stores import STORED, Scope, Stores, summary
from tests.fixtures.workshop import memory_bus
from tests.support.manual_clock import ManualClock

from ricordo.language.annotations import MemoryKind, MemorySource
from ricordo.language.facts.evidence import Evidence
from ricordo.memory.facts.user_assertions import Rejection
from ricordo.memory.model import derived_id
from ricordo.runtime.event_publishing import Emitter
from ricordo.store.entity_store import NobodyKnown
from ricordo.store.exports import EXPORT_PARTS, ExportStore, InvalidExportKey
from ricordo.store.fact_queries import FactQuestion
from ricordo.store.imports import ImportedRejection, ImportedUse, ImportStore
from ricordo.store.working_memory_store import TombstoneExists, WorkingNote
from ricordo_services.lifecycle.export_restore import ExportRestore, Names

PEOPLE = claim("friend", "Nicola"), claim("likes", "tea", subject="Nico")
DAY = timedelta(days=1)


@pytest.fixture
def restoring(stores: Stores) -> ImportStore:
    return ImportStore(stores.database)


def state_of(memory_id: UUID) -> ImportedUse:
    return ImportedUse(
        id=memory_id,
        event_id=uuid4(),
        access_count=7,
        last_accessed=STORED + timedelta(days=3),
        reinforcement=0.35,
        importance=0.95,
        importance_beyond=0.04,
        pinned=True,
        verified=False,
        stored_at=STORED - timedelta(days=30),
        archived_at=None,
        archive_reason=None,
        compressed=False,
        synthesis_id=None,
    )


async def test_a_memory_is_as_used_as_it_was_and_each_state_counts_once(
    restoring: ImportStore, stores: Stores
) -> None:
    (memory_id,) = await stores.say("m-1")
    state = state_of(memory_id)
    assert await restoring.use(stores.tenant, "u-1", [state]) == {memory_id: None}
    found = await stores.memory()
    assert (found.access_count, found.last_accessed, found.reinforcement) == (7, state.last_accessed, 0.35)
    assert (found.importance, found.stored_at) == (0.95, state.stored_at)
    assert (found.pinned, found.verified) == (True, False)
    assert await restoring.use(stores.tenant, "u-1", [state]) == {}
    assert await stores.memory() == found


async def test_what_was_made_of_a_memory_here_stays(restoring: ImportStore, stores: Stores) -> None:
    """One that was used more here keeps its importance, and comes to no archive."""
    (memory_id,) = await stores.say("m-1")
    await restoring.use(stores.tenant, "u-1", [state_of(memory_id)])
    before = await stores.memory()
    old = replace(
        state_of(memory_id),
        access_count=1,
        last_accessed=None,
        reinforcement=0.05,
        importance=0.2,
        pinned=False,
        archived_at=STORED,
        archive_reason="decay",
    )
    await restoring.use(stores.tenant, "u-1", [old])
    assert await stores.memory() == before


async def test_what_was_archived_is_archived(restoring: ImportStore, stores: Stores) -> None:
    (memory_id,) = await stores.say("m-1")
    gone = replace(state_of(memory_id), archived_at=STORED, archive_reason="expiry")
    assert await restoring.use(stores.tenant, "u-1", [gone]) == {memory_id: "expiry"}
    assert (await stores.memory()).archived_at == STORED


async def test_nobody_elses_memory_is_touched(restoring: ImportStore, stores: Stores) -> None:
    (memory_id,) = await stores.say("m-1")
    assert await restoring.use(stores.tenant, "u-2", [state_of(memory_id)]) == {}
    assert await restoring.use(stores.another_tenant().tenant, "u-1", [state_of(memory_id)]) == {}
    assert (await stores.memory()).access_count == 0


async def note(
    stores: Stores, value: int, at: datetime, since: datetime | None = None, *, late: bool = False
) -> None:
    """Note a value; what is a day older than `since` has expired."""
    noted = WorkingNote(user_id="u-1", conversation_id="c-1", key="a", value=value)
    await stores.notes.note(stores.tenant, noted, at, live_since=(since or at) - DAY, limit=9, late=late)


def word(value: str, kind: str = "verified", request: str = "request 1") -> Evidence:
    return replace(claim("lives_in", value, minute=10), kind=kind, message_id=request)  # type: ignore[arg-type]  # of the few kinds


async def test_the_users_word_is_folded_in_once(restoring: ImportStore, stores: Stores) -> None:
    await tell(stores, "m-1", claim("lives_in", "Turin"))
    words = {"request 1": [word("Turin", "rejected"), word("Bologna")]}
    assert await restoring.words(stores.tenant, "u-1", words) == 1
    (home,) = await stores.ledger.facts(stores.tenant, FactQuestion(user_id="u-1"))
    assert (home.object, home.verified) == ("Bologna", True)
    assert await restoring.words(stores.tenant, "u-1", words) == 0


async def test_what_a_bot_asserted_is_restored_of_messages_that_are_here(
    restoring: ImportStore, stores: Stores
) -> None:
    """And of the bot itself, whose key has a space; twice is once."""
    await stores.say("m-1")
    own = replace(extracted(stores, "m-1", claim("likes", "figs")), message_id="request b")
    own = replace(own, evidence=tuple(replace(one, message_id="request b") for one in own.evidence))
    asserted = [
        extracted(stores, "m-1", claim("likes", "tea")),
        extracted(stores, "gone", claim("likes", "rum")),
    ]
    for _ in range(2):
        assert await restoring.assertions(stores.tenant, "u-1", [*asserted, own]) == 2
    found = await stores.ledger.facts(stores.tenant, FactQuestion(user_id="u-1", predicate="likes"))
    assert {(one.object, one.confidence, one.message_ids) for one in found} == {
        ("tea", 1, ("m-1",)),
        ("figs", 1, ()),
    }


def turned_down(message_id: str = "m-1") -> ImportedRejection:
    words = Rejection(message_id, "user", "lives_in", "Turin", "lives_in Turin")
    return ImportedRejection(request_id="request 1", ordinal=0, fact_id=uuid4(), rejection=words, at=STORED)


@pytest.mark.parametrize("read_first", [True, False])
async def test_what_was_rejected_is_rejected_again(
    restoring: ImportStore, stores: Stores, *, read_first: bool
) -> None:
    await stores.say("m-1", "m-2")
    told = extracted(stores, "m-1", claim("lives_in", "Turin"), claim("likes", "tea", position=20))
    if read_first:
        await learn(stores, told)
    assert await restoring.rejections(stores.tenant, "u-1", [turned_down()]) == 1
    await learn(stores, told)
    (tea,) = await stores.ledger.facts(stores.tenant, FactQuestion(user_id="u-1"))
    assert tea.object == "tea"
    before = await version(stores)
    await restoring.rejections(stores.tenant, "u-1", [turned_down()])
    assert await version(stores) == before


@pytest.mark.parametrize(("scope", "key"), [("user", "u-1"), ("message", "m-1")])
async def test_nothing_rejected_comes_back_of_what_was_forgotten(
    restoring: ImportStore, stores: Stores, scope: Scope, key: str
) -> None:
    await stores.say("m-1")
    await stores.put_tombstone(scope, key, "u-1")
    assert await restoring.rejections(stores.tenant, "u-1", [turned_down()]) == 0
    assert await stores.fetch("select count(*) from rejections") == [(0,)]


async def test_nothing_comes_back_of_who_was_forgotten(restoring: ImportStore, stores: Stores) -> None:
    sources = await stores.say("m-1", "m-2")
    await stores.put_tombstone("user", "u-1", "u-1")
    assert await restoring.words(stores.tenant, "u-1", {"request 1": [word("Turin")]}) == 0
    assert list(await restoring.derived(stores.tenant, [summary(stores, sources)], {}, STORED)) == []


@pytest.mark.parametrize("scope", ["user", "conversation"])
async def test_no_note_of_before_comes_back_once_all_is_erased(stores: Stores, scope: Scope) -> None:
    before = datetime.now(UTC)
    await stores.put_tombstone(scope, "u-1" if scope == "user" else "c-1", "u-1")
    await _erased(stores)
    with pytest.raises(TombstoneExists, match=scope):
        await note(stores, 1, before)
    await note(stores, 1, datetime.now(UTC) + timedelta(minutes=1), before)


@pytest.mark.parametrize(("kept_h", "restored"), [(24, []), (48, [("1",)])])
async def test_a_note_returns_as_long_as_this_server_keeps_it(
    stores: Stores, kept_h: int, restored: list[tuple[str]]
) -> None:
    clock = ManualClock(datetime.now(UTC))
    restore = ExportRestore(
        tenant=stores.tenant,
        user_id="u-1",
        names=Names(stores.tenant),
        imports=ImportStore(stores.database),
        ledger=stores.ledger,
        note_store=stores.notes,
        emitter=Emitter(memory_bus(clock), clock, "tests"),
        clock=clock,
        note_lifetime=timedelta(hours=kept_h),
    )
    set_at = (clock.now() - timedelta(hours=30)).isoformat()
    await restore.notes([{"conversation_id": "c-1", "key": "a", "value": 1, "set_at": set_at}])
    assert await stores.fetch("select value from notes") == restored


async def test_what_was_noted_or_decided_here_since_stays(stores: Stores) -> None:
    await tell(stores, "m-1", *PEOPLE)
    now = datetime.now(UTC)
    for value, at_ in ((1, now), (2, now - timedelta(hours=1)), (3, now + timedelta(hours=1))):
        await note(stores, value, at_, now, late=True)
        same = await stores.ledger.decide(
            stores.tenant, "u-1", ("nico", "nicola"), same=value == 1, by="user", decided_at=at_
        )
        assert same is (value < 3)
    assert await stores.fetch("select value from notes") == [("3",)]


@pytest.mark.parametrize("by", ["user", "model:m"])
async def test_no_decision_of_before_comes_back_once_all_is_erased(stores: Stores, by: str) -> None:
    await tell(stores, "m-1", *PEOPLE)
    before, names = datetime.now(UTC), ("nico", "nicola")
    await stores.put_tombstone("user", "u-1", "u-1")
    await _erased(stores)
    of = (stores.tenant, "u-1", names)
    with pytest.raises(NobodyKnown, match="forgotten"):
        await stores.ledger.decide(*of, same=True, by=by, decided_at=before)
    assert await _decisions(stores) == []
    later = datetime.now(UTC) + timedelta(minutes=1)
    await stores.ledger.decide(*of, same=True, by=by, decided_at=later)
    assert await _decisions(stores) == [later]


async def _erased(stores: Stores) -> None:
    await stores.execute("update tombstones set erased_at = now()")


async def _decisions(stores: Stores) -> list[datetime]:
    return [row[0] for row in await stores.fetch("select decided_at from identity_decisions")]


async def test_a_derived_memory_is_written_once_and_after_its_sources(
    restoring: ImportStore, stores: Stores
) -> None:
    sources = await stores.say("m-1", "m-2")
    made, about = summary(stores, sources), uuid4()
    orphan = summary(stores, [*sources, uuid4()])
    (written,) = await restoring.derived(stores.tenant, [made, orphan], {made.id: about}, STORED)
    assert written.memory_id == made.id
    (again,) = await restoring.derived(stores.tenant, [made], {made.id: about}, STORED)
    assert again == written
    assert await restoring.insights(stores.tenant, "u-1", [about, uuid4()]) == {about: made.id}
    assert await restoring.insights(stores.tenant, "u-2", [about]) == {}


async def test_what_rests_on_another_users_words_is_not_written(
    restoring: ImportStore, stores: Stores
) -> None:
    made = summary(stores, await stores.say("m-1", "m-2"))
    assert list(await restoring.derived(stores.tenant, [replace(made, user_id="u-2")], {}, STORED)) == []
    await restoring.derived(stores.tenant, [made], {}, STORED)
    assert list(await restoring.derived(stores.tenant, [replace(made, user_id="u-2")], {}, STORED)) == []


async def test_what_is_held_is_read_behind_a_key_and_each_part_has_an_end(stores: Stores) -> None:
    holdings = ExportStore(stores.database)
    await stores.record(
        *(stores.message(f"m-{n}", minute=0) for n in range(5)),
        stores.message("n-1", user_id="u-2", conversation_id="c-2"),
    )
    first = await holdings.after(stores.tenant, "u-1", "messages", (), 2)
    rest = await holdings.after(stores.tenant, "u-1", "messages", first[-1].key, 10)
    assert [one.item["message"]["id"] for one in (*first, *rest)] == [f"m-{n}" for n in range(5)]  # type: ignore[index]  # JSON
    for part in EXPORT_PARTS:
        assert list(await holdings.after(stores.tenant, "nobody", part, (), 10)) == []
        with pytest.raises(InvalidExportKey):
            await holdings.after(stores.tenant, "u-1", part, ("x",) * 7, 10)
    assert await holdings.next_user(stores.tenant, "") == "u-1"
    assert await holdings.next_user(stores.tenant, "u-1") == "u-2"
    assert await holdings.next_user(stores.tenant, "u-2") is None


@pytest.mark.parametrize("held", [{"source": MemorySource.USER_CORRECTION}, {"verified": True}], ids=repr)
async def test_what_the_user_stands_behind_takes_the_place_of_what_was_made_here(
    restoring: ImportStore, stores: Stores, held: dict[str, Any]
) -> None:
    """It goes by the same id, and rests on the same messages; what was made of it goes, too."""
    sources = await stores.say("m-1", "m-2")
    own = summary(stores, sources, "They spoke of the weather.")
    resting = replace(
        own,
        id=derived_id(stores.tenant, MemoryKind.REFLECTION, [own.id], about="x"),
        kind=MemoryKind.REFLECTION,
        source_ids=(own.id,),
    )
    for one in (own, resting):
        assert len(await restoring.derived(stores.tenant, [one], {}, STORED)) == 1
    mine = replace(summary(stores, sources, "They spoke of the sea, and of Nora."), **held)
    (written,) = await restoring.derived(stores.tenant, [mine], {}, STORED)
    assert (written.memory_id, written.encoded, written.indexed) == (mine.id, None, None)
    (found,) = await stores.found(mine.id, resting.id)
    assert (found.content, found.source, found.verified) == (mine.content, mine.source, mine.verified)
    other = replace(mine, content="They spoke of nothing.")
    await restoring.derived(stores.tenant, [other], {}, STORED)
    (found,) = await stores.found(mine.id)
    assert found.content == mine.content, "what the user stands behind here stays"


async def test_what_was_computed_gives_way_to_the_users_words_alone(
    restoring: ImportStore, stores: Stores
) -> None:
    sources = await stores.say("m-1", "m-2")
    own = summary(stores, sources, "They spoke of the weather.")
    await restoring.derived(stores.tenant, [own], {}, STORED)
    await restoring.derived(stores.tenant, [summary(stores, sources)], {}, STORED)
    (found,) = await stores.found(own.id)
    assert found.content == own.content
