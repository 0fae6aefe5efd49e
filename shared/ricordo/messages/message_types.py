"""Base types of messages: frozen model, ids, instants, clean text."""

import json
import math
import re
import unicodedata
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import Annotated, Final
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    PlainSerializer,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

ID_PATTERN: Final = r"^[\x21-\x7e]{1,128}$"
TENANT_PATTERN: Final = r"^[a-z0-9][a-z0-9-]{0,62}$"
CONTENT_MAX_CHARS: Final = 32_768
METADATA_MAX_BYTES: Final = 16_384
NOTE_MAX_BYTES: Final = 4_096
DOCUMENT_MAX_BYTES: Final = 8_388_608
JSON_MAX_DEPTH: Final = 32
REPLY_MAX_BYTES: Final = 900_000
"""A reply stays below this size: from the lowest rank up, it loses what is long."""

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_ZONE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,31}(/[A-Za-z0-9_+-]{1,31}){0,2}", re.ASCII)
_LANGUAGE_TAG = re.compile(r"([A-Za-z]{2,3})([-_][A-Za-z0-9]{1,8})*", re.ASCII)
_SURROGATE = re.compile("[\ud800-\udfff]")
_FIRST, _LAST = datetime(1, 1, 3, tzinfo=UTC), datetime(9999, 12, 29, tzinfo=UTC)
_CALENDAR_ADVICE = "must lie between 3 January of the year 1 and 29 December 9999"
_INSTANT_ADVICE = "must be an RFC 3339 instant with an offset, such as 2026-02-01T14:30:00+01:00"


class Message(BaseModel):
    """Base class of all messages: immutable, and ignores unknown fields."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        defer_build=True,  # a process uses few models; all of them take a quarter of a second
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        json_schema_serialization_defaults_required=True,
    )


def refused(reason: str, field: str = "") -> PydanticCustomError:
    """Return the error that a validator raises.

    Args:
        reason: what the value must be, to follow the field's name: "must not be empty".
        field: the field at fault, for a rule about several of them.
    """
    context: dict[str, str] = {"field": field} if field else {}
    return PydanticCustomError("refused", reason.replace("{", "{{").replace("}", "}}"), context)


def parse_instant(value: object) -> datetime:
    """Parse an instant.

    Args:
        value: an RFC 3339 text with an offset, or an aware datetime. Digits beyond microseconds are cut.

    Returns:
        The same instant in UTC.

    Raises:
        PydanticCustomError: it is no instant, has no offset, or is so near the ends of the calendar (years 1
            to 9999) that it does not exist in every time zone.
    """
    if isinstance(value, str):
        return _instant_in(value)
    if not isinstance(value, datetime) or value.utcoffset() is None:
        raise refused(_INSTANT_ADVICE)
    return _in_utc(value)


def parse_local_instant(value: object) -> datetime:
    """Parse an instant as `parse_instant`, but keep its offset, which tells the zone of who wrote it."""
    instant = parse_instant(value)
    written = datetime.fromisoformat(value.upper()) if isinstance(value, str) else value
    offset = written.utcoffset() if isinstance(written, datetime) else None
    return instant.astimezone(timezone(offset)) if offset and not offset % timedelta(minutes=1) else instant


@lru_cache(maxsize=256)
def _instant_in(text: str) -> datetime:
    if _RFC3339.fullmatch(text) is None:
        raise refused(_INSTANT_ADVICE)
    try:
        value = datetime.fromisoformat(text.upper())
    except ValueError:
        raise refused("must be an instant that exists in the calendar") from None
    return _in_utc(value)


def _in_utc(value: datetime) -> datetime:
    try:
        instant = value.astimezone(UTC)
    except OverflowError:
        raise refused(_CALENDAR_ADVICE) from None
    if not _FIRST <= instant < _LAST:
        raise refused(_CALENDAR_ADVICE)
    return instant


def format_local_instant(instant: datetime) -> str:
    """Format an aware instant as RFC 3339 with its own offset, `Z` for UTC."""
    offset = instant.isoformat()[-6:] if instant.utcoffset() else "Z"
    return format_instant(instant.replace(tzinfo=UTC)).removesuffix("Z") + offset


# The events of a batch share their instant.
@lru_cache(maxsize=256)
def format_instant(instant: datetime) -> str:
    """Format an aware instant as RFC 3339 in UTC with `Z`, with 0, 3 or 6 decimals as needed."""
    utc = instant.astimezone(UTC).replace(tzinfo=None)
    if not utc.microsecond:
        return f"{utc.isoformat(timespec='seconds')}Z"
    return f"{utc.isoformat(timespec='microseconds' if utc.microsecond % 1000 else 'milliseconds')}Z"


def clean_text(value: str) -> str:
    """Normalise to NFC, and reject what cannot be stored: NUL in PostgreSQL, lone surrogates in UTF-8.

    Raises:
        PydanticCustomError: the text contains a NUL character or a lone surrogate.
    """
    if "\x00" in value:
        raise refused("must not contain NUL characters")
    if value.isascii():
        return value
    if _SURROGATE.search(value) is not None:
        raise refused("must not contain lone surrogates")
    return unicodedata.normalize("NFC", value)


def _within(limit: int) -> Callable[[str], str]:
    def check(value: str) -> str:
        text = clean_text(value)
        if not text.strip():
            raise refused("must not be empty or blank")
        if len(text) > limit:
            raise refused(
                f"must have at most {limit:,} characters after NFC normalisation, not {len(text):,}"
            )
        return text

    return check


def _blank_to_none(value: object) -> object:
    return None if value == "" else value


@lru_cache(maxsize=1024)
def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True


def _zone(name: str) -> str:
    if _ZONE_NAME.fullmatch(name) is None or not _is_zone(name):
        raise refused("must be a time zone of the IANA database, such as Europe/Rome")
    return name


def _language(tag: str) -> str:
    match = _LANGUAGE_TAG.fullmatch(tag)
    if match is None:
        raise refused("must be a language tag such as it, en or pt-BR")
    return match[1].lower()


def _check_json(value: object, depth: int = 0) -> None:
    if depth > JSON_MAX_DEPTH:
        raise refused(f"must not nest deeper than {JSON_MAX_DEPTH} levels")
    if isinstance(value, str):
        clean_text(value)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise refused("must have texts as keys")
            clean_text(key)
            _check_json(item, depth + 1)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_json(item, depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise refused("must not contain NaN or an infinity")
    elif not (value is None or isinstance(value, bool | int | float)):
        raise refused("must hold nothing but JSON values")


def _json_within(limit: int) -> Callable[[object], object]:
    # Runs before pydantic's own check, whose errors on JSON values point into its union of types.
    def check(value: object) -> object:
        _check_json(value)
        size = len(json.dumps(value, ensure_ascii=False).encode())
        if size > limit:
            raise refused(f"must take at most {limit:,} bytes as JSON, not {size:,}")
        return value

    return check


def _object_within(limit: int) -> Callable[[object], object]:
    within = _json_within(limit)

    def check(value: object) -> object:
        if not isinstance(value, Mapping):
            raise refused("must be a JSON object")
        return within(dict(value))

    return check


def _base64(value: object) -> bytes:
    if isinstance(value, str):
        try:
            value = b64decode(value, validate=True)
        except (Base64Error, ValueError):
            raise refused("must be base64 without line breaks") from None
    if not isinstance(value, bytes):
        raise refused("must be base64 text")
    if not 0 < len(value) <= DOCUMENT_MAX_BYTES:
        raise refused(f"must hold 1 to {DOCUMENT_MAX_BYTES:,} bytes")
    return value


Id = Annotated[str, Field(pattern=ID_PATTERN)]
"""Of a user, a conversation, a message or a request: 1 to 128 printable ASCII characters without spaces."""

Instant = Annotated[
    datetime,
    PlainValidator(parse_instant, json_schema_input_type=str),
    PlainSerializer(format_instant, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""Aware and in UTC once validated; RFC 3339 with any offset when read, with `Z` when written."""

