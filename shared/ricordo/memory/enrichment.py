"""All that is derived from a message without a model: one function for the worker and the command line."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import NEUTRAL, Emotion, MemoryKind, MemoryType, Role
from ricordo.language.assertion_scope import evenly_set
from ricordo.language.classification import memory_kind, memory_type
from ricordo.language.corrections import read_correction
from ricordo.language.emotion import estimate
from ricordo.language.informative import TELLS, informative
from ricordo.language.instructions import is_instructing, neutral_title, without_instructions
from ricordo.language.names import mentioned_names
from ricordo.language.text import collapse, normalise, title_of
from ricordo.language.topics import topics
from ricordo.memory.importance import Importance, importance

TITLE_LENGTH = 80
# Raised whenever the same message would be enriched otherwise, so that a backfill knows what is old.
VERSION = "rules-5"


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrichment:
    """What was derived from a message.

    Attributes:
        emotion: how it feels.
        importance: how much it matters, explained.
        topics: at most 5, case-folded, most salient first.
        participants: speaker, those present, those mentioned; each once.
        type: what sort of remembering it is.
        kind: message, note, agreement, problem or decision.
        title: one line of at most 80 characters.
        informative: whether it tells anything, in [0, 1]; from 0.5 on it does.
        instructing: whether any of it tells a model what to do.
        version: of what derived it: the rules, and the model's name behind a plus sign.
        rated_by: the same of the importance.
    """

    emotion: Emotion
    importance: Importance
    topics: tuple[str, ...]
    participants: tuple[str, ...]
    type: MemoryType
    kind: MemoryKind
    title: str
    informative: float = TELLS
    instructing: bool = False
    version: str = VERSION
    rated_by: str = VERSION


def enrich(
    content: str,
    *,
    language: str,
    role: Role = Role.USER,
    speaker: str = "",
    participants: Iterable[str] = (),
    vector: NDArray[np.float32] | None = None,
) -> Enrichment:
    """Derive from a message what can be derived from it alone.

    Args:
        content: what was said; empty text gives the neutral enrichment.
        language: ISO 639-1; "it" and "en" are read, of others little is found.
        role: who spoke; what a tool or the system says carries no feeling.
        speaker: the speaker's name, if known.
        participants: who was present, as the bot says.
        vector: float32 [d], the text's embedding, for an estimator that uses it.
    """
    said, content = content, evenly_set(content)
    present = tuple(participants)
    mentioned = mentioned_names(content, language, (*present, speaker))
    instructing = is_instructing(said)
    heard = without_instructions(content) if instructing else content
    corrects = role == Role.USER and read_correction(said) is not None
    feels = role in {Role.USER, Role.ASSISTANT}
    emotion = estimate(content, language, vector, mentioned) if feels else NEUTRAL
    return Enrichment(
        emotion=emotion,
        importance=importance(content, language, emotion),
        topics=topics(heard, language, mentioned),
        participants=_each_once((speaker, *present, *mentioned)),
        type=memory_type(content, language, emotion, role, vector),
        kind=memory_kind(content, language),
        title=_title(heard, language) if content.strip() else "",
        informative=TELLS if corrects else informative(said, language=language, role=role),
        instructing=instructing,
    )


def _title(heard: str, language: str) -> str:
    return title_of(heard, TITLE_LENGTH) if heard.strip() else neutral_title(language)


def _each_once(names: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for name in map(collapse, map(normalise, names)):
        if name:
            found.setdefault(name.casefold(), name)
    return tuple(found.values())
