"""Cursors of listings: opaque, URL-safe, and valid for one request of one user only."""

import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from typing import Final

from ricordo.messages.errors import ErrorCode
from ricordo.runtime.replies import RequestError

_DIGEST: Final = 16  # bytes
_ADVICE: Final = (
    "must be the `next` of an earlier reply to the same request, at most an hour old; begin without"
)


def invalid_cursor() -> RequestError:
    """Return the error of a cursor that is damaged, expired, or of another request."""
    return RequestError(ErrorCode.INVALID_REQUEST, f"cursor {_ADVICE}", "cursor")


def seal(position: bytes, *bound: str) -> str:
    """Return a cursor for a position, which `unseal` reads with the same `bound` only.

    The digest finds mistakes and damage. It is no secret: a forged position reaches nothing but rows that its
    user may read anyway.
    """
    return urlsafe_b64encode(_digest(position, bound) + position).decode().rstrip("=")


def unseal(cursor: str, *bound: str) -> bytes:
    """Return the position of a cursor.

    Raises:
        RequestError: the cursor is damaged, or of another request.
    """
    try:
        raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except (Base64Error, ValueError):
        raise invalid_cursor() from None
    position = raw[_DIGEST:]
    # Some texts differ in bits that no byte holds: a cursor has one spelling.
    if raw[:_DIGEST] != _digest(position, bound) or seal(position, *bound) != cursor:
        raise invalid_cursor()
    return position


def _digest(position: bytes, bound: tuple[str, ...]) -> bytes:
    digest = hashlib.blake2b(position, digest_size=_DIGEST)
    for text in bound:
        digest.update(b"\0" + text.encode())
    return digest.digest()
