"""Who draws insights beside the rules: the language model that condenses, where one is asked for."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ricordo.models.llm_insights import ModelInsights
from ricordo.models.ollama import open_insight_reader
from ricordo_services.resources import Resources
from ricordo_services.wiring.condensing import condensing_throttle


async def insight_model(resources: Resources) -> ModelInsights | None:
    """Return the language model that draws insights; None where none is asked for."""
    return await resources.opened("insights", _open_insight_model(resources))


@asynccontextmanager
async def _open_insight_model(resources: Resources) -> AsyncIterator[ModelInsights | None]:
    settings = resources.settings.condensing
    if settings.provider == "rules":
        yield None
        return
    async with open_insight_reader(settings.ollama_url, settings.model, timeout=settings.budget_s) as reader:
        yield ModelInsights(reader, await condensing_throttle(resources))
