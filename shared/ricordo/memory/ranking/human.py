"""The profile `human`: relevance first; time, feeling, weight and use break ties among the relevant.

Relevance is learned: `human.toml` beside this module holds the weights, which model's vectors they are for,
and the command that fitted them. What a collection of questions about facts cannot teach (that feelings, use
and age matter, and how much less an assistant's small talk does) is a prior, set by hand and small.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from ricordo.memory.ranking.context_signals import boost_connected
from ricordo.memory.ranking.profiles import recent, used
from ricordo.memory.ranking.signals import Column, Signals

SUBSTANCE = 0.5
"""The importance from which on a turn speaks for itself; what says nothing has some 0.22."""
FEATURES = (
    "semantic",
    "window",
    "bm25",
    "bm25_window",
    "session",
    "session_bm25",
    "reply",
    "speaker",
    "temporal",
    "dated",
    "length",
    "statement",
)
"""What the weights are of: signals, log(1 + tokens), 1 for what asks nothing. More of each never hurts."""
LONGEST = 256
"""Tokens beyond which a memory tells no more by its length: so many the model reads, and what the weights
were fitted on holds fewer."""


PRIOR: Mapping[str, float] = MappingProxyType(
    {
        "importance": 1.2,
        "emotion": 0.6,
        "congruence": 0.3,
        "strength": 0.3,
        "access": 0.3,
        "recency": 0.8,
        "others": 0.5,
        "others_idle": 1.5,
        "instructing": 5.0,
        "told": 10.0,
        "told_bm25": 5.0,
        "about": 1.0,
        "suited": 5.0,
        "evidence": 3.0,
        "connection": 6.0,
    }
)
"""What the fit takes as given, in logits: the most that each adds, or, of the last three, takes away.

`recency` decides among what answers alike, as "how was the concert?" is about the last one: it is worth a
sixth of a cosine at the most, and what is older than a month has none. `others` is taken from what an
assistant said, and `others_idle` besides where that hardly matters in itself: the assistant's "And your
arms?" is found for the turn that it answers, and says nothing of its own. `instructing`
is taken from what tells a model what to do: more than all the others together could add, so that it never
comes before what answers as well. `told` and what follows are preferences that the question states: they are
worth about as much as the words of a question that are all found.
"""
BARE_SHARE = 0.3
"""What the signals of its own words count in a question that asks for nothing but a predicate."""
_SAID_OR_DATED = frozenset({"speaker", "temporal", "bm25", "bm25_window"})


PREFERENCES = ("told", "told_bm25", "about", "suited", "evidence")
"""What the question says of what answers it, beside its words."""

_SETTLES = 0.5
PRIOR_BY_WORDS: Mapping[str, float] = MappingProxyType(
    {
        name: (1.0 if name.startswith(("others", "instructing")) else _SETTLES) * most
        for name, most in PRIOR.items()
    }
    | {"bm25": 1.5}
)
"""The same while the model is away. Who says the words outranks who merely speaks next, however strong.

