"""Exceptions of the client, and what replies and errors of NATS become.

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

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import ClassVar, Final, TypeVar

import nats.errors
import nats.js.errors
from nats.aio.msg import Msg

from ricordo.messages.codec import decode_as
from ricordo.messages.errors import SERVICE_ERROR, SERVICE_ERROR_CODE, DecodeError, ErrorBody, ErrorCode
from ricordo.messages.message_types import Message
from ricordo.messages.subjects import Subject

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


_BY_CODE: Final[dict[ErrorCode, type[RicordoError]]] = {
    kind.code: kind for kind in (InvalidRequest, Forbidden, NotFound, Unavailable, Timeout, Internal)
}
_BY_NUMBER: Final = {str(code.number): kind for code, kind in _BY_CODE.items()}


def first_of(group: BaseExceptionGroup[E]) -> E:
    """Return the first exception of a group."""
    first = group.exceptions[0]
    return first_of(first) if isinstance(first, BaseExceptionGroup) else first


R = TypeVar("R", bound=Message)

_STREAM_FULL: Final = re.compile(r"maximum (bytes|messages) exceeded|insufficient.*(storage|resources)")
_MESSAGE_TOO_LARGE: Final = 10054
_WHERE_ERRORS_BEGIN: Final = 32


@contextmanager
def translated(subject: str, timeout: float, is_connected: Callable[[], bool]) -> Iterator[None]:
    """Translate errors of NATS into `RicordoError`."""
    try:
        yield
    except nats.errors.NoRespondersError:
        raise NoResponders(
            f"nobody answers {Subject.parse(subject).name}: is the worker that owns it running? "
            "`ricordo up` starts all of them, `ricordo doctor` says which one is missing"
        ) from None
    except nats.js.errors.NoStreamResponseError:
        raise Unavailable(
            f"no stream keeps {subject}: is Ricordo running? `ricordo up` starts it with its streams"
        ) from None
    except nats.js.errors.APIError as error:
        raise _refusal(error) from None
    except nats.errors.MaxPayloadError:
        raise InvalidRequest("the message is larger than the server allows") from None
    except TimeoutError:
        if not is_connected():
            raise Unavailable("the connection to NATS is down; the client keeps reconnecting") from None
        raise Timeout(f"no answer to {subject} within {timeout:g} s") from None
    except (nats.errors.Error, OSError) as error:
        raise Unavailable(f"the connection to NATS does not work: {error}") from None


def _refusal(error: nats.js.errors.APIError) -> RicordoError:
    description = error.description or "no reason given"
    if error.err_code == _MESSAGE_TOO_LARGE:
        return InvalidRequest(f"the message is larger than the stream allows: {description}")
    if _STREAM_FULL.search(description):
        return StreamFull(
            f"the stream takes no more messages now ({description}): publish again when the workers caught up"
        )
    return Unavailable(f"the stream did not take the message: {description}")


def successful(message: Msg) -> bytes:
    """Return the body of a reply.

    Raises:
        RicordoError: it is an error.
    """
    headers = message.headers or {}
    number = headers.get(SERVICE_ERROR_CODE)
    if number is not None or b'"error"' in message.data[:_WHERE_ERRORS_BEGIN]:
        with suppress(DecodeError):  # a status, too, has a field `error`, which is no object
            detail = decode_as(ErrorBody, message.data).error
            raise _BY_CODE[detail.code](detail.message, detail.field)
    if number is not None:  # of a body that cannot be read
        raise _BY_NUMBER.get(number, Internal)(headers.get(SERVICE_ERROR, "no reason given"))
    return message.data


def answer(body: bytes, name: str, reply: type[R]) -> R:
    """Decode the body of a reply.

    Args:
        name: of the request, such as `query.recall`.

    Raises:
        Internal: it cannot be decoded.
    """
    try:
        return decode_as(reply, body)
    except DecodeError as error:
        raise Internal(f"the answer to {name} cannot be read: {error.message}", error.field) from None
