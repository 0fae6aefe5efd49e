"""Selects what enters a section: nothing twice, and syntheses in place of their sources."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from ricordo.language.annotations import MemoryKind
from ricordo.language.text import collapse
from ricordo.language.tokenization import stems
from ricordo.memory.context.formatting import is_blank
from ricordo.memory.context.page import ContextPage, Line, Section
from ricordo.memory.context.token_budget import PATIENCE
from ricordo.memory.model import Memory
from ricordo.memory.spoken_turns import SpokenTurn


@dataclass(frozen=True, slots=True)
class LineOptions:
    """Alternative lines for one thing.

    Attributes:
        lines: makes them for a number of tokens, the longest first.
        content: of that message; None where no message is shown.
    """

    lines: Callable[[int], Iterable[Line]]
    message_id: str | None = None
    content: str | None = None

    @classmethod
    def of(cls, *lines: Line, message_id: str | None = None, content: str | None = None) -> "LineOptions":
        """Return options of existing lines."""
        return cls(lambda _: lines, message_id, content)


class Selection:
    """Adds lines to the sections of a page and tracks which messages are shown, by id and by content."""

    def __init__(self, page: ContextPage) -> None:
        self._page = page
        self._ids: set[str] = set()
        self._contents: set[str] = set()

    def new(self, memories: Iterable[Memory], recent: Iterable[SpokenTurn] = ()) -> list[Memory]:
        """Return the memories that show something new, each once; `recent` turns count as shown."""
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
        """Add of each option the first line that fits; return the options of which none did.

        Args:
            unbroken: whether to stop at the first that does not fit, as in a conversation.
        """
        floor = self._page.left - most
        rest: list[LineOptions] = []
        for at, choice in enumerate(choices):
            if self._is_shown(choice) or self._put(part, choice, self._page.left - floor):
                continue
            rest.append(choice)
            if unbroken or len(rest) == PATIENCE:
                return [*rest, *choices[at + 1 :]]
        return rest

    def note(self, message_id: str | None, content: str) -> None:
        """Record that a message is shown."""
        if message_id:
            self._ids.add(message_id)
        self._contents.add(_said(content))

    def _put(self, part: Section, choice: LineOptions, room: int) -> bool:
        if room <= 0 or not any(self._page.put(part, line, room) for line in choice.lines(room)):
            return False
        if choice.content is not None:
            self.note(choice.message_id, choice.content)
        return True

    def _is_shown(self, choice: LineOptions) -> bool:
        if choice.content is None:
            return False
        if choice.message_id in self._ids or is_blank(choice.content):
            return True
        return _said(choice.content) in self._contents


def _said(content: str) -> str:
    return collapse(content).casefold()


NEAREST: Final = 3
"""The best results, which are never replaced."""
_AROUND: Final = 30  # tokens of a span, its date and who speaks
_CHARACTERS: Final = 4  # of a token, where they are not counted yet
_MOST_READ: Final = 1_000  # characters of a question


def substitute_syntheses(ranked: Sequence[Memory], about: str, limit: int) -> list[Memory]:
    """Replace memories by the syntheses made of them, and return the result in order.

    A synthesis replaces its sources if it is among the first three itself, or costs no more than they do;
    else it is left out. The first three stay, and so does a source with a word of the question that its
    synthesis lacks.
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
    common = _shared(synthesis, about) if found else frozenset()
    return [one for one in found if _shared(one, about) <= common]


def _shared(memory: Memory, about: str) -> AbstractSet[str]:
    return {*stems(about[:_MOST_READ], memory.language)} & {*stems(memory.content, memory.language)}


def _cost(memory: Memory) -> int:
    return _AROUND + (memory.token_count or len(memory.content) // _CHARACTERS)
