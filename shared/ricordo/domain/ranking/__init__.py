"""Ranking: named profiles that turn the signals of a candidate into one score, and the order that follows.

A profile is a value with weights and a `score`; a file each. `human` is the default.
"""

import datetime as dt
import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import ClassVar, NamedTuple, Protocol
from uuid import UUID

from ricordo.domain.ranking.budget import Budget
from ricordo.domain.ranking.generative import Generative
from ricordo.domain.ranking.human import Human
from ricordo.domain.ranking.multiplicative import Multiplicative
from ricordo.domain.ranking.signals import Signals
from ricordo.domain.ranking.weighted import Weighted

DEFAULT = "human"


class Profile(Protocol):
    """A way to score.

    Attributes:
        drops_distant: whether what is too far off in meaning is no candidate at all; else relevance counts in
            the score alone.
    """

    drops_distant: ClassVar[bool]

    def score(self, signals: Signals) -> float:
        """Return the score of a candidate: higher is better, comparable within one query only."""
        ...


PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        "human": Human(),
        "weighted": Weighted(),
        "multiplicative": Multiplicative(),
        "generative": Generative(),
        "budget": Budget(),
    }
)


class UnknownProfile(Exception):
    """No ranking profile has that name; the message lists those there are."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(sorted(known))
        super().__init__(f"unknown ranking profile {name!r}; there are {', '.join(self.known)}")


class Candidate(NamedTuple):
    """A memory that was found, before it is ranked; `created_at` is aware."""

    id: UUID
    created_at: dt.datetime
    signals: Signals


class Ranked(NamedTuple):
    """A candidate with its score."""

    candidate: Candidate
    score: float


def resolve(
    name: str | None, *, default: str = DEFAULT, profiles: Mapping[str, Profile] = PROFILES
) -> tuple[str, Profile]:
    """Return the profile that answers to `name`, with its name.

    Args:
        name: as asked for; None or empty asks for the default.
        default: the settings' default profile.
        profiles: by name.

    Raises:
        UnknownProfile: there is no such profile.
    """
    chosen = name or default
    if chosen not in profiles:
        raise UnknownProfile(chosen, profiles)
    return chosen, profiles[chosen]


def rank(candidates: Iterable[Candidate], profile: Profile) -> list[Ranked]:
    """Order candidates by score descending, then `created_at` descending, then id.

    A score that is no finite number, as of a damaged vector, counts as 0.
    """
    scored = [Ranked(candidate, _finite(profile.score(candidate.signals))) for candidate in candidates]
    return sorted(scored, key=_order)


def _finite(score: float) -> float:
    return score if math.isfinite(score) else 0.0


def _order(ranked: Ranked) -> tuple[float, float, int]:
    return -ranked.score, -ranked.candidate.created_at.timestamp(), ranked.candidate.id.int
