"""Ranking profiles that score candidates by their signals; `human` is the default."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import ClassVar, Final, NamedTuple, Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ricordo.memory.ranking.fixed_profiles import (
    BudgetProfile,
    GenerativeProfile,
    MultiplicativeProfile,
    WeightedProfile,
)
from ricordo.memory.ranking.human import HumanProfile, load_human
from ricordo.memory.ranking.signals import Column, Signals

DEFAULT = "human"


class RankingProfile(Protocol):
    """A scoring function.

    Attributes:
        drops_distant: whether candidates below `Minimums` are dropped before scoring.
        relevance_floor: the score below which a memory is hardly relevant; 0 where such are no candidates.
        by_meaning: whether the score uses cosines, which compare within one embedding model only.
    """

    drops_distant: ClassVar[bool]
    relevance_floor: ClassVar[float]
    by_meaning: ClassVar[bool]

    def score(self, signals: Signals) -> Column:
        """Return the scores: higher is better, comparable within one query only."""
        ...


Fixed = WeightedProfile | MultiplicativeProfile | GenerativeProfile | BudgetProfile
_MAKERS: Final[Mapping[str, Callable[[], HumanProfile | Fixed]]] = {
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


@dataclass(frozen=True, slots=True)
class Candidates:
    """Search results before ranking.

    Attributes:
        ids: [n].
        instants: when each was said, seconds since 1970, [n].
    """

    ids: Sequence[UUID]
    instants: NDArray[np.float64]
    signals: Signals


class Ranked(NamedTuple):
    """A candidate with its score and its signals as plain numbers."""

    id: UUID
    score: float
    signals: Signals


def rank(candidates: Candidates, profile: RankingProfile, limit: int | None = None) -> list[Ranked]:
    """Return the best candidates by score descending, then newest first, then by id.

    A score that is not finite counts as 0. `limit` is None for all.
    """
    scored = np.nan_to_num(profile.score(candidates.signals), nan=0.0, posinf=0.0, neginf=0.0)
    scores, ids = np.broadcast_to(scored, len(candidates.ids)).tolist(), candidates.ids
    keys = [
        (-score, -instant, one.int)
        for score, instant, one in zip(scores, candidates.instants.tolist(), ids, strict=True)
    ]
    order = sorted(range(len(ids)), key=keys.__getitem__)
    return [Ranked(ids[at], scores[at], candidates.signals.of(at)) for at in order[:limit]]


def _adjusted(name: str, profile: HumanProfile | Fixed, changes: Mapping[str, float]) -> RankingProfile:
    if isinstance(profile, HumanProfile):
        _check(name, changes, profile.weights)
        return profile.weighing(changes)
    _check(name, changes, [field.name for field in fields(profile)])
    return type(profile)(**changes)


def _check(name: str, changes: Mapping[str, float], known: Iterable[str]) -> None:
    if unknown := set(changes).difference(known):
        raise UnknownWeight(name, min(unknown), known)