Public questions, which the next turn answers as often, hardly tell: the fit alone would find 0.717 of their
evidence among five, and finds 0.716.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanProfile:
    """Score = sigma(bias + weights · features + prior), in [0, 1].

    Attributes:
        weights: of each of `FEATURES` and of `PRIOR`, >= 0.
        bias: such that scores are about the share of memories which were asked for.
        model: whose vectors the weights are for.
        by_words: what ranks while the model is away: words, which tell all that there is of relevance then,
            weigh more.
    """

    drops_distant: ClassVar[bool] = False
    hardly: ClassVar[float] = 0.0003  # above it nonsense brings nothing
    by_meaning: ClassVar[bool] = True

    weights: Mapping[str, float]
    bias: float = 0.0
    model: str = ""
    by_words: "HumanProfile | None" = None

    def weighing(self, changes: Mapping[str, float]) -> "HumanProfile":
        """Return the profile in which some weigh otherwise, by words too."""
        by_words = None if self.by_words is None else self.by_words.weighing(changes)
        return replace(self, weights={**self.weights, **changes}, by_words=by_words)

    def score(self, signals: Signals) -> Column:
        """Return the score of each candidate."""
        odds: Column = np.exp(np.clip(self.lifted(signals), -60.0, 60.0))
        score = odds / (1.0 + odds)
        if self.by_words is None or np.all(signals.meant):
            return score
        return signals.meant * score + (1.0 - signals.meant) * self.by_words.score(signals)

    def lifted(self, signals: Signals) -> Column:
        """Return the logits, what is connected with the best raised to a place behind them."""
        logits = self.logits(signals)
        if not isinstance(logits, np.ndarray) or not np.any(signals.connection):
            return logits
        strength = np.broadcast_to(signals.connection, logits.shape)
        raised: Column = boost_connected(logits, strength, self.weights["connection"])
        return raised

    def logits(self, signals: Signals) -> Column:
        """Return the score of each candidate as it is before the sigmoid, and before connections count."""
        total = self.bias + _prior(signals, self.weights)
        for name, column in features(signals).items():
            total = total + self.weights[name] * column
        return total


def _prior(signals: Signals, weights: Mapping[str, float]) -> Column:
    """Return what is added to each candidate, and taken from it, beside what is learned.

    Use has a signal of its own: what it has added to the importance does not count again, or else whatever
    came back once would come back ever more.
    """
    weight = np.maximum(0.0, signals.importance - signals.gained)
    idle = np.maximum(0.0, 1.0 - weight / SUBSTANCE)
    total: Column = (
        weights["importance"] * weight
        + weights["emotion"] * np.abs(signals.valence) * signals.arousal
        + weights["congruence"] * signals.congruence
        + weights["strength"] * signals.decay_factor
        + weights["access"] * used(signals)
        + weights["recency"] * recent(signals)
        - (weights["others"] + weights["others_idle"] * idle) * (1.0 - signals.own_words)
        - weights["instructing"] * signals.instructing
    )
    for name in PREFERENCES:
        total = total + weights[name] * getattr(signals, name)
    return total


def features(signals: Signals) -> Mapping[str, Column]:
    """Return what the weights are multiplied with, in the order of `FEATURES`."""
    derived = {"length": np.log1p(np.minimum(signals.token_count, LONGEST)), "statement": 1.0 - signals.asks}
    columns = {name: derived[name] if name in derived else getattr(signals, name) for name in FEATURES}
    share = 1.0 - (1.0 - BARE_SHARE) * signals.bare
    return {name: column if name in _SAID_OR_DATED else share * column for name, column in columns.items()}


@lru_cache(maxsize=1)
def load_human() -> HumanProfile:
    """Return the profile with the weights that the package ships."""
    fitted = tomllib.loads((resources.files(__package__) / "human.toml").read_text(encoding="utf-8"))
    worded = fitted["by_words"]
    by_words = HumanProfile(weights={**PRIOR_BY_WORDS, **worded["weights"]}, bias=worded["bias"])
    weights = {**PRIOR, **fitted["weights"]}
    return HumanProfile(weights=weights, bias=fitted["bias"], model=fitted["model"], by_words=by_words)


_BIAS = 2.400
_TOP = 0.121
_UNKNOWN = -1.087
_GAP = -1.827
_TOLD = 2.445
_BARE = -1.750


def confidence_features(signals: Signals, unknown: float, profile: HumanProfile) -> list[float]:
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


def confidence(signals: Signals, unknown: float, profile: HumanProfile) -> float:
    """Return the estimated probability that the answer is among the candidates; see `confidence_features`."""
    weights = (_TOP, _UNKNOWN, _GAP, _TOLD, _BARE)
    found = zip(weights, confidence_features(signals, unknown, profile), strict=True)
    logit = _BIAS + sum(weight * value for weight, value in found)
    return float(1 / (1 + np.exp(-np.clip(logit, -60.0, 60.0))))
