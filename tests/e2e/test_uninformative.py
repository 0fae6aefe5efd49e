"""What tells nothing is no memory: it stays in the history, and is recalled when that is asked for."""

import json

from tests.fixtures.wire import Bot, Json, ago, ids, msg

TOLD = (
    msg("t-1", "La mia macchina è una Panda rossa.", timestamp=ago(days=3)),
    msg(
        "t-2", "Pensi che a mia zia Ines, che abita a Lucca, servirebbe una macchina?", timestamp=ago(days=2)
    ),
)
IDLE = (
    msg("q-1", "Di che colore è la mia macchina?", timestamp=ago(hours=5)),
    msg("q-2", "Mi dispiace, non lo so.", role="assistant", timestamp=ago(hours=4)),
    msg("q-3", "Grazie mille!", timestamp=ago(hours=3)),
    msg("q-4", "What colour is my car?", timestamp=ago(hours=2), language="en"),
)
QUESTION = "Di che colore è la mia macchina?"


async def recalled(bot: Bot, question: str = QUESTION, **request: object) -> set[str]:
    """Return whom a question brings back."""
    return set(ids((await bot.recall(question, limit=50, **request))["memories"]))


async def everything_kept(bot: Bot, kind: str) -> list[Json]:
    reply = (await bot.request("command.export", {"user_id": "u-1"})).body
    return [one for one in reply["items"] if one.get("item") == kind]


async def test_what_tells_nothing_is_history_and_no_candidate_unless_it_is_asked_for(bot: Bot) -> None:
    async with bot.subscribed("memory.remembered") as receipts:
        await bot.remember(*TOLD, *IDLE)
        told = {json.loads(one.data)["message_id"] for one in await receipts.take(6)}
    names, idle = {one["id"] for one in TOLD}, {one["id"] for one in IDLE}
    assert told == names | idle
    status = await bot.status("q-1")
    assert (status["state"], None in status["stages"].values()) == ("remembered", False)
    assert await recalled(bot) == names
    context = await bot.query("context", user_id="u-1", query=QUESTION, now=ago(), conversation_id="c-9")
    assert set(ids(context["memories"])) == names
    assert "non lo so" not in context["context"]
    window = {"user_id": "u-1", "start": ago(days=9), "end": ago()}
    assert ids((await bot.query("timeline", **window))["memories"]) == ["t-1", "t-2"]
    stats = await bot.query("stats", user_id="u-1")
    assert (stats["memories"], stats["history"]) == (2, 6)
    history = (await bot.query("history", user_id="u-1"))["messages"]
    assert [one["id"] for one in history] == ["t-1", "t-2", "q-1", "q-2", "q-3", "q-4"]
    working = await bot.query("context", user_id="u-1", query="e?", now=ago(), conversation_id="c-1")
    assert "non lo so" in json.dumps(working["working"], ensure_ascii=False)
    kept = {one["message_id"]: one["informative"] for one in await everything_kept(bot, "memory")}
    assert {name for name, told in kept.items() if told >= 0.5} == names
    assert set(kept) == names | idle
    everything = names | idle
    filters = {"include_uninformative": True}
    reply = await bot.recall(QUESTION, limit=50, filters=filters)
    assert {one["message_ids"][0]: one["informative"] >= 0.5 for one in reply["memories"]} == {
        name: name in names for name in everything
    }
    assert await recalled(bot, "Cosa ti ho chiesto della macchina?") >= {"q-1", "t-1"}
    assert await recalled(bot, "What did I ask you about my car?") >= {"q-4"}
    assert await recalled(bot, filters={**filters, "include_archived": True}) == everything
    assert await recalled(bot, filters={"include_archived": True}) == names
