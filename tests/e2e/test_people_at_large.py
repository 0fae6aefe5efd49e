"""Who asks how somebody is hears what matters about them, however often they come up in passing."""

import pytest
from tests.fixtures.wire import Bot, Json, at, ids, said

pytestmark = pytest.mark.e2e

IN_PASSING = ("{} called about the kettle.", "Had lunch with {}.", "Met {} at the station.", "{} says hello.")


def _passing(name: str, times: int) -> list[Json]:
    return [
        said(f"p-{n}", IN_PASSING[n % len(IN_PASSING)].format(name), timestamp=at(days=20, hours=-n))
        for n in range(times)
    ]


async def test_what_happened_to_somebody_comes_first(bot: Bot) -> None:
    """Months later, among forty times that they were named, and as long as nothing in particular is asked."""
    fate = said(
        "fate", "Dorothy died last night, I am devastated and cannot stop crying.", timestamp=at(days=120)
    )
    await bot.remember(fate, *_passing("Dorothy", 40))
    for question in ("How is Dorothy?", "Tell me about Dorothy.", "What happened to Dorothy?"):
        found = (await bot.recall(question, limit=3))["memories"]
        assert "fate" in ids(found), question
        assert all(memory["score"] > 0.01 for memory in found), "a match, and not what hardly was asked for"
    particular = await bot.recall("Did I meet Dorothy at the station?", limit=1)
    assert particular["memories"][0]["content"] == "Met Dorothy at the station."


async def test_of_somebody_unknown_what_is_near_comes_back(bot: Bot) -> None:
    """Where nothing is about the name, the question is searched for as it is."""
    await bot.remember(said("m-1", "The station was closed today."))
    reply = await bot.recall("How is Dorothy?")
    assert reply["analysis"]["fallback"] == "entity"
    assert ids(reply["memories"]) == ["m-1"]
    context = await bot.ask(
        "context", user_id="u-1", query="How is Dorothy?", now=at(), recent_limit=0, reinforce=False
    )
    assert "station" not in context["context"], "what nothing in the question asks for is not told"
