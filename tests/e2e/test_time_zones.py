"""The zone of a message: the one it names, else the last that the user named, else that of its own offset."""

from tests.e2e.test_exporting import exported, of
from tests.fixtures.wire import Bot, Json, msg, wait_for

DENTIST = msg(
    "dentist", "Yesterday I went to the dentist.", timestamp="2026-06-13T01:30:00+08:00", language="en"
)
FIELDS = ("timezone", "time_of_day", "day_of_week", "event_start", "event_end")


async def _times(bot: Bot) -> list[str]:
    memory: Json = (await bot.recall("the dentist"))["memories"][0]
    whole = (await bot.query("memory", user_id="u-1", memory_id=memory["id"]))["memory"]
    return [whole[name] for name in FIELDS]


async def _yesterday(bot: Bot, now: str) -> str:
    time = (await bot.recall("What did we do yesterday?", now=now))["analysis"]["time"]
    return str(time["start"])


async def test_without_a_named_zone_the_offset_is_the_users(bot: Bot) -> None:
    assert await _yesterday(bot, "2026-06-13T09:00:00-03:30") == "2026-06-12T03:30:00Z"
    await bot.remember(DENTIST)
    there = ["+08:00", "night", "saturday", "2026-06-11T16:00:00Z", "2026-06-12T16:00:00Z"]
    assert await _times(bot) == there
    assert await _yesterday(bot, "2026-06-13T09:00:00+08:00") == "2026-06-11T16:00:00Z"
    assert await _yesterday(bot, "2026-06-12T17:00:00Z") == "2026-06-11T16:00:00Z", "as their last message"
    (message,) = of(await exported(bot), "message")
    assert message["message"]["timestamp"] == DENTIST["timestamp"]
    earlier = {"timestamp": "2026-06-11T20:00:00Z", "timezone": "America/New_York"}
    await bot.remember(msg("jet-lag", "I have just landed in Boston.", **earlier))
    named = ["America/New_York", "afternoon", "friday", "2026-06-11T04:00:00Z", "2026-06-12T04:00:00Z"]
    await wait_for(lambda: _times(bot), lambda found: found == named, within=20)
    assert await _yesterday(bot, "2026-06-13T09:00:00+08:00") == "2026-06-11T04:00:00Z"
