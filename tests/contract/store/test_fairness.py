"""What a user may have: at once on the way, where the rest waits, and in all, where the rest is refused."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import chain

import pytest
from tests.contract.store.stores import STORED, Stores
from tests.contract.store.test_lifecycle_store import kept, letter
from tests.contract.store.test_stages import SETTERS

from ricordo.store.database import Database
from ricordo.store.intake import IntakeLimits, IntakeStore, NewMessage, RecordedMessage
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

LATER = STORED + timedelta(hours=1)
NEXT_DAY = STORED + timedelta(days=1)


def some(stores: Stores, count: int, user: str = "u-1", first: int = 0) -> list[NewMessage]:
    return [
        new_message(
            f"{user}-{n}",
            tenant=stores.tenant,
            user_id=user,
            conversation_id=f"c-{user}",
            timestamp=at(n),
        )
        for n in range(first, first + count)
    ]


def waits(recorded: Sequence[RecordedMessage]) -> list[bool]:
    return [one.deferred for one in recorded]


def became(recorded: Sequence[RecordedMessage]) -> list[str]:
    return [one.status for one in recorded]


@pytest.fixture
def intake(database: Database) -> IntakeStore:
    """Of each user, three may be under way."""
    return IntakeStore(database, IntakeLimits(under_way=3))


class TestDeferring:
    async def test_what_is_too_much_at_once_is_kept_and_waits_and_nobody_else_does(
        self, stores: Stores, intake: IntakeStore
    ) -> None:
        both = [*some(stores, 5), *some(stores, 2, "u-2")]
        recorded = await intake.record(stores.tenant, both, STORED)
        assert waits(recorded) == [False] * 3 + [True] * 2 + [False] * 2
        counts = await stores.recollection.counts(stores.tenant, "u-1")
        assert (counts.memories, counts.history, counts.pending) == (5, 5, 5)
        assert waits(await intake.record(stores.tenant, both, LATER)) == waits(recorded), (
            "a repeat says the same"
        )

    async def test_who_waits_already_goes_on_waiting_in_turn(
        self, stores: Stores, intake: IntakeStore
    ) -> None:
        await intake.record(stores.tenant, some(stores, 4), STORED)
        for stage, names in zip(SETTERS, [["u-1-0", "u-1-1", "u-1-2"]] * len(SETTERS), strict=True):
            await SETTERS[stage](stores, names, LATER)
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
            turns += [one.message_id for one in admitted]
            behind = admitted[0].user_id
        assert turns[:3] == ["u-1-3", "u-2-3", turns[2]]
        assert [one[:3] for one in map(str, turns)] == ["u-1", "u-2"] * 4
        assert sorted(map(str, turns)) == [f"u-{user}-{n}" for user in (1, 2) for n in range(3, 7)]

    async def test_processes_that_admit_at_once_never_admit_the_same(
        self, stores: Stores, intake: IntakeStore
    ) -> None:
        await intake.record(stores.tenant, some(stores, 40), STORED)
        admitted = await asyncio.gather(*(intake.admit(stores.tenant, "", 7, LATER) for _ in range(12)))
        names = [one.message_id for one in chain.from_iterable(admitted)]
        while more := await intake.admit(stores.tenant, "", 7, LATER):
            names += [one.message_id for one in more]
        assert sorted(map(str, names)) == sorted(f"u-1-{n}" for n in range(3, 40))

    async def test_what_waits_lags_only_once_it_was_admitted(
        self, stores: Stores, intake: IntakeStore
    ) -> None:
        await intake.record(stores.tenant, some(stores, 5), STORED)

        async def lagging(when: datetime) -> set[str | None]:
            found = await stores.life.lagging(stores.tenant, when, timedelta(minutes=2), 10)
            return {one.progress.message_id for one in found}

        assert await lagging(LATER) == {"u-1-0", "u-1-1", "u-1-2"}
        await intake.admit(stores.tenant, "", 1, LATER)
        assert await lagging(LATER) == {"u-1-0", "u-1-1", "u-1-2"}, "it is on its way"
        late = LATER + timedelta(hours=1)
        assert await lagging(late) == {"u-1-0", "u-1-1", "u-1-2", "u-1-3"}, "whose process may have ended"

    async def test_what_lacks_its_facts_alone_is_in_nobodys_way(
        self, stores: Stores, intake: IntakeStore
    ) -> None:
        await intake.record(stores.tenant, some(stores, 3), STORED)
        for stage in list(SETTERS)[:3]:
            await SETTERS[stage](stores, ["u-1-0", "u-1-1", "u-1-2"], LATER)
        recorded = await intake.record(stores.tenant, some(stores, 4, first=3), LATER)
        assert waits(recorded) == [False, False, False, True]


class TestQuotas:
    @pytest.fixture
    def kept(self, database: Database) -> IntakeStore:
        """Of each user, three are kept."""
        return IntakeStore(database, IntakeLimits(kept=3))

    async def test_what_is_beyond_is_refused_and_what_is_repeated_takes_no_room(
        self, stores: Stores, kept: IntakeStore, database: Database
    ) -> None:
        said = some(stores, 5)
        assert became(await kept.record(stores.tenant, said[:2], STORED)) == ["kept"] * 2
        batch = [*said[:2], *said, *some(stores, 1, "u-2")]
        expected = ["kept"] * 5 + ["too_many"] * 2 + ["kept"]
        assert became(await kept.record(stores.tenant, batch, LATER)) == expected
        assert became(await kept.record(stores.tenant, batch, LATER)) == expected
        raised = IntakeStore(database, IntakeLimits(kept=4))
        assert became(await raised.record(stores.tenant, said[3:], LATER)) == ["kept", "too_many"]
        assert (await stores.recollection.counts(stores.tenant, "u-1")).history == 4

    async def test_a_refused_one_leaves_its_id_free(self, stores: Stores, kept: IntakeStore) -> None:
        await kept.record(stores.tenant, some(stores, 4), STORED)
        other = new_message("u-1-3", tenant=stores.tenant, user_id="u-2", content="something else")
        assert became(await kept.record(stores.tenant, [other], LATER)) == ["kept"]

    async def test_a_conflict_stays_one_where_there_is_no_room(
        self, stores: Stores, kept: IntakeStore
    ) -> None:
        await kept.record(stores.tenant, some(stores, 3), STORED)
        other = new_message("u-1-0", tenant=stores.tenant, content="something else")
        assert became(await kept.record(stores.tenant, [other], LATER)) == ["conflict"]

    async def test_it_is_exact_with_many_at_once(self, stores: Stores, database: Database) -> None:
        intakes = [IntakeStore(database, IntakeLimits(kept=10)) for _ in range(8)]
        found = await asyncio.gather(
            *(
                intake.record(stores.tenant, some(stores, 4, first=3 * number), STORED)
                for number, intake in enumerate(intakes)
            )
        )
        assert {*became(list(chain.from_iterable(found)))} == {"kept", "too_many"}
        assert (await stores.recollection.counts(stores.tenant, "u-1")).history == 10

    async def test_what_was_kept_before_there_was_a_quota_counts(
        self, stores: Stores, kept: IntakeStore, database: Database
    ) -> None:
        await stores.record(*some(stores, 2))
        assert became(await kept.record(stores.tenant, some(stores, 2, first=2), LATER)) == [
            "kept",
            "too_many",
        ]
        await stores.record(*some(stores, 2, first=10))  # by a process without one
        assert became(await kept.record(stores.tenant, some(stores, 1, first=20), LATER)) == ["too_many"]
        assert (await stores.recollection.counts(stores.tenant, "u-1")).history == 5

    async def test_a_day_has_a_quota_of_its_own(self, stores: Stores, database: Database) -> None:
        daily = IntakeStore(database, IntakeLimits(kept_a_day=2, kept=5))
        await stores.record(*some(stores, 1), at=STORED - timedelta(days=3))

        async def say(first: int, when: timedelta) -> list[str]:
            return became(await daily.record(stores.tenant, some(stores, 3, first=first), STORED + when))

        assert await say(1, timedelta()) == ["kept", "kept", "too_many_today"]
        assert await say(4, timedelta(hours=1)) == ["too_many_today"] * 3
        assert await say(7, timedelta(days=1)) == ["kept", "kept", "too_many"]

    async def test_what_is_forgotten_already_takes_no_room_either(
        self, stores: Stores, kept: IntakeStore
    ) -> None:
        await stores.entomb(stores.tenant, "message", "u-1-0", "u-1")
        assert became(await kept.record(stores.tenant, some(stores, 4), STORED)) == [
            "forgotten",
            "kept",
            "kept",
            "kept",
        ]


async def test_the_reason_goes_with_the_replay(stores: Stores, database: Database) -> None:
    refused = letter(stores, "u-1-0", consumer="ingest", code="quota_exceeded", sequence=1)
    await stores.life.record_dead_letter(stores.tenant, refused, kept)
    assert (await stores.recollection.status(stores.tenant, "u-1-0"))[1] is not None
    await stores.record(*some(stores, 1))
    await stores.encode("u-1-0")
    assert (await stores.recollection.status(stores.tenant, "u-1-0"))[1] is None
