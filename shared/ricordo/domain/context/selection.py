"""What goes into a part of a context: nothing twice, and of each thing as much as there is room for."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ricordo.domain.context.lines import is_blank
from ricordo.domain.context.page import Page, Section
from ricordo.domain.memory import Memory

_PATIENCE: Final = 8
"""Lines that do not fit, after which no others are tried."""


_TIGHT: Final = 600
"""Tokens with which any choice fits at some length, without trying first whether its shortest line does."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Lines that may stand for the same thing.

    Attributes:
        lines: makes them for so many tokens of room, the one that says most first.
        shortest: makes the last of them, without the others.
        message_id: of the message that they tell of, if it is one.
        content: what that says; None where no message is told of.
    """

    lines: Callable[[int], Iterable[str]]
    shortest: Callable[[], str]
    message_id: str | None = None
    content: str | None = None

    @classmethod
    def of(cls, lines: Sequence[str]) -> "Choice":
        """Return the choice between lines that are there."""
        return cls(lambda _: lines, lambda: lines[-1])


class Filling:
    """Puts lines into the sections of a page, and knows which messages stand there, by id and by content.

    Args:
        page: where they go.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self._ids: set[str] = set()
        # A set compares by hash, and where hashes agree by the text; what is stored is in normal form C.
        self._contents: set[str] = set()

    def new(self, memories: Iterable[Memory]) -> list[Memory]:
        """Return those memories that would tell something new, each once."""
        ids, contents = set(self._ids), set(self._contents)
        kept: list[Memory] = []
        for memory in memories:
            if memory.message_id in ids or memory.content in contents or is_blank(memory.content):
                continue
            kept.append(memory)
            ids |= {memory.message_id} if memory.message_id else set()
            contents.add(memory.content)
        return kept

    def fill(
        self, section: Section, choices: Sequence[Choice], most: int, *, unbroken: bool = False
    ) -> Sequence[Choice]:
        """Put of each choice the first line that fits into a section; return those of which none did.

        Args:
            section: where they go.
            choices: the most wanted first; what is told already is passed over.
            most: tokens that they may take.
            unbroken: whether nothing may follow what does not fit, as in a conversation.
        """
        floor = self._page.left - most
        rest: list[Choice] = []
        for at, choice in enumerate(choices):
            if self._is_told(choice) or self._put(section, choice, self._page.left - floor):
                continue
            rest.append(choice)
            if unbroken or len(rest) == _PATIENCE:
                return [*rest, *choices[at + 1 :]]
        return rest

    def fill_fairly(self, section: Section, choices: Sequence[Choice]) -> None:
        """Put choices into a section, none at such length that there is no room for those behind it."""
        shortest = [self._page.cost(choice.shortest()) for choice in choices]
        for at, choice in enumerate(choices):
            if self._is_told(choice):
                continue
            modest = self._page.left - sum(shortest[at + 1 :])
            if not self._put(section, choice, modest):
                self._put(section, choice, self._page.left)

    def _put(self, section: Section, choice: Choice, room: int) -> bool:
        """Put the first line that fits into a section; say whether any did."""
        if room < _TIGHT and self._page.cost(choice.shortest()) > room:
            return False
        if not any(self._page.add(section, line, room) for line in choice.lines(room)):
            return False
        if choice.message_id:
            self._ids.add(choice.message_id)
        if choice.content is not None:
            self._contents.add(choice.content)
        return True

    def _is_told(self, choice: Choice) -> bool:
        """Whether a message stands there, what it says does, or it says nothing that would be seen."""
        if choice.content is None:
            return False
        return choice.message_id in self._ids or choice.content in self._contents or is_blank(choice.content)
