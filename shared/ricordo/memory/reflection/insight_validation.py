"""Validates the insights that a language model claims, against the memories that it was shown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ricordo.language.annotations import Emotion
from ricordo.language.detection import detect
from ricordo.language.document import Document
from ricordo.language.person_names import mentioned_names
from ricordo.language.text import collapse
from ricordo.language.tokenization import stems
from ricordo.language.topics import topic_key, topics
from ricordo.memory.facts import normalise
from ricordo.memory.llm_condensation import CondensationFault, find_fault
from ricordo.memory.llm_description import LlmMessage
from ricordo.memory.model import Memory
from ricordo.memory.reflection.insight import Insight
from ricordo.memory.reflection.insight_selection import LEAST_IMPORTANCE, MOST_SOURCES

_CONFIDENCE: Final = 0.7  # a model's word is no test
_FEWEST: Final = 2


@dataclass(frozen=True, slots=True)
class InsightClaim:
    """The answer of a model to a question.

    Attributes:
        text: a sentence or two.
        evidence: the numbers, from 1, of the memories that support it.
    """

    text: str
    evidence: tuple[int, ...]


class ClaimFault(StrEnum):
    """Further reasons to reject a claim, beside `CondensationFault`."""

    EVIDENCE = "it rests on fewer than two of the memories that it was given"
    COPY = "it says what one memory says"
    NOBODY = "it is about nobody and nothing"


def to_llm_message(memory: Memory) -> LlmMessage:
    """Return a memory as a model is shown it."""
    return LlmMessage(memory.content, memory.language, memory.role, memory.speaker)


def questions_in_language(questions: Iterable[str], language: str, most: int) -> list[str]:
    """Return the distinct questions in `language`, each on one line; at most `most`."""
    told = (collapse(one) for one in questions)
    return list(dict.fromkeys(one for one in told if one and detect(one, default=language) == language))[
        :most
    ]


def relevant_memories(question: str, memories: Sequence[Memory], language: str) -> list[Memory]:
    """Return the ten memories that share most words with a question, oldest first."""
    wanted = frozenset(stems(question, language))

    def shared(one: Memory) -> int:
        return len(wanted.intersection(stems(" ".join((one.content, *one.topics)), language)))

    found = [one for one in memories if shared(one)]
    found.sort(key=lambda one: (-shared(one), -one.importance, -one.created_at.timestamp(), one.id))
    return sorted(found[:MOST_SOURCES], key=lambda one: (one.created_at, one.id))


def validate_claim(
    claim: InsightClaim, question: str, memories: Sequence[Memory], language: str
) -> Insight | CondensationFault | ClaimFault:
    """Return the insight of a claim, or why it is rejected.

    Args:
        memories: that the model was shown, in the order of their numbers.
    """
    numbers = set(claim.evidence)
    sources = [one for number, one in enumerate(memories, start=1) if number in numbers]
    if len(sources) < _FEWEST or len(sources) < len(numbers):
        return ClaimFault.EVIDENCE
    text = collapse(claim.text)
    if (found := find_fault(text, [to_llm_message(one) for one in sources], language)) is not None:
        return found
    if any(_is_copy(text, one, language) for one in sources):
        return ClaimFault.COPY
    document = Document(text, language)
    people = mentioned_names(document)
    about = topics(document, people)
    if not people and not about:
        return ClaimFault.NOBODY
    return Insight(
        about="/".join(("understood", *_keys("who", map(normalise, people)), *_what(about, language))),
        content=text,
        question=question,
        language=language,
        sources=tuple(one.id for one in sources),
        participants=tuple(people),
        topics=about,
        emotion=_mean([one.emotion for one in sources]),
        importance=LEAST_IMPORTANCE,
        confidence=_CONFIDENCE,
        created_at=max(one.created_at for one in sources),
    )


def _is_copy(text: str, memory: Memory, language: str) -> bool:
    return set(stems(text, language)) <= set(stems(memory.content, language))


def _what(about: Iterable[str], language: str) -> list[str]:
    return _keys("what", (topic_key(one, language) for one in about))


def _keys(kind: str, keys: Iterable[str]) -> list[str]:
    return [f"{kind}:{key}" for key in sorted(set(keys))]


def _mean(felt: Sequence[Emotion]) -> Emotion:
    count = len(felt)
    return Emotion(
        valence=sum(one.valence for one in felt) / count,
        arousal=sum(one.arousal for one in felt) / count,
        dominance=sum(one.dominance for one in felt) / count,
    )
