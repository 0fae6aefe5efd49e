"""Exceptions of the client.

RicordoError
├── InvalidRequest      a field is missing, wrong or out of range; raised before sending where possible
├── Forbidden           wrong credentials, or no permission for this tenant or subject
├── NotFound            no such memory, fact or recall
├── Unavailable         a server or worker is down: try again later
│   ├── NoResponders    no worker listens: nothing was done
│   └── StreamFull      the input stream is full: wait until the workers have caught up
├── Timeout             no reply in time; also a `TimeoutError`
└── Internal            a worker failed, or its reply cannot be read
"""

from typing import ClassVar, TypeVar

from ricordo.messages.errors import DecodeError, ErrorCode, ErrorDetail

E = TypeVar("E", bound=BaseException)


class RicordoError(Exception):
    """Base class of the client's exceptions.

    Attributes:
        code: error code of the wire contract.
        message: a sentence.
        field: the invalid field, such as `filters.start`, or None.
    """

    code: ClassVar[ErrorCode] = ErrorCode.INTERNAL

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class InvalidRequest(RicordoError):
    """A field is missing, wrong or out of range."""

    code = ErrorCode.INVALID_REQUEST

    @classmethod
    def from_decoding(cls, error: DecodeError) -> "InvalidRequest":
        """Describe a validation error."""
        return cls(error.message, error.field)


class Forbidden(RicordoError):
    """The credentials are wrong, or do not allow this."""

    code = ErrorCode.FORBIDDEN


class NotFound(RicordoError):
    """There is no such memory, fact or recall."""

    code = ErrorCode.NOT_FOUND


class Unavailable(RicordoError):
    """A server or worker is down."""

    code = ErrorCode.UNAVAILABLE


class NoResponders(Unavailable):
    """No worker listens. Nothing was done."""


class StreamFull(Unavailable):
    """The input stream is full until the workers have caught up. Nothing was stored."""


class Timeout(RicordoError, TimeoutError):
    """There was no reply in time. The request may have been executed; it is safe to repeat."""

    code = ErrorCode.TIMEOUT


class Internal(RicordoError):
    """A worker failed, or its reply cannot be read."""


_BY_CODE: dict[ErrorCode, type[RicordoError]] = {
    kind.code: kind for kind in (InvalidRequest, Forbidden, NotFound, Unavailable, Timeout, Internal)
}


def from_detail(detail: ErrorDetail) -> RicordoError:
    """Return the exception for an error reply."""
    return _BY_CODE[detail.code](detail.message, detail.field)


def from_number(number: str, message: str) -> RicordoError:
    """Return the exception for a `Nats-Service-Error-Code` without a body that can be read."""
    for code, kind in _BY_CODE.items():
        if str(code.number) == number:
            return kind(message)
    return Internal(message)


def first_of(group: BaseExceptionGroup[E]) -> E:
    """Return the first exception of a group."""
    first = group.exceptions[0]
    return first_of(first) if isinstance(first, BaseExceptionGroup) else first
