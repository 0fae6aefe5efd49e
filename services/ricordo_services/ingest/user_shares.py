"""Fair scheduling: messages of light users overtake those of heavy users."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

_LIGHT: Final = 1 / 4  # of the mean number of messages per sender, up to which a sender is light
_MOST_USERS: Final = 50_000


@dataclass(frozen=True, slots=True)
class LaneMessage:
    """A message of a lane."""

    sequence: int
    tenant: str
    user_id: str

    @property
    def sender(self) -> Hashable:
        """The tenant and the user."""
        return self.tenant, self.user_id


S = TypeVar("S", bound=LaneMessage)


@dataclass(slots=True)
class _Share:
    counts: Counter[Hashable] = field(default_factory=Counter)
    total: int = 0

    def add(self, sender: Hashable) -> None:
        self.counts[sender] += 1
        self.total += 1

    def is_light(self, sender: Hashable) -> bool:
        return self.counts[sender] * len(self.counts) <= self.total * _LIGHT


@dataclass(slots=True)
class UserShares:
    """Counts messages by sender, and selects those of light users and light tenants, which may overtake.

    Among senders of about equal shares none overtakes. No message overtakes one of the same sender: while a
    message of a sender is left to its turn, so are all its later ones.
    """

    _users: _Share = field(default_factory=_Share)
    _tenants: _Share = field(default_factory=_Share)
    _left: dict[Hashable, int] = field(default_factory=dict)
    _all_left: int = 0

    def reset(self) -> None:
        """Reset the counts, but not the senders with messages left to their turn."""
        self._users, self._tenants = _Share(), _Share()

    def count(self, page: Sequence[LaneMessage]) -> None:
        """Count messages; call it before `overtaking`."""
        if len(self._users.counts) > _MOST_USERS:  # memory is bounded
            self.reset()
        for one in page:
            self._users.add(one.sender)
            self._tenants.add(one.tenant)

    def leave(self, left: Iterable[LaneMessage]) -> None:
        """Leave messages to their turn."""
        for one in left:
            self._left[one.sender] = max(one.sequence, self._left.get(one.sender, 0))

    def overtaking(self, page: Sequence[S], settled_to: int) -> list[S]:
        """Return the messages that may overtake; the others are left to their turn."""
        self._bound(settled_to)
        found = []
        for one in page:
            if self._may(one, settled_to):
                found.append(one)
            else:
                self.leave([one])
        return found

    def _may(self, one: LaneMessage, settled_to: int) -> bool:
        if max(self._left.get(one.sender, 0), self._all_left) > settled_to:
            return False
        return self._users.is_light(one.sender) or self._tenants.is_light(one.tenant)

    def _bound(self, settled_to: int) -> None:
        """Bound the record of left messages: of too many, all senders wait until the last one is settled."""
        if len(self._left) <= _MOST_USERS:
            return
        self._left = {sender: sequence for sender, sequence in self._left.items() if sequence > settled_to}
        if len(self._left) > _MOST_USERS:
            self._all_left = max(self._left.values())
            self._left.clear()
