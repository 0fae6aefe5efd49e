"""A user may have so many messages in all, and on a day; the rest is refused."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import chain

from tests.contract.store.stores import STORED, Stores

from ricordo.store.intake import IntakeLimits, IntakeStore, NewMessage


def some(stores: Stores, count: int, user: str = "u-1", first: int = 0) -> list[NewMessage]:
    """Return messages of a user, numbered from `first`."""
    return [
        stores.message(f"{user}-{n}", user_id=user, conversation_id=f"c-{user}", minute=n)
        for n in range(first, first + count)
    ]


class TestQuotas:
    @staticmethod
    async def _record(
        stores: Stores, messages: Sequence[NewMessage], when: datetime = STORED, **limits: int
    ) -> list[str]:
        """Record with limits, three kept messages of each user by default; return what became of them."""
        intake = IntakeStore(stores.database, IntakeLimits(**(limits or {"kept": 3})))
        return [one.status for one in await intake.record(stores.tenant, messages, when)]

    async def test_messages_beyond_are_refused_and_repeats_take_no_room(self, stores: Stores) -> None:
        said = some(stores, 5)
        assert await self._record(stores, said[:2]) == ["kept"] * 2
        batch = [*said[:2], *said, *some(stores, 1, "u-2")]
        for _ in range(2):
            assert await self._record(stores, batch) == ["kept"] * 5 + ["too_many"] * 2 + ["kept"]
        assert await self._record(stores, said[3:], kept=4) == ["kept", "too_many"]
        assert (await stores.queries.counts(stores.tenant, "u-1")).history == 4

    async def test_a_refused_message_leaves_its_id_free_and_a_conflict_stays_one(
        self, stores: Stores
    ) -> None:
        await self._record(stores, some(stores, 4))
        free = stores.message("u-1-3", user_id="u-2", content="something else")
        assert await self._record(stores, [free]) == ["kept"]
        assert await self._record(stores, [stores.message("u-1-0", content="else")]) == ["conflict"]

    async def test_it_is_exact_with_many_at_once(self, stores: Stores) -> None:
        found = await asyncio.gather(
            *(self._record(stores, some(stores, 4, first=3 * number), kept=10) for number in range(8))
        )
        assert {*chain.from_iterable(found)} == {"kept", "too_many"}
        assert (await stores.queries.counts(stores.tenant, "u-1")).history == 10

    async def test_messages_that_were_kept_without_a_quota_count(self, stores: Stores) -> None:
        await stores.record(*some(stores, 2))
        assert await self._record(stores, some(stores, 2, first=2)) == ["kept", "too_many"]
        await stores.record(*some(stores, 2, first=10))
        assert await self._record(stores, some(stores, 1, first=20)) == ["too_many"]

    async def test_a_day_has_a_quota_of_its_own(self, stores: Stores) -> None:
        await stores.record(*some(stores, 1), at=STORED - timedelta(days=3))
        for first, hours, became in (
            (1, 0, ["kept", "kept", "too_many_today"]),
            (4, 1, ["too_many_today"] * 3),
            (7, 24, ["kept", "kept", "too_many"]),
        ):
            messages, when = some(stores, 3, first=first), STORED + timedelta(hours=hours)
            assert await self._record(stores, messages, when, kept_a_day=2, kept=5) == became

    async def test_a_forgotten_message_takes_no_room(self, stores: Stores) -> None:
        await stores.put_tombstone("message", "u-1-0")
        assert await self._record(stores, some(stores, 4)) == ["forgotten", "kept", "kept", "kept"]

    async def test_the_reason_of_a_refusal_goes_with_the_replay(self, stores: Stores) -> None:
        await stores.record_dead_letter("u-1-0", consumer="ingest", code="quota_exceeded")
        assert (await stores.queries.status(stores.tenant, "u-1-0"))[1] is not None
        await stores.record(*some(stores, 1))
        await stores.encode("u-1-0")
        assert (await stores.queries.status(stores.tenant, "u-1-0"))[1] is None
