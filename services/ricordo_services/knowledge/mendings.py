"""The mendings of a process: of each user one at a time, however many find a graph out of step.

A mending is nobody's own: whoever asked for it may give up waiting, as a command does in time for its answer,
and finds more of it done when it comes again.
"""

import asyncio
from types import TracebackType
from typing import Self

import structlog

from ricordo.ports.graph import GraphBeingMended, GraphUnavailable
from ricordo.runtime.waiting import end
from ricordo_services.knowledge.mending import Mending

_log = structlog.stdlib.get_logger(__name__)


class Mendings:
    """Mends graphs that are out of step; an async context manager that stops what is left at its end."""

    def __init__(self, mending: Mending) -> None:
        """Mend by `mending`."""
        self._mending = mending
        self._running: dict[tuple[str, str], asyncio.Task[None]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await end(*self._running.values())

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
        task = self._running.get((tenant, user_id)) or self._begin(tenant, user_id)
        left = None if until is None else max(0.0, until - asyncio.get_running_loop().time())
        await asyncio.wait({task}, timeout=left)
        if not task.done():
            raise GraphBeingMended("the graph is out of step, and being mended for longer than may be waited")
        if task.cancelled():
            raise GraphUnavailable("the process ends while the graph is mended")
        task.result()

    def _begin(self, tenant: str, user_id: str) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(self._mend(tenant, user_id))
        self._running[tenant, user_id] = task
        task.add_done_callback(lambda ended: self._end(tenant, user_id, ended))
        return task

    async def _mend(self, tenant: str, user_id: str) -> None:
        if not await self._mending.is_in_step(tenant, user_id):
            await self._mending.mend(tenant, user_id)

    def _end(self, tenant: str, user_id: str, task: asyncio.Task[None]) -> None:
        del self._running[tenant, user_id]
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.warning("a graph could not be mended", tenant=tenant, error=str(error))
