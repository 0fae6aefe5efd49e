"""Commands go by the models of the workers that run, whatever the settings of their own shell say."""

import json

import pytest
from tests.fixtures.commands import run_command
from tests.fixtures.ollama_stand_in import OllamaStandIn
from tests.fixtures.ollama_system import MODEL, ollama_settings, server, vector_counts
from tests.fixtures.system import System, Workers
from tests.fixtures.wire import Bot, Json, msg

from ricordo.language.annotations import E5
from ricordo.settings import Settings

pytestmark = pytest.mark.slow

__all__ = ["server"]

BOAT = msg("boat", "La barca di Davide sta a Chioggia.")


async def examined(settings: Settings) -> tuple[int, dict[str, Json]]:
    code, out, _ = await run_command(settings, "doctor", "--nats", settings.bus.url, "--json")
    return code, {one["name"]: one for one in json.loads(out)["findings"]}


def without_waiting(err: str) -> list[str]:
    """Return the lines but that which says for what the command waits, where that takes a second."""
    return [line for line in err.splitlines() if not line.startswith("ricordo: waiting for ")]


async def test_commands_go_by_the_workers_and_say_where_their_settings_differ(
    bot: Bot, system: System, server: OllamaStandIn
) -> None:
    settings = ollama_settings(system, server)
    await bot.remember(BOAT)
    async with system.restarted(settings):
        _, found = await examined(system.settings)
        assert found["model"] == {
            "name": "model",
            "state": "well",
            "detail": f"{MODEL} on {server.url}",
            "advice": "",
        }
        assert found["settings"]["state"] == "noted"
        assert found["settings"]["detail"] == (
            f"these say {E5}, in process; the workers that run go by {MODEL} on {server.url}"
        )
        assert f"RICORDO_EMBEDDING__MODEL={MODEL}" in found["settings"]["advice"]
        assert "settings" not in (await examined(settings))[1]
        for options in (("--only", "vectors"), ("--only", "vectors", "--dry-run"), ()):
            code, out, err = await run_command(system.settings, "backfill", *options, "--tenant", bot.tenant)
            assert (code, out, len(err.splitlines())) == (1, "", 1)
            assert f"the workers that run encode by {MODEL}, and these settings say {E5}" in err
            assert (
                f"RICORDO_EMBEDDING__PROVIDER=ollama RICORDO_EMBEDDING__MODEL={MODEL} "
                f"RICORDO_EMBEDDING__OLLAMA_URL={server.url}" in err
            )
        assert await vector_counts(system, bot.tenant) == {(E5, 1)}
        await _what_the_doctor_advises_works(bot, system, found["vectors"])
        assert await vector_counts(system, bot.tenant) == {(MODEL, 1)}


async def _what_the_doctor_advises_works(bot: Bot, system: System, finding: Json) -> None:
    """Run the command that it names in a shell without settings but those of the advice."""
    assert f"not yet of {MODEL}: " in finding["detail"]
    typed = finding["advice"].split("`")[1]
    assert typed.endswith(" ricordo backfill --only vectors")
    given = dict(one.removeprefix("RICORDO_EMBEDDING__").split("=", 1) for one in typed.split()[:-4])
    embedding = system.settings.embedding.model_copy(
        update={name.lower(): value for name, value in given.items()}
    )
    settings = system.settings.model_copy(update={"embedding": embedding})
    code, _, err = await run_command(settings, *typed.split()[-3:], "--tenant", bot.tenant)
    assert (code, without_waiting(err)) == (0, [])


async def test_workers_of_different_models_are_told_apart(system: System, server: OllamaStandIn) -> None:
    settings = ollama_settings(system, server)
    async with Workers(settings, ["encode"]).started():
        _, found = await examined(system.settings)
        assert found["models"]["state"] == "degraded"
        assert f"encode by {MODEL}, {E5}" in found["models"]["detail"]
        code, _, err = await run_command(system.settings, "backfill", "--only", "vectors", "--dry-run")
        assert code == 1
        assert f"the workers that run encode by different models ({MODEL}, {E5})" in err


async def test_where_no_worker_says_by_which_model_the_backfill_does(
    bot: Bot, system: System, server: OllamaStandIn
) -> None:
    await bot.remember(BOAT)
    async with system.workers.stopped():
        dry = ("backfill", "--only", "vectors", "--dry-run", "--tenant", bot.tenant)
        code, _, err = await run_command(system.settings, *dry)
        assert (code, len(err.splitlines())) == (0, 1)
        assert "no worker that encodes answers" in err
        assert f"going on by {E5}" in err
        code, out, err = await run_command(ollama_settings(system, server), *dry)
        assert (code, len(err.splitlines())) == (0, 2)
        assert f"going on by {MODEL}" in err
        assert f"most memories are not of {MODEL} (" in err
        assert f"1 memories would be encoded again by {MODEL}" in out
