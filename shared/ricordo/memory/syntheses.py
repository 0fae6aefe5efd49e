"""Syntheses: a group of old memories condensed to two or three sentences, never longer than they are."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from ricordo.language.annotations import MemoryKind, MemorySource, Role
from ricordo.language.document import Document
from ricordo.language.temporal.moments import find_zone
from ricordo.language.text import excerpt
from ricordo.language.titles import TITLE_LENGTH, title_of
from ricordo.language.tokenization import stems
from ricordo.memory.compression import subjects_of
from ricordo.memory.context.syntax import load_phrases, phrase
from ricordo.memory.model import Memory
from ricordo.memory.salience import LONGEST, MOST_SENTENCES, salient
from ricordo.memory.summaries import SessionTurn, derived_memory, mean_emotion, salient_text

MOST_TOPICS: Final = 8
FEW_SENTENCES: Final = 2
_MANY: Final = 6  # memories, from which on a synthesis has three sentences
_AT_LEAST: Final = 0.5
_A_NUMBER: Final = 0.25  # how much more a text with a number in it matters
_SHARED: Final = 0.5  # of a group's memories about a person, for the synthesis to be about that person

T = TypeVar("T", bound=Hashable)


def synthesise(sources: Sequence[SessionTurn], text: str | None = None) -> Memory:
    """Condense memories into one.

    Importance is the maximum.

    Args:
        sources: at least one, of one user and one language, in any order.
    """
    turns = sorted(sources, key=lambda one: (one.memory.created_at, one.memory.id))
    memories = [one.memory for one in turns]
    opening = _opening(memories)
    content = text or _told(turns, opening)
    return derived_memory(
        MemoryKind.SYNTHESIS,
        memories,
        conversation_id=_common(one.conversation_id for one in memories) or "",
        type=_most(one.type for one in memories)[0],
        title=excerpt(opening, TITLE_LENGTH) or title_of(Document(content)),
        content=content,
        language=memories[0].language,
        role=_common(one.role for one in memories) or Role.USER,
        speaker=_common(one.speaker for one in memories) or "",
        topics=tuple(_most(topic for one in memories for topic in one.topics)[:MOST_TOPICS]),
        location=_common(one.location for one in memories) or "",
        emotion=mean_emotion(memories, ()),
        importance=max(one.importance for one in memories),
        tags=tuple(tag for tag in memories[0].tags if all(tag in one.tags for one in memories)),
        source=MemorySource.SLEEP_CONSOLIDATION,
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
    bare = " ".join(
        sentence for _, sentence in salient([one.text(one.memory.importance) for one in turns], count)
    )
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


def _opening(memories: Sequence[Memory]) -> str:
    """Return the time and the people as the beginning of a sentence; "" in a language without phrases."""
    language = memories[0].language
    if language not in load_phrases():
        return ""
    ends = memories[0], memories[-1]
    first, last = (one.created_at.astimezone(find_zone(one.timezone)) for one in ends)
    months = phrase(language, "months").split()
    start, end = months[first.month - 1], f"{months[last.month - 1]} {last.year}"
    if (first.year, first.month) == (last.year, last.month):
        when = phrase(language, "synthesis_month", to=end)
    else:
        since = start if first.year == last.year else f"{start} {first.year}"
        when = phrase(language, "synthesis_within", **{"from": since, "to": end})
    who = _whom(memories)
    return f"{when}, {phrase(language, 'synthesis_about', who=who)}" if who else when


def _whom(memories: Sequence[Memory]) -> str:
    """Return the person that at least half of the memories are about, as first written; "" for none."""
    named = [name for one in memories for name in subjects_of(one.participants, one.speaker)]
    if not named:
        return ""
    folded = _most(named)[0]
    if named.count(folded) < _SHARED * len(memories):
        return ""
    return next(name for one in memories for name in one.participants if name.casefold() == folded)


def _most(values: Iterable[T]) -> list[T]:
    return [value for value, _ in Counter(values).most_common()]


def _common(values: Iterable[T]) -> T | None:
    different = set(values)
    return different.pop() if len(different) == 1 else None
