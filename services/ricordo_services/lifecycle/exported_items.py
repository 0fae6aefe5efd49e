"""Parts of the items of an export, read as the domain's values."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from ricordo.language.annotations import EventTime
from ricordo.memory.facts import Evidence, Rejection
from ricordo.messages.message_types import parse_instant
from ricordo.store.imports import ImportedRejection

Item = Mapping[str, Any]


def instant_of(text: str | None) -> datetime | None:
    """Read an instant, or None."""
    return None if text is None else parse_instant(text)


def event_times_of(item: Item) -> tuple[EventTime, ...]:
    """Read when it happened; what was exported before 0.3 tells one time at most."""
    told = item.get("event_times")
    if told is None:
        told = [{"start": item["event_start"], "end": item["event_end"]}] if item["event_end"] else []
    return tuple(EventTime(parse_instant(one["start"]), parse_instant(one["end"])) for one in told)


def evidence_of(item: Item) -> Evidence:
    """Read what a user said of a fact."""
    return Evidence(
        subject=item["subject"],
        predicate=item["predicate"],
        object=item["object"],
        message_id=item["request"],
        at=parse_instant(item["said_at"]),
        polarity=item["polarity"],
        valid_from=instant_of(item["valid_from"]),
        valid_to=instant_of(item["valid_to"]),
        kind=item["kind"],
        position=item["position"],
        subject_tie=item["subject_tie"],
        object_tie=item["object_tie"],
    )


def rejected_of(item: Item) -> ImportedRejection:
    """Read what a user took back of what a message states."""
    fields = ("message_id", "subject", "predicate", "object", "quote")
    return ImportedRejection(
        request_id=item["request"],
        ordinal=item["ordinal"],
        fact_id=UUID(item["fact_id"]),
        rejection=Rejection(**{name: item[name] for name in fields}),
        at=parse_instant(item["rejected_at"]),
    )
