"""A user may have so many messages on the way, where the rest waits, and in all, where it is refused."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import chain

import pytest
from tests.contract.store.stores import STORED, Stores

from ricordo.memory.model import Stage
from ricordo.store.intake import IntakeLimits, IntakeStore, NewMessage, RecordedMessage

LATER = STORED + timedelta(hours=1)


def some(stores: Stores, count: int, user: str = "u-1", first: int = 0) -> list[NewMessage]:
    """Return messages of a user, numbered from `first`."""
    return [
        stores.message(f"{user}-{n}", user_id=user, conversation_id=f"c-{user}", minute=n)
        for n in range(first, first + count)
    ]


def waits(recorded: Sequence[RecordedMessage]) -> list[bool]:
    """Return of each whether it was deferred."""
    return [one.deferred for one in recorded]


class TestDeferring:
    @pytest.fixture
    def intake(self, stores: Stores) -> IntakeStore:
        """Return a store by which three messages of each user may be under way."""
        return IntakeStore(stores.database, IntakeLimits(under_way=3))

    async def test_messages_beyond_the_limit_are_kept_and_wait(
        self, stores: Stores, intake: IntakeStore
    ) -> None:
        both = [*some(stores, 5), *some(stores, 2, "u-2")]
        for when in (STORED, LATER):
            recorded = await intake.record(stores.tenant, both, when)
            assert waits(recorded) == [False] * 3 + [True] * 2 + [False] * 2
        counts = await stores.queries.counts(stores.tenant, "u-1")
        assert (counts.memories, counts.history, counts.pending) == (5, 5, 5)

    async def test_who_waits_already_goes_on_waiting_in_turn(
        self, stores: Stores, intake: IntakeStore
    ) -> None:
        await intake.record(stores.tenant, some(stores, 4), STORED)
        await stores.set_stages("u-1-0", "u-1-1", "u-1-2")
        assert waits(await intake.record(stores.tenant, some(stores, 1, first=4), LATER)) == [True]
        await intake.admit(stores.tenant, "", 10, LATER)
        assert waits(await intake.record(stores.tenant, some(stores, 2, first=5), LATER)) == [False, True]

    async def test_users_take_turns_and_the_oldest_comes_first(
        self, stores: Stores, intake: IntakeStore
    ) -> None:
        for user in ("u-1", "u-2"):
            await intake.record(stores.tenant, some(stores, 4, user), STORED)
            await intake.record(stores.tenant, some(stores, 3, user, 4), LATER)
        turns, behind = [], ""
        while admitted := await intake.admit(stores.tenant, behind, 1, LATER) or await intake.admit(
            stores.tenant, "", 1, LATER
        ):
            turns += [str(one.message_id) for one in admitted]
            behind = admitted[0].user_id
        assert turns[:2] == ["u-1-3", "u-2-3"]
        assert [one[:3] for one in turns] == ["u-1", "u-2"] * 4
        assert sorted(turns) == [f"u-{user}-{n}" for user in (1, 2) for n in range(3, 7)]

    async def test_processes_that_admit_at_once_never_admit_the_same(
        self, stores: Stores, intake: IntakeStore
    ) -> None:
        await intake.record(stores.tenant, some(stores, 40), STORED)
        admitted = await asyncio.gather(*(intake.admit(stores.tenant, "", 7, LATER) for _ in range(12)))
        names = [one.message_id for one in chain.from_iterable(admitted)]
        while more := await intake.admit(stores.tenant, "", 7, LATER):
            names += [one.message_id for one in more]
        assert sorted(map(str, names)) == sorted(f"u-1-{n}" for n in range(3, 40))

    async def test_a_waiting_message_lags_once_it_was_admitted(
        self, stores: Stores, intake: IntakeStore
    ) -> None:
        await intake.record(stores.tenant, some(stores, 5), STORED)

        async def lagging(when: datetime) -> int:
            return len(await stores.lifecycle.lagging(stores.tenant, when, timedelta(minutes=2), 10))

        assert await lagging(LATER) == 3
        await intake.admit(stores.tenant, "", 1, LATER)
        assert await lagging(LATER) == 3, "it is on its way"
        assert await lagging(LATER + timedelta(hours=1)) == 4, "its process may have ended"

    async def test_messages_that_lack_only_their_facts_do_not_count(
        self, stores: Stores, intake: IntakeStore
    ) -> None:
        await intake.record(stores.tenant, some(stores, 3), STORED)
        stages = [Stage.ENCODED, Stage.ENRICHED, Stage.INDEXED]
        await stores.set_stages("u-1-0", "u-1-1", "u-1-2", stages=stages)
        recorded = await intake.record(stores.tenant, some(stores, 4, first=3), LATER)
        assert waits(recorded) == [False, False, False, True]


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
