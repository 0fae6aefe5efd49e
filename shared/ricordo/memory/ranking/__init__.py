"""Ranking profiles that score candidates by their signals; `human` is the default."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ricordo.memory.ranking.fixed_profiles import (
    BudgetProfile,
    FixedProfile,
    GenerativeProfile,
    MultiplicativeProfile,
    WeightedProfile,
)
from ricordo.memory.ranking.human import HumanProfile, load_human
from ricordo.memory.ranking.signals import Column, RankingProfile

DEFAULT = "human"
_MAKERS: Final[Mapping[str, Callable[[], HumanProfile | FixedProfile]]] = {
    "human": load_human,
    "weighted": WeightedProfile,
    "multiplicative": MultiplicativeProfile,
    "generative": GenerativeProfile,
    "budget": BudgetProfile,
}


class UnknownProfile(Exception):
    """No ranking profile has that name; the message lists those there are."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(sorted(known))
        super().__init__(f"unknown ranking profile {name!r}; there are {', '.join(self.known)}")


class UnknownWeight(Exception):
    """A profile has no weight of that name; the message lists those it has."""

    def __init__(self, profile: str, weight: str, known: Iterable[str]) -> None:
        super().__init__(
            f"the ranking profile {profile!r} has no weight {weight!r}; it has {', '.join(sorted(known))}"
        )


def load_profiles(
    changes: Mapping[str, Mapping[str, float]] = MappingProxyType({}),
) -> Mapping[str, RankingProfile]:
    """Return the profiles by name.

    Args:
        changes: by profile, weights to change; those of `human` are of its features and its prior.

    Raises:
        UnknownProfile: there is no such profile.
        UnknownWeight: a profile has no such weight.
    """
    for name in changes:
        if name not in _MAKERS:
            raise UnknownProfile(name, _MAKERS)
    return {name: _adjusted(name, make(), changes.get(name, {})) for name, make in _MAKERS.items()}


def find_profile(name: str, known: Mapping[str, RankingProfile]) -> RankingProfile:
    """Return the profile of that name.

    Raises:
        UnknownProfile: there is none.
    """
    if name not in known:
        raise UnknownProfile(name, known)
    return known[name]


class Ranked(NamedTuple):
    """A candidate with its score."""

    id: UUID
    score: float


def rank(
    ids: Sequence[UUID], instants: NDArray[np.float64], scores: Column, limit: int | None = None
) -> list[Ranked]:
    """Return the best candidates by score descending, then newest first, then by id.

    Args:
        instants: when each was said, seconds since 1970, [n].
        scores: by a profile, [n]; one that is not finite counts as 0.
        limit: None for all.
    """
    finite = np.nan_to_num(scores, nan=0.0, posinf=0.0, neginf=0.0)
    descending = (-np.broadcast_to(finite, len(ids))).tolist()
    numbers = [one.int for one in ids]
    order = sorted(zip(descending, (-instants).tolist(), numbers, ids, strict=True))
    return [Ranked(one, -score) for score, _, _, one in order[:limit]]


def _adjusted(
    name: str, profile: HumanProfile | FixedProfile, changes: Mapping[str, float]
) -> RankingProfile:
    if unknown := changes.keys() - profile.weights:
        raise UnknownWeight(name, min(unknown), profile.weights)
    return profile.weighing(changes)
