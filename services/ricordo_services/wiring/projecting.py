"""How the graph follows the truth, for the workers and jobs that write it."""

from ricordo.store.known import PostgresKnownFacts
from ricordo_services.knowledge.mending import Mending
from ricordo_services.knowledge.mendings import Mendings
from ricordo_services.knowledge.projecting import Following
from ricordo_services.resources import Resources


async def mending(resources: Resources) -> Mending:
    """Return what makes the graph of a user what is known."""
    return Mending(facts=await resources.store(PostgresKnownFacts), graph=await resources.graph())


async def following(resources: Resources, patience: float | None = None) -> Following:
    """Return what has the graph follow the truth; whatever does so in a process shares its mendings.

    Args:
        resources: of the process.
        patience: seconds for which a mending is waited for; None for as long as it takes.
    """
    mendings = await resources.opened("mendings", Mendings(await mending(resources)))
    return Following(await resources.graph(), mendings, patience)
