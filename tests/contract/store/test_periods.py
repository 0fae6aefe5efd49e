"""Periods have all memories of a user once, in the user's zone, and what was felt and mattered most."""

import time
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from tests.contract.store.stores import STORED, Stores, summary

from ricordo.messages.listings import PeriodsReply, PeriodsRequest
from ricordo.store.listing_store import Listings
from ricordo_services.retrieval.pages import MemoryPeriods
from ricordo_services.retrieval.reply_truncation import fit_periods

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


async def _periods(stores: Stores, user_id: str = "u-1", **fields: Any) -> PeriodsReply:  # noqa: ANN401 - of the request
    request = PeriodsRequest.model_validate({"user_id": user_id, "by": "day", **fields})
    return await MemoryPeriods(Listings(stores.database))(stores.tenant, request)


async def _say(stores: Stores, message_id: str, when: datetime, **fields: Any) -> None:  # noqa: ANN401 - of the message
    await stores.record(stores.message(message_id, timestamp=when, **fields))


async def _feel(stores: Stores, message_id: str, primary: str, valence: float, importance: float) -> None:
    await stores.execute(
        "update memories set primary_emotion = $2, valence = $3, arousal = 0.5, importance = $4, "
        "derived_by = 'rules' where id = $1",
        *(stores.id(message_id), primary, valence, importance),
    )


async def test_a_period_tells_what_was_felt_and_what_mattered_most(stores: Stores) -> None:
    for n, feeling in enumerate(("joy", "joy", "fear", "neutral", "anger", "grief", "love")):
        await _say(stores, f"m-{n}", NEW_YEAR + timedelta(hours=n))
        await _feel(stores, f"m-{n}", feeling, 0.5 if feeling == "joy" else 0.0, n / 10)
    await stores.execute("update memories set archived_at = $1 where id = $2", STORED, stores.id("m-6"))
    await stores.execute("update memories set informative = 0.1 where id = $1", stores.id("m-0"))
    await _say(stores, "n-1", NEW_YEAR, user_id="u-2")
    await _say(stores, "m-9", NEW_YEAR + timedelta(days=40), content="x" * 1_000)
    first, last = (await _periods(stores)).periods
    assert (first.start, first.end, first.memories) == (NEW_YEAR, NEW_YEAR + timedelta(days=1), 6)
    assert first.valence == pytest.approx(0.5 / 6)
    assert list(first.feelings.items()) == [(name, 1) for name in ("anger", "fear", "grief", "joy", "love")]
    assert [one.id for one in first.strongest] == [stores.id(f"m-{n}") for n in (6, 5, 4)]
    assert [one.archived for one in first.strongest] == [True, False, False]
    assert (last.memories, last.valence, last.arousal, last.feelings) == (1, None, None, {}), (
        "not enriched yet"
    )
    assert (len(last.strongest[0].content), last.strongest[0].truncated) == (300, True)
    between = await _periods(stores, start=NEW_YEAR + timedelta(hours=3), end=NEW_YEAR + timedelta(hours=5))
    assert [one.memories for one in between.periods] == [2]
    assert await _periods(stores, "nobody") == PeriodsReply()
    assert await _periods(stores.another_tenant()) == PeriodsReply()


@pytest.mark.parametrize(
    ("by", "starts"),
    [
        (
            "day",
            ["2025-12-30T23:00:00Z", "2025-12-31T23:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"],
        ),
        ("week", ["2025-12-28T23:00:00Z", "2026-03-22T23:00:00Z", "2026-03-29T22:00:00Z"]),
        ("month", ["2025-11-30T23:00:00Z", "2025-12-31T23:00:00Z", "2026-02-28T23:00:00Z"]),
        ("year", ["2024-12-31T23:00:00Z", "2025-12-31T23:00:00Z"]),
    ],
)
async def test_periods_begin_in_the_zone_of_the_user(stores: Stores, by: str, starts: list[str]) -> None:
    """That of the last message that names one; also where the clocks change."""
    instants = ("2025-12-31T22:59:59", "2025-12-31T23:00:00", "2026-03-29T12:00:00", "2026-03-29T22:00:00")
    for n, when in enumerate(instants):
        await _say(stores, f"m-{n}", datetime.fromisoformat(f"{when}+00:00"), timezone="Europe/Rome")
    found = await _periods(stores, by=by)
    assert found.timezone == "Europe/Rome"
    assert [f"{one.start:%FT%TZ}" for one in found.periods] == starts
    assert sum(one.memories for one in found.periods) == 4
    for one, following in zip(found.periods, found.periods[1:], strict=False):
        assert one.end <= following.start


async def test_without_a_zone_the_offset_of_the_last_message_counts_and_a_given_zone_before_both(
    stores: Stores,
) -> None:
    when = datetime(2026, 1, 1, 17, tzinfo=UTC)
    await _say(stores, "m-1", when.astimezone(timezone(timedelta(hours=8))))
    made = summary(stores, [stores.id("m-1")])
    await stores.write_derived(made)
    (own, derived) = (await _periods(stores)).periods
    assert (own.start, own.end) == (
        datetime(2026, 1, 1, 16, tzinfo=UTC),
        datetime(2026, 1, 2, 16, tzinfo=UTC),
    )
    assert derived.strongest[0].id == made.id
    assert (await _periods(stores)).timezone == "+08:00"
    (new_year, *_) = (await _periods(stores, timezone="America/New_York")).periods
    assert new_year.start == datetime(2026, 1, 1, 5, tzinfo=UTC)


async def test_ten_thousand_memories_are_counted_at_once_by_day_and_a_long_reply_is_truncated(
    stores: Stores,
) -> None:
    await stores.execute(
        """
        insert into memories (tenant, id, user_id, conversation_id, content, role, created_at, stored_at,
                              importance, derived_by, primary_emotion)
        select $1, gen_random_uuid(), 'u-1', 'c-1', repeat('words ', 30), 'user',
               $2::timestamptz + n * interval '2 hours', $2, random(), 'rules',
               (array['joy', 'fear', 'love', 'neutral', 'anger', 'grief'])[1 + n % 6]
        from generate_series(1, 10000) as n""",
        stores.tenant,
        NEW_YEAR,
    )
    await stores.execute("analyze memories")
    times, found = [], PeriodsReply()
    for _ in range(9):
        begin = time.perf_counter()
        found = await _periods(stores)
        times.append(time.perf_counter() - begin)
    assert sum(one.memories for one in found.periods) == 10_000
    assert min(times) < 0.5, "100 ms, where nobody else computes"
    short = fit_periods(found, 200_000)
    assert short.truncated
    assert len(short.periods) == len(found.periods)
    assert not short.periods[0].strongest
    assert short.periods[-1] == found.periods[-1]
    shorter = fit_periods(found, 50_000)
    assert shorter.periods[-1].end == found.periods[-1].end
    assert len(shorter.periods) < len(found.periods)
