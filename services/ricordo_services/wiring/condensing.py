"""Who condenses for lifecycle: a language model where one is asked for, else the sentences that tell most."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ricordo.adapters.ollama import open_condenser
from ricordo.ports.clock import Clock
from ricordo.ports.models import ModelUnavailable
from ricordo.runtime.condensing import ModelCondenser
from ricordo.runtime.measured import Measure
from ricordo.runtime.resilience import CircuitBreaker, TokenBucket
from ricordo.settings import CondensingSettings
from ricordo_services.resources import Resources


async def condenser(resources: Resources) -> ModelCondenser | None:
    """Return the language model that condenses; None where none is asked for."""
    settings = resources.settings.condensing
    return await resources.opened("condenser", _open_condenser(settings, resources.clock))


@asynccontextmanager
async def _open_condenser(settings: CondensingSettings, clock: Clock) -> AsyncIterator[ModelCondenser | None]:
    if settings.provider == "rules":
        yield None
        return
    breaker = CircuitBreaker(clock, settings.failures_to_open, settings.open_s, counted=ModelUnavailable)
    async with open_condenser(settings.ollama_url, settings.model, timeout=settings.budget_s) as reader:
        measure = Measure(
            breaker,
            TokenBucket(clock, settings.requests_per_s),
            clock,
            budget=settings.budget_s,
            gone="sentences are chosen for a while",
            back="the model condenses again",
        )
        yield ModelCondenser(reader, measure)
