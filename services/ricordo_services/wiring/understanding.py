"""Who draws insights beside the rules: the language model that condenses, where one is asked for."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ricordo.adapters.ollama import open_insight_reader
from ricordo.runtime.understanding_users import ModelUnderstanding
from ricordo_services.resources import Resources
from ricordo_services.wiring.condensing import condensing_measure


async def understanding(resources: Resources) -> ModelUnderstanding | None:
    """Return the language model that draws insights; None where none is asked for."""
    return await resources.opened("understanding", _open_understanding(resources))


@asynccontextmanager
async def _open_understanding(resources: Resources) -> AsyncIterator[ModelUnderstanding | None]:
    settings = resources.settings.condensing
    if settings.provider == "rules":
        yield None
        return
    async with open_insight_reader(settings.ollama_url, settings.model, timeout=settings.budget_s) as reader:
        yield ModelUnderstanding(reader, await condensing_measure(resources))
