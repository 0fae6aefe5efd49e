"""The names of feelings, where they lie, and the words that name them in a question."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.text import stem

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


@lru_cache(maxsize=16_384)
def feeling_of(word: str, language: str) -> str:
    """Return the feeling that a case-folded word names; "" for none."""
    if language not in LANGUAGES:
        return ""
    exact, stems = _words(language)
    return exact.get(word) or stems.get(stem(word, language)) or ""


@lru_cache(maxsize=len(LANGUAGES))
def _words(language: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the feelings of words as they are written, and by their stem."""
    table = read_table("feelings", language)
    stems: dict[str, str] = {}
    exact: dict[str, str] = {}
    for label in load_positions():
        for word in table[label].split():
            if word.startswith("="):
                exact.setdefault(word[1:], label)
            else:
                stems.setdefault(stem(word, language), label)
    return exact, stems
