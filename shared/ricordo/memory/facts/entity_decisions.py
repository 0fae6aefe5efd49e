"""Decisions of the user or a language model on whether two names are one entity.

The user's decision takes precedence. A model's counts as long as no tie excludes it, and never for names on
which the user has decided anything.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

_Said = defaultdict[str, dict[str, bool | None]]

MOST_DECISIONS: Final = 200
"""Per user: joined names are compared pairwise."""
_LABEL: Final = " ("


@dataclass(frozen=True, slots=True)
class EntityDecision:
    """That two names are one entity, or two.

    Attributes:
        first: a normalised name, with its label where it has one: "marco (brother".
        second: another one.
        same: whether they are one; None where the user leaves it to the rules again.
        firm: whether the user has decided it, not a model.
    """

    first: str
    second: str
    same: bool | None
    firm: bool = True


class EntityDecisions:
    """The decisions on the names of one user."""

    def __init__(self, decisions: Iterable[EntityDecision] = ()) -> None:
        self._by_user: _Said = defaultdict(dict)
        self._by_model: _Said = defaultdict(dict)
        self._joined: dict[str, frozenset[str]] = {}
        for one in decisions:
            said = self._by_user if one.firm else self._by_model
            for mine, yours in ((one.first, one.second), (one.second, one.first)):
                said[mine][yours] = one.same
            if one.same:
                names = {without_label(one.first), without_label(one.second)}
                group = frozenset(names.union(*map(self.joined, names)))
                self._joined |= dict.fromkeys(group, group)

    def __bool__(self) -> bool:
        return bool(self._by_user or self._by_model)

    def joined(self, name: str) -> frozenset[str]:
        """Return the names, without labels, decided to be `name`, itself included; or none."""
        return self._joined.get(name, frozenset())

    def one_by_user(self, mine: Collection[str], yours: Collection[str]) -> bool:
        """Whether the user said that both are one."""
        return True in _said(self._by_user, mine, yours)

    def one_by_model(self, mine: Collection[str], yours: Collection[str]) -> bool:
        """Whether a model said so, and the user said nothing."""
        return not _said(self._by_user, mine, yours) and _said(self._by_model, mine, yours) == {True}

    def two(self, mine: Collection[str], yours: Collection[str]) -> bool:
        """Whether it was decided, by the user or else a model, that they are two."""
        return False in (_said(self._by_user, mine, yours) or _said(self._by_model, mine, yours))

    def any(self, mine: Collection[str], yours: Collection[str]) -> bool:
        """Whether anything was decided about them."""
        return bool(_said(self._by_user, mine, yours) or _said(self._by_model, mine, yours))


def without_label(name: str) -> str:
    """Return a normalised name without its label: "marco (brother" is "marco"."""
    return name.partition(_LABEL)[0]


def _said(said: _Said, mine: Collection[str], yours: Collection[str]) -> set[bool | None]:
    if not said:
        return set()
    return {found[other] for one in mine if (found := said.get(one)) for other in yours if other in found}
