"""Questions that lean on the one before are answered, recalled and shown as what they mean."""

import asyncpg
import pytest
from tests.fixtures.sentence_tables import table
from tests.fixtures.system import System
from tests.fixtures.wire import NOON, Bot, Json, ago, msg

SAID = table(__file__, "said")


async def ask(bot: Bot, language: str, question: str, chat: str, name: str = "answer") -> Json:
    asked = {"user_id": language, "query": question, "conversation_id": chat, "now": NOON.isoformat()}
    return await bot.query(name, **asked, reinforce=False)


@pytest.fixture(scope="module")
def tenant(system: System) -> str:
    return system.tenant_with(
        *(
            msg(f"{language}-{name}", text, user_id=language, timestamp=ago(days=30 - place))
            for language, said in SAID.items()
            for place, (name, text) in enumerate(said)
        )
    )


async def test_a_follow_up_is_about_whom_the_talk_is_about(shared_bot: Bot) -> None:
    for chat, (language, *asked) in enumerate(table(__file__, "asked")):
        for question, words in asked:
            reply = await ask(shared_bot, language, question, f"chat-{chat}")
            assert words in reply["answer"].casefold(), question


async def test_recall_and_context_follow_the_talk_too(shared_bot: Bot) -> None:
    await ask(shared_bot, "en", "where does anna live?", "r")
    recalled = await ask(shared_bot, "en", "and claire?", "r", "recall")
    assert "leeds" in recalled["memories"][0]["content"]
    context = await ask(shared_bot, "en", "and what does she do?", "r", "context")
    assert "nurse" in context["context"]
    assert "last_answer" not in context["context"]


async def test_two_questions_in_one_are_answered_one_after_the_other(shared_bot: Bot) -> None:
    reply = await ask(shared_bot, "en", "who is my dentist and where is her practice?", "p")
    first, second = reply["answer"].split("\n")
    assert "hollis" in first
    assert "mill street" in second
    reply = await ask(shared_bot, "en", "where does claire live and what is her blood type?", "q")
    assert "leeds" in reply["answer"]
    assert "blood type" in reply["answer"].split("\n")[-1]
    assert reply["answered"]


async def test_no_answer_waits_for_those_who_write_to_its_conversation(
    shared_bot: Bot, system: System
) -> None:
    connection = await asyncpg.connect(system.endpoints.postgres_dsn)
    try:
        lock = "select pg_advisory_lock(hashtextextended($1 || '/conversation/locked', 0))"
        await connection.execute(lock, shared_bot.tenant)
        reply = await ask(shared_bot, "en", "where does anna live?", "locked")
    finally:
        await connection.close()
    assert "trieste" in reply["answer"]
    assert not reply["degraded"]
    assert not (await shared_bot.query("working", user_id="en", conversation_id="locked"))["notes"]


# The last one: what it erases is asked for above.
async def test_each_conversation_is_followed_by_itself_and_no_message_outlives_its_erasure(
    shared_bot: Bot,
) -> None:
    await ask(shared_bot, "en", "who is my dentist?", "x")
    elsewhere = await ask(shared_bot, "en", "and claire?", "y", "recall")
    assert "dentist" not in elsewhere["memories"][0]["content"]
    asked = {"user_id": "en", "message_id": "en-dentist"}
    assert (await shared_bot.request("command.forget", asked)).body["ok"]
    working = await shared_bot.query("working", user_id="en", conversation_id="x")
    assert "hollis" not in str(working).casefold()
