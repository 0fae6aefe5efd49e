"""Insights, the memories that store them, and the validation of those that a language model claims."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import NAMESPACE_OID, UUID, uuid5

from ricordo.language.annotations import NEUTRAL, Emotion, MemoryKind, MemorySource, MemoryType, Role
from ricordo.language.detection import detect
from ricordo.language.document import Document
from ricordo.language.facts.entity_names import normalise
from ricordo.language.name_lists import is_place
from ricordo.language.query_analysis.question_names import names_in
from ricordo.language.text import collapse
from ricordo.language.titles import title_of
from ricordo.language.tokenization import stems
from ricordo.language.topics import MAX_TOPICS, topic_key
from ricordo.memory.llm_condensation import CondensationFault, find_fault, to_llm_message
from ricordo.memory.model import Memory, derived_id

MOST_SOURCES: Final = 10
LEAST_IMPORTANCE: Final = 7 / 9
"""8 of 10."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """A regularity in what a user said, in a sentence.

    Attributes:
        about: identifies its statement and its subject, independent of its words.
        content: a sentence in `language`, addressed to the user.
        sources: memories that support it, oldest first.
        emotion: the mean of its sources, named by the feeling that it states.
        importance: [0, 1].
        confidence: [0, 1].
        created_at: of its latest source.
    """

    about: str
    content: str
    question: str
    language: str
    sources: tuple[UUID, ...]
    participants: tuple[str, ...]
    topics: tuple[str, ...]
    emotion: Emotion
    importance: float
    confidence: float
    created_at: dt.datetime


def insight_memory(insight: Insight, memories: Iterable[Memory]) -> Memory:
    """Return the memory of an insight; `memories` hold its sources at least."""
    sources = set(insight.sources)
    latest = max((one for one in memories if one.id in sources), key=lambda one: (one.created_at, one.id))
    return Memory(
        id=derived_id(latest.tenant, MemoryKind.REFLECTION, insight.sources, about=insight.about),
        tenant=latest.tenant,
        user_id=latest.user_id,
        type=MemoryType.SEMANTIC,
        kind=MemoryKind.REFLECTION,
        title=title_of(Document(insight.content)),
        content=insight.content,
        language=insight.language,
        role=Role.USER,
        timezone=latest.timezone,
        created_at=insight.created_at,
        participants=insight.participants,
        topics=insight.topics,
        emotion=insight.emotion,
        importance=insight.importance,
        confidence=insight.confidence,
        source=MemorySource.SELF_REFLECTION,
        source_ids=insight.sources,
        questions_addressed=(insight.question,),
    )


def insight_key(user_id: str, insight: Insight) -> UUID:
    """Return a hash of statement and subject of an insight, independent of words, evidence and tenant."""
    return uuid5(NAMESPACE_OID, f"{user_id}/insight/{insight.about}")


_CONFIDENCE: Final = 0.7  # a model's word is no test
_FEWEST: Final = 2
_HALF_LIFE: Final = dt.timedelta(days=30)


class ClaimFault(StrEnum):
    """Further reasons to reject a claim, besides `CondensationFault`."""

    EVIDENCE = "it rests on fewer than two of the memories that it was given"
    COPY = "it says what one memory says"
    NOBODY = "it is about nobody and nothing"


def questions_in_language(questions: Iterable[str], language: str, most: int) -> list[str]:
    """Return the distinct questions in `language`, each on one line; at most `most`."""
    collapsed = (collapse(one) for one in questions)
    return list(dict.fromkeys(one for one in collapsed if one and detect(one, default=language) == language))[
        :most
    ]


def relevant_memories(question: str, memories: Sequence[Memory], language: str, most: int) -> list[Memory]:
    """Return the `most` memories with the best score for a question, oldest first.

    The score is that of generative agents (Park et al. 2023) with the weights of S3: 0.5 relevance, 0.3
    recency and 0.2 importance. Relevance is the share of the question's words that a memory has; without any
    it is left out. Recency halves every 30 days before the latest memory.
    """
    wanted = frozenset(stems(question, language))
    latest = max((one.created_at for one in memories), default=None)
    scores: dict[UUID, float] = {}
    for one in memories:
        shared = wanted.intersection(stems(" ".join((one.content, *one.topics)), language))
        if shared and latest is not None:
            recency = 0.5 ** ((latest - one.created_at) / _HALF_LIFE)
            scores[one.id] = 0.5 * len(shared) / len(wanted) + 0.3 * recency + 0.2 * one.importance
    found = sorted((one for one in memories if one.id in scores), key=lambda one: (-scores[one.id], one.id))
    return sorted(found[:most], key=lambda one: (one.created_at, one.id))


def validate_claim(
    claim: str, evidence: Iterable[int], question: str, memories: Sequence[Memory], language: str
) -> Insight | CondensationFault | ClaimFault:
    """Return the insight that a model claims, or why it is rejected.

    Args:
        claim: a sentence or two.
        evidence: the numbers, from 1, of the memories that support it.
        memories: that the model was shown, in the order of their numbers.
    """
    numbers = set(evidence)
    sources = [one for number, one in enumerate(memories, start=1) if number in numbers]
    if len(sources) < _FEWEST or len(sources) < len(numbers):
        return ClaimFault.EVIDENCE
    text = collapse(claim)
    if (found := find_fault(text, [to_llm_message(one) for one in sources], language)) is not None:
        return found
    if any(_is_copy(text, one, language) for one in sources):
        return ClaimFault.COPY
    document = Document(text, language)
    people = [name for name in names_in(document) if not is_place(name)]
    about = _topics_of(sources, text, language)
    if not people and not about:
        return ClaimFault.NOBODY
    whom = _keys("who", map(normalise, people))
    what = _keys("what", (topic_key(one, language) for one in about))
    return Insight(
        about="/".join(("understood", *whom, *what)),
        content=text,
        question=question,
        language=language,
        sources=tuple(one.id for one in sources),
        participants=tuple(people),
        topics=about,
        emotion=average_emotion([one.emotion for one in sources]),
        importance=LEAST_IMPORTANCE,
        confidence=_CONFIDENCE,
        created_at=max(one.created_at for one in sources),
    )


def _topics_of(sources: Sequence[Memory], text: str, language: str) -> tuple[str, ...]:
    """Return the topics of the sources that a text speaks of, the commonest first."""
    said = set(stems(text, language))
    told = Counter(
        topic for one in sources for topic in one.topics if said.issuperset(stems(topic, language))
    )
    return tuple(topic for topic, _ in told.most_common(MAX_TOPICS))


def _is_copy(text: str, memory: Memory, language: str) -> bool:
    return set(stems(text, language)) <= set(stems(memory.content, language))


def _keys(kind: str, keys: Iterable[str]) -> list[str]:
    return [f"{kind}:{key}" for key in sorted(set(keys))]


def average_emotion(felt: Sequence[Emotion], primary: str = NEUTRAL.primary) -> Emotion:
    """Return the mean of emotions, with this label."""
    axes = ("valence", "arousal", "dominance")
    means = {axis: sum(getattr(one, axis) for one in felt) / len(felt) for axis in axes}
    return Emotion(**means, primary=primary)
