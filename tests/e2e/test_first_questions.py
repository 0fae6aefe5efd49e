"""What anyone asks first: their name, home, work and animals; and what two messages answer together."""

import pytest
from tests.fixtures.sentence_tables import table
from tests.fixtures.system import System
from tests.fixtures.wire import NOON, Bot, Json, ago, ids, msg

from ricordo.messages.ids import memory_id

LIVES = table(__file__, "lives")
FILLING = table(__file__, "filling")


def life(language: str) -> list[Json]:
    told = [*LIVES[language], *((f"fill-{n}", text) for n, text in enumerate(FILLING[language]))]
    return [
        msg(
            f"{language}-{name}",
            text,
            user_id=language,
            language=language,
            conversation_id=f"{language}-{name}",
            timestamp=ago(days=60 - 2 * place),
        )
        for place, (name, text) in enumerate(told)
    ]


@pytest.fixture(scope="module")
def tenant(system: System) -> str:
    return system.tenant_with(*life("it"), *life("en"))


async def context(bot: Bot, language: str, question: str) -> Json:
    reply = await bot.query(
        "context",
        user_id=language,
        query=question,
        conversation_id="new",
        token_budget=600,
        now=NOON.isoformat(),
        reinforce=False,
    )
    assert reply["degraded"] == []
    return reply


@pytest.mark.parametrize(
    ("language", "question", "words"), table(__file__, "questions_about_oneself_are_answered")
)
async def test_questions_about_oneself_are_answered(
    shared_bot: Bot, language: str, question: str, words: str
) -> None:
    reply = await context(shared_bot, language, question)
    assert words in reply["context"]
    assert 0 < reply["confidence"] <= 1


@pytest.mark.parametrize(
    ("language", "question", "said", "fact"), table(__file__, "what_a_question_names_comes_first")
)
async def test_what_a_question_names_comes_before_what_merely_answers_such_questions(
    bot: Bot, language: str, question: str, said: list[str], fact: str
) -> None:
    await bot.remember(*(msg(f"m-{n}", text, language=language) for n, text in enumerate(said)))
    reply = await bot.recall(question, user_id="u-1")
    assert ids(reply["memories"])[0] == "m-0"
    facts = [f"{one['predicate']} {one['object']}" for one in reply["facts"]]
    assert facts[:1] == ([fact] if fact else [])


@pytest.mark.parametrize(
    ("language", "question", "words", "source"), table(__file__, "questions_are_answered_in_words")
)
async def test_questions_are_answered_in_words(
    shared_bot: Bot, language: str, question: str, words: str, source: str
) -> None:
    reply = await shared_bot.query("answer", user_id=language, query=question, now=NOON.isoformat())
    assert words in reply["answer"]
    assert (reply["answered"], reply["by"], reply["degraded"]) == (True, "rules", [])
    assert str(memory_id(shared_bot.tenant, f"{language}-{source}")) in reply["sources"]
    assert 0.4 <= reply["confidence"] < 1
    surer = await shared_bot.query("answer", user_id=language, query=question, min_confidence=1.0)
    assert (surer["answered"], surer["sources"]) == (False, [])


@pytest.mark.parametrize(
    ("user", "question"),
    [("nobody", "Where do I live?"), ("nobody", "Dove vivo?"), ("it", "Ciao, come stai?"), ("en", "Hi!")],
)
async def test_what_was_never_said_is_not_answered(shared_bot: Bot, user: str, question: str) -> None:
    reply = await shared_bot.query("answer", user_id=user, query=question)
    assert (reply["answered"], reply["sources"], reply["confidence"]) == (False, [], 0.0)
    assert reply["answer"]


@pytest.mark.parametrize("language", ["it", "en"])
async def test_an_answer_that_the_bot_publishes_changes_no_answer(bot: Bot, language: str) -> None:
    await bot.remember(*life(language))
    asked = [row[1] for row in table(__file__, "questions_are_answered_in_words") if row[0] == language]
    asked.append({"it": "Come si ripara il trattore?", "en": "How do I mend the tractor?"}[language])

    async def answers() -> list[str]:
        request = {"user_id": language, "now": NOON.isoformat(), "reinforce": False}
        return [(await bot.query("answer", query=one, **request))["answer"] for one in asked]

    first = await answers()
    chat = {"user_id": language, "conversation_id": "chat", "language": language}
    for n, (question, answer) in enumerate(zip(asked, first, strict=True)):
        await bot.remember(msg(f"asked-{n}", question, timestamp=ago(minutes=99 - 2 * n), **chat))
        said = {"role": "assistant", "timestamp": ago(minutes=98 - 2 * n)}
        await bot.remember(msg(f"said-{n}", answer, **chat, **said))
    assert await answers() == first


@pytest.mark.parametrize(
    ("language", "question", "fact"),
    [("it", "Where do I live?", "You live in Boves"), ("en", "Dove abito?", "Vivi a Belper")],
)
async def test_what_is_known_is_not_said_to_be_uncertain_in_the_other_language(
    shared_bot: Bot, language: str, question: str, fact: str
) -> None:
    text = (await context(shared_bot, language, question))["context"]
    assert fact in text
    assert "Nothing certain" not in text
    assert "nulla di certo" not in text.casefold()


@pytest.mark.parametrize(
    ("language", "question"),
    [("it", "Cosa mi ha fatto piangere?"), ("en", "What made me cry?")],
)
async def test_a_feeling_that_is_asked_for_excludes_no_other(
    shared_bot: Bot, language: str, question: str
) -> None:
    reply = await shared_bot.recall(question, user_id=language)
    assert f"{language}-joy" in ids(reply["memories"])[:3]


async def test_a_name_that_no_sentence_introduces_is_found(bot: Bot) -> None:
    await bot.remember(
        msg("m-1", "Abbiamo preso un gatto: si chiama Tortellino."),
        msg("m-2", "Tortellino è scappato dal terrazzo stanotte.", conversation_id="c-2"),
        msg("m-3", "Ho comprato il latte e due limoni.", conversation_id="c-3"),
    )
    found = await bot.recall("Cosa è successo a Tortellino?")
    assert set(ids(found["memories"])[:2]) == {"m-1", "m-2"}
    assert found["analysis"]["fallback"] is None


async def test_what_was_corrected_is_not_told_as_what_was_before(bot: Bot) -> None:
    await bot.remember(msg("m-1", "My brother Piet lives in Utrecht."))
    (home,) = (await bot.query("facts", user_id="u-1", entity="Piet", predicate="lives_in"))["facts"]
    asked = {"user_id": "u-1", "fact_id": home["id"], "object": "Delft"}
    assert (await bot.request("command.correct", asked)).body["ok"]
    reply = await bot.query("answer", user_id="u-1", query="Where does Piet live?")
    assert "Delft" in reply["answer"]
    assert "Utrecht" not in reply["answer"]


@pytest.mark.parametrize(
    ("language", "said", "question", "answer", "others"), table(__file__, "what_is_told_is_answered")
)
async def test_what_is_told_is_answered(  # noqa: PLR0917 - one row of a table
    bot: Bot, language: str, said: list[str], question: str, answer: str, others: str
) -> None:
    times = [ago(days=30 * (len(said) - n)) for n in range(len(said))]
    told = enumerate(zip(said, times, strict=True))
    await bot.remember(*(msg(f"m-{n}", text, language=language, timestamp=at) for n, (text, at) in told))
    reply = await bot.query("answer", user_id="u-1", query=question, now=NOON.isoformat())
    assert answer in reply["answer"]
    assert not others or others not in reply["answer"]
    assert reply["answered"] or not answer
