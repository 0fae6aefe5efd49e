"""Questions about people who are named by their ties: "what does my sister's husband do?"."""

import pytest
from tests.fixtures.sentence_tables import table
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, Json, ago, msg

LIVES = table(__file__, "lives")


@pytest.fixture(scope="module")
def tenant(system: System) -> str:
    return system.tenant_with(*life("it"), *life("en"))


def life(language: str) -> list[Json]:
    said = enumerate(LIVES[language])
    return [
        msg(f"{language}-{n}", text, user_id=language, language=language, timestamp=ago(days=60 - n))
        for n, text in said
    ]


@pytest.mark.parametrize(("user", "question", "answer"), table(__file__, "answered"))
async def test_they_are_found_by_their_ties(shared_bot: Bot, user: str, question: str, answer: str) -> None:
    reply = await shared_bot.query("answer", user_id=user, query=question)
    assert reply["answered"]
    assert answer in reply["answer"]


@pytest.mark.parametrize(("user", "question"), table(__file__, "unanswered"))
async def test_what_was_said_of_others_does_not_answer(shared_bot: Bot, user: str, question: str) -> None:
    reply = await shared_bot.query("answer", user_id=user, query=question)
    assert (reply["answered"], reply["sources"]) == (False, [])


@pytest.mark.parametrize(("user", "question"), table(__file__, "not_of_another"))
async def test_nobody_is_taken_for_another(shared_bot: Bot, user: str, question: str) -> None:
    reply = await shared_bot.query("answer", user_id=user, query=question)
    assert not reply["answered"] or reply["answer"].startswith(("You said", "Hai detto")), reply["answer"]


async def test_what_is_asked_is_found_among_many_surer_facts(bot: Bot) -> None:
    liked = "figs jazz tea tennis rain films trains owls maps bread chess salt".split()
    said = [f"My sister Nora likes {one}." for one in liked for _ in range(2)]
    said.append("My sister Nora works at Siemens.")
    await bot.remember(*(msg(f"m-{n}", text, timestamp=ago(days=60 - n)) for n, text in enumerate(said)))
    reply = await bot.query("answer", user_id="u-1", query="Where does my sister work?")
    assert reply["answer"] == "Nora works at Siemens."


async def test_a_recall_has_what_leads_to_them_and_what_is_asked_first(shared_bot: Bot) -> None:
    reply = await shared_bot.recall("What does my sister's husband do?", user_id="en", explain=True)
    facts = [f"{one['subject']} {one['predicate']} {one['object']}" for one in reply["facts"]]
    assert facts[0] == "Henk works_as vet"
    assert {"user has_sibling Clara", "Clara partner Henk"} <= set(facts)
    evidence = {one["id"]: one["signals"]["evidence"] for one in reply["memories"]}
    leading = [one["id"] for one in reply["memories"] if "Henk" in one["content"]]
    assert len(leading) == 2
    assert all(evidence[one] == 1 for one in leading)
