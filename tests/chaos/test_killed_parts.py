"""One part dies while messages flow: the workers, or one of the servers; the others wait for it and go on."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import nats
import pytest
from tests.fixtures.digest import digest
from tests.fixtures.eventually import eventually
from tests.fixtures.retrying_publisher import TOWNS, RetryingPublisher, messages_about_nora, talk
from tests.fixtures.ricordo_up import Program, RicordoUp
from tests.fixtures.wire import Bot, Json, new_tenant

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(240)]

SHARE = 150
COUNT = 4 * SHARE
WORKERS = ("ingest", "enrichment", "embedding", "knowledge", "retrieval", "lifecycle")


@dataclass
class Apart:
    """Servers in one process tree, workers in another."""

    servers: RicordoUp
    workers: Program

    async def start_workers(self) -> None:
        """Start them, and return when they answer."""
        await self.workers.start('"event": "ready"')

    async def kill_workers(self) -> None:
        """Kill them, and start them again a little later."""
        await self.workers.kill()
        await self.start_workers()


@pytest.fixture
async def secure(tmp_path: Path) -> AsyncIterator[Apart]:
    servers = RicordoUp(tmp_path, "--workers", "lifecycle")
    await servers.start()
    at = servers.endpoints()
    environment = {
        "RICORDO_BUS__URL": at.nats_url,
        "RICORDO_STORES__POSTGRES_DSN": at.postgres_dsn,
        "RICORDO_STORES__QDRANT_DIR": str(at.qdrant_dir),
        "RICORDO_STORES__BOLT_URL": at.bolt_url,
        "RICORDO_STORES__BOLT_USER": at.bolt_user,
        "RICORDO_STORES__BOLT_PASSWORD": at.bolt_password,
        "RICORDO_STORES__BOLT_DATABASE": at.bolt_database,
        "RICORDO_LIFECYCLE__RECONCILE_EVERY_S": "2",
        "RICORDO_LIFECYCLE__RECONCILE_AFTER_S": "5",
    }
    workers = Program(tmp_path / "workers.log", "worker", *WORKERS, environment=environment)
    both = Apart(servers, workers)
    try:
        await both.start_workers()
        yield both
    finally:
        await workers.end()
        await servers.end()


async def test_the_death_of_any_part_loses_and_doubles_nothing(secure: Apart) -> None:
    tenant, messages = new_tenant(), talk(COUNT)
    deaths: list[Callable[[], Awaitable[None]]] = [secure.kill_workers]
    deaths += [partial(secure.servers.kill_server, name) for name in ("nats-server", "postgres", "java")]
    for n, dies in enumerate(deaths):
        await _dies_while_messages_flow(secure, tenant, messages[n * SHARE : (n + 1) * SHARE], dies)
    async with await nats.connect(secure.servers.nats_url) as connection:
        bot = Bot(connection, tenant)
        for n, town in enumerate(TOWNS):
            asked = await bot.query("facts", user_id=f"u-{n}", entity="Nora", predicate="lives_in")
            assert [fact["object"] for fact in asked["facts"]] == [town]
            assert sorted(asked["facts"][0]["message_ids"]) == messages_about_nora(COUNT)[f"u-{n}"]
        question = {"user_id": "u-0", "query": "Where does Nora live?", "reinforce": False}
        recalled = await _whole_answer(bot, question)
        assert len(recalled["memories"]) == 10
        letters = await connection.jetstream().stream_info("RICORDO_DLQ")
        assert letters.state.messages == 0
    state = await digest(secure.servers.endpoints(), tenant)
    for table in ("history", "memories", "stages", "vectors"):
        assert len(state[table]) == COUNT
    assert len(state["facts"]) == len(state["graph"]) > 0
    assert await secure.workers.stop() == 0
    assert await secure.servers.program.stop() == 0


async def _dies_while_messages_flow(
    secure: Apart, tenant: str, messages: list[Json], dies: Callable[[], Awaitable[None]]
) -> None:
    bot = RetryingPublisher(lambda: secure.servers.nats_url, tenant)
    publishing = asyncio.create_task(bot.publish(messages))
    await bot.reached(len(messages) // 2)
    await dies()
    async with asyncio.timeout(60):
        await publishing
    async with await nats.connect(secure.servers.nats_url) as connection:
        states = await Bot(connection, tenant).final_states(bot.acknowledged, within=60)
    assert set(states.values()) == {"remembered"}
    assert len(states) == len(messages)


async def _whole_answer(bot: Bot, question: Json) -> Json:
    """Ask until no part of the answer is missing."""
    replies: list[Json] = []

    async def is_whole() -> bool:
        replies.append(await bot.query("recall", **question))
        return bool(replies[-1]["degraded"] == [])

    await eventually(is_whole, within=30)
    return replies[-1]
