"""Estimates whether the candidates of a recall hold the answer to its question."""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources

import numpy as np

from ricordo.memory.ranking.human import HumanProfile
from ricordo.memory.ranking.signals import Signals


def confidence(signals: Signals, unknown: float, profile: HumanProfile) -> float:
    """Return the estimated probability that the answer is among the candidates.

    A logistic regression, with the weights of `confidence.toml`. Where the question names a speaker, its
    features are the best logit, the share of unknown words, the best BM25 of those whom it does not name,
    and whether the best asks itself, all 0 for a bare question; the lead of the best of all over the best
    of those named, in logits; the similarity to typical answers; whether it is bare. It was fitted on the
    questions of five conversations of LoCoMo, whose fifth category asks for what was never said (AUROC of
    conversations left out: 0.85).

    Where it names none, or those who said all candidates, they are the best logit and the share of unknown
    words, 0 for a bare question, the similarity, whether it is bare, and whether it asks for a way to do
    something and one is there. These were fitted on the same questions put in the first person, against those
    of other conversations, and on first questions to a bot; then unknown words were given less weight.

    Args:
        unknown: the share of the question's content words that no informative memory holds, [0, 1].
    """
    logits = np.atleast_1d(np.asarray(profile.logits(signals), dtype=np.float64))
    speaker = np.broadcast_to(signals.speaker, logits.shape)
    bare = float(np.max(signals.is_bare_predicate))
    worded = {"top": (1 - bare) * float(logits.max()), "unknown": (1 - bare) * unknown}
    features = {**worded, "told": float(np.max(signals.example_similarity)), "bare": bare}
    if (speaker > 0).all():
        return _logistic("of_oneself", {**features, "way": float(np.max(signals.type_match) >= 1)})
    words, asks = (np.broadcast_to(one, logits.shape) for one in (signals.bm25, signals.asks))
    spoken = logits - profile.weights["speaker"] * speaker
    gap = spoken.max() - (spoken[speaker > 0].max() if (speaker > 0).any() else spoken.min())
    features["others"] = (1 - bare) * float(words[speaker <= 0].max(initial=0.0))
    features["asks"] = (1 - bare) * float(asks[logits.argmax()])
    return _logistic("of_speakers", {**features, "gap": float(gap)})


def _logistic(weights: str, features: Mapping[str, float]) -> float:
    fitted = _fitted()[weights]
    logit = fitted["bias"] + sum(fitted[name] * value for name, value in features.items())
    return float(1 / (1 + np.exp(-np.clip(logit, -60.0, 60.0))))


@lru_cache(maxsize=1)
def _fitted() -> Mapping[str, Mapping[str, float]]:
    file = resources.files(__package__) / "confidence.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
