"""Sessions, and their summaries: at most three sentences, with feeling, topics and importance."""

import datetime as dt
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import NEUTRAL, Emotion, EventTime, MemoryKind, Role
from ricordo.language.document import Document
from ricordo.language.titles import title_of
from ricordo.memory.model import KeyTopic, Memory, derived_id
from ricordo.memory.salience import MOST_SENTENCES, Text, salient

SILENCE: Final = dt.timedelta(minutes=30)
"""The silence that ends a session."""
MOST_TURNS: Final = 5_000
"""Turns of a session, at most; a longer one is split."""


@dataclass(frozen=True, slots=True, eq=False)
class SessionTurn:
    """A message of a session.

    Attributes:
        vector: float32 [d], unit norm, of one model in all turns; None where there is none.
    """

    memory: Memory
    vector: NDArray[np.float32] | None = None

    @property
    def created_at(self) -> dt.datetime:
        """When it was said."""
        return self.memory.created_at

    def text(self, weight: float) -> Text:
        """Return what it says, as sentences are chosen from it."""
        return Text(self.memory.content, self.memory.language, weight, self.vector)


def is_session_break(
    earlier: dt.datetime, later: dt.datetime, ends: Sequence[dt.datetime], silence: dt.timedelta = SILENCE
) -> bool:
    """Whether two successive turns are of two sessions.

    Args:
        ends: when sessions were explicitly ended, sorted.
        silence: the longest pause within a session.
    """
    if later - earlier > silence:
        return True
    place = bisect_left(ends, earlier)
    return place < len(ends) and ends[place] < later


def split_sessions(
    turns: Sequence[SessionTurn],
    ends: Iterable[dt.datetime],
    silence: dt.timedelta = SILENCE,
    most: int = MOST_TURNS,
) -> list[list[SessionTurn]]:
    """Split the turns of a user in a conversation into sessions.

    Args:
        turns: in order, from the beginning of a session on.
        ends: as in `is_session_break`, in any order.
    """
    if not turns:
        return []
    bounds, found = sorted(ends), [[turns[0]]]
    for earlier, later in pairwise(turns):
        if len(found[-1]) >= most or is_session_break(earlier.created_at, later.created_at, bounds, silence):
            found.append([])
        found[-1].append(later)
    return found


