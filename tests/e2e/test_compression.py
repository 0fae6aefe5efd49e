"""What is old and weak is condensed at night, and nothing is lost by it."""

import json

from tests.fixtures.system import System
from tests.fixtures.wire import NOON, Bot, Json, ago, ids, msg, wait_for

from ricordo_services.app.passes import run_pass
from ricordo_services.job_progress import PassSummary

COFFEES: tuple[Json, ...] = tuple(
    msg(f"m-{number}", text, timestamp=ago(days=300 - 2 * number), language="it", speaker="Davide")
    for number, text in enumerate(
        (
            "Ho preso un caffè con Anna al bar Centrale.",
            "Caffè con Anna al bar, pagato 3 euro.",
            "Un altro caffè con Anna, al bar vicino al cinema.",
            "Io e Anna abbiamo preso un caffè al bar.",
        )
    )
)
RECENT = msg("m-9", "Ho preso un caffè con Anna al bar.", timestamp=ago(days=2), language="it")


async def _night(system: System, bot: Bot) -> PassSummary:
    return await run_pass(system.settings, "compress", now=NOON, tenant=bot.tenant)


async def _syntheses(bot: Bot) -> list[Json]:
    reply = await bot.recall("caffè con Anna", filters={"kinds": ["synthesis"]}, reinforce=False)
    found: list[Json] = reply["memories"]
    return found


async def test_what_is_old_and_weak_is_condensed_and_stays(bot: Bot, system: System) -> None:
    await bot.remember(*COFFEES, RECENT)
    before = await bot.recall("caffè con Anna", reinforce=False)
    async with bot.subscribed("memory.compressed") as subscription:
        summary = await _night(system, bot)
        told = json.loads((await subscription.next()).data)
    assert (summary.examined, summary.changed, summary.created) == (4, 4, 1)
    (synthesis,) = await wait_for(lambda: _syntheses(bot))
    assert synthesis["id"] == told["memory_id"]
    assert synthesis["source"] == "sleep_consolidation"
    assert "su Anna: " in synthesis["content"]
    sources = await bot.query("expand", user_id="u-1", memory_id=synthesis["id"])
    assert ids(sources["memories"]) == ["m-0", "m-1", "m-2", "m-3"]
    assert sorted(told["memory_ids"]) == sorted(one["id"] for one in sources["memories"])
    after = await bot.recall("caffè con Anna", reinforce=False)
    assert sorted(ids(after["memories"])) == sorted(ids(before["memories"]))
    again = await _night(system, bot)
    assert (again.changed, again.created) == (0, 0)
