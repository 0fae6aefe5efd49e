"""Messages are recorded once, in any order of arrival alike, and so many of a user as the quotas allow."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from itertools import chain
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contract.store.stores import STORED, Scope, Stores, enriched
from tests.fixtures.examples import laws
from tests.support.factories import at

from ricordo.memory.model import Progress
from ricordo.store.intake import IntakeLimits, IntakeStore, NewMessage

# At the same moment the smaller id comes first: by code points, as numbers, cases and signs would not.
NAMES = ("m-10", "m-2", "M-3", "a/b", "~", "!", "Z", "z", "m-2_")
ZONES = (None, None, "Europe/Rome", "America/New_York")
LAWS = laws(15)
ODD = ("x" * 32_768, "𝄞" * 8_000, "'; drop table history; --", '{"a": "\\u0000"}\\N\t\r\n', "\x01\u202e")


async def _statuses(stores: Stores, *messages: NewMessage) -> list[str]:
    return [one.status for one in await stores.record(*messages)]


async def test_a_message_becomes_history_a_memory_and_its_first_stage(stores: Stores) -> None:
    fields: dict[str, Any] = {
        "participants": ("Davide", "Anna"),
        "tags": ("party",),
        "location": "Milano",
        "expires_at": at(60),
        "trust": 3.5,
    }
    message = stores.message(content="È già l'8 maggio 🎉", timezone="Europe/Rome")
    message = replace(message, metadata={"channel": {"nested": [1, 2.5, None, "x"]}}, **fields)
    (recorded,) = await stores.record(message)
    whose: dict[str, Any] = {"message_id": "m-1", "user_id": "u-1", "conversation_id": "c-1"}
    assert recorded.status == "kept"
    assert recorded.progress == Progress(memory_id=message.memory_id, ingested=STORED, **whose)
    kept = await stores.memory()
    assert {name: getattr(kept, name) for name in fields} == fields
    assert (kept.content, kept.created_at, kept.stored_at) == (message.content, message.timestamp, STORED)
    assert kept.timezone == "Europe/Rome"
    (turn,) = await stores.queries.history(stores.tenant, "u-1", conversation_id=None, before=None, limit=5)
    assert (turn.message_id, turn.content, turn.speaker) == ("m-1", message.content, "Davide")


async def test_a_repeat_returns_how_far_the_message_is_by_now(stores: Stores) -> None:
    message, later = stores.message(), STORED + timedelta(seconds=1)
    await stores.record(message)
    await stores.encode("m-1", at=later)
    (recorded,) = await stores.record(message)
    assert recorded.progress is not None
    assert recorded.progress.encoded == later


async def test_of_two_contents_under_one_id_of_a_tenant_the_first_stays(stores: Stores) -> None:
    first, other = stores.message(content="tea"), stores.message(content="coffee")
    moved = stores.message(conversation_id="c-2", content="tea")
    batch = [first, other, stores.message("m-2", minute=1), first, moved]
    assert await _statuses(stores, *batch) == ["kept", "conflict", "kept", "kept", "conflict"]
    assert await _statuses(stores, other, first) == ["conflict", "kept"]
    assert (await stores.memory()).content == "tea"
    assert (await stores.queries.counts(stores.tenant, "u-1")).memories == 2
    elsewhere = stores.another_tenant()
    assert await _statuses(elsewhere, elsewhere.message(content="coffee")) == ["kept"]
    assert list(await stores.record()) == []


@pytest.mark.parametrize("conversations", [("c-1", "c-1"), ("c-1", "c-2")])
async def test_two_writers_of_the_same_ids_in_opposite_order_agree(
    stores: Stores, conversations: tuple[str, str]
) -> None:
    """They must not wait for each other in a circle."""
    for turn in range(6):
        ids = [f"m-{turn}-{n}" for n in range(12)]
        batches = [
            [
                stores.message(one, minute=n, conversation_id=conversation, content=writer)
                for n, one in enumerate(order)
            ]
            for writer, conversation, order in zip("ab", conversations, (ids, ids[::-1]), strict=True)
        ]
        results = await asyncio.gather(*(stores.record(*batch) for batch in batches))
        kept = [
            (message.message_id, message.content)
            for message, recorded in zip(chain(*batches), chain(*results), strict=True)
            if recorded.status == "kept"
        ]
        found = await stores.found(*(stores.id(one) for one in ids))
        assert sorted(kept) == sorted((str(one.message_id), one.content) for one in found)


@pytest.mark.parametrize(("scope", "key"), [("message", "m-1"), ("conversation", "c-1"), ("user", "u-1")])
async def test_a_forgotten_message_is_not_recorded_again(stores: Stores, scope: Scope, key: str) -> None:
    await stores.put_tombstone(scope, key)
    await stores.another_tenant().put_tombstone("message", "m-2", "u-2")
    spared = stores.message("m-2", user_id="u-2", conversation_id="c-1")
    recorded = await stores.record(stores.message(), spared)
    assert [one.status for one in recorded] == ["forgotten", "kept"]
    assert recorded[0].progress is None
    assert (await stores.queries.status(stores.tenant, "m-1"))[0] is None
    counts = await stores.queries.counts(stores.tenant, "u-1")
    assert (counts.history, counts.memories, counts.pending) == (0, 0, 0)


async def test_odd_texts_are_read_as_they_were_written_and_a_nul_is_refused(stores: Stores) -> None:
    """The wire refuses it long before; here it must not look like something to try again for ever."""
    batch = [stores.message(f"m-{n}", content=text, minute=n) for n, text in enumerate(ODD)]
    await stores.record(*batch)
    assert [(await stores.memory(one.message_id)).content for one in batch] == list(ODD)
    with pytest.raises(Exception, match=r"(?i)nul|\\u0000|unicode") as raised:
        await stores.record(stores.message("nul", content="a\0b"))
    assert "Unavailable" not in type(raised.value).__name__
    assert await stores.queries.status(stores.tenant, "nul") == (None, None, False)


@dataclass(frozen=True)
class Said:
    """A message of a drawn story; several may share a moment."""

    minute: int
    user: int
    conversation: int
    zone: str | None
    hours: int
    memorable: bool


@st.composite
def arrivals(draw: st.DrawFn) -> tuple[list[Said], list[list[int]]]:
    """Draw a story, and an order and batching in which it arrives, with repeats."""
    said = st.builds(
        Said,
        minute=st.integers(0, 6),
        user=st.integers(1, 2),
        conversation=st.integers(1, 2),
        zone=st.sampled_from(ZONES),
        hours=st.sampled_from((0, 8)),
        memorable=st.sampled_from((True, True, True, False)),
    )
    story = draw(st.lists(said, min_size=1, max_size=len(NAMES)))
    order = draw(st.permutations(range(len(story))))
    rest = [*order, *draw(st.lists(st.sampled_from(order), max_size=3))]
    batches = []
    while rest:
        size = draw(st.integers(1, 3))
        batches.append(rest[:size])
        rest = rest[size:]
    return story, batches


def _messages(stores: Stores, story: Sequence[Said]) -> list[NewMessage]:
    messages = [
        stores.message(
            NAMES[n],
            user_id=f"u-{said.user}",
            conversation_id=f"c-{said.conversation}",
            minute=said.minute,
            timezone=said.zone,
            memorable=said.memorable,
        )
        for n, said in enumerate(story)
    ]
    offsets = [timezone(timedelta(hours=said.hours)) for said in story]
    return [
        replace(message, timestamp=message.timestamp.astimezone(offset))
        for message, offset in zip(messages, offsets, strict=True)
    ]


def expected(messages: Sequence[NewMessage]) -> dict[str, tuple[UUID | None, UUID | None, str]]:
    """Say for each memory who comes before and after it, and its zone, from all that was said."""
    told = sorted(messages, key=lambda one: (one.timestamp, one.message_id))
    found = {}
    for n, one in enumerate(told):
        if not one.memorable:
            continue
        there = [m for m in told if m.memorable and m.conversation_id == one.conversation_id]
        here = there.index(one)
        zones = [m.timezone for m in told[: n + 1] if m.user_id == one.user_id and m.timezone]
        found[one.message_id] = (
            there[here - 1].memory_id if here else None,
            there[here + 1].memory_id if here + 1 < len(there) else None,
            zones[-1] if zones else "+08:00" if one.timestamp.utcoffset() else "UTC",
        )
    return found


@LAWS
@given(arrival=arrivals(), at_once=st.booleans())
async def test_any_order_batching_and_repetition_gives_the_same_rows(
    stores: Stores, arrival: tuple[list[Said], list[list[int]]], *, at_once: bool
) -> None:
    story, batches = arrival
    here = stores.another_tenant()
    messages = _messages(here, story)
    if at_once:
        await asyncio.gather(*(here.record(*(messages[n] for n in batch)) for batch in batches))
    else:
        for batch in batches:
            await here.record(*(messages[n] for n in batch))
    ids = [message.memory_id for message in messages]
    memories = [one for user in ("u-1", "u-2") for one in await here.queries.memories(here.tenant, user, ids)]
    links = {str(one.message_id): (one.preceding_id, one.following_id, one.timezone) for one in memories}
    assert links == expected(messages)
    counts = [await here.queries.counts(here.tenant, f"u-{n}") for n in (1, 2)]
    assert sum(one.history for one in counts) == len(story)


async def test_a_late_message_that_names_a_zone_has_those_after_it_derived_again(stores: Stores) -> None:
    """Also when enrichment has read one of them before, and when the message is of the history only."""
    names = ("m-2", "m-3", "m-4")
    zones = (None, "Asia/Tokyo", None)
    for n, (name, zone) in enumerate(zip(names, zones, strict=True), 1):
        await stores.record(stores.message(name, minute=10 * n, timezone=zone))
        memory = await stores.memory(name)
        await stores.enrich(name, timezone=memory.timezone)
    (read,) = await stores.enrichments.load(stores.tenant, [stores.id("m-2")])
    (recorded,) = await stores.record(stores.message("m-1", timezone="America/New_York"))
    assert [one.message_id for one in recorded.timezone_changed] == ["m-2"]
    moved = await stores.memory("m-2")
    assert (moved.timezone, moved.time_of_day) == ("America/New_York", "night")
    assert [(await stores.progress(name)).enriched for name in names] == [None, STORED, STORED]
    assert read.timezone == "UTC"
    former = enriched(moved, timezone=read.timezone)
    assert list(await stores.enrichments.save(stores.tenant, [former], STORED)) == []
    await stores.record(replace(stores.message("m-1b", minute=1, timezone="Europe/Rome"), memorable=False))
    now = await stores.memory("m-2")
    assert now.timezone == "Europe/Rome"
    anew = enriched(now, timezone=now.timezone)
    (saved,) = await stores.enrichments.save(stores.tenant, [anew], STORED)
    assert saved.progress.enriched == STORED


def some(stores: Stores, count: int, user: str = "u-1", first: int = 0) -> list[NewMessage]:
    """Return messages of a user, numbered from `first`."""
    return [
        stores.message(f"{user}-{n}", user_id=user, conversation_id=f"c-{user}", minute=n)
        for n in range(first, first + count)
    ]


async def _record_within(
    stores: Stores, messages: Sequence[NewMessage], when: datetime = STORED, **limits: int
) -> list[str]:
    """Record with limits, three kept messages of each user by default; return what became of them."""
    intake = IntakeStore(stores.database, IntakeLimits(**(limits or {"kept": 3})))
    return [one.status for one in await intake.record(stores.tenant, messages, when)]


async def test_messages_beyond_are_refused_and_repeats_take_no_room(stores: Stores) -> None:
    said = some(stores, 5)
    assert await _record_within(stores, said[:2]) == ["kept"] * 2
    batch = [*said[:2], *said, *some(stores, 1, "u-2")]
    for _ in range(2):
        assert await _record_within(stores, batch) == ["kept"] * 5 + ["too_many"] * 2 + ["kept"]
    assert await _record_within(stores, said[3:], kept=4) == ["kept", "too_many"]
    assert (await stores.queries.counts(stores.tenant, "u-1")).history == 4


async def test_a_refused_message_leaves_its_id_free_and_a_conflict_stays_one(stores: Stores) -> None:
    await _record_within(stores, some(stores, 4))
    free = stores.message("u-1-3", user_id="u-2", content="something else")
    assert await _record_within(stores, [free]) == ["kept"]
    assert await _record_within(stores, [stores.message("u-1-0", content="else")]) == ["conflict"]


async def test_it_is_exact_with_many_at_once(stores: Stores) -> None:
    found = await asyncio.gather(
        *(_record_within(stores, some(stores, 4, first=3 * number), kept=10) for number in range(8))
    )
    assert {*chain.from_iterable(found)} == {"kept", "too_many"}
    assert (await stores.queries.counts(stores.tenant, "u-1")).history == 10


async def test_messages_that_were_kept_without_a_quota_count(stores: Stores) -> None:
    await stores.record(*some(stores, 2))
    assert await _record_within(stores, some(stores, 2, first=2)) == ["kept", "too_many"]
    await stores.record(*some(stores, 2, first=10))
    assert await _record_within(stores, some(stores, 1, first=20)) == ["too_many"]


async def test_a_day_has_a_quota_of_its_own(stores: Stores) -> None:
    await stores.record(*some(stores, 1), at=STORED - timedelta(days=3))
    for first, hours, became in (
        (1, 0, ["kept", "kept", "too_many_today"]),
        (4, 1, ["too_many_today"] * 3),
        (7, 24, ["kept", "kept", "too_many"]),
    ):
        messages, when = some(stores, 3, first=first), STORED + timedelta(hours=hours)
        assert await _record_within(stores, messages, when, kept_a_day=2, kept=5) == became


async def test_a_forgotten_message_takes_no_room(stores: Stores) -> None:
    await stores.put_tombstone("message", "u-1-0")
    assert await _record_within(stores, some(stores, 4)) == ["forgotten", "kept", "kept", "kept"]
