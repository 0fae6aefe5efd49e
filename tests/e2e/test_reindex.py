"""`ricordo reindex` beside a running system: what was lost of the projections is there again."""

import asyncio
import json
import shutil
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final

import pytest
from tests.fixtures.commands import command
from tests.fixtures.running import Running
from tests.fixtures.wire import Bot, Json, ids, said

from ricordo.graph.bolt import open_graph
from ricordo.graph.port import KeptGraph
from ricordo.memory.facts import Fact
from ricordo.settings import Settings

pytestmark = pytest.mark.e2e

STORY: Final = (
    said("m-1", "Che gioia, ieri ho adottato un cane, si chiama Max!"),
    said("m-2", "Mia sorella Nora vive a Lisbona."),
    said("m-3", "Mia sorella Nora vive a Porto."),
    said("m-4", "Piove da tre giorni.", user_id="u-2"),
)
FEW_FACTS: Final = 2  # at the least


async def reindex(settings: Settings, *words: str) -> tuple[int, list[Json], str]:
    """Run the command; return its exit code, its lines and what it says beside them."""
    process = await command(settings, "reindex", "--json", *words)
    out, err = await process.communicate()
    return process.returncode or 0, [json.loads(line) for line in out.splitlines()], err.decode()


async def exported(running: Running, bot: Bot) -> Sequence[Fact]:
    """Return what the graph holds of the user of the story."""
    async with _graph(running) as graph:
        return await graph.export(bot.tenant, "u-1")


def _graph(running: Running) -> AbstractAsyncContextManager[KeptGraph]:
    at = running.endpoints
    return open_graph(at.bolt_url, at.bolt_user, at.bolt_password, database=at.bolt_database)


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


async def test_a_graph_that_was_wiped_is_as_it_was(bot: Bot, running: Running) -> None:
    await bot.remember(*STORY)
    before = await exported(running, bot)
    assert len(before) >= FEW_FACTS
    async with _graph(running) as graph:
        await graph.erase(bot.tenant, "u-1")
    code, lines, err = await reindex(running.settings, "--graph", "--tenant", bot.tenant)
    assert (code, err) == (0, "")
    (told,) = lines
    assert (told["projection"], told["users"], told["removed"]) == ("graph", 1, 0)
    assert told["found"] == told["written"] == len(before)
    assert await exported(running, bot) == before


async def test_points_that_were_lost_are_written_again_and_nothing_is_encoded(
    bot: Bot, running: Running
) -> None:
    await bot.remember(*STORY)
    await running.everything_is_settled()
    before = await found(bot)
    assert before[0]["ids"] == ["m-1"]
    folder = running.settings.stores.qdrant_dir
    assert folder is not None
    async with running.workers.stopped():
        await asyncio.to_thread(shutil.rmtree, folder)
    assert await found(bot) != before
    async with bot.hearing("memory.encoded") as encoded, bot.hearing("memory.indexed") as indexed:
        code, lines, err = await reindex(running.settings, "--vectors")
        assert (code, err) == (0, "")
        assert [line["projection"] for line in lines] == ["vectors"]
        assert lines[0]["written"] >= len(STORY)  # of all tenants, whose memories may become more meanwhile
        assert len(await indexed.take(len(STORY), within=60)) == len(STORY)
        assert await encoded.nothing_more()
    code, lines, err = await reindex(running.settings, "--vectors", "--tenant", bot.tenant)
    assert (code, err) == (0, "")
    assert lines[0]["found"] == lines[0]["written"] == len(STORY)
    await running.everything_is_settled()
    assert await found(bot) == before
    for message in STORY:
        assert (await bot.status(message["id"]))["state"] == "remembered"


async def test_both_of_one_user(bot: Bot, running: Running) -> None:
    await bot.remember(*STORY)
    async with bot.hearing("memory.indexed") as indexed:
        code, lines, _ = await reindex(running.settings, "--tenant", bot.tenant, "--user", "u-2")
        assert code == 0
        assert [(line["projection"], line["written"]) for line in lines] == [("graph", 0), ("vectors", 1)]
        (one,) = await indexed.take(1, within=60)
        assert json.loads(one.data)["message_id"] == "m-4"
        assert await indexed.nothing_more()


async def test_a_graph_that_is_away_is_told_in_a_line(running: Running, unused_tcp_port: int) -> None:
    away = running.settings.stores.model_copy(update={"bolt_url": f"bolt://127.0.0.1:{unused_tcp_port}"})
    settings = running.settings.model_copy(update={"stores": away})
    code, lines, err = await reindex(settings, "--graph")
    assert (code, lines) == (1, [])
    assert err.startswith("ricordo: the graph does not answer")
    assert len(err.splitlines()) == 1


async def test_one_that_was_killed_is_finished_by_the_next(bot: Bot, running: Running) -> None:
    story = [
        said(f"m-{n}", f"Oggi ho contato {n} barche nel porto di Chioggia. Mia cugina Ada{n} vive a Bari.")
        for n in range(30)
    ]
    await bot.remember(*story)
    await running.everything_is_settled()
    before = await exported(running, bot)
    async with _graph(running) as graph:
        await graph.erase(bot.tenant, "u-1")
    process = await command(running.settings, "reindex", "--tenant", bot.tenant)
    async with bot.hearing("memory.indexed") as indexed, asyncio.timeout(60):
        await indexed.take(1, within=60)
        process.kill()
        await process.wait()
    code, lines, _ = await reindex(running.settings, "--tenant", bot.tenant)
    assert (code, [line["written"] for line in lines]) == (0, [len(before), len(story)])
    await bot.settled(message["id"] for message in story)
    assert await exported(running, bot) == before
    assert ids((await bot.recall("barche", limit=50))["memories"])
