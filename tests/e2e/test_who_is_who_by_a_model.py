"""Who is who where rules cannot say it, in a whole system: a model is asked, the user has the last word."""

import asyncio
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pytest
from nats.aio.client import Client
from tests.fixtures.running import Running, Workers
from tests.fixtures.served import findings, health, restarted, stand_in
from tests.fixtures.talking import TalkingModel, pairs, wants_verdicts
from tests.fixtures.wire import Bot, Json, at, said

from ricordo.settings import KnowledgeSettings, Settings
from ricordo.testing.eventually import eventually
from ricordo.testing.ollama import OllamaStandIn

pytestmark = pytest.mark.e2e

MODEL = "hermes3:8b"
U = {"user_id": "u-1"}
STORY = ("My friend Nicola lives in Bari.", "Nico is a nurse.")
NAMES = {"names": ["Nico", "Nicola"]}
ONE, TWO = ("Nicola", "works_as", "nurse"), ("Nico", "works_as", "nurse")


@pytest.fixture
def server() -> Iterator[OllamaStandIn]:
    with stand_in(MODEL) as running:
        running.behaviour.chat = TalkingModel(judge=lambda one, _: "same" if one == "Nico" else "unsure")
        yield running


def asking(running: Running, server: OllamaStandIn) -> Settings:
    """Return the settings of a system that asks a model on `server` several times a second."""
    update = {"provider": "ollama", "ollama_url": server.url, "requests_per_s": 1000, "open_s": 0.2}
    knowledge = KnowledgeSettings().model_copy(update={**update, "identify_every_s": 0.2})
    return running.settings.model_copy(update={"knowledge": knowledge})


async def tell(bot: Bot, *messages: str, since: int = 0) -> None:
    await bot.remember(
        *(said(f"m-{n}", text, timestamp=at(days=-n)) for n, text in enumerate(messages, since))
    )


async def known(bot: Bot, **request: object) -> set[tuple[object, ...]]:
    facts: list[Json] = (await bot.ask("facts", **U | request))["facts"]
    return {(one["subject"], one["predicate"], one["object"]) for one in facts}


async def knows(bot: Bot, fact: tuple[str, str, str]) -> bool:
    return fact in await known(bot)


def asked(server: OllamaStandIn) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    requests = [body for path, body in server.requests if path == "/api/chat" and wants_verdicts(body)]
    return [(pair["first"], pair["second"]) for body in requests for pair in pairs(body)]


def names_asked(server: OllamaStandIn) -> list[tuple[str, str]]:
    return [(one["name"], other["name"]) for one, other in asked(server)]


async def test_what_the_model_says_holds_until_the_user_says_otherwise(
    bot: Bot, wire: Client, running: Running, server: OllamaStandIn
) -> None:
    async with restarted(running, asking(running, server)):
        await tell(bot, *STORY)
        await eventually(partial(knows, bot, ONE), within=20)
        assert await known(bot, entity="nico") == await known(bot, entity="Nicola")
        card = (await bot.ask("facts", **U, entity="nico"))["entity"]
        assert (card["name"], card["aliases"]) == ("Nicola", ["Nico"])
        ((nico, nicola),) = asked(server)
        assert (nico["name"], nicola["name"]) == ("Nico", "Nicola")
        assert [line.partition(" (")[0] for line in nico["facts"]] == ["Nico works as nurse"]
        assert nico["quotes"] == ["Nico is a nurse"]
        report = await health(wire, "identify")
        assert (report["same"], report["state"], report["identity_model"]) == (1, "ready", MODEL)

        assert (await bot.request("command.identify", U | NAMES | {"same": None})).body["ok"]
        assert await knows(bot, TWO)
        await tell(bot, "Nico plays chess.", "Cristina is a doctor.", "Christina is a cook.", since=2)

        async def asked_of_others() -> bool:
            return len(asked(server)) > 1

        await eventually(asked_of_others, within=20)
        assert names_asked(server)[1:] == [("Christina", "Cristina")], "what the user settled is not asked"
        assert {TWO, ("Nico", "plays", "chess")} <= await known(bot)


async def test_what_the_user_keeps_apart_is_not_asked(
    bot: Bot, running: Running, server: OllamaStandIn
) -> None:
    await tell(bot, *STORY)
    assert (await bot.request("command.identify", U | NAMES | {"same": False})).body["ok"]
    async with restarted(running, asking(running, server)):
        await tell(bot, "Nico plays chess.", "Cristina is a doctor.", "Christina is a cook.", since=2)

        async def asked_of_others() -> bool:
            return bool(asked(server))

        await eventually(asked_of_others, within=20)
        assert names_asked(server) == [("Christina", "Cristina")]
        assert await knows(bot, TWO)


async def test_while_the_model_is_away_nothing_is_decided_and_it_is_asked_when_it_is_back(
    bot: Bot, wire: Client, running: Running, server: OllamaStandIn
) -> None:
    server.behaviour.status = 500
    settings = asking(running, server)
    async with restarted(running, settings):
        await tell(bot, *STORY)

        async def told(state: str) -> bool:
            return bool((await health(wire, "identify"))["state"] == state)

        await eventually(partial(told, "degraded"), within=20)
        reason = (await health(wire, "identify"))["reason"]
        assert reason.startswith("what rules leave open of who is who waits: hermes3:8b answered 500")
        assert reason in (await findings(settings))["worker identify"]["detail"]
        assert await knows(bot, TWO)
        server.behaviour.status = 200
        await eventually(partial(knows, bot, ONE), within=20)
        await eventually(partial(told, "ready"), within=10)


async def test_of_two_workers_one_asks_about_each_pair(
    bot: Bot, running: Running, server: OllamaStandIn
) -> None:
    server.behaviour.delay = 0.3
    settings = asking(running, server)
    users = [f"u-{n}" for n in range(6)]
    told = (*STORY, "Cristina is a doctor.", "Christina is a cook.")
    async with restarted(running, settings):
        other = Workers(settings, ["knowledge"])
        await asyncio.to_thread(other.start)
        try:
            await bot.remember(
                *(
                    said(f"{user}-{n}", text, user_id=user, timestamp=at(days=-n))
                    for n, text in enumerate(told)
                    for user in users
                )
            )

            async def all_asked() -> bool:
                return len(asked(server)) >= 2 * len(users)

            await eventually(all_asked, within=30)

            async def nurses() -> int:
                replies = [await bot.ask("facts", user_id=user, entity="nurse") for user in users]
                return sum(fact["subject"] == "Nicola" for reply in replies for fact in reply["facts"])

            async def all_decided() -> bool:
                return await nurses() == len(users)

            await eventually(all_decided, within=30)
        finally:
            await asyncio.to_thread(other.close)
    assert len(asked(server)) == 2 * len(users), "each pair of each user was asked about once"
