"""How the graph follows what is known."""

from ricordo.ports.facts import Learned, Project
from ricordo.ports.graph import FactGraph


def projecting(graph: FactGraph, tenant: str) -> Project:
    """Return what writes to `graph` what has changed of a user's facts."""

    async def project(learned: Learned) -> None:
        await graph.project(tenant, learned.user_id, learned.facts, gone=learned.gone)

    return project
