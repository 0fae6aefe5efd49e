"""Feedback, pins and verification count once, whatever comes before or after them."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import get_args
from uuid import UUID, uuid4

import pytest
from tests.contract.store.stores import STORED, Stores, request

from ricordo.store.curation_store import CurationRequest, Flag, UnknownMemories
from ricordo.store.database import RequestConflict
from ricordo.store.lifecycle_store import FeedbackResult

YEARS = 60 * 24 * 2000
"""Minutes."""


async def _judge(
    stores: Stores,
    recall: UUID,
    *,
    used: Sequence[UUID] = (),
    irrelevant: Sequence[UUID] = (),
    by: CurationRequest | None = None,
    minute: float = 60,
) -> FeedbackResult:
    when = STORED + timedelta(minutes=minute)
    return await stores.curation.feedback(
        stores.tenant, by or request(), recall, used=used, irrelevant=irrelevant, at=when
    )


async def _recall(stores: Stores, recall: UUID, *ids: UUID, minute: float = 0) -> None:
    await stores.use(*ids, at=STORED + timedelta(minutes=minute), recall=recall)


async def _archived(stores: Stores) -> UUID:
    """Record a message that hardly matters, long ago."""
    (memory_id,) = await stores.say("m-1", importance=0.0)
    await stores.archive_faded(STORED + timedelta(minutes=YEARS))
    return memory_id


async def _counts(stores: Stores, *names: str) -> list[int]:
    return [(await stores.memory(name)).access_count for name in names]


async def test_feedback_says_what_it_has_changed(stores: Stores) -> None:
    recall, (one, other) = uuid4(), await stores.say("m-1", "m-2")
    await _recall(stores, recall, one)
    weighed = await _judge(stores, recall, used=[one, other])
    assert (weighed.used, weighed.irrelevant) == (1, 0)
    assert set(weighed.changed) == {one, other}, "the first is as fresh as the second"
    assert await _judge(stores, recall, used=[one, other], minute=90) == FeedbackResult()
    assert await _judge(stores, recall, irrelevant=[one]) == FeedbackResult(0, 1, (one,))
    assert await _judge(stores, recall, irrelevant=[one]) == FeedbackResult()
    early = uuid4()  # whose event comes after the feedback
    assert await _judge(stores, early, irrelevant=[one]) == FeedbackResult()
    for _ in range(2):
        await _recall(stores, early, one)
    assert await _counts(stores, "m-1", "m-2") == [0, 1]
    assert (await _judge(stores, early, used=[one])).used == 1, "the last feedback holds"


async def test_used_and_pinned_bring_back_from_the_archive_and_irrelevant_does_not(stores: Stores) -> None:
    one = await _archived(stores)
    await _judge(stores, uuid4(), irrelevant=[one])
    assert (await stores.memory()).archived_at is not None
    await _judge(stores, uuid4(), used=[one], minute=YEARS)
    assert (await stores.memory()).archived_at is None
    assert [move.archived for move in await stores.moves()] == [False]
    await stores.archive_faded(STORED + timedelta(minutes=2 * YEARS))
    assert await stores.mark(one, "pinned") == ("pinned", "archived_at")
    assert (await stores.memory()).archived_at is None
    assert [move.archived for move in await stores.moves()] == [False]


async def test_who_names_an_unknown_memory_changes_nothing(stores: Stores) -> None:
    recall, (one,), stranger = uuid4(), await stores.say("m-1"), uuid4()
    with pytest.raises(UnknownMemories) as unknown:
        await _judge(stores, recall, used=[one], irrelevant=[stranger], by=request("r"))
    assert unknown.value.memory_ids == (stranger,)
    for here, memory_id, by in (
        (stores, uuid4(), request()),
        (stores, one, request(user_id="u-2")),
        (stores.another_tenant(), one, request()),
    ):
        with pytest.raises(UnknownMemories):
            await _judge(here, recall, used=[memory_id], by=by)
        for flag in get_args(Flag):
            with pytest.raises(UnknownMemories):
                await here.mark(memory_id, flag, by=by)
    kept = await stores.memory()
    assert (kept.access_count, kept.pinned, kept.verified) == (0, False, False)
    assert (await _judge(stores, recall, used=[one], by=request("r"))).used == 1, "a refusal is not kept"


async def test_a_repeated_request_returns_the_same_and_changes_nothing_for_a_day(stores: Stores) -> None:
    recall, (one,) = uuid4(), await stores.say("m-1")
    done = await asyncio.gather(*(_judge(stores, recall, used=[one], by=request("r")) for _ in range(6)))
    assert done == [FeedbackResult(1, 0, (one,))] * 6
    await _judge(stores, recall, irrelevant=[one])
    assert await _judge(stores, recall, used=[one], by=request("r")) == done[0]
    assert await _counts(stores, "m-1") == [0]
    with pytest.raises(RequestConflict):
        await _judge(stores, recall, irrelevant=[one], by=request("r", "something else"))
    for _ in range(2):
        assert await stores.mark(one, "pinned", by=request("p")) == ("pinned",)
    await stores.mark(one, "pinned", on=False)
    assert await stores.mark(one, "pinned", by=request("p")) == ("pinned",)
    assert not (await stores.memory()).pinned
    with pytest.raises(RequestConflict):
        await stores.mark(one, "verified", by=request("p", "verify"))
    await stores.tidy(STORED + timedelta(days=1))
    assert (await _judge(stores, recall, used=[one], by=request("r"))).used == 1, "it is a new request"


async def test_events_and_feedback_at_once_lose_nothing_and_double_nothing(stores: Stores) -> None:
    names = [f"m-{n}" for n in range(6)]
    ids = await stores.say(*names)
    recalls = [uuid4() for _ in range(8)]

    async def handle(n: int, recall: UUID) -> None:
        some = ids if n % 2 else ids[::-1]
        if n % 4 == 0:
            await _judge(stores, recall, irrelevant=some)
        else:
            await _recall(stores, recall, *some, *some)
        if n % 4 == 1:
            await _judge(stores, recall, used=some)

    await asyncio.gather(*(handle(n, one) for n, one in enumerate(recalls * 3)))
    await asyncio.gather(*(_recall(stores, one, *ids) for one in recalls))
    for name in names:
        kept = await stores.memory(name)
        assert kept.access_count == 6, "of eight recalls two were irrelevant"
        assert kept.reinforcement == pytest.approx(0.3)


@pytest.mark.parametrize("flag", get_args(Flag))
async def test_a_pinned_or_verified_memory_does_not_fade(stores: Stores, flag: Flag) -> None:
    (one,) = await stores.say("m-1", importance=0.0)
    for on, archived in ((True, False), (False, True)):
        assert await stores.mark(one, flag, on=on) == (flag,)
        assert await stores.mark(one, flag, on=on) == ()
        await stores.archive_faded(STORED + timedelta(minutes=YEARS))
        kept = await stores.memory()
        assert (getattr(kept, flag), kept.archived_at is not None) == (on, archived)
