"""Contract of `CurationStore`: the user's word counts once, whatever comes before or after it."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from tests.contract.store.stores import STORED, Stores

from ricordo.store.curation_store import CurationRequest, FeedbackResult, UnknownMemories
from ricordo.store.database import RequestConflict
from ricordo.store.lifecycle_store import Access
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration


def wish(request_id: str | None = None, asked: str = "", user_id: str = "u-1") -> CurationRequest:
    """Return a wish of the user, to be repeated where it has an id."""
    return CurationRequest(user_id, request_id, asked.encode())


async def said(stores: Stores, *names: str) -> list[UUID]:
    """Record messages of the user, and return the ids of their memories."""
    await stores.record(
        *(new_message(name, tenant=stores.tenant, timestamp=at(n)) for n, name in enumerate(names))
    )
    return [stores.id(name) for name in names]


async def judged(
    stores: Stores,
    recall: UUID,
    *,
    used: Sequence[UUID] = (),
    irrelevant: Sequence[UUID] = (),
    by: CurationRequest | None = None,
    minute: float = 60,
) -> FeedbackResult:
    """Say which memories of a recall were of use."""
    return await stores.curating.feedback(
        stores.tenant,
        by or wish(),
        recall,
        used=used,
        irrelevant=irrelevant,
        at=STORED + timedelta(minutes=minute),
    )


async def recalled(stores: Stores, recall: UUID, *ids: UUID, minute: float = 0) -> None:
    """Handle the event of a recall."""
    access = Access(recall, "u-1", ids, STORED + timedelta(minutes=minute))
    await stores.life.reinforce(stores.tenant, [access])


async def _counts(stores: Stores, *names: str) -> list[int]:
    return [(await stores.memory(name)).access_count for name in names]


async def test_used_counts_what_the_recall_had_not_counted(stores: Stores) -> None:
    recall, (one, other) = uuid4(), await said(stores, "m-1", "m-2")
    await recalled(stores, recall, one)
    weighed = await judged(stores, recall, used=[one, other])
    assert (weighed.used, weighed.irrelevant) == (1, 0)
    assert set(weighed.changed) == {one, other}, "the first is as fresh as the second"
    assert await _counts(stores, "m-1", "m-2") == [1, 1]
    assert (await stores.memory("m-1")).last_accessed == STORED + timedelta(minutes=60)
    assert await judged(stores, recall, used=[one, other], minute=90) == FeedbackResult()
    await recalled(stores, recall, one, other)
    assert await _counts(stores, "m-1", "m-2") == [1, 1]
    assert (await stores.memory("m-1")).last_accessed == STORED + timedelta(minutes=60)


async def test_irrelevant_takes_back_exactly_what_that_recall_has_added(stores: Stores) -> None:
    recall, (one,) = uuid4(), await said(stores, "m-1")
    before = await stores.memory()
    for minute, each in enumerate((uuid4(), recall, uuid4())):
        await recalled(stores, each, one, minute=minute)
    assert await judged(stores, recall, irrelevant=[one]) == FeedbackResult(0, 1, (one,))
    kept = await stores.memory()
    assert (kept.access_count, kept.last_accessed) == (2, STORED + timedelta(minutes=2))
    assert kept.reinforcement == pytest.approx(0.1)
    assert kept.importance == pytest.approx(before.importance + 0.04)
    assert await judged(stores, recall, irrelevant=[one]) == FeedbackResult()


async def test_irrelevant_before_the_event_keeps_it_from_counting(stores: Stores) -> None:
    recall, (one,) = uuid4(), await said(stores, "m-1")
    before = await stores.memory()
    assert await judged(stores, recall, irrelevant=[one]) == FeedbackResult()
    for _ in range(2):
        await recalled(stores, recall, one)
    kept = await stores.memory()
    assert (kept.access_count, kept.reinforcement, kept.importance) == (0, 0, before.importance)
    assert kept.last_accessed == STORED, "it was shown all the same"


async def test_the_last_word_holds(stores: Stores) -> None:
    recall, (one,) = uuid4(), await said(stores, "m-1")
    assert (await judged(stores, recall, used=[one])).used == 1
    assert (await judged(stores, recall, irrelevant=[one])).irrelevant == 1
    await recalled(stores, recall, one)
    assert await _counts(stores, "m-1") == [0]
    assert (await judged(stores, recall, used=[one])).used == 1
    assert await _counts(stores, "m-1") == [1]


async def test_feedback_brings_back_from_the_archive_what_was_used(stores: Stores) -> None:
    (one,) = await _archived(stores, "m-1")
    await judged(stores, uuid4(), irrelevant=[one])
    assert (await stores.memory()).archived_at is not None
    await judged(stores, uuid4(), used=[one], minute=60 * 24 * 2000)
    assert (await stores.memory()).archived_at is None
    assert [one.archived for one in await stores.life.unreported_moves(stores.tenant, _LATER, 9)] == [False]


async def test_whoever_names_a_memory_that_is_none_changes_nothing(stores: Stores) -> None:
    recall, (one,) = uuid4(), await said(stores, "m-1")
    stranger = uuid4()
    with pytest.raises(UnknownMemories) as unknown:
        await judged(stores, recall, used=[one], irrelevant=[stranger], by=wish("r"))
    assert unknown.value.memory_ids == (stranger,)
    with pytest.raises(UnknownMemories):
        await judged(stores, recall, used=[one], by=wish(user_id="u-2"))
    with pytest.raises(UnknownMemories):
        await judged(stores.elsewhere(), recall, used=[one])
    assert await _counts(stores, "m-1") == [0]
    assert (await judged(stores, recall, used=[one], by=wish("r"))).used == 1, "a refusal is not kept"


async def test_a_repeated_request_returns_the_same_and_changes_nothing(stores: Stores) -> None:
    recall, (one,) = uuid4(), await said(stores, "m-1")
    done = await asyncio.gather(*(judged(stores, recall, used=[one], by=wish("r")) for _ in range(6)))
    assert done == [FeedbackResult(1, 0, (one,))] * 6
    await judged(stores, recall, irrelevant=[one])
    assert await judged(stores, recall, used=[one], by=wish("r")) == done[0]
    assert await _counts(stores, "m-1") == [0]
    with pytest.raises(RequestConflict):
        await judged(stores, recall, irrelevant=[one], by=wish("r", "something else"))


async def test_what_was_asked_long_ago_is_a_new_request(stores: Stores) -> None:
    recall, (one,) = uuid4(), await said(stores, "m-1")
    await judged(stores, recall, used=[one], by=wish("r"))
    later = STORED + timedelta(days=1)
    await stores.life.tidy(stores.tenant, handled_before=later, used_before=later, died_before=later)
    assert (await judged(stores, recall, used=[one], by=wish("r"))).used == 1


async def test_events_and_feedback_at_once_lose_nothing_and_double_nothing(stores: Stores) -> None:
    names = [f"m-{n}" for n in range(6)]
    ids = await said(stores, *names)
    recalls = [uuid4() for _ in range(8)]

    async def tell(n: int, recall: UUID) -> None:
        some = ids if n % 2 else ids[::-1]
        if n % 4 == 0:
            await judged(stores, recall, irrelevant=some)
        else:
            await recalled(stores, recall, *some)
        if n % 4 == 1:
            await judged(stores, recall, used=some)

    await asyncio.gather(*(tell(n, one) for n, one in enumerate(recalls * 3)))
    await asyncio.gather(*(recalled(stores, one, *ids) for one in recalls))
    for name in names:
        kept = await stores.memory(name)
        assert kept.access_count == 6, "of eight recalls two were irrelevant"
        assert kept.reinforcement == pytest.approx(0.3)


async def test_what_is_pinned_does_not_fade_and_comes_back(stores: Stores) -> None:
    (one,) = await _archived(stores, "m-1")
    assert await _pin(stores, one) == ("pinned", "archived_at")
    assert await _pin(stores, one) == ()
    kept = await stores.memory()
    assert (kept.pinned, kept.archived_at) == (True, None)
    assert [one.archived for one in await stores.life.unreported_moves(stores.tenant, _LATER, 9)] == [False]
    await _years(stores)
    assert (await stores.memory()).archived_at is None
    assert await _pin(stores, one, pinned=False) == ("pinned",)
    await _years(stores)
    assert (await stores.memory()).archived_at is not None


async def test_what_is_verified_does_not_fade(stores: Stores) -> None:
    (one,) = await said(stores, "m-1")
    assert await _verify(stores, one) == ("verified",)
    assert await _verify(stores, one) == ()
    await _years(stores)
    kept = await stores.memory()
    assert (kept.verified, kept.decay_factor, kept.archived_at) == (True, 1, None)
    assert await _verify(stores, one, verified=False) == ("verified",)
    assert not (await stores.memory()).verified


async def test_a_repeat_says_what_it_changed_and_does_not_change_it_again(stores: Stores) -> None:
    (one,) = await said(stores, "m-1")
    for by in (wish("r-1"), wish("r-1")):
        assert await _pin(stores, one, by=by) == ("pinned",)
    await _pin(stores, one, pinned=False)
    assert await _pin(stores, one, by=wish("r-1")) == ("pinned",)
    assert not (await stores.memory()).pinned
    with pytest.raises(RequestConflict):
        await _verify(stores, one, by=wish("r-1", "verify"))


async def test_of_others_and_of_nobody_nothing_is_pinned_or_verified(stores: Stores) -> None:
    (one,) = await said(stores, "m-1")
    elsewhere = stores.elsewhere()
    for here, memory_id, by in (
        (stores, uuid4(), wish()),
        (stores, one, wish(user_id="u-2")),
        (elsewhere, one, wish()),
    ):
        for ask in (_pin, _verify):
            with pytest.raises(UnknownMemories):
                await ask(here, memory_id, by=by)
    kept = await stores.memory()
    assert (kept.pinned, kept.verified) == (False, False)


_LATER = datetime.now(UTC) + timedelta(days=1)


async def _years(stores: Stores) -> None:
    """Let years pass."""
    now = STORED + timedelta(days=2000)
    await stores.life.decay(stores.tenant, now, user_id=None, after=None, limit=100, floors=False)


async def _archived(stores: Stores, *names: str) -> list[UUID]:
    """Record messages that hardly matter, long ago."""
    await stores.record(*(new_message(name, tenant=stores.tenant, importance=0.0) for name in names))
    await _years(stores)
    return [stores.id(name) for name in names]


async def _pin(
    stores: Stores, memory_id: UUID, *, pinned: bool = True, by: CurationRequest | None = None
) -> tuple[str, ...]:
    fields = await stores.curating.pin(stores.tenant, by or wish(), memory_id, pinned=pinned, at=STORED)
    return tuple(fields)


async def _verify(
    stores: Stores, memory_id: UUID, *, verified: bool = True, by: CurationRequest | None = None
) -> tuple[str, ...]:
    fields = await stores.curating.verify(
        stores.tenant, by or wish(), memory_id, verified=verified, at=STORED
    )
    return tuple(fields)