LocalInstant = Annotated[
    datetime,
    PlainValidator(parse_local_instant, json_schema_input_type=str),
    PlainSerializer(format_local_instant, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""As `Instant`, with the offset that it was written with."""

Content = Annotated[
    str,
    AfterValidator(_within(CONTENT_MAX_CHARS)),
    Field(json_schema_extra={"minLength": 1, "maxLength": CONTENT_MAX_CHARS}),
]
"""What was said: 1 to 32,768 characters after NFC normalisation, not blank, no NUL."""

Label = Annotated[
    str, AfterValidator(_within(256)), Field(json_schema_extra={"minLength": 1, "maxLength": 256})
]
"""A name, a tag, a topic: 1 to 256 characters after NFC normalisation, not blank, no NUL."""

OptionalLabel = Annotated[
    Label | None,
    BeforeValidator(_blank_to_none, json_schema_input_type=Annotated[str, Field(max_length=256)] | None),
]
"""A label, or nothing; the empty text means nothing."""

Labels = Annotated[tuple[Label, ...], Field(max_length=64)]
"""Up to 64 labels."""

TimeZone = Annotated[
    Annotated[str, AfterValidator(_zone)] | None,
    BeforeValidator(_blank_to_none, json_schema_input_type=str | None),
]
"""A name of the IANA time zone database, or nothing."""

Language = Annotated[
    Annotated[str, AfterValidator(_language)] | None,
    BeforeValidator(_blank_to_none, json_schema_input_type=str | None),
]
"""A BCP 47 tag when read, its primary language in lower case once validated (`it-IT` is `it`), or nothing."""

JsonObject = dict[str, JsonValue]

Metadata = Annotated[JsonObject, BeforeValidator(_object_within(METADATA_MAX_BYTES))]
"""A JSON object of the bot's own, at most 16,384 bytes."""

NoteValue = Annotated[JsonValue, BeforeValidator(_json_within(NOTE_MAX_BYTES))]
"""Any JSON value of at most 4,096 bytes."""

Base64 = Annotated[
    bytes,
    PlainValidator(_base64, json_schema_input_type=str),
    PlainSerializer(lambda value: b64encode(value).decode(), return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "contentEncoding": "base64"}),
]
"""Bytes, base64 on the wire."""

Flag = Annotated[bool, Field(strict=True)]
Count = Annotated[int, Field(strict=True, ge=0)]
Unit = Annotated[float, Field(strict=True, ge=0, le=1)]
"""A number in [0, 1]."""
Number = Annotated[float, Field(strict=True)]


class Reference(Message):
    """An entity of the bot's own; `type:id` in one text is read as well."""

    type: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9_-]{0,63}$")]
    """Its kind, by a name of the bot's choice."""
    id: Id

    @model_validator(mode="before")
    @classmethod
    def _parse(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        kind, _, name = value.partition(":")
        return {"type": kind, "id": name}

    def __str__(self) -> str:
        """Return its type and id in one text."""
        return f"{self.type}:{self.id}"


References = Annotated[tuple[Reference, ...], Field(max_length=16)]
"""Up to 16 references."""
