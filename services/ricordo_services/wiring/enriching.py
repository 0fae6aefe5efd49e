"""Enrichment: for its worker and for the backfill."""

from ricordo.language.lexicon import LANGUAGES
from ricordo.memory.enrichment import enrich
from ricordo.models.describing import Describer
from ricordo.store.links import PostgresLinks
from ricordo.store.projection import PostgresEnrichments
from ricordo_services.enrichment.handlers import Enrich
from ricordo_services.enrichment.linking import Linking, RememberedNeighbourhoods
from ricordo_services.resources import Resources


async def enriching(resources: Resources, describer: Describer | None) -> Enrich:
    """Return enrichment's handler.

    Args:
        resources: what workers share.
        describer: the language model; None for the rules alone.
    """
    # Lists and patterns take some tenths of a second to load: no first message waits for them.
    await (await resources.beside()).each(_warmed, LANGUAGES)
    return Enrich(
        await resources.store(PostgresEnrichments),
        await resources.tokens(),
        resources.clock,
        await resources.beside(),
        await linking(resources),
        describer,
        await resources.feeling(),
    )


async def linking(resources: Resources) -> Linking:
    """Return what links memories."""
    links, beside = await resources.store(PostgresLinks), await resources.beside()
    settings = resources.settings.links
    remembered = RememberedNeighbourhoods(settings.cache_mb * 1024**2)
    return Linking(links, beside, await resources.known_models(), settings.threshold, remembered)


def _warmed(language: str) -> None:
    enrich("My father died.", language=language)
