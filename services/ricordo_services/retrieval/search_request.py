"""Search requests, and the scope of memories that each may find."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from ricordo.index.port import Scope
from ricordo.language.query_analysis.analysis import QueryAnalysis
from ricordo.language.query_analysis.search_terms import is_only_a_name, is_only_names
from ricordo.language.text import name_key
from ricordo.language.topics import topic_key
from ricordo.messages.filters import Filters
from ricordo.store.rows import Vector

LANGUAGES = ("it", "en")
_POSITIVE, _NEGATIVE = 0.5, -0.5  # beyond these, a valence is a feeling
_ANY_OTHER = ""  # a language in which words have no other forms


@dataclass(frozen=True, slots=True)
class ExampleStatements:
    """Typical statements that answer a question: "abito a Torino" for "dove abito?".

    Attributes:
        vectors: the mean of their vectors, float32 [d], unit norm, by available model.
    """

    lexical_text: str
    vectors: Mapping[str, Vector]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """An analysed and encoded question.

    Attributes:
        vectors: of its text, float32 [d], unit norm, by available model.
        summaries: whether summaries and syntheses may be found.
        extra_syntheses: whether syntheses are returned in addition to `limit` memories.
        reach: times as many candidates as usual; for what says the same over and over.
        unfocused: whether it asks for everything about a name or a time.
        ids: of the only memories that filters leave; None for any.
    """

    user_id: str
    text: str
    lexical_text: str
    now: datetime
    analysis: QueryAnalysis
    filters: Filters | None
    vectors: Mapping[str, Vector]
    limit: int
    summaries: bool = False
    extra_syntheses: bool = False
    reach: int = 1
    unfocused: bool = False
    examples: Sequence[ExampleStatements] = ()
    evidence: frozenset[UUID] = frozenset()
    ids: Sequence[UUID] | None = None


def scope_of(request: SearchRequest) -> Scope:
    """Return the scope of a question: its `filters`, and the constraints read from its text that exclude.

    Three of them exclude: a time at which *we* did or said something, a request for what was liked, and an
    entity that is the whole question. All others only rank, see `signals`.
    """
    analysis, filters = request.analysis, request.filters or Filters()
    start, end = _asked_time(analysis, filters)
    above, below = valence_bounds(filters.emotion or ("positive" if analysis.liked else None))
    # A person in a message is a participant if the message says who that is, else a topic.
    alone = not filters.participants and (is_only_names(analysis) or is_only_a_name(analysis))
    names = analysis.entities if alone else ()
    about = tuple(dict.fromkeys((*_folded(names), *keys_of_topics(names))))
    return Scope(
        user_id=request.user_id,
        start=start,
        end=end,
        participants=_folded(filters.participants),
        topics=keys_of_topics(filters.topics),
        about=about,
        types=tuple(one.value for one in filters.types),
        kinds=tuple(one.value for one in filters.kinds),
        conversation_id=filters.conversation_id,
        ids=request.ids,
        above_valence=above,
        below_valence=below,
        min_importance=filters.min_importance,
        include_archived=looks_into_archive(analysis, filters),
        include_uninformative=looks_at_uninformative(analysis, filters),
    )


def looks_into_archive(analysis: QueryAnalysis, filters: Filters | None) -> bool:
    """Whether a question, or its filters, include archived memories."""
    return analysis.archive or (filters is not None and filters.include_archived)


def looks_at_uninformative(analysis: QueryAnalysis, filters: Filters | None) -> bool:
    """Whether a question about former questions, or its filters, include uninformative memories."""
    return analysis.asks_what_was_asked or (filters is not None and filters.include_uninformative)


def _asked_time(analysis: QueryAnalysis, filters: Filters) -> tuple[datetime | None, datetime | None]:
    if filters.start is not None or filters.end is not None:
        return filters.start, filters.end
    time = analysis.time
    return (time.start, time.through) if time is not None and time.strict else (None, None)


def valence_bounds(emotion: str | None) -> tuple[float | None, float | None]:
    """Return the exclusive bounds of the valence of a feeling."""
    if emotion == "positive":
        return _POSITIVE, None
    if emotion == "negative":
        return None, _NEGATIVE
    # The bounds themselves are neutral.
    between = math.nextafter(_NEGATIVE, -1.0), math.nextafter(_POSITIVE, 1.0)
    return between if emotion == "neutral" else (None, None)


def _folded(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(name_key, values))


def keys_of_topics(topics: Sequence[str]) -> tuple[str, ...]:
    """Return the forms that inflected topics share: the memory may be in another language than the query.

    A memory has the keys of its topics and of their words: "wedding" finds a wedding dress, "wedding dress"
    no other wedding.
    """
    languages = (*LANGUAGES, _ANY_OTHER)
    return tuple(dict.fromkeys(topic_key(topic, language) for topic in topics for language in languages))


def narrows(scope: Scope) -> bool:
    """Whether the scope excludes any informative memory of the user that is not archived."""
    return replace(scope, include_archived=False, include_uninformative=False) != Scope(user_id=scope.user_id)
