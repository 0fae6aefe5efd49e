"""What a call of the client can raise.

RicordoError
├── InvalidRequest      a field is missing, wrong or out of range; raised before sending where possible
├── Forbidden           wrong credentials, or no permission for this tenant or subject
├── NotFound            no such memory, fact or recall
├── Unavailable         nobody answers, or what would answer is not there now: try again later
│   ├── NoResponders    nobody is there who would answer: nothing was done
│   └── StreamFull      the input stream refuses more: wait until the workers have caught up
├── Timeout             no answer in time; also a `TimeoutError`
└── Internal            the other side failed, or answered what cannot be read
"""

from typing import ClassVar, TypeVar

from ricordo.messages.errors import DecodeError, ErrorCode, ErrorDetail

E = TypeVar("E", bound=BaseException)


class RicordoError(Exception):
    """The root of all that the client raises.

    Attributes:
        code: the code on the wire.
        message: a sentence.
        field: the field at fault, such as `filters.start`; None where there is none.
    """

    code: ClassVar[ErrorCode] = ErrorCode.INTERNAL

    def __init__(self, message: str, field: str | None = None) -> None:
        """Keep the sentence and the field."""
        super().__init__(message)
        self.message = message
        self.field = field


class InvalidRequest(RicordoError):
    """A field is missing, wrong or out of range."""

    code = ErrorCode.INVALID_REQUEST

    @classmethod
    def from_decoding(cls, error: DecodeError) -> "InvalidRequest":
        """Say what a validation on this side found."""
        return cls(error.message, error.field)


class Forbidden(RicordoError):
    """The credentials are wrong, or do not allow this."""

    code = ErrorCode.FORBIDDEN


class NotFound(RicordoError):
    """There is no such memory, fact or recall."""

    code = ErrorCode.NOT_FOUND


class Unavailable(RicordoError):
    """Nobody answers, or what would answer is not there now."""

    code = ErrorCode.UNAVAILABLE


class NoResponders(Unavailable):
    """Nobody is there who would answer. Nothing was done."""


class StreamFull(Unavailable):
    """The input stream refuses more until the workers have caught up. Nothing was stored."""


class Timeout(RicordoError, TimeoutError):
    """There was no answer in time. What was asked may have happened; it is safe to repeat."""

    code = ErrorCode.TIMEOUT


class Internal(RicordoError):
    """The other side failed, or answered what cannot be read."""


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
    """Return what was raised first of what is in `group`."""
    first = group.exceptions[0]
    return first_of(first) if isinstance(first, BaseExceptionGroup) else first
