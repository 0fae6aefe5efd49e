"""Subjects, streams and headers: `memory.v1.<tenant>.<name>`, dead letter subjects, CloudEvents."""

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final

from ricordo.messages.message_types import TENANT_PATTERN, format_instant

PREFIX: Final = "memory.v1"
DEAD_LETTER_PREFIX: Final = "dlq"

STREAM_IN: Final = "RICORDO_IN"
"""What bots publish: fsynced before the ack, work-queue, refuses when full."""
STREAM_DERIVED: Final = "RICORDO"
"""What workers derive: a week of it."""
STREAM_DEAD_LETTERS: Final = "RICORDO_DLQ"

BUCKET_OF_KEYS: Final = "ricordo-keys"
"""The keys of HTTP, hashed."""
BUCKET_OF_WEBHOOKS: Final = "ricordo-webhooks"

_TENANT = re.compile(TENANT_PATTERN.removeprefix("^").removesuffix("$"), re.ASCII)
_NAME = re.compile(r"[a-z]+\.[a-z]+(\.bulk)?", re.ASCII)
_CONSUMER = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}", re.ASCII)


class InvalidSubject(ValueError):
    """Not a subject of the contract."""


def checked_tenant(tenant: str) -> str:
    """Return `tenant` if it is valid.

    Raises:
        InvalidSubject: it is not 1 to 63 of a-z, 0-9 and -, beginning with a letter or digit.
    """
    if _TENANT.fullmatch(tenant) is None:
        raise InvalidSubject(
            f"{tenant[:80]!r} is not a valid tenant: use 1 to 63 of a-z, 0-9 and -, not - first"
        )
    return tenant


@dataclass(frozen=True, slots=True)
class Subject:
    """`memory.v1.<tenant>.<name>`; the tenant is always taken from here, never from a body.

    Raises:
        InvalidSubject: tenant or name is invalid.
    """

    tenant: str
    name: str

    def __post_init__(self) -> None:
        checked_tenant(self.tenant)
        if _NAME.fullmatch(self.name) is None:
            raise InvalidSubject(f"{self.name[:80]!r} is no name: it has the form message.received")

    def __str__(self) -> str:
        return f"{PREFIX}.{self.tenant}.{self.name}"

    @staticmethod
    def parse(subject: str) -> "Subject":
        """Parse a subject.

        Raises:
            InvalidSubject: it is not of the form `memory.v1.<tenant>.<name>`.
        """
        return _parsed(subject)


# Every event of a tenant comes on one of a dozen subjects.
@lru_cache(maxsize=1024)
def _parsed(subject: str) -> Subject:
    parts = subject.split(".", 3)
    if len(parts) != 4 or f"{parts[0]}.{parts[1]}" != PREFIX:
        raise InvalidSubject(f"{subject[:120]!r} is not of the form {PREFIX}.<tenant>.<name>")
    return Subject(parts[2], parts[3])


@lru_cache(maxsize=1024)
def subject_of(tenant: str, name: str) -> str:
    """Return the subject of `name` for a tenant.

    Raises:
        InvalidSubject: tenant or name is invalid.
    """
    return str(Subject(tenant, name))


def every_tenant(name: str) -> str:
    """Return the filter for `name` of all tenants, such as `memory.v1.*.message.received`."""
    return f"{PREFIX}.*.{name}"


def dead_letter_subject(consumer: str, subject: str) -> str:
    """Return `dlq.<consumer>.<original subject>`.

    Raises:
        InvalidSubject: `consumer` is not one token of a subject.
    """
    if _CONSUMER.fullmatch(consumer) is None:
        raise InvalidSubject(f"{consumer[:80]!r} is no name of a durable consumer")
    return f"{DEAD_LETTER_PREFIX}.{consumer}.{subject}"


def parse_dead_letter(subject: str) -> tuple[str, str]:
    """Return the consumer and the original subject of a dead letter.

    Raises:
        InvalidSubject: it is not of the form `dlq.<consumer>.<original subject>`.
    """
    parts = subject.split(".", 2)
    if len(parts) != 3 or parts[0] != DEAD_LETTER_PREFIX or _CONSUMER.fullmatch(parts[1]) is None:
        raise InvalidSubject(f"{subject[:120]!r} is not of the form dlq.<consumer>.<original subject>")
    return parts[1], parts[2]


CE_SPEC_VERSION: Final = "ce-specversion"
CE_ID: Final = "ce-id"
CE_SOURCE: Final = "ce-source"
CE_TYPE: Final = "ce-type"
CE_TIME: Final = "ce-time"
CONTENT_TYPE: Final = "content-type"
MESSAGE_ID: Final = "Nats-Msg-Id"
TRACE_PARENT: Final = "traceparent"
REPLAYED_FOR: Final = "Ricordo-Replayed-For"
"""The only consumer for which a derived event is replayed; the others of its subject skip it."""
TRACE_PARENTS: Final = "Ricordo-Traceparents"
"""The `traceparent` of each item of an event, with commas between, where they differ."""
ITEMS: Final = "Ricordo-Items"
"""The number of items of an event; without it one."""
PART: Final = "Ricordo-Part"
"""The number of a part of a reply, from 1; the reply itself comes last, without it."""


def event_headers(
    name: str,
    *,
    event_id: str,
    source: str,
    time: datetime,
    dedup_id: str,
    traceparent: str | None = None,
    items: int | None = None,
) -> dict[str, str]:
    """Return the headers of an event.

    Args:
        items: the number of its items; None for an event without items, which is of version 1.
        source: a URI reference of the publisher, such as `/bots/acme`.
        dedup_id: JetStream's deduplication id, across all tenants of the stream.
    """
    headers = {
        CE_SPEC_VERSION: "1.0",
        CE_ID: event_id,
        CE_SOURCE: source,
        CE_TYPE: f"{PREFIX if items is None else 'memory.v2'}.{name}",
        CE_TIME: format_instant(time),
        CONTENT_TYPE: "application/json",
        MESSAGE_ID: dedup_id,
    }
    if traceparent is not None:
        headers[TRACE_PARENT] = traceparent
    if items is not None:
        headers[ITEMS] = str(items)
    return headers
