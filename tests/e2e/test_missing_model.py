"""A model that the server does not hold, or no more: it is reported and pulled, and no message is lost."""

import httpx
import pytest
from nats.aio.client import Client
from tests.fixtures.commands import doctor
from tests.fixtures.ollama_stand_in import OllamaStandIn
from tests.fixtures.ollama_system import MODEL, health, ollama_settings, server, wait_for_state
from tests.fixtures.scraping import free_port, scrape
from tests.fixtures.system import System, changed
from tests.fixtures.wire import Bot, Json, ids, msg, wait_for

pytestmark = pytest.mark.slow

__all__ = ["server"]

BOAT = msg("boat", "La barca di Davide sta a Chioggia.")
RAIN = msg("rain", "Piove da tre giorni.")


async def wait_until_it_waits_for_the_model(bot: Bot, message_id: str) -> None:
    await bot.wait_for_state(message_id, "received", within=20)
    status = await bot.status(message_id)
    assert (status["error"], status["stages"]["encoded"]) == (None, None)


async def wait_for_degraded(bot: Bot, *parts: str) -> None:
    reply = await wait_for(
        lambda: bot.recall("Dove sta la barca?"), lambda found: found["degraded"] == list(parts)
    )
    assert "boat" in ids(reply["memories"]), "words find it all the same"


async def wait_for_health(port: int, status: int, *, gate_open: bool, reason: str) -> Json:
    """Wait until `/healthz` answers so, and says so of *encode*; return what it says."""

    async def page() -> tuple[int, Json]:
        async with httpx.AsyncClient() as http:
            answer = await http.get(f"http://127.0.0.1:{port}/healthz")
        (encode,) = [one for one in answer.json()["workers"] if one["worker"] == "encode"]
        return answer.status_code, encode

    def is_expected(found: tuple[int, Json]) -> bool:
        answered, encode = found
        return (answered, encode["gate_open"]) == (status, gate_open) and reason in (encode["reason"] or "")

    return (await wait_for(page, is_expected))[1]


async def test_a_model_that_takes_long_is_reported_before_it_is_given_up(
    bot: Bot, client: Client, system: System, server: OllamaStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ricordo.models.guarded_encoder._SILENT_S", 1.0)
    port = free_port()
    settings = changed(ollama_settings(system, server), "worker", health_port=port)
    async with system.restarted(settings):
        await bot.remember(RAIN)
        server.behaviour.delay = 4
        await bot.publish(BOAT)
        await wait_for_health(port, 200, gate_open=True, reason="has not answered a request for ")
        server.behaviour.delay = 0
        assert await bot.final_states(["boat"]) == {"boat": "remembered"}
        await wait_for_health(port, 200, gate_open=True, reason="")
        await wait_for_state(client, "encode", "ready")


async def test_a_model_is_pulled_and_one_that_is_removed_is_reported_and_pulled_again(
    bot: Bot, client: Client, system: System, server: OllamaStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker is healthy while it waits for the pull, and not once that fails; what waits is remembered."""
    monkeypatch.setattr("ricordo.models.llm.ollama_encoder._PULL_AGAIN_S", 0.5)
    server.models.clear()
    server.behaviour.pull_stands_at = 42
    port = free_port()
    settings = changed(ollama_settings(system, server), "worker", health_port=port)
    async with system.restarted(settings):
        await wait_for_state(client, "encode", "degraded", f"have {MODEL}, it is being pulled, 42 %")
        await bot.publish(BOAT)
        await wait_until_it_waits_for_the_model(bot, "boat")
        assert "42 %" in (await doctor(settings))["worker encode"]["detail"]
        encode = await wait_for_health(port, 200, gate_open=False, reason="42 %")
        assert encode["state"] == "degraded"
        metrics = await scrape(port)
        assert metrics.value("ricordo_worker_healthy", worker="encode") == 1
        assert metrics.value("ricordo_worker_state", worker="encode", state="degraded") == 1
        server.behaviour.pull_error, server.behaviour.pull_stands_at = "no space left on device", None
        await wait_for_health(port, 503, gate_open=False, reason="no space left on device")
        server.behaviour.pull_error = None  # nobody has to do anything
        assert await bot.final_states(["boat"]) == {"boat": "remembered"}
        await wait_for_health(port, 200, gate_open=True, reason="")
        assert (await health(client, "encode"))["state"] == "ready"
        assert (await doctor(settings))["model"]["state"] == "well"
        server.behaviour.pull_error = "pull model manifest: file does not exist"
        server.models.clear()
        await bot.publish(RAIN)
        report = await wait_for_state(client, "encode", "degraded", reason="file does not exist")
        assert f"the Ollama server does not have {MODEL}" in report["reason"]
        assert f"`ollama pull {MODEL}`" in report["reason"]
        await wait_until_it_waits_for_the_model(bot, "rain")
        await wait_for_degraded(bot, "model")
        found = await doctor(settings)
        told = f"{server.url} does not have {MODEL}"
        assert (found["model"]["state"], found["model"]["detail"]) == ("missing", told)
        assert f"`ollama pull {MODEL}`" in found["model"]["advice"]
        assert "does not have" in found["worker encode"]["detail"]
        server.behaviour.pull_error = None
        assert await bot.final_states(["rain"]) == {"rain": "remembered"}
        await wait_for_degraded(bot)
