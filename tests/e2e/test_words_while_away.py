"""The user's word while a server is away: none is taken by halves, each is taken once when all is there."""

from typing import Final

import pytest
from tests.fixtures.fragile import DEADLINE_S, SLACK_S, Fragile, bot, degraded, fragile
from tests.fixtures.wire import Bot, Json, new_tenant, said

from ricordo.testing.eventually import eventually

pytestmark = pytest.mark.e2e

__all__ = ["bot", "fragile"]

SERVERS: Final = {"graph": "the graph", "rows": "PostgreSQL"}
WORDS: Final[dict[str, Json]] = {
    "verify": {"verified": True},
    "correct": {"object": "Muggia"},
    "identify": {"same": True},
}


@pytest.mark.parametrize("command", WORDS)
@pytest.mark.parametrize("how", ["dead", "hung"])
@pytest.mark.parametrize("part", SERVERS)
async def test_a_word_is_taken_whole_once_all_is_there(
    bot: Bot, fragile: Fragile, command: str, part: str, how: str
) -> None:
    bot = Bot(bot.connection, new_tenant())
    story = ("La mia amica Nicola vive a Trieste.", "La mia amica Nico ama il mare.", "Abito a Trieste.")
    await bot.remember(*(said(f"m-{n}", text) for n, text in enumerate(story)))
    asked = {"user_id": "u-1", "history": True}
    known = (await bot.request("query.facts", asked)).body["facts"]
    (home,) = (one for one in known if (one["subject"], one["predicate"]) == ("user", "lives_in"))
    target: Json = {"names": ["Nico", "Nicola"]} if command == "identify" else {"fact_id": home["id"]}
    word = {"user_id": "u-1", "request_id": "r-1"} | target | WORDS[command]
    await fragile.take(part, how)
    for _ in range(2):
        reply = await bot.request(f"command.{command}", word, within=DEADLINE_S + SLACK_S)
        assert reply.error == ("unavailable", None)
        assert reply.body["error"]["message"] == f"{SERVERS[part]} is away: try again"
    await fragile.give_back(part)

    async def taken() -> bool:
        return "ok" in (await bot.request(f"command.{command}", word, within=DEADLINE_S + SLACK_S)).body

    await eventually(lambda: degraded(bot), within=15)
    assert (await bot.request("query.facts", asked)).body["facts"] == known, "nothing was done by halves"
    await eventually(taken, within=15)
    once = (await bot.request("query.facts", asked)).body["facts"]
    assert once != known
    assert await taken()
    assert (await bot.request("query.facts", asked)).body["facts"] == once
