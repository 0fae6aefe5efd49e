"""Errors of requests, reasons of dead letters, and descriptions of validation errors."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ricordo.messages.message_types import ID_PATTERN, Message

SERVICE_ERROR: Final = "Nats-Service-Error"
SERVICE_ERROR_CODE: Final = "Nats-Service-Error-Code"
DEAD_LETTER_REASON: Final = "Ricordo-Reason"
DEAD_LETTER_ATTEMPTS: Final = "Ricordo-Attempts"
DEAD_LETTER_SEQUENCE: Final = "Ricordo-Stream-Seq"

_HEADER_MAX_CHARS = 500

_PATTERNS: Final = {ID_PATTERN: "must be 1 to 128 printable ASCII characters without spaces"}
_OWN: Final = {
    "missing": "is required",
    "model_type": "must be a JSON object",
    "model_attributes_type": "must be a JSON object",
    "dict_type": "must be a JSON object",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "extra_forbidden": "is unknown",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_parsing": "must be a valid integer",
    "float_parsing": "must be a valid number",
    "path_type": "must be a path",
    "uuid_parsing": "must be a valid UUID",
}
"""By the type of pydantic's error, if pydantic's own text is about Python or too detailed."""
_OPENING: Final = re.compile(r"(Input should be|(?:String|Value|Tuple|List|Dictionary) should)\b")


class ErrorCode(StrEnum):
    """Why a query or command failed."""

    INVALID_REQUEST = "invalid_request"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    INTERNAL = "internal"
    UNAVAILABLE = "unavailable"
    TIMEOUT = "timeout"

    @property
    def number(self) -> int:
        """The number of `Nats-Service-Error-Code`, as in HTTP."""
        return _NUMBERS[self]


_NUMBERS: Final[dict[ErrorCode, int]] = {
    ErrorCode.INVALID_REQUEST: 400,
    ErrorCode.FORBIDDEN: 403,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.INTERNAL: 500,
    ErrorCode.UNAVAILABLE: 503,
    ErrorCode.TIMEOUT: 504,
}


class DeadLetterCode(StrEnum):
    """Why an event was dead-lettered; the wire contract has causes and remedies."""

    NOT_JSON = "not_json"
    INVALID = "invalid"
    INVALID_SUBJECT = "invalid_subject"
    ID_CONFLICT = "id_conflict"
    QUOTA_EXCEEDED = "quota_exceeded"
    DOCUMENTS_UNAVAILABLE = "documents_unavailable"
    ATTEMPTS_EXHAUSTED = "attempts_exhausted"


ID_TAKEN: Final = (
    "the id {} is taken by a message with another content, user, conversation or role; "
    "the first to arrive stays"
)


class ErrorDetail(Message):
    """A sentence that describes the error."""

    code: ErrorCode
    message: str
    field: str | None = None
    """The field at fault, such as `filters.start`."""


class ErrorBody(Message):
    """The reply to a query or command that failed."""

    error: ErrorDetail

    @classmethod
    def of(cls, code: ErrorCode, message: str, field: str | None = None) -> "ErrorBody":
        """Build the reply."""
        return cls(error=ErrorDetail(code=code, message=message, field=field))

    def headers(self) -> dict[str, str]:
        """Return the headers that mark a reply as an error, as NATS services do."""
        return {
            SERVICE_ERROR: header_text(f"{self.error.code}: {self.error.message}"),
            SERVICE_ERROR_CODE: str(self.error.code.number),
        }


class DecodeError(ValueError):
    """A body that cannot be decoded.

    Attributes:
        code: `not_json`, `invalid` or `invalid_subject`.
        message: a sentence without the offending value.
        field: the field at fault, such as `filters.start`; None for the body as a whole.
    """

    def __init__(self, code: DeadLetterCode, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field

    @classmethod
    def from_validation(cls, error: ValidationError) -> "DecodeError":
        """Describe the first error of a validation, or all missing fields."""
        found = error.errors(include_url=False, include_input=False)
        first = found[0]
        if first["type"] == "json_invalid":
            detail = first["ctx"]["error"] if "ctx" in first else first["msg"]
            return cls(DeadLetterCode.NOT_JSON, f"the body is not JSON: {detail}")
        field = _field(first)
        missing = [_field(item) or "" for item in found if item["type"] == "missing"]
        if first["type"] == "missing" and len(missing) > 1:
            return cls(DeadLetterCode.INVALID, f"{', '.join(missing)} are required", field)
        sentence = "the body must be a JSON object" if field is None else f"{field} {reason(first)}"
        return cls(DeadLetterCode.INVALID, sentence, field)

    def body(self) -> ErrorBody:
        """Return the reply to a request that cannot be decoded."""
        return ErrorBody.of(ErrorCode.INVALID_REQUEST, self.message, self.field)


def _field(error: ErrorDetails) -> str | None:
    blamed = error.get("ctx", {}).get("field")
    path = (*error["loc"], blamed) if isinstance(blamed, str) else error["loc"]
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or None


def header_text(text: str) -> str:
    """Return `text` as one line of printable ASCII, at most 500 characters."""
    line = " ".join(text.split()).encode("ascii", "backslashreplace").decode()
    return "".join(char if char.isprintable() else "?" for char in line)[:_HEADER_MAX_CHARS]


def dead_letter_headers(code: str, reason: str, attempts: int, sequence: int) -> dict[str, str]:
    """Return the headers of a dead letter.

    Args:
        code: a `DeadLetterCode`.
    """
    return {
        DEAD_LETTER_REASON: header_text(f"{code}: {reason}"),
        DEAD_LETTER_ATTEMPTS: str(attempts),
        DEAD_LETTER_SEQUENCE: str(sequence),
    }


def dead_letter_reason(headers: Mapping[str, str]) -> tuple[str, str]:
    """Return code and sentence of a dead letter, each empty when absent."""
    code, _, sentence = headers.get(DEAD_LETTER_REASON, "").partition(":")
    return code.strip(), sentence.strip()


def reason(error: ErrorDetails) -> str:
    """Describe what a value must be, without the value, to follow its name: `must be greater than 0`."""
    if error["type"] == "string_pattern_mismatch":
        pattern = error.get("ctx", {}).get("pattern", "")
        return _PATTERNS.get(pattern, f"must match {pattern}")
    if own := _OWN.get(error["type"]):
        return own
    text = _OPENING.sub(lambda found: "must be" if found[1].endswith("be") else "must", error["msg"], count=1)
    return text.replace(" after validation", "")
