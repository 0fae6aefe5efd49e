"""The second step of a recall: what is searched for, in which memories, and how it is ranked."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Self
from uuid import UUID

from ricordo.index.port import Scope
from ricordo.language.facts.vocabulary import USER
from ricordo.language.query_analysis.analysis import QueryAnalysis
from ricordo.language.query_analysis.search_terms import is_only_a_name, is_only_names
from ricordo.language.temporal.moments import EARLIEST, LATEST
from ricordo.language.text import name_key
from ricordo.language.topics import topic_key
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.ranking.signals import Interval, RankingProfile
from ricordo.messages.filters import Filters
from ricordo.messages.ids import memory_id
from ricordo.messages.queries import RecallRequest
from ricordo_services.retrieval.question import AskedQuestion, ExampleStatements

LANGUAGES = ("it", "en")
SYNTHESIS: Final = "synthesis"
SUMMARISING: Final = frozenset({"summary", SYNTHESIS})
"""Kinds that condense other memories: returned in a context, elsewhere only if requested."""
_POSITIVE, _NEGATIVE = 0.5, -0.5  # beyond these, a valence is a feeling
_EVIDENCE_OF_A_FACT: Final = 3
_ANY_OTHER = ""  # a language in which words have no other forms


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallPlan:
    """What a recall searches for, and how it ranks.

    Attributes:
        scope: of the memories that may be found.
        ranking: the profile.
        summaries: whether summaries and syntheses may be found.
        extra_syntheses: whether syntheses are returned in addition to `limit` memories.
        reach: times as many candidates as usual; for what says the same over and over.
        unfocused: whether it asks for everything about a name or a time.
        evidence: memories that support requested facts, which are candidates in any case.
    """

    request: RecallRequest
    question: AskedQuestion
    scope: Scope
    ranking: RankingProfile
    summaries: bool = False
    extra_syntheses: bool = False
    reach: int = 1
    unfocused: bool = False
    examples: Sequence[ExampleStatements] = ()
    evidence: frozenset[UUID] = frozenset()

    @property
    def analysis(self) -> QueryAnalysis:
        """What the question asks for."""
        return self.question.analysis

    def analysed(self, analysis: QueryAnalysis) -> Self:
        """Return the same with what was found out about the question."""
        return replace(self, question=replace(self.question, analysis=analysis))

    @property
    def span(self) -> Interval | None:
        """The time that the question asks for, by its filters or its words; None for no time."""
        filters, time = self.request.filters, self.analysis.time
        if filters is not None and (filters.start is not None or filters.end is not None):
            return Interval(filters.start or EARLIEST, filters.end or LATEST)
        return None if time is None else Interval(time.start, time.through)


def plan_recall(
    request: RecallRequest, question: AskedQuestion, ranking: RankingProfile, *, summaries: bool
) -> RecallPlan:
    """Decide what is searched for, where, and how candidates are ranked.

    Args:
        summaries: whether summaries and syntheses join where no filter names them.
    """
    return RecallPlan(
        request=request,
        question=question,
        scope=scope_of(request.user_id, question.analysis, request.filters),
        ranking=ranking,
        summaries=summaries or bool(request.filters and request.filters.kinds),
        extra_syntheses=summaries,
        unfocused=not question.search_text or is_only_a_name(question.analysis),
    )


def scope_of(user_id: str, analysis: QueryAnalysis, filters: Filters | None) -> Scope:
    """Return the scope of a question: its `filters`, and the constraints read from its text that exclude.

    Three of them exclude: a time at which *we* did or said something, a request for what was liked, and an
    entity that is the whole question. All others only rank, see `signals`.
    """
    filters = filters or Filters()
    start, end = _asked_time(analysis, filters)
    above, below = valence_bounds(filters.emotion or ("positive" if analysis.liked else None))
    # A person in a message is a participant if the message says who that is, else a topic.
    alone = not filters.participants and (is_only_names(analysis) or is_only_a_name(analysis))
    names = analysis.entities if alone else ()
    about = tuple(dict.fromkeys((*_folded(names), *keys_of_topics(names))))
    return Scope(
        user_id=user_id,
        start=start,
        end=end,
        participants=_folded(filters.participants),
        topics=keys_of_topics(filters.topics),
        about=about,
        types=tuple(one.value for one in filters.types),
        kinds=tuple(one.value for one in filters.kinds),
        conversation_id=filters.conversation_id,
        above_valence=above,
        below_valence=below,
        min_importance=filters.min_importance,
        include_archived=analysis.archive or filters.include_archived,
        include_uninformative=analysis.asks_what_was_asked or filters.include_uninformative,
    )


def requested_facts(
    facts: Sequence[Fact], analysis: QueryAnalysis, relatives: Sequence[str]
) -> Sequence[Fact]:
    """Return the facts with a predicate that a question asks for; of others, only if it names any."""
    requested, named = analysis.requested.names, relatives or analysis.entities
    return [fact for fact in facts if fact.predicate in requested and (fact.subject == USER or named)]


def latest_evidence(tenant: str, facts: Iterable[Fact]) -> Iterator[UUID]:
    """Yield the memories of the latest messages that support each of some facts."""
    for fact in facts:
        for message_id in fact.message_ids[-_EVIDENCE_OF_A_FACT:]:
            yield memory_id(tenant, message_id)


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
