"""Filters and payloads, common to both ways to run Qdrant; every filter contains the owner.

A filter costs time per point that it examines, so that the most common one is a single keyword: `live`
contains tenant and user while the memory is informative and not archived, `owner` always does. Uninformative
memories have a field of their own, so that points of earlier versions count as informative.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from ricordo.index.port import Facets, Point, Scope

TEXT: Final = "text"
WINDOW: Final = "window"
TEXT_TERMS: Final = "text_terms"
WINDOW_TERMS: Final = "window_terms"

OWNER: Final = "owner"
LIVE: Final = "live"
UNINFORMATIVE: Final = "uninformative"
_HOT, _COLD = "live", "archived"
"""Values of `uninformative`: whether the memory is archived."""
TENANT: Final = "tenant"
EVENTS: Final = "events"
KEYWORDS: Final = (OWNER, LIVE, UNINFORMATIVE, "conversation_id", "participants", "topics", "type", "kind")
NUMBERS: Final = ("created", "event_start", "event_end", "valence", "importance")

_INSTANT: Final = 1e-3  # seconds: length of an event without one
_UNSAFE: Final = re.compile(r"[^a-zA-Z0-9._-]+")


Condition = dict[str, Any]
"""A filter, or a condition of one, as JSON of Qdrant's REST interface: the server reads it as it is."""

ONE_LENGTH: Final = (
    "vectors of one name have one length. Another model went by this name: give the present one a name of "
    "its own, and `ricordo backfill --only vectors` encodes by it"
)
"""Explanation for a collection whose vectors have another length than those of its model."""


_NO_MEMORY: Final = UUID(int=0)
"""The id of no memory: a condition on no id at all is refused."""


def collection(model: str) -> str:
    """Return the name of a model's collection, valid in a path and a URL, and unique."""
    name = _UNSAFE.sub("-", model)
    return name if name == model else f"{name}-{hashlib.sha256(model.encode()).hexdigest()[:8]}"


def owner(tenant: str, user_id: str) -> str:
    """Return the owner of a memory; unambiguous, as a tenant has no slash."""
    return f"{tenant}/{user_id}"


def corpus(tenant: str, user_id: str) -> Condition:
    """Return the filter of the memories that word statistics are computed over: all of one user."""
    return {"must": [_match(OWNER, (owner(tenant, user_id),))]}


def informative(tenant: str, user_id: str) -> Condition:
    """Return the filter of the informative memories of a user, archived ones included."""
    return in_scope(tenant, Scope(user_id=user_id, include_archived=True))


def in_scope(tenant: str, scope: Scope) -> Condition:
    """Return the filter of a scope."""
    found = _whose(tenant, scope)
    for key, values in (
        ("conversation_id", () if scope.conversation_id is None else (scope.conversation_id,)),
        ("participants", _folded(scope.participants)),
        ("topics", _folded(scope.topics)),
        ("type", scope.types),
        ("kind", scope.kinds),
    ):
        if values:
            found.append(_match(key, values))
    if scope.ids is not None:
        found.append({"has_id": list(scope.ids) or [_NO_MEMORY]})
    if scope.about:
        found.append({"should": [_match(key, _folded(scope.about)) for key in ("participants", "topics")]})
    if scope.start is not None or scope.end is not None:
        found.append(_within(scope.start, scope.end))
    if scope.above_valence is not None or scope.below_valence is not None:
        found.append(_in_range("valence", gt=scope.above_valence, lt=scope.below_valence))
    if scope.min_importance is not None:
        found.append(_in_range("importance", gte=scope.min_importance))
    return {"must": found}


def _whose(tenant: str, scope: Scope) -> list[Condition]:
    whose = (owner(tenant, scope.user_id),)
    match scope.include_archived, scope.include_uninformative:
        case False, False:
            return [_match(LIVE, whose)]
        case True, True:
            return [_match(OWNER, whose)]
        case True, False:
            return [_match(OWNER, whose), {"must_not": [_match(UNINFORMATIVE, (_HOT, _COLD))]}]
        case _:
            live_or_uninformative = [_match(LIVE, whose), _match(UNINFORMATIVE, (_HOT,))]
            return [_match(OWNER, whose), {"should": live_or_uninformative}]


def of_tenant(tenant: str, ids: Sequence[UUID]) -> Condition:
    """Return the filter of points with `ids` that belong to the tenant."""
    return {"must": [{"has_id": list(ids)}, _match(TENANT, (tenant,))]}


def _within(start: datetime | None, end: datetime | None) -> Condition:
    """Return the filter of memories created in the half-open range, or with an event that lies within it.

    An event of a whole month does not match one of its days. The indexed lists of all starts and ends leave
    few points whose events are examined one by one.
    """
    first = None if start is None else start.timestamp()
    last = None if end is None else end.timestamp()
    lists, event = ([_in_range(key, gte=first, lt=last)] for key in ("event_start", "start"))
    if last is not None:
        lists.append(_in_range("event_end", lt=last + 2 * _INSTANT))
        event.append(_in_range("end", lt=last + 2 * _INSTANT))
    lists.append({"nested": {"key": EVENTS, "filter": {"must": event}}})
    return {"should": [_in_range("created", gte=first, lt=last), {"must": lists}]}


def _match(key: str, values: Iterable[str]) -> Condition:
    return {"key": key, "match": {"any": list(values)}}


def _in_range(key: str, **bounds: float | None) -> Condition:
    return {"key": key, "range": {name: bound for name, bound in bounds.items() if bound is not None}}


def dense_vectors(point: Point) -> dict[str, list[float]]:
    """Return the vectors of a point by name; those that it lacks are left out."""
    vectors = {TEXT: point.text_vector, WINDOW: point.window_vector}
    return {name: vector.tolist() for name, vector in vectors.items() if vector is not None}


def payload(tenant: str, facets: Facets) -> dict[str, object]:
    """Return the payload of a point; instants are seconds since 1970, empty fields are left out."""
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
        events = [(item.start.timestamp(), item.end.timestamp()) for item in facets.events]
        events = [(start, max(end, start + _INSTANT)) for start, end in events]
        content["event_start"] = [start for start, _ in events]
        content["event_end"] = [end for _, end in events]
        content[EVENTS] = [{"start": start, "end": end} for start, end in events]
    return content


def _folded(values: Iterable[str]) -> list[str]:
    return [value.casefold() for value in values]
