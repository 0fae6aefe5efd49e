"""Who says little beside who says much: the rule by which messages overtake others."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

_LITTLE: Final = 1 / 4
"""Who says no more than this part of what each would have said, had all said the same, says little."""
_MOST_USERS: Final = 50_000


@dataclass(frozen=True, slots=True)
class LaneMessage:
    """A message of a lane."""

    sequence: int
    tenant: str
    user_id: str

    @property
    def who(self) -> Hashable:
        """The user, of that tenant."""
        return self.tenant, self.user_id


S = TypeVar("S", bound=LaneMessage)


@dataclass(slots=True)
class _Share:
    said: Counter[Hashable] = field(default_factory=Counter)
    total: int = 0

    def add(self, who: Hashable) -> None:
        self.said[who] += 1
        self.total += 1

    def is_little(self, who: Hashable) -> bool:
        return self.said[who] * len(self.said) <= self.total * _LITTLE


@dataclass(slots=True)
class UserShares:
    """Counts who says how much, and tells who may overtake: who says little, as a user or as a tenant.

    So among any who say about the same nobody does. Nor does anybody overtake their own: of whom a message
    was left to its turn, all are until that one is settled.
    """

    _users: _Share = field(default_factory=_Share)
    _tenants: _Share = field(default_factory=_Share)
    _left: dict[Hashable, int] = field(default_factory=dict)
    _all_left: int = 0

    def count_anew(self) -> None:
        """Forget who said how much, and not who was left to their turn."""
        self._users, self._tenants = _Share(), _Share()

    def count(self, page: Sequence[LaneMessage]) -> None:
        """Count messages, before it is asked which of them may overtake."""
        if len(self._users.said) > _MOST_USERS:  # memory is bounded
            self.count_anew()
        for one in page:
            self._users.add(one.who)
            self._tenants.add(one.tenant)

    def leave(self, left: Iterable[LaneMessage]) -> None:
        """Leave messages to their turn."""
        for one in left:
            self._left[one.who] = max(one.sequence, self._left.get(one.who, 0))

    def overtaking(self, page: Sequence[S], settled_to: int) -> list[S]:
        """Return the messages that may overtake; the others are left to their turn."""
        self._forget(settled_to)
        found = []
        for one in page:
            if self._may(one, settled_to):
                found.append(one)
            else:
                self.leave([one])
        return found

    def _may(self, one: LaneMessage, settled_to: int) -> bool:
        if max(self._left.get(one.who, 0), self._all_left) > settled_to:
            return False
        return self._users.is_little(one.who) or self._tenants.is_little(one.tenant)

    def _forget(self, settled_to: int) -> None:
        """Keep the record of who was left small: of too many, all wait until the last of them is settled."""
        if len(self._left) <= _MOST_USERS:
            return
        self._left = {who: sequence for who, sequence in self._left.items() if sequence > settled_to}
        if len(self._left) > _MOST_USERS:
            self._all_left = max(self._left.values())
            self._left.clear()
