"""Rates the importance of a message by heuristics, and adds what recalls contribute to it.

Two published scales are added. The first rates 1 to 10, as the lite mode of generative agents: 3, plus 1 each
beyond 200 and 500 characters, plus 0.5 per keyword. The second rates meaningfulness 1 to 5: 1, plus 1 for
feeling, 1 for self-disclosure of some length, 2 for a life event. Importance is min(1, (first - 1)/9 +
(second - 1)/4).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import Emotion
from ricordo.language.assertion_scope import plain, plain_words
from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.document import Document
from ricordo.language.life_events import life_event
from ricordo.language.text import stem
from ricordo.language.tokenization import words

DISCLOSURE_LENGTH = 50
FEELING_VALENCE = 0.5
FEELING_AROUSAL = 0.6

_OPENING = 3
"""Letters shared by a word and its stem."""

Amount = float | NDArray[np.float64]

# Manners and opinions are not yet a feeling of one's own.
_NO_OWN_FEELING = frozenset(
    "neutral admiration amusement annoyance approval confusion curiosity desire disapproval gratitude "
    "realization".split()
)


@dataclass(frozen=True, slots=True)
class ImportanceContribution:
    """A named contribution, its evidence in the text, and its amount."""

    reason: str
    evidence: str
    amount: float


@dataclass(frozen=True, slots=True)
class Importance:
    """A value in [0, 1], and the contributions whose sum it is, capped at 1."""

    value: float
    contributions: tuple[ImportanceContribution, ...]


def importance(document: Document, emotion: Emotion) -> Importance:
    """Rate the importance of a text.

    Args:
        document: in a language without data only length and feeling count.
    """
    document = document.composed
    found = (*_weight(document), *_meaning(document, emotion))
    return Importance(min(1.0, sum(each.amount for each in found)), found)


def rating_of_ten(value: Amount) -> Amount:
    """Return importance [0, 1] on the scale 1-10."""
    return 1 + 9 * value


def meaningfulness(value: Amount) -> Amount:
    """Return importance [0, 1] on the scale 1-5."""
    return 1 + 4 * value


def _weight(document: Document) -> tuple[ImportanceContribution, ...]:
    found = [ImportanceContribution("baseline", "", 2 / 9)]
    found += [
        ImportanceContribution("length", f"more than {limit} characters", 1 / 9)
        for limit in (200, 500)
        if len(document.text) > limit
    ]
    weighty, openings = _weighty_stems(document.language)
    # Few words begin as a weighty one does: only those are worth a stemmer.
    if opening := {
        stem(word.folded, document.language) for word in document.words if word.folded[:_OPENING] in openings
    }:
        announced = (word for key, word in weighty.items() if key in opening)
        found += [ImportanceContribution("keyword", word, 0.5 / 9) for word in announced]
    return tuple(found)


@lru_cache(maxsize=8)
def _weighty_stems(language: str) -> tuple[Mapping[str, str], frozenset[str]]:
    """Return keywords by stem, and the prefixes of the stems."""
    known = {stem(word, language): word for word in _words_of(language)["weighty"].split()}
    return known, frozenset(key[:_OPENING] for key in known)


def _words_of(language: str) -> Mapping[str, str]:
    return read_table("importance", language if language in LANGUAGES else "")


@lru_cache(maxsize=8)
def _first_person(language: str) -> frozenset[str]:
    return frozenset(_words_of(language)["first_person"].split())


def _meaning(document: Document, emotion: Emotion) -> tuple[ImportanceContribution, ...]:
    found: list[ImportanceContribution] = []
    event = life_event(document)
    if _is_feeling(emotion) and (event or _is_felt(document, emotion)):
        found.append(ImportanceContribution("feeling", emotion.primary, 1 / 4))
    own = _first_person(document.language)
    spoken = next((word.folded for word in document.words if word.folded in own), "")
    if spoken and len(document.text) > DISCLOSURE_LENGTH:
        found.append(ImportanceContribution("disclosure", spoken, 1 / 4))
    if event:
        found.append(ImportanceContribution("life_event", event, 2 / 4))
    return tuple(found)


def _is_felt(document: Document, emotion: Emotion) -> bool:
    """Whether the emotion is in what the text asserts, not in what it asks, supposes, wishes or reports."""
    if _speaks_of_death_only(emotion, document.language):
        return False
    if document.language not in LANGUAGES:
        return True
    carriers = [plain_words(plain(one)) for one in emotion.keywords] or [frozenset()]  # an emoji has no words
    said = frozenset[str]().union(*(plain_words(one.plain) for one in document.prose.disclosures))
    # Signs alone, and courtesies, are felt of something that was said before.
    return bool(said) and any(one <= said for one in carriers)


def _speaks_of_death_only(emotion: Emotion, language: str) -> bool:
    """Whether all emotion words are about death, which is often figurative."""
    deadly = _deadly_stems(language)
    said = [stem(word, language) for keyword in emotion.keywords for word in words(keyword, language)]
    return bool(said) and all(one in deadly for one in said)


@lru_cache(maxsize=8)
def _deadly_stems(language: str) -> frozenset[str]:
    return frozenset(stem(word, language) for word in _words_of(language)["deadly"].split())


def _is_feeling(emotion: Emotion) -> bool:
    strong = abs(emotion.valence) >= FEELING_VALENCE or emotion.arousal >= FEELING_AROUSAL
    return strong and emotion.primary not in _NO_OWN_FEELING


IMPORTANCE_STEP = 0.02
IMPORTANCE_CEILING = 0.95


class RecallVerdict(StrEnum):
    """A bot's feedback on a recalled memory."""

    USED = "used"
    IRRELEVANT = "irrelevant"


def after_uses(importance: float, uses: int, *, beyond: float = 0.0) -> tuple[float, float]:
    """Return the importance after more uses, and the excess above the ceiling.

    Args:
        uses: that count; negative where they are withdrawn.
        beyond: the present excess, >= 0. It is withdrawn first, so that the result does not depend on which
            uses are withdrawn, nor on their order.
    """
    if not uses:
        return importance, beyond
    whole = importance + beyond + IMPORTANCE_STEP * uses
    # What is above the ceiling by itself, use has not brought there, and does not lower.
    raised = max(0.0, min(whole, max(importance, IMPORTANCE_CEILING)))
    return raised, max(0.0, whole - raised)


def gained(
    importance: NDArray[np.float64], beyond: NDArray[np.float64], access_count: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the importance added by use, [n]: 0.02 a use, less the excess above the ceiling."""
    return np.clip(IMPORTANCE_STEP * access_count - beyond, 0.0, importance)
