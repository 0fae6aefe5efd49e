"""A message that kills the process which handles it: it becomes a dead letter, and takes nobody with it."""

from pathlib import Path

import pytest
from tests.fixtures.deployed import (
    MAX_DELIVER,
    at_work,
    deadly,
    deployed,
    dies_again_and_again,
    letters_of,
    said_by,
)
from tests.fixtures.running import Running
from tests.fixtures.wire import Bot, said

from ricordo.testing.eventually import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.timeout(280)]

NEIGHBOURS = [f"m-{number}" for number in range(60)]
PLACES = {
    "ingest": "ricordo_services.ingest.handlers:Ingest",
    "enrichment": "ricordo_services.enrichment.handlers:Enrich",
}
OTHERS = ("ingest", "enrichment", "embedding", "knowledge", "retrieval")


@pytest.mark.parametrize("worker", PLACES)
async def test_what_kills_its_worker_is_given_up_alone_and_replayed_once_that_is_mended(
    running: Running, bot: Bot, tmp_path: Path, worker: str
) -> None:
    """Nobody listens when the server says that it was the last delivery: lifecycle comes later."""

    async def was_told() -> bool:
        told = await bot.connection.jetstream().stream_info("RICORDO_ADVISORIES")
        return told.state.messages > 0

    async def state() -> object:
        return (await bot.status("killer"))["state"]

    async def is_given_up() -> bool:
        return await state() == "failed"

    async def is_remembered() -> bool:
        return await state() == "remembered"

    messages = [said(name, f"Neighbour {name} is fine.") for name in NEIGHBOURS]
    messages.insert(20, said("killer", "This one kills."))
    others = [name for name in OTHERS if name != worker]
    with_it = deadly(PLACES[worker], "killer")
    async with deployed(running, tmp_path / "worker.log", with_it, worker, *others) as program:
        await bot.publish_all(messages)
        deaths = await dies_again_and_again(program, was_told)
        assert 2 <= deaths <= MAX_DELIVER
        async with at_work(running, "lifecycle"):
            await eventually(is_given_up, within=30)
            states = await bot.settled(NEIGHBOURS)
        assert states == dict.fromkeys(NEIGHBOURS, "remembered")
        status = await bot.status("killer")
        assert status["error"].startswith(f"attempts_exhausted: delivered {MAX_DELIVER} times, never settled")
        assert await program.stop() == 0
    (letter,) = await letters_of(running, bot.tenant)
    assert (letter["consumer"], letter["message_id"]) == (worker, "killer")
    assert (letter["code"], letter["attempts"]) == ("attempts_exhausted", MAX_DELIVER)
    assert "its worker died" in letter["reason"]
    (shown,) = await said_by(running, "dlq", "show", str(letter["sequence"]))
    assert "killer" in shown["body"]
    await said_by(running, "dlq", "replay", str(letter["sequence"]))
    await eventually(is_remembered, within=60)
    assert await letters_of(running, bot.tenant) == []
    stats = await bot.ask("stats", user_id="u-1")
    total = len(messages)
    assert (stats["memories"], stats["history"], stats["pending"]) == (total, total, 0), "each once"
