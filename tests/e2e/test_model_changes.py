"""The embedding model changes while memories are there: all stay found by meaning, and a job moves them."""

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import pytest
from tests.fixtures.commands import doctor
from tests.fixtures.ollama_stand_in import OllamaStandIn
from tests.fixtures.ollama_system import model_server, ollama_settings, vector_counts
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, ids, msg

from ricordo.language.annotations import E5
from ricordo.models.encoder import ModelUnavailable
from ricordo.settings import Settings
from ricordo_services.app.jobs import run_backfill
from ricordo_services.job_progress import BackfillOrder, BackfillProgress

pytestmark = pytest.mark.slow

CONCEPTS, LENGTH = "concepts", 16
MEANINGS: Final = (("boat", "vessel"), ("dog", "puppy"), ("doctor", "physician"), ("car", "automobile"))
OLD: Final = (
    msg("boat", "My boat lies at the pier in Chioggia."),
    msg("dog", "A dog named Max sleeps on the sofa."),
    msg("rain", "It has been raining for three days."),
)
NEW: Final = (
    msg("doctor", "The doctor says that my knee is fine."),
    msg("car", "Anna sold the car to her cousin."),
)


def concepts(texts: Sequence[str]) -> list[list[float]]:
    """Encode as a model to which some words mean the same; what has none of them is like nothing else."""
    vectors = np.full((len(texts), LENGTH), 0.01)
    for row, text in zip(vectors, texts, strict=True):
        for place, words in enumerate(MEANINGS):
            row[place] += any(word in text.lower() for word in words)
        row[-1 - len(text) % 8] += 0.3
    found: list[list[float]] = vectors.tolist()
    return found


@pytest.fixture
def server() -> Iterator[OllamaStandIn]:
    """Yield a server with a model that is new to all memories."""
    with model_server(f"{CONCEPTS}:latest") as running:
        running.behaviour.vectors, running.behaviour.dimensions = concepts, LENGTH
        yield running


def with_concepts(system: System, server: OllamaStandIn, **fields: object) -> Settings:
    return ollama_settings(system, server, model=CONCEPTS, batch=1, **fields)


QUESTIONS: Final = {
    "Which vessel?": "boat",
    "Which puppy?": "dog",
    "Which physician?": "doctor",
    "Which automobile?": "car",
}


async def meant(bot: Bot, *, models: int = 1) -> None:
    """Assert that each question, which shares no word with its answer, finds it first by one model."""
    for question, message in QUESTIONS.items():
        memories = (await bot.recall(question, explain=True))["memories"]
        scores = [memory["score"] for memory in memories]
        assert scores == sorted(scores, reverse=True)
        assert message in ids(memories[:models]), (question, ids(memories))
        signals = memories[ids(memories).index(message)]["signals"]
        assert signals["bm25"] == 0.0
        assert signals["semantic"] > 0.2


async def reembedded(settings: Settings, tenant: str, **fields: object) -> BackfillProgress:
    order = BackfillOrder(part="vectors", tenant=tenant, **fields)  # type: ignore[arg-type]  # by name
    return await run_backfill(settings, order)


async def test_what_the_fallback_encoded_in_an_outage_is_found_and_moved(
    bot: Bot, system: System, server: OllamaStandIn
) -> None:
    settings = with_concepts(system, server, fallback=E5, fallback_after_s=0.5)
    async with system.restarted(settings):
        await bot.remember(*NEW)
        server.behaviour.drop = True
        await bot.remember(*OLD)
        assert await vector_counts(system, bot.tenant) == {(CONCEPTS, 2), (E5, 3)}
        without = await bot.recall("What about the puppy?")
        assert (without["degraded"], ids(without["memories"])[0]) == (["model"], "dog")
        server.behaviour.drop = False
        await meant(bot, models=2)
        done = await reembedded(settings, bot.tenant)
        assert (done.by_version, done.left) == ({E5: 3}, 0)
        await system.wait_until_idle()
        await meant(bot)
    assert await vector_counts(system, bot.tenant) == {(CONCEPTS, 5)}


async def test_a_model_that_is_away_ends_the_job_and_what_was_moved_stays(
    bot: Bot, system: System, server: OllamaStandIn
) -> None:
    await bot.remember(*OLD)
    settings = with_concepts(system, server)
    async with system.restarted(settings):
        assert (await reembedded(settings, bot.tenant, limit=1)).raised == 1

        def goes_away(texts: Sequence[str]) -> list[list[float]]:
            server.behaviour.drop = True
            return concepts(texts)

        server.behaviour.vectors = goes_away  # right after it was asked for the length of its vectors
        with pytest.raises(ModelUnavailable, match=r"concepts cannot be reached at .*; 0 of 2 memories"):
            await reembedded(settings, bot.tenant)
        server.behaviour.drop, server.behaviour.vectors = False, concepts
        assert (await reembedded(settings, bot.tenant)).raised == 2


async def test_a_refused_text_is_remembered_by_its_words_and_tried_again_once_a_run(
    bot: Bot, system: System, server: OllamaStandIn
) -> None:
    def refusing(texts: Sequence[str]) -> list[list[float]]:
        return [[math.nan] * LENGTH if "Max" in text else concepts([text])[0] for text in texts]

    settings = with_concepts(system, server)
    async with system.restarted(settings):
        server.behaviour.vectors = refusing
        await bot.remember(*OLD)
        assert (await bot.status("dog"))["error"] is None
        assert ids((await bot.recall("Where is Max?"))["memories"])[0] == "dog"
        first = (await bot.recall("Which vessel?", explain=True))["memories"][0]
        assert (ids([first]), first["signals"]["semantic"] > 0.2) == (["boat"], True)
        finding = (await doctor(settings))["refused texts"]
        assert (finding["state"], "ricordo backfill --only vectors`" in finding["advice"]) == ("noted", True)
        again = await reembedded(settings, bot.tenant)
        assert (again.outdated, again.examined, again.left) == (1, 1, 1)
        server.behaviour.vectors = concepts
        assert (await reembedded(settings, bot.tenant)).raised == 1
        await system.wait_until_idle()
        assert ids((await bot.recall("Which puppy?"))["memories"])[0] == "dog"
        assert (await reembedded(settings, bot.tenant, dry=True)).outdated == 0
