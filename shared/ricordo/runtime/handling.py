"""The interface of handlers: events in, one outcome per event out; a request in, a reply or an error out.

A handler never acknowledges, publishes, sleeps or retries; the runtime does, by its outcomes.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, Self, TypeAlias, TypeVar, runtime_checkable
from uuid import UUID

from ricordo.messages.codec import encode
from ricordo.messages.errors import ErrorBody, ErrorCode
from ricordo.messages.events import DerivedEvent
from ricordo.messages.message_types import REPLY_MAX_BYTES, Message

E_co = TypeVar("E_co", covariant=True)
E_contra = TypeVar("E_contra", contravariant=True)

_REASON_MAX_CHARS: Final = 300
Q_contra = TypeVar("Q_contra", bound=Message, contravariant=True)

SendPart: TypeAlias = Callable[[Message], Awaitable[None]]
"""Sends a part of a reply; never raises, as the reply holds all parts."""


@dataclass(frozen=True, slots=True)
class Envelope(Generic[E_co]):
    """One delivered event.

    Attributes:
        tenant: from the subject, which permissions protect.
        id: the cause of everything that handling this event produces; the same at every delivery.
        attempt: number of deliveries so far, this one included.
        traceparent: W3C trace context of its handling; produced events continue it.
    """

    tenant: str
    id: UUID
    subject: str
    body: E_co
    attempt: int
    traceparent: str | None


@dataclass(frozen=True, slots=True)
class Done:
    """The event was handled; `events` are published before it is acknowledged."""

    events: tuple[DerivedEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class Reject:
    """The event can never be handled and becomes a dead letter."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Retry:
    """The event cannot be handled now.

    Attributes:
        after: seconds to wait; None for the worker's backoff.
        reason: for the log and, after the last attempt, for the dead letter.
        is_failure: whether it counts for the worker's circuit breaker.
    """

    after: float | None = None
    reason: str = ""
    is_failure: bool = False

    @classmethod
    def because(cls, error: Exception) -> Self:
        """Return an outcome whose reason is `error`, shortened for logs and dead letters."""
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return cls(reason=reason[:_REASON_MAX_CHARS], is_failure=True)


Outcome = Done | Reject | Retry


class Handler(Protocol[E_contra]):
    """Handles events of one tenant."""

    async def __call__(self, tenant: str, events: Sequence[Envelope[E_contra]], /) -> Sequence[Outcome]:
        """Handle `events` (at least one), all of `tenant`.

        Returns:
            One outcome per event, in the same order.

        Raises:
            Exception: any error is transient; the events of a larger batch are then handled one by one.
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


class QueryHandler(Protocol[Q_contra]):
    """Answers the requests of one name."""

    async def __call__(self, tenant: str, request: Q_contra, /) -> Message | QueryResult:
        """Answer `request` of `tenant`.

        Raises:
            RequestError: replied as an error of the contract.
            Exception: any other error is logged, and replied as `internal`.
        """


@runtime_checkable
class PartsHandler(Protocol[Q_contra]):
    """A query handler that can send parts of a reply before it."""

    async def in_parts(self, tenant: str, request: Q_contra, send: SendPart, /) -> QueryResult:
        """Answer `request` of `tenant`, which has `stream`, as a call of the handler does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRoute:
    """How the requests of one name are handled.

    Attributes:
        handler: answers.
        deadline: seconds from the arrival of a request, or its last part, to a reply with `timeout`.
        fit: shortens a reply to a number of bytes of JSON; None to refuse a reply that is too long.
    """

    handler: QueryHandler[Any]
    deadline: float = 5.0
    fit: Callable[[Any, int], Message] | None = None


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
