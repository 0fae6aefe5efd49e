"""What reads working memory, for the worker that answers with it and for who measures it."""

from datetime import timedelta

from ricordo.store.working import PostgresDesks
from ricordo_services.resources import Resources
from ricordo_services.retrieval.at_hand import AtHand


async def reader_of_working_memory(resources: Resources) -> AtHand:
    """Return what reads working memory."""
    desks, tokens = await resources.store(PostgresDesks), await resources.tokens()
    lifetime = timedelta(hours=resources.settings.lifecycle.working_memory_h)
    return AtHand(desks, tokens, resources.clock, lifetime)
