"""A conversation that has ended is summed up; what comes late is taken in."""

import json

from tests.fixtures.wire import Bot, Json, ago, ids, msg, wait_for

CAT: tuple[Json, ...] = (
    msg("m-1", "Ciao!", timestamp=ago(hours=3), language="it"),
    msg("m-2", "Ieri ho adottato una gatta, si chiama Nuvola.", timestamp=ago(hours=2.95), language="it"),
    msg("m-3", "Che bello!", timestamp=ago(hours=2.9), role="assistant", language="it"),
    msg(
        "m-4",
        "Ho paura che non vada d'accordo con il mio cane Argo.",
        timestamp=ago(hours=2.85),
        language="it",
    ),
)


async def _end(bot: Bot, hours_ago: float) -> None:
    body = {"user_id": "u-1", "conversation_id": "c-1", "timestamp": ago(hours=hours_ago)}
    await bot.publish(body, name="session.ended")


async def _summaries(bot: Bot) -> list[Json]:
    reply = await bot.recall("la gatta Nuvola e il cane Argo", filters={"kinds": ["summary"]})
    return [one for one in reply["memories"] if one["kind"] == "summary"]


async def test_a_session_that_ended_has_a_summary(bot: Bot) -> None:
    """It tells what mattered in a few sentences, is found in a context, and shows what it rests on."""
    await bot.remember(*CAT)
    async with bot.subscribed("session.summarized") as subscription:
        await _end(bot, 2.8)
        told = json.loads((await subscription.next(within=60)).data)
    assert (told["conversation_id"], told["messages"]) == ("c-1", 4)
    (summary,) = await wait_for(lambda: _summaries(bot))
    assert summary["id"] == told["memory_id"]
    assert summary["message_ids"] == ["m-1", "m-2", "m-3", "m-4"]
    assert "Nuvola" in summary["content"]
    assert "Che bello" not in summary["content"]
    assert summary["emotion"]["primary"] in {"fear", "nervousness"}
    assert summary["role"] is None
    context = await bot.query("context", user_id="u-1", query="Come sta Nuvola?", now=ago(), reinforce=False)
    assert "summary" in {one["kind"] for one in context["memories"]}
    assert "summary" not in {one["kind"] for one in (await bot.recall("Come sta Nuvola?"))["memories"]}
    sources = await bot.query("expand", user_id="u-1", memory_id=summary["id"])
    assert ids(sources["memories"]) == ["m-1", "m-2", "m-3", "m-4"]
    assert (await bot.query("stats", user_id="u-1"))["summaries"] == 1
