"""The whole process tree dies at once, in the middle of everything, and is started again on its folder."""

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import Sequence

import httpx
import nats
import psutil
import pytest
from tests.fixtures.digest import Digest, digest, points
from tests.fixtures.eventually import eventually
from tests.fixtures.retrying_publisher import (
    AWAY,
    TOWNS,
    RetryingPublisher,
    connect_once,
    talk,
)
from tests.fixtures.ricordo_up import RicordoUp, ricordo
from tests.fixtures.wire import Bot, Json, ids, new_tenant, wait_for

from ricordo.memory.facts.value_periods import SHOWN_MESSAGES

__all__ = ["ricordo"]

pytestmark = pytest.mark.timeout(240)
ENVIRONMENT = {"RICORDO_BUS__ACK_WAIT_S": "3"}
"""What was in hand when the tree died comes again after three seconds instead of fifteen."""


@pytest.mark.parametrize(
    ("count", "moments"),
    [(120, [60]), pytest.param(1500, [300, 900, 1500], marks=pytest.mark.chaos)],
    ids=["short", "long"],
)
async def test_nothing_acknowledged_is_lost_and_nothing_is_there_twice(
    ricordo: RicordoUp, count: int, moments: list[int]
) -> None:
    tenant = new_tenant()
    bot = RetryingPublisher(lambda: ricordo.nats_url, tenant)
    publishing = asyncio.create_task(bot.publish(talk(count)))
    recall_loop = RecallLoop(ricordo, tenant)
    for acknowledged in moments:
        await bot.reached(acknowledged)
        await ricordo.program.kill()
        await ricordo.start()
    async with asyncio.timeout(60):
        await publishing
    await _all_is_remembered_once(ricordo, bot, count, recall_loop)


