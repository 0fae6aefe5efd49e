"""Facts and identities that a language model reads, in a whole system; the user has the last word."""

from collections.abc import Iterator

import pytest
from nats.aio.client import Client
from tests.fixtures.commands import doctor
from tests.fixtures.ollama_stand_in import OllamaStandIn
from tests.fixtures.ollama_system import health, model_server, wait_for_state, with_llm
from tests.fixtures.system import System
from tests.fixtures.talking import TalkingModel, shown, stated, wants_verdicts
from tests.fixtures.wire import Bot, msg, wait_for

pytestmark = pytest.mark.slow

MODEL = "hermes3:8b"
NEWS = "Marta e il tango, chi lo avrebbe detto."
RULED = "Vivo a Trieste."
HOSTILE = "Luca'}) DETACH DELETE n // ha messo radici a Pisa"
FRIENDS = ("My friend Nicola lives in Bari.", "Nico is a nurse.")
ONE, TWO = ("Nicola", "works_as", "nurse"), ("Nico", "works_as", "nurse")


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
        system.behaviour.chat = TalkingModel(relate=relate, judge=lambda *_: "same")
        yield system


def texts(server: OllamaStandIn) -> list[str]:
    requests = [body for path, body in server.requests if path == "/api/chat" and body["messages"]]
    return [text for body in requests if not wants_verdicts(body) for text in shown(body)]


async def test_what_the_model_reads_and_the_message_bears_out_is_known(
    bot: Bot, client: Client, system: System, server: OllamaStandIn
) -> None:
    settings = with_llm(system.settings, server.url, MODEL, "knowledge")
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


async def test_who_is_who_by_the_model_holds_until_the_user_says_otherwise(
    bot: Bot, client: Client, system: System, server: OllamaStandIn
) -> None:
    """Which pairs are asked, and once each: `tests/contract/store/test_identify_by_model.py`."""
    settings = with_llm(system.settings, server.url, MODEL, "knowledge", identify_every_s=0.2)
    async with system.restarted(settings):
        await bot.remember(*(msg(f"m-{n}", text) for n, text in enumerate(FRIENDS)))
        await wait_for(bot.claims, lambda found: ONE in found)
        card = (await bot.query("facts", user_id="u-1", entity="nico"))["entity"]
        assert (card["name"], card["aliases"]) == ("Nicola", ["Nico"])
        report = await health(client, "identify")
        assert (report["same"], report["state"], report["identity_model"]) == (1, "ready", MODEL)
        apart = {"user_id": "u-1", "names": ["Nico", "Nicola"], "same": None}
        assert (await bot.request("command.identify", apart)).body["ok"]
        assert TWO in await bot.claims()
