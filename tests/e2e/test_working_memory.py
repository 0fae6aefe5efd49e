"""The working memory of a conversation, over the wire: its last turns, and the notes of the bot."""

from datetime import UTC, datetime, timedelta

from tests.fixtures.wire import Bot, Json, msg, new_tenant

HERE = {"user_id": "u-1", "conversation_id": "c-1"}


def now(**later: float) -> str:
    return (datetime.now(UTC) + timedelta(**later)).isoformat()


async def note(bot: Bot, key: str, value: object, **fields: object) -> None:
    reply = await bot.request("command.note", HERE | {"key": key, "value": value} | fields)
    assert reply.body == {"ok": True}


async def working(bot: Bot, **fields: object) -> Json:
    return await bot.query("working", **HERE | fields)


async def test_a_note_is_shown_in_its_conversation_only(bot: Bot) -> None:
    order = {"number": 42, "items": ["bici", None], "paid": False}
    await note(bot, "ordine", order)
    await note(bot, "umore", "sereno")
    assert (await working(bot))["notes"] == {"umore": "sereno", "ordine": order}
    assert (await working(bot, conversation_id="c-2"))["notes"] == {}
    assert (await working(bot, user_id="u-2"))["notes"] == {}
    assert (await working(Bot(bot.connection, new_tenant())))["notes"] == {}
    await note(bot, "umore", "triste", request_id="r-1")
    await note(bot, "umore", "allegro")
    await note(bot, "umore", "triste", request_id="r-1")  # a repeat
    for key in ("ordine", "mai scritto"):
        await note(bot, key, None)
    assert (await working(bot))["notes"] == {"umore": "allegro"}
    other = HERE | {"key": "a", "value": 3, "request_id": "r-1"}
    assert (await bot.request("command.note", other)).error == ("invalid_request", "request_id")


async def test_each_turn_is_shown_as_soon_as_it_is_ingested(bot: Bot) -> None:
    for number in range(4):
        await bot.remember(msg(f"m-{number}", f"Ho parlato con Marta di cosa {number}.", timestamp=now()))
        found = await working(bot)
        assert found["lines"][-1] == f"user: Ho parlato con Marta di cosa {number}."
        assert len(found["lines"]) == number + 1
        assert found["entities"] == ["Marta"]
        assert await working(bot) == found
