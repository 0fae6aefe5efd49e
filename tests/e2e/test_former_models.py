"""A former embedding model that cannot be asked: whom it costs something is told so, and nobody else."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from nats.aio.client import Client
from tests.e2e.cli.ricordo_command import Ricordo, up
from tests.fixtures.running import Running
from tests.fixtures.served import MODEL, findings, health, restarted, served, stand_in
from tests.fixtures.wire import Bot, ids, said

from ricordo.language.embedding import MINILM
from ricordo.testing.eventually import eventually
from ricordo.testing.ollama import OllamaStandIn

pytestmark = pytest.mark.e2e

PRESENT = "another"
BOAT = said("boat", "La barca di Davide sta a Chioggia.")
RAIN = said("rain", "Piove da tre giorni.", user_id="u-2")


@pytest.fixture
def server() -> Iterator[OllamaStandIn]:
    with stand_in(f"{MODEL}:latest", f"{PRESENT}:latest") as running:
        yield running


async def degraded(bot: Bot, user: str) -> list[str]:
    found: list[str] = (await bot.recall("Dove sta la barca?", user_id=user))["degraded"]
    return found


async def asked_again(wire: Client, bot: Bot) -> bool:
    """Ask once more; return whether the former model answered. Those of other tests may be away for good."""
    await degraded(bot, "u-2")
    return MODEL not in str((await health(wire, "retrieval"))["reason"])


async def test_it_degrades_the_answers_of_those_alone_who_have_memories_of_it(
    bot: Bot, wire: Client, running: Running, server: OllamaStandIn
) -> None:
    async with restarted(running, served(running, server)):
        await bot.remember(BOAT)
    settings = served(running, server, model=PRESENT)
    async with restarted(running, settings):
        await bot.remember(RAIN)
        assert (await degraded(bot, "u-1"), await degraded(bot, "u-2")) == ([], [])
        server.models.remove(f"{MODEL}:latest")
        assert await degraded(bot, "u-2") == []
        assert await degraded(bot, "nobody-yet") == []
        reply = await bot.recall("Dove sta la barca?", user_id="u-1")
        assert (reply["degraded"], ids(reply["memories"])) == (["model"], ["boat"])
        found = await findings(settings)
        assert (found["model"]["state"], found["recall"]["state"]) == ("well", "well")
        assert found["worker retrieval"]["state"] == "degraded"
        told, _, after = found["worker retrieval"]["detail"].partition(", of which there are memories still")
        assert MODEL in told, "maybe beside those of other tests"
        assert after.startswith(", cannot be asked")
        assert "`ricordo backfill --only vectors`" in found["worker retrieval"]["detail"]
        server.models.append(f"{MODEL}:latest")
        assert await degraded(bot, "u-1") == []
        await eventually(partial(asked_again, wire, bot), within=10)


async def test_one_that_nobody_can_ask_from_the_start_is_told_alike(
    bot: Bot, wire: Client, running: Running, server: OllamaStandIn
) -> None:
    async with restarted(running, served(running, server)):
        await bot.remember(BOAT)
    await bot.remember(RAIN)
    async with running.workers.stopped():
        pass  # workers ask at their start which models there are vectors of
    reason = (await health(wire, "retrieval"))["reason"]
    assert MODEL in reason
    assert (await degraded(bot, "u-1"), await degraded(bot, "u-2")) == (["model"], [])


def message(name: str) -> str:
    line = said(name, "My boat lies at the pier in Chioggia.")
    return json.dumps(line) + "\n"


def test_a_start_on_memories_of_another_model_says_so_once_and_what_to_do(
    tmp_path: Path, server: OllamaStandIn
) -> None:
    variables = {"PROVIDER": "ollama", "MODEL": MODEL, "OLLAMA_URL": server.url}
    elsewhere = Ricordo(tmp_path, {f"RICORDO_EMBEDDING__{name}": value for name, value in variables.items()})
    with up(elsewhere) as stack:
        assert elsewhere.publish(message("m-1") + message("m-2"), "--wait")["remembered"] == 2
        assert "former" not in stack.log.read_text()
    with up(Ricordo(tmp_path)) as stack:
        lines = [json.loads(line) for line in stack.log.read_text().splitlines() if line]
    (told,) = [line for line in lines if line["event"] == "memories are of a former embedding model"]
    assert told["level"] == "warning"
    assert (told["memories"], told["model"], told["present"]) == (2, MODEL, MINILM)
    assert told["found_by"] == "words alone: that model cannot be asked"
    assert told["advice"].startswith("`ricordo backfill --only vectors`")
