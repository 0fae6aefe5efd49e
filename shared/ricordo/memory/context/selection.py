"""What goes into a part of a context: nothing twice, and of each thing as much as there is room for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from ricordo.language.annotations import MemoryKind
from ricordo.language.text import collapse, stems
from ricordo.memory.context.formatting import is_blank
from ricordo.memory.context.page import ContextPage, Line, Section
from ricordo.memory.model import Memory
from ricordo.memory.working_memory import SpokenTurn

_PATIENCE: Final = 8
"""Choices that do not fit, after which no others are tried."""


@dataclass(frozen=True, slots=True)
class LineOptions:
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
    def of(cls, *lines: Line, message_id: str | None = None, content: str | None = None) -> "LineOptions":
        """Return the choice between lines that are there."""
        return cls(lambda _: lines, message_id, content)


class Selection:
    """Puts lines into the parts of a page, and knows which messages stand there, by id and by content.

    Args:
        page: where they go.
    """

    def __init__(self, page: ContextPage) -> None:
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
        self, part: Section, choices: Sequence[LineOptions], most: int, *, unbroken: bool = False
    ) -> Sequence[LineOptions]:
        """Put of each choice the first line that fits into a part; return those of which none did.

        Args:
            part: where they go.
            choices: the most wanted first; what is shown already is passed over.
            most: tokens that they may take.
            unbroken: whether nothing may follow what does not fit, as in a conversation.
        """
        floor = self._page.left - most
        rest: list[LineOptions] = []
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

    def _put(self, part: Section, choice: LineOptions, room: int) -> bool:
        """Put the first line that fits into a part; say whether any did."""
        if room <= 0 or not any(self._page.put(part, line, room) for line in choice.lines(room)):
            return False
        if choice.content is not None:
            self.note(choice.message_id, choice.content)
        return True

    def _is_shown(self, choice: LineOptions) -> bool:
        """Whether a message stands there, what it says does, or it says nothing that would be seen."""
        if choice.content is None:
            return False
        if choice.message_id in self._ids or is_blank(choice.content):
            return True
        return _said(choice.content) in self._contents


def _said(content: str) -> str:
    """Return what a message says, however it is spaced and written in capitals."""
    return collapse(content).casefold()


NEAREST: Final = 3
"""Memories that are told as they are, whatever stands for them: the first of what is found."""
_AROUND: Final = 30  # tokens of a span, its date and who speaks
_CHARACTERS: Final = 4  # of a token, where they are not counted yet
_MOST_READ: Final = 1_000  # characters of a question


def substitute_syntheses(ranked: Sequence[Memory], about: str, limit: int) -> list[Memory]:
    """Return memories, in their order, of which syntheses have taken the place of their sources.

    A synthesis does so where it is among the first three itself, or costs no more than what it replaces; else
    it is left out. The first three stay as they are, and so does a source with a word of the question that
    its synthesis lacks: what is asked for may be what was left out.

    Args:
        ranked: best first.
        about: the question.
        limit: how many are returned at the most, the best.
    """
    places = {memory.id: place for place, memory in enumerate(ranked)}
    gone: set[UUID] = set()
    for place, memory in enumerate(ranked):
        if memory.kind is not MemoryKind.SYNTHESIS:
            continue
        replaced = [one for one in _replaced(memory, ranked, places, about) if one.id not in gone]
        if place < NEAREST or sum(map(_cost, replaced)) >= _cost(memory):
            gone.update(one.id for one in replaced)
        else:
            gone.add(memory.id)
    return [one for one in ranked if one.id not in gone][:limit]


def _replaced(
    synthesis: Memory, ranked: Sequence[Memory], places: Mapping[UUID, int], about: str
) -> list[Memory]:
    found = [ranked[places[one]] for one in synthesis.source_ids if places.get(one, -1) >= NEAREST]
    told = _shared(synthesis, about) if found else frozenset()
    return [one for one in found if _shared(one, about) <= told]


def _shared(memory: Memory, about: str) -> AbstractSet[str]:
    """Return the words of the question that a memory has, in any form."""
    return {*stems(about[:_MOST_READ], memory.language)} & {*stems(memory.content, memory.language)}


def _cost(memory: Memory) -> int:
    return _AROUND + (memory.token_count or len(memory.content) // _CHARACTERS)
