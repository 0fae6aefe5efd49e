"""Fits the heads that estimate feelings, by ridge regression on rated and labelled texts."""

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from scipy.sparse.linalg import lsqr

from ricordo.language.annotations import NEUTRAL
from ricordo.language.document import Document
from ricordo.language.emotion import heads
from ricordo.language.emotion.emotion_words import spoken
from ricordo.language.emotion.figures_of_speech import without_figures
from ricordo.settings import EmbeddingSettings
from ricordo_lab.evaluation.ratings import Ratings, read
from ricordo_lab.evaluation.results import Matrix, NamedFigures, head_vectors, quantise
from ricordo_services.app.embedding_models import model_names

_STYLE_COUNTS: Final = 0.3
_WORDS_COUNT: Final = 0.5
_CONSTANT: Final = 10.0  # so that the penalty hardly reaches the bias
_ROUNDS: Final = 60
_TOLERANCE: Final = 1e-5

FEWEST: Final = 20
"""Texts that heads are fitted on, at least."""
_UNSPOKEN: Final = tuple(heads.emotion_numbers(NEUTRAL))


class Strength(NamedTuple):
    """How a set is fitted, as cross-validation on the set itself found best.

    Attributes:
        penalty: of the ridge.
        vector: how much the vector counts beside the words, in the eyes of the penalty.
    """

    penalty: float
    vector: float


class Detail(NamedTuple):
    """The buckets that pieces of words are hashed into, and the characters of the longest piece."""

    buckets: int
    longest: int


DETAIL_OF: Final = {"en": Detail(2**15, 5), "it": Detail(2**17, 6)}
AXES_OF: Final = {"en": Strength(4.0, 1.0), "it": Strength(4.0, 1.0)}
LABELS_OF_ENGLISH: Final = Strength(2.0, 1.0)


class EncodedRatings(NamedTuple):
    """Rated texts of a language, and their vectors, [n, d], unit norm."""

    language: str
    ratings: Ratings
    vectors: Matrix

    @property
    def targets(self) -> tuple[str, ...]:
        """What the columns of the ratings are."""
        return heads.AXES if self.ratings.on_axes else heads.LABELS


def run(asked: argparse.Namespace) -> Iterator[NamedFigures]:
    """Fit and write the heads of each language, and yield where they are."""
    ratings = {}  # all files are checked before any text is encoded, which takes minutes
    for path, option, on_axes in (
        (asked.data, "--data", True),
        (asked.goemotions, "--goemotions", False),
        (asked.emoita, "--emoita", True),
    ):
        ratings[option] = read(path)
        ratings[option].require(on_axes=on_axes, texts=FEWEST)
    asked.out.mkdir(parents=True, exist_ok=True)
    for language, options in (("en", ("--data", "--goemotions")), ("it", ("--emoita",))):
        sets = [
            EncodedRatings(language, rated, asyncio.run(head_vectors(rated.texts)))
            for rated in map(ratings.__getitem__, options)
        ]
        out = asked.out / f"heads_{language}.npz"
        out.write_bytes(fit_heads(sets, model_names(EmbeddingSettings())[0]).saved())
        yield NamedFigures(out=str(out))


def fit_heads(sets: Sequence[EncodedRatings], model: str) -> heads.Heads:
    """Fit the heads of one language: those of each set beside the others."""
    detail = DETAIL_OF[sets[0].language]
    seen = [[seen_of(text, one.language) for text in one.ratings.texts] for one in sets]
    cut = cache(partial(heads.pieces, longest=detail.longest))
    held = [[[*map(cut, each.words), each.pairs] for each in texts] for texts in seen]
    buckets = detail.buckets
    rarity = _rarity([each for texts in held for each in texts], buckets)
    parts = [
        _fit(
            part,
            [text.numbers for text in texts],
            [bucket_weights(each, rarity) for each in hashes],
            buckets,
        )
        for part, texts, hashes in zip(sets, seen, held, strict=True)
    ]
    hashed, step = quantise(np.concatenate([part[:buckets] for part in parts], axis=1), heads.STEPS)
    return heads.Heads(
        model=model,
        targets=tuple(target for one in sets for target in one.targets),
        longest=detail.longest,
        rarity=rarity,
        hashed=hashed,
        step=step,
        share=np.concatenate([_share(one) for one in sets]),
        neutral=np.concatenate([_neutral(one, texts) for one, texts in zip(sets, seen, strict=True)]),
        dense=np.concatenate([part[detail.buckets :] for part in parts], axis=1),
        fitted_on="; ".join(f"{one.ratings.name}: {len(one.ratings.texts)} texts" for one in sets),
    )


