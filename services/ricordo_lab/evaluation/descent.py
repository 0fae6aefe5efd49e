"""Multinomial logistic regression, fitted by Adam (Kingma and Ba, 2015)."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

_RATE: Final = 0.1
_DECAY: Final = (0.9, 0.999)


def descend(features: Matrix, wanted: Matrix, ridge: float, steps: int) -> Matrix:
    """Return the weights that minimise the mean cross-entropy plus a ridge, [d, labels].

    Args:
        features: [n, d].
        wanted: a distribution over the labels for each, [n, labels].
        ridge: the weight of the squared norm.
        steps: over all rows each.
    """
    weights = np.zeros((features.shape[1], wanted.shape[1]), dtype=np.float32)
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, steps + 1):
        scores = features @ weights
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        errors = odds / odds.sum(axis=1, keepdims=True) - wanted
        gradient = features.T @ errors / len(wanted) + ridge * weights
        first = _DECAY[0] * first + (1 - _DECAY[0]) * gradient
        second = _DECAY[1] * second + (1 - _DECAY[1]) * gradient**2
        mean, spread = first / (1 - _DECAY[0] ** step), second / (1 - _DECAY[1] ** step)
        weights -= _RATE * mean / (np.sqrt(spread) + 1e-8)
    return weights
