"""A gateway is killed again and again while messages are posted: what it accepted is remembered, and once."""

import asyncio
from collections import Counter
from pathlib import Path

import httpx
import pytest
from tests.fixtures.gateway import gateway_process
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, ago, msg, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

MESSAGES, KILLS, AT_ONCE = 200, 3, 16


async def test_what_was_accepted_is_remembered_once_however_often_it_is_tried(
    system: System, tmp_path: Path
) -> None:
    accepted = Counter[str]()
    waiting = [
        msg(f"m-{n}", f"Pagina {n} del diario.", timestamp=ago(minutes=MESSAGES - n)) for n in range(MESSAGES)
    ]
    killed = 0
    async with gateway_process(system, tmp_path) as gateway:

        async def post() -> None:
            while waiting:
                message = waiting.pop(0)
                try:
                    answer = await gateway.http.post("/v1/messages", json=message)
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
            await gateway.kill()
            await gateway.start()
        await posting
    assert (killed, len(accepted)) == (KILLS, MESSAGES)
    async with system.connection() as connection:
        bot = Bot(connection, gateway.tenant)
        assert set((await bot.final_states(accepted)).values()) == {"remembered"}
        # Whose predecessor came later is read again, after it was remembered.
        stats = await wait_for(lambda: bot.query("stats", user_id="u-1"), lambda found: not found["pending"])
    assert (stats["history"], stats["memories"], stats["pending"]) == (MESSAGES, MESSAGES, 0)