FEWEST_TURNS: Final = 2
"""A single message is its own summary."""
MOST_TOPICS: Final = 5
_MOST_PEOPLE: Final = 10
_MOST_FEELINGS: Final = 3
_HEAVIEST: Final = 3  # turns whose importance makes that of the whole
_HIGH, _MEDIUM = 0.6, 0.35  # importance of a topic's weightiest turn
_RECURS: Final = 3  # turns that make a topic more than something said in passing
_OTHERS_COUNT: Final = 0.4  # how much of the weight a turn has that the user did not say
_NEUTRAL: Final = NEUTRAL.primary
_ASSISTANT: Final = {"it": "Assistente"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Condensed:
    """A summary by a language model, in place of what follows from the turns.

    Attributes:
        text: at most three sentences in the session's language.
        key_topics: none keeps those of the turns.
        emotions: labels of GoEmotions, strongest first; none keeps those of the turns.
        importance: [0, 1]; None keeps that of the turns.
    """

    text: str
    key_topics: tuple[KeyTopic, ...] = ()
    emotions: tuple[str, ...] = ()
    importance: float | None = None


def spoken_language(turns: Sequence[SessionTurn]) -> str:
    """Return the user's main language; else that of all turns; else English."""
    for said in ([one for one in turns if one.memory.role == Role.USER], turns):
        sizes: Counter[str] = Counter()
        for one in said:
            if one.memory.language:
                sizes[one.memory.language] += len(one.memory.content)
        if sizes:
            return min(sizes, key=lambda language: (-sizes[language], language))
    return "en"


def summarise(turns: Sequence[SessionTurn], condensed: Condensed | None = None) -> Memory:
    """Summarise a session.

    Without a model, the most salient sentences are taken, with speakers where there are several. Importance
    is the mean of the three most important turns, the feeling the user's; a key topic has the importance of
    its most important turn and the user's feeling about it.
    """
    memories = [one.memory for one in turns]
    summary = condensed or Condensed(text=salient_text(turns))
    topics = summary.key_topics or key_topics(memories)
    return derived_memory(
        MemoryKind.SUMMARY,
        memories,
        conversation_id=memories[0].conversation_id,
        content=summary.text,
        title=title_of(Document(", ".join(one.topic for one in topics) or summary.text)),
        language=spoken_language(turns),
        topics=tuple(one.topic for one in topics),
        emotion=mean_emotion(memories, summary.emotions),
        importance=_weight(memories) if summary.importance is None else summary.importance,
        key_topics=topics,
    )


def derived_memory(kind: MemoryKind, memories: Sequence[Memory], **fields: Any) -> Memory:  # noqa: ANN401
    """Return the memory of a kind that is made of others, which are in order of time.

    It is dated as the last of them, its event time spans all, and it is trusted no more than any of them.

    Args:
        fields: of the memory, besides those that follow from its sources.
    """
    first, last = memories[0], memories[-1]
    sources = tuple(one.id for one in memories)
    return Memory(
        id=derived_id(first.tenant, kind, sources),
        tenant=first.tenant,
        user_id=first.user_id,
        kind=kind,
        timezone=last.timezone,
        created_at=last.created_at,
        event_times=(EventTime(first.created_at, last.created_at + dt.timedelta(seconds=1)),),
        participants=frequent_participants(memories),
        trust=min(one.trust for one in memories),
        confidence=min(one.confidence for one in memories),
        source_ids=sources,
        **fields,
    )


def key_topics(memories: Sequence[Memory]) -> tuple[KeyTopic, ...]:
    """Return the most important topics, at most 5."""
    of_topic: dict[str, list[Memory]] = defaultdict(list)
    for memory in memories:
        for topic in memory.topics:
            of_topic[topic].append(memory)
    ranked = sorted(of_topic.items(), key=lambda item: (-_share(item[1]), item[0]))
    return tuple(
        KeyTopic(topic=topic, importance=_level(said), user_emotion=_felt(said))
        for topic, said in ranked[:MOST_TOPICS]
    )


def salient_text(turns: Sequence[SessionTurn], most: int = MOST_SENTENCES) -> str:
    """Return the most salient sentences, with speakers where there are several."""
    texts = [one.text(_share([one.memory])) for one in turns]
    voices = {_voice(one.memory) for one in turns}
    lines: list[str] = []
    speaking = ""
    for place, sentence in salient(texts, most):
        voice = _voice(turns[place].memory) if len(voices) > 1 else ""
        lines.append(f"{voice}: {sentence}" if voice and voice != speaking else sentence)
        speaking = voice
    return " ".join(lines) or (title_of(Document(turns[-1].memory.content)) if turns else "")


def _voice(memory: Memory) -> str:
    if memory.speaker or memory.role == Role.USER:
        return memory.speaker
    return _ASSISTANT.get(memory.language, "Assistant") if memory.role == Role.ASSISTANT else memory.role


def _share(said: Iterable[Memory]) -> float:
    """Return the summed importance; that of others than the user is discounted."""
    return sum(one.importance * (1.0 if one.role == Role.USER else _OTHERS_COUNT) for one in said)


def _weight(memories: Sequence[Memory]) -> float:
    heaviest = sorted((_share([one]) for one in memories), reverse=True)[:_HEAVIEST]
    return sum(heaviest) / max(1, len(heaviest))


def _level(said: Sequence[Memory]) -> Literal["high", "medium", "low"]:
    heaviest = max(_share([one]) for one in said)
    if heaviest >= _HIGH:
        return "high"
    return "medium" if heaviest >= _MEDIUM or len(said) >= _RECURS else "low"


def _labels(said: Iterable[Memory]) -> list[str]:
    strength: dict[str, float] = defaultdict(float)
    for one in said:
        if one.role == Role.USER and one.emotion.primary != _NEUTRAL:
            strength[one.emotion.primary] += max(one.emotion.intensity, 0.01)
    return sorted(strength, key=lambda label: (-strength[label], label))


def _felt(said: Sequence[Memory]) -> str:
    return next(iter(_labels(said)), _NEUTRAL)


def mean_emotion(memories: Sequence[Memory], labels: Sequence[str]) -> Emotion:
    """Return the user's mean emotion, weighted by intensity."""
    felt = [one.emotion for one in memories if one.role == Role.USER] or [NEUTRAL]
    shares = np.array([0.05 + one.intensity for one in felt])
    shares /= shares.sum()
    axes = np.array([(one.valence, one.arousal, one.dominance) for one in felt])
    valence, arousal, dominance = (shares @ axes).tolist()
    names = tuple(labels or _labels(memories))[:_MOST_FEELINGS]
    return Emotion(
        valence=max(-1.0, min(1.0, valence)),
        arousal=max(0.0, min(1.0, arousal)),
        dominance=max(0.0, min(1.0, dominance)),
        primary=names[0] if names else _NEUTRAL,
        keywords=names,
    )


def frequent_participants(memories: Iterable[Memory]) -> tuple[str, ...]:
    """Return the most frequent participants, at most 10."""
    met: Counter[str] = Counter()
    spelt: dict[str, str] = {}
    for memory in memories:
        for name in memory.participants:
            spelt.setdefault(name.casefold(), name)
            met[name.casefold()] += 1
    ranked = sorted(met, key=lambda key: (-met[key], key))
    return tuple(spelt[key] for key in ranked[:_MOST_PEOPLE])
