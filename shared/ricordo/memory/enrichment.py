"""Derives the metadata of a message: emotion, importance, topics, participants, kind, title."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import NEUTRAL, Emotion, MemoryKind, MemoryType, Role
from ricordo.language.classification import memory_kind, memory_type
from ricordo.language.corrections import read_correction
from ricordo.language.document import Document
from ricordo.language.emotion import estimate
from ricordo.language.emotion.triggers import trigger_of
from ricordo.language.informative import INFORMS, informative
from ricordo.language.instructions import is_instructing, neutral_title
from ricordo.language.life_events import life_event
from ricordo.language.person_names import mentioned_names
from ricordo.language.reading import UNREAD, Reading
from ricordo.language.text import collapse, normalise
from ricordo.language.titles import title_of
from ricordo.language.topics import topics
from ricordo.memory.importance import Importance, importance

TITLE_LENGTH = 80
# Raised whenever the same message would be enriched otherwise, so that a backfill knows what is old.
VERSION = "rules-8"
_OF_READING = 0.7
"""How far the reading tells a valence, and the heads of emotion the rest of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrichment:
    """The metadata of a message.

    Attributes:
        topics: at most 5, case-folded, most salient first.
        participants: speaker, those present, those mentioned; each once.
        title: one line of at most 80 characters.
        informative: [0, 1]; from 0.5 on it is informative.
        instructing: whether any of it gives orders to a model.
        version: of the rules, followed by a plus sign and the model's name if one contributed.
        rated_by: the version of the importance.
    """

    emotion: Emotion
    importance: Importance
    topics: tuple[str, ...]
    participants: tuple[str, ...]
    type: MemoryType
    kind: MemoryKind
    title: str
    informative: float = INFORMS
    instructing: bool = False
    version: str = VERSION
    rated_by: str = VERSION


def enrich(
    document: Document,
    *,
    reading: Reading = UNREAD,
    role: Role = Role.USER,
    speaker: str = "",
    participants: Iterable[str] = (),
    vector: NDArray[np.float32] | None = None,
) -> Enrichment:
    """Derive the metadata of a message from its text and its reading.

    Args:
        document: empty text gives the neutral enrichment; only Italian and English are fully supported.
        role: the text of tools and the system carries no feeling.
        vector: float32 [d], the embedding, for an estimator that uses it.
    """
    spaced = document.evenly_spaced
    present = tuple(participants)
    mentioned = mentioned_names(spaced, (*present, speaker))
    instructing = is_instructing(document.text)
    readable = spaced.without_instructions if instructing else spaced
    corrects = role == Role.USER and read_correction(document) is not None
    feels = role in {Role.USER, Role.ASSISTANT}
    emotion = _felt(estimate(spaced, vector, mentioned), reading) if feels else NEUTRAL
    emotion = replace(emotion, trigger=trigger_of(readable, emotion))
    return Enrichment(
        emotion=emotion,
        importance=importance(reading.importance, life_event(spaced)),
        topics=topics(readable, mentioned),
        participants=_each_once((speaker, *present, *mentioned)),
        type=memory_type(spaced, emotion, role, vector),
        kind=memory_kind(spaced),
        title=_title(document, readable, reading) if spaced.text.strip() else "",
        informative=INFORMS if corrects else informative(spaced, role),
        instructing=instructing,
    )


def _felt(estimated: Emotion, reading: Reading) -> Emotion:
    """Return a feeling by its reading: the heads have learned from books, not from people's own talk."""
    if not reading.emotions:
        return estimated
    valence = _OF_READING * reading.valence / 2 + (1 - _OF_READING) * estimated.valence
    return replace(estimated, valence=round(valence, 4), primary=reading.emotions[0][0])


def _title(document: Document, readable: Document, reading: Reading) -> str:
    """Return the news of a text, or else its first statement."""
    if not readable.text.strip():
        return neutral_title(readable.language)
    if reading.news is not None and document.text == readable.text:
        readable = document.with_text(document.text[slice(*reading.news)])
    return title_of(readable, TITLE_LENGTH)


def _each_once(names: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for name in map(collapse, map(normalise, names)):
        if name:
            found.setdefault(name.casefold(), name)
    return tuple(found.values())