def seen_of(text: str, language: str) -> heads.HeadInput:
    """Return what the heads will see of a text when its feeling is estimated."""
    said = without_figures(Document(text, language).prose)
    return heads.HeadInput.of(said.text, spoken(said))


def _fit(
    one: EncodedRatings,
    numbers: Sequence[Sequence[float]],
    sparse: Sequence[tuple[heads.Hashes, Matrix]],
    buckets: int,
) -> Matrix:
    strength = AXES_OF[one.language] if one.ratings.on_axes else LABELS_OF_ENGLISH
    scale = _scale(one.vectors.shape[1], strength.vector)
    dense = np.concatenate((one.vectors, np.array(numbers, dtype=np.float32)), axis=1) * scale
    centre = one.ratings.rated.mean(axis=0)
    weights = ridge(sparse, buckets, dense, one.ratings.rated - centre, strength.penalty)
    weights[buckets:] *= scale[:, None]
    weights[-1] += centre
    return weights


def ridge(
    sparse: Sequence[tuple[heads.Hashes, Matrix]], width: int, dense: Matrix, wanted: Matrix, penalty: float
) -> Matrix:
    """Return the weights [width + d, targets] that minimise |rows · weights - wanted|² + penalty |weights|².

    Args:
        sparse: columns and values of each row of the sparse part.
        width: columns of the sparse part.
        dense: the other columns, [n, d].
        wanted: [n, targets].
        penalty: above 0.
    """
    ends = np.concatenate(([0], np.cumsum([len(columns) for columns, _ in sparse])))
    columns, values = (np.concatenate(parts) for parts in zip(*sparse, strict=True))
    rows = hstack([csr_matrix((values, columns, ends), shape=(len(sparse), width)), dense], format="csr")
    solved = [
        lsqr(rows, target, damp=np.sqrt(penalty), atol=_TOLERANCE, btol=_TOLERANCE, iter_lim=_ROUNDS)[0]
        for target in wanted.T
    ]
    return np.stack(solved, axis=1).astype(np.float32)


def _share(one: EncodedRatings) -> Matrix:
    if one.ratings.on_axes:
        return np.ones(len(heads.AXES), np.float32)
    # A label that was never given is rarer than any that was given once.
    share: Matrix = np.maximum(one.ratings.rated.mean(axis=0), 0.5 / len(one.ratings.texts))
    return share


def _neutral(one: EncodedRatings, seen: Sequence[heads.HeadInput]) -> Matrix:
    if not one.ratings.on_axes:
        return np.zeros(len(heads.LABELS), dtype=np.float32)
    plain = np.array([each.numbers[heads.STYLE : -1] == _UNSPOKEN for each in seen])
    rated = one.ratings.rated[plain] if plain.any() else one.ratings.rated
    neutral: Matrix = np.median(rated, axis=0).astype(np.float32)
    return neutral


def _scale(size: int, vector: float) -> Matrix:
    """Return how much each dense feature counts in the eyes of the penalty."""
    parts = ((size, vector), (heads.STYLE, _STYLE_COUNTS), (heads.EMOTION_SIZE, _WORDS_COUNT), (1, _CONSTANT))
    return np.concatenate([np.full(count, weight, dtype=np.float32) for count, weight in parts])


def _rarity(texts: Sequence[Sequence[heads.Hashes]], buckets: int) -> Matrix:
    """Return the root of each bucket's inverse document frequency: √(ln((1 + n) / (1 + df)) + 1)."""
    counts = np.zeros(buckets)
    for hashes in texts:
        counts[np.unique(np.concatenate((np.zeros(0, np.intp), *hashes)) % buckets)] += 1
    rarity: Matrix = np.sqrt(np.log((1 + len(texts)) / (1 + counts)) + 1).astype(np.float32)
    return rarity


def bucket_weights(hashes: Sequence[heads.Hashes], rarity: Matrix) -> tuple[NDArray[np.intp], Matrix]:
    """Return the buckets of a text, and how much each counts there.

    A bucket counts by its rarity, once for each word that it is a piece of, with unit norm.
    """
    every = np.concatenate((np.zeros(0, dtype=np.intp), *hashes)) % len(rarity)
    shares = rarity[every]
    norm = float(np.sqrt(np.square(shares).sum()))
    return every, shares / norm if norm > 0 else shares
