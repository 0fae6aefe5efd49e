"""Syntheses: a group of old memories condensed to two or three sentences, never longer than they are."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final, TypeVar

from ricordo.language.annotations import EventTime, MemoryKind, MemorySource, Role
from ricordo.language.data_files import languages_with, read_table
from ricordo.language.document import Document
from ricordo.language.temporal.moments import find_zone
from ricordo.language.text import excerpt
from ricordo.language.titles import title_of
from ricordo.language.tokenization import stems
from ricordo.memory.compression import subjects_of
from ricordo.memory.model import Memory, derived_id
from ricordo.memory.salience import LONGEST, MOST_SENTENCES, Text, salient
from ricordo.memory.summaries import SessionTurn, frequent_participants, mean_emotion, salient_text

MOST_TOPICS: Final = 8
FEW_SENTENCES: Final = 2
_MANY: Final = 6  # memories, from which on a synthesis has three sentences
_TITLE: Final = 80
_AT_LEAST: Final = 0.5
_A_NUMBER: Final = 0.25  # how much more a text with a number in it matters
_SHARED: Final = 0.5  # of a group's memories about a person, for the synthesis to be about that person

T = TypeVar("T", bound=Hashable)


def synthesise(sources: Sequence[SessionTurn], text: str | None = None) -> Memory:
    """Condense memories into one.

    Importance is the maximum, confidence and trust are the minimum; it is dated as the last of them, and its
    event time spans all.

    Args:
        sources: at least one, of one user and one language, in any order.
    """
    turns = sorted(sources, key=lambda one: (one.memory.created_at, one.memory.id))
    memories = [one.memory for one in turns]
    first, last = memories[0], memories[-1]
    ids = tuple(one.id for one in memories)
    opening = _opening(memories)
    content = text or _told(turns, opening)
    return Memory(
        id=derived_id(first.tenant, MemoryKind.SYNTHESIS, ids),
        tenant=first.tenant,
        user_id=first.user_id,
        conversation_id=_common(one.conversation_id for one in memories) or "",
        type=_most(one.type for one in memories)[0],
        kind=MemoryKind.SYNTHESIS,
        title=excerpt(opening, _TITLE) or title_of(Document(content), _TITLE),
        content=content,
        language=first.language,
        role=_common(one.role for one in memories) or Role.USER,
        speaker=_common(one.speaker for one in memories) or "",
        timezone=last.timezone,
        created_at=last.created_at,
        event_times=(EventTime(first.created_at, last.created_at + timedelta(seconds=1)),),
        participants=frequent_participants(memories),
        topics=tuple(_most(topic for one in memories for topic in one.topics)[:MOST_TOPICS]),
        location=_common(one.location for one in memories) or "",
        emotion=mean_emotion(memories, ()),
        importance=max(one.importance for one in memories),
        trust=min(one.trust for one in memories),
        confidence=min(one.confidence for one in memories),
        tags=tuple(tag for tag in first.tags if all(tag in one.tags for one in memories)),
        source=MemorySource.SLEEP_CONSOLIDATION,
        source_ids=ids,
    )


def max_length(memories: Iterable[Memory]) -> int:
    """Return the most characters of a synthesis."""
    return sum(len(one.content) for one in memories)


def _told(turns: Sequence[SessionTurn], opening: str) -> str:
    """Return the most salient sentences, framed by their time and people if there is room."""
    memories = [one.memory for one in turns]
    turns = _weighed(turns)
    count = MOST_SENTENCES if len(turns) >= _MANY else FEW_SENTENCES
    most, said = max_length(memories), salient_text(turns, count)
    framed = f"{opening}: {said}" if opening else said
    bare = " ".join(one.sentence for one in salient([_text(one) for one in turns], count))
    forms = (framed, said, bare, excerpt(memories[0].content, LONGEST))
    return next((each for each in forms if each and len(each) <= most), memories[0].content)


def _weighed(turns: Sequence[SessionTurn]) -> list[SessionTurn]:
    """Return the turns with rare content and numbers weighted up: details are known from one memory only."""
    said = [frozenset(stems(one.memory.content, one.memory.language)) for one in turns]
    known = Counter(word for words in said for word in words)
    weighed: list[SessionTurn] = []
    for turn, words in zip(turns, said, strict=True):
        rare = sum(1 - known[word] / len(turns) for word in words) / max(1, len(words))
        precise = _A_NUMBER if any(letter.isdigit() for letter in turn.memory.content) else 0.0
        weight = min(1.0, turn.memory.importance * (_AT_LEAST + rare + precise))
        weighed.append(SessionTurn(replace(turn.memory, importance=weight), turn.vector))
    return weighed


def _text(turn: SessionTurn) -> Text:
    return Text(turn.memory.content, turn.memory.language, turn.memory.importance, turn.vector)


def _opening(memories: Sequence[Memory]) -> str:
    """Return the time and the people as the beginning of a sentence; "" in a language without phrases."""
    words = _words().get(memories[0].language)
    if words is None:
        return ""
    first, last = (_local(one) for one in (memories[0], memories[-1]))
    months = words["months"].split()
    start, end = months[first.month - 1], f"{months[last.month - 1]} {last.year}"
    if (first.year, first.month) == (last.year, last.month):
        when = words["month"].replace("{to}", end)
    else:
        since = start if first.year == last.year else f"{start} {first.year}"
        when = words["within"].replace("{from}", since).replace("{to}", end)
    who = _whom(memories)
    return f"{when}, {words['about'].replace('{who}', who)}" if who else when


def _whom(memories: Sequence[Memory]) -> str:
    """Return the person that at least half of the memories are about, as first written; "" for none."""
    named = [name for one in memories for name in subjects_of(one.participants, one.speaker)]
    if not named:
        return ""
    folded = _most(named)[0]
    if named.count(folded) < _SHARED * len(memories):
        return ""
    return next(name for one in memories for name in one.participants if name.casefold() == folded)


def _local(memory: Memory) -> datetime:
    return memory.created_at.astimezone(find_zone(memory.timezone))


def _most(values: Iterable[T]) -> list[T]:
    return [value for value, _ in Counter(values).most_common()]


def _common(values: Iterable[T]) -> T | None:
    different = set(values)
    return different.pop() if len(different) == 1 else None


@lru_cache(maxsize=1)
def _words() -> Mapping[str, Mapping[str, str]]:
    return {language: read_table("syntheses", language) for language in languages_with("syntheses")}
