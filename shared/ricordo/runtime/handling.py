"""The interface of handlers: events in, one outcome per event out; a request in, a reply or an error out.

A handler never acknowledges, publishes, sleeps or retries; the runtime does, by its outcomes.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Generic, Self, TypeAlias, TypeVar
from uuid import UUID

from ricordo.messages.answers import AnswerRequest
from ricordo.messages.codec import encode
from ricordo.messages.errors import ErrorBody, ErrorCode
from ricordo.messages.event_items import DerivedEvent
from ricordo.messages.message_types import REPLY_MAX_BYTES, Message
from ricordo.runtime.tracing import TraceContext

E_co = TypeVar("E_co", covariant=True)

_REASON_MAX_CHARS: Final = 300

SendPart: TypeAlias = Callable[[Message], Awaitable[None]]
"""Sends a part of a reply; never raises, as the reply holds all parts."""


@dataclass(frozen=True, slots=True)
class Envelope(Generic[E_co]):
    """One delivered event, or one item of it.

    Attributes:
        tenant: from the subject, which permissions protect.
        id: the cause of everything that handling this event produces; the same at every delivery.
        attempt: number of deliveries so far, this one included.
        trace: context of its handling; produced events continue it.
        at: when it happened.
        is_bulk: whether it is of the bulk lane, as then are the events that it leads to.
    """

    tenant: str
    id: UUID
    subject: str
    body: E_co
    attempt: int
    trace: TraceContext | None
    at: datetime
    is_bulk: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """The event was handled; the events that follow are published before it is acknowledged.

    Attributes:
        events: published on the lane of what was handled.
        bulk_events: published on the bulk lane.
    """

    events: tuple[DerivedEvent, ...] = ()
    bulk_events: tuple[DerivedEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class Reject:
    """The event can never be handled and becomes a dead letter."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Retry:
    """The event cannot be handled now, and is delivered again after a pause.

    Attributes:
        reason: for the log and, after the last attempt, for the dead letter.
        is_failure: whether it counts for the worker's circuit breaker.
    """

    reason: str = ""
    is_failure: bool = False

    @classmethod
    def because(cls, error: Exception) -> Self:
        """Return an outcome whose reason is `error`, shortened for logs and dead letters."""
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return cls(reason=reason[:_REASON_MAX_CHARS], is_failure=True)


Outcome = Done | Reject | Retry


Handler: TypeAlias = Callable[[str, Sequence[Envelope[Any]]], Awaitable[Sequence[Outcome]]]
"""Handles events of a tenant, at least one; returns one outcome per event, in the same order.

Any error that it raises is transient; the events of a larger batch are then handled one by one.
"""


class RequestError(Exception):
    """Raised by a query or command handler to reply with an error of the contract."""

    def __init__(self, code: ErrorCode, message: str, field: str | None = None) -> None:
        super().__init__(f"{code}: {message}")
        self.body = ErrorBody.of(code, message, field)


@dataclass(frozen=True, slots=True)
class QueryResult:
    """A reply, and the events that follow from it.

    Attributes:
        reply: sent to the caller.
        events: published after the reply was sent; the caller does not wait for them.
        cause: the id from which the ids of `events` are derived; None for random ones.
    """

    reply: Message
    events: tuple[DerivedEvent, ...] = ()
    cause: UUID | None = None


QueryHandler: TypeAlias = Callable[[str, Any], Awaitable[Message | QueryResult]]
"""Answers a request of a tenant.

A `RequestError` is replied as an error of the contract; any other error is logged, and replied as `internal`.
"""


@dataclass(frozen=True, slots=True)
class QueryRoute:
    """How the requests of one name are handled.

    Attributes:
        handler: answers.
        fit: shortens a reply to a number of bytes of JSON; None to refuse a reply that is too long.
        in_parts: answers a request that has `stream`, and sends parts of the reply before; None for whole
            replies only.
    """

    handler: QueryHandler
    fit: Callable[[Any, int], Message] | None = None
    in_parts: Callable[[str, AnswerRequest, SendPart], Awaitable[QueryResult]] | None = None


def encoded(reply: Message, fit: Callable[[Any, int], Message] | None) -> bytes:
    """Encode `reply`, shortened if it is too long.

    Raises:
        RequestError: it is too long and cannot be shortened enough.
    """
    body = encode(reply)
    if len(body) < REPLY_MAX_BYTES:
        return body
    if fit is not None:
        body = encode(fit(reply, REPLY_MAX_BYTES))
    if len(body) < REPLY_MAX_BYTES:
        return body
    raise RequestError(
        ErrorCode.INVALID_REQUEST, "the reply would be larger than the bus carries: ask for less", "limit"
    )
