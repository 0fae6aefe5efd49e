"""What goes into a context, and how: nothing twice, the best in full, the rest in short."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final

from ricordo.domain.context.lines import is_blank, memory_block, turn_line
from ricordo.domain.context.page import Page, Section
from ricordo.domain.context.telling import LINE_LENGTH, LONG_TOKENS, SHORT_TOKENS, Count, Digest, is_long
from ricordo.domain.memory import Memory
from ricordo.domain.text import collapse, excerpt, stems, title_of
from ricordo.domain.working import SpokenTurn

IN_FULL: Final = 5
_MOST_READ: Final = 1_000  # characters of what is told in a line
_SUMMARY_LENGTH: Final = 400

_PATIENCE: Final = 8
"""Lines that do not fit, after which no others are tried."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Lines that may stand for the same thing.

    Attributes:
        lines: makes them, the one that says most first.
        shortest: makes the last of them, without the others.
    """

    lines: Callable[[], Iterable[str]]
    shortest: Callable[[], str]

    @classmethod
    def of(cls, lines: Sequence[str]) -> "Choice":
        """Return the choice between lines that are there."""
        return cls(lambda: lines, lambda: lines[-1])


def without_repeats(
    recent: Iterable[SpokenTurn], memories: Iterable[Memory], decisions: Iterable[SpokenTurn] = ()
) -> tuple[list[SpokenTurn], list[Memory], list[SpokenTurn]]:
    """Leave out what is there already, by message id, then by what it says; and what says nothing.

    Turns come before memories, and these before decisions.
    """
    ids: set[str] = set()
    contents: set[str] = set()
    turns = [turn for turn in recent if _is_new(turn.message_id, turn.content, ids, contents)]
    kept = [memory for memory in memories if _is_new(memory.message_id, memory.content, ids, contents)]
    decided = [turn for turn in decisions if _is_new(turn.message_id, turn.content, ids, contents)]
    return turns, kept, decided


def _is_new(message_id: str | None, content: str, ids: set[str], contents: set[str]) -> bool:
    # A set compares by hash, and where hashes agree by all of the text; what is stored is in normal form C.
    if message_id in ids or content in contents or is_blank(content):
        return False
    if message_id:
        ids.add(message_id)
    contents.add(content)
    return True


class Telling:
    """Tells turns and memories in more or fewer words.

    Args:
        about: the question: of a long text, what shares words with it is told first.
        language: of the phrases.
        count: tokens of a text.
    """

    def __init__(self, about: str, language: str, count: Count) -> None:
        self._about = about
        self._language = language
        self._count = count

    def turn(self, turn: SpokenTurn) -> Choice:
        """Return the lines that may stand for a turn."""

        def line(told: str) -> str:
            return turn_line(turn, told, self._language)

        return Choice(
            lambda: map(line, self._by_length(turn.content, "", turn.language)),
            lambda: line(self._line(turn.content, "", turn.language)),
        )

    def memory(self, memory: Memory, rank: int) -> Choice:
        """Return the spans that may stand for a memory.

        Args:
            memory: what is told of.
            rank: from 0; the first 5 are told in full, but over 500 tokens compressed; the others by their
                summary.
        """

        def block(told: str) -> str:
            return memory_block(memory, told, self._language)

        return Choice(
            lambda: map(block, chain(self._forms(memory, rank), (_title(memory),))),
            lambda: block(_title(memory)),
        )

    def _forms(self, memory: Memory, rank: int) -> Iterator[str]:
        if rank < IN_FULL:
            return self._by_length(memory.content, memory.summary, memory.language)
        return iter((self._line(memory.content, memory.summary, memory.language),))

    def _by_length(self, content: str, summary: str, language: str) -> Iterator[str]:
        long = is_long(content, self._count)
        if not long:
            yield content
        elif collapse(summary) and not is_long(summary, self._count):
            yield summary
        digest = Digest(content, self._wanted(language), language or self._language)
        for limit in (LONG_TOKENS, SHORT_TOKENS) if long else (SHORT_TOKENS,):
            yield digest.within(limit, self._count)
        yield self._line(content, summary, language)

    def _line(self, content: str, summary: str, language: str) -> str:
        if collapse(summary):
            return excerpt(summary[: 2 * _SUMMARY_LENGTH], _SUMMARY_LENGTH)
        if len(content) <= LINE_LENGTH:
            return content
        return Digest(content[:_MOST_READ], self._wanted(language), language or self._language).line()

    def _wanted(self, language: str) -> frozenset[str]:
        return _wanted(self._about[:_MOST_READ], language or self._language)


def _title(memory: Memory) -> str:
    title = excerpt(memory.title, LINE_LENGTH) or title_of(memory.content[:_MOST_READ])
    return memory.content if len(memory.content) <= len(title) else title


@lru_cache(maxsize=8)
def _wanted(about: str, language: str) -> frozenset[str]:
    return frozenset(stems(about, language))


def fill(
    page: Page, section: Section, choices: Sequence[Choice], most: int, *, unbroken: bool = False
) -> Sequence[Choice]:
    """Put of each choice the first line that fits into a section, within `most` tokens; return the rest.

    Args:
        page: what the section is part of.
        section: where they go.
        choices: the most wanted first.
        most: tokens that they may take.
        unbroken: whether nothing may follow what does not fit, as in a conversation.
    """
    floor = page.left - most
    rest: list[Choice] = []
    for at, choice in enumerate(choices):
        if _fits(page, section, choice, page.left - floor):
            continue
        rest.append(choice)
        if unbroken or len(rest) == _PATIENCE:
            return [*rest, *choices[at + 1 :]]
    return rest


def fill_best(page: Page, section: Section, choices: Sequence[Choice], most: int) -> None:
    """Put choices into a section as `fill` does, but none at such length that later ones have no room."""
    shortest = [page.cost(choice.shortest()) for choice in choices]
    floor = page.left - most
    for at, choice in enumerate(choices):
        room = page.left - floor
        modest = room - sum(shortest[at + 1 :])
        if not _fits(page, section, choice, modest):
            _fits(page, section, choice, room)


def _fits(page: Page, section: Section, choice: Choice, room: int) -> bool:
    """Put the first line that fits into a section; say whether any did."""
    if page.cost(choice.shortest()) > room:
        return False
    return any(page.add(section, line, room) for line in choice.lines())
