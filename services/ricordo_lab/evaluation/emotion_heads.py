"""Fits the heads that estimate feelings, by ridge regression on rated and labelled texts."""

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

import numpy as np

from ricordo.language.annotations import NEUTRAL
from ricordo.language.emotion.blending import heard
from ricordo.language.emotion.features import STYLE, Hashes, pieces
from ricordo.language.emotion.heads import AXES, LABELS, SPOKEN, Heads, Seen, quantised, told, weighed
from ricordo.language.emotion.words import spoken
from ricordo.settings import EmbeddingSettings
from ricordo_lab.console import UnsuitableData
from ricordo_lab.evaluation.ratings import Ratings, read
from ricordo_lab.evaluation.results import Figures, Matrix, minilm_vectors
from ricordo_lab.evaluation.ridge import Rows, ridge
from ricordo_services.app.embedding_models import model_names

_STYLE_COUNTS: Final = 0.3
_WORDS_COUNT: Final = 0.5
_CONSTANT: Final = 10.0  # so that the penalty hardly reaches the bias

FEWEST: Final = 20
"""Texts that heads are fitted on, at least."""
_UNSPOKEN: Final = tuple(told(NEUTRAL))


@dataclass(frozen=True, slots=True)
class Strength:
    """How a set is fitted, as cross-validation on the set itself found best.

    Attributes:
        penalty: of the ridge.
        vector: how much the vector counts beside the words, in the eyes of the penalty.
    """

    penalty: float
    vector: float


@dataclass(frozen=True, slots=True)
class Detail:
    """How finely the words of a language are read: finer is better, and larger.

    Attributes:
        buckets: that pieces of words are hashed into.
        longest: characters of a piece.
    """

    buckets: int
    longest: int


DETAIL_OF: Final = {"en": Detail(2**15, 5), "it": Detail(2**17, 6)}
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


def run(asked: argparse.Namespace) -> Iterator[Figures]:
    """Fit and write the heads of each language, and yield where they are."""
    ratings = {}  # all files are checked before any text is encoded, which takes minutes
    for path, option, on_axes in (
        (asked.data, "--data", True),
        (asked.goemotions, "--goemotions", False),
        (asked.emoita, "--emoita", True),
    ):
        ratings[option] = read(path)
        check(ratings[option], option, on_axes=on_axes)
    asked.out.mkdir(parents=True, exist_ok=True)
    for language, options in (("en", ("--data", "--goemotions")), ("it", ("--emoita",))):
        sets = [_encoded(ratings[option], language) for option in options]
        out = asked.out / f"heads_{language}.npz"
        out.write_bytes(fit_heads(sets, model_names(EmbeddingSettings())[0]).saved())
        yield Figures(out=str(out))


def _encoded(ratings: Ratings, language: str) -> Rated:
    vectors = asyncio.run(minilm_vectors(ratings.texts))
    return Rated(language, ratings.texts, vectors, ratings.rated, ratings.name)


def check(ratings: Ratings, option: str, *, on_axes: bool) -> None:
    """Check that heads can be fitted on these ratings.

    Args:
        ratings: those of a file.
        option: that named the file.
        on_axes: whether they must be of axes, not labels.

    Raises:
        UnsuitableData: they cannot; the sentence says what to do.
    """
    if ratings.on_axes != on_axes:
        kinds = ("texts with labels", "texts rated V, A and D")
        raise UnsuitableData(
            f"{ratings.name} holds {kinds[ratings.on_axes]}, but {option} takes {kinds[on_axes]}: "
            "are two files swapped?"
        )
    if len(ratings.texts) < FEWEST:
        raise UnsuitableData(
            f"{ratings.name} holds {len(ratings.texts)} texts: to fit heads, {option} takes {FEWEST} or more"
        )
    alike = np.flatnonzero(np.ptp(ratings.rated, axis=0) == 0)
    if on_axes and len(alike):
        names = " and ".join(AXES[at] for at in alike)
        raise UnsuitableData(f"{ratings.name} rates all texts alike in {names}: nothing can be learned of it")


