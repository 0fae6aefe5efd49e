"""What an export holds besides messages is restored once, as it was, and overwrites nothing newer."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from tests.contract.store.evidence import assert_fact, by_object, claim, extracted, learn, version
from tests.contract.store.stores import STORED, Stores, summary
from tests.fixtures.workshop import memory_bus
from tests.support.factories import at
from tests.support.manual_clock import ManualClock

from ricordo.client import MemoryClient
from ricordo.language.annotations import MemoryKind
from ricordo.memory.facts.user_assertions import UserAssertion
from ricordo.memory.model import Memory
from ricordo.messages.ids import request_key
from ricordo.runtime.event_publishing import Emitter
from ricordo.store.exports import EXPORT_PARTS, ExportStore, InvalidExportKey
from ricordo.store.imports import ImportStore
from ricordo.store.session_store import SessionStore
from ricordo.store.working_memory_store import TombstoneExists, WorkingNote
from ricordo_services.lifecycle.export_restore import ExportRestore

Item = dict[str, Any]
DAY = timedelta(days=1)
MESSAGES = ("m-1", "m-2", "m-3", "m-4")
TOLD = {
    "m-1": (claim("lives_in", "Turin"), claim("likes", "tea", position=20)),
    "m-2": (claim("friend", "Nicola", minute=1), claim("likes", "tea", subject="Nico", minute=1)),
    "m-3": (claim("works_at", "Fiat", minute=2),),
}
KINDS = {"message", "memory", "fact", "word", "rejection", "entity", "decision", "note", "session_end"}
OTHERS = ("id", "memory_id", "source_ids", "preceding_id", "following_id", "synthesis_id", "about", "request")
"""What holds the name of the tenant."""


@dataclass
class Client:
    """Stands in for the client: corrects at once."""

    stores: Stores

    async def correct(self, user_id: str, *, memory_id: UUID, content: str, request_id: str) -> None:
        await self.stores.correct(memory_id, content)

    async def remembered(self, ids: Sequence[str], timeout: float) -> None:
        """Wait for nothing."""

    async def end_session(self, user_id: str, conversation_id: str, ended_at: str) -> None:
        at = datetime.fromisoformat(ended_at)
        await SessionStore(self.stores.database).end(
            self.stores.tenant, user_id, conversation_id, at, STORED + DAY
        )


def restore_of(stores: Stores, *, user_id: str = "u-1", note_h: int = 24) -> ExportRestore:
    clock = ManualClock(datetime.now(UTC))
    return ExportRestore(
        tenant=stores.tenant,
        user_id=user_id,
        client=cast(MemoryClient, Client(stores)),
        imports=ImportStore(stores.database),
        ledger=stores.ledger,
        note_store=stores.notes,
        emitter=Emitter(memory_bus(clock), clock, "tests"),
        clock=clock,
        note_lifetime=timedelta(hours=note_h),
    )


async def exported(stores: Stores) -> list[Item]:
    holdings, items = ExportStore(stores.database), list[Any]()
    for part in EXPORT_PARTS:
        items += [one.item for one in await holdings.after(stores.tenant, "u-1", part, (), 1_000)]
    return [json.loads(json.dumps(item)) for item in items]


async def restored(
    restore: ExportRestore, items: Sequence[Item], failed: Sequence[str] = (), steps: int = 1_000
) -> ExportRestore:
    """Restore items; break off after so many steps."""
    left = iter(range(steps))

    def of_kind(kind: str) -> Iterator[Item]:
        if next(left, None) is None:
            raise ConnectionError
        return (item for item in items if item["item"] == kind)

    await restore.run(of_kind, failed, 1.0)
    return restore


async def kept(stores: Stores) -> list[str]:
    """Return all that an export holds, but for the ids."""
    items = await exported(stores)
    shown = ({name: item[name] for name in item if name not in OTHERS} for item in items)
    return sorted(json.dumps(item, sort_keys=True) for item in shown)


async def told(stores: Stores) -> None:
    """Say messages, and read the facts that they state."""
    await stores.say(*MESSAGES)
    await learn(stores, *(extracted(stores, message_id, *claims) for message_id, claims in TOLD.items()))


async def note(
    stores: Stores, value: int, at: datetime, since: datetime | None = None, *, late: bool = False
) -> None:
    """Note a value; what is a day older than `since` has expired."""
    noted = WorkingNote(user_id="u-1", conversation_id="c-1", key="a", value=value)
    await stores.notes.note(stores.tenant, noted, at, live_since=(since or at) - DAY, limit=9, late=late)


async def draw(stores: Stores, insight: Memory, about: UUID) -> None:
    await stores.write_derived(insight)
    await stores.execute("insert into insights values ($1, 'u-1', $2, $3)", stores.tenant, about, insight.id)


async def talked(stores: Stores) -> Stores:
    """Return another tenant, whose user has an item of each kind."""
    stores = stores.another_tenant()
    await told(stores)
    ids = {name: stores.id(name) for name in MESSAGES}
    await stores.correct(ids["m-4"], "The code is 9924.")
    facts = await by_object(stores)
    await assert_fact(stores, facts["Turin"].id, UserAssertion(object="Bologna"), "request 1")
    await assert_fact(stores, facts["Fiat"].id, UserAssertion(rejected=True), "request 2")
    own = request_key(stores.tenant, "u-1", "assert", "")
    for message_id, memory, value in (("m-3", ids["m-3"], "figs"), (own, None, "rum")):
        asserted = extracted(stores, message_id, claim("likes", value, minute=3))
        await stores.ledger.assert_facts(stores.tenant, asserted, memory, None, [value])
    await stores.ledger.decide(
        stores.tenant, "u-1", ("nico", "nicola"), same=True, by="user", decided_at=at(9)
    )
    made = summary(stores, [ids["m-1"], ids["m-2"]])
    insight = replace(made, id=uuid4(), kind=MemoryKind.REFLECTION, verified=True, conversation_id="")
    await stores.write_derived(made)
    await draw(stores, insight, uuid4())
    await stores.mark(ids["m-1"], "pinned")
    await stores.use(ids["m-2"], made.id, at=STORED + DAY)
    await stores.execute(
        "update memories set archived_at = $2, archive_reason = 'expiry' where id = $1", ids["m-3"], STORED
    )
    await SessionStore(stores.database).end(stores.tenant, "u-1", "c-1", at(30), STORED)
    await note(stores, 42, datetime.now(UTC))
    return stores


async def test_a_restored_export_exports_the_same_wherever_it_broke_off_and_once_more(stores: Stores) -> None:
    source = await talked(stores)
    items, whole = await exported(source), await kept(source)
    assert {item["item"] for item in items} == KINDS
    await told(stores)
    for steps in range(9):
        with pytest.raises(ConnectionError):
            await restored(restore_of(stores), items, steps=steps)
    assert (await restored(restore_of(stores), items)).left_out == []
    assert await kept(stores) == whole
    before = await version(stores)
    assert (await restored(restore_of(stores), items)).restored["memories"] == 0
    assert (await kept(stores), await version(stores)) == (whole, before)


async def test_what_was_made_of_a_memory_here_stays(stores: Stores) -> None:
    """One that was used more here keeps its importance, and comes to no archive; a later text stays, too."""
    items = await exported(await talked(stores))
    await told(stores)
    await stores.use(*([stores.id("m-3")] * 3), at=STORED + 2 * DAY)
    await stores.correct(stores.id("m-4"), "The code is 1111.")
    used = await stores.memory("m-3")
    await restored(restore_of(stores), items)
    assert await stores.memory("m-3") == used
    assert (await stores.memory("m-4")).content == "The code is 1111."
    assert (await stores.memory("m-1")).pinned
    await stores.mark(stores.id("m-1"), "pinned", on=False)
    await restored(restore_of(stores), items)
    assert not (await stores.memory("m-1")).pinned


async def test_nobody_elses_memory_is_touched(stores: Stores) -> None:
    items = await exported(await talked(stores))
    await told(stores)
    before = await kept(stores)
    tally = await restored(restore_of(stores, user_id="u-2"), items)
    assert (tally.restored["memories"], tally.restored["derived"]) == (0, 0)
    assert await kept(stores) == before


async def test_nothing_comes_back_of_who_was_forgotten(stores: Stores) -> None:
    """The bot ends its sessions by an event of its own, which is dated."""
    items = await exported(await talked(stores))
    await stores.put_tombstone("user", "u-1", "u-1")
    await stores.execute("update tombstones set erased_at = now()")
    await restored(restore_of(stores), items, MESSAGES)
    assert {json.loads(text)["item"] for text in await kept(stores)} <= {"session_end"}


async def test_nothing_comes_back_of_a_message_that_was_forgotten(stores: Stores) -> None:
    items = await exported(await talked(stores))
    await stores.say("m-1", "m-2", "m-4")
    await stores.put_tombstone("message", "m-3", "u-1")
    await restored(restore_of(stores), items, ["m-3"])
    assert await stores.fetch("select count(*) from rejections") == [(0,)]
    assert "figs" not in str(await kept(stores))


@pytest.mark.parametrize("read_first", [True, False])
async def test_what_was_rejected_is_rejected_whenever_its_message_is_read(
    stores: Stores, *, read_first: bool
) -> None:
    items = await exported(await talked(stores))
    rejections = [item for item in items if item["item"] == "rejection"]
    if read_first:
        await told(stores)
        await restored(restore_of(stores), rejections)
    else:
        await restored(restore_of(stores), rejections)
        await told(stores)
    assert set(await by_object(stores)) == {"Turin", "tea", "Nicola"}


@pytest.mark.parametrize("text", ["They spoke of the harbour.", "They spoke of the sea."])
async def test_what_the_user_stands_behind_takes_the_place_of_what_was_made_here(
    stores: Stores, text: str
) -> None:
    """Corrected or verified; what was only computed does not, and what the user stands behind here stays."""
    source = await talked(stores)
    plain = await exported(source)
    [made] = [one for one in await source.derived() if one.kind is MemoryKind.SUMMARY]
    if made.content == text:
        await source.mark(made.id, "verified")
    else:
        await source.correct(made.id, text)
    held = await exported(source)
    await told(stores)
    own = summary(stores, [stores.id("m-1"), stores.id("m-2")], "They spoke of the weather.")
    await stores.write_derived(own)
    for items, content in ((plain, own.content), (held, text), (plain, text)):
        await restored(restore_of(stores), items)
        (found,) = await stores.found(own.id)
        assert (found.content, found.verified) == (content, content == text)
    await stores.correct(own.id, "They spoke of Nora.")
    await restored(restore_of(stores), held)
    (found,) = await stores.found(own.id)
    assert (found.content, found.verified) == ("They spoke of Nora.", True)


async def test_an_insight_that_was_drawn_here_stays_and_takes_over_the_use(stores: Stores) -> None:
    source = await talked(stores)
    await source.execute("update memories set verified = false, access_count = 3 where kind = 'reflection'")
    [(about,)] = await source.fetch("select insight_hash from insights")
    items = await exported(source)
    await told(stores)
    own = replace(
        summary(stores, [stores.id("m-1")], "You like the sea."), kind=MemoryKind.REFLECTION, id=uuid4()
    )
    await draw(stores, own, about)
    await restored(restore_of(stores), items)
    [found] = [one for one in await stores.derived() if one.kind is MemoryKind.REFLECTION]
    assert (found.id, found.content, found.access_count) == (own.id, own.content, 3)


async def test_what_is_missing_or_malformed_is_told(stores: Stores) -> None:
    items = await exported(await talked(stores))
    await stores.say("m-1")
    left = (await restored(restore_of(stores), items, MESSAGES[1:])).left_out
    assert "1 assertions of a bot, whose messages are not here" in left
    assert "a decision on who is who: nobody goes by 'nico' or 'nicola'" in left
    assert sum("whose sources are not here" in one for one in left) == 2
    [summed] = [item for item in items if item.get("kind") == "summary"]
    await stores.say("m-2")
    messages = [item for item in items if item["item"] == "message"]
    for wrong in ({"created_at": "some day"}, {"content": None}, {"access_count": "many"}):
        with pytest.raises(ValueError, match=r"\w"):
            await restored(restore_of(stores), [*messages, summed | wrong])


async def test_no_note_of_before_comes_back_once_its_conversation_is_erased(stores: Stores) -> None:
    before = datetime.now(UTC)
    await stores.put_tombstone("conversation", "c-1", "u-1")
    await stores.execute("update tombstones set erased_at = now()")
    with pytest.raises(TombstoneExists):
        await note(stores, 1, before)
    await note(stores, 1, datetime.now(UTC) + timedelta(minutes=1), before)


@pytest.mark.parametrize(("kept_h", "values"), [(24, []), (48, [("1",)])])
async def test_a_note_returns_as_long_as_this_server_keeps_it(
    stores: Stores, kept_h: int, values: list[tuple[str]]
) -> None:
    set_at = (datetime.now(UTC) - timedelta(hours=30)).isoformat()
    noted = {"item": "note", "conversation_id": "c-1", "key": "a", "value": 1, "set_at": set_at}
    await restored(restore_of(stores, note_h=kept_h), [noted])
    assert await stores.fetch("select value from notes") == values


async def test_what_was_noted_or_decided_here_since_stays(stores: Stores) -> None:
    await told(stores)
    now = datetime.now(UTC)
    for value, at_ in ((1, now), (2, now - timedelta(hours=1)), (3, now + timedelta(hours=1))):
        await note(stores, value, at_, now, late=True)
        same = await stores.ledger.decide(
            stores.tenant, "u-1", ("nico", "nicola"), same=value == 1, by="user", decided_at=at_
        )
        assert same is (value < 3)
    assert await stores.fetch("select value from notes") == [("3",)]


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
        for key in (("x",) * 7, ("\x00",), ("\ud800", "x"), ("x", "y", "z")):
            with pytest.raises(InvalidExportKey):
                await holdings.after(stores.tenant, "u-1", part, key, 10)
    assert await holdings.next_user(stores.tenant, "") == "u-1"
    assert await holdings.next_user(stores.tenant, "u-1") == "u-2"
    assert await holdings.next_user(stores.tenant, "u-2") is None
