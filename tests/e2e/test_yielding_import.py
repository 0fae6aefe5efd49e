"""An import that waits for what is said live is in its place: a probe finds the worker well."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

import httpx
import pytest
from nats.aio.client import Client
from tests.fixtures.running import Running, Workers
from tests.fixtures.scraping import free_port, scrape
from tests.fixtures.served import findings, health
from tests.fixtures.wire import Bot, Json, said

from ricordo.settings import Settings
from ricordo.testing.eventually import eventually

pytestmark = pytest.mark.e2e

LANE: Final = "ingest-bulk"


@asynccontextmanager
async def ingest_alone(settings: Settings) -> AsyncIterator[int]:
    """Run ingest only, whose bulk lane waits as soon as anybody has anything to do; yield the page's port."""
    port = free_port()
    worker = settings.worker.model_copy(update={"health_port": port, "import_backlog": 1})
    workers = Workers(settings.model_copy(update={"worker": worker}), ["ingest"])
    await asyncio.to_thread(workers.start)
    try:
        yield port
    finally:
        await asyncio.to_thread(workers.close)


async def page(port: int) -> tuple[int, Json]:
    """Ask as a probe does; return the status, and the report of the bulk lane."""
    async with httpx.AsyncClient() as client:
        answer = await client.get(f"http://127.0.0.1:{port}/healthz")
    return answer.status_code, next(one for one in answer.json()["workers"] if one["worker"] == LANE)


async def waits(wire: Client) -> bool:
    return bool((await health(wire, LANE))["state"] == "yielding")


async def test_a_worker_whose_import_lets_others_go_first_is_well(
    running: Running, wire: Client, bot: Bot
) -> None:
    async with running.workers.stopped(), ingest_alone(running.settings) as port:
        await bot.publish(said("live", "Vado a Trieste."))  # nobody is there to encode it
        await eventually(partial(waits, wire), within=20)
        await bot.publish(said("old", "Anni fa abitavo a Gorizia."), name="message.imported")
        status, report = await page(port)
        found = (await findings(running.settings))[f"worker {LANE}"]
        scraped = await scrape(port)
    assert (status, report["state"], report["processed"]) == (200, "yielding", 0)
    assert "items of other work are waiting" in report["reason"]
    assert found["state"] == "well"
    assert "yielding: " in found["detail"]
    assert scraped.value("ricordo_worker_state", worker=LANE, state="yielding") == 1
    assert scraped.value("ricordo_worker_healthy", worker=LANE) == 1
    assert await bot.settled(["live", "old"]) == {"live": "remembered", "old": "remembered"}
