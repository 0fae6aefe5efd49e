"""The success criteria of retrieval, on two lives among noise; the questions are older than any answer."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Final

import pytest
from tests.fixtures.sample_lives import NOW, ROME, Question, life, message, questions
from tests.fixtures.sentence_tables import table
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, Json, ids, msg, new_tenant

YESTERDAY: Final = (NOW - timedelta(days=1)).date()
TOP: Final = 10
FORMER_DAY: Final = re.compile(r"\b(ieri|last (evening|night)|yesterday)\b", re.IGNORECASE)
IDLE = table(__file__, "idle")
"""Of a user whose yesterday was empty, with how many days ago."""


@pytest.fixture(scope="module")
def tenant(system: System) -> str:
    """Return the tenant of both lives: what matters is published as it is said, half of the noise in bulk."""
    return asyncio.run(_publish_lives(system))


async def _publish_lives(system: System) -> str:
    async with system.connection() as connection:
        bot, names = Bot(connection, new_tenant()), []
        for language in ("it", "en"):
            turns = life(language)
            names += [message(language, turn)["id"] for turn in turns]
            noise = [turn for turn in turns if turn.id.startswith("noise")]
            in_bulk = {turn.id for turn in noise[::2]}
            await asyncio.gather(
                *(
                    bot.publish(
                        message(language, turn),
                        name="message.imported" if turn.id in in_bulk else "message.received",
                    )
                    for turn in turns
                )
            )
        await bot.remember(
            *(
                msg(name, text, user_id="idle", timestamp=(NOW - timedelta(days=days)).isoformat())
                for name, text, days in IDLE
            )
        )
        states = await bot.final_states(names, within=120)
        assert set(states.values()) == {"remembered"}
    return bot.tenant


async def ask(bot: Bot, language: str, question: str, **request: object) -> Json:
    """Ask as that life's user does, at the end of it."""
    usual = {"user_id": language, "now": NOW.isoformat(), "timezone": "Europe/Rome", "limit": TOP}
    reply = await bot.recall(question, **usual | request)
    assert reply["degraded"] == []
    return reply


def found_in(memories: Sequence[Json]) -> list[str]:
    return [one.partition("-")[2] for one in ids(memories)]


def day(memory: Json) -> date:
    return datetime.fromisoformat(memory["created_at"]).astimezone(ROME).date()


def share(results: Sequence[tuple[str, bool]]) -> tuple[float, list[str]]:
    """Return the share of what came true, and what did not."""
    misses = [what for what, came_true in results if not came_true]
    return 1 - len(misses) / len(results), misses


EACH: Final[Mapping[str, Callable[[Json], object]]] = {
    "temporal": lambda memory: (
        day(memory) == YESTERDAY or (day(memory) == NOW.date() and FORMER_DAY.search(memory["content"]))
    ),
    "entity": lambda memory: "Davide" in memory["content"] or "Davide" in memory["participants"],
    "emotional": lambda memory: memory["emotion"]["valence"] > 0.5,
    "procedural": lambda memory: memory["type"] == "procedural",
    "topic": lambda _: True,
}
"""What each memory is that comes back, by the intent of the question."""


@pytest.mark.parametrize(
    ("language", "question", "intents", "among", "expected"), table(__file__, "found_among_noise")
)
async def test_what_is_asked_for_is_found_among_noise(  # noqa: PLR0917 - one row of a table
    shared_bot: Bot, language: str, question: str, intents: tuple[str, ...], among: int, expected: str
) -> None:
    reply = await ask(shared_bot, language, question, limit=max(among, TOP))
    analysis, first = reply["analysis"], reply["memories"][:among]
    assert analysis["intent"] in intents
    assert analysis["fallback"] is None
    assert analysis["emotion_filter"] == ("positive" if "emotional" in intents else None)
    assert set(expected.split()) <= set(found_in(first))
    assert intents[0] != "entity" or "Davide" in {fact["subject"] for fact in reply["facts"]}
    assert [memory for memory in first if not EACH[intents[0]](memory)] == []


@pytest.mark.parametrize("question", ["Cosa abbiamo fatto ieri?", "What did we do yesterday?"])
async def test_nothing_is_found_of_an_empty_day(shared_bot: Bot, question: str) -> None:
    alone = await ask(shared_bot, "idle", question)
    assert (alone["memories"], alone["analysis"]["fallback"]) == ([], None)


@pytest.mark.parametrize(("kind", "least"), [("profound", 0.7), ("recent", 0.8)])
@pytest.mark.parametrize("language", ["it", "en"])
async def test_memories_are_recalled(shared_bot: Bot, language: str, kind: str, least: float) -> None:
    results = [
        outcome for question in questions(kind, language) for outcome in await recalled(shared_bot, question)
    ]
    part, misses = share(results)
    assert part > least, misses


async def recalled(bot: Bot, question: Question) -> list[tuple[str, bool]]:
    """Return for each memory that a question is about whether it came back among the first."""
    reply = await ask(bot, question.language, question.text)
    found = found_in(reply["memories"])
    analysis = {name: reply["analysis"][name] for name in ("intent", "time", "entities", "fallback")}
    return [
        (f"{question.text} -> {one}; {analysis}; {found}", one in found) for one in question.expected.split()
    ]


@pytest.mark.parametrize("language", ["it", "en"])
async def test_what_was_said_three_times_is_among_the_facts(shared_bot: Bot, language: str) -> None:
    results = [await known(shared_bot, one) for one in questions("fact", language)]
    part, misses = share(results)
    assert part > 0.9, misses


async def known(bot: Bot, question: Question) -> tuple[str, bool]:
    """Return whether the fact that a question asks for came back with it, and how sure it is."""
    subject, predicate, thing = question.expected.split(maxsplit=2)
    reply = await ask(bot, question.language, question.text)
    facts = [(one["subject"], one["predicate"], one["object"], one["confidence"]) for one in reply["facts"]]
    sure = any((one[0], one[1]) == (subject, predicate) and thing in one[2] and one[3] >= 3 for one in facts)
    return f"{question.text} -> {question.expected}; {facts}", sure
