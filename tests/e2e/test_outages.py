"""Each part that a recall asks goes away: it answers from what is left, says what is away, and recovers."""

import asyncio
import uuid

import pytest
from tests.fixtures.degradable_system import (
    DEADLINE_S,
    PARTS_OF_A_RECALL,
    QUESTION,
    SLACK_S,
    DegradableSystem,
    answered,
    bot,
    degradable,
    wait_until_degraded,
)
from tests.fixtures.wire import Bot, ago, ids, msg, new_tenant, wait_for

pytestmark = pytest.mark.slow

__all__ = ["bot", "degradable"]


@pytest.mark.parametrize(
    ("part", "how"),
    [
        *((part, "dead") for part in PARTS_OF_A_RECALL),
        ("analyser", "hung"),
        ("analyser", "nonsense"),
        ("model", "hung"),
        ("model", "nonsense"),
    ],
)
async def test_what_is_away_is_named_and_the_rest_answers(
    bot: Bot, degradable: DegradableSystem, part: str, how: str
) -> None:
    whole = await answered(bot, "recall", anew=False)
    assert (whole["degraded"], whole["analysis"]["analyser"]) == ([], "llm")
    assert ids(whole["memories"])[0] == "boat-1"
    await degradable.take(part, how)
    await wait_until_degraded(bot, part)
    for name in ("recall", "context"):
        reply = await answered(bot, name)
        assert reply["degraded"] == [part], reply
        found, facts = ids(reply["memories"]), [fact["object"] for fact in reply["facts"]]
        assert ("boat-1" in found) == (part not in {"rows", "vectors"})
        assert ("Trieste" in facts) == (part != "rows")
        assert reply["analysis"]["entities"] == ["Davide"]
        assert reply["analysis"]["analyser"] == ("rules" if part == "analyser" else "llm")
        assert reply.get("context") != ""
    await degradable.restore(part)
    await wait_until_degraded(bot)
    again = await answered(bot, "recall", anew=False)
    assert ids(again["memories"]) == ids(whole["memories"])
    assert again["facts"] == whole["facts"]


@pytest.mark.parametrize("part", ["rows", "vectors"])
async def test_a_store_that_hangs_keeps_nobody_past_the_deadline(
    bot: Bot, degradable: DegradableSystem, part: str
) -> None:
    await degradable.take(part, "hung")
    replies = await asyncio.gather(*(answered(bot, name) for name in ("recall", "context")))
    for reply in replies:  # without it, or not at all, but told so
        error = reply.get("error")
        assert reply["degraded"] == [part] if error is None else error["code"] == "timeout"
    await degradable.restore(part)
    await wait_until_degraded(bot)


async def test_when_all_is_away_there_is_an_answer_all_the_same(
    bot: Bot, degradable: DegradableSystem
) -> None:
    for part in PARTS_OF_A_RECALL:
        await degradable.take(part, "dead")
    await wait_until_degraded(bot, *PARTS_OF_A_RECALL)
    for name in ("recall", "context"):
        reply = await answered(bot, name)
        assert (reply["memories"], reply["facts"]) == ([], [])


async def test_nothing_found_is_not_nothing_there(bot: Bot, degradable: DegradableSystem) -> None:
    nobody = {"user_id": "nobody", "query": QUESTION}
    empty = (await bot.request("query.recall", nobody)).body
    assert (empty["memories"], empty["facts"], empty["degraded"]) == ([], [], [])
    told = (await bot.request("query.context", nobody)).body
    refused = (await bot.request("query.answer", nobody)).body
    await degradable.take("vectors", "dead")
    broken = (await bot.request("query.context", nobody)).body
    assert (broken["memories"], broken["degraded"]) == ([], ["vectors"])
    assert told["context"] != broken["context"], "a prompt tells the two apart, too"
    away = (await bot.request("query.answer", nobody)).body
    assert (refused["answered"], away["answered"], away["degraded"]) == (False, False, ["vectors"])
    assert "vectors" in away["answer"] != refused["answer"]


