"""The mendings of a process: of each user one at a time, however many find a graph out of step.

A mending is nobody's own: whoever asked for it may give up waiting, as a command does in time for its answer,
and finds more of it done when it comes again.
"""

from types import TracebackType
from typing import Self

from ricordo.graph.port import GraphBeingMended, GraphUnavailable
from ricordo.runtime.single_flight import Ongoing, StillGoing, Stopped
from ricordo_services.knowledge.mending import Mending


class Mendings:
    """Mends graphs that are out of step; an async context manager that stops what is left at its end."""

    def __init__(self, mending: Mending) -> None:
        """Mend by `mending`."""
        self._mending = mending
        self._running = Ongoing[tuple[str, str], None]("a graph could not be mended")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._running.__aexit__(kind, error, trace)

    async def mend(self, tenant: str, user_id: str, *, until: float | None = None) -> None:
        """Wait until the graph of a user was mended, if it is out of step: for this call, or an earlier one.

        Whoever is cancelled leaves the mending to go on.

        Args:
            tenant: whose graph.
            user_id: whose facts.
            until: for how long to wait, by the time of the event loop; None for as long as it takes.

        Raises:
            GraphBeingMended: it takes longer, and goes on.
            GraphUnavailable, StoreUnavailable: a server does not answer, or the process ends; what was
                written stays.
        """
        try:
            await self._running.wait((tenant, user_id), lambda: self._mend(tenant, user_id), until=until)
        except StillGoing:
            sentence = "the graph is out of step, and being mended for longer than may be waited"
            raise GraphBeingMended(sentence) from None
        except Stopped:
            raise GraphUnavailable("the process ends while the graph is mended") from None

    async def _mend(self, tenant: str, user_id: str) -> None:
        if not await self._mending.is_in_step(tenant, user_id):
            await self._mending.mend(tenant, user_id)
