"""A question, ready to be searched for, and what it may find."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from ricordo.index.port import Scope
from ricordo.language.query_analysis import QueryAnalysis
from ricordo.language.query_analysis.search_terms import is_only_a_name, is_only_names
from ricordo.language.topics import topic_key
from ricordo.messages.queries import Filters
from ricordo.store.rows import Vector

LANGUAGES = ("it", "en")
_POSITIVE, _NEGATIVE = 0.5, -0.5  # beyond these, a valence is a feeling
_ANY_OTHER = ""  # in which words are compared as they are


@dataclass(frozen=True, slots=True)
class ExampleStatements:
    """How people tell what answers a question: "abito a Torino" for "dove abito?".

    Attributes:
        vectors: the mean of their vectors, float32 [d], unit norm, by model; without those that are away.
    """

    worded: str
    vectors: Mapping[str, Vector]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A question, ready to be searched for.

    Attributes:
        vectors: what of it is searched for by meaning, float32 [d], unit norm, by model; without those that
            are away.
        summaries: whether summaries and syntheses count among them.
        beside: whether syntheses come beside the memories that the bot wants, and take no room of theirs.
        unfocused: whether it asks for all of somebody or of a time, and for nothing in particular of it.
    """

    user_id: str
    text: str
    worded: str
    now: datetime
    analysis: QueryAnalysis
    filters: Filters | None
    vectors: Mapping[str, Vector]
    limit: int
    summaries: bool = False
    beside: bool = False
    unfocused: bool = False
    examples: Sequence[ExampleStatements] = ()
    evidence: frozenset[UUID] = frozenset()


def scope_of(request: SearchRequest) -> Scope:
    """Say what a question may find: what `filters` demand, and the little of what it says that excludes.

    Of what is read from the question three things exclude: a time that says when *we* did or said something,
    that it asks for what was liked, and an entity that is all it holds. All else ranks, see `signals`.
    """
    analysis, filters = request.analysis, request.filters or Filters()
    start, end = _asked_time(analysis, filters)
    above, below = _valence(filters.emotion or ("positive" if analysis.liked else None))
    # Whom a message speaks of is a participant of it where the message says who that is, else a topic.
    alone = not filters.participants and (is_only_names(analysis) or is_only_a_name(analysis))
    names = analysis.entities if alone else ()
    about = tuple(dict.fromkeys((*_folded(names), *_topic_keys(names))))
    return Scope(
        user_id=request.user_id,
        start=start,
        end=end,
        participants=_folded(filters.participants),
        topics=_topic_keys(filters.topics),
        about=about,
        types=tuple(one.value for one in filters.types),
        kinds=tuple(one.value for one in filters.kinds),
        above_valence=above,
        below_valence=below,
        min_importance=filters.min_importance,
        include_archived=looks_into_archive(analysis, filters),
        include_uninformative=looks_at_uninformative(analysis, filters),
    )


def looks_into_archive(analysis: QueryAnalysis, filters: Filters | None) -> bool:
    """Whether a question reaches what is archived: it says so itself, or its filters do."""
    return analysis.archive or (filters is not None and filters.include_archived)


def looks_at_uninformative(analysis: QueryAnalysis, filters: Filters | None) -> bool:
    """Whether a question reaches what tells nothing: it asks what was asked, or its filters say so."""
    return analysis.asks_what_was_asked or (filters is not None and filters.include_uninformative)


def _asked_time(analysis: QueryAnalysis, filters: Filters) -> tuple[datetime | None, datetime | None]:
    if filters.start is not None or filters.end is not None:
        return filters.start, filters.end
    time = analysis.time
    return (time.start, time.through) if time is not None and time.strict else (None, None)


def _valence(emotion: str | None) -> tuple[float | None, float | None]:
    """Return the exclusive bounds of a feeling."""
    if emotion == "positive":
        return _POSITIVE, None
    if emotion == "negative":
        return None, _NEGATIVE
    # What lies on a border is no feeling: neutral holds it.
    between = math.nextafter(_NEGATIVE, -1.0), math.nextafter(_POSITIVE, 1.0)
    return between if emotion == "neutral" else (None, None)


def _folded(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(value.casefold() for value in values)


def _topic_keys(topics: Sequence[str]) -> tuple[str, ...]:
    """Return the forms that inflected topics share: the memory may be in another language than the query.

    A memory has the keys of its topics and of their words: "wedding" finds a wedding dress, "wedding dress"
    no other wedding.
    """
    languages = (*LANGUAGES, _ANY_OTHER)
    return tuple(dict.fromkeys(topic_key(topic, language) for topic in topics for language in languages))


def narrows(scope: Scope) -> bool:
    """Whether the scope leaves out any memory of the user that tells something and is not archived."""
    return replace(scope, include_archived=False, include_uninformative=False) != Scope(user_id=scope.user_id)
