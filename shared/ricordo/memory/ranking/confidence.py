"""How sure it is that what was found answers the question, in [0, 1].

A logistic regression on five features of all candidates, learned from questions of which it is known whether
their answer was ever told: LoCoMo's (its fifth category asks for what was never said) and such as people ask
a bot first. It orders questions; it decides nothing about what is shown.
"""

import numpy as np

from ricordo.memory.ranking.human import Human
from ricordo.memory.ranking.signals import Signals

_BIAS = 2.400
_TOP = 0.121
_UNKNOWN = -1.087
_GAP = -1.827
_TOLD = 2.445
_BARE = -1.750


def features(signals: Signals, unknown: float, profile: Human) -> list[float]:
    """Return what the confidence looks at, in the order of the weights.

    Args:
        signals: a column each, [n], n >= 1.
        unknown: the share of the question's content words that no memory holds, [0, 1].
        profile: scores the candidates.

    Returns:
        The best logit and the share of unknown words, both 0 for a bare question; by how much the best of all
        exceeds the best of whom the question names, in logits; the nearness to tellings; whether it is bare.
    """
    logits = np.atleast_1d(np.asarray(profile.logits(signals), dtype=np.float64))
    bare = float(np.max(signals.bare))
    speaker = np.broadcast_to(signals.speaker, logits.shape)
    spoken = logits - profile.weights["speaker"] * speaker
    gap = spoken.max() - (spoken[speaker > 0].max() if (speaker > 0).any() else spoken.min())
    return [logits.max() * (1 - bare), unknown * (1 - bare), float(gap), float(np.max(signals.told)), bare]


def confidence(signals: Signals, unknown: float, profile: Human) -> float:
    """Return the estimated probability that the answer is among the candidates; see `features`."""
    weights = (_TOP, _UNKNOWN, _GAP, _TOLD, _BARE)
    found = zip(weights, features(signals, unknown, profile), strict=True)
    logit = _BIAS + sum(weight * value for weight, value in found)
    return float(1 / (1 + np.exp(-np.clip(logit, -60.0, 60.0))))
