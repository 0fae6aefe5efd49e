"""Serves queries and commands: every request is answered within its deadline."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Final
from uuid import uuid4

import structlog

from ricordo.bus.port import Bus, BusError, BusUnavailable, Endpoint, ReceivedRequest
from ricordo.clock import Clock
from ricordo.messages.answers import AnswerRequest
from ricordo.messages.codec import decode, encode
from ricordo.messages.errors import DecodeError, ErrorBody, ErrorCode
from ricordo.messages.message_types import Message
from ricordo.messages.routing import CONTRACTS
from ricordo.messages.subjects import PART, TRACE_PARENT, InvalidSubject, Subject, every_tenant
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.event_publishing import Effects, Emitter
from ricordo.runtime.handling import QueryResult, QueryRoute, RequestError, SendPart, encoded
from ricordo.runtime.health import Health, WorkerState
from ricordo.runtime.measures import ANSWERED, UNKNOWN_QUERY, QueryMeasures
from ricordo.runtime.scheduling import QueryPriority
from ricordo.runtime.tasks import cancel_and_wait, run_until
from ricordo.runtime.tracing import TraceContext, bind_log_context
from ricordo.unavailable import DependencyUnavailable

_log = structlog.stdlib.get_logger(__name__)

_BUSY: Final = (ErrorCode.UNAVAILABLE, "too many requests are waiting: try again later")
_FAILURES: Final = (ErrorCode.INTERNAL, ErrorCode.TIMEOUT, ErrorCode.UNAVAILABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """How requests are served.

    Attributes:
        deadline: seconds from the arrival of a request, or its last part, to a reply with `timeout`.
        concurrency: maximum number of concurrent requests. Replies in parts are apart: a quarter as many, at
            least one, so that no other request waits for callers who read slowly or have left.
        waiting: maximum number of queued requests. Further ones are answered with `unavailable`, and so are
            those that waited for half of their deadline.
        grace: seconds that a stop leaves to requests in progress before they are answered with `unavailable`.
    """

    deadline: float = 5.0
    concurrency: int = 16
    waiting: int = 256
    grace: float = 4.0


class QueryServer:
    """Answers the requests of one kind, or of some names only.

    Args:
        name: of the worker; the servers of one name share the requests.
        kind: `query` or `command`.
        routes: by name, such as `query.recall`. A valid request without a route is answered with
            `unavailable`, an unknown name with `not_found`.
        exclusive: whether only the names of `routes` are served.
        excluded: names of that kind that other servers answer.
        priority: held while a request is in progress.
    """

    def __init__(
        self,
        *,
        name: str,
        kind: str,
        routes: Mapping[str, QueryRoute],
        bus: Bus,
        clock: Clock,
        settings: ServerSettings | None = None,
        priority: QueryPriority | None = None,
        exclusive: bool = False,
        excluded: Collection[str] = (),
    ) -> None:
        if unknown := [
            route for route in routes if route not in CONTRACTS or not route.startswith(f"{kind}.")
        ]:
            raise ValueError(f"{unknown} are not names of the kind {kind}")
        self.name = name
        self.health = Health(worker=name, clock=clock)
        self.measures = QueryMeasures(routes, ErrorCode)
        self._kind = kind
        self._served = tuple(routes) if exclusive else (f"{kind}.>",)
        self._excluded = frozenset(excluded)
        self._routes = routes
        self._bus = bus
        self._emitter = Emitter(bus, clock, name)
        self._clock = clock
        self._settings = settings or ServerSettings()
        self._priority = priority or QueryPriority()
        self._slots = asyncio.Semaphore(self._settings.concurrency)
        self._slots_in_parts = asyncio.Semaphore(max(1, self._settings.concurrency // 4))
        self._waiting: Counter[asyncio.Semaphore] = Counter()  # for a slot
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, stopping: asyncio.Event, ready: Callable[[], None]) -> None:
        """Serve until `stopping` is set or the task is cancelled, then answer the requests in progress.

        Args:
            ready: called once, when no request can be missed.
        """
        endpoints = await run_until(stopping, self._endpoints())
        if endpoints is None:
            self.health.set_state(WorkerState.STOPPED)
            return
        self.health.set_state(WorkerState.READY)
        ready()
        try:
            await stopping.wait()
        finally:
            self.health.set_state(WorkerState.STOPPING)
            try:
                for endpoint in endpoints:
                    await endpoint.close()
                if self._tasks:
                    await asyncio.wait(self._tasks, timeout=self._settings.grace)
            finally:
                await cancel_and_wait(*self._tasks)
                self.health.set_state(WorkerState.STOPPED)

    async def _endpoints(self) -> list[Endpoint]:
        return [await self._endpoint(every_tenant(name)) for name in self._served]

    async def _endpoint(self, subject: str) -> Endpoint:
        pauses = Backoff(first=0.2, longest=5.0)
        failures = 0
        while True:
            try:
                return await self._bus.serve(subject, self.name, self._accept)
            except BusUnavailable as error:
                failures += 1
                if failures == 1:
                    _log.warning("bus is down", worker=self.name, error=str(error))
                self.health.set_state(WorkerState.DEGRADED, str(error))
                await self._clock.sleep(pauses.delay(failures))

    def _accept(self, request: ReceivedRequest) -> None:
        if request.subject.split(".", 3)[-1] in self._excluded:
            return
        task = asyncio.get_running_loop().create_task(self._serve(request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, request: ReceivedRequest) -> None:
        trace = TraceContext.continued(request.headers.get(TRACE_PARENT))
        began = self._clock.monotonic()
        self.health.in_flight += 1
        try:
            with bind_log_context(trace, worker=self.name):
                await self._serve_addressed(request, trace, began)
        finally:
            self.health.in_flight -= 1

    async def _serve_addressed(self, request: ReceivedRequest, trace: TraceContext, began: float) -> None:
        try:
            subject = Subject.parse(request.subject)
        except InvalidSubject as error:
            invalid = ErrorBody.of(ErrorCode.INVALID_REQUEST, str(error))
            await self._send_error(request, UNKNOWN_QUERY, invalid, began)
            return
        query = subject.name if subject.name in CONTRACTS else UNKNOWN_QUERY
        with bind_log_context(None, tenant=subject.tenant, request=subject.name):
            try:
                answer, body = await self._answer(subject, request)
            except RequestError as error:
                await self._send_error(request, query, error.body, began)
                return
            except asyncio.CancelledError:
                stopped = ErrorBody.of(ErrorCode.UNAVAILABLE, "the server is stopping: try again")
                await self._send_error(request, query, stopped, began)
                raise
            await self._send(request, body, None)
            self.health.succeeded()
            self.measures.record(query, ANSWERED, self._clock.monotonic() - began)
            effects = Effects(cause=answer.cause or uuid4(), events=answer.events, trace=trace)
            try:
                await self._emitter.emit_effects(subject.tenant, effects)
            except BusError as error:
                _log.warning("events of a reply could not be published", error=str(error))

    async def _answer(self, subject: Subject, request: ReceivedRequest) -> tuple[QueryResult, bytes]:
        if subject.name not in CONTRACTS:
            reason = f"{subject.name[:80]!r} is not a {self._kind} of the contract"
            raise RequestError(ErrorCode.NOT_FOUND, reason)
        try:
            message = decode(subject.name, request.body)
        except DecodeError as error:
            raise RequestError(ErrorCode.INVALID_REQUEST, error.message, error.field) from None
        route = self._routes.get(subject.name)
        if route is None:
            raise RequestError(ErrorCode.UNAVAILABLE, f"{subject.name} is not available in this version")
        try:
            async with asyncio.timeout(self._settings.deadline) as limit:
                if route.in_parts is not None and isinstance(message, AnswerRequest) and message.stream:
                    async with self._slot(self._slots_in_parts):
                        send = self._sender(request, limit)
                        answer = await route.in_parts(subject.tenant, message, send)
                else:
                    async with self._slot(self._slots):
                        result = await route.handler(subject.tenant, message)
                    answer = result if isinstance(result, QueryResult) else QueryResult(result)
            return answer, encoded(answer.reply, route.fit)
        except RequestError:
            raise
        except TimeoutError:
            _log.warning("request was not answered in time", seconds=self._settings.deadline)
            raise RequestError(
                ErrorCode.TIMEOUT, f"there was no answer within {self._settings.deadline:g} seconds"
            ) from None
        except DependencyUnavailable as error:
            _log.warning("request could not be answered", error=str(error))
            raise RequestError(ErrorCode.UNAVAILABLE, f"{error.server} {error.state}: try again") from None
        except Exception:  # noqa: BLE001 - the caller gets a reply in any case
            _log.exception("request failed")
            raise RequestError(ErrorCode.INTERNAL, "the request failed; the server's log says why") from None

    @asynccontextmanager
    async def _slot(self, slots: asyncio.Semaphore) -> AsyncIterator[None]:
        """Hold a slot. It is waited for half of the deadline: the rest is for the work, or all is in vain."""
        if slots.locked() and self._waiting[slots] >= self._settings.waiting:
            raise RequestError(*_BUSY)
        self._waiting[slots] += 1
        try:
            async with asyncio.timeout(self._settings.deadline / 2):
                await slots.acquire()
        except TimeoutError:
            raise RequestError(*_BUSY) from None
        finally:
            self._waiting[slots] -= 1
        try:
            with self._priority.interactive():
                yield
        finally:
            slots.release()

    def _sender(self, request: ReceivedRequest, limit: asyncio.Timeout) -> SendPart:
        """Return what sends parts of a reply; each begins the deadline anew."""
        numbers = count(1)

        async def send(part: Message) -> None:
            await self._send(request, encode(part), {PART: str(next(numbers))})
            if not limit.expired():
                limit.reschedule(asyncio.get_running_loop().time() + self._settings.deadline)

        return send

    async def _send_error(self, request: ReceivedRequest, query: str, body: ErrorBody, began: float) -> None:
        if body.error.code in _FAILURES:
            self.health.failed += 1
        else:
            self.health.succeeded()
        await self._send(request, body.model_dump_json().encode(), body.headers())
        self.measures.record(query, body.error.code, self._clock.monotonic() - began)

    async def _send(self, request: ReceivedRequest, body: bytes, headers: Mapping[str, str] | None) -> None:
        try:
            await request.respond(body, headers)
        except BusError as error:
            _log.warning("reply could not be sent", error=str(error), bytes=len(body))
