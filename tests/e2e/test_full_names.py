"""Somebody is found by the full name, the first name, and the surname that nobody else bears."""

import pytest
from tests.fixtures.sentence_tables import table
from tests.fixtures.wire import Bot, ago, msg


@pytest.mark.parametrize(("language", "told", "names", "asked"), table(__file__, "the_fact_is_told"))
async def test_the_fact_is_told(
    bot: Bot, language: str, told: tuple[str, ...], names: tuple[str, ...], asked: tuple[str, str]
) -> None:
    await _tell(bot, told, language)
    question, answer = asked
    for name in names:
        reply = await bot.query(
            "answer", query=question.format(name), user_id="u-1", language=language, now=ago()
        )
        assert (reply["answered"], reply["answer"]) == (True, answer), name


async def test_who_may_be_either_is_neither(bot: Bot) -> None:
    await _tell(bot, table(__file__, "two"), "en")
    assert (await bot.recall("Where does Rossi live?"))["facts"] == []


async def _tell(bot: Bot, told: tuple[str, ...], language: str) -> None:
    fields = {"language": language, "speaker": "Davide"}
    await bot.remember(
        *(msg(f"m-{n}", text, timestamp=ago(days=9 - n), **fields) for n, text in enumerate(told))
    )
