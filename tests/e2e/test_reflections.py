"""Once enough was said, what is regular in it is an insight, found by a recall and shown with its sources."""

from datetime import timedelta

from tests.fixtures.sentence_tables import table
from tests.fixtures.system import System
from tests.fixtures.wire import NOON, Bot, Json, msg, wait_for

from ricordo_services.app.passes import run_pass

ANNA = table(__file__, "anna")
PLAIN = table(__file__, "plain")


def _life() -> list[Json]:
    """Return sixty messages of as many days; on every third Anna comes up when it is about work."""
    return [
        msg(
            f"m-{day}",
            ANNA[day // 3 % 4] if day % 3 == 0 else f"{PLAIN[day % 5]}, ed è il giorno {day}",
            conversation_id=f"c-{day}",
            timestamp=(NOON - timedelta(days=60 - day)).isoformat(),
            language="it",
            speaker="Davide",
        )
        for day in range(60)
    ]


async def test_what_is_regular_in_a_life_is_understood(bot: Bot, system: System) -> None:
    """Drawn once, found by a recall, told of, and shown with what it rests on."""
    await bot.remember(*_life())
    async with bot.subscribed("memory.reflected") as subscription:
        done = await run_pass(system.settings, "reflect", tenant=bot.tenant)
        await subscription.next(within=60)
    assert (done.examined, done.created) == (60, 1)
    again = await run_pass(system.settings, "reflect", tenant=bot.tenant)
    assert (again.examined, again.created) == (0, 0)

    async def insights() -> list[Json]:
        reply = await bot.recall("Che cosa significa Anna quando parlo di lavoro?", limit=50)
        return [one for one in reply["memories"] if one["kind"] == "reflection"]

    (insight,) = await wait_for(insights)
    assert (
        insight["content"] == "Anna torna spesso quando parli di lavoro, per lo più con emozioni spiacevoli."
    )
    assert insight["type"] == "semantic"
    assert 1 + 9 * insight["importance"] >= 8
    assert (insight["participants"], insight["topics"]) == (["Anna"], ["lavoro"])
    sources = await bot.query("expand", user_id="u-1", memory_id=insight["id"])
    assert 4 <= len(sources["memories"]) <= 10
    assert {one["content"] for one in sources["memories"]} <= set(ANNA)
    assert (await bot.query("stats", user_id="u-1"))["reflections"] == 1
