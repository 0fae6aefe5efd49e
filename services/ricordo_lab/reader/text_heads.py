"""Fits heads of whole texts on what the network knows of a text, once that has been learned: by regressions.

What texts feel like to those who rated them, and whether they tell how something is done.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from ricordo.models.reader.reader_network import Floats
from ricordo_lab.evaluation.ratings import Ratings, read
from ricordo_lab.evaluation.softmax_heads import read_texts
from ricordo_lab.reader.network import TrainedReader

_RATED_PENALTY: Final = 3_000.0
_HOW: Final = "how"
_HOW_PENALTY: Final = 100.0
_ROUNDS: Final = 60
_SETTLED: Final = 1e-6
_FEWEST: Final = 20  # texts


def fit_text_heads(network: TrainedReader, rated: Sequence[Path], procedures: Path) -> None:
    """Set the heads `rated` and `procedural` of a network.

    Args:
        rated: files in the format of EmoBank or EmoITA; of none, nothing is told but by the talk.
        procedures: lines of label, language and text; `how` for those that tell how something is done.

    Raises:
        UnreadableData, UnsuitableData: a file is of another shape.
    """
    sets = [read(path) for path in rated]
    for one in sets:
        one.require(_FEWEST)
    texts = read_texts(procedures)
    if sets:
        known = np.concatenate([network.features(one.texts) for one in sets])
        weights = ridge(known, np.concatenate([_deviations(one) for one in sets]), _RATED_PENALTY)
        network.set_head("rated", weights)
    wanted = np.array([one.label == _HOW for one in texts], dtype=np.float64)
    found = network.features([one.text for one in texts])
    network.set_head("procedural", logistic(found, wanted, _HOW_PENALTY)[:, None])


def _deviations(ratings: Ratings) -> Floats:
    """Return how far each rating is from the median, in standard deviations: raters differ in scale."""
    rated = ratings.rated
    return np.asarray((rated - np.median(rated, axis=0)) / rated.std(axis=0), dtype=np.float32)


def ridge(known: Floats, wanted: Floats, penalty: float) -> Floats:
    """Return the weights of a regression and, last, its biases, [d + 1, targets].

    Args:
        known: [n, d]; the penalty is on the weights of scaled features.
        wanted: [n, targets].
    """
    mean, scale = known.mean(0), known.std(0) + 1e-6
    scaled, centre = (known - mean) / scale, wanted.mean(0)
    weights = np.linalg.solve(
        scaled.T @ scaled + penalty * np.eye(scaled.shape[1]), scaled.T @ (wanted - centre)
    )
    raw = weights / scale[:, None]
    return np.asarray(np.vstack([raw, centre - mean @ raw]), dtype=np.float32)


def logistic(known: Floats, right: np.ndarray[tuple[int], np.dtype[np.float64]], penalty: float) -> Floats:
    """Return the weights of a logistic regression and, last, its bias, [d + 1], by Newton's method.

    Args:
        known: [n, d]; the penalty is on the weights of scaled features.
        right: 0 or 1, [n].
    """
    mean, scale = known.astype(np.float64).mean(0), known.std(0) + 1e-6
    scaled = np.hstack([(known - mean) / scale, np.ones((len(right), 1))])
    weights = np.zeros(scaled.shape[1])
    held = np.full(len(weights), penalty)
    held[-1] = 0.0
    for _ in range(_ROUNDS):
        said = 1.0 / (1.0 + np.exp(-(scaled @ weights)))
        slope = scaled.T @ (said - right) + held * weights
        bend = (scaled * (said * (1.0 - said))[:, None]).T @ scaled + np.diag(held + 1e-9)
        step = np.linalg.solve(bend, slope)
        weights -= step
        if np.abs(step).max() < _SETTLED:
            break
    raw = weights[:-1] / scale
    return np.append(raw, weights[-1] - raw @ mean).astype(np.float32)
