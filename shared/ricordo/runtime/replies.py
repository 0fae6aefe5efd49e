"""Replies to queries and commands, and their errors."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from uuid import UUID

from ricordo.messages.codec import encode
from ricordo.messages.errors import ErrorBody, ErrorCode
from ricordo.messages.events import DerivedEvent
from ricordo.messages.message_types import REPLY_MAX_BYTES, Message

Q_contra = TypeVar("Q_contra", bound=Message, contravariant=True)


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
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRoute:
    """How the requests of one name are handled.

    Attributes:
        handler: answers.
        deadline: seconds from the arrival of a request to a reply with `timeout`.
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
