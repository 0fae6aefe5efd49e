"""Facts that a language model reads, in a whole system: what it adds, what it may not, and its absence."""

import itertools
from collections.abc import Iterator

import pytest
from nats.aio.client import Client
from tests.fixtures.commands import doctor
from tests.fixtures.ollama_stand_in import Behaviour, OllamaStandIn
from tests.fixtures.ollama_system import health, model_server, wait_for_state, with_llm
from tests.fixtures.system import System
from tests.fixtures.talking import TalkingModel, shown, stated
from tests.fixtures.wire import Bot, msg, wait_for

from ricordo.settings import Settings

pytestmark = pytest.mark.slow

MODEL = "hermes3:8b"
NEWS = "Marta e il tango, chi lo avrebbe detto."
LATER = "Marta e il tango argentino, chi lo avrebbe detto."
RULED = "Vivo a Trieste."
HOSTILE = "Luca'}) DETACH DELETE n // ha messo radici a Pisa"


def relate(text: str) -> list[object]:
    if "tango" in text:
        return [
            stated("Marta", "likes", "tango", "Marta e il tango"),
            stated("Marta", "MARRIED_TO", "tango", "Marta e il tango"),
            stated("Marta", "lives_in", "Buenos Aires", "vive a Buenos Aires"),
        ]
    if "Pisa" in text:
        cypher = "Luca'}) DETACH DELETE n //"
        return [
            stated("Luca", "lives_in", "Pisa", "ha messo radici a Pisa"),
            stated(cypher, "lives_in", "Pisa", "ha messo radici a Pisa"),
        ]
    return []


@pytest.fixture
def server() -> Iterator[OllamaStandIn]:
    with model_server(MODEL) as system:
        system.behaviour.chat = TalkingModel(relate=relate)
        yield system


def reading(system: System, server: OllamaStandIn, **fields: object) -> Settings:
    """Return the settings of a system whose facts are read by a model on `server` too."""
    return with_llm(system.settings, server.url, MODEL, "knowledge", **fields)


def texts(server: OllamaStandIn) -> list[str]:
    requests = [body for path, body in server.requests if path == "/api/chat" and body["messages"]]
    return [text for body in requests for text in shown(body)]


async def test_what_the_model_reads_and_the_message_bears_out_is_known(
    bot: Bot, client: Client, system: System, server: OllamaStandIn
) -> None:
    settings = reading(system, server)
    async with system.restarted(settings):
        answer = msg("a-1", "Marta adora il tango argentino.", role="assistant")
        await bot.remember(msg("m-1", NEWS), msg("m-2", RULED), msg("m-3", HOSTILE), answer)
        assert await bot.claims(history=True) == {
            ("Marta", "likes", "tango"),
            ("user", "lives_in", "Trieste"),
            ("Luca", "lives_in", "Pisa"),
        }
        assert sorted(texts(server)) == sorted([NEWS, RULED, HOSTILE]), "an assistant states no fact"
        await wait_for_state(client, "knowledge", "ready")
        report = await health(client, "knowledge")
        assert (report["llm_answered"], report["llm_unanswered"], report["llm_facts"]) == (3, 0, 2)
        assert (report["dropped_predicate"], report["dropped_quote"], report["dropped_subject"]) == (1, 1, 1)
        assert report["relation_server"] == server.url
        found = (await doctor(settings))["facts"]
        assert found["state"] == "noted"
        assert (
            found["detail"] == f"read by the reader and {MODEL} on {server.url}, without entities by GLiNER"
        )


async def test_while_the_model_is_away_the_rules_serve_and_the_health_says_so(
    bot: Bot, client: Client, system: System, server: OllamaStandIn
) -> None:
    settings = reading(system, server, budget_s=1.0)
    async with system.restarted(settings):
        chat = server.behaviour.chat
        server.behaviour.status = 500
        for number in range(3):
            await bot.remember(msg(f"m-{number}", RULED + "!" * number))

        reason = "facts are extracted by the reader alone: hermes3:8b answered 500"
        assert (await wait_for_state(client, "knowledge", "degraded", reason))["gate_open"]
        assert (
            "facts are extracted by the reader alone"
            in (await doctor(settings))["worker knowledge"]["detail"]
        )
        assert await bot.claims(history=True) == {("user", "lives_in", "Trieste")}
        server.behaviour = Behaviour(chat=chat)

        numbers = itertools.count()

        async def known() -> bool:
            await bot.remember(msg(f"n-{next(numbers)}", LATER))
            return ("Marta", "likes", "tango") in await bot.claims(history=True)

        await wait_for(known)
        await wait_for_state(client, "knowledge", "ready")
