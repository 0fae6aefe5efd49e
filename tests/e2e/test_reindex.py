"""`ricordo reindex` beside a running system: what was lost of the projections is there again."""

import asyncio
import json
import shutil
from typing import Final

from tests.fixtures.commands import run_command
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, Json, msg

from ricordo.settings import Settings

STORY: Final = (
    msg("m-1", "Che gioia, ieri ho adottato un cane, si chiama Max!"),
    msg("m-2", "Mia sorella Nora vive a Lisbona."),
    msg("m-3", "Mia sorella Nora vive a Porto."),
    msg("m-4", "Piove da tre giorni.", user_id="u-2"),
)


async def reindex(settings: Settings, *words: str) -> tuple[int, list[Json], str]:
    code, out, err = await run_command(settings, "reindex", "--json", *words)
    return code, [json.loads(line) for line in out.splitlines()], err


async def found(bot: Bot) -> list[Json]:
    """Return what recall finds, with what the index alone knows of it."""
    reply = await bot.recall("un cane", reinforce=False, explain=True)
    assert reply["degraded"] == []
    return [
        {
            "ids": one["message_ids"],
            **{name: one["signals"].get(name) for name in ("semantic", "bm25", "window")},
        }
        for one in reply["memories"]
    ]


async def test_points_that_were_lost_are_written_again_and_nothing_is_encoded(
    bot: Bot, system: System
) -> None:
    await bot.remember(*STORY)
    await system.wait_until_idle()
    before = await found(bot)
    assert before[0]["ids"] == ["m-1"]
    folder = system.settings.stores.qdrant_dir
    assert folder is not None
    async with system.workers.stopped():
        await asyncio.to_thread(shutil.rmtree, folder)
    assert await found(bot) != before
    async with bot.subscribed("memory.encoded") as encoded, bot.subscribed("memory.indexed") as indexed:
        code, lines, err = await reindex(system.settings, "--vectors")
        assert code == 0, err  # which shows the progress where many memories are indexed
        assert [line["projection"] for line in lines] == ["vectors"]
        assert lines[0]["written"] >= len(STORY)  # of all tenants, whose memories may become more meanwhile
        assert len(await indexed.take(len(STORY), within=60)) == len(STORY)
        assert await encoded.is_silent()
    code, lines, err = await reindex(system.settings, "--vectors", "--tenant", bot.tenant)
    assert (code, err) == (0, "")
    assert lines[0]["found"] == lines[0]["written"] == len(STORY)
    await system.wait_until_idle()
    assert await found(bot) == before
    for message in STORY:
        assert (await bot.status(message["id"]))["state"] == "remembered"
