"""Who is who where rules cannot say it, in a whole system: a model is asked, the user has the last word."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from nats.aio.client import Client
from tests.fixtures.eventually import eventually
from tests.fixtures.ollama_stand_in import OllamaStandIn
from tests.fixtures.ollama_system import health, model_server, with_llm
from tests.fixtures.system import System
from tests.fixtures.talking import TalkingModel, pair, wants_verdicts
from tests.fixtures.wire import Bot, ago, msg, wait_for

from ricordo.settings import Settings

pytestmark = pytest.mark.slow

MODEL = "hermes3:8b"
U = {"user_id": "u-1"}
STORY = ("My friend Nicola lives in Bari.", "Nico is a nurse.")
NAMES = {"names": ["Nico", "Nicola"]}
ONE, TWO = ("Nicola", "works_as", "nurse"), ("Nico", "works_as", "nurse")


@pytest.fixture
def server() -> Iterator[OllamaStandIn]:
    with model_server(MODEL) as system:
        system.behaviour.chat = TalkingModel(judge=lambda one, _: "same" if one == "Nico" else "unsure")
        yield system


def asking(system: System, server: OllamaStandIn) -> Settings:
    """Return the settings of a system that asks a model on `server` several times a second."""
    return with_llm(system.settings, server.url, MODEL, "knowledge", identify_every_s=0.2)


async def tell(bot: Bot, *messages: str, since: int = 0) -> None:
    await bot.remember(
        *(msg(f"m-{n}", text, timestamp=ago(days=-n)) for n, text in enumerate(messages, since))
    )


def asked(server: OllamaStandIn) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    requests = [body for path, body in server.requests if path == "/api/chat" and wants_verdicts(body)]
    return [(pair(body)["first"], pair(body)["second"]) for body in requests]


def names_asked(server: OllamaStandIn) -> list[tuple[str, str]]:
    return [(one["name"], other["name"]) for one, other in asked(server)]


async def is_settled(client: Client) -> bool:
    return bool((await health(client, "identify"))["unsure"] == 1)


async def test_what_the_model_says_holds_until_the_user_says_otherwise(
    bot: Bot, client: Client, system: System, server: OllamaStandIn
) -> None:
    async with system.restarted(asking(system, server)):
        await tell(bot, *STORY)
        await wait_for(bot.claims, lambda found: ONE in found)
        assert await bot.claims(entity="nico") == await bot.claims(entity="Nicola")
        card = (await bot.query("facts", **U, entity="nico"))["entity"]
        assert (card["name"], card["aliases"]) == ("Nicola", ["Nico"])
        ((nico, nicola),) = asked(server)
        assert (nico["name"], nicola["name"]) == ("Nico", "Nicola")
        assert [line.partition(" (")[0] for line in nico["facts"]] == ["Nico works as nurse"]
        assert nico["quotes"] == ["Nico is a nurse"]
        report = await health(client, "identify")
        assert (report["same"], report["state"], report["identity_model"]) == (1, "ready", MODEL)

        assert (await bot.request("command.identify", U | NAMES | {"same": None})).body["ok"]
        assert TWO in await bot.claims()
        await tell(bot, "Nico likes chess.", "Cristina lives in Oslo.", "Christina lives in Bergen.", since=2)
        await eventually(lambda: is_settled(client), within=20)  # or the system of the next test asks again
        assert names_asked(server)[1:] == [("Christina", "Cristina")], "what the user settled is not asked"
        assert {TWO, ("Nico", "likes", "chess")} <= await bot.claims()
