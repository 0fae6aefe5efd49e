"""Who draws insights beside the rules: the language model that condenses, where one is asked for."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ricordo.adapters.ollama import open_insight_reader
from ricordo.ports.clock import Clock
from ricordo.ports.models import ModelUnavailable
from ricordo.runtime.measured import Measure
from ricordo.runtime.resilience import CircuitBreaker, TokenBucket
from ricordo.runtime.understanding_users import ModelUnderstanding
from ricordo.settings import CondensingSettings
from ricordo_services.resources import Resources


async def understanding(resources: Resources) -> ModelUnderstanding | None:
    """Return the language model that draws insights; None where none is asked for."""
    settings = resources.settings.condensing
    return await resources.opened("understanding", _open_understanding(settings, resources.clock))


@asynccontextmanager
async def _open_understanding(
    settings: CondensingSettings, clock: Clock
) -> AsyncIterator[ModelUnderstanding | None]:
    if settings.provider == "rules":
        yield None
        return
    breaker = CircuitBreaker(clock, settings.failures_to_open, settings.open_s, counted=ModelUnavailable)
    async with open_insight_reader(settings.ollama_url, settings.model, timeout=settings.budget_s) as reader:
        measure = Measure(
            breaker,
            TokenBucket(clock, settings.requests_per_s),
            clock,
            budget=settings.budget_s,
            gone="insights are drawn without it for a while",
            back="the model draws insights again",
        )
        yield ModelUnderstanding(reader, measure)
