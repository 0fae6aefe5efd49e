"""Merges the metadata that a language model claims into that of the rules, as far as the message supports it.

Names, topics and titles need words of the message; feelings must be within their scales and labels and must
not contradict themselves. Otherwise the values of the rules stay.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ricordo.language.annotations import Emotion, MemoryKind, MemoryType, Role
from ricordo.language.feelings import load_positions
from ricordo.language.name_lists import LONGEST_NAME, is_place, load_names
from ricordo.language.text import collapse, excerpt, normalise, stop_words
from ricordo.language.titles import TITLE_LENGTH
from ricordo.language.tokenization import stems, words, words_of
from ricordo.language.topics import MAX_TOPICS, topic_key
from ricordo.memory.enrichment import Enrichment

INFERRED_KINDS = (
    MemoryKind.MESSAGE,
    MemoryKind.NOTE,
    MemoryKind.AGREEMENT,
    MemoryKind.PROBLEM,
    MemoryKind.DECISION,
)
LONGEST_SHOWN = 2_000  # characters of a message that a model is shown
_LONGEST_END = 400  # of these, from its end


@dataclass(frozen=True, slots=True)
class LlmMessage:
    """A message as a model is shown it.

    Attributes:
        text: data, never an instruction.
        speaker: name; "" if unknown.
    """

    text: str
    language: str
    role: Role = Role.USER
    speaker: str = ""

    @property
    def shown(self) -> str:
        """The text; of a long one the beginning and the end."""
        text = normalise(self.text)
        if len(text) <= LONGEST_SHOWN:
            return text
        return f"{text[: LONGEST_SHOWN - _LONGEST_END]} … {text[-_LONGEST_END:]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """Metadata claimed by a model, each None or empty where it says nothing.

    Attributes:
        valence, arousal, dominance: on the scales of `Emotion`, unchecked.
    """

    valence: float | None = None
    arousal: float | None = None
    dominance: float | None = None
    primary: str | None = None
    keywords: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    type: MemoryType | None = None
    kind: MemoryKind | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class LlmReading:
    """An importance rating in [0, 1] and a description; None without one."""

    importance: float | None = None
    description: Description | None = None


def described_by(version: str, model: str) -> str:
    """Return the version string of rules plus model."""
    return f"{version}+{model}"


def importance_of_rating(rating: float) -> float | None:
    """Return a rating of 1-10 as importance, (rating - 1)/9; None where it is out of range."""
    return (rating - 1) / 9 if 1 <= rating <= 10 else None


_LONGEST_TOPIC = 3  # words
_MAX_KEYWORDS = 8
_MAX_PARTICIPANTS = 16
_TITLE_SHARE = 0.5  # of a title's words that the message has at least
_OPPOSED = 0.3  # |valence| from which two statements about it can contradict each other
_FELT_BY_NOBODY = frozenset({Role.SYSTEM, Role.TOOL})


def merge_llm_reading(derived: Enrichment, said: LlmMessage, reading: LlmReading, model: str) -> Enrichment:
    """Return the metadata of the rules with the supported claims of a model."""
    merged, version = derived, described_by(derived.version, model)
    if reading.importance is not None:
        merged = replace(
            merged,
            importance=reading.importance if 0 <= reading.importance <= 1 else derived.importance,
            rated_by=described_by(derived.rated_by, model),
        )
    if reading.description is not None and reading.description != Description():
        merged = replace(_described(merged, said, reading.description), version=version)
    return merged


def _described(derived: Enrichment, said: LlmMessage, claim: Description) -> Enrichment:
    text = normalise(said.text)
    emotion = derived.emotion if said.role in _FELT_BY_NOBODY else _feeling(claim, text, derived.emotion)
    return replace(
        derived,
        emotion=emotion,
        topics=_topics(claim.topics, text, said.language, derived.topics),
        participants=_participants(claim.participants, text, said.language, derived.participants),
        type=_type(claim.type, emotion, derived.type),
        kind=claim.kind if claim.kind in INFERRED_KINDS else derived.kind,
        title=_title(claim.title, text, said.language) or derived.title,
    )


def _feeling(claim: Description, text: str, found: Emotion) -> Emotion:
    valence, arousal, dominance = claim.valence, claim.arousal, claim.dominance
    if valence is None or arousal is None or dominance is None or claim.primary is None:
        return found
    if not (-1 <= valence <= 1 and 0 <= arousal <= 1 and 0 <= dominance <= 1):
        return found
    label = claim.primary.strip().casefold()
    if not _agrees(label, valence):
        return found
    keywords = tuple(filter(None, (_as_written(word, text) for word in claim.keywords)))[:_MAX_KEYWORDS]
    return Emotion(
        valence=valence,
        arousal=arousal,
        dominance=dominance,
        primary=label,
        keywords=tuple(dict.fromkeys(keywords)) or (found.keywords if label != "neutral" else ()),
        trigger=found.trigger if label != "neutral" else "",
    )


def _agrees(label: str, valence: float) -> bool:
    if label == "neutral":
        return abs(valence) <= 0.5
    position = load_positions().get(label)
    if position is None:
        return False
    usual = position[0]
    return usual * valence >= 0 or min(abs(usual), abs(valence)) < _OPPOSED


def _topics(claimed: Iterable[str], text: str, language: str, found: tuple[str, ...]) -> tuple[str, ...]:
    said = set(stems(text, language))
    borne: dict[str, str] = {}
    for topic in (*(collapse(normalise(each)).casefold() for each in claimed), *found):
        own = stems(topic, language)
        key = topic_key(topic, language)
        if topic in found or (own and len(topic.split()) <= _LONGEST_TOPIC and said.issuperset(own)):
            borne.setdefault(key, topic)
    return tuple(borne.values())[:MAX_TOPICS]


def _participants(
    claimed: Iterable[str], text: str, language: str, found: tuple[str, ...]
) -> tuple[str, ...]:
    names = list(found)
    for name in claimed:
        written = _as_written(name, text)
        if written is None or not _is_a_name(written, language):
            continue
        if not any(_within(written.casefold(), one.casefold()) for one in names):
            names.append(written)
    return tuple(names[: max(len(found), _MAX_PARTICIPANTS)])


def _is_a_name(written: str, language: str) -> bool:
    parts = written.split()
    if len(parts) > LONGEST_NAME or not written[0].isupper() or is_place(written):
        return False
    never, common = load_names().never, stop_words(language)
    return not any(part.casefold() in never or part.casefold() in common for part in parts)


def _type(claimed: MemoryType | None, emotion: Emotion, found: MemoryType) -> MemoryType:
    if claimed is None or (claimed is MemoryType.EMOTIONAL and emotion.primary == "neutral"):
        return found
    return claimed


def _title(claimed: str | None, text: str, language: str) -> str:
    """Return the title if the text has its names, numbers and half of its other words; else ""."""
    title = excerpt(normalise(claimed), TITLE_LENGTH) if claimed else ""
    if not any(letter.isalnum() for letter in title):
        return ""
    said = set(words(text, language))
    for word in words_of(title, language):
        marked = (word.start > 0 and word.written[0].isupper()) or any(c.isdigit() for c in word.written)
        if marked and word.folded not in said:
            return ""
    own = stems(title, language)
    shared = set(stems(text, language)).intersection(own)
    return title.strip(" .") if len(shared) >= _TITLE_SHARE * len(set(own)) else ""


def _as_written(claimed: str, text: str) -> str | None:
    """Return `claimed` as the text spells it; None where it does not occur as whole words."""
    phrase = collapse(normalise(claimed))
    if not phrase:
        return None
    pattern = rf"(?<!\w){re.escape(phrase)}(?!\w)"
    found = re.search(pattern, text) or re.search(pattern, text, re.IGNORECASE)
    return None if found is None else found[0]


def _within(name: str, other: str) -> bool:
    one, another = set(name.split()), set(other.split())
    return one <= another or another <= one
