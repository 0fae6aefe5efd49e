"""How a user talks, over the wire: told from many messages, in two languages, and of few not at all."""

from collections.abc import Sequence

from tests.fixtures.sentence_tables import table
from tests.fixtures.wire import Bot, Json, ago, msg

TIFOSO = table(__file__, "tifoso")


async def told(bot: Bot, contents: Sequence[str], *, hour: int, user_id: str = "u-1") -> None:
    """Say each on a day of its own, so many hours before noon in Rome's winter."""
    await bot.remember(
        *(
            msg(
                f"{user_id}-{n}",
                content,
                user_id=user_id,
                conversation_id=f"c-{user_id}-{n // 4}",
                timestamp=ago(days=40 - n // 2, hours=hour, minutes=-(n % 2)),
                timezone="Europe/Rome",
            )
            for n, content in enumerate(contents)
        )
    )


async def patterns(bot: Bot, query: str, user_id: str = "u-1") -> tuple[dict[str, Json], str]:
    reply = await bot.query("context", query=query, user_id=user_id, reinforce=False)
    assert reply["degraded"] == []
    return {one["name"]: one for one in reply["patterns"]}, reply["context"]


async def test_who_talks_briefly_warmly_and_at_night_of_football(bot: Bot) -> None:
    await told(bot, TIFOSO, hour=-8)  # nine in the evening in Rome
    found, context = await patterns(bot, "Che cosa mi piace?")
    assert found["length"]["value"]["are"] == "short"
    assert found["time_of_day"]["value"] == {"evening": 1.0}
    assert found["formality"]["value"]["register"] == "informal"
    assert found["engagement"]["value"]["sessions"] == 7
    assert "calcio" in [one["topic"] for one in found["topics_liked"]["value"]]
    assert "traffico" in [one["topic"] for one in found["topics_avoided"]["value"]]
    assert all(0.5 <= one["confidence"] <= 1 and 0 < one["count"] <= 14 for one in found.values())
    assert "- Abitudini: scrive soprattutto di sera" in context.replace("dà del tu, ", "").replace(
        "scrive messaggi brevi, ", ""
    )
