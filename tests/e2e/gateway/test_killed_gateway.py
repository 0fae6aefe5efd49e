"""A gateway is killed again and again while messages are posted: what it accepted is remembered, and once."""

import asyncio
from collections import Counter
from pathlib import Path

import httpx
import pytest
from tests.fixtures.gateway import FIXED_KEY
from tests.fixtures.ricordo_up import Program
from tests.fixtures.scraping import free_port
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, ago, msg, new_tenant

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

MESSAGES, KILLS, AT_ONCE = 400, 3, 16


async def test_what_was_accepted_is_remembered_once_however_often_it_is_tried(
    system: System, tmp_path: Path
) -> None:
    tenant, port, accepted = new_tenant(), free_port(), Counter[str]()
    environment = {
        "RICORDO_BUS__URL": system.endpoints.nats_url,
        "RICORDO_GATEWAY__PORT": str(port),
        "RICORDO_GATEWAY__KEY": FIXED_KEY,
        "RICORDO_GATEWAY__TENANT": tenant,
    }
    program = Program(tmp_path / "gateway.log", "worker", "gateway", environment=environment)
    waiting = [
        msg(f"m-{n}", f"Pagina {n} del diario.", timestamp=ago(minutes=MESSAGES - n)) for n in range(MESSAGES)
    ]
    killed = 0
    await program.start("ready")
    try:
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", headers={"Authorization": f"Bearer {FIXED_KEY}"}, timeout=30
        ) as http:

            async def post() -> None:
                while waiting:
                    message = waiting.pop(0)
                    try:
                        answer = await http.post("/v1/messages", json=message)
                    except httpx.TransportError:  # it may have been accepted: the client tries again
                        waiting.append(message)
                        await asyncio.sleep(0.1)
                        continue
                    assert answer.status_code == 202, answer.text
                    accepted[message["id"]] += 1

            posting = asyncio.gather(*(post() for _ in range(AT_ONCE)))
            for killed in range(1, KILLS + 1):
                reached = killed * MESSAGES // (KILLS + 1)
                while len(accepted) < reached:  # noqa: ASYNC110 - no event
                    await asyncio.sleep(0.02)
                program.process.kill()
                await program.ended()
                await program.start("ready")
            await posting
    finally:
        await program.end()
    assert (killed, len(accepted)) == (KILLS, MESSAGES)
    async with system.connection() as connection:
        bot = Bot(connection, tenant)
        assert set((await bot.final_states(accepted)).values()) == {"remembered"}
        stats = await bot.query("stats", user_id="u-1")
    assert (stats["history"], stats["memories"], stats["pending"]) == (MESSAGES, MESSAGES, 0)
