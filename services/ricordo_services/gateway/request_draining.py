"""Ends the requests that are still in flight some time after the gateway was told to stop."""

import asyncio

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ricordo_services.gateway.problems import RETRY_AFTER, problem

_log = structlog.stdlib.get_logger(__name__)
_STOPPING = "the gateway stops; send the request again, with the same id or Idempotency-Key if it has one"


class RequestDraining:
    """ASGI middleware that answers 503 to what is in flight after the grace period.

    What has begun to answer is broken off: its connection is closed without the end of the body.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.stopping = asyncio.Event()
        self._app = app
        self._deadline: float | None = None
        self._limits: set[asyncio.Timeout] = set()

    def stop(self, grace_s: float) -> None:
        """Give the requests in flight `grace_s` seconds to end, and those that still arrive no more."""
        self.stopping.set()
        self._deadline = asyncio.get_running_loop().time() + grace_s
        for limit in self._limits:
            limit.reschedule(self._deadline)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on until it ends, or its time does."""
        has_begun = False

        async def sending(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        limit = asyncio.timeout_at(self._deadline)
        try:
            async with limit:
                self._limits.add(limit)
                await self._app(scope, receive, sending)
        except TimeoutError:
            if not limit.expired():
                raise
            _log.warning("the gateway stops before a request ends", path=scope.get("path"))
            if not has_begun:
                await problem(503, _STOPPING, code="unavailable", headers=RETRY_AFTER)(scope, receive, send)
        finally:
            self._limits.discard(limit)
