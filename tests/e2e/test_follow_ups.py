"""Questions that lean on the one before are answered, recalled and shown as what they mean."""

import asyncpg
import pytest
from tests.fixtures.system import System
from tests.fixtures.wire import NOON, Bot, Json, ago, msg

SAID = {
    "en": [
        ("anna-home", "my sister anna moved to trieste, flat near the harbour"),
        ("anna-work", "anna is a nurse at the childrens hospital"),
        ("claire-home", "my other sister claire still lives in leeds"),
        ("claire-work", "claire works as a translator, mostly german manuals"),
        ("dentist", "new dentist is dr hollis, seems gentle"),
        ("practice", "dr hollis has her practice on mill street, above the bakery"),
        ("rain", "it rained all day, stayed in with a book"),
    ],
    "it": [
        ("anna-casa", "mia sorella anna si è trasferita a trieste, vicino al porto"),
        ("anna-lavoro", "anna fa l'infermiera all'ospedale dei bambini"),
        ("claire-casa", "l'altra mia sorella, claire, vive ancora a leeds"),
        ("claire-lavoro", "claire fa la traduttrice, soprattutto manuali dal tedesco"),
        ("pioggia", "ha piovuto tutto il giorno, sono rimasta a leggere"),
    ],
}


async def ask(bot: Bot, language: str, question: str, chat: str, name: str = "answer") -> Json:
    asked = {"user_id": language, "query": question, "conversation_id": chat, "now": NOON.isoformat()}
    return await bot.query(name, **asked, reinforce=False)


@pytest.fixture(name="told")
async def _told(bot: Bot) -> Bot:
    for language, said in SAID.items():
        for place, (name, text) in enumerate(said):
            at = ago(days=30 - place)
            await bot.remember(msg(f"{language}-{name}", text, user_id=language, timestamp=at))
    return bot


async def test_a_follow_up_is_about_whom_the_talk_is_about(told: Bot) -> None:
    for language, chat, asked in (
        ("en", "a", [("what does claire do for work?", "translator"), ("and where does she live?", "leeds")]),
        ("en", "b", [("where does anna live?", "trieste"), ("and claire?", "leeds")]),
        ("en", "c", [("who is my dentist?", "hollis"), ("where is her practice?", "mill street")]),
        ("it", "d", [("dove vive anna?", "trieste"), ("e claire?", "leeds")]),
        ("it", "e", [("che lavoro fa claire?", "traduttrice"), ("no, intendevo anna", "infermiera")]),
    ):
        for question, words in asked:
            reply = await ask(told, language, question, chat)
            assert words in reply["answer"].casefold(), question


async def test_recall_and_context_follow_the_talk_too(told: Bot) -> None:
    await ask(told, "en", "where does anna live?", "a")
    recalled = await ask(told, "en", "and claire?", "a", "recall")
    assert "leeds" in recalled["memories"][0]["content"]
    context = await ask(told, "en", "and what does she do?", "a", "context")
    assert "nurse" in context["context"]
    assert "last_answer" not in context["context"]


async def test_each_conversation_is_followed_by_itself_and_no_message_outlives_its_erasure(told: Bot) -> None:
    await ask(told, "en", "who is my dentist?", "a")
    elsewhere = await ask(told, "en", "and claire?", "b", "recall")
    assert "dentist" not in elsewhere["memories"][0]["content"]
    asked = {"user_id": "en", "message_id": "en-dentist"}
    assert (await told.request("command.forget", asked)).body["ok"]
    working = await told.query("working", user_id="en", conversation_id="a")
    assert "hollis" not in str(working).casefold()


async def test_two_questions_in_one_are_answered_one_after_the_other(told: Bot) -> None:
    reply = await ask(told, "en", "who is my dentist and where is her practice?", "p")
    first, second = reply["answer"].split("\n")
    assert "hollis" in first
    assert "mill street" in second
    reply = await ask(told, "en", "where does claire live and what is her blood type?", "q")
    assert "leeds" in reply["answer"]
    assert "blood type" in reply["answer"].split("\n")[-1]
    assert reply["answered"]


async def test_no_answer_waits_for_those_who_write_to_its_conversation(told: Bot, system: System) -> None:
    connection = await asyncpg.connect(system.endpoints.postgres_dsn)
    try:
        lock = "select pg_advisory_lock(hashtextextended($1 || '/conversation/locked', 0))"
        await connection.execute(lock, told.tenant)
        reply = await ask(told, "en", "where does anna live?", "locked")
    finally:
        await connection.close()
    assert "trieste" in reply["answer"]
    assert not reply["degraded"]
    assert not (await told.query("working", user_id="en", conversation_id="locked"))["notes"]
