"""The whole process tree dies at once, in the middle of everything, and is started again on its folder."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import nats
import pytest
from tests.fixtures.digest import Digest, digest, points
from tests.fixtures.ricordo_up import RicordoUp
from tests.fixtures.talkative import TOWNS, TalkativeBot, supporters, talk
from tests.fixtures.wire import Bot, Json, at, new_tenant

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture
async def ricordo(tmp_path: Path) -> AsyncIterator[RicordoUp]:
    up = RicordoUp(tmp_path)
    await up.start()
    try:
        yield up
    finally:
        await up.end()


@pytest.mark.parametrize(
    ("count", "moments"),
    [(300, [150]), pytest.param(1500, [300, 900, 1500], marks=pytest.mark.chaos)],
    ids=["short", "long"],
)
async def test_nothing_acknowledged_is_lost_and_nothing_is_there_twice(
    ricordo: RicordoUp, count: int, moments: list[int]
) -> None:
    tenant = new_tenant()
    bot = TalkativeBot(lambda: ricordo.nats_url, tenant)
    publishing = asyncio.create_task(bot.publish(talk(count)))
    for acknowledged in moments:
        await bot.reached(acknowledged)
        await ricordo.program.kill()
        await ricordo.start()
    async with asyncio.timeout(60):
        await publishing
    assert sorted(bot.acknowledged) == [message["id"] for message in talk(count)]
    connection = await nats.connect(ricordo.nats_url)
    try:
        asking = Bot(connection, tenant)
        assert set((await asking.settled(bot.acknowledged, within=120)).values()) == {"remembered"}
        await _facts_count_each_message_once(asking, count)
        await _recalls_strengthen_once(asking)
        letters = await connection.jetstream().stream_info("RICORDO_DLQ")
        assert letters.state.messages == 0
    finally:
        await connection.close()
    state = await digest(ricordo.endpoints(), tenant)
    assert await ricordo.program.stop() == 0
    _everything_is_there_once(state, count)
    assert len(points(ricordo.folder / "qdrant", tenant)) == count


async def _facts_count_each_message_once(bot: Bot, count: int) -> None:
    expected = supporters(count)
    for n, town in enumerate(TOWNS):
        asked = await bot.ask("facts", user_id=f"u-{n}", entity="Nora", predicate="lives_in")
        (fact,) = asked["facts"]
        assert (fact["object"], fact["confidence"]) == (town, min(10, len(expected[f"u-{n}"])))
        assert sorted(fact["message_ids"]) == expected[f"u-{n}"]
    stats = [await bot.ask("stats", user_id=f"u-{n}") for n in range(len(TOWNS))]
    assert sum(one["memories"] for one in stats) == sum(one["history"] for one in stats) == count
    assert sum(one["pending"] for one in stats) == 0


async def _recalls_strengthen_once(bot: Bot) -> None:
    async with bot.hearing("memory.changed") as changes:
        reply = await bot.recall("Where does Nora live?", user_id="u-0", limit=3, reinforce=True)
        await changes.next()
    again: Json = await bot.recall("Where does Nora live?", user_id="u-0", limit=3, now=at())
    used = {memory["id"]: memory["importance"] for memory in again["memories"]}
    for memory in reply["memories"]:
        assert used[memory["id"]] == pytest.approx(memory["importance"] + 0.02)


def _everything_is_there_once(state: Digest, count: int) -> None:
    for table in ("history", "memories", "stages", "vectors"):
        assert len(state[table]) == len(set(state[table])) == count
    assert state["dead_letters"] == []
    assert len(state["facts"]) == len(state["graph"]) > 0
