"""What was decided about names, by the user or a language model, where rules do not say who is who.

The user's word stands above all else. What a model says counts as long as no tie excludes it, and of those of
whom the user has said anything, be it that rules are to judge, it says nothing at all.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

_Said = defaultdict[str, dict[str, bool | None]]

MOST_DECISIONS: Final = 200
"""Of one user: names that are joined are compared with each other, each with all."""
_LABEL: Final = " ("


@dataclass(frozen=True, slots=True)
class EntityDecision:
    """That two names are one entity, or two.

    Attributes:
        first: a normalised name, with its label where it has one: "marco (brother".
        second: another one.
        same: whether they are one; None for what the user leaves to the rules again.
        firm: whether the user has decided it, and not a language model.
    """

    first: str
    second: str
    same: bool | None
    firm: bool = True


class EntityDecisions:
    """All that was decided about the names of one user."""

    def __init__(self, decisions: Iterable[EntityDecision] = ()) -> None:
        self._by_user: _Said = defaultdict(dict)
        self._by_model: _Said = defaultdict(dict)
        joined: dict[str, set[str]] = defaultdict(set)
        for one in decisions:
            said = self._by_user if one.firm else self._by_model
            for mine, yours in ((one.first, one.second), (one.second, one.first)):
                said[mine][yours] = one.same
                if one.same:
                    joined[without_label(mine)].add(without_label(yours))
        self._joined = _components(joined)

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._by_user or self._by_model)

    def joined(self, name: str) -> frozenset[str]:
        """Return the names, without labels, that `name` was decided to be, itself included; or none."""
        return self._joined.get(name, frozenset())

    def one_by_user(self, mine: Collection[str], yours: Collection[str]) -> bool:
        """Whether the user said that somebody of the one names is somebody of the other ones."""
        return True in _said(self._by_user, mine, yours)

    def one_by_model(self, mine: Collection[str], yours: Collection[str]) -> bool:
        """Whether a model said so, and the user said nothing of them."""
        return not _said(self._by_user, mine, yours) and _said(self._by_model, mine, yours) == {True}

    def two(self, mine: Collection[str], yours: Collection[str]) -> bool:
        """Whether it was decided that they are two: by the user, or else by a model."""
        return False in (_said(self._by_user, mine, yours) or _said(self._by_model, mine, yours))

    def any(self, mine: Collection[str], yours: Collection[str]) -> bool:
        """Whether anything was decided about them."""
        return bool(_said(self._by_user, mine, yours) or _said(self._by_model, mine, yours))


def _components(joined: Mapping[str, Collection[str]]) -> dict[str, frozenset[str]]:
    """Return for each name all that it is joined with, also by way of others, itself included."""
    found: dict[str, frozenset[str]] = {}
    for name in joined:
        if name in found:
            continue
        reached, rest = {name}, [name]
        while rest:
            new = set(joined[rest.pop()]) - reached
            reached |= new
            rest += new
        found |= dict.fromkeys(reached, frozenset(reached))
    return found


def without_label(name: str) -> str:
    """Return a normalised name without what tells it from others: "marco (brother" is "marco"."""
    return name.partition(_LABEL)[0]


def _said(said: _Said, mine: Collection[str], yours: Collection[str]) -> set[bool | None]:
    if not said:
        return set()
    return {found[other] for one in mine if (found := said.get(one)) for other in yours if other in found}
