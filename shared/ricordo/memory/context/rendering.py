"""Renders turns and memories as lines, in more or fewer words."""

from collections.abc import Collection, Iterator
from datetime import date
from functools import lru_cache
from typing import Final
from uuid import UUID

from ricordo.language.annotations import Role
from ricordo.language.tokenization import stems
from ricordo.memory.context.excerpts import Excerpt
from ricordo.memory.context.formatting import (
    format_utterance,
    is_blank,
    is_user_statement,
    source_label,
    speaker_label,
    starts_with_speaker,
)
from ricordo.memory.context.page import Line
from ricordo.memory.context.selection import LineOptions
from ricordo.memory.context.syntax import day_heading, phrase
from ricordo.memory.context.token_budget import Count, cost_within
from ricordo.memory.model import Memory
from ricordo.memory.spoken_turns import SpokenTurn

LONG: Final = 500
"""Tokens beyond which a text is shortened whatever the budget."""
_SHORTER: Final = (150, 40)
_MOST_READ: Final = 1_000  # characters of a question


class LineRenderer:
    """Renders turns and memories as lines, in more or fewer words.

    Args:
        one_speaks: whether all user statements are of one speaker, who then needs no name.
    """

    def __init__(
        self,
        about: str,
        today: date | None,
        superseded: Collection[UUID],
        language: str,
        count: Count,
        *,
        one_speaks: bool = False,
    ) -> None:
        self._about = about
        self._today = today
        self._superseded = superseded
        self._language = language
        self._count = count
        self._one_speaks = one_speaks
        self._excerpts: dict[str, Excerpt] = {}

    def turn(self, turn: SpokenTurn, place: int) -> LineOptions:
        """Return the alternative lines for a turn; `place` is its number among the turns."""

        def lines(room: int) -> Iterator[Line]:
            for most in (min(LONG, room), *_SHORTER):
                if shown := self.shortened(turn.content, "", turn.language, most):
                    yield self._spoken((place,), shown, speaker_label(turn, self._language), turn.role)

        return LineOptions(lines, turn.message_id, turn.content)

    def memory(self, memory: Memory, shown: str, mark: str) -> Line:
        """Return the line of a memory: `shown` is its text, `mark` stands for the memory."""
        place = (-memory.date.toordinal(), -memory.created_at.timestamp(), float(mark[1:]))
        line = self._spoken(place, shown, source_label(memory, self._language), memory.role)
        own = self._one_speaks and is_user_statement(memory)
        nameless = own and not memory.speaker and not line.named
        remark = f"{phrase(self._language, 'superseded')} " if memory.id in self._superseded else ""
        return Line(
            line.place,
            remark + line.text,
            mark,
            memory.id,
            day_heading(memory.date, self._today, self._language),
            "" if nameless else line.name,
            line.named or (self._one_speaks and not own),
            alone=own,
        )

    def shortened(self, content: str, summary: str, language: str, most: int) -> str:
        """Return a text in at most `most` tokens: in full, its summary if it is long, else an excerpt.

        Empty where no clause fits: clauses are not cut.
        """
        spent = cost_within(content, most, self._count)
        if spent <= most:
            return content
        if most >= LONG and not is_blank(summary) and cost_within(summary, most, self._count) <= most:
            return summary
        return self._excerpt(content, language).within(most, self._count)

    def beginning(self, content: str, language: str, most: int) -> str:
        """Return the best clause, cut to `most` tokens."""
        return self._excerpt(content, language).beginning(most, self._count)

    def _excerpt(self, content: str, language: str) -> Excerpt:
        known = self._excerpts.get(content)
        if known is None:
            wanted = _wanted(self._about[:_MOST_READ], language or self._language)
            known = self._excerpts[content] = Excerpt(content, wanted, language or self._language)
        return known

    def cost(self, content: str, most: int) -> int:
        """Return the cost of a text, or slightly more than `most`."""
        return cost_within(content, most, self._count)

    def _spoken(self, place: tuple[float, ...], shown: str, name: str, role: str) -> Line:
        named = role == Role.ASSISTANT or starts_with_speaker(shown)
        return Line(place, format_utterance(shown, self._language), name=name, named=named)


@lru_cache(maxsize=8)
def _wanted(about: str, language: str) -> frozenset[str]:
    return frozenset(stems(about, language))
