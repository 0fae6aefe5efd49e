"""What a search may find, said once for both ways to run Qdrant; tenant and user are always part of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from ricordo.ports.vectors import Point, Scope

TEXT: Final = "text"
WINDOW: Final = "window"
TEXT_TERMS: Final = "text_terms"
WINDOW_TERMS: Final = "window_terms"

KEYWORDS: Final = ("tenant", "user_id", "participants", "topics", "type", "kind", "state")
NUMBERS: Final = ("created", "event_start", "event_end", "valence", "importance")
LIVE, ARCHIVED = "live", "archived"  # a keyword: the engine in process does not match truth values


@dataclass(frozen=True, slots=True)
class Match:
    """The field holds one of the values, or, when it is a list, shares one with them."""

    key: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """The field's number lies within the bounds that are given."""

    key: str
    at_least: float | None = None
    above: float | None = None
    below: float | None = None


@dataclass(frozen=True, slots=True)
class HasId:
    """The point is one of these."""

    ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every one of the conditions holds."""

    conditions: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of the conditions holds."""

    conditions: tuple["Condition", ...]


Condition = Match | Between | HasId | AllOf | AnyOf


def corpus(tenant: str, user_id: str) -> AllOf:
    """Return what statistics of words are taken over: all of one user's memories."""
    return AllOf((Match("tenant", (tenant,)), Match("user_id", (user_id,))))


def in_scope(tenant: str, scope: Scope) -> AllOf:
    """Return the conditions of a scope."""
    found: list[Condition] = [*corpus(tenant, scope.user_id).conditions]
    for key, values in (
        ("participants", scope.participants),
        ("topics", scope.topics),
        ("type", scope.types),
        ("kind", scope.kinds),
    ):
        if values:
            found.append(Match(key, values))
    if scope.start is not None or scope.end is not None:
        found.append(_within(scope.start, scope.end))
    if scope.above_valence is not None or scope.below_valence is not None:
        found.append(Between("valence", above=scope.above_valence, below=scope.below_valence))
    if scope.min_importance is not None:
        found.append(Between("importance", at_least=scope.min_importance))
    if not scope.include_archived:
        found.append(Match("state", (LIVE,)))
    return AllOf(tuple(found))


def of_tenant(tenant: str, ids: Sequence[UUID]) -> AllOf:
    """Return the condition of being one of `ids`, and the tenant's."""
    return AllOf((Match("tenant", (tenant,)), HasId(tuple(ids))))


def _within(start: datetime | None, end: datetime | None) -> AnyOf:
    """Said in the half-open range, or telling of an event that overlaps it."""
    first = None if start is None else start.timestamp()
    last = None if end is None else end.timestamp()
    said = Between("created", at_least=first, below=last)
    event = AllOf((Between("event_start", below=last), Between("event_end", above=first)))
    return AnyOf((said, event))


def payload(tenant: str, point: Point) -> dict[str, object]:
    """Return what a point is filtered by; instants are seconds since 1970."""
    content: dict[str, object] = {
        "tenant": tenant,
        "user_id": point.user_id,
        "participants": list(point.participants),
        "topics": list(point.topics),
        "type": point.type,
        "kind": point.kind,
        "created": point.created_at.astimezone(UTC).timestamp(),
        "valence": point.valence,
        "importance": point.importance,
        "state": ARCHIVED if point.archived else LIVE,
    }
    if point.event_start is not None:
        content["event_start"] = point.event_start.timestamp()
        # An instant overlaps a range that holds it: it is given the shortest length that a float can tell.
        end = point.event_end or point.event_start
        content["event_end"] = max(end.timestamp(), point.event_start.timestamp() + 1e-3)
    return content
