"""Each part that a recall asks goes away: it answers from what is left, says what is away, and recovers."""

import asyncio
import uuid

import pytest
from tests.fixtures.fragile import (
    DEADLINE_S,
    PARTS_OF_A_RECALL,
    QUESTION,
    SLACK_S,
    Fragile,
    answered,
    bot,
    degraded,
    fragile,
)
from tests.fixtures.wire import Bot, at, ids

from ricordo.testing.eventually import eventually

pytestmark = pytest.mark.e2e

__all__ = ["bot", "fragile"]


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
    bot: Bot, fragile: Fragile, part: str, how: str
) -> None:
    whole = await answered(bot, "recall", anew=False)
    assert (whole["degraded"], whole["analysis"]["analyser"]) == ([], "llm")
    assert ids(whole["memories"])[0] == "boat-1"
    await fragile.take(part, how)
    await eventually(lambda: degraded(bot, part), within=15)
    for name in ("recall", "context"):
        reply = await answered(bot, name)
        assert reply["degraded"] == [part], reply
        found, facts = ids(reply["memories"]), [fact["object"] for fact in reply["facts"]]
        assert ("boat-1" in found) == (part not in {"rows", "vectors"})
        assert ("Trieste" in facts) == (part != "rows")
        assert reply["analysis"]["entities"] == ["Davide"]
        assert reply["analysis"]["analyser"] == ("rules" if part == "analyser" else "llm")
        assert reply.get("context") != ""
    await fragile.give_back(part)
    await eventually(lambda: degraded(bot), within=15)
    again = await answered(bot, "recall", anew=False)
    assert ids(again["memories"]) == ids(whole["memories"])
    assert again["facts"] == whole["facts"]


@pytest.mark.parametrize("part", ["rows", "vectors"])
async def test_a_store_that_hangs_keeps_nobody_past_the_deadline(
    bot: Bot, fragile: Fragile, part: str
) -> None:
    await fragile.take(part, "hung")
    replies = await asyncio.gather(*(answered(bot, name) for name in ("recall", "context")))
    for reply in replies:  # without it, or not at all, but told so
        error = reply.get("error")
        assert reply["degraded"] == [part] if error is None else error["code"] == "timeout"
    await fragile.give_back(part)
    await eventually(lambda: degraded(bot), within=15)


@pytest.mark.parametrize("parts", [("analyser", "model"), ("rows", "vectors")])
async def test_two_that_are_away_are_both_named(bot: Bot, fragile: Fragile, parts: tuple[str, str]) -> None:
    for part in parts:
        await fragile.take(part, "dead")
    await eventually(lambda: degraded(bot, *parts), within=15)


async def test_when_all_is_away_there_is_an_answer_all_the_same(bot: Bot, fragile: Fragile) -> None:
    for part in PARTS_OF_A_RECALL:
        await fragile.take(part, "dead")
    await eventually(lambda: degraded(bot, *PARTS_OF_A_RECALL), within=15)
    for name in ("recall", "context"):
        reply = await answered(bot, name)
        assert (reply["memories"], reply["facts"]) == ([], [])


async def test_nothing_found_is_not_nothing_there(bot: Bot, fragile: Fragile) -> None:
    nobody = {"user_id": "nobody", "query": QUESTION}
    empty = (await bot.request("query.recall", nobody)).body
    assert (empty["memories"], empty["facts"], empty["degraded"]) == ([], [], [])
    told = (await bot.request("query.context", nobody)).body
    await fragile.take("vectors", "dead")
    broken = (await bot.request("query.context", nobody)).body
    assert (broken["memories"], broken["degraded"]) == ([], ["vectors"])
    assert told["context"] != broken["context"], "a prompt tells the two apart, too"


async def test_what_needs_the_rows_says_that_they_are_away(bot: Bot, fragile: Fragile) -> None:
    user = {"user_id": "u-1"}
    asked = {
        "history": user,
        "facts": user,
        "stats": user,
        "timeline": user | {"start": at(days=9), "end": at()},
        "working": user | {"conversation_id": "c-1"},
        "status": {"message_id": "boat-1"},
        "expand": user | {"memory_id": str(uuid.uuid4())},
    }
    await fragile.take("rows", "dead")
    for name, body in asked.items():
        reply = await bot.request(f"query.{name}", body, within=DEADLINE_S + SLACK_S)
        assert reply.error == ("unavailable", None), name
    await fragile.give_back("rows")
    for name, body in asked.items():
        reply = await bot.request(f"query.{name}", body, within=DEADLINE_S + SLACK_S)
        assert "state" in reply.body or "error" not in reply.body, name


@pytest.mark.parametrize("how", ["dead", "hung"])
async def test_a_card_without_the_graph_tells_facts_and_that_neighbours_are_missing(
    bot: Bot, fragile: Fragile, how: str
) -> None:
    asked = {"user_id": "u-1", "entity": "Davide"}

    async def neighbours_are_told() -> bool:
        return bool((await bot.request("query.facts", asked)).body["entity"]["neighbours"])

    await eventually(neighbours_are_told, within=15)
    whole = (await bot.request("query.facts", asked)).body
    await fragile.take("graph", how)
    for _ in range(2):  # whether or not it is known already that the graph is away
        reply = (await bot.request("query.facts", asked, within=DEADLINE_S + SLACK_S)).body
        without = whole | {"degraded": ["graph"], "entity": whole["entity"] | {"neighbours": []}}
        assert reply == without
        recall = await answered(bot, "recall", anew=False)
        assert recall["degraded"] == [], "a recall does not need the graph"
    unknown = (await bot.request("query.facts", asked | {"entity": "Zenobia"})).body
    assert unknown == {"facts": [], "entity": None, "degraded": [], "truncated": False}


async def test_many_who_ask_at_once_all_get_an_answer(bot: Bot, fragile: Fragile) -> None:
    await fragile.take("model", "hung")
    replies = await asyncio.gather(*(answered(bot, "recall") for _ in range(24)))
    assert all("error" not in reply for reply in replies)
    assert {tuple(reply["degraded"]) for reply in replies} == {("model",)}
    assert all("boat-1" in ids(reply["memories"]) for reply in replies)