async def test_filters_that_rows_decide_find_nothing_while_these_are_away(
    bot: Bot, degradable: DegradableSystem
) -> None:
    asked = {"user_id": "u-1", "query": QUESTION, "filters": {"tags": ["boats"]}}
    await degradable.take("rows", "dead")
    for name in ("recall", "answer"):
        reply = (await bot.request(f"query.{name}", asked, within=DEADLINE_S + SLACK_S)).body
        assert reply["degraded"] == ["rows"], name
        assert not any(reply.get(each) for each in ("memories", "answered")), name


async def test_what_needs_the_rows_says_that_they_are_away(bot: Bot, degradable: DegradableSystem) -> None:
    user = {"user_id": "u-1"}
    asked = {
        "history": user,
        "facts": user,
        "stats": user,
        "timeline": user | {"start": ago(days=9), "end": ago()},
        "working": user | {"conversation_id": "c-1"},
        "status": {"message_id": "boat-1"},
        "expand": user | {"memory_id": str(uuid.uuid4())},
        "memories": user | {"order": "used"},
        "users": {},
    }
    await degradable.take("rows", "dead")
    for name, body in asked.items():
        reply = await bot.request(f"query.{name}", body, within=DEADLINE_S + SLACK_S)
        assert reply.error == ("unavailable", None), name
    await degradable.restore("rows")
    for name, body in asked.items():
        reply = await bot.request(f"query.{name}", body, within=DEADLINE_S + SLACK_S)
        assert "state" in reply.body or "error" not in reply.body, name


@pytest.mark.parametrize("how", ["dead", "hung"])
async def test_a_card_without_the_graph_tells_facts_and_that_neighbours_are_missing(
    bot: Bot, degradable: DegradableSystem, how: str
) -> None:
    asked = {"user_id": "u-1", "entity": "Davide"}

    whole = await wait_for(
        lambda: bot.query("facts", **asked), lambda reply: reply["entity"]["neighbours"], within=15
    )
    await degradable.take("graph", how)
    for _ in range(2):  # whether or not it is known already that the graph is away
        reply = (await bot.request("query.facts", asked, within=DEADLINE_S + SLACK_S)).body
        without = whole | {"degraded": ["graph"], "entity": whole["entity"] | {"neighbours": []}}
        assert reply == without
        recall = await answered(bot, "recall", anew=False)
        assert recall["degraded"] == [], "a recall does not need the graph"
        graph = (await bot.request("query.graph", asked, within=DEADLINE_S + SLACK_S)).body
        assert graph == {"nodes": [], "edges": [], "paths": [], "truncated": False, "degraded": ["graph"]}
    unknown = (await bot.request("query.facts", asked | {"entity": "Zenobia"})).body
    assert unknown == {"facts": [], "entity": None, "degraded": [], "truncated": False}


@pytest.mark.parametrize("how", ["dead", "hung"])
async def test_without_the_graph_facts_are_remembered_and_only_erasures_wait(
    bot: Bot, degradable: DegradableSystem, how: str
) -> None:
    bot = Bot(bot.connection, new_tenant())
    await bot.remember(msg("m-0", "My sister is called Nora."), msg("m-1", "I live in Trieste."))
    await degradable.take("graph", how)
    await bot.remember(msg("m-2", "Nora lives in Dublin."))
    (home,) = await bot.facts(predicate="lives_in", entity="user")
    corrected = await bot.request(
        "command.correct", {"user_id": "u-1", "fact_id": home["id"], "object": "Muggia"}
    )
    assert corrected.body["ok"]
    forgetting = {"user_id": "u-1", "message_id": "m-0", "request_id": "r-1"}
    refused = await bot.request("command.forget", forgetting, within=DEADLINE_S + SLACK_S)
    assert refused.error == ("unavailable", None)
    assert (await bot.status("m-0"))["state"] == "unknown"
    await degradable.restore("graph")

    async def near() -> set[str]:
        asked = await bot.query("facts", user_id="u-1", entity="Nora")
        return {one["name"] for one in asked["entity"]["neighbours"]}

    await wait_for(near, lambda found: found == {"Dublin"}, within=60)
    erased = await wait_for(
        lambda: bot.request("command.forget", forgetting), lambda reply: "ok" in reply.body, within=60
    )
    assert erased.body["erased"]["graph"] == 1
