"""Turns and memories in more or fewer words."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Final

from ricordo.domain.context.digest import LINE_LENGTH, LONG_TOKENS, SHORT_TOKENS, Count, Digest, is_long
from ricordo.domain.context.lines import decision_line, memory_block, turn_line
from ricordo.domain.context.selection import Choice
from ricordo.domain.memory import Memory
from ricordo.domain.text import collapse, excerpt, stems, title_of
from ricordo.domain.working import SpokenTurn

IN_FULL: Final = 5
_MOST_READ: Final = 1_000  # characters of what is told in a line
_SUMMARY_LENGTH: Final = 400


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
            lambda room: map(line, self._by_length(turn.content, "", turn.language, room)),
            lambda: line(self._line(turn.content, "", turn.language)),
            turn.message_id,
            turn.content,
        )

    def decision(self, turn: SpokenTurn) -> Choice:
        """Return the line that stands for a turn that decided something."""
        line = decision_line(turn, self._language)
        return Choice(lambda _: (line,), lambda: line, turn.message_id, turn.content)

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
            lambda room: map(block, chain(self._forms(memory, rank, room), (_title(memory),))),
            lambda: block(_title(memory)),
            memory.message_id,
            memory.content,
        )

    def _forms(self, memory: Memory, rank: int, room: int) -> Iterator[str]:
        if rank < IN_FULL:
            return self._by_length(memory.content, memory.summary, memory.language, room)
        return iter((self._line(memory.content, memory.summary, memory.language),))

    def _by_length(self, content: str, summary: str, language: str, room: int) -> Iterator[str]:
        long = is_long(content, self._count)
        if not long:
            yield content
        elif collapse(summary) and not is_long(summary, self._count):
            yield summary
        limits = [
            limit for limit in ((LONG_TOKENS, SHORT_TOKENS) if long else (SHORT_TOKENS,)) if limit < room
        ]
        if limits:
            digest = Digest(content, self._wanted(language), language or self._language)
            yield from (digest.within(limit, self._count) for limit in limits)
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
