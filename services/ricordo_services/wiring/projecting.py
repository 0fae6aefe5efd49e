"""How the graph follows the truth, for the workers and jobs that write it."""

from ricordo.adapters.postgres.known import PostgresKnownFacts
from ricordo_services.knowledge.mending import Mending
from ricordo_services.knowledge.projecting import Following
from ricordo_services.resources import Resources


async def mending(resources: Resources) -> Mending:
    """Return what makes the graph of a user what is known."""
    return Mending(facts=await resources.store(PostgresKnownFacts), graph=await resources.graph())


async def following(resources: Resources) -> Following:
    """Return what has the graph follow the truth."""
    return Following(await resources.graph(), await mending(resources))
