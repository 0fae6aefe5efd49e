"""Fits the heads of emotion: `ricordo eval fit-emotion`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ricordo.domain.emotion.features import BUCKETS, STYLE, pieces, style, tokens
from ricordo.domain.emotion.heads import AXES, LABELS, SPOKEN, Heads, quantised, told, weighed
from ricordo.domain.emotion.words import spoken
from ricordo.domain.markup import beginning
from ricordo.domain.memory import NEUTRAL
from ricordo_services.evaluation.ridge import Rows, ridge

_STYLE_COUNTS: Final = 0.3
_WORDS_COUNT: Final = 0.5
_CONSTANT: Final = 10.0  # so that the penalty hardly reaches the bias

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Strength:
    """How a set is fitted, as cross-validation on the set itself found best.

    Attributes:
        penalty: of the ridge.
        vector: how much the vector counts beside the words, in the eyes of the penalty.
    """

    penalty: float
    vector: float


AXES_OF: Final = {"en": Strength(4.0, 1.0), "it": Strength(2.0, 0.5)}
LABELS_OF_ENGLISH: Final = Strength(2.0, 1.0)


@dataclass(frozen=True, slots=True)
class Rated:
    """Texts that people rated.

    Attributes:
        language: of the texts.
        vectors: [n, d], unit norm.
        wanted: [n, 3] valence, arousal and dominance, 1 to 5, or [n, 28] labels, 0 or 1.
        source: what they are, in a few words.
    """

    language: str
    texts: Sequence[str]
    vectors: Matrix
    wanted: Matrix
    source: str

    @property
    def targets(self) -> tuple[str, ...]:
        """What the columns of `wanted` are."""
        return AXES if self.wanted.shape[1] == len(AXES) else LABELS


def fit_heads(sets: Sequence[Rated], model: str) -> Heads:
    """Fit the heads of one language: those of each set beside the others.

    Args:
        sets: of one language; no two of them have a target in common.
        model: that made the vectors.
    """
    rarity = _rarity([_places(one.texts) for one in sets])
    parts = [_fit(one, rarity) for one in sets]
    hashed, step = quantised(np.concatenate([part[:BUCKETS] for part in parts], axis=1))
    return Heads(
        model=model,
        targets=tuple(target for one in sets for target in one.targets),
        rarity=rarity,
        hashed=hashed,
        step=step,
        share=np.concatenate([_share(one) for one in sets]),
        neutral=np.concatenate([_neutral(one) for one in sets]),
        dense=np.concatenate([part[BUCKETS:] for part in parts], axis=1),
        fitted_on="; ".join(f"{one.source}: {len(one.texts)} texts" for one in sets),
    )


def _fit(one: Rated, rarity: Matrix) -> Matrix:
    strength = AXES_OF[one.language] if one.targets == AXES else LABELS_OF_ENGLISH
    scale = _scale(one.vectors.shape[1], strength.vector)
    centre = one.wanted.mean(axis=0)
    weights = ridge(_rows(one, rarity, scale), one.wanted - centre, strength.penalty)
    weights[BUCKETS:] *= scale[:, None]
    weights[-1] += centre
    return weights


def _share(one: Rated) -> Matrix:
    return np.ones(len(AXES), np.float32) if one.targets == AXES else one.wanted.mean(axis=0)


def _neutral(one: Rated) -> Matrix:
    if one.targets != AXES:
        return np.zeros(len(LABELS), dtype=np.float32)
    plain = np.array([spoken(normalise(text), one.language) == NEUTRAL for text in one.texts])
    rated = one.wanted[plain] if plain.any() else one.wanted
    neutral: Matrix = np.median(rated, axis=0).astype(np.float32)
    return neutral


def _scale(size: int, vector: float) -> Matrix:
    """Return how much each dense feature counts in the eyes of the penalty."""
    parts = ((size, vector), (STYLE, _STYLE_COUNTS), (SPOKEN, _WORDS_COUNT), (1, _CONSTANT))
    return np.concatenate([np.full(count, weight, dtype=np.float32) for count, weight in parts])


def _rows(one: Rated, rarity: Matrix, scale: Matrix) -> Rows:
    texts = [normalise(text) for text in one.texts]
    beside = [
        np.concatenate((style(text, tokens(text)), told(spoken(text, one.language)), [1.0])) for text in texts
    ]
    dense = np.concatenate((one.vectors, np.array(beside, dtype=np.float32)), axis=1) * scale
    return Rows.of([weighed(places, rarity) for places in _places(texts)], BUCKETS, dense)


def _places(texts: Sequence[str]) -> list[NDArray[np.intp]]:
    return [buckets(tokens(normalise(text))) for text in texts]


def _rarity(sets: Sequence[Sequence[NDArray[np.intp]]]) -> Matrix:
    """Return the root of each bucket's inverse document frequency: √(ln((1 + n) / (1 + df)) + 1)."""
    every = [places for one in sets for places in one]
    counts = np.bincount(np.concatenate(every), minlength=BUCKETS)
    rarity: Matrix = np.sqrt(np.log((1 + len(every)) / (1 + counts)) + 1).astype(np.float32)
    return rarity


def subset(one: Rated, kept: NDArray[np.intp]) -> Rated:
    """Return the texts at some places."""
    return replace(
        one, texts=[one.texts[at] for at in kept], vectors=one.vectors[kept], wanted=one.wanted[kept]
    )
