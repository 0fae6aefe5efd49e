"""Who says little beside who says much: the rule by which messages overtake others."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final

LITTLE: Final = 4
"""Who says less than this part of what each would have said, had all said the same, says little."""
_MOST_USERS: Final = 50_000


@dataclass(slots=True)
class _Share:
    said: Counter[Hashable] = field(default_factory=Counter)
    total: int = 0

    def add(self, who: Hashable) -> None:
        self.said[who] += 1
        self.total += 1

    def is_little(self, who: Hashable) -> bool:
        return self.said[who] * len(self.said) * LITTLE <= self.total


@dataclass(slots=True)
class Shares:
    """Counts who says how much, and tells who says little: a user among users, or a tenant among tenants.

    So among any who say about the same nobody does. Who once did not, does not any more: of two messages of a
    user, the later one never overtakes the earlier.
    """

    _users: _Share = field(default_factory=_Share)
    _tenants: _Share = field(default_factory=_Share)
    _loud: set[Hashable] = field(default_factory=set)

    def quiet(self, page: Sequence[tuple[str, str]]) -> list[int]:
        """Count messages, and return the places of those by who says little.

        Args:
            page: of each message its tenant and its user, in the order in which they came.
        """
        if len(self._users.said) > _MOST_USERS:  # memory is bounded: a new count begins
            self._users, self._tenants, self._loud = _Share(), _Share(), set()
        for one in page:
            self._users.add(one)
            self._tenants.add(one[0])
        for one in page:
            if not self._users.is_little(one) and not self._tenants.is_little(one[0]):
                self._loud.add(one)
        return [n for n, one in enumerate(page) if one not in self._loud]
