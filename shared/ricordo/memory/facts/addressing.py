"""By which names one may speak of the people and animals of a user, and who may be meant by another name."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ricordo.language.facts.entity_names import normalise
from ricordo.memory.facts.decisions import bare
from ricordo.memory.facts.identities import Identities
from ricordo.memory.facts.name_similarity import Likeness, misspelled

MOST_MEANT: Final = 3
"""Names that are proposed for one that is unknown."""


class Addressing:
    """Tells known names from unknown ones.

    A name is known where a decision on it would mean somebody: a name that only those share who are told
    apart by "(brother)" is not.

    Args:
        identities: those there are.
    """

    def __init__(self, identities: Identities) -> None:
        self._shown: dict[str, str] = {}
        for names, shown in identities.addressed():
            self._shown |= dict.fromkeys(names, shown)
        self._presumed = identities.presumed()

    def knows(self, name: str) -> bool:
        """Whether somebody goes by `name`, in any spelling."""
        return normalise(name) in self._shown

    def unknown(self, names: Sequence[str]) -> list[str]:
        """Return those of `names` that are not known: of whom messages have told, the user may know one."""
        unknown = [name for name in names if not self.knows(name)]
        if len(unknown) < len(names):
            return [name for name in unknown if normalise(name) not in self._presumed]
        return unknown

    def meant(self, name: str) -> tuple[str, ...]:
        """Return the names, as they are shown, that may be meant by an unknown one: the likeliest first.

        They are those of whoever bears the name among others, or else what it may be a slip or a form of.
        """
        key, names = bare(normalise(name)), sorted(self._shown)
        bearers = (one for one in names if f"{bare(one)} ".startswith(f"{key} "))
        shown = self._few(bearers)
        return shown or self._few(_near(key, names))

    def _few(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._shown[one] for one in names))[:MOST_MEANT]


def _near(key: str, names: Sequence[str]) -> Iterator[str]:
    own = [bare(one) for one in names]
    yield from (one for one, without in zip(names, own, strict=True) if misspelled(key, without))
    yield from (names[place] for place in Likeness(own).near(key))
