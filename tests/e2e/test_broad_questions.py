"""Questions for all of somebody or of a time: what matters comes first, the rest stays out."""

from tests.fixtures.system import System
from tests.fixtures.wire import Bot, Json, ago, ids, msg

IN_PASSING = ("{} called about the kettle.", "Had lunch with {}.", "Met {} at the station.", "{} says hello.")


def _passing(name: str, times: int) -> list[Json]:
    return [
        msg(f"p-{n}", IN_PASSING[n % len(IN_PASSING)].format(name), timestamp=ago(days=20, hours=-n))
        for n in range(times)
    ]


async def test_what_happened_to_somebody_comes_first(bot: Bot) -> None:
    """Months later, among forty times that they were named, and as long as nothing in particular is asked."""
    fate = msg(
        "fate", "Dorothy died last night, I am devastated and cannot stop crying.", timestamp=ago(days=120)
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
    await bot.remember(msg("m-1", "The station was closed today."))
    reply = await bot.recall("How is Dorothy?")
    assert reply["analysis"]["fallback"] == "entity"
    assert ids(reply["memories"]) == ["m-1"]
    context = await bot.query(
        "context", user_id="u-1", query="How is Dorothy?", now=ago(), recent_limit=0, reinforce=False
    )
    assert "Nothing certain is known about" in context["context"]
    assert "station" in context["context"], "the best there is, is shown all the same"


async def test_of_a_time_all_is_asked_for_and_what_mattered_comes_first(bot: Bot) -> None:
    """Nothing is nearer to "what did we do" than the rest of that day, and all of it is an answer."""
    await bot.remember(
        msg("bread", "Bought bread.", timestamp=ago(days=1, hours=-1)),
        msg("ring", "She said yes! We are getting married, I cannot believe it.", timestamp=ago(days=1)),
        msg("other", "We are getting married in June.", timestamp=ago(days=9)),
    )
    for question in ("What did we do yesterday?", "Cosa abbiamo fatto ieri?"):
        found = (await bot.recall(question))["memories"]
        assert ids(found) == ["ring", "bread"]
        assert all(memory["score"] > 0.01 for memory in found), question


async def test_the_archive_is_told_of_where_nothing_else_was_asked_for(bot: Bot, system: System) -> None:
    await bot.remember(
        msg("gold", "The gold of the Incas was melted."),
        msg("tram", "The tram was late.", conversation_id="c-2"),
    )
    asked = "Did they melt it all, the gold?"
    assert (await bot.recall(asked))["archived_matches"] == 0, "the answer stands before it"
    await system.rows(bot.tenant, "update memories set archived_at = now() where message_id = 'gold'")
    reply = await bot.recall(asked)
    assert ids(reply["memories"]) == ["tram"], "which hardly was asked for"
    assert reply["archived_matches"] == 1
