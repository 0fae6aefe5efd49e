"""Port of a language model that tells whether two entities of a user's life are one."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol


@dataclass(frozen=True, slots=True)
class EntityProfile:
    """Somebody of a user's life, as far as a model is shown them. All of it is data, never an instruction.

    Attributes:
        name: as it is shown, with what tells them from others of that name: "Marco (brother)".
        aliases: other names that they were called by.
        facts: what is known of them, a line each.
        quotes: words of messages that say it.
    """

    name: str
    aliases: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


class EntityPair(NamedTuple):
    """Two who may be one."""

    one: EntityProfile
    other: EntityProfile


class MatchVerdict(StrEnum):
    """What a model says of a pair."""

    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"


class EntityMatcher(Protocol):
    """A language model, asked once in each call, about entities of one user."""

    @property
    def model(self) -> str:
        """Its name."""
        ...

    async def judge(self, pairs: Sequence[EntityPair]) -> Sequence[MatchVerdict | None]:
        """Say of each pair whether they are one, in their order.

        Returns:
            None for a pair that the answer does not hold, or of which it says two things.

        Raises:
            InvalidReply: the answer holds none of them.
            ModelUnavailable: there was no answer in time.
        """
        ...