def fit_heads(sets: Sequence[Rated], model: str) -> Heads:
    """Fit the heads of one language: those of each set beside the others.

    Args:
        sets: of one language; no two of them have a target in common.
        model: that made the vectors.
    """
    detail = DETAIL_OF[sets[0].language]
    seen = [[seen_of(text, one.language) for text in one.texts] for one in sets]
    cut = cache(partial(pieces, longest=detail.longest))
    held = [[[*map(cut, each.words), each.pairs] for each in texts] for texts in seen]
    rarity = _rarity([each for texts in held for each in texts], detail.buckets)
    parts = [
        _fit(
            one, [each.numbers for each in texts], [weighed(each, rarity) for each in hashes], detail.buckets
        )
        for one, texts, hashes in zip(sets, seen, held, strict=True)
    ]
    hashed, step = quantised(np.concatenate([part[: detail.buckets] for part in parts], axis=1))
    return Heads(
        model=model,
        targets=tuple(target for one in sets for target in one.targets),
        longest=detail.longest,
        rarity=rarity,
        hashed=hashed,
        step=step,
        share=np.concatenate([_share(one) for one in sets]),
        neutral=np.concatenate([_neutral(one, texts) for one, texts in zip(sets, seen, strict=True)]),
        dense=np.concatenate([part[detail.buckets :] for part in parts], axis=1),
        fitted_on="; ".join(f"{one.source}: {len(one.texts)} texts" for one in sets),
    )


def seen_of(text: str, language: str) -> Seen:
    """Return what the heads will see of a text when its feeling is estimated."""
    said, _ = heard(text, language)
    return Seen.of(said, spoken(said, language))


def _fit(
    one: Rated, numbers: Sequence[Sequence[float]], sparse: Sequence[tuple[Hashes, Matrix]], buckets: int
) -> Matrix:
    strength = AXES_OF[one.language] if one.targets == AXES else LABELS_OF_ENGLISH
    scale = _scale(one.vectors.shape[1], strength.vector)
    dense = np.concatenate((one.vectors, np.array(numbers, dtype=np.float32)), axis=1) * scale
    centre = one.wanted.mean(axis=0)
    weights = ridge(Rows.of(sparse, buckets, dense), one.wanted - centre, strength.penalty)
    weights[buckets:] *= scale[:, None]
    weights[-1] += centre
    return weights


def _share(one: Rated) -> Matrix:
    if one.targets == AXES:
        return np.ones(len(AXES), np.float32)
    # A label that was never given is rarer than any that was given once.
    share: Matrix = np.maximum(one.wanted.mean(axis=0), 0.5 / len(one.texts))
    return share


def _neutral(one: Rated, seen: Sequence[Seen]) -> Matrix:
    if one.targets != AXES:
        return np.zeros(len(LABELS), dtype=np.float32)
    plain = np.array([each.numbers[STYLE:-1] == _UNSPOKEN for each in seen])
    rated = one.wanted[plain] if plain.any() else one.wanted
    neutral: Matrix = np.median(rated, axis=0).astype(np.float32)
    return neutral


def _scale(size: int, vector: float) -> Matrix:
    """Return how much each dense feature counts in the eyes of the penalty."""
    parts = ((size, vector), (STYLE, _STYLE_COUNTS), (SPOKEN, _WORDS_COUNT), (1, _CONSTANT))
    return np.concatenate([np.full(count, weight, dtype=np.float32) for count, weight in parts])


def _rarity(texts: Sequence[Sequence[Hashes]], buckets: int) -> Matrix:
    """Return the root of each bucket's inverse document frequency: √(ln((1 + n) / (1 + df)) + 1)."""
    counts = np.zeros(buckets)
    for hashes in texts:
        counts[np.unique(np.concatenate((np.zeros(0, np.intp), *hashes)) % buckets)] += 1
    rarity: Matrix = np.sqrt(np.log((1 + len(texts)) / (1 + counts)) + 1).astype(np.float32)
    return rarity
