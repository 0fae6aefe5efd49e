"""A question is answered by a memory that shares no word with it, by way of another memory."""

import pytest
from tests.fixtures.sentence_tables import table
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, Json, ago, msg

SMALL_TALK = table(__file__, "small_talk")


def small_talk(turns: int) -> list[Json]:
    """Return so many messages that no question is about."""
    texts = [SMALL_TALK[n % len(SMALL_TALK)].format(n + 2) for n in range(turns)]
    return [
        msg(f"talk-{n}", text, conversation_id=f"talk-{n}", timestamp=ago(days=40, minutes=-n))
        for n, text in enumerate(texts)
    ]


def told(**texts: str) -> list[Json]:
    """Return messages of conversations of their own, so that none is the turn before another."""
    return [
        msg(name, text, conversation_id=f"c-{name}", timestamp=ago(days=60 - place))
        for place, (name, text) in enumerate(texts.items())
    ]


def first(reply: Json, most: int = 5) -> list[str]:
    return [memory["message_ids"][0] for memory in reply["memories"][:most]]


LEADING = table(__file__, "a_name_leads_to_a_memory_that_is_no_candidate")


@pytest.fixture(scope="module")
def tenant(system: System) -> str:
    """Return a tenant whose user has told all of it, among much that no question is about."""
    lives = {
        f"{name}-{n}": text
        for n, row in enumerate(LEADING)
        for name, text in zip(("bridge", "evidence"), row[:2], strict=True)
    }
    return system.tenant_with(*told(**lives, later="Marguerite brought a pavlova."), *small_talk(120))


@pytest.mark.parametrize(("number", "question"), [(n, row[2]) for n, row in enumerate(LEADING)])
async def test_a_name_leads_to_a_memory_that_is_no_candidate(
    shared_bot: Bot, number: int, question: str
) -> None:
    recalled = await shared_bot.recall(question, explain=True)
    assert {f"bridge-{number}", f"evidence-{number}"} <= set(first(recalled))
    signals = {one["message_ids"][0]: one["signals"] for one in recalled["memories"]}
    assert signals[f"evidence-{number}"]["connection"] > 0.2
    assert recalled["degraded"] == []


async def test_what_joins_meets_the_filters(shared_bot: Bot) -> None:
    question = "What did my uncle's wife do?"
    recalled = await shared_bot.recall(question, filters={"conversation_id": "c-bridge-1"})
    assert first(recalled) == ["bridge-1"]


async def test_a_question_without_predicate_or_name_brings_the_facts_of_what_was_found(bot: Bot) -> None:
    await bot.remember(
        *told(
            before="I live in Cuneo.",
            after="I moved: I live in Asti now, close to the river.",
            sister="My sister Anna moved to Trieste last spring.",
        )
    )
    recalled = await bot.recall("Who has moved away last spring?")
    assert first(recalled, 1) == ["sister"]
    facts = [(fact["predicate"], fact["object"]) for fact in recalled["facts"]]
    assert ("has_sibling", "Anna") in facts
    assert ("lives_in", "Cuneo") not in facts, "it holds no more"
    assert all(fact["valid_to"] is None for fact in recalled["facts"])


async def test_a_question_that_names_whom_it_asks_about_brings_no_other_facts(bot: Bot) -> None:
    await bot.remember(*told(sister="My sister Anna moved to Trieste.", dog="I have a dog named Rex."))
    recalled = await bot.recall("what do you know about Rex?")
    assert [fact["object"] for fact in recalled["facts"]] == ["Rex"]
