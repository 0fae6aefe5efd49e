"""`ricordo eval emotion`: what is estimated of a text's feeling, beside what people rated."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import Emotion
from ricordo.language.emotion import estimate
from ricordo.language.emotion.heads import AXES, LABELS
from ricordo.models.encoder import Encoder
from ricordo_lab.console import UnsuitableData
from ricordo_lab.evaluation.rated import Ratings
from ricordo_lab.evaluation.replay import Progress

_TOGETHER: Final = 1_024  # texts that are encoded between two words about it
_BINS: Final = 10
_FEWEST: Final = 3  # texts that r needs
GROUPS: Final[Mapping[str, str]] = {
    "anger": "anger annoyance disapproval",
    "disgust": "disgust",
    "fear": "fear nervousness",
    "joy": "joy amusement approval excitement gratitude love optimism relief pride admiration desire caring",
    "sadness": "sadness disappointment embarrassment grief remorse",
    "surprise": "surprise realization confusion curiosity",
    "neutral": "neutral",
}
"""The labels of GoEmotions under Ekman's basic emotions, as its authors group them."""
_GROUP_OF: Final = {label: group for group, labels in GROUPS.items() for label in labels.split()}

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Bin:
    """Texts of like estimated valence.

    Attributes:
        estimated, rated: their means.
        texts: how many.
    """

    estimated: float
    rated: float
    texts: int


async def encoded(encoder: Encoder, texts: Sequence[str], say: Progress) -> Matrix:
    """Return the vectors of `texts`, [n, d]; those of like length are encoded together.

    Raises:
        ModelUnavailable: the model cannot encode.
    """
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    vectors = np.zeros((len(texts), encoder.dimensions), dtype=np.float32)
    for at in range(0, len(order), _TOGETHER):
        some = order[at : at + _TOGETHER]
        vectors[some] = await encoder.encode([texts[one] for one in some])
        say(f"encoded {at + len(some)} of {len(texts)}")
    return vectors


def estimates(ratings: Ratings, language: str, vectors: Matrix) -> list[Emotion]:
    """Return what is estimated of each text."""
    pairs = zip(ratings.texts, vectors, strict=True)
    return [estimate(text, language, vector) for text, vector in pairs]


def check(ratings: Ratings, language: str) -> None:
    """Check that estimates in a language can be held against these ratings.

    Raises:
        UnsuitableData: they cannot; the sentence says what to do.
    """
    if not ratings.on_axes and language != "en":
        raise UnsuitableData(
            f"{ratings.name} holds labels, which are read in English only: leave --language out for English "
            "texts, or take texts that are rated V, A and D"
        )
    if ratings.on_axes and len(ratings.texts) < _FEWEST:
        raise UnsuitableData(
            f"{ratings.name} holds {len(ratings.texts)} texts: r says something from {_FEWEST} on"
        )


def figures(ratings: Ratings, found: Sequence[Emotion]) -> dict[str, float | None]:
    """Say how near the estimates are: Pearson's r of each axis, or macro-F1 over seven groups of labels.

    A text whose labels lie in several groups is left out of F1, as no one answer would be right. r is None
    where all ratings or all estimates are alike: then it is not defined.
    """
    if ratings.on_axes:
        told = _columns(found)
        return {axis: _pearson(told[:, at], ratings.rated[:, at]) for at, axis in enumerate(AXES)}
    pairs = list(_single(ratings, found))
    by_group = {group: _f1(pairs, group) for group in GROUPS}
    return {"macro_f1": float(np.mean(list(by_group.values()))), **by_group, "texts": float(len(pairs))}


def calibration(ratings: Ratings, found: Sequence[Emotion]) -> list[Bin]:
    """Return estimated beside rated valence, on the scale of the axis, in ten bins of as many texts each.

    A rating of 1 to 5 is (rating - 3) / 2.

    Args:
        ratings: of axes.
        found: one estimate each.
    """
    valences = _columns(found)[:, 0]
    rated = (ratings.rated[:, 0] - 3) / 2
    bins = np.array_split(np.argsort(valences, kind="stable"), min(_BINS, len(found)))
    return [Bin(float(valences[one].mean()), float(rated[one].mean()), len(one)) for one in bins]


def plotted(bins: Sequence[Bin]) -> Iterator[str]:
    """Yield the calibration as a line chart that pages of Markdown draw (Mermaid)."""
    yield "```mermaid"
    yield "xychart-beta"
    yield '    title "Rated valence by estimated valence"'
    yield f"    x-axis [{', '.join(f'{one.estimated:.2f}' for one in bins)}]"
    yield '    y-axis "rated" -1 --> 1'
    yield f"    line [{', '.join(f'{one.rated:.3f}' for one in bins)}]"
    yield "```"


def _columns(found: Sequence[Emotion]) -> Matrix:
    return np.array([(one.valence, one.arousal, one.dominance) for one in found], dtype=np.float32)


def _pearson(estimated: Matrix, rated: Matrix) -> float | None:
    if np.ptp(estimated) == 0 or np.ptp(rated) == 0:
        return None
    return float(np.corrcoef(estimated, rated)[0, 1])


def _single(ratings: Ratings, found: Sequence[Emotion]) -> Iterator[tuple[str, str]]:
    for row, one in zip(ratings.rated, found, strict=True):
        groups = {_GROUP_OF[LABELS[at]] for at in np.flatnonzero(row)}
        if len(groups) == 1:
            yield groups.pop(), _GROUP_OF[one.primary]


def _f1(pairs: Sequence[tuple[str, str]], group: str) -> float:
    right = sum(rated == told == group for rated, told in pairs)
    either = sum(rated == group for rated, _ in pairs) + sum(told == group for _, told in pairs)
    return 2 * right / either if either else 0.0
