"""Fits a conditional logit with weights that are not negative: the model of the profile `human`.

Each question is a choice among what it returned: p = softmax(weights · features + prior), and the weights
minimise the mean over questions of -mean(log p of the evidence), plus a small ridge (a conditional logit,
McFadden 1974; ListNet, Cao et al. 2007). No weight is negative. Memories in another language than the
question have weights of their own for words, which count little between languages; meaning, speakers and
times count the same, or a foreign memory half as near in meaning would outrank one that shares no word.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ricordo.memory.ranking.human import FEATURES, FOREIGN, PRIOR, HumanProfile, features
from ricordo.memory.ranking.signals import Signals

RIDGE: Final = 1e-3
_ROUNDS: Final = 100
_SETTLED: Final = 1e-9
_HALVINGS: Final = 60

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Choice:
    """The features and the target of one question.

    Attributes:
        features: of each candidate in the question's language, of each in another one, and whether it is in
            another: [n, 2 d + 1].
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
    own = np.stack([np.broadcast_to(column, relevant.shape) for column in features(signals).values()], axis=1)
    foreign = np.broadcast_to(signals.foreign, relevant.shape)[:, None]
    taken = HumanProfile(weights={**dict.fromkeys(FEATURES, 0.0), **given}).logits(signals)
    fixed = np.asarray(np.broadcast_to(taken, relevant.shape))
    stacked = np.concatenate([own * (1 - foreign), own * foreign, foreign], axis=1)
    return Choice(stacked, fixed, relevant / relevant.sum())


@dataclass(frozen=True, slots=True)
class Fit:
    """The weight of each feature, >= 0: in the language of the question, and in another one.

    Attributes:
        foreign: also of being in another language, of either sign; empty where no candidate was.
    """

    own: Mapping[str, float]
    foreign: Mapping[str, float]

    @property
    def vector(self) -> Floats:
        """The weights in the order of `Choice.features`."""
        foreign = self.foreign or dict.fromkeys((*FEATURES, FOREIGN), 0.0)
        return np.array(
            [*map(self.own.__getitem__, FEATURES), *map(foreign.__getitem__, (*FEATURES, FOREIGN))]
        )


def fit(choices: Sequence[Choice], ridge: float = RIDGE) -> Fit:
    """Return the weights.

    Args:
        choices: at least one question.
        ridge: of the weights of features scaled to unit deviation.
    """
    tied = _tied()
    features = np.concatenate([one.features @ tied for one in choices])
    given = np.concatenate([one.given for one in choices])
    target = np.concatenate([one.target for one in choices])
    scale = features.std(axis=0)
    scale[scale == 0] = 1.0
    features /= scale
    sizes = np.array([len(one.target) for one in choices])
    begins = np.cumsum(sizes) - sizes

    def at(weights: Floats) -> tuple[float, Floats, Floats]:
        """Return the loss, its gradient and its Hessian, of all questions at once."""
        logits = features @ weights + given
        logits -= np.repeat(np.maximum.reduceat(logits, begins), sizes)
        odds = np.exp(logits)
        sums = np.add.reduceat(odds, begins)
        odds /= np.repeat(sums, sizes)
        weighed = features * odds[:, None]
        means = np.add.reduceat(weighed, begins)
        total = ridge * float(weights @ weights) + float(np.log(sums).sum() - target @ logits) / len(sizes)
        slope = 2 * ridge * weights + (odds - target) @ features / len(sizes)
        bend = (weighed.T @ features - means.T @ means) / len(sizes) + 2 * ridge * np.eye(len(weights))
        return total, slope, bend

    size = len(FEATURES)
    found = _minimum(at, np.append(np.zeros(tied.shape[1] - 1), -np.inf))
    weights = (tied @ (found / scale)).tolist()
    own = dict(zip(FEATURES, weights[:size], strict=True))
    abroad = any(one.features[:, -1].any() for one in choices)
    return Fit(own, dict(zip((*FEATURES, FOREIGN), weights[size:], strict=True)) if abroad else {})


def _minimum(at: Callable[[Floats], tuple[float, Floats, Floats]], least: Floats) -> Floats:
    """Return where a convex loss is least within lower bounds: projected Newton (Bertsekas 1982)."""
    weights = np.zeros(len(least))
    loss, slope, bend = at(weights)
    for _ in range(_ROUNDS):
        free = (weights > least) | (slope < 0)
        if np.abs(slope[free]).max(initial=0.0) < _SETTLED:
            break
        step = np.zeros(len(weights))
        step[free] = np.linalg.solve(bend[np.ix_(free, free)], slope[free])
        start, before, loss = weights, loss, np.inf
        while loss > before:
            weights = np.maximum(start - step, least)
            loss, slope, bend = at(weights)
            step /= 2
    return weights


def _tied() -> Floats:
    """Return which features of `Choice` share a weight: all of both languages but those of words."""
    size = len(FEATURES)
    words = [place for place, name in enumerate(FEATURES) if "bm25" in name]
    tied = np.zeros((2 * size + 1, size + len(words) + 1))
    tied[:size, :size] = np.eye(size)
    for place in range(size):
        tied[size + place, size + words.index(place) if place in words else place] = 1.0
    tied[-1, -1] = 1.0
    return tied


def bias(choices: Sequence[Choice], fitted: Fit) -> float:
    """Return the bias with which the scores sum to the number of memories that are evidence."""
    logits = np.concatenate([one.features @ fitted.vector + one.given for one in choices])
    relevant = sum(int((one.target > 0).sum()) for one in choices)
    low, high = -60.0, 60.0
    for _ in range(_HALVINGS):
        shift = (low + high) / 2
        if (1 / (1 + np.exp(-logits - shift))).sum() < relevant:
            low = shift
        else:
            high = shift
    return high
