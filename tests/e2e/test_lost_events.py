"""What goes wrong between a publish and its receipt is made good: lost events, and writes that fail."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest
from tests.fixtures.eventually import eventually
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, msg, wait_for

CONSUMERS = ("encode", "knowledge", "enrichment", "index")


async def test_messages_whose_derived_events_were_lost_are_picked_up(bot: Bot, system: System) -> None:
    await system.wait_until_idle()
    names = [f"m-{n}" for n in range(20)]
    await pause(bot, seconds=60)
    try:
        await bot.publish_all([msg(name, f"Nora lives in Cork, as I said: {name}.") for name in names])
        await eventually(lambda: all_in_state(bot, names, "received"), within=30)
        await bot.connection.jetstream().purge_stream("RICORDO")
    finally:
        await pause(bot, seconds=-60)
    assert await all_in_state(bot, names, "received")
    async with system.fast_reconciler():
        assert set((await bot.final_states(names)).values()) == {"remembered"}
    (fact,) = await bot.facts(entity="Nora", predicate="lives_in")
    assert fact["confidence"] == 10
    assert sorted(fact["message_ids"]) == sorted(names)
    await wait_for(lambda: bot.query("stats", user_id="u-1"), lambda found: found["pending"] == 0, within=60)


async def all_in_state(bot: Bot, names: list[str], state: str) -> bool:
    statuses = await asyncio.gather(*map(bot.status, names))
    return {status["state"] for status in statuses} == {state}


async def pause(bot: Bot, seconds: float) -> None:
    """Let the workers of derived events wait for so long; less than 0 lets them go on."""
    until = (
        (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat() if seconds else "0001-01-01T00:00:00Z"
    )
    for name in CONSUMERS:
        request = json.dumps({"pause_until": until}).encode()
        answer = await bot.connection.request(f"$JS.API.CONSUMER.PAUSE.RICORDO.{name}", request, timeout=10)
        assert "error" not in json.loads(answer.data)


@asynccontextmanager
async def failing(system: System, operation: str, content: str) -> AsyncIterator[None]:
    """Let every `operation` on a memory of this content fail, for the length of an `async with`."""
    connection = await asyncpg.connect(system.endpoints.postgres_admin_dsn)
    await connection.execute(
        f"""
        create or replace function fail_{operation}() returns trigger language plpgsql as $$
        begin
            if new.content = '{content}' then raise exception 'a disk is full'; end if;
            return new;
        end $$;
        create trigger failing before {operation} on memories
            for each row execute function fail_{operation}();
        """
    )
    try:
        yield
    finally:
        await connection.execute("drop trigger failing on memories")
        await connection.close()


@pytest.mark.parametrize("operation", ["insert", "update"])
async def test_a_message_that_cannot_be_written_fails_no_neighbour_and_is_tried_again(
    bot: Bot, system: System, operation: str
) -> None:
    poison = msg("poison", f"Veleno per {bot.tenant}.", conversation_id="poisoned")
    neighbours = [msg(f"m-{n}", f"Numero {n}.") for n in range(10)]
    async with bot.dead_letters() as subscription, failing(system, operation, poison["content"]):
        await bot.publish_all([*neighbours[:5], poison, *neighbours[5:]])
        states = await bot.final_states([message["id"] for message in neighbours])
        assert set(states.values()) == {"remembered"}
        assert (await bot.status("poison"))["state"] in {"unknown", "received"}
        assert await subscription.is_silent()
    assert await bot.final_states(["poison"]) == {"poison": "remembered"}
    stats = await bot.query("stats", user_id="u-1")
    assert (stats["memories"], stats["history"], stats["pending"]) == (11, 11, 0)
