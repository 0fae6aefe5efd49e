"""A former embedding model that cannot be asked: only replies to users with memories of it are degraded."""

from collections.abc import Iterator

import pytest
from nats.aio.client import Client
from tests.fixtures.commands import doctor
from tests.fixtures.ollama_stand_in import OllamaStandIn
from tests.fixtures.ollama_system import MODEL, health, model_server, ollama_settings
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, ids, msg, wait_for

pytestmark = pytest.mark.slow

PRESENT = "another"
BOAT = msg("boat", "La barca di Davide sta a Chioggia.")
RAIN = msg("rain", "Piove da tre giorni.", user_id="u-2")


@pytest.fixture
def server() -> Iterator[OllamaStandIn]:
    with model_server(f"{MODEL}:latest", f"{PRESENT}:latest") as running:
        yield running


async def degraded(bot: Bot, user: str) -> list[str]:
    found: list[str] = (await bot.recall("Dove sta la barca?", user_id=user))["degraded"]
    return found


async def test_only_replies_to_users_with_memories_of_it_are_degraded(
    bot: Bot, client: Client, system: System, server: OllamaStandIn
) -> None:
    async with system.restarted(ollama_settings(system, server)):
        await bot.remember(BOAT)
    settings = ollama_settings(system, server, model=PRESENT)
    async with system.restarted(settings):
        await bot.remember(RAIN)
        assert (await degraded(bot, "u-1"), await degraded(bot, "u-2")) == ([], [])
        server.models.remove(f"{MODEL}:latest")
        assert await degraded(bot, "u-2") == []
        assert await degraded(bot, "nobody-yet") == []
        reply = await bot.recall("Dove sta la barca?", user_id="u-1")
        assert (reply["degraded"], ids(reply["memories"])) == (["model"], ["boat"])
        findings = await doctor(settings)
        assert (findings["model"]["state"], findings["recall"]["state"]) == ("well", "well")
        assert findings["worker retrieval"]["state"] == "degraded"
        detail = findings["worker retrieval"]["detail"]
        models, _, rest = detail.partition(", of which there are memories still")
        assert MODEL in models, "maybe beside those of other tests"
        assert rest.startswith(", cannot be asked")
        assert "`ricordo backfill --only vectors`" in detail
        server.models.append(f"{MODEL}:latest")
        assert await degraded(bot, "u-1") == []

        async def reason() -> str:
            """Ask once more; the models of other tests may be away for good."""
            await degraded(bot, "u-2")
            return str((await health(client, "retrieval"))["reason"])

        await wait_for(reason, lambda found: MODEL not in found)
