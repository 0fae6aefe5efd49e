"""What a bot puts into its prompt, over the wire."""

import re
from datetime import UTC, datetime, timedelta

from tests.fixtures.sentence_tables import table
from tests.fixtures.wire import Bot, Json, ago, ids, msg

SPAN = re.compile(r"(?:(?:Today is|Oggi è) [^\n]*\n)?<recalled>\n?(.*)</recalled>", re.DOTALL)


async def ask(bot: Bot, query: str, **request: object) -> Json:
    usual = {"user_id": "u-1", "conversation_id": "c-1", "now": ago(), "reinforce": False}
    return await bot.query("context", query=query, **usual | request)


def inside(reply: Json) -> str:
    """Return what stands in the span of a context; but for the day, all of the text does."""
    found = SPAN.fullmatch(reply["context"])
    assert found is not None, reply["context"]
    return found[1]


def lines(reply: Json) -> dict[str, str]:
    """Return the lines of a context that have a mark, by the id that this stands for."""
    marked = dict(re.findall(r"^([mf]\d+) (.*)$", inside(reply), re.MULTILINE))
    assert marked.keys() == reply["marks"].keys()
    return {reply["marks"][mark]: line for mark, line in marked.items()}


def turns(reply: Json) -> list[str]:
    return [turn["id"] for turn in reply["recent"]]


async def live(bot: Bot) -> None:
    await bot.remember(
        *(
            msg(name, text, conversation_id=conversation, timestamp=ago(minutes=minutes), role=role)
            for name, conversation, minutes, role, text in table(__file__, "said")
        )
    )


async def test_a_context_has_all_parts_in_the_language_of_the_question(bot: Bot) -> None:
    await live(bot)
    reply = await ask(bot, "Come si chiama il mio cane?")
    text = inside(reply)
    parts = ("un animale di nome Pepe", "\nm1 ", "\nConversazione recente:\n", "\nAppunti:\n")
    assert sorted(map(text.index, parts)) == [text.index(part) for part in parts]
    assert re.match(r"Oggi è \w+ \d+ \w+ \d{4}, ore \d\d:\d\d\.\n<recalled>", reply["context"])
    assert re.search(r"^f\d Hai un animale di nome Pepe\.$", text, re.MULTILINE)
    assert re.search(r"^f\d Vivi a Torino\.$", text, re.MULTILINE)
    assert "Si parla di: Sant'Orsola, Rossi Costruzioni" in text
    said = r"^\d\d:\d\d Che giornata!\n\d\d:\d\d assistente: Me ne parli\?$"
    assert re.search(said, text, re.MULTILINE)
    remembered = {memory["id"]: memory["content"] for memory in reply["memories"]}
    shown = {one: line for one, line in lines(reply).items() if one in remembered}
    assert all(line.endswith(remembered[one]) for one, line in shown.items())
    assert any("Pepe" in line for line in shown.values())
    english = await ask(bot, "What is my dog called?")
    assert english["context"].startswith("Today is ")
    assert "You have a pet called Pepe." in inside(english)
    assert " Che giornata!\n11:01 assistant: Me ne parli?" in inside(english)
    # A bare name has no language: that of the conversation counts.
    assert "Appunti:" in inside(await ask(bot, "Pepe?"))
    assert "Notes:" in inside(await ask(bot, "Pepe?", language="en"))


async def test_a_conversation_gives_the_turns_and_what_is_at_hand_but_no_filter(bot: Bot) -> None:
    await live(bot)
    question = "Come si chiama il mio cane?"
    asked_within = await bot.recall(question, conversation_id="c-1", now=ago())
    asked_outside = await bot.recall(question, now=ago())
    assert ids(asked_within["memories"]) == ids(asked_outside["memories"])
    assert "c-0" in {memory["conversation_id"] for memory in asked_within["memories"]}
    within, outside = await ask(bot, question), await ask(bot, question, conversation_id=None)
    assert ids(within["memories"]) == ids(outside["memories"])
    assert {turn["conversation_id"] for turn in within["recent"]} == {"c-1"}
    assert {turn["conversation_id"] for turn in outside["recent"]} == {"c-0", "c-1"}
    assert within["working"]["lines"]
    assert outside["working"]["lines"] == []
    history = await bot.query("history", user_id="u-1", conversation_id="c-1")
    assert {turn["conversation_id"] for turn in history["messages"]} == {"c-1"}


async def test_what_is_dated_ahead_of_time_is_not_the_last_turn_until_then(bot: Bot) -> None:
    now = datetime.now(UTC)
    later, soon = (now + timedelta(days=30)).isoformat(), (now + timedelta(seconds=20)).isoformat()
    await live(bot)
    await bot.remember(
        msg("m-9", "Ci vediamo fra un mese.", timestamp=later),
        msg("m-10", "Eccomi.", timestamp=soon),  # by a clock that is a little ahead
        msg("f-1", "Scrivo dal futuro.", timestamp=later, conversation_id="c-future"),
    )
    assert turns(await ask(bot, "Che giornata?")) == ["m-5", "m-6", "m-7", "m-8", "m-10"]
    when_it_comes = await ask(bot, "Che giornata?", now=later, recent_limit=2)
    assert turns(when_it_comes) == ["m-10", "m-9"]
    assert turns(await ask(bot, "Che giornata?", conversation_id="c-future")) == ["f-1"]
    assert (await bot.query("history", user_id="u-1", limit=1))["messages"][0]["timestamp"] > soon