@pytest.mark.parametrize(
    ("count", "rounds"),
    [(160, 1), pytest.param(1500, 6, marks=pytest.mark.chaos)],
    ids=["short", "long"],
)
async def test_each_process_is_killed_while_messages_flow_and_started_again(
    ricordo: RicordoUp, count: int, rounds: int
) -> None:
    tenant = new_tenant()
    bot = RetryingPublisher(lambda: ricordo.nats_url, tenant)
    publishing = asyncio.create_task(bot.publish(talk(count)))
    recall_loop = RecallLoop(ricordo, tenant)
    victims = ["serve", "work", "gateway", "host"] * rounds
    for n, victim in enumerate(victims, 1):
        await bot.reached(n * count // len(victims))
        await ricordo.kill_process(victim)
    key = {"Authorization": f"Bearer {ricordo.endpoints().http_key}"}
    async with httpx.AsyncClient(base_url=ricordo.endpoints().http_url, headers=key) as http:
        assert (await http.get("/healthz")).status_code == 200
    async with asyncio.timeout(60):
        await publishing
    await _all_is_remembered_once(ricordo, bot, count, recall_loop)


async def test_what_is_killed_leaves_no_process_behind_and_starts_again(ricordo: RicordoUp) -> None:
    family = ricordo.program.family()
    assert set(ricordo.processes().values()) < set(family)
    ricordo.program.process.kill()
    await eventually(lambda: not psutil.wait_procs(family, timeout=0)[1])
    await ricordo.start()
    async with await nats.connect(ricordo.nats_url) as connection:
        assert (await Bot(connection, new_tenant()).query("stats", user_id="u"))["memories"] == 0


async def _all_is_remembered_once(
    ricordo: RicordoUp, bot: RetryingPublisher, count: int, recall_loop: "RecallLoop | None" = None
) -> None:
    """Wait until all that was published is remembered, look into every store, and stop the tree."""
    messages = talk(count)
    assert sorted(bot.acknowledged) == [message["id"] for message in messages]
    async with await nats.connect(ricordo.nats_url) as connection:
        asking = Bot(connection, bot.tenant)
        assert set((await asking.final_states(bot.acknowledged, within=180)).values()) == {"remembered"}
        if recall_loop is not None:
            await recall_loop.wait_for_reply()
            await recall_loop.stop()
        await _facts_count_each_message_once(asking, messages)
        if recall_loop is not None:
            await _recalls_strengthen_once(asking)
        letters = await connection.jetstream().stream_info("RICORDO_DLQ")
        assert letters.state.messages == 0
    state = await digest(ricordo.endpoints(), bot.tenant)
    assert await ricordo.program.stop() == 0
    for table in ("history", "memories", "stages", "vectors"):
        assert len(state[table]) == len(set(state[table])) == count
    assert state["dead_letters"] == []
    assert len(state["facts"]) == len(state["graph"]) > 0
    if recall_loop is not None:
        recall_loop.check_reinforcements(state)
    assert len(points(ricordo.folder / "qdrant", bot.tenant)) == count


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("count", "kills"),
    [
        pytest.param(200, 3, marks=pytest.mark.slow),
        pytest.param(4000, 20, marks=pytest.mark.chaos),
    ],
    ids=["short", "long"],
)
async def test_nats_is_killed_again_and_again_and_all_is_remembered_once(
    ricordo: RicordoUp, count: int, kills: int
) -> None:
    """Derived events are persisted asynchronously: what the stream lost is found in PostgreSQL."""
    tenant, messages = new_tenant(), talk(count)
    bot = RetryingPublisher(lambda: ricordo.nats_url, tenant)
    for n in range(kills):
        part = messages[n * count // kills : (n + 1) * count // kills]
        publishing = asyncio.create_task(bot.publish(part))
        await bot.reached(n * count // kills + len(part) // 2, within=120)
        await ricordo.kill_server("nats-server")
        async with asyncio.timeout(120):
            await publishing
    await _all_is_remembered_once(ricordo, bot, count)


class RecallLoop:
    """Recalls all along, as far as somebody answers, and counts what may have become stronger."""

    def __init__(self, ricordo: RicordoUp, tenant: str) -> None:
        self._ricordo = ricordo
        self._tenant = tenant
        self._returned: Counter[str] = Counter()
        self._unanswered = 0
        self._recalling = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Recall no more."""
        self._recalling.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._recalling

    async def _run(self) -> None:
        while True:
            with contextlib.suppress(*AWAY):
                async with await connect_once(self._ricordo.nats_url) as connection:
                    await self._recall_over(Bot(connection, self._tenant))
            await asyncio.sleep(0.2)

    async def _recall_over(self, bot: Bot) -> None:
        request = {"user_id": "u-0", "query": "Where does Nora live?", "limit": 3, "reinforce": True}
        while True:
            self._unanswered += 1
            reply = await bot.request("query.recall", request, within=3)
            self._unanswered -= 1
            self._returned.update(ids(reply.body.get("memories", ())))
            await asyncio.sleep(0.05)

    async def wait_for_reply(self) -> None:
        """Wait for a memory to come back."""
        async with asyncio.timeout(30):
            while not self._returned:  # noqa: ASYNC110 - counted by another task
                await asyncio.sleep(0.05)

    def check_reinforcements(self, state: Digest) -> None:
        """Compare with the rows; what died with the tree before it was published may be missing."""
        last = 2  # the recalls after the last start, each of which counts
        for row in map(json.loads, state["memories"]):
            most = self._returned[row["message_id"]] + self._unanswered + last
            assert row["access_count"] <= most
            assert row["reinforcement"] == pytest.approx(0.05 * row["access_count"])


async def _facts_count_each_message_once(bot: Bot, messages: Sequence[Json]) -> None:
    users = [f"u-{n}" for n in range(len(TOWNS))]
    for user_id, town in zip(users, TOWNS, strict=True):
        told = [one["id"] for one in messages if one["user_id"] == user_id and "Nora" in one["content"]]
        asked = await bot.query("facts", user_id=user_id, entity="Nora", predicate="lives_in")
        (fact,) = asked["facts"]
        assert (fact["object"], fact["confidence"]) == (town, min(10, len(told)))
        assert sorted(fact["message_ids"]) == told[-SHOWN_MESSAGES:]

    async def stats() -> list[Json]:
        return [await bot.query("stats", user_id=user_id) for user_id in users]

    # What was read before its predecessor came is read again.
    found = await wait_for(stats, lambda found: not any(one["pending"] for one in found), within=60)
    assert sum(one["memories"] for one in found) == sum(one["history"] for one in found) == len(messages)


async def _recalls_strengthen_once(bot: Bot) -> None:
    """Ask of a user whom nobody else asks of."""
    question: Json = {"user_id": "u-1", "query": "Where does Nora live?", "limit": 3}
    async with bot.subscribed("memory.changed") as changes:
        reply = await bot.query("recall", **question, reinforce=True)
        while all(one["user_id"] != "u-1" for one in json.loads((await changes.next()).data)["items"]):
            pass
    again = await bot.query("recall", **question, reinforce=False)
    used = {memory["id"]: memory["importance"] for memory in again["memories"]}
    for memory in reply["memories"]:
        assert used[memory["id"]] == pytest.approx(memory["importance"] + 0.02)
