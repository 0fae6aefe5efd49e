"""Observations from messages of a user: people, topics, feelings and times."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from ricordo.language.annotations import Emotion
from ricordo.language.document import Document
from ricordo.language.facts.entity_names import normalise
from ricordo.language.small_talk import has_content
from ricordo.language.temporal.moments import find_zone
from ricordo.language.tokenization import words
from ricordo.language.topics import topic_key, topic_keys
from ricordo.memory.model import Memory, is_user_statement
from ricordo.memory.reflection.insight_phrases import INSIGHT_PHRASES

FAMILIES: Final = {
    "joy": "joy amusement excitement admiration approval gratitude love optimism relief pride caring desire",
    "anger": "anger annoyance disapproval disgust",
    "nervousness": "nervousness fear",
    "sadness": "sadness disappointment grief remorse embarrassment",
}
"""Labels of GoEmotions by the label of their family, after Ekman's grouping (Demszky et al. 2020).

Without surprise: "a strange noise" and "I realised" are turns of phrase rather than feelings.
"""

PLEASANT: Final = "pleasant"
UNPLEASANT: Final = "unpleasant"

_FAMILY: Final = {label: family for family, labels in FAMILIES.items() for label in labels.split()}
_MARKED: Final = 0.35  # a valence beyond it is a feeling


def feeling_families(emotion: Emotion) -> tuple[str, ...]:
    """Return the family of a feeling and its tone, as far as it has either."""
    family = _FAMILY.get(emotion.primary)
    named = () if family is None else (family,)
    if abs(emotion.valence) < _MARKED:
        return named
    return (*named, PLEASANT if emotion.valence > 0 else UNPLEASANT)


def label_of(family: str, emotions: Iterable[Emotion]) -> str:
    """Return the majority label of a family in `emotions`, else the family's own."""
    labels = Counter(one.primary for one in emotions if _FAMILY.get(one.primary) == family)
    if not labels:
        return family
    label = max(sorted(labels), key=labels.__getitem__)
    return label if 2 * labels[label] > labels.total() else family


_NIGHT: Final = dt.timedelta(hours=5)
_WEEKEND: Final = frozenset({"saturday", "sunday"})


class Feature(NamedTuple):
    """A feature of a message.

    Attributes:
        kind: `who`, `what`, `felt`, `when` or `late`.
        key: which; empty for `late`.
    """

    kind: str
    key: str


LATE: Final = Feature("late", "")
"""Said in the later half of the active days."""


@dataclass(frozen=True, slots=True)
class Observation:
    """A message of the user.

    Attributes:
        day: in the user's zone, ending at five in the morning, so that one evening is one day.
        people: names as written, by key.
    """

    memory: Memory
    day: dt.date
    features: frozenset[Feature]
    people: dict[str, str]

    @property
    def id(self) -> UUID:
        """The id of the memory."""
        return self.memory.id


def language_of(memories: Iterable[Memory]) -> str:
    """Return the most frequent language of the user; "" where there is none."""
    counts = Counter(one.language for one in memories if is_user_statement(one) and one.language)
    return max(sorted(counts), key=counts.__getitem__, default="")


def observe(memories: Iterable[Memory], language: str, own_names: Iterable[str] = ()) -> list[Observation]:
    """Return the messages of the user in `language` with their features, oldest first.

    Args:
        own_names: names of the user, who is no participant.
    """
    said = sorted(
        (one for one in memories if is_user_statement(one) and one.language == language),
        key=lambda one: (one.created_at, one.id),
    )
    own = {normalise(name) for name in (*own_names, *(one.speaker for one in said))} - {""}
    people = [_people(one, own) for one in said]
    merged = _merged({key for each in people for key in each})
    days = [_day(one) for one in said]
    late = _later_half(days)
    found = []
    for memory, met, day in zip(said, people, days, strict=True):
        named = {merged.get(key, key): name for key, name in met.items() if key not in merged} | {
            merged[key]: name for key, name in met.items() if key in merged
        }
        features = set(_features(memory, named, language))
        if day in late:
            features.add(LATE)
        found.append(Observation(memory, day, frozenset(features), named))
    return found


def _people(memory: Memory, own: set[str]) -> dict[str, str]:
    named = {normalise(name): name for name in memory.participants}
    return {key: name for key, name in named.items() if key and key not in own and key[0].isalpha()}


def _merged(keys: set[str]) -> dict[str, str]:
    """Map full names to given names that are unambiguous."""
    full: dict[str, list[str]] = {}
    for key in keys:
        first, _, rest = key.partition(" ")
        if rest:
            full.setdefault(first, []).append(key)
    return {names[0]: first for first, names in full.items() if first in keys and len(names) == 1}


def _features(memory: Memory, people: Iterable[str], language: str) -> Iterable[Feature]:
    yield from (Feature("who", key) for key in people)
    yield from (Feature("what", key) for key in _things(memory, people, language))
    if _is_felt(memory, language):
        yield from (Feature("felt", name) for name in feeling_families(memory.emotion))
    yield Feature("when", memory.time_of_day)
    yield Feature("when", memory.day_of_week)
    yield Feature("when", "weekend" if memory.day_of_week in _WEEKEND else "weekday")


def _is_felt(memory: Memory, language: str) -> bool:
    """Whether a feeling is more than courtesy, and its words are not just the topics."""
    if not has_content(Document(memory.content, language)):
        return False
    about = {word for topic in memory.topics for word in words(topic, language)}
    carriers = {word for keyword in memory.emotion.keywords for word in words(keyword, language)}
    return not carriers or not carriers <= about


def _things(memory: Memory, people: Iterable[str], language: str) -> set[str]:
    keys = {key for topic in memory.topics for key in topic_keys(topic, language)}
    vague = {topic_key(word, language) for word in INSIGHT_PHRASES[language].vague}
    names = {part for name in people for part in name.split()}
    return {key for key in keys if key and key not in vague | names and key[0].isalpha() and len(key) > 1}


def _day(memory: Memory) -> dt.date:
    return (memory.created_at.astimezone(find_zone(memory.timezone)) - _NIGHT).date()


def _later_half(days: Sequence[dt.date]) -> frozenset[dt.date]:
    distinct = sorted(set(days))
    return frozenset(distinct[(len(distinct) + 1) // 2 :])


@dataclass(frozen=True, slots=True)
class ReflectionEvidence:
    """What a reflection is drawn from.

    Attributes:
        memories: the latest that the user said, in any order.
    """

    memories: Sequence[Memory]
    own_names: Sequence[str]
