"""Everything is killed while a user is being forgotten, and started again: nothing is left in the end."""

import asyncio
import contextlib
import json
from datetime import UTC, datetime, timedelta
from typing import Final

import nats
import pytest
from nats.errors import Error as NatsError
from tests.fixtures.digest import digest, points, tenant_rows
from tests.fixtures.eventually import eventually
from tests.fixtures.ricordo_up import RicordoUp, ricordo
from tests.fixtures.wire import Bot, Json, msg, new_tenant

__all__ = ["ricordo"]

pytestmark = [pytest.mark.timeout(400), pytest.mark.slow]

NOW: Final = datetime.now(UTC)
COUNT: Final = 600  # several slices
ENVIRONMENT: Final = {
    "RICORDO_LIFECYCLE__RECONCILE_EVERY_S": "1",
    "RICORDO_LIFECYCLE__RECONCILE_AFTER_S": "2",
}
FORGET: Final = {"user_id": "u-1", "request_id": "r-1"}


async def test_an_erasure_that_is_cut_off_is_taken_up_and_reported_whole(ricordo: RicordoUp) -> None:
    tenant = new_tenant()
    async with await nats.connect(ricordo.nats_url) as connection:
        bot = Bot(connection, tenant)
        await bot.remember(*_talk("u-1", COUNT), *_talk("u-2", 20), within=240)
        forgetting = asyncio.create_task(_ask(bot))
        await eventually(lambda: _is_begun(bot), within=60)
        await ricordo.program.kill()
        await asyncio.wait({forgetting})
    await ricordo.start()
    async with await nats.connect(ricordo.nats_url) as connection:
        bot = Bot(connection, tenant)
        await eventually(lambda: _is_over(ricordo, tenant), within=60)  # though nobody asks again
        since = {"user_id": "u-1", "conversation_id": "c-0", "timestamp": datetime.now(UTC).isoformat()}
        await bot.remember(msg("since", "My sister Nora lives in Bray.", **since))
        reply = (await bot.request("command.forget", FORGET)).body
        assert reply["erased"]["rows"] == 2 * COUNT, "in all, before the kill and after it"
        assert (await bot.query("stats", user_id="u-1"))["memories"] == 1, "what came since stays"
        await bot.request("command.forget", {"user_id": "u-1", "message_id": "since"})
        assert (await bot.query("stats", user_id="u-2"))["memories"] == 20
        await eventually(lambda: _all_points_have_followed(ricordo, bot), within=60)
    state = await digest(ricordo.endpoints(), tenant)
    assert not {table for table, rows in state.items() if any('"u-1"' in row for row in rows)}
    assert await ricordo.program.stop() == 0
    assert len(points(ricordo.folder / "qdrant", tenant)) == 20


def _talk(user: str, count: int) -> list[Json]:
    town = "Dublin" if user == "u-1" else "Cork"
    return [
        msg(
            f"{user}-{n}",
            f"My sister Nora lives in {town}." if n % 5 == 0 else f"Today I wrote page {n}.",
            user_id=user,
            conversation_id=f"c-{n % 7}",
            timestamp=(NOW - timedelta(minutes=count - n)).isoformat(),
        )
        for n in range(count)
    ]


async def _ask(bot: Bot) -> None:
    with contextlib.suppress(NatsError, OSError, TimeoutError, json.JSONDecodeError):
        await bot.request("command.forget", FORGET)


async def _is_begun(bot: Bot) -> bool:
    held = (await bot.query("stats", user_id="u-1"))["memories"]
    assert held, "it was over before anything could be killed"
    return bool(held < COUNT)


async def _all_points_have_followed(ricordo: RicordoUp, bot: Bot) -> bool:
    """Whether those were told whose event went with the kill, and the index has done what it was told."""
    pending_withdrawals = await _read(ricordo, bot.tenant, "select count(*) from withdrawn_memories")
    consumer = await bot.connection.jetstream().consumer_info("RICORDO", "index-changes")
    return not (pending_withdrawals or consumer.num_pending or consumer.num_ack_pending)


async def _is_over(ricordo: RicordoUp, tenant: str) -> bool:
    return not await _read(ricordo, tenant, "select count(*) from tombstones where erased_at is null")


async def _read(ricordo: RicordoUp, tenant: str, query: str) -> int:
    """Read a number from PostgreSQL."""
    (row,) = await tenant_rows(ricordo.endpoints(), tenant, query)
    return int(row["count"])
