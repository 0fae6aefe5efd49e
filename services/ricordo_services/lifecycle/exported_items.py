"""Parses parts of exported items into values of the domain."""

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
    """Parse an instant, or None."""
    return None if text is None else parse_instant(text)


def event_times_of(item: Item) -> tuple[EventTime, ...]:
    """Parse the event times; exports before 0.3 have at most one."""
    times = item.get("event_times")
    if times is None:
        times = [{"start": item["event_start"], "end": item["event_end"]}] if item["event_end"] else []
    return tuple(EventTime(parse_instant(one["start"]), parse_instant(one["end"])) for one in times)


def evidence_of(item: Item) -> Evidence:
    """Parse the assertion of a user on a fact."""
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
    """Parse the rejection of a statement by a user."""
    fields = ("message_id", "subject", "predicate", "object", "quote")
    return ImportedRejection(
        request_id=item["request"],
        ordinal=item["ordinal"],
        fact_id=UUID(item["fact_id"]),
        rejection=Rejection(**{name: item[name] for name in fields}),
        at=parse_instant(item["rejected_at"]),
    )
