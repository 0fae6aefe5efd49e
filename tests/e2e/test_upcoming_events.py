"""Appointments come back in the order in which they happen, when what is to come is asked for."""

from datetime import datetime
from zoneinfo import ZoneInfo

from tests.fixtures.sentence_tables import table
from tests.fixtures.wire import Bot, Json, ids, msg

ROME = ZoneInfo("Europe/Rome")
NOW = datetime(2026, 11, 20, 9, tzinfo=ROME).isoformat()


def _told(message_id: str, day: int, content: str) -> Json:
    return msg(
        message_id,
        content,
        timestamp=datetime(2026, 11, day, 18, tzinfo=ROME).isoformat(),
        timezone="Europe/Rome",
        language="en",
        conversation_id=f"c-{message_id}",
    )


async def _asked(bot: Bot, question: str) -> Json:
    return await bot.recall(question, now=NOW, timezone="Europe/Rome", limit=20)


async def test_next_month_is_listed_in_order_of_event_time(bot: Bot) -> None:
    """Whatever was told first, and however little it is like the question."""
    await bot.remember(*(_told(name, day, said) for name, day, said in table(__file__, "english")))
    for question in ("what's coming up next month?", "What's happening in December?"):
        found = (await _asked(bot, question))["memories"]
        assert ids(found)[:3] == ["boiler", "teeth", "carols"], question
        scores = [one["score"] for one in found]
        assert scores == sorted(scores, reverse=True)
    coming = (await _asked(bot, "What's coming up?"))["memories"]
    assert ids(coming)[:4] == ["boiler", "teeth", "carols", "january"]
