"""What writes a damaged index anew, in the process that owns its files."""

from typing import TYPE_CHECKING, Final

from ricordo.runtime.backoff import Backoff
from ricordo.runtime.periodic import Periodic
from ricordo_services.embedding.rebuild import RebuildIndex
from ricordo_services.resources import Resources
from ricordo_services.wiring.jobs import repoint

if TYPE_CHECKING:
    from ricordo.index.qdrant.edge import EdgeVectorIndex

_LOOK_EVERY_S: Final = 3600.0  # besides whenever the index asks for it
_LONGEST_S: Final = 60.0  # between two tries while a server does not answer


async def rebuilding(resources: Resources, index: "EdgeVectorIndex") -> Periodic:
    """Return the job that has the points of a damaged index written anew."""
    job = RebuildIndex(index, await repoint(resources), await resources.backlog(("index",)), resources.clock)
    return Periodic(
        name="rebuild-index",
        job=job.run,
        interval=_LOOK_EVERY_S,
        clock=resources.clock,
        backoff=Backoff(first=2.0, longest=_LONGEST_S),
        woken=index.rebuild_wanted,
    )
