"""Related memories are asked of the index when they are shown, and change with what is there."""

from tests.fixtures.system import System
from tests.fixtures.wire import Bot, Json, ids, msg

TEXTS = {
    "boiler-1": "The boiler broke again this winter.",
    "boiler-2": "This winter the boiler broke once more.",
    "boiler-3": "Our boiler is broken again, in the middle of winter.",
    "cat": "My cat Luna sleeps on the piano.",
}


def related(reply: Json) -> dict[str, set[str]]:
    """Return the names of the memories that are related to each of a reply, by its name."""
    names = {one["id"]: one["message_ids"][0] for one in reply["memories"]}
    return {names[one["id"]]: {names[other] for other in one["related"]} for one in reply["memories"]}


async def test_related_memories_are_shown_until_they_are_forgotten(bot: Bot, system: System) -> None:
    await bot.remember(*(msg(name, text) for name, text in TEXTS.items()))
    boilers = {name for name in TEXTS if name != "cat"}
    recalled = await bot.recall("the boiler broke this winter", limit=10)
    assert {recalled["memories"][place]["message_ids"][0] for place in range(3)} == boilers
    expected = {name: boilers - {name} for name in boilers} | {"cat": set()}
    assert related(recalled) == expected
    context = await bot.query("context", user_id="u-1", query="the boiler broke this winter")
    assert related(context) == expected

    by_name = {one["message_ids"][0]: one["id"] for one in recalled["memories"]}
    for name, memory_id in by_name.items():
        shown = await bot.query("memory", user_id="u-1", memory_id=memory_id)
        assert {one["id"] for one in shown["related"]} == {by_name[other] for other in expected[name]}
        assert shown["degraded"] == []

    listed = await bot.query("memories", user_id="u-1")
    assert sorted(ids(listed["memories"])) == sorted(TEXTS)
    assert all(one["related"] == [] for one in listed["memories"])

    await bot.request("command.forget", {"user_id": "u-1", "message_id": "boiler-2"})
    await system.wait_until_idle()
    shown = await bot.query("memory", user_id="u-1", memory_id=by_name["boiler-1"])
    assert [one["id"] for one in shown["related"]] == [by_name["boiler-3"]]
