"""The profile `human`: relevance first; time, feeling, importance and use break ties.

Relevance is learned: `human.toml` holds the weights, those of memories in another language than the question
apart, and the command that fitted them. What questions about facts cannot teach (that
feelings, use and age matter, that an assistant's small talk does not) is a small prior set by hand.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import resources
from types import MappingProxyType
from typing import ClassVar, Final

import numpy as np

from ricordo.memory.ranking.context_signals import boost_connected
from ricordo.memory.ranking.fixed_profiles import recent, used
from ricordo.memory.ranking.signals import Column, RankingProfile, Signals

SUBSTANCE = 0.5
"""The importance from which on a turn is substantial; empty ones have about 0.22."""
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
"""Features of the fit: signals, log(1 + tokens), and 1 for what asks nothing; all weights are >= 0."""
FOREIGN: Final = "foreign"
"""What is added for a memory in another language than the question, of either sign."""
LONGEST = 256
"""Tokens beyond which length does not count: the model reads no more."""


PRIOR: Mapping[str, float] = MappingProxyType(
    {
        "importance": 1.2,
        "emotion": 0.6,
        "congruence": 0.3,
        "strength": 0.3,
        "access": 0.3,
        "recency": 0.8,
        "near_time": 6.0,
        "inside": 2.0,
        "others": 0.5,
        "others_idle": 1.5,
        "example_similarity": 10.0,
        "example_bm25": 5.0,
        "name_overlap": 5.0,
        "type_match": 5.0,
        "evidence": 3.0,
        "connection": 6.0,
    }
)
"""Weights of the prior, in logits: the most that each adds or, of the last three, takes away.

