"""A model that the server does not hold, or no more: it is said, it is pulled, and nothing is lost."""

from collections.abc import Iterator
from functools import partial

import httpx
import pytest
from nats.aio.client import Client
from tests.fixtures.commands import command
from tests.fixtures.running import Running
from tests.fixtures.scraping import free_port, scrape
from tests.fixtures.served import MODEL, becomes, findings, health, restarted, served, stand_in
from tests.fixtures.wire import Bot, Json, ids, said

from ricordo.settings import Settings
from ricordo.testing.eventually import eventually
from ricordo.testing.ollama import Behaviour, OllamaStandIn

pytestmark = pytest.mark.e2e

BOAT = said("boat", "La barca di Davide sta a Chioggia.")
RAIN = said("rain", "Piove da tre giorni.")


@pytest.fixture
def server() -> Iterator[OllamaStandIn]:
    with stand_in(f"{MODEL}:latest") as running:
        yield running


async def said_by_health(wire: Client, what: str) -> bool:
    report = await health(wire, "encode")
    return report["state"] == "degraded" and what in (report["reason"] or "")


async def waits_for_the_model(bot: Bot, message_id: str) -> bool:
    status = await bot.status(message_id)
    assert status["error"] is None
    return bool(status["state"] == "received" and status["stages"]["encoded"] is None)


async def degraded(bot: Bot, *parts: str) -> bool:
    reply = await bot.recall("Dove sta la barca?")
    assert "boat" in ids(reply["memories"]), "words find it all the same"
    return bool(reply["degraded"] == list(parts))


