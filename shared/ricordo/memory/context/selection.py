"""What goes into a part of a context: nothing twice, and of each thing as much as there is room for."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ricordo.language.text import collapse
from ricordo.memory.context.lines import is_blank
from ricordo.memory.context.page import Line, Page, Part
from ricordo.memory.model import Memory
from ricordo.memory.working_memory import SpokenTurn

_PATIENCE: Final = 8
"""Choices that do not fit, after which no others are tried."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Lines that may stand for the same thing.

    Attributes:
        lines: makes them for so many tokens of room, the one that says most first.
        message_id: of the message that they show, if it is one.
        content: what that says; None where no message is shown.
    """

    lines: Callable[[int], Iterable[Line]]
    message_id: str | None = None
    content: str | None = None

    @classmethod
    def of(cls, *lines: Line, message_id: str | None = None, content: str | None = None) -> "Choice":
        """Return the choice between lines that are there."""
        return cls(lambda _: lines, message_id, content)


class Selection:
    """Puts lines into the parts of a page, and knows which messages stand there, by id and by content.

    Args:
        page: where they go.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self._ids: set[str] = set()
        self._contents: set[str] = set()

    def new(self, memories: Iterable[Memory], recent: Iterable[SpokenTurn] = ()) -> list[Memory]:
        """Return those memories that would show something new, each once.

        Args:
            memories: in their order.
            recent: turns that are as good as shown.
        """
        ids = self._ids | {turn.message_id for turn in recent}
        contents = self._contents | {_said(turn.content) for turn in recent}
        kept: list[Memory] = []
        for memory in memories:
            said = _said(memory.content)
            if memory.message_id in ids or said in contents or is_blank(memory.content):
                continue
            kept.append(memory)
            ids |= {memory.message_id} if memory.message_id else set()
            contents.add(said)
        return kept

    def fill(
        self, part: Part, choices: Sequence[Choice], most: int, *, unbroken: bool = False
    ) -> Sequence[Choice]:
        """Put of each choice the first line that fits into a part; return those of which none did.

        Args:
            part: where they go.
            choices: the most wanted first; what is shown already is passed over.
            most: tokens that they may take.
            unbroken: whether nothing may follow what does not fit, as in a conversation.
        """
        floor = self._page.left - most
        rest: list[Choice] = []
        for at, choice in enumerate(choices):
            if self._is_shown(choice) or self._put(part, choice, self._page.left - floor):
                continue
            rest.append(choice)
            if unbroken or len(rest) == _PATIENCE:
                return [*rest, *choices[at + 1 :]]
        return rest

    def note(self, message_id: str | None, content: str) -> None:
        """Note that a message is shown."""
        if message_id:
            self._ids.add(message_id)
        self._contents.add(_said(content))

    def _put(self, part: Part, choice: Choice, room: int) -> bool:
        """Put the first line that fits into a part; say whether any did."""
        if room <= 0 or not any(self._page.put(part, line, room) for line in choice.lines(room)):
            return False
        if choice.content is not None:
            self.note(choice.message_id, choice.content)
        return True

    def _is_shown(self, choice: Choice) -> bool:
        """Whether a message stands there, what it says does, or it says nothing that would be seen."""
        if choice.content is None:
            return False
        if choice.message_id in self._ids or is_blank(choice.content):
            return True
        return _said(choice.content) in self._contents


def _said(content: str) -> str:
    """Return what a message says, however it is spaced and written in capitals."""
    return collapse(content).casefold()
