"""How the graph follows what is known."""

from ricordo.ports.facts import Learned, Project
from ricordo.ports.graph import FactGraph


def projecting(graph: FactGraph, tenant: str) -> Project:
    """Return what writes to `graph` what has changed of a user's facts, or all of them."""

    async def project(learned: Learned) -> None:
        user_id, facts = learned.user_id, learned.facts
        if learned.whole:
            await graph.replace(tenant, user_id, facts, learned.step.after)
        else:
            await graph.project(tenant, user_id, facts, gone=learned.gone, step=learned.step)

    return project
