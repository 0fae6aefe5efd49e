"""Who says very much at once delays nobody else, whichever lane it takes, and loses nothing of it."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Final

import pytest
from tests.fixtures.running import Running, Workers
from tests.fixtures.served import restarted
from tests.fixtures.wire import Bot, Json, at, said

from ricordo.testing.eventually import eventually

pytestmark = pytest.mark.e2e

MANY: Final = 300
FEW: Final[Mapping[str, int]] = {"under_way": 16, "import_backlog": 16}
"""However fast the machine is, no more of the flood is before the workers."""


def flood(user: str = "importer") -> list[Json]:
    return [
        said(
            f"old-{n}",
            f"Nel diario del {1900 + n % 100} sta scritto: pagina {n}.",
            user_id=user,
            conversation_id=f"diary-{n // 50}",
            timestamp=at(days=400, minutes=-n),
        )
        for n in range(MANY)
    ]


async def remembered(bot: Bot, user: str) -> int:
    stats = await bot.ask("stats", user_id=user)
    return int(stats["memories"]) - int(stats["pending"])


@pytest.fixture
async def narrow(running: Running) -> AsyncIterator[None]:
    """All workers run with little room for a flood."""
    worker = running.settings.worker.model_copy(update=FEW)
    async with restarted(running, running.settings.model_copy(update={"worker": worker})):
        yield


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("lane", ["message.imported", "message.received"])
async def test_what_another_says_is_remembered_while_most_of_a_flood_still_waits(bot: Bot, lane: str) -> None:
    await asyncio.gather(*(bot.publish(one, name=lane) for one in flood()))
    await bot.remember(said("live", "Domani parto per Trieste.", user_id="talker"))
    assert await remembered(bot, "importer") < MANY / 2
    states = await bot.settled([one["id"] for one in flood()], within=120)
    assert set(states.values()) == {"remembered"}
    stats = await bot.ask("stats", user_id="importer")
    assert (stats["memories"], stats["history"], stats["pending"]) == (MANY, MANY, 0)


@pytest.mark.usefixtures("narrow")
async def test_what_waits_for_room_is_in_the_history_and_its_status_tells_so(bot: Bot) -> None:
    await bot.publish_all(flood())
    last = flood()[-1]["id"]

    async def taken_in() -> bool:
        return bool((await bot.status(last))["stages"]["ingested"])

    await eventually(taken_in, within=60)
    status = await bot.status(last)
    assert (status["state"], status["stages"]["encoded"], status["error"]) == ("received", None, None)
    assert (await bot.ask("stats", user_id="importer"))["pending"] > MANY / 2
    history = await bot.ask("history", user_id="importer", limit=1)
    assert [one["id"] for one in history["messages"]] == [last]
    assert set((await bot.settled([last], within=120)).values()) == {"remembered"}


async def test_what_a_process_left_waiting_is_taken_up_by_the_next(running: Running, bot: Bot) -> None:
    worker = running.settings.worker.model_copy(update={"under_way": 1, "import_backlog": 1})
    settings = running.settings.model_copy(update={"worker": worker})
    few = [said(f"m-{n}", f"La barca numero {n} è rossa.") for n in range(8)]
    async with running.workers.stopped():
        alone = Workers(settings, ["ingest", "retrieval"])
        await asyncio.to_thread(alone.start)
        try:
            async with bot.hearing("memory.created") as heard:
                await bot.publish_all(few)
                await heard.next()
                assert await heard.nothing_more(), "the others wait until there is room"

            async def all_taken_in() -> bool:
                return int((await bot.ask("stats", user_id="u-1"))["pending"]) == len(few)

            await eventually(all_taken_in, within=30)
        finally:
            await asyncio.to_thread(alone.close)
    assert set((await bot.settled(one["id"] for one in few)).values()) == {"remembered"}
