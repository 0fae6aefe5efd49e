"""Who condenses for lifecycle: a language model where one is asked for, else the sentences that tell most."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ricordo.clock import Clock
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.llm_condensing import ModelCondenser
from ricordo.models.ollama import open_condenser
from ricordo.models.throttle import Throttle
from ricordo.resilience import CircuitBreaker, evenly
from ricordo.settings import CondensingSettings
from ricordo_services.resources import Resources


async def condenser(resources: Resources) -> ModelCondenser | None:
    """Return the language model that condenses; None where none is asked for."""
    return await resources.opened("condenser", _open_condenser(resources))


async def condensing_throttle(resources: Resources) -> Throttle:
    """Return the throttle before the model that condenses, whoever asks it, and whatever for.

    One for all: each with its own would ask it that many times as often as the settings allow, and find out
    alone that it is away.
    """
    return await resources.opened(
        "condensing throttle", _throttle(resources.settings.condensing, resources.clock)
    )


@asynccontextmanager
async def _throttle(settings: CondensingSettings, clock: Clock) -> AsyncIterator[Throttle]:
    yield Throttle(
        CircuitBreaker(clock, settings.failures_to_open, settings.open_s, counted=ModelUnavailable),
        evenly(settings.requests_per_s),
        clock,
        budget=settings.budget_s,
        gone="sentences are chosen, and insights drawn, without the model for a while",
        back="the model condenses and draws insights again",
    )


@asynccontextmanager
async def _open_condenser(resources: Resources) -> AsyncIterator[ModelCondenser | None]:
    settings = resources.settings.condensing
    if settings.provider == "rules":
        yield None
        return
    async with open_condenser(settings.ollama_url, settings.model, timeout=settings.budget_s) as reader:
        yield ModelCondenser(reader, await condensing_throttle(resources))
