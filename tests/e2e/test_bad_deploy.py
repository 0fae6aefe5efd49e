"""A release with a bug: its worker halts or gives up single messages, and the next release handles all."""

from pathlib import Path

import pytest
from tests.fixtures.commands import command_output, dead_letters_of, doctor
from tests.fixtures.faulty_worker import (
    BUG,
    MAX_DELIVER,
    exiting_on,
    faulty_worker,
    raising_on,
    restart_until,
    start,
    without_reconciler,
)
from tests.fixtures.ollama_system import health, wait_for_state
from tests.fixtures.system import System, Workers
from tests.fixtures.wire import Bot, msg, wait_for

pytestmark = [pytest.mark.timeout(280), pytest.mark.slow]

INGEST = "ricordo_services.ingest.ingest_handler:IngestHandler"
ENRICH = "ricordo_services.enrichment.enrichment_handler:EnrichmentHandler"
OTHERS = ("enrichment", "embedding", "knowledge", "retrieval", "lifecycle")
TOTAL = 100
NAMES = [f"m-{number}" for number in range(TOTAL)]


async def test_a_handler_that_always_raises_halts_its_worker_and_loses_nothing(
    system: System, bot: Bot, tmp_path: Path
) -> None:
    async with faulty_worker(
        system, tmp_path / "worker.log", raising_on(INGEST), "ingest", *OTHERS
    ) as program:
        await bot.publish_all(msg(name, f"Page {name} of my diary.") for name in NAMES)
        await start(program)
        report = await wait_for_state(bot.connection, "ingest", "halted", "of the last 20 messages failed")
        assert BUG in report["reason"]
        finding = (await doctor(system.settings))["worker ingest"]
        assert BUG in finding["detail"]
        assert "start it again" in finding["advice"]
        assert "worker has halted" in program.log.read_text()
        assert await program.stop() == 0
    assert set((await bot.final_states(NAMES, within=120)).values()) == {"remembered"}
    assert await dead_letters_of(system.settings, bot.tenant) == []


async def test_one_bad_message_of_a_hundred_is_given_up_and_replayed_after_the_fix(
    system: System, bot: Bot, tmp_path: Path
) -> None:
    faulty = raising_on(INGEST, "umbrella")
    async with faulty_worker(system, tmp_path / "worker.log", faulty, "ingest", *OTHERS) as program:
        await bot.publish_all(msg(name, f"Page {name}.") for name in NAMES[1:])
        await bot.publish(msg(NAMES[0], "I lost an umbrella."))
        await start(program)
        states = await bot.final_states(NAMES, within=120)
        assert states == dict.fromkeys(NAMES, "remembered") | {NAMES[0]: "failed"}
        assert (await health(bot.connection, "ingest"))["state"] == "ready"
        assert await program.stop() == 0
    (letter,) = await dead_letters_of(system.settings, bot.tenant)
    assert (letter["message_id"], letter["consumer"], letter["attempts"]) == (NAMES[0], "ingest", MAX_DELIVER)
    assert letter["reason"] == f"failed at attempt {MAX_DELIVER}: KeyError: '{BUG}'"
    await _replay(system, bot, letter["sequence"], NAMES[0])
    await _check_counts(bot, TOTAL)


@pytest.mark.parametrize(
    ("worker", "handler"),
    [("ingest", INGEST), pytest.param("enrichment", ENRICH, marks=pytest.mark.chaos)],
)
async def test_a_message_that_kills_its_worker_is_given_up_alone_and_replayed_after_the_fix(
    system: System, bot: Bot, tmp_path: Path, worker: str, handler: str
) -> None:
    """The server announces the last delivery while lifecycle, which reads that, does not run yet."""

    async def is_announced() -> bool:
        return (await bot.connection.jetstream().stream_info("RICORDO_ADVISORIES")).state.messages > 0

    neighbours = NAMES[:60]
    others = {"ingest", *OTHERS} - {worker, "lifecycle"}
    faulty = exiting_on(handler, "killer")
    async with faulty_worker(system, tmp_path / "worker.log", faulty, worker, *others) as program:
        messages = [msg(name, f"Neighbour {name} is fine.") for name in neighbours]
        killer = msg("killer", "My brother Ugo plays the drums.")
        await bot.publish_all([*messages[:20], killer, *messages[20:]])
        deaths = await restart_until(program, is_announced)
        assert 2 <= deaths <= MAX_DELIVER
        async with Workers(without_reconciler(system.settings), ["lifecycle"]).started():
            states = await bot.final_states([*neighbours, "killer"], within=120)
        assert states == dict.fromkeys(neighbours, "remembered") | {"killer": "failed"}
        error = (await bot.status("killer"))["error"]
        assert error.startswith(f"attempts_exhausted: delivered {MAX_DELIVER} times, never settled")
        assert await program.stop() == 0
    (letter,) = await dead_letters_of(system.settings, bot.tenant)
    assert (letter["consumer"], letter["message_id"]) == (worker, "killer")
    assert (letter["code"], letter["attempts"]) == ("attempts_exhausted", MAX_DELIVER)
    assert "its worker died" in letter["reason"]
    (shown,) = await command_output(system.settings, "dlq", "show", str(letter["sequence"]))
    assert "killer" in shown["body"]
    await _replay(system, bot, letter["sequence"], "killer")
    await _check_counts(bot, len(neighbours) + 1)


async def _replay(system: System, bot: Bot, sequence: int, message_id: str) -> None:
    await command_output(system.settings, "dlq", "replay", str(sequence))
    await bot.wait_for_state(message_id, "remembered")
    assert await dead_letters_of(system.settings, bot.tenant) == []


async def _check_counts(bot: Bot, total: int) -> None:
    """A message that comes late is read before the one that follows it, which is then read again."""

    async def counts() -> tuple[int, int, int]:
        stats = await bot.query("stats", user_id="u-1")
        return stats["memories"], stats["history"], stats["pending"]

    await wait_for(counts, lambda found: found == (total, total, 0))


async def test_an_event_that_two_workers_gave_up_is_replayed_to_each_alone(system: System, bot: Bot) -> None:
    readers, last = ["enrichment", "knowledge"], 0

    async def letters() -> list[int]:
        found = await dead_letters_of(system.settings, bot.tenant)
        assert {letter["consumer"] for letter in found} <= set(readers)
        return sorted(letter["sequence"] for letter in found if letter["sequence"] > last)

    await bot.publish(b"rubbish", name="memory.encoded")
    for _ in range(2):
        numbers = await wait_for(letters, lambda found: len(found) == len(readers))
        last = numbers[-1]
        for number in map(str, numbers):
            replayed = await command_output(system.settings, "dlq", "replay", number, number)
            assert len(replayed) == 1
    await wait_for(letters, lambda found: len(found) == len(readers))
    assert len(await dead_letters_of(system.settings, bot.tenant)) == len(readers)
