"""A fact that the user rejects, over the wire: it is not read again from the same words."""

from uuid import uuid4

import pytest
from tests.e2e.test_exporting import exported, of
from tests.e2e.test_settling import known, settle
from tests.fixtures.running import Running
from tests.fixtures.wire import Bot, at, said

from ricordo_services.app.jobs import run_backfill
from ricordo_services.progress import BackfillOrder

pytestmark = pytest.mark.e2e

TOLD = said("m-1", "Sono allergica alle noci e vivo a Bari.", timestamp=at(days=2))


async def test_a_rejected_fact_stays_away_whatever_comes_again(bot: Bot, running: Running) -> None:
    async with bot.hearing("memory.created") as created:
        await bot.remember(TOLD)
        (cause,) = await created.take(1)
    (nuts,) = await known(bot, predicate="allergic_to")
    for _ in range(2):
        assert (await settle(bot, "reject", nuts, request_id="r-1")).body == {"ok": True}
        assert await known(bot, predicate="allergic_to", history=True) == []
    async with bot.hearing("facts.extracted") as heard:
        await bot.publish(cause.data, name="memory.created")
        await heard.take(1)
    await bot.publish(TOLD)
    await running.everything_is_settled()
    await run_backfill(running.settings, BackfillOrder(tenant=bot.tenant), lambda _: None)
    await running.everything_is_settled()
    assert {one["predicate"] for one in await known(bot, history=True)} == {"lives_in"}
    assert [one["message_id"] for one in of(await exported(bot), "rejection")] == ["m-1"]
    await bot.remember(said("m-2", "Sono allergica alle noci.", timestamp=at(days=1)))
    (again,) = await known(bot, predicate="allergic_to")
    assert (again["id"], again["message_ids"]) == (nuts["id"], ["m-2"])


async def test_who_comes_too_late_is_told_so(bot: Bot) -> None:
    await bot.remember(TOLD)
    assert (await settle(bot, "reject", str(uuid4()))).error == ("not_found", "fact_id")
    (nuts,) = await known(bot, predicate="allergic_to")
    assert (await settle(bot, "reject", nuts, request_id="r-1")).body == {"ok": True}
    assert (await settle(bot, "reject", nuts, request_id="r-2")).error == ("not_found", "fact_id")
    (home,) = await known(bot)
    assert (await settle(bot, "reject", home, request_id="r-1")).error == ("invalid_request", "request_id")
    assert (await bot.request("command.reject", {"user_id": "u-1"})).error == ("invalid_request", "fact_id")


async def test_nothing_is_left_of_it_once_its_message_is_forgotten(bot: Bot) -> None:
    await bot.remember(TOLD)
    (nuts,) = await known(bot, predicate="allergic_to")
    await settle(bot, "reject", nuts)
    assert (await bot.request("command.forget", {"user_id": "u-1", "message_id": "m-1"})).body["ok"]
    assert of(await exported(bot), "rejection") == []