async def test_a_model_that_is_removed_is_said_and_what_waits_is_remembered_when_it_is_back(
    bot: Bot, wire: Client, running: Running, server: OllamaStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ricordo.models.ollama.ollama_encoder._PULL_AGAIN_S", 0.5)
    settings = served(running, server)
    async with restarted(running, settings):
        await bot.remember(BOAT)
        assert (await findings(settings))["model"]["state"] == "well"
        server.models.clear()
        server.behaviour.pull_error = "pull model manifest: file does not exist"
        await bot.publish(RAIN)
        await eventually(partial(said_by_health, wire, "file does not exist"), within=20)
        reason = (await health(wire, "encode"))["reason"]
        assert f"the Ollama server does not have {MODEL}" in reason
        assert f"`ollama pull {MODEL}`" in reason
        assert await waits_for_the_model(bot, "rain")
        await eventually(partial(degraded, bot, "model"), within=10)
        found = await findings(settings)
        assert found["model"]["state"] == "missing"
        assert found["model"]["detail"] == f"{server.url} does not hold {MODEL}"
        assert f"`ollama pull {MODEL}`" in found["model"]["advice"]
        assert "does not have" in found["worker encode"]["detail"]
        server.behaviour.pull_error = None  # the registry is back: nobody has to do anything
        assert await bot.settled(["rain"]) == {"rain": "remembered"}
        await eventually(partial(degraded, bot), within=10)
        assert (await findings(settings))["model"]["state"] == "well"


async def test_workers_start_while_the_model_is_being_pulled_and_say_how_far_it_is(
    bot: Bot, wire: Client, running: Running, server: OllamaStandIn
) -> None:
    server.models.clear()
    server.behaviour.pull_stands_at = 42
    settings = served(running, server)
    async with restarted(running, settings):
        await eventually(partial(said_by_health, wire, f"hold {MODEL}, it is being pulled, 42 %"), within=20)
        await bot.publish(BOAT)
        await eventually(partial(waits_for_the_model, bot, "boat"), within=20)
        assert "42 %" in (await findings(settings))["worker encode"]["detail"]
        server.behaviour.pull_stands_at = None
        assert await bot.settled(["boat"]) == {"boat": "remembered"}
        await becomes(wire, "encode", "ready")


async def backfilled(settings: Settings, bot: Bot, *options: str) -> tuple[int | None, str, str]:
    """Run `ricordo backfill --only vectors`; return its exit code, output and errors."""
    process = await command(settings, "backfill", "--only", "vectors", "--tenant", bot.tenant, *options)
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def test_a_backfill_says_what_it_waits_for_and_that_a_model_hangs_for_which_messages_wait(
    bot: Bot, running: Running, server: OllamaStandIn
) -> None:
    settings = served(running, server)
    async with restarted(running, settings):
        await bot.remember(RAIN)
        server.behaviour.hang = True
        await bot.publish(BOAT)
        await eventually(partial(waits_for_the_model, bot, "boat"), within=20)
        code, out, err = await backfilled(settings, bot)
        assert (code, out) == (1, "")
        waits, fails = err.splitlines()
        assert waits == f"ricordo: waiting for {MODEL} at {server.url}"
        assert fails.startswith(f"ricordo: {MODEL} did not answer within 10 s at {server.url}; ")
        assert fails.endswith("first vector: 1; run it again when it answers as it should")
        looked = await backfilled(settings, bot, "--dry-run")
        told = f"all memories are encoded by {MODEL}, but 1 that the workers have yet to encode\n"
        assert looked == (0, told, "")
        server.behaviour = Behaviour(dimensions=768)
        code, _, err = await backfilled(settings, bot)
        assert code == 1
        assert f"{MODEL} answered vectors of 768 numbers, and had or should have 384: what Ollama" in err
        server.behaviour = Behaviour()
        assert await bot.settled(["boat"]) == {"boat": "remembered"}
        assert await backfilled(settings, bot) == (0, f"all memories are encoded by {MODEL}\n", "")


async def test_a_model_that_takes_long_is_told_before_it_is_given_up(
    bot: Bot, wire: Client, running: Running, server: OllamaStandIn
) -> None:
    settings, port = served(running, server), free_port()
    worker = settings.worker.model_copy(update={"health_port": port})
    async with restarted(running, settings.model_copy(update={"worker": worker})):
        await bot.remember(RAIN)
        server.behaviour.delay = 12
        await bot.publish(BOAT)
        lasts = partial(stands_so, port, 200, gate_open=True, reason="has not answered a request for ")
        await eventually(lasts, within=30)
        server.behaviour.delay = 0
        assert await bot.settled(["boat"]) == {"boat": "remembered"}
        await eventually(partial(stands_so, port, 200, gate_open=True, reason=""), within=10)
        await becomes(wire, "encode", "ready")


async def page(port: int) -> tuple[int, Json]:
    """Return how `/healthz` answers, and what it says of *encode*."""
    async with httpx.AsyncClient() as client:
        answer = await client.get(f"http://127.0.0.1:{port}/healthz")
    (encode,) = [one for one in answer.json()["workers"] if one["worker"] == "encode"]
    return answer.status_code, encode


async def stands_so(port: int, status: int, *, gate_open: bool, reason: str) -> bool:
    answered, encode = await page(port)
    return answered == status and encode["gate_open"] is gate_open and reason in (encode["reason"] or "")


async def test_a_probe_has_nobody_restarted_during_a_pull_for_which_messages_wait(
    bot: Bot, running: Running, server: OllamaStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ricordo.models.ollama.ollama_encoder._PULL_AGAIN_S", 0.5)
    server.models.clear()
    server.behaviour.pull_stands_at = 42
    settings, port = served(running, server), free_port()
    worker = settings.worker.model_copy(update={"health_port": port})
    async with restarted(running, settings.model_copy(update={"worker": worker})):
        await bot.publish(BOAT)
        waits = partial(stands_so, port, 200, gate_open=False, reason="42 %")
        await eventually(waits, within=30)
        assert (await page(port))[1]["state"] == "degraded"
        metrics = await scrape(port)
        assert metrics.value("ricordo_worker_healthy", worker="encode") == 1
        assert metrics.value("ricordo_worker_state", worker="encode", state="degraded") == 1
        server.behaviour.pull_error, server.behaviour.pull_stands_at = "no space left on device", None
        failed = partial(stands_so, port, 503, gate_open=False, reason="no space left on device")
        await eventually(failed, within=30)
        server.behaviour.pull_error = None
        assert await bot.settled(["boat"]) == {"boat": "remembered"}
        await eventually(partial(stands_so, port, 200, gate_open=True, reason=""), within=10)


def looked_at(settings: Settings, **fields: object) -> Settings:
    embedding = settings.embedding.model_copy(update=fields)
    return settings.model_copy(update={"embedding": embedding})


async def test_the_doctor_looks_at_the_server_and_at_both_models(
    running: Running, server: OllamaStandIn
) -> None:
    async with running.workers.stopped():  # whose models would be looked at instead
        settings = served(running, server)
        both = looked_at(settings, fallback="nomic-embed-text", pull=False)
        found = await findings(both)
        assert (found["model"]["state"], found["fallback"]["state"]) == ("well", "degraded")
        assert found["fallback"]["advice"] == "`ollama pull nomic-embed-text` there"
        server.models[:] = ["nomic-embed-text:latest"]
        found = await findings(both)
        assert (found["model"]["state"], found["fallback"]["state"]) == ("degraded", "well")
        server.behaviour.hang = True
        found = await findings(looked_at(settings, fallback="all-MiniLM-L6-v2"))
        assert (found["model"]["state"], found["fallback"]["state"]) == ("degraded", "well")
        assert "does not answer" in found["model"]["detail"]
        server.behaviour.hang, server.behaviour.raw = False, b"hello"
        found = await findings(settings)
        assert found["model"]["state"] == "missing"
        assert "what answers there is no Ollama" in found["model"]["detail"]
        found = await findings(looked_at(settings, ollama_url="http://127.0.0.1:1"))
        assert found["model"]["state"] == "missing"
        assert "does Ollama run there?" in found["model"]["advice"]