`recency` separates equal answers, worth at most a sixth of a cosine and nothing after a month. `near_time`
and `inside` are for the time asked for: questions of the fit never name a time alone. `others` is subtracted
from what an assistant said, `others_idle` besides where that is unimportant. `example_similarity` and those
after it are what the question states of its answer, worth about as much as finding all of its words.
"""
BARE_SHARE = 0.3
"""The weight of the word signals of a question that consists of a predicate only."""
_SAID_OR_DATED = frozenset({"speaker", "temporal", "bm25", "bm25_window"})


PREFERENCES = ("example_similarity", "example_bm25", "name_overlap", "type_match", "evidence")
"""Signals of the requested answer, besides the words of the question."""

_SETTLES = 0.5
PRIOR_BY_WORDS: Mapping[str, float] = MappingProxyType(
    {name: (1.0 if name.startswith("others") else _SETTLES) * most for name, most in PRIOR.items()}
    | {"bm25": 1.5}
)
"""The same while the embedding model is unavailable: who says the words outranks who merely speaks next."""


@dataclass(frozen=True, kw_only=True)
class HumanProfile(RankingProfile):
    """Score = sigma(bias + weights · features + prior), in [0, 1].

    Attributes:
        weights: of each of `FEATURES` and of `PRIOR`, >= 0.
        foreign_weights: of each of `FEATURES`, >= 0, and of `FOREIGN`, for memories in another language than
            the question; empty where all languages have the same weights.
        bias: such that scores are about the share of relevant memories.
        model: the embedding model that the weights are for.
        by_words: the profile while that model is unavailable.
    """

    drops_distant: ClassVar[bool] = False
    relevance_floor: ClassVar[float] = 0.0003  # above it nonsense brings nothing

    weights: Mapping[str, float]
    foreign_weights: Mapping[str, float] = field(default_factory=dict)
    bias: float = 0.0
    model: str = ""
    by_words: "HumanProfile | None" = None

    def weighing(self, changes: Mapping[str, float]) -> "HumanProfile":
        """Return the profile with changed weights, in all languages and by words."""
        foreign = {name: changes.get(name, weight) for name, weight in self.foreign_weights.items()}
        return replace(
            self,
            weights={**self.weights, **changes},
            foreign_weights=foreign,
            by_words=None if self.by_words is None else self.by_words.weighing(changes),
        )

    def score(self, signals: Signals) -> Column:
        """Return the score of each candidate."""
        logits = self.logits(signals)
        if isinstance(logits, np.ndarray) and np.any(signals.connection):
            strength = np.broadcast_to(signals.connection, logits.shape)
            logits = boost_connected(logits, strength, self.weights["connection"])
        odds: Column = np.exp(np.clip(logits, -60.0, 60.0))
        return self._or_by_words(signals, odds / (1.0 + odds), lambda profile: profile.score(signals))

    def overall_logits(self, signals: Signals) -> Column:
        """Return the logits, those of words alone where the embedding model was away."""
        return self._or_by_words(signals, self.logits(signals), lambda profile: profile.logits(signals))

    def _or_by_words(
        self, signals: Signals, values: Column, worded: Callable[["HumanProfile"], Column]
    ) -> Column:
        if self.by_words is None or np.all(known := signals.has_vector_score):
            return values
        return known * values + (1.0 - known) * worded(self.by_words)

    def logits(self, signals: Signals) -> Column:
        """Return the scores before the sigmoid and before connections count."""
        total = self.bias + _prior(signals, self.weights)
        foreign = signals.foreign if self.foreign_weights else 0.0
        if _is_made_up_for(signals, foreign):
            total = total + foreign * self.foreign_weights.get(FOREIGN, 0.0)
        for name, column in features(signals).items():
            weight = self.weights[name]
            total = total + (weight + foreign * (self.foreign_weights.get(name, weight) - weight)) * column
        return total


def _is_made_up_for(signals: Signals, foreign: Column) -> bool:
    """Whether memories of the question's language are found by words, which those of another cannot be.

    Where none is, the constant of another language would only put what is far before what is near.
    """
    own = np.equal(foreign, 0.0)
    return not np.any(own) or bool(np.any(own & np.greater(signals.bm25_window, 0.0)))


def _prior(signals: Signals, weights: Mapping[str, float]) -> Column:
    """Return the prior of each candidate.

    What use has added to the importance does not count again, or recalled memories would be recalled ever
    more.
    """
    weight = np.maximum(0.0, signals.importance - signals.importance_gained)
    idle = np.maximum(0.0, 1.0 - weight / SUBSTANCE)
    total: Column = (
        weights["importance"] * weight
        + weights["emotion"] * np.abs(signals.valence) * signals.arousal
        + weights["congruence"] * signals.congruence
        + weights["strength"] * signals.decay_factor
        + weights["access"] * used(signals)
        + weights["recency"] * recent(signals)
        + weights["near_time"] * signals.temporal
        + weights["inside"] * np.greater_equal(signals.temporal, 1.0)
        - (weights["others"] + weights["others_idle"] * idle) * (1.0 - signals.own_words)
    )
    for name in PREFERENCES:
        total = total + weights[name] * getattr(signals, name)
    return total


def features(signals: Signals) -> Mapping[str, Column]:
    """Return the features, in the order of `FEATURES`."""
    derived = {"length": np.log1p(np.minimum(signals.token_count, LONGEST)), "statement": 1.0 - signals.asks}
    columns = {name: derived[name] if name in derived else getattr(signals, name) for name in FEATURES}
    share = 1.0 - (1.0 - BARE_SHARE) * signals.is_bare_predicate
    return {name: column if name in _SAID_OR_DATED else share * column for name, column in columns.items()}


@lru_cache(maxsize=1)
def load_human() -> HumanProfile:
    """Return the profile with the weights that the package ships."""
    fitted = tomllib.loads((resources.files(__package__) / "human.toml").read_text(encoding="utf-8"))
    worded = fitted["by_words"]
    return HumanProfile(
        weights={**PRIOR, **fitted["weights"]},
        foreign_weights=fitted.get("foreign_weights", {}),
        bias=fitted["bias"],
        model=fitted["model"],
        by_words=HumanProfile(
            weights={**PRIOR_BY_WORDS, **worded["weights"]},
            foreign_weights=worded.get("foreign_weights", {}),
            bias=worded["bias"],
        ),
    )
