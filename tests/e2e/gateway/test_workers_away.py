"""A gateway before a NATS server without any worker: what JetStream has acknowledged is accepted."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr
from tests.fixtures.gateway import FIXED_KEY
from tests.fixtures.nats_server import NatsServerProcess
from tests.fixtures.scraping import free_port
from tests.fixtures.wire import msg

from ricordo.bus.nats import NatsSettings, open_bus, ricordo_topology
from ricordo.clock import SystemClock
from ricordo.settings import BusSettings, GatewaySettings
from ricordo_services.gateway.service import Gateway


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    port, stopping, ready = free_port(), asyncio.Event(), asyncio.Event()
    async with NatsServerProcess(tmp_path) as server:
        async with open_bus(NatsSettings(servers=(server.url,)), ricordo_topology()) as bus:
            await bus.provision()
        settings = GatewaySettings(port=port, key=SecretStr(FIXED_KEY))
        gateway = Gateway(BusSettings(url=server.url), settings, SystemClock())
        serving = asyncio.create_task(gateway.run(stopping, ready.set))
        await ready.wait()
        headers = {"Authorization": f"Bearer {FIXED_KEY}"}
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60
        ) as client:
            yield client
        stopping.set()
        await serving


async def test_messages_are_accepted_and_nothing_is_told_that_is_not_known(http: httpx.AsyncClient) -> None:
    many = [msg(f"m-{n}", "Adoro il mare.") for n in range(3)]
    for path in ("/v1/messages", "/v1/messages?wait=remembered&timeout=1"):
        answer = await http.post(path, json=many)
        assert answer.status_code == 202, answer.text
        assert [one["state"] for one in answer.json()["messages"]] == ["received"] * 3
    status = await http.get("/v1/messages/m-0")
    assert (status.status_code, status.json()["code"]) == (503, "unavailable")
    assert status.headers["retry-after"]


async def test_an_import_counts_what_is_stored_and_may_still_be_refused(http: httpx.AsyncClient) -> None:
    lines = [json.dumps(msg(f"m-{n}", "Adoro il mare.")) for n in range(1_200)]
    found = (await http.post("/v1/imports", content="\n".join(lines))).json()
    assert found == {"accepted": 1_200, "rejected": 0, "conflicts": 0, "unchecked": 1_200, "errors": []}
