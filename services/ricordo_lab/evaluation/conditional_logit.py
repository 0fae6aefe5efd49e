"""Fits a conditional logit with weights that are not negative: the model of the profile `human`.

Each question is a choice among what it returned: p = softmax(weights · features + prior), and the weights
minimise the mean over questions of -mean(log p of the evidence), plus a small ridge (a conditional logit,
McFadden 1974; ListNet, Cao et al. 2007). No weight is negative.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ricordo.memory.ranking.human import FEATURES, PRIOR, HumanProfile, features
from ricordo.memory.ranking.signals import Signals

RIDGE: Final = 1e-3
_STEPS: Final = 100
_CLOSE: Final = 1e-9
_HALVINGS: Final = 30

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Choice:
    """The features and the target of one question.

    Attributes:
        features: of each candidate, [n, d].
        given: what is added to each beside them, [n].
        target: the share of the evidence that each is, [n]; sums to 1.
    """

    features: Floats
    given: Floats
    target: Floats


def choice(
    signals: Signals, relevant: NDArray[np.bool_], given: Mapping[str, float] = PRIOR
) -> Choice | None:
    """Return the features and the target of a question; None where nothing returned is evidence.

    Args:
        signals: of what was returned, [n].
        relevant: which of it is evidence, [n].
        given: weights that the fit adds to: of the prior, and of features that begin above 0.
    """
    if not relevant.any():
        return None
    columns = [np.broadcast_to(column, relevant.shape) for column in features(signals).values()]
    taken = HumanProfile(weights={**dict.fromkeys(FEATURES, 0.0), **given}).logits(signals)
    fixed = np.asarray(np.broadcast_to(taken, relevant.shape))
    return Choice(np.stack(columns, axis=1), fixed, relevant / relevant.sum())


def fit(choices: Sequence[Choice], ridge: float = RIDGE) -> Mapping[str, float]:
    """Return the weight of each feature, >= 0.

    Projected Newton steps: those weights are free that are positive, or that the gradient would make so.

    Args:
        choices: at least one question.
        ridge: of the weights of features scaled to unit deviation.
    """
    scale = np.concatenate([one.features for one in choices]).std(axis=0)
    scale[scale == 0] = 1.0
    scaled = [Choice(one.features / scale, one.given, one.target) for one in choices]
    weights = np.zeros(len(FEATURES))
    loss = _loss(scaled, weights, ridge)
    for _ in range(_STEPS):
        gradient, hessian = _slope(scaled, weights, ridge)
        free = (weights > 0) | (gradient < 0)
        if not free.any():
            break
        step = np.zeros_like(weights)
        step[free] = np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
        weights, better = _along(scaled, weights, step, ridge, loss)
        if loss - better < _CLOSE:
            break
        loss = better
    return dict(zip(FEATURES, (weights / scale).tolist(), strict=True))


def bias(choices: Sequence[Choice], weights: Mapping[str, float]) -> float:
    """Return the bias with which the scores sum to the number of memories that are evidence.

    Args:
        choices: the questions.
        weights: of each feature.
    """
    vector = np.array([weights[name] for name in FEATURES])
    sums = np.concatenate([one.features @ vector + one.given for one in choices])
    wanted = sum(int((one.target > 0).sum()) for one in choices)
    low, high = -60.0, 60.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        total = float((1 / (1 + np.exp(-np.clip(sums + middle, -60, 60)))).sum())
        low, high = (middle, high) if total < wanted else (low, middle)
    return (low + high) / 2


def _chances(one: Choice, weights: Floats) -> Floats:
    total = one.features @ weights + one.given
    odds = np.exp(total - total.max())
    return np.asarray(odds / odds.sum(), dtype=np.float64)


def _loss(choices: Sequence[Choice], weights: Floats, ridge: float) -> float:
    logs = sum(float(one.target @ np.log(np.maximum(_chances(one, weights), 1e-300))) for one in choices)
    return -logs / len(choices) + ridge * float(weights @ weights)


def _slope(choices: Sequence[Choice], weights: Floats, ridge: float) -> tuple[Floats, Floats]:
    gradient = 2 * ridge * weights
    hessian = 2 * ridge * np.eye(len(weights))
    for one in choices:
        chances = _chances(one, weights)
        mean = chances @ one.features
        gradient += (mean - one.target @ one.features) / len(choices)
        spread = (one.features * chances[:, None]).T @ one.features - np.outer(mean, mean)
        hessian += spread / len(choices)
    return gradient, hessian


def _along(
    choices: Sequence[Choice], weights: Floats, step: Floats, ridge: float, loss: float
) -> tuple[Floats, float]:
    """Take a step, halved until the loss falls; return the same weights where it never does."""
    share = 1.0
    for _ in range(_HALVINGS):
        tried = np.maximum(0.0, weights - share * step)
        reached = _loss(choices, tried, ridge)
        if reached < loss:
            return tried, reached
        share /= 2
    return weights, loss
