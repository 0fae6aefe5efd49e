"""A model server that answers what is no vector: nothing of it is kept, and nothing is lost."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

import pytest
from nats.aio.client import Client
from tests.fixtures.running import Running
from tests.fixtures.served import (
    LENGTH,
    MODEL,
    becomes,
    findings,
    health,
    restarted,
    served,
    stand_in,
    vectors_of,
)
from tests.fixtures.wire import Bot, ids, new_tenant, said

from ricordo.runtime.backoff import Backoff
from ricordo.runtime.event_worker import EventWorkerSettings
from ricordo.testing.eventually import eventually
from ricordo.testing.models import word_vectors
from ricordo.testing.ollama import OllamaStandIn

pytestmark = pytest.mark.e2e

TOLD: Final = tuple(said(f"rain-{n}", f"Piove da {n} giorni a Trieste.") for n in range(12))


@pytest.fixture
def server() -> Iterator[OllamaStandIn]:
    with stand_in(f"{MODEL}:latest") as running:
        yield running


def filled_with(number: float) -> Callable[[Sequence[str]], object]:
    return lambda texts: [[number] * LENGTH for _ in texts]


ANSWERS: Final[dict[str, Callable[[Sequence[str]], object]]] = {
    "NaN": filled_with(math.nan),
    "infinity": filled_with(math.inf),
    "zeros": filled_with(0.0),
    "too short": lambda texts: [[1.0] * (LENGTH - 1) for _ in texts],
    "too few": lambda texts: [[1.0] * LENGTH for _ in texts[1:]],
    "too many": lambda texts: [[1.0] * LENGTH for _ in [*texts, "one more"]],
    "words": lambda texts: [["one"] * LENGTH for _ in texts],
    "nothing": lambda _: None,
}


async def test_what_is_no_vector_is_not_kept_and_the_messages_wait(
    wire: Client, running: Running, server: OllamaStandIn
) -> None:
    async with restarted(running, served(running, server)):
        for answer in (*ANSWERS, "no JSON"):
            server.behaviour.vectors = ANSWERS.get(answer)
            server.behaviour.raw = b"<html>busy</html>" if answer == "no JSON" else None
            bot = Bot(wire, new_tenant())
            await bot.publish_all(TOLD)
            await eventually(partial(_is_degraded, wire), within=20)
            await eventually(partial(_is_received, bot, "rain-11"), within=20)
            assert await vectors_of(running, bot.tenant) == set(), answer
            server.behaviour.vectors = server.behaviour.raw = None
            states = await bot.settled(one["id"] for one in TOLD)
            assert set(states.values()) == {"remembered"}, answer
            assert await vectors_of(running, bot.tenant) == {(MODEL, len(TOLD))}
        await becomes(wire, "encode", "ready")
        assert (await health(wire, "encode"))["dead_lettered"] == 0


async def _is_degraded(wire: Client) -> bool:
    report = await health(wire, "encode")
    return report["state"] == "degraded" and MODEL in report["reason"]


async def _is_received(bot: Bot, message_id: str) -> bool:
    status = await bot.status(message_id)
    assert (status["error"], status["stages"]["encoded"]) == (None, None)
    return bool(status["state"] == "received")


def poisonous(texts: Sequence[str]) -> object:
    """Answer numbers of no direction for a text that speaks of poison, and vectors for the others."""
    vectors = word_vectors(texts, LENGTH).tolist()
    return [
        [math.nan] * LENGTH if "veleno" in text else one for text, one in zip(texts, vectors, strict=True)
    ]


async def test_a_text_that_has_no_vector_ends_as_failed_and_its_neighbours_are_remembered(
    bot: Bot, wire: Client, running: Running, server: OllamaStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon = partial(EventWorkerSettings, backoff=Backoff(first=0.05, longest=0.2))
    monkeypatch.setattr("ricordo_services.app.workers.EventWorkerSettings", soon)
    server.behaviour.vectors = poisonous
    settings = served(running, server)
    async with restarted(running, settings):
        poison = said("poison", "Il veleno sta nell'armadio in alto.")
        await bot.publish_all([*TOLD[:6], poison, *TOLD[6:]])
        states = await bot.settled(["poison", *(one["id"] for one in TOLD)])
        assert states.pop("poison") == "failed"
        assert set(states.values()) == {"remembered"}
        status = await bot.status("poison")
        assert status["error"] == (
            f"attempts_exhausted: failed at attempt 8: NoVector: {MODEL} cannot encode this text, "
            f"but others ({MODEL} answered vectors without a direction)"
        )
        assert status["stages"]["ingested"] is not None
        assert status["stages"]["encoded"] is None
        await becomes(wire, "encode", "ready")
        assert (await health(wire, "encode"))["dead_lettered"] == 1
        history = (await bot.ask("history", user_id="u-1", limit=50))["messages"]
        assert "poison" in [message["id"] for message in history]
        found = await bot.recall("Piove da 11 giorni?")
        assert (found["degraded"], "rain-11" in ids(found["memories"])) == ([], True)
        told = (await findings(settings))["RICORDO_DLQ"]
        assert "ricordo dlq list" in told["advice"]
