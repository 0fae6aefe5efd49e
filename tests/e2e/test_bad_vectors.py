"""A model server that answers no vectors: nothing of its answers is stored, and no message is lost."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Final

import pytest
from nats.aio.client import Client
from tests.fixtures.commands import doctor
from tests.fixtures.ollama_stand_in import OllamaStandIn
from tests.fixtures.ollama_system import (
    LENGTH,
    MODEL,
    health,
    ollama_settings,
    server,
    wait_for_state,
)
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, ids, msg

from ricordo.runtime.backoff import Backoff
from ricordo.runtime.event_worker import EventWorkerSettings
from ricordo.testing.models import word_vectors

pytestmark = pytest.mark.slow

__all__ = ["server"]

RAIN: Final = tuple(msg(f"rain-{n}", f"Piove da {n} giorni a Trieste.") for n in range(12))


def poisonous(texts: Sequence[str]) -> object:
    """Answer numbers without a direction for a text about poison, and vectors for the others."""
    vectors = word_vectors(texts, LENGTH).tolist()
    return [
        [math.nan] * LENGTH if "veleno" in text else one for text, one in zip(texts, vectors, strict=True)
    ]


async def test_a_text_without_a_vector_fails_and_its_neighbours_are_remembered(
    bot: Bot, client: Client, system: System, server: OllamaStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = partial(EventWorkerSettings, backoff=Backoff(first=0.05, longest=0.2))
    monkeypatch.setattr("ricordo_services.app.service_factories.EventWorkerSettings", short)
    server.behaviour.vectors = poisonous
    settings = ollama_settings(system, server)
    async with system.restarted(settings):
        poison = msg("poison", "Il veleno sta nell'armadio in alto.")
        await bot.publish_all([*RAIN[:6], poison, *RAIN[6:]])
        states = await bot.final_states(["poison", *(one["id"] for one in RAIN)])
        assert states.pop("poison") == "failed"
        assert set(states.values()) == {"remembered"}
        status = await bot.status("poison")
        assert status["error"] == (
            f"attempts_exhausted: failed at attempt 8: NoVector: {MODEL} cannot encode this text, "
            f"but others ({MODEL} answered vectors without a direction)"
        )
        assert status["stages"]["ingested"] is not None
        assert status["stages"]["encoded"] is None
        await wait_for_state(client, "encode", "ready")
        assert (await health(client, "encode"))["dead_lettered"] == 1
        history = (await bot.query("history", user_id="u-1", limit=50))["messages"]
        assert "poison" in [message["id"] for message in history]
        found = await bot.recall("Piove da 11 giorni?")
        assert (found["degraded"], "rain-11" in ids(found["memories"])) == ([], True)
        assert "ricordo dlq list" in (await doctor(settings))["RICORDO_DLQ"]["advice"]
