"""A user has as many messages as the quota allows: the rest is refused with a reason, and may come again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final

import pytest
from nats.aio.client import Client
from nats.js.errors import NotFoundError
from tests.fixtures.commands import command
from tests.fixtures.running import Running
from tests.fixtures.served import restarted
from tests.fixtures.wire import Bot, said

from ricordo.settings import QuotaSettings, Settings

pytestmark = pytest.mark.e2e

QUOTA: Final = 3
STORY: Final = [said(f"m-{n}", f"Il numero {n} della mia lista è la barca {n}.") for n in range(5)]


@pytest.fixture
async def strict(running: Running) -> AsyncIterator[Settings]:
    """All workers run with a quota."""
    settings = running.settings.model_copy(update={"quotas": QuotaSettings(messages=QUOTA)})
    async with restarted(running, settings):
        yield settings


async def replayed(settings: Settings, wire: Client, tenant: str) -> None:
    """Replay the tenant's dead letters, as an operator does."""
    subject, numbers = f"dlq.ingest.memory.v1.{tenant}.message.received", [0]
    with suppress(NotFoundError):
        while True:
            found = await wire.jetstream().get_msg("RICORDO_DLQ", numbers[-1] + 1, subject=subject, next=True)
            numbers.append(found.seq or 0)
    process = await command(settings, "dlq", "replay", *map(str, numbers[1:]), "--nats", settings.bus.url)
    told, trouble = await process.communicate()
    assert process.returncode == 0, (told, trouble)


async def test_what_is_beyond_is_refused_with_a_reason_and_taken_once_there_is_room(
    bot: Bot, wire: Client, strict: Settings
) -> None:
    async with bot.dead_letters() as letters:
        for one in STORY:
            await bot.publish(one)
        states = await bot.settled(one["id"] for one in STORY)
        buried = await letters.take(2)
    assert list(states.values()) == ["remembered"] * QUOTA + ["failed"] * 2
    assert all((one.headers or {})["Ricordo-Reason"].startswith("quota_exceeded: ") for one in buried)
    status = await bot.status("m-3")
    assert status["error"].startswith("quota_exceeded: its user has as many messages as are kept")
    await bot.remember(said("other", "Anch'io ho una barca.", user_id="u-2"))
    await bot.remember(STORY[0])  # a repeat takes no room
    reply = await bot.request("command.forget", {"user_id": "u-1", "message_id": "m-0"})
    assert reply.body["ok"], reply
    await replayed(strict, wire, bot.tenant)

    async def kept() -> set[str]:
        history = await bot.ask("history", user_id="u-1", limit=10)
        return {one["id"] for one in history["messages"]}

    async with asyncio.timeout(30):
        while len(await kept()) < QUOTA:  # noqa: ASYNC110 - the wire has no event for a history
            await asyncio.sleep(0.1)
    (taken,) = (await kept()) - {"m-1", "m-2"}
    assert taken in {"m-3", "m-4"}
    assert (await bot.settled([taken]))[taken] == "remembered"
