"""All that is held of a user, to be handed over part by part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

Key = tuple[str, ...]
"""Where something stands among all of its part, as texts; the empty one is before everything."""

PARTS: Final = (
    "messages",
    "documents",
    "memories",
    "facts",
    "words",
    "rejections",
    "entities",
    "decisions",
    "notes",
    "session_ends",
)
"""In the order in which they are handed over."""


class ImpossibleKey(ValueError):
    """Nothing of that part can stand at such a key."""


@dataclass(frozen=True, slots=True)
class Held:
    """Something that is held of a user.

    Attributes:
        key: where it stands in its part.
        item: what it is, as JSON.
        object_key: under which the bytes that belong to it are kept; None where none do.
        size: of these bytes.
    """

    key: Key
    item: Mapping[str, object]
    object_key: str | None = None
    size: int = 0


class Holdings(Protocol):
    """Reads what is held of users; of an unknown one that is nothing. It raises `StoreUnavailable`."""

    async def after(self, tenant: str, user_id: str, part: str, key: Key, limit: int) -> Sequence[Held]:
        """Return what comes next in a part: none at its end.

        The order is one that no change moves anything in. So what is there from the first call to the last is
        returned once, as it stands at the moment; what comes or goes meanwhile may be returned or not.

        Args:
            tenant: whose store.
            user_id: of whom.
            part: one of `PARTS`.
            key: of what was returned last.
            limit: the most.

        Raises:
            ImpossibleKey: `key` is none of this part.
        """
        ...

    async def next_user(self, tenant: str, behind: str) -> str | None:
        """Return the first user behind that one, in order, of whom anything is held; None at the end."""
        ...
