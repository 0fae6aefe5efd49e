"""Commands go by the models of the workers that run, whatever the settings of their own shell say."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from tests.fixtures.commands import command
from tests.fixtures.running import Running, Workers
from tests.fixtures.served import MODEL, restarted, served, stand_in, vectors_of
from tests.fixtures.wire import Bot, Json, said

from ricordo.language.embedding import MINILM
from ricordo.settings import Settings
from ricordo.testing.ollama import OllamaStandIn

pytestmark = pytest.mark.e2e

BOAT = said("boat", "La barca di Davide sta a Chioggia.")


@pytest.fixture
def server() -> Iterator[OllamaStandIn]:
    with stand_in(f"{MODEL}:latest") as running:
        yield running


async def ended(settings: Settings, *words: str) -> tuple[int, str, str]:
    """Run a command to its end; return its code, its output and its errors."""
    process = await command(settings, *words)
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


@asynccontextmanager
async def beside(settings: Settings, *names: str) -> AsyncIterator[None]:
    """Run some workers more, for the length of an `async with`."""
    workers = Workers(settings, names)
    await asyncio.to_thread(workers.start)
    try:
        yield
    finally:
        await asyncio.to_thread(workers.close)


async def examined(settings: Settings) -> tuple[int, dict[str, Json]]:
    """Return the doctor's exit code and what it found, by name."""
    code, out, _ = await ended(settings, "doctor", "--nats", settings.bus.url, "--json")
    return code, {one["name"]: one for one in json.loads(out)["findings"]}


def beside_waiting(err: str) -> list[str]:
    """Return what was said besides for what the command waits, which it says where that takes a second."""
    return [line for line in err.splitlines() if not line.startswith("ricordo: waiting for ")]


@pytest.mark.parametrize("options", [("--only", "vectors"), ("--only", "vectors", "--dry-run"), ()])
async def test_a_backfill_by_another_model_than_the_workers_is_refused(
    bot: Bot, running: Running, server: OllamaStandIn, options: tuple[str, ...]
) -> None:
    settings = served(running, server)
    backfill = ("backfill", *options, "--tenant", bot.tenant)
    async with restarted(running, settings):
        await bot.remember(BOAT)
        code, out, err = await ended(running.settings, *backfill)
        assert (code, out) == (1, "")
        assert len(err.splitlines()) == 1
        assert f"the workers that run encode by {MODEL}, and these settings say {MINILM}" in err
        assert (
            f"RICORDO_EMBEDDING__PROVIDER=ollama RICORDO_EMBEDDING__MODEL={MODEL} "
            f"RICORDO_EMBEDDING__OLLAMA_URL={server.url}" in err
        )
        assert await vectors_of(running, bot.tenant) == {(MODEL, 1)}
        code, _, err = await ended(settings, *backfill)
        assert (code, beside_waiting(err)) == (0, [])


async def test_what_the_doctor_advises_works_in_a_shell_without_settings(
    bot: Bot, running: Running, server: OllamaStandIn
) -> None:
    await bot.remember(BOAT)
    async with restarted(running, served(running, server)):
        _, found = await examined(running.settings)
        assert f"not yet of {MODEL}: " in found["vectors"]["detail"]
        typed = found["vectors"]["advice"].split("`")[1]
        assert typed.endswith(" ricordo backfill --only vectors")
        given = dict(one.removeprefix("RICORDO_EMBEDDING__").split("=", 1) for one in typed.split()[:-4])
        embedding = running.settings.embedding.model_copy(
            update={name.lower(): value for name, value in given.items()}
        )
        settings = running.settings.model_copy(update={"embedding": embedding})
        code, _, err = await ended(settings, *typed.split()[-3:], "--tenant", bot.tenant)
        assert (code, beside_waiting(err)) == (0, [])
        assert await vectors_of(running, bot.tenant) == {(MODEL, 1)}


async def test_the_doctor_goes_by_the_workers_and_says_where_its_settings_differ(
    running: Running, server: OllamaStandIn
) -> None:
    settings = served(running, server)
    async with restarted(running, settings):
        _, found = await examined(running.settings)
        assert found["model"] == {
            "name": "model",
            "state": "well",
            "detail": f"{MODEL} on {server.url}",
            "advice": "",
        }
        assert found["settings"]["state"] == "noted"
        assert found["settings"]["detail"] == (
            f"these say {MINILM}, in process; the workers that run go by {MODEL} on {server.url}"
        )
        assert f"RICORDO_EMBEDDING__MODEL={MODEL}" in found["settings"]["advice"]
        _, found = await examined(settings)
        assert "settings" not in found


async def test_a_model_of_the_workers_that_is_away_is_named_and_fails_the_doctor(
    running: Running, server: OllamaStandIn
) -> None:
    async with restarted(running, served(running, server)):
        server.behaviour.drop = True
        code, found = await examined(running.settings)
        assert (code, found["model"]["state"]) == (1, "missing")
        assert f"{MODEL}: {server.url} does not answer" in found["model"]["detail"]
        assert "does Ollama run there?" in found["model"]["advice"]
        assert f"{MODEL} on {server.url}" in found["recall"]["advice"]
        server.behaviour.drop, server.behaviour.vectors = False, lambda _: "hello"  # held, and of no use
        code, found = await examined(running.settings)
        assert (code, found["model"]["state"]) == (1, "missing")
        assert f"{MODEL} on {server.url}, which is held there" in found["model"]["detail"]


async def test_with_minilm_in_its_place_the_doctor_says_what_works(
    running: Running, server: OllamaStandIn
) -> None:
    async with restarted(running, served(running, server, fallback=MINILM)):
        server.behaviour.drop = True
        code, found = await examined(running.settings)
        assert (code, found["model"]["state"], found["fallback"]["state"]) == (0, "degraded", "well")
        assert f"{MINILM} encodes in its place" in found["model"]["advice"]


async def test_workers_of_different_models_are_told_apart(running: Running, server: OllamaStandIn) -> None:
    settings = served(running, server)
    async with beside(settings, "encode"):
        _, found = await examined(running.settings)
        assert found["models"]["state"] == "degraded"
        assert f"encode by {MINILM}, {MODEL}" in found["models"]["detail"]
        code, _, err = await ended(running.settings, "backfill", "--only", "vectors", "--dry-run")
        assert code == 1
        assert f"the workers that run encode by different models ({MINILM}, {MODEL})" in err


async def test_where_no_worker_says_by_which_model_the_backfill_does(
    bot: Bot, running: Running, server: OllamaStandIn
) -> None:
    await bot.remember(BOAT)
    async with running.workers.stopped():
        dry = ("backfill", "--only", "vectors", "--dry-run", "--tenant", bot.tenant)
        code, _, err = await ended(running.settings, *dry)
        assert (code, len(err.splitlines())) == (0, 1)
        assert "no worker that encodes answers" in err
        assert f"going on by {MINILM}" in err
        code, out, err = await ended(served(running, server), *dry)
        assert (code, len(err.splitlines())) == (0, 2)
        assert f"going on by {MODEL}" in err
        assert f"most memories are not of {MODEL} (" in err
        assert f"1 memories would be encoded again by {MODEL}" in out
