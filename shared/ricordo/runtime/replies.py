"""From a request to its reply, and to a precise error where there is none."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from uuid import UUID

from ricordo.messages.base import REPLY_MAX_BYTES, Message
from ricordo.messages.codec import encode
from ricordo.messages.errors import ErrorBody, ErrorCode
from ricordo.messages.events import DerivedEvent

Q_contra = TypeVar("Q_contra", bound=Message, contravariant=True)


class RequestError(Exception):
    """Raised by a query or command handler to answer with an error of the contract."""

    def __init__(self, code: ErrorCode, message: str, field: str | None = None) -> None:
        super().__init__(f"{code}: {message}")
        self.body = ErrorBody.of(code, message, field)


@dataclass(frozen=True, slots=True)
class QueryResult:
    """A reply, and what follows from having given it.

    Attributes:
        reply: what the caller gets.
        events: published after the reply was sent; the caller does not wait for them.
        cause: the id from which the ids of `events` follow; None where any will do.
    """

    reply: Message
    events: tuple[DerivedEvent, ...] = ()
    cause: UUID | None = None


class QueryHandler(Protocol[Q_contra]):
    """Answers the requests of one name."""

    async def __call__(self, tenant: str, request: Q_contra, /) -> Message | QueryResult:
        """QueryResult `request` of `tenant`.

        Raises:
            RequestError: there is an error of the contract to answer with.
            Exception: anything else is answered with `internal`, and logged.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRoute:
    """What is done with the requests of one name.

    Attributes:
        handler: answers.
        deadline: seconds from the arrival of a request after which it is answered with `timeout`.
        fit: shortens a reply whose JSON is longer than the given number of bytes; None refuses such a reply.
    """

    handler: QueryHandler[Any]
    deadline: float = 5.0
    fit: Callable[[Any, int], Message] | None = None


def encoded(reply: Message, fit: Callable[[Any, int], Message] | None) -> bytes:
    """Write `reply`, shortened where it would not fit.

    Raises:
        RequestError: it is too long, and there is no way to shorten it, or not enough of one.
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
