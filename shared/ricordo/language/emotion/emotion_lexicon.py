"""Loads the lexicon of words, emoji and emoticons of feeling."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.text import stem
from ricordo.language.tokenization import words

LEVELS = {"strong": 1.3, "words": 1.0, "mild": 0.55}
Stems = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """What a word or phrase says: a label, and how strongly (1 is usual)."""

    label: str
    weight: float


@dataclass(frozen=True, slots=True)
class EmotionLexicon:
    """The words of one language, ready to be looked up."""

    stems: Mapping[str, Entry]
    exact: Mapping[str, Entry]
    phrases: Mapping[Stems, Entry]
    negations: frozenset[str]
    turns: frozenset[str]
    boosters: frozenset[Stems]
    dampers: frozenset[Stems]
    plain: frozenset[Stems]
    openings: Mapping[str, int]
    followers: Mapping[str, frozenset[str]]


_LABELS: Final = {
    "anger": "anger annoyance disapproval",
    "disgust": "disgust",
    "fear": "fear nervousness",
    "joy": "joy amusement approval excitement gratitude love optimism relief pride admiration desire caring",
    "sadness": "sadness disappointment embarrassment grief remorse",
    "surprise": "surprise realization confusion curiosity",
    "neutral": "neutral",
}
BASIC_EMOTIONS: Final = {label: basic for basic, labels in _LABELS.items() for label in labels.split()}
"""Ekman's basic emotion of each label of GoEmotions, as its authors group them (Demszky et al. 2020)."""


@lru_cache(maxsize=1)
def load_positions() -> Mapping[str, tuple[float, float, float]]:
    """Return valence, arousal and dominance of every label but `neutral`."""
    table: dict[str, list[float]] = read_table("emotions")
    return {label: (v, a, d) for label, (v, a, d) in table.items()}


@lru_cache(maxsize=1)
def load_signs() -> Mapping[str, str]:
    """Return the label of every emoji and emoticon."""
    table: dict[str, str] = read_table("emoji")
    return {sign: label for label, signs in table.items() for sign in signs.split()}


@lru_cache(maxsize=len(LANGUAGES))
def load_lexicon(language: str) -> EmotionLexicon:
    """Return the words of `language`.

    Raises:
        KeyError: there is no lexicon of that language; `LANGUAGES` names those there are.
    """
    if language not in LANGUAGES:
        raise KeyError(language)
    table = read_table("feelings", language)
    stems, exact, phrases = _entries(table, language)
    boosters, dampers, plain = (
        frozenset(stems_of(phrase, language) for phrase in table[key])
        for key in ("boosters", "dampers", "plain")
    )
    openings: dict[str, int] = {}
    followers: dict[str, set[str]] = {}
    for first, *rest in (*phrases, *boosters, *dampers, *plain):
        if rest:
            openings[first] = max(openings.get(first, 0), 1 + len(rest))
            followers.setdefault(first, set()).add(rest[0])
    return EmotionLexicon(
        stems=stems,
        exact=exact,
        phrases=phrases,
        negations=frozenset(table["negations"].split()),
        turns=frozenset(table["turns"].split()),
        boosters=boosters,
        dampers=dampers,
        plain=plain,
        openings=openings,
        followers={first: frozenset(seconds) for first, seconds in followers.items()},
    )


def stems_of(phrase: str, language: str) -> Stems:
    """Return the stem of every word of `phrase`, stop words included."""
    return tuple(stem(word, language) for word in words(phrase, language))


def _entries(
    table: Mapping[str, Any], language: str
) -> tuple[dict[str, Entry], dict[str, Entry], dict[Stems, Entry]]:
    stems: dict[str, Entry] = {}
    exact: dict[str, Entry] = {}
    phrases: dict[Stems, Entry] = {}
    for label in load_positions():
        section = table.get(label, {})
        for level, weight in LEVELS.items():
            for word in section.get(level, "").split():
                entry = Entry(label, weight)
                # The first mention wins: a stem that two words share belongs to the stronger level.
                if word.startswith("="):
                    exact.setdefault(word[1:], entry)
                else:
                    stems.setdefault(stem(word, language), entry)
        for phrase in section.get("phrases", ()):
            phrases[stems_of(phrase, language)] = Entry(label, 1.0)
    return stems, exact, phrases
