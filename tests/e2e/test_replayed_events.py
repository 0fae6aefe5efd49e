"""What is replayed goes to who gave it up: an event that two workers cannot read stays two dead letters."""

import pytest
from tests.fixtures.deployed import letters_of, said_by
from tests.fixtures.running import Running
from tests.fixtures.wire import Bot

from ricordo.testing.eventually import eventually

pytestmark = pytest.mark.e2e

READERS = ["encode", "knowledge"]


async def test_replaying_what_two_workers_gave_up_makes_no_more_of_it(running: Running, bot: Bot) -> None:
    last = 0

    async def given_up_anew() -> bool:
        found = await letters_of(running, bot.tenant)
        return len(found) == len(READERS) and min(int(one["sequence"]) for one in found) > last

    await bot.connection.jetstream().publish(bot.subject("memory.created"), b"rubbish")
    await eventually(given_up_anew, within=30)
    for _ in range(2):
        letters = await letters_of(running, bot.tenant)
        assert sorted(one["consumer"] for one in letters) == READERS
        last = max(int(one["sequence"]) for one in letters)
        for one in letters:
            number = str(one["sequence"])
            replayed = await said_by(running, "dlq", "replay", number, number)
            assert [each["consumer"] for each in replayed] == [one["consumer"]]
        await eventually(given_up_anew, within=30)
