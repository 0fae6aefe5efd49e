"""Translates replies and errors of NATS into exceptions of the client."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, TypeVar

import nats.errors
import nats.js.errors
from nats.aio.msg import Msg

from ricordo.client.exceptions import (
    Internal,
    InvalidRequest,
    NoResponders,
    RicordoError,
    StreamFull,
    Timeout,
    Unavailable,
    from_detail,
    from_number,
)
from ricordo.messages.codec import decode_as
from ricordo.messages.errors import SERVICE_ERROR, SERVICE_ERROR_CODE, DecodeError, ErrorBody
from ricordo.messages.message_types import Message
from ricordo.messages.subjects import Subject

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
            raise from_detail(decode_as(ErrorBody, message.data).error)
    if number is not None:
        raise from_number(number, headers.get(SERVICE_ERROR, "no reason given"))
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
