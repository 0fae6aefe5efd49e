"""What every `IntakeStore` promises of messages that come late: the order of arrival leaves no trace."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contract.store.stores import MODEL, STORED, Stores, enriched

from ricordo.memory.model import Memory
from ricordo.store.intake import NewMessage
from ricordo.store.stages import EnrichedMemory
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

# At the same moment the smaller id comes first: by code points, as numbers, cases and signs would not.
NAMES = ("m-10", "m-2", "M-3", "a/b", "~", "!", "Z", "z", "m-2_")
ZONES = (None, None, "Europe/Rome", "America/New_York")
# A suite runs in as many classes as there are adapters; each example takes a tenant of its own.
LAWS = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)


@dataclass(frozen=True)
class Said:
    """A message of a drawn story; several may share a moment."""

    minute: int
    user: int
    conversation: int
    zone: str | None
    memorable: bool


_SAID = st.builds(
    Said,
    minute=st.integers(0, 6),
    user=st.integers(1, 2),
    conversation=st.integers(1, 2),
    zone=st.sampled_from(ZONES),
    memorable=st.sampled_from((True, True, True, False)),
)


@st.composite
def arrivals(draw: st.DrawFn) -> tuple[list[Said], list[list[int]]]:
    """Draw a story, and an order and batching in which it arrives, with repeats."""
    story = draw(st.lists(_SAID, min_size=1, max_size=len(NAMES)))
    order = draw(st.permutations(range(len(story))))
    repeated = draw(st.lists(st.sampled_from(order), max_size=3))
    cuts = draw(st.lists(st.integers(1, 3), min_size=1, max_size=12))
    batches, rest = [], [*order, *repeated]
    for size in cuts:
        batches.append(rest[:size])
        rest = rest[size:]
    return story, [batch for batch in (*batches, rest) if batch]


def _messages(tenant: str, story: Sequence[Said]) -> list[NewMessage]:
    return [
        new_message(
            NAMES[n],
            tenant=tenant,
            user_id=f"u-{said.user}",
            conversation_id=f"c-{said.conversation}",
            timestamp=at(said.minute),
            timezone=said.zone,
            memorable=said.memorable,
        )
        for n, said in enumerate(story)
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
            zones[-1] if zones else "UTC",
        )
    return found


async def _state(stores: Stores, messages: Sequence[NewMessage]) -> dict[str, Memory]:
    memories = [
        one
        for user in sorted({message.user_id for message in messages})
        for one in await stores.recollection.memories(
            stores.tenant, user, [message.memory_id for message in messages]
        )
    ]
    return {one.message_id or "": one for one in memories}


def _links(state: dict[str, Memory]) -> dict[str, tuple[UUID | None, UUID | None, str]]:
    return {name: (one.preceding_id, one.following_id, one.timezone) for name, one in state.items()}


def _late(name: str, stores: Stores, minute: int, zone: str | None = None) -> NewMessage:
    return new_message(name, tenant=stores.tenant, timestamp=at(minute), timezone=zone)


@LAWS
@given(arrival=arrivals())
async def test_any_order_batching_and_repetition_gives_the_same_rows(
    stores: Stores, arrival: tuple[list[Said], list[list[int]]]
) -> None:
    story, batches = arrival
    here = stores.elsewhere()
    messages = _messages(here.tenant, story)
    for batch in batches:
        await here.record(*(messages[n] for n in batch))
    state = await _state(here, messages)
    assert _links(state) == expected(messages)
    counts = [await here.recollection.counts(here.tenant, f"u-{n}") for n in (1, 2)]
    assert sum(one.history for one in counts) == len(story)


@LAWS
@given(arrival=arrivals())
async def test_also_when_all_batches_come_at_once(
    stores: Stores, arrival: tuple[list[Said], list[list[int]]]
) -> None:
    story, batches = arrival
    here = stores.elsewhere()
    messages = _messages(here.tenant, story)
    await asyncio.gather(*(here.record(*(messages[n] for n in batch)) for batch in batches))
    assert _links(await _state(here, messages)) == expected(messages)


async def test_who_is_indexed_and_follows_a_late_message_is_reported(stores: Stores) -> None:
    first, last = _late("m-1", stores, 0), _late("m-3", stores, 20)
    await stores.record(first, last)
    late = _late("m-2", stores, 10)
    (before,) = await stores.record(replace(late, message_id="m-0", memory_id=stores.id("m-0")))
    assert before.displaced == ()  # what is not indexed yet will find its predecessor by itself
    await stores.indexing.mark(stores.tenant, [first.memory_id, last.memory_id], STORED)
    (recorded,) = await stores.record(late)
    assert recorded.displaced == (last.memory_id,)
    assert (await stores.memory("m-3")).preceding_id == late.memory_id


async def test_a_repeat_reports_it_again_as_after_a_crash_before_the_event(stores: Stores) -> None:
    last, late = _late("m-3", stores, 20), _late("m-2", stores, 10)
    await stores.record(last)
    await stores.indexing.mark(stores.tenant, [last.memory_id], STORED)
    assert await stores.record(late) == await stores.record(late)
    (recorded,) = await stores.record(late)
    assert recorded.displaced == (last.memory_id,)


async def test_a_late_message_that_names_a_zone_moves_what_follows_and_has_it_derived_again(
    stores: Stores,
) -> None:
    await stores.record(_late("m-2", stores, 10), _late("m-3", stores, 20, "Asia/Tokyo"))
    await stores.record(_late("m-4", stores, 30))
    for name in ("m-2", "m-3", "m-4"):
        await stores.enrichments.save(stores.tenant, [_with_zone(await stores.memory(name))], STORED)
    (recorded,) = await stores.record(_late("m-1", stores, 0, "America/New_York"))
    assert [one.message_id for one in recorded.rezoned] == ["m-2"]
    moved = await stores.memory("m-2")
    assert (moved.timezone, moved.time_of_day) == ("America/New_York", "night")
    progress = await stores.progress("m-2")
    assert progress is not None
    assert progress.enriched is None
    for name, zone in (("m-3", "Asia/Tokyo"), ("m-4", "Asia/Tokyo")):
        kept = await stores.progress(name)
        assert kept is not None
        assert kept.enriched == STORED
        assert (await stores.memory(name)).timezone == zone


async def test_a_message_of_the_history_only_names_a_zone_too(stores: Stores) -> None:
    await stores.record(_late("m-2", stores, 10))
    silent = replace(_late("m-1", stores, 0, "Europe/Rome"), memorable=False)
    await stores.record(silent)
    assert (await stores.memory("m-2")).timezone == "Europe/Rome"


async def test_what_was_derived_in_the_former_zone_does_not_undo_the_correction(stores: Stores) -> None:
    """Enrichment has read the memory, then the late message comes, then enrichment writes."""
    await stores.record(_late("m-2", stores, 10))
    (read,) = await stores.enrichments.load(stores.tenant, MODEL, [stores.id("m-2")])
    await stores.record(_late("m-1", stores, 0, "Asia/Tokyo"))
    assert list(await stores.enrichments.save(stores.tenant, [_with_zone(read.memory)], STORED)) == []
    now = await stores.memory("m-2")
    assert (now.timezone, now.time_of_day) == ("Asia/Tokyo", "evening")
    later = STORED + timedelta(seconds=1)
    (saved,) = await stores.enrichments.save(stores.tenant, [_with_zone(now)], later)
    assert saved.progress.enriched == later


def _with_zone(memory: Memory) -> EnrichedMemory:
    return enriched(memory, timezone=memory.timezone)
