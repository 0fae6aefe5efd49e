"""What a bot says of a message can be filtered by, and what it does not want remembered is history only."""

from collections.abc import Mapping

import pytest
from tests.fixtures.wire import Bot, Json, ids, msg

COMPANY = {"type": "azienda", "id": "a:1"}
TOLD: Mapping[str, Json] = {
    "oven": {
        "content": "The oven at the office is broken again.",
        "tags": ["Repairs", "office"],
        "location": "Èze",
        "refs": [COMPANY, {"type": "machine", "id": "7"}],
        "timestamp": "2026-02-02T08:30:00+01:00",  # a Monday
    },
    "roof": {
        "content": "The roof of the office was repaired on Friday.",
        "tags": ["repairs"],
        "location": "Nice",
        "refs": [COMPANY],
        "timestamp": "2026-02-03T20:15:00+01:00",
        "conversation_id": "c-2",
    },
    "lunch": {
        "content": "We had lunch near the office, lentil soup.",
        "timestamp": "2026-02-03T13:00:00+01:00",
    },
}
EXPECTED: Mapping[str, tuple[Json, set[str]]] = {
    "a tag in any case": ({"tags": ["REPAIRS"]}, {"oven", "roof"}),
    "one of two tags": ({"tags": ["office", "garden"]}, {"oven"}),
    "a place in any case": ({"locations": ["èZE"]}, {"oven"}),
    "one of two places": ({"locations": ["nice", "Èze"]}, {"oven", "roof"}),
    "an entity": ({"refs": [COMPANY]}, {"oven", "roof"}),
    "another entity of that id": ({"refs": [{"type": "machine", "id": "a:1"}]}, set()),
    "one of two entities": ({"refs": [{"type": "machine", "id": "7"}, {"type": "x", "id": "y"}]}, {"oven"}),
    "a conversation": ({"conversation_id": "c-2"}, {"roof"}),
    "a time of day": ({"time_of_day": ["morning", "evening"]}, {"oven", "roof"}),
    "a day of the week": ({"day_of_week": ["tuesday"]}, {"roof", "lunch"}),
    "all together": ({"tags": ["repairs"], "day_of_week": ["tuesday"], "refs": [COMPANY]}, {"roof"}),
    "with what the index knows": ({"tags": ["repairs"], "start": "2026-02-03T00:00:00+01:00"}, {"roof"}),
    "a tag that nothing has": ({"tags": ["garden"]}, set()),
}


async def test_memories_are_found_by_what_the_bot_said_of_them(bot: Bot) -> None:
    await bot.remember(*(msg(name, timezone="Europe/Rome", **told) for name, told in TOLD.items()))
    for name, (filters, expected) in EXPECTED.items():
        recalled = await bot.recall("What about the office?", user_id="u-1", filters=filters)
        assert (recalled["degraded"], set(ids(recalled["memories"]))) == ([], expected), name
        listed = await bot.query("memories", user_id="u-1", filters=filters)
        assert set(ids(listed["memories"])) == expected, name
        assert listed["total"] == len(expected), name
    (oven,) = (await bot.recall("oven", user_id="u-1", filters={"locations": ["Èze"]}))["memories"]
    assert (oven["refs"], oven["tags"], oven["location"]) == tuple(
        TOLD["oven"][name] for name in ("refs", "tags", "location")
    )


async def test_what_is_not_to_be_remembered_is_history_only(bot: Bot) -> None:
    said = msg("secret", "My name is Ada and I live in Trieste.", memorize=False)
    await bot.remember(said, msg("open", "I like figs."))
    status = await bot.status("secret")
    assert (status["state"], all(status["stages"].values())) == ("remembered", True)
    history = (await bot.query("history", user_id="u-1"))["messages"]
    assert {one["id"] for one in history} == {"secret", "open"}
    assert set(ids((await bot.recall("Where do I live?", user_id="u-1"))["memories"])) <= {"open"}
    assert [one["predicate"] for one in (await bot.query("facts", user_id="u-1"))["facts"]] == ["likes"]
    exported = (await bot.request("command.export", {"user_id": "u-1"})).body["items"]
    kept = {
        one["message"]["id"]: one["message"].get("memorize", True) for one in exported if "message" in one
    }
    assert kept == {"secret": False, "open": True}


@pytest.mark.parametrize(
    "refs", [[{"type": "Azienda", "id": "1"}], [{"type": "a", "id": ""}], [COMPANY] * 17]
)
async def test_a_wrong_reference_is_refused_with_its_place(bot: Bot, refs: list[Json]) -> None:
    await bot.publish_all([msg("m-1", "Hello.", refs=refs)])
    await bot.wait_for_state("m-1", "failed")
    assert "refs" in (await bot.status("m-1"))["error"]
