"""Feelings as they are counted: labels that are easily taken for one another count as one family."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from ricordo.language.annotations import Emotion

FAMILIES: Final[dict[str, tuple[str, ...]]] = {
    "joy": (
        "joy",
        "amusement",
        "excitement",
        "admiration",
        "approval",
        "gratitude",
        "love",
        "optimism",
        "relief",
        "pride",
        "caring",
        "desire",
    ),
    "anger": ("anger", "annoyance", "disapproval", "disgust"),
    "nervousness": ("nervousness", "fear"),
    "sadness": ("sadness", "disappointment", "grief", "remorse", "embarrassment"),
}
"""The labels of GoEmotions after Ekman's grouping (Demszky et al. 2020), by the one that stands for all.

Without the family of surprise: a "strange noise" and "I realised" are turns of phrase more than feelings that
somebody has about a thing.
"""

PLEASANT: Final = "pleasant"
UNPLEASANT: Final = "unpleasant"

_FAMILY: Final = {label: family for family, labels in FAMILIES.items() for label in labels}
_MARKED: Final = 0.35  # a valence beyond it is a feeling


def feelings(emotion: Emotion) -> tuple[str, ...]:
    """Return the family of a feeling, and whether it is a pleasant one, as far as it has either."""
    family = _FAMILY.get(emotion.primary)
    named = () if family is None else (family,)
    if abs(emotion.valence) < _MARKED:
        return named
    return (*named, PLEASANT if emotion.valence > 0 else UNPLEASANT)


def label_of(family: str, emotions: Iterable[Emotion]) -> str:
    """Return the name of a family's feeling: the label that most of it in `emotions` has, or its own."""
    labels = Counter(one.primary for one in emotions if _FAMILY.get(one.primary) == family)
    if not labels:
        return family
    label = max(sorted(labels), key=labels.__getitem__)
    return label if 2 * labels[label] > labels.total() else family
