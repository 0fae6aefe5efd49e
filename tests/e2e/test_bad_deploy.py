"""A version with a bug is deployed: it halts, everybody is told, and the next one finds all that waited."""

from pathlib import Path

import pytest
from tests.fixtures.deployed import BUG, MAX_DELIVER, deployed, letters_of, raising, said_by, start
from tests.fixtures.running import Running
from tests.fixtures.served import findings, health
from tests.fixtures.wire import Bot, Json, said

from ricordo.testing.eventually import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.timeout(280)]

INGEST = "ricordo_services.ingest.handlers:Ingest"
TOTAL = 200
OTHERS = ("enrichment", "embedding", "knowledge", "retrieval", "lifecycle")


async def test_it_halts_and_says_so_and_nothing_is_given_up(
    running: Running, bot: Bot, tmp_path: Path
) -> None:
    async with deployed(running, tmp_path / "worker.log", raising(INGEST), "ingest", *OTHERS) as program:
        names = [f"m-{number}" for number in range(TOTAL)]
        await bot.publish_all(said(name, f"Page {name} of my diary.") for name in names)
        await start(program)

        async def has_halted() -> bool:
            return bool((await health(bot.connection, "ingest"))["state"] == "halted")

        await eventually(has_halted, within=60)
        report = await health(bot.connection, "ingest")
        assert "of the last 20 messages failed" in report["reason"]
        assert BUG in report["reason"]
        found = (await findings(running.settings))["worker ingest"]
        assert BUG in found["detail"]
        assert "start it again" in found["advice"]
        assert "worker has halted" in program.log.read_text()
        assert await program.stop() == 0
    assert set((await bot.settled(names, within=120)).values()) == {"remembered"}
    assert await letters_of(running, bot.tenant) == []


async def test_what_a_bug_in_one_of_a_hundred_had_given_up_is_replayed_after_the_fix(
    running: Running, bot: Bot, tmp_path: Path
) -> None:
    """It is no reason to halt."""
    names = [f"m-{number}" for number in range(TOTAL)]
    bad = names[::100]
    async with deployed(
        running, tmp_path / "worker.log", raising(INGEST, "umbrella"), "ingest", *OTHERS
    ) as it:
        await bot.publish_all(
            said(name, "I lost an umbrella." if name in bad else f"Page {name}.") for name in names
        )
        await start(it)
        states = await bot.settled(names, within=120)
        assert states == {name: "failed" if name in bad else "remembered" for name in names}
        assert (await health(bot.connection, "ingest"))["state"] == "ready"
        assert await it.stop() == 0
    letters = await letters_of(running, bot.tenant)
    assert {letter["message_id"] for letter in letters} == set(bad)
    for letter in letters:
        assert (letter["consumer"], letter["attempts"]) == ("ingest", MAX_DELIVER)
        assert letter["reason"] == f"given up at attempt {MAX_DELIVER}: KeyError: '{BUG}'"
    await said_by(running, "dlq", "replay", *[str(letter["sequence"]) for letter in letters])

    async def all_are_remembered() -> bool:
        found: list[Json] = [await bot.status(name) for name in bad]
        return all(one["state"] == "remembered" for one in found)

    await eventually(all_are_remembered, within=60)
    assert await letters_of(running, bot.tenant) == []
    stats = await bot.ask("stats", user_id="u-1")
    assert (stats["memories"], stats["history"], stats["pending"]) == (TOTAL, TOTAL, 0)
