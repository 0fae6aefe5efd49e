"""What a search may find, said once for both ways to run Qdrant; the owner is always part of it.

A filter is paid for by each point that it looks at, so the one that every search needs is a single keyword:
`live` holds tenant and user while the memory tells something and is not archived, `owner` always does. What
tells nothing says so by `uninformative`, so that points of earlier versions count as telling.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from ricordo.index.port import Facets, Scope

TEXT: Final = "text"
WINDOW: Final = "window"
TEXT_TERMS: Final = "text_terms"
WINDOW_TERMS: Final = "window_terms"

OWNER: Final = "owner"
LIVE: Final = "live"
UNINFORMATIVE: Final = "uninformative"
_HOT, _COLD = "live", "archived"
"""What `uninformative` says: whether the memory is archived."""
TENANT: Final = "tenant"
EVENTS: Final = "events"
KEYWORDS: Final = (OWNER, LIVE, UNINFORMATIVE, "conversation_id", "participants", "topics", "type", "kind")
NUMBERS: Final = ("created", "event_start", "event_end", "valence", "importance")

_INSTANT: Final = 1e-3  # seconds: what an event without a length is given, so that a range can hold it
_UNSAFE: Final = re.compile(r"[^a-zA-Z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Match:
    """The field holds one of the values, or, when it is a list, shares one with them."""

    key: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """The field's number lies within the bounds that are given, of which there is at least one."""

    key: str
    at_least: float | None = None
    above: float | None = None
    below: float | None = None


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of the objects that the field lists meets all conditions."""

    key: str
    conditions: tuple["Condition", ...]


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


@dataclass(frozen=True, slots=True)
class NoneOf:
    """Not one of the conditions holds."""

    conditions: tuple["Condition", ...]


Group = AllOf | AnyOf | NoneOf
Condition = Match | Between | OneOf | HasId | Group

ONE_LENGTH: Final = (
    "vectors of one name have one length. Another model went by this name: give the present one a name of "
    "its own, and `ricordo backfill --only vectors` encodes by it"
)
"""What is said where a collection holds vectors of another length than its model has."""


def collection(model: str) -> str:
    """Return the name of a model's collection, fit for a folder and a URL; no two models share one."""
    name = _UNSAFE.sub("-", model)
    return name if name == model else f"{name}-{hashlib.sha256(model.encode()).hexdigest()[:8]}"


def owner(tenant: str, user_id: str) -> str:
    """Return whose a memory is; a tenant has no slash, so that no two owners are written alike."""
    return f"{tenant}/{user_id}"


def corpus(tenant: str, user_id: str) -> AllOf:
    """Return what statistics of words are taken over: all of one user's memories."""
    return AllOf((Match(OWNER, (owner(tenant, user_id),)),))


def in_scope(tenant: str, scope: Scope) -> AllOf:
    """Return the conditions of a scope."""
    found = _whose(tenant, scope)
    for key, values in (
        ("conversation_id", () if scope.conversation_id is None else (scope.conversation_id,)),
        ("participants", _folded(scope.participants)),
        ("topics", _folded(scope.topics)),
        ("type", scope.types),
        ("kind", scope.kinds),
    ):
        if values:
            found.append(Match(key, tuple(values)))
    if scope.about:
        called = tuple(_folded(scope.about))
        found.append(AnyOf((Match("participants", called), Match("topics", called))))
    if scope.start is not None or scope.end is not None:
        found.append(_within(scope.start, scope.end))
    if scope.above_valence is not None or scope.below_valence is not None:
        found.append(Between("valence", above=scope.above_valence, below=scope.below_valence))
    if scope.min_importance is not None:
        found.append(Between("importance", at_least=scope.min_importance))
    return AllOf(tuple(found))


def _whose(tenant: str, scope: Scope) -> list[Condition]:
    whose = (owner(tenant, scope.user_id),)
    match scope.include_archived, scope.include_uninformative:
        case False, False:
            return [Match(LIVE, whose)]
        case True, True:
            return [Match(OWNER, whose)]
        case True, False:
            return [Match(OWNER, whose), NoneOf((Match(UNINFORMATIVE, (_HOT, _COLD)),))]
        case _:
            return [Match(OWNER, whose), AnyOf((Match(LIVE, whose), Match(UNINFORMATIVE, (_HOT,))))]


def of_tenant(tenant: str, ids: Sequence[UUID]) -> AllOf:
    """Return the condition of being one of `ids`, and the tenant's."""
    return AllOf((HasId(tuple(ids)), Match(TENANT, (tenant,))))


def _within(start: datetime | None, end: datetime | None) -> AnyOf:
    """Said in the half-open range, or telling of an event, one of several perhaps, that lies within it.

    What tells of a whole month is no answer to what happened on one of its days. The lists of all beginnings
    and of all ends are indexed, and leave few points whose events are looked at one by one.
    """
    first = None if start is None else start.timestamp()
    last = None if end is None else end.timestamp()
    said = Between("created", at_least=first, below=last)
    begins, ends = [Between(key, at_least=first, below=last) for key in ("event_start", "start")], []
    if last is not None:
        ends = [Between(key, below=last + 2 * _INSTANT) for key in ("event_end", "end")]
    one = OneOf(EVENTS, (begins[1], *ends[1:]))
    return AnyOf((said, AllOf((begins[0], *ends[:1], one))))


def payload(tenant: str, facets: Facets) -> dict[str, object]:
    """Return what a point is filtered by; instants are seconds since 1970. What is empty is left out."""
    whose = owner(tenant, facets.user_id)
    content: dict[str, object] = {
        TENANT: tenant,
        OWNER: whose,
        "conversation_id": facets.conversation_id,
        "type": facets.type,
        "kind": facets.kind,
        "created": facets.created_at.timestamp(),
        "valence": facets.valence,
        "importance": facets.importance,
    }
    if not facets.informative:
        content[UNINFORMATIVE] = _COLD if facets.archived else _HOT
    elif not facets.archived:
        content[LIVE] = whose
    if facets.participants:
        content["participants"] = _folded(facets.participants)
    if facets.topics:
        content["topics"] = _folded(facets.topics)
    if facets.events:
        events = [(one.start.timestamp(), one.end.timestamp()) for one in facets.events]
        events = [(start, max(end, start + _INSTANT)) for start, end in events]
        content["event_start"] = [start for start, _ in events]
        content["event_end"] = [end for _, end in events]
        content[EVENTS] = [{"start": start, "end": end} for start, end in events]
    return content


def _folded(values: Iterable[str]) -> list[str]:
    return [value.casefold() for value in values]
