"""Headers of events, all optional for readers: CloudEvents in binary mode, deduplication, tracing."""

from datetime import datetime
from typing import Final

from ricordo.messages.base import format_instant
from ricordo.messages.subjects import PREFIX

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


def event_headers(
    name: str, *, event_id: str, source: str, time: datetime, dedup_id: str, traceparent: str | None = None
) -> dict[str, str]:
    """Return the headers of an event.

    Args:
        source: a URI reference of the publisher, such as `/bots/acme`.
        dedup_id: JetStream's deduplication id, across all tenants of the stream.
    """
    headers = {
        CE_SPEC_VERSION: "1.0",
        CE_ID: event_id,
        CE_SOURCE: source,
        CE_TYPE: f"{PREFIX}.{name}",
        CE_TIME: format_instant(time),
        CONTENT_TYPE: "application/json",
        MESSAGE_ID: dedup_id,
    }
    if traceparent is not None:
        headers[TRACE_PARENT] = traceparent
    return headers
